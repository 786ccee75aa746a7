//! The line `// Held by …` at the head of a module names the tests that hold its promise.

use std::fs;
use std::path::Path;

/// Calls `each` for each such line of the files below a folder.
fn lines(folder: &Path, each: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).expect("a folder of the checkout") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            lines(&path, each);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            text.lines().filter_map(|line| line.strip_prefix("// Held by ")).for_each(|line| each(&path, line));
        }
    }
}

#[test]
fn the_tests_that_modules_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are a folder of the workspace");
    let mut named = 0;
    for source in ["binlog/src", "binlog-embedded/src"] {
        lines(&root.join(source), &mut |path, line| {
            let line = line.strip_suffix('.').unwrap_or_else(|| panic!("{}: a full stop is missing", path.display()));
            for test in line.split(", ") {
                assert!(root.join(test).exists(), "{}: there is no {test}", path.display());
                named += 1;
            }
        });
    }
    assert!(named > 0);
}
