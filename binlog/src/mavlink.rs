//! The MAVLink messages that carry logs, and their frames: what both ends of a link know.
//!
//! Nine messages are known: HEARTBEAT, the stream of a log while it is written (REMOTE_LOG_*), and list and download of
//! the logs that a vehicle keeps (LOG_*). Programs that have a MAVLink library need [`Message`] only; [`Frames`] and
//! [`Link`] are for those that have none.

mod frame;
mod message;

pub use frame::{Counts, Frame, Frames, Link, MAX_FRAME, Version};
pub use message::{Address, MAX_PAYLOAD, Message};
