//! Ground stations and companions as they are used, on the simulator's MAVLink link: what they record and download
//! equals what the vehicle has. The clients are MAVProxy, mavlink-router, and scripts with pymavlink that lose
//! messages.

use binlog::LogFolder;
use binlog_tests::{left_out, pymavlink};
use serde_json::{Value, json};
use simulator::mavlink::{Telemetry, Vehicle};
use simulator::{Simulation, fly_on, log_of, logger};
use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A port on which a ground station can listen.
fn free_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port()
}

/// A vehicle on the link to a port, with its logs in a folder.
fn on_link(system: u8, folder: &Path, port: u16) -> (Vehicle, LogFolder, Telemetry) {
    let logs = LogFolder::new(folder);
    let vehicle = Vehicle::new(system, logs.clone());
    let telemetry = Telemetry::spawn(("127.0.0.1", port), vec![vehicle.clone()]).expect("a socket");
    (vehicle, logs, telemetry)
}

/// Flies in real time, and returns the log.
fn fly(vehicle: &Vehicle, logs: &LogFolder, seconds: u32) -> Vec<u8> {
    let simulation = Simulation::new(seconds.into(), seconds);
    let settings = logger(&simulation).report_every(Duration::from_secs(1));
    let thread = settings.spawn_logs(logs.clone()).expect("a folder");
    vehicle.set_logging(true);
    let begun = Instant::now();
    fly_on(thread.logger(), simulation, |simulation| {
        vehicle.set_armed(simulation.mission.phase.is_armed());
        thread::sleep(Duration::from_micros(simulation.time_us).saturating_sub(begun.elapsed()));
        ControlFlow::Continue(())
    });
    vehicle.set_armed(false);
    thread.finish().expect("room on the disk");
    vehicle.set_logging(false);
    std::fs::read(logs.log_path(logs.own_log().expect("a log"))).expect("a log")
}

/// Asserts that a client's file is the vehicle's log, with zeros up to a whole block after it.
#[track_caller]
fn assert_is_log(file: &Path, log: &[u8]) {
    let file = std::fs::read(file).expect("the client's file");
    let differs = file.iter().zip(log).position(|(received, sent)| received != sent);
    assert!(differs.is_none() && file.len() >= log.len(), "{} of {} bytes; at {differs:?}", file.len(), log.len());
    let padding = &file[log.len()..];
    assert!(padding.len() < 200 && padding.iter().all(|byte| *byte == 0), "{} bytes follow", padding.len());
}

/// A program that runs until it is dropped, the lines that it prints, and what it is told.
struct Running {
    child: Child,
    lines: Receiver<String>,
    seen: String,
}

impl Running {
    fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Running { child, lines, seen: String::new() }
    }

    fn say(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().expect("its input");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("it runs");
    }

    /// Waits until it has printed a text so often.
    #[track_caller]
    fn wait_for(&mut self, text: &str, times: usize) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.seen.matches(text).count() < times {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => self.seen += &format!("{line}\n"),
                Err(_) => panic!("no `{text}` in\n{}", self.seen),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// MAVProxy on a port, in a folder of its own. `None` without it; stderr then says so.
fn mavproxy(port: u16, folder: &Path) -> Option<Running> {
    let mut command = pymavlink::tool("mavproxy.py", &["MAVProxy"])?;
    let master = format!("--master=udpin:127.0.0.1:{port}");
    command.args([&master, "--state-basedir=.", "--default-modules=log"]).current_dir(folder);
    // It reads and writes settings there.
    command.env("HOME", folder).env("PYTHONUNBUFFERED", "1");
    Some(Running::spawn(&mut command))
}

#[test]
fn mavproxy_records_a_flight_byte_for_byte() {
    let (folder, port) = (tempfile::tempdir().expect("a folder"), free_port());
    let Some(mut mavproxy) = mavproxy(port, folder.path()) else { return };
    let logs = folder.path().join("logs");
    let (vehicle, logs, telemetry) = on_link(1, &logs, port);
    mavproxy.wait_for("online system 1", 1);
    mavproxy.say("module load dataflash_logger");
    let log = fly(&vehicle, &logs, 60);
    assert!(log.len() > 5_000_000, "{} bytes", log.len());
    mavproxy.wait_for("ARMED", 2);
    // The last block, and time for it to be acknowledged. Its file is complete when the next one begins.
    thread::sleep(Duration::from_secs(1));
    mavproxy.say("dataflash_logger rotate");
    mavproxy.wait_for("logging started", 2);
    assert_is_log(&folder.path().join("1.BIN"), &log);
    telemetry.finish().expect("a link");
}

#[test]
fn mavproxy_downloads_all_logs_of_a_vehicle() {
    let (folder, port) = (tempfile::tempdir().expect("a folder"), free_port());
    let Some(mut mavproxy) = mavproxy(port, folder.path()) else { return };
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).expect("room");
    // One ends with a full packet, of 90 bytes.
    let mut written = [1, 2, 8].map(|seconds| log_of(Simulation::new(1, seconds)));
    written[1].truncate(written[1].len() / 90 * 90);
    for (number, log) in (1..).zip(&written) {
        std::fs::write(logs.join(format!("{number:08}.BIN")), log).expect("room");
    }
    let (.., telemetry) = on_link(1, &logs, port);
    mavproxy.wait_for("online system 1", 1);
    mavproxy.say("log list");
    mavproxy.wait_for("numLogs 3", 3);
    mavproxy.say("log download all");
    mavproxy.wait_for("Finished downloading", 3);
    for (id, log) in (1..).zip(&written) {
        let file = std::fs::read(folder.path().join(format!("log{id}.bin"))).expect("a file");
        assert!(file == *log, "log {id}: {} of {} bytes", file.len(), log.len());
    }
    telemetry.finish().expect("a link");
}

/// What `mavlink_record.py` records of a flight, and what it prints, with its pattern of losses.
fn record(pattern: &Value) -> Option<(Vec<u8>, Value)> {
    let script = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/python/mavlink_record.py"));
    let mut command = pymavlink::command(&script, &[])?;
    let (folder, port) = (tempfile::tempdir().expect("a folder"), free_port());
    let file = folder.path().join("recorded.bin");
    command.arg(format!("udpin:127.0.0.1:{port}")).arg(&file).arg(pattern.to_string());
    let client = command.stdout(Stdio::piped()).spawn().expect("python runs");
    let logs = folder.path().join("logs");
    let (vehicle, logs, telemetry) = on_link(1, &logs, port);
    let log = fly(&vehicle, &logs, 15);
    let output = client.wait_with_output().expect("python runs");
    assert!(output.status.success(), "{pattern}");
    assert_is_log(&file, &log);
    telemetry.finish().expect("a link");
    Some((log, serde_json::from_slice(&output.stdout).expect("a JSON object")))
}

#[test]
fn each_pattern_of_losses_gives_the_same_file() {
    let run = |numbers: std::ops::Range<u32>, times: u32| -> Value {
        numbers.map(|number| (number.to_string(), json!(times))).collect::<serde_json::Map<_, _>>().into()
    };
    let every_third: Value = (0..600).step_by(3).map(|number| (number.to_string(), json!(1))).collect();
    let patterns = [
        json!({}),
        json!({ "lose": { "0": 3 } }),
        json!({ "lose": every_third }),
        json!({ "lose": run(50..80, 2), "silent": true }),
        json!({ "lose_acks": run(0..300, 1) }),
        json!({ "lose_acks": { "0": 2, "100": 5 }, "lose": { "101": 4 } }),
        json!({ "restart_at": 400 }),
    ];
    thread::scope(|scope| {
        for pattern in &patterns {
            scope.spawn(move || {
                let Some((log, said)) = record(pattern) else { return };
                assert_eq!(said["blocks"], log.len().div_ceil(200), "{pattern}");
                for (number, times) in ["lose", "lose_acks"].iter().filter_map(|key| pattern[key].as_object()).flatten()
                {
                    let seen = said["seen"][number].as_u64();
                    assert!(seen > times.as_u64(), "{pattern}: block {number} came {seen:?} times");
                }
            });
        }
    });
}

#[test]
fn mavlink_router_records_a_flight_byte_for_byte() {
    let Some(checkout) = std::env::var_os("BINLOG_MAVLINK_ROUTER").map(PathBuf::from) else {
        return left_out("mavlink-router (BINLOG_MAVLINK_ROUTER names a checkout with a build in its folder build)");
    };
    let (folder, port) = (tempfile::tempdir().expect("a folder"), free_port());
    let [logs, recorded] = ["logs", "recorded"].map(|name| folder.path().join(name));
    std::fs::create_dir(&recorded).expect("room");
    let settings = format!(
        "[General]\nTcpServerPort=0\nMavlinkDialect=auto\nLog={}\n\n[UdpEndpoint v]\nMode=Server\nAddress=127.0.0.1\n\
         Port={port}\n",
        recorded.display()
    );
    let configuration = folder.path().join("main.conf");
    std::fs::write(&configuration, settings).expect("room");
    let program = checkout.join("build/src/mavlink-routerd");
    let mut command = Command::new(&program);
    command.arg("-c").arg(&configuration).env("MAVLINK_ROUTERD_CONF_DIR", folder.path());
    let router = Running::spawn(&mut command);
    let (vehicle, logs, telemetry) = on_link(1, &logs, port);
    // It finds the vehicle by its heartbeats.
    thread::sleep(Duration::from_secs(2));
    let log = fly(&vehicle, &logs, 20);
    thread::sleep(Duration::from_secs(2));
    let files: Vec<_> = std::fs::read_dir(&recorded).expect("a folder").flatten().map(|file| file.path()).collect();
    let [file] = files.as_slice() else { panic!("{files:?}") };
    assert_is_log(file, &log);
    drop(router);
    telemetry.finish().expect("a link");
}
