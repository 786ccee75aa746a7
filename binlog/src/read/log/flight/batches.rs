//! Samples of the inertial sensors at their full rate, which ArduPilot logs in batches.

use super::{integer, number};
use crate::format::Value;
use crate::read::Log;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// Consecutive samples of one sensor: an ISBH record and its ISBD records.
#[derive(Clone, PartialEq, Debug)]
pub struct Batch {
    /// When the first sample was taken, in microseconds since boot.
    pub sample_us: u64,
    /// The batch's number, N.
    pub number: u16,
    /// What the sensor measures.
    pub sensor: BatchSensor,
    /// The instance of the sensor.
    pub instance: u8,
    /// Samples per second.
    pub rate: f64,
    /// The intended number of samples for each axis.
    pub count: usize,
    /// The number by which a stored number is divided to get m/s/s or rad/s.
    pub divisor: f64,
    /// By Seq, blocks of 32 samples of each axis.
    blocks: BTreeMap<u16, [[i16; 32]; 3]>,
}

/// The quantity that a batch samples: ArduPilot's `IMU_SENSOR_TYPE`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum BatchSensor {
    /// Acceleration in m/s/s.
    Accelerometer,
    /// Angular rate in rad/s.
    Gyroscope,
    /// A sensor type that ArduPilot doesn't define.
    Other(u8),
}

impl Batch {
    /// The samples of X, Y and Z, in m/s/s or rad/s. Samples of missing blocks are NaN. There are
    /// [`count`](Batch::count) samples for each axis, or fewer if the last blocks are missing.
    pub fn samples(&self) -> [Vec<f64>; 3] {
        let blocks = self.blocks.last_key_value().map_or(0, |(&last, _)| usize::from(last) + 1);
        let count = self.count.min(blocks * 32);
        [0, 1, 2].map(|axis| {
            let mut samples = vec![f64::NAN; count];
            for (&seq, block) in &self.blocks {
                let room = samples.iter_mut().skip(usize::from(seq) * 32);
                for (sample, &raw) in room.zip(&block[axis]) {
                    *sample = f64::from(raw) / self.divisor;
                }
            }
            samples
        })
    }

    /// Whether no sample is missing.
    pub fn is_complete(&self) -> bool {
        self.blocks.len() == self.count.div_ceil(32)
    }
}

impl Log<'_> {
    /// The batches in the order of their ISBH records. Blocks without an ISBH are left out; `rows("ISBD")` has them.
    pub fn batches(&self) -> Vec<Batch> {
        let (headers, data) = (self.all("ISBH"), self.all("ISBD"));
        let mut batches: Vec<Batch> = Vec::new();
        let mut open = HashMap::<u16, usize>::new();
        let mut data = data.records().peekable();
        let mut headers = headers.records().peekable();
        // In the order of the log, because numbers wrap after 65535.
        loop {
            let header_first = match (headers.peek(), data.peek()) {
                (None, None) => return batches,
                (Some(header), Some(block)) => header.offset() < block.offset(),
                (header, _) => header.is_some(),
            };
            if header_first {
                let batch = headers.next().and_then(|record| {
                    Some(Batch {
                        sample_us: integer(&record, "SampleUS")?,
                        number: integer(&record, "N")?,
                        sensor: match integer(&record, "type")? {
                            0 => BatchSensor::Accelerometer,
                            1 => BatchSensor::Gyroscope,
                            other => BatchSensor::Other(other),
                        },
                        instance: integer(&record, "instance")?,
                        rate: number(&record, "smp_rate")?,
                        count: integer(&record, "smp_cnt")?,
                        divisor: number(&record, "mul")?,
                        blocks: BTreeMap::new(),
                    })
                });
                if let Some(batch) = batch {
                    open.insert(batch.number, batches.len());
                    batches.push(batch);
                }
            } else if let Some(record) = data.next()
                && let (Some(number), Some(seq)) = (integer(&record, "N"), integer::<u16>(&record, "seqno"))
                && let Some(batch) = open.get(&number).map(|&batch| &mut batches[batch])
                && usize::from(seq) * 32 < batch.count
                && let [Some(x), Some(y), Some(z)] = ["x", "y", "z"].map(|label| match record.value(label) {
                    Some(Value::Samples(samples)) => Some(samples),
                    _ => None,
                })
            {
                batch.blocks.insert(seq, [x, y, z]);
            }
        }
    }
}

impl fmt::Display for BatchSensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchSensor::Accelerometer => f.pad("accelerometer"),
            BatchSensor::Gyroscope => f.pad("gyroscope"),
            BatchSensor::Other(number) => write!(f, "sensor type {number}"),
        }
    }
}
