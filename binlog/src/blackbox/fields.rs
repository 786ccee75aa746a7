//! The fields of a frame: built and checked while the user's crate compiles.

pub(crate) mod check;
pub(crate) mod join;

#[cfg(feature = "read")]
use super::read::FieldValues;
use super::value::FieldValue;
use super::{Coding, Encoding, FieldDefinition, FieldWriter, Predictor, ReadFields, References};
#[cfg(feature = "read")]
use super::{FieldPredictor, FieldReader};
use crate::format::FieldHistory;
use crate::wording::const_text::ConstText;
use core::marker::PhantomData;

/// A struct whose fields become fields of the frame around it: `#[blackbox(flatten)]`.
///
/// `#[derive(BlackboxFields)]` implements it. The struct's bytes in memory are part of the frame's, so it also needs
/// zerocopy's `FromBytes`, `IntoBytes` and `Immutable`, and a layout without padding.
///
/// ```
/// use binlog::blackbox::{BlackboxFields, BlackboxFrame};
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// #[repr(C)]
/// struct Pid {
///     p: [i16; 3],
///     i: [i16; 3],
/// }
///
/// #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// #[blackbox(main)]
/// #[repr(C)]
/// struct MainFrame {
///     loop_iteration: u32,
///     time: u32,
///     #[blackbox(flatten, prefix = "axis")]
///     pid: Pid,
/// }
///
/// let names: Vec<_> = MainFrame::FIELDS.iter().skip(2).map(|field| field.name).collect();
/// assert_eq!(names, ["axisP[0]", "axisP[1]", "axisP[2]", "axisI[0]", "axisI[1]", "axisI[2]"]);
/// ```
#[diagnostic::on_unimplemented(
    message = "the fields of `{Self}` are unknown",
    label = "a flattened field is a struct that derives `BlackboxFields`",
    note = "`#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]` and `#[repr(C)]`"
)]
pub trait BlackboxFields: Copy + ReadFields {
    /// The fields; a name is what follows the prefix.
    const FIELDS: &'static [FieldDefinition];

    /// Appends the fields as those of a frame that refers to no frame of its kind before it.
    ///
    /// `this` returns the struct. It is called for each field: then a field is read when it is encoded. One copy for
    /// all would be read at once, and wait in memory, since a processor has fewer registers than a struct has fields. A
    /// reference is impossible to a field of a packed frame.
    fn encode_intra(this: impl Fn() -> Self, references: &References, out: &mut FieldWriter<'_>);

    /// Appends the fields as those of a P frame, after the fields of the two main frames before it.
    fn encode_inter(
        this: impl Fn() -> Self,
        before: impl Fn() -> Self,
        older: impl Fn() -> Self,
        references: &References,
        out: &mut FieldWriter<'_>,
    );
}

/// The fields of a flattened struct. Derived code calls the methods here if the struct derives [`BlackboxFields`], or
/// else those of [`NoFields`], so that one that doesn't is one error.
pub struct Fields<T>(PhantomData<T>);

impl<T: BlackboxFields> Fields<T> {
    /// [`BlackboxFields::encode_intra`].
    #[inline(always)]
    pub fn encode_intra(this: impl Fn() -> T, references: &References, out: &mut FieldWriter<'_>) {
        T::encode_intra(this, references, out);
    }

    /// [`BlackboxFields::encode_inter`].
    #[inline(always)]
    pub fn encode_inter(
        this: impl Fn() -> T,
        before: impl Fn() -> T,
        older: impl Fn() -> T,
        references: &References,
        out: &mut FieldWriter<'_>,
    ) {
        T::encode_inter(this, before, older, references, out);
    }
}

#[cfg(feature = "read")]
#[allow(missing_docs, reason = "they are those of `ReadFields`")]
impl<T: BlackboxFields> Fields<T> {
    #[inline(always)]
    pub fn from_values(values: &mut FieldValues<'_>) -> T {
        T::from_values(values)
    }

    #[inline(always)]
    pub fn read_intra(fields: &mut FieldReader<'_>) {
        T::read_intra(fields);
    }

    #[inline(always)]
    pub fn read_inter(fields: &mut FieldReader<'_>) {
        T::read_inter(fields);
    }

    #[inline(always)]
    pub fn predict_intra(fields: &mut FieldPredictor<'_>) {
        T::predict_intra(fields);
    }

    #[inline(always)]
    pub fn predict_inter(fields: &mut FieldPredictor<'_>) {
        T::predict_inter(fields);
    }
}

/// The fields of a struct that has none, whose error is reported elsewhere.
#[allow(missing_docs, reason = "they are those of `Fields`")]
pub trait NoFields<T>: Sized {
    fn encode_intra(_: impl Fn() -> T, _: &References, _: &mut FieldWriter<'_>) {}
    fn encode_inter(_: impl Fn() -> T, _: impl Fn() -> T, _: impl Fn() -> T, _: &References, _: &mut FieldWriter<'_>) {}
    #[cfg(feature = "read")]
    fn from_values(_: &mut FieldValues<'_>) -> T {
        unreachable!("it doesn't compile")
    }
    #[cfg(feature = "read")]
    fn read_intra(_: &mut FieldReader<'_>) {}
    #[cfg(feature = "read")]
    fn read_inter(_: &mut FieldReader<'_>) {}
    #[cfg(feature = "read")]
    fn predict_intra(_: &mut FieldPredictor<'_>) {}
    #[cfg(feature = "read")]
    fn predict_inter(_: &mut FieldPredictor<'_>) {}
}

impl<T> NoFields<T> for Fields<T> {}

/// A field of the type `T` of a slow, GPS or home frame.
pub const fn field<T: FieldValue>(name: &'static str, predictor: Predictor, encoding: Encoding) -> FieldDefinition {
    let intra = coding(predictor, encoding);
    FieldDefinition { name, signed: T::SIGNED, bits: T::BITS as u8, intra, inter: None, history: FieldHistory::NONE }
}

/// A field of the type `T` of a main frame: how it is written in I and in P frames.
pub const fn main_field<T: FieldValue>(
    name: &'static str,
    intra_predictor: Predictor,
    intra_encoding: Encoding,
    predictor: Predictor,
    encoding: Encoding,
) -> FieldDefinition {
    let (intra, inter) = (coding(intra_predictor, intra_encoding), coding(predictor, encoding));
    FieldDefinition {
        name,
        signed: T::SIGNED,
        bits: T::BITS as u8,
        intra,
        inter: Some(inter),
        history: FieldHistory::NONE,
    }
}

/// A field with what older logs have in its place.
pub const fn with_history(
    field: FieldDefinition,
    aliases: &'static [&'static str],
    default: Option<&'static [u8]>,
) -> FieldDefinition {
    FieldDefinition { history: FieldHistory { aliases, default }, ..field }
}

/// The bytes of padding in a frame whose fields have `fields` bytes; any padding is an error.
#[track_caller]
pub const fn padding<F>(name: &str, fields: usize) -> usize {
    let padding = size_of::<F>() - fields;
    if padding > 0 {
        let text = ConstText::new().str("`").str(name).str("` has ").number(padding as u64);
        let text = text.str(if padding == 1 { " byte" } else { " bytes" });
        refuse(text.str(
            " of padding, which is copied with each frame; write `#[repr(C, packed)]`, or order the fields by size, \
             largest first, and fill up to a multiple of 4 bytes",
        ));
    }
    padding
}

/// A predictor and an encoding.
pub(crate) const fn coding(predictor: Predictor, encoding: Encoding) -> Coding {
    Coding { predictor, encoding }
}

/// An error of the compiler.
#[track_caller]
pub(crate) const fn refuse(text: ConstText) -> ! {
    panic!("{}", text.as_str());
}
