//! The types of a boot: their records and bytes.

use binlog::Record;
use std::ops::RangeInclusive;

/// What one type of a boot has.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeSummary {
    /// Its name.
    pub name: String,
    /// Its records.
    pub records: u64,
    /// Their bytes, headers included.
    pub bytes: u64,
    /// The earliest and the latest time, in microseconds since boot, as [`TimeRange`](binlog::log::TimeRange) counts
    /// them.
    pub time_us: Option<RangeInclusive<u64>>,
    /// The number of its instances; 1 for a type without instances.
    pub instances: usize,
}

impl TypeSummary {
    /// Records a second, of one instance; `None` if its records are within less than a second: a burst has no rate.
    pub fn rate(&self) -> Option<f64> {
        let time_us = self.time_us.as_ref()?;
        let seconds = (time_us.end() - time_us.start()) as f64 / 1e6;
        let of_one = self.records as f64 / self.instances.max(1) as f64;
        (of_one > 1.0 && seconds >= 1.0).then(|| (of_one - 1.0) / seconds)
    }
}

/// The types so far, each at its place.
#[derive(Default)]
pub(super) struct Types(Vec<TypeSummary>);

impl Types {
    /// The place of a type, which has no records yet if it is a new one.
    pub(super) fn place(&mut self, name: &str) -> usize {
        self.0.iter().position(|of_type| of_type.name == name).unwrap_or_else(|| {
            self.0.push(TypeSummary { name: name.into(), records: 0, bytes: 0, time_us: None, instances: 1 });
            self.0.len() - 1
        })
    }

    #[inline]
    pub(super) fn add(&mut self, place: usize, record: &Record<'_>) {
        let of_type = &mut self.0[place];
        of_type.records += 1;
        of_type.bytes += record.len() as u64;
    }

    pub(super) fn finish(self) -> Vec<TypeSummary> {
        self.0
    }
}
