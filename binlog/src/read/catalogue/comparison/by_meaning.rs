//! Compares two columns by their meaning.

use crate::format::{Format, Multiplier, Unit};
use crate::read::catalogue::column::ResolvedColumn;

/// How two columns compare: the one of the old log, or of the log, with the one of the new log, or of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ColumnComparison {
    pub(crate) format: Fit,
    pub(crate) unit: Relation,
    pub(crate) multiplier: Relation,
}

/// Whether the values of one format are values of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fit {
    /// The formats are equal.
    Same,
    /// Each old value is a new value.
    Wider,
    /// Some old values aren't new values.
    Other,
}

/// How two units, or two multipliers, relate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    /// They mean the same, and their ids don't contradict that.
    Same,
    /// They mean the same with different ids.
    OtherId,
    /// Only the new column has one.
    Gained,
    /// Only the old column has one.
    Lost,
    /// Both have one, with different meanings.
    Differs,
}

impl ColumnComparison {
    pub(crate) fn of(before: &ResolvedColumn<'_>, after: &ResolvedColumn<'_>) -> Self {
        // `?` is as good as no unit.
        let names_unit = |column: &ResolvedColumn<'_>| !matches!(column.unit, "" | "UNKNOWN");
        let names_multiplier = |column: &ResolvedColumn<'_>| {
            let names_one = column.multiplier_id != Some(Multiplier::NONE.id()) && column.multiplier.is_some();
            names_one || column.format.divisor().is_some()
        };
        ColumnComparison {
            format: match (before.format, after.format) {
                (before, after) if before == after => Fit::Same,
                (from, to) if widens(from, to) || widens_time(from, (after.label, to)) => Fit::Wider,
                _ => Fit::Other,
            },
            unit: Relation::of(
                before.unit == after.unit,
                (before.unit_id, after.unit_id),
                (names_unit(before), names_unit(after)),
            ),
            multiplier: Relation::of(
                before.factor() == after.factor(),
                (before.multiplier_id, after.multiplier_id),
                (names_multiplier(before), names_multiplier(after)),
            ),
        }
    }
}

impl Relation {
    fn of(means_the_same: bool, ids: (Option<u8>, Option<u8>), names_one: (bool, bool)) -> Self {
        match (ids, names_one) {
            // A log without FMTU contradicts nothing.
            ((Some(before), Some(after)), _) if means_the_same && before != after => Relation::OtherId,
            _ if means_the_same => Relation::Same,
            (_, (false, _)) => Relation::Gained,
            (_, (_, false)) => Relation::Lost,
            _ => Relation::Differs,
        }
    }
}

/// What a program would lose or misread of a column that a log has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Losses {
    pub(crate) format: bool,
    pub(crate) unit: bool,
    pub(crate) multiplier: bool,
}

impl Losses {
    /// If the columns are `logged` and `program`, and compare so.
    pub(crate) fn of(logged: &ResolvedColumn<'_>, program: &ResolvedColumn<'_>, comparison: ColumnComparison) -> Self {
        // `#` names the purpose of the column, not the unit of its numbers.
        let measures = |column: &ResolvedColumn<'_>| column.unit != Unit::INSTANCE.name();
        Losses {
            format: comparison.format == Fit::Other,
            unit: comparison.unit == Relation::Differs && measures(logged) && measures(program),
            // If the program's format scales, the formats have been compared already.
            multiplier: comparison.multiplier == Relation::Differs && program.format.divisor().is_none(),
        }
    }
}

/// Whether each value of one format is a value of the other.
pub(crate) fn widens(from: Format, to: Format) -> bool {
    if from == to {
        return true;
    }
    match (integer(from), integer(to)) {
        (Some(from), Some(to)) => {
            from.scaled == to.scaled
                && match (from.signed, to.signed) {
                    (true, false) => false,
                    (false, true) => from.bits < to.bits,
                    _ => from.bits <= to.bits,
                }
        }
        // Integers fit into the mantissa, with a few bits to spare, so that different hundredths stay different floats.
        (Some(from), None) => match to {
            Format::F32 => from.bits <= 16,
            Format::F64 => from.bits <= 32,
            _ => false,
        },
        _ => match (from, to) {
            (Format::F16, Format::F32 | Format::F64) | (Format::F32 | Format::Coordinate, Format::F64) => true,
            _ => from.is_text() && to.is_text() && from.size() <= to.size(),
        },
    }
}

/// Whether a column is the time of 64 bits that each integer of a log's TimeUS becomes. A counter of the firmware has
/// no sign, even in a signed format.
pub(crate) fn widens_time(from: Format, (label, to): (&str, Format)) -> bool {
    label == "TimeUS" && to == Format::U64 && from.is_integer() && from != to
}

struct Integer {
    signed: bool,
    bits: usize,
    /// Hundredths.
    scaled: bool,
}

/// `None` for a coordinate, because no other format holds its values.
fn integer(format: Format) -> Option<Integer> {
    let bits = 8 * format.size();
    let signed = format.is_signed_integer() || matches!(format, Format::CentiI16 | Format::CentiI32);
    (format.is_integer() || format.is_centi()).then(|| Integer { signed, bits, scaled: format.is_centi() })
}
