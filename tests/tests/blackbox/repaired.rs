//! What `repair` keeps of a Blackbox log and removes.

use crate::damage::Random;
use crate::other_decoders::{assert_rows, by_blackbox_log, by_fc_blackbox, by_us, right_in_blackbox_log};
use crate::other_session::{Flight, OTHER, OWN, USUAL};
use crate::raw_session::{MARKER, RawSession};
use crate::real_logs;
use binlog::blackbox::log::LostReason;
use binlog::blackbox::{BlackboxLog, Event};
use binlog::repair::{InsertedLine, Removal, RepairError, RepairedBlackbox};
use binlog_tests::any_bytes::blackbox_tools::{assert_clean, frames, repaired, whole_log};
use binlog_tests::shared;
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::LazyLock;

const END: &[u8] = b"E\xFFEnd of log\0";

fn flight(iterations: u32) -> Flight {
    Flight::new(USUAL, 5_000_000, 0..iterations, OWN)
}

/// Two sessions as a generator makes them, and the beginnings of real ones.
static SOUND: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut events = RawSession::simple(&["gyroADC[0]"], &["looptime:10"]);
    events.intra(0, 1000, &[5]).inter(10, &[1]).slow(3);
    for event in [Event::SyncBeep { time: 1000 }, Event::FlightMode { new: 1, old: 0 }, Event::Unknown { id: 99 }] {
        events.raw(event.encode(&mut [0; Event::MAX_BYTES])).inter(0, &[1]).inter(0, &[2]).inter(0, &[3]);
    }
    events.raw(b"E\x63payload").inter(0, &[1]).inter(0, &[1]).inter(0, &[1]).intra(32, 1320, &[9]).end();
    let two = [flight(300).log(), END.to_vec(), events.bytes].concat();
    let real = real_logs::all().into_iter().filter(|(name, _)| name.starts_with("fcbb")).map(|(_, log)| {
        let session = BlackboxLog::from_bytes(&*log).session(0).expect("a session").bytes().len();
        log[..session.min(15_000)].to_vec()
    });
    [two].into_iter().chain(real).collect()
});

#[derive(Clone, Debug)]
enum Damage {
    Overwrite(Vec<u8>),
    Remove(usize),
    Insert(Vec<u8>),
    /// Bytes of the log from another place.
    Repeat(Index, usize),
    Flip(u8),
    Pad(u8, usize),
    Cut,
}

fn damage() -> impl Strategy<Value = (Index, Damage)> {
    let bytes = || prop::collection::vec(prop_oneof![prop::sample::select(&b"IPSGHE"[..]), any::<u8>()], 1..200);
    let damage = prop_oneof![
        bytes().prop_map(Damage::Overwrite),
        (1..600_usize).prop_map(Damage::Remove),
        bytes().prop_map(Damage::Insert),
        (any::<Index>(), 1..2000_usize).prop_map(|(from, length)| Damage::Repeat(from, length)),
        (0..8_u8).prop_map(Damage::Flip),
        (prop::sample::select(&[0, 0xFF][..]), 1..600_usize).prop_map(|(byte, length)| Damage::Pad(byte, length)),
        Just(Damage::Cut),
    ];
    (any::<Index>(), damage)
}

fn apply(log: &mut Vec<u8>, at: usize, damage: &Damage) {
    let end = |length: usize| (at + length).min(log.len());
    match damage {
        Damage::Overwrite(bytes) => {
            let end = end(bytes.len());
            log[at..end].copy_from_slice(&bytes[..end - at]);
        }
        Damage::Remove(count) => drop(log.drain(at..end(*count))),
        Damage::Insert(bytes) => drop(log.splice(at..at, bytes.iter().copied())),
        Damage::Repeat(from, length) => {
            let from = from.index(log.len());
            let bytes = log[from..(from + length).min(log.len())].to_vec();
            drop(log.splice(at..at, bytes));
        }
        Damage::Flip(bit) => log[at] ^= 1 << bit,
        Damage::Pad(byte, length) => drop(log.splice(at..at, vec![*byte; *length])),
        Damage::Cut => log.truncate(at.max(1)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_damaged_log_keeps_the_frames_that_are_read(
        log in any::<Index>(), damages in prop::collection::vec(damage(), 1..6)
    ) {
        let mut damaged = log.get(&SOUND).clone();
        for (at, damage) in &damages {
            let at = at.index(damaged.len());
            apply(&mut damaged, at, damage);
        }
        whole_log(&damaged);
    }
}

#[test]
fn a_sound_log_stays_the_same() {
    let real = real_logs::all().into_iter().filter(|(name, _)| name.starts_with("fcbb")).map(|(_, mut log)| {
        // One of them ends with padding.
        let end = log.iter().rposition(|byte| *byte != 0xFF).map_or(0, |last| last + 1);
        log.truncate(end);
        log
    });
    for log in SOUND.iter().take(1).cloned().chain(real) {
        let (out, report) = repaired(&log);
        assert!(out == log && report.is_copy() && report.to_string().is_empty(), "{report}");
        assert_eq!(report.frames(), frames(&log).len() as u64);
    }
}

/// In real logs, and in the small ones of the shared folder, all frames that are read are kept.
#[test]
fn all_frames_of_damaged_real_logs_are_kept() {
    let assert_kept = |name: &str, damaged: &[u8]| {
        let (out, report) = repaired(damaged);
        assert_clean(&out);
        assert_eq!(frames(&out), frames(damaged), "{name}");
        assert!(report.removed().iter().all(|removed| removed.reason != Removal::Unread), "{name}: {report}");
        report
    };
    for (name, log) in real_logs::all() {
        for seed in 1..=6 {
            let mut random = Random::new(seed);
            let mut damaged = log.clone();
            let from = BlackboxLog::from_bytes(&*log).session(0).expect("a session").frames_offset();
            for _ in 0..20 {
                let length = 1 + random.below(900);
                if damaged.len() < from + 1000 {
                    break;
                }
                let at = from + random.below(damaged.len() - from);
                drop(damaged.drain(at..(at + length).min(damaged.len())));
            }
            let report = assert_kept(name, &damaged);
            assert!(!report.is_copy(), "{name}");
        }
    }
    for case in ["garbage-after-power-cut", "sessions-without-end", "stale-frames-after-power-cut", "inav7-servos"] {
        let Some(path) = shared(&format!("cases/{case}.bbl")) else { continue };
        let report = assert_kept(case, &std::fs::read(path).expect("a readable log"));
        assert!(!report.is_copy() || case == "inav7-servos", "{case}");
    }
}

fn removals(report: &RepairedBlackbox) -> Vec<(usize, usize, Removal)> {
    report.removed().iter().map(|removed| (removed.offset, removed.length, removed.reason)).collect()
}

#[test]
fn what_is_around_sessions_is_removed() {
    let one = [flight(100).log(), END.to_vec()].concat();
    let log = [b"\xFF\xFFgarbage", &*one, &[0; 700], &*one, b"PPSI older", &*flight(40).log(), &[0xFF; 300]].concat();
    let (out, report) = repaired(&log);
    assert_eq!(out, [&*one, &*one, &*flight(40).log()].concat());
    let mut at = 9 + one.len();
    let mut expected = vec![(0, 9, Removal::NoSession), (at, 700, Removal::Padding)];
    at += 700 + one.len();
    expected.extend([(at, 10, Removal::AfterEnd), (log.len() - 300, 300, Removal::Padding)]);
    assert_eq!((removals(&report), report.sessions()), (expected, 3));
}

#[test]
fn frames_of_an_older_log_after_a_power_cut_are_removed() {
    let own = flight(700);
    let older = Flight::new(USUAL, 900_000_000, 320..2000, OTHER);
    let log = [own.log(), b"P\xF0\xF0".to_vec(), older.bytes(), END.to_vec()].concat();
    let (out, report) = repaired(&log);
    assert_eq!(out, own.log());
    assert!(
        report.removed().iter().any(|removed| matches!(removed.reason, Removal::Lost(LostReason::OtherSession { .. })))
    );
    assert_eq!(report.removed().iter().map(|removed| removed.length).sum::<usize>(), log.len() - out.len());
}

/// Without the event, the reader takes the first I frame after the gap for damaged.
#[test]
fn resume_event_joins_frames_that_are_far_apart() {
    for missing in [40_u32, 4000, 15_000, 200_000] {
        let flight = flight(missing + 2000);
        let cut = |frame: &&crate::other_session::Frame| !(701..701 + missing).contains(&frame.iteration);
        let bytes = |frames: Vec<&crate::other_session::Frame>| -> Vec<u8> {
            frames.into_iter().flat_map(|frame| frame.bytes.clone()).collect()
        };
        let damaged = [flight.header.clone(), bytes(flight.frames.iter().filter(cut).collect())].concat();
        let (out, report) = repaired(&damaged);
        assert_clean(&out);
        assert_eq!(frames(&out), frames(&damaged), "{missing}");
        // A short gap needs none: readers read over it.
        assert_eq!(report.resumed().len(), usize::from(missing >= 15_000), "{missing}: {report}");
        if let [at] = report.resumed() {
            assert_eq!(damaged[*at], b'I');
            let text = format!("offset {at}: inserted a Resume event, since iterations are missing before the I frame");
            assert!(report.to_string().contains(&text), "{report}");
        }
    }
}

/// The time steps back, and no iteration is missing.
#[test]
fn frames_after_a_step_of_time_are_kept() {
    for step in [-6_000_000_i32, 15_000_000] {
        let time = |i: u32| (50_000_000 + i * 1000).wrapping_add_signed(if i < 100 { 0 } else { step });
        let damaged = Flight::with_times(USUAL, 0..400, OWN, time).log();
        let (out, report) = repaired(&damaged);
        assert_clean(&out);
        assert_eq!((frames(&out), report.resumed().len()), (frames(&damaged), 1), "{report}");
    }
}

/// Replaces the first occurrence.
fn replaced(log: &[u8], from: &str, to: &[u8]) -> Vec<u8> {
    let at = log.windows(from.len()).position(|bytes| bytes == from.as_bytes()).unwrap_or_else(|| panic!("no {from}"));
    [&log[..at], to, &log[at + from.len()..]].concat()
}

#[test]
fn header_keeps_the_lines_that_are_used() {
    let mut sound = RawSession::simple(&["x"], &["I interval:32", "looptime:10"]);
    sound.intra(0, 1000, &[5]).inter(10, &[1]).end();
    let sound = sound.bytes;
    let with = |line: &str| replaced(&sound, "H looptime", format!("{line}H looptime").as_bytes());
    // Bytes that are not a line, and values that readers reject.
    for (damage, reason) in [
        ("\x01\x02ge\n", Removal::NotALine),
        ("H P interval:1/x\n", Removal::UnusableLine),
        ("H vbatref:none\n", Removal::UnusableLine),
    ] {
        let damaged = with(damage);
        let (out, report) = repaired(&damaged);
        assert_eq!(out, sound, "{damage}");
        assert_eq!(removals(&report).len(), 1, "{report}");
        assert_eq!((report.removed()[0].length, report.removed()[0].reason), (damage.len(), reason));
    }
    // The lines of frames that can't be decoded.
    let damaged = replaced(&sound, "Field S encoding:1,1", b"Field S encoding:1");
    let (out, report) = repaired(&damaged);
    assert_clean(&out);
    assert_eq!((frames(&out), report.removed().len()), (frames(&sound), 4), "{report}");
    // The first line.
    for first in
        [&b"H Prod\xFF\xFF:Blackbox flight data recorder\n"[..], b"H Product:Blackbox flight data XX\n", b"\xFF\n"]
    {
        let (out, report) = repaired(&replaced(&sound, MARKER, first));
        assert_eq!(out, sound, "{first:?}");
        let inserted = InsertedLine {
            offset: report.lines()[0].offset,
            name: "Product".into(),
            replaced: None,
            is_from_other_log: false,
        };
        assert_eq!(report.lines(), [inserted]);
    }
    // Main frames: nothing can be read.
    let (out, report) = repaired(&replaced(&sound, "Field I encoding:1,1,0", b"Field I encoding:1,1"));
    assert_eq!((out, report.sessions()), (vec![], 0));
    assert_eq!(report.removed().last().map(|removed| removed.reason), Some(Removal::NoHeader));
}

fn repaired_with(damaged: &[u8], definitions: &[u8]) -> Result<(Vec<u8>, RepairedBlackbox), RepairError> {
    let mut out = Vec::new();
    let report = BlackboxLog::from_bytes(damaged).repair_with(&BlackboxLog::from_bytes(definitions), &mut out)?;
    assert_clean(&out);
    Ok((out, report))
}

fn names(report: &RepairedBlackbox) -> Vec<&str> {
    report.lines().iter().map(|line| &*line.name).collect()
}

const LINES: [&str; 8] = [
    "I interval:32",
    "Firmware type:Cleanflight",
    "Firmware revision:INAV 2.5.0 (abc) OMNIBUSF4",
    "P interval:1/2",
    "gyro_scale:0x3f800000",
    "motorOutput:1100,2000",
    "vbatref:1600",
    "looptime:1000",
];

/// A flight of INAV, with another header line, and another gyroscope.
fn inav(line: &str, first: i32) -> Vec<u8> {
    let mut log = RawSession::simple(&["gyroADC[0]", "vbat"], &[&LINES[..], &[line]].concat());
    for i in 0..60 {
        log.intra(32 * i, 1000 + 32_000 * i, &[first, 5]);
        for _ in 1..16 {
            log.inter(0, &[1, 0]);
        }
    }
    log.end();
    log.bytes
}

/// As the headers of iNavFlight/inav issue 5836: bytes are missing from the middle of a line to that of a later one.
#[test]
fn lines_that_a_header_has_lost_come_from_the_other_log() {
    let sound = inav("Log start datetime:2020-06-09T10:00:00", 3);
    let other = inav("Log start datetime:2020-06-01T10:00:00", -70);
    let lost = "light\nH Firmware revision:INAV 2.5.0 (abc) OMNIBUSF4\nH P interval:1/2\nH gyro_scale:0x3f800000\n\
                H motorOutput:110";
    let damaged = replaced(&sound, lost, b"");
    // No reader notices it, but the units and the iterations are wrong.
    let (out, report) = repaired(&damaged);
    assert!(out == damaged && report.is_copy());
    let (out, report) = repaired_with(&damaged, &other).expect("the same firmware");
    assert_eq!(names(&report), ["Firmware revision", "P interval", "gyro_scale", "motorOutput"]);
    assert_eq!(report.differing(), ["Firmware type"]);
    assert_eq!(out, replaced(&sound, "Cleanflight", b"Cleanf0,2000"));
    assert_eq!(frames(&out), frames(&sound));
}

#[test]
fn a_missing_header_comes_from_the_other_log() {
    let sound = inav("Log start datetime:2020-06-09T10:00:00", 3);
    let other = inav("Log start datetime:2020-06-01T10:00:00", -70);
    let header = BlackboxLog::from_bytes(&*sound).session(0).expect("a session").frames_offset();
    let expected = replaced(&sound, "H Log start datetime:2020-06-09T10:00:00\n", b"");
    // The whole header, a part of it, and the first frames as well.
    for (start, lost_frames) in [(header, 0), (header - 30, 0), (200, 0), (header + 3, 16)] {
        let (out, report) = repaired_with(&sound[start..], &other).expect("the same firmware");
        assert_eq!((report.sessions(), frames(&out).len()), (1, 960 - lost_frames), "{start}: {report}");
        if start == header {
            assert_eq!(out, expected);
            assert!(report.to_string().contains("`vbatref` is measured on arming"), "{report}");
        }
        assert!(!names(&report).contains(&"Log start datetime"));
        assert!(
            BlackboxLog::from_bytes(&*out).sessions().all(|session| session.header().value("gyro_scale").is_some())
        );
    }
    // A sector in the header of the second session: its first line and the definition of main frames.
    let two = [&*sound, &*sound].concat();
    let mut damaged = two.clone();
    damaged[sound.len()..sound.len() + 130].fill(0xFF);
    let (out, report) = repaired_with(&damaged, &other).expect("the same firmware");
    assert_eq!((report.sessions(), frames(&out)), (2, frames(&two)), "{report}");
    // Foreign bytes aren't a session.
    let foreign = [&b"I\x00\x01P\x05 foreign IPIPSS"[..], &sound].concat();
    let (out, report) = repaired_with(&foreign, &other).expect("the same firmware");
    assert_eq!((out, report.removed()[0].reason), (sound.clone(), Removal::NoSession));
}

#[test]
fn damaged_definitions_come_from_the_other_log() {
    let sound = inav("Craft name:A", 3);
    let other = inav("Craft name:B", -70);
    let damages = [
        ("Field P predictor:6,2,1,1", "Field P predictor:6,2,1"),
        ("Field P encoding:9,0,0,0", "Field P encoding:9,4,0,0"),
        ("Field I encoding:1,1,0,0", "Field I encxding:1,1,0,0"),
        ("Field I encoding:1,1,0,0", "Field I encoding:1,1,4,0"),
        ("I interval:32", "I interval:x"),
    ];
    for (from, to) in damages {
        let damaged = replaced(&sound, from, to.as_bytes());
        let (out, report) = repaired_with(&damaged, &other).expect("the same firmware");
        assert_eq!(frames(&out), frames(&sound), "{to}: {report}");
        assert!(report.lines().iter().all(|line| line.is_from_other_log));
        let read = BlackboxLog::from_bytes(&*out);
        assert_eq!(read.session(0).expect("a session").header().value("Craft name"), Some("A"));
    }
    // All frames are read by a wrong line.
    let damaged = replaced(&sound, "Field P encoding:9,0,0,0", b"Field P encoding:9,0,3,0");
    let (out, report) = repaired_with(&damaged, &other).expect("the same firmware");
    assert_eq!((out, report.differing()), (damaged, &["Field P encoding".to_owned()][..]));
    // What isn't damaged stays.
    let (out, report) = repaired_with(&sound, &other).expect("the same firmware");
    assert!(out == sound && report.is_copy(), "{report}");
    let later = replaced(&other, "gyro_scale:0x3f800000", b"gyro_scale:0x3f000000");
    let (out, report) = repaired_with(&sound, &later).expect("the same firmware");
    assert!(out == sound && report.is_copy());
    assert_eq!(report.to_string(), "kept the header line `gyro_scale`, which differs from the other log's\n");
}

#[test]
fn a_log_of_other_fields_is_refused() {
    let sound = inav("Craft name:A", 3);
    let mut other = RawSession::simple(&["a", "b", "c"], &[]);
    other.intra(0, 1000, &[1, 2, 3]).end();
    match repaired_with(&sound, &other.bytes) {
        Err(error @ RepairError::OtherFields { different: 6, shared: 6, .. }) => {
            let text = "its main frames have other fields: 6 of the 6 header lines that define them in both logs \
                        differ, `Field I name` for instance; choose a log of the same firmware and options";
            assert_eq!(error.to_string(), text);
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(repaired_with(&sound, b"nothing"), Err(RepairError::NoHeader)));
    let damaged = replaced(&sound, "Field I encoding:1,1,0,0", b"Field I encoding:1,1,0");
    assert!(matches!(repaired_with(&sound, &damaged), Err(RepairError::NoHeader)));
}

/// Other decoders read the frames of a repaired log that are read here.
#[test]
fn other_decoders_read_repaired_logs() {
    for (name, log) in real_logs::all().into_iter().filter(|(name, _)| name.starts_with("fcbb")) {
        let mut random = Random::new(5);
        let mut damaged = log.clone();
        let from = BlackboxLog::from_bytes(&*log).session(0).expect("a session").frames_offset();
        for _ in 0..30 {
            let at = from + random.below(damaged.len() - from - 100);
            drop(damaged.drain(at..at + 1 + random.below(60)));
        }
        let (out, report) = repaired(&damaged);
        assert!(report.removed().len() > 20);
        let read = BlackboxLog::from_bytes(&*out);
        for (i, session) in read.sessions().enumerate() {
            let ours = by_us(&read, i);
            let theirs = by_blackbox_log(&out, i);
            assert_rows(name, &ours.main, &theirs.main, &right_in_blackbox_log(&read, i));
            let mut theirs = by_fc_blackbox(&out[session.offset()..]);
            assert!(ours.main.len() <= theirs.main.len(), "{name} {i}");
            theirs.main.truncate(ours.main.len());
            let all: Vec<usize> = (1..session.header().fields(b'I').len()).collect();
            assert_rows(name, &ours.main, &theirs.main, &all);
        }
    }
}
