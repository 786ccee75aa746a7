//! The rate controller on recorded flights: the same outputs from the same code, others with another gain.

use binlog::replay::{Flight, assert_same, compare};
use binlog::{AnyLog, Log, LogWriter};
use simulator::replay::{Changed, parameter, rerun};
use simulator::{FlightLog, Simulation, log_of};
use std::error::Error;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the rate controller of today computes on a flight.
fn today(flight: &Flight<'_>) -> Result<Vec<u8>, Box<dyn Error>> {
    with(flight, &[])
}

fn with(flight: &Flight<'_>, changed: &[Changed]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new())?;
    rerun(flight.messages(), changed, &mut log, |note| panic!("{note}"))?;
    Ok(log.finish()?)
}

fn flight(seed: u64, seconds: u32) -> AnyLog<'static> {
    AnyLog::from_bytes(log_of(Simulation::new(seed, seconds))).expect("a log")
}

/// A folder of this test, empty at first.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The payloads of all records of RATE.
fn rates(log: &[u8]) -> Vec<Vec<u8>> {
    let log = Log::from_bytes(log);
    log.rows("RATE").expect("they are logged").records().map(|record| record.payload().to_vec()).collect()
}

#[test]
fn the_same_code_computes_the_same_bits() {
    for (seed, seconds) in [(1, 30), (7, 45), (3, 5)] {
        let flight = flight(seed, seconds);
        let replayed = today(&Flight::of(&flight)).expect("it flies");
        assert_eq!(rates(flight.bytes()).len(), 400 * seconds as usize);
        assert!(rates(flight.bytes()) == rates(&replayed), "seed {seed}, {seconds} s");
        let outputs = Log::from_bytes(replayed).numbers("RATE.ROut", binlog::Scaling::Shown).expect("a column");
        assert!(outputs.iter().any(|output| *output != 0.0), "seed {seed} flies");
    }
}

#[test]
fn a_power_cut_in_the_middle_of_a_step_is_no_difference() {
    let flight = flight(1, 5);
    let log = Log::from_bytes(flight.bytes());
    let last = log.rows("RATE").expect("they are logged").records().last().expect("a record");
    let end = last.offset() + 3 + last.payload().len();
    let cut = AnyLog::from_bytes(flight.bytes()[..end].to_vec()).expect("a log");
    let replayed = AnyLog::from_bytes(today(&Flight::of(&cut)).expect("it flies")).expect("a log");
    assert_eq!(rates(replayed.bytes()).len(), rates(cut.bytes()).len() - 1);
    assert!(compare(&cut, &replayed).is_same());
}

#[test]
fn another_gain_computes_others_from_take_off_on() {
    let flight = flight(1, 30);
    let take_off = Log::from_bytes(flight.bytes());
    let events = take_off.rows("EV").expect("events");
    let take_off = events.records().find(|it| it.value("Id").is_some_and(|id| id.to_integer() == Some(28)));
    let take_off = take_off.and_then(|it| it.time_us()).expect("it takes off");
    for (text, differing) in [
        ("ATC_RAT_RLL_P=0.08", &["ROut", "POut"][..]),
        ("atc_rat_yaw_i=0.04", &["YOut"]),
        ("INS_GYRO_FILTER=31", &["R", "ROut", "P", "POut", "Y", "YOut"]),
    ] {
        let changed = [parameter(text).expect("a parameter")];
        let replayed = AnyLog::from_bytes(with(&Flight::of(&flight), &changed).expect("it flies")).expect("a log");
        let comparison = compare(&flight, &replayed);
        assert!(!comparison.is_same());
        let found: Vec<_> = comparison.columns().iter().filter(|column| column.differing > 0).collect();
        let names: Vec<_> = found.iter().map(|column| column.name.trim_start_matches("RATE.")).collect();
        assert_eq!(names, differing, "{text}");
        for column in found {
            let parts = column.first.as_ref().expect("they part").time_us;
            assert!(text.starts_with("INS") || (take_off..take_off + 100_000).contains(&parts), "{text} {parts}");
            assert!(column.largest > column.mean && column.mean > 0.0, "{column:?}");
        }
        assert!(comparison.types().iter().all(|it| (it.missing, it.added) == (0, 0)));
    }
}

#[test]
fn a_folder_of_flights_is_a_test() {
    let folder = folder("flights");
    fs::write(folder.join("a.bin"), flight(1, 20).bytes()).expect("room");
    fs::create_dir(folder.join("more")).expect("room");
    fs::write(folder.join("more/b.bin"), flight(2, 25).bytes()).expect("room");
    assert_same(&folder, today);

    let changed = parameter("ATC_RAT_RLL_D=0.0019").expect("a parameter");
    let failed = catch_unwind(|| assert_same(&folder, |flight| with(flight, &[changed])));
    let panic = failed.expect_err("another gain");
    let text = panic.downcast_ref::<String>().expect("a text");
    assert!(text.starts_with("2 of 2 logs failed:\n"), "{text}");
    let line = text.lines().nth(1).expect("the first difference");
    for said in ["a.bin: RATE.", "Out at 3.2", " s, record ", " in the flight, ", " now; ", " differ, by at most "] {
        assert!(line.contains(said), "{said}: {line}");
    }
}

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simulator")).args(arguments).output().expect("the program starts")
}

#[test]
fn the_program_compares_and_logs_the_replay() {
    let folder = folder("replayed");
    let [old, new] = ["old.bin", "new.bin"].map(|name| folder.join(name).display().to_string());
    fs::write(&old, flight(4, 20).bytes()).expect("room");
    let same = program(&["--replay", &old]);
    let text = String::from_utf8_lossy(&same.stdout).into_owned();
    assert!(same.status.success() && text.starts_with("8000 records of RATE, all as in "), "{same:?}");

    let changed = program(&["--replay", &old, "--param", "ATC_RAT_RLL_P=0.09", "-o", &new]);
    let text = String::from_utf8_lossy(&changed.stdout).into_owned();
    assert!(changed.status.success(), "{changed:?}");
    let line = |name: &str| text.lines().find(|line| line.starts_with(&format!("{name} "))).map(str::to_owned);
    let words: Vec<String> = line("RATE.ROut").expect("a line").split_whitespace().map(str::to_owned).collect();
    assert!(words.len() == 6 && words[1].parse::<f64>().is_ok_and(|largest| largest > 0.0), "{text}");
    assert!(line("RATE.YOut").is_some_and(|line| line.ends_with("never")), "{text}");
    let log = Log::open(&new).expect("the log of the replay");
    assert_eq!(log.rows("RATE").expect("its outputs").len(), 8000);
}

#[test]
fn what_is_wrong_with_a_replay_is_said() {
    let folder = folder("wrong");
    let path = |name: &str| folder.join(name).display().to_string();
    fs::write(path("flight.bin"), flight(4, 2).bytes()).expect("room");
    fs::write(path("text.bin"), "no log").expect("room");
    fs::write(path("other.bin"), other_log()).expect("room");
    fs::write(path("flight.bbl"), simulator::blackbox::log_of(Simulation::new(1, 1))).expect("room");
    let flight = path("flight.bin");
    for (arguments, code, said) in [
        (&["--replay", &path("missing.bin")][..], 1, "missing.bin"),
        (&["--replay", &path("text.bin")], 1, "neither an ArduPilot log"),
        (&["--replay", &path("other.bin")], 1, "the log has no "),
        (&["--replay", &path("flight.bbl")], 1, "can't be replayed from a Blackbox log"),
        (&["--replay", &flight, "-o", &flight], 1, "is the flight itself"),
        (&["--replay", &flight, "--param", "ATC_RAT_RLP_P=1"], 2, "did you mean ATC_RAT_RLL_P?"),
        (&["--replay", &flight, "--param", "ANGLE_MAX=1"], 2, "it has ATC_RAT_RLL_P, ATC_RAT_RLL_I"),
        (&["--replay", &flight, "--param", "ATC_RAT_RLL_P=x"], 2, "the value isn't a number"),
        (&["--replay", &flight, "--param", "ATC_RAT_RLL_P=nan"], 2, "the value isn't a number"),
        (&["--replay", &flight, "--param", "ATC_RAT_RLL_P"], 2, "NAME=VALUE"),
        (&["--param", "ATC_RAT_RLL_P=1"], 2, "--replay"),
        (&["--replay", &flight, "--seconds", "3"], 2, "--seconds"),
    ] {
        let output = program(arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && text.contains(said), "{arguments:?}: {text}");
    }
}

/// A log without what the controller needs.
fn other_log() -> Vec<u8> {
    #[derive(binlog::LogSchema)]
    enum Other {
        Event(Unrelated),
    }
    #[derive(binlog::LogMessage, zerocopy::IntoBytes, zerocopy::Immutable)]
    #[log(name = "ABCD")]
    #[repr(C, packed)]
    struct Unrelated {
        time_us: u64,
    }
    let mut log = LogWriter::<Other, _>::new(Vec::new()).expect("memory takes all");
    log.write(&Unrelated { time_us: 5 }).expect("memory takes all");
    log.finish().expect("memory takes all")
}
