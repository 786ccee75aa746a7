//! Blackbox, the log format of Betaflight, INAV and Cleanflight.
//!
//! A log is a sequence of sessions. A session begins with header lines, which define the fields of each frame; the frames
//! follow. Main frames record one iteration of the control loop, as an I frame, which stands alone, or as a P frame, which
//! contains the differences from the frames before it.

#[cfg(all(feature = "derive", feature = "std", target_endian = "little"))]
pub mod convert;
#[cfg(feature = "std")]
mod decode;
mod definition;
mod encode;
mod encoder;
mod event;
#[cfg(feature = "std")]
pub mod header;
#[cfg(feature = "std")]
pub mod log;
#[cfg(feature = "std")]
mod quantity;
#[cfg(feature = "std")]
mod session_encoder;

// Public, because warnings of the compiler show its path.
#[doc(hidden)]
pub mod lint;

#[cfg(feature = "derive")]
pub use binlog_derive::{BlackboxFields, BlackboxFrame, BlackboxSchema};
pub use definition::{Coding, Encoding, FieldDefinition, FrameKind, Predictor};
pub use encode::{FrameBuffer, zigzag};
pub use encoder::{Counts, DoesNotFit, Encoder};
pub use event::{Adjusted, Event};
#[cfg(feature = "std")]
pub use header::Header;
#[cfg(feature = "std")]
pub use log::BlackboxLog;
#[cfg(feature = "std")]
pub use quantity::Quantity;
#[cfg(feature = "std")]
pub use session_encoder::{SessionEncoder, UnencodableFrame};
