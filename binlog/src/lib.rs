#![doc = "placeholder"]
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

// The derive names this crate by its name, here too.
extern crate self as binlog;

mod definition;
pub mod field;
mod format;
mod message;
mod multiplier;
mod record;
mod records;
mod schema;
mod text;
mod unit;

mod check;
mod lint;
#[cfg(feature = "derive")]
pub mod messages;
#[cfg(feature = "derive")]
mod preamble;
#[cfg(all(feature = "derive", feature = "std"))]
mod writer;

#[doc(hidden)]
pub mod __private;

#[cfg(feature = "derive")]
pub use binlog_derive::{Field, LogMessage, LogSchema};
pub use definition::{Column, Definition, Meaning, Meanings};
pub use field::Field;
pub use format::Format;
pub use message::{DecodeError, LogMessage};
pub use multiplier::Multiplier;
pub use record::{HEADER, encode};
pub use records::{Decoder, Difference, LoggedDefinition, Mismatch, Reason, Record, Records, Skipped};
pub use schema::{LogSchema, Logs, Message, Sink};
pub use unit::Unit;
#[cfg(all(feature = "derive", feature = "std"))]
pub use writer::{LogWriter, SharedWriter, WriteError};
