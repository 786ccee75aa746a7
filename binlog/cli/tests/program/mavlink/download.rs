use super::vehicle::{Flying, Logs, Vehicle};
use super::{Running, wait_until};
use crate::{Ran, log};
use binlog::mavlink::{Address, Link, MAX_FRAME, Message};
use std::fs;
use std::path::{Path, PathBuf};

const DATE: u32 = 1_764_000_000;

fn bytes(name: &str) -> Vec<u8> {
    fs::read(log(name)).expect("the log")
}

/// A vehicle with three logs, of both formats.
fn vehicle() -> Vehicle {
    let whole = bytes("flight.bin");
    let first = whole[..whole.len() / 90 * 90].to_vec();
    Vehicle { logs: vec![(first, 0), (whole, DATE), (bytes("flight.bbl"), DATE)], ..Vehicle::new() }
}

fn start(vehicle: &Flying, folder: &Path, more: &str) -> Running {
    let folder = folder.to_str().expect("UTF-8");
    Running::start(["download", &vehicle.link, "-o", folder].into_iter().chain(more.split_whitespace()))
}

fn download(vehicle: &Flying, folder: &Path, more: &str) -> Ran {
    start(vehicle, folder, more).ends()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().expect("the folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn logs_are_listed_without_a_choice() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = Vehicle { loses_one_of: Some(5), ..vehicle() }.fly();
    let sizes = vehicle.with(|vehicle| [0, 1, 2].map(|i| vehicle.logs[i].0.len()));
    let ran = download(&vehicle, folder.path(), "");
    let date = "2025-11-24T16:00:00Z";
    let listed =
        format!("1\t{} bytes\tunknown date\n2\t{} bytes\t{date}\n3\t{} bytes\t{date}\n", sizes[0], sizes[1], sizes[2]);
    assert_eq!((ran.code, ran.stdout, &*ran.stderr), (Some(0), listed, ""));
    let ran = download(&vehicle, folder.path(), "--json");
    let rows: Vec<serde_json::Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(rows[0], serde_json::json!({"log": 1, "bytes": sizes[0], "date": null}));
    assert_eq!(rows[2], serde_json::json!({"log": 3, "bytes": sizes[2], "date": date}));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn chosen_logs_are_downloaded_byte_for_byte() {
    for (choice, expected) in [
        ("--latest", &["00000003.BBL"][..]),
        ("2", &["00000002.BIN"]),
        ("2 1", &["00000001.BIN", "00000002.BIN"]),
        ("--all", &["00000001.BIN", "00000002.BIN", "00000003.BBL"]),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("logs");
        let vehicle = Vehicle { loses_one_of: (choice != "--all").then_some(20), ..vehicle() };
        let vehicle = if choice == "--all" { vehicle.fly_on_tcp() } else { vehicle.fly() };
        let ran = download(&vehicle, &out, choice);
        assert!(matches!(ran.code, Some(0 | 3)), "{choice}: {}", ran.stderr);
        assert_eq!(names(&out), expected, "{choice}");
        for name in expected {
            let number: usize = name[..8].parse().expect("a number");
            let (log, date) = vehicle.with(|vehicle| vehicle.logs[number - 1].clone());
            assert!(fs::read(out.join(name)).expect("the log") == log, "{choice}: {name}");
            assert!(ran.stdout.contains(&format!("{}\t{} bytes\n", out.join(name).display(), log.len())));
            let modified = fs::metadata(out.join(name)).and_then(|file| file.modified()).expect("a date");
            let modified = modified.duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs();
            assert_eq!(modified == u64::from(DATE), date > 0, "{name}");
        }
        // The first one was cut inside of a record.
        assert_eq!(ran.code == Some(3), expected.contains(&"00000001.BIN"), "{choice}: {}", ran.stderr);
        wait_until("the vehicle is told", || vehicle.with(|vehicle| vehicle.ends > 0));
    }
}

#[test]
fn a_damaged_log_ends_with_3() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = Vehicle { logs: vec![(bytes("damaged.bin"), DATE), (vec![7; 1000], DATE)], ..Vehicle::new() }.fly();
    let ran = download(&vehicle, folder.path(), "1");
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("00000001.BIN: the log is damaged: "), "{}", ran.stderr);
    let ran = download(&vehicle, folder.path(), "2");
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("00000002.BIN: it is neither an ArduPilot log"), "{}", ran.stderr);
    assert_eq!(fs::read(folder.path().join("00000002.BIN")).expect("what came"), [7; 1000]);
}

#[test]
fn a_log_that_is_shorter_than_said_ends_with_3() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = bytes("flight.bin");
    for says in [flight.len() as u32 + 1, u32::MAX] {
        let logs = vec![(flight.clone(), DATE)];
        let vehicle = Vehicle { logs, says: Some(says), speed: 50, ..Vehicle::new() }.fly();
        let ran = download(&vehicle, folder.path(), "1 --force");
        assert_eq!(ran.code, Some(3), "{}", ran.stderr);
        let said = format!("the log ends after {} bytes; the vehicle said {says}", flight.len());
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
        assert!(fs::read(folder.path().join("00000001.BIN")).expect("the log") == flight);
    }
}

#[test]
fn another_log_with_the_same_name_is_kept_without_force() {
    let flight = bytes("flight.bin");
    let size = flight.len();
    let with = |at: usize| {
        let mut other = flight.clone();
        other[at] ^= 1;
        other
    };
    let cases = [
        (b"mine".to_vec(), "begins differently".to_owned()),
        ([&flight[..], b"more"].concat(), format!("has {} bytes", size + 4)),
        (with(50), "begins differently".to_owned()),
        // As long as the log, and shorter.
        (with(size - 1), "continues differently".to_owned()),
        (with(49_999)[..50_000].to_vec(), "continues differently".to_owned()),
    ];
    for (other, said) in cases {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let vehicle = Vehicle { speed: 50, ..vehicle() }.fly();
        fs::write(folder.path().join("00000002.BIN"), &other).expect("room");
        let ran = download(&vehicle, folder.path(), "2 1");
        assert_eq!(ran.code, Some(2), "{said}: {}", ran.stderr);
        let said = format!(
            "00000002.BIN exists and isn't log 2 of system 1, which has {size} bytes: the file {said}; name another \
             folder, or add --force to replace it\n"
        );
        assert!(ran.stderr.contains(&said), "{said}: {}", ran.stderr);
        assert_eq!(names(folder.path()), ["00000001.BIN", "00000002.BIN"], "the other log is downloaded");
        assert!(fs::read(folder.path().join("00000002.BIN")).expect("the file") == other);
        assert_eq!(download(&vehicle, folder.path(), "2 --force").code, Some(0));
        assert!(fs::read(folder.path().join("00000002.BIN")).expect("the log") == flight);
    }
}

#[test]
fn logs_that_are_there_already_are_skipped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = Vehicle { speed: 50, loses_one_of: Some(30), ..vehicle() }.fly();
    // The first one was cut inside of a record, which each run says.
    let first = download(&vehicle, folder.path(), "1 2");
    assert_eq!(first.code, Some(3));
    assert!(first.stderr.contains("00000001.BIN: "), "{}", first.stderr);
    let requests = vehicle.with(|vehicle| vehicle.requests);
    let ran = download(&vehicle, folder.path(), "1 2 1");
    assert_eq!((ran.code, &ran.stderr), (Some(3), &first.stderr));
    let line = |number: usize| {
        let (file, size) = (format!("{number:08}.BIN"), vehicle.with(|vehicle| vehicle.logs[number - 1].0.len()));
        format!("{}\t{size} bytes\tis there already\n", folder.path().join(file).display())
    };
    assert_eq!(ran.stdout, line(1) + &line(2));
    // The first and the last bytes of each.
    assert!(vehicle.with(|vehicle| vehicle.requests) < requests + 30);
    // The other one is downloaded.
    let ran = download(&vehicle, folder.path(), "--all --json");
    assert_eq!((ran.code, ran.stderr), (Some(3), first.stderr));
    let rows: Vec<serde_json::Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(rows[..2].iter().all(|row| row["resumed_bytes"] == row["bytes"] && row["bytes"] == row["listed_bytes"]));
    assert_eq!((rows.len(), &rows[2]["resumed_bytes"]), (3, &0.into()));
    assert_eq!(names(folder.path()), ["00000001.BIN", "00000002.BIN", "00000003.BBL"]);
}

/// A file may have been cut by hand, and continuing may be interrupted.
#[cfg(unix)]
#[test]
fn a_log_that_has_grown_is_continued() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (flight, path) = (bytes("flight.bin"), folder.path().join("00000001.BIN"));
    let logs = vec![(flight[..50_000].to_vec(), DATE)];
    let rest = flight[50_000..].to_vec();
    let vehicle = Vehicle { logs, rest, speed: 50, ..Vehicle::new() }.fly();
    let ran = download(&vehicle, folder.path(), "--all");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let length = fs::metadata(&path).expect("the log").len() as usize;
    let said = format!(
        "00000001.BIN: the vehicle was still writing it: downloaded up to {length} bytes; when the log has ended, \
         the same command gets the rest\n"
    );
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    assert!(length >= 50_000 && flight[..length] == fs::read(&path).expect("the log"));
    vehicle.with(|vehicle| {
        let rest = std::mem::take(&mut vehicle.rest);
        vehicle.logs[0].0.extend(rest);
        vehicle.speed = 1;
    });
    let (program, part) = (start(&vehicle, folder.path(), "1"), folder.path().join("00000001.BIN.part"));
    wait_until("it continues", || fs::metadata(&part).is_ok_and(|part| part.len() as usize > length + 5000));
    program.interrupt("-KILL");
    program.ends();
    assert_eq!(fs::metadata(&path).expect("the log").len() as usize, length, "it stays");
    vehicle.with(|vehicle| vehicle.speed = 50);
    let ran = download(&vehicle, folder.path(), "1 --json");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let row: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a row");
    assert!(row["resumed_bytes"].as_u64().is_some_and(|bytes| bytes > 40_000), "{row}");
    assert_eq!(row["growing"], false);
    assert!(fs::read(&path).expect("the log") == flight);
    assert_eq!(names(folder.path()), ["00000001.BIN"]);
    // A part of the log as it was before is not worth keeping beside the file.
    fs::write(&path, &flight[..30_000]).expect("room");
    fs::write(folder.path().join("00000001.BIN.part"), [7; 9000]).expect("room");
    assert_eq!(download(&vehicle, folder.path(), "1").code, Some(0));
    assert!(fs::read(&path).expect("the log") == flight);
    assert_eq!(names(folder.path()), ["00000001.BIN"]);
}

#[test]
fn a_folder_that_is_removed_meanwhile_ends_the_download() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("logs");
    let vehicle = Vehicle { speed: 1, ..vehicle() }.fly();
    let program = start(&vehicle, &out, "2 3");
    wait_until("some of it comes", || fs::metadata(out.join("00000002.BIN.part")).is_ok_and(|part| part.len() > 5000));
    fs::remove_dir_all(&out).expect("the folder");
    let ran = program.ends();
    assert_eq!(ran.code, Some(2));
    let said = "logs was removed while logs were downloaded; run the command again\n";
    assert!(ran.stderr.starts_with("binlog: the folder ") && ran.stderr.ends_with(said), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

/// A pipe that is opened waits without end.
#[cfg(unix)]
#[test]
fn what_is_not_a_file_is_kept_and_the_other_logs_are_downloaded() {
    let vehicle = Vehicle { speed: 50, ..vehicle() }.fly();
    let make_pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.is_ok_and(|status| status.success()));
    };
    for ending in ["", ".part", ".part.json"] {
        for kind in ["a folder", "a symbolic link", "a pipe or a device"] {
            for more in ["", " --force"] {
                let folder = tempfile::tempdir().expect("a temporary folder");
                let name = format!("00000001.BIN{ending}");
                let (path, target) = (folder.path().join(&name), folder.path().join("target"));
                match kind {
                    "a folder" => fs::create_dir(&path).expect("a folder"),
                    "a symbolic link" => std::os::unix::fs::symlink(&target, &path).expect("a link"),
                    _ => make_pipe(&path),
                }
                // Only in the place of the log may a link lead to a file.
                if kind == "a symbolic link" && !ending.is_empty() {
                    fs::write(&target, "mine").expect("room");
                }
                let ran = download(&vehicle, folder.path(), &format!("1 2{more}"));
                assert_eq!(ran.code, Some(2), "{name}, {kind}: {}", ran.stderr);
                let said = format!("{name} is {kind}, not a file; remove it, or name another folder\n");
                assert!(ran.stderr.contains(&said), "{name}, {kind}: {}", ran.stderr);
                assert!(folder.path().join("00000002.BIN").is_file(), "{name}, {kind}");
                assert!(path.symlink_metadata().is_ok_and(|path| !path.is_file()), "{name}, {kind}: it is kept");
                assert_eq!(fs::read(&target).ok(), target.exists().then(|| b"mine".to_vec()));
                // Other logs don't mind it.
                assert!(matches!(download(&vehicle, folder.path(), "2").code, Some(0)), "{name}, {kind}");
            }
        }
    }
}

#[test]
fn a_vehicle_without_logs_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = Vehicle::new().fly();
    let ran = download(&vehicle, folder.path(), "");
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(0), "", "binlog: the vehicle has no logs\n"));
    let ran = download(&vehicle, folder.path(), "--all");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.ends_with(": the vehicle has no logs\n"), "{}", ran.stderr);
}

#[test]
fn a_number_that_the_vehicle_lacks_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = download(&vehicle().fly(), folder.path(), "1 9");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.ends_with(": the vehicle has no log 9; it has 1 to 3\n"), "{}", ran.stderr);
    let vehicle = Vehicle { logs: vec![(vec![7; 9], DATE)], ..Vehicle::new() }.fly();
    let ran = download(&vehicle, folder.path(), "9");
    assert!(ran.stderr.ends_with(": the vehicle has no log 9; it has 1\n"), "{}", ran.stderr);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn an_empty_log_ends_with_3() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = Vehicle { logs: vec![(Vec::new(), DATE)], ..Vehicle::new() }.fly();
    let ran = download(&vehicle, folder.path(), "1");
    assert_eq!((ran.code, names(folder.path())), (Some(3), vec!["00000001.BIN".to_owned()]), "{}", ran.stderr);
    let again = download(&vehicle, folder.path(), "1");
    assert_eq!((again.code, again.stderr), (Some(3), ran.stderr), "it is skipped");
}

/// Downloads log 2 up to some of it, with a signal. Returns the part's path.
#[cfg(unix)]
fn interrupted(vehicle: &Flying, folder: &Path, signal: &str) -> PathBuf {
    let part = folder.join("00000002.BIN.part");
    let before = fs::metadata(&part).map_or(0, |part| part.len());
    vehicle.with(|vehicle| vehicle.speed = 1);
    let program = start(vehicle, folder, "2");
    wait_until("some of it comes", || fs::metadata(&part).is_ok_and(|part| part.len() > before + 5000));
    program.interrupt(signal);
    let ran = program.ends();
    vehicle.with(|vehicle| vehicle.speed = 50);
    if signal != "-KILL" {
        assert_eq!(ran.code, Some(130), "{}", ran.stderr);
        assert!(ran.stderr.contains("00000002.BIN.part has ") && ran.stderr.contains("resumes it\n"), "{}", ran.stderr);
    }
    assert_eq!(names(folder), ["00000002.BIN.part", "00000002.BIN.part.json"]);
    part
}

#[cfg(unix)]
#[test]
fn an_interrupted_download_is_resumed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = Vehicle { loses_one_of: Some(30), ..vehicle() }.fly();
    let mut before = 0;
    for signal in ["-INT", "-KILL", "-TERM", "-HUP"] {
        let part = interrupted(&vehicle, folder.path(), signal);
        let length = fs::metadata(&part).expect("the part").len();
        assert!(length > before, "{signal}");
        before = length;
    }
    let ran = download(&vehicle, folder.path(), "2 --json");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let row: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a row");
    assert_eq!(row["resumed_bytes"].as_u64(), Some(before / 90 * 90));
    assert_eq!(names(folder.path()), ["00000002.BIN"]);
    assert!(fs::read(folder.path().join("00000002.BIN")).expect("the log") == bytes("flight.bin"));
}

#[cfg(unix)]
#[test]
fn a_download_that_is_killed_ten_times_is_byte_for_byte_the_log() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = Vehicle { loses_one_of: Some(30), speed: 1, ..vehicle() }.fly();
    let mut random = 1_u64;
    for _ in 0..10 {
        let program = start(&vehicle, folder.path(), "2");
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // What came in the last second isn't synced.
        std::thread::sleep(std::time::Duration::from_millis(1000 + (random >> 53)));
        program.interrupt("-KILL");
        program.ends();
    }
    vehicle.with(|vehicle| vehicle.speed = 50);
    let ran = download(&vehicle, folder.path(), "2 --json");
    // The vehicle may still have sent what the last one asked for.
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let row: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a row");
    assert!(row["resumed_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{row}");
    assert!(fs::read(folder.path().join("00000002.BIN")).expect("the log") == bytes("flight.bin"));
    assert_eq!(names(folder.path()), ["00000002.BIN"]);
}

/// The vehicle was still writing it.
#[cfg(unix)]
#[test]
fn an_interrupted_download_of_a_log_that_has_grown_is_resumed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = bytes("flight.bin");
    let logs = vec![(flight[..90].to_vec(), DATE), (flight[..60_000].to_vec(), DATE)];
    let vehicle = Vehicle { logs, ..Vehicle::new() }.fly();
    let part = interrupted(&vehicle, folder.path(), "-INT");
    let length = fs::metadata(&part).expect("the part").len();
    vehicle.with(|vehicle| vehicle.logs[1] = (flight.clone(), DATE + 9));
    let ran = download(&vehicle, folder.path(), "2 --json");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let row: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a row");
    assert_eq!(row["resumed_bytes"].as_u64(), Some(length / 90 * 90));
    assert!(fs::read(folder.path().join("00000002.BIN")).expect("the log") == flight);
    assert_eq!(names(folder.path()), ["00000002.BIN"]);
}

#[cfg(unix)]
#[test]
fn a_part_of_another_log_is_not_resumed() {
    type Change = fn(&mut Vehicle, usize);
    let cases: [(Change, &str); 7] = [
        (|vehicle, _| vehicle.logs[1].1 += 1, "it is of a log with another date"),
        (|vehicle, _| vehicle.logs[1].1 -= 1, "it is of a log with another date"),
        // A larger log that is older, too.
        (
            |vehicle, _| vehicle.logs[1] = ([&vehicle.logs[1].0[..], &[7]].concat(), 1),
            "it is of a log with another date",
        ),
        (|vehicle, _| vehicle.logs[1].0.truncate(100_000), "bytes; remove it"),
        (|vehicle, _| vehicle.logs[1].0[20] ^= 1, "it is of a log that begins differently"),
        // Two logs of one firmware begin alike, and may have one length.
        (|vehicle, part| vehicle.logs[1].0[part / 90 * 90 - 1] ^= 1, "it is of a log that continues differently"),
        (|vehicle, part| vehicle.logs[1].0[part / 90 * 90 - 800] ^= 1, "it is of a log that continues differently"),
    ];
    for (change, said) in cases {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let vehicle = vehicle().fly();
        let part = interrupted(&vehicle, folder.path(), "-INT");
        let kept = fs::read(&part).expect("the part");
        vehicle.with(|vehicle| change(vehicle, kept.len()));
        let ran = download(&vehicle, folder.path(), "2");
        assert_eq!(ran.code, Some(2), "{said}");
        assert!(
            ran.stderr.contains("00000002.BIN.part can't be resumed: ") && ran.stderr.contains(said),
            "{}",
            ran.stderr
        );
        assert!(fs::read(&part).expect("the part") == kept, "{said}: it is kept");
        let ran = download(&vehicle, folder.path(), "2 --force");
        assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.stderr);
        let log = vehicle.with(|vehicle| vehicle.logs[1].0.clone());
        assert!(fs::read(folder.path().join("00000002.BIN")).expect("the log") == log, "{said}");
    }
    // Another system, and a part of which nobody knows what it is.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = vehicle().fly();
    interrupted(&first, folder.path(), "-INT");
    let ran = download(&Vehicle { system: 9, ..vehicle() }.fly(), folder.path(), "2");
    assert!(ran.stderr.contains("it is of system 1; "), "{}", ran.stderr);
    fs::write(folder.path().join("00000002.BIN.part.json"), "{}").expect("room");
    let ran = download(&first, folder.path(), "2");
    assert!(ran.stderr.contains("is missing or unreadable"), "{}", ran.stderr);
}

/// After a power cut, a file may have its length without its last bytes.
#[cfg(unix)]
#[test]
fn bytes_of_a_part_that_were_not_synced_are_fetched_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = vehicle().fly();
    let part = folder.path().join("00000002.BIN.part");
    let note = folder.path().join("00000002.BIN.part.json");
    let synced = || {
        let note: Option<serde_json::Value> = fs::read(&note).ok().and_then(|note| serde_json::from_slice(&note).ok());
        note.and_then(|note| note["synced"].as_u64()).unwrap_or(0)
    };
    let zero_after = |length: u64| {
        let file = fs::File::options().write(true).open(&part).expect("the part");
        file.set_len(length).and_then(|()| file.set_len(length + 9000)).expect("room");
    };
    interrupted(&vehicle, folder.path(), "-INT");
    let length = fs::metadata(&part).expect("the part").len();
    zero_after(length);
    vehicle.with(|vehicle| vehicle.speed = 1);
    let program = start(&vehicle, folder.path(), "2");
    wait_until("a sync is noted", || synced() > length + 90);
    program.interrupt("-KILL");
    program.ends();
    let length = synced();
    assert!(length <= fs::metadata(&part).expect("the part").len());
    zero_after(length);
    vehicle.with(|vehicle| vehicle.speed = 50);
    let ran = download(&vehicle, folder.path(), "2 --json");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let row: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a row");
    assert_eq!(row["resumed_bytes"].as_u64(), Some(length / 90 * 90));
    assert!(fs::read(folder.path().join("00000002.BIN")).expect("the log") == bytes("flight.bin"));
}

#[test]
fn after_a_removal_no_log_comes_under_the_number_of_another() {
    type Change = fn(&mut Logs);
    let removed: Change = |logs| _ = logs.remove(0);
    let replaced: Change = |logs| {
        logs.remove(0);
        logs.push((vec![7; 5000], DATE));
    };
    for change in [removed, replaced] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let flight = bytes("flight.bin");
        let logs = vec![(flight.clone(), 0), (flight[..50_000].to_vec(), 0), (bytes("flight.bbl"), DATE)];
        let vehicle = Vehicle { logs, when_sent: Some(change), ..Vehicle::new() }.fly();
        let ran = download(&vehicle, folder.path(), "--all");
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        // The vehicle may have removed log 1 before its last bytes were sent.
        for id in 1..=2 {
            let said = format!("log {id}: the vehicle's logs have changed since they were listed");
            assert!(ran.stderr.contains(&said), "{}", ran.stderr);
        }
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

/// The logs have one length and no dates, so that nothing but their number tells them apart.
#[test]
fn a_log_that_is_removed_while_it_is_downloaded_leaves_no_file() {
    for is_silent in [false, true] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let logs = vec![(vec![1; 3_000_000], 0), (vec![2; 3_000_000], 0), (vec![3; 9], 0)];
        let vehicle = Vehicle { logs, speed: 1, ..Vehicle::new() }.fly();
        let part = folder.path().join("00000001.BIN.part");
        let program = start(&vehicle, folder.path(), "1");
        wait_until("some of it comes", || fs::metadata(&part).is_ok_and(|part| part.len() > 5000));
        vehicle.with(|vehicle| {
            vehicle.logs.remove(0);
            (vehicle.is_silent, vehicle.speed) = (is_silent, if is_silent { 1 } else { 500 });
        });
        if is_silent {
            std::thread::sleep(std::time::Duration::from_secs(3));
            vehicle.with(|vehicle| vehicle.is_silent = false);
        }
        let began = std::time::Instant::now();
        let ran = program.ends();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        let said = "log 1: the vehicle's logs have changed since they were listed";
        assert!(ran.stderr.contains(said) && !ran.stderr.contains("resumes"), "{}", ran.stderr);
        assert_eq!(names(folder.path()), [""; 0]);
        // The rest takes half a minute at this speed.
        assert!(!is_silent || began.elapsed().as_secs() < 15, "{:?}", began.elapsed());
    }
}

#[test]
fn a_log_that_the_vehicle_does_not_send_leaves_the_others() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vehicle = Vehicle { withholds: Some(2), speed: 50, ..vehicle() }.fly();
    let ran = download(&vehicle, folder.path(), "2 3");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("log 2: nothing more came for 20 seconds"), "{}", ran.stderr);
    assert_eq!(names(folder.path()), ["00000003.BBL"]);
}

#[test]
fn what_a_download_drops_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let frame = |component, message: &Message<'_>| {
        let mut buffer = [0; MAX_FRAME];
        Link::new(Address::new(1, component)).frame(message, &mut buffer).to_vec()
    };
    let data = |id, ofs| Message::LogData { id, ofs, count: 90, data: &[7; 90] };
    let entry = Message::LogEntry { time_utc: 0, size: 9, id: 1, num_logs: 1, last_log_num: 1 };
    // Another component, another log, a place outside of the log, flags that aren't known.
    let mut noise = vec![frame(2, &data(2, 0)), frame(2, &entry), frame(1, &data(9, 0)), frame(1, &data(2, 1 << 30))];
    noise.push(frame(1, &data(2, 0)));
    noise[4][2] = 0x40;
    let vehicle = Vehicle { speed: 1, ..vehicle() }.fly();
    let program = start(&vehicle, folder.path(), "2");
    let part = folder.path().join("00000002.BIN.part");
    wait_until("some of it comes", || fs::metadata(&part).is_ok_and(|part| part.len() > 5000));
    vehicle.with(|vehicle| (vehicle.noise, vehicle.speed) = (noise, 50));
    let ran = program.ends();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let dropped = "dropped: 1 × frame with unknown flags, 4 × log packet of another sender or without a request\n";
    assert!(ran.stderr.ends_with(dropped), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn nothing_is_allocated_by_a_size_that_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let logs = vec![(vec![0xA3; 50_000_000], DATE)];
    let vehicle = Vehicle { logs, says: Some(u32::MAX), speed: 1, ..Vehicle::new() }.fly();
    let program = start(&vehicle, folder.path(), "1");
    let part = folder.path().join("00000001.BIN.part");
    wait_until("some of it comes", || fs::metadata(&part).is_ok_and(|part| part.len() > 5000));
    let id = program.0.as_ref().expect("it runs").id();
    let memory = fs::read_to_string(format!("/proc/{id}/statm")).unwrap_or_default();
    let pages: u64 = memory.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    program.interrupt("-INT");
    assert_eq!(program.ends().code, Some(130));
    assert!(fs::metadata(&part).expect("the part").len() < 10_000_000);
    assert!(pages * 4096 < 64 << 20, "{pages}");
}
