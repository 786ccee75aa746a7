//! Frames whose values are computed from the iteration, so that each shows whether it is whole.
#![allow(dead_code, missing_docs, unreachable_pub, reason = "shared by several tests")]

use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxFrame, BlackboxLog, BlackboxSchema, Event, Intervals};
use std::vec::Vec;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(main)]
#[repr(C)]
pub struct Main {
    pub loop_iteration: u32,
    pub time: u32,
    #[blackbox(name = "gyroADC")]
    pub gyro: [i16; 3],
    pub vbat_latest: u16,
    pub debug: [i16; 4],
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(slow)]
#[repr(C)]
pub struct Slow {
    pub flight_mode_flags: u32,
    pub state_flags: u32,
    pub failsafe_phase: u8,
    pub rx_signal_received: u8,
    pub rx_flight_channels_valid: u8,
    pub profile: u8,
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 16, p_rate = "1/2", header("looptime" = "1000", "vbatref" = "1680"))]
pub enum Flight {
    Main(Main),
    Slow(Slow),
}

pub const INTERVALS: Intervals = Flight::INTERVALS;

pub fn main(loop_iteration: u32) -> Main {
    let number = |i: u32| (loop_iteration.wrapping_mul(2_654_435_761) >> (i + 8)) as i16;
    Main {
        loop_iteration,
        time: 1000 * loop_iteration,
        gyro: [number(0), number(1) / 3, number(2) / 100],
        vbat_latest: 1600 - (loop_iteration % 100) as u16,
        debug: [number(3), 0, 1, 2],
    }
}

pub fn slow(flight_mode_flags: u32) -> Slow {
    Slow {
        flight_mode_flags,
        state_flags: 1,
        failsafe_phase: 0,
        rx_signal_received: 1,
        rx_flight_channels_valid: 1,
        profile: 0,
    }
}

/// What a session has: iterations and letters of main frames, each equal to what was logged, and the flags of slow
/// frames.
#[derive(Default, Debug)]
pub struct Session {
    pub main: Vec<(u32, u8)>,
    pub slow: Vec<u32>,
    pub events: Vec<Event>,
}

pub fn sessions(bytes: &[u8]) -> Vec<Session> {
    sessions_of(bytes, false)
}

/// A log that was cut may end in a part of a frame, or of a header.
pub fn sessions_of(bytes: &[u8], is_cut: bool) -> Vec<Session> {
    let log = BlackboxLog::from_bytes(bytes);
    let read = log.sessions().map(|session| {
        let mut read = Session::default();
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            match item {
                Item::Frame(frame) if frame.letter() == b'S' => read.slow.push(frame.values()[0]),
                Item::Frame(frame) => {
                    let iteration = frame.values()[0];
                    read.main.push((iteration, frame.letter()));
                    let expected = main(iteration);
                    let [a, b, c] = expected.gyro.map(|value| i32::from(value) as u32);
                    let [d, e, f, g] = expected.debug.map(|value| i32::from(value) as u32);
                    let values = [iteration, expected.time, a, b, c, u32::from(expected.vbat_latest), d, e, f, g];
                    assert_eq!(frame.values(), values);
                }
                Item::Event { event, .. } => read.events.push(event),
                Item::Lost(_) if is_cut => {}
                item => panic!("{item:?}"),
            }
        }
        read
    });
    read.collect()
}

pub fn iterations(session: &Session) -> Vec<u32> {
    session.main.iter().map(|&(iteration, _)| iteration).collect()
}
