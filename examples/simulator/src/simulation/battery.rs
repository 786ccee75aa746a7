//! A 4S lithium-ion pack with an internal resistance.

use super::fault::Fault;
use super::params::BATT_CAPACITY;

/// Cells in series.
const CELLS: f64 = 4.0;
/// Resistance of a sound pack and its wires, ohm.
const RESISTANCE: f64 = 0.035;
/// Current of everything but the motors, A.
const AVIONICS_CURRENT: f64 = 0.4;
/// Temperature of the air, degC.
const AMBIENT: f64 = 22.0;
/// Heat capacity of the pack, J/K.
const HEAT_CAPACITY: f64 = 900.0;
/// Heat given off to the air, W/K.
const COOLING: f64 = 0.25;
/// Voltage of a resting cell over its charge, in equal steps from empty to full.
const CELL_VOLTAGE: [f64; 6] = [2.90, 3.42, 3.61, 3.78, 3.95, 4.18];

/// The battery, as its monitor reports it.
#[derive(Clone, Debug)]
pub struct Battery {
    /// Voltage at the terminals, V.
    pub voltage: f64,
    /// Current drawn, A.
    pub current: f64,
    /// Charge drawn so far, mAh.
    pub consumed_mah: f64,
    /// Energy drawn so far, Wh.
    pub consumed_wh: f64,
    /// Temperature, degC.
    pub temperature: f64,
    /// Resistance of the pack and its wires, ohm.
    pub resistance: f64,
}

impl Default for Battery {
    /// A full battery at rest.
    fn default() -> Self {
        Self {
            voltage: CELLS * cell_voltage(1.0),
            current: 0.0,
            consumed_mah: 0.0,
            consumed_wh: 0.0,
            temperature: AMBIENT,
            resistance: RESISTANCE,
        }
    }
}

impl Battery {
    /// The battery with a fault.
    pub fn with_fault(self, fault: Fault) -> Self {
        match fault {
            Fault::BatterySag => {
                let consumed_mah = 0.75 * BATT_CAPACITY;
                let voltage = CELLS * cell_voltage(1.0 - consumed_mah / BATT_CAPACITY);
                Battery { consumed_mah, voltage, ..self }
            }
            Fault::BatteryResistance => Battery { resistance: 4.0 * RESISTANCE, ..self },
            _ => self,
        }
    }

    /// Charge left, percent.
    pub fn remaining(&self) -> f64 {
        (100.0 * (1.0 - self.consumed_mah / BATT_CAPACITY)).max(0.0)
    }

    /// Feeds motors of `power` watts for `dt` seconds.
    pub fn step(&mut self, power: f64, dt: f64) {
        // The voltage of the step before is close enough, and needs no equation solved.
        self.current = AVIONICS_CURRENT + power / self.voltage;
        self.voltage = CELLS * cell_voltage(self.remaining() / 100.0) - self.current * self.resistance;

        let hours = dt / 3600.0;
        self.consumed_mah += 1000.0 * self.current * hours;
        self.consumed_wh += self.voltage * self.current * hours;

        let heating = self.current * self.current * self.resistance;
        let cooling = (self.temperature - AMBIENT) * COOLING;
        self.temperature += (heating - cooling) * dt / HEAT_CAPACITY;
    }
}

/// Voltage of a resting cell at a charge of 0 to 1.
fn cell_voltage(charge: f64) -> f64 {
    let last = CELL_VOLTAGE.len() - 1;
    let place = charge.clamp(0.0, 1.0) * last as f64;
    let below = (place as usize).min(last - 1);
    let [low, high] = [CELL_VOLTAGE[below], CELL_VOLTAGE[below + 1]];
    low + (high - low) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_sags_the_voltage_and_drains_the_charge() {
        let mut battery = Battery::default();
        let rest = battery.voltage;
        for _ in 0..3600 {
            battery.step(160.0, 1.0);
        }
        assert!(battery.voltage < rest - 1.0);
        assert!((20.0..60.0).contains(&battery.remaining()));
    }
}
