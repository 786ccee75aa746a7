//! Parameters of logs of either format, and of the files of ground stations.

mod file;

pub use file::{line, of_file};

use crate::any_log::{Session, SessionLog};
use crate::intervals::Intervals;
use std::collections::BTreeMap;

/// Parameters by name.
pub type Parameters = BTreeMap<String, Parameter>;

/// The values of a parameter.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Parameter {
    /// The firmware's default, if the log has it.
    pub default: Option<f64>,
    /// Each value that differs from the one before, and when it was logged, in microseconds of the session's clock.
    pub values: Vec<(u64, f64)>,
}

impl Parameter {
    /// The last value.
    pub fn last(&self) -> Option<f64> {
        self.values.last().map(|(_, value)| *value)
    }

    /// Adds a value, unless it is the last one, bit for bit.
    fn add(&mut self, time_us: u64, value: f64) {
        if self.last().is_none_or(|last| last.to_bits() != value.to_bits()) {
            self.values.push((time_us, value));
        }
    }
}

/// The parameters of a session: the values that hold or begin in the chosen times. Of a Blackbox log, the numbers of
/// its header lines. Each boot logs all its parameters again, so a value of another session is not a change.
pub fn of_session(session: &Session<'_>, chosen: &Intervals) -> Parameters {
    if chosen.is_nothing() {
        return Parameters::new();
    }
    let Some(log) = session.ardupilot() else { return of_header(session) };
    let mut parameters = Parameters::new();
    for (name, logged) in log.parameters() {
        let parameter = parameters.entry(name).or_default();
        parameter.default = logged.default;
        let ends = logged.values.iter().skip(1).map(|next| next.time_us).chain([u64::MAX]);
        for (value, end) in logged.values.iter().zip(ends) {
            // A value holds until the next one.
            if chosen.ranges().iter().any(|range| value.time_us < range.end && range.start < end) {
                parameter.add(value.time_us, value.value);
            }
        }
    }
    // Without a value in the chosen times, a parameter isn't in them.
    parameters.retain(|_, parameter| !parameter.values.is_empty());
    parameters
}

fn of_header(session: &Session<'_>) -> Parameters {
    let mut parameters = Parameters::new();
    let SessionLog::Blackbox(frames) = session.log() else { return parameters };
    let header = frames.header();
    for line in header.lines() {
        // Lines about fields aren't parameters; other numbers are those that the pilot set.
        let numbers = header.numbers(line.name()).filter(|_| !line.name().starts_with("Field "));
        let numbers = numbers.map(|numbers| numbers.into_iter().map(|number| number as f64).collect());
        let float = || header.float(line.name()).map(|value| vec![value]);
        // Hexadecimal numbers are the bits of floats.
        let values: Vec<f64> = match line.value().trim().starts_with("0x") {
            true => float(),
            false => numbers.or_else(float),
        }
        .unwrap_or_default();
        for (i, &value) in values.iter().enumerate() {
            let name = if values.len() == 1 { line.name().to_owned() } else { format!("{}[{i}]", line.name()) };
            parameters.entry(name).or_default().add(0, value);
        }
    }
    parameters
}
