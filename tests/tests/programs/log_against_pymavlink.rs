//! `Log` compared with pymavlink: types, counts, columns, units, instances, times, parameters, modes and vehicle, of
//! real logs and the simulator's. The tests at the end are the places where `Log` differs from pymavlink.

use binlog::{Log, Reason};
use binlog_tests::against::{Read, shown_record};
use binlog_tests::logs;
use binlog_tests::raw_log::RawLog;
use binlog_tests::{payload, pymavlink};
use serde_json::json;
use std::sync::LazyLock;

/// All logs; none without pymavlink.
fn read_by_both() -> &'static [Read] {
    static READ: LazyLock<Vec<Read>> = LazyLock::new(|| {
        let read = |(name, bytes): (String, Vec<u8>)| Read::new(&name, &bytes);
        logs::all().into_iter().map_while(read).collect()
    });
    &READ
}

#[test]
fn types_and_their_counts_are_those_of_pymavlink() {
    read_by_both().iter().for_each(Read::assert_types);
}

#[test]
fn every_value_of_every_record_is_that_of_pymavlink() {
    read_by_both().iter().for_each(Read::assert_records);
}

#[test]
fn every_value_of_every_column_is_that_of_pymavlink() {
    read_by_both().iter().for_each(Read::assert_columns);
}

#[test]
fn units_are_those_of_pymavlink() {
    read_by_both().iter().for_each(Read::assert_units);
}

#[test]
fn instances_are_those_of_pymavlink() {
    read_by_both().iter().for_each(Read::assert_instances);
}

#[test]
fn times_are_those_of_pymavlink_to_a_microsecond() {
    read_by_both().iter().for_each(Read::assert_times);
    let has_clock = |read: &Read| Log::from_bytes(&read.bytes).clock().is_some();
    assert!(read_by_both().is_empty() || read_by_both().iter().any(has_clock), "no log has a clock");
}

#[test]
fn parameters_and_their_defaults_are_those_of_pymavlink() {
    read_by_both().iter().for_each(Read::assert_parameters);
}

#[test]
fn the_vehicle_and_its_modes_are_those_of_pymavlink() {
    let modes: usize = read_by_both().iter().map(Read::assert_modes).sum();
    assert!(read_by_both().is_empty() || modes > 0, "no log has modes");
}

#[test]
fn a_real_log_is_one_boot() {
    for (name, bytes) in logs::all() {
        let log = Log::from_bytes(&bytes);
        let boots: Vec<_> = log.boots().map(|boot| (boot.range(), boot.time_range_us())).collect();
        assert_eq!(boots, [(0..bytes.len(), log.time_range_us())], "{name}");
    }
}

/// pymavlink reads the byte of `M` as signed, which is why ArduPilot keeps modes below 128. In ArduPilot and here it is
/// a u8.
#[test]
fn a_mode_above_127_is_not_negative_as_in_pymavlink() {
    let mut log = RawLog::new();
    log.fmt(1, "MODE", "QM", "TimeUS,Mode").record(1, &payload![7_u64, 200_u8]);
    let own =
        Log::from_bytes(&log.bytes).rows("MODE").expect("its definition").records().map(|r| shown_record(&r)).next();
    assert_eq!(own, Some(json!([7, 200])));
    let Some(lines) = pymavlink::dump(&log.bytes) else { return };
    assert_eq!(lines[2]["values"], json!([7, -56]));
}

/// pymavlink decodes the whole slot and cuts the text afterwards, so bytes after the NUL change how the text is
/// decoded.
#[test]
fn text_is_cut_before_it_is_decoded_unlike_in_pymavlink() {
    let mut log = RawLog::new();
    log.fmt(1, "TEXT", "Qn", "TimeUS,Text").record(1, &payload![7_u64, *b"\xC2\xB5\0\xFF"]);
    let own =
        Log::from_bytes(&log.bytes).rows("TEXT").expect("its definition").records().map(|r| shown_record(&r)).next();
    assert_eq!(own, Some(json!([7, "µ"])));
    let Some(lines) = pymavlink::dump(&log.bytes) else { return };
    assert_eq!(lines[2]["values"], json!([7, "Âµ"]));
}

/// pymavlink's index ends at an id that no FMT defined.
#[test]
fn records_after_an_unknown_id_are_read_unlike_in_pymavlink() {
    let mut log = RawLog::new();
    log.fmt(1, "EV", "QB", "TimeUS,Id");
    for time_us in 0..5_u64 {
        log.record(1, &payload![time_us, 10_u8]);
    }
    let unknown_at = log.bytes.len();
    log.record(2, &[0; 20]);
    for time_us in 5..10_u64 {
        log.record(1, &payload![time_us, 10_u8]);
    }
    let own = Log::from_bytes(&log.bytes);
    assert_eq!(own.rows("EV").map(|rows| rows.times_us()), Ok((0..10).collect()));
    let skipped = own.skipped();
    assert_eq!(skipped.len(), 1);
    let [skipped] = skipped else { panic!("{skipped:?}") };
    assert_eq!((skipped.offset, skipped.length, skipped.reason), (unknown_at, 23, Reason::UnknownId(2)));
}
