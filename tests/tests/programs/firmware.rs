//! The firmware example under QEMU: accepted records are on the card, byte for byte, and all others are counted.
//!
//! `tests/run` sets up what these tests need. `BINLOG_FIRMWARE` is the folder that it builds firmware into.

mod blackbox;

use binlog::{Decoder, Log, LogMessage, LogSchema, LogWriter, Logs, Record, Records};
use binlog_tests::{image, left_out, pymavlink};
use firmware::{Attitude, Barometer, FlightLog, Imu, RollRate, sensors};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/firmware")
}

/// Whether the firmware can be built and run here. If not, the test says that it is left out.
fn is_set_up() -> bool {
    let is = std::env::var_os("BINLOG_FIRMWARE").is_some();
    if !is {
        left_out("the firmware under QEMU (tests/run firmware sets it up)");
    }
    is
}

/// The firmware's script, in a folder of this test's own, installing nothing.
fn script(temporary: &Path, arguments: &[&str]) -> Command {
    run(&folder().join("run"), temporary, arguments)
}

fn run(script: &Path, temporary: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(script);
    command.args(arguments).current_dir(temporary).env("BINLOG_NO_INSTALL", "1");
    command.env("CARGO_TARGET_DIR", std::env::var_os("BINLOG_FIRMWARE").unwrap_or_default());
    command
}

/// The cards that the firmware logs to.
const CARDS: [&str; 3] = ["fat16", "fat32", "exfat"];

/// What the firmware printed for one message.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Counts {
    attempts: u32,
    written: u32,
    dropped: u32,
    decimated: u32,
    ignored: u32,
    lost: u32,
}

/// A flight: what the firmware printed, and the logs on its card.
struct Flown {
    output: String,
    counts: BTreeMap<String, Counts>,
    logs: Vec<(String, Vec<u8>)>,
}

fn fly(options: &[&str], arguments: &[&str]) -> Flown {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let image = temporary.path().join("card.img");
    let mut all = vec!["--image", "card.img", "-o", "newest.bin"];
    all.extend_from_slice(options);
    all.push("--");
    all.extend_from_slice(arguments);
    let output = script(temporary.path(), &all).output().expect("the script runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let logs = image::logs(&image);
    let newest = std::fs::read(temporary.path().join("newest.bin")).expect("the script copied it");
    assert!(logs.last().expect("a log").1 == newest);
    let table = text.lines().skip_while(|line| !line.starts_with("message attempts")).skip(1);
    let counts = table.map_while(|line| {
        let mut words = line.split(' ');
        let name = words.next()?.to_owned();
        let numbers: Vec<u32> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let &[attempts, written, dropped, decimated, ignored, lost] = numbers.as_slice() else { return None };
        Some((name, Counts { attempts, written, dropped, decimated, ignored, lost }))
    });
    Flown { counts: counts.collect(), logs, output: text }
}

/// Asserts that a record of a sensor holds the sensor's values at the record's time.
fn check_values(record: &Record<'_>) {
    fn as_made<M: LogMessage + PartialEq + core::fmt::Debug>(record: &Record<'_>, made: impl Fn(u64, u8) -> M)
    where
        FlightLog: Logs<M>,
    {
        if record.id() == <FlightLog as Logs<M>>::ID {
            let payload = record.payload();
            let time_us = u64::from_le_bytes(payload[..8].try_into().unwrap());
            assert_eq!(made(time_us, payload[8]).wire(), payload, "{} at {time_us}", M::DEFINITION.name);
        }
    }
    as_made::<Imu>(record, sensors::imu);
    as_made::<RollRate>(record, |time_us, _| sensors::roll_rate(time_us));
    as_made::<Attitude>(record, |time_us, _| sensors::attitude(time_us));
    as_made::<Barometer>(record, |time_us, _| sensors::barometer(time_us));
}

/// Asserts that each log is whole and equals what the host's writer writes for its messages, and that the counts agree.
fn check(flown: &Flown) {
    let mut on_card: BTreeMap<&str, u32> = BTreeMap::new();
    for (name, log) in &flown.logs {
        let mut host = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
        let mut decoder = Decoder::new();
        for record in Records::new(log) {
            let record = record.unwrap_or_else(|skipped| panic!("{name}: {skipped}"));
            check_values(&record);
            if let Some(message) = decoder.decode(&record).unwrap_or_else(|error| panic!("{name}: {error}")) {
                host.write_any(&message).unwrap();
                let index = FlightLog::MESSAGES.iter().position(|message| message.id == record.id()).unwrap();
                *on_card.entry(FlightLog::MESSAGES[index].definition.name).or_default() += 1;
            }
        }
        let host = host.finish().unwrap();
        let differs = host.iter().zip(log).position(|(host, log)| host != log);
        assert!(host == *log, "{name}: the host writes {} bytes, not {}; at {differs:?}", host.len(), log.len());
    }
    for name in ["DSF", "DROP"] {
        assert_eq!(flown.counts[name].written, on_card.get(name).copied().unwrap_or(0), "{name}\n{}", flown.output);
    }
    for name in ["IMU", "PIDR", "ATT", "BARO", "MSG", "PARM"] {
        let counts = flown.counts[name];
        let on_card = on_card.get(name).copied().unwrap_or(0);
        assert_eq!(counts.written, on_card, "{name}: {counts:?}\n{}", flown.output);
        let counted = counts.dropped + counts.decimated + counts.ignored + counts.lost;
        assert_eq!(counts.attempts, on_card + counted, "{name}: {counts:?}\n{}", flown.output);
        assert!(counts.written > 0, "{name}");
    }
}

#[test]
fn every_accepted_record_is_on_the_card() {
    if !is_set_up() {
        return;
    }
    // With a buffer of 4 and 8 KiB for the card, and flushes each 32 KiB. The blocks alone take 1,034 bytes per KiB.
    let flights = [("cortex-m3", "buffer=4", 1062), ("cortex-m4", "buffer=8", 1055)];
    for ((cpu, buffer, most), card) in flights.into_iter().flat_map(|flight| CARDS.map(|card| (flight, card))) {
        let flown = fly(&["--cpu", cpu, "--card", card, "--seconds", "5"], &[buffer]);
        check(&flown);
        assert_eq!(flown.logs.len(), 1);
        let counts = flown.counts["IMU"];
        assert_eq!((counts.dropped, counts.lost), (0, 0));
        assert!(counts.ignored > 0 && flown.counts["PIDR"].decimated > 0);
        let spi = flown.output.lines().find_map(|line| line.strip_prefix("SPI bytes per KiB logged: "));
        let spi: u32 = spi.expect("the firmware says it").parse().expect("a number");
        assert!(spi <= most, "{card}, {buffer}: {spi} bytes");
        // pymavlink reads the same, without a warning.
        let log = &flown.logs[0].1;
        if let Some(read) = pymavlink::dump(log) {
            let of = |name: &str| read.iter().filter(|record| record["type"] == name).count() as u32;
            for name in ["IMU", "PIDR", "ATT", "BARO"] {
                assert_eq!(of(name), flown.counts[name].written, "{name}");
            }
            assert_eq!(of("PARM"), 3);
            assert!(of("DSF") >= 2);
        }
        let printed = pymavlink::mavlogdump(log);
        assert!(printed.is_none_or(|output| output.status.success() && output.stderr.is_empty()));
    }
}

#[test]
fn records_that_the_card_cannot_take_are_counted() {
    if !is_set_up() {
        return;
    }
    for card in CARDS {
        let busy = fly(&["--card", card, "--seconds", "3"], &["sensors=4", "busy=400"]);
        check(&busy);
        assert!(busy.counts["IMU"].dropped > 0, "{}", busy.output);
        // The reserve is for critical messages.
        assert_eq!(busy.counts["MSG"].dropped, 0);
        let records = Records::new(&busy.logs[0].1).flatten();
        let drops = records.filter_map(|record| record.decode::<binlog::messages::Dropped>().ok());
        let last = drops.filter(|drop| drop.id == <FlightLog as Logs<Imu>>::ID).last().expect("a DROP record");
        assert_eq!({ last.dropped }, busy.counts["IMU"].dropped);

        // One block of 400. Only on FAT32 can the recorder prove that the card is the same, and write it again.
        let failing = fly(&["--card", card, "--seconds", "6"], &["sensors=2", "fail=400"]);
        check(&failing);
        let is_again = card == "fat32";
        assert_eq!(
            (failing.logs.len() == 1, failing.counts["IMU"].lost == 0),
            (is_again, is_again),
            "{}",
            failing.output
        );

        let pulled = fly(&["--card", card, "--seconds", "6"], &["pull=2"]);
        check(&pulled);
        assert_eq!(pulled.logs.len(), 2, "{}", pulled.output);
        assert!(pulled.counts["IMU"].lost > 0 && pulled.counts["IMU"].dropped > 0, "{}", pulled.output);
        assert!(pulled.output.contains(" log 1: the card: "), "{}", pulled.output);
    }
}

#[test]
fn readmes_program_has_room_on_a_part_with_64_kb() {
    if !is_set_up() {
        return;
    }
    // Three seconds, linked for 64 KB of flash and 20 KB of RAM, with 25 KB for the program's own code.
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let script = folder().join("../../tests/cortex-m/small");
    let output = run(&script, temporary.path(), &["card.img"]).output().expect("the script runs");
    assert!(output.status.success(), "{output:?}");
    let logs = image::logs(&temporary.path().join("card.img"));
    let [(_, log)] = logs.as_slice() else { panic!("{} logs", logs.len()) };
    let log = Log::from_bytes(&log[..]);
    assert!(log.skipped().is_empty() && log.rows("MSG").expect("README logs it").is_empty(), "an error or damage");
    let times = log.rows("EV").expect("README logs it").times_us();
    // What came after the last flush isn't on the card.
    assert!(times.len() >= 90 && times[0] < 100_000, "{times:?}");
    assert!(times.windows(2).all(|pair| (19_000..21_000).contains(&(pair[1] - pair[0]))), "{times:?}");
}

#[test]
fn a_killed_firmware_leaves_what_was_flushed() {
    if is_set_up() {
        CARDS.iter().for_each(|card| kill_ten_times(card));
    }
}

/// The main loop panics and resets the processor. The records that were not on the card, and the panic's text, are in
/// the first log of the next boot, and the flight continues in the log after it.
#[test]
fn a_panic_loses_nothing_that_the_ring_still_has() {
    if is_set_up() {
        CARDS.iter().for_each(|card| panic_in_flight(card));
    }
}

fn panic_in_flight(card: &str) {
    let flown = fly(&["--card", card, "--seconds", "3"], &["panic=2", "sensors=2"]);
    let claim = flown.output.lines().filter_map(|line| line.strip_prefix("boot: ")).nth(1).expect("two boots");
    assert!(claim.starts_with("Recovered after a reset: "), "{claim}");
    let number = |i: usize| claim.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty()).nth(i);
    let (records, bytes) = (number(0).expect("records"), number(1).expect("bytes"));
    let overwritten: usize = number(2).map_or(0, |bytes| bytes.parse().expect("bytes"));
    let [(_, cut), (_, recovered), (_, next)] = flown.logs.as_slice() else { panic!("{}", flown.output) };

    // What is recovered comes after the beginning and a text about it: as many records and bytes as it says.
    let log: Vec<_> = Records::new(recovered).map(|record| record.expect("a whole log")).collect();
    let texts = |log: &[Record<'_>]| -> Vec<String> {
        let texts = log.iter().filter_map(|record| record.decode::<binlog::messages::Msg>().ok());
        texts.map(|msg| msg.message.to_string()).collect()
    };
    let after = log.iter().position(|record| record.payload()[10..].starts_with(b"Recovered")).expect("the text");
    let after = after + claim.len().div_ceil(64);
    let left = &log[after..];
    assert_eq!(left.len().to_string(), records, "{claim}");
    assert_eq!((recovered.len() - left[0].offset()).to_string(), bytes, "{claim}");
    left.iter().for_each(check_values);
    let last = texts(left).join("");
    assert!(
        last.contains("panicked at src/main.rs:") && last.ends_with("the main loop panics, as it was told to"),
        "{last}"
    );

    // Of each sensor a record each millisecond, from the start to the panic, except what is overwritten.
    let times = |log: &[Record<'_>]| -> Vec<u64> {
        let imu = log.iter().filter(|record| record.id() == <FlightLog as Logs<Imu>>::ID && record.payload()[8] == 1);
        imu.map(|record| u64::from_le_bytes(record.payload()[..8].try_into().unwrap()) / 1000).collect()
    };
    let cut: Vec<_> = Records::new(cut).map_while(Result::ok).collect();
    let (before, left) = (times(&cut), times(left));
    for times in [&before, &left] {
        assert!(times.windows(2).all(|pair| pair[1] == pair[0] + 1), "no record is missing");
    }
    assert!(left.last().is_some_and(|&last| (1_999..=2_001).contains(&last)), "up to the panic: {left:?}");
    let gap = left[0] - before.last().expect("the first log has records") - 1;
    assert!(gap as usize <= overwritten / Imu::DEFINITION.length() + 1, "{gap} ms are missing, and {claim}");

    // The next flight begins at 0 and is whole.
    let next: Vec<_> = Records::new(next).map(|record| record.expect("a whole log")).collect();
    assert!(times(&next).first().is_some_and(|&first| first < 100));
    assert!(texts(&next).iter().any(|text| text.starts_with("flying for ")));
}

/// The emulator is killed in the middle of a flight, ten times with the same card. Flushed bytes stay, and the next
/// boot starts the next log.
fn kill_ten_times(card: &str) {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let image = temporary.path().join("card.img");
    let mut flushed: Vec<u32> = Vec::new();
    for flight in 0..10 {
        let arguments =
            ["--image", "card.img", "-o", "x.bin", "--card", card, "--seconds", "3600", "--", "show", "sensors=3"];
        let mut script = script(temporary.path(), &arguments);
        // A process group of its own, so that the emulator is killed with the script.
        use std::os::unix::process::CommandExt;
        let mut child = script.process_group(0).stdout(Stdio::piped()).spawn().expect("the script runs");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        // At another place in the stream each time.
        let told = |line: &str| line.strip_prefix(&format!("flushed {} ", flight + 1))?.parse().ok();
        let mut left = 3 + flight;
        let mut bytes = 0;
        while left > 0 {
            let line = lines.next().expect("the firmware runs").expect("text");
            if let Some(flushed) = told(&line) {
                bytes = flushed;
                left -= 1;
            }
        }
        std::thread::sleep(Duration::from_millis(7 * flight));
        let group = format!("-{}", child.id());
        assert!(Command::new("kill").args(["-KILL", "--", &group]).status().expect("kill").success());
        child.wait().expect("it ends");
        // The last line may be cut before its number, never in it: the firmware prints a number at once.
        flushed.push(lines.map_while(Result::ok).filter_map(|line| told(&line)).last().unwrap_or(bytes));
        let logs = image::logs(&image);
        assert_eq!(logs.len(), flushed.len());
        for ((name, log), &flushed) in logs.iter().zip(&flushed) {
            assert!(log.len() >= flushed as usize, "{name} has {} of {flushed} bytes", log.len());
            for record in Records::new(&log[..flushed as usize]) {
                check_values(&record.unwrap_or_else(|skipped| panic!("{name}: {skipped}")));
            }
        }
    }
}

/// The example with an executor logs through the asynchronous calls. Each write keeps the card busy for 2 ms, and the
/// other tasks notice only the transfer.
#[test]
fn other_tasks_run_and_log_while_the_card_is_busy() {
    if !is_set_up() {
        return;
    }
    let temporary = tempfile::tempdir().expect("a temporary folder");
    for card in CARDS {
        let arguments = ["--card", card, "--busy", "2000", "--seconds", "3", "-o", "newest.bin"];
        let output = run(&folder().join("../openlog/run"), temporary.path(), &arguments).output();
        let output = output.expect("the script runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{card}: {text}\n{}", String::from_utf8_lossy(&output.stderr));
        let late = text.lines().find_map(|line| line.strip_prefix("the card kept other tasks waiting for at most "));
        let late_us: u32 = late.and_then(|late| late.strip_suffix(" us")?.parse().ok()).expect("the program says it");
        assert!(late_us < 5000, "{card}: {late_us} us");
        let log = std::fs::read(temporary.path().join("newest.bin")).expect("the script copied it");
        let mut names: BTreeMap<u8, String> = BTreeMap::new();
        let mut on_card: BTreeMap<String, u32> = BTreeMap::new();
        for record in Records::new(&log) {
            let record = record.unwrap_or_else(|skipped| panic!("{card}: {skipped}"));
            if let Ok(format) = record.decode::<binlog::messages::Fmt>() {
                names.insert(format.r#type, format.name.to_string());
            } else if let Some(name) = names.get(&record.id()) {
                *on_card.entry(name.clone()).or_default() += 1;
            }
        }
        for name in ["IMU", "ATT", "MSG", "PARM", "DSF", "DROP"] {
            let row = text.lines().find(|line| line.starts_with(name)).expect("a row");
            let counts: Vec<u32> =
                row.split_whitespace().skip(1).map(|count| count.parse().expect("a number")).collect();
            let [_, written, dropped, ..] = counts[..] else { panic!("{row}") };
            assert_eq!((written, dropped), (on_card.get(name).copied().unwrap_or(0), 0), "{card}: {name}\n{text}");
            assert!(written > 0, "{name}");
        }
    }
}
