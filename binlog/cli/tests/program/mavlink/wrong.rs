use super::Running;
use super::vehicle::Vehicle;
use binlog_cli::arguments::Arguments;
use clap::Parser;
use std::net::{TcpListener, UdpSocket};

#[test]
fn wrong_use_is_an_error_that_says_what_is_right() {
    let taken = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let taken = format!("udpin:{}", taken.local_addr().map(|address| address.port()).expect("a port"));
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let held = format!("udpin:{}", socket.local_addr().expect("an address"));
    for (line, said) in [
        ("record".to_owned(), "<LINK>"),
        ("record 14550".to_owned(), "a link is udp:HOST:PORT, udpin:PORT"),
        ("record udp:14550".to_owned(), "`14550` isn't a host and a port"),
        ("record serial:/dev/ttyACM0".to_owned(), "serial:/dev/ttyACM0:921600"),
        (format!("record {held}"), "can't open udpin:127.0.0.1:"),
        (format!("record tcp:{closed}"), "can't open tcp:127.0.0.1:"),
        ("download udpin:1 --latest --all".to_owned(), "cannot be used with"),
        ("download udpin:1 --latest 3".to_owned(), "cannot be used with"),
        ("download udpin:1 70000".to_owned(), "70000 is not in 0..=65535"),
        ("download udpin:1 --system 0".to_owned(), "0 is not in 1..=255"),
        ("record udpin:1 --max-logs 1".to_owned(), "1 is not in 2"),
    ] {
        let ran = Running::start(line.split(' ')).ends();
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{line}: {}", ran.stderr);
    }
    drop(taken);
}

#[cfg(not(feature = "serial"))]
#[test]
fn without_serial_ports_the_program_says_how_to_get_them() {
    let ran = Running::start(["record", "serial:/dev/ttyACM0:921600"]).ends();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("cargo install binlog-cli --features serial"), "{}", ran.stderr);
}

/// One vehicle is silent from the beginning, the other one refuses while it is armed.
#[test]
fn a_download_gives_up_after_20_seconds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().to_str().expect("UTF-8");
    let silent = Vehicle { is_silent: true, ..Vehicle::new() }.fly();
    let armed = Vehicle { is_armed: true, refuses: true, ..Vehicle::new() }.fly();
    let began = std::time::Instant::now();
    let programs = [&silent, &armed].map(|vehicle| Running::start(["download", &vehicle.link, "--all", "-o", folder]));
    let said = ["", "; the vehicle is armed, and most answer only when disarmed"];
    for (program, said) in programs.into_iter().zip(said) {
        let ran = program.ends();
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.ends_with(&format!("nothing came for 20 seconds{said}\n")), "{}", ran.stderr);
    }
    assert!((19..30).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
}

#[test]
fn the_guides_commands_are_right() {
    let chapter = include_str!("../../../../src/guide/companions.md").replace("\\\n", "");
    let lines = chapter.lines().map(|line| line.trim_start_matches("ExecStart=/usr/local/bin/"));
    let lines = lines.map(|line| line.split(" #").next().unwrap_or(line));
    let mut commands = 0;
    for line in lines.filter(|line| line.starts_with("binlog record ") || line.starts_with("binlog download ")) {
        commands += 1;
        Arguments::try_parse_from(line.split_whitespace()).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    assert_eq!(commands, 6);
}
