//! The application: what it logs, and when. It knows neither board nor card, so it runs on a host, too.
//!
//! A timer calls [`interrupt`], the main loop calls [`Flight::step`]. Each attempt to log is counted here, by hand, so
//! that a test can compare the attempts with the records on the card and with the logger's own counts.

#![no_std]
#![deny(unsafe_code)]

mod messages;
pub mod sensors;

pub use messages::{Attitude, Barometer, FlightLog, Imu, MESSAGES, RollRate};

use binlog::messages::{Msg, Parm};
use binlog::sink::Tally;
use binlog::{LogMessage, Logs};
use binlog_embedded::card::Card;
pub use binlog_embedded::retained::{Claim, Reset};
use binlog_embedded::sd_log::{SdError, Undated};
use binlog_embedded::{Drain, Retained, SdLog};
use core::sync::atomic::{AtomicU32, Ordering};

/// The logger for all contexts. Its ring outlives a reset, because cortex-m-rt doesn't clear `.uninit`.
#[allow(unsafe_code, reason = "the program promises to claim the memory first")]
#[cfg_attr(target_os = "none", unsafe(link_section = ".uninit.LOG"))]
// SAFETY: `main` calls `boot` before it enables the interrupt and before it starts a flight, which are all that use it.
pub static LOG: Retained<FlightLog, 16384> = unsafe { Retained::new() };

/// Finds out what the ring has from before the reset. Call it first, once in each boot.
pub fn boot(reset: Reset) -> Claim {
    LOG.claim(reset)
}

/// Attempts to log, by the message's place in the schema. Each message is logged by one context, so a load and a store
/// are enough to count it; a Cortex-M0 has no atomic addition.
static ATTEMPTS: [AtomicU32; MESSAGES] = [const { AtomicU32::new(0) }; MESSAGES];

fn count<M>(records: u32)
where
    FlightLog: Logs<M>,
{
    let attempts = &ATTEMPTS[<FlightLog as Logs<M>>::INDEX];
    attempts.store(attempts.load(Ordering::Relaxed).wrapping_add(records), Ordering::Relaxed);
}

fn log<M: LogMessage>(message: &M)
where
    FlightLog: Logs<M>,
{
    count::<M>(1);
    LOG.log(message);
}

/// The timer's interrupt, a thousand times a second: reads `sensors` inertial sensors (one in a real vehicle), and logs
/// their measurements.
pub fn interrupt(time_us: u64, sensors: u8) {
    for instance in 0..sensors {
        log(&sensors::imu(time_us, instance));
    }
    if (time_us / 1000).is_multiple_of(2) {
        log(&sensors::roll_rate(time_us));
    }
}

/// The text and the parameters at the start of every log.
fn prologue(i: usize) -> Option<FlightLog> {
    const PARAMETERS: [(&str, f32, f32); 3] =
        [("ATC_RAT_RLL_P", 0.135, 0.135), ("ATC_RAT_RLL_I", 0.09, 0.135), ("LOG_BITMASK", 65535.0, 65535.0)];
    match i {
        0 => {
            count::<Msg>(1);
            Msg::new(0, 0, "ArduCopter V4.6.0 (binlog firmware example)").ok().map(FlightLog::Msg)
        }
        _ => {
            let (name, value, default) = *PARAMETERS.get(i - 1)?;
            count::<Parm>(1);
            Parm::new(0, name, value, Some(default)).ok().map(FlightLog::Parm)
        }
    }
}

/// The main loop's part: slower messages, and moving the records to the card.
pub struct Flight<C: Card, const BLOCKS: usize> {
    /// The card.
    pub card: SdLog<C, Undated, BLOCKS>,
    drain: Drain<'static, FlightLog, 16384>,
    attitude_us: u64,
    barometer_us: u64,
    text_us: u64,
}

impl<C: Card, const BLOCKS: usize> Flight<C, BLOCKS> {
    /// Starts logging. `None` if a flight is in progress already.
    pub fn start(card: SdLog<C, Undated, BLOCKS>, clock: fn() -> u64) -> Option<Self> {
        let mut drain = LOG.drain()?.with_prologue(prologue as fn(usize) -> Option<FlightLog>);
        LOG.start(clock);
        drain.report_every(1_000_000);
        Some(Flight { card, drain, attitude_us: 0, barometer_us: 0, text_us: 0 })
    }

    /// One round of the main loop.
    ///
    /// # Errors
    ///
    /// The card's, each once; the next round continues.
    pub fn step(&mut self, time_us: u64) -> Result<(), SdError<C::Error>> {
        if time_us >= self.attitude_us {
            self.attitude_us = time_us + 10_000;
            log(&sensors::attitude(time_us));
        }
        if time_us >= self.barometer_us {
            self.barometer_us = time_us + 50_000;
            log(&sensors::barometer(time_us));
        }
        if time_us >= self.text_us {
            self.text_us = time_us + 500_000;
            // Shorter than 64 bytes, so it is one record.
            count::<Msg>(1);
            LOG.text(format_args!("flying for {} ms", time_us / 1000));
        }
        self.card.run(&mut self.drain)
    }

    /// Stops logging, writes the remaining records and the last statistics, and closes the log.
    ///
    /// # Errors
    ///
    /// The card's.
    pub fn land(&mut self) -> Result<(), SdError<C::Error>> {
        LOG.stop();
        self.card.finish(&mut self.drain)
    }
}

/// For each message: its name, the attempts counted by hand, and the logger's counts.
pub fn counts() -> impl Iterator<Item = (&'static str, u32, Tally)> {
    let tallies = LOG.tallies().zip(&ATTEMPTS);
    tallies.map(|((message, tally), attempts)| (message.definition.name, attempts.load(Ordering::Relaxed), tally))
}
