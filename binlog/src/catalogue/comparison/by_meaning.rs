//! Compares the columns of two definitions by their meaning, and finds what a program would lose.

use crate::catalogue::column::ResolvedColumn;
use crate::catalogue::definition::{LoggedColumn, LoggedDefinition};
use crate::catalogue::mismatch::MismatchKind;
use crate::catalogue::units::UnitTables;
use crate::definition::Definition;
use crate::field::Chars;
use crate::format::Format;
use crate::multiplier::Multiplier;
use crate::unit::Unit;

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
                (before, after) if widens(before, after) => Fit::Wider,
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

/// A column of the log, and the format and offset of the program's column that it fills.
pub(crate) type Pair<'a> = (LoggedColumn<'a>, Format, usize);

/// The log's columns for those of the program, found by label. Columns that the program doesn't have are ignored; the
/// order doesn't matter.
///
/// # Errors
///
/// All differences that would lose or misread something: missing columns, formats that aren't wider, units and
/// multipliers that differ in meaning where both sides name one.
pub(crate) fn lossless<'a>(
    program: &'static Definition,
    logged: &LoggedDefinition<'a>,
    tables: &impl UnitTables,
) -> Result<Vec<Pair<'a>>, Vec<MismatchKind>> {
    let (mut pairs, mut differences) = (Vec::new(), Vec::new());
    let mut offset = 0;
    for (i, column) in program.columns.iter().enumerate() {
        // A log that breaks the rules may use a label twice, and so may a program that reads it.
        let before = program.columns[..i].iter().filter(|before| before.label == column.label).count();
        match logged.columns().filter(|logged| logged.label == column.label).nth(before) {
            None => differences.push(MismatchKind::Missing { label: column.label }),
            Some(found) => {
                let (theirs, ours) = (ResolvedColumn::of_log(&found, tables), ResolvedColumn::of_program(column));
                differences.extend(what_is_lost(&theirs, &ours));
                pairs.push((found, column.format, offset));
            }
        }
        offset += column.format.size();
    }
    if differences.is_empty() { Ok(pairs) } else { Err(differences) }
}

/// What the program would lose or misread of a column.
fn what_is_lost(theirs: &ResolvedColumn<'_>, ours: &ResolvedColumn<'static>) -> impl Iterator<Item = MismatchKind> {
    let label = ours.label;
    let comparison = ColumnComparison::of(theirs, ours);
    let format = (comparison.format == Fit::Other).then(|| MismatchKind::Format {
        label,
        expected: ours.format,
        found: theirs.format.character(),
    });
    // `#` names the purpose of the column, not the unit of its numbers.
    let measures = |column: &ResolvedColumn<'_>| column.unit != Unit::INSTANCE.name();
    let unit = match (theirs.unit_id, ours.unit_id) {
        (Some(found), Some(expected)) if comparison.unit == Relation::Differs && measures(theirs) && measures(ours) => {
            let is_standard = |id, name| Unit::from_id(id).is_some_and(|unit| unit.name() == name);
            Some(match is_standard(found, theirs.unit) && is_standard(expected, ours.unit) {
                true => MismatchKind::Unit { label, expected, found },
                false => MismatchKind::UnitName { label, expected: ours.unit, found: Chars::cut(theirs.unit) },
            })
        }
        _ => None,
    };
    // If the program's format scales, the formats have been compared already.
    let differs = comparison.multiplier == Relation::Differs && ours.format.divisor().is_none();
    let multiplier = differs.then(|| multiplier_mismatch(theirs, ours));
    [format, unit, multiplier].into_iter().flatten()
}

fn multiplier_mismatch(theirs: &ResolvedColumn<'_>, ours: &ResolvedColumn<'static>) -> MismatchKind {
    // A number that its format has scaled is in its unit.
    let stated = |column: &ResolvedColumn<'_>| match column.format.divisor() {
        Some(_) => (Multiplier::ONE.id(), Multiplier::ONE.value()),
        None => (column.multiplier_id.unwrap_or_default(), column.multiplier.unwrap_or_default()),
    };
    let ((found, theirs), (expected, own)) = (stated(theirs), stated(ours));
    let is_standard = |id, value| Multiplier::from_id(id).is_some_and(|known| known.value() == value);
    let text = |value: f64| Chars::cut(&value.to_string());
    match is_standard(found, theirs) && is_standard(expected, own) {
        true => MismatchKind::Multiplier { label: ours.label, expected, found },
        false => MismatchKind::MultiplierValue { label: ours.label, expected: text(own), found: text(theirs) },
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
