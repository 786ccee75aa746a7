//! Frames of a derived schema, by the encoder's own rules.

use super::{Choices, read};
use binlog::blackbox::{BlackboxFrame, BlackboxSchema, Encoder, Event, LogsFrame};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(main)]
#[repr(C)]
struct Main {
    loop_iteration: u32,
    time: u32,
    motor: [u16; 2],
    #[blackbox(i(predictor = motor_0), p(predictor = motor_0, encoding = elias_delta_s32))]
    spread: [u16; 2],
    #[blackbox(i(encoding = elias_delta_u32), p(predictor = zero, encoding = elias_delta_u32))]
    counter: u32,
    #[blackbox(i(predictor = vbatref), p(encoding = neg_14bit))]
    vbat: u16,
    #[blackbox(i(predictor = 1500), p(predictor = 1500))]
    servo: u16,
    #[blackbox(i(encoding = tag8_4s16), p(encoding = tag8_4s16))]
    channel: [i16; 4],
    #[blackbox(i(encoding = tag2_3s32), p(predictor = straight_line, encoding = tag2_3s32))]
    position: [i32; 3],
    #[blackbox(i(encoding = tag8_8svb), p(encoding = tag8_8svb))]
    states: [i16; 6],
    #[blackbox(i(encoding = unsigned_vb), p(predictor = average_2, encoding = unsigned_vb))]
    level: i32,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(slow)]
#[repr(C)]
struct Slow {
    flight_mode_flags: u32,
    state_flags: u32,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(gps)]
#[repr(C)]
struct Gps {
    time: u32,
    gps_coord: [i32; 2],
    gps_altitude: i32,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(home)]
#[repr(C)]
struct Home {
    gps_home: [i32; 2],
}

#[derive(BlackboxSchema)]
#[blackbox(
    i_interval = 12,
    p_rate = "2/3",
    header("looptime" = "125", "motorOutput" = "158,2047", "vbatref" = "1600")
)]
enum AllFrames {
    Main(Main),
    Slow(Slow),
    Gps(Gps),
    Home(Home),
}

/// A frame's values as 32 bits each, extended by their signs.
fn values<F: BlackboxFrame>(frame: &F) -> Vec<u32> {
    let mut rest = frame.wire();
    let mut value = |bits: u8, signed: bool| {
        let (bytes, others) = rest.split_at(usize::from(bits / 8));
        rest = others;
        match (bytes, signed) {
            (&[low, high], true) => i16::from_le_bytes([low, high]) as u32,
            (&[low, high], false) => u16::from_le_bytes([low, high]).into(),
            (bytes, _) => u32::from_le_bytes(bytes.try_into().expect("fields of 16 and 32 bits")),
        }
    };
    F::FIELDS.iter().map(|field| value(field.bits, field.signed)).collect()
}

/// A frame of numbers that the bytes choose.
fn frame<F: FromBytes>(choices: &mut Choices<'_>) -> F {
    let numbers = choices.numbers(size_of::<F>() / 2);
    let bytes: Vec<u8> = numbers.iter().flat_map(|&number| (number as u16).to_le_bytes()).collect();
    F::read_from_bytes(&bytes).expect("as many bytes")
}

/// What was given to the encoder last, of each kind, and which bytes of the log belong to which of it.
#[derive(Default)]
struct Given {
    /// The end of what was encoded, and the values of main, slow, GPS and home frames up to there.
    calls: Vec<(usize, [Vec<u32>; 4])>,
    last: [Vec<u32>; 4],
    main_frames: usize,
}

impl Given {
    /// Encodes a frame. Returns whether the log has bytes of it.
    fn take<F: BlackboxFrame>(&mut self, encoder: &mut Encoder<AllFrames>, log: &mut Vec<u8>, frame: &F) -> bool
    where
        AllFrames: LogsFrame<F>,
    {
        let place = b"ISGH".iter().position(|&letter| letter == F::KIND.letter()).expect("a kind of frame");
        let Ok(bytes) = encoder.encode(frame) else {
            return false;
        };
        let is_written = !bytes.is_empty();
        self.main_frames += usize::from(place == 0 && is_written);
        log.extend_from_slice(bytes);
        self.last[place] = values(frame);
        self.calls.push((log.len(), self.last.clone()));
        is_written
    }
}

pub(super) fn frames(choices: &mut Choices<'_>) {
    let mut encoder = Encoder::<AllFrames>::new();
    let mut log = AllFrames::HEADER.as_bytes().to_vec();
    let mut given = Given::default();
    given.last[3] = vec![0; 2];
    let (mut iteration, mut time) = (choices.number(), choices.number());
    let (mut has_main, mut main_time) = (false, 0_u32);
    while !choices.is_empty() && log.len() < 1 << 20 {
        match choices.below(12) {
            0 => {
                given.take(&mut encoder, &mut log, &frame::<Slow>(choices));
            }
            1 => {
                given.take(&mut encoder, &mut log, &frame::<Home>(choices));
            }
            // GPS frames are rejected that are far from the main frame before them.
            2 if has_main => {
                let gps = Gps { time: main_time.wrapping_add(choices.byte().into()), ..frame(choices) };
                given.take(&mut encoder, &mut log, &gps);
            }
            3 => {
                let event = choices.event();
                has_main &= !matches!(event, Event::Resume { .. });
                if let Ok(bytes) = encoder.event(&event) {
                    log.extend_from_slice(bytes);
                    given.calls.push((log.len(), given.last.clone()));
                }
            }
            4 => encoder.resume(),
            choice => {
                // One after the other most often; else anywhere, backwards, too.
                let (by, after) = match choice {
                    5 => (choices.number(), choices.number()),
                    _ => (1, choices.number() % 10_000_000),
                };
                (iteration, time) = (iteration.wrapping_add(by), time.wrapping_add(after));
                let main = Main { loop_iteration: iteration, time, ..frame(choices) };
                if given.take(&mut encoder, &mut log, &main) {
                    (has_main, main_time) = (true, time);
                }
            }
        }
    }
    log.extend_from_slice(encoder.end());
    let (frames, events) = read(&log);
    let count = |letter: u8| frames.iter().filter(|frame| frame.letter == letter).count() as u32;
    let counts = encoder.counts();
    assert_eq!([count(b'I'), count(b'P')], [counts.i_frames, counts.p_frames]);
    assert_eq!([count(b'S'), count(b'G'), count(b'H')], [counts.slow_frames, counts.gps_frames, counts.home_frames]);
    assert_eq!(
        (events, frames.iter().filter(|frame| b"IP".contains(&frame.letter)).count()),
        (counts.events as usize, given.main_frames)
    );
    for frame in frames {
        let (_, last) = given.calls.iter().find(|(end, _)| frame.offset < *end).expect("it was given");
        let place = b"ISGH".iter().position(|&letter| letter == if frame.letter == b'P' { b'I' } else { frame.letter });
        assert_eq!(Some(&frame.values), place.map(|place| &last[place]), "at {}", frame.offset);
    }
}
