//! The example `convert` writes whole logs, and never over the log that it reads.

use super::other_firmware::plain;
use crate::raw_session::MARKER;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{env, fs};

/// Two sessions of one main frame each.
fn two_sessions() -> Vec<u8> {
    let session = format!("{MARKER}H Data version:2\n{}I\0\x02", plain('I', &["loopIteration", "time"]));
    session.repeat(2).into_bytes()
}

fn convert(arguments: [&Path; 2], input: Stdio) -> Output {
    let cargo = env::var_os("CARGO").unwrap_or("cargo".into());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is `tmp` in the target folder");
    Command::new(cargo)
        .args(["run", "--quiet", "--offline", "-p", "binlog", "--features", "json", "--example", "convert"])
        .arg("--target-dir")
        .args([target, Path::new("--")])
        .args(arguments)
        .stdin(input)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs: it has just built this test")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn each_session_becomes_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("flight.bbl"), folder.path().join("flight.bin"));
    fs::write(&from, two_sessions()).expect("a writable folder");
    let output = convert([&from, &to], Stdio::null());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(folder.path()), ["flight-2.bin", "flight.bbl", "flight.bin"]);
}

#[test]
fn no_session_is_written_over_the_log_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("flight-2.bin"), folder.path().join("flight.bin"));
    fs::write(&from, two_sessions()).expect("a writable folder");
    let refused = |from: &Path, to: &Path| {
        let before = names(folder.path());
        let output = convert([from, to], Stdio::null());
        assert!(!output.status.success());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("is the log itself"), "{said}");
        assert_eq!(names(folder.path()), before, "nothing is written");
        assert!(fs::read(from).expect("the log") == two_sessions(), "the log is as it was");
    };
    refused(&from, &to);
    let link = folder.path().join("other-2.bin");
    if fs::hard_link(&from, &link).is_ok() {
        refused(&from, &folder.path().join("other.bin"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_is_read_from_a_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("flight.bbl"), folder.path().join("out.bin"));
    fs::write(&from, two_sessions()).expect("a writable folder");
    let mut cat = Command::new("cat").arg(&from).stdout(Stdio::piped()).spawn().expect("cat");
    let pipe = cat.stdout.take().expect("its output");
    let output = convert([Path::new("/dev/stdin"), &to], pipe.into());
    cat.wait().expect("cat ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(folder.path()), ["flight.bbl", "out-2.bin", "out.bin"]);
}
