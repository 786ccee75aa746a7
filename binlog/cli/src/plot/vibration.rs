//! The samples of sensors, for spectra: batches of an ArduPilot log, or any curve.

use super::align::{Origin, seconds};
use super::curves::Plotted;
use super::figure::NewCurve;
use super::spectrum::{Run, runs};
use binlog::log::BatchSensor;
use std::collections::BTreeMap;

/// A signal: equally spaced stretches of samples.
#[derive(Clone, PartialEq, Debug)]
pub struct Signal {
    /// Its name in the legend.
    pub name: String,
    /// The unit of its samples; may be empty.
    pub unit: String,
    /// The stretches.
    pub runs: Vec<Run>,
}

impl Signal {
    /// The signal of a curve.
    pub fn of_curve(curve: NewCurve) -> Self {
        Signal { runs: runs(&curve.x, &curve.y), name: curve.name, unit: curve.unit }
    }
}

/// The batches of inertial sensors that ArduPilot logs at full rate (ISBH and ISBD): a signal for each sensor and axis.
/// Blocks that are missing end a stretch.
pub fn batches(plotted: &[Plotted<'_>], origin: Origin) -> Vec<Signal> {
    let mut signals: BTreeMap<(usize, u8, u8, usize), Signal> = BTreeMap::new();
    for (log, Plotted { session, intervals, name }) in plotted.iter().enumerate() {
        let Some(ardupilot) = session.ardupilot() else { continue };
        let zero_us = origin.zero_us(session);
        for batch in ardupilot.batches() {
            let has_rate = batch.rate.is_finite() && batch.rate > 0.0;
            if !intervals.contains(batch.sample_us) || !has_rate {
                continue;
            }
            let (order, unit) = match batch.sensor {
                BatchSensor::Gyroscope => (0, "rad/s"),
                BatchSensor::Accelerometer => (1, "m/s/s"),
                _ => (2, ""),
            };
            let start = seconds(batch.sample_us, zero_us);
            for (axis, samples) in batch.samples().into_iter().enumerate() {
                let signal = signals.entry((log, order, batch.instance, axis)).or_insert_with(|| Signal {
                    name: signal_name(&batch.sensor.to_string(), batch.instance, axis, name),
                    unit: unit.into(),
                    runs: Vec::new(),
                });
                let times: Vec<f64> = (0..samples.len()).map(|i| start + i as f64 / batch.rate).collect();
                signal.runs.extend(runs(&times, &samples));
            }
        }
    }
    signals.into_values().collect()
}

fn signal_name(sensor: &str, instance: u8, axis: usize, log: &str) -> String {
    let axis = ["X", "Y", "Z"][axis];
    let log = if log.is_empty() { String::new() } else { format!(" · {log}") };
    format!("{sensor} {instance} {axis}{log}")
}
