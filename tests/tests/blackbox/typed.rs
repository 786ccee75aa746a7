//! Frames as the program's structs: by derived code where the header is that of the structs, by name elsewhere. Both
//! give what the plan of the header gives.

use crate::damage::Random;
use crate::raw_session::RawSession;
use crate::real_logs;
use binlog::blackbox::log::{Item, Session, TypedError, TypedFrame};
use binlog::blackbox::{BlackboxFrame, BlackboxLog, BlackboxSchema, BlackboxWriter, FieldDefinition, FrameKind};
use binlog_tests::betaflight::{FlightLog, FlightLogWithGps};
use proptest::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// What is in a session, with the values of frames.
#[derive(PartialEq, Debug)]
enum Seen {
    Frame { offset: usize, time_us: u64, kind: FrameKind, values: Vec<i64> },
    Other(String),
}

/// The kind of a frame; that of I frames for P frames.
fn table(kind: FrameKind) -> FrameKind {
    if kind == FrameKind::Inter { FrameKind::Intra } else { kind }
}

fn fields<S: BlackboxSchema>(kind: FrameKind) -> &'static [FieldDefinition] {
    match kind {
        FrameKind::Intra | FrameKind::Inter => S::Main::FIELDS,
        FrameKind::Slow => S::Slow::FIELDS,
        FrameKind::Gps => S::Gps::FIELDS,
        FrameKind::Home => S::Home::FIELDS,
        FrameKind::Event => &[],
    }
}

/// The numbers in the bytes of a struct.
fn numbers(fields: &[FieldDefinition], mut bytes: &[u8]) -> Vec<i64> {
    let mut number = |field: &FieldDefinition| {
        let (own, rest) = bytes.split_at(usize::from(field.bits / 8));
        bytes = rest;
        let mut wide = [0; 8];
        wide[..own.len()].copy_from_slice(own);
        let unused = 64 - u32::from(field.bits);
        let number = i64::from_le_bytes(wide) << unused;
        if field.signed { number >> unused } else { (number as u64 >> unused) as i64 }
    };
    let numbers = fields.iter().map(&mut number).collect();
    assert!(bytes.is_empty());
    numbers
}

fn fits(field: &FieldDefinition, value: i64) -> bool {
    let values = 1_i64 << field.bits;
    if field.signed { (-values / 2..values / 2).contains(&value) } else { (0..values).contains(&value) }
}

/// By the header's plan; the names are those of the schema.
fn by_plan<S: BlackboxSchema>(session: &Session<'_>) -> Vec<Seen> {
    let (mut frames, mut all) = (session.frames(), Vec::new());
    while let Some(item) = frames.next() {
        all.push(match item {
            Item::Frame(frame) => {
                let kind = frame.kind().expect("a kind");
                let fields = fields::<S>(kind);
                let values: Vec<i64> = fields.iter().map(|field| frame.value(field.name).expect("a value")).collect();
                match fields.iter().zip(&values).find(|(field, value)| !fits(field, **value)) {
                    Some((field, value)) => {
                        Seen::Other(format!("{} at {}: {} = {value}", frame.letter(), frame.offset(), field.name))
                    }
                    None => Seen::Frame { offset: frame.offset(), time_us: frame.time_us(), kind: table(kind), values },
                }
            }
            Item::Event { offset, time_us, event } => Seen::Other(format!("{offset} {time_us} {event:?}")),
            Item::Lost(lost) => Seen::Other(format!("{lost:?}")),
        });
    }
    all
}

/// As the schema's enum.
fn as_schema<S: BlackboxSchema>(session: &Session<'_>) -> Vec<Seen> {
    let seen = |item| match item {
        Ok(Item::Frame(TypedFrame { offset, time_us, frame })) => {
            let (kind, bytes) = S::frame(&frame);
            Seen::Frame { offset, time_us, kind: table(kind), values: numbers(fields::<S>(kind), bytes) }
        }
        Ok(Item::Event { offset, time_us, event }) => Seen::Other(format!("{offset} {time_us} {event:?}")),
        Ok(Item::Lost(lost)) => Seen::Other(format!("{lost:?}")),
        Err(beyond) => {
            let binlog::blackbox::log::Beyond { letter, offset, field, value } = beyond;
            Seen::Other(format!("{} at {offset}: {field} = {value}", letter as u8))
        }
    };
    session.typed_frames::<S>().expect("a log with these fields").map(seen).collect()
}

fn compare<S: BlackboxSchema>(name: &str, log: &[u8]) -> usize {
    let log = BlackboxLog::from_bytes(log);
    let compared = log.sessions().map(|session| {
        let (expected, typed) = (by_plan::<S>(&session), as_schema::<S>(&session));
        if let Some(i) = expected.iter().zip(&typed).position(|(expected, typed)| expected != typed) {
            panic!("{name}: {:?}, by derived code {:?}", expected[i], typed[i]);
        }
        assert_eq!(expected.len(), typed.len(), "{name}");
        expected.len()
    });
    compared.sum()
}

/// Whether the header defines the frames of the schema, so that derived code decodes them.
fn defines<S: BlackboxSchema>(session: &Session<'_>) -> bool {
    use FrameKind::{Gps, Home, Inter, Intra, Slow};
    [Intra, Inter, Slow, Gps, Home].into_iter().all(|kind| {
        let (logged, fields) = (session.header().fields(kind.letter()), fields::<S>(kind));
        let logged = logged.iter().map(|field| (field.name(), field.is_signed(), field.predictor(), field.encoding()));
        logged.eq(fields.iter().map(|field| {
            let coding = field.coding(kind);
            (field.name, field.signed, Some(coding.predictor), Some(coding.encoding))
        }))
    })
}

/// By the schema whose header the log has.
fn compare_real(name: &str, log: &[u8]) -> usize {
    match name {
        "fcbb_LOG00037.BFL" => compare::<FlightLogWithGps>(name, log),
        _ => compare::<FlightLog>(name, log),
    }
}

#[test]
fn derived_code_decodes_real_logs_as_their_plans_do() {
    for (name, log) in real_logs::all() {
        let session = BlackboxLog::from_bytes(&*log);
        let session = session.session(0).expect("a session");
        assert!(match name {
            "fcbb_LOG00037.BFL" => defines::<FlightLogWithGps>(&session),
            _ => defines::<FlightLog>(&session),
        });
        assert!(compare_real(name, &log) > 0);
    }
}

#[test]
fn derived_code_decodes_damaged_logs_as_their_plans_do() {
    for (name, log) in real_logs::all() {
        // After all headers.
        let from = BlackboxLog::from_bytes(&*log).sessions().last().expect("a session").frames_offset();
        // The shortest log has a few frames only.
        let cuts = (log.len() - from) / 600;
        for seed in 1..=10 {
            let mut random = Random::new(seed);
            let mut damaged = log.clone();
            for _ in 0..cuts {
                let length = 1 + random.below(60);
                let at = from + random.below(damaged.len() - from - length);
                if seed % 2 == 0 {
                    damaged.drain(at..at + length);
                } else {
                    damaged[at..at + length].iter_mut().for_each(|byte| *byte ^= random.below(256) as u8);
                }
            }
            compare_real(name, &damaged);
        }
    }
}

/// Every encoding and predictor.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[blackbox(main)]
#[repr(C)]
struct Everything {
    loop_iteration: u32,
    time: u32,
    motor: [u16; 2],
    #[blackbox(i(predictor = motor_0), p(predictor = motor_0, encoding = elias_delta_s32))]
    spread: [u16; 2],
    #[blackbox(i(encoding = elias_delta_u32), p(predictor = zero, encoding = elias_delta_u32))]
    counter: u32,
    #[blackbox(i(encoding = elias_delta_s32), p(predictor = average_2, encoding = elias_delta_s32))]
    signed: i32,
    #[blackbox(i(predictor = vbatref), p(encoding = neg_14bit))]
    vbat: u16,
    #[blackbox(i(predictor = 1500), p(predictor = 1500))]
    servo: u16,
    #[blackbox(i(predictor = minthrottle, encoding = unsigned_vb), p(predictor = minthrottle))]
    throttle: u32,
    #[blackbox(i(encoding = tag8_4s16), p(encoding = tag8_4s16))]
    channel: [i16; 4],
    #[blackbox(i(encoding = tag2_3s32), p(predictor = straight_line, encoding = tag2_3s32))]
    position: [i32; 3],
    #[blackbox(i(encoding = tag8_8svb), p(encoding = tag8_8svb))]
    states: [i16; 9],
    #[blackbox(p(predictor = zero))]
    flags: u16,
    #[blackbox(i(encoding = unsigned_vb), p(predictor = average_2, encoding = unsigned_vb))]
    level: i32,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[blackbox(slow)]
#[repr(C)]
struct State {
    mode: u32,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[blackbox(gps)]
#[repr(C)]
struct Fix {
    time: u32,
    gps_coord: [i32; 2],
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[blackbox(home)]
#[repr(C)]
struct Home {
    gps_home: [i32; 2],
}

#[derive(BlackboxSchema)]
#[blackbox(
    i_interval = 12,
    p_rate = "2/3",
    header("looptime" = "125", "minthrottle" = "1070", "motorOutput" = "158,2047", "vbatref" = "1600")
)]
enum EverythingLog {
    Main(Everything),
    Slow(State),
    Gps(Fix),
    Home(Home),
}

/// Some of the fields of `Everything`, in another order and in wider types.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[blackbox(main, allow(not_portable))]
#[repr(C)]
struct Some_ {
    #[blackbox(p(encoding = signed_vb))]
    channel: [i32; 4],
    time: u32,
    servo: i32,
    loop_iteration: u32,
    #[blackbox(name = "motor[1]", i(predictor = zero), p(predictor = previous))]
    second_motor: u32,
    level: i32,
}

/// A frame of random values, of which small ones are as frequent as large ones, some iterations after the frame before.
fn next() -> impl Strategy<Value = (u32, Vec<u8>)> {
    let step = prop_oneof![20 => Just(1u32), 2 => 2..20u32, 1 => 4900..6000u32];
    let number = (any::<i32>(), 0..32u32).prop_map(|(number, shift)| number >> shift);
    let bytes = prop::collection::vec(number, size_of::<Everything>() / 2)
        .prop_map(|numbers| numbers.iter().flat_map(|number| (*number as i16).to_le_bytes()).collect::<Vec<u8>>());
    (step, bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn frames_decode_alike_by_plan_by_derived_code_and_by_name(
        steps in prop::collection::vec(next(), 1..120),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let mut log = BlackboxWriter::<EverythingLog, _>::new(Vec::new()).expect("a log");
        let (mut iteration, mut given) = (0, Vec::new());
        for (step, bytes) in steps {
            let frame = Everything::read_from_bytes(&bytes).expect("its size");
            let frame = Everything { loop_iteration: iteration, time: 125 * iteration, ..frame };
            log.write(&frame).expect("every frame fits as an I frame");
            log.write(&Fix { time: 125 * iteration, gps_coord: frame.position[..2].try_into().expect("two") })
                .expect("a fix fits");
            if iteration % 16 == 0 {
                log.write(&State { mode: iteration }).expect("a state fits");
                log.write(&Home { gps_home: [frame.signed, frame.level] }).expect("a position fits");
            }
            if EverythingLog::INTERVALS.kind_of(iteration).is_some() {
                given.push(frame.as_bytes().to_vec());
            }
            iteration += step;
        }
        let mut bytes = log.finish().expect("a log");
        compare::<EverythingLog>("sound", &bytes);
        {
            let log = BlackboxLog::from_bytes(&*bytes);
            let session = log.session(0).expect("a session");
            let typed = session.typed::<Everything>().expect("the fields").filter_map(|item| match item {
                Ok(Item::Frame(frame)) => Some(frame.frame.as_bytes().to_vec()),
                _ => None,
            });
            prop_assert_eq!(typed.collect::<Vec<_>>(), given);
            // By name: the same numbers in wider types.
            let whole = session.typed::<Everything>().expect("the fields");
            let some = session.typed::<Some_>().expect("the fields");
            for (whole, some) in whole.zip(some) {
                if let (Ok(Item::Frame(whole)), Ok(Item::Frame(some))) = (whole, some) {
                    prop_assert_eq!((whole.offset, whole.time_us), (some.offset, some.time_us));
                    let (whole, some) = (whole.frame, some.frame);
                    prop_assert_eq!(whole.channel.map(i32::from), some.channel);
                    prop_assert_eq!((whole.loop_iteration, whole.time), (some.loop_iteration, some.time));
                    prop_assert_eq!((whole.servo.into(), whole.motor[1].into()), (some.servo, some.second_motor));
                    prop_assert_eq!(whole.level, some.level);
                }
            }
        }
        let from = EverythingLog::HEADER.len();
        for (index, byte) in damage {
            let at = from + index.index(bytes.len() - from);
            bytes[at] = byte;
        }
        compare::<EverythingLog>("damaged", &bytes);
    }
}

/// What a log of any firmware may have.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(main, allow(not_portable))]
#[repr(C)]
struct Rates {
    loop_iteration: u32,
    time: u32,
    gyro_adc: [i16; 2],
}

/// A log of a firmware of its own, whose `gyroADC` has the values of `rates`.
fn other_firmware(rates: &[i32]) -> Vec<u8> {
    let mut log = RawSession::simple(&["other", "gyroADC[1]", "gyroADC[0]"], &["Firmware revision:Nobody's 1.0"]);
    for (i, &rate) in rates.iter().enumerate() {
        log.intra(i as u32, 1000 * i as u32, &[7, -rate, rate]);
    }
    log.bytes
}

#[test]
fn fields_are_matched_by_name_in_logs_of_any_firmware() {
    let log = other_firmware(&[1, 2, -3]);
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(0).expect("a session");
    let typed: Vec<_> = session.typed::<Rates>().expect("the fields").collect();
    let expected = [1, 2, -3].into_iter().enumerate().map(|(i, rate)| Rates {
        loop_iteration: i as u32,
        time: 1000 * i as u32,
        gyro_adc: [rate, -rate],
    });
    let frames = typed.iter().map(|item| match item {
        Ok(Item::Frame(frame)) => frame.frame,
        other => panic!("{other:?}"),
    });
    assert_eq!(frames.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn values_beyond_a_type_are_errors_after_which_reading_goes_on() {
    let log = other_firmware(&[1, 32768, -5]);
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(0).expect("a session");
    let typed: Vec<_> = session.typed::<Rates>().expect("the fields").collect();
    assert!(matches!(typed[..], [Ok(Item::Frame(_)), Err(_), Ok(Item::Frame(_))]), "{typed:?}");
    let error = typed[1].expect_err("beyond i16");
    assert_eq!((error.field, error.value, error.letter), ("gyroADC[0]", 32768, 'I'));
    assert_eq!(
        error.to_string(),
        format!(
            "the I frame at offset {}: `gyroADC[0]` is 32768, beyond the range of the field's type; take a wider one",
            error.offset
        )
    );
}

#[test]
fn a_negative_number_is_no_unsigned_one() {
    #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
    #[blackbox(main, allow(not_portable))]
    #[repr(C)]
    struct Unsigned {
        loop_iteration: u32,
        time: u32,
        #[blackbox(name = "gyroADC[0]")]
        rate: u32,
    }
    let log = other_firmware(&[1, -1]);
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(0).expect("a session");
    let typed: Vec<_> = session.typed::<Unsigned>().expect("the fields").collect();
    assert!(matches!(typed[0], Ok(Item::Frame(TypedFrame { frame: Unsigned { rate: 1, .. }, .. }))));
    assert_eq!(typed[1].expect_err("no u32").value, -1);
}

#[test]
fn missing_fields_are_named_all_at_once() {
    let log = RawSession::simple(&["gyroADC[0]"], &[]).bytes;
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(0).expect("a session");
    let error = session.typed::<binlog_tests::betaflight::HomeFrame>().expect_err("no home frames");
    assert_eq!(error, TypedError::NoFrames { letter: 'H' });
    assert_eq!(error.to_string(), "the session has no home frames: its header lacks `H Field H name:`");
    let error = session.typed::<Rates>().expect_err("a field is missing");
    assert_eq!(error, TypedError::Missing { letter: 'I', fields: vec!["gyroADC[1]"] });
    let error = session.typed::<Some_>().expect_err("most fields are missing");
    let TypedError::Missing { fields, .. } = &error else { panic!("{error}") };
    assert_eq!(fields.len(), 7);
    assert!(error.to_string().starts_with("the session's main frames have no `channel[0]`, `channel[1]`, "));
    assert!(error.to_string().ends_with(
        ", and the struct has no `default` for them; give one, or the log's name of a field by `#[blackbox(alias = \"…\")]`"
    ));
    let error = session.typed_frames::<EverythingLog>().expect_err("most fields are missing");
    assert!(matches!(error, TypedError::Missing { letter: 'I', .. }));
}
