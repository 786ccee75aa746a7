//! What `record` prints, and readers that don't read it.

use super::record::{flight, lines, record, wait_for_all};
use super::vehicle::{Vehicle, free_port};
use super::{Running, wait_until};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, Read, Write, pipe};
use std::net::UdpSocket;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

fn record_to(output: impl Into<Stdio>, link: &str, folder: &Path) -> Running {
    Running::start_to(output, ["record", "--json", link, "-o", folder.to_str().expect("UTF-8")])
}

#[cfg(unix)]
#[test]
fn a_recording_outlives_the_readers_of_its_output() {
    let flight = flight();
    // `binlog record --json | head -1`, a viewer that is paused, and a disk that is full.
    for output in ["closed", "paused", "full"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let vehicle = Vehicle { stream: flight.clone(), ..Vehicle::new() }.fly();
        let (mut reader, mut writer) = pipe().expect("a pipe");
        let full = fs::File::options().write(true).open("/dev/full");
        let program = match output {
            "closed" => {
                let program = record_to(writer, &vehicle.link, folder.path());
                let mut byte = [0];
                reader.read_exact(&mut byte).expect("a line");
                drop(reader);
                program
            }
            "paused" => {
                // Linux has 64 KiB for it. Fewer bytes would wait.
                let filled = if cfg!(target_os = "linux") { 65_536 } else { 16_384 };
                writer.write_all(&vec![b'\n'; filled]).expect("room");
                record_to(writer, &vehicle.link, folder.path())
            }
            _ => match full {
                Ok(full) => record_to(full, &vehicle.link, folder.path()),
                Err(_) => continue,
            },
        };
        wait_for_all(&vehicle);
        // A line of state is due.
        std::thread::sleep(Duration::from_millis(1200));
        program.interrupt("-INT");
        let ran = program.ends();
        assert_eq!(ran.code, Some(if output == "full" { 2 } else { 0 }), "{output}: {}", ran.stderr);
        assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight, "{output}");
        let said = match output {
            "closed" => "binlog: the output was closed; the recording continues, and prints no more there\n",
            "full" => "; the recording continues, and prints no more there\n",
            _ => "",
        };
        assert!(ran.stderr.ends_with(said) && ran.stderr.lines().count() <= 1, "{output}: {}", ran.stderr);
    }
}

/// Some reasons at once, each with a program of its own.
#[cfg(unix)]
#[test]
fn a_recorder_that_waits_says_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let nothing = free_port();
    let noise = Vehicle { is_silent: true, ..Vehicle::new() }.fly_to(free_port());
    let vehicle = Vehicle::new().fly_to(free_port());
    let other = Vehicle { system: 7, ..Vehicle::new() }.fly_to(free_port());
    let cases = [
        (format!("udpin:{nothing}"), "", "nothing has come on udpin:127.0.0.1:"),
        (noise.link.clone(), "", "bytes come on udpin:127.0.0.1:"),
        (other.link.clone(), "--system 3", "; those that come are of system 7"),
        (vehicle.link.clone(), "", "doesn't stream a log: with ArduPilot, set bit 1 of LOG_BACKEND_TYPE"),
    ];
    let programs = cases.iter().map(|(link, more, _)| record(link, folder.path(), more));
    let mut programs: Vec<Running> = programs.collect();
    let json = record(&format!("udpin:{}", free_port()), folder.path(), "--json --system 3");
    for _ in 0..23 {
        noise.with(|noise| noise.noise = vec![b"no MAVLink at all".to_vec()]);
        std::thread::sleep(Duration::from_millis(500));
    }
    for ((_, _, said), program) in cases.iter().zip(&mut programs) {
        // After 10 seconds, and no more until 20.
        let mut lines = program.errors().lines();
        let first = lines.next().and_then(Result::ok).expect("a line");
        assert!(first.starts_with("binlog: waiting for ") && first.contains(" on udpin:127.0.0.1:"), "{first}");
        let reason = lines.next().and_then(Result::ok).expect("a reason");
        assert!(reason.contains(said), "{reason}");
        program.interrupt("-INT");
        assert_eq!(lines.count(), 0, "{said}");
    }
    json.interrupt("-INT");
    let ran = json.ends();
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let waiting: Vec<Value> = lines(&ran).into_iter().filter(|line| line["event"] == "waiting").collect();
    assert_eq!((&waiting[0]["reason"], waiting.len()), (&Value::Null, 2), "{waiting:?}");
    assert!(waiting[0]["text"].as_str().is_some_and(|text| text.starts_with("waiting for system 3 on udpin:")));
    assert_eq!(waiting[1]["reason"], "nothing_comes");
}

/// A name in JSON is the name itself; in other lines, a newline is escaped.
#[cfg(unix)]
#[test]
fn json_has_the_name_of_a_file_as_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let logs = folder.path().join("a\nb");
    let vehicle = Vehicle { stream: flight(), ..Vehicle::new() }.fly();
    let program = record(&vehicle.link, &logs, "--json");
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let lines = lines(&program.ends());
    let file = logs.join("00000001.BIN").to_str().expect("UTF-8").to_owned();
    for event in ["begin", "end"] {
        let line = lines.iter().find(|line| line["event"] == event).expect(event);
        assert_eq!(line["file"], *file, "{event}");
    }
}

/// What a vehicle sends before its heartbeat isn't another sender's.
#[cfg(unix)]
#[test]
fn telemetry_before_the_heartbeat_isnt_dropped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (flight, port) = (flight(), free_port());
    let program = record(&format!("udpin:{port}"), folder.path(), "");
    wait_until("it listens", || UdpSocket::bind(("127.0.0.1", port)).is_err());
    // VFR_HUD of pymavlink, in MAVLink 2.
    let telemetry = [0xFD, 1, 0, 0, 0, 1, 1, 74, 0, 0, 0, 0x6B, 0xE5];
    let noise = vec![telemetry.to_vec(); 20];
    let vehicle = Vehicle { stream: flight.clone(), noise, ..Vehicle::new() }.fly_to(port);
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let ran = program.ends();
    assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight);
    assert!(!ran.stderr.contains("dropped"), "{}", ran.stderr);
}
