//! The MAVLink messages that carry logs, and their frames: what both ends of a link know.
//!
//! Nine messages are known: HEARTBEAT, the stream of a log while it is written (REMOTE_LOG_*), and list and download of
//! the logs that a vehicle keeps (LOG_*). Programs that have a MAVLink library need [`Message`] only; [`Frames`] and
//! [`Link`] are for those that have none.
#![cfg_attr(
    feature = "std",
    doc = "
With the feature `std`, there are the clients, which have no I/O either: [`Recorder`] receives a stream, [`Downloader`]
lists and downloads logs."
)]

#[cfg(feature = "std")]
mod downloader;
mod frame;
mod message;
#[cfg(feature = "std")]
mod peer;
#[cfg(feature = "std")]
mod recorder;

#[cfg(feature = "std")]
pub use downloader::{Downloader, DownloaderCounts, DownloaderOptions, ListedLog, Relisted};
pub use frame::{Counts, Frame, Frames, Link, MAX_FRAME, Version};
pub use message::{Address, MAX_PAYLOAD, Message};
#[cfg(feature = "std")]
pub use recorder::{Block, LogEnd, Recorder, RecorderCounts, RecorderEvent, RecorderOptions, RecorderState};
