//! Stretches without records: zeros, unknown ids, ends.

use binlog::log::SelectError;
use binlog::{Log, Reason};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

const EV: u8 = 1;

fn log() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(EV, "EV", "QB", "TimeUS,Id");
    log
}

fn events(log: &mut RawLog, times: std::ops::Range<u64>) {
    for time_us in times {
        log.record(EV, &payload![time_us, 10_u8]);
    }
}

#[test]
fn zeros_of_4_kib_lose_no_record() {
    let mut log = log();
    events(&mut log, 0..4);
    let at = log.bytes.len();
    log.raw(&[0; 4096]);
    events(&mut log, 4..8);
    let log = Log::from_bytes(&log.bytes);
    let skipped: Vec<_> = log.skipped().iter().map(|s| (s.offset, s.length, s.reason)).collect();
    assert_eq!(skipped, [(at, 4096, Reason::NoHeader)]);
    assert_eq!(log.suspects(), [at - 12]);
    assert_eq!(log.rows("EV").map(|ev| ev.times_us()), Ok((0..8).collect()));
}

#[test]
fn records_of_unknown_ids_lose_no_other_record() {
    let mut log = log();
    events(&mut log, 0..4);
    let first = log.bytes.len();
    log.record(7, &[1; 30]).record(8, &[2; 40]);
    events(&mut log, 4..8);
    let second = log.bytes.len();
    log.record(9, &[3; 200]);
    events(&mut log, 8..12);
    log.record(7, &[1; 30]);
    let log = Log::from_bytes(&log.bytes);
    let skipped: Vec<_> = log.skipped().iter().map(|s| (s.offset, s.length, s.reason)).collect();
    let last = log.bytes().len() - 33;
    let expected =
        [(first, 33 + 43, Reason::UnknownId(7)), (second, 203, Reason::UnknownId(9)), (last, 33, Reason::UnknownId(7))];
    assert_eq!(skipped, expected);
    assert!(log.suspects().is_empty());
    assert_eq!(log.rows("EV").map(|ev| ev.times_us()), Ok((0..12).collect()));
}

#[test]
fn a_log_that_ends_inside_a_record_has_all_before_it() {
    let mut whole = log();
    events(&mut whole, 0..5);
    let (bytes, start) = (whole.bytes, 2 * 89);
    for length in start..bytes.len() {
        let log = Log::from_bytes(&bytes[..length]);
        let (complete, rest) = ((length - start) / 12, (length - start) % 12);
        let times: Vec<u64> = (0..complete as u64).collect();
        assert_eq!(log.rows("EV").map(|ev| ev.times_us()), Ok(times), "{length}");
        assert!(log.suspects().is_empty(), "{length}");
        let skipped: Vec<_> = log.skipped().iter().map(|s| (s.offset, s.length, s.reason)).collect();
        match rest {
            0 => assert_eq!(skipped, [], "{length}"),
            1 | 2 => assert_eq!(skipped, [(length - rest, rest, Reason::Truncated(None))]),
            _ => assert_eq!(skipped, [(length - rest, rest, Reason::Truncated(Some(EV)))]),
        }
        assert_eq!(log.tables().iter().map(|table| table.len()).sum::<usize>(), 2 + complete, "{length}");
    }
}

#[test]
fn a_log_without_a_single_record_is_read() {
    for bytes in [&[][..], &[0xA3], &[0xA3, 0x95], &[0xA3, 0x95, 128], &[0; 5000], &[0xA3; 5000], &[0x95; 5000]] {
        let log = Log::from_bytes(bytes);
        assert_eq!((log.types().count(), log.tables().len(), log.records().flatten().count()), (0, 0, 0));
        assert_eq!(log.skipped().iter().map(|skipped| skipped.length).sum::<usize>(), bytes.len());
        assert_eq!((log.clock(), log.time_range_us(), log.vehicle()), (None, None, None));
        assert!(log.rows("ATT").is_err() && log.column("ATT.Roll").is_err());
        assert!(log.parameters().is_empty() && log.texts().is_empty() && log.modes().is_empty());
        assert!(log.armed().is_empty() && log.files().is_empty() && log.batches().is_empty());
        assert_eq!(log.rows("FMT").map(|fmt| fmt.len()), Err(SelectError::NoLog { bytes: bytes.len() }));
    }
}
