//! One wide CSV: the columns of several types, joined as of common times.

use super::choice::Choice;
use super::chosen_table::{ChosenColumn, ChosenTable};
use super::csv;
use super::time::Times;
use crate::join::{as_of, pair_equal_times};
use binlog::log::distinct_labels;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Lines that are joined at once: all of them, with the places in each table, may be larger than the log.
const JOINED: usize = 64 * 1024;

/// Types whose last record says nothing of the times after it, so that no line of other records has it: files, texts,
/// parameters, events, and what a logger says of itself.
const NOT_CARRIED: [&str; 11] = ["FILE", "MSG", "PARM", "VER", "EV", "ERR", "DSF", "DROP", "RING", "ISBH", "ISBD"];

/// Whether lines of other records have the last values of a type, unless it is chosen by name.
pub fn is_carried(name: &str) -> bool {
    !NOT_CARRIED.contains(&name)
}

/// The records of a type, or of one of its instances.
#[derive(Clone, Debug)]
pub struct OfInstance {
    /// The records, without the column that has the instance.
    pub table: ChosenTable,
    /// The instance, if the type has instances.
    pub instance: Option<String>,
}

/// A column of the file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WideColumn {
    of_type: String,
    instance: Option<String>,
    label: String,
}

impl OfInstance {
    /// Its columns, in the order of the record.
    pub fn columns(&self) -> impl Iterator<Item = WideColumn> + '_ {
        self.table.columns.iter().map(|column| WideColumn {
            of_type: self.table.name.clone(),
            instance: self.instance.clone(),
            label: column.label.clone(),
        })
    }

    fn column(&self, wide: &WideColumn) -> Option<&ChosenColumn> {
        let is_of = self.table.name == wide.of_type && self.instance == wide.instance;
        self.table.column(&wide.label).filter(|_| is_of)
    }
}

/// The labels of columns: `ATT.Roll`, `IMU[0].GyrX`. They differ, even if a damaged log has a type `I[0]` beside
/// instance 0 of `I`.
pub fn labels(columns: &[WideColumn]) -> Vec<String> {
    let label = |WideColumn { of_type, instance, label }: &WideColumn| match instance {
        Some(instance) => format!("{of_type}[{instance}].{label}"),
        None => format!("{of_type}.{label}"),
    };
    let labels: Vec<String> = columns.iter().map(label).collect();
    distinct_labels(labels.iter().map(String::as_str))
}

/// Splits tables by instance, `IMU` to `IMU[0]` and `IMU[1]`.
pub fn by_instance(tables: Vec<ChosenTable>) -> Vec<OfInstance> {
    let mut split = Vec::new();
    for table in tables {
        let Some(place) = table.instance else {
            split.push(OfInstance { table, instance: None });
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
            // One that is chosen of other instances only is chosen in none of these records.
            of_instance.columns.retain(|column| column.is_chosen.is_none());
            of_instance.instance = None;
            split.push(OfInstance { table: of_instance, instance: Some(instance.clone().unwrap_or_default()) });
        }
    }
    split
}

/// The times of the lines that stand for the records of these tables: as many of one time as an instance has records.
pub fn times_us(tables: &[OfInstance]) -> Vec<u64> {
    let mut by_instance: BTreeMap<_, Vec<u64>> = BTreeMap::new();
    for OfInstance { table, instance } in tables {
        by_instance.entry((&table.name, instance)).or_default().extend(&table.times_us);
    }
    let mut lines = Vec::new();
    for mut times_us in by_instance.into_values() {
        times_us.sort_unstable();
        let mut same = 0;
        lines.extend(times_us.iter().enumerate().map(|(i, &time_us)| {
            same = if i > 0 && times_us[i - 1] == time_us { same + 1 } else { 0 };
            (time_us, same)
        }));
    }
    lines.sort_unstable();
    lines.dedup();
    lines.into_iter().map(|(time_us, _)| time_us).collect()
}

/// The lines of a file.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// Their times, microseconds since boot, in ascending order.
    pub at_us: &'a [u64],
    /// The type whose records they are, if they aren't at a rate: of records with the same time, each has its line.
    pub of_type: Option<&'a Choice>,
    /// How old a record may be, in microseconds.
    pub max_age_us: Option<u64>,
}

/// Writes the lines: of each table the last record at or before the time, if it isn't too old. `columns` are those of
/// the header; one that no table has is empty.
///
/// # Errors
///
/// Errors of the writer.
pub fn rows(
    out: &mut impl Write,
    times: &Times,
    part: Option<usize>,
    columns: &[WideColumn],
    tables: &[OfInstance],
    lines: Lines<'_>,
) -> io::Result<()> {
    let all_us = lines.at_us;
    all_us.chunks(JOINED).enumerate().try_for_each(|(i, at_us)| {
        let (earlier, _) = all_us.split_at(i * JOINED);
        // Lines before that have the same time as the first one.
        let before = earlier.len() - earlier.partition_point(|time| Some(time) < at_us.first());
        joined_rows(out, times, part, columns, tables, Lines { at_us, ..lines }, before)
    })
}

fn joined_rows(
    out: &mut impl Write,
    times: &Times,
    part: Option<usize>,
    columns: &[WideColumn],
    tables: &[OfInstance],
    lines: Lines<'_>,
    before: usize,
) -> io::Result<()> {
    let Lines { at_us, of_type, max_age_us } = lines;
    let joined: Vec<Vec<Option<usize>>> = tables
        .iter()
        .map(|of| match of_type.is_some_and(|of_type| of_type.has_type(&of.table.name)) {
            true => pair_equal_times(at_us, &of.table.times_us, max_age_us, before),
            false => as_of(at_us, &of.table.times_us, max_age_us),
        })
        .collect();
    // A type that the log redefines has a table for each definition.
    let find = |wide: &WideColumn| {
        let sources = tables
            .iter()
            .zip(&joined)
            .filter_map(|(of, joined)| Some(Source { column: of.column(wide)?, times_us: &of.table.times_us, joined }));
        Some(sources.collect::<Vec<_>>()).filter(|sources| !sources.is_empty())
    };
    let columns: Vec<_> = columns.iter().map(find).collect();
    let print = |line: &mut Vec<u8>, sources: &Vec<Source<'_>>, row: usize| {
        let latest = sources.iter().filter_map(|source| Some((source, source.joined[row]?)));
        if let Some((source, i)) = latest.max_by_key(|(source, i)| source.times_us[*i]) {
            csv::cell(line, source.column, i);
        }
    };
    csv::lines(out, times, part, at_us, &columns, print)
}

/// A column in one table, and the place of the record that each line has of it.
struct Source<'t> {
    column: &'t ChosenColumn,
    times_us: &'t [u64],
    joined: &'t [Option<usize>],
}
