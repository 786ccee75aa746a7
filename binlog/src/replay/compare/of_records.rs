//! Compares the records of two ArduPilot logs.

use super::{ColumnDifference, Comparison, FirstDifference, Keys, Tolerances, TypeDifference, match_up};
use crate::format::{Format, Value};
use crate::read::log::Rows;
use crate::read::{Log, LoggedColumn, Record};

pub(super) fn compare(old: &Log<'_>, new: &Log<'_>, tolerances: Tolerances<'_>, comparison: &mut Comparison) {
    let ends_us: Vec<u64> = old.boots().filter_map(|boot| Some(*boot.time_range_us()?.end())).collect();
    let old = (old, &ends_us[..]);
    for rows in new.types().filter(|rows| !rows.definitions().any(|definition| definition.defines_others())) {
        let instances: Vec<_> = rows.by_instance().collect();
        match instances.as_slice() {
            [] => of_source(rows.name().to_owned(), old, &rows, tolerances, comparison),
            instances => {
                for (_, rows) in instances {
                    of_source(rows.name().to_owned(), old, rows, tolerances, comparison);
                }
            }
        }
    }
}

/// Compares the records of one type or instance.
fn of_source(
    name: String,
    (old, ends_us): (&Log<'_>, &[u64]),
    new: &Rows<'_>,
    tolerances: Tolerances<'_>,
    comparison: &mut Comparison,
) {
    let new: Vec<Record<'_>> = new.records().collect();
    let old: Vec<Record<'_>> = old.rows(&name).map(|rows| rows.records().collect()).unwrap_or_default();
    let keys = |records: &[Record<'_>]| Keys::of(records.iter().map(|it| it.time_us().unwrap_or_default()));
    let mut columns: Vec<(String, ColumnDifference)> = Vec::new();
    let mut result = TypeDifference { name, ..TypeDifference::default() };
    let source = result.name.clone();
    match_up((&keys(&old), ends_us), &keys(&new), &mut result, |record, old_place, new_place, time_us| {
        let (old, new) = (&old[old_place], &new[new_place]);
        for (place, (column, new_value)) in new.values().enumerate() {
            if ["TimeUS", "TimeMS"].contains(&column.label) {
                continue;
            }
            let known = columns.iter().position(|(label, _)| label == column.label);
            let at = known.unwrap_or_else(|| {
                let name = format!("{source}.{}", column.label);
                columns.push((column.label.to_owned(), ColumnDifference::new(name)));
                columns.len() - 1
            });
            let (tolerance, difference) = (tolerances.of(&source, column.label), &mut columns[at].1);
            let Some((old_column, old_value)) = old
                .values()
                .nth(place)
                .filter(|it| it.0.label == column.label)
                .or_else(|| old.values().find(|it| it.0.label == column.label))
            else {
                difference.without_partner += 1;
                continue;
            };
            let first = || FirstDifference {
                record,
                time_us,
                old: shown(&old_column, &old_value),
                new: shown(&column, &new_value),
            };
            match (old_value.to_f64(), new_value.to_f64()) {
                (Some(old_number), Some(new_number)) => {
                    // Integers beyond 2^53 aren't numbers of this type.
                    let exact = old_value.to_integer().zip(new_value.to_integer());
                    let is_equal = exact.filter(|_| old_column.format == column.format).map(|(old, new)| old == new);
                    difference.numbers((old_number, new_number), is_equal, tolerance, first);
                }
                _ => {
                    difference.compared += 1;
                    if tolerance != f64::INFINITY && !is_same(&old_value, &new_value) {
                        difference.differs(first);
                    }
                }
            }
        }
    });
    comparison.types.push(result);
    let finish = |(label, difference): (String, ColumnDifference)| difference.finish(tolerances.of(&source, &label));
    comparison.columns.extend(columns.into_iter().map(finish));
}

/// Whether texts or arrays are the same.
fn is_same(old: &Value<'_>, new: &Value<'_>) -> bool {
    match (old, new) {
        (Value::Text(old), Value::Text(new)) => old.as_bytes() == new.as_bytes(),
        (Value::Samples(old), Value::Samples(new)) => old == new,
        _ => false,
    }
}

/// A value with the digits that its format has.
fn shown(column: &LoggedColumn<'_>, value: &Value<'_>) -> String {
    match (column.format, value) {
        (Format::F32, Value::Float(value)) => (*value as f32).to_string(),
        (_, value) => value.to_string(),
    }
}
