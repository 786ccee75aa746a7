//! What a boot has lost.

use super::LISTED;
use binlog::{Record, Skipped};

/// The losses so far.
#[derive(Default)]
pub(super) struct Losses {
    pub(super) dropped: u64,
    pub(super) skipped: Vec<Skipped>,
    pub(super) skipped_count: u64,
    pub(super) skipped_bytes: u64,
}

impl Losses {
    /// Adds a record of DSF, which has the number of all dropped records, or of DROP, which has that of some.
    #[cold]
    pub(super) fn add_dropped(&mut self, record: &Record<'_>) {
        let integer = |label: &str| record.value(label).and_then(|value| value.to_integer());
        let number = |label: &str| integer(label).and_then(|number| u64::try_from(number).ok());
        match (number("Dp"), number("Dropped")) {
            (Some(in_all), _) => self.dropped = self.dropped.max(in_all),
            (None, Some(more)) => self.dropped = self.dropped.saturating_add(more),
            (None, None) => {}
        }
    }

    pub(super) fn add_skipped(&mut self, skipped: Skipped) {
        self.skipped_count += 1;
        self.skipped_bytes += skipped.length as u64;
        if self.skipped.len() < LISTED {
            self.skipped.push(skipped);
        }
    }
}
