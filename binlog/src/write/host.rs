// Held by tests/tests/write/host_logger.rs, tests/tests/write/log_folder.rs, tests/tests/write/time_sorter.rs.

//! Logging on a host that must not wait for a disk: simulators in real time, test benches, ground stations.
//!
//! [`HostLogger`] does what the logger of a microcontroller does, and a thread writes. [`LogFolder`] numbers the logs
//! as ArduPilot does, [`TimeSorter`] sorts a log by time. With the features `tracing` and `log`, the program's own text
//! is in its log. The guide's chapter on
#![cfg_attr(any(doc, doctest), doc = "[simulators](crate::guide::simulators) shows them together.")]

#[cfg(any(feature = "log", feature = "tracing"))]
mod bridge;
mod builder;
mod destination;
mod folder;
mod logger;
mod output;
mod queue;
mod reports;
mod time_sorter;
mod walk;
mod writer;

#[cfg(feature = "log")]
pub use bridge::LogBridge;
#[cfg(feature = "tracing")]
pub use bridge::TracingLayer;
pub use builder::{Builder, LogThread};
pub use destination::Destination;
pub use folder::{FolderLog, LogFolder};
pub use logger::HostLogger;
pub use time_sorter::{SortedLogs, TimeSorter};

/// The records after the preamble: the `i`th one for 0, 1, 2 and so on, then `None`.
type Prologue<S> = Box<dyn FnMut(usize) -> Option<S> + Send>;
