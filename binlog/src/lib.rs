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
//! - [`HostLogger`] is for simulators in real time: a queue and a thread, so that no loop waits for a disk.
//!   [`LogFolder`] numbers the logs, [`TimeSorter`] sorts them by time.
//! - [`Log`] reads a whole log, damaged or not: columns, messages, the facts of the flight. [`Records`] and
//!   [`RecordStream`] yield one record after the other without allocating; [`Decoder`] turns records into the schema's
//!   messages.
//! - [`AnyLog`] opens a log of either format, [`FoundLogs`] finds those of a folder. `arrow` (feature) exports tables
//!   to other programs in the same process.
//! - [`LoggedSchema`] holds the definitions of a log's messages: it prints them as Rust source, JSON or Markdown, and
//!   compares them with those of another log.
//! - Whole logs: [`check`] finds what a reader would lose or misread, [`repair`] removes damage, [`cut`] copies a part,
//!   [`merge`] makes one log of several, [`anonymise`] makes a copy that can be shared.
//! - [`blackbox`] has the second format, that of Betaflight, INAV and Cleanflight: derive, writer, reader. [`convert`]
//!   converts its sessions to ArduPilot logs.
//! - [`replay`] feeds code with a recorded flight; [`replay::assert_same`] is a test of code by recorded flights.
//! - [`lock::assert`] compares a schema with the format of all its releases, in one line of a test. [`compatibility`]
//!   says which changes break what.
//!
//! The struct's bytes in memory are the record's payload, so writing copies once and formats nothing. Rust forbids
//! references to the fields of a packed struct: in macros such as `println!`, copy the field with braces,
//! `{ message.time_us }`.
//!
//! # Features
//!
//! - `derive` (default): the macros, the writers of whole logs and the format's own messages. Without it, the reader,
//!   [`encode`] and [`Sink`] remain, for messages that implement [`LogMessage`] by hand.
//! - `std` (default): [`LogWriter`], [`SharedWriter`] and [`HostLogger`]. Without it, the crate is `no_std` and needs
//!   no `alloc`: [`encode`], [`Records`], [`RecordStream`] and [`Decoder`] remain.
//! - `read` (default; with it `std`): [`Log`], [`LoggedSchema`], [`check`], [`repair`], [`cut`], [`merge`],
//!   [`anonymise`], [`compatibility`], the [`lock`] and, with `blackbox`, [`replay`]. A program that only writes
//!   compiles faster without it.
//! - `blackbox` (default): the format of [`blackbox`]; its writer needs `std`, its reader `read`.
//! - `mavlink`: the messages of MAVLink that carry logs, and their frames.
//! - `half`: `half::f16` as a field, format character `g`.
//! - `arrow`: tables by Arrow's C data interface, for Python, databases and viewers.
//! - `json`: [`LoggedSchema`] to and from JSON.
//! - `tracing`, `log`: write events of `tracing` or `log` into the flight log, by `host::TracingLayer` and
//!   `host::LogBridge`.
//! - `defmt`: `defmt::Format` for counts and statistics.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

// The derive refers to this crate as `::binlog`, inside this crate as well.
extern crate self as binlog;

#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "blackbox")]
pub mod blackbox;
#[cfg(all(feature = "blackbox", feature = "derive", feature = "read", target_endian = "little"))]
pub mod convert;
pub mod flash;
#[cfg(all(any(doc, doctest), feature = "blackbox", feature = "derive", feature = "read"))]
pub mod guide;
#[cfg(feature = "mavlink")]
pub mod mavlink;
#[cfg(all(feature = "blackbox", feature = "read"))]
pub mod replay;

#[cfg(all(feature = "blackbox", feature = "read"))]
mod any_log;
#[cfg(feature = "read")]
mod change;
mod declare;
mod describe;
mod format;
#[cfg(feature = "read")]
mod map;
mod read;
#[cfg(feature = "read")]
mod source;
#[cfg(feature = "read")]
mod tools;
mod wording;
mod write;

#[doc(hidden)]
pub mod __private;

#[cfg(all(feature = "blackbox", feature = "read"))]
pub use any_log::{AnyLog, FoundLogs, LeftOut, LogFormat, UnknownFormat};
#[cfg(feature = "read")]
pub use change::{LoggedSchema, compatibility, lock, logged_schema};
#[cfg(feature = "derive")]
pub use declare::{Columns, messages};
pub use describe::log_messages;
pub use format::{
    ColumnDefinition, DecodeError, Definition, Field, FieldHistory, Format, HEAD_BYTES, LogMessage, LogSchema,
    LoggedText, Logs, Meaning, Meanings, Mismatch, MismatchKind, Multiplier, RuleSet, Scaling, SchemaMessage, Unit,
    Value, field, record_header,
};
#[cfg(all(feature = "derive", feature = "read"))]
pub use tools::rust_source;
#[cfg(feature = "read")]
pub use tools::{anonymise, check, cut, merge, repair};
#[doc(hidden)]
pub use write::ring_format;
pub use write::{EncodeError, Sink, encode, sink};
#[cfg(all(feature = "derive", feature = "std"))]
pub use write::{FinishError, HostLogger, LogFolder, LogWriter, SharedWriter, TimeSorter, WriteError, host};
// Public, because warnings of the compiler show its path.
#[doc(hidden)]
pub use declare::lint;
#[cfg(feature = "read")]
pub use read::{Log, log};

#[cfg(feature = "derive")]
pub use binlog_derive::{Columns, Field, LogMessage, LogSchema};
pub use read::{
    Decoder, LoggedColumn, LoggedColumns, LoggedDefinition, Reason, Record, RecordStream, Records, Skipped,
};
