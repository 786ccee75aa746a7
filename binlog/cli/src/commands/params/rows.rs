//! The parameters of a session that are asked for.

use super::Arguments;
use crate::parameters::{Parameter, Parameters};
use crate::patterns::Patterns;
use serde::Serialize;
use std::collections::BTreeSet;

/// A parameter, with the values of the session and of the other log.
#[derive(Serialize)]
pub(super) struct Row<'r> {
    log: &'r str,
    /// The session, counted from 1.
    session: usize,
    pub(super) name: &'r str,
    /// The last value in the chosen part of the log; `None` if only the other log has the parameter.
    pub(super) value: Option<f64>,
    pub(super) default: Option<f64>,
    /// All values of the session with their times, in seconds of its clock.
    pub(super) changes: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) other: Option<Option<f64>>,
}

/// A value, and when it began.
#[derive(Serialize)]
pub(super) struct Change {
    pub(super) time_s: f64,
    pub(super) value: f64,
}

/// The parameters of a session.
pub(super) struct OfSession {
    /// Counted from 1.
    pub(super) session: usize,
    pub(super) parameters: Parameters,
}

impl OfSession {
    /// Whether the log doesn't say the firmware's defaults.
    pub(super) fn lacks_defaults(&self) -> bool {
        self.parameters.values().all(|parameter| parameter.default.is_none())
    }

    /// The rows that are asked for, by name.
    pub(super) fn rows<'r>(
        &'r self,
        log: &'r str,
        other: Option<&'r Parameters>,
        names: &'r Patterns,
        arguments: &'r Arguments,
    ) -> impl Iterator<Item = Row<'r>> {
        let all: BTreeSet<&String> =
            self.parameters.keys().chain(other.iter().flat_map(|other| other.keys())).collect();
        let rows = all.into_iter().filter(|name| names.contains(name)).map(move |name| {
            let parameter = self.parameters.get(name);
            let changes = parameter.iter().flat_map(|parameter| &parameter.values);
            Row {
                log,
                session: self.session,
                name,
                value: parameter.and_then(Parameter::last),
                default: parameter.and_then(|parameter| parameter.default),
                changes: changes.map(|&(time_us, value)| Change { time_s: time_us as f64 / 1e6, value }).collect(),
                other: other.map(|other| other.get(name).and_then(Parameter::last)),
            }
        });
        rows.filter(|row| {
            (!arguments.changed || row.changes.len() > 1)
                && (!arguments.not_default || row.default.is_some_and(|default| !is_same(Some(default), row.value)))
                && row.other.is_none_or(|other| !is_same(other, row.value))
        })
    }
}

/// Whether two values are the same in a log, which stores them as `f32`, and in a file, which has a few of their
/// digits.
pub(super) fn is_same(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            one == other || one as f32 == other as f32 || (one - other).abs() <= one.abs() * 1e-6
        }
        (one, other) => one.is_none() && other.is_none(),
    }
}
