//! One flight: as fast as possible or in real time, into a file or a folder, in either format.

use crate::progress::Progress;
use binlog::blackbox::BlackboxWriter;
use binlog::host::LogThread;
use binlog::{LogFolder, WriteError};
use simulator::blackbox::{self, frames};
use simulator::mavlink::Vehicle;
use simulator::{Fault, FlightLog, Simulation, fly_on, logger};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// What is flown.
#[derive(Clone, Copy)]
pub(crate) struct Flight {
    pub(crate) seed: u64,
    pub(crate) seconds: u32,
    pub(crate) realtime: bool,
    pub(crate) fault: Option<Fault>,
}

/// How it went.
pub(crate) struct Flown {
    /// Records in the log; frames and events of a Blackbox log.
    pub(crate) records: u64,
    dropped: u32,
    /// How much the loop was late at most.
    late: Duration,
}

impl Flight {
    pub(crate) fn to_file(self, path: &Path) -> Result<Flown, WriteError> {
        let simulation = self.simulation();
        self.fly(self.settings(&simulation).create(path)?, simulation, |_| {})
    }

    /// `vehicle` is the vehicle on the link, which learns when it is armed and when its log ends.
    pub(crate) fn to_folder(self, folder: &LogFolder, vehicle: Option<&Vehicle>) -> Result<Flown, WriteError> {
        let simulation = self.simulation();
        let thread = self.settings(&simulation).spawn_logs(folder.clone())?;
        let Some(vehicle) = vehicle else { return self.fly(thread, simulation, |_| {}) };
        vehicle.set_logging(true);
        let flown = self.fly(thread, simulation, |simulation| vehicle.set_armed(simulation.mission.phase.is_armed()));
        vehicle.set_armed(false);
        vehicle.set_logging(false);
        flown
    }

    /// Flies as fast as possible, and logs in Blackbox's format.
    pub(crate) fn to_blackbox(self, path: &Path) -> Result<Flown, WriteError> {
        let simulation = self.simulation();
        let headers = blackbox::headers(&simulation);
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut log = BlackboxWriter::<frames::FlightLog, _>::create_with_headers(path, &headers)?;
        let progress = Progress::new(self.seconds);
        let flown = blackbox::fly(simulation, &mut log, |time_us| {
            progress.update(time_us);
            ControlFlow::Continue(())
        });
        progress.end();
        flown?;
        // `finish` writes one more event.
        let records = log.counts().frames() + 1;
        log.finish()?;
        Ok(Flown { records, dropped: 0, late: Duration::ZERO })
    }

    fn simulation(self) -> Simulation {
        let simulation = Simulation::new(self.seed, self.seconds);
        match self.fault {
            Some(fault) => simulation.with_fault(fault),
            None => simulation,
        }
    }

    fn settings(self, simulation: &Simulation) -> binlog::host::Builder<FlightLog> {
        match self.realtime {
            true => logger(simulation).report_every(Duration::from_secs(1)),
            // Nobody waits for the flight, so it waits for the disk. If that fails, it needn't continue.
            false => logger(simulation).wait_for_room().retry_for(Duration::ZERO),
        }
    }

    /// `after_step` sees the simulation after each step.
    fn fly(
        self,
        thread: LogThread<FlightLog, File>,
        simulation: Simulation,
        after_step: impl Fn(&Simulation),
    ) -> Result<Flown, WriteError> {
        let log = thread.logger().clone();
        let progress = Progress::new(self.seconds);
        let begun = Instant::now();
        let mut late = Duration::ZERO;
        fly_on(&log, simulation, |simulation| {
            let time_us = simulation.time_us;
            after_step(simulation);
            if time_us.is_multiple_of(100_000) {
                progress.update(time_us);
                if log.has_failed() {
                    return ControlFlow::Break(());
                }
            }
            if self.realtime {
                let (due, now) = (Duration::from_micros(time_us), begun.elapsed());
                late = late.max(now.saturating_sub(due));
                thread::sleep(due.saturating_sub(now));
            }
            ControlFlow::Continue(())
        });
        progress.end();
        // Dropping the thread would write the rest too, but could not say whether that worked.
        thread.finish()?;
        let statistics = log.statistics();
        Ok(Flown { records: statistics.written.into(), dropped: statistics.dropped, late })
    }
}

impl Flown {
    /// A line about a flight in real time.
    pub(crate) fn in_real_time(&self) -> String {
        format!(
            "{} records were dropped; the loop was at most {:.1} ms late\n",
            self.dropped,
            self.late.as_secs_f64() * 1e3
        )
    }
}
