//! Signals: the exit code is 130 at any moment of a command.

use crate::default_signals::with_default_signals;
use crate::log;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

fn spawned(line: &str) -> Child {
    let mut program = with_default_signals(env!("CARGO_BIN_EXE_binlog"));
    program.args(line.split(' ')).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    program.spawn().expect("the program runs")
}

/// The exit code after a signal.
fn signalled(mut child: Child, signal: &str) -> Option<i32> {
    let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    child.wait().expect("the program ends").code()
}

#[test]
fn a_command_that_reads_ends_with_130() {
    // More than a pipe holds: the program has read some of it.
    let beginning = std::fs::read(log("flight.bin")).expect("the log").repeat(20);
    assert!(beginning.len() > 1 << 20);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let export = format!("export - --format csv -o {}", out.display());
    for line in ["dump -", "info -", "stats -", "params -", "check -", "export - --format jsonl", &export] {
        for signal in ["-INT", "-TERM", "-HUP"] {
            let mut child = spawned(line);
            let mut stdin = child.stdin.take().expect("a pipe");
            stdin.write_all(&beginning).expect("the program reads");
            // The pipe stays open, so that the program waits for more.
            assert_eq!(signalled(child, signal), Some(130), "{line} {signal}");
            drop(stdin);
            assert!(!out.exists(), "{line} {signal}");
        }
    }
}

#[test]
fn a_command_that_prints_ends_with_130() {
    let path = log("flight.bin");
    for signal in ["-INT", "-TERM", "-HUP"] {
        let mut child = spawned(&format!("dump {}", path.display()));
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_exact(&mut [0]).expect("the program prints");
        // Nobody reads on, so the program waits.
        assert_eq!(signalled(child, signal), Some(130), "{signal}");
    }
}
