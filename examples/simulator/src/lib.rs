//! Flies a simulated quadcopter and logs the flight as an autopilot would.
//!
//! It is an example to copy from. All of the logging is in two files:
//!
//! - [`messages`]: the messages as annotated structs, and the schema that lists them;
//! - [`recorder`]: what is logged when.
//!
//! [`replay`] runs the rate controller on a recorded flight. [`mavlink`] has the vehicles' link to a ground station.
//!
//! [`simulation`] is the world that they record. It knows nothing of logs; your vehicle takes its place.
//!
//! ```
//! use simulator::{Simulation, log_of};
//!
//! let log = binlog::Log::from_bytes(log_of(Simulation::new(1, 2)));
//! assert_eq!(log.rows("IMU[0]")?.len(), 800);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod batches;
pub mod blackbox;
pub mod mavlink;
pub mod messages;
pub mod recorder;
pub mod replay;
pub mod simulation;

use binlog::HostLogger;
use binlog::host::Builder;
pub use messages::{FlightLog, FlightSink};
pub use recorder::fly;
use simulation::STEP_US;
pub use simulation::Simulation;
pub use simulation::fault::{Fault, Format};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A logger's settings for a flight, whose logs begin with [`recorder::prologue`].
pub fn logger(simulation: &Simulation) -> Builder<FlightLog> {
    let prologue = recorder::prologue(simulation);
    HostLogger::builder().prologue(move |i| prologue.get(i).copied())
}

/// Flies as [`fly`] does, with the simulated time as the logger's clock.
pub fn fly_on(
    log: &HostLogger<FlightLog>,
    simulation: Simulation,
    mut after_step: impl FnMut(&Simulation) -> ControlFlow<()>,
) {
    // The events of a step have its time.
    let clock = Arc::new(AtomicU64::new(simulation.time_us + STEP_US));
    let now = Arc::clone(&clock);
    log.start(move || now.load(Ordering::Relaxed));
    fly(simulation, log, |simulation| {
        clock.store(simulation.time_us + STEP_US, Ordering::Relaxed);
        after_step(simulation)
    });
}

/// The log of a whole flight, in memory. The same simulation gives the same bytes.
pub fn log_of(simulation: Simulation) -> Vec<u8> {
    let fault = simulation.fault;
    let thread = logger(&simulation).wait_for_room().spawn(Vec::new()).expect("memory takes all");
    fly_on(thread.logger(), simulation, |_| ControlFlow::Continue(()));
    let mut log = thread.finish().expect("memory takes all");
    if let Some(fault) = fault {
        fault.damage(&mut log);
    }
    log
}
