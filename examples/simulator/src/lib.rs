//! Flies a simulated quadcopter and logs the flight as an autopilot would.
//!
//! It is an example to copy from. All of the logging is in two files:
//!
//! - [`messages`]: the messages as annotated structs, and the schema that lists them;
//! - [`recorder`]: what is logged when.
//!
//! [`simulation`] is the world that they record. It knows nothing of logs; your vehicle takes its place.
//!
//! ```
//! use binlog::LogWriter;
//! use simulator::{FlightLog, Simulation, fly};
//!
//! let mut log = LogWriter::<FlightLog, _>::new(Vec::new())?; // `create("flight.bin")` for a file
//! fly(Simulation::new(1, 2), &mut log, |_time_us| {})?;
//! let bytes = log.finish()?;
//! assert_eq!(bytes[..4], [0xA3, 0x95, 128, 128]); // a log begins with the definition of FMT
//! # Ok::<(), binlog::WriteError>(())
//! ```

#![forbid(unsafe_code)]

pub mod messages;
pub mod recorder;
pub mod simulation;

pub use messages::FlightLog;
pub use recorder::fly;
pub use simulation::Simulation;
