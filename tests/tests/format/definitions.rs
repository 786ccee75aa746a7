//! A log's definitions compared with the program's: differences are named, and a definition applies from its offset on.

use binlog::field::Chars;
use binlog::messages::{Fmt, Mode};
use binlog::{DecodeError, Decoder, Format, LogMessage, LogSchema, LogWriter, Mismatch, MismatchKind, Reason, Records};
use std::sync::Arc;
use zerocopy::{Immutable, IntoBytes};

macro_rules! message {
    ($name:ident $label:literal $schema:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),* }) => {
        #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
        #[log(name = $label)]
        #[repr(C, packed)]
        struct $name {
            time_us: u64,
            $($(#[$attribute])* $field: $type,)*
        }

        #[derive(LogSchema)]
        enum $schema {
            $name($name),
        }
    };
}

message!(Attitude "ATT" Ours { #[log(unit = "deg")] roll: i16, armed: bool });
message!(Renamed "ATX" OtherName { #[log(unit = "deg")] roll: i16, armed: bool });
message!(Fewer "ATT" FewerColumns { #[log(unit = "deg")] roll: i16 });
message!(More "ATT" MoreColumns { #[log(unit = "deg")] roll: i16, armed: bool, more: u8 });
message!(Relabelled "ATT" OtherLabel { #[log(unit = "deg")] pitch: i16, armed: bool });
message!(Retyped "ATT" OtherFormat { #[log(unit = "deg")] roll: u16, armed: bool });
message!(Reunited "ATT" OtherUnit { #[log(unit = "rad")] roll: i16, armed: bool });
message!(Rescaled "ATT" OtherMultiplier {
    #[log(unit = "deg", mult = 1e-2, allow(misleading_multiplier))] roll: i16, armed: bool
});

/// The definition of a schema's only message, as a log gives it, against ours.
fn difference<S: LogSchema>() -> (Option<MismatchKind>, String) {
    let mut records = Records::new(S::PREAMBLE);
    records.by_ref().for_each(|record| assert!(record.is_ok()));
    let logged = records.definition(S::MESSAGES[0].id).expect("the preamble defines it");
    match logged.check(&Attitude::DEFINITION) {
        Ok(()) => (None, String::new()),
        Err(mismatch) => {
            assert_eq!(mismatch.message, "ATT");
            (Some(mismatch.kind), mismatch.to_string())
        }
    }
}

#[test]
fn the_first_difference_is_named() {
    assert_eq!(difference::<Ours>(), (None, String::new()));
    let found = Chars::literal("ATX");
    assert_eq!(difference::<OtherName>(), (Some(MismatchKind::Name { found }), "the record is ATX, not ATT".into()));
    assert_eq!(
        difference::<FewerColumns>(),
        (
            Some(MismatchKind::Columns { expected: 3, found: 2 }),
            "ATT has 2 columns in this log, 3 in the program".into()
        )
    );
    assert_eq!(difference::<MoreColumns>().0, Some(MismatchKind::Columns { expected: 3, found: 4 }));
    assert_eq!(
        difference::<OtherLabel>(),
        (
            Some(MismatchKind::Label { expected: "Roll", found: Chars::literal("Pitch") }),
            "ATT has the label Pitch in this log where the program has Roll".into()
        )
    );
    assert_eq!(
        difference::<OtherFormat>(),
        (
            Some(MismatchKind::Format { label: "Roll", expected: Format::I16, found: b'H' }),
            "ATT.Roll has format `H` in this log, `h` in the program".into()
        )
    );
    assert_eq!(
        difference::<OtherUnit>(),
        (
            Some(MismatchKind::Unit { label: "Roll", expected: b'd', found: b'r' }),
            "ATT.Roll has unit 'r' (rad) in this log, 'd' (deg) in the program".into()
        )
    );
    assert_eq!(
        difference::<OtherMultiplier>(),
        (
            Some(MismatchKind::Multiplier { label: "Roll", expected: b'0', found: b'B' }),
            "ATT.Roll has multiplier 'B' (0.01) in this log, '0' (1) in the program".into()
        )
    );
}

#[test]
fn a_length_that_contradicts_the_columns_is_a_difference() {
    let mut log = Ours::PREAMBLE.to_vec();
    let fmt = log.len() - 89 - 44;
    assert_eq!(log[fmt..][..4], [0xA3, 0x95, 128, 1]);
    log[fmt + 4] += 1;
    let mut records = Records::new(&log);
    records.by_ref().for_each(drop);
    let mismatch = records.definition(1).expect("it is defined").check(&Attitude::DEFINITION);
    let kind = MismatchKind::Length { expected: 14, found: 15 };
    assert_eq!(mismatch, Err(Mismatch { message: "ATT", kind }));
}

#[test]
fn a_value_invalid_for_its_type_names_its_label() {
    let mut payload = [0; 11];
    assert_eq!(Attitude::decode(&payload), Ok(Attitude { time_us: 0, roll: 0, armed: false }));
    payload[10] = 2;
    let error = Attitude::decode(&payload).expect_err("no bool is 2");
    assert_eq!(error, DecodeError::Value { message: "ATT", label: "Armed" });
    assert_eq!(error.to_string(), "ATT.Armed holds a value invalid for its type");
    let error = Attitude::decode(&payload[1..]).expect_err("a byte is missing");
    assert_eq!(error, DecodeError::Length { message: "ATT", expected: 11, found: 10 });
    assert!(matches!(Ours::decode(1, &payload), Err(DecodeError::Index { index: 1 })));
}

/// A preamble, and a record of its message with ten bytes of payload after the time.
fn log_of<S: LogSchema>(payload: &[u8]) -> Vec<u8> {
    [S::PREAMBLE, &[0xA3, 0x95, S::MESSAGES[0].id], payload].concat()
}

#[test]
fn a_definition_applies_from_where_it_stands() {
    let log = [log_of::<Ours>(&[0; 11]), log_of::<OtherFormat>(&[0; 11]), log_of::<Ours>(&[1; 11])].concat();
    let mut decoder = Decoder::<Ours>::new();
    let attitudes = Records::new(&log).map(|record| record.expect("a sound log")).filter(|record| record.id() == 1);
    let decoded: Vec<_> = attitudes.map(|record| decoder.decode(&record).map(|message| message.is_some())).collect();
    assert_eq!(decoded[0], Ok(true));
    assert!(matches!(decoded[1], Err(DecodeError::Definition(_))));
    assert_eq!(decoded[2], Ok(true));
}

message!(Height "RALT" Heights { alt: f32 });

/// An FMT record of RALT with the id 1, with eight bytes after the labels that no reader looks at.
fn height_fmt(format: &str, unseen: [u8; 8]) -> Vec<u8> {
    let mut fmt = [&[0xA3, 0x95, 128, 1, 15][..], b"RALT", format.as_bytes()].concat();
    fmt.resize(25, 0);
    fmt.extend(b"TimeUS,Alt");
    fmt.resize(81, 0);
    [&fmt[..], &unseen].concat()
}

/// A reader sees them differ in the format alone, and their 64-bit FNV-1a is the same.
#[test]
fn definitions_with_one_hash_are_told_apart() {
    let float = height_fmt("Qf", [0x76, 0x95, 0x82, 0xD1, 0x85, 0x6C, 0xF7, 0x31]);
    let integer = height_fmt("Qi", [0xC7, 0x66, 0x93, 0x63, 0x49, 0x84, 0x64, 0xFE]);
    let fnv = |fmt: &[u8]| {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        fmt[3..].iter().fold(0xCBF2_9CE4_8422_2325, step)
    };
    assert_eq!(fnv(&float), fnv(&integer));
    let record = [&[0xA3, 0x95, 1][..], &7_u64.to_le_bytes(), &1_i32.to_le_bytes()].concat();
    let log = [&float[..], &record, &integer, &record, &float, &record].concat();
    let mut decoder = Decoder::<Heights>::new();
    let heights = Records::new(&log).map(|record| record.expect("a sound log")).filter(|record| record.id() == 1);
    let decoded: Vec<_> = heights.map(|record| decoder.decode(&record).map(|message| message.is_some())).collect();
    let expected = MismatchKind::Format { label: "Alt", expected: Format::F32, found: b'i' };
    let differs = Err(DecodeError::Definition(Mismatch { message: "RALT", kind: expected }));
    assert_eq!(decoded, [Ok(true), differs, Ok(true)]);
}

#[test]
fn a_decoder_takes_6_kib_at_most() {
    assert!(size_of::<Decoder<Ours>>() <= 6 * 1024);
}

#[test]
fn a_definition_that_is_repeated_keeps_its_units() {
    let fmt = &Ours::PREAMBLE[Ours::PREAMBLE.len() - 89 - 44..][..89];
    let log = [Ours::PREAMBLE, fmt].concat();
    let mut records = Records::new(&log);
    records.by_ref().for_each(drop);
    let repeated = records.definition(1).expect("it is defined");
    assert_eq!((repeated.unit_ids(), repeated.multiplier_ids()), (Some("sd-"), Some("F0-")));
    // A changed one doesn't.
    let log = [Ours::PREAMBLE, &OtherLabel::PREAMBLE[..OtherLabel::PREAMBLE.len() - 44]].concat();
    let mut records = Records::new(&log);
    records.by_ref().for_each(drop);
    assert_eq!(records.definition(1).expect("it is defined").unit_ids(), None);
}

#[test]
fn a_log_without_the_definition_of_fmt_is_read() {
    let own = Records::new(Ours::PREAMBLE).flatten().next().expect("FMT of FMT");
    assert_eq!(own.decode::<Fmt>().expect("an FMT").r#type, 128);
    let without = Records::new(&Ours::PREAMBLE[89..]);
    assert_eq!(without.definition(128).map(|fmt| fmt.check(&Fmt::DEFINITION)), Some(Ok(())));
}

/// Where a record is cut short after its two head bytes, the next one follows as if its head were an id.
#[test]
fn record_is_found_right_after_head_bytes_without_an_id() {
    const ID: u8 = 0xA3;
    let record = |id: u8| [&[0xA3, 0x95, id][..], &[0; 11]].concat();
    // FMT of ATT, with that id.
    let mut fmt = Ours::PREAMBLE[Ours::PREAMBLE.len() - 89 - 44..][..89].to_vec();
    fmt[3] = ID;
    for (definitions, reason) in [(&[][..], Reason::UnknownId(ID)), (&fmt, Reason::Broken(ID))] {
        let start = [Ours::PREAMBLE, definitions].concat();
        let log = [&start[..], &[0xA3, 0x95], &record(1), &record(1), &record(1)].concat();
        let skipped: Vec<_> = Records::new(&log).filter_map(Result::err).collect();
        let expected = binlog::Skipped { offset: start.len(), length: 2, reason };
        assert_eq!(skipped, [expected]);
        assert_eq!(Records::new(&log).flatten().filter(|record| record.id() == 1).count(), 3);
    }
}

#[test]
fn a_skipped_stretch_says_why() {
    let record = [&[0xA3, 0x95, 1][..], &[0; 11]].concat();
    let cut = &record[..8];
    let log =
        [Ours::PREAMBLE, &record, cut, &record, &record, &record, &[7; 5], &record, &record, &record, cut].concat();
    let start = Ours::PREAMBLE.len();
    let skipped: Vec<_> = Records::new(&log).filter_map(Result::err).collect();
    let found: Vec<_> =
        skipped.iter().map(|skipped| (skipped.offset - start, skipped.length, skipped.reason)).collect();
    assert_eq!(found, [(14, 8, Reason::Broken(1)), (64, 5, Reason::NoHeader), (111, 8, Reason::Truncated(Some(1)))]);
    assert_eq!(
        skipped[1].to_string(),
        format!("skipped 5 bytes at offset {}: there is no record header (A3 95)", start + 64)
    );
    let suspect = Records::new(&log).flatten().filter(|record| record.is_suspect());
    assert_eq!(suspect.map(|record| record.offset() - start).collect::<Vec<_>>(), [50]);
}

#[test]
fn a_pointer_to_a_sink_is_a_sink() -> Result<(), binlog::WriteError> {
    fn log(sink: impl binlog::Sink<Attitude>) -> bool {
        sink.log(&Attitude { time_us: 0, roll: 1, armed: true })
    }
    let writer = LogWriter::<Ours, _>::new(Vec::new())?.into_shared();
    let boxed: Box<dyn binlog::Sink<Attitude>> = Box::new(writer.clone());
    assert!(log(&writer) && log(boxed) && log(Arc::new(writer.clone())));
    let bytes = writer.finish()?;
    assert_eq!(Records::new(&bytes).flatten().filter(|record| record.name() == "ATT").count(), 3);
    Ok(())
}

#[test]
fn fields_saturate_and_show_what_they_hold() {
    use binlog::field::{Centi, Latitude};
    assert_eq!(Latitude::from_degrees(1e9).e7(), i32::MAX);
    assert_eq!(Latitude::from_degrees(f64::NAN).e7(), 0);
    assert_eq!(Latitude::from_degrees(-47.123_456_75).e7(), -471_234_568);
    let centi: Centi<u16> = Centi::from_f64(-1.0);
    assert_eq!(centi.raw(), 0);
    let centi: Centi<i32> = Centi::from_f64(-1.005);
    assert_eq!(centi.raw(), -100, "-1.005 is a little more than that in binary");
    assert_eq!(Chars::<4>::from_raw([0xB5, b's', 0, b'x']).to_string(), "µs");
    assert_eq!(format!("{:?}", Chars::<4>::from_raw([0xB5, b's', 0, 0])), "\"\\xb5s\"");
    assert_eq!(Chars::<4>::cut("aµµ").to_string(), "aµ");
    assert_eq!(Mode::new(0, 5, 0).expect("below 128").mode_num, 5);
}

/// The properties of a message that a sink on a target needs are known at compile time.
#[test]
fn priorities_are_constants_of_the_schema() {
    use binlog::sink::{Counters, Rate};
    use binlog::{LogSchema, Logs, messages};

    #[derive(LogSchema)]
    enum FlightLog {
        #[log(rate = 50)]
        Gps(messages::Gps),
        Msg(messages::Msg),
        #[log(critical = false)]
        Ev(messages::Ev),
        #[log(critical, rate = 3)]
        Arm(messages::Arm),
        Parm(messages::Parm),
    }

    const { assert!(<FlightLog as Logs<messages::Msg>>::CRITICAL) };
    const { assert!(!<FlightLog as Logs<messages::Ev>>::CRITICAL) };
    const { assert!(<FlightLog as Logs<messages::Arm>>::CRITICAL) };
    const { assert!(!<FlightLog as Logs<messages::Parm>>::CRITICAL) };
    assert_eq!(<FlightLog as Logs<messages::Parm>>::RATE, None);
    let gps = Rate { period_us: 20_000, by_instance: true, first_slot: 0 };
    assert_eq!(<FlightLog as Logs<messages::Gps>>::RATE, Some(gps));
    // 333333 would let a fourth record into a second.
    let arm = Rate { period_us: 333_334, by_instance: false, first_slot: Rate::INSTANCES };
    assert_eq!(<FlightLog as Logs<messages::Arm>>::RATE, Some(arm));
    let mut counters = <FlightLog as LogSchema>::Counters::ZERO;
    assert_eq!((counters.tallies().len(), counters.due().len()), (5, Rate::INSTANCES + 1));
}
