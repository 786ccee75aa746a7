//! The application: what it logs, and when. It knows neither board nor card, so it runs on a host, too.
//!
//! A timer calls [`Application::interrupt`], the main loop calls [`Flight::step`]. There are two applications of the
//! same sensors: [`ardupilot`] logs messages, [`blackbox`] frames. Each attempt to log is counted here, by hand, so
//! that a test can compare the attempts with the records on the card and with the logger's own counts.

#![no_std]
#![deny(unsafe_code)]

pub mod ardupilot;
mod attempts;
pub mod blackbox;
mod messages;
pub mod sensors;

pub use messages::{Attitude, Barometer, FlightLog, Imu, RollRate};

use binlog::blackbox::Counts;
use binlog::ring_format::{PrologueOf, Schema};
use binlog::sink::{Statistics, Tally};
pub use binlog_embedded::retained::{Claim, Reset};
use binlog_embedded::{Drain, Retained};
use core::panic::PanicInfo;

/// Bytes of a ring.
pub const RING: usize = 16384;

/// What takes the records of `S` to the card or the link.
pub type FlightDrain<S> = Drain<'static, S, RING>;

/// What is logged in one format, and when. It is implemented for the schema.
pub trait Application: Schema + 'static {
    /// When the main loop logs next.
    type MainLoop: Default;

    /// The logger for all contexts. Its ring outlives a reset, because cortex-m-rt doesn't clear `.uninit`.
    fn log() -> &'static Retained<Self, RING>;

    /// Finds out what the ring has from before the reset. Call it first, once in each boot.
    fn boot(reset: Reset) -> Claim;

    /// The timer's interrupt, a thousand times a second. `sensors` is how many thousand measurements a second there
    /// are.
    fn interrupt(time_us: u64, sensors: u8);

    /// What the main loop logs.
    fn main_loop(state: &mut Self::MainLoop, time_us: u64);

    /// The beginning of every log, after the preamble: for 0, 1, 2 and so on until `None`.
    fn prologue(i: usize) -> Option<PrologueOf<Self>>;

    /// Makes statistics a part of the log, in a format that has a place for them.
    fn report(_: &mut FlightDrain<Self>) {}

    /// Logs why the program ends, in a format that has a place for it.
    fn panicked(_: &PanicInfo<'_>) {}

    /// For each kind of record: its name, the attempts counted by hand, and the logger's counts.
    fn counts() -> impl Iterator<Item = (&'static str, u32, Tally)>;

    /// What the drain made of frames, in a format that has some.
    fn frames(_: &FlightDrain<Self>) -> Option<Counts> {
        None
    }
}

/// The main loop's part: slower records, and the drain that takes all of them to the card or the link.
pub struct Flight<S: Application> {
    /// Takes the records out of the ring.
    pub drain: FlightDrain<S>,
    main_loop: S::MainLoop,
}

impl<S: Application> Flight<S> {
    /// Starts logging. `None` if a flight is in progress already.
    pub fn start(clock: fn() -> u64) -> Option<Self> {
        let mut drain = S::log().drain()?.with_prologue(S::prologue as fn(usize) -> Option<PrologueOf<S>>);
        S::log().start(clock);
        S::report(&mut drain);
        Some(Flight { drain, main_loop: S::MainLoop::default() })
    }

    /// Logs what is due in a round of the main loop.
    pub fn step(&mut self, time_us: u64) {
        S::main_loop(&mut self.main_loop, time_us);
    }

    /// Stops logging. The ring keeps its records for the drain.
    pub fn land(&mut self) {
        S::log().stop();
    }

    /// The usage of the ring.
    pub fn statistics(&self) -> Statistics {
        S::log().statistics()
    }

    /// What the drain made of frames; `None` of the format that has none.
    pub fn frames(&self) -> Option<Counts> {
        S::frames(&self.drain)
    }
}
