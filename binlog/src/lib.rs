//! Flight logs in ArduPilot's binary format: a struct is the log message, checked by the compiler.
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
//! - The [`guide`] has a chapter for each task, with examples.
//! - A message is a struct with `#[derive(`[`LogMessage`]`)]`. Its columns are [`Field`]s: numbers, text, the types of
//!   [`field`], and enums and newtypes with `#[derive(`[`Field`](derive@Field)`)]`. Its [`Definition`] describes it as
//!   data.
//! - The messages of a program are an enum with `#[derive(`[`LogSchema`]`)]`, which assigns their ids and builds the
//!   preamble of the log. The format's own messages are in [`messages`].
//! - [`LogWriter`] writes a log to any `std::io::Write`, [`SharedWriter`] does so from several threads. A library that
//!   logs takes a [`Sink`]. [`encode`] writes a single record into a buffer.
//! - [`HostLogger`] is for simulators in real time: a queue and a thread, so that no loop waits for a disk. [`LogFolder`]
//!   numbers the logs, [`TimeSorter`] sorts them by time.
//! - [`Log`] reads a whole log, damaged or not: columns, messages, the facts of the flight. [`Records`] and
//!   [`RecordStream`] yield one record after the other without allocating; [`Decoder`] turns records into the schema's
//!   messages.
//! - [`LoggedSchema`] holds the definitions of a log's messages: it prints them as Rust source, JSON or Markdown, and
//!   compares them with those of another log.
//! - Whole logs: [`check`] finds what a reader would lose or misread, [`repair`] removes damage, [`cut`] copies a part,
//!   [`merge`] makes one log of several.
//! - [`blackbox`] has the second format, that of Betaflight, INAV and Cleanflight: derive, writer, reader, conversion.
//! - [`lock::assert`] holds a schema against the format of all its releases, in one line of a test. [`compatibility`]
//!   says which changes break what.
//!
//! The struct's bytes in memory are the record's payload, so writing copies once and formats nothing. Rust forbids
//! references to the fields of a packed struct: in macros such as `println!`, copy the field with braces,
//! `{ message.time_us }`.
//!
//! # Features
//!
//! - `derive` (default): the macros, schemas, the format's own messages, and the writer. Without it, only the reader
//!   remains.
//! - `std` (default): the writer, [`HostLogger`], [`Log`], [`LoggedSchema`], [`check`], [`repair`], [`cut`], [`merge`],
//!   [`compatibility`], the [`lock`], and the writer and reader of [`blackbox`]. Without it, the crate is `no_std` and
//!   needs no `alloc`.
//! - `half`: `half::f16` as a field, format character `g`.
//! - `json`: [`LoggedSchema`] to and from JSON.
//! - `tracing`, `log`: write events of `tracing` or `log` into the flight log, by `host::TracingLayer` and
//!   `host::LogBridge`.
//! - `defmt`: `defmt::Format` for counts and statistics.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

// The derive refers to this crate as `::binlog`, inside this crate as well.
extern crate self as binlog;

pub mod blackbox;
mod catalogue;
#[cfg(feature = "std")]
pub mod check;
mod columns;
#[cfg(feature = "std")]
pub mod compatibility;
mod const_text;
mod counted;
mod custom;
#[cfg(feature = "std")]
pub mod cut;
#[cfg(feature = "std")]
mod debug_text;
mod definition;
mod description;
mod encode;
pub mod field;
#[doc(hidden)]
pub mod file_format;
pub mod flash;
#[cfg(feature = "derive")]
mod flatten;
mod format;
mod framing;
#[cfg(all(any(doc, doctest), feature = "derive", feature = "std"))]
pub mod guide;
#[cfg(all(feature = "derive", feature = "std"))]
pub mod host;
#[cfg(feature = "std")]
pub mod lock;
pub mod log_messages;
#[cfg(feature = "std")]
pub mod logged_schema;
#[cfg(feature = "std")]
pub mod merge;
mod message;
#[cfg(feature = "derive")]
pub mod messages;
mod multiplier;
mod older;
#[cfg(feature = "derive")]
mod plan;
#[cfg(feature = "derive")]
mod preamble;
mod records;
#[cfg(feature = "std")]
pub mod repair;
#[cfg(feature = "std")]
mod reviewed_file;
mod rules;
mod schema;
mod schema_message;
pub mod sink;
mod unit;
mod value;
#[cfg(all(feature = "derive", feature = "std"))]
mod writer;

#[doc(hidden)]
pub mod __private;
// Public, because warnings of the compiler show its path.
#[doc(hidden)]
pub mod lint;
#[cfg(feature = "std")]
pub mod log;

#[cfg(feature = "std")]
pub use crate::log::Log;
#[cfg(feature = "derive")]
pub use binlog_derive::{Columns, Field, LogMessage, LogSchema};
pub use catalogue::definition::{LoggedColumn, LoggedColumns, LoggedDefinition};
pub use catalogue::mismatch::{Mismatch, MismatchKind};
pub use definition::{ColumnDefinition, Definition, Meaning, Meanings, Rules};
pub use encode::{EncodeError, encode};
pub use field::Field;
#[cfg(feature = "derive")]
pub use flatten::Columns;
pub use format::Format;
pub use framing::{HEAD_BYTES, Reason, Skipped, record_header};
#[cfg(all(feature = "derive", feature = "std"))]
pub use host::{HostLogger, LogFolder, TimeSorter};
#[cfg(feature = "std")]
pub use logged_schema::LoggedSchema;
pub use message::{DecodeError, LogMessage};
pub use multiplier::Multiplier;
pub use older::Older;
pub use records::{Decoder, Record, RecordStream, Records};
pub use schema::{LogSchema, Logs};
pub use schema_message::SchemaMessage;
pub use sink::Sink;
pub use unit::Unit;
pub use value::{LoggedText, Scaling, Value};
#[cfg(all(feature = "derive", feature = "std"))]
pub use writer::{FinishError, LogWriter, SharedWriter, WriteError};
