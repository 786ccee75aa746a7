// Held by tests/tests/read/older_logs.rs, tests/tests/format/lock.rs.

//! Formats that change: what a change breaks, and for whom.
//!
//! A format is what a program, a log or a [lock](crate::lock) says of its messages. Two functions
//! compare the program's with an older one:
//!
//! - [`can_read`]: do today's structs read logs of the older format?
//! - [`can_be_read_by`]: do the structs of the older program read today's logs?
//!
//! [`LoggedSchema::difference`](crate::LoggedSchema::difference) lists all changes between two logs, and
//! [`lock::assert`](crate::lock::assert) holds a schema against the format of its releases. All of them make the same
//! comparison and judge a [`Change`] by the same [`Level`]s.
//!
//! ```
//! use binlog::compatibility::{can_be_read_by, can_read};
//! use binlog::{Log, LogMessage, LogSchema};
//! use zerocopy::{Immutable, IntoBytes};
//!
//! mod last_year {
//!     # use binlog::{LogMessage, LogSchema};
//!     # use zerocopy::{Immutable, IntoBytes};
//!     #[derive(LogMessage, IntoBytes, Immutable)]
//!     #[log(name = "RALT")]
//!     #[repr(C, packed)]
//!     pub struct RelativeAltitude {
//!         time_us: u64,
//!         #[log(unit = "m")]
//!         alt: f32,
//!     }
//!
//!     #[derive(LogSchema)]
//!     pub enum FlightLog {
//!         Ralt(RelativeAltitude),
//!     }
//! }
//!
//! #[derive(LogMessage, IntoBytes, Immutable)]
//! #[log(name = "RALT")]
//! #[repr(C, packed)]
//! struct RelativeAltitude {
//!     time_us: u64,
//!     #[log(unit = "m")]
//!     alt: f32,
//!     status: u8,
//! }
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Ralt(RelativeAltitude),
//! }
//!
//! let older = Log::from_bytes(last_year::FlightLog::PREAMBLE); // a log with definitions and no records
//! let report = can_read::<FlightLog>(&older);
//! assert_eq!(report.changes()[0].column.as_deref(), Some("Status"));
//! assert!(report.to_string().contains("#[log(default)]"), "{report}");
//! assert!(can_be_read_by::<FlightLog>(&older).is_ok());
//! ```

mod change;
pub(crate) mod changes;
pub(crate) mod comparable;
pub(crate) mod facts;
pub(crate) mod report;

pub use change::{Breaks, Change, ChangeKind, Level, UnknownName};
pub use comparable::Comparable;
pub use report::{Question, Report};

use crate::format::LogSchema;

/// Whether the structs of the schema `S` read logs of an older format: the changes that prevent it. A log answers by
/// its definitions, even if it has no records.
///
/// Messages that only one of the two formats has are not reported.
pub fn can_read<S: LogSchema>(older: &impl Comparable) -> Report {
    report::answer(Question::CanRead, S::MESSAGES, older)
}

/// Whether a program with structs of an older format reads the logs of the schema `S`: the changes that prevent it.
pub fn can_be_read_by<S: LogSchema>(older: &impl Comparable) -> Report {
    report::answer(Question::CanBeReadBy, S::MESSAGES, older)
}
