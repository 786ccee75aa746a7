//! Events that the reader doesn't know, whose payload ends where the next frames stand.

use crate::raw_session::RawSession;
use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::Tables;

const UNKNOWN: &[u8] = b"E\x63";

/// Ten I intervals of 32 frames, with what `before` returns before each frame.
fn with(before: impl Fn(u32) -> Vec<u8>) -> Tables {
    let mut log = RawSession::simple(&["x"], &["I interval:32"]);
    for i in 0..320 {
        log.raw(&before(i));
        match i % 32 {
            0 => log.intra(i, 1000 + 10 * i, &[value(i)]),
            place => log.inter(if place == 1 { 10 } else { 0 }, &[value(i) - value(i - 1)]),
        };
    }
    log.end();
    let log = BlackboxLog::from_bytes(log.bytes);
    log.session(0).expect("a session").tables()
}

fn value(i: u32) -> i32 {
    (i * i % 97) as i32
}

fn rows(tables: &Tables) -> Vec<(i64, i64)> {
    let main = tables.main();
    let [iteration, x] = ["loopIteration", "x"].map(|name| main.column(name).expect("a column"));
    (0..main.len()).filter_map(|i| iteration.get(i).zip(x.get(i))).collect()
}

fn expected() -> Vec<(i64, i64)> {
    (0..320).map(|i| (i.into(), value(i).into())).collect()
}

#[test]
fn near_each_other_they_cost_no_frames() {
    for places in [&[1, 3][..], &[1, 4], &[1, 2, 3], &[1], &[30, 31, 0]] {
        let tables = with(|i| if places.contains(&(i % 32)) { UNKNOWN.to_vec() } else { Vec::new() });
        assert_eq!(rows(&tables), expected(), "{places:?}");
        assert_eq!(tables.lost(), []);
        assert_eq!(tables.events().len(), 10 * places.len() + 1);
    }
}

#[test]
fn before_every_frame_they_cost_no_frames() {
    for events in 1..4 {
        let tables = with(|_| UNKNOWN.repeat(events));
        assert_eq!(rows(&tables), expected());
        assert_eq!(tables.lost(), []);
        assert_eq!(tables.events().len(), 320 * events + 1);
    }
}

#[test]
fn with_a_payload_before_every_frame_they_cost_no_frames() {
    let tables = with(|i| [UNKNOWN, &[1, 2, i as u8 & 0x3F]].concat());
    assert_eq!(rows(&tables), expected());
    assert_eq!(tables.lost(), []);
}

#[test]
fn damage_after_one_makes_no_wrong_values() {
    for place in 1..30 {
        let tables = with(|i| match i % 32 {
            at if at == place => UNKNOWN.to_vec(),
            at if at == place + 2 => vec![0xF0; 3],
            _ => Vec::new(),
        });
        let expected = expected();
        assert!(rows(&tables).iter().all(|row| expected.contains(row)), "{place}");
        assert!(!tables.lost().is_empty());
    }
}
