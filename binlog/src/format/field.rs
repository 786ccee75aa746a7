//! Field types: the types that a column can have.

mod centi;
mod chars;
mod coordinate;
mod flight_mode;
mod native;
pub(crate) mod not_a_field;

pub use centi::{Centi, Hundredths};
#[cfg(any(feature = "read", feature = "derive"))]
pub(crate) use chars::up_to;
pub use chars::{Chars, TextError};
pub use coordinate::{Latitude, Longitude};
pub use flight_mode::{FlightMode, FlightModeError};
pub use native::{NO_VALUE_F32, NO_VALUE_F64};

use crate::format::{Format, Meanings, Multiplier, Unit};

/// A type that a column of a message can have.
///
/// `#[derive(Field)]` implements it for an enum with an integer `repr` and for a newtype. Implement it by hand for
/// another type whose bytes in memory are the column's bytes in the record:
///
/// ```
/// use binlog::{Field, Format, LogMessage, Unit};
/// use zerocopy::{Immutable, IntoBytes, little_endian};
///
/// /// Battery voltage in millivolts.
/// #[derive(Clone, Copy, IntoBytes, Immutable)]
/// #[repr(transparent)]
/// struct Millivolts(little_endian::U16);
///
/// impl Field for Millivolts {
///     const FORMAT: Format = Format::U16;
///
///     fn decode(bytes: &[u8]) -> Option<Self> {
///         Field::decode(bytes).map(Millivolts)
///     }
/// }
///
/// #[derive(LogMessage, IntoBytes, Immutable)]
/// #[log(name = "CELL")]
/// #[repr(C, packed)]
/// struct Cell {
///     time_us: u64,
///     #[log(unit = "V", mult = 1e-3)]
///     volt: Millivolts,
/// }
/// assert_eq!(Cell::DEFINITION.columns[1].format, Format::U16);
/// ```
///
/// # In place of types that aren't fields
///
/// | instead of       | write                                                                                        |
/// | ---------------- | -------------------------------------------------------------------------------------------- |
/// | `String`, `&str` | [`Chars<16>`](Chars), or [`Msg::parts`](crate::messages::Msg::parts) for longer text           |
/// | `Option<f32>`    | `f32`, [`NO_VALUE_F32`] if there is no value; an integer needs a number of your choice         |
/// | `Duration`       | `u32` with `unit = "s", mult = 1e-6` for microseconds, or an `f32` with `unit = "s"`           |
/// | `usize`, `isize` | `u32`, `i32`: a column has the same width on all targets                                       |
/// | `char`           | `Chars<4>`                                                                                     |
/// | `[f32; 3]`       | `#[log(flatten)]`, three columns; `[i16; 32]` is the only array in one column                  |
/// | `[u8; 16]`       | `Chars<16>`, by [`Chars::from_raw`]                                                            |
/// | `[bool; 4]`      | `u8` with `bits(0 = "…", 1 = "…")`                                                              |
/// | `Wrapping<u16>`, `NonZero<u16>`, `AtomicU16` | `u16`                                                              |
/// | `DateTime<Utc>`  | `u64` with `unit = "s", mult = 1e-6`: microseconds since 1970                                   |
/// | a tuple          | a field for each value                                                                         |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a field type of a log message",
    label = "not a field type",
    note = "an enum, or a struct around one value, derives `Field`; a struct of several values derives `Columns`, and the \
            field has `#[log(flatten)]`"
)]
pub trait Field: Sized {
    /// How the column is stored. `size_of::<Self>()` must be the size of the format; `#[derive(LogMessage)]` checks it.
    const FORMAT: Format;

    /// The unit of columns of this type. An attribute of the field overrides it.
    const UNIT: Unit = Unit::NONE;

    /// The multiplier of columns of this type. An attribute of the field overrides it.
    ///
    /// `None` means [`Multiplier::ONE`] for a column with a unit and [`Multiplier::NONE`] for a column without one.
    const MULTIPLIER: Option<Multiplier> = None;

    /// The meanings of the values, for documentation.
    const MEANINGS: Meanings = Meanings::None;

    /// Whether [`decode`](Field::decode) refuses numbers that the format can store, as `bool` and derived enums do. The
    /// [lock](crate::lock) then knows that such a type doesn't read a column that had all numbers.
    const IS_CLOSED: bool = false;

    /// Reads a value of the column from the bytes of a record. Returns `None` if they are invalid for the type.
    ///
    /// The caller passes as many bytes as [`FORMAT`](Field::FORMAT) takes. With another number of bytes, return `None`,
    /// too.
    fn decode(bytes: &[u8]) -> Option<Self>;
}
