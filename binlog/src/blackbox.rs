//! Blackbox, the log format of Betaflight, INAV and Cleanflight.
//!
//! A log is a sequence of sessions. A session begins with header lines, which define the fields of each frame; the frames
//! follow. Main frames record one iteration of the control loop, as an I frame, which stands alone, or as a P frame, which
//! contains the differences from the frames before it.
//!
//! [`BlackboxLog`] reads any log by what its own headers say, whatever firmware wrote it, damaged or not:
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use binlog::Scaling;
//! use binlog::blackbox::BlackboxLog;
//!
//! let log = BlackboxLog::from_bytes(
//!     b"H Product:Blackbox flight data recorder by Nicholas Sherlock
//! H Data version:2
//! H I interval:32
//! H P interval:1/2
//! H Field I name:loopIteration,time,BaroAlt
//! H Field I signed:0,0,1
//! H Field I predictor:0,0,0
//! H Field I encoding:1,1,0
//! H Field P predictor:6,2,1
//! H Field P encoding:9,0,0
//! I\x00\x64\x0AP\x14\x02E\xFFEnd of log\0",
//! );
//! let session = log.session(0).expect("a session");
//! let tables = session.tables();
//! assert_eq!(tables.main().times_us(), [100, 110]);
//! let altitude = tables.column("BaroAlt").expect("a field");
//! assert_eq!((altitude.to_f64(Scaling::Units), altitude.unit()), (vec![0.05, 0.06], "m"));
//! assert!(tables.lost().is_empty());
//! ```
//!
//! The map of reading:
//!
//! - [`BlackboxLog`] has [sessions](log::Session); a session has a [`Header`], whose lines define its frames.
//! - [`Session::tables`](log::Session::tables) decodes all of it to columns, raw or in units, with events and lost
//!   stretches; [`BlackboxLog::tables`] does so for all sessions, by several threads.
//! - [`Session::frames`](log::Session::frames) lends one frame after the other without allocating.
//! - [`Event`] is the payload of an E frame, to bytes and back.

#[cfg(all(feature = "derive", feature = "std", target_endian = "little"))]
pub mod convert;
#[cfg(feature = "std")]
mod decode;
mod definition;
mod encode;
mod encoder;
mod event;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive checks fields by it"))]
pub(crate) mod fields;
mod file_format;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive calls it"))]
pub(crate) mod frame;
#[cfg(feature = "std")]
pub mod header;
#[cfg(feature = "std")]
pub mod log;
#[cfg(feature = "std")]
mod logged_encoder;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive makes headers by it"))]
pub(crate) mod preamble;
mod references;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive checks schemas by it"))]
pub(crate) mod schema;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive calls it"))]
pub(crate) mod value;
#[cfg(all(feature = "derive", feature = "std"))]
mod writer;

// Public, because warnings of the compiler show its path.
#[doc(hidden)]
pub mod lint;

#[cfg(feature = "derive")]
pub use binlog_derive::{BlackboxFields, BlackboxFrame, BlackboxSchema};
pub use definition::{Coding, Encoding, FieldDefinition, FrameKind, Predictor};
pub use encode::{FieldWriter, FrameBuffer, zigzag};
pub use encoder::{Counts, DoesNotFit, Encoder};
pub use event::{Adjusted, Event, RefusedEvent};
pub use fields::BlackboxFields;
pub use frame::{Absent, BlackboxFrame, HomeFrame, MainFrame};
#[cfg(feature = "std")]
pub use header::Header;
#[cfg(feature = "std")]
pub use log::BlackboxLog;
#[cfg(feature = "std")]
pub use quantity::Quantity;
#[cfg(feature = "std")]
pub use session_encoder::{SessionEncoder, UnencodableFrame};
