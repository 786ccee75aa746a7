//! In which type a user gets numbers.

use crate::format::Scaling;

/// The number type of decoded columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Numbers {
    /// As stored, not scaled: [`Log::tables`](crate::Log::tables).
    #[default]
    Native,
    /// `f64`, scaled: [`Log::tables_f64`](crate::Log::tables_f64).
    F64(Scaling),
    /// `f64` where the scaling changes the numbers, and else as stored.
    Scaled(Scaling),
}

impl Numbers {
    /// How numbers are scaled, where they are.
    pub(crate) fn asked(self) -> Scaling {
        match self {
            Numbers::Native => Scaling::Stored,
            Numbers::F64(scaling) | Numbers::Scaled(scaling) => scaling,
        }
    }
}
