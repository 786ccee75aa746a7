//! Reading logs: framing, what a log defines, its records, and a whole log by columns.

#[cfg(feature = "read")]
pub(crate) mod by_label;
pub(crate) mod catalogue;
#[cfg(feature = "read")]
pub(crate) mod descriptions;
pub(crate) mod framing;
pub(crate) mod learner;
#[cfg(feature = "read")]
pub mod log;
pub(crate) mod records;

pub use catalogue::definition::{LoggedColumn, LoggedColumns, LoggedDefinition};
pub use framing::{Reason, Skipped};
#[cfg(feature = "read")]
pub use log::Log;
pub use records::{Decoder, Record, RecordStream, Records};
