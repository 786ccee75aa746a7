//! One wide CSV: the columns of several types, joined as of common times.

use super::chosen_table::{ChosenColumn, ChosenTable};
use super::csv;
use super::time::Times;
use crate::join::as_of;
use std::io::{self, Write};

/// Lines that are joined at once: all of them, with the places in each table, may be larger than the log.
const JOINED: usize = 64 * 1024;

/// The labels of the columns in the order of the tables: `ATT.Roll`, `IMU[0].GyrX`.
pub fn labels(tables: &[ChosenTable]) -> Vec<String> {
    let label = |table: &ChosenTable, label: &str| format!("{}.{label}", table.name);
    tables.iter().flat_map(|table| table.columns.iter().map(move |column| label(table, &column.label))).collect()
}

/// Splits tables by instance, `IMU` to `IMU[0]` and `IMU[1]`, without the column that has the instance.
pub fn by_instance(tables: Vec<ChosenTable>) -> Vec<ChosenTable> {
    let mut split = Vec::new();
    for table in tables {
        let Some(place) = table.instance else {
            split.push(table);
            continue;
        };
        let instances: Vec<Option<String>> = (0..table.len()).map(|i| table.instance_of(i)).collect();
        let mut known: Vec<&Option<String>> = instances.iter().collect();
        known.sort();
        known.dedup();
        for instance in known {
            let mut of_instance = table.clone();
            of_instance.keep(|i| instances.get(i) == Some(instance));
            of_instance.columns.remove(place);
            of_instance.instance = None;
            of_instance.name = format!("{}[{}]", table.name, instance.as_deref().unwrap_or_default());
            split.push(of_instance);
        }
    }
    split
}

/// Writes a line for each of `at_us`, microseconds since boot: of each table the last record at or before the time, if
/// it is at most `max_age_us` old. `labels` are those of the header; a label that no table has is empty.
///
/// # Errors
///
/// Errors of the writer.
pub fn rows(
    out: &mut impl Write,
    times: &Times,
    part: Option<usize>,
    labels: &[String],
    tables: &[ChosenTable],
    at_us: &[u64],
    max_age_us: Option<u64>,
) -> io::Result<()> {
    at_us.chunks(JOINED).try_for_each(|at_us| joined_rows(out, times, part, labels, tables, at_us, max_age_us))
}

fn joined_rows(
    out: &mut impl Write,
    times: &Times,
    part: Option<usize>,
    labels: &[String],
    tables: &[ChosenTable],
    at_us: &[u64],
    max_age_us: Option<u64>,
) -> io::Result<()> {
    let joined: Vec<Vec<Option<usize>>> =
        tables.iter().map(|table| as_of(at_us, &table.times_us, max_age_us)).collect();
    let find = |label: &String| {
        tables.iter().zip(&joined).find_map(|(table, joined)| {
            let label = label.strip_prefix(table.name.as_str())?.strip_prefix('.')?;
            Some((table.column(label)?, joined))
        })
    };
    let columns: Vec<_> = labels.iter().map(find).collect();
    let print = |line: &mut Vec<u8>, (column, joined): &(&ChosenColumn, &Vec<Option<usize>>), row: usize| {
        if let Some(i) = joined[row] {
            csv::cell(line, column, i);
        }
    };
    csv::lines(out, times, part, at_us, &columns, print)
}
