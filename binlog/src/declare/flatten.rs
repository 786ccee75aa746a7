// Held by tests/tests/format/nested.rs, tests/compile-fail/flatten.

//! Flattened fields: a struct or an array whose values are columns of the message around it.

pub(crate) mod check;
pub(crate) mod part;

use crate::format::message::{length_error, value_error};
use crate::format::{ColumnDefinition, DecodeError, Definition, Field};
use core::marker::PhantomData;

/// A struct whose fields become columns of the message around it: `#[log(flatten)]`.
///
/// `#[derive(Columns)]` implements it. The struct's bytes in memory are part of the record's payload, so it also needs
/// zerocopy's `IntoBytes` and `Immutable`, and a layout without padding.
///
/// ```
/// use binlog::{Columns, LogMessage};
/// use zerocopy::{Immutable, IntoBytes};
///
/// #[derive(Columns, IntoBytes, Immutable, Clone, Copy)]
/// #[repr(C)]
/// struct Vector3 {
///     x: f32,
///     y: f32,
///     z: f32,
/// }
///
/// #[derive(LogMessage, IntoBytes, Immutable)]
/// #[log(name = "IMU")]
/// #[repr(C, packed)]
/// struct Imu {
///     time_us: u64,
///     #[log(flatten, prefix = "Gyr", unit = "rad/s")]
///     gyro: Vector3,
///     #[log(flatten, prefix = "Acc", unit = "m/s/s")]
///     acceleration: Vector3,
/// }
///
/// let labels = Imu::DEFINITION.columns.iter().map(|column| column.label);
/// assert!(labels.eq(["TimeUS", "GyrX", "GyrY", "GyrZ", "AccX", "AccY", "AccZ"]));
/// ```
///
/// The guide's chapter on nested fields has arrays, tuple structs and the types of other crates.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no columns to flatten",
    label = "neither a struct with `#[derive(Columns)]` nor an array that is written out",
    note = "`#[log(flatten)]` takes a struct with `#[derive(Columns, IntoBytes, Immutable)]` and `#[repr(C)]`, or an \
            array such as `[u16; 14]`, not an alias of one",
    note = "a field with one value is a column without `flatten`"
)]
pub trait Columns: Sized {
    /// The columns in the order of the struct's bytes. Their labels follow the prefix of the flattened field. A column
    /// without a unit or a multiplier takes that of the flattened field.
    const COLUMNS: &'static [ColumnDefinition];

    /// Whether the derive has reported errors, so that the columns are missing.
    #[doc(hidden)]
    const IS_FALLBACK: bool = false;

    /// Whether a derive has checked the labels against each other.
    #[doc(hidden)]
    const IS_DERIVED: bool = false;

    /// Reads the struct from the front of `rest`, and moves `rest` to the byte after it.
    ///
    /// Returns `None` if a column holds a value invalid for its type, or if there are too few bytes; then `rest` begins
    /// after that column, which is how the error of the message finds its label.
    fn read(rest: &mut &[u8]) -> Option<Self>;
}

/// The function that reads a struct with flattened fields.
pub type Read<T> = fn(&mut &[u8]) -> Option<T>;

/// Reads a field of type `T`.
///
/// `Reader::<f32>::column` calls the function here if the type is a [`Field`], or else that of [`NoReader`]: a wrong
/// type then has one error, that of its column, and not a second one here.
pub struct Reader<T>(PhantomData<T>);

impl<T: Field> Reader<T> {
    /// Reads a single column.
    #[inline(always)]
    pub fn column(rest: &mut &[u8]) -> Option<T> {
        let (bytes, after) = rest.split_at_checked(size_of::<T>())?;
        *rest = after;
        T::decode(bytes)
    }
}

impl<T: Columns> Reader<T> {
    /// Reads a flattened struct.
    #[inline(always)]
    pub fn columns(rest: &mut &[u8]) -> Option<T> {
        T::read(rest)
    }
}

/// Reads nothing, where the type has an error already.
pub trait NoReader<T> {
    /// Never called.
    fn column(_: &mut &[u8]) -> Option<T> {
        None
    }

    /// Never called.
    fn columns(_: &mut &[u8]) -> Option<T> {
        None
    }
}

impl<T> NoReader<T> for Reader<T> {}

/// Decodes the payload of a message with flattened fields, which has no padding.
#[inline(always)]
pub fn decode<M>(
    payload: &[u8],
    definition: &'static Definition,
    read: impl FnOnce(&mut &[u8]) -> Option<M>,
) -> Result<M, DecodeError> {
    if payload.len() != size_of::<M>() {
        return Err(length_error(definition, payload.len()));
    }
    let mut rest = payload;
    match read(&mut rest) {
        Some(message) => Ok(message),
        // `Columns` may be implemented by hand, and leave any slice.
        None => Err(value_error(definition, payload.len().saturating_sub(rest.len()))),
    }
}
