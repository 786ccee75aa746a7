//! Field types: what a column can be made of.

mod centi;
mod chars;
mod coordinate;
mod flight_mode;
mod native;

pub use centi::{Centi, Hundredths};
#[cfg(any(feature = "std", feature = "derive"))]
pub(crate) use chars::up_to;
pub use chars::{Chars, TextError};
pub use coordinate::{Latitude, Longitude};
pub use flight_mode::{FlightMode, FlightModeError};
pub use native::{NO_VALUE_F32, NO_VALUE_F64};

use crate::{Format, Meanings, Multiplier, Unit};

/// A type that can be a column of a message.
///
/// `#[derive(Field)]` makes one of an enum with an integer `repr` or of a newtype. Written by hand for any other type
/// whose bytes in memory are the column's bytes in the record:
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
/// # What is no field
///
/// | instead of       | write                                                                                        |
/// | ---------------- | -------------------------------------------------------------------------------------------- |
/// | `String`, `&str` | [`Chars<16>`](Chars), or [`Msg::parts`](crate::messages::Msg::parts) for longer text           |
/// | `Option<f32>`    | `f32` with [`NO_VALUE_F32`] for none; of an integer, a number of your own                      |
/// | `Duration`       | `u32` with `unit = "s", mult = 1e-6` for microseconds, or an `f32` with `unit = "s"`           |
/// | `usize`, `isize` | `u32`, `i32`: a column is as wide on all targets                                               |
/// | `char`           | `Chars<4>`                                                                                     |
/// | `[f32; 3]`       | three fields; `[i16; 32]` is the only array                                                    |
/// | `[u8; 16]`       | `Chars<16>`, by [`Chars::from_raw`]                                                            |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a field type of a log message",
    label = "not a field type",
    note = "fields are bool, i8 to i64, u8 to u64, f32, f64, [i16; 32], the types of `binlog::field` and of \
            `zerocopy::little_endian`, and enums and newtypes with `#[derive(Field)]`",
    note = "text is `Chars<4>`, `Chars<16>` or `Chars<64>`; half-precision floats need the feature `half`",
    note = "a value that may be missing is a float with `NO_VALUE_F32`; a duration is a number with `unit = \"s\"`"
)]
pub trait Field: Sized {
    /// How the column is stored. `size_of::<Self>()` must be its size, which `#[derive(LogMessage)]` checks.
    const FORMAT: Format;

    /// The unit that the type brings along; an attribute of the field overrides it.
    const UNIT: Unit = Unit::NONE;

    /// The multiplier that the type brings along; an attribute of the field overrides it.
    ///
    /// `None` is [`Multiplier::ONE`] for a column with a unit and [`Multiplier::NONE`] for one without.
    const MULTIPLIER: Option<Multiplier> = None;

    /// What the values stand for, for documentation.
    const MEANINGS: Meanings = Meanings::None;

    /// The value of a column, from the bytes of the record; `None` when they are no value of the type.
    ///
    /// `bytes` holds as many bytes as [`FORMAT`](Field::FORMAT) is long; with another number of bytes it is `None` too.
    fn decode(bytes: &[u8]) -> Option<Self>;
}
