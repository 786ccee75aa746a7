// Held by tests/tests/read/replay.rs, examples/simulator/tests/replay.rs.

//! Replay: a recorded flight drives today's code.
//!
//! ```no_run
//! use binlog::replay::{self, Item};
//! # use binlog::{LogSchema, LogWriter, messages::Ev};
//! # #[derive(LogSchema)]
//! # enum FlightLog { Ev(Ev) }
//! # struct Controller;
//! # impl Controller { fn new() -> Self { Controller } fn update(&mut self, event: Ev) -> Option<Ev> { Some(event) } }
//!
//! let mut out = LogWriter::<FlightLog, _>::create("new.bin")?;
//! let mut controller = Controller::new();
//! for item in replay::messages::<FlightLog>(std::fs::File::open("flight.bin")?) {
//!     match item? {
//!         Item::Begin { .. } => controller = Controller::new(),
//!         Item::Input { input: FlightLog::Ev(event), .. } => {
//!             if let Some(output) = controller.update(event) {
//!                 out.write(&output)?;
//!             }
//!         }
//!         _ => {}
//!     }
//! }
//! out.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`messages`] yields the messages of a schema. It reads a log of any length in constant memory.
//! - [`Flight`] is a log of either format: the messages or [frames](Flight::frames) of a schema, or
//!   [rows](Flight::rows) of numbers by their labels, for the logs of any firmware.
//! - A [`Replay`] has a virtual [`Clock`], runs as fast as possible or [in real time](Replay::in_real_time), and
//!   [from any second](Replay::from_us). It says where inputs are missing, where bytes are lost, and where boots begin.
//! - [`compare`] compares what the code has logged with the flight's log; [`assert_same`] does so in a test, for all
//!   logs of a folder.
//!
//! The guide has a [chapter](crate::guide::replay).

mod assertion;
mod clock;
mod compare;
mod error;
mod flight;
mod frames;
mod item;
mod messages;
mod order;
mod records;
mod regular;
mod rows;

pub use assertion::{assert_same, assert_within};
pub use clock::{Clock, Replay};
pub use compare::{ColumnDifference, Comparison, TypeDifference, compare};
pub use error::ReplayError;
pub use flight::{Flight, messages};
pub use item::{Gap, Item};
pub use rows::Signal;
