//! Compares the frames of two Blackbox logs, session by session.

use super::{ColumnDifference, Comparison, FirstDifference, Keys, Tolerances, TypeDifference, match_up};
use crate::blackbox::BlackboxLog;
use crate::blackbox::log::Table;

pub(super) fn compare(
    old: &BlackboxLog<'_>,
    new: &BlackboxLog<'_>,
    tolerances: Tolerances<'_>,
    comparison: &mut Comparison,
) {
    let (old, new) = (old.tables(), new.tables());
    for (i, tables) in new.iter().enumerate() {
        for table in tables.tables().iter().filter(|table| !table.is_empty()) {
            let name = if new.len() == 1 { table.name() } else { format!("session {}, {}", i + 1, table.name()) };
            let old = old.get(i).and_then(|tables| tables.table(table.letter()));
            of_table(name, old, table, tolerances, comparison);
        }
    }
}

fn of_table(name: String, old: Option<&Table>, new: &Table, tolerances: Tolerances<'_>, comparison: &mut Comparison) {
    let keys = |table: &Table| Keys::of(table.times_us().iter().copied());
    let old_keys = old.map_or_else(|| Keys(Vec::new()), keys);
    let columns = new.columns().iter().filter(|column| column.name() != "time");
    let pairs = columns.filter_map(|column| Some((column, old?.column(column.name())?)));
    let difference =
        |label: &str| (tolerances.of(&new.name(), label), ColumnDifference::new(format!("{name}.{label}")));
    let mut columns: Vec<_> = pairs.map(|(new, old)| (new, old, difference(new.name()))).collect();
    let mut result = TypeDifference { name, ..TypeDifference::default() };
    match_up((&old_keys, &[]), &keys(new), &mut result, |record, old_place, new_place, time_us| {
        for (new, old, (tolerance, difference)) in &mut columns {
            if let Some((old_value, new_value)) = old.get(old_place).zip(new.get(new_place)) {
                let first =
                    || FirstDifference { record, time_us, old: old_value.to_string(), new: new_value.to_string() };
                let numbers = (old_value as f64, new_value as f64);
                difference.numbers(numbers, Some(old_value == new_value), *tolerance, first);
            }
        }
    });
    comparison.types.push(result);
    comparison.columns.extend(columns.into_iter().map(|(_, _, (_, difference))| difference.finish()));
}
