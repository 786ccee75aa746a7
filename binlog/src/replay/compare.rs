//! Compares what the code has logged with the flight's log.

mod of_frames;
mod of_records;

use super::item::Item;
use super::order::{Order, WINDOW_US};
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
    /// `RATE`, `IMU[0]`; of a Blackbox log `main`, or `session 2, main` if one of the logs has several sessions.
    pub name: String,
    /// The records that both logs have, by their times.
    pub compared: u64,
    /// The records of the old log that the new one lacks, from the new log's first one of the run on: a boot, or what
    /// follows a time that went back. The last one isn't among them if the log ends there: an input lacks its partner.
    pub missing: u64,
    /// The records of the old log before these. A replay may [begin](super::Replay::from_us) anywhere, so logs that
    /// differ in nothing else are the same; a test that [asserts](super::assert_same) that fails. It is 0 if the
    /// new log's first record of the run comes within a second, and at most a half of the run is before it: code has to
    /// warm up.
    pub before: u64,
    /// The records of the new log that the old one lacks.
    pub added: u64,
    /// The time of the first record that only one of the logs has, in microseconds.
    pub first_us: Option<u64>,
}

/// How the values of one column differ.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct ColumnDifference {
    /// `RATE.ROut`, `IMU[0].GyrX`; of a Blackbox log `main.gyroADC[0]`, or `session 2, main.gyroADC[0]` if one of the
    /// logs has several sessions.
    pub name: String,
    /// The values that were compared.
    pub compared: u64,
    /// Those that differ by more than the tolerance.
    pub differing: u64,
    /// Whether none of the records that were compared has such a column in the old log. Then all values count as
    /// differing, unless any difference is allowed.
    pub is_new: bool,
    /// The largest difference of two numbers, as pymavlink shows them. Infinite if one of them isn't a finite number.
    pub largest: f64,
    /// The mean of all absolute differences.
    pub mean: f64,
    /// The first values that differ by more than the tolerance.
    pub first: Option<FirstDifference>,
    /// The values of records whose partners lack the column.
    without_partner: u64,
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
/// same time, all columns that the new log has. Numbers are the same if they are equal, zeros if they have the same
/// sign; all NaN are the same. Logs of different formats have nothing to compare.
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

    /// The types of the new log, and what it lacks of them in whole sessions.
    pub fn types(&self) -> &[TypeDifference] {
        &self.types
    }

    /// Their columns, apart from times.
    pub fn columns(&self) -> &[ColumnDifference] {
        &self.columns
    }

    /// Whether a tolerance belongs to a type or a column of records that were compared.
    pub(super) fn uses(&self, (given, _): &(&str, f64)) -> bool {
        let tolerance = [(*given, 1.0)];
        let applies = |source: &str, label: &str| Tolerances(&tolerance).of(source, label) > 0.0;
        let mut columns = self.columns.iter().filter_map(|column| without_session(&column.name).split_once('.'));
        let mut types = self.types.iter().filter(|it| it.compared > 0);
        columns.any(|(source, label)| applies(source, label)) || types.any(|it| applies(without_session(&it.name), ""))
    }

    /// The records that both logs have.
    fn compared(&self) -> u64 {
        self.types.iter().map(|it| it.compared).sum()
    }

    /// What is wrong, a line each; none if the logs are the same.
    pub(super) fn failures(&self) -> Vec<String> {
        if self.types.is_empty() {
            return vec!["the code logged no records".into()];
        }
        if self.compared() == 0 {
            let nothing = |it: &TypeDifference| {
                let TypeDifference { name, added, .. } = it;
                let records = Plural(*added as usize, "record");
                match it.missing + it.before {
                    0 => format!("{name}: the code logged {records}, of which the flight has none"),
                    _ => format!("{name}: the code logged {records}, at other times than the flight"),
                }
            };
            return self.types.iter().map(nothing).collect();
        }
        let before = self.types.iter().filter(|it| it.before > 0).map(|it| {
            let records = Plural(it.before as usize, "record");
            format!("{}: the flight has {records} before the code's first; replay from its beginning", it.name)
        });
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
            let ColumnDifference { name, compared, differing, largest, first, is_new, .. } = column;
            if *is_new {
                let own = without_session(name);
                let hint = format!("rename it back, record new flights, or allow all with (\"{own}\", f64::INFINITY)");
                return Some(format!("{name}: the flight has no such column; {hint}"));
            }
            let FirstDifference { record, time_us, old, new } = first.as_ref()?;
            let at = seconds(*time_us);
            let by = if *largest > 0.0 { format!(", by at most {}", digits(*largest)) } else { String::new() };
            Some(format!(
                "{name} at {at}, record {record}: {old} in the flight, {new} now; {differing} of {compared} differ{by}"
            ))
        });
        before.chain(records).chain(columns).collect()
    }
}

/// The name by which a tolerance is given.
fn without_session(name: &str) -> &str {
    name.strip_prefix("session ").and_then(|rest| Some(rest.split_once(", ")?.1)).unwrap_or(name)
}

fn seconds(time_us: u64) -> String {
    format!("{:.6} s", time_us as f64 * 1e-6)
}

/// Each column with its largest and mean difference, and the time at which the logs part.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or_default().max(6);
        writeln!(f, "{:width$} {:>12} {:>12} {:>10}  parts at", "column", "largest", "mean", "differing")?;
        for ColumnDifference { name, differing, largest, mean, first, is_new, .. } in &self.columns {
            let at = match first {
                _ if *is_new => "not in the old log".to_owned(),
                Some(first) => seconds(first.time_us),
                None => "never".to_owned(),
            };
            writeln!(f, "{name:width$} {:>12} {:>12} {differing:>10}  {at}", digits(*largest), digits(*mean))?;
        }
        for TypeDifference { name, missing, added, .. } in &self.types {
            if *missing > 0 || *added > 0 {
                writeln!(f, "{name}: missing {}, added {added}", Plural(*missing as usize, "record"))?;
            }
        }
        Ok(())
    }
}

/// A difference: three significant digits, or all digits before the point.
fn digits(value: f64) -> String {
    match value {
        value if (1e-3..100.0).contains(&value) => {
            let places = (2.0 - value.log10().floor()) as usize;
            format!("{value:.places$}").trim_end_matches('0').trim_end_matches('.').into()
        }
        value if (100.0..1e6).contains(&value) => format!("{value:.0}"),
        value if value == 0.0 || value.is_infinite() => value.to_string(),
        value => format!("{value:.2e}"),
    }
}

/// Records in the order in which they are compared: the times and the places in the log, by run. Another run begins
/// where the time goes back, at a boot or without one.
struct Keys(Vec<Vec<(u64, usize)>>);

impl Keys {
    /// The runs by the rule of [`Order`]: one time that doesn't fit begins none.
    fn of(times_us: impl Iterator<Item = u64>) -> Self {
        let (mut order, mut runs) = (Order::new(), vec![Vec::new()]);
        let source = order.source("");
        let take = |order: &mut Order<usize>, runs: &mut Vec<Vec<_>>| {
            while let Some(item) = order.pop() {
                match item {
                    Item::Back { .. } => runs.push(Vec::new()),
                    Item::Input { time_us, input } | Item::OutOfOrder { time_us, input } => {
                        if let Some(run) = runs.last_mut() {
                            run.push((time_us, input));
                        }
                    }
                    _ => {}
                }
            }
        };
        for (place, time_us) in times_us.enumerate() {
            order.input(Some(time_us), source, place);
            take(&mut order, &mut runs);
        }
        order.end();
        take(&mut order, &mut runs);
        runs.retain(|run| !run.is_empty());
        runs.iter_mut().for_each(|run| run.sort_unstable());
        Keys(runs)
    }
}

/// The code may take this long to log its first record of a type, in microseconds after the flight's first.
const WARM_UP_US: u64 = 1_000_000;

/// Calls `pair` with the number in the order of time and the places of each pair of the same time, and counts what has
/// no partner. `ends_us` are the times at which the boots of the old log end.
fn match_up(
    (old, ends_us): (&Keys, &[u64]),
    new: &Keys,
    result: &mut TypeDifference,
    mut pair: impl FnMut(usize, usize, usize, u64),
) {
    let first_us = |run: &[(u64, usize)]| run.first().map_or(0, |key| key.0);
    let last_us = |run: &[(u64, usize)]| run.last().map_or(0, |key| key.0);
    let mut number = 0;
    let mut olds = old.0.iter().map(|run| {
        number += run.len();
        (number - run.len(), &run[..])
    });
    for (i, new_run) in new.0.iter().enumerate() {
        let mut old_run = olds.next();
        // A replay that begins later logs nothing of a run that ends before.
        let ends_before = |(_, run): &(usize, &[(u64, usize)])| last_us(run) < first_us(new_run);
        while olds.len() >= new.0.len() - i
            && let Some((_, run)) = old_run.filter(ends_before)
        {
            result.before += run.len() as u64;
            old_run = olds.next();
        }
        let (number, run) = old_run.unwrap_or_default();
        match_runs((number, run, ends_us), new_run, result, &mut pair);
    }
    let from_us = new.0.iter().map(|run| first_us(run)).min().unwrap_or_default();
    for (_, run) in olds {
        match last_us(run) < from_us {
            true => result.before += run.len() as u64,
            false => run.iter().for_each(|&(time_us, _)| result.lacks(time_us)),
        }
    }
}

/// As [`match_up`], for a run of each log. `before` is the number of the old log's records in the runs before.
fn match_runs(
    (before, old, ends_us): (usize, &[(u64, usize)], &[u64]),
    new: &[(u64, usize)],
    result: &mut TypeDifference,
    pair: &mut impl FnMut(usize, usize, usize, u64),
) {
    let begins = new.first().map_or(0, |&(time_us, _)| old.partition_point(|key| key.0 < time_us));
    let is_warm_up = |from_us: u64, to_us: u64| to_us - from_us <= WARM_UP_US && 2 * begins <= old.len();
    match (old.first(), new.first()) {
        (Some(old), Some(new)) if begins > 0 && is_warm_up(old.0, new.0) => {}
        _ => result.before += begins as u64,
    }
    let mut left = (before + 1..).zip(old).skip(begins).peekable();
    for &(time_us, place) in new {
        while let Some((_, &(missing_us, _))) = left.next_if(|(_, key)| key.0 < time_us) {
            result.lacks(missing_us);
        }
        match left.next_if(|(_, key)| key.0 == time_us) {
            Some((number, &(_, old_place))) => {
                result.compared += 1;
                pair(number, old_place, place, time_us);
            }
            None => {
                result.added += 1;
                result.note(time_us);
            }
        }
    }
    let rest: Vec<u64> = left.map(|(_, key)| key.0).collect();
    // A log that ends in the middle of a step has an input whose partner it lacks.
    let is_half_step = |time_us: u64| ends_us.iter().any(|end_us| end_us.abs_diff(time_us) <= WINDOW_US);
    match rest[..] {
        [time_us] if is_half_step(time_us) => {}
        _ => rest.into_iter().for_each(|time_us| result.lacks(time_us)),
    }
}

impl TypeDifference {
    fn lacks(&mut self, time_us: u64) {
        self.missing += 1;
        self.note(time_us);
    }

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
        let is_same = || old == new && (tolerance > 0.0 || old.is_sign_negative() == new.is_sign_negative());
        if is_equal.unwrap_or_else(is_same) || old.is_nan() && new.is_nan() {
            return;
        }
        let by = Some((old - new).abs()).filter(|by| by.is_finite()).unwrap_or(f64::INFINITY);
        self.largest = self.largest.max(by);
        self.mean += by;
        // Different integers beyond 2^53 have a difference of 0 here.
        if by > tolerance || tolerance == 0.0 {
            self.differs(first);
        }
    }

    fn differs(&mut self, first: impl FnOnce() -> FirstDifference) {
        self.differing += 1;
        self.first.get_or_insert_with(first);
    }

    fn finish(mut self, tolerance: f64) -> Self {
        self.is_new = self.compared == 0 && self.without_partner > 0;
        if self.is_new && tolerance != f64::INFINITY {
            self.differing = self.without_partner;
        }
        self.mean /= self.compared.max(1) as f64;
        self
    }
}
