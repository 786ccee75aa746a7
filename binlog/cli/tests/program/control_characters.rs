//! Control characters in a log: a terminal obeys none, and no row is split.

use crate::{binlog, fine, json, log, only_says, words};
use binlog::Records;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const NAME: &[u8; 16] = b"Q\nZ,\x1b[2J\0\0\0\0\0\0\0\0";

/// A log whose first parameter, whose type BARO and whose first label of it have control characters.
fn hostile(folder: &TempDir) -> PathBuf {
    let mut bytes = fs::read(log("flight.bin")).expect("the log");
    let mut edits: Vec<(usize, Vec<u8>)> = Vec::new();
    let parameter = Records::new(&bytes).flatten().find(|record| record.name() == "PARM").expect("a parameter");
    edits.push((parameter.offset() + 11, NAME.to_vec()));
    let is_baro = |record: &binlog::Record<'_>| {
        record.name() == "FMT" && record.value("Name").is_some_and(|name| name.to_string() == "BARO")
    };
    let fmt = Records::new(&bytes).flatten().find(is_baro).expect("the FMT of BARO");
    edits.push((fmt.offset() + 5, b"B\x1b[J".to_vec()));
    edits.push((fmt.offset() + 25, b"T\x1b\x07\n\x9b".to_vec()));
    for (at, new) in edits {
        bytes[at..at + new.len()].copy_from_slice(&new);
    }
    let path = folder.path().join("hostile.bin");
    fs::write(&path, bytes).expect("room");
    path
}

#[test]
fn control_characters_of_a_log_are_escaped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = hostile(&folder);
    for line in [
        "params LOG",
        "params LOG -n NONE",
        "params LOG --param",
        "schema LOG",
        "schema LOG --markdown",
        "info LOG",
        "check LOG",
        "find T LOG",
        "stats LOG",
        "stats LOG -t NOPE",
        "stats LOG -t B?[J.Nope",
        "export LOG -t NOPE --format csv",
        "plot LOG NOPE.X",
        "dump LOG -t NOPE",
    ] {
        let ran = binlog(words(line, &path));
        for text in [&ran.stdout, &ran.stderr] {
            let raw = text.chars().find(|character| character.is_control() && *character != '\n');
            assert_eq!(raw, None, "{line}: {text}");
            assert!(!text.contains("Q\nZ"), "{line}: {text}");
        }
    }
    let shown = fine("params LOG", &path);
    assert!(shown.contains("Q\\nZ,\\u{1b}[2J "), "{shown}");
}

#[test]
fn a_parameter_file_with_such_a_name_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = hostile(&folder);
    let file = folder.path().join("saved.param");
    fine(&format!("params LOG --param -o {}", file.display()), &path);
    let said = format!("no parameter differs from {}", file.display());
    only_says(&format!("params LOG --diff {}", file.display()), &path, &said);
    assert_eq!(
        fs::read_to_string(&file).expect("the file").lines().count(),
        json("params --json LOG", &path).len(),
        "a line for each"
    );
}

#[test]
fn the_parameter_file_of_a_blackbox_log_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, file) = (log("flight.bbl"), folder.path().join("saved.param"));
    fine(&format!("params --param LOG -o {}", file.display()), &path);
    assert!(fs::read_to_string(&file).expect("the file").lines().any(|line| line.starts_with("Data version,")));
    let said = format!("no parameter differs from {}", file.display());
    only_says(&format!("params --diff {} LOG", file.display()), &path, &said);
}
