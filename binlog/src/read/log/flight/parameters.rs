//! Parameters and their changes.

use super::{number, text};
use crate::read::Log;
use std::collections::BTreeMap;

/// A parameter and its values.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// The default value of the firmware; `None` if the log has none.
    pub default: Option<f64>,
    /// Its values, at least one: the first one in the log, and each value that differs from the one before.
    pub values: Vec<ParameterValue>,
}

/// A value of a parameter, and the time from which it applies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParameterValue {
    /// In microseconds since boot.
    pub time_us: u64,
    /// The value.
    pub value: f64,
}

impl Parameter {
    /// The value at the start of the log.
    pub fn first(&self) -> f64 {
        self.values.first().map_or(f64::NAN, |value| value.value)
    }

    /// The value at the end of the log.
    pub fn last(&self) -> f64 {
        self.values.last().map_or(f64::NAN, |value| value.value)
    }
}

impl Log<'_> {
    /// The parameters by name, from the PARM records.
    pub fn parameters(&self) -> BTreeMap<String, Parameter> {
        let rows = self.all("PARM");
        let mut parameters = BTreeMap::<String, Parameter>::new();
        for (record, time_us) in rows.records().zip(rows.times_us()) {
            let (Some(name), Some(value)) = (text(&record, "Name"), number(&record, "Value")) else { continue };
            let new = || Parameter { default: None, values: Vec::new() };
            let parameter = parameters.entry(name).or_insert_with(new);
            if let Some(default) = number(&record, "Default").filter(|default| !default.is_nan()) {
                parameter.default = Some(default);
            }
            // By bits, so that a repeated NaN is not a change.
            if parameter.values.last().is_none_or(|last| last.value.to_bits() != value.to_bits()) {
                parameter.values.push(ParameterValue { time_us, value });
            }
        }
        parameters
    }
}
