//! How columns are decoded, so that a user gets numbers in a type.

use super::gather::{Cells, Scale};
use crate::format::{Format, Scaling};
use crate::source::{Kind, Numbers};

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
