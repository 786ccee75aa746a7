//! Parameters and how they changed.

use super::{number, text};
use crate::Log;
use std::collections::BTreeMap;

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// The value that the firmware was built with, in logs that say so.
    pub default: Option<f64>,
    /// Its values, at least one: the first one logged, and each that differs from the one before.
    pub values: Vec<ParameterValue>,
}

/// What a parameter was from a time on.
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
            // Bit for bit, so that a NaN is no change of itself.
            if parameter.values.last().is_none_or(|last| last.value.to_bits() != value.to_bits()) {
                parameter.values.push(ParameterValue { time_us, value });
            }
        }
        parameters
    }
}
