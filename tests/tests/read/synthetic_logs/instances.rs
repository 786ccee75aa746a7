//! Columns that tell instances apart, of any type and in any place.

use super::assert_as_pymavlink;
use binlog::field::Chars;
use binlog::log::SelectError;
use binlog::{Log, Scaling, Value};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

/// A log of a type X whose column I is the instance, and a column V that counts.
fn log(format: &str, labels: &str, units: &str, payloads: &[Vec<u8>]) -> RawLog {
    let mut log = RawLog::with_units();
    log.unit('s', "s").unit('#', "instance").mult('F', 1e-6);
    let multipliers: String = units.chars().map(|unit| if unit == 's' { 'F' } else { '-' }).collect();
    log.fmt(1, "X", format, labels).fmtu(1, units, &multipliers);
    for payload in payloads {
        log.record(1, payload);
    }
    log
}

fn known(log: &Log<'_>) -> Vec<String> {
    let rows = log.rows("X").expect("the log has it");
    let known: Vec<String> = rows.instances().iter().map(Value::to_string).collect();
    let of_each: Vec<_> =
        rows.by_instance().map(|(instance, rows)| (instance.to_string(), rows.times_us(), rows.len())).collect();
    let of_one = |instance: &String| {
        let rows = rows.instance(instance).expect("an instance");
        (instance.clone(), rows.times_us(), rows.len())
    };
    assert_eq!(of_each, known.iter().map(of_one).collect::<Vec<_>>());
    known
}

fn values(log: &Log<'_>, instance: &str) -> Vec<f64> {
    log.numbers(&format!("X[{instance}].V"), Scaling::Stored).expect("an instance")
}

#[test]
fn an_instance_may_be_negative() {
    let payloads = [0_i8, -1, 5, -1, -128].map(|i| payload![1_u64, i, i]);
    let log = log("Qbb", "TimeUS,I,V", "s#-", &payloads);
    assert_as_pymavlink(&log);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(known(&log), ["-128", "-1", "0", "5"]);
    assert_eq!(values(&log, "-1"), [-1.0, -1.0]);
    assert_eq!(values(&log, "0"), [0.0]);
    // As numbers, not as texts.
    assert_eq!(values(&log, "+05"), [5.0]);
}

#[test]
fn an_instance_may_be_a_text() {
    let payloads = [("HAL", 1_u8), ("a.b", 2), ("HAL", 3), ("", 4), ("[0]", 5)];
    let payloads = payloads.map(|(name, value)| payload![1_u64, Chars::<16>::cut(name), value]);
    let log = log("QNB", "TimeUS,I,V", "s#-", &payloads);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(known(&log), ["", "HAL", "[0]", "a.b"]);
    assert_eq!(values(&log, "HAL"), [1.0, 3.0]);
    assert_eq!(values(&log, "a.b"), [2.0]);
    assert_eq!(values(&log, ""), [4.0]);
    assert_eq!(values(&log, "[0]"), [5.0]);
    let Err(SelectError::NoInstance { known, instance, .. }) = log.rows("X[hal]") else { panic!("no hal") };
    assert_eq!((instance.as_str(), known.len()), ("hal", 4));
}

#[test]
fn an_instance_may_be_four_bytes_long() {
    let payloads = [7_u32, 4_000_000_000, 7].map(|i| payload![1_u64, i, i]);
    let log = log("QII", "TimeUS,I,V", "s#-", &payloads);
    assert_as_pymavlink(&log);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(known(&log), ["7", "4000000000"]);
    assert_eq!(values(&log, "4000000000"), [4e9]);
}

#[test]
fn an_instance_need_not_be_the_second_column() {
    let payloads = [(1_u8, 0_u8), (2, 1), (3, 0)].map(|(value, i)| payload![1_u64, 500_u16, value, i]);
    let log = log("QHBB", "TimeUS,W,V,I", "s--#", &payloads);
    assert_as_pymavlink(&log);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(known(&log), ["0", "1"]);
    assert_eq!(values(&log, "0"), [1.0, 3.0]);
}

#[test]
fn an_instance_in_hundredths_is_what_is_shown() {
    let payloads = [150_i16, -25].map(|i| payload![1_u64, i, 1_u8]);
    let log = log("QcB", "TimeUS,I,V", "s#-", &payloads);
    let log = Log::from_bytes(&log.bytes);
    for instance in known(&log) {
        assert_eq!(values(&log, &instance), [1.0], "{instance}");
    }
    assert_eq!(known(&log), ["-0.25", "1.5"]);
}

#[test]
fn an_instance_may_be_any_column() {
    for (format, cell) in [
        ("f", payload![1.5_f32]),
        ("d", payload![-0.0_f64]),
        ("g", payload![0x3C00_u16]),
        ("L", payload![123_456_789_i32]),
        ("a", payload![[7_i16; 32]]),
        ("n", payload![*b"\xFFabc"]),
        ("Q", payload![u64::MAX]),
    ] {
        let log = log(&format!("Q{format}B"), "TimeUS,I,V", "s#-", &[[payload![1_u64], cell, payload![9_u8]].concat()]);
        let log = Log::from_bytes(&log.bytes);
        let [instance] = &known(&log)[..] else { panic!("{format}: {:?}", known(&log)) };
        assert_eq!(values(&log, instance), [9.0], "{format}: {instance}");
    }
}

#[test]
fn of_two_instance_columns_the_first_one_counts() {
    let payloads = [(1_u8, 8_u8), (2, 9)].map(|(i, other)| payload![1_u64, i, other, other]);
    let log = log("QBBB", "TimeUS,I,J,V", "s##-", &payloads);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(known(&log), ["1", "2"]);
    assert_eq!(values(&log, "2"), [9.0]);
}

#[test]
fn instances_survive_a_new_definition() {
    let mut log = log("QBB", "TimeUS,I,V", "s#-", &[payload![1_u64, 0_u8, 1_u8], payload![2_u64, 1_u8, 2_u8]]);
    log.fmt(1, "X", "QHBB", "TimeUS,W,I,V").fmtu(1, "s-#-", "F---");
    log.record(1, &payload![3_u64, 0_u16, 1_u8, 3_u8]).record(1, &payload![4_u64, 0_u16, 2_u8, 4_u8]);
    // Without units there are no instances.
    log.fmt(1, "X", "QBI", "TimeUS,I,V").record(1, &payload![5_u64, 1_u8, 5_u32]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(known(&log), ["0", "1", "2"]);
    assert_eq!(values(&log, "1"), [2.0, 3.0]);
    assert_eq!(log.rows("X[1]").map(|rows| rows.times_us()), Ok(vec![2, 3]));
    assert_eq!(log.rows("X").map(|rows| rows.times_us()), Ok(vec![1, 2, 3, 4, 5]));
}

#[test]
fn a_type_without_instances_says_so() {
    let log = log("QBB", "TimeUS,I,V", "s--", &[payload![1_u64, 0_u8, 1_u8]]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.rows("X[0]").map(|rows| rows.len()), Err(SelectError::NoInstances { name: "X".into() }));
    assert!(known(&log).is_empty());
    for name in ["X[", "X]", "[0]", "X[0", "X[0]]", "X.V[0]", "]["] {
        assert!(log.rows(name).is_err() && log.column(name).is_err(), "{name}");
    }
}
