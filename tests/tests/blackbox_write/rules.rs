//! When the encoder writes which frame.

use super::frames::{FlightLog, GpsFrame, HomeFrame, MainFrame, SlowFrame, Small, SmallLog, flight, small};
use binlog::blackbox::{BlackboxFrame, BlackboxLog, BlackboxSchema, Encoder, Event};
use proptest::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The letters of the frames: `I`, or `IS` for two in one call. The first is that of the bytes, the others come from
/// the counts.
fn letter(bytes: &[u8]) -> char {
    bytes.first().map_or('.', |&letter| char::from(letter))
}

fn main_frame(loop_iteration: u32) -> MainFrame {
    MainFrame { loop_iteration, time: loop_iteration * 125, vbat_latest: 1600, motor: [200; 4], ..MainFrame::default() }
}

#[test]
fn frames_follow_the_iteration() {
    let mut encoder = Encoder::<FlightLog>::new();
    let letters: String = flight(65).map(|frame| letter(encoder.encode(&frame).expect("it fits"))).collect();
    assert_eq!(letters, "I.P.P.P.P.P.P.P.P.P.P.P.P.P.P.P.I.P.P.P.P.P.P.P.P.P.P.P.P.P.P.P.I");
    let counts = encoder.counts();
    assert_eq!((counts.i_frames, counts.p_frames, counts.left_out), (3, 30, 32));
    assert_eq!((counts.missing, counts.gaps, counts.misfits, counts.refused), (0, 0, 0, 0));
}

#[test]
fn the_first_main_frame_is_an_i_frame_wherever_it_is() {
    let mut encoder = Encoder::<SmallLog>::new();
    assert_eq!(letter(encoder.encode(&small(3, [0; 4])).expect("it fits")), 'I');
    assert_eq!(letter(encoder.encode(&small(4, [0; 4])).expect("it fits")), 'P');
}

#[test]
fn a_p_frame_is_the_difference_from_the_frames_before() {
    let mut encoder = Encoder::<SmallLog>::new();
    let mut encode = |frame: &Small| encoder.encode(frame).expect("it fits").to_vec();
    assert_eq!(encode(&small(0, [1, 2, 3, 4])), [b'I', 0, 0, 2, 4, 6, 8]);
    // After an I frame, both frames before are that frame: the time is 1000 ahead of 2 * 0 - 0.
    assert_eq!(encode(&small(1, [1, 2, 3, 5])), [b'P', 0xD0, 0x0F, 0x40, 0x10]);
    // On the straight line.
    assert_eq!(encode(&small(2, [1, 2, 3, 5])), [b'P', 0, 0]);
}

#[test]
fn a_residual_that_does_not_fit_makes_an_i_frame_and_is_counted() {
    let mut encoder = Encoder::<SmallLog>::new();
    let low = small(0, [i16::MIN, 0, 0, 0]);
    assert_eq!(letter(encoder.encode(&low).expect("it fits")), 'I');
    let high = small(1, [i16::MAX, 0, 0, 0]);
    assert_eq!(letter(encoder.encode(&high).expect("it fits")), 'I');
    assert_eq!(encoder.counts().misfits, 1);
    let next = small(2, [i16::MAX, 0, 0, 0]);
    assert_eq!(letter(encoder.encode(&next).expect("it fits")), 'P');
    assert_eq!(encoder.counts().missing, 0);
}

#[test]
fn frame_that_fits_nothing_is_refused_then_an_i_frame_follows() {
    let mut encoder = Encoder::<FlightLog>::new();
    encoder.encode(&main_frame(0)).expect("it fits");
    let far = MainFrame { vbat_latest: 1600 + 8193, ..main_frame(32) };
    assert!(encoder.encode(&far).is_err());
    assert!(encoder.bytes().is_empty());
    assert_eq!(encoder.counts().refused, 1);
    assert_eq!(letter(encoder.encode(&main_frame(34)).expect("it fits")), 'I');
}

#[test]
fn missing_frames_are_counted_and_followed_by_an_i_frame() {
    let mut encoder = Encoder::<FlightLog>::new();
    encoder.encode(&main_frame(0)).expect("it fits");
    encoder.encode(&main_frame(2)).expect("it fits");
    // 4, 6 and 8 are missing; 3, 5, 7 and 9 the rate leaves out.
    assert_eq!(letter(encoder.encode(&main_frame(10)).expect("it fits")), 'I');
    let counts = encoder.counts();
    assert_eq!((counts.gaps, counts.missing, counts.events), (1, 3, 0));
    assert_eq!(letter(encoder.encode(&main_frame(12)).expect("it fits")), 'P');
}

#[test]
fn a_jump_that_decoders_take_for_damage_has_a_resume_event() {
    let event = |iteration: u32, time: u32| {
        let mut buffer = [0; Event::MAX_BYTES];
        Event::Resume { iteration, time }.encode(&mut buffer).to_vec()
    };
    for (iteration, time) in [(5000, 100), (1, 10_000_000), (5000, 20_000_000)] {
        let mut encoder = Encoder::<SmallLog>::new();
        encoder.encode(&small(0, [0; 4])).expect("it fits");
        let frame = Small { time, ..small(iteration, [0; 4]) };
        let bytes = encoder.encode(&frame).expect("it fits");
        let event = event(iteration, time);
        assert_eq!(bytes[..event.len()], event, "{iteration}, {time}");
        assert_eq!(bytes[event.len()], b'I');
        assert_eq!(encoder.counts().events, 1);
    }
    let mut encoder = Encoder::<SmallLog>::new();
    encoder.encode(&small(100, [0; 4])).expect("it fits");
    for iteration in [100, 99] {
        assert_eq!(letter(encoder.encode(&small(iteration, [0; 4])).expect("it fits")), 'E', "backwards");
    }
    assert_eq!(letter(encoder.encode(&small(4999, [0; 4])).expect("it fits")), 'I');
}

/// Readers take a frame out of the ratio for another session's.
#[test]
fn gap_of_half_a_second_in_a_steady_session_has_a_resume_event() {
    for (skipped, later, letter_after) in [(40, 499_999, 'I'), (40, 500_000, 'E'), (1, 9_000_000, 'P')] {
        let mut encoder = Encoder::<SmallLog>::new();
        let mut log = SmallLog::HEADER.as_bytes().to_vec();
        for i in 0..100 {
            log.extend_from_slice(encoder.encode(&small(i, [0; 4])).expect("it fits"));
        }
        let gap = Small { time: 99_000 + later, ..small(99 + skipped, [0; 4]) };
        let bytes = encoder.encode(&gap).expect("it fits");
        assert_eq!(letter(bytes), letter_after, "{skipped}, {later}");
        log.extend_from_slice(bytes);
        let next = Small { time: gap.time + 1000, ..small(gap.loop_iteration + 1, [0; 4]) };
        log.extend_from_slice(encoder.encode(&next).expect("it fits"));
        log.extend_from_slice(encoder.end());
        let log = BlackboxLog::from_bytes(log);
        let tables = log.session(0).expect("a session").tables();
        assert_eq!((tables.main().len(), tables.lost()), (102, &[][..]), "{skipped}, {later}");
    }
}

#[test]
fn main_frame_after_a_resume_event_is_an_i_frame() {
    let mut encoder = Encoder::<SmallLog>::new();
    encoder.encode(&small(0, [0; 4])).expect("it fits");
    encoder.encode(&small(1, [0; 4])).expect("it fits");
    for resumed in [2, 100_000] {
        let time = small(resumed, [0; 4]).time;
        encoder.event(&Event::Resume { iteration: resumed, time }).expect("an event of the program");
        assert_eq!(letter(encoder.encode(&small(resumed, [0; 4])).expect("it fits")), 'I');
        assert_eq!(letter(encoder.encode(&small(resumed + 1, [0; 4])).expect("it fits")), 'P');
    }
    // It leads elsewhere, so the encoder adds one that leads to the frame.
    encoder.event(&Event::Resume { iteration: 7, time: 7 }).expect("an event of the program");
    assert_eq!(letter(encoder.encode(&small(100_002, [0; 4])).expect("it fits")), 'E');
    assert_eq!(letter(encoder.encode(&small(100_003, [0; 4])).expect("it fits")), 'P');
}

#[test]
fn after_a_restart_the_log_stands_alone_again() {
    let mut encoder = Encoder::<FlightLog>::new();
    encoder.encode(&main_frame(0)).expect("it fits");
    let slow = SlowFrame { flight_mode_flags: 3, ..SlowFrame::default() };
    assert_eq!(letter(encoder.encode(&slow).expect("it fits")), 'S');
    assert_eq!(letter(encoder.encode(&main_frame(2)).expect("it fits")), 'P');
    encoder.resume();
    let bytes = encoder.encode(&main_frame(4)).expect("it fits").to_vec();
    assert_eq!(&bytes[..2], [b'E', 14]);
    assert!(bytes.ends_with(&[b'S', 3, 0, 0]), "{bytes:?}");
    assert_eq!(letter(encoder.encode(&main_frame(6)).expect("it fits")), 'P');
}

/// Its time is that since the last main frame, which may be lost.
#[test]
fn after_a_restart_a_gps_frame_waits_for_the_i_frame() {
    let mut encoder = Encoder::<FlightLog>::new();
    encoder.encode(&main_frame(0)).expect("it fits");
    encoder.encode(&main_frame(2)).expect("it fits");
    encoder.resume();
    let gps = GpsFrame { time: 600, gps_num_sat: 9, ..GpsFrame::default() };
    assert!(encoder.encode(&gps).expect("it fits").is_empty());
    let bytes = encoder.encode(&main_frame(4)).expect("it fits").to_vec();
    // 600 is 100 µs after the main frame at 500.
    assert!(bytes.ends_with(&[b'G', 100, 9, 0, 0, 0, 0, 0]), "{bytes:?}");
    assert_eq!((encoder.counts().gps_frames, encoder.counts().unwritten), (1, 0));
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Default)]
#[blackbox(home, allow(not_portable))]
#[repr(C)]
struct HighHome {
    gps_home: [i32; 2],
    #[blackbox(predictor = vbatref, encoding = neg_14bit)]
    height: u16,
    spare: u16,
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "acc_1G" = "2048", "vbatref" = "0", "motorOutput" = "158,2047"))]
enum HighLog {
    Main(MainFrame),
    Gps(GpsFrame),
    Home(HighHome),
}

#[test]
fn after_a_home_frame_that_does_not_fit_the_one_before_stays() {
    let mut encoder = Encoder::<HighLog>::new();
    let home = HighHome { gps_home: [480_000_000, 90_000_000], height: 0, spare: 0 };
    encoder.encode(&home).expect("it fits");
    encoder.encode(&MainFrame { vbat_latest: 0, ..main_frame(0) }).expect("it fits");
    assert!(encoder.encode(&HighHome { height: 9000, ..home }).is_err());
    let gps = GpsFrame { time: 100, gps_num_sat: 9, gps_coord: [480_000_001, 90_000_000], ..GpsFrame::default() };
    assert_eq!(encoder.encode(&gps).expect("it fits"), [b'G', 100, 9, 2, 0, 0, 0, 0]);
    assert_eq!(encoder.counts().home_frames, 1);
}

#[test]
fn slow_frames_are_written_on_change_and_every_256_i_frames() {
    let mut encoder = Encoder::<FlightLog>::new();
    let slow = SlowFrame { flight_mode_flags: 1, ..SlowFrame::default() };
    assert!(encoder.encode(&slow).expect("it fits").is_empty(), "it waits for the first I frame");
    let first = encoder.encode(&main_frame(0)).expect("it fits").to_vec();
    assert!(first.starts_with(b"I") && first.ends_with(&[b'S', 1, 0, 0]));
    assert!(encoder.encode(&slow).expect("it fits").is_empty(), "it is in the log");
    let changed = SlowFrame { failsafe_phase: 1, ..slow };
    assert_eq!(encoder.encode(&changed).expect("it fits"), [b'S', 1, 0, 0x10]);
    for i in 1..=256 {
        encoder.encode(&main_frame(i * 32)).expect("it fits");
        assert_eq!(encoder.counts().slow_frames, 2 + i / 256, "after {i} I frames");
    }
}

#[test]
fn home_is_written_before_its_gps_frames_and_every_128_i_frames() {
    let mut encoder = Encoder::<FlightLog>::new();
    let gps = GpsFrame { time: 100, gps_num_sat: 9, gps_coord: [480_000_001, 90_000_000], ..GpsFrame::default() };
    encoder.encode(&gps).expect("it fits");
    encoder.encode(&HomeFrame { gps_home: [480_000_000, 90_000_000] }).expect("it fits");
    let first = encoder.encode(&main_frame(0)).expect("it fits").to_vec();
    // H with both coordinates, then G with the difference from them.
    assert!(first.ends_with(&[b'G', 100, 9, 2, 0, 0, 0, 0]), "{first:?}");
    assert_eq!(first[first.len() - 8 - 10], b'H', "{first:?}");
    assert_eq!(encoder.encode(&gps).expect("it fits"), [b'G', 100, 9, 2, 0, 0, 0, 0]);
    assert_eq!(encoder.counts().home_frames, 1);
    for i in 1..=128 {
        encoder.encode(&main_frame(i * 32)).expect("it fits");
        assert_eq!(encoder.counts().home_frames, 1 + i / 128, "after {i} I frames");
    }
}

#[test]
fn without_a_home_frame_home_is_0_and_in_the_log() {
    let mut encoder = Encoder::<FlightLog>::new();
    encoder.encode(&main_frame(0)).expect("it fits");
    let gps = GpsFrame { gps_coord: [1, -1], ..GpsFrame::default() };
    assert_eq!(encoder.encode(&gps).expect("it fits"), [b'H', 0, 0, b'G', 0, 0, 2, 1, 0, 0, 0]);
}

#[test]
fn a_value_of_the_schema_is_encoded_as_the_frame_in_it() {
    let (mut of_any, mut of_frame) = (Encoder::<FlightLog>::new(), Encoder::<FlightLog>::new());
    for frame in flight(64) {
        let any = of_any.encode_any(&FlightLog::Main(frame)).expect("it fits");
        assert_eq!(any, of_frame.encode(&frame).expect("it fits"));
    }
}

fn gps(time: u32) -> GpsFrame {
    GpsFrame { time, gps_num_sat: 9, ..GpsFrame::default() }
}

#[test]
fn last_frame_of_each_kind_waits_for_the_first_i_frame() {
    let mut encoder = Encoder::<FlightLog>::new();
    for flags in [1, 1, 2] {
        let slow = SlowFrame { flight_mode_flags: flags, ..SlowFrame::default() };
        assert!(encoder.encode(&slow).expect("it fits").is_empty());
    }
    for i in 0..4 {
        assert!(encoder.encode(&gps(i)).expect("it fits").is_empty());
        assert!(encoder.encode(&HomeFrame { gps_home: [7, (i / 2) as i32] }).expect("it fits").is_empty());
    }
    assert_eq!(encoder.counts().unwritten, 2 + 3 + 2);
    let bytes = encoder.encode(&main_frame(0)).expect("it fits").to_vec();
    assert!(bytes.ends_with(&[b'S', 2, 0, 0, b'H', 14, 2, b'G', 3, 9, 13, 1, 0, 0, 0]), "{bytes:?}");
    encoder.end();
    let counts = encoder.counts();
    assert_eq!((counts.slow_frames, counts.home_frames, counts.gps_frames, counts.unwritten), (1, 1, 1, 7));
}

#[test]
fn session_without_main_frames_counts_the_frames_that_wait() {
    let mut encoder = Encoder::<FlightLog>::new();
    let slow = SlowFrame { flight_mode_flags: 1, ..SlowFrame::default() };
    encoder.encode(&slow).expect("it fits");
    encoder.encode(&gps(1)).expect("it fits");
    assert_eq!(encoder.end(), b"E\xFFEnd of log\0");
    assert_eq!((encoder.counts().unwritten, encoder.counts().frames()), (2, 1));
    encoder.begin();
    let bytes = encoder.encode(&main_frame(0)).expect("it fits").to_vec();
    assert!(bytes.ends_with(&[b'S', 1, 0, 0]), "the next session has the slow state, and no old fix: {bytes:?}");
    assert_eq!(encoder.counts().unwritten, 2);
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(slow)]
#[repr(C)]
struct Battery {
    #[blackbox(predictor = vbatref, encoding = neg_14bit)]
    vbat: u16,
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "vbatref" = "1600"))]
enum BatteryLog {
    Main(Small),
    Slow(Battery),
}

#[test]
fn a_slow_frame_that_does_not_fit_is_refused_each_time() {
    let mut encoder = Encoder::<BatteryLog>::new();
    encoder.encode(&small(0, [0; 4])).expect("it fits");
    for _ in 0..2 {
        assert!(encoder.encode(&Battery { vbat: u16::MAX }).is_err());
    }
    assert_eq!(encoder.encode(&Battery { vbat: 1599 }).expect("it fits"), [b'S', 1]);
    assert_eq!(encoder.counts().refused, 2);
    // The first I frame stands if the frame that waits for it doesn't fit.
    let mut encoder = Encoder::<BatteryLog>::new();
    encoder.encode(&Battery { vbat: u16::MAX }).expect("it waits");
    let bytes = encoder.encode(&small(0, [0; 4])).expect("it fits");
    assert_eq!(bytes, [b'I', 0, 0, 0, 0, 0, 0]);
    assert_eq!((encoder.counts().refused, encoder.counts().unwritten), (1, 1));
}

#[derive(Clone, Debug)]
enum Call {
    Main(u32),
    Gps,
    End,
    Begin,
    Forget,
    Resume,
}

proptest! {
    #[test]
    fn each_fix_is_in_the_log_or_counted(calls in prop::collection::vec(
        prop_oneof![
            2 => (0..100u32).prop_map(Call::Main),
            4 => Just(Call::Gps),
            1 => Just(Call::End),
            1 => Just(Call::Begin),
            1 => Just(Call::Forget),
            1 => Just(Call::Resume),
        ],
        1..60,
    )) {
        let mut encoder = Encoder::<FlightLog>::new();
        let mut accepted = 0;
        for call in calls.into_iter().chain([Call::End]) {
            match call {
                Call::Main(iteration) => {
                    encoder.encode(&main_frame(iteration)).expect("it fits");
                }
                Call::Gps => {
                    encoder.encode(&gps(accepted)).expect("it fits");
                    accepted += 1;
                }
                Call::End => {
                    encoder.end();
                }
                Call::Begin => encoder.begin(),
                Call::Forget => encoder.forget(),
                Call::Resume => encoder.resume(),
            }
        }
        prop_assert_eq!(encoder.counts().gps_frames + encoder.counts().unwritten, accepted);
    }
}
