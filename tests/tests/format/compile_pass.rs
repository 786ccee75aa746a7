//! Programs that compile without a warning: each module has names, lints or shapes that could conflict with the macros.

#[path = "../../compile-pass/as_logged.rs"]
mod as_logged;
#[path = "../../compile-pass/automatic_ids.rs"]
mod automatic_ids;
#[path = "../../compile-pass/blackbox.rs"]
mod blackbox;
#[path = "../../compile-pass/by_hand.rs"]
mod by_hand;
#[path = "../../compile-pass/custom_units.rs"]
mod custom_units;
#[path = "../../compile-pass/documented.rs"]
mod documented;
#[path = "../../compile-pass/from_a_macro.rs"]
mod from_a_macro;
#[path = "../../compile-pass/limits.rs"]
mod limits;
#[path = "../../compile-pass/lint_allowed.rs"]
mod lint_allowed;
#[path = "../../compile-pass/names_of_std.rs"]
mod names_of_std;
#[path = "../../compile-pass/nested_fields.rs"]
mod nested_fields;
#[path = "../../compile-pass/no_warnings.rs"]
mod no_warnings;
#[path = "../../compile-pass/older.rs"]
mod older;
#[path = "../../compile-pass/raw_identifiers.rs"]
mod raw_identifiers;
#[path = "../../compile-pass/re_exported.rs"]
mod re_exported;
#[path = "../../compile-pass/schemas.rs"]
mod schemas;
#[path = "../../compile-pass/shadowed_names.rs"]
mod shadowed_names;
#[path = "../../compile-pass/types.rs"]
mod types;
#[path = "../../compile-pass/without_a_prelude.rs"]
mod without_a_prelude;

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// In a crate of its own, where nothing is called `::binlog`.
#[test]
fn a_library_on_edition_2021_may_rename_the_crate() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = tests.parent().expect("the tests are a folder of the workspace");
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("renamed");
    fs::create_dir_all(&project).expect("the target folder is writable");
    let manifest = format!(
        "[package]\nname = \"renamed\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
         [lib]\npath = {:?}\n\n\
         [dependencies]\nflightlog = {{ package = \"binlog\", path = {:?} }}\n\
         zerocopy = {{ version = \"0.8\", default-features = false, features = [\"derive\"] }}\n",
        tests.join("compile-pass/renamed/lib.rs"),
        root.join("binlog"),
    );
    fs::write(project.join("Cargo.toml"), manifest).expect("the target folder is writable");
    // The versions that the workspace uses are already downloaded.
    fs::copy(root.join("Cargo.lock"), project.join("Cargo.lock")).expect("the workspace has a lock file");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is `tmp` in the target folder");
    let cargo = env::var_os("CARGO").unwrap_or("cargo".into());
    let output = Command::new(cargo)
        .args(["check", "--quiet", "--offline", "--target-dir"])
        .arg(target)
        .current_dir(&project)
        .output()
        .expect("cargo runs: it has just built this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
