//! Flight logs in the ArduPilot binary format: a struct is the message, checked by the compiler.
//!
//! ```
//! use binlog::{LogMessage, LogSchema, LogWriter, Records, field::Centi};
//! use zerocopy::{Immutable, IntoBytes};
//!
//! /// Vehicle attitude.
//! #[derive(LogMessage, IntoBytes, Immutable)]
//! #[log(name = "ATT")]
//! #[repr(C, packed)]
//! struct Attitude {
//!     /// Time since boot.
//!     time_us: u64,
//!     /// Roll.
//!     #[log(unit = "deg")]
//!     roll: Centi<i16>,
//! }
//!
//! /// Everything that this vehicle logs.
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Att(Attitude),
//! }
//!
//! let mut log = LogWriter::<FlightLog, _>::new(Vec::new())?; // or `create("flight.bin")`
//! log.write(&Attitude { time_us: 2500, roll: Centi::from_f32(5.97) })?;
//! let bytes = log.finish()?;
//!
//! let record = Records::new(&bytes).flatten().last().expect("the record");
//! assert_eq!(record.decode::<Attitude>()?.roll.to_f64(), 5.97);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map
//!
//! - A message is a struct with `#[derive(`[`LogMessage`]`)]`. Its columns are [`Field`]s: numbers, text and the types
//!   of [`field`], enums and newtypes with `#[derive(`[`Field`](derive@Field)`)]`. What it is, as data, is its
//!   [`Definition`].
//! - The messages of a program are an enum with `#[derive(`[`LogSchema`]`)]`, which gives them ids and builds the
//!   preamble of the log. Those that the format itself has are in [`messages`].
//! - [`LogWriter`] writes a log to any `std::io::Write`, [`SharedWriter`] from several threads. A library that logs
//!   takes a [`Sink`]. [`encode`] is the bare record.
//! - [`Log`] reads a whole log, damaged or not: columns, messages, what happened when; [`log`] has a chapter for each
//!   use. [`Records`] and [`RecordStream`] are below it, for one record after the other without memory of their own;
//!   [`Decoder`] turns records into the schema's messages.
//! - [`LoggedSchema`] is what a log says of its messages: as Rust source, JSON or Markdown, compared with another's.
//!
//! A struct's bytes in memory are the record's payload, so writing copies once and formats nothing. Fields of a packed
//! struct can't be borrowed: write `{ message.time_us }` for a copy where a macro such as `println!` would.
//!
//! # Features
//!
//! - `derive` (default): the macros, and with them schemas, the format's own messages and the writer. Without it the
//!   reader is left.
//! - `std` (default): the writer, [`Log`] and [`LoggedSchema`]. Without it the crate is `no_std`, and needs no `alloc`.
//! - `half`: `half::f16` as a field, format character `g`.
//! - `json`: [`LoggedSchema`] to JSON and from it.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

// The derive names this crate by its name, here too.
extern crate self as binlog;

mod columns;
mod const_text;
mod custom;
mod definition;
mod encode;
pub mod field;
mod format;
#[cfg(feature = "std")]
pub mod logged_schema;
mod message;
#[cfg(feature = "derive")]
pub mod messages;
mod mismatch;
mod multiplier;
#[cfg(feature = "derive")]
mod preamble;
mod records;
mod schema;
pub mod sink;
mod unit;
#[cfg(all(feature = "derive", feature = "std"))]
mod writer;

#[doc(hidden)]
pub mod __private;
// Public for its path, which the warning shows.
#[doc(hidden)]
pub mod lint;
#[cfg(feature = "std")]
pub mod log;

#[cfg(feature = "derive")]
pub use binlog_derive::{Field, LogMessage, LogSchema};
pub use definition::{ColumnDefinition, Definition, Meaning, Meanings};
pub use encode::{EncodeError, HEAD_BYTES, encode};
pub use field::Field;
pub use format::Format;
#[cfg(feature = "std")]
pub use log::Log;
#[cfg(feature = "std")]
pub use logged_schema::LoggedSchema;
pub use message::{DecodeError, LogMessage};
pub use mismatch::{Mismatch, MismatchKind};
pub use multiplier::Multiplier;
pub use records::{
    Decoder, LoggedColumn, LoggedColumns, LoggedDefinition, LoggedText, Reason, Record, RecordStream, Records, Scaling,
    Skipped, Value,
};
pub use schema::{LogSchema, Logs, SchemaMessage};
pub use sink::Sink;
pub use unit::Unit;
#[cfg(all(feature = "derive", feature = "std"))]
pub use writer::{FinishError, LogWriter, SharedWriter, WriteError};
