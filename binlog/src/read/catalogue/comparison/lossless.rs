//! Finds the log's columns for those of a program, and what the program would lose.

use super::by_meaning::{ColumnComparison, Losses};
use crate::format::MismatchKind;
use crate::format::field::Chars;
use crate::format::{ColumnDefinition, Definition, Multiplier, Unit};
use crate::read::catalogue::column::ResolvedColumn;
use crate::read::catalogue::units::UnitTables;
use crate::read::{LoggedColumn, LoggedDefinition};

/// Where the value of a program's column comes from.
pub(crate) enum ColumnSource<'a> {
    /// A column of the log.
    Column(LoggedColumn<'a>),
    /// The program's default: its bytes.
    Default(&'static [u8]),
}

/// The source of each of the program's columns. The log's columns are found by label, or else by the program's aliases;
/// a column that the log lacks has its default. Columns that the program doesn't have are ignored; the order doesn't
/// matter.
///
/// # Errors
///
/// All differences that would lose or misread something: missing columns without a default, formats that aren't wider,
/// units and multipliers that differ in meaning where both sides name one.
pub(crate) fn lossless<'a>(
    program: &'static Definition,
    logged: &LoggedDefinition<'a>,
    tables: impl UnitTables<'a>,
) -> Result<Vec<(ColumnSource<'a>, &'static ColumnDefinition)>, Vec<MismatchKind>> {
    let (mut sources, mut differences) = (Vec::new(), Vec::new());
    for (i, column) in program.columns.iter().enumerate() {
        // A log that breaks the rules may use a label twice, and so may a program that reads it.
        let before = program.columns[..i].iter().filter(|before| before.label == column.label).count();
        let found = column.history.place_of(column.label, before, logged.columns().map(|column| column.label));
        match (found.and_then(|found| logged.columns().nth(found)), column.history.default) {
            (Some(found), _) => {
                differences.extend(what_is_lost(&found, column, tables));
                sources.push((ColumnSource::Column(found), column));
            }
            (None, Some(default)) => sources.push((ColumnSource::Default(default), column)),
            (None, None) => differences.push(MismatchKind::Missing { label: column.label }),
        }
    }
    if differences.is_empty() { Ok(sources) } else { Err(differences) }
}

/// What the program would lose or misread of a column.
fn what_is_lost<'a>(
    logged: &LoggedColumn<'a>,
    program: &'static ColumnDefinition,
    tables: impl UnitTables<'a>,
) -> impl Iterator<Item = MismatchKind> {
    let (theirs, ours) = (ResolvedColumn::of_log(logged, tables), ResolvedColumn::of_program(program));
    let label = ours.label;
    let losses = Losses::of(&theirs, &ours, ColumnComparison::of(&theirs, &ours));
    let format =
        losses.format.then(|| MismatchKind::Format { label, expected: ours.format, found: theirs.format.character() });
    let unit = match (theirs.unit_id, ours.unit_id) {
        (Some(found), Some(expected)) if losses.unit => {
            let is_standard = |id, name| Unit::from_id(id).is_some_and(|unit| unit.name() == name);
            Some(match is_standard(found, theirs.unit) && is_standard(expected, ours.unit) {
                true => MismatchKind::Unit { label, expected, found },
                false => MismatchKind::UnitName { label, expected: ours.unit, found: Chars::cut(theirs.unit) },
            })
        }
        _ => None,
    };
    let multiplier = losses.multiplier.then(|| multiplier_mismatch(&theirs, &ours));
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
