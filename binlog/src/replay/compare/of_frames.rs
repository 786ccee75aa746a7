//! Compares the frames of two Blackbox logs, session by session.

use super::{ColumnDifference, Comparison, FirstDifference, Keys, Tolerances, TypeDifference, match_up};
use crate::blackbox::BlackboxLog;
use crate::blackbox::log::{Table, Tables};

pub(super) fn compare(
    old: &BlackboxLog<'_>,
    new: &BlackboxLog<'_>,
    tolerances: Tolerances<'_>,
    comparison: &mut Comparison,
) {
    let (old, new) = (old.tables(), new.tables());
    let is_single = old.len().max(new.len()) == 1;
    let name = |i: usize, table: &Table| match is_single {
        true => table.name(),
        false => format!("session {}, {}", i + 1, table.name()),
    };
    for (i, tables) in new.iter().enumerate() {
        for table in tables.tables().iter().filter(|table| !table.is_empty()) {
            let old = old.get(i).and_then(|tables| tables.table(table.letter()));
            of_table(name(i, table), old, table, tolerances, comparison);
        }
    }
    // Frames of sessions that the new log lacks count as missing, if it has such frames in others.
    let has = |tables: &Tables, letter| tables.table(letter).is_some_and(|table| !table.is_empty());
    for (i, tables) in old.iter().enumerate() {
        let is_left_out = |table: &&Table| {
            let letter = table.letter();
            !table.is_empty()
                && new.iter().any(|tables| has(tables, letter))
                && !new.get(i).is_some_and(|tables| has(tables, letter))
        };
        for table in tables.tables().iter().filter(is_left_out) {
            let mut result = TypeDifference { name: name(i, table), ..TypeDifference::default() };
            table.times_us().iter().for_each(|&time_us| result.lacks(time_us));
            comparison.types.push(result);
        }
    }
}

fn of_table(name: String, old: Option<&Table>, new: &Table, tolerances: Tolerances<'_>, comparison: &mut Comparison) {
    let keys = |table: &Table| Keys::of(table.times_us().iter().copied());
    let old_keys = old.map_or_else(|| Keys(Vec::new()), keys);
    let columns = new.columns().iter().filter(|column| column.name() != "time");
    let pairs = columns.map(|column| (column, old.and_then(|old| old.column(column.name()))));
    let difference =
        |label: &str| (tolerances.of(&new.name(), label), ColumnDifference::new(format!("{name}.{label}")));
    let mut columns: Vec<_> = pairs.map(|(new, old)| (new, old, difference(new.name()))).collect();
    let mut result = TypeDifference { name, ..TypeDifference::default() };
    match_up((&old_keys, &[]), &keys(new), &mut result, |record, old_place, new_place, time_us| {
        for (new, old, (tolerance, difference)) in &mut columns {
            let Some(old) = old else {
                difference.without_partner += 1;
                continue;
            };
            if let Some((old_value, new_value)) = old.get(old_place).zip(new.get(new_place)) {
                let first =
                    || FirstDifference { record, time_us, old: old_value.to_string(), new: new_value.to_string() };
                let numbers = (old_value as f64, new_value as f64);
                difference.numbers(numbers, Some(old_value == new_value), *tolerance, first);
            }
        }
    });
    comparison.types.push(result);
    comparison.columns.extend(columns.into_iter().map(|(_, _, (tolerance, difference))| difference.finish(tolerance)));
}
