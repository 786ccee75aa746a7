//! `compare` and `assert_same`: what they find, and what they say.

use super::{Logged, Single, double, log, other, single};
use binlog::replay::{self, Flight, Item, compare, messages};
use binlog::{AnyLog, LogMessage, LogSchema, LogWriter};
use std::error::Error;
use std::fs;
use std::panic::{UnwindSafe, catch_unwind};
use std::path::Path;
use tempfile::TempDir;
use zerocopy::{Immutable, IntoBytes};

fn any(messages: impl IntoIterator<Item = Logged>) -> AnyLog<'static> {
    AnyLog::from_bytes(log(messages)).expect("a log")
}

/// A folder with these logs.
fn folder(logs: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in logs {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("room");
        fs::write(path, bytes).expect("room");
    }
    folder
}

/// Code that passes the values on, each increased by `by` from the third second on.
fn increased(flight: &Flight<'_>, by: u32) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut out = LogWriter::<Logged, _>::new(Vec::new())?;
    for item in flight.messages::<Logged>() {
        match item? {
            Item::Input { time_us, input: Logged::Single(Single { value, .. }) } => {
                let value = if time_us >= 3_000_000 { value + by } else { value };
                out.write(&Single { time_us, value })?;
            }
            Item::Input { input, .. } => out.write_any(&input)?,
            _ => {}
        }
    }
    Ok(out.finish()?)
}

fn panics(run: impl FnOnce() + UnwindSafe) -> String {
    *catch_unwind(run).expect_err("a panic").downcast::<String>().expect("a text")
}

fn regular() -> impl Iterator<Item = Logged> {
    (0..50).flat_map(|i| [single(100_000 * i, 5 * i as u32), double(100_000 * i, 1, 0)])
}

#[test]
fn the_same_outputs_pass_and_others_fail_with_their_place() {
    let bytes = log(regular());
    // macOS and git hide files that are named like logs.
    let hidden: [(&str, &[u8]); 2] = [("._a.bin", b"\0\x05\x16\x07"), (".git/c.bin", b"rubbish")];
    let folder = folder(&[("a.bin", &bytes), ("more/b.BIN", &bytes), ("notes.md", b"text"), hidden[0], hidden[1]]);
    let path = folder.path();
    replay::assert_same(path, |flight| increased(flight, 0));
    replay::assert_within(path, &[("AAA.Value", 2.0)], |flight| increased(flight, 2));
    replay::assert_within(path, &[("AAA", 2.0)], |flight| increased(flight, 2));
    let text = panics(|| replay::assert_within(path, &[("BBB", 9.0)], |flight| increased(flight, 3)));
    let line = |name: &str| {
        format!(
            "{}: AAA.Value at 3.000000 s, record 31: 150 in the flight, 153 now; 20 of 50 differ, by at most 3",
            path.join(name).display()
        )
    };
    assert_eq!(text, format!("2 of 2 logs failed:\n{}\n{}", line("a.bin"), line("more/b.BIN")));
    // A file stands for itself.
    replay::assert_same(path.join("a.bin"), |flight| increased(flight, 0));
}

#[test]
fn a_folder_without_logs_is_an_error() {
    let folder = folder(&[("notes.txt", b"text")]);
    let path = folder.path();
    let text = panics(|| replay::assert_same(path, |flight| increased(flight, 0)));
    assert!(text.starts_with(&format!("{}: it has no logs: files .bin, ", path.display())), "{text}");
    let missing = path.join("missing");
    let text = panics(|| replay::assert_same(&missing, |flight| increased(flight, 0)));
    assert!(text.contains("missing") && text.contains("can't read"), "{text}");
    let text = panics(|| replay::assert_same(Path::new("no-such-folder"), |flight| increased(flight, 0)));
    assert!(text.contains(env!("CARGO_MANIFEST_DIR")), "{text}");
}

#[test]
fn files_that_lost_their_log_fail_with_what_to_do() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n";
    let folder = folder(&[("a.bin", &log(regular())), ("b.bin", pointer), ("empty.bin", b""), ("zeros.bin", &[0; 50])]);
    let text = panics(|| replay::assert_same(folder.path(), |flight| increased(flight, 0)));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, "3 of 4 logs failed:"), "{text}");
    assert!(lines[1].contains("b.bin: it is a Git LFS pointer; `git lfs pull` fetches the log"), "{text}");
    assert!(lines[2].contains("empty.bin: it is empty; ") && lines[3].contains("zeros.bin: it has only zeros; "));
}

#[test]
fn code_that_fails_or_logs_nothing_is_an_error() {
    let bytes = log(regular());
    let folder = folder(&[("a.bin", &bytes)]);
    let path = folder.path();
    let text = panics(|| replay::assert_same(path, |_| Err("no gains".into())));
    assert!(text.ends_with("a.bin: no gains"), "{text}");
    let text = panics(|| replay::assert_same(path, |_| Ok(log([]))));
    assert!(text.ends_with("a.bin: the code logged no records"), "{text}");
    let text = panics(|| replay::assert_same(path, |_| Ok(log([single(1, 0), double(0, 7, 0)]))));
    assert!(text.contains("AAA: the code logged 1 record, at other times than the flight"), "{text}");
    assert!(text.contains("BBB[7]: the code logged 1 record, of which the flight has none"), "{text}");
    let text = panics(|| replay::assert_same(path, |_| Ok([log(regular()), vec![0; 9]].concat())));
    assert!(text.contains("a.bin: what the code logged is damaged: "), "{text}");
    let blackbox = simulator::blackbox::log_of(simulator::Simulation::new(1, 1));
    let text = panics(|| replay::assert_same(path, |_| Ok(blackbox.clone())));
    assert!(text.contains("a.bin: it is an ArduPilot log, and the code logged a Blackbox log; "), "{text}");
    let text = panics(|| replay::assert_same(path, |_| panic!("attempt to divide by zero")));
    assert!(text.ends_with("a.bin: the code panicked: attempt to divide by zero"), "{text}");
    let text = panics(|| replay::assert_same(path, |_| Ok(Vec::new())));
    assert!(text.ends_with("a.bin: what the code logged: the log is empty"), "{text}");
}

#[test]
fn records_that_only_one_log_has_are_counted() {
    let old = any(regular());
    let shorter = any(regular().skip(20).take(60));
    let comparison = compare(&old, &shorter);
    let counts: Vec<_> =
        comparison.types().iter().map(|it| (it.name.as_str(), it.compared, it.missing, it.added)).collect();
    // What is before the first record of the new log isn't missing: a replay may begin anywhere.
    assert_eq!(counts, [("BBB[1]", 30, 10, 0), ("AAA", 30, 10, 0)]);
    assert!(!comparison.is_same());
    let longer = any(regular().chain([single(60_000_000, 1)]));
    let comparison = compare(&old, &longer);
    let aaa = comparison.types().iter().find(|it| it.name == "AAA").expect("the type");
    assert_eq!((aaa.compared, aaa.added, aaa.first_us), (50, 1, Some(60_000_000)));
    // Other instances are others.
    let comparison = compare(&old, &any([double(0, 2, 0)]));
    assert_eq!((comparison.types()[0].compared, comparison.types()[0].added), (0, 1));
}

#[test]
fn one_damaged_time_is_one_difference() {
    let times = |wild: Option<u64>| any((0..50).map(|i| single(wild.filter(|_| i == 20).unwrap_or(100_000 * i), 0)));
    for wild in [0, 9_000_000, 1 << 40] {
        let comparison = compare(&times(None), &times(Some(wild)));
        let it = &comparison.types()[0];
        assert_eq!((it.compared, it.missing, it.added), (49, 1, 1), "{wild}");
    }
}

#[test]
fn a_replay_may_begin_in_the_middle_of_each_boot() {
    let boot = |times: std::ops::Range<u64>| log(times.map(|i| single(100_000 * i, 0)));
    for first in [50, 10] {
        let old = AnyLog::from_bytes([boot(0..first), boot(0..60)].concat()).expect("a log");
        let mut new = LogWriter::<Logged, _>::new(Vec::new()).expect("memory takes all");
        for item in Flight::of(&old).messages::<Logged>().from_us(3_000_000).flatten() {
            if let Item::Input { input, .. } = item {
                new.write_any(&input).expect("memory takes all");
            }
        }
        let new = AnyLog::from_bytes(new.finish().expect("memory takes all")).expect("a log");
        let comparison = compare(&old, &new);
        let it = &comparison.types()[0];
        assert!(comparison.is_same() && it.before > 0, "{it:?}");
    }
}

#[test]
fn a_test_fails_if_the_code_begins_late() {
    let folder = folder(&[("a.bin", &log(regular()))]);
    let late = |by: usize| move |_: &Flight<'_>| Ok(log(regular().skip(2 * by)));
    replay::assert_same(folder.path(), late(10));
    let text = panics(|| replay::assert_same(folder.path(), late(12)));
    assert!(text.contains("AAA: the flight has 12 records before the code's first; "), "{text}");
    // Code that lost an event, or most of a short flight, didn't warm up.
    let at = |times: &[u64]| log(times.iter().map(|&time_us| single(time_us, 0)));
    let short = [0, 100_000, 200_000, 300_000];
    for (flight, code, passes) in [
        (&[1_000_000, 3_000_000][..], &[3_000_000][..], false),
        (&short, &short[1..], true),
        (&short, &short[3..], false),
    ] {
        fs::write(folder.path().join("a.bin"), at(flight)).expect("room");
        let result = catch_unwind(|| replay::assert_same(folder.path(), |_| Ok(at(code))));
        assert_eq!(result.is_ok(), passes, "{flight:?}, {code:?}");
    }
}

/// [`Single`], renamed in part.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
#[log(name = "AAA")]
#[repr(C, packed)]
struct Renamed {
    time_us: u64,
    worth: u32,
}

#[derive(LogSchema)]
enum RenamedLog {
    Renamed(Renamed),
}

#[test]
fn a_column_that_the_flight_lacks_is_a_difference() {
    let folder = folder(&[("a.bin", &log(regular()))]);
    let renamed = |_: &Flight<'_>| {
        let mut out = LogWriter::<RenamedLog, _>::new(Vec::new())?;
        (0..50).try_for_each(|i| out.write(&Renamed { time_us: 100_000 * i, worth: 0 }))?;
        Ok(out.finish()?)
    };
    let text = panics(|| replay::assert_same(folder.path(), renamed));
    assert!(text.contains("a.bin: AAA.Worth: the flight has no such column; rename it back, "), "{text}");
    replay::assert_within(folder.path(), &[("AAA.Worth", f64::INFINITY)], renamed);
    let (old, new) = (any(regular()), AnyLog::from_bytes(renamed(&Flight::of(&any(regular()))).unwrap()).unwrap());
    let comparison = compare(&old, &new);
    assert!(!comparison.is_same() && comparison.columns()[0].is_new, "{comparison}");
    assert!(comparison.to_string().contains("not in the old log"), "{comparison}");
    // The code may have a part of the flight's schema.
    assert!(compare(&old, &any((0..50).map(|i| single(100_000 * i, 5 * i as u32)))).is_same());
}

#[test]
fn a_tolerance_that_belongs_to_nothing_fails() {
    let folder = folder(&[("a.bin", &log(regular()))]);
    let within = |name: &'static str, by: f64| {
        panics(move || replay::assert_within(folder.path(), &[("AAA", 0.0), (name, by)], |flight| increased(flight, 0)))
    };
    let text = within("AAA.Valeu", 1.0);
    assert!(text.contains("AAA.Valeu was compared in no log; mend the name of this tolerance"), "{text}");
}

#[test]
fn a_type_with_a_time_only_may_be_required() {
    let flight = || regular().chain([other(9_000_000)]);
    let folder = folder(&[("a.bin", &log(flight()))]);
    replay::assert_within(folder.path(), &[("ZZZ", 0.0)], |_| Ok(log(flight())));
    let text = panics(|| replay::assert_within(folder.path(), &[("ZZZ", 0.0)], |_| Ok(log(regular()))));
    assert!(text.contains("ZZZ was compared in no log"), "{text}");
}

#[test]
fn a_tolerance_is_a_number_from_0_on() {
    for by in [f64::NAN, -1.0] {
        let text = panics(move || replay::assert_within("flights", &[("AAA", by)], |flight| increased(flight, 0)));
        assert_eq!(text, format!("the tolerance of AAA is {by}; it is a number from 0 on"));
    }
}

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
#[log(name = "OUT")]
#[repr(C, packed)]
struct Out {
    time_us: u64,
    value: f32,
}

#[derive(LogSchema)]
enum OutLog {
    Out(Out),
}

#[test]
fn zeros_of_either_sign_differ_and_all_nan_are_the_same() {
    let out = |value| {
        let mut log = LogWriter::<OutLog, _>::new(Vec::new()).unwrap();
        log.write(&Out { time_us: 0, value }).unwrap();
        AnyLog::from_bytes(log.finish().unwrap()).unwrap()
    };
    assert!(!compare(&out(0.0), &out(-0.0)).is_same());
    assert!(compare(&out(-0.0), &out(-0.0)).is_same());
    assert!(compare(&out(f32::NAN), &out(-f32::NAN)).is_same());
    assert!(!compare(&out(f32::NAN), &out(0.0)).is_same());
}

#[test]
fn an_input_without_its_partner_at_the_end_is_no_difference() {
    let old = any(regular());
    assert!(compare(&old, &any(regular().take(98))).is_same());
    assert!(!compare(&old, &any(regular().take(96))).is_same());
}

#[test]
fn boots_are_compared_with_boots() {
    let boots = |value| {
        let boot = |add| log((0..30).map(|i| single(100_000 * i, i as u32 + add)));
        AnyLog::from_bytes([boot(0), boot(value)].concat()).expect("a log")
    };
    assert!(compare(&boots(5), &boots(5)).is_same());
    let comparison = compare(&boots(5), &boots(6));
    let value = &comparison.columns()[0];
    assert_eq!((value.compared, value.differing, value.largest, value.mean), (60, 30, 1.0, 0.5));
    assert_eq!(value.first.as_ref().map(|first| (first.record, first.time_us)), Some((31, 0)));
    // The writer of a replay has one preamble.
    let mut one = LogWriter::<Logged, _>::new(Vec::new()).expect("memory takes all");
    for item in messages::<Logged>(boots(5).bytes()).flatten() {
        if let Item::Input { input, .. } = item {
            one.write_any(&input).expect("memory takes all");
        }
    }
    let one = AnyLog::from_bytes(one.finish().expect("memory takes all")).expect("a log");
    assert!(compare(&boots(5), &one).is_same());
}

#[test]
fn blackbox_logs_are_compared_too() {
    let [one, other] = [1, 2].map(|seed| {
        AnyLog::from_bytes(simulator::blackbox::log_of(simulator::Simulation::new(seed, 2))).expect("a log")
    });
    assert!(compare(&one, &one).is_same());
    let comparison = compare(&one, &other);
    let gyro = comparison.columns().iter().find(|column| column.name == "main.accSmooth[2]").expect("the field");
    assert!(gyro.differing > 0 && gyro.compared == 800, "{gyro:?}");
    assert!(!compare(&one, &any(regular())).is_same());
    // A session that the code doesn't log.
    let two = AnyLog::from_bytes([one.bytes(), one.bytes()].concat()).expect("a log");
    assert!(compare(&two, &two).is_same());
    let comparison = compare(&two, &one);
    let lacks = comparison.types().iter().find(|it| it.name == "session 2, main").expect("the session");
    assert!(lacks.missing == 800 && !comparison.is_same(), "{lacks:?}");
}

#[test]
fn a_comparison_prints_as_a_table() {
    let old = any(regular());
    let new = AnyLog::from_bytes(increased(&Flight::of(&old), 2).expect("it flies")).expect("a log");
    let text = compare(&old, &new).to_string();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["column", "largest", "mean", "differing", "parts", "at"]);
    assert!(lines.contains(&vec!["AAA.Value", "2", "0.8", "20", "3.000000", "s"]), "{text}");
    assert!(lines.contains(&vec!["BBB[1].Value", "0", "0", "0", "never"]), "{text}");
}
