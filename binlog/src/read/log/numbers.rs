//! In which type numbers are decoded.

use super::gather::{Cells, Scale};
use crate::format::{Format, Scaling};
use crate::source::Kind;

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
    /// How a column is decoded, of which [`Scaling`] makes this scale.
    pub(super) fn cells(self, format: Format, scale: impl Fn(Scaling) -> Scale) -> Cells {
        match self {
            Numbers::F64(scaling) => Cells::F64(scale(scaling)),
            Numbers::Scaled(scaling) if Kind::of(format).is_number() => match scale(scaling) {
                Scale::None => Cells::Native,
                scale => Cells::F64(scale),
            },
            Numbers::Native | Numbers::Scaled(_) => Cells::Native,
        }
    }

    /// The scaling of numbers that are decoded in this way.
    pub(super) fn scaling(self, cells: Cells) -> Scaling {
        match (self, cells) {
            (Numbers::F64(scaling) | Numbers::Scaled(scaling), Cells::F64(_)) => scaling,
            _ => Scaling::Stored,
        }
    }
}
