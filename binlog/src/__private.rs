//! What the derives' output names. Not for programs; it changes without notice.

pub use crate::check::{Attributes, Role, column, length};
#[allow(deprecated, reason = "its use is the lint")]
pub use crate::lint::float_multiplier;
pub use crate::message::{Wire, check_length, decode_column};
#[cfg(feature = "derive")]
pub use crate::preamble::{Plan, Variant, blame, messages, plan, preamble};
pub use crate::schema::Nothing;
pub use crate::{
    Column, DecodeError, Definition, Field, Format, LogMessage, LogSchema, Logs, Meaning, Meanings, Message,
    Multiplier, Unit,
};
pub use core::mem::offset_of;
pub use core::option::Option::{self, None, Some};
pub use core::primitive::{i64, u8, usize};
pub use core::result::Result::{self, Err, Ok};

/// A row of the standard table of units, which the derive has looked up.
pub const fn unit(id: u8, name: &'static str) -> Unit {
    Unit::standard(id, name)
}

/// A row of the standard table of multipliers, which the derive has looked up.
pub const fn multiplier(id: u8, value: f64) -> Multiplier {
    Multiplier::standard(id, value)
}
