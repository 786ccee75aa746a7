//! Records as the program's messages, where the log's definitions differ from the program's.

use binlog::field::Chars;
use binlog::log::{SelectError, TypedError};
use binlog::{
    DecodeError, Field, Format, Log, LogMessage, LogSchema, LogWriter, Mismatch, MismatchKind, encode, messages,
};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

#[derive(LogMessage, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, PartialEq, Debug)]
#[log(name = "ABC")]
#[repr(C, packed)]
struct Abc {
    time_us: u64,
    #[log(unit = "m", mult = 1e-2, allow(misleading_multiplier))]
    height: i32,
    #[log(unit = "deg")]
    angle: f64,
    name: Chars<16>,
}

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "KIND")]
#[repr(C, packed)]
struct Kind {
    time_us: u64,
    on: bool,
    colour: Colour,
}

#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(i16)]
enum Colour {
    Blue = -300,
    Green = 7,
}

#[derive(LogSchema, Clone, Copy, PartialEq, Debug)]
enum Schema {
    Abc(Abc),
    Kind(Kind),
}

const ID: u8 = 1;

fn abc(time_us: u64, height: i32) -> Abc {
    Abc { time_us, height, angle: f64::from(height) / 4.0, name: Chars::cut("name") }
}

/// A log that defines ABC in some way, with units and multipliers.
fn log(format: &str, labels: &str, units: &str, multipliers: &str) -> RawLog {
    let mut log = RawLog::with_units();
    log.fmt(ID, "ABC", format, labels).fmtu(ID, units, multipliers);
    log
}

fn typed(log: &Log<'_>) -> Vec<Abc> {
    let records = log.typed::<Abc>().expect("definitions that agree");
    assert_eq!(records.size_hint(), (records.size_hint().0, Some(records.size_hint().0)));
    let expected = records.size_hint().0;
    let typed: Vec<Abc> = records.map(|record| record.expect("values")).collect();
    assert_eq!(typed.len(), expected);
    let messages = log.messages::<Schema>().expect("definitions that agree");
    let messages: Vec<Schema> = messages.map(|message| message.expect("values")).collect();
    assert_eq!(messages, typed.iter().map(|&abc| Schema::Abc(abc)).collect::<Vec<_>>());
    typed
}

/// All differences, as `typed` and `messages` find them alike.
fn differences(log: &RawLog) -> Vec<MismatchKind> {
    let log = Log::from_bytes(&log.bytes);
    let by_type = log.typed::<Abc>().map(|_| ()).expect_err("definitions that differ");
    let by_schema = log.messages::<Schema>().map(|_| ()).expect_err("definitions that differ");
    assert_eq!(by_type, by_schema);
    let TypedError::Differs(mismatches) = by_type else { panic!("{by_type}") };
    assert!(mismatches.iter().all(|mismatch| mismatch.message == "ABC"));
    mismatches.into_iter().map(|mismatch| mismatch.kind).collect()
}

#[test]
fn an_equal_definition_is_read_in_place() -> Result<(), Box<dyn std::error::Error>> {
    let mut writer = LogWriter::<Schema, _>::new(Vec::new())?;
    let written: Vec<Abc> = (0..100).map(|i| abc(i, 10 * i as i32)).collect();
    for (i, abc) in written.iter().enumerate() {
        writer.write(abc)?;
        if i % 3 == 0 {
            writer.write(&Kind { time_us: i as u64, on: true, colour: Colour::Green })?;
        }
    }
    let bytes = writer.finish()?;
    let log = Log::from_bytes(&bytes);
    let records = log.typed_refs::<Abc>()?;
    assert_eq!(records.size_hint(), (100, Some(100)));
    let records: Vec<&Abc> = records.collect();
    assert!(records.iter().copied().eq(&written));
    // They are the log's own bytes.
    let at = records[7] as *const Abc as usize - bytes.as_ptr() as usize;
    assert_eq!(log.rows("ABC")?.records().nth(7).map(|record| record.offset() + 3), Some(at));
    assert!(log.typed::<Abc>()?.map(|abc| abc.expect("values")).eq(written.iter().copied()));
    let messages: Vec<Schema> = log.messages::<Schema>()?.collect::<Result<_, _>>()?;
    assert_eq!(messages.len(), 134);
    let is_green = |message: &&Schema| matches!(message, Schema::Kind(Kind { on: true, colour: Colour::Green, .. }));
    assert_eq!(messages.iter().filter(is_green).count(), 34);
    Ok(())
}

#[test]
fn columns_may_be_reordered_narrower_and_more() {
    let mut log = log("nfBhQ", "Name,Angle,More,Height,TimeUS", "-d-ms", "-0-BF");
    for i in 0..5_u8 {
        let height = -100 * i16::from(i);
        log.record(ID, &payload![*b"name", f32::from(height) / 4.0, i, height, u64::from(i)]);
    }
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(typed(&log), (0..5).map(|i| abc(i, -100 * i as i32)).collect::<Vec<_>>());
    // Not in place, though: the first difference is named.
    let refused = log.typed_refs::<Abc>().map(|_| ()).expect_err("it differs");
    assert!(refused.to_string().ends_with("; `Log::typed` reads such records by value"), "{refused}");
    let TypedError::NotInPlace(mismatches) = refused else { panic!("{refused}") };
    let label = MismatchKind::Label { expected: "TimeUS", found: Chars::cut("Name") };
    assert_eq!(mismatches, [Mismatch { message: "ABC", kind: label }]);
}

#[test]
fn narrower_integers_of_either_sign_keep_their_value() {
    for (format, cell, height) in [
        ("b", payload![-128_i8], -128),
        ("B", payload![255_u8], 255),
        ("h", payload![-300_i16], -300),
        ("H", payload![65_535_u16], 65_535),
        ("M", payload![200_u8], 200),
    ] {
        let mut log = log(&format!("Q{format}dN"), "TimeUS,Height,Angle,Name", "smd-", "FB0-");
        let rest = payload![f64::from(height) / 4.0, Chars::<16>::cut("name")];
        log.record(ID, &[payload![1_u64], cell, rest].concat());
        assert_eq!(typed(&Log::from_bytes(&log.bytes)), [abc(1, height)], "{format}");
    }
}

#[test]
fn a_record_longer_than_its_columns_is_read() {
    let mut log = RawLog::new();
    log.fmt_of_length(ID, 3 + 40, "ABC", "QidN", "TimeUS,Height,Angle,Name");
    let abc = abc(1, 8);
    log.record(ID, &[abc.as_bytes(), &[0xEE; 4]].concat());
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(typed(&log), [abc]);
    let Err(TypedError::NotInPlace(mismatches)) = log.typed_refs::<Abc>().map(|_| ()) else { panic!("it differs") };
    let length = MismatchKind::Length { expected: 39, found: 43 };
    assert_eq!(mismatches, [Mismatch { message: "ABC", kind: length }]);
}

#[test]
fn all_differences_that_lose_something_are_listed() {
    let mut log = log("QIfZ", "TimeUS,Height,Angle,Label", "snr-", "F00-");
    log.record(ID, &payload![1_u64, 1_u32, 1.0_f32, [0_u8; 64]]);
    let expected = [
        MismatchKind::Format { label: "Height", expected: Format::I32, found: b'I' },
        MismatchKind::Unit { label: "Height", expected: b'm', found: b'n' },
        MismatchKind::Multiplier { label: "Height", expected: b'B', found: b'0' },
        MismatchKind::Unit { label: "Angle", expected: b'd', found: b'r' },
        MismatchKind::Missing { label: "Name" },
    ];
    assert_eq!(differences(&log), expected);
    let text = Log::from_bytes(&log.bytes).typed::<Abc>().map(|_| ()).expect_err("it differs").to_string();
    assert_eq!(
        text,
        "ABC.Height has format `I` in this log, `i` in the program; ABC.Height has unit 'n' (m/s) in this log, 'm' (m) in \
         the program; ABC.Height has multiplier '0' (1) in this log, 'B' (0.01) in the program; ABC.Angle has unit 'r' \
         (rad) in this log, 'd' (deg) in the program; ABC has no column Name in this log, and its field has \
         no `default`"
    );
}

#[test]
fn each_definition_of_a_log_is_compared() {
    let mut log = log("QidN", "TimeUS,Height,Angle,Name", "smd-", "FB0-");
    log.record(ID, abc(1, 4).as_bytes());
    log.fmt(ID, "ABC", "QhfN", "TimeUS,Height,Angle,Name").fmtu(ID, "smd-", "FB0-");
    log.record(ID, &payload![2_u64, 8_i16, 2.0_f32, Chars::<16>::cut("name")]);
    log.fmt(ID, "ABC", "QidN", "TimeUS,Height,Angle,Name").fmtu(ID, "smd-", "FB0-");
    log.record(ID, abc(3, 12).as_bytes());
    assert_eq!(typed(&Log::from_bytes(&log.bytes)), [abc(1, 4), abc(2, 8), abc(3, 12)]);
    // Without records a definition does no harm.
    log.fmt(ID, "ABC", "Z", "Height");
    assert_eq!(typed(&Log::from_bytes(&log.bytes)).len(), 3);
    log.record(ID, &[0; 64]);
    let expected = [
        MismatchKind::Missing { label: "TimeUS" },
        MismatchKind::Format { label: "Height", expected: Format::I32, found: b'Z' },
        MismatchKind::Missing { label: "Angle" },
        MismatchKind::Missing { label: "Name" },
    ];
    assert_eq!(differences(&log), expected);
}

#[test]
fn units_are_compared_by_their_names_in_the_log() {
    // Ids of the log's own that mean the same.
    let mut same = log("QidN", "TimeUS,Height,Angle,Name", "sxd-", "Fy0-");
    same.unit('x', "m").mult('y', f64::from(0.01_f32)).record(ID, abc(1, 4).as_bytes());
    assert_eq!(typed(&Log::from_bytes(&same.bytes)), [abc(1, 4)]);
    // In place only under the same ids, too.
    assert!(Log::from_bytes(&same.bytes).typed_refs::<Abc>().is_err());
    // The standard ids, to which the log gives another meaning.
    let mut other = log("QidN", "TimeUS,Height,Angle,Name", "smd-", "FB0-");
    other.unit('m', "miles").mult('B', 10.0).record(ID, abc(1, 4).as_bytes());
    let expected = [
        MismatchKind::UnitName { label: "Height", expected: "m", found: Chars::cut("miles") },
        MismatchKind::MultiplierValue { label: "Height", expected: Chars::cut("0.01"), found: Chars::cut("10") },
    ];
    assert_eq!(differences(&other), expected);
    let Err(TypedError::Differs(mismatches)) = Log::from_bytes(&other.bytes).typed_refs::<Abc>().map(|_| ()) else {
        panic!("it differs")
    };
    assert_eq!(mismatches.iter().map(|mismatch| mismatch.kind).collect::<Vec<_>>(), expected);
}

#[test]
fn a_unit_that_one_side_lacks_is_no_difference() {
    for (units, multipliers) in [("----", "----"), ("s???", "F-??"), ("s#--", "F-0-"), ("", ""), ("sm", "F")] {
        let mut log = log("QidN", "TimeUS,Height,Angle,Name", units, multipliers);
        log.record(ID, abc(1, 4).as_bytes());
        assert_eq!(typed(&Log::from_bytes(&log.bytes)), [abc(1, 4)], "{units} {multipliers}");
    }
    // `?` is a multiplier: 1.
    let mut log = log("QidN", "TimeUS,Height,Angle,Name", "smd-", "F?0-");
    log.record(ID, abc(1, 4).as_bytes());
    assert_eq!(differences(&log), [MismatchKind::Multiplier { label: "Height", expected: b'B', found: b'?' }]);
}

#[test]
fn value_invalid_for_its_type_is_an_error_and_reading_goes_on() {
    let mut log = RawLog::new();
    log.fmt(ID, "KIND", "QBh", "TimeUS,On,Colour");
    for (on, colour) in [(0_u8, 7_i16), (2, 7), (1, -300), (1, 8), (255, 0)] {
        log.record(ID, &payload![1_u64, on, colour]);
    }
    let log = Log::from_bytes(&log.bytes);
    let kind = |on, colour| Kind { time_us: 1, on, colour };
    let error = |label| Err(DecodeError::Value { message: "KIND", label });
    let expected =
        [Ok(kind(false, Colour::Green)), error("On"), Ok(kind(true, Colour::Blue)), error("Colour"), error("On")];
    assert_eq!(log.typed::<Kind>().expect("definitions that agree").collect::<Vec<_>>(), expected);
    let messages = log.messages::<Schema>().expect("definitions that agree");
    assert_eq!(messages.collect::<Vec<_>>(), expected.map(|kind| kind.map(Schema::Kind)));
}

#[test]
fn a_message_that_the_log_lacks_is_an_error_but_not_in_a_schema() {
    let mut log = RawLog::new();
    log.fmt(ID, "EV", "QB", "TimeUS,Id").record(ID, &payload![1_u64, 10_u8]);
    let log = Log::from_bytes(&log.bytes);
    let no_type = || SelectError::NoType { name: "ABC".into(), known: vec!["FMT".into(), "EV".into()] };
    assert_eq!(log.typed::<Abc>().map(|_| ()), Err(TypedError::Select(no_type())));
    assert_eq!(log.typed_refs::<Abc>().map(|_| ()), Err(TypedError::Select(no_type())));
    assert_eq!(log.messages::<Schema>().map(Iterator::count), Ok(0));
    let events = log.typed::<messages::Ev>().expect("the log has it");
    assert_eq!(events.collect::<Vec<_>>(), [Ok(messages::Ev { time_us: 1, id: 10 })]);
    assert_eq!(log.typed::<messages::Fmt>().map(Iterator::count), Ok(2));
}

#[test]
fn messages_come_in_the_order_of_the_log_across_ids() {
    let mut log = Schema::PREAMBLE.to_vec();
    // ABC under a second id, with its columns the other way round.
    let mut second = RawLog::empty();
    second.fmt(9, "ABC", "NdiQ", "Name,Angle,Height,TimeUS");
    log.extend(&second.bytes);
    for i in 0..10 {
        let message = abc(i, i as i32);
        if i % 2 == 0 {
            let mut record = [0; 255];
            let length = encode::<Schema, _>(&message, &mut record).expect("room for any record");
            log.extend(&record[..length]);
        } else {
            let mut record = RawLog::empty();
            record.record(9, &payload![message.name, { message.angle }, { message.height }, i]);
            log.extend(&record.bytes);
        }
    }
    assert_eq!(typed(&Log::from_bytes(&log)), (0..10).map(|i| abc(i, i as i32)).collect::<Vec<_>>());
}

/// Roll became a float in the course of ArduPilot's releases, and positions are floats in many a program.
#[test]
fn what_the_format_scales_may_become_a_float() {
    #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
    #[log(name = "ABC")]
    #[repr(C, packed)]
    struct Floats {
        time_us: u64,
        #[log(unit = "deg")]
        roll: f32,
        #[log(unit = "m")]
        alt: f64,
        #[log(unit = "deglatitude")]
        lat: f64,
    }
    let mut log = log("QceL", "TimeUS,Roll,Alt,Lat", "sdmD", "FBBG");
    let values = [&7_u64.to_le_bytes()[..], &(-597_i16).to_le_bytes(), &48_801_i32.to_le_bytes()];
    log.record(ID, &[&values.concat()[..], &473_977_419_i32.to_le_bytes()].concat());
    let log = Log::from_bytes(&log.bytes);
    let read: Vec<_> = log.typed::<Floats>().expect("nothing is lost").collect();
    assert_eq!(read, [Ok(Floats { time_us: 7, roll: -5.97, alt: 488.01, lat: 47.397_741_9 })]);
}

const THIRD: binlog::Multiplier = binlog::Multiplier::custom('T', 1.0 / 3.0);

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "STEP")]
#[repr(C, packed)]
struct Steps {
    time_us: u64,
    #[log(unit = "m", mult = THIRD, allow(misleading_multiplier))]
    height: i32,
}

#[derive(LogSchema)]
enum StepLog {
    Step(Steps),
}

/// Readers round what MULT says to seven digits; the program's multiplier has more.
#[test]
fn a_program_reads_its_own_multiplier_of_a_third() {
    let steps = Steps { time_us: 1, height: 7 };
    let mut writer = LogWriter::<StepLog, _>::new(Vec::new()).expect("memory takes all");
    writer.write(&steps).expect("memory takes all");
    let log = Log::from_bytes(writer.finish().expect("memory takes all"));
    let read: Result<Vec<_>, _> = log.typed::<Steps>().expect("its own definition").collect();
    assert_eq!(read, Ok(vec![steps]));
}

#[test]
fn an_error_says_its_own_level_and_its_source_the_next() {
    let source = |error: &dyn std::error::Error| error.source().map(|source| source.to_string());
    let missing = Log::from_bytes(RawLog::new().bytes).typed::<Abc>().map(|_| ()).expect_err("it has no ABC");
    assert_eq!(missing.to_string(), "the log doesn't define the program's message `ABC`");
    assert_eq!(source(&missing).as_deref(), Some("the log has no type `ABC`; it has FMT"));
    let empty = Log::from_bytes(&[][..]).messages::<StepLog>().map(|_| ()).expect_err("it is empty");
    assert_eq!(empty.to_string(), "the log defines no messages");
    assert_eq!(source(&empty).as_deref(), Some("the log is empty"));
    let mut log = log("QifN", "TimeUS,Height,Angle,Name", "smd-", "FB0-");
    log.record(ID, &payload![1_u64, 1_i32, 1.0_f32, [0_u8; 16]]);
    let record = binlog::Records::new(&log.bytes).flatten().last().expect("a record");
    let differs = record.decode::<Abc>().expect_err("the angle is another");
    assert_eq!(differs.to_string(), "the log defines ABC differently from the program");
    assert_eq!(source(&differs).as_deref(), Some("ABC.Angle has format `f` in this log, `d` in the program"));
}
