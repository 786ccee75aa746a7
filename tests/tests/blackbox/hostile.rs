//! Headers and frames that no firmware writes: refused with a reason, and at no great cost.

use crate::raw_session::{MARKER, RawSession, signed, unsigned};
use binlog::Scaling;
use binlog::blackbox::header::HeaderProblemKind;
use binlog::blackbox::log::{LostReason, Tables};
use binlog::blackbox::{BlackboxLog, Unusable};

fn tables(log: &[u8]) -> Tables {
    BlackboxLog::from_bytes(log).session(0).expect("a session").tables()
}

fn without_bytes(fields: usize) -> RawSession {
    let all = |text: &str| vec![text; fields].join(",");
    let names: Vec<String> = (0..fields).map(|i| format!("x{i}")).collect();
    RawSession::new(&[
        &format!("Field I name:{}", names.join(",")),
        &format!("Field I predictor:{}", all("0")),
        &format!("Field I encoding:{}", all("9")),
    ])
}

#[test]
fn many_fields_without_bytes_are_refused() {
    let mut log = without_bytes(128);
    log.raw(&[b'I'; 1000]);
    let log = BlackboxLog::from_bytes(log.bytes);
    let session = log.session(0).expect("a session");
    assert_eq!(session.tables().main().len(), 0);
    let frame = session.header().frame(b'I').expect("a definition");
    assert_eq!(frame.unusable(), Some(Unusable::TooFewBytes { fields: 128, bytes: 1 }));
    assert!(!session.header().problems().is_empty());
    assert!(!session.tables().lost().is_empty());

    let mut few = without_bytes(16);
    few.raw(&[b'I'; 1000]);
    assert_eq!(tables(&few.bytes).main().len(), 1000);
}

#[test]
fn a_range_of_motors_may_be_any_numbers() {
    let (low, high) = (i64::MIN, i64::MAX);
    for lines in
        [&[format!("motorOutput:{low},{high}")][..], &[format!("minthrottle:{low}"), format!("maxthrottle:{high}")]]
    {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut log = RawSession::simple(&["motor[0]"], &lines);
        log.intra(0, 1000, &[5]).end();
        let tables = tables(&log.bytes);
        let percent = tables.column("motor[0]").and_then(|motor| motor.number(0, Scaling::Units)).expect("a motor");
        assert!((percent - 50.0).abs() < 1e-6, "{percent}");
    }
}

#[test]
fn a_wild_time_of_a_gps_frame_is_damage() {
    let gps = ["Field G name:time,GPS_numSat", "Field G signed:0,0", "Field G predictor:10,0", "Field G encoding:0,1"];
    for (late, is_damage) in [(0, false), (9_999_999, false), (10_000_000, true), (0x7000_0000, true)] {
        let mut log = RawSession::simple(&["x"], &gps);
        let at = log.intra(0, 1000, &[5]).inter(10, &[1]).bytes.len();
        let end = log.push(b'G', &[signed(late), unsigned(7)]).bytes.len();
        log.inter(0, &[1]).end();
        let tables = tables(&log.bytes);
        assert_eq!(tables.main().times_us(), [1000, 1010, 1020]);
        assert_eq!(tables.table(b'G').expect("GPS frames").len(), usize::from(!is_damage), "{late}");
        let lost: Vec<_> = tables.lost().iter().map(|lost| (lost.offset, lost.length, lost.reason)).collect();
        let reason = LostReason::Time { letter: b'G', time: 1010 + late as u32 };
        assert_eq!(lost, if is_damage { vec![(at, end - at, reason)] } else { vec![] });
    }
}

#[test]
fn the_start_of_a_session_in_a_value_is_text() {
    let marker = MARKER.trim_end();
    let mut log = RawSession::simple(&["x"], &[&format!("Craft name:{marker}")]);
    log.intra(0, 1000, &[5]).inter(10, &[1]).end();
    let twice = [&log.bytes[..], b"\xFF\x01foreign:", &log.bytes[..]].concat();
    let log = BlackboxLog::from_bytes(twice);
    assert_eq!(log.sessions().len(), 2);
    for session in log.sessions() {
        assert_eq!(session.header().value("Craft name"), Some(marker));
        assert_eq!(session.tables().main().len(), 2);
    }
}

#[test]
fn a_session_whose_first_line_is_damaged_is_read() {
    let session = |x| {
        let mut log = RawSession::simple(&["x"], &["Craft name:H Field I name:none"]);
        log.intra(0, 1000, &[x]).inter(10, &[1]).end();
        log.bytes
    };
    let alone = session(5);
    for before in [&b""[..], &session(3), &session(3)[..alone.len() - 20]] {
        for at in 0..MARKER.trim_end().len() {
            let log = [before, &alone[..at], &[alone[at] ^ 1], &alone[at + 1..], &session(7)].concat();
            let log = BlackboxLog::from_bytes(log);
            let damaged = usize::from(!before.is_empty());
            let first_lines: Vec<bool> = log
                .sessions()
                .map(|session| {
                    session.header().problems().iter().any(|problem| problem.kind == HeaderProblemKind::FirstLine)
                })
                .collect();
            let expected: Vec<bool> = (0..damaged + 2).map(|i| i == damaged).collect();
            assert_eq!(first_lines, expected, "{at}");
            let session = log.session(damaged).expect("the damaged one");
            let tables = session.tables();
            let x = tables.column("x").expect("x");
            assert_eq!((x.len(), x.get(0), x.get(1)), (2, Some(5), Some(6)), "{at}");
            assert_eq!((tables.lost().len(), tables.foreign().len()), (0, 0), "{at}");
        }
    }
}

#[test]
fn numbers_beyond_their_range_are_problems() {
    for (line, name) in [
        ("I interval:-1", "I interval"),
        ("I interval:0", "I interval"),
        ("I interval:4294967296", "I interval"),
        ("Data version:99", "Data version"),
        ("Data version:0", "Data version"),
    ] {
        let mut log = RawSession::simple(&["x"], &[line]);
        log.intra(0, 1000, &[5]).end();
        let log = BlackboxLog::from_bytes(log.bytes);
        let session = log.session(0).expect("a session");
        let header = session.header();
        assert_eq!((header.intervals().i_interval(), header.data_version()), (32, 2), "{line}");
        let [problem] = header.problems() else { panic!("{line}: {:?}", header.problems()) };
        let value = line.rsplit(':').next().expect("a value").to_owned();
        assert_eq!(problem.kind, HeaderProblemKind::Value { name: name.into(), value }, "{problem}");
    }
}

#[test]
fn a_log_that_ends_inside_its_header_has_no_frames() {
    let header = RawSession::simple(&["x"], &["I interval:16", "Craft name:P I S G"]).bytes;
    for end in MARKER.len()..header.len() {
        let tables = tables(&header[..end]);
        assert!(tables.tables().iter().all(|table| table.is_empty()), "{end}");
    }
}
