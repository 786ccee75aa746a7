//! A vehicle of pymavlink, whose frames and messages are not ours.

use super::vehicle::free_port;
use super::{Running, wait_until};
use crate::{left_out, log};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The vehicle; `None` without pymavlink.
fn vehicle(port: u16, version: &str, signed: &str) -> Option<Child> {
    let python = std::env::var_os("BINLOG_PYTHON").unwrap_or_else(|| "python3".into());
    let has_it = Command::new(&python).args(["-c", "import pymavlink"]).stderr(Stdio::null()).status();
    if !has_it.is_ok_and(|status| status.success()) {
        left_out("record and download with a vehicle of pymavlink (tests/run program installs it)");
        return None;
    }
    let mut command = Command::new(python);
    command.arg(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/mavlink/vehicle.py")));
    command.arg(port.to_string()).arg(log("flight.bin")).args([version, signed]).stdout(Stdio::piped());
    Some(command.spawn().expect("python runs"))
}

#[cfg(unix)]
#[test]
fn a_vehicle_of_pymavlink_is_recorded_and_downloaded() {
    let flight = fs::read(log("flight.bin")).expect("the log");
    for (version, signed) in [("1", "unsigned"), ("2", "unsigned"), ("2", "signed")] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let port = free_port();
        let Some(mut vehicle) = vehicle(port, version, signed) else { return };
        let (link, folder) = (format!("udpin:{port}"), folder.path().to_str().expect("UTF-8"));
        let program = Running::start(["record", &link, "-o", folder]);
        // The pipe stays open, so that the vehicle may print.
        let mut printed = BufReader::new(vehicle.stdout.take().expect("a pipe")).lines();
        assert!(printed.any(|line| line.is_ok_and(|line| line == "streamed")));
        program.interrupt("-INT");
        let ran = program.ends();
        let path = Path::new(folder).join("00000001.BIN");
        assert_eq!(ran.code, Some(0), "MAVLink {version}, {signed}: {}", ran.stderr);
        assert!(fs::read(&path).expect("the log") == flight, "MAVLink {version}, {signed}");
        // The vehicle was told to stop; the port is free again.
        let ran = Running::start(["download", &link, "--latest", "--force", "-o", folder]).ends();
        assert_eq!(ran.code, Some(0), "MAVLink {version}, {signed}: {}", ran.stderr);
        assert!(fs::read(&path).expect("the log") == flight, "MAVLink {version}, {signed}");
        vehicle.kill().expect("it runs");
        wait_until("it ends", || vehicle.try_wait().is_ok_and(|status| status.is_some()));
    }
}
