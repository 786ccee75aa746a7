//! Which records a sink of a host takes, and what became of the others.

use super::{Admission, Counters, Due, MessageSet, Rate, Refused, Statistics, Tally};

/// Masks, decimation and counts of the sinks of a host. The logger of a target has its own order of the same steps, for
/// the sake of instructions.
pub(crate) struct Gate<C> {
    counters: C,
    masked: MessageSet,
    /// Messages with losses that the current log has no DROP record of yet.
    to_report: MessageSet,
}

impl<C: Counters> Gate<C> {
    pub(crate) const NEW: Self = Gate { counters: C::ZERO, masked: MessageSet::EMPTY, to_report: MessageSet::EMPTY };

    /// Whether a record may be accepted now. If not, that is counted. If so, pass the answer to
    /// [`charge`](Gate::charge) when it is accepted.
    pub(crate) fn admit(&mut self, index: usize, rate: Option<Rate>, payload: &[u8]) -> Result<Option<Due>, Refused> {
        let why = if self.masked.contains(index) {
            Refused::Ignored
        } else {
            match rate.map_or(Admission::Now(None), |rate| rate.admit(self.counters.due(), payload)) {
                Admission::Now(due) => return Ok(due),
                Admission::Early => Refused::Early,
            }
        };
        self.refuse(index, why);
        Err(why)
    }

    /// Notes that an admitted record was accepted.
    pub(crate) fn charge(&mut self, due: Option<Due>) {
        if let Some(due) = due {
            due.charge(self.counters.due());
        }
    }

    /// Counts a record that was not accepted.
    pub(crate) fn refuse(&mut self, index: usize, why: Refused) {
        self.count(index, |tally| tally.count_refused(why));
        if why != Refused::Ignored {
            self.to_report.insert(index);
        }
    }

    /// Changes a message's counts.
    pub(crate) fn count(&mut self, index: usize, change: impl FnOnce(&mut Tally)) {
        if let Some(tally) = self.counters.tallies_mut().get_mut(index) {
            change(tally);
        }
    }

    /// Counts accepted records that are lost.
    pub(crate) fn lose(&mut self, index: usize, records: u32) {
        self.count(index, |tally| tally.lost = tally.lost.wrapping_add(records));
        if records > 0 {
            self.to_report.insert(index);
        }
    }

    pub(crate) fn set_masked(&mut self, index: usize, masked: bool) {
        match masked {
            true => self.masked.insert(index),
            false => {
                self.masked.remove(index);
            }
        }
    }

    pub(crate) fn tallies(&self) -> &[Tally] {
        self.counters.tallies()
    }

    /// The counts of all messages together; nothing of a buffer.
    pub(crate) fn sum(&self) -> Statistics {
        let mut sum = Statistics::default();
        self.tallies().iter().for_each(|tally| sum.add(*tally));
        sum
    }

    /// The next message with losses that are not reported, from an index on, and its counts. It then is reported.
    pub(crate) fn next_to_report(&mut self, from: usize) -> Option<(usize, Tally)> {
        let found = (from..self.counters.tallies().len()).find(|&index| self.to_report.remove(index))?;
        Some((found, self.counters.tallies()[found]))
    }

    /// Makes all losses since boot due to be reported, for a new log.
    pub(crate) fn report_all(&mut self) {
        for (index, tally) in self.counters.tallies().iter().enumerate() {
            if tally.has_losses() {
                self.to_report.insert(index);
            }
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::write::sink::CountersOf;

    #[test]
    fn a_message_is_reported_if_records_of_it_are_lost() {
        let mut gate = Gate::<CountersOf<2, 0>>::NEW;
        gate.lose(0, 0);
        assert!(!gate.to_report.contains(0));
        gate.lose(1, 2);
        assert!(gate.to_report.contains(1) && !gate.to_report.contains(0));
        assert_eq!(gate.counters.tallies()[1].lost, 2);
    }

    #[test]
    fn written_records_that_a_format_leaves_out_are_lost() {
        let mut tally = Tally::default();
        (0..5).for_each(|_| tally.count_written());
        tally.lose_written(2);
        assert_eq!((tally.written, tally.lost, tally.unflushed), (3, 2, 3));
        tally.lose_unflushed();
        assert_eq!((tally.written, tally.lost, tally.unflushed), (0, 5, 0));
    }
}
