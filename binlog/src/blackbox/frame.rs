//! Frames: a struct, its fields, and how it is encoded.

pub(crate) mod derived;

use super::{FieldDefinition, FrameBuffer, FrameKind, ReadFields, References};
#[cfg(feature = "read")]
use super::{FieldPredictor, FieldReader, read::FieldValues};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A struct that is a frame of a Blackbox log; implemented by
/// `#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]`.
///
/// ```
/// use binlog::blackbox::{BlackboxFrame, FrameKind, Predictor};
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// #[blackbox(main)]
/// #[repr(C)]
/// struct MainFrame {
///     loop_iteration: u32,
///     time: u32,
///     #[blackbox(name = "gyroADC")]
///     gyro: [i16; 3],
///     throttle: u16,
/// }
///
/// assert_eq!(MainFrame::KIND, FrameKind::Intra);
/// let names: Vec<_> = MainFrame::FIELDS.iter().map(|field| field.name).collect();
/// assert_eq!(names, ["loopIteration", "time", "gyroADC[0]", "gyroADC[1]", "gyroADC[2]", "throttle"]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a frame of a Blackbox log",
    label = "not a frame",
    note = "a frame is a struct with `#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]`, \
            `#[blackbox(main)]` (or `slow`, `gps`, `home`) and `#[repr(C)]`",
    note = "a value of a schema's enum is written by `BlackboxWriter::write_any`"
)]
pub trait BlackboxFrame: ReadFields + 'static {
    /// Its kind; [`Intra`](FrameKind::Intra) of a main frame, which is also written as [`Inter`](FrameKind::Inter).
    const KIND: FrameKind;

    /// Its fields.
    const FIELDS: &'static [FieldDefinition];

    /// A frame with all values 0.
    fn zeros() -> Self;

    /// The struct's bytes in memory.
    fn wire(&self) -> &[u8];

    /// The struct's bytes in memory, for a frame that is copied as bytes.
    fn wire_mut(&mut self) -> &mut [u8];

    /// Appends the fields as those of a frame that refers to no frame of its kind before it. The letter comes before.
    fn encode_intra(&self, references: &References, out: &mut FrameBuffer);
}

/// A frame that is logged in every iteration of the control loop.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a main frame",
    label = "not a main frame",
    note = "the variant `Main` holds a struct with `#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]`, \
            `#[blackbox(main)]` and `#[repr(C)]`"
)]
pub trait MainFrame: BlackboxFrame {
    /// The number of the iteration, `loopIteration`.
    fn iteration(&self) -> u32;

    /// The time, µs.
    fn time(&self) -> u32;

    /// Appends the fields as those of a P frame. `before` is the main frame before it, and `older` the one before that:
    /// after an I frame, both are that I frame.
    fn encode_inter(&self, before: &Self, older: &Self, references: &References, out: &mut FrameBuffer);
}

/// A frame with the home position.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a home frame",
    label = "not a home frame",
    note = "the variant `Home` holds a struct with `#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]`, \
            `#[blackbox(home)]` and `#[repr(C)]`"
)]
pub trait HomeFrame: BlackboxFrame {
    /// Latitude and longitude, 1e-7 degrees.
    fn coordinates(&self) -> [i32; 2];
}

/// The frame of a kind that a schema doesn't have.
#[derive(FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[repr(C)]
pub struct Absent([u8; 0]);

impl BlackboxFrame for Absent {
    const KIND: FrameKind = FrameKind::Event;
    const FIELDS: &'static [FieldDefinition] = &[];

    fn zeros() -> Self {
        Absent([])
    }

    fn wire(&self) -> &[u8] {
        &self.0
    }

    fn wire_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }

    fn encode_intra(&self, _: &References, _: &mut FrameBuffer) {}
}

#[cfg(feature = "read")]
impl ReadFields for Absent {
    fn from_values(_: &mut FieldValues<'_>) -> Self {
        Absent([])
    }

    fn read_intra(_: &mut FieldReader<'_>) {}

    fn predict_intra(_: &mut FieldPredictor<'_>) {}
}

impl HomeFrame for Absent {
    fn coordinates(&self) -> [i32; 2] {
        [0; 2]
    }
}
