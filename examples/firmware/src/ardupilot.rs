//! The application that logs messages.

use crate::attempts::Attempts;
use crate::{Application, FlightDrain, FlightLog, RING, sensors};
use binlog::messages::{Msg, Parm};
use binlog::sink::Tally;
use binlog::{LogMessage, LogSchema, Logs};
use binlog_embedded::Retained;
use binlog_embedded::retained::{Claim, Reset};
use core::panic::PanicInfo;

#[allow(unsafe_code, reason = "the program promises to claim the memory first")]
#[cfg_attr(target_os = "none", unsafe(link_section = ".uninit.LOG"))]
// SAFETY: `main` calls `boot` before it enables the interrupt and before it starts a flight, which are all that use it.
static LOG: Retained<FlightLog, RING> = unsafe { Retained::new() };

static ATTEMPTS: Attempts<{ FlightLog::MESSAGES.len() }> = Attempts::new();

fn count<M>()
where
    FlightLog: Logs<M>,
{
    ATTEMPTS.count(<FlightLog as Logs<M>>::INDEX);
}

fn log<M: LogMessage>(message: &M)
where
    FlightLog: Logs<M>,
{
    count::<M>();
    LOG.log(message);
}

/// When the main loop logs which message next, µs.
#[derive(Default)]
pub struct Due {
    attitude: u64,
    barometer: u64,
    text: u64,
}

impl Application for FlightLog {
    type MainLoop = Due;

    fn log() -> &'static Retained<Self, RING> {
        &LOG
    }

    fn boot(reset: Reset) -> Claim {
        LOG.claim(reset)
    }

    /// Reads the inertial sensors (one in a real vehicle), and logs their measurements.
    fn interrupt(time_us: u64, sensors: u8) {
        for instance in 0..sensors {
            log(&sensors::imu(time_us, instance));
        }
        if (time_us / 1000).is_multiple_of(2) {
            log(&sensors::roll_rate(time_us));
        }
    }

    fn main_loop(due: &mut Due, time_us: u64) {
        if time_us >= due.attitude {
            due.attitude = time_us + 10_000;
            log(&sensors::attitude(time_us));
        }
        if time_us >= due.barometer {
            due.barometer = time_us + 50_000;
            log(&sensors::barometer(time_us));
        }
        if time_us >= due.text {
            due.text = time_us + 500_000;
            // Shorter than 64 bytes, so it is one record.
            count::<Msg>();
            LOG.text(format_args!("flying for {} ms", time_us / 1000));
        }
    }

    /// The text and the parameters.
    fn prologue(i: usize) -> Option<FlightLog> {
        const PARAMETERS: [(&str, f32, f32); 3] =
            [("ATC_RAT_RLL_P", 0.135, 0.135), ("ATC_RAT_RLL_I", 0.09, 0.135), ("LOG_BITMASK", 65535.0, 65535.0)];
        match i {
            0 => {
                count::<Msg>();
                Msg::new(0, 0, "ArduCopter V4.6.0 (binlog firmware example)").ok().map(FlightLog::Msg)
            }
            _ => {
                let (name, value, default) = *PARAMETERS.get(i - 1)?;
                count::<Parm>();
                Parm::new(0, name, value, Some(default)).ok().map(FlightLog::Parm)
            }
        }
    }

    fn report(drain: &mut FlightDrain<Self>) {
        drain.report_every(1_000_000);
    }

    fn panicked(info: &PanicInfo<'_>) {
        LOG.text(info);
    }

    fn counts() -> impl Iterator<Item = (&'static str, u32, Tally)> {
        LOG.tallies().enumerate().map(|(i, (message, tally))| (message.definition.name, ATTEMPTS.of(i), tally))
    }
}
