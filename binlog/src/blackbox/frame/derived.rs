//! What derived code calls for a struct, so that a mistake in it is one error.

use crate::blackbox::{BlackboxFrame, FieldDefinition, FrameKind, schema};
use core::marker::PhantomData;
use zerocopy::{FromBytes, Immutable, IntoBytes};

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

/// The frame of a schema's variant. Derived code takes the items here if the type is a frame, or else those of
/// [`NoVariant`], so that a type that isn't is one error.
pub struct Variant<T>(PhantomData<T>);

impl<F: BlackboxFrame> Variant<F> {
    /// [`BlackboxFrame::KIND`].
    pub const KIND: FrameKind = F::KIND;

    /// [`BlackboxFrame::FIELDS`].
    pub const FIELDS: &'static [FieldDefinition] = F::FIELDS;

    /// The frame with these bytes.
    pub fn read(bytes: &[u8]) -> Option<F> {
        schema::read(bytes)
    }

    /// [`BlackboxFrame::wire`].
    pub fn wire(frame: &F) -> &[u8] {
        frame.wire()
    }
}

/// The items of a type that is not a frame, whose error is reported elsewhere.
#[allow(missing_docs, reason = "they are those of `Variant`")]
pub trait NoVariant<T> {
    const KIND: FrameKind = FrameKind::Event;
    const FIELDS: &'static [FieldDefinition] = &[];
    fn read(_: &[u8]) -> Option<T> {
        None
    }
    fn wire(_: &T) -> &[u8] {
        &[]
    }
}

impl<T> NoVariant<T> for Variant<T> {}
