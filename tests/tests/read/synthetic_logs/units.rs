//! Units and multipliers: custom, late and changed ones, and the numbers in them.

use super::assert_as_pymavlink;
use binlog::log::Column;
use binlog::{Log, Scaling};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

/// Unit, base unit and multiplier.
fn meaning(column: &Column) -> (&str, &str, Option<f64>) {
    (column.shown_unit(), column.unit(), column.multiplier())
}

#[test]
fn units_that_are_declared_after_their_use_are_known() {
    let mut log = RawLog::with_units();
    log.fmt(1, "ABC", "QHh", "TimeUS,A,B").fmtu(1, "sTd", "FxB").record(1, &payload![2_500_000_u64, 3_u16, -150_i16]);
    log.unit('s', "s").unit('T', "uT").unit('d', "deg");
    log.mult('F', 1e-6).mult('x', 12.0).mult('B', f64::from(0.01_f32));
    log.record(1, &payload![3_500_000_u64, 4_u16, 50_i16]);
    assert_as_pymavlink(&log);
    let log = Log::from_bytes(&log.bytes);
    for select in 0..2 {
        // The first one without an index, the second one with it.
        let column = log.column("ABC.A").expect("a column");
        assert_eq!(meaning(&column), ("12 uT", "uT", Some(12.0)), "{select}");
    }
    assert_eq!(meaning(&log.column("ABC.TimeUS").expect("a column")), ("µs", "s", Some(1e-6)));
    // Logs hold the double of a single-precision 0.01; it is meant as 0.01.
    assert_eq!(meaning(&log.column("ABC.B").expect("a column")), ("cdeg", "deg", Some(0.01)));
    assert_eq!(log.numbers("ABC.TimeUS", Scaling::Units), Ok(vec![2.5, 3.5]));
    assert_eq!(log.numbers("ABC.A", Scaling::Units), Ok(vec![36.0, 48.0]));
    assert_eq!(log.numbers("ABC.B", Scaling::Units), Ok(vec![-1.5, 0.5]));
    assert_eq!(log.numbers("ABC.B", Scaling::Shown), Ok(vec![-150.0, 50.0]));
}

#[test]
fn a_log_that_declares_no_units_means_the_standard_ones() {
    let mut log = RawLog::with_units();
    log.fmt(1, "ABC", "QHhLc", "TimeUS,A,B,C,D").fmtu(1, "sm?Dd", "F2-GB");
    log.record(1, &payload![0_u64, 3_u16, -150_i16, 10_000_000_i32, 250_i16]);
    let log = Log::from_bytes(&log.bytes);
    let tables = log.tables();
    let table = tables.iter().find(|table| table.name() == "ABC").expect("it has a record");
    let units: Vec<_> = table.columns().iter().map(meaning).collect();
    let expected = [
        ("µs", "s", Some(1e-6)),
        ("100 m", "m", Some(100.0)),
        ("UNKNOWN", "UNKNOWN", None),
        ("deglatitude", "deglatitude", Some(1e-7)),
        ("deg", "deg", Some(0.01)),
    ];
    assert_eq!(units, expected);
    // What the format scales is not scaled again.
    let numbers: Vec<_> = table.columns().iter().filter_map(|column| column.number(0, Scaling::Units)).collect();
    assert_eq!(numbers, [0.0, 300.0, -150.0, 1.0, 2.5]);
}

#[test]
fn a_unit_that_changes_applies_from_where_it_is_declared() {
    let mut log = RawLog::with_units();
    log.unit('x', "first").mult('y', 2.0);
    log.fmt(1, "OLD", "QB", "TimeUS,A").fmtu(1, "-x", "-y").record(1, &payload![0_u64, 1_u8]);
    log.unit('x', "second").mult('y', 3.0);
    log.fmt(2, "NEW", "QB", "TimeUS,A").fmtu(2, "-x", "-y").record(2, &payload![0_u64, 1_u8]);
    log.record(1, &payload![0_u64, 1_u8]);
    let log = Log::from_bytes(&log.bytes);
    for _ in 0..2 {
        assert_eq!(meaning(&log.column("OLD.A").expect("a column")), ("2 first", "first", Some(2.0)));
        assert_eq!(meaning(&log.column("NEW.A").expect("a column")), ("3 second", "second", Some(3.0)));
    }
    assert_eq!(log.numbers("OLD.A", Scaling::Units), Ok(vec![2.0, 2.0]));
    assert_eq!(log.numbers("NEW.A", Scaling::Units), Ok(vec![3.0]));
}

#[test]
fn columns_without_a_unit_id_have_no_unit() {
    let mut log = RawLog::with_units();
    log.unit('s', "s").mult('F', 1e-6);
    // Two ids for three columns.
    log.fmt(1, "ABC", "QBB", "TimeUS,A,B").fmtu(1, "s-", "F-").record(1, &payload![0_u64, 1_u8, 2_u8]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(meaning(&log.column("ABC.TimeUS").expect("a column")), ("µs", "s", Some(1e-6)));
    assert_eq!(meaning(&log.column("ABC.A").expect("a column")), ("", "", None));
    assert_eq!(meaning(&log.column("ABC.B").expect("a column")), ("", "", None));
}

#[test]
fn an_fmtu_without_an_id_or_texts_is_ignored() {
    for (format, labels) in [("QNN", "TimeUS,UnitIds,MultIds"), ("QBII", "TimeUS,FmtType,UnitIds,MultIds")] {
        let mut log = RawLog::new();
        log.fmt(2, "FMTU", format, labels).fmt(1, "ABC", "QB", "TimeUS,A");
        log.record(2, &[1; 40][..if format == "QNN" { 40 } else { 17 }]).record(1, &payload![0_u64, 1_u8]);
        let log = Log::from_bytes(&log.bytes);
        let abc = log.rows("ABC").expect("the log has it");
        assert_eq!(abc.definitions().map(|definition| definition.unit_ids()).collect::<Vec<_>>(), [None]);
        assert!(abc.instance("1").is_err());
    }
}

/// Two flights in one file, of firmware that means other units by the same ids.
#[test]
fn each_of_two_boots_has_its_own_units() {
    let boot = |unit: &str, multiplier: f64, time_us: u64| {
        let mut log = RawLog::with_units();
        log.unit('k', unit).mult('k', multiplier).fmt(10, "ATT", "QH", "TimeUS,X").fmtu(10, "sk", "Fk");
        log.record(10, &payload![time_us, 100_u16]);
        log.bytes
    };
    let log = [boot("furlong", 0.5, 1), boot("mile", 0.25, 2)].concat();
    let log = Log::from_bytes(&log);
    let rows = log.rows("ATT").expect("the log has it");
    let by_boot: Vec<_> = rows.by_definition().map(|boot| boot.column("X").expect("a column")).collect();
    let shown: Vec<_> = by_boot.iter().map(|column| (column.unit(), column.to_f64(Scaling::Units))).collect();
    assert_eq!(shown, [("furlong", Some(vec![50.0])), ("mile", Some(vec![25.0]))]);
    assert!(rows.column("X").is_err(), "as one column they would be mistaken");
    // The same firmware twice is one definition.
    let log = [boot("mile", 0.25, 1), boot("mile", 0.25, 2)].concat();
    assert_eq!(Log::from_bytes(&log).numbers("ATT.X", Scaling::Units), Ok(vec![25.0, 25.0]));
}
