//! Times of 32 bits that wrap, and dates that readers get wrong because the first GPS record has no fix.

use super::findings::Findings;
use super::rule::Rule;
use crate::log::{Clock, Fix, GpsDate};
use crate::records::Record;

/// The wraps of a boot so far.
#[derive(Default)]
pub(super) struct Wraps {
    count: u32,
    /// The first record after another wrap: a damaged time, unless the next one agrees.
    next: Option<usize>,
}

impl Wraps {
    /// A record with a time of 32 bits.
    pub(super) fn add(&mut self, record: &Record<'_>, findings: &mut Findings) {
        match self.next {
            _ if record.wraps() <= self.count => self.next = None,
            None => self.next = Some(record.offset()),
            Some(offset) => {
                self.found(offset, findings);
                (self.count, self.next) = (record.wraps(), None);
            }
        }
    }

    /// The boot ends.
    pub(super) fn finish(self, findings: &mut Findings) {
        if let Some(offset) = self.next {
            self.found(offset, findings);
        }
    }

    fn found(&self, offset: usize, findings: &mut Findings) {
        findings.add(Rule::TimeWraps, "", offset, || "TimeUS has 32 bits and begins again at 0".into());
    }
}

/// The dates by a boot's GPS records.
#[derive(Default)]
pub(super) struct Dates {
    first: Option<Date>,
    /// The first with the best fix.
    best: Option<Date>,
}

#[derive(Clone, Copy)]
struct Date {
    offset: usize,
    fix: Fix,
    clock: Clock,
}

/// Dates that differ by more contradict each other. Records of one date differ by the time that they took to arrive.
const APART_US: u64 = 2_000_000;

impl Dates {
    /// A record of a receiver.
    pub(super) fn add(&mut self, record: &Record<'_>, time_us: u64) {
        if self.best.is_some_and(|best| best.fix == Fix::ThreeD) {
            return;
        }
        let Some(date) = GpsDate::of(record) else { return };
        let Some(clock) = date.clock(time_us) else { return };
        let date = Date { offset: record.offset(), fix: date.fix, clock };
        self.first.get_or_insert(date);
        if self.best.is_none_or(|best| best.fix < date.fix) {
            self.best = Some(date);
        }
    }

    /// The boot ends.
    pub(super) fn finish(self, findings: &mut Findings) {
        let (Some(first), Some(best)) = (self.first, self.best) else { return };
        let apart_us = first.clock.boot_unix_us().abs_diff(best.clock.boot_unix_us());
        if apart_us > APART_US {
            let text = || format!("the date is {} s from that of the first fix", apart_us / 1_000_000);
            findings.add(Rule::GpsWithoutFix, "", first.offset, text);
        }
    }
}
