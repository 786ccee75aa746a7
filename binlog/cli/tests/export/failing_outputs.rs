//! Outputs that end early: a full disk, a closed pipe, an interrupt.

use crate::support::{Logs, export, export_to, files, simulated, with_default_signals};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
    let mut command = with_default_signals(env!("CARGO_BIN_EXE_binlog"));
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
    for options in TO_STDOUT {
        let options = [options, &["-o", "/dev/full"]].concat();
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

/// A pipe with a name; `None` where `mkfifo` is missing.
#[cfg(unix)]
fn pipe(logs: &Logs) -> Option<PathBuf> {
    let pipe = logs.out("pipe");
    Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()).then_some(pipe)
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_gets_what_standard_output_gets() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    for options in TO_STDOUT {
        let expected = export(&logs.paths, options).output().expect("the program runs").stdout;
        assert!(!expected.is_empty(), "{options:?}");
        let script = "\"$0\" export \"$@\" -o /dev/fd/3 3>&1 1>&2";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_binlog")]).args(&logs.paths).args(options);
        let output = shell.output().expect("sh runs");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{options:?}");
        assert!(output.stdout == expected, "{options:?}");
        export_to(Path::new("/dev/stdout"), &logs.paths, options, 0);
        export_to(Path::new("/dev/null"), &logs.paths, options, 0);
        let Some(pipe) = pipe(&logs) else { continue };
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).expect("bytes")
        });
        assert_eq!(export_to(&pipe, &logs.paths, options, 0), "", "{options:?}");
        assert!(reader.join().expect("the reader ends") == expected, "{options:?}");
        // The reader stops at once.
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || drop(File::open(pipe).expect("the pipe"))
        });
        assert_eq!(export_to(&pipe, &logs.paths, options, 0), "", "{options:?}");
        reader.join().expect("the reader ends");
        fs::remove_file(&pipe).expect("the pipe");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_takes_one_file() {
    let logs = Logs::of(&[("a.bin", &simulated()), ("b.bin", &simulated())]);
    for (paths, options, said) in [
        (&logs.paths[..1], &["--format", "csv"][..], "/dev/null takes one type, but the log has several"),
        (&logs.paths, &["--format", "jsonl"], "/dev/null is the name of a file, but several logs go to a folder"),
        (
            &logs.paths,
            &["--format", "csv", "-t", "ATT"],
            "/dev/null is the name of a file, but several logs go to a folder",
        ),
        (&logs.paths[..1], &["--format", "parquet"], "/dev/null is not a folder; name a folder"),
    ] {
        let text = export_to(Path::new("/dev/null"), paths, options, 2);
        assert!(text.contains(said) && text.lines().count() == 1, "{text}");
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

/// Waits for what comes soon, but on a busy machine after a while.
#[cfg(unix)]
fn wait_for(has_come: impl Fn() -> bool) {
    let start = Instant::now();
    while !has_come() {
        assert!(start.elapsed() < Duration::from_secs(100), "no part of an output");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for a part of an output below a folder, whose name ends with `part`, and then interrupts the program. Returns
/// its exit code.
#[cfg(unix)]
fn interrupt_while_it_writes(child: &mut Child, folder: &Path, part: &str, signal: &str) -> Option<i32> {
    wait_for(|| !ending(folder, part).is_empty());
    let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    // `wait` closes the standard input that it has, and the program may see its end before the signal.
    let stdin = child.stdin.take();
    let status = child.wait().expect("the program ends");
    drop(stdin);
    status.code()
}

#[cfg(unix)]
#[test]
fn an_interrupted_data_set_is_what_it_was() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("set");
    // After the log it waits for its standard input.
    let options = ["--format", "parquet", "-o", out.to_str().expect("UTF-8")];
    let mut command = spawned(&[&logs.paths[0], Path::new("-")], &options);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program runs");
    assert_eq!(interrupt_while_it_writes(&mut child, &out, ".parquet.part", "-INT"), Some(130));
    assert!(!out.exists());
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    assert!(ending(&out, ".part").is_empty() && !ending(&out, ".parquet").is_empty());
    let before = files(&out);
    let other = Logs::of(&[("b.bin", &simulated()[..50_000])]);
    let mut child = waiting(&other, &out, "parquet");
    assert_eq!(interrupt_while_it_writes(&mut child, &out, ".parquet.part", "-TERM"), Some(130));
    assert_eq!(files(&out), before);
}

#[cfg(unix)]
#[test]
fn one_export_at_a_time_writes_a_data_set() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("set");
    let mut first = waiting(&logs, &out, "parquet");
    wait_for(|| !ending(&out, ".parquet.part").is_empty());
    let second = export(&logs.paths, &["--format", "parquet", "-o", out.to_str().expect("UTF-8")]);
    let second = { second }.output().expect("the program runs");
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(2), "{said}");
    assert!(said.ends_with(": another export is writing to it; run this one again when that has ended\n"), "{said}");
    // What it was asked to read has no log, and the data set has the other one.
    drop(first.stdin.take());
    assert_eq!(first.wait().expect("the program ends").code(), Some(2));
    assert!(!ending(&out, ".parquet").is_empty());
}

#[test]
fn a_data_set_that_gets_no_log_is_not_begun() {
    let logs = Logs::of(&[("a.bin", b"no log")]);
    for folder in ["new", "in/new"] {
        export_to(&logs.out(folder), &logs.paths, &["--format", "parquet"], 2);
    }
    let left = logs.paths[0].parent().expect("a folder").read_dir().expect("a folder").count();
    assert_eq!(left, 1);
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
    assert_eq!(interrupt_while_it_writes(&mut child, &folder, ".part", "-INT"), Some(130));
    assert_eq!(files(&folder), []);
}

/// An export of a log and of standard input, for which it waits after the log.
#[cfg(unix)]
fn waiting(logs: &Logs, out: &Path, format: &str) -> Child {
    let options = ["--format", format, "-o", out.to_str().expect("UTF-8")];
    let mut command = spawned(&[&logs.paths[0], Path::new("-")], &options);
    command.stdin(Stdio::piped()).spawn().expect("the program runs")
}

#[cfg(unix)]
#[test]
fn an_interrupted_folder_is_what_it_was() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    for format in ["csv", "jsonl"] {
        for signal in ["-INT", "-TERM", "-HUP"] {
            let out = logs.out(&format!("{format}{signal}"));
            let mut child = waiting(&logs, &out, format);
            assert_eq!(interrupt_while_it_writes(&mut child, &out, ".part", signal), Some(130), "{format} {signal}");
            assert!(!out.exists(), "{format} {signal}");
        }
        let out = logs.out(format);
        fs::create_dir(&out).expect("room");
        let mut child = waiting(&logs, &out, format);
        assert_eq!(interrupt_while_it_writes(&mut child, &out, ".part", "-TERM"), Some(130), "{format}");
        assert_eq!(out.read_dir().expect("a folder").count(), 0, "{format}");
    }
}

#[cfg(unix)]
#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("csv");
    let mut killed = waiting(&logs, &out, "csv");
    assert_eq!(interrupt_while_it_writes(&mut killed, &out, ".part", "-KILL"), None);
    let left = ending(&out, ".part");
    // Another run is writing there. It disturbs nobody, and nobody disturbs it.
    let mut running = waiting(&logs, &out, "csv");
    wait_for(|| ending(&out, ".part").iter().any(|path| !left.contains(path)));
    assert!(left.iter().all(|path| !path.exists()), "{left:?}");
    export_to(&out, &logs.paths, &["--format", "csv", "-t", "MODE"], 0);
    assert!(out.join("MODE.csv").is_file() && !ending(&out, ".part").is_empty());
    drop(running.stdin.take());
    let output = running.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(2), "standard input is empty");
    assert!(out.join("a/ATT.csv").is_file() && ending(&out, ".part").is_empty() && ending(&out, ".lock").is_empty());
}

#[cfg(unix)]
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("csv");
    let script = "trap '' HUP; exec \"$0\" export \"$1\" - --format csv -o \"$2\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_binlog")]).arg(&logs.paths[0]).arg(&out);
    let mut child = shell.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().expect("sh runs");
    wait_for(|| !ending(&out, ".part").is_empty());
    assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().expect("kill runs").success());
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(child.try_wait().expect("a child"), None);
    drop(child.stdin.take());
    child.wait().expect("the program ends");
    assert!(out.join("a/ATT.csv").is_file());
}
