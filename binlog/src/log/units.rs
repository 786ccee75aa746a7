//! The units and multipliers that a log declares.

use super::index::Index;
use super::rows::Rows;
use crate::{Format, LoggedColumn, Multiplier, Unit, Value, multiplier};
use std::sync::Arc;

/// The UNIT and MULT records of a log, by id, and those of one id in the order of the log.
#[derive(Debug, Default)]
pub(super) struct Units {
    units: Vec<Declared<String>>,
    multipliers: Vec<Declared<f64>>,
}

#[derive(Debug)]
struct Declared<T> {
    id: u8,
    /// Where in the log.
    offset: usize,
    value: T,
}

impl<T> Declared<T> {
    fn place(&self) -> (u8, usize) {
        (self.id, self.offset)
    }
}

impl Units {
    /// Those of the records that an index has.
    pub(super) fn new(log: &[u8], index: &Index) -> Self {
        let mut units = Units::default();
        for record in Rows::new(log, index, Arc::default(), "UNIT").records() {
            if let (Some(id), Some(Value::Text(label))) = (id(record.value("Id")), record.value("Label")) {
                units.units.push(Declared { id, offset: record.offset(), value: label.to_string() });
            }
        }
        for record in Rows::new(log, index, Arc::default(), "MULT").records() {
            let value = record.value("Mult").and_then(|value| value.to_f64()).and_then(multiplier::as_meant);
            if let (Some(id), Some(value)) = (id(record.value("Id")), value) {
                units.multipliers.push(Declared { id, offset: record.offset(), value });
            }
        }
        units.units.sort_by_key(Declared::place);
        units.multipliers.sort_by_key(Declared::place);
        units
    }

    /// The name of a unit for a definition that stands at `offset`: what the log says, or else ArduPilot's table. Empty
    /// for none.
    pub(super) fn name(&self, id: u8, offset: usize) -> Option<&str> {
        let standard = || Unit::from_id(id).map(|unit| unit.name());
        in_force(&self.units, id, offset).map(String::as_str).or_else(standard)
    }

    /// The value of a multiplier, 0 for none.
    pub(super) fn multiplier(&self, id: u8, offset: usize) -> Option<f64> {
        let standard = || Multiplier::from_id(id).map(|multiplier| multiplier.value());
        in_force(&self.multipliers, id, offset).copied().or_else(standard)
    }

    /// A column's unit as pymavlink shows it: with the multiplier as a prefix or a factor, where the format doesn't
    /// scale already.
    pub(super) fn shown(&self, column: &LoggedColumn<'_>, offset: usize) -> String {
        let Some(name) = column.unit_id.and_then(|id| self.name(id, offset)).filter(|name| !name.is_empty()) else {
            return String::new();
        };
        if column.format.is_centi() || column.format == Format::Coordinate {
            return name.into();
        }
        match column.multiplier_id.and_then(|id| self.multiplier(id, offset)) {
            None | Some(0.0 | 1.0) => name.into(),
            Some(1e-1) => format!("d{name}"),
            Some(1e-2) => format!("c{name}"),
            Some(1e-3) => format!("m{name}"),
            Some(1e-6) => format!("µ{name}"),
            Some(1e-9) => format!("n{name}"),
            Some(multiplier) => format!("{} {name}", four_digits(multiplier)),
        }
    }
}

/// What an id means to a definition at `offset`: what was said last before it, or else first after it.
fn in_force<T>(declared: &[Declared<T>], id: u8, offset: usize) -> Option<&T> {
    let after = declared.partition_point(|declared| declared.place() < (id, offset));
    let before = declared[..after].last().filter(|declared| declared.id == id);
    let found = before.or_else(|| declared.get(after).filter(|declared| declared.id == id));
    found.map(|declared| &declared.value)
}

fn id(value: Option<Value<'_>>) -> Option<u8> {
    // Stored signed.
    value?.to_integer().map(|id| id as u8)
}

/// A number as C's `%.4g` prints it.
fn four_digits(value: f64) -> String {
    let scientific = format!("{value:.3e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    };
    if !value.is_finite() {
        format!("{value}").to_lowercase()
    } else if (-4..4).contains(&exponent) {
        trimmed(&format!("{value:.*}", usize::try_from(3 - exponent).unwrap_or(0)))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_c_does() {
        // Python's "%.4g" of each.
        for (value, text) in [
            (100.0, "100"),
            (1e-7, "1e-07"),
            (1e-5, "1e-05"),
            (1e-4, "0.0001"),
            (3.6, "3.6"),
            (3600.0, "3600"),
            (12345.0, "1.234e+04"),
            (99995.0, "1e+05"),
            (0.00012344, "0.0001234"),
            (9999.6, "1e+04"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(four_digits(value), text);
        }
    }
}
