//! Multipliers: the table that a log carries in its MULT records.
//!
//! Source: `log_Multipliers` of ArduPilot's `libraries/AP_Logger/LogStructure.h`. There is no `H`.

use crate::format::custom_ids;
use core::fmt;

/// A multiplier: the stored number times the multiplier is the value in the column's unit.
///
/// Viewers treat it differently. pymavlink and UAV Log Viewer show the stored number and put the multiplier into the
/// unit (`0.001` and `m/s` become `mm/s`); PlotJuggler and Mission Planner's plots multiply. The guide's chapter on
/// [viewers](crate::guide::viewers) says which choices all of them show right.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Multiplier {
    id: u8,
    value: f64,
    custom: bool,
}

impl Multiplier {
    /// `-`: no multiplier. Used by columns without a unit.
    pub const NONE: Multiplier = Multiplier::standard(b'-', 0.0);
    /// `0`: 1. Used by columns that are stored in their unit.
    pub const ONE: Multiplier = Multiplier::standard(b'0', 1.0);
    /// `B`: 1e-2. Used by `c`, `C`, `e` and `E` columns.
    pub const CENTI: Multiplier = Multiplier::standard(b'B', 1e-2);
    /// `F`: 1e-6. Used by `TimeUS`.
    pub const MICRO: Multiplier = Multiplier::standard(b'F', 1e-6);
    /// `G`: 1e-7. Used by `L` columns.
    pub const COORDINATE: Multiplier = Multiplier::standard(b'G', 1e-7);

    /// ArduPilot's table, in ArduPilot's order.
    pub const STANDARD: [Multiplier; 15] = [
        Multiplier::NONE,
        Multiplier::standard(b'?', 1.0),
        Multiplier::standard(b'2', 1e2),
        Multiplier::standard(b'1', 1e1),
        Multiplier::ONE,
        Multiplier::standard(b'A', 1e-1),
        Multiplier::CENTI,
        Multiplier::standard(b'C', 1e-3),
        Multiplier::standard(b'D', 1e-4),
        Multiplier::standard(b'E', 1e-5),
        Multiplier::MICRO,
        Multiplier::COORDINATE,
        Multiplier::standard(b'I', 1e-9),
        Multiplier::standard(b'!', 3.6),
        Multiplier::standard(b'/', 3600.0),
    ];

    /// Declares a multiplier that ArduPilot's table lacks: a printable ASCII id that the table doesn't use, and a
    /// positive value.
    ///
    /// Use it in a `const`. There, an invalid id or value fails to compile.
    ///
    /// # Panics
    ///
    /// If the id is not printable ASCII or belongs to a standard multiplier. If the value is not positive, or is
    /// infinite or subnormal.
    #[track_caller]
    pub const fn custom(id: char, value: f64) -> Multiplier {
        let id = custom_ids::checked_id("multiplier", id);
        let mut i = 0;
        while i < Self::STANDARD.len() {
            if Self::STANDARD[i].id == id {
                custom_ids::taken_id("multiplier", id, "");
            }
            i += 1;
        }
        if !(value.is_normal() && value > 0.0) {
            panic!("a multiplier is a positive number, neither infinite nor next to 0");
        }
        Multiplier { id, value, custom: true }
    }

    /// The multiplier of ArduPilot's table with this id.
    pub fn from_id(id: u8) -> Option<Multiplier> {
        Self::STANDARD.into_iter().find(|multiplier| multiplier.id == id)
    }

    /// The standard multiplier of an id that the derive has looked up.
    pub(crate) const fn with_id(id: u8) -> Self {
        Self::STANDARD[PLACES[id as usize & 127] as usize]
    }

    /// One row of the standard table.
    pub(crate) const fn standard(id: u8, value: f64) -> Multiplier {
        Multiplier { id, value, custom: false }
    }

    /// The id in FMTU and MULT, an ASCII character.
    pub const fn id(&self) -> u8 {
        self.id
    }

    /// The value in the MULT record; 0 for [`Multiplier::NONE`].
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Whether the multiplier is one of the program, not of ArduPilot's table.
    #[cfg(feature = "derive")]
    pub(crate) const fn is_custom(&self) -> bool {
        self.custom
    }
}

/// The index of each id in [`Multiplier::STANDARD`], so that looking up an attribute's id takes one step.
const PLACES: [u8; 128] = {
    let mut places = [0; 128];
    let mut i = 0;
    while i < Multiplier::STANDARD.len() {
        places[Multiplier::STANDARD[i].id as usize] = i as u8;
        i += 1;
    }
    places
};

/// The value of a multiplier as text: with an exponent if it would be long otherwise.
pub(crate) struct Factor(pub(crate) f64);

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if (0.1..1e6).contains(&value.abs()) { write!(f, "{value}") } else { write!(f, "{value:e}") }
    }
}

/// The meaning of a number in a MULT record, rounded to seven digits as in pymavlink. Many logs store single-precision
/// values as doubles: 0.009999999776 for a hundredth. `None` for infinity and NaN.
#[cfg(feature = "read")]
pub(crate) fn as_meant(logged: f64) -> Option<f64> {
    format!("{logged:.6e}").parse().ok().filter(|meant: &f64| meant.is_finite())
}

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::as_meant;

    #[test]
    fn multipliers_are_those_that_were_meant() {
        assert_eq!(as_meant(f64::from(0.01_f32)), Some(0.01));
        assert_eq!(as_meant(f64::from(1e-7_f32)), Some(1e-7));
        assert_eq!(as_meant(3600.0), Some(3600.0));
        assert_eq!((as_meant(f64::NAN), as_meant(f64::INFINITY)), (None, None));
    }
}
