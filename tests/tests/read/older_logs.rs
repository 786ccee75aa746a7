//! Logs of older releases, read by today's structs: aliases, defaults, and the reports of what is in the way.

use binlog::compatibility::ChangeKind;
use binlog::compatibility::{can_be_read_by, can_read};
use binlog::field::{Chars, FlightMode, NO_VALUE_F32};
use binlog::lock::Lock;
use binlog::log::TypedError;
use binlog::messages::{Gps, GpsStatus, Mode, Msg, Parm, VehicleType, Ver};
use binlog::{
    DecodeError, Decoder, Field, Format, Log, LogMessage, LogSchema, LogWriter, MismatchKind, Records, messages,
};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use proptest::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// As the first release logged it.
mod first {
    use super::*;

    #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
    #[log(name = "MOT")]
    #[repr(C, packed)]
    pub(crate) struct Engine {
        pub(crate) time_us: u64,
        pub(crate) turns: u16,
        #[log(unit = "degC")]
        pub(crate) temp: f32,
    }

    #[derive(LogSchema)]
    pub(crate) enum FlightLog {
        Mot(Engine),
    }
}

/// As the second release logged it.
mod second {
    use super::*;

    #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
    #[log(name = "ENG")]
    #[repr(C, packed)]
    pub(crate) struct Engine {
        pub(crate) time_us: u64,
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) revolutions: u32,
        pub(crate) on: bool,
    }

    #[derive(LogSchema)]
    pub(crate) enum FlightLog {
        Eng(Engine),
    }
}

#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(u8)]
enum State {
    Idle = 3,
    Running = 4,
}

/// Today's.
#[derive(LogMessage, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, PartialEq, Debug)]
#[log(name = "ENG", alias = "PROP", alias = "MOT")]
#[repr(C, packed)]
struct Engine {
    time_us: u64,
    #[log(alias = "Turns", alias = "Revolutions")]
    rev: u64,
    #[log(unit = "degC", default = -300.0)]
    oil: f32,
    #[log(unit = "degC")]
    temp: f64,
    #[log(default)]
    on: u8,
    #[log(default = Chars::from_raw(*b"none"))]
    fuel: Chars<4>,
}

/// With what can't be read in place.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "STAT", alias = "ENG", alias = "MOT")]
#[repr(C, packed)]
struct Status {
    time_us: u64,
    #[log(default)]
    on: bool,
    #[log(default = State::Running)]
    state: State,
}

#[derive(LogSchema, Clone, Copy, PartialEq, Debug)]
enum FlightLog {
    Eng(Engine),
    Msg(Msg),
}

fn engine(time_us: u64, rev: u64, on: bool) -> Engine {
    Engine { time_us, rev, oil: -300.0, temp: 21.5, on: on.into(), fuel: Chars::from_raw(*b"none") }
}

fn log_of_first() -> Log<'static> {
    let mut log = LogWriter::<first::FlightLog, _>::new(Vec::new()).expect("memory takes all");
    log.write(&first::Engine { time_us: 1, turns: 700, temp: 21.5 }).expect("memory takes all");
    Log::from_bytes(log.finish().expect("memory takes all"))
}

fn log_of_second() -> Log<'static> {
    let mut log = LogWriter::<second::FlightLog, _>::new(Vec::new()).expect("memory takes all");
    let record = second::Engine { time_us: 2, temp: 21.5, revolutions: 70_000, on: true };
    log.write(&record).expect("memory takes all");
    Log::from_bytes(log.finish().expect("memory takes all"))
}

#[test]
fn todays_struct_reads_the_logs_of_two_older_releases() -> Result<(), TypedError> {
    for (log, expected) in [(log_of_first(), engine(1, 700, false)), (log_of_second(), engine(2, 70_000, true))] {
        assert_eq!(log.typed::<Engine>()?.collect::<Vec<_>>(), [Ok(expected)]);
        assert_eq!(log.messages::<FlightLog>()?.collect::<Vec<_>>(), [Ok(FlightLog::Eng(expected))]);
        assert!(can_read::<FlightLog>(&log).is_ok());
        assert!(can_read::<FlightLog>(&log.schema()).is_ok());
    }
    assert!(can_read::<FlightLog>(&Lock::of::<first::FlightLog>()).is_ok());
    // One log after the other: each definition is read by itself.
    let both = [log_of_first().bytes(), log_of_second().bytes()].concat();
    let both = Log::from_bytes(both);
    let read: Vec<_> = both.typed::<Engine>()?.collect();
    assert_eq!(read, [Ok(engine(1, 700, false)), Ok(engine(2, 70_000, true))]);
    Ok(())
}

#[test]
fn a_default_is_a_bool_and_an_enum_too() {
    let status = |on: bool, state| Ok(Status { time_us: 2 - u64::from(!on), on, state });
    let read = |log: Log<'_>| log.typed::<Status>().expect("nothing is lost").collect::<Vec<_>>();
    assert_eq!(read(log_of_first()), [status(false, State::Running)]);
    assert_eq!(read(log_of_second()), [status(true, State::Running)]);
    assert_ne!(State::Idle, State::Running);
}

#[test]
fn todays_label_and_name_come_before_older_ones() {
    let mut log = RawLog::new();
    log.fmt(1, "ENG", "QHIff", "TimeUS,Turns,Rev,Temp,Oil");
    log.record(1, &payload![1_u64, 5_u16, 6_u32, 21.5_f32, 80.0_f32]);
    let log = Log::from_bytes(log.bytes);
    let read: Vec<_> = log.typed::<Engine>().expect("nothing is lost").collect();
    assert_eq!(read, [Ok(Engine { oil: 80.0, ..engine(1, 6, false) })]);
    // The first of two aliases.
    let mut log = RawLog::new();
    log.fmt(1, "ENG", "QIHf", "TimeUS,Revolutions,Turns,Temp");
    log.record(1, &payload![1_u64, 6_u32, 5_u16, 21.5_f32]);
    let log = Log::from_bytes(log.bytes);
    assert_eq!(log.typed::<Engine>().expect("nothing is lost").collect::<Vec<_>>(), [Ok(engine(1, 5, false))]);
}

#[test]
fn an_alias_means_what_todays_column_means() {
    let mut log = RawLog::with_units();
    log.fmt(1, "ENG", "QhIf", "TimeUS,Turns,Oil,Temp").fmtu(1, "s-rr", "F-00");
    let log = Log::from_bytes(log.bytes);
    let Err(TypedError::Differs(mismatches)) = log.typed::<Engine>().map(|_| ()) else { panic!("it differs") };
    let kinds: Vec<MismatchKind> = mismatches.iter().map(|mismatch| mismatch.kind).collect();
    let unit = |label| MismatchKind::Unit { label, expected: b'O', found: b'r' };
    let expected = [
        MismatchKind::Format { label: "Rev", expected: Format::U64, found: b'h' },
        MismatchKind::Format { label: "Oil", expected: Format::F32, found: b'I' },
        unit("Oil"),
        unit("Temp"),
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn decoding_and_views_stay_exact_and_say_so() {
    for (log, name) in [(log_of_first(), "MOT"), (log_of_second(), "ENG")] {
        let refused = log.typed_refs::<Engine>().map(|_| ()).expect_err("it differs");
        assert!(matches!(refused, TypedError::NotInPlace(_)), "{refused}");
        let record = Records::new(log.bytes()).flatten().find(|record| record.name() == name).expect("the record");
        let mut decoder = Decoder::<FlightLog>::new();
        assert!(matches!(decoder.decode(&record), Err(DecodeError::Definition(_))));
        assert!(matches!(record.decode::<Engine>(), Err(DecodeError::Definition(_))));
    }
}

#[test]
fn a_log_with_definitions_and_no_records_tells_the_truth() {
    #[derive(LogMessage, IntoBytes, Immutable, Debug, PartialEq)]
    #[log(name = "ENG")]
    #[repr(C, packed)]
    struct Radians {
        time_us: u64,
        #[log(unit = "rad")]
        temp: f32,
    }
    #[derive(LogSchema, Debug, PartialEq)]
    enum Changed {
        Eng(Radians),
    }
    let log = Log::from_bytes(second::FlightLog::PREAMBLE);
    let by_type = log.typed::<Radians>().map(|_| ());
    assert_eq!(by_type, log.messages::<Changed>().map(|_| ()));
    let text = by_type.expect_err("another unit").to_string();
    assert_eq!(text, "ENG.Temp has unit 'O' (degC) in this log, 'r' (rad) in the program");
    for report in [can_read::<Changed>(&log), can_be_read_by::<Changed>(&log)] {
        assert!(report.changes().iter().any(|change| change.kind == ChangeKind::Unit), "{report}");
    }
    let report = can_read::<Changed>(&log).to_string();
    assert!(report.contains("unit: ENG.Temp: unit degC ('O') → rad ('r')\n"), "{report}");
    // The place is that of the field.
    assert!(report.contains(&format!("  at {}:", file!())), "{report}");
    assert!(report.contains("today's struct refuses old logs"), "{report}");
    assert_eq!(log.typed::<second::Engine>().map(Iterator::count), Ok(0));
}

#[test]
fn an_older_name_without_records_is_in_no_ones_way() {
    let mut log = RawLog::new();
    log.fmt(1, "ENG", "QIff", "TimeUS,Rev,Temp,Oil");
    log.fmt(2, "MOT", "QNf", "TimeUS,Rev,Temp");
    let undecided = Log::from_bytes(log.bytes.clone());
    assert!(undecided.typed::<Engine>().is_err() && !can_read::<FlightLog>(&undecided).is_ok());
    log.record(1, &payload![1_u64, 6_u32, 21.5_f32, 80.0_f32]);
    let log = Log::from_bytes(log.bytes);
    assert_eq!(log.typed::<Engine>().map(Iterator::count), Ok(1));
    let report = can_read::<FlightLog>(&log);
    assert!(report.is_ok(), "{report}");
}

#[test]
fn a_report_has_both_directions() {
    let older = Lock::of::<second::FlightLog>();
    let kinds = |report: binlog::compatibility::Report| -> Vec<_> {
        report.changes().iter().map(|change| (change.kind, change.column.clone())).collect()
    };
    // Oil and Fuel have defaults, and Rev an alias; the older struct finds no `Revolutions`, and `f64` is too wide.
    assert_eq!(kinds(can_read::<FlightLog>(&older)), []);
    let in_the_way = [
        (ChangeKind::Format, Some("Temp".into())),
        (ChangeKind::ColumnRenamed, Some("Revolutions".into())),
        (ChangeKind::Format, Some("Revolutions".into())),
        // It was a `bool`.
        (ChangeKind::AcceptedValues, Some("On".into())),
    ];
    assert_eq!(kinds(can_be_read_by::<FlightLog>(&older)), in_the_way);
    assert_eq!(kinds(can_be_read_by::<FlightLog>(&Lock::of::<FlightLog>())), []);
    assert_eq!(kinds(can_be_read_by::<FlightLog>(&Log::from_bytes(FlightLog::PREAMBLE))), []);
}

#[test]
fn meanings_are_compared_where_they_are_known() {
    macro_rules! schema {
        ($module:ident, $($value:ident = $number:literal),*) => {
            mod $module {
                use super::*;
                #[derive(Field, IntoBytes, Immutable)]
                #[repr(u8)]
                pub(crate) enum Phase { $($value = $number),* }
                #[derive(LogMessage, IntoBytes, Immutable)]
                #[log(name = "PHAS")]
                #[repr(C, packed)]
                pub(crate) struct Phases { time_us: u64, phase: Phase }
                #[derive(LogSchema)]
                pub(crate) enum Schema { Phas(Phases) }
            }
        };
    }
    schema!(before, Ready = 0, Flying = 1);
    schema!(renumbered, Flying = 0, Ready = 1);
    schema!(more, Ready = 0, Flying = 1, Landed = 2);
    let before = Lock::of::<before::Schema>();
    let report = can_read::<renumbered::Schema>(&before);
    let renamed = ["PHAS.Phase: value 0 \"Ready\" → 0 \"Flying\"", "PHAS.Phase: value 1 \"Flying\" → 1 \"Ready\""];
    assert_eq!(report.changes().iter().map(|change| change.summary()).collect::<Vec<_>>(), renamed);
    // A log doesn't know what values stand for.
    assert!(can_read::<renumbered::Schema>(&Log::from_bytes(before::Schema::PREAMBLE)).is_ok());
    assert!(can_read::<more::Schema>(&before).is_ok());
    let added = can_be_read_by::<more::Schema>(&before);
    assert_eq!(added.changes()[0].summary(), "PHAS.Phase: value nothing → 2 \"Landed\"");
}

/// The messages of this crate as older releases of ArduPilot defined them: MSG and PARM in a log of Sub 4.1, GPS in one
/// of Plane 3.8, VER and MODE in the first `LogStructure.h` that has them.
#[test]
fn the_crates_own_messages_read_the_logs_of_older_releases() {
    #[derive(LogSchema)]
    enum Own {
        Msg(Msg),
        Parm(Parm),
        Ver(Ver),
        Gps(Gps),
        Mode(Mode),
    }
    let mut log = RawLog::new();
    log.fmt(1, "MSG", "QZ", "TimeUS,Message").record(1, &payload![1_u64, Chars::<64>::cut("ArduCopter V3.6.12")]);
    log.fmt(2, "PARM", "QNf", "TimeUS,Name,Value").record(2, &payload![2_u64, Chars::<16>::cut("A"), 1.5_f32]);
    log.fmt(3, "VER", "QBHBBBBIZH", "TimeUS,BT,BST,Maj,Min,Pat,FWT,GH,FWS,APJ");
    let version = payload![3_u64, 1_u8, 2_u16, 4_u8, 0_u8, 3_u8, 255_u8, 7_u32, Chars::<64>::cut("V4.0.3")];
    log.record(3, &[version, payload![140_u16]].concat());
    log.fmt(4, "GPS", "QBIHBcLLefffB", "TimeUS,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,GCrs,VZ,U");
    let fix = payload![4_u64, 3_u8, 1000_u32, 2000_u16, 9_u8, 80_i16, 473_977_419_i32, 85_455_939_i32, 48_800_i32];
    log.record(4, &[fix, payload![1.0_f32, 2.0_f32, 3.0_f32, 1_u8]].concat());
    log.fmt(5, "MODE", "QMB", "TimeUS,Mode,ModeNum").record(5, &payload![5_u64, 4_u8, 4_u8]);
    let log = Log::from_bytes(log.bytes);
    assert!(can_read::<Own>(&log).is_ok(), "{}", can_read::<Own>(&log));
    let read: Vec<Own> = log.messages().expect("nothing is lost").map(|message| message.expect("values")).collect();
    let [Own::Msg(msg), Own::Parm(parm), Own::Ver(ver), Own::Gps(gps), Own::Mode(mode)] = read[..] else {
        panic!("a message of each kind")
    };
    assert_eq!(msg, Msg { time_us: 1, id: 0, seq: 0, message: Chars::cut("ArduCopter V3.6.12") });
    assert_eq!(({ parm.value }, { parm.default }.to_bits()), (1.5, NO_VALUE_F32.to_bits()));
    assert_eq!((ver.major, { ver.board_id }, ver.vehicle), (4, 140, VehicleType(0)));
    assert_eq!((gps.instance, gps.status, { gps.week }, gps.used), (0, GpsStatus::FIX_3D, 2000, 1));
    assert!({ gps.yaw }.is_nan());
    assert_eq!(mode, Mode { time_us: 5, mode: FlightMode::new(4).expect("a mode"), mode_num: 4, reason: 0 });
}

#[test]
fn the_crates_own_messages_read_the_real_logs() {
    let mut read = Vec::new();
    for (name, bytes) in binlog_tests::real_logs() {
        let log = Log::from_bytes(bytes);
        fn count<T: LogMessage>(log: &Log<'_>, name: &str) -> usize {
            match log.typed::<T>() {
                Ok(records) => {
                    records.inspect(|record| assert!(record.is_ok(), "{name}: {:?}", record.as_ref().err())).count()
                }
                Err(TypedError::Select(_)) => 0,
                Err(differs) => panic!("{name}: {differs}"),
            }
        }
        let counts = [count::<Msg>(&log, &name), count::<Parm>(&log, &name), count::<Mode>(&log, &name)];
        read.push((name.clone(), counts.iter().all(|&count| count > 0)));
        count::<Gps>(&log, &name);
        count::<Ver>(&log, &name);
    }
    // One of them is synthetic and has other messages.
    let synthetic = |name: &str| name.starts_with("uavreaders_test");
    assert!(read.iter().all(|(name, has_all)| *has_all || synthetic(name)), "{read:?}");
}

proptest! {
    /// What a report says of a log, and what reading it says, is the same.
    #[test]
    fn a_report_agrees_with_reading(
        name in prop_oneof![Just("ENG"), Just("MOT"), Just("PROP"), Just("MSG")],
        columns in proptest::collection::vec((0..9_usize, "[QIHhfdZnB]", "[O#?-]", "[0BF?-]"), 1..8),
        has_units: bool,
        has_record: bool,
    ) {
        const LABELS: [&str; 9] =
            ["TimeUS", "Rev", "Turns", "Revolutions", "Oil", "Temp", "On", "Fuel", "Message"];
        let size = |format: &str| -> usize {
            format.bytes().filter_map(Format::from_character).map(Format::size).sum()
        };
        let mut seen = Vec::new();
        let (mut format, mut units, mut multipliers) = (String::new(), String::new(), String::new());
        for (label, of_format, unit, multiplier) in &columns {
            let of_format = if *label == 0 { "Q" } else { of_format };
            // A record has at most 255 bytes, three of them its header.
            if !seen.contains(&LABELS[*label]) && size(&format) + size(of_format) <= 252 {
                seen.push(LABELS[*label]);
                format.push_str(of_format);
                units.push_str(unit);
                multipliers.push_str(multiplier);
            }
        }
        let mut log = RawLog::with_units();
        log.fmt(1, name, &format, &seen.join(","));
        if has_units {
            log.fmtu(1, &units, &multipliers);
        }
        if has_record {
            log.record(1, &vec![0; size(&format)]);
        }
        let log = Log::from_bytes(log.bytes);
        let reads = match name {
            "MSG" => log.typed::<messages::Msg>().map(|_| ()),
            _ => log.typed::<Engine>().map(|_| ()),
        };
        let report = can_read::<FlightLog>(&log);
        prop_assert_eq!(reads.is_ok(), report.is_ok(), "{:?}: {}", reads, report);
        prop_assert_eq!(log.messages::<FlightLog>().is_ok(), report.is_ok());
        prop_assert_eq!(can_read::<FlightLog>(&log.schema()).is_ok(), report.is_ok());
    }
}
