//! Flight logs on a microcontroller: log from any interrupt, find every record on the card.
//!
//! ```
//! use binlog::{LogMessage, LogSchema, messages};
//! use binlog_embedded::Logger;
//! use zerocopy::{Immutable, IntoBytes};
//!
//! /// Accelerations.
//! #[derive(LogMessage, IntoBytes, Immutable)]
//! #[log(name = "IMU")]
//! #[repr(C, packed)]
//! struct Imu {
//!     time_us: u64,
//!     #[log(unit = "m/s/s", mult = 1e-2)]
//!     acc_z: i16,
//! }
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     #[log(rate = 400)] // at most 400 records a second
//!     Imu(Imu),
//!     Msg(messages::Msg), // critical: the ring keeps a reserve for it
//! }
//!
//! static LOG: Logger<FlightLog, 8192> = Logger::new();
//!
//! fn interrupt(time_us: u64) {
//!     LOG.log(&Imu { time_us, acc_z: -981 }); // copied into the ring, or counted
//! }
//!
//! # fn micros() -> u64 { 0 }
//! LOG.start(micros);
//! LOG.text("Copter 1.0");
//! interrupt(2500);
//!
//! let mut drain = LOG.drain().expect("the only drain");
//! # let mut memory = [0; 4096];
//! # let mut file = memory.as_mut_slice();
//! drain.catch_up(&mut file).unwrap(); // in the main loop, to any `embedded_io::Write`
//! assert_eq!(LOG.statistics().written, 2);
//! ```
//!
//! # The map
//!
//! - [`Logger`] takes records from any context, in bounded time, whole or not at all; a [`Tally`] a message and
//!   [`Statistics`] say what became of them.
//! - [`Drain`] takes them out of the ring, in pieces as small as the writer likes, with the preamble and the program's
//!   prologue first in every file. With the feature `async`, to asynchronous writers.
#![cfg_attr(
    feature = "sdmmc",
    doc = "- [`SdLog`] is the writer for cards: numbered files on FAT, flushed by time and bytes."
)]
//!
//! # Features
//!
//! - `sdmmc`: `SdLog`, on embedded-sdmmc 0.10.
//! - `async`: `Drain::step_async` and its like, for `embedded_io_async::Write`.
//! - `defmt`: `defmt::Format` for errors and statistics.
//! - `std`: for runs on a host. `FromStd` makes a `Drain` write to any `std::io::Write`, and critical sections are
//!   critical-section's own, which work between threads.
//!
//! The crate is `no_std` and needs no `alloc`, no floating point and no compare-and-swap; a critical section is the
//! program's, through [`critical_section`].
#![no_std]

#[cfg(loom)]
extern crate std;

mod drain;
mod logger;
mod message_set;
mod ring;
mod schema_table;
#[cfg(feature = "sdmmc")]
pub mod sd_log;
mod statistics;
mod sync;
mod text;

pub use binlog::sink::Tally;
pub use drain::Drain;
#[cfg(feature = "std")]
pub use embedded_io_adapters::std::FromStd;
pub use logger::Logger;
#[cfg(feature = "sdmmc")]
pub use sd_log::SdLog;
pub use statistics::Statistics;

// Its examples are of both crates.
#[cfg(all(doctest, feature = "sdmmc"))]
#[doc = include_str!("../../README.md")]
struct Readme;
