//! The program, from the outside: what it prints, and how it fails.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn simulator(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simulator"));
    command.args(["--seconds", "1"]).args(arguments);
    command
}

/// A path of the test's own.
fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn run(arguments: &[&str]) -> Output {
    simulator(arguments).output().expect("the program starts")
}

/// Runs the program to an error, and returns the error's text.
fn fail(arguments: &[&str]) -> String {
    let output = run(arguments);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("error: "), "{text}");
    assert!(text.contains("-o FILE"), "no advice: {text}");
    text
}

#[test]
fn the_table_ends_with_the_file() {
    let path = place("table.bin");
    let output = run(&["-o", &path.to_string_lossy()]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let imu = text.lines().find(|line| line.starts_with("IMU")).expect("a line for IMU");
    assert_eq!(imu.split_whitespace().collect::<Vec<_>>(), ["IMU", "800", "800.0", "43200"]);
    let bytes = std::fs::metadata(&path).expect("a log").len();
    let total = text.lines().find(|line| line.starts_with("total")).expect("a total");
    assert!(total.ends_with(&format!(" {bytes}")), "{total}");
    assert!(text.lines().any(|line| path.canonicalize().is_ok_and(|path| line == path.to_string_lossy())));
}

#[test]
fn a_missing_folder_is_named() {
    let path = place("missing/flight.bin");
    assert!(fail(&["-o", &path.to_string_lossy()]).contains(&*path.to_string_lossy()));
}

#[test]
fn a_folder_is_no_file() {
    let path = place("");
    assert!(fail(&["-o", &path.to_string_lossy()]).contains(&*path.to_string_lossy()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    assert!(fail(&["-o", "/dev/full"]).contains("/dev/full"));
}

#[test]
fn uncreatable_folder_is_an_error_that_names_the_option() {
    let file = place("no-folder");
    std::fs::write(&file, "a file").expect("room");
    let output = run(&["--logs", &file.join("logs").to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("--logs FOLDER") && !text.contains("-o FILE"), "{text}");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let path = place("pipe.bin");
    let mut command = simulator(&["-o", &path.to_string_lossy()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_gets_the_log_and_no_table() {
    let output = run(&["-o", "/dev/stdout"]);
    assert!(output.status.success(), "{output:?}");
    assert!(binlog::Records::new(&output.stdout).all(|record| record.is_ok()));
}

#[test]
fn vehicles_fly_in_real_time_each_with_its_own_numbered_logs() {
    let folder = place("logs");
    let _ = std::fs::remove_dir_all(&folder);
    for round in 1..=2 {
        let begun = std::time::Instant::now();
        let output = run(&["--realtime", "--vehicles", "3", "--logs", &folder.to_string_lossy()]);
        assert!(output.status.success(), "{output:?}");
        assert!(begun.elapsed().as_secs_f64() > 0.99, "a second takes a second");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.matches("0 records were dropped").count(), 3, "{text}");
        for vehicle in 1..=3 {
            let path = folder.join(format!("{vehicle}/{round:08}.BIN"));
            let log = binlog::Log::open(path).expect("its log");
            assert_eq!(log.rows("IMU[0]").expect("its sensor").len(), 400);
            assert!(!log.rows("DSF").expect("statistics").is_empty());
        }
    }
    let log = |vehicle| std::fs::read(folder.join(format!("{vehicle}/00000001.BIN"))).expect("its log");
    assert!(log(1) != log(2), "each has its own wind");
}

#[test]
fn a_blackbox_log_is_read_back() {
    let path = place("table.bbl");
    let output = run(&["--format", "blackbox", "-o", &path.to_string_lossy()]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let records = |letter| {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(letter))?;
        line.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    assert_eq!((records("I"), records("P")), (Some(13), Some(387)), "{text}");
}

#[test]
fn options_that_a_blackbox_log_does_not_have_are_named() {
    for option in [&["--realtime"][..], &["--vehicles", "2"], &["--logs", "logs"]] {
        let output = run(&[&["--format", "blackbox"], option].concat());
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(option[0]) && text.contains("--format bin"), "{text}");
    }
}
