//! Folders that take no logs, from the beginning or from some moment on.

use super::record::{flight, names, record, wait_for_all};
use super::vehicle::Vehicle;
use super::{Running, wait_until};
use crate::ran;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// In a shell whose files have at most `blocks` blocks of 512 bytes, in most shells.
fn record_on_a_full_disk(blocks: u32, link: &str, folder: &Path) -> Command {
    let mut shell = Command::new("sh");
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_binlog"), "record", link, "-o"]).arg(folder);
    shell
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_log_and_the_stream() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = flight();
    let vehicle = Vehicle { stream: flight.clone(), ..Vehicle::new() }.fly();
    let ran = ran(&record_on_a_full_disk(41, &vehicle.link, folder.path()).output().expect("sh runs"));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("can't write ") && ran.stderr.contains("00000001.BIN: "), "{}", ran.stderr);
    let log = fs::read(folder.path().join("00000001.BIN")).expect("the log");
    assert!(log.len() > 10_000 && flight.starts_with(&log), "{}", log.len());
    assert!(ran.stdout.ends_with(&format!("00000001.BIN\t{} bytes\n", log.len())), "{}", ran.stdout);
    wait_until("STOP ends the stream", || vehicle.with(|vehicle| vehicle.stops > 0));
}

#[cfg(unix)]
#[test]
fn a_folder_that_takes_no_logs_is_an_error_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("file"), "mine").expect("room");
    // Nothing is asked of a vehicle.
    let vehicle = Vehicle { is_silent: true, ..Vehicle::new() }.fly();
    for file in ["file", "file/logs"] {
        let ran = record(&vehicle.link, &path(file), "").ends();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.ends_with("file is not a folder; name a folder for the output\n"), "{}", ran.stderr);
    }
    #[cfg(target_os = "linux")]
    for (name, said) in [("/proc/binlog", "can't create the folder /proc/binlog: "), ("/sys", "to the folder /sys: ")] {
        let ran = record(&vehicle.link, Path::new(name), "").ends();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        assert!(
            name != "/sys" || ran.stderr.ends_with("; name another folder with -o, or let this user write to it\n")
        );
    }
    let ran = ran(&record_on_a_full_disk(0, &vehicle.link, &path("a/b")).output().expect("sh runs"));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("; remove files, or name another folder with -o\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("can't write to the folder "), "{}", ran.stderr);
    assert_eq!(names(folder.path()), ["file"]);
    assert_eq!(fs::read(path("file")).expect("the file"), b"mine");
    // The first log may make room by removing the oldest one.
    let program = Running::run({
        let mut program = record_on_a_full_disk(0, &vehicle.link, &path("a"));
        program.args(["--max-logs", "2"]).stdout(Stdio::piped());
        program
    });
    wait_until("it waits", || path("a").exists());
    std::thread::sleep(std::time::Duration::from_millis(100));
    program.interrupt("-INT");
    assert_eq!(program.ends().code, Some(0));
    assert_eq!(names(folder.path()), ["file"]);
}

#[cfg(unix)]
#[test]
fn a_log_that_is_removed_or_renamed_is_an_error() {
    for is_renamed in [false, true] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let logs = folder.path().join("logs");
        let vehicle = Vehicle { stream: flight().repeat(20), speed: 1, ..Vehicle::new() }.fly();
        let program = record(&vehicle.link, &logs, "");
        wait_until("it streams", || vehicle.with(|vehicle| vehicle.acknowledged > 20));
        if is_renamed {
            fs::rename(&logs, folder.path().join("others")).expect("a folder");
        } else {
            fs::remove_dir_all(&logs).expect("a folder");
        }
        let ran = program.ends();
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{}", ran.stderr);
        let said = "00000001.BIN: another program removed or renamed it while it was written";
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        wait_until("STOP ends the stream", || vehicle.with(|vehicle| vehicle.stops > 0));
    }
}

/// Another file with zeros at its end, in the place of the log, says nothing about the log's.
#[cfg(unix)]
#[test]
fn a_log_whose_place_another_file_took_keeps_its_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let flight = flight();
    let vehicle = Vehicle { stream: flight.clone(), ..Vehicle::new() }.fly();
    let program = record(&vehicle.link, folder.path(), "");
    wait_for_all(&vehicle);
    fs::rename(path("00000001.BIN"), path("mine")).expect("a file");
    let mut other = flight[..flight.len() / 2].to_vec();
    other.extend([0; 100]);
    fs::write(path("00000001.BIN"), &other).expect("room");
    program.interrupt("-INT");
    assert_eq!(program.ends().code, Some(2));
    assert!(fs::read(path("mine")).expect("the log").starts_with(&flight));
    assert!(fs::read(path("00000001.BIN")).expect("the other file") == other);
}
