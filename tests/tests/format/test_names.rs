//! Names of tests are facts that are read in one go.

use std::fs;
use std::path::{Path, PathBuf};

/// The longest name, in characters.
const LONGEST: usize = 60;

#[test]
fn names_of_tests_have_at_most_60_characters() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut files = Vec::new();
    sources(root, &mut files);
    let (mut count, mut long) = (0, String::new());
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable source");
        let mut lines = text.lines().map(str::trim_start);
        while lines.any(|line| line == "#[test]") {
            // Further attributes may come before the function.
            let name = lines.find_map(|line| line.strip_prefix("fn ")).and_then(|rest| rest.split(['(', '<']).next());
            let name = name.expect("the function of a test");
            count += 1;
            if name.len() > LONGEST {
                long += &format!("{}: {name} has {}\n", file.display(), name.len());
            }
        }
    }
    assert!(count > 1000, "only {count} tests are found");
    assert!(long.is_empty(), "\n{long}");
}

/// The Rust sources in a folder and its folders, without what is built.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}
