//! Damaged logs: nothing panics, and only the records that the damage hits are lost.

use binlog::messages::{Ev, Gps, GpsStatus, Msg, Parm};
use binlog::{LogSchema, LogWriter, Reason, Record, RecordStream, Records, Skipped};
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(LogSchema)]
enum TestLog {
    Ev(Ev),
    Gps(Gps),
    Msg(Msg),
    Parm(Parm),
}

/// A log of 400 records of four types, in no regular order.
fn log() -> Vec<u8> {
    let mut log = LogWriter::<TestLog, _>::new(Vec::new()).expect("memory takes all");
    for time_us in 0..400u64 {
        let written = match time_us * 7 % 11 {
            0..=4 => log.write(&Ev { time_us, id: time_us as u8 }),
            5..=7 => log.write(&gps(time_us)),
            8 | 9 => log.text(time_us, "a text"),
            _ => log.parameter(time_us, "NAME", time_us as f32, None),
        };
        written.expect("memory takes all");
    }
    log.finish().expect("memory takes all")
}

fn gps(time_us: u64) -> Gps {
    Gps {
        time_us,
        instance: 0,
        status: GpsStatus(3),
        week_ms: time_us as u32,
        week: 2389,
        satellites: 12,
        hdop: binlog::field::Centi::from_raw(80),
        latitude: binlog::field::Latitude::from_e7(473_977_419),
        longitude: binlog::field::Longitude::from_e7(85_455_938),
        altitude: binlog::field::Centi::from_raw(48_800),
        speed: 1.5,
        course: 90.0,
        vertical_speed: -0.5,
        yaw: 0.0,
        used: 1,
    }
}

/// Length of the records of an id, 0 for an unknown one.
fn length_of(id: u8) -> usize {
    let mut preamble = Records::new(TestLog::PREAMBLE);
    preamble.by_ref().for_each(drop);
    preamble.definition(id).map_or(0, |definition| definition.length().into())
}

/// Offset and bytes of each record.
fn records(log: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let records = Records::new(log).flatten();
    records.map(|record| (record.offset(), log[record.offset()..][..3 + record.payload().len()].to_vec())).collect()
}

/// Every byte is in exactly one record or one skipped stretch, in order.
fn assert_covers(log: &[u8]) {
    let mut at = 0;
    for item in Records::new(log) {
        let (offset, length) = match &item {
            Ok(record) => (record.offset(), 3 + record.payload().len()),
            Err(skipped) => (skipped.offset, skipped.length),
        };
        assert_eq!(offset, at, "{item:?}");
        assert!(length > 0, "{item:?}");
        at += length;
    }
    assert_eq!(at, log.len());
    for chunk in [1, 7, 255, 1024, 100_000] {
        assert_eq!(streamed(log, chunk), Records::new(log).map(said).collect::<Vec<_>>(), "in chunks of {chunk}");
    }
}

/// Offset, suspicion, payload and definition of a record.
type Said = (usize, bool, Vec<u8>, String);

/// Everything about a record or a skipped stretch.
fn said(item: Result<Record<'_>, Skipped>) -> Result<Said, Skipped> {
    item.map(|record| {
        (record.offset(), record.is_suspect(), record.payload().to_vec(), format!("{:?}", record.definition()))
    })
}

/// The items of a stream that receives the log in chunks.
fn streamed(log: &[u8], chunk: usize) -> Vec<Result<Said, Skipped>> {
    let mut stream = RecordStream::<1024>::new();
    let mut items = Vec::new();
    for chunk in log.chunks(chunk) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let taken = stream.push(rest);
            assert!(taken > 0, "a stream that is read has room");
            rest = &rest[taken..];
            while let Some(item) = stream.next() {
                items.push(said(item));
            }
        }
    }
    stream.finish();
    while let Some(item) = stream.next() {
        items.push(said(item));
    }
    assert_eq!(stream.offset(), log.len());
    items
}

#[test]
fn a_log_cut_anywhere_in_its_last_4_kib_opens() {
    let log = log();
    let whole = records(&log);
    for length in log.len() - 4096..log.len() {
        let cut = &log[..length];
        let complete = whole.iter().filter(|(offset, bytes)| offset + bytes.len() <= length).count();
        assert_eq!(records(cut), whole[..complete]);
        let last = Records::new(cut).last().expect("the preamble at least");
        match last {
            Ok(record) => assert_eq!(record.offset() + 3 + record.payload().len(), length),
            Err(skipped) => assert!(matches!(skipped.reason, Reason::Truncated(_)), "{skipped}"),
        }
    }
}

#[test]
fn records_of_an_unknown_id_are_skipped_and_the_others_are_not() {
    let log = log();
    let whole = records(&log);
    for lost in TestLog::MESSAGES {
        // The FMT of one type is missing.
        let is_lost = |bytes: &[u8]| bytes[2] == lost.id || (bytes[2] == 128 && bytes[3] == lost.id);
        let fmt = whole.iter().find(|(_, bytes)| bytes[2] == 128 && bytes[3] == lost.id).expect("its FMT");
        let mut without = log.clone();
        without.drain(fmt.0..fmt.0 + fmt.1.len());
        let expected: Vec<_> = whole.iter().map(|(_, bytes)| bytes).filter(|bytes| !is_lost(bytes)).collect();
        let found = records(&without);
        assert_eq!(found.iter().map(|(_, bytes)| bytes).collect::<Vec<_>>(), expected);
        assert_covers(&without);
        let unknown = Records::new(&without).filter_map(Result::err);
        assert!(unknown.clone().count() > 0);
        assert!({ unknown }.all(|skipped| skipped.reason == Reason::UnknownId(lost.id)));
    }
}

/// No two headers follow such a record, but its contents prove it. Without it, all records of its type would be lost.
#[test]
fn an_fmt_between_two_damaged_records_defines_its_type() {
    let log = log();
    let fmts: Vec<usize> =
        Records::new(&log).flatten().filter(|record| record.id() == 128).map(|fmt| fmt.offset()).collect();
    let of_type = |log: &[u8], id: u8| Records::new(log).flatten().filter(|record| record.id() == id).count();
    let mut seen = 0;
    for fmt in fmts.windows(3).filter(|fmts| fmts[1] - fmts[0] == 89 && fmts[2] - fmts[1] == 89) {
        let mut damaged = log.clone();
        (damaged[fmt[0]], damaged[fmt[2] + 1]) = (0, 0);
        let id = log[fmt[1] + 3];
        assert_covers(&damaged);
        for chunk in [1, 7, 4096] {
            assert_eq!(streamed(&damaged, chunk), Records::new(&damaged).map(said).collect::<Vec<_>>());
        }
        let expected = of_type(&log, id);
        assert_eq!(of_type(&damaged, id), if id == 128 { expected - 2 } else { expected }, "type {id}");
        seen += 1;
    }
    assert!(seen > 0, "no FMT stands between two others");
}

#[test]
fn zeros_in_the_middle_cost_the_records_that_they_hit() {
    let log = log();
    let whole = records(&log);
    let from = whole[300].0 + 5;
    let zeros = from..from + 1000;
    let mut damaged = log.clone();
    damaged[zeros.clone()].fill(0);
    let hit = |offset: usize, length: usize| offset < zeros.end && zeros.start < offset + length;
    let expected: Vec<_> = whole.iter().filter(|(offset, bytes)| !hit(*offset, bytes.len())).cloned().collect();
    let found: BTreeSet<_> = records(&damaged).into_iter().collect();
    assert!(expected.iter().all(|record| found.contains(record)));
    assert!(found.len() <= expected.len() + 1, "at most the record whose payload the zeros begin in");
    assert_covers(&damaged);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        assert_covers(&bytes);
    }

    #[test]
    fn bytes_that_look_like_records_never_panic(
        pieces in proptest::collection::vec((0..6usize, any::<u8>(), any::<[u8; 90]>(), 0..90usize), 0..60),
    ) {
        let mut bytes = Vec::new();
        for (kind, id, payload, length) in pieces {
            match kind {
                0 => bytes.extend([0xA3, 0x95, id]),
                // Any definition of any id.
                1 => bytes.extend([&[0xA3, 0x95, 128, id], &payload[..85]].concat()),
                2 => bytes.extend([0xA3, 0x95, 128]),
                3 => bytes.push(0xA3),
                4 => bytes.extend(&TestLog::PREAMBLE[..usize::from(id) * 7]),
                _ => bytes.extend(&payload[..length]),
            }
        }
        assert_covers(&bytes);
    }

    /// A flip of the id makes a record another one; what that one covers is hit.
    #[test]
    fn a_flipped_bit_costs_what_it_hits_at_most(at in any::<prop::sample::Index>(), bit in 0..8u32) {
        let mut damaged = log();
        let whole = records(&damaged);
        let first = TestLog::PREAMBLE.len();
        let at = first + at.index(damaged.len() - first);
        damaged[at] ^= 1 << bit;
        let (offset, bytes) = whole.iter().rfind(|record| record.0 <= at).expect("records cover the log");
        let hit = *offset..offset + bytes.len().max(length_of(damaged[offset + 2]));
        let found: BTreeSet<_> = records(&damaged).into_iter().collect();
        for (offset, bytes) in whole {
            if !hit.contains(&offset) {
                prop_assert!(found.contains(&(offset, bytes)), "the record at {offset} is lost to the flip at {at}");
            }
        }
        assert_covers(&damaged);
    }

    #[test]
    fn a_flipped_bit_in_a_definition_never_panics(at in any::<prop::sample::Index>(), bit in 0..8u32) {
        let mut damaged = log();
        damaged[at.index(TestLog::PREAMBLE.len())] ^= 1 << bit;
        assert_covers(&damaged);
    }
}
