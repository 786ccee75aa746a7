//! The program, from the outside: what it prints, and how it fails.

use binlog_embedded::mavlink::{Address, Frames, Link, MAX_FRAME, Message};
use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

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

/// What a ground station hears of each system on the link: heartbeats, blocks of the stream, and the logs of the list.
#[derive(Default, Debug)]
struct Heard {
    heartbeats: usize,
    armed: usize,
    blocks: BTreeMap<u32, Vec<u8>>,
    logs: Vec<u32>,
}

#[test]
fn vehicles_on_a_link_stream_and_serve_with_a_system_id_each() {
    let folder = place("mavlink");
    let _ = std::fs::remove_dir_all(&folder);
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
    let port = socket.local_addr().expect("a socket").port();
    let link = format!("udp:127.0.0.1:{port}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_simulator"));
    command.args(["--seconds", "6", "--realtime", "--vehicles", "2", "--mavlink", &link, "--system", "7"]);
    command.args(["--ground", "2", "--logs", &folder.to_string_lossy()]).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");

    let mut heard: BTreeMap<u8, Heard> = BTreeMap::new();
    let mut station = Link::new(Address::new(255, 190));
    let mut buffer = [0; MAX_FRAME];
    let mut datagram = [0; 1024];
    while child.try_wait().expect("a child").is_none() {
        let Ok((length, vehicles)) = socket.recv_from(&mut datagram) else { continue };
        let mut answer = |message: Message<'_>| {
            socket.send_to(station.frame(&message, &mut buffer), vehicles).expect("a socket");
        };
        let (mut frames, mut bytes) = (Frames::new(), &datagram[..length]);
        while let Some(frame) = frames.next(&mut bytes) {
            let vehicle = heard.entry(frame.sender.system).or_default();
            match frame.message().expect("a message") {
                Message::Heartbeat { base_mode, .. } => {
                    vehicle.heartbeats += 1;
                    vehicle.armed += usize::from(base_mode & 128 != 0);
                    if vehicle.blocks.is_empty() {
                        answer(Message::RemoteLogBlockStatus {
                            target: frame.sender,
                            seqno: Message::START,
                            is_received: true,
                        });
                    }
                    answer(Message::LogRequestList { target: frame.sender, start: 0, end: 0xFFFF });
                }
                Message::RemoteLogDataBlock { target, seqno, data } => {
                    assert_eq!(target, Address::new(255, 190));
                    vehicle.blocks.insert(seqno, data.to_vec());
                    answer(Message::RemoteLogBlockStatus { target: frame.sender, seqno, is_received: true });
                }
                Message::LogEntry { size, .. } => vehicle.logs.push(size),
                other => panic!("{other:?}"),
            }
        }
    }
    let output = child.wait_with_output().expect("it has ended");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(heard.keys().copied().collect::<Vec<_>>(), [7, 8]);
    for (number, vehicle) in (1..).zip(heard.values()) {
        let log = std::fs::read(folder.join(format!("{number}/00000001.BIN"))).expect("its log");
        let streamed: Vec<u8> = vehicle
            .blocks
            .values()
            .flat_map(|block| block.iter().copied().chain(std::iter::repeat(0)).take(Message::BLOCK))
            .collect();
        let padding = streamed.len() - log.len();
        assert!(streamed.starts_with(&log) && padding < Message::BLOCK, "vehicle {number}: {padding} bytes more");
        assert!((7..=10).contains(&vehicle.heartbeats), "{} in 8 s", vehicle.heartbeats);
        assert!((1..vehicle.heartbeats).contains(&vehicle.armed), "armed {} of {}", vehicle.armed, vehicle.heartbeats);
        let last = vehicle.logs.last().map(|size| *size as usize);
        assert_eq!(last, Some(log.len()), "{:?}", vehicle.logs);
    }
}

#[test]
fn options_of_a_link_are_checked() {
    let wrong = [
        &["--mavlink", "udp:127.0.0.1:14550"][..],
        &["--realtime", "--mavlink", "127.0.0.1:14550"],
        &["--realtime", "--mavlink", "udp:127.0.0.1:14550", "-o", "flight.bin"],
        &["--realtime", "--system", "2"],
    ];
    for options in wrong {
        assert_eq!(run(options).status.code(), Some(2), "{options:?}");
    }
    let output = run(&["--realtime", "--mavlink", "udp:127.0.0.1", "--logs", &place("no-port").to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("--mavlink udp:127.0.0.1: "), "{text}");
}

#[test]
fn a_fault_that_a_format_cannot_show_is_refused() {
    for (arguments, text) in [
        (["--fault", "desync", "--format", "bin"], "--fault desync needs --format blackbox: other logs don't show it"),
        (["--fault", "vibration", "--format", "blackbox"], "--fault vibration needs --format bin: other logs"),
    ] {
        let output = run(&arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(text), "{said}");
    }
}

#[test]
fn a_blackbox_log_with_a_fault_is_read_back() {
    for fault in ["log-gap", "log-damage", "failsafe"] {
        let path = place(&format!("{fault}.bbl"));
        let path = path.to_string_lossy();
        let mut command = Command::new(env!("CARGO_BIN_EXE_simulator"));
        command.args(["--seconds", "20", "--format", "blackbox", "--fault", fault, "-o", &path]);
        let output = command.output().expect("the program starts");
        assert!(output.status.success(), "{fault}: {output:?}");
    }
}
