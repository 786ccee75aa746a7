//! Times that are damaged, and times that go backwards.

use super::findings::Findings;
use super::rule::Rule;
use crate::read::log::TimeRange;
use std::collections::HashMap;

/// The times of a boot so far.
#[derive(Default)]
pub(super) struct Times {
    range: TimeRange,
    /// The latest time by id and instance.
    latest: HashMap<(u8, u8), u64>,
    /// Records whose times don't count yet, as [`TimeRange`] counts them: later ones may agree with the last two.
    alone: Vec<Timed>,
    has_counted: bool,
}

/// A record with a time.
pub(super) struct Timed {
    pub(super) id: u8,
    pub(super) instance: Option<u8>,
    pub(super) time_us: u64,
    pub(super) offset: usize,
}

impl Times {
    /// The next record. `name` is that of a type.
    #[inline]
    pub(super) fn add(&mut self, record: Timed, name: impl Fn(u8) -> String, findings: &mut Findings) {
        let mut counting = self.range.add(record.time_us).into_iter();
        match (counting.next(), self.alone.is_empty()) {
            (Some(_), true) => {
                self.has_counted = true;
                self.in_order(&record, name, findings);
            }
            (None, _) => {
                self.alone.push(record);
                if self.has_counted && self.alone.len() > 2 {
                    damaged(&self.alone.remove(0), name, findings);
                }
            }
            (Some(first), false) => {
                let mut confirmed: Vec<u64> = [first].into_iter().chain(counting).collect();
                // The last one is this record.
                confirmed.pop();
                self.has_counted = true;
                for alone in std::mem::take(&mut self.alone) {
                    match confirmed.contains(&alone.time_us) {
                        true => self.in_order(&alone, &name, findings),
                        false => damaged(&alone, &name, findings),
                    }
                }
                self.in_order(&record, name, findings);
            }
        }
    }

    /// The boot ends.
    pub(super) fn finish(&mut self, name: impl Fn(u8) -> String, findings: &mut Findings) {
        for alone in std::mem::take(&mut self.alone) {
            match self.has_counted {
                true => damaged(&alone, &name, findings),
                // If no time counts, all do.
                false => self.in_order(&alone, &name, findings),
            }
        }
        *self = Times::default();
    }

    #[inline]
    fn in_order(&mut self, record: &Timed, name: impl Fn(u8) -> String, findings: &mut Findings) {
        let latest = self.latest.entry((record.id, record.instance.unwrap_or(0))).or_insert(0);
        if record.time_us < *latest {
            let text = || format!("the time is {} µs, after {latest} µs", record.time_us);
            findings.add(Rule::TimeBackwards, &subject(record, name), record.offset, text);
        }
        // One time that is too late would make all others late.
        *latest = record.time_us;
    }
}

#[cold]
fn damaged(record: &Timed, name: impl Fn(u8) -> String, findings: &mut Findings) {
    let text = || format!("the time is {} µs, more than an hour from the times around it", record.time_us);
    findings.add(Rule::DamagedTime, &subject(record, name), record.offset, text);
}

fn subject(record: &Timed, name: impl Fn(u8) -> String) -> String {
    match record.instance {
        Some(instance) => format!("{}[{instance}]", name(record.id)),
        None => name(record.id),
    }
}
