//! Blackbox, the log format of Betaflight, INAV and Cleanflight.
//!
//! A log is a sequence of sessions. A session begins with header lines, which define the fields of each frame; the frames
//! follow. Main frames record one iteration of the control loop, as an I frame, which stands alone, or as a P frame, which
//! contains the differences from the frames before it.

#[cfg(feature = "std")]
mod decode;
mod definition;
mod event;
#[cfg(feature = "std")]
pub mod header;
#[cfg(feature = "std")]
pub mod log;

#[cfg(feature = "std")]
pub use decode::{MAX_FIELDS, MAX_FRAME_BYTES, Unusable};
pub use definition::{Coding, Encoding, FieldDefinition, FrameKind, Predictor};
pub use event::{Adjusted, Event};
#[cfg(feature = "std")]
pub use header::Header;
#[cfg(feature = "std")]
pub use log::BlackboxLog;
