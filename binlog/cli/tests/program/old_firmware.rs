//! Logs as old firmware wrote them: records without a time, a second receiver as a type of its own; and logs as they
//! come from flash chips and over slow links, with padding and holes.

use crate::{binlog, fine, json};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const ATT: u8 = 1;
const MODE: u8 = 2;
const EV: u8 = 3;
const GPS: u8 = 4;
const GPS2: u8 = 5;
const STAT: u8 = 6;

/// ArduCopter 3.2 logs milliseconds, and neither modes nor events have them.
fn copter_3_2() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(ATT, "ATT", "Icc", "TimeMS,Roll,Pitch").fmt(MODE, "MODE", "Mh", "Mode,ThrCrs").fmt(EV, "EV", "B", "Id");
    log
}

/// ArduCopter 4 gives each record microseconds.
fn copter_4() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(ATT, "ATT", "Qcc", "TimeUS,Roll,Pitch").fmt(EV, "EV", "QB", "TimeUS,Id");
    log.fmt(MODE, "MODE", "QMB", "TimeUS,Mode,Rsn");
    log
}

fn saved(log: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("log.bin");
    std::fs::write(&path, log).expect("room");
    (folder, path)
}

fn session(path: &Path) -> serde_json::Value {
    json("info --json LOG", path)[0]["sessions"][0].clone()
}

#[test]
fn untimed_modes_and_arming_have_the_time_of_the_record_before() {
    let mut log = copter_3_2();
    log.record(MODE, &payload![0_u8, 0_i16]);
    for i in 0..=100_u32 {
        log.record(ATT, &payload![90_000 + 100 * i, 0_i16, 0_i16]);
        match i {
            10 => _ = log.record(EV, &payload![10_u8]),
            40 => _ = log.record(MODE, &payload![5_u8, 0_i16]),
            60 => _ = log.record(EV, &payload![11_u8]),
            _ => {}
        }
    }
    let (_folder, path) = saved(&log.bytes);
    let session = session(&path);
    assert_eq!(session["armed_s"], 5.0);
    let ends: Vec<_> = session["modes"].as_array().expect("modes").iter().map(|mode| mode["from_s"].clone()).collect();
    assert_eq!(ends, [90.0, 94.0]);
    // The same as everything else says.
    let roll = json("stats --json --armed -t ATT.Roll LOG", &path);
    assert_eq!(roll[0]["count"], 50, "{roll:?}");
}

#[test]
fn a_second_receiver_of_old_firmware_gives_dates_and_a_track() {
    let mut log = copter_3_2();
    let columns = "Status,TimeMS,Week,NSats,HDop,Lat,Lng,Alt,T";
    log.fmt(GPS, "GPS", "BIHBcLLeI", columns).fmt(GPS2, "GPS2", "BIHBcLLeI", columns);
    for i in 0..20_u32 {
        let ms = 80_000 + 200 * i;
        log.record(ATT, &payload![ms, 0_i16, 0_i16]);
        log.record(GPS, &payload![1_u8, 0_u32, 0_u16, 0_u8, 0_i16, 0_i32, 0_i32, 0_i32, ms]);
        let (lat, lng) = (473_977_420_i32 + i as i32, 85_455_940_i32);
        log.record(GPS2, &payload![3_u8, 100_000 + ms, 1900_u16, 9_u8, 120_i16, lat, lng, 48_800_i32, ms]);
    }
    let (_folder, path) = saved(&log.bytes);
    // Week 1900 of GPS time began on 5 June 2016.
    assert_eq!(session(&path)["date"], "2016-06-05T00:02:42Z");
    assert!(fine("dump --types ATT LOG", &path).starts_with("2016-06-05 00:02:42"));
    let track = fine("export --format gpx -o - LOG", &path);
    assert_eq!(track.matches("<trkpt").count(), 20, "{track}");
}

#[test]
fn a_track_is_that_of_the_first_receiver_with_a_fix() {
    let mut log = RawLog::with_units();
    log.fmt(GPS, "GPS", "QBBIHLLe", "TimeUS,I,Status,GMS,GWk,Lat,Lng,Alt").fmtu(GPS, "s#---DUm", "F----GGB");
    for i in 0..10_u64 {
        let time_us = i * 200_000;
        log.record(GPS, &payload![time_us, 0_u8, 1_u8, 0_u32, 0_u16, 0_i32, 0_i32, 0_i32]);
        log.record(GPS, &payload![time_us, 1_u8, 3_u8, 1_000_u32, 2300_u16, 1_i32, 2_i32, 3_i32]);
    }
    let (_folder, path) = saved(&log.bytes);
    let track = fine("export --format gpx -o - LOG", &path);
    assert_eq!(track.matches("<trkpt").count(), 10, "{track}");
}

#[test]
fn arming_is_known_from_states_too() {
    let mut log = RawLog::new();
    log.fmt(STAT, "STAT", "QB", "TimeUS,Armed");
    for i in 0..100_u64 {
        log.record(STAT, &payload![i * 100_000, u8::from((20..70).contains(&i))]);
    }
    let (_folder, path) = saved(&log.bytes);
    assert_eq!(session(&path)["armed_s"], 5.0);
}

#[test]
fn instances_that_are_texts_are_counted() {
    let mut log = RawLog::with_units();
    log.fmt(ATT, "NVF", "QNf", "TimeUS,Name,Value").fmtu(ATT, "s#-", "F--");
    for i in 0..100_u64 {
        for name in ["roll", "pitch", "yaw"] {
            log.record(ATT, &payload![i * 20_000, binlog::field::Chars::<16>::cut(name), 1.0_f32]);
        }
    }
    let (_folder, path) = saved(&log.bytes);
    let session = session(&path);
    let types = session["types"].as_array().expect("types");
    let of_text = types.iter().find(|of_type| of_type["name"] == "NVF").expect("its records");
    assert_eq!((of_text["instances"].as_u64(), of_text["records"].as_u64()), (Some(3), Some(300)));
    assert!((of_text["rate"].as_f64().expect("a rate") - 50.0).abs() < 1.0, "{of_text}");
}

#[test]
fn a_log_without_times_is_not_drawn_and_says_why() {
    let mut log = RawLog::new();
    log.fmt(ATT, "ATT", "cc", "Roll,Pitch");
    (0..50_i16).for_each(|i| _ = log.record(ATT, &payload![i, i]));
    let (_folder, path) = saved(&log.bytes);
    let ran = binlog(["plot", path.to_str().expect("UTF-8"), "ATT.Roll"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("no record has a time"), "{}", ran.stderr);
    let ran = binlog(["export", "--format", "csv", "--rate", "10", "-o", "-", path.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("no record has a time"), "{}", ran.stderr);
}

#[test]
fn padding_at_the_end_is_no_damage() {
    let mut whole = RawLog::new();
    whole.fmt(ATT, "ATT", "Qcc", "TimeUS,Roll,Pitch");
    // The last byte differs from the padding, so the padding can't have cut the record.
    (0..500_u64).for_each(|i| _ = whole.record(ATT, &payload![i * 10_000, 1_i16, 0x1234_i16]));
    let (_whole_folder, sound) = saved(&whole.bytes);
    for padding in [0x00, 0xFF] {
        let mut log = whole.bytes.clone();
        log.resize(log.len().next_multiple_of(4096) + 4096, padding);
        let (_folder, path) = saved(&log);
        for command in ["info --json LOG", "dump LOG", "stats -t ATT LOG"] {
            let without_sizes = |path: &Path| match command {
                "info --json LOG" => session(path).to_string(),
                _ => fine(command, path),
            };
            assert_eq!(without_sizes(&path), without_sizes(&sound), "{command}");
        }
        let check = |path: &Path| binlog(["check", path.to_str().expect("UTF-8")]).stdout.lines().count();
        assert_eq!(check(&path), check(&sound));
    }
    // One that ends as the padding may have been cut.
    whole.record(ATT, &payload![5_000_000_u64, 1_i16, 0_i16]).raw(&[0; 600]);
    let (_folder, path) = saved(&whole.bytes);
    let ran = binlog(["check", path.to_str().expect("UTF-8")]);
    assert!(ran.stdout.contains("suspect_record") && !ran.stdout.contains("no_header"), "{}", ran.stdout);
}

#[test]
fn erased_flash_is_no_text() {
    let (_folder, path) = saved(&[0xFF; 8192]);
    let ran = binlog(["info", path.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("it has only bytes FF"), "{}", ran.stderr);
}

/// Logging began 40 minutes after boot, and a sector of the card came back as zeros.
#[test]
fn a_hole_after_a_header_is_no_time() {
    let mut log = RawLog::new();
    log.fmt(ATT, "ATT", "Qcc", "TimeUS,Roll,Pitch");
    let start = log.bytes.len();
    for i in 0..3000_u64 {
        log.record(ATT, &payload![2_400_000_000 + i * 10_000, 7_i16, 7_i16]);
    }
    let (_sound_folder, sound) = saved(&log.bytes);
    // The hole begins after a header.
    let hole = start + 1000 * 15 + 3;
    log.bytes[hole..hole + 512].fill(0);
    let (_folder, path) = saved(&log.bytes);
    let times = |path: &Path| (session(path)["from_s"].clone(), session(path)["to_s"].clone());
    assert_eq!(times(&path), times(&sound));
    let ran = binlog(["dump", "--from", "5", "--to", "+1s", "--types", "ATT", path.to_str().expect("UTF-8")]);
    assert_eq!(ran.stdout.lines().count(), 100, "{}", ran.stderr);
}

#[test]
fn a_damaged_time_of_disarming_arms_for_no_centuries() {
    let mut log = copter_4();
    for i in 0..=1000_u64 {
        let time_us = 1_000_000 + i * 10_000;
        log.record(ATT, &payload![time_us, 0_i16, 0_i16]);
        match i {
            100 => _ = log.record(EV, &payload![time_us, 10_u8]),
            300 => _ = log.record(MODE, &payload![time_us | 1 << 60, 5_u8, 0_u8]),
            600 => _ = log.record(EV, &payload![time_us | 1 << 52, 11_u8]),
            _ => {}
        }
    }
    let (_folder, path) = saved(&log.bytes);
    let session = session(&path);
    assert_eq!(session["armed_s"], 5.0);
    assert_eq!((session["modes"][0]["from_s"].as_f64(), session["modes"][0]["to_s"].as_f64()), (Some(4.0), Some(11.0)));
}

#[test]
fn records_of_one_time_have_a_line_each() {
    let mut log = RawLog::new();
    log.fmt(ATT, "ATT", "Qf", "TimeUS,Roll").fmt(STAT, "STAT", "QB", "TimeUS,Armed");
    for i in 0..8_u8 {
        log.record(ATT, &payload![u64::from(i / 4) * 1_000_000, f32::from(i)]);
        log.record(STAT, &payload![u64::from(i / 4) * 1_000_000, i]);
    }
    let (_folder, path) = saved(&log.bytes);
    let csv = fine("export --format csv --wide ATT -o - LOG", &path);
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let column = |label: &str| csv.lines().next().and_then(|line| line.split(',').position(|each| each == label));
    let [roll, armed] = ["ATT.Roll", "STAT.Armed"].map(|label| column(label).expect("a column"));
    let of = |place: usize| rows.iter().map(|row| row[place]).collect::<Vec<_>>();
    assert_eq!(of(roll), ["0.0", "1.0", "2.0", "3.0", "4.0", "5.0", "6.0", "7.0"]);
    assert_eq!(of(armed), ["3", "3", "3", "3", "7", "7", "7", "7"]);
}

#[test]
fn records_of_two_instances_share_the_line_of_their_time() {
    let mut log = RawLog::with_units();
    log.fmt(ATT, "IMU", "QBf", "TimeUS,I,GyrX").fmtu(ATT, "s#E", "F-0");
    for i in 0..4_u8 {
        for instance in 0..2 {
            log.record(ATT, &payload![u64::from(i / 2) * 1000, instance, f32::from(10 * instance + i)]);
        }
    }
    let (_folder, path) = saved(&log.bytes);
    let csv = fine("export --format csv --wide IMU -o - LOG", &path);
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(rows, ["0,0.0,10.0", "0,1.0,11.0", "1000,2.0,12.0", "1000,3.0,13.0"], "{csv}");
}

/// More than an hour is between two changes.
#[test]
fn long_flights_are_armed_as_long_as_they_are() {
    let mut log = copter_4();
    for second in 0..=10_800_u64 {
        let time_us = second * 1_000_000;
        log.record(ATT, &payload![time_us, 0_i16, 0_i16]);
        match second {
            0 => _ = log.record(MODE, &payload![time_us, 0_u8, 0_u8]),
            60 => _ = log.record(EV, &payload![time_us, 10_u8]),
            5000 => _ = log.record(EV, &payload![time_us, 11_u8]),
            9000 => _ = log.record(MODE, &payload![time_us, 5_u8, 0_u8]),
            _ => {}
        }
    }
    let (_folder, path) = saved(&log.bytes);
    let session = session(&path);
    assert_eq!(session["armed_s"], 4940.0);
    let begins: Vec<_> =
        session["modes"].as_array().expect("modes").iter().map(|mode| mode["from_s"].clone()).collect();
    assert_eq!(begins, [0.0, 9000.0]);
}

/// As `a_hole_after_a_header_is_no_time`, with the header of a mode.
#[test]
fn a_mode_whose_time_is_in_a_hole_begins_with_the_record_before() {
    let mut log = copter_4();
    for i in 0..3000_u64 {
        log.record(ATT, &payload![2_400_000_000 + i * 10_000, 7_i16, 7_i16]);
        if i == 1000 {
            log.record(MODE, &[0; 10]).raw(&[0; 300]);
        }
    }
    let (_folder, path) = saved(&log.bytes);
    let session = session(&path);
    assert_eq!((&session["from_s"], &session["modes"][0]["from_s"]), (&2400.0.into(), &2410.0.into()));
}

#[test]
fn a_later_boot_has_the_dates_of_its_own_clock() {
    let mut log = RawLog::empty();
    for (week, seconds) in [(2300_u16, 10_u64), (2301, 500)] {
        let mut boot = RawLog::new();
        boot.fmt(GPS, "GPS", "QBIH", "TimeUS,Status,GMS,GWk");
        for i in 0..10_u64 {
            let time_us = (seconds + i) * 1_000_000;
            boot.record(GPS, &payload![time_us, 3_u8, 18_000_u32 + i as u32 * 1000, week]);
        }
        log.raw(&boot.bytes);
    }
    let (_folder, path) = saved(&log.bytes);
    assert!(fine("dump --session 2 --types GPS LOG", &path).starts_with("2024-02-11 00:00:00"));
    assert!(fine("dump --session 1 --types GPS LOG", &path).starts_with("2024-02-04 00:00:00"));
    assert_eq!(fine("dump --from 2024-02-11T00:00:00 --types GPS LOG", &path).lines().count(), 10);
}

/// The first firmware logs the time of the week only.
fn without_times() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(GPS, "GPS", "BIHLLe", "Status,TimeMS,Week,Lat,Lng,Alt").fmt(ATT, "ATT", "cc", "Roll,Pitch");
    for i in 0..4_u32 {
        let week = if i == 0 { 1024_u16 } else { 1770 };
        log.record(
            GPS,
            &payload![if i == 0 { 1_u8 } else { 3 }, 1000 + 200 * i, week, 473_977_420_i32, 85_455_940_i32, 0_i32],
        );
        log.record(ATT, &payload![i as i16, 0_i16]);
    }
    log
}

#[test]
fn a_log_without_times_is_exported_without_them_and_says_so() {
    let (folder, path) = saved(&without_times().bytes);
    let exported = |line: &str| {
        let ran = binlog(crate::words(line, &path));
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("log.bin: no record has a time; "), "{line}: {}", ran.stderr);
        (ran.stdout, ran.stderr)
    };
    let (csv, _) = exported("export --format csv -t ATT --time utc -o - LOG");
    assert_eq!(csv.lines().take(2).collect::<Vec<_>>(), ["TimeUS,UTC,Roll,Pitch", ",,0.0,0.0"]);
    let (csv, _) = exported("export --wide ATT -o - LOG");
    assert!(csv.lines().skip(1).all(|line| line.starts_with(',')) && csv.lines().count() == 5, "{csv}");
    let (lines, said) = exported("export --format jsonl -o - LOG");
    assert!(!lines.contains("TimeUS") && said.contains("the objects have no TimeUS"), "{lines}");
    let (track, _) = exported("export --format gpx -o - LOG");
    assert!(track.matches("<trkpt").count() == 3 && !track.contains("<time>"), "{track}");
    let mcap = folder.path().join("log.mcap");
    assert!(exported(&format!("export -o {} LOG", mcap.display())).1.contains("all messages have the same time"));
    // One boot of two.
    let mut timed = copter_4();
    timed.record(ATT, &payload![5_u64, 0_i16, 0_i16]);
    let (_folder, both) = saved(&[timed.bytes, without_times().bytes].concat());
    let ran = binlog(crate::words("export --format csv -t ATT -o - LOG", &both));
    assert!(ran.stderr.contains("log.bin: no record of session 2 has a time; TimeUS is empty"), "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().nth(1).map(|line| &line[..4]), Some("5,1,"));
    assert_eq!(ran.stdout.lines().nth(2).map(|line| &line[..3]), Some(",2,"));
}

#[test]
fn a_receiver_without_a_time_since_boot_gives_the_date() {
    let (_folder, path) = saved(&without_times().bytes);
    // Week 1770 of GPS time began on 8 December 2013.
    assert_eq!(session(&path)["date"], "2013-12-07T23:59:43Z");
    let mut log = without_times();
    log.fmt(STAT, "STAT", "IB", "TimeMS,Armed").record(STAT, &payload![60_000_u32, 0_u8]);
    let (_folder, path) = saved(&log.bytes);
    assert_eq!(session(&path)["date"], "2013-12-07T23:59:43Z");
}
