//! Battery and barometer.

use super::ConvertError;
use super::fields::{Fields, ValueSource};
use super::messages::{Barometer, Battery};
use super::output::Output;
use super::steps::Steps;
use crate::format::field::NO_VALUE_F32;
use std::io::Write;

/// Where a main frame has the battery and the barometer.
pub(super) struct Sensors {
    voltage: Option<ValueSource>,
    current: Option<ValueSource>,
    /// The charge so far, mAh, and the time up to which.
    charge: f64,
    charged_us: Option<u64>,
    battery_steps: Steps,
    altitude: Option<ValueSource>,
    altitude_steps: Steps,
}

/// A longer time without a frame is a gap, whose current is unknown.
const LONGEST_STEP_US: u64 = 1_000_000;

impl Sensors {
    pub(super) fn of(fields: &mut Fields<'_>) -> Self {
        let first = |names: [&str; 2], unit| names.into_iter().find_map(|name| fields.quantity(name, unit));
        let voltage = first(["vbatLatest", "vbat"], "V");
        let current = first(["amperageLatest", "amperage"], "A");
        let altitude = first(["BaroAlt", "baroAlt"], "m");
        fields.convert([&voltage, &current, &altitude].into_iter().flatten());
        Sensors {
            voltage,
            current,
            charge: 0.0,
            charged_us: None,
            battery_steps: Steps::new(),
            altitude,
            altitude_steps: Steps::new(),
        }
    }

    pub(super) fn write<W: Write>(
        &mut self,
        output: &mut Output<W>,
        time_us: u64,
        values: &[u32],
    ) -> Result<(), ConvertError> {
        if self.voltage.is_some() || self.current.is_some() {
            self.charge(time_us, values);
            let [voltage, current] = [self.voltage, self.current];
            let logged = [voltage, current].map(|source| source.map_or(0, |source| source.raw(values) as u32));
            if self.battery_steps.is_due(time_us, &logged) {
                let value =
                    |source: Option<ValueSource>| source.map_or(NO_VALUE_F32, |source| source.value(values) as f32);
                let charge = if current.is_some() { self.charge as f32 } else { NO_VALUE_F32 };
                let (voltage, current) = (value(voltage), value(current));
                output.write(&Battery { time_us, instance: 0, voltage, current, charge })?;
            }
        }
        if let Some(altitude) = self.altitude
            && self.altitude_steps.is_due(time_us, &[altitude.raw(values) as u32])
        {
            output.write(&Barometer { time_us, instance: 0, altitude: altitude.value(values) as f32 })?;
        }
        Ok(())
    }

    fn charge(&mut self, time_us: u64, values: &[u32]) {
        let Some(current) = self.current else { return };
        let last_us = self.charged_us.replace(time_us).unwrap_or(time_us);
        let step_us = time_us.saturating_sub(last_us);
        if step_us <= LONGEST_STEP_US {
            // Ampere-microseconds to milliampere-hours.
            self.charge += current.value(values) * step_us as f64 / 3.6e6;
        }
    }
}
