//! Compares what the code has logged with the flight's log.

mod of_frames;
mod of_records;

use crate::any_log::AnyLog;
use crate::wording::plural::Plural;
use std::fmt;

/// How a new log differs from an old one: returned by [`compare`]. It prints as a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    types: Vec<TypeDifference>,
    columns: Vec<ColumnDifference>,
}

/// How the records of one type, or of one of its instances, match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct TypeDifference {
    /// `RATE`, `IMU[0]`; of a Blackbox log `main`.
    pub name: String,
    /// The records that both logs have, by their times.
    pub compared: u64,
    /// The records of the old log that the new one lacks, from the new log's first one on.
    pub missing: u64,
    /// The records of the new log that the old one lacks.
    pub added: u64,
    /// The time of the first record that only one of the logs has, in microseconds.
    pub first_us: Option<u64>,
}

/// How the values of one column differ.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct ColumnDifference {
    /// `RATE.ROut`, `IMU[0].GyrX`; of a Blackbox log `main.gyroADC[0]`.
    pub name: String,
    /// The values that were compared.
    pub compared: u64,
    /// Those that differ by more than the tolerance.
    pub differing: u64,
    /// The largest difference of two numbers, as pymavlink shows them. Infinite if one of them isn't a finite number.
    pub largest: f64,
    /// The mean of all absolute differences.
    pub mean: f64,
    /// The first values that differ by more than the tolerance.
    pub first: Option<FirstDifference>,
}

/// Two values that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FirstDifference {
    /// The number of the old log's record among those of its type or instance, from 1, in the order of time.
    pub record: usize,
    /// Its time, in microseconds.
    pub time_us: u64,
    /// The value of the old log.
    pub old: String,
    /// The value of the new one.
    pub new: String,
}

/// Compares the records of a new log with those of an old one: all types that the new log has, record by record of the
/// same time, all columns that both have.
///
/// ```
/// # use binlog::{AnyLog, LogSchema, LogWriter, messages::Ev};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Ev(Ev) }
/// # let log = |id| {
/// #     let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
/// #     [(1_000_000, 10), (2_000_000, id)].map(|(time_us, id)| log.write(&Ev { time_us, id }).expect("room"));
/// #     AnyLog::from_bytes(log.finish().expect("memory takes all")).expect("a log")
/// # };
/// # let (old, new) = (log(11), log(15));
/// let comparison = binlog::replay::compare(&old, &new);
/// let id = &comparison.columns()[0];
/// assert_eq!((id.name.as_str(), id.compared, id.differing, id.largest, id.mean), ("EV.Id", 2, 1, 4.0, 2.0));
/// assert_eq!(id.first.as_ref().map(|first| first.time_us), Some(2_000_000));
/// ```
pub fn compare(old: &AnyLog<'_>, new: &AnyLog<'_>) -> Comparison {
    within(old, new, &[])
}

/// As [`compare`], with tolerances for columns or for all columns of a type.
pub(super) fn within(old: &AnyLog<'_>, new: &AnyLog<'_>, tolerances: &[(&str, f64)]) -> Comparison {
    let mut comparison = Comparison::default();
    let tolerances = Tolerances(tolerances);
    match (old, new) {
        (AnyLog::ArduPilot(old), AnyLog::ArduPilot(new)) => of_records::compare(old, new, tolerances, &mut comparison),
        (AnyLog::Blackbox(old), AnyLog::Blackbox(new)) => of_frames::compare(old, new, tolerances, &mut comparison),
        // Nothing has the same name.
        _ => {}
    }
    comparison
}

/// How much numbers may differ.
#[derive(Clone, Copy)]
struct Tolerances<'t>(&'t [(&'t str, f64)]);

impl Tolerances<'_> {
    /// That of a column: its own, or else that of its type. An instance's is that of the type.
    fn of(self, source: &str, label: &str) -> f64 {
        let without_instance = source.split('[').next().unwrap_or(source);
        let given = |name: &dyn Fn(&str) -> bool| self.0.iter().find(|(given, _)| name(given)).map(|(_, by)| *by);
        let is_column = |given: &str, source: &str| {
            given.strip_prefix(source).and_then(|rest| rest.strip_prefix('.')).is_some_and(|rest| rest == label)
        };
        given(&|given| is_column(given, source))
            .or_else(|| given(&|given| is_column(given, without_instance)))
            .or_else(|| given(&|given| given == source))
            .or_else(|| given(&|given| given == without_instance))
            .unwrap_or(0.0)
    }
}

impl Comparison {
    /// Whether both logs have the same records with the same values, within the tolerances, and at least one.
    pub fn is_same(&self) -> bool {
        self.compared() > 0
            && self.types.iter().all(|it| it.missing == 0 && it.added == 0)
            && self.columns.iter().all(|column| column.differing == 0)
    }

    /// The types of the new log.
    pub fn types(&self) -> &[TypeDifference] {
        &self.types
    }

    /// Their columns, apart from times.
    pub fn columns(&self) -> &[ColumnDifference] {
        &self.columns
    }

    /// The records that both logs have.
    fn compared(&self) -> u64 {
        self.types.iter().map(|it| it.compared).sum()
    }

    /// What is wrong, a line each; none if the logs are the same.
    pub(super) fn failures(&self) -> Vec<String> {
        if self.compared() == 0 {
            return vec!["the code logged no record of a type and a time that the flight has".into()];
        }
        let records = self.types.iter().filter_map(|it| {
            let at = it.first_us.map(|us| format!(", the first at {}", seconds(us))).unwrap_or_default();
            Some(match (it.missing, it.added) {
                (0, 0) => return None,
                (missing, 0) => format!("{}: the code lacks {}{at}", it.name, Plural(missing as usize, "record")),
                (0, added) => format!("{}: the flight lacks {}{at}", it.name, Plural(added as usize, "record")),
                (missing, added) => {
                    let missing = Plural(missing as usize, "record");
                    format!("{}: the code lacks {missing}, the flight {added}{at}", it.name)
                }
            })
        });
        let mut columns: Vec<&ColumnDifference> = self.columns.iter().filter(|column| column.differing > 0).collect();
        columns.sort_by_key(|column| column.first.as_ref().map(|first| first.time_us));
        let columns = columns.into_iter().filter_map(|column| {
            let ColumnDifference { name, compared, differing, largest, first, .. } = column;
            let FirstDifference { record, time_us, old, new } = first.as_ref()?;
            let at = seconds(*time_us);
            let by = if *largest > 0.0 { format!(", by at most {largest}") } else { String::new() };
            Some(format!(
                "{name} at {at}, record {record}: {old} in the flight, {new} now; {differing} of {compared} differ{by}"
            ))
        });
        records.chain(columns).collect()
    }
}

fn seconds(time_us: u64) -> String {
    format!("{:.6} s", time_us as f64 * 1e-6)
}

/// Each column with its largest and mean difference, and the time at which the logs part.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or_default().max(6);
        writeln!(f, "{:width$} {:>12} {:>12} {:>10}  parts at", "column", "largest", "mean", "differing")?;
        for ColumnDifference { name, differing, largest, mean, first, .. } in &self.columns {
            let at = first.as_ref().map_or_else(|| "never".to_owned(), |first| seconds(first.time_us));
            writeln!(f, "{name:width$} {:>12} {:>12} {differing:>10}  {at}", digits(*largest), digits(*mean))?;
        }
        for TypeDifference { name, missing, added, .. } in &self.types {
            if *missing > 0 || *added > 0 {
                writeln!(f, "{name}: {missing} records are missing, {added} are added")?;
            }
        }
        Ok(())
    }
}

/// A difference with three digits.
fn digits(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        value if (1e-3..1e6).contains(&value) => format!("{value:.4}"),
        value => format!("{value:.2e}"),
    }
}

/// Records in the order in which they are compared: by run, time, and place in the log.
struct Keys(Vec<(u32, u64, usize)>);

/// Where a time goes back by more than this, in microseconds, another run begins: a boot, or a clock that went back.
const RUN_US: u64 = 1_000_000;

impl Keys {
    fn of(times_us: impl Iterator<Item = u64>) -> Self {
        let (mut run, mut latest_us) = (0, 0);
        let key = |(place, time_us): (usize, u64)| {
            if time_us.saturating_add(RUN_US) < latest_us {
                (run, latest_us) = (run + 1, time_us);
            }
            latest_us = latest_us.max(time_us);
            (run, time_us, place)
        };
        let mut keys: Vec<_> = times_us.enumerate().map(key).collect();
        keys.sort_unstable();
        Keys(keys)
    }
}

/// Calls `pair` with the number in the order of time and the places of each pair of the same time, and counts what has
/// no partner.
fn match_up(old: &Keys, new: &Keys, result: &mut TypeDifference, mut pair: impl FnMut(usize, usize, usize, u64)) {
    let begins = new.0.first().map_or(0, |&(run, time_us, _)| {
        old.0.partition_point(|&(old_run, old_us, _)| (old_run, old_us) < (run, time_us))
    });
    let mut left = old.0.iter().enumerate().skip(begins).peekable();
    for &(run, time_us, place) in &new.0 {
        while let Some((_, &(_, missing_us, _))) =
            left.next_if(|(_, (old_run, old_us, _))| (*old_run, *old_us) < (run, time_us))
        {
            result.missing += 1;
            result.note(missing_us);
        }
        match left.next_if(|(_, (old_run, old_us, _))| (*old_run, *old_us) == (run, time_us)) {
            Some((number, &(_, _, old_place))) => {
                result.compared += 1;
                pair(number + 1, old_place, place, time_us);
            }
            None => {
                result.added += 1;
                result.note(time_us);
            }
        }
    }
    for (_, &(_, missing_us, _)) in left {
        result.missing += 1;
        result.note(missing_us);
    }
}

impl TypeDifference {
    fn note(&mut self, time_us: u64) {
        self.first_us.get_or_insert(time_us);
    }
}

impl ColumnDifference {
    fn new(name: String) -> Self {
        ColumnDifference { name, ..ColumnDifference::default() }
    }

    /// Takes two numbers. Of integers, `is_equal` says whether they are equal, which a double doesn't beyond 2^53. The
    /// means are sums until [`finish`](Self::finish).
    fn numbers(
        &mut self,
        numbers: (f64, f64),
        is_equal: Option<bool>,
        tolerance: f64,
        first: impl FnOnce() -> FirstDifference,
    ) {
        let (old, new) = numbers;
        self.compared += 1;
        if is_equal.unwrap_or(old == new) || old.is_nan() && new.is_nan() {
            return;
        }
        let by = Some((old - new).abs()).filter(|by| by.is_finite()).unwrap_or(f64::INFINITY);
        self.largest = self.largest.max(by);
        self.mean += by;
        // Different integers beyond 2^53 have a difference of 0 here. A tolerance of NaN allows nothing.
        if by > tolerance || tolerance.is_nan() || tolerance == 0.0 {
            self.differs(first);
        }
    }

    fn differs(&mut self, first: impl FnOnce() -> FirstDifference) {
        self.differing += 1;
        self.first.get_or_insert_with(first);
    }

    fn finish(mut self) -> Self {
        self.mean /= self.compared.max(1) as f64;
        self
    }
}
