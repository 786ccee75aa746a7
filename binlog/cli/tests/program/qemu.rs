//! `record` and `download` on the UART of the firmware example, which runs under QEMU.
//!
//! `BINLOG_FIRMWARE` is the folder that `tests/run firmware` builds firmware into.

use crate::default_signals::with_default_signals;
use binlog::{LogSchema, Records};
use binlog_tests::{image, left_out};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The script, with all that it starts, until it is dropped.
struct Firmware {
    script: Child,
    link: String,
}

impl Firmware {
    /// Runs it in a folder, once a client connects. `None` if it isn't set up; stderr then says so.
    fn run(folder: &Path, options: &[&str], arguments: &[&str]) -> Option<Self> {
        let Some(built) = std::env::var_os("BINLOG_FIRMWARE") else {
            left_out("the firmware under QEMU (tests/run firmware sets it up)");
            return None;
        };
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.expect("a free port").port().to_string();
        let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/firmware/run"));
        command.args(["--port", &port]).args(options).args(["--", "mavlink"]).args(arguments).current_dir(folder);
        command.env("BINLOG_NO_INSTALL", "1").env("CARGO_TARGET_DIR", built);
        let script = command.process_group(0).stdout(Stdio::piped()).spawn().expect("the script runs");
        Some(Firmware { script, link: format!("tcp:127.0.0.1:{port}") })
    }

    /// A client that has connected: the emulator takes a moment to listen.
    fn client(&self, arguments: &[&str], folder: &Path) -> Child {
        let end = Instant::now() + Duration::from_secs(120);
        loop {
            let mut command = with_default_signals(env!("CARGO_BIN_EXE_binlog"));
            command.args(arguments).arg(&self.link).arg("-o").arg(folder).stderr(Stdio::null()).stdout(Stdio::null());
            let mut client = command.spawn().expect("the program starts");
            sleep(Duration::from_millis(500));
            match client.try_wait().expect("a child") {
                Some(status) if !status.success() => assert!(Instant::now() < end, "no connection: {status}"),
                _ => return client,
            }
        }
    }

    /// What it printed until it ended.
    fn output(mut self) -> String {
        let lines = BufReader::new(self.script.stdout.take().expect("its output")).lines();
        let text = lines.map_while(Result::ok).map(|line| line + "\n").collect();
        assert!(self.script.wait().expect("it ends").success(), "{text}");
        text
    }
}

impl Drop for Firmware {
    fn drop(&mut self) {
        let group = format!("-{}", self.script.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.script.wait();
    }
}

/// Waits until a file of a client no longer grows, and ends the client.
fn end(mut client: Child, file: &Path) {
    let (mut bytes, mut since) = (0, Instant::now());
    let end = Instant::now() + Duration::from_secs(120);
    while bytes == 0 || since.elapsed() < Duration::from_secs(3) {
        sleep(Duration::from_millis(100));
        let now = file.metadata().map_or(0, |metadata| metadata.len());
        if now != bytes {
            (bytes, since) = (now, Instant::now());
        }
        assert!(Instant::now() < end, "{bytes} bytes");
    }
    let _ = Command::new("kill").args(["-INT", &client.id().to_string()]).status();
    client.wait().expect("it ends");
}

fn first_log(folder: &Path) -> PathBuf {
    folder.join("00000001.BIN")
}

#[test]
fn a_firmware_without_a_card_is_recorded_over_its_uart() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // At this rate, the link can't carry all records.
    for baud in ["baud=921600", "baud=230400"] {
        let logs = folder.path().join(baud);
        let options = ["--card", "none", "--seconds", "5"];
        let Some(firmware) = Firmware::run(folder.path(), &options, &[baud, "ground=60"]) else { return };
        let client = firmware.client(&["record"], &logs);
        let output = firmware.output();
        end(client, &first_log(&logs));
        let log = std::fs::read(first_log(&logs)).expect("the recorded log");
        let mut recorded: BTreeMap<u8, u32> = BTreeMap::new();
        for record in Records::new(&log) {
            *recorded.entry(record.unwrap_or_else(|skipped| panic!("{skipped}")).id()).or_default() += 1;
        }
        // attempts written dropped decimated ignored lost
        let table = output.lines().skip_while(|line| !line.starts_with("message attempts")).skip(1);
        let mut dropped = 0;
        for (row, message) in table.zip(firmware::FlightLog::MESSAGES) {
            let mut words = row.split(' ');
            assert_eq!(words.next(), Some(message.definition.name), "{output}");
            let counts: Vec<u32> = words.map(|word| word.parse().expect("a number")).collect();
            let recorded = recorded.get(&message.id).copied().unwrap_or(0);
            assert_eq!((counts[1], counts[5]), (recorded, 0), "{row}\n{output}");
            if counts[0] > 0 {
                assert_eq!(counts[0], counts[1..].iter().sum::<u32>(), "{row}\n{output}");
            }
            dropped += counts[2];
        }
        // At the other rate, a host that stands still for a while costs records, too.
        assert!(dropped > 0 || baud == "baud=921600", "{output}");
        assert!(recorded.len() > 8, "{output}");
    }
}

#[test]
fn a_firmware_with_a_card_is_recorded_and_its_card_downloaded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [recorded, downloaded] = ["recorded", "downloaded"].map(|name| folder.path().join(name));
    let options = ["--card", "fat32", "--seconds", "5", "--image", "card.img"];
    let Some(firmware) = Firmware::run(folder.path(), &options, &["ground=600"]) else { return };
    let client = firmware.client(&["record"], &recorded);
    end(client, &first_log(&recorded));
    let status = firmware.client(&["download", "--all"], &downloaded).wait().expect("it ends");
    assert!(status.success(), "{status}");
    drop(firmware);
    let logs = image::logs(&folder.path().join("card.img"));
    let [(_, log)] = logs.as_slice() else { panic!("{} logs", logs.len()) };
    assert!(log.len() > 200_000 && Records::new(log).all(|record| record.is_ok()), "{} bytes", log.len());
    let files = |folder: &Path| -> Vec<Vec<u8>> {
        let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|file| file.path());
        let logs = files.filter(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bin")));
        logs.map(|path| std::fs::read(path).expect("a log")).collect()
    };
    assert!(files(&recorded) == [log.as_slice()], "the recorded log is that of the card");
    assert!(files(&downloaded) == [log.as_slice()], "the downloaded log is that of the card");
}
