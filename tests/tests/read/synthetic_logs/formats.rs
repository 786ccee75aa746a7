//! Every format character, and the native type of its column.

use super::assert_as_pymavlink;
use binlog::field::Chars;
use binlog::log::Values;
use binlog::{Log, Scaling, Value};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

const NUMBERS: u8 = 1;
const OTHERS: u8 = 2;

fn definitions() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(NUMBERS, "NUM", "bBMhHiIqQcCeELgf", "b,B,M,h,H,i,I,q,Q,c,C,e,E,L,g,f");
    log.fmt(OTHERS, "REST", "dnNZa", "d,n,N,Z,a");
    log
}

/// Payloads of both, of random bytes: all bits of each column take all values, and text is anything but NUL at first.
fn random_log() -> RawLog {
    let mut log = definitions();
    let mut state = 1_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    for i in 0..1000 {
        let mut numbers: Vec<u8> = (0..53).map(|_| byte()).collect();
        // What every format has at its ends.
        if let Some(&extreme) = [0, 0xFF, 0x80, 0x7F].get(i) {
            numbers.fill(extreme);
        }
        // pymavlink reads a mode signed.
        numbers[2] &= 0x7F;
        log.record(NUMBERS, &numbers);
        let mut others: Vec<u8> = (0..156).map(|_| byte()).collect();
        for text in [8..12, 12..28, 28..92] {
            let end = text.start + usize::from(byte()) % (text.len() + 1);
            others[text.start..end].iter_mut().for_each(|byte| *byte = (*byte).max(1));
            others[end..text.end].fill(0);
        }
        log.record(OTHERS, &others);
    }
    log
}

#[test]
fn pymavlink_reads_random_bytes_in_every_format_alike() {
    assert_as_pymavlink(&random_log());
}

#[test]
fn a_column_has_the_type_that_it_is_stored_in() {
    let mut log = definitions();
    let integers = payload![-1_i8, 255_u8, 127_u8, -300_i16, 65_535_u16, -70_000_i32, 4_294_967_295_u32];
    let long = payload![i64::MIN, u64::MAX];
    let hundredths = payload![-32_768_i16, 65_535_u16, i32::MIN, u32::MAX];
    log.record(NUMBERS, &[integers, long, hundredths, payload![i32::MIN, 0x3C01_u16, f32::MAX]].concat());
    let samples: [i16; 32] = std::array::from_fn(|i| i as i16 * -1000);
    let texts = payload![*b"\xC2\xB5s\0", *b"sixteen bytes : ", Chars::<64>::cut("up to the first NUL")];
    log.record(OTHERS, &[payload![-0.0_f64], texts, payload![samples]].concat());
    let log = Log::from_bytes(&log.bytes);
    let tables = log.tables();
    let numbers: Vec<&Values> = tables[1].columns().iter().map(|column| column.values()).collect();
    let expected = [
        Values::I8(vec![-1].into()),
        Values::U8(vec![255].into()),
        Values::U8(vec![127].into()),
        Values::I16(vec![-300].into()),
        Values::U16(vec![65_535].into()),
        Values::I32(vec![-70_000].into()),
        Values::U32(vec![u32::MAX].into()),
        Values::I64(vec![i64::MIN].into()),
        Values::U64(vec![u64::MAX].into()),
        Values::I16(vec![-32_768].into()),
        Values::U16(vec![65_535].into()),
        Values::I32(vec![i32::MIN].into()),
        Values::U32(vec![u32::MAX].into()),
        Values::I32(vec![i32::MIN].into()),
        Values::F32(vec![1.000_976_6].into()),
        Values::F32(vec![f32::MAX].into()),
    ];
    assert_eq!(numbers, expected.iter().collect::<Vec<_>>());
    let shown = |label: &str| tables[1].column(label).and_then(|column| column.number(0, Scaling::Shown));
    assert_eq!(["c", "C", "e", "E"].map(shown), [-327.68, 655.35, -21_474_836.48, 42_949_672.95].map(Some));
    assert_eq!(shown("L"), Some(-214.748_364_8));
    // Beyond 2^53 a number is rounded; the column's own values are not.
    assert_eq!(shown("Q"), Some(18_446_744_073_709_551_615.0));
    let rest: Vec<_> = tables[2].columns().iter().map(|column| column.get(0).expect("a record")).collect();
    assert!(matches!(rest[0], Value::Float(zero) if zero.to_bits() == (-0.0_f64).to_bits()));
    let texts: Vec<String> = rest[1..4].iter().map(Value::to_string).collect();
    assert_eq!(texts, ["µs", "sixteen bytes : ", "up to the first NUL"]);
    assert_eq!(rest[4], Value::Samples(samples));
    for label in ["n", "N", "Z", "a"] {
        assert_eq!(tables[2].column(label).and_then(|column| column.to_f64(Scaling::Shown)), None, "{label}");
        assert!(log.numbers(&format!("REST.{label}"), Scaling::Stored).is_err(), "{label}");
    }
}

/// ArduPilot marks what has no value by quiet NaNs with a payload of their own.
#[test]
fn nans_keep_their_payload() {
    let mut log = RawLog::new();
    log.fmt(1, "NAN", "fd", "f,d");
    let (single, double) = (f32::from_bits(0x7FC0_4152), f64::from_bits(0x7FF9_5244_5550_490A));
    log.record(1, &payload![single, double]).record(1, &payload![-f32::NAN, f64::NAN]);
    assert_as_pymavlink(&log);
    let log = Log::from_bytes(&log.bytes);
    let bits = |name: &str| -> Vec<u64> {
        log.numbers(name, Scaling::Shown).expect("numbers").into_iter().map(f64::to_bits).collect()
    };
    assert_eq!(bits("NAN.f"), [f64::from(single).to_bits(), (-f64::from(f32::NAN)).to_bits()]);
    assert_eq!(bits("NAN.d"), [double.to_bits(), f64::NAN.to_bits()]);
}

#[test]
fn every_half_precision_float_is_read_without_loss() {
    let mut log = RawLog::new();
    log.fmt(1, "HALF", "Qg", "TimeUS,X");
    (0..=u16::MAX).for_each(|bits| {
        log.record(1, &payload![u64::from(bits), bits]);
    });
    let log = Log::from_bytes(log.bytes);
    let column = log.numbers("HALF.X", Scaling::Shown).expect("a column");
    let values = log.records().flatten().filter_map(|record| record.value("X")?.to_f64());
    let expected: Vec<f64> = (0..=u16::MAX).map(|bits| half::f16::from_bits(bits).to_f64()).collect();
    let bits = |numbers: &[f64]| -> Vec<Option<u64>> {
        numbers.iter().map(|number| (!number.is_nan()).then_some(number.to_bits())).collect()
    };
    assert_eq!(bits(&column), bits(&expected));
    assert_eq!(bits(&values.collect::<Vec<f64>>()), bits(&expected));
}

#[test]
fn a_column_is_as_long_as_its_type_has_records() {
    let mut log = RawLog::new();
    log.fmt(1, "A", "QB", "TimeUS,X").fmt(2, "B", "QB", "TimeUS,X").record(1, &payload![7_u64, 9_u8]);
    let log = Log::from_bytes(log.bytes);
    let is = |name| log.column(name).map(|column| (column.len(), column.is_empty())).expect("a column");
    assert_eq!(is("A.X"), (1, false));
    assert_eq!(is("B.X"), (0, true));
}
