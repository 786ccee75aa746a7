//! Flight logs on a microcontroller: log from the main loop, from tasks, and from any interrupt that a critical section
//! masks, to an SD card, a flash chip or a UART. Every record that `log` accepts is written or counted as lost; every
//! record that it refuses is counted as dropped. A power cut loses what was not flushed.
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
//!     #[log(unit = "m/s/s")]
//!     acc_z: f32,
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
//!     LOG.log(&Imu { time_us, acc_z: -9.81 }); // copied into the ring, or counted
//! }
//!
//! # fn micros() -> u64 { 0 }
//! LOG.start(micros);
//! LOG.text("Copter 1.0");
//! interrupt(2500);
//!
//! let mut drain = LOG.drain().expect("LOG has a drain already");
//! # let mut memory = [0; 4096];
//! # let mut file = memory.as_mut_slice();
//! drain.catch_up(&mut file).unwrap(); // in the main loop, to any `embedded_io::Write`
//! assert_eq!(LOG.statistics().written, 2);
//! ```
//!
//! # The map
//!
#![cfg_attr(
    feature = "sdmmc",
    doc = "- The [`guide`] covers the whole way: logger, card, other writers, porting, footprint, tests on a host."
)]
//! - [`Logger`] takes records from the main loop, from tasks and from interrupts, in bounded time, whole or not at all.
//!   A [`Tally`] for each message and [`Statistics`] count what happened to them.
//! - [`Retained`] is a logger whose ring outlives a reset: the next boot writes the records that explain a crash, as a
//!   log of their own.
//! - [`WideCounter`] makes a clock, which must not wrap, of a hardware counter that does.
//! - [`Budget`] says at compile time whether a ring is large enough for a card's longest pause.
//! - [`Drain`] takes the records out of the ring, in pieces as small as the writer wants. Every file starts with the
//!   preamble and the program's prologue. With the feature `async` it writes to asynchronous writers.
//! - [`SdLog`] is the writer for SD cards: numbered files on FAT16, FAT32 or exFAT, blocking or async. What was flushed
//!   stays on the card, whenever the power fails. [`card`] has the drivers that it takes.
#![cfg_attr(
    feature = "flash",
    doc = "- [`FlashLog`] is the writer for NOR flash chips: a ring of logs, extracted on the target or from an image."
)]
#![cfg_attr(
    feature = "mavlink",
    doc = "- [`mavlink`] sends the log over a MAVLink link while it is written, and the logs on the card afterwards."
)]
//!
//! # Features
//!
//! - `exfat` (default): cards with exFAT. Without it, `SdLog` takes less flash.
//! - `sdmmc`: `SpiCard`, an SD card on SPI, and `FromSdmmc`, on embedded-sdmmc 0.10.
//! - `block-device-driver`: `FromDriver`, a card on block-device-driver 0.2, such as embassy-stm32's SDMMC. Includes
//!   `async`.
//! - `flash`: `FlashLog`, on embedded-storage 0.3; with `async`, on embedded-storage-async 0.4, too.
//! - `mavlink`: logs over MAVLink, to a companion computer or a ground station.
//! - `async`: `Drain::step_async` and its like, for `embedded_io_async::Write`; the calls of `SdLog` for an
//!   `AsyncCard`.
//! - `defmt`: `defmt::Format` for errors and statistics.
//! - `std`: for runs on a host. With `FromStd`, a `Drain` writes to any `std::io::Write`. The critical section is
//!   critical-section's own, which works between threads.
//!
//! The crate is `no_std` and needs no `alloc`, no floating point and no compare-and-swap. The program provides the
//! critical section, through [`critical_section`].
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(loom)]
extern crate std;

mod blackbox;
mod budget;
pub mod card;
mod drain;
#[cfg(feature = "flash")]
pub mod flash_log;
// The guide's examples use the card.
#[cfg(all(any(doc, doctest), feature = "sdmmc"))]
#[doc = include_str!("guide.md")]
pub mod guide {
    #[doc = include_str!("guide/blackbox.md")]
    pub mod blackbox {}
    #[cfg(feature = "flash")]
    #[doc = include_str!("guide/flash.md")]
    pub mod flash {}
    #[cfg(feature = "mavlink")]
    #[doc = include_str!("guide/mavlink.md")]
    pub mod mavlink {}
    #[doc = include_str!("guide/resets.md")]
    pub mod resets {}
}
mod logger;
#[cfg(feature = "mavlink")]
pub mod mavlink;
mod plain_text;
mod recorder;
#[cfg_attr(loom, allow(dead_code, unreachable_pub, reason = "nothing outlives a reset in loom's model"))]
mod recovery;
#[cfg(not(loom))]
pub mod retained;
mod ring;
pub mod sd_log;
mod sync;
mod wide_counter;

pub use binlog::sink::{Statistics, Tally};
pub use budget::Budget;
pub use drain::{Drain, Prologue};
#[cfg(feature = "std")]
pub use embedded_io_adapters::std::FromStd;
#[cfg(feature = "flash")]
pub use flash_log::FlashLog;
pub use logger::Logger;
pub use plain_text::{Pieces, PlainText};
#[cfg(not(loom))]
pub use retained::Retained;
pub use sd_log::SdLog;
pub use wide_counter::WideCounter;

// README's examples use both crates.
#[cfg(all(doctest, feature = "sdmmc"))]
#[doc = include_str!("../../README.md")]
struct Readme;
