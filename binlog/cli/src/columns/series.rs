//! One column of numbers with its times.

use super::{names, of_frames};
use crate::any_log::Session;
use crate::outcome::Failure;
use binlog::Scaling;

/// A column of numbers, and the time of each.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The name by which it was asked for: `ATT.Roll`, `IMU[0].GyrX`, `gyroADC[0]`.
    pub name: String,
    /// The unit of its numbers; empty if it has none.
    pub unit: String,
    /// Times in microseconds of the session's clock.
    pub times_us: Vec<u64>,
    /// The numbers, one for each time.
    pub values: Vec<f64>,
}

impl Session<'_> {
    /// One column of numbers: `ATT.Roll`, `IMU[0].GyrX`; of a Blackbox log `gyroADC[0]`, `main.gyroADC[0]` or
    /// `gps.GPS_speed`. Nothing else of an ArduPilot log is decoded.
    ///
    /// # Errors
    ///
    /// If there is no such column, with a suggestion; if it is text or arrays; if the log redefines it with another
    /// format, unit or multiplier.
    pub fn series(&self, name: &str, scaling: Scaling) -> Result<Series, Failure> {
        if let Some(log) = self.ardupilot() {
            let (rows, label) = log.select(name)?;
            let column = rows.column(label)?;
            let unit = match scaling {
                Scaling::Stored => "",
                Scaling::Shown => column.shown_unit(),
                Scaling::Units => column.unit(),
            };
            let Some(values) = column.to_f64(scaling) else { return Err(names::no_numbers(name)) };
            return Ok(Series { name: name.into(), unit: unit.into(), times_us: rows.times_us(), values });
        }
        let (table, label) = names::split(name);
        let tables = match table {
            Some(table) => vec![self.frames_named(table)?],
            None => self.frames().collect(),
        };
        for table in &tables {
            let found = of_frames(table, |of| of == label);
            if let Some(column) = found.columns().first() {
                return Ok(Series {
                    name: name.into(),
                    unit: column.unit(scaling).into(),
                    times_us: found.times_us().to_vec(),
                    values: column.numbers(scaling).unwrap_or_default(),
                });
            }
        }
        let known: Vec<&str> = tables.iter().flat_map(|table| table.columns()).map(|column| column.name()).collect();
        Err(names::no_column(table.unwrap_or("the log"), label, &known))
    }
}
