//! Parts of Blackbox logs.

use crate::other_decoders::{assert_rows, by_blackbox_log, by_us, right_in_blackbox_log};
use crate::other_session::{Flight, OWN, USUAL};
use crate::raw_session::{RawSession, signed, unsigned};
use crate::real_logs;
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxLog, Event};
use binlog::check::Rule;
use binlog::cut::Cut;
use binlog_tests::any_bytes::blackbox_tools::{Read, assert_clean, frames, part, repaired};
use binlog_tests::{left_out, shared};
use std::ops::Range;
use std::process::Command;

const END: &[u8] = b"E\xFFEnd of log\0";

fn during(times: impl IntoIterator<Item = Range<u64>>) -> Cut {
    Cut::new().during(times)
}

/// The letters of the frames and events.
fn letters(log: &[u8]) -> String {
    let mut all = String::new();
    for session in BlackboxLog::from_bytes(log).sessions() {
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            all.push(match item {
                Item::Frame(frame) => frame.letter().into(),
                Item::Event { event: Event::End { .. }, .. } => 'e',
                Item::Event { event: Event::Resume { .. }, .. } => 'r',
                Item::Event { .. } => 'E',
                Item::Lost(lost) => panic!("{lost}"),
            });
        }
    }
    all
}

/// Those in intervals.
fn chosen(log: &[u8], times: &[Range<u64>]) -> Vec<Read> {
    frames(log).into_iter().filter(|frame| times.iter().any(|times| times.contains(&frame.time_us))).collect()
}

/// Asserts that a part has the frames of the intervals, with the same bytes, values and times.
fn assert_has_chosen(part: &[u8], log: &[u8], times: &[Range<u64>]) {
    let read = frames(part);
    let mut rest = read.iter();
    for frame in chosen(log, times) {
        assert!(rest.any(|read| *read == frame), "{frame:?}");
    }
}

const HOME: [&str; 8] = [
    "Field H name:GPS_home[0],GPS_home[1]",
    "Field H signed:1,1",
    "Field H predictor:0,0",
    "Field H encoding:0,0",
    "Field G name:time,GPS_coord[0],GPS_coord[1]",
    "Field G signed:0,1,1",
    "Field G predictor:10,7,7",
    "Field G encoding:1,0,0",
];

/// Slow and home frames, fixes and events between six groups of four main frames, 10 µs apart.
fn small() -> Vec<u8> {
    let mut log = RawSession::simple(&["x"], &[&HOME[..], &["I interval:4", "looptime:10"]].concat());
    for group in 0..6_u32 {
        log.intra(4 * group, 1000 + 40 * group, &[group as i32]).inter(10, &[1]);
        match group {
            0 => log.slow(1),
            1 => log.push(b'H', &[signed(50), signed(60)]),
            2 => log.slow(2).push(b'G', &[unsigned(1), signed(3), signed(4)]),
            3 => log.raw(b"E\x1E\x01\x00").push(b'G', &[unsigned(2), signed(5), signed(6)]),
            4 => log.push(b'H', &[signed(70), signed(80)]),
            _ => log.push(b'G', &[unsigned(1), signed(7), signed(8)]),
        };
        log.inter(0, &[1]).inter(0, &[1]);
    }
    log.bytes
}

#[test]
fn a_part_begins_with_the_last_i_frame_and_the_state_there() {
    let log = small();
    assert_eq!(letters(&log), "IPSPPIPHPPIPSGPPIPEGPPIPHPPIPGPP");
    for (times, expected, carried) in [
        // From the third frame of a group.
        (1140..1170, "ISHPEGPPIe", 6),
        // From an I frame, in the middle of a group and between two frames.
        (1120..1130, "ISHe", 2),
        (1121..1130, "e", 0),
        (1131..1141, "ISHPEGPe", 5),
        // What is before its first slow frame.
        (1000..1011, "IPSe", 0),
        (1020..1021, "IPSPe", 3),
        // An End event that isn't there.
        (1230..9999, "ISHPGPPe", 6),
    ] {
        let (bytes, report) = part(&log, &during([times.clone()]));
        assert_clean(&bytes);
        assert_eq!((letters(&bytes), report.carried()), (expected.into(), carried), "{times:?}");
        assert_has_chosen(&bytes, &log, std::slice::from_ref(&times));
        let in_part = chosen(&log, &[times]).len() as u64;
        assert!(report.chosen() >= in_part && report.sessions() == usize::from(in_part > 0));
    }
}

/// Betaflight's blackbox_decode hangs if the first frame is that of home, and orangebox skips other frames there.
#[test]
fn an_i_frame_is_the_first_one() {
    let mut log = RawSession::simple(&[], &[&HOME[..], &["I interval:2", "looptime:10"]].concat());
    log.intra(0, 1000, &[]).push(b'H', &[signed(1), signed(2)]).inter(10, &[]).intra(2, 1020, &[]);
    log.push(b'G', &[unsigned(0), signed(3), signed(4)]).inter(10, &[]);
    let times = 1020..1100;
    let (bytes, _) = part(&log.bytes, &during([times.clone()]));
    assert_eq!(letters(&bytes), "IHGPe");
    assert_has_chosen(&bytes, &log.bytes, &[times]);
    let rules: Vec<_> =
        BlackboxLog::from_bytes(&*bytes).check().findings().iter().map(|finding| finding.rule()).collect();
    assert!(!rules.contains(&Rule::HomeFirst), "{rules:?}");
}

#[test]
fn everything_is_a_copy_and_has_an_end() {
    let log = small();
    let whole = [&*log, END].concat();
    for log in [&log, &whole] {
        let (bytes, report) = part(log, &Cut::new());
        assert_eq!((bytes, report.carried()), (whole.clone(), 0));
    }
    for (_, log) in real_logs::all().into_iter().filter(|(name, _)| name.starts_with("fcbb")) {
        // One of them ends with padding.
        assert_eq!(part(&log, &Cut::new()).0, repaired(&log).0);
    }
}

#[test]
fn a_resume_event_is_between_parts_of_a_session() {
    let log = small();
    // The second begins in the same group as the first ends, in the next one, or later; the state changes or not.
    for (times, expected) in [
        ([1000..1010, 1020..1021], "IPSPe"),
        ([1000..1010, 1041..1051], "IrISPHe"),
        ([1080..1090, 1160..1170], "ISHrISe"),
        ([1000..1031, 1040..1041], "IPSPPIe"),
        ([1160..1170, 1200..1201], "ISHrIHe"),
    ] {
        let (bytes, _) = part(&log, &during(times.clone()));
        assert_clean(&bytes);
        assert_eq!(letters(&bytes), expected, "{times:?}");
        assert_has_chosen(&bytes, &log, &times);
    }
}

/// The field `time` has 32 bits and begins again at 0 after 71.6 minutes.
#[test]
fn times_after_71_minutes_are_those_of_the_log() {
    const MINUTE: u32 = 60_000_000;
    let mut log = RawSession::simple(&["x"], &["I interval:1000", "looptime:1000"]);
    for i in 0..200_u32 {
        // 200 pauses of a minute.
        let (iteration, time) = (60_000 * i, MINUTE.wrapping_mul(i));
        log.raw(Event::Resume { iteration, time }.encode(&mut [0; Event::MAX_BYTES]));
        log.intra(iteration, time, &[i as i32]).inter(1000, &[1]).inter(0, &[1]);
    }
    let log = log.bytes;
    assert!(frames(&log).last().is_some_and(|last| last.time_us > 2 << 32));
    let minutes = |from: u64, to: u64| from * u64::from(MINUTE)..to * u64::from(MINUTE);
    for times in [
        vec![minutes(0, 3)],
        vec![minutes(80, 81)],
        vec![minutes(150, 151)],
        vec![minutes(199, 500)],
        vec![minutes(1, 2), minutes(70, 71), minutes(190, 191)],
        vec![minutes(100, 101), minutes(140, 150)],
    ] {
        let (bytes, _) = part(&log, &during(times.clone()));
        assert_clean(&bytes);
        assert_eq!(frames(&bytes), chosen(&log, &times), "{times:?}");
    }
}

#[test]
fn sessions_are_chosen_by_their_intervals() {
    let log = [small(), END.to_vec(), small(), END.to_vec(), small()].concat();
    let one = |times: Range<u64>| part(&small(), &during([times])).0;
    let by_session = |sessions: [Option<Range<u64>>; 3]| {
        let cut = Cut::new().during_boots(sessions.map(|times| times.into_iter().collect::<Vec<_>>()));
        let (bytes, report) = part(&log, &cut);
        assert_clean(&bytes);
        (bytes, report.sessions())
    };
    assert_eq!(by_session([None, Some(0..9999), None]), ([small(), END.to_vec()].concat(), 1));
    let two = [one(1000..1030), one(1100..1140)].concat();
    assert_eq!(by_session([Some(1000..1030), None, Some(1100..1140)]), (two, 2));
    assert_eq!(by_session([Some(5000..6000), Some(1100..1140), Some(0..9)]), (one(1100..1140), 1));
    // Nothing is chosen: the headers of the sessions.
    let (bytes, sessions) = by_session([Some(5000..6000), None, None]);
    assert_eq!((letters(&bytes), sessions), ("e".into(), 0));
    assert_eq!(letters(&by_session([None, None, None]).0), "eee");
}

#[test]
fn what_is_damaged_is_not_in_the_part() {
    let flight = Flight::new(USUAL, 5_000_000, 0..2000, OWN);
    let mut log = flight.header.clone();
    for frame in &flight.frames {
        log.extend_from_slice(if frame.iteration % 500 == 77 { b"P\xF0\xF0\xF0" } else { &frame.bytes });
    }
    log.extend_from_slice(&[0xFF; 500]);
    let times = 5_500_000..6_900_000;
    let (bytes, report) = part(&log, &during([times.clone()]));
    assert_clean(&bytes);
    assert_has_chosen(&bytes, &log, &[times]);
    assert_eq!(report.removed().last().map(|removed| (removed.length, removed.reason.is_padding())), Some((500, true)));
    assert!(report.removed().len() > 4);
    for case in ["garbage-after-power-cut", "sessions-without-end", "stale-frames-after-power-cut", "inav7-servos"] {
        let Some(path) = shared(&format!("cases/{case}.bbl")) else { continue };
        let log = std::fs::read(path).expect("a readable log");
        let times = frames(&log).iter().map(|frame| frame.time_us).max().expect("frames") / 2..u64::MAX;
        let (bytes, _) = part(&log, &during([times.clone()]));
        assert_clean(&bytes);
        assert_has_chosen(&bytes, &log, &[times]);
    }
}

#[test]
fn types_of_a_blackbox_log_are_refused() {
    for cut in [Cut::new().types(["main"]), Cut::new().without(["gps"])] {
        let error = cut.write_blackbox(&BlackboxLog::from_bytes(small()), Vec::new()).expect_err("types");
        assert_eq!(error.to_string(), "a Blackbox log can't be cut by type, because its frames refer to one another");
    }
}

/// The middle of each real session.
fn parts_of_real_logs() -> Vec<(&'static str, Vec<u8>)> {
    let middle = |(name, log): (&'static str, Vec<u8>)| {
        let tables = BlackboxLog::from_bytes(&*log).tables();
        let times: Vec<Vec<Range<u64>>> = tables
            .iter()
            .map(|tables| {
                let times = tables.time_range_us().expect("main frames");
                let third = (times.end() - times.start()) / 3;
                let middle = times.start() + third..times.end() - third;
                vec![middle]
            })
            .collect();
        let (bytes, report) = part(&log, &Cut::new().during_boots(times.clone()));
        assert_clean(&bytes);
        assert_eq!(report.sessions(), tables.len());
        assert_has_chosen(&bytes, &log, &times.concat());
        (name, bytes)
    };
    real_logs::all().into_iter().filter(|(name, _)| name.starts_with("fcbb")).map(middle).collect()
}

#[test]
fn blackbox_log_reads_parts() {
    for (name, bytes) in parts_of_real_logs() {
        let log = BlackboxLog::from_bytes(&*bytes);
        for i in 0..log.sessions().len() {
            let (ours, theirs) = (by_us(&log, i), by_blackbox_log(&bytes, i));
            assert!(ours.main.len() > 10, "{name}");
            assert_rows(name, &ours.main, &theirs.main, &right_in_blackbox_log(&log, i));
            let slow: Vec<usize> = (0..ours.slow[0].len()).collect();
            assert_rows(name, &ours.slow, &theirs.slow, &slow);
        }
    }
}

/// Prints the values of the main frames of a session.
const ORANGEBOX: &str = "
import sys
from orangebox import Parser
parser = Parser.load(sys.argv[1], int(sys.argv[2]))
for frame in parser.frames():
    if frame.type.value in 'IP':
        print(*frame.data)
";

#[test]
fn orangebox_reads_parts() {
    let python = std::env::var_os("BINLOG_PYTHON").unwrap_or_else(|| "python3".into());
    let has_it = Command::new(&python).args(["-c", "import orangebox"]).output();
    if !has_it.is_ok_and(|output| output.status.success()) {
        left_out("parts of Blackbox logs in orangebox: `BINLOG_PYTHON` has no module of that name");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in parts_of_real_logs() {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).expect("room");
        let log = BlackboxLog::from_bytes(&*bytes);
        for (i, session) in log.sessions().enumerate() {
            let output = Command::new(&python).args(["-c", ORANGEBOX]).arg(&path).arg((i + 1).to_string()).output();
            let output = output.expect("it runs");
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            let fields = session.header().fields(b'I').len();
            let theirs: Vec<Vec<u32>> = String::from_utf8_lossy(&output.stdout)
                .lines()
                .map(|line| {
                    line.split(' ').take(fields).map(|word| word.parse::<i64>().expect("a number") as u32).collect()
                })
                .collect();
            // It counts iterations up by one a frame if the header says `P interval:16`.
            assert_rows(name, &by_us(&log, i).main, &theirs, &(1..fields).collect::<Vec<_>>());
        }
    }
}
