//! Frames: a struct, its fields, and how it is encoded.

use super::{FieldDefinition, FrameBuffer, FrameKind, References};
use core::marker::PhantomData;
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
            `#[blackbox(main)]` (or `slow`, `gps`, `home`) and `#[repr(C)]`"
)]
pub trait BlackboxFrame: Sized + 'static {
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
    note = "the first variant of a schema holds its main frame: a struct with `#[blackbox(main)]`"
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
pub trait HomeFrame: BlackboxFrame {
    /// Latitude and longitude, 1e-7 degrees.
    fn coordinates(&self) -> [i32; 2];
}

/// Zerocopy's derives that the encoder needs, with one error for all of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be copied into the encoder: it lacks one of zerocopy's derives",
    label = "add `FromBytes`, `IntoBytes` and `Immutable` to its derives, or mend what these complain of",
    note = "`#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable)]` and `#[repr(C)]`"
)]
pub trait FrameStruct {}

#[diagnostic::do_not_recommend]
impl<T: FromBytes + IntoBytes + Immutable + BlackboxFrame> FrameStruct for T {}

/// The bytes of a frame, by zerocopy's derives. Derived code calls the functions here if the struct has them, or else
/// those of [`NoStruct`], so that a missing derive is one error.
pub struct Struct<T>(PhantomData<T>);

impl<T: FromBytes + IntoBytes + Immutable> Struct<T> {
    /// [`BlackboxFrame::zeros`].
    #[inline(always)]
    pub fn zeros<R>(_: R) -> T {
        T::new_zeroed()
    }

    /// [`BlackboxFrame::wire`].
    #[inline(always)]
    pub fn wire(frame: &T) -> &[u8] {
        frame.as_bytes()
    }

    /// [`BlackboxFrame::wire_mut`].
    #[inline(always)]
    pub fn wire_mut(frame: &mut T) -> &mut [u8] {
        frame.as_mut_bytes()
    }
}

/// Derives may be missing only where there is padding. Then the constant is an error already, and nothing that depends
/// on it is another one.
pub struct Padding<const BYTES: usize>;

/// Whether a frame may lack derives, which shows as an error of [`FrameStruct`].
pub trait Allows<T> {}

impl<T: FrameStruct> Allows<T> for Padding<0> {}

/// Causes the error for a frame without zerocopy's derives.
pub trait NoStruct<T> {
    /// Never called: its bound is the error.
    fn zeros<R: Allows<T>>(_: R) -> T {
        unreachable!("it doesn't compile")
    }

    /// No bytes.
    fn wire(_: &T) -> &[u8] {
        &[]
    }

    /// No bytes.
    fn wire_mut(_: &mut T) -> &mut [u8] {
        &mut []
    }
}

impl<T> NoStruct<T> for Struct<T> {}

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

impl HomeFrame for Absent {
    fn coordinates(&self) -> [i32; 2] {
        [0; 2]
    }
}
