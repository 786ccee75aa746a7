//! What older logs have in place of a column: its default, checked while compiling.

use crate::format::{ColumnDefinition, FieldHistory};
#[cfg(feature = "derive")]
use crate::wording::const_text::ConstText;
use zerocopy::FromZeros;

/// A column with what older logs have in its place.
pub const fn with_history(
    column: ColumnDefinition,
    aliases: &'static [&'static str],
    default: Option<&'static [u8]>,
) -> ColumnDefinition {
    ColumnDefinition { history: FieldHistory { aliases, default }, ..column }
}

/// The longest record, which a flattened struct may fill.
const WIDEST: usize = 255;

/// The bytes of a value whose bytes are zeros.
pub const fn zeros<T: HasZeros>() -> &'static [u8] {
    // `definition` checks the size of the format, so a wider type is an error there.
    let size = if size_of::<T>() < WIDEST { size_of::<T>() } else { WIDEST };
    [0; WIDEST].as_slice().split_at(size).0
}

/// Zerocopy's `FromZeros`, with an error of our own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no value to default to: it lacks `zerocopy::FromZeros`",
    label = "write `default = …` with a constant of type `{Self}`, or derive `FromZeros` for it",
    note = "a `default` without a value is the value whose bytes are zeros"
)]
pub trait HasZeros {}

#[diagnostic::do_not_recommend]
impl<T: FromZeros> HasZeros for T {}

/// A default has the size of the column's format. The derive makes none of another size.
#[cfg(feature = "derive")]
#[track_caller]
pub(crate) const fn default_rules(column: &ColumnDefinition) {
    if let Some(default) = column.history.default
        && default.len() != column.format.size()
    {
        let text = ConstText::new().str("the default of ").str(column.label).str(" has ");
        let text = text.number(default.len() as u64).str(" bytes; the column has ");
        panic!("{}", text.number(column.format.size() as u64).as_str());
    }
}
