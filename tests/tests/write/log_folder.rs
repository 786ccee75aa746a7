//! Folders of numbered logs.

use binlog::messages::Ev;
use binlog::{HostLogger, Log, LogFolder, LogSchema};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    entries.map(|name| name.into_string().expect("ASCII")).collect::<BTreeSet<_>>().into_iter().collect()
}

fn last_log(folder: &Path) -> String {
    fs::read_to_string(folder.join("LASTLOG.TXT")).expect("the number")
}

/// Begins this many logs, each with this many bytes.
fn create(folder: &mut LogFolder, count: usize, bytes: usize) {
    for _ in 0..count {
        folder.create_log().expect("room").write_all(&vec![7; bytes]).expect("room on the disk");
    }
}

#[test]
fn names_and_the_last_number_are_those_of_ardupilot() {
    let place = folder();
    let path = place.path().join("logs");
    let mut logs = LogFolder::new(&path);
    create(&mut logs, 2, 1);
    assert_eq!(names(&path), ["00000001.BIN", "00000002.BIN", "LASTLOG.TXT"]);
    assert_eq!(last_log(&path), "2\r\n");
    // A restarted simulator continues.
    create(&mut LogFolder::new(&path), 1, 1);
    assert_eq!(last_log(&path), "3\r\n");
}

#[test]
fn the_number_of_ardupilot_is_continued_with_its_mark() {
    for (text, next) in
        [("41\r\n", 42), ("7D\r\n", 8), (" 12\n", 13), ("500\r\n", 1), ("0\r\n", 1), ("x", 1), ("501", 1)]
    {
        let place = folder();
        fs::write(place.path().join("LASTLOG.TXT"), text).expect("room");
        create(&mut LogFolder::new(place.path()), 1, 1);
        assert_eq!(last_log(place.path()), format!("{next}\r\n"), "{text:?}");
    }
}

#[test]
fn numbers_wrap_after_the_last_and_overwrite_no_log() {
    let place = folder();
    let mut logs = LogFolder::new(place.path()).last_number(4);
    create(&mut logs, 3, 1);
    fs::remove_file(place.path().join("00000001.BIN")).expect("it is there");
    fs::remove_file(place.path().join("00000002.BIN")).expect("it is there");
    create(&mut logs, 1, 1);
    create(&mut logs, 1, 5);
    assert_eq!(last_log(place.path()), "1\r\n");
    // Number 2 stays free, and the others are taken.
    let error = logs.create_log().expect_err("no number is free");
    assert_eq!(error.kind(), ErrorKind::QuotaExceeded);
    assert!(error.to_string().contains("remove_oldest"), "{error}");
    for (number, size) in [(1, 5), (3, 1), (4, 1)] {
        let path = place.path().join(format!("{number:08}.BIN"));
        assert_eq!(fs::metadata(path).expect("it is there").len(), size);
    }
    // Number 3 is the oldest: the smallest above the last.
    create(&mut logs.remove_oldest(), 1, 9);
    assert_eq!(last_log(place.path()), "2\r\n");
    assert_eq!(names(place.path()), ["00000001.BIN", "00000002.BIN", "00000004.BIN", "LASTLOG.TXT"]);
}

/// Makes a folder with logs of these numbers.
fn with_logs(numbers: impl IntoIterator<Item = u32>, last_log: &str) -> tempfile::TempDir {
    let place = folder();
    for number in numbers {
        fs::write(place.path().join(format!("{number:08}.BIN")), "a log").expect("room");
    }
    fs::write(place.path().join("LASTLOG.TXT"), last_log).expect("room");
    place
}

#[test]
fn a_log_whose_number_was_not_written_down_is_the_newest() {
    let place = with_logs(1..=6, "5\r\n");
    create(&mut LogFolder::new(place.path()).max_logs(6).remove_oldest(), 1, 1);
    assert_eq!(names(place.path())[..2], ["00000002.BIN", "00000003.BIN"]);
    assert!(place.path().join("00000006.BIN").exists() && place.path().join("00000007.BIN").exists());
    assert_eq!(last_log(place.path()), "7\r\n");
}

#[test]
fn written_number_tells_the_newest_log_of_a_full_folder() {
    let place = with_logs(1..=6, "4\r\n");
    create(&mut LogFolder::new(place.path()).last_number(6).remove_oldest(), 1, 1);
    // 5 and 6 were the oldest: one number for the log, and one that stays free.
    let names = names(place.path());
    assert_eq!(names, ["00000001.BIN", "00000002.BIN", "00000003.BIN", "00000004.BIN", "00000005.BIN", "LASTLOG.TXT"]);
    assert_eq!(fs::metadata(place.path().join("00000005.BIN")).expect("it is there").len(), 1);
}

#[test]
fn a_number_that_cannot_be_written_leaves_no_empty_log() {
    let place = folder();
    fs::create_dir(place.path().join("LASTLOG.TXT")).expect("room");
    for _ in 0..3 {
        let error = LogFolder::new(place.path()).create_log().expect_err("a folder is not a file");
        assert!(error.to_string().contains("LASTLOG.TXT"), "{error}");
    }
    assert_eq!(names(place.path()), ["LASTLOG.TXT"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn newest_logs_survive_gaps_and_a_late_number(
        last_number in 6u32..20,
        begun in 0u32..20,
        logs in 1u32..19,
        behind in 0u32..4,
        missing in prop::collection::btree_set(0u32..19, 0..4),
        max_logs in 2usize..8,
        more in 1u32..25,
    ) {
        let number = |age: u32| (begun + age) % last_number + 1;
        let logs = logs.min(last_number - 1);
        let behind = behind.min(logs - 1);
        // With fewer numbers, the log of a number that is three lower could also be the one after a free number.
        // Logs by age, the oldest first; some were removed by hand, but none that the number doesn't tell of.
        let mut ages: Vec<u32> = (0..logs).filter(|age| age + behind + 1 >= logs || !missing.contains(age)).collect();
        let place = with_logs(ages.iter().map(|&age| number(age)), &format!("{}\r\n", number(logs - 1 - behind)));
        let mut folder = LogFolder::new(place.path()).last_number(last_number).max_logs(max_logs).remove_oldest();
        for age in logs..logs + more {
            create(&mut folder, 1, 1);
            ages.push(age);
            prop_assert_eq!(last_log(place.path()), format!("{}\r\n", number(age)));
            let found = names(place.path()).len() - 1;
            // Exactly the newest are there. The first time, the one with the written number may be one too many.
            let expected: BTreeSet<String> =
                ages.iter().rev().take(found).map(|&age| format!("{:08}.BIN", number(age))).collect();
            let found_names: BTreeSet<String> =
                names(place.path()).into_iter().filter(|name| name.ends_with(".BIN")).collect();
            let is_first = age == logs && behind > 0;
            prop_assert!(found >= 2.min(ages.len()));
            prop_assert!(is_first || found_names == expected, "{:?} {:?}", found_names, expected);
            prop_assert!(found <= max_logs + usize::from(is_first));
            for kept in [age - 1, age] {
                prop_assert!(place.path().join(format!("{:08}.BIN", number(kept))).exists(), "{}", kept);
            }
        }
    }
}

#[test]
fn of_loggers_that_begin_at_once_none_loses_its_log() {
    for _ in 0..20 {
        let place = with_logs(1..=6, "6\r\n");
        let begin = std::sync::Barrier::new(3);
        let paths: Vec<_> = std::thread::scope(|threads| {
            let begin = &begin;
            let threads = [(); 3].map(|()| {
                let mut logs = LogFolder::new(place.path()).max_logs(6).remove_oldest();
                threads.spawn(move || {
                    begin.wait();
                    logs.create_log().expect("room");
                    binlog::host::Destination::path(&logs).expect("a log").to_owned()
                })
            });
            threads.into_iter().map(|thread| thread.join().expect("it only logs")).collect()
        });
        // A fourth begins afterwards.
        create(&mut LogFolder::new(place.path()).max_logs(6).remove_oldest(), 1, 1);
        assert!(paths.iter().all(|path| path.exists()), "{:?}", names(place.path()));
        assert!(place.path().join("00000010.BIN").exists());
    }
}

#[test]
fn without_a_number_the_next_is_after_the_largest() {
    let place = folder();
    fs::write(place.path().join("00000017.BIN"), "an old log").expect("room");
    fs::write(place.path().join("notes.BIN"), "no log").expect("room");
    create(&mut LogFolder::new(place.path()), 1, 1);
    assert_eq!(last_log(place.path()), "18\r\n");
}

#[test]
fn the_oldest_logs_are_removed_only_when_wished() {
    let place = folder();
    let logs = LogFolder::new(place.path()).max_logs(3);
    create(&mut logs.clone(), 3, 1);
    assert_eq!(logs.clone().create_log().expect_err("three is the most").kind(), ErrorKind::QuotaExceeded);
    create(&mut logs.remove_oldest(), 2, 1);
    assert_eq!(names(place.path()), ["00000003.BIN", "00000004.BIN", "00000005.BIN", "LASTLOG.TXT"]);
}

#[test]
fn the_bytes_of_a_folder_are_limited_and_the_last_log_stays() {
    let place = folder();
    let logs = LogFolder::new(place.path()).max_bytes(250).remove_oldest();
    create(&mut logs.clone(), 3, 100);
    // 300 bytes: the first is removed. The log that begins is empty so far.
    create(&mut logs.clone(), 1, 1000);
    assert_eq!(names(place.path()), ["00000002.BIN", "00000003.BIN", "00000004.BIN", "LASTLOG.TXT"]);
    create(&mut logs.clone(), 1, 1);
    assert_eq!(names(place.path()), ["00000004.BIN", "00000005.BIN", "LASTLOG.TXT"]);
}

#[test]
fn several_processes_in_one_folder_take_different_numbers() {
    let place = folder();
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| create(&mut LogFolder::new(place.path()), 20, 3));
        }
    });
    let names = names(place.path());
    assert_eq!(names.len(), 161);
    let sizes = names.iter().filter(|name| name.ends_with(".BIN"));
    assert!(sizes.map(|name| fs::metadata(place.path().join(name)).expect("a log").len()).all(|bytes| bytes == 3));
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error_with_its_path() {
    let place = folder();
    let path = place.path().join("file");
    fs::write(&path, "no folder").expect("room");
    let error = LogFolder::new(path.join("logs")).create_log().expect_err("a file is not a folder");
    assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
}

/// Nobody, root included, can create a file there.
#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_created_is_an_error_with_its_path() {
    let error = LogFolder::new("/proc/self").create_log().expect_err("no file can be created");
    assert!(error.to_string().contains("create /proc/self/00000001.BIN"), "{error}");
}

#[test]
fn a_logger_begins_a_log_at_each_arming() {
    let place = folder();
    let thread = HostLogger::<FlightLog>::builder()
        .spawn_logs(LogFolder::new(place.path()).sorted_by_time::<FlightLog>(4096))
        .expect("room");
    let log = thread.logger();
    for flight in 1..=3 {
        log.log(&Ev { time_us: 10 * flight, id: 10 });
        log.log(&Ev { time_us: 10 * flight - 1, id: 11 });
        log.new_log();
    }
    thread.finish().map_err(|error| error.error).expect("room").finish().expect("room");
    for flight in 1..=3 {
        let log = Log::open(place.path().join(format!("{flight:08}.BIN"))).expect("a log");
        assert_eq!(log.rows("EV").expect("events").times_us(), [10 * flight - 1, 10 * flight]);
    }
    assert_eq!(last_log(place.path()), "4\r\n");
}
