//! A column with its ids of FMTU resolved to a unit and a factor.

use super::definition::LoggedColumn;
use super::units::UnitTables;
use crate::format::{ColumnDefinition, Format, multiplier};

/// A column, its unit and its multiplier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedColumn<'a> {
    pub(crate) label: &'a str,
    pub(crate) format: Format,
    /// `None` if the log has no FMTU for the message.
    pub(crate) unit_id: Option<u8>,
    /// The unit's name; empty if the column has no unit, or if neither the log nor ArduPilot's table has the id.
    pub(crate) unit: &'a str,
    /// `None` if the log has no FMTU for the message.
    pub(crate) multiplier_id: Option<u8>,
    /// The multiplier's value, 0 for no multiplier; `None` if neither the log nor ArduPilot's table has the id.
    pub(crate) multiplier: Option<f64>,
}

impl<'a> ResolvedColumn<'a> {
    /// A column of a log.
    pub(crate) fn of_log(column: &LoggedColumn<'a>, tables: impl UnitTables<'a>) -> Self {
        let LoggedColumn { label, format, unit_id, multiplier_id, .. } = *column;
        ResolvedColumn {
            label,
            format,
            unit_id,
            unit: unit_id.and_then(|id| tables.unit(id)).unwrap_or_default(),
            multiplier_id,
            multiplier: multiplier_id.and_then(|id| tables.multiplier(id)),
        }
    }
}

impl ResolvedColumn<'static> {
    /// A column of the program. Its multiplier is rounded as those of logs are.
    pub(crate) fn of_program(column: &'static ColumnDefinition) -> Self {
        ResolvedColumn {
            label: column.label,
            format: column.format,
            unit_id: Some(column.unit.id()),
            unit: column.unit.name(),
            multiplier_id: Some(column.multiplier.id()),
            multiplier: multiplier::as_meant(column.multiplier.value()),
        }
    }
}

impl ResolvedColumn<'_> {
    /// The factor from a number, as its format scales it, to the column's unit: 1 if the format scales to the unit, or
    /// if there is no multiplier. `None` if the multiplier's id is unknown.
    pub(crate) fn factor(&self) -> Option<f64> {
        match (self.multiplier_id, self.multiplier) {
            _ if self.format.divisor().is_some() => Some(1.0),
            (None, _) | (_, Some(0.0)) => Some(1.0),
            (_, multiplier) => multiplier,
        }
    }

    /// The log's multiplier, even if the format scales already; `None` for no multiplier.
    pub(crate) fn stated_multiplier(&self) -> Option<f64> {
        self.multiplier.filter(|&multiplier| multiplier != 0.0)
    }

    /// The unit of the numbers as the format scales them, with pymavlink's name: the factor is a prefix or precedes the
    /// unit.
    pub(crate) fn shown_unit(&self) -> String {
        let name = self.unit;
        match self.factor() {
            _ if name.is_empty() => String::new(),
            None | Some(1.0) => name.into(),
            Some(1e-1) => format!("d{name}"),
            Some(1e-2) => format!("c{name}"),
            Some(1e-3) => format!("m{name}"),
            Some(1e-6) => format!("µ{name}"),
            Some(1e-9) => format!("n{name}"),
            Some(factor) => format!("{} {name}", four_digits(factor)),
        }
    }
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
