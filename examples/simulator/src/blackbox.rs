//! The same flight in the Blackbox format, as a vehicle with Betaflight would log it.
//!
//! - [`frames`]: the frames as annotated structs, and the schema that lists them;
//! - [`recorder`]: what is logged when.
//!
//! ```
//! use binlog::blackbox::BlackboxLog;
//! use simulator::{Simulation, blackbox};
//!
//! let bytes = blackbox::log_of(Simulation::new(1, 2));
//! let log = BlackboxLog::from_bytes(&bytes);
//! assert_eq!(log.tables()[0].main().len(), 800);
//! ```

pub mod frames;
pub mod recorder;

use crate::Simulation;
pub use recorder::{fly, headers};
use std::ops::ControlFlow;

use binlog::blackbox::BlackboxWriter;
use frames::FlightLog;

/// The log of a whole flight, in memory. The same simulation gives the same bytes.
pub fn log_of(simulation: Simulation) -> Vec<u8> {
    let (lines, fault) = (headers(&simulation), simulation.fault);
    let lines: Vec<(&str, &str)> = lines.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut log = BlackboxWriter::<FlightLog, _>::with_headers(Vec::new(), &lines).expect("memory takes all");
    fly(simulation, &mut log, |_| ControlFlow::Continue(())).expect("memory takes all");
    let mut log = log.finish().expect("memory takes all");
    if let Some(fault) = fault {
        fault.damage(&mut log);
    }
    log
}
