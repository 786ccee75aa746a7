//! Writing logs: one record, a file, a simulator's queue, and what a logger needs to know of the format.

pub(crate) mod encode;
#[cfg(all(feature = "derive", feature = "std"))]
pub mod host;
#[doc(hidden)]
pub mod ring_format;
pub mod sink;
#[cfg(all(feature = "derive", feature = "std"))]
pub(crate) mod writer;

pub use encode::{EncodeError, encode};
#[cfg(all(feature = "derive", feature = "std"))]
pub use host::{HostLogger, LogFolder, TimeSorter};
pub use sink::Sink;
#[cfg(all(feature = "derive", feature = "std"))]
pub use writer::{FinishError, LogWriter, SharedWriter, WriteError};
