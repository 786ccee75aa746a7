//! Evaluates an expression on the columns of a log.

use super::function::{OfRows, great_circle};
use super::{Binary, ColumnName, Comparison, Expression, Node, Unary, unit};
use crate::track::has_fix;
use binlog::log::ValueNames;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The columns that expressions name.
pub trait Source {
    /// The samples of a column.
    ///
    /// # Errors
    ///
    /// If there is no such column, or if it has no numbers.
    fn samples(&self, name: &ColumnName) -> Result<Samples, MissingColumn>;
}

/// The samples of a column.
#[derive(Clone, PartialEq, Debug)]
pub struct Samples {
    /// The table whose rows the samples are. Columns of one table have the same times.
    pub table: String,
    /// The times, in microseconds.
    pub times_us: Arc<[u64]>,
    /// The numbers, one for each time.
    pub values: Vec<f64>,
    /// The unit; empty for none.
    pub unit: String,
    /// What the log calls the values.
    pub names: Option<ValueNames>,
}

/// A curve: the result of an expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The times, in microseconds.
    pub times_us: Arc<[u64]>,
    /// The numbers, one for each time; NaN for a missing sample.
    pub values: Vec<f64>,
    /// The unit; empty for none, or if it can't be known.
    pub unit: String,
    /// What the log calls the values, if they are those of a column.
    pub names: Option<ValueNames>,
}

/// A log lacks a column: its own words, which name what it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingColumn(pub String);

/// Why an expression has no result on a log.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The log lacks a column.
    Missing {
        /// The expression.
        expression: String,
        /// Where the column is in it, in bytes.
        at: usize,
        /// The column.
        column: ColumnName,
        /// The log's words.
        missing: MissingColumn,
    },
    /// The expression names no column, so there are no times to plot it at.
    NoColumn {
        /// The expression.
        expression: String,
    },
}

impl Expression {
    /// Evaluates the expression.
    ///
    /// If all columns belong to one table, each record gives a sample. Otherwise each time at which one of the tables
    /// has a record gives one, with the last value of the other columns; the first is when all of them have a value.
    ///
    /// # Errors
    ///
    /// If the log lacks a column, or if the expression names none.
    pub fn evaluate(&self, source: &impl Source) -> Result<Series, EvaluationError> {
        let mut columns = HashMap::new();
        let mut first_error = None;
        for part in [Some(&self.root), self.condition.as_ref()].into_iter().flatten() {
            part.visit(&mut |node| {
                if let Node::Column(name, at) = node
                    && first_error.is_none()
                    && !columns.contains_key(name)
                {
                    match source.samples(name) {
                        Ok(samples) => drop(columns.insert(name, samples)),
                        Err(missing) => first_error = Some((*at, name.clone(), missing)),
                    }
                }
            });
        }
        if let Some((at, column, missing)) = first_error {
            return Err(EvaluationError::Missing { expression: self.text.clone(), at, column, missing });
        }
        let unit = unit::unit(&self.root, &|name| columns.get(name).map_or(String::new(), |of| of.unit.clone()));
        let names = match &self.root {
            Node::Column(name, _) => columns.get(name).and_then(|samples| samples.names.clone()),
            _ => None,
        };
        if let (Node::Column(name, _), None) = (&self.root, &self.condition)
            && let Some(Samples { times_us, values, .. }) = columns.remove(name)
        {
            return Ok(Series { times_us, values, unit, names });
        }
        let Some(rows) = Rows::of(columns) else {
            return Err(EvaluationError::NoColumn { expression: self.text.clone() });
        };
        let mut values = rows.evaluate(&self.root).into_rows(rows.times_us.len());
        let mut times_us = rows.times_us.clone();
        if let Some(condition) = &self.condition {
            let holds = rows.evaluate(condition).into_rows(times_us.len());
            let is_kept = |holds: &f64| !holds.is_nan() && *holds != 0.0;
            times_us = times_us.iter().zip(&holds).filter(|(_, holds)| is_kept(holds)).map(|(time, _)| *time).collect();
            let kept = values.iter().zip(&holds).filter(|(_, holds)| is_kept(holds)).map(|(value, _)| *value);
            values = kept.collect();
        }
        Ok(Series { times_us, values, unit, names })
    }
}

/// The columns of an expression at the same times.
struct Rows<'e> {
    times_us: Arc<[u64]>,
    columns: HashMap<&'e ColumnName, Vec<f64>>,
}

impl<'e> Rows<'e> {
    /// `None` without columns.
    fn of(columns: HashMap<&'e ColumnName, Samples>) -> Option<Self> {
        let first = columns.values().next()?;
        let table = first.table.clone();
        if columns.values().all(|samples| samples.table == table) {
            let times_us = first.times_us.clone();
            let columns = columns.into_iter().map(|(name, samples)| (name, samples.values)).collect();
            return Some(Rows { times_us, columns });
        }
        let mut tables: HashMap<&str, (&Arc<[u64]>, Vec<usize>)> = HashMap::new();
        for samples in columns.values() {
            tables.entry(&samples.table).or_insert_with(|| (&samples.times_us, by_time(&samples.times_us)));
        }
        let begin =
            tables.values().map(|(times, order)| order.first().map_or(u64::MAX, |&first| times[first])).max()?;
        let mut times_us: Vec<u64> = tables.values().flat_map(|(times, _)| times.iter().copied()).collect();
        times_us.retain(|time| *time >= begin);
        times_us.sort_unstable();
        times_us.dedup();
        let joined = |samples: &Samples| {
            let Some((times, order)) = tables.get(samples.table.as_str()) else { return Vec::new() };
            let mut last = None;
            let mut order = order.iter().copied().peekable();
            let value_at = |&time: &u64| {
                while let Some(row) = order.next_if(|&row| times[row] <= time) {
                    last = Some(row);
                }
                last.map_or(f64::NAN, |row| samples.values[row])
            };
            times_us.iter().map(value_at).collect()
        };
        let columns = columns.iter().map(|(name, samples)| (*name, joined(samples))).collect();
        Some(Rows { times_us: times_us.into(), columns })
    }

    fn evaluate(&self, node: &Node) -> Value<'_> {
        let evaluate = |node: &Node| self.evaluate(node);
        match node {
            Node::Number(number) => Value::Constant(*number),
            Node::Text(_) => Value::Constant(f64::NAN),
            Node::Column(name, _) => Value::Rows(self.columns.get(name).map_or(Cow::default(), |values| values.into())),
            Node::Unary(operator, value) => evaluate(value).map(|value| unary(*operator, value)),
            Node::Binary(operator, left, right) => evaluate(left).with(evaluate(right), |a, b| binary(*operator, a, b)),
            Node::Compare(first, rest) => {
                let mut left = evaluate(first);
                let mut holds = Value::Constant(1.0);
                for (comparison, right) in rest {
                    let right = evaluate(right);
                    let here = left.with(right.clone(), |a, b| compare(*comparison, a, b));
                    holds = holds.with(here, and);
                    left = right;
                }
                holds
            }
            Node::And(left, right) => evaluate(left).with(evaluate(right), and),
            Node::Or(left, right) => evaluate(left).with(evaluate(right), or),
            Node::Choice { condition, value, other } => {
                let parts = [evaluate(condition), evaluate(value), evaluate(other)];
                zipped(&parts, |parts| match *parts {
                    [condition, ..] if condition.is_nan() => f64::NAN,
                    [0.0, _, other] => other,
                    [_, value, _] => value,
                    _ => f64::NAN,
                })
            }
            Node::OfSamples(function, arguments) => {
                let arguments: Vec<Value<'_>> = arguments.iter().map(evaluate).collect();
                match <[Value<'_>; 1]>::try_from(arguments) {
                    Ok([argument]) => argument.map(|argument| function.apply(&[argument])),
                    Err(arguments) => zipped(&arguments, |arguments| function.apply(arguments)),
                }
            }
            Node::OfRows(filter, arguments) => {
                let arguments: Vec<_> =
                    arguments.iter().map(|node| evaluate(node).into_rows(self.times_us.len())).collect();
                Value::Rows(filter.apply(&self.times_us, &arguments).into())
            }
        }
    }
}

/// The rows in the order of their times, which may jump back in a log.
fn by_time(times_us: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..times_us.len()).collect();
    if !times_us.is_sorted() {
        order.sort_by_key(|&row| times_us[row]);
    }
    order
}

/// The value of a part.
#[derive(Clone)]
enum Value<'r> {
    Constant(f64),
    Rows(Cow<'r, [f64]>),
}

impl<'r> Value<'r> {
    fn into_rows(self, length: usize) -> Vec<f64> {
        match self {
            Value::Constant(number) => vec![number; length],
            Value::Rows(rows) => rows.into_owned(),
        }
    }

    fn at(&self, row: usize) -> f64 {
        match self {
            Value::Constant(number) => *number,
            Value::Rows(rows) => rows[row],
        }
    }

    fn map(self, function: impl Fn(f64) -> f64) -> Self {
        match self {
            Value::Constant(number) => Value::Constant(function(number)),
            Value::Rows(rows) => {
                let mut rows = rows.into_owned();
                rows.iter_mut().for_each(|value| *value = function(*value));
                Value::Rows(rows.into())
            }
        }
    }

    fn with(self, other: Value<'_>, function: impl Fn(f64, f64) -> f64) -> Self {
        match (self, other) {
            (left, Value::Constant(right)) => left.map(|left| function(left, right)),
            (Value::Constant(left), Value::Rows(right)) => {
                Value::Rows(right.iter().map(|&right| function(left, right)).collect())
            }
            (Value::Rows(left), Value::Rows(right)) => {
                let mut left = left.into_owned();
                left.iter_mut().zip(right.iter()).for_each(|(left, right)| *left = function(*left, *right));
                Value::Rows(left.into())
            }
        }
    }
}

fn zipped<'r>(parts: &[Value<'_>], function: impl Fn(&[f64]) -> f64) -> Value<'r> {
    let lengths = parts.iter().filter_map(|part| match part {
        Value::Constant(_) => None,
        Value::Rows(rows) => Some(rows.len()),
    });
    let mut here = vec![0.0; parts.len()];
    let mut at = |row: usize| {
        here.iter_mut().zip(parts).for_each(|(value, part)| *value = part.at(row));
        function(&here)
    };
    match lengths.min() {
        None => Value::Constant(at(0)),
        Some(length) => Value::Rows((0..length).map(at).collect()),
    }
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// Missing samples stay missing.
fn and(left: f64, right: f64) -> f64 {
    if left.is_nan() || left == 0.0 { left } else { right }
}

fn or(left: f64, right: f64) -> f64 {
    if left == 0.0 { right } else { left }
}

fn unary(operator: Unary, value: f64) -> f64 {
    match operator {
        Unary::Plus => value,
        Unary::Minus => -value,
        Unary::Not if value.is_nan() => value,
        Unary::Not => truth(value == 0.0),
        Unary::Invert => integer(value).map_or(f64::NAN, |value| !value as f64),
    }
}

fn compare(comparison: Comparison, left: f64, right: f64) -> f64 {
    if left.is_nan() || right.is_nan() {
        return f64::NAN;
    }
    truth(match comparison {
        Comparison::Less => left < right,
        Comparison::LessOrEqual => left <= right,
        Comparison::Greater => left > right,
        Comparison::GreaterOrEqual => left >= right,
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
    })
}

fn binary(operator: Binary, left: f64, right: f64) -> f64 {
    let result = match operator {
        Binary::Add => return left + right,
        Binary::Subtract => return left - right,
        Binary::Multiply => return left * right,
        Binary::Divide if right == 0.0 => f64::NAN,
        Binary::Divide => return left / right,
        Binary::FloorDivide => floor_and_remainder(left, right).0,
        Binary::Remainder => floor_and_remainder(left, right).1,
        Binary::Power => left.powf(right),
        Binary::BitAnd => bits(left, right, |left, right| Some(left & right)),
        Binary::BitOr => bits(left, right, |left, right| Some(left | right)),
        Binary::BitXor => bits(left, right, |left, right| Some(left ^ right)),
        Binary::ShiftLeft => bits(left, right, |left, right| {
            let places = u32::try_from(right).ok().filter(|&places| places < 64)?;
            i128::from(left).checked_shl(places).and_then(|shifted| i64::try_from(shifted).ok())
        }),
        Binary::ShiftRight => bits(left, right, |left, right| Some(left >> u32::try_from(right).ok()?.min(63))),
    };
    // Python raises OverflowError and ZeroDivisionError.
    if !result.is_finite() && left.is_finite() && right.is_finite() { f64::NAN } else { result }
}

/// Python's `//` and `%`: the remainder has the sign of the divisor.
fn floor_and_remainder(left: f64, right: f64) -> (f64, f64) {
    let mut remainder = left % right;
    let mut quotient = (left - remainder) / right;
    if remainder == 0.0 {
        remainder = 0f64.copysign(right);
    } else if (right < 0.0) != (remainder < 0.0) {
        remainder += right;
        quotient -= 1.0;
    }
    // The division may be off by rounding; the quotient is an integer.
    (quotient.round(), remainder)
}

fn integer(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 9.2e18).then_some(value as i64)
}

fn bits(left: f64, right: f64, operate: impl Fn(i64, i64) -> Option<i64>) -> f64 {
    let result = integer(left).zip(integer(right)).and_then(|(left, right)| operate(left, right));
    result.map_or(f64::NAN, |result| result as f64)
}

impl OfRows {
    /// A missing sample gives a missing one, and leaves the filter as it is.
    fn apply(self, times_us: &[u64], arguments: &[Vec<f64>]) -> Vec<f64> {
        let Some(values) = arguments.first() else { return Vec::new() };
        let mut known = Known { before: None, seconds: 0.0, total: 0.0, first: None, last: Vec::new(), next: 0 };
        let seconds = |row: usize| match (self, arguments.get(1)) {
            (OfRows::Delta | OfRows::Integral, Some(times)) => times[row] * 1e-6,
            _ => times_us.get(row).map_or(0.0, |&time_us| time_us as f64 * 1e-6),
        };
        let step = |(row, &value): (usize, &f64)| {
            if value.is_nan() {
                return f64::NAN;
            }
            let result = match self {
                OfRows::DistanceFirst => {
                    let point = [value, arguments[1][row]];
                    if !has_fix(arguments[2][row]) {
                        return 0.0;
                    }
                    let first = *known.first.get_or_insert(point);
                    great_circle(&[first[0], first[1], point[0], point[1]])
                }
                _ => known.step(self, value, seconds(row)),
            };
            known.before = Some(value);
            result
        };
        values.iter().enumerate().map(step).collect()
    }
}

/// What a filter knows of the samples before.
struct Known {
    before: Option<f64>,
    seconds: f64,
    /// The filter's own value.
    total: f64,
    first: Option<[f64; 2]>,
    /// The last samples, as a ring.
    last: Vec<f64>,
    next: usize,
}

impl Known {
    fn step(&mut self, filter: OfRows, value: f64, seconds: f64) -> f64 {
        let elapsed = self.before.map_or(0.0, |_| seconds - self.seconds);
        match (filter, self.before) {
            (OfRows::Lowpass(keep), Some(_)) => self.total = keep * self.total + (1.0 - keep) * value,
            (OfRows::Lowpass(_), None) => self.total = value,
            (OfRows::Diff, before) => self.total = before.map_or(0.0, |before| value - before),
            (OfRows::Delta, None) => self.total = 0.0,
            // Records of one time have one slope.
            (OfRows::Delta, Some(_)) if elapsed == 0.0 => {}
            (OfRows::Delta, Some(before)) => self.total = (value - before) / elapsed,
            (OfRows::Integral, _) => self.total += value * elapsed,
            (OfRows::Sum, _) => self.total += value,
            (OfRows::Average(count), _) => {
                if self.last.is_empty() {
                    self.last = vec![value; count];
                }
                self.last[self.next] = value;
                self.next = (self.next + 1) % count;
                self.total = self.last.iter().sum::<f64>() / count as f64;
            }
            (OfRows::DistanceFirst, _) => {}
        }
        self.seconds = seconds;
        self.total
    }
}

impl fmt::Display for MissingColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluationError::Missing { expression, at, column, missing } => {
                write!(f, "{missing}")?;
                let name = column.to_string();
                if *expression == name {
                    return Ok(());
                }
                let before = expression.get(..*at).map_or(0, |text| text.chars().count());
                let marked = column.table.as_deref().unwrap_or(&name).chars().count();
                let is_written = expression.get(*at..).is_some_and(|rest| rest.starts_with(&name));
                let marked = if is_written { name.chars().count() } else { marked };
                write!(f, "\n  {expression}\n  {}{}", " ".repeat(before), "^".repeat(marked))
            }
            EvaluationError::NoColumn { expression } => {
                write!(f, "`{expression}` names no column; write one such as ATT.Roll")
            }
        }
    }
}

impl std::error::Error for EvaluationError {}
