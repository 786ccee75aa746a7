//! What must hold for any bytes that are repaired, cut or anonymised as a Blackbox log.

use binlog::anonymise::Anonymise;
use binlog::blackbox::header::HeaderProblemKind;
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxLog, Event};
use binlog::cut::{BlackboxPart, Cut};
use binlog::repair::{Removal, RepairError, RepairedBlackbox};

/// A frame that is read from a log.
#[derive(Clone, PartialEq, Debug)]
pub struct Read {
    /// The letter.
    pub letter: u8,
    /// The bytes, with the letter.
    pub bytes: Vec<u8>,
    /// The values of the fields.
    pub values: Vec<u32>,
    /// The time.
    pub time_us: u64,
}

/// The frames of all sessions.
pub fn frames(log: &[u8]) -> Vec<Read> {
    let mut all = Vec::new();
    for session in BlackboxLog::from_bytes(log).sessions() {
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            let Item::Frame(frame) = item else { continue };
            let (letter, time_us, values) = (frame.letter(), frame.time_us(), frame.values().to_vec());
            let bytes = log[frame.offset()..frame.offset() + frame.length()].to_vec();
            all.push(Read { letter, bytes, values, time_us });
        }
    }
    all
}

/// A repaired log, and the report.
pub fn repaired(log: &[u8]) -> (Vec<u8>, RepairedBlackbox) {
    let mut out = Vec::new();
    let report = BlackboxLog::from_bytes(log).repair(&mut out).expect("memory takes all");
    (out, report)
}

/// A part of a log, and the report.
pub fn part(log: &[u8], cut: &Cut) -> (Vec<u8>, BlackboxPart) {
    let mut out = Vec::new();
    let part = cut.write_blackbox(&BlackboxLog::from_bytes(log), &mut out).expect("memory takes all");
    (out, part)
}

/// Asserts that each byte of a log is in a header without damage, in a frame or in an event.
pub fn assert_clean(log: &[u8]) {
    let read = BlackboxLog::from_bytes(log);
    assert_eq!(read.session(0).map_or(0, |session| session.offset()), 0);
    assert!(log.is_empty() || read.sessions().len() > 0);
    for (session, tables) in read.sessions().zip(read.tables()) {
        assert_eq!(tables.lost(), []);
        assert!(tables.foreign().is_empty(), "{:?}", tables.foreign());
        for problem in session.header().problems() {
            let is_of_firmware = match problem.kind {
                HeaderProblemKind::UnnamedFields { .. } => true,
                HeaderProblemKind::Frame { letter, .. } => !b"IPSGH".contains(&letter),
                _ => false,
            };
            assert!(is_of_firmware, "{problem}");
        }
    }
}

/// Repairs, cuts and anonymises any bytes.
pub fn whole_log(bytes: &[u8]) {
    repair(bytes);
    // A log whose beginning is lost, and any log.
    let (begin, rest) = bytes.split_at(bytes.len() / 2);
    repair_with(rest, bytes);
    repair_with(bytes, begin);
    cut(bytes);
    let mut copy = Vec::new();
    let log = BlackboxLog::from_bytes(bytes);
    Anonymise::new().write_blackbox(&log, [1; 16], &mut copy).expect("memory takes all");
    assert_clean(&copy);
}

/// Nothing is left that readers can't read, and nothing is lost that they could.
fn repair(damaged: &[u8]) {
    let (out, report) = repaired(damaged);
    assert_clean(&out);
    let kept = frames(&out);
    assert_eq!(report.frames(), kept.len() as u64);
    assert_eq!(report.sessions(), BlackboxLog::from_bytes(&*out).sessions().len());
    // Frames of a session without main frames are left out, and those that are read only with the damage beside them.
    let is_exact =
        report.removed().iter().all(|removed| !matches!(removed.reason, Removal::NoHeader | Removal::Unread));
    let before = frames(damaged);
    if is_exact {
        assert_eq!(kept, before);
    }
    // Slow frames have the time of a main frame, which may be left out.
    let is_same = |one: &Read, other: &Read| (&one.bytes, &one.values) == (&other.bytes, &other.values);
    let mut rest = before.iter();
    assert!(kept.iter().all(|frame| rest.any(|before| is_same(before, frame))), "a frame differs");
    let mut removed: Vec<_> = report.removed().iter().map(|removed| (removed.offset, removed.length)).collect();
    removed.sort_unstable();
    assert!(removed.iter().all(|&(offset, length)| length > 0 && offset + length <= damaged.len()));
    assert!(removed.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{removed:?}");
    let removed: usize = removed.iter().map(|(_, length)| length).sum();
    let inserted = out.len() + removed - damaged.len();
    assert_eq!(inserted > 0, !report.lines().is_empty() || !report.resumed().is_empty());
    assert_eq!(report.is_copy(), out == damaged);
    assert_eq!(report.is_copy(), report.to_string().is_empty());
    let (again, second) = repaired(&out);
    assert!(again == out && second.is_copy(), "{second}");
}

/// With the header of any other bytes. Either they are refused and nothing is written, or the result is clean.
fn repair_with(damaged: &[u8], definitions: &[u8]) {
    let mut out = Vec::new();
    let definitions = BlackboxLog::from_bytes(definitions);
    match BlackboxLog::from_bytes(damaged).repair_with(&definitions, &mut out) {
        Ok(report) => {
            assert_clean(&out);
            assert_eq!(report.frames(), frames(&out).len() as u64);
            assert!(report.to_string().is_empty() || !report.is_copy() || !report.differing().is_empty());
        }
        Err(error) => {
            assert!(matches!(error, RepairError::OtherFields { .. } | RepairError::NoHeader), "{error}");
            assert!(out.is_empty());
        }
    }
}

/// Parts are clean, and have the frames of their intervals.
fn cut(log: &[u8]) {
    let (whole, _) = repaired(log);
    let all = frames(&whole);
    let mut times: Vec<u64> = all.iter().map(|frame| frame.time_us).collect();
    times.sort_unstable();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    // The end of an event without a known length depends on the frames after it, which may be others in a part.
    let tables = BlackboxLog::from_bytes(&*whole).tables();
    let events = tables.iter().flat_map(|tables| tables.events());
    let is_exact = !events.into_iter().any(|event| matches!(event.event, Event::Unknown { .. }));
    let (everything, report) = part(log, &Cut::new());
    assert_clean(&everything);
    assert_eq!(report.carried(), 0);
    assert!(!is_exact || frames(&everything) == all);
    for times in [0..middle, middle..u64::MAX] {
        let (part, report) = part(log, &Cut::new().during(std::iter::once(times.clone())));
        assert_clean(&part);
        let read = frames(&part);
        let mut rest = read.iter();
        let mut chosen = all.iter().filter(|frame| times.contains(&frame.time_us));
        assert!(
            !is_exact || chosen.all(|frame| rest.any(|read| read == frame)),
            "a frame of the part is lost or differs"
        );
        assert!(report.chosen() + report.carried() >= read.len() as u64);
    }
}
