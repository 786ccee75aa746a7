//! Flattened fields: logs of a message with them and of one with the same columns written out are the same, to us and
//! to pymavlink.

use binlog::field::Centi;
use binlog::lock::Lock;
use binlog::{
    ColumnDefinition, Columns, Decoder, Format, Log, LogMessage, LogSchema, LogWriter, LoggedSchema, Multiplier,
    Records, Unit,
};
use binlog_tests::pymavlink::{self, float};
use proptest::prelude::*;
use serde_json::json;
use std::panic::Location;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A vector in the body's frame.
#[derive(Columns, IntoBytes, Immutable, FromBytes, KnownLayout, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Vector3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Columns, IntoBytes, Immutable, FromBytes, KnownLayout, Clone, Copy, PartialEq, Debug)]
#[repr(C, packed)]
struct Sample {
    #[log(flatten, unit = "rad/s")]
    gyro: Vector3,
    #[log(unit = "degC")]
    temperature: Centi<i16>,
}

#[derive(LogMessage, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned, Clone, Copy, PartialEq, Debug)]
#[log(name = "IMU")]
#[repr(C, packed)]
struct Nested {
    time_us: u64,
    #[log(instance)]
    i: u8,
    #[log(flatten, prefix = "")]
    sample: Sample,
    #[log(flatten, prefix = "C", unit = "us")]
    channels: [u16; 4],
}

#[derive(LogMessage, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned, Clone, Copy, PartialEq, Debug)]
#[log(name = "IMU")]
#[repr(C, packed)]
struct Flat {
    time_us: u64,
    #[log(instance)]
    i: u8,
    #[log(unit = "rad/s")]
    gyro_x: f32,
    #[log(unit = "rad/s")]
    gyro_y: f32,
    #[log(unit = "rad/s")]
    gyro_z: f32,
    #[log(unit = "degC")]
    temperature: Centi<i16>,
    #[log(unit = "us")]
    c1: u16,
    #[log(unit = "us")]
    c2: u16,
    #[log(unit = "us")]
    c3: u16,
    #[log(unit = "us")]
    c4: u16,
}

#[derive(LogSchema, Clone, Copy, PartialEq, Debug)]
enum NestedLog {
    Imu(Nested),
}

#[derive(LogSchema)]
enum FlatLog {
    Imu(Flat),
}

impl Flat {
    fn of(nested: &Nested) -> Self {
        let Nested { time_us, i, sample: Sample { gyro, temperature }, channels: [c1, c2, c3, c4] } = *nested;
        let Vector3 { x: gyro_x, y: gyro_y, z: gyro_z } = gyro;
        Flat { time_us, i, gyro_x, gyro_y, gyro_z, temperature, c1, c2, c3, c4 }
    }
}

fn nested() -> impl Strategy<Value = Nested> {
    // Times that fit into a day, so that pymavlink doesn't lose digits.
    let values = (0..86_400_000_000u64, any::<u8>(), any::<[f32; 3]>(), any::<i16>(), any::<[u16; 4]>());
    values.prop_map(|(time_us, i, [x, y, z], temperature, channels)| {
        let sample = Sample { gyro: Vector3 { x, y, z }, temperature: Centi::from_raw(temperature) };
        Nested { time_us, i, sample, channels }
    })
}

fn log(records: &[Nested]) -> Vec<u8> {
    let mut log = LogWriter::<NestedLog, _>::new(Vec::new()).expect("a Vec takes everything");
    for record in records {
        log.write(record).expect("a Vec takes everything");
    }
    log.finish().expect("a Vec takes everything")
}

#[test]
fn the_preamble_is_that_of_the_columns_written_out() {
    assert_eq!(NestedLog::PREAMBLE, FlatLog::PREAMBLE);
    assert_eq!(Nested::DEFINITION.to_string(), Flat::DEFINITION.to_string());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_reader_returns_what_was_written(records in prop::collection::vec(nested(), 1..20)) {
        let bytes = log(&records);
        let mut flat = LogWriter::<FlatLog, _>::new(Vec::new()).expect("a Vec takes everything");
        for record in &records {
            flat.write(&Flat::of(record)).expect("a Vec takes everything");
        }
        prop_assert_eq!(&bytes, &flat.finish().expect("a Vec takes everything"));

        let mut decoder = Decoder::<NestedLog>::new();
        let decoded = Records::new(&bytes).flatten().filter_map(|record| decoder.decode(&record).expect("a record"));
        let expected: Vec<&[u8]> = records.iter().map(Nested::wire).collect();
        // Bytes, because a NaN doesn't equal itself.
        let wire = |NestedLog::Imu(record): NestedLog| record.wire().to_vec();
        prop_assert_eq!(decoded.map(wire).collect::<Vec<_>>(), expected.clone());
        let log = Log::from_bytes(bytes);
        let typed = log.typed::<Nested>().expect("the program's own").map(|record| record.expect("valid").wire().to_vec());
        prop_assert_eq!(typed.collect::<Vec<_>>(), expected.clone());
        let messages = log.messages::<NestedLog>().expect("the program's own").map(|record| wire(record.expect("valid")));
        prop_assert_eq!(messages.collect::<Vec<_>>(), expected.clone());
        let references = log.typed_refs::<Nested>().expect("the program's own").map(Nested::wire);
        prop_assert_eq!(references.collect::<Vec<_>>(), expected);
        prop_assert_eq!(log.typed_refs::<Flat>().expect("the same definition").count(), records.len());
    }

    #[test]
    fn no_payload_panics(payload in prop::collection::vec(any::<u8>(), 0..60)) {
        let decoded = Nested::decode(&payload).map(|record| record.wire().to_vec());
        prop_assert_eq!(decoded.is_ok(), payload.len() == Nested::DEFINITION.length() - 3);
        prop_assert!(decoded.is_err() || decoded == Ok(payload));
    }
}

#[test]
fn pymavlink_reads_the_joined_labels() {
    let sample = Sample { gyro: Vector3 { x: 0.5, y: -1.5, z: 2.25 }, temperature: Centi::from_raw(2150) };
    let record = Nested { time_us: 1_000_000, i: 2, sample, channels: [1000, 1500, 1600, 2000] };
    let Some(lines) = pymavlink::dump(&log(&[record])) else { return };
    let imu = lines.iter().find(|line| line["type"] == "IMU").expect("pymavlink reads the record");
    let labels = ["TimeUS", "I", "GyroX", "GyroY", "GyroZ", "Temperature", "C1", "C2", "C3", "C4"];
    assert_eq!(imu["labels"], json!(labels));
    assert_eq!(imu["instance"], json!(2));
    let values = json!([1_000_000, 2, float(0.5), float(-1.5), float(2.25), float(21.5), 1000, 1500, 1600, 2000]);
    assert_eq!(imu["values"], values);
    assert_eq!([&imu["units"][3], &imu["units"][7]], ["rad/s", "us"]);
}

#[test]
fn the_generated_source_has_the_columns_written_out() {
    let bytes = log(&[]);
    let schema = LoggedSchema::from_bytes(&bytes);
    let rust = schema.to_rust();
    assert!(rust.left_out.is_empty(), "{:?}", rust.left_out);
    for label in ["gyro_x: f32", "gyro_z: f32", "temperature: Centi<i16>", "c4: u16"] {
        assert!(rust.source.contains(label), "{label} in\n{}", rust.source);
    }
}

/// The message before it had a gyroscope and four channels.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
#[log(name = "IMU")]
#[repr(C, packed)]
struct First {
    time_us: u64,
    #[log(instance)]
    i: u8,
    #[log(unit = "degC")]
    temperature: Centi<i16>,
}

/// Today's, with a default for each field that the first one lacks: of a field of a struct, of a struct, and of arrays.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "IMU")]
#[repr(C, packed)]
struct WithDefaults {
    time_us: u64,
    #[log(instance)]
    i: u8,
    #[log(flatten, unit = "rad/s", default = Self::AT_REST)]
    gyro: Vector3,
    #[log(flatten, prefix = "")]
    chip: Chip,
    #[log(flatten, prefix = "C", unit = "us", default = [900, 901, 902, 903])]
    channels: [u16; 4],
    #[log(flatten, prefix = "R", default)]
    rest: [u8; 2],
}

impl WithDefaults {
    const AT_REST: Vector3 = Vector3 { x: 1.0, y: 2.0, z: -3.0 };
}

#[derive(Columns, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(C, packed)]
struct Chip {
    #[log(unit = "degC")]
    temperature: Centi<i16>,
    #[log(default = 7)]
    kind: u32,
}

#[derive(LogSchema)]
enum FirstLog {
    Imu(First),
}

#[test]
fn flattened_fields_have_their_defaults_in_older_logs() {
    let mut log = LogWriter::<FirstLog, _>::new(Vec::new()).expect("memory takes all");
    log.write(&First { time_us: 5, i: 1, temperature: Centi::from_raw(2150) }).expect("memory takes all");
    let log = Log::from_bytes(log.finish().expect("memory takes all"));
    let read: Vec<_> = log.typed::<WithDefaults>().expect("defaults").map(|it| it.expect("a value")).collect();
    let expected = WithDefaults {
        time_us: 5,
        i: 1,
        gyro: WithDefaults::AT_REST,
        chip: Chip { temperature: Centi::from_raw(2150), kind: 7 },
        channels: [900, 901, 902, 903],
        rest: [0; 2],
    };
    assert_eq!(read, [expected]);
}

#[test]
fn change_of_a_flattened_column_is_told_at_both_fields() {
    let mut lock = Lock::of::<NestedLog>();
    lock.release("1.0").expect("a name");
    let released = lock.to_string().replacen("IMU.GyroY f rad/s", "IMU.GyroY f deg/s", 1);
    assert_ne!(released, lock.to_string());
    let check = released.parse::<Lock>().expect("a lock").check::<NestedLog>();
    let change = &check.violations()[0].change;
    let (field, own) = (change.flattened_at.expect("it is flattened"), change.place.expect("a program's"));
    let line = |place: &Location<'_>| include_str!("nested.rs").lines().nth(place.line() as usize - 1).map(str::trim);
    assert_eq!((line(field), line(own)), (Some("sample: Sample,"), Some("y: f32,")));
    let text = check.to_string();
    assert!(text.contains(&format!("\n  at {field} (flattened; the column's own field is at {own}), line ")), "{text}");
}

/// Implemented by hand: it refuses, and leaves more bytes than there were.
#[derive(IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Lying {
    value: u8,
}

impl Columns for Lying {
    const COLUMNS: &'static [ColumnDefinition] =
        &[ColumnDefinition::new("Value", Format::U8, Unit::NONE, Multiplier::NONE)];

    fn read(rest: &mut &[u8]) -> Option<Self> {
        *rest = &[0; 400];
        None
    }
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "LIE")]
#[repr(C, packed)]
struct OfLying {
    time_us: u64,
    #[log(flatten)]
    lying: Lying,
}

#[test]
fn columns_that_leave_other_bytes_are_an_error() {
    assert!(OfLying::decode(&[0; 9]).is_err());
}
