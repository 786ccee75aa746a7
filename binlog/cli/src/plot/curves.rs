//! From expressions and sessions to curves.

use super::align::{Origin, chosen};
use super::expression::{EvaluationError, Expression, Series};
use super::figure::NewCurve;
use super::source::SessionColumns;
use crate::any_log::Session;
use crate::intervals::Intervals;
use std::borrow::Cow;
use std::iter;

/// A session to plot.
#[derive(Clone)]
pub struct Plotted<'s> {
    /// The session.
    pub session: &'s Session<'s>,
    /// The part of it to plot.
    pub intervals: Intervals,
    /// What to call it if several are plotted.
    pub name: String,
}

/// What a curve is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CurveSource {
    /// The expression, as a place among those that are plotted.
    pub expression: usize,
    /// The session, as a place among those that are plotted.
    pub session: usize,
    /// The instances of its types that have several, unless the expression chooses one.
    pub instances: Vec<String>,
}

/// A curve, and what it is of.
pub type CurveOf = (CurveSource, NewCurve);

/// An expression's result of some instances.
struct Evaluated {
    instances: Vec<String>,
    text: String,
    series: Series,
}

/// An expression with its own result: of each instance of a type, if the type has several and none is chosen.
fn evaluate(expression: &Expression, columns: &SessionColumns<'_>) -> Result<Vec<Evaluated>, EvaluationError> {
    let tables = expression.columns().into_iter().filter_map(|name| name.table.clone());
    let mut separated = tables.map(|table| (columns.instances(&table), table));
    let Some((instances, table)) = separated.find(|(instances, _)| !instances.is_empty()) else {
        let (text, series) = (expression.text().to_owned(), expression.evaluate(columns)?);
        return Ok(vec![Evaluated { instances: Vec::new(), text, series }]);
    };
    let mut results = Vec::new();
    let mut error = None;
    for instance in instances {
        let of_instance = expression.of_instance(&table, &instance);
        // Another table of the expression may have fewer instances.
        match evaluate(&of_instance, columns) {
            Ok(mut more) => {
                more.iter_mut().for_each(|more| more.instances.insert(0, instance.clone()));
                results.extend(more);
            }
            Err(missing) => error = error.or(Some(missing)),
        }
    }
    match error {
        // The error of the expression as it is written, because its text is shown.
        Some(error) if results.is_empty() => Err(expression.evaluate(columns).err().unwrap_or(error)),
        _ => Ok(results),
    }
}

/// An expression of which a session has no curve.
#[derive(Debug)]
pub struct Lacking {
    /// What the session is called.
    pub name: String,
    /// The columns that it lacks.
    pub error: EvaluationError,
}

/// The curves of all expressions and sessions, one expression after the other, and what each is of. A session that
/// lacks a column is left out and listed, if another one has it. So is a sample with a damaged time, which is beyond
/// [`Session::time_range_us`]: it would stretch the axis to years.
///
/// `evaluated` is called after each expression of each session with the number of such samples.
///
/// # Errors
///
/// If no session has the columns of an expression.
pub fn curves(
    expressions: &[Expression],
    plotted: &[Plotted<'_>],
    origin: Origin,
    mut evaluated: impl FnMut(usize),
) -> Result<(Vec<CurveOf>, Vec<Lacking>), EvaluationError> {
    let (mut curves, mut lacking) = (Vec::new(), Vec::new());
    let zeros: Vec<u64> = plotted.iter().map(|plotted| origin.zero_us(plotted.session)).collect();
    let in_time: Vec<Intervals> = plotted.iter().map(|plotted| in_time(plotted.session)).collect();
    let columns: Vec<SessionColumns<'_>> = plotted.iter().map(|plotted| SessionColumns::new(plotted.session)).collect();
    for (place, expression) in expressions.iter().enumerate() {
        let (mut missing, before) = (Vec::new(), curves.len());
        let sessions = plotted.iter().zip(&columns).zip(&zeros).zip(&in_time).enumerate();
        for (session, (((plotted, columns), &zero_us), in_time)) in sessions {
            let results = match evaluate(expression, columns) {
                Ok(results) => results,
                Err(error) => {
                    evaluated(0);
                    missing.push(Lacking { name: plotted.name.clone(), error });
                    continue;
                }
            };
            let mut left_out = 0;
            for Evaluated { instances, text, series } in results {
                let is_left_out = |&&time_us: &&u64| plotted.intervals.contains(time_us) && !in_time.contains(time_us);
                let wild = series.times_us.iter().filter(is_left_out).count();
                left_out += wild;
                let intervals = if wild == 0 {
                    Cow::Borrowed(&plotted.intervals)
                } else {
                    Cow::Owned(plotted.intervals.and(in_time))
                };
                let (x, y) = chosen(&series.times_us, series.values, zero_us, &intervals);
                let name = if plotted.name.is_empty() { text } else { format!("{text} · {}", plotted.name) };
                let is_right = expression.is_right();
                // A state lasts until the next one.
                let is_stepped = is_stepped(expression) || series.names.is_some();
                let (unit, names, measured) = (series.unit, series.names, Vec::new());
                let curve = NewCurve { name, unit, x, y, is_right, is_stepped, is_marked: false, names, measured };
                curves.push((CurveSource { expression: place, session, instances }, curve));
            }
            evaluated(left_out);
        }
        if curves.len() > before {
            lacking.extend(missing);
        } else if let Some(first) = missing.into_iter().next() {
            return Err(first.error);
        }
    }
    Ok((curves, lacking))
}

/// Whether the values of an expression hold until the next ones: all its columns are of types that are logged when
/// something changes. These are slow and home frames of Blackbox, which a converted log has as BS and BH with two
/// digits.
fn is_stepped(expression: &Expression) -> bool {
    let is_stepped = |table: &str| {
        let of_frames = table.strip_prefix("BS").or_else(|| table.strip_prefix("BH"));
        let is_converted = of_frames.is_some_and(|number| number.len() == 2);
        is_converted || ["slow", "home", "MODE", "ARM", "PARM"].contains(&table)
    };
    let columns = expression.columns();
    !columns.is_empty() && columns.iter().all(|column| column.table.as_deref().is_some_and(is_stepped))
}

/// The time of a session.
fn in_time(session: &Session<'_>) -> Intervals {
    session.time_range_us().map_or_else(Intervals::nothing, |range| {
        Intervals::new(iter::once(*range.start()..range.end().saturating_add(1)))
    })
}

/// Whether a session has all columns of the expressions.
pub fn suits(expressions: &[Expression], session: &Session<'_>) -> Result<(), EvaluationError> {
    let columns = SessionColumns::new(session);
    expressions.iter().try_for_each(|expression| evaluate(expression, &columns).map(drop))
}
