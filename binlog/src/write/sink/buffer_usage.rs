//! How full a logger's buffer was, for its DSF records.

use crate::declare::messages::Dsf;

/// The free bytes of a logger's buffer and the bytes that left it, since the previous [`Dsf`] record.
#[derive(Clone, Debug)]
pub struct BufferUsage {
    /// Bytes written.
    bytes: u32,
    free_min: u32,
    free_max: u32,
    /// Sum of the free bytes in `samples` samples, each shifted right by `scale`.
    free_sum: u32,
    samples: u32,
    scale: u32,
}

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl BufferUsage {
    /// For a buffer of `capacity` bytes, at least one.
    pub fn new(capacity: u32) -> Self {
        // A sample is 4096 at most, so that the sum has 32 bits: on a Cortex-M, a division of 64 bits takes 850 bytes
        // of flash.
        let scale = capacity.max(1).ilog2().saturating_sub(12);
        BufferUsage { bytes: 0, free_min: 0, free_max: 0, free_sum: 0, samples: 0, scale }
    }

    /// The least free bytes since the previous record.
    pub fn free_min(&self) -> u32 {
        self.free_min
    }

    /// Samples the free bytes of the buffer.
    pub fn sample(&mut self, free: u32) {
        if self.samples == 0 {
            (self.free_min, self.free_max, self.free_sum) = (free, free, 0);
        }
        self.free_min = self.free_min.min(free);
        self.free_max = self.free_max.max(free);
        let scaled = free >> self.scale;
        // After a million samples and more, half of them represent all.
        if self.free_sum.checked_add(scaled).is_none() {
            (self.free_sum, self.samples) = (self.free_sum / 2, self.samples / 2);
        }
        self.free_sum += scaled;
        self.samples += 1;
    }

    /// Counts bytes that were written.
    pub fn count(&mut self, bytes: usize) {
        self.bytes = self.bytes.wrapping_add(bytes as u32);
    }

    /// Returns a record, with the number of records lost since boot, and begins the next interval.
    ///
    /// As in ArduPilot, `Dp` counts from boot; `Blk` (blocks of 512 bytes) and `Bytes` count from the previous DSF.
    pub fn take_dsf(&mut self, now_us: u64, dropped: u32) -> Dsf {
        let dsf = Dsf {
            time_us: now_us.into(),
            dropped: dropped.into(),
            blocks: ((self.bytes / 512) as u16).into(),
            bytes: self.bytes.into(),
            free_min: self.free_min.into(),
            free_max: self.free_max.into(),
            free_mean: ((self.free_sum / self.samples.max(1)) << self.scale)
                .max(self.free_min)
                .min(self.free_max)
                .into(),
        };
        (self.bytes, self.samples) = (0, 0);
        dsf
    }
}
