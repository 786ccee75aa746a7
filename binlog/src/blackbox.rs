//! Blackbox, the log format of Betaflight, INAV and Cleanflight.
//!
//! A log is a sequence of sessions. A session begins with header lines, which define the fields of each frame; the
//! frames follow. Main frames record one iteration of the control loop, as an I frame, which stands alone, or as a P
//! frame, which contains the differences from the frames before it.
//!
//! ```
//! # #[cfg(all(feature = "derive", feature = "std"))] {
//! use binlog::blackbox::{BlackboxFrame, BlackboxLog, BlackboxSchema, BlackboxWriter};
//! use zerocopy::{FromBytes, Immutable, IntoBytes};
//!
//! /// What the control loop logs in each iteration.
//! #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
//! #[blackbox(main)]
//! #[repr(C)]
//! struct MainFrame {
//!     loop_iteration: u32,
//!     time: u32,
//!     gyro_adc: [i16; 3],
//!     #[blackbox(p(encoding = tag8_8svb))]
//!     throttle: u16,
//! }
//!
//! #[derive(BlackboxSchema)]
//! #[blackbox(i_interval = 32, header("looptime" = "1000"))]
//! enum FlightLog {
//!     Main(MainFrame),
//! }
//!
//! let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new())?; // or `create("flight.bbl")`
//! for i in 0..64 {
//!     log.write(&MainFrame { loop_iteration: i, time: 1000 * i, gyro_adc: [3, -4, 0], throttle: 1200 })?;
//! }
//! let bytes = log.finish()?;
//!
//! let log = BlackboxLog::from_bytes(&*bytes);
//! assert_eq!(log.sessions().len(), 1);
//! # }
//! # Ok::<(), binlog::WriteError>(())
//! ```
//!
//! # The map
//!
//! - A frame is a struct with `#[derive(`[`BlackboxFrame`]`)]`: the main frame, which becomes I and P frames, and those
//!   of slow state, GPS and home. Its fields are integers and arrays of them; each has a [`Predictor`] and an
//!   [`Encoding`], by default those that Betaflight has for its name. `#[derive(`[`BlackboxFields`]`)]` is for structs
//!   in frames.
//! - The frames of a program are an enum with `#[derive(`[`BlackboxSchema`]`)]`, which makes the header at compile
//!   time.
//! - [`BlackboxWriter`] writes a log to any `std::io::Write`. [`Encoder`] has the rules by which a frame becomes bytes,
//!   without I/O and allocation.
//! - [`BlackboxLog`] reads the log of any firmware by its own [`Header`], damaged or not: sessions, frames one after
//!   the other, [tables](log::Tables) of numbers or in units, events, and each lost stretch.
//! - [`convert::to_ardupilot`](crate::convert::to_ardupilot) converts a session to an ArduPilot log.
//! - [`Session::typed`](log::Session::typed) reads frames as the program's structs.
//! - [`LoggedEncoder`] encodes values by the header of any log.
//! - [`Event`]s are written and read.
//!
//! On a microcontroller, the `Logger` of `binlog-embedded` takes the frames of a schema.

#[cfg(feature = "read")]
mod decode;
mod definition;
mod encode;
mod encoder;
mod event;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive checks fields by it"))]
pub(crate) mod fields;
#[cfg(feature = "read")]
#[cfg_attr(
    not(all(feature = "derive", target_endian = "little")),
    allow(dead_code, reason = "the conversion asks for the name")
)]
pub(crate) mod firmware;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive calls it"))]
pub(crate) mod frame;
#[cfg(feature = "read")]
pub mod header;
mod intervals;
mod limits;
#[cfg(feature = "read")]
pub mod log;
#[cfg(feature = "read")]
mod logged_encoder;
mod place;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive makes headers by it"))]
pub(crate) mod preamble;
#[cfg(feature = "read")]
mod quantity;
#[cfg(feature = "read")]
pub(crate) mod read;
#[cfg(not(feature = "read"))]
#[path = "blackbox/no_read.rs"]
pub(crate) mod read;
mod references;
mod ring_format;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive checks schemas by it"))]
pub(crate) mod schema;
#[cfg_attr(not(feature = "derive"), allow(dead_code, unreachable_pub, reason = "the derive calls it"))]
pub(crate) mod value;
#[cfg(all(feature = "derive", feature = "std"))]
mod writer;
mod zigzag;

// Public, because warnings of the compiler show its path.
#[doc(hidden)]
pub mod lint;

#[cfg(feature = "derive")]
pub use binlog_derive::{BlackboxFields, BlackboxFrame, BlackboxSchema};
#[cfg(feature = "read")]
pub use decode::{FieldPredictor, FieldReader, Unusable};
pub use definition::{Coding, Encoding, FieldDefinition, FrameKind, Predictor};
pub use encode::{FieldWriter, FrameBuffer};
pub use encoder::{Counts, DoesNotFit, Encoder};
pub use event::{Adjusted, Event, RefusedEvent};
pub use fields::BlackboxFields;
pub use frame::{Absent, BlackboxFrame, HomeFrame, MainFrame};
#[cfg(feature = "read")]
pub use header::Header;
pub use intervals::Intervals;
pub use limits::{MAX_FIELDS, MAX_FRAME_BYTES};
#[cfg(feature = "read")]
pub use log::BlackboxLog;
#[cfg(feature = "read")]
pub use logged_encoder::{LoggedEncoder, UnencodableFrame};
pub use preamble::InvalidHeader;
#[cfg(feature = "read")]
pub use quantity::Quantity;
pub use read::ReadFields;
pub use references::References;
pub use ring_format::{Blackbox, EventRecord, HeaderLine, InvalidLine, SessionEncoder};
pub use schema::{BlackboxSchema, LogsFrame};
pub use value::FieldValue;
#[cfg(all(feature = "derive", feature = "std"))]
pub use writer::BlackboxWriter;
pub use zigzag::zigzag;
