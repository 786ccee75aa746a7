//! Times of 32 bits that wrap, and dates that readers get wrong because the first GPS record has no fix.

use super::findings::Findings;
use super::rule::Rule;
use crate::read::Record;
use crate::read::log::{ClockSearch, Fix, GpsDate};

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
    first: Option<First>,
    search: ClockSearch,
}

/// The first date.
#[derive(Clone, Copy)]
struct First {
    offset: usize,
    date: GpsDate,
    time_us: Option<u64>,
}

/// Dates that differ by more contradict each other. Records of one date differ by the time that they took to arrive.
const APART_US: u64 = 2_000_000;

/// The same of records without a time, which are as far apart as the flight is long.
const UNTIMED_APART_US: u64 = 86_400_000_000;

impl Dates {
    /// A record of a receiver, with its time.
    pub(super) fn add(&mut self, record: &Record<'_>, time_us: Option<u64>) {
        if self.search.is_decided() {
            return;
        }
        let Some(date) = GpsDate::of(record) else { return };
        self.first.get_or_insert(First { offset: record.offset(), date, time_us });
        self.search.add(record, time_us.unwrap_or(0));
    }

    /// The boot ends.
    pub(super) fn finish(self, findings: &mut Findings) {
        let Some(First { offset, date, time_us }) = self.first else { return };
        let mut add = |text: String| findings.add(Rule::GpsWithoutFix, "", offset, || text);
        let first = date.clock(time_us.unwrap_or(0)).filter(|_| date.is_plausible());
        let Some((clock, first)) = self.search.clock().zip(first) else {
            return add("the first date is before 1980 or after 2099".into());
        };
        let apart_us = first.boot_unix_us().abs_diff(clock.boot_unix_us());
        let limit_us = if time_us.is_some() { APART_US } else { UNTIMED_APART_US };
        let (has_fix, is_apart) = (self.search.fix() >= Some(Fix::TwoD), apart_us > limit_us);
        if has_fix && is_apart {
            add(format!("the date is {} s from that of the first fix", apart_us / 1_000_000));
        } else if !has_fix && (is_apart || self.search.fix() == Some(Fix::None) || date.is_before_flights()) {
            add("no record has a fix, so the date may be years off".into());
        }
    }
}
