//! Outputs that end early: a full disk, a closed pipe, an interrupt.

use crate::support::{Logs, export, export_to, files, simulated};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The options of each format that goes to standard output.
const TO_STDOUT: [&[&str]; 6] = [
    &["--format", "csv", "--types", "ATT"],
    &["--format", "csv", "--wide", "ATT"],
    &["--format", "jsonl"],
    &["--format", "mcap"],
    &["--format", "kml"],
    &["--format", "gpx"],
];

/// `binlog export`, to be spawned.
fn spawned(log: &[&Path], options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_binlog"));
    command.arg("export").args(log).args(options).stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_in_every_format() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    for options in TO_STDOUT {
        let full = File::options().write(true).open("/dev/full").expect("the device");
        let output = spawned(&[&logs.paths[0]], options).stdout(full).output().expect("the program runs");
        says_once(output.status.code(), &output.stderr, options);
    }
    for format in ["jsonl", "mcap", "kml", "gpx"] {
        let options = ["--format", format, "-o", "/dev/full"];
        let output = export(&logs.paths, &options).output().expect("the program runs");
        says_once(output.status.code(), &output.stderr, &options);
    }

    fn says_once(code: Option<i32>, stderr: &[u8], options: &[&str]) {
        let text = String::from_utf8_lossy(stderr);
        assert_eq!(code, Some(2), "{options:?}: {text}");
        assert!(text.starts_with("binlog: ") && text.contains("can't write"), "{options:?}: {text}");
        assert_eq!(text.lines().count(), 1, "{options:?}: {text}");
    }
}

#[test]
fn a_closed_pipe_is_quiet_in_every_format() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    for options in TO_STDOUT {
        let mut child = spawned(&[&logs.paths[0]], options).stdout(Stdio::piped()).spawn().expect("the program runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{options:?}");
    }
}

/// The files below a folder, if it is there, whose names end with this.
#[cfg(unix)]
fn ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    if !folder.is_dir() {
        return Vec::new();
    }
    let paths = files(folder).into_iter().map(|(path, _)| path);
    paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

/// Waits for a part of an output below a folder, whose name ends with `part`, and then interrupts the program. Returns
/// its exit code.
#[cfg(unix)]
fn interrupt_while_it_writes(child: &mut Child, folder: &Path, part: &str) -> Option<i32> {
    for _ in 0..5000 {
        if !ending(folder, part).is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(!ending(folder, part).is_empty(), "no part of an output");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    child.wait().expect("the program ends").code()
}

#[cfg(unix)]
#[test]
fn an_interrupted_data_set_is_what_it_was() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("set");
    // After the log it waits for its standard input, which is kept open.
    let options = ["--format", "parquet", "-o", out.to_str().expect("UTF-8")];
    let mut command = spawned(&[&logs.paths[0], Path::new("-")], &options);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program runs");
    let stdin = child.stdin.take();
    assert_eq!(interrupt_while_it_writes(&mut child, &out, ".parquet.part"), Some(130));
    drop(stdin);
    assert!(ending(&out, ".part").is_empty() && ending(&out, ".parquet").is_empty());
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    assert!(ending(&out, ".part").is_empty() && !ending(&out, ".parquet").is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_file_is_not_there() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    // Zeros without end keep the program busy after it has begun the output.
    let log = File::options().write(true).open(&logs.paths[0]).expect("the log");
    if log.set_len(2 << 30).is_err() {
        return crate::support::left_out("a log of 2 GiB, which the file system of the temporary folder can't have");
    }
    let folder = logs.out("out");
    fs::create_dir(&folder).expect("room");
    let out = folder.join("a.jsonl");
    let options = ["-o", out.to_str().expect("UTF-8")];
    let mut child = spawned(&[&logs.paths[0]], &options).spawn().expect("the program runs");
    assert_eq!(interrupt_while_it_writes(&mut child, &folder, ".part"), Some(130));
    assert_eq!(files(&folder), []);
}
