//! What README shows: each list of dependencies compiles with the program beside it, and the table is that of a flight.

use binlog::Records;
use simulator::{Simulation, log_of};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The code blocks of a Markdown text: language and contents.
fn blocks(markdown: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let language = language.split(',').next().unwrap_or_default();
            let contents = lines.by_ref().take_while(|line| *line != "```").fold(String::new(), |mut all, line| {
                let _ = writeln!(all, "{line}");
                all
            });
            blocks.push((language, contents));
        }
    }
    blocks
}

/// Each list of dependencies, and the program after it.
fn pairs(markdown: &str) -> Vec<(String, String)> {
    let code = blocks(markdown).into_iter().filter(|(language, _)| matches!(*language, "toml" | "rust"));
    let code: Vec<_> = code.collect();
    let pairs = code.windows(2).filter_map(|pair| match pair {
        [("toml", dependencies), ("rust", program)] => Some((dependencies.clone(), program.clone())),
        _ => None,
    });
    pairs.collect()
}

#[test]
fn dependencies_and_program_of_the_readme_compile_as_they_stand() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the checkout");
    let readme = fs::read_to_string(root.join("README.md")).expect("README");
    let pairs = pairs(&readme);
    let lists = blocks(&readme).iter().filter(|(language, _)| *language == "toml").count();
    assert_eq!((lists, pairs.len()), (2, 2), "a program for a host, and one for a microcontroller");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
    for (i, (dependencies, program)) in pairs.iter().enumerate() {
        // As a reader has it, who puts binlog beside his own crate.
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = format!("path = \"{}/", root.display());
        let dependencies = dependencies.replace("path = \"../binlog/", &path);
        assert!(dependencies.contains(&path), "binlog is beside the crate:\n{dependencies}");
        let manifest = format!("[package]\nname = \"mine\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n{dependencies}");
        fs::write(folder.path().join("Cargo.toml"), manifest).expect("room for it");
        // The versions that this workspace is tested with.
        fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).expect("room for it");
        fs::create_dir(folder.path().join("src")).expect("room for it");
        let file = if program.contains("fn main()") { "src/main.rs" } else { "src/lib.rs" };
        fs::write(folder.path().join(file), program).expect("room for it");
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--color=never"])
            .current_dir(folder.path())
            .env("CARGO_TARGET_DIR", target.join("readme"))
            .env_remove("RUSTFLAGS")
            .output()
            .expect("cargo runs");
        assert!(
            output.status.success(),
            "program {i} of README:\n{program}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn the_table_of_the_readme_is_that_of_a_flight() {
    // The flight of `cargo run --release -p simulator`.
    let (seed, seconds) = (1, 60);
    let log = log_of(Simulation::new(seed, seconds));
    let mut types: BTreeMap<String, usize> = BTreeMap::new();
    for record in Records::new(&log) {
        *types.entry(record.expect("a sound log").name().to_owned()).or_default() += 1;
    }
    let total: usize = types.values().sum();
    let readme = include_str!("../../../README.md");
    let table = blocks(readme).into_iter().map(|(_, text)| text).find(|text| text.starts_with("type    records"));
    let table = table.expect("the table");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let mut compared = 0;
    for row in &rows {
        if let Some(records) = row.first().and_then(|name| types.get(*name)) {
            assert_eq!(row[1], records.to_string(), "{row:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, 2, "{table}");
    let total = [total.to_string(), log.len().to_string()];
    let row = rows.iter().find(|row| row.first() == Some(&"total")).expect("the total");
    assert_eq!([row[1], row[3]], total);
}
