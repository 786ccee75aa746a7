//! Chosen columns of one type, what they are without their values, and rows that keep their log.

use binlog::log::{Kind, Numbers, OwnedRows, SelectError, Values};
use binlog::{Log, Scaling};
use binlog_tests::raw_log::RawLog;
use binlog_tests::{any_bytes, logs, payload};
use std::sync::Arc;
use std::thread;

const SHOWN: Numbers = Numbers::Scaled(Scaling::Shown);

/// Attitudes in hundredths, two sensors, and a column that means centimetres.
fn log() -> RawLog {
    let mut log = RawLog::with_units();
    log.unit('d', "deg").unit('m', "m").unit('#', "instance").mult('B', 0.01).mult('F', 1e-6);
    log.descriptions(
        "<logformat name='ATT'><description>Attitude</description><fields><field name='Roll'>\
         <description>Roll angle</description></field></fields></logformat>\
         <logformat name='SNS'><fields><field name='I'><enum><element name='LEFT'><value>0</value></element>\
         </enum></field></fields></logformat>",
    );
    log.fmt(1, "ATT", "Qcfn", "TimeUS,Roll,Pitch,Name").fmtu(1, "sdd-", "F---");
    log.fmt(2, "SNS", "QBhI", "TimeUS,I,Dist,Raw").fmtu(2, "s#m-", "F-B-");
    for i in 0..4_u8 {
        log.record(1, &payload![u64::from(i), 150_i16 * i16::from(i), 0.5_f32, *b"ab\0\0"]);
        log.record(2, &payload![u64::from(i), i % 2, -7_i16, 9_u32]);
    }
    log
}

#[test]
fn columns_at_once_are_those_one_by_one() {
    for (name, bytes) in logs::all() {
        let log = Log::from_bytes(bytes);
        println!("{name}");
        for rows in log.types() {
            any_bytes::log::columns(&rows);
        }
    }
}

/// Times that a column of 32 bits doesn't say itself are not decoded from it, and its neighbours are.
#[test]
fn columns_beside_times_of_32_bits_have_their_values() {
    for (format, times) in [("I", [u32::MAX - 1, 5, 9]), ("i", [1, 2, 3])] {
        for definitions in 1..=2 {
            let mut log = RawLog::new();
            for id in 1..=definitions {
                log.fmt(id, "OLD", &format!("{format}{format}{format}B"), "TimeUS,A,B,C");
            }
            for (i, time_us) in (1..).zip(times) {
                log.record(1 + i % definitions, &payload![time_us, u32::from(i), 10 * u32::from(i), i]);
            }
            let log = Log::from_bytes(&log.bytes);
            let rows = log.rows("OLD").expect("a type");
            assert!(rows.times_us().is_sorted());
            any_bytes::log::columns(&rows);
            for numbers in [Numbers::Native, SHOWN, Numbers::F64(Scaling::Units)] {
                let columns = rows.columns(&rows.labels(), numbers).expect("columns");
                let of = |label: usize| (0..3).map(|row| columns[label].values().number(row)).collect::<Vec<_>>();
                assert_eq!(of(1), [Some(1.0), Some(2.0), Some(3.0)], "{format}, {definitions}");
                assert_eq!(of(2), [Some(10.0), Some(20.0), Some(30.0)], "{format}, {definitions}");
            }
        }
    }
}

#[test]
fn numbers_are_doubles_only_where_they_are_scaled() {
    let log = log();
    let log = Log::from_bytes(&log.bytes);
    let columns = |name: &str, numbers| {
        let rows = log.rows(name).expect("a type");
        let columns = rows.columns(&rows.labels(), numbers).expect("columns");
        columns.into_iter().map(|column| column.into_values()).collect::<Vec<_>>()
    };
    assert_eq!(
        columns("ATT", SHOWN)[..3],
        [
            Values::U64(vec![0, 1, 2, 3].into()),
            Values::F64(vec![0.0, 1.5, 3.0, 4.5].into()),
            Values::F32(vec![0.5; 4].into()),
        ]
    );
    assert_eq!(columns("SNS", SHOWN)[2], Values::I16(vec![-7; 4].into()), "pymavlink shows centimetres as they are");
    let in_units = columns("SNS", Numbers::Scaled(Scaling::Units));
    assert_eq!(in_units[0], Values::F64(vec![0.0, 1e-6, 2e-6, 3e-6].into()));
    assert_eq!(in_units[2..], [Values::F64(vec![-0.07; 4].into()), Values::U32(vec![9; 4].into())]);
    assert_eq!(columns("ATT", Numbers::Scaled(Scaling::Stored)), columns("ATT", Numbers::Native));
    assert_eq!(columns("ATT", SHOWN)[3].kind(), Kind::Text);
}

#[test]
fn only_the_chosen_columns_are_there_in_the_given_order() {
    let log = log();
    let log = Log::from_bytes(&log.bytes);
    let rows = log.rows("SNS[1]").expect("a sensor");
    let columns = rows.columns(&["Raw", "TimeUS"], SHOWN).expect("columns");
    let labels: Vec<&str> = columns.iter().map(|column| column.label()).collect();
    assert_eq!((labels, columns[1].values()), (vec!["Raw", "TimeUS"], &Values::U64(vec![1, 3].into())));
    assert_eq!(rows.columns::<&str>(&[], SHOWN).expect("nothing").len(), 0);
    let known = ["TimeUS", "I", "Dist", "Raw"].map(str::to_owned).to_vec();
    let error = SelectError::NoColumn { name: "SNS[1]".into(), label: "Row".into(), known };
    assert_eq!(rows.columns(&["Raw", "Row"], SHOWN).map(|columns| columns.len()), Err(error));
}

#[test]
fn a_schema_says_what_columns_are_without_their_values() {
    let log = log();
    let log = Log::from_bytes(&log.bytes);
    let schema = |name: &str, numbers| log.rows(name).expect("a type").schema(numbers).expect("a schema");
    let att = schema("ATT", SHOWN);
    assert_eq!((&*att.name, &*att.description), ("ATT", "Attitude"));
    let kinds: Vec<(&str, Kind)> = att.columns.iter().map(|column| (&*column.label, column.kind)).collect();
    assert_eq!(kinds, [("TimeUS", Kind::U64), ("Roll", Kind::F64), ("Pitch", Kind::F32), ("Name", Kind::Text)]);
    let roll = att.column("Roll").expect("a column");
    assert_eq!((&*roll.unit, roll.scale, &*roll.description), ("deg", 1.0, "Roll angle"));
    let sensors = schema("SNS[0]", SHOWN);
    assert_eq!((&*sensors.name, sensors.columns.iter().filter(|column| column.is_instance).count()), ("SNS", 1));
    let instance = sensors.column("I").expect("a column");
    assert!(instance.is_instance && instance.values[&0] == "LEFT");
    for (numbers, unit, scale, multiplier) in [
        (Numbers::Native, "cm", 1.0, Some(0.01)),
        (SHOWN, "cm", 1.0, Some(0.01)),
        (Numbers::F64(Scaling::Units), "m", 1.0, Some(0.01)),
    ] {
        let schema = schema("SNS", numbers);
        let column = schema.column("Dist").expect("a column");
        assert_eq!((&*column.unit, column.scale, column.multiplier), (unit, scale, multiplier));
    }
    let stored = schema("ATT", Numbers::Native);
    let stored = stored.column("Roll").expect("a column");
    assert_eq!((stored.kind, &*stored.unit, stored.scale), (Kind::I16, "deg", 0.01));
    let file = schema("FILE", SHOWN);
    assert_eq!(file.column("Data").map(|column| column.kind), Some(Kind::Bytes));
}

#[test]
fn columns_with_one_label_have_distinct_labels() {
    let mut log = RawLog::new();
    log.fmt(1, "DUP", "QBBB", "TimeUS,A,A,A_2").record(1, &payload![1_u64, 1_u8, 2_u8, 3_u8]);
    let log = Log::from_bytes(&log.bytes);
    let rows = log.rows("DUP").expect("a type");
    let schema = rows.schema(SHOWN).expect("a schema");
    let labels: Vec<&str> = schema.columns.iter().map(|column| &*column.label).collect();
    assert_eq!(labels, ["TimeUS", "A", "A_3", "A_2"]);
    let columns = rows.columns(&labels, SHOWN).expect("columns");
    let numbers: Vec<_> = columns.iter().map(|column| column.number(0, Scaling::Shown)).collect();
    assert_eq!(numbers, [1.0, 1.0, 2.0, 3.0].map(Some));
    assert_eq!(log.numbers("DUP.A_3", Scaling::Shown), Ok(vec![2.0]));
}

#[test]
fn columns_of_several_definitions_are_in_the_order_of_the_log() {
    let mut log = RawLog::new();
    log.fmt(1, "ABC", "QB", "TimeUS,A").record(1, &payload![1_u64, 1_u8]).record(1, &payload![2_u64, 2_u8]);
    log.fmt(1, "ABC", "BQH", "A,TimeUS,B").record(1, &payload![3_u8, 3_u64, 9_u16]);
    log.fmt(1, "ABC", "QB", "TimeUS,A").record(1, &payload![4_u64, 4_u8]);
    let log = Log::from_bytes(&log.bytes);
    let rows = log.rows("ABC").expect("a type");
    let values = |rows: &binlog::log::Rows<'_>| {
        let columns = rows.columns(&["A", "TimeUS"], SHOWN).expect("columns");
        columns.into_iter().map(|column| column.into_values()).collect::<Vec<_>>()
    };
    assert_eq!(values(&rows), [Values::U8(vec![1, 2, 3, 4].into()), Values::U64(vec![1, 2, 3, 4].into())]);
    assert_eq!(values(&rows.slice(1..3)), [Values::U8(vec![2, 3].into()), Values::U64(vec![2, 3].into())]);
    assert_eq!(values(&rows.slice(4..9)), [Values::U8(vec![].into()), Values::U64(vec![].into())]);
    let redefined = SelectError::Redefined { name: "ABC".into(), label: "B".into() };
    assert_eq!(rows.schema(SHOWN).map(|schema| schema.columns.len()), Err(redefined));
}

#[test]
fn the_records_of_a_time_are_those_of_its_boot() {
    let mut log = RawLog::new();
    log.fmt(1, "ABC", "QB", "TimeUS,A").fmt(2, "OLD", "B", "A");
    (1..5_u8).for_each(|i| _ = log.record(1, &payload![u64::from(i), i]).record(2, &payload![i]));
    // Another boot, in which OLD has another format.
    log.bytes.extend(RawLog::new().bytes);
    log.fmt(1, "ABC", "QB", "TimeUS,A").fmt(2, "OLD", "H", "A");
    (1..5_u8).for_each(|i| _ = log.record(1, &payload![u64::from(i), 10 + i]).record(2, &payload![u16::from(i)]));
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.boots().len(), 2);
    let [both, old] = ["ABC", "OLD"].map(|name| log.rows(name).expect("a type"));
    let during = |boots: &[&[std::ops::Range<u64>]]| {
        let boots: Vec<Vec<_>> = boots.iter().map(|intervals| intervals.to_vec()).collect();
        (both.during(&boots).numbers("A", Scaling::Shown).expect("numbers"), old.during(&boots))
    };
    let (numbers, old) = during(&[&[0..2, 4..9], &[3..4, 9..10]]);
    assert_eq!((numbers, old.len()), (vec![1.0, 4.0, 13.0], 3));
    assert!(old.schema(SHOWN).is_err(), "of both definitions");
    // The time of a record without one is the last before it, and the definition of the other boot isn't used.
    let (numbers, old) = during(&[&[2..3, 3..4]]);
    assert_eq!((numbers, old.numbers("A", Scaling::Shown)), (vec![2.0, 3.0], Ok(vec![2.0, 3.0])));
    let (numbers, old) = during(&[]);
    assert_eq!((numbers.len(), old.len(), old.definitions().count()), (0, 0, 2));
    // All of a boot.
    let all = log.rows("OLD").expect("a type");
    for (boot, first, kind) in [(0, 1.0, Kind::U8), (1, 11.0, Kind::U16)] {
        let numbers = both.of_boot(boot).numbers("A", Scaling::Shown).expect("numbers");
        assert_eq!(numbers, [0.0, 1.0, 2.0, 3.0].map(|more| first + more));
        let old = all.of_boot(boot);
        assert_eq!((old.len(), old.schema(SHOWN).expect("one definition").columns[0].kind), (4, kind));
    }
    assert!(both.of_boot(2).is_empty() && both.of_boot(usize::MAX).is_empty());
}

#[test]
fn a_long_type_is_decoded_by_several_threads() {
    let mut log = RawLog::new();
    log.fmt(1, "LONG", "QId", "TimeUS,A,B");
    let count = 400_000_u32;
    (0..count).for_each(|i| _ = log.record(1, &payload![u64::from(i), i, f64::from(i)]));
    assert!(log.bytes.len() > 8 << 20);
    let log = Log::from_bytes(&log.bytes);
    let columns = log.rows("LONG").expect("a type").columns(&["A", "B"], SHOWN).expect("columns");
    assert!(columns[0].values() == &Values::U32((0..count).collect()));
    assert!(columns[1].values() == &Values::F64((0..count).map(f64::from).collect()));
}

#[test]
fn rows_that_keep_their_log_outlive_it() {
    let log = Arc::new(Log::from_bytes(log().bytes));
    // The first request is answered without an index, the second one with it.
    for _ in 0..2 {
        let sensors = OwnedRows::new(log.clone(), |log| log.rows("SNS")).expect("a type");
        let right = sensors.select(|rows| rows.instance("1")).expect("an instance");
        assert_eq!((right.rows().name(), right.rows().times_us()), ("SNS[1]", vec![1, 3]));
        assert_eq!(format!("{right:?}"), r#"OwnedRows(Rows { name: "SNS[1]", len: 2, .. })"#);
    }
    assert!(OwnedRows::new(log.clone(), |log| log.rows("NONE")).is_err());
    let attitudes = OwnedRows::new(log.clone(), |log| log.rows("ATT")).expect("a type");
    drop(log);
    let of_thread = thread::spawn(move || attitudes.rows().numbers("Roll", Scaling::Shown));
    assert_eq!(of_thread.join().expect("no panic"), Ok(vec![0.0, 1.5, 3.0, 4.5]));
}
