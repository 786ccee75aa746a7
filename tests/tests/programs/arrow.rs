//! pyarrow reads the example `arrow` through Arrow's C stream interface.

use binlog_tests::{left_out, logs, pymavlink};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The example as a library.
fn library() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let build = ["build", "--quiet", "-p", "binlog", "--features", "arrow", "--example", "arrow"];
    let built = Command::new(cargo).args(build).status().expect("cargo runs");
    assert!(built.success());
    let tests = std::env::current_exe().expect("the tests' program");
    let profile = tests.parent().and_then(Path::parent).expect("a target folder");
    let name = format!("{}arrow{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    profile.join("examples").join(name)
}

#[test]
fn pyarrow_has_the_values_of_pymavlink() {
    if cfg!(not(debug_assertions)) {
        return left_out("pyarrow on the example `arrow` of a release build");
    }
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/arrow.py");
    if pymavlink::command(&program, &["pyarrow"]).is_none() {
        return;
    }
    let library = library();
    for (name, bytes) in logs::all().into_iter().filter(|(_, bytes)| bytes.len() < 4 << 20) {
        let mut file = tempfile::Builder::new().suffix(".bin").tempfile().expect("a temporary file");
        file.write_all(&bytes).expect("room for the log");
        let mut command = pymavlink::command(&program, &[]).expect("it was there");
        let output = command.arg(&library).arg(file.path()).output().expect("python runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        println!("{name}: {}", String::from_utf8_lossy(&output.stdout));
    }
}
