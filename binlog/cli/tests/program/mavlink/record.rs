use super::vehicle::{Flying, Vehicle, free_port};
use super::{Running, wait_until};
use crate::Ran;
use binlog::Log;
use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::Item;
use binlog::mavlink::{Address, Link, MAX_FRAME, Message};
use serde_json::Value;
use simulator::Simulation;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A log whose length isn't a multiple of a block's.
pub(super) fn flight() -> Vec<u8> {
    let bytes = simulator::log_of(Simulation::new(7, 4));
    assert!(!bytes.len().is_multiple_of(Message::BLOCK) && bytes.len() > 100_000, "{}", bytes.len());
    bytes
}

pub(super) fn record(link: &str, folder: &Path, more: &str) -> Running {
    let folder = folder.to_str().expect("UTF-8");
    Running::start(["record", link, "-o", folder].into_iter().chain(more.split_whitespace()))
}

pub(super) fn wait_for_all(vehicle: &Flying) {
    let all = vehicle.with(|vehicle| vehicle.stream.len().div_ceil(Message::BLOCK) as u32);
    wait_until("the vehicle streams all", || vehicle.with(|vehicle| vehicle.acknowledged >= all));
}

/// The names in a folder, sorted.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub(super) fn lines(ran: &Ran) -> Vec<Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[cfg(unix)]
#[test]
fn a_stream_becomes_a_numbered_log() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("logs");
    let flight = flight();
    // By each kind of link, with losses; the last one has none.
    for (run, kind) in ["udp", "udpin", "tcp"].into_iter().enumerate() {
        let loses_one_of = (kind != "tcp").then_some(15);
        let vehicle = Vehicle { stream: flight.clone(), loses_one_of, ..Vehicle::new() };
        let port = free_port();
        let vehicle = match kind {
            "udp" => vehicle.fly(),
            "udpin" => vehicle.fly_to(port),
            _ => vehicle.fly_on_tcp(),
        };
        let program = record(&vehicle.link, &out, "");
        wait_for_all(&vehicle);
        program.interrupt(["-INT", "-TERM", "-HUP"][run]);
        let ran = program.ends();
        let path = out.join(format!("{:08}.BIN", run + 1));
        assert_eq!(ran.code, Some(0), "{kind}: {}", ran.stderr);
        assert_eq!(ran.stdout, format!("{}\t{} bytes\n", path.display(), flight.len()), "{kind}");
        assert!(fs::read(&path).expect("the log") == flight, "{kind}: the zeros of the last block are cut");
        assert_eq!(fs::read_to_string(out.join("LASTLOG.TXT")).expect("a number"), format!("{}\r\n", run + 1));
        wait_until("STOP ends the stream", || vehicle.with(|vehicle| vehicle.stops > 0));
        assert!(vehicle.with(|vehicle| vehicle.heartbeats > 0));
        let waiting =
            format!("binlog: waiting for a vehicle on {}\n", vehicle.link.replace("udpin:", "udpin:127.0.0.1:"));
        let recording = format!("binlog: recording {} of system 1\n", path.display());
        assert!(ran.stderr.starts_with(&(waiting + &recording)), "{}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_record_whose_rest_never_came_is_cut() {
    let flight = flight();
    // Blocks end inside of records, and inside of headers.
    for blocks in (1..).map(|block| block * Message::BLOCK).skip(flight.len() / Message::BLOCK / 2).take(3) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let vehicle = Vehicle { stream: flight[..blocks].to_vec(), ..Vehicle::new() }.fly();
        let program = record(&vehicle.link, folder.path(), "");
        wait_for_all(&vehicle);
        program.interrupt("-INT");
        let ran = program.ends();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let log = fs::read(folder.path().join("00000001.BIN")).expect("the log");
        let records = Log::from_bytes(&flight[..blocks]).records().flatten().map(|record| record.len()).sum::<usize>();
        assert!(log == flight[..records], "{} bytes of {blocks}, {records} in records", log.len());
    }
}

/// The zero that ends the text of its last event stays, and so do zeros of a last frame.
#[cfg(unix)]
#[test]
fn the_last_block_of_a_blackbox_log_has_no_padding() {
    let whole = simulator::blackbox::log_of(Simulation::new(7, 3));
    assert!(whole.ends_with(b"End of log\0"));
    let log = BlackboxLog::from_bytes(&whole[..]);
    let session = log.session(0).expect("a session");
    let (mut frames, mut cut) = (session.frames(), 0);
    while let Some(item) = frames.next() {
        if let Item::Frame(frame) = item {
            let end = frame.offset() + frame.length();
            let is_padded = !end.is_multiple_of(Message::BLOCK);
            cut = if whole[end - 1] == 0 && is_padded { end } else { cut };
        }
    }
    assert!(cut > whole.len() / 2, "{cut}");
    for log in [&whole[..], &whole[..cut]] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let vehicle = Vehicle { stream: log.to_vec(), ..Vehicle::new() }.fly();
        let program = record(&vehicle.link, folder.path(), "");
        wait_for_all(&vehicle);
        program.interrupt("-INT");
        let ran = program.ends();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == log);
    }
}

#[cfg(unix)]
#[test]
fn a_recorder_without_a_vehicle_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("logs");
    let vehicle = Vehicle::new().fly();
    let program = record(&vehicle.link, &out, "");
    wait_until("it is asked", || vehicle.with(|vehicle| vehicle.starts >= 2));
    program.interrupt("-TERM");
    let ran = program.ends();
    let waiting = format!("binlog: waiting for a vehicle on {}\n", vehicle.link);
    assert_eq!((ran.code, &*ran.stdout, ran.stderr), (Some(0), "", waiting));
    assert!(!out.exists());
}

/// As under `nohup`, and in the background of a script.
#[cfg(unix)]
#[test]
fn an_ignored_signal_stays_ignored_and_others_end_the_log() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = flight();
    let vehicle = Vehicle { stream: flight.clone(), ..Vehicle::new() }.fly();
    let script = ["-c", "trap '' INT HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_binlog"), "record"];
    let mut program = Command::new("sh");
    program.args(script).arg(&vehicle.link).arg("-o").arg(folder.path()).stdout(Stdio::piped());
    let program = Running::run(program);
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    program.interrupt("-HUP");
    program.interrupt("-TERM");
    let ran = program.ends();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight);
}

#[cfg(unix)]
#[test]
fn a_connection_that_closes_is_opened_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = flight();
    let vehicle = Vehicle { stream: flight.clone(), speed: 1, ..Vehicle::new() }.fly_on_tcp();
    let program = record(&vehicle.link, folder.path(), "");
    wait_until("it streams", || vehicle.with(|vehicle| vehicle.acknowledged > 50));
    vehicle.with(|vehicle| vehicle.hangs_up = true);
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let ran = program.ends();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight);
}

#[cfg(unix)]
#[test]
fn after_a_lost_link_another_log_begins() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = flight();
    let vehicle = Vehicle { stream: flight.clone(), speed: 1, ..Vehicle::new() }.fly();
    let program = record(&vehicle.link, folder.path(), "--json");
    wait_until("it streams", || vehicle.with(|vehicle| vehicle.acknowledged > 50));
    vehicle.with(|vehicle| vehicle.is_silent = true);
    std::thread::sleep(std::time::Duration::from_millis(11_500));
    vehicle.with(|vehicle| (vehicle.is_silent, vehicle.acknowledged) = (false, 0));
    wait_until("it begins again", || folder.path().join("00000002.BIN").exists());
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let ran = program.ends();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let first = fs::read(folder.path().join("00000001.BIN")).expect("a log");
    assert!(first.len() > 10_000 && flight.starts_with(&first), "{}", first.len());
    assert!(fs::read(folder.path().join("00000002.BIN")).expect("a log") == flight);
    let ends: Vec<Value> = lines(&ran).into_iter().filter(|line| line["event"] == "end").collect();
    assert_eq!(ends[0]["reason"], "link_lost");
    assert_eq!((&ends[1]["reason"], &ends[1]["bytes"]), (&"interrupted".into(), &flight.len().into()));
    let states: Vec<Value> = lines(&ran).into_iter().filter(|line| line["event"] == "state").collect();
    assert!(states.len() > 8 && states.iter().any(|state| state["state"] == "waiting"), "{states:?}");
}

#[cfg(unix)]
#[test]
fn a_disarmed_vehicle_begins_another_log_if_wished() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = flight();
    let vehicle = Vehicle { stream: flight.clone(), is_armed: true, ..Vehicle::new() }.fly();
    let program = record(&vehicle.link, folder.path(), "--rotate-on-disarm --json");
    wait_for_all(&vehicle);
    vehicle.with(|vehicle| (vehicle.is_armed, vehicle.acknowledged) = (false, 0));
    wait_until("another log begins", || folder.path().join("00000002.BIN").exists());
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let ran = program.ends();
    let ends: Vec<Value> = lines(&ran).into_iter().filter(|line| line["event"] == "end").collect();
    assert_eq!((ran.code, &ends[0]["reason"]), (Some(0), &"disarmed".into()), "{}", ran.stderr);
    for name in ["00000001.BIN", "00000002.BIN"] {
        assert!(fs::read(folder.path().join(name)).expect("a log") == flight, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_keeps_as_many_logs_as_wished() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = Vehicle { stream: flight(), ..Vehicle::new() }.fly();
    for _ in 0..4 {
        vehicle.with(|vehicle| vehicle.acknowledged = 0);
        let program = record(&vehicle.link, folder.path(), "--max-logs 2");
        wait_for_all(&vehicle);
        program.interrupt("-INT");
        assert_eq!(program.ends().code, Some(0));
    }
    assert_eq!(names(folder.path()), ["00000003.BIN", "00000004.BIN", "LASTLOG.TXT"]);
}

fn frame(sender: Address, message: &Message<'_>) -> Vec<u8> {
    let mut buffer = [0; MAX_FRAME];
    Link::new(sender).frame(message, &mut buffer).to_vec()
}

/// Frames of other senders, and what isn't a frame.
fn noise() -> Vec<Vec<u8>> {
    let us = Address::new(254, 155);
    let block = |seqno| Message::RemoteLogDataBlock { target: us, seqno, data: &[0x55; 200] };
    let vehicle = Address::new(1, 1);
    let mut damaged = frame(vehicle, &block(3));
    damaged[50] ^= 1;
    let mut unknown = frame(vehicle, &block(3));
    unknown[2] = 0x40;
    let mut noise = vec![damaged, unknown, vec![0xFD; 1000], (0..=255).collect(), Vec::new()];
    // Another system, another component, far ahead, START and STOP as numbers.
    noise.extend([(2, 1), (1, 2)].map(|(system, component)| frame(Address::new(system, component), &block(3))));
    noise.extend([u32::MAX, Message::START, Message::STOP, 1_000_000].map(|seqno| frame(vehicle, &block(seqno))));
    noise
}

#[cfg(unix)]
#[test]
fn what_others_send_is_dropped_and_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = flight();
    let vehicle = Vehicle { stream: flight.clone(), speed: 1, ..Vehicle::new() }.fly();
    let program = record(&vehicle.link, folder.path(), "--system 1");
    wait_until("it streams", || vehicle.with(|vehicle| vehicle.acknowledged > 20));
    vehicle.with(|vehicle| vehicle.noise = noise());
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let ran = program.ends();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight);
    assert_eq!(names(folder.path()), ["00000001.BIN", "LASTLOG.TXT"]);
    for counted in ["× frame with unknown flags", "2 × block of another sender", "4 × block far ahead"] {
        assert!(ran.stderr.contains(counted), "{counted}: {}", ran.stderr);
    }
}

/// A block after a gap comes at the end, within the second after the last line of state.
#[cfg(unix)]
#[test]
fn json_says_what_was_dropped_until_the_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = flight();
    let vehicle = Vehicle { stream: flight.clone(), ..Vehicle::new() }.fly();
    let program = record(&vehicle.link, folder.path(), "--json");
    wait_for_all(&vehicle);
    let seqno = flight.len().div_ceil(Message::BLOCK) as u32 + 1;
    let block = Message::RemoteLogDataBlock { target: Address::new(254, 155), seqno, data: &[0x55; 200] };
    let others = noise().swap_remove(5);
    vehicle.with(|vehicle| vehicle.noise = vec![frame(Address::new(1, 1), &block), others]);
    wait_until("it is sent", || vehicle.with(|vehicle| vehicle.noise.is_empty()));
    std::thread::sleep(std::time::Duration::from_millis(100));
    program.interrupt("-INT");
    let ran = program.ends();
    assert_eq!((ran.code, &*ran.stderr), (Some(3), ""));
    let lines = lines(&ran);
    let last = lines.last().expect("a line");
    let counts = ["damaged", "incompatible", "other_address", "foreign", "ahead", "headless", "after_gap"];
    let counts = counts.map(|count| last[count].as_u64());
    assert_eq!((&last["event"], counts), (&"dropped".into(), [0, 0, 0, 1, 0, 0, 1].map(Some)));
    assert_eq!(lines[lines.len() - 2]["event"], "end");
}

/// A router repeats a packet of the log before.
#[cfg(unix)]
#[test]
fn a_late_block_0_costs_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = flight().repeat(8);
    let vehicle = Vehicle { stream: flight.clone(), speed: 1, ..Vehicle::new() }.fly();
    let program = record(&vehicle.link, folder.path(), "");
    wait_until("it streams", || vehicle.with(|vehicle| vehicle.acknowledged > 300));
    let block = Message::RemoteLogDataBlock { target: Address::new(254, 155), seqno: 0, data: &[0x55; 200] };
    // A log begins at most once a second.
    std::thread::sleep(std::time::Duration::from_millis(1000));
    vehicle.with(|vehicle| vehicle.noise = vec![frame(Address::new(1, 1), &block)]);
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let ran = program.ends();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(names(folder.path()), ["00000001.BIN", "LASTLOG.TXT"]);
    assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight);
}

#[cfg(unix)]
#[test]
fn packets_of_another_address_are_dropped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = flight();
    let port = free_port();
    let vehicle = Vehicle { stream: flight.clone(), speed: 1, ..Vehicle::new() }.fly_to(port);
    let program = record(&vehicle.link, folder.path(), "");
    wait_until("it streams", || vehicle.with(|vehicle| vehicle.acknowledged > 20));
    // The same ids, from another port.
    let other = Vehicle { stream: vec![0x55; 100_000], ..Vehicle::new() }.fly_to(port);
    wait_for_all(&vehicle);
    program.interrupt("-INT");
    let ran = program.ends();
    drop(other);
    assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight);
    assert!(ran.stderr.contains("× message from another address than the system's"), "{}", ran.stderr);
}
