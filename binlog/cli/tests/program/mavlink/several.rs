//! Several vehicles and a ground station, each with a socket of its own, at one port.

use super::record::{flight, record, wait_for_all};
use super::vehicle::{Vehicle, free_port};
use super::{Running, wait_until};
use binlog::mavlink::{Address, Link, MAX_FRAME, Message};
use std::fs;
use std::net::UdpSocket;

/// The socket of a ground station that has sent a heartbeat to a port, at which somebody listens by now.
fn ground_station(port: u16) -> UdpSocket {
    wait_until("somebody listens", || UdpSocket::bind(("127.0.0.1", port)).is_err());
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let heartbeat = Message::Heartbeat { custom_mode: 0, kind: 6, autopilot: 8, base_mode: 0, system_status: 4 };
    let mut buffer = [0; MAX_FRAME];
    let frame = Link::new(Address::new(255, 190)).frame(&heartbeat, &mut buffer);
    socket.send_to(frame, ("127.0.0.1", port)).expect("a socket");
    socket
}

#[cfg(unix)]
#[test]
fn a_vehicle_is_chosen_among_several_at_one_port() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (port, flight) = (free_port(), flight());
    let program = record(&format!("udpin:{port}"), folder.path(), "--system 2");
    let _ground_station = ground_station(port);
    let fly = |system, stream: &[u8], logs: &[u8]| {
        Vehicle { system, stream: stream.to_vec(), logs: vec![(logs.to_vec(), 0)], ..Vehicle::new() }.fly_to(port)
    };
    let others = [fly(1, &[0x55; 50_000], &[0x55; 900]), fly(3, &[0x55; 50_000], &[0x55; 900])];
    for other in &others {
        wait_until("the recorder's heartbeats come", || other.with(|vehicle| vehicle.heartbeats > 0));
    }
    let vehicle = fly(2, &flight, &flight);
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let ran = program.ends();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("00000001.BIN of system 2\n") && !ran.stderr.contains("dropped"), "{}", ran.stderr);
    assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight);
    let downloaded = folder.path().join("downloaded");
    let arguments = ["download", &vehicle.link, "--latest", "--system", "2", "-o"].map(String::from);
    let ran = Running::start(arguments.into_iter().chain([downloaded.to_str().expect("UTF-8").to_owned()])).ends();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(fs::read(downloaded.join("00000001.BIN")).expect("the log") == flight);
    for other in others {
        other.with(|other| assert_eq!((other.requests, other.acknowledged), (0, 0)));
    }
}

#[cfg(unix)]
#[test]
fn a_ground_station_that_speaks_first_hides_no_vehicle() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (port, flight) = (free_port(), flight());
    let program = record(&format!("udpin:{port}"), folder.path(), "");
    let _ground_station = ground_station(port);
    let vehicle = Vehicle { stream: flight.clone(), ..Vehicle::new() }.fly_to(port);
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let ran = program.ends();
    assert!(!ran.stderr.contains("dropped"), "{}", ran.stderr);
    assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight);
}

/// A vehicle that restarts has another port.
#[cfg(unix)]
#[test]
fn a_vehicle_at_another_address_is_recorded_within_seconds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (port, flight) = (free_port(), flight());
    let program = record(&format!("udpin:{port}"), folder.path(), "");
    let vehicle = Vehicle { stream: flight.clone(), speed: 1, ..Vehicle::new() }.fly_to(port);
    wait_until("it streams", || vehicle.with(|vehicle| vehicle.acknowledged > 20));
    drop(vehicle);
    let vehicle = Vehicle { stream: flight.clone(), ..Vehicle::new() }.fly_to(port);
    let began = std::time::Instant::now();
    wait_for_all(&vehicle);
    assert!(began.elapsed().as_secs() < 9, "{:?}", began.elapsed());
    program.interrupt("-INT");
    assert_eq!(program.ends().code, Some(0));
    let first = fs::read(folder.path().join("00000001.BIN")).expect("a log");
    assert!(first.len() > 2000 && flight.starts_with(&first), "{}", first.len());
    assert!(fs::read(folder.path().join("00000002.BIN")).expect("a log") == flight);
}
