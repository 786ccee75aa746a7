//! Where a log's times of 32 bits wrap.

use crate::read::Records;
use crate::read::records::time::TimeSource;

/// The number of wraps of 32-bit times before each record. [`Record::time_us`](crate::Record::time_us) has the rule.
#[derive(Clone, Debug, Default)]
pub(super) struct WrapPlaces {
    /// The offsets of the records at which the number changes, each with the new number.
    places: Vec<(usize, u32)>,
}

impl WrapPlaces {
    pub(super) const NONE: &'static WrapPlaces = &WrapPlaces { places: Vec::new() };

    /// Finds the wraps in a log with 32-bit times.
    pub(super) fn of(log: &[u8]) -> Self {
        let mut places = Vec::new();
        let mut last = 0;
        let narrow = Records::new(log).flatten().filter(|record| TimeSource::of(&record.definition()).is_narrow());
        for record in narrow.filter(|record| record.wraps() != std::mem::replace(&mut last, record.wraps())) {
            places.push((record.offset(), record.wraps()));
        }
        WrapPlaces { places }
    }

    /// Whether no time wraps.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The number of wraps before the time of the record at this offset.
    pub(super) fn before(&self, offset: usize) -> u32 {
        let after = self.places.partition_point(|(place, _)| *place <= offset);
        after.checked_sub(1).map_or(0, |last| self.places[last].1)
    }
}
