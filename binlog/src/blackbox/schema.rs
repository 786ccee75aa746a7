//! Schemas: the frames that one program logs.

pub(crate) mod check;

use super::frame::{Absent, HomeFrame, MainFrame};
use super::{BlackboxFrame, FrameKind, Intervals, References};

/// The frames of one program, and the header of its sessions.
///
/// Implemented by `#[derive(BlackboxSchema)]` on an enum with one variant for each kind of frame.
///
/// ```
/// use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// #[blackbox(main)]
/// #[repr(C)]
/// struct MainFrame {
///     loop_iteration: u32,
///     time: u32,
///     throttle: u16,
///     flags: u16,
/// }
///
/// #[derive(BlackboxSchema)]
/// #[blackbox(i_interval = 64, p_rate = "1/2", header("looptime" = "125"))]
/// enum FlightLog {
///     Main(MainFrame),
/// }
///
/// assert!(FlightLog::HEADER.contains("H Field I name:loopIteration,time,throttle,flags\n"));
/// assert!(FlightLog::HEADER.contains("H P interval:1/2\n"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a Blackbox schema",
    label = "not a Blackbox schema",
    note = "a schema is an enum with `#[derive(BlackboxSchema)]`, a variant for each kind of frame"
)]
pub trait BlackboxSchema: Sized + 'static {
    /// The main frame.
    type Main: MainFrame;
    /// The slow frame, or [`Absent`].
    type Slow: BlackboxFrame;
    /// The GPS frame, or [`Absent`].
    type Gps: BlackboxFrame;
    /// The home frame, or [`Absent`].
    type Home: HomeFrame;

    /// The header lines of a session, each with its end of line.
    const HEADER: &'static str;

    /// Which iterations are logged.
    const INTERVALS: Intervals;

    /// What the header's lines give to predictors.
    const REFERENCES: References;

    /// The frame of a kind whose struct has these bytes; `None` if the schema has no such frame, or if the struct has
    /// another size. [`Intra`](FrameKind::Intra) is the main frame.
    fn from_frame(kind: FrameKind, bytes: &[u8]) -> Option<Self>;

    /// The kind of the frame that this value holds, and the bytes of its struct.
    fn frame(&self) -> (FrameKind, &[u8]);
}

/// A schema that contains the frame `F`. It makes `log.write(&main)` compile.
#[diagnostic::on_unimplemented(
    message = "`{F}` is not in the schema `{Self}`",
    label = "this log has no such frame",
    note = "add a variant that holds `{F}` to the enum `{Self}`"
)]
pub trait LogsFrame<F>: BlackboxSchema {
    /// The kind of the frame.
    const KIND: FrameKind;
}

// As with `Logs<Nothing>`: with a second implementation the compiler names the frame that the schema lacks.
#[diagnostic::do_not_recommend]
impl<S: BlackboxSchema> LogsFrame<Absent> for S {
    const KIND: FrameKind = FrameKind::Event;
}

/// A frame from the bytes of its struct; `None` if it has another size.
pub(crate) fn read<F: BlackboxFrame>(bytes: &[u8]) -> Option<F> {
    let mut frame = F::zeros();
    let wire = frame.wire_mut();
    if wire.len() != bytes.len() {
        return None;
    }
    wire.copy_from_slice(bytes);
    Some(frame)
}
