use super::Running;
use super::vehicle::Vehicle;
use binlog::mavlink::{Address, Link, MAX_FRAME, Message};
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
        ("record udpin:localhost".to_owned(), "write udpin:14550, udpin:0.0.0.0:14550"),
        ("record udp:::1:14550".to_owned(), "udp:[::1]:14550 for IPv6"),
        (format!("record {held}"), "can't open udpin:127.0.0.1:"),
        (format!("record {held}"), "another program, such as a ground station, has the port"),
        ("record udpin:192.0.2.1:14550".to_owned(), "takes an address of this computer, or 0.0.0.0"),
        (format!("record tcp:{closed}"), "can't open tcp:127.0.0.1:"),
        (format!("record tcp:{closed}"), "is the program that serves it running?"),
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

/// Vehicles that are silent, refuse while they are armed, or don't say why.
#[test]
fn a_download_gives_up_after_20_seconds_and_says_what_came() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().to_str().expect("UTF-8");
    let silent = || Vehicle { refuses: true, is_mute: true, ..Vehicle::new() };
    // An attitude with its checksum, and bytes of another speed.
    let attitude = [vec![0xFE, 28, 0, 1, 1, 30], vec![0; 28], vec![0xE5, 0xCC]].concat();
    let entry = |id, num_logs, last_log_num| {
        let mut buffer = [0; MAX_FRAME];
        let entry = Message::LogEntry { time_utc: 0, size: 9, id, num_logs, last_log_num };
        Link::new(Address::new(1, 1)).frame(&entry, &mut buffer).to_vec()
    };
    let logs = vec![(vec![7; 900], 1); 4];
    let hiding = Vehicle { logs, hides: Some(2), is_armed: true, ..Vehicle::new() }.fly();
    let closing = silent().fly_on_tcp();
    let contradicting = Vehicle { is_mute: false, ..silent() }.fly();
    let vehicles = [
        (Vehicle { is_silent: true, ..silent() }.fly(), "", "nothing came for 20 seconds"),
        (silent().fly(), "", "bytes came, but no MAVLink message for 20 seconds"),
        (
            silent().fly(),
            "",
            "other messages came, but no heartbeat of an autopilot and no answer for 20 seconds; a vehicle that \
             is armed may not answer",
        ),
        (
            Vehicle { is_armed: true, is_mute: false, ..silent() }.fly(),
            "",
            "heartbeats came, but no answer for 20 seconds; the vehicle is armed, and most answer only when disarmed",
        ),
        (
            Vehicle { is_mute: false, ..silent() }.fly(),
            "",
            "heartbeats came, but no answer for 20 seconds; the vehicle may keep no logs",
        ),
        (
            Vehicle { is_mute: false, ..silent() }.fly(),
            "--system=3",
            "nothing came of system 3 for 20 seconds; heartbeats came of system 1; a vehicle that is armed may not \
             answer",
        ),
    ];
    let began = std::time::Instant::now();
    let start = |link: &str, more: &str| {
        Running::start(["download", link, "--all", "-o", folder].into_iter().chain((!more.is_empty()).then_some(more)))
    };
    let hiding_program = start(&hiding.link, "");
    let closing_program = start(&closing.link, "");
    let contradicting_program = start(&contradicting.link, "");
    let programs: Vec<_> = vehicles.iter().map(|(vehicle, more, said)| (start(&vehicle.link, more), said)).collect();
    // Entries that nobody asked for, and connections that close.
    for id in 0..18_u16 {
        std::thread::sleep(std::time::Duration::from_secs(1));
        hiding.with(|vehicle| vehicle.noise = vec![entry(100 + id, 4, 100 + id), entry(4, 4, 4)]);
        if id > 0 {
            contradicting.with(|vehicle| vehicle.noise = vec![entry(100, 3, 0), entry(101, 3, 3)]);
        }
        closing.with(|vehicle| vehicle.hangs_up = id < 2);
        vehicles[1].0.with(|vehicle| vehicle.noise = vec![vec![7; 50]]);
        vehicles[2].0.with(|vehicle| vehicle.noise = vec![attitude.clone()]);
    }
    let ends = |program: Running, said: &str| {
        let ran = program.ends();
        assert_eq!(ran.code, Some(2), "{said}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!(": {said}\n")), "{said}: {}", ran.stderr);
    };
    programs.into_iter().for_each(|(program, said)| ends(program, said));
    ends(closing_program, "nothing came for 20 seconds; the connection closed 2 times");
    let said = "34 log packets came, but of another sender, or with a number that contradicts the number of logs, and \
                no answer for 20 seconds";
    ends(contradicting_program, said);
    let said = "the list came without log 2, and nothing more for 20 seconds; the vehicle is armed, and most \
                answer only when disarmed";
    ends(hiding_program, said);
    assert!((19..30).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
}

/// No vehicle is needed to find it out.
#[test]
fn a_download_into_an_unusable_folder_is_an_error_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "mine").expect("room");
    let silent = Vehicle { is_silent: true, ..Vehicle::new() }.fly();
    let began = std::time::Instant::now();
    let download = |output: &std::path::Path| {
        let output = output.to_str().expect("UTF-8");
        Running::start(["download", &silent.link, "--all", "-o", output]).ends()
    };
    for output in [file.clone(), file.join("logs")] {
        let ran = download(&output);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.ends_with("file is not a folder; name a folder for the output\n"), "{}", ran.stderr);
    }
    #[cfg(target_os = "linux")]
    {
        let ran = download(std::path::Path::new("/proc"));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.starts_with("binlog: can't create /proc/.binlog-download: "), "{}", ran.stderr);
    }
    assert!(began.elapsed().as_secs() < 15, "{:?}", began.elapsed());
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
