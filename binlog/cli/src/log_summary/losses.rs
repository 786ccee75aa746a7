//! What a boot has lost.

use super::LISTED;
use binlog::{Record, Skipped};
use std::collections::HashMap;

/// The losses so far.
#[derive(Default)]
pub(super) struct Losses {
    /// The highest number in DSF: of all dropped records since boot.
    of_all: u64,
    /// The highest number of each id in DROP, since boot, too.
    of_ids: HashMap<Option<u64>, u64>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) skipped_count: u64,
    pub(super) skipped_bytes: u64,
}

impl Losses {
    /// Adds a record of DSF, which has the number of all dropped records, or of DROP, which has that of an id.
    #[cold]
    pub(super) fn add_dropped(&mut self, record: &Record<'_>) {
        let integer = |label: &str| record.value(label).and_then(|value| value.to_integer());
        let number = |label: &str| integer(label).and_then(|number| u64::try_from(number).ok());
        if let Some(number) = number("Dp") {
            self.of_all = self.of_all.max(number);
        }
        if let Some(dropped) = number("Dropped") {
            let of_id = self.of_ids.entry(number("Id")).or_default();
            *of_id = dropped.max(*of_id);
        }
    }

    /// The dropped records. DSF and DROP count the same ones, and either may come last.
    pub(super) fn dropped(&self) -> u64 {
        let of_ids = self.of_ids.values().fold(0_u64, |sum, dropped| sum.saturating_add(*dropped));
        self.of_all.max(of_ids)
    }

    pub(super) fn add_skipped(&mut self, skipped: Skipped) {
        self.skipped_count += 1;
        self.skipped_bytes += skipped.length as u64;
        if self.skipped.len() < LISTED {
            self.skipped.push(skipped);
        }
    }
}
