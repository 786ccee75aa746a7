//! Frames of any values, with every encoding and predictor, through the encoder and back through the reader.

use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxFrame, BlackboxLog, BlackboxSchema, BlackboxWriter};
use proptest::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

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

#[derive(BlackboxSchema)]
#[blackbox(
    i_interval = 12,
    p_rate = "2/3",
    header("looptime" = "125", "minthrottle" = "1070", "motorOutput" = "158,2047", "vbatref" = "1600")
)]
enum EverythingLog {
    Main(Everything),
}

/// A frame of random values, of which small ones are as frequent as large ones, some iterations after the frame before.
fn next() -> impl Strategy<Value = (u32, Vec<u8>)> {
    let step = prop_oneof![20 => Just(1u32), 2 => 2..20u32, 1 => 4900..6000u32];
    let number = (any::<i32>(), 0..32u32).prop_map(|(number, shift)| number >> shift);
    let bytes = prop::collection::vec(number, size_of::<Everything>() / 2).prop_map(|numbers| {
        // Fields of 16 and of 32 bits are at even places: take the low bytes of each number for two of them.
        numbers.iter().flat_map(|number| (*number as i16).to_le_bytes()).collect::<Vec<u8>>()
    });
    (step, bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_reader_reads_what_the_encoder_was_given(steps in prop::collection::vec(next(), 1..120)) {
        let mut log = BlackboxWriter::<EverythingLog, _>::new(Vec::new()).expect("a log");
        let (mut iteration, mut given) = (0, Vec::new());
        for (step, bytes) in steps {
            let frame = Everything::read_from_bytes(&bytes).expect("its size");
            let frame = Everything { loop_iteration: iteration, time: 125 * iteration, ..frame };
            log.write(&frame).expect("every frame fits as an I frame");
            if EverythingLog::INTERVALS.kind_of(iteration).is_some() {
                given.push(frame);
            }
            iteration += step;
        }
        let bytes = log.finish().expect("a log");
        let log = BlackboxLog::from_bytes(&*bytes);
        let session = log.session(0).expect("a session");
        let mut frames = session.frames();
        let mut given = given.iter();
        while let Some(item) = frames.next() {
            match item {
                Item::Frame(frame) => {
                    let mut bytes: Vec<u8> = Vec::new();
                    for (value, field) in frame.values().iter().zip(Everything::FIELDS) {
                        bytes.extend(&value.to_le_bytes()[..usize::from(field.bits / 8)]);
                        if field.signed && field.bits == 16 {
                            prop_assert_eq!(*value as i32, i32::from(*value as i16), "{}", field.name);
                        }
                    }
                    let expected = given.next().expect("no more frames than were given");
                    prop_assert_eq!(&bytes[..], expected.as_bytes(), "iteration {}", expected.loop_iteration);
                }
                Item::Event { .. } => {}
                item => prop_assert!(false, "{item:?}"),
            }
        }
        prop_assert_eq!(given.count(), 0, "every frame is read");
    }
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug, PartialEq)]
#[blackbox(main, allow(not_portable))]
#[repr(C)]
struct Counting {
    loop_iteration: u32,
    time: u32,
    #[blackbox(p(predictor = inc))]
    count: u32,
    height: i16,
    spare: u16,
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 8, header("looptime" = "1000"))]
enum CountingLog {
    Main(Counting),
}

/// Decoders count the iterations of `inc`, for any encoding in the header.
#[test]
fn a_field_that_counts_takes_no_bytes() {
    let frame = |i: u32| Counting { loop_iteration: i, time: 1000 * i, count: 70 + i, height: -7 * i as i16, spare: 5 };
    let mut log = BlackboxWriter::<CountingLog, _>::new(Vec::new()).expect("a log");
    (0..20).for_each(|i| log.write(&frame(i)).expect("it fits"));
    let log = BlackboxLog::from_bytes(log.finish().expect("memory takes all"));
    let tables = log.tables().remove(0);
    assert_eq!(tables.lost(), []);
    let column = |name| tables.main().column(name).expect("a column").to_f64(binlog::Scaling::Stored);
    assert_eq!(column("count"), (0..20).map(|i| f64::from(70 + i)).collect::<Vec<_>>());
    assert_eq!(column("height"), (0..20).map(|i| f64::from(-7 * i)).collect::<Vec<_>>());
}

/// A GPS frame has the time since the last main frame, not since the event.
#[test]
fn a_gps_frame_after_a_resume_event_has_its_time() {
    use super::frames::{FlightLog, GpsFrame, MainFrame};
    use binlog::blackbox::Event;
    let main = |loop_iteration: u32, time| MainFrame { loop_iteration, time, motor: [200; 4], ..MainFrame::default() };
    for pause in [3_000_000, 60_000_000] {
        let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new()).expect("a log");
        log.write(&main(0, 1000)).expect("it fits");
        log.event(&Event::Resume { iteration: 64, time: 1000 + pause }).expect("an event");
        log.write(&GpsFrame { time: 1050 + pause, ..GpsFrame::default() }).expect("it fits");
        log.write(&main(64, 1000 + pause)).expect("it fits");
        let log = BlackboxLog::from_bytes(log.finish().expect("memory takes all"));
        let tables = log.tables().remove(0);
        assert_eq!(tables.lost(), [], "{pause}");
        let gps = tables.table(b'G').expect("GPS frames");
        assert_eq!(gps.times_us(), [u64::from(1050 + pause)], "{pause}");
    }
}
