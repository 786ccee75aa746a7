//! The application that logs frames, in the Blackbox format: a control loop that logs each of its iterations.

mod frames;

pub use frames::{FlightLog, MainFrame, SlowFrame};

use crate::attempts::Attempts;
use crate::{Application, FlightDrain, RING};
use binlog::blackbox::{Counts, Event, EventRecord, HeaderLine};
use binlog::sink::Tally;
use binlog_embedded::Retained;
use binlog_embedded::retained::{Claim, Reset};
use frames::{ANGLE, ARM};

#[allow(unsafe_code, reason = "the program promises to claim the memory first")]
#[cfg_attr(target_os = "none", unsafe(link_section = ".uninit.BLACKBOX"))]
// SAFETY: as in `ardupilot`.
static LOG: Retained<FlightLog, RING> = unsafe { Retained::new() };

/// Of main frames, slow frames and events.
static ATTEMPTS: Attempts<3> = Attempts::new();
const MAIN: usize = 0;
const SLOW: usize = 1;
const EVENT: usize = 2;

/// The mode, and when the main loop logs it next, µs.
#[derive(Default)]
pub struct Mode {
    flags: u32,
    due: u64,
}

impl Application for FlightLog {
    type MainLoop = Mode;

    fn log() -> &'static Retained<Self, RING> {
        &LOG
    }

    fn boot(reset: Reset) -> Claim {
        LOG.claim(reset)
    }

    /// The number of iterations of the control loop, which are numbered from 0 on.
    fn interrupt(time_us: u64, sensors: u8) {
        for i in 0..sensors {
            let iteration = ATTEMPTS.of(MAIN);
            ATTEMPTS.count(MAIN);
            LOG.log(&MainFrame::at(iteration, time_us + 1000 * u64::from(i) / u64::from(sensors)));
        }
    }

    /// The mode changes each second. The slow frame is logged more often, and written when it changes.
    fn main_loop(mode: &mut Mode, time_us: u64) {
        if time_us < mode.due {
            return;
        }
        mode.due = time_us + 100_000;
        let flags = if (time_us / 1_000_000).is_multiple_of(2) { ARM } else { ARM | ANGLE };
        ATTEMPTS.count(SLOW);
        LOG.log(&SlowFrame::of(flags));
        if flags != mode.flags {
            ATTEMPTS.count(EVENT);
            LOG.event(&Event::FlightMode { new: flags, old: mode.flags });
            mode.flags = flags;
        }
    }

    /// Lines of the header that are known at run time.
    fn prologue(i: usize) -> Option<HeaderLine> {
        const LINES: [(&str, &str); 2] = [("Craft name", "binlog firmware"), ("rollPID", "135,90,0")];
        let (name, value) = *LINES.get(i)?;
        HeaderLine::new(name, value).ok()
    }

    fn counts() -> impl Iterator<Item = (&'static str, u32, Tally)> {
        let tallies = [LOG.tally::<MainFrame>(), LOG.tally::<SlowFrame>(), LOG.tally::<EventRecord>()];
        let names = ["main", "slow", "event"];
        names.into_iter().zip(tallies).enumerate().map(|(i, (name, tally))| (name, ATTEMPTS.of(i), tally))
    }

    fn frames(drain: &FlightDrain<Self>) -> Option<Counts> {
        Some(*drain.counts())
    }
}
