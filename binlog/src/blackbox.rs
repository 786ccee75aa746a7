//! Blackbox, the log format of Betaflight, INAV and Cleanflight.
//!
//! A log is a sequence of sessions. A session begins with header lines, which define the fields of each frame; the frames
//! follow. Main frames record one iteration of the control loop, as an I frame, which stands alone, or as a P frame, which
//! contains the differences from the frames before it.

#[cfg(feature = "std")]
mod decode;
mod definition;
mod encode;
mod encoder;
mod event;
pub(crate) mod fields;
mod file_format;
mod frame;
mod intervals;
pub(crate) mod preamble;
mod references;
pub(crate) mod schema;
pub(crate) mod value;
#[cfg(all(feature = "derive", feature = "std"))]
mod writer;

// Public, because warnings of the compiler show its path.
#[doc(hidden)]
pub mod lint;

#[cfg(feature = "derive")]
pub use binlog_derive::{BlackboxFields, BlackboxFrame, BlackboxSchema};
pub use definition::{Coding, Encoding, FieldDefinition, FrameKind, Predictor};
pub use encode::{FrameBuffer, zigzag};
pub use encoder::{Counts, DoesNotFit, Encoder};
pub use event::{Adjusted, Event};
pub use fields::BlackboxFields;
pub use file_format::{Blackbox, EventRecord, HeaderLine, InvalidLine, SessionEncoder};
pub use frame::{Absent, BlackboxFrame, FrameStruct, HomeFrame, MainFrame};
pub use intervals::Intervals;
pub use preamble::InvalidHeader;
pub use references::References;
pub use schema::{BlackboxSchema, LogsFrame};
pub use value::FieldValue;
#[cfg(all(feature = "derive", feature = "std"))]
pub use writer::BlackboxWriter;
