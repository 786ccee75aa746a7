//! Rule 9 of binlog-derive's `check.rs`: what is suspicious, and no error.
//!
//! Stable macros can't warn, so a lint is a call of something deprecated, at the field.

use crate::ColumnDefinition;

/// A float with a multiplier other than 1.
#[deprecated(
    note = "a float with a multiplier: most tools show the number as it is stored. Store it in the unit itself, or say \
            `#[log(allow(float_multiplier))]`"
)]
pub const fn float_multiplier(column: ColumnDefinition) -> ColumnDefinition {
    column
}
