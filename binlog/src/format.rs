//! What a log's format is: formats of columns, units, multipliers, fields, messages, schemas.

pub(crate) mod character;
pub(crate) mod counts;
pub(crate) mod custom_ids;
pub(crate) mod definition;
pub(crate) mod description;
pub mod field;
pub(crate) mod header;
pub(crate) mod history;
pub(crate) mod message;
pub(crate) mod mismatch;
pub(crate) mod multiplier;
pub(crate) mod ring_format;
pub(crate) mod schema;
pub(crate) mod unit;
pub(crate) mod value;

pub use character::Format;
pub use definition::{ColumnDefinition, Definition, Meaning, Meanings, RuleSet};
pub use field::Field;
pub use header::{HEAD_BYTES, record_header};
pub use history::FieldHistory;
pub use message::{DecodeError, LogMessage};
pub use mismatch::{Mismatch, MismatchKind};
pub use multiplier::Multiplier;
pub use schema::{LogSchema, Logs, SchemaMessage};
pub use unit::Unit;
pub use value::{LoggedText, Scaling, Value};
