//! Messages: a struct, its definition and its bytes.

use crate::format::Mismatch;
use crate::format::{Definition, Field};
use core::fmt;
#[cfg(feature = "read")]
use zerocopy::{FromBytes, KnownLayout, Unaligned};
use zerocopy::{Immutable, IntoBytes};

/// A struct that is a log message; implemented by `#[derive(LogMessage, IntoBytes, Immutable)]`.
///
/// ```
/// use binlog::LogMessage;
/// use zerocopy::{Immutable, IntoBytes};
///
/// /// Height above ground.
/// #[derive(LogMessage, IntoBytes, Immutable)]
/// #[log(name = "RALT")]
/// #[repr(C, packed)]
/// struct RelativeAltitude {
///     time_us: u64,
///     #[log(label = "RelAlt", unit = "m")]
///     altitude: f32,
/// }
///
/// assert_eq!(RelativeAltitude::DEFINITION.length(), 15);
/// let bytes = RelativeAltitude { time_us: 1, altitude: 1.5 };
/// assert_eq!(bytes.wire(), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x3f]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a log message",
    label = "not a log message",
    note = "a log message is a struct with `#[derive(LogMessage, IntoBytes, Immutable)]`, `#[log(name = \"…\")]` and \
            `#[repr(C, packed)]`",
    note = "a value of a schema's enum is written by `LogWriter::write_any`"
)]
pub trait LogMessage: Sized {
    /// Name and columns.
    const DEFINITION: Definition;

    /// The payload of the record: the struct's bytes in memory. Its length is [`Definition::length`] minus the 3 bytes
    /// of the header.
    fn wire(&self) -> &[u8];

    /// Decodes a payload.
    ///
    /// # Errors
    ///
    /// If the payload has another length, or if a column holds a value invalid for its type.
    fn decode(payload: &[u8]) -> Result<Self, DecodeError>;
}

/// The derived parts of a message: its definition and its decoding function.
pub type Parts<M> = (Definition, fn(&[u8]) -> Result<M, DecodeError>);

/// The bytes of a message, by zerocopy's two derives. If one is missing, the error names it.
///
/// `Bytes::<Attitude>::wire` calls the function here if the message derives `IntoBytes`, or else that of [`NoBytes`].
/// They are not supertraits of [`LogMessage`], because rustc would report a missing derive several times.
pub struct Bytes<T>(core::marker::PhantomData<T>);

impl<T: IntoBytes> Bytes<T> {
    /// The struct's bytes in memory.
    #[inline(always)]
    pub fn wire(message: &T) -> &[u8]
    where
        T: DerivesImmutable,
    {
        message.as_bytes()
    }

    /// As [`wire`](Bytes::wire).
    #[inline(always)]
    pub fn wire_if<R>(message: &T, _: R) -> &[u8]
    where
        T: DerivesImmutable,
    {
        message.as_bytes()
    }
}

/// Requires `IntoBytes` unless the struct has padding: then `__PADDING` has reported the error, and this must not add
/// another.
pub struct Padding<const BYTES: usize>;

/// Whether a message may lack `IntoBytes`, which shows as an error of [`DerivesIntoBytes`].
pub trait Allows<M> {}

impl<M: DerivesIntoBytes> Allows<M> for Padding<0> {}

// A column whose type isn't a field counts as 1. The error is already reported.
impl<M> Allows<M> for Padding<1> {}

/// The padding of a packed message, 0. It depends on the parts: if they have an error, such as a type that is not a
/// field, bytes that are missing because of it cause no further one.
pub const fn no_padding<M>(_: &Parts<M>) -> usize {
    0
}

/// Causes the error for a message without `IntoBytes`.
pub trait NoBytes<T> {
    /// Never called: its bound is the error.
    fn wire(_: &T) -> &[u8]
    where
        T: DerivesIntoBytes,
    {
        &[]
    }

    /// No bytes; whether that is an error depends on `R`.
    fn wire_if<R: Allows<T>>(_: &T, _: R) -> &[u8] {
        &[]
    }
}

impl<T> NoBytes<T> for Bytes<T> {}

/// Zerocopy's `IntoBytes`, with an error of our own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bytes to log: it lacks `zerocopy::IntoBytes`",
    label = "add `IntoBytes` to its derives, or mend what that derive complains of",
    note = "`#[derive(LogMessage, IntoBytes, Immutable)]` and `#[repr(C, packed)]`"
)]
pub trait DerivesIntoBytes {}

#[diagnostic::do_not_recommend]
impl<T: IntoBytes + LogMessage> DerivesIntoBytes for T {}

/// Zerocopy's `Immutable`, with an error of our own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bytes to log: it lacks `zerocopy::Immutable`",
    label = "add `Immutable` to its derives, or mend what that derive complains of",
    note = "`#[derive(LogMessage, IntoBytes, Immutable)]` and `#[repr(C, packed)]`"
)]
pub trait DerivesImmutable: Immutable {}

// A reference is never a message; otherwise rustc would propose to borrow.
#[diagnostic::do_not_recommend]
impl<T: Immutable + LogMessage> DerivesImmutable for T {}

/// Zerocopy's derives that allow references to messages inside a log, with one error for all of them.
#[cfg(feature = "read")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be read in place: it lacks one of zerocopy's derives for reading",
    label = "add `FromBytes`, `KnownLayout` and `Unaligned` to its derives",
    note = "`#[derive(LogMessage, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]`; a `bool` or an enum has \
            no `FromBytes`, `Log::typed` reads them by value and without these derives"
)]
pub trait ReadInPlace: FromBytes + KnownLayout + Immutable + Unaligned {}

#[cfg(feature = "read")]
#[diagnostic::do_not_recommend]
impl<T: FromBytes + KnownLayout + Immutable + Unaligned> ReadInPlace for T {}

/// Why a record can't be decoded as the program's message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DecodeError {
    /// The payload has another length than the message.
    Length {
        /// The message's name.
        message: &'static str,
        /// Bytes of the message's payload.
        expected: usize,
        /// Bytes of the given payload.
        found: usize,
    },
    /// A column holds a value invalid for its type: a `bool` of 2, a number that no variant of an enum has.
    Value {
        /// The message's name.
        message: &'static str,
        /// The column's label.
        label: &'static str,
    },
    /// The log defines the message differently from the program; the source names the difference.
    Definition(Mismatch),
    /// The schema has no such message.
    Index {
        /// The index that was asked for.
        index: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Length { message, expected, found } => {
                write!(f, "{message} has a payload of {expected} bytes, not {found}")
            }
            DecodeError::Value { message, label } => {
                write!(f, "{message}.{label} holds a value invalid for its type")
            }
            DecodeError::Definition(Mismatch { message, .. }) => {
                write!(f, "the log defines {message} differently from the program")
            }
            DecodeError::Index { index } => write!(f, "the schema has no message {index}"),
        }
    }
}

impl core::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            DecodeError::Definition(mismatch) => Some(mismatch),
            DecodeError::Length { .. } | DecodeError::Value { .. } | DecodeError::Index { .. } => None,
        }
    }
}

macro_rules! decoders {
    ($($name:ident($($column:ident)*))*) => {$(
        /// Decodes the values of all columns in one call of the derived code. The bounds are on a function, not on a
        /// tuple, so that a type that is not a field causes the same error as in `check`.
        #[inline(always)]
        pub fn $name<$($column: Field),*>(
            payload: &[u8],
            definition: &'static Definition,
        ) -> Result<($($column,)*), DecodeError> {
            let mut rest = payload;
            if payload.len() != const { 0 $(+ size_of::<$column>())* } {
                return Err(length_error(definition, payload.len()));
            }
            Ok(($(
                match rest.split_at_checked(size_of::<$column>()).and_then(|(bytes, after)| {
                    rest = after;
                    $column::decode(bytes)
                }) {
                    Some(value) => value,
                    None => return Err(value_error(definition, payload.len() - rest.len())),
                },
            )*))
        }
    )*};
}

decoders! {
    decode_1(A)
    decode_2(A B)
    decode_3(A B C)
    decode_4(A B C D)
    decode_5(A B C D E)
    decode_6(A B C D E F)
    decode_7(A B C D E F G)
    decode_8(A B C D E F G H)
    decode_9(A B C D E F G H I)
    decode_10(A B C D E F G H I J)
    decode_11(A B C D E F G H I J K)
    decode_12(A B C D E F G H I J K L)
    decode_13(A B C D E F G H I J K L M)
    decode_14(A B C D E F G H I J K L M N)
    decode_15(A B C D E F G H I J K L M N O)
    decode_16(A B C D E F G H I J K L M N O P)
}

#[cold]
pub(crate) fn length_error(definition: &'static Definition, found: usize) -> DecodeError {
    let expected = definition.length() - Definition::HEADER_LENGTH;
    DecodeError::Length { message: definition.name, expected, found }
}

/// `end` is the end of the column with the invalid value.
#[cold]
pub(crate) fn value_error(definition: &'static Definition, end: usize) -> DecodeError {
    let mut at = 0;
    let column = definition.columns.iter().find(|column| {
        at += column.format.size();
        at == end
    });
    DecodeError::Value { message: definition.name, label: column.map_or("", |column| column.label) }
}
