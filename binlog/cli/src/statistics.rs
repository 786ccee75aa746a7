//! Minimum, maximum, mean and deviation of numbers, and of the columns of a table.

use crate::columns::{Column, Table};
use crate::export::choice::Choice;
use crate::intervals::Intervals;
use binlog::Scaling;
use binlog::log::Described;

/// The statistics of some numbers; those that aren't finite count as missing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Statistics {
    /// Finite numbers.
    pub count: u64,
    /// NaNs and infinities.
    pub missing: u64,
    minimum: f64,
    maximum: f64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    squares: f64,
}

/// The statistics of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TableStatistics {
    /// Chosen records.
    pub records: usize,
    /// The chosen columns that have numbers, of one instance after the other.
    pub columns: Vec<ColumnStatistics>,
}

/// The statistics of a column.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnStatistics {
    /// The column: `ATT.Roll`, `IMU[0].GyrX`, `main.gyroADC[0]`.
    pub name: String,
    /// The unit of the numbers; empty if it has none.
    pub unit: String,
    /// Its statistics.
    pub statistics: Statistics,
    /// How many records have each value that has a name, and each bit.
    pub states: Vec<StateCount>,
}

/// How many records are in a state.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct StateCount {
    /// What the log calls the value or the bit.
    pub name: String,
    /// The value, or the number of the bit.
    pub value: i128,
    /// The records with this value, or with this bit set.
    pub count: u64,
}

/// The statistics of the chosen columns of a table, of each instance, in the chosen intervals. Numbers are in units.
pub fn of_table(table: &Table<'_>, choice: &Choice, intervals: &Intervals) -> TableStatistics {
    let instances = table.instance_label().and_then(|label| table.column(label));
    let instance = |row: usize| instances.and_then(|column| column.text(row));
    let mut of_instances: Vec<(Option<String>, Vec<usize>)> = Vec::new();
    for (row, _) in table.times_us().iter().enumerate().filter(|(_, time_us)| intervals.contains(**time_us)) {
        let instance = instance(row);
        match of_instances.iter_mut().find(|(of, _)| *of == instance) {
            Some((_, rows)) => rows.push(row),
            None => of_instances.push((instance, vec![row])),
        }
    }
    of_instances.retain(|(instance, _)| choice.has_instance(table.name(), instance.as_deref()));
    of_instances.sort();
    let mut found = TableStatistics::default();
    for (instance, rows) in &of_instances {
        found.records += rows.len();
        let name = match instance {
            Some(instance) => format!("{}[{instance}]", table.name()),
            None => table.name().to_owned(),
        };
        let is_chosen = |column: &&Column<'_>| {
            column.is_number() && choice.has_column_of(table.name(), instance.as_deref(), column.label())
        };
        found.columns.extend(table.columns().iter().filter(is_chosen).map(|column| {
            let mut statistics = Statistics::default();
            for &row in rows {
                statistics.add(column.number(row, Scaling::Units).unwrap_or(f64::NAN));
            }
            let name = format!("{name}.{}", column.label());
            let unit = column.unit(Scaling::Units).to_owned();
            ColumnStatistics { name, unit, statistics, states: states(column, rows) }
        }));
    }
    found
}

/// The states of a column in these rows, in the order of the log's descriptions; those that no record is in are left
/// out.
fn states(column: &Column<'_>, rows: &[usize]) -> Vec<StateCount> {
    let Some(names) = column.value_names() else { return Vec::new() };
    let of = |named: &Described| StateCount { name: named.name.clone(), value: named.value, count: 0 };
    let mut values: Vec<StateCount> = names.values().iter().map(of).collect();
    let mut bits: Vec<StateCount> = names.bits().iter().map(of).collect();
    for integer in rows.iter().filter_map(|&row| column.integer(row)) {
        if let Some(state) = values.iter_mut().find(|state| state.value == integer) {
            state.count += 1;
            continue;
        }
        // The bits of a stored value are at most 64.
        for state in bits.iter_mut().filter(|bit| (0..64).contains(&bit.value) && integer >> bit.value & 1 == 1) {
            state.count += 1;
        }
    }
    values.into_iter().chain(bits).filter(|state| state.count > 0 && !state.name.is_empty()).collect()
}

impl Default for Statistics {
    fn default() -> Self {
        let (minimum, maximum) = (f64::INFINITY, f64::NEG_INFINITY);
        Statistics { count: 0, missing: 0, minimum, maximum, mean: 0.0, squares: 0.0 }
    }
}

impl Statistics {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, number: f64) {
        if !number.is_finite() {
            self.missing += 1;
            return;
        }
        self.count += 1;
        self.minimum = self.minimum.min(number);
        self.maximum = self.maximum.max(number);
        // Welford's way, which doesn't lose digits to large sums.
        let distance = number - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (number - self.mean);
    }

    /// The least finite number; `None` without finite numbers.
    pub fn minimum(&self) -> Option<f64> {
        (self.count > 0).then_some(self.minimum)
    }

    /// The largest finite number; `None` without finite numbers.
    pub fn maximum(&self) -> Option<f64> {
        (self.count > 0).then_some(self.maximum)
    }

    /// The mean; `None` if there are no finite numbers.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// The standard deviation of the numbers, divided by their count; `None` without finite numbers.
    pub fn deviation(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.squares / self.count as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn statistics_are_those_of_the_formulas(numbers in proptest::collection::vec(-1e3..1e3, 1..50), offset in -1e6..1e6) {
            let numbers: Vec<f64> = numbers.into_iter().map(|number| number + offset).collect();
            let mut statistics = Statistics::default();
            numbers.iter().for_each(|&number| statistics.add(number));
            let count = numbers.len() as f64;
            let mean = numbers.iter().sum::<f64>() / count;
            let deviation = (numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count).sqrt();
            prop_assert!((statistics.mean().expect("numbers") - mean).abs() < 1e-8);
            prop_assert!((statistics.deviation().expect("numbers") - deviation).abs() < 1e-5);
            prop_assert_eq!(statistics.minimum(), numbers.iter().copied().reduce(f64::min));
            prop_assert_eq!(statistics.maximum(), numbers.iter().copied().reduce(f64::max));
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_missing() {
        let mut statistics = Statistics::default();
        [f64::NAN, f64::INFINITY].into_iter().for_each(|number| statistics.add(number));
        assert_eq!((statistics.count, statistics.missing, statistics.mean()), (0, 2, None));
    }
}
