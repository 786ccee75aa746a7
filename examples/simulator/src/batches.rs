//! Batches of samples of the inertial sensors at their full rate, taken one sensor after the other as ArduPilot's
//! `AP_InertialSensor::BatchSampler` does.

use crate::messages::{BatchData, BatchHead};
use crate::simulation::math::Vec3;
use crate::simulation::params::INS_LOG_BAT_CNT;
use crate::simulation::{LOOP_RATE, Simulation};

/// Samples of a record.
const PER_RECORD: usize = 32;

/// Largest acceleration, m/s^2, and rate, rad/s: those of ArduPilot's drivers, 16 g and 2000 deg/s.
const FULL_SCALE: [f64; 2] = [16.0 * 9.806_65, 2000.0 * std::f64::consts::PI / 180.0];

/// The batch that is being taken.
#[derive(Default)]
pub(crate) struct Batches {
    number: u16,
    /// Which sensor: accelerometer and gyroscope of the first, then of the second.
    sensor: usize,
    /// Records of the batch so far.
    records: u16,
    /// Samples for the next record.
    samples: Vec<[i16; 3]>,
}

/// What is to be logged after a sample.
pub(crate) struct Due {
    /// For the first record of a batch.
    pub(crate) head: Option<BatchHead>,
    pub(crate) data: BatchData,
}

impl Batches {
    /// Takes a sample, of which every 32nd completes a record.
    pub(crate) fn sample(&mut self, simulation: &Simulation) -> Option<Due> {
        let (imu, sensor_type) = (self.sensor / 2, self.sensor % 2);
        let value = [simulation.imus[imu].accel, simulation.imus[imu].gyro][sensor_type];
        let multiplier = (f64::from(i16::MAX) / FULL_SCALE[sensor_type]) as u16;
        let Vec3 { x, y, z } = value * f64::from(multiplier);
        // A cast of a float saturates.
        self.samples.push([x as i16, y as i16, z as i16]);
        let samples: [[i16; 3]; PER_RECORD] = self.samples.as_slice().try_into().ok()?;
        self.samples.clear();

        let time_us = simulation.time_us;
        let axis = |axis: usize| samples.map(|sample| sample[axis]);
        let data =
            BatchData { time_us, number: self.number, sequence: self.records, x: axis(0), y: axis(1), z: axis(2) };
        let head = (self.records == 0).then(|| BatchHead {
            time_us,
            number: self.number,
            sensor_type: sensor_type as u8,
            instance: imu as u8,
            multiplier,
            sample_count: INS_LOG_BAT_CNT as u16,
            sample_us: time_us - 1_000_000 / u64::from(LOOP_RATE) * (PER_RECORD as u64 - 1),
            sample_rate: f32::from(LOOP_RATE),
        });
        self.records += 1;
        if usize::from(self.records) * PER_RECORD >= INS_LOG_BAT_CNT as usize {
            self.records = 0;
            self.number = self.number.wrapping_add(1);
            self.sensor = (self.sensor + 1) % (2 * simulation.imus.len());
        }
        Some(Due { head, data })
    }
}
