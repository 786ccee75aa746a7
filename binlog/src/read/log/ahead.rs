//! Other threads skim parts of the log ahead of the one that indexes it.

use super::skim::{Lists, Skimmer, empty_lists};
use crate::source::threads::threads_for;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread::{self, Scope, ScopedJoinHandle};

/// When other threads take parts of the log.
#[derive(Clone, Copy)]
pub(super) struct Sharing {
    pub(super) threads: usize,
    /// Each thread takes at least this number of bytes.
    pub(super) least: usize,
    /// Others start after this number of bytes without a declaration or damage: a declaration changes what is known.
    pub(super) settled: usize,
}

impl Sharing {
    /// For a log of this length.
    pub(super) fn of(length: usize) -> Self {
        const LEAST: usize = 2 * 1024 * 1024;
        Sharing { threads: threads_for(length, LEAST).get(), least: LEAST, settled: 64 * 1024 }
    }

    /// How many threads share the range.
    fn threads_of(&self, range: &Range<usize>) -> usize {
        self.threads.min(range.len() / self.least.max(1)).max(1)
    }
}

/// Parts of the log that other threads skim ahead of this one. This thread takes a part's records over if it comes to
/// its start and still knows the same: then they are those that it would find.
pub(super) struct Ahead<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    log: &'env [u8],
    sharing: Sharing,
    parts: VecDeque<Part<'scope>>,
    /// Whether all parts so far were taken over. Otherwise time is lost by further ones.
    pays: bool,
}

struct Part<'scope> {
    start: usize,
    known: Skimmer,
    /// Finds where the part's records end, and their offsets.
    thread: ScopedJoinHandle<'scope, (usize, Box<Lists>)>,
}

impl<'scope, 'env> Ahead<'scope, 'env> {
    pub(super) fn new(scope: &'scope Scope<'scope, 'env>, log: &'env [u8], sharing: Sharing) -> Self {
        Ahead { scope, log, sharing, parts: VecDeque::new(), pays: true }
    }

    /// Takes over the part that starts here: where its records end, and their offsets. Parts that this thread has
    /// passed, or whose thread knew something else, are dropped.
    pub(super) fn take(&mut self, skimmer: &Skimmer, at: usize) -> Option<(usize, Box<Lists>)> {
        while self.parts.front().is_some_and(|part| part.start <= at) {
            let part = self.parts.pop_front()?;
            if part.start == at && part.known == *skimmer {
                return Some(part.thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            self.pays = false;
        }
        None
    }

    /// Skims the log: up to a record that isn't skimmed, or to a place from which it may be called again. The second
    /// value tells which: whether the record is to be looked at. To be called if there is nothing to take over.
    pub(super) fn skim(&mut self, skimmer: &Skimmer, range: Range<usize>, lists: &mut Lists) -> (usize, bool) {
        let may_share = self.parts.is_empty() && self.pays && self.sharing.threads_of(&range) > 1;
        let Range { start, end: until } = range;
        let stop = match self.parts.front() {
            Some(part) => until.min(part.start),
            None if may_share => until.min(start.saturating_add(self.sharing.settled)),
            None => until,
        };
        let at = skimmer.skim(self.log, start..stop, lists);
        if may_share && at >= stop {
            self.share(skimmer, at..until);
        }
        (at, at < stop)
    }

    /// Gives a part of the range to each further thread.
    fn share(&mut self, skimmer: &Skimmer, range: Range<usize>) {
        let threads = self.sharing.threads_of(&range);
        let Range { start, end: until } = range;
        let starts = (1..threads).map(|i| skimmer.in_step(self.log, start + (until - start) / threads * i));
        let starts: Vec<usize> = starts.flatten().collect();
        let ends = starts.iter().skip(1).chain([&until]);
        for (&start, &end) in starts.iter().zip(ends) {
            let (log, known, skimmer) = (self.log, skimmer.clone(), skimmer.clone());
            let work = move || {
                let mut lists = empty_lists();
                (skimmer.skim(log, start..end, &mut lists), lists)
            };
            // Without a thread, this one comes to the part itself.
            let Ok(thread) = thread::Builder::new().spawn_scoped(self.scope, work) else { break };
            self.parts.push_back(Part { start, known, thread });
        }
        self.pays &= !self.parts.is_empty();
    }
}

#[cfg(test)]
mod tests {
    use super::super::skim::PREFETCH_BYTES;
    use super::*;

    /// The offsets of the records, how many parts other threads had, and whether all were taken over.
    fn skimmed(log: &[u8], known: impl Fn(usize) -> Skimmer) -> (Vec<u32>, usize, bool) {
        let mut lists = empty_lists();
        let (parts, pays) = thread::scope(|scope| {
            let mut ahead = Ahead::new(scope, log, Sharing { threads: 4, least: 100, settled: 50 });
            let (mut at, mut parts) = (0, 0);
            loop {
                if let Some((end, found)) = ahead.take(&known(at), at) {
                    lists[7].extend(&found[7]);
                    at = end;
                    continue;
                }
                let (end, is_other) = ahead.skim(&known(at), at..log.len(), &mut lists);
                parts = parts.max(ahead.parts.len());
                if is_other {
                    return (parts, ahead.pays);
                }
                at = end;
            }
        });
        (std::mem::take(&mut lists[7]), parts, pays)
    }

    #[test]
    fn parts_of_other_threads_are_taken_over_if_they_knew_the_same() {
        let log = b"\xa3\x95\x07ab".repeat(10_000);
        let mut known = Skimmer { lengths: [0; 256], wanted: [false; 256], wants_all: true, base: 0 };
        known.lengths[7] = 5;
        let (found, parts, pays) = skimmed(&log, |_| known.clone());
        assert!(found.iter().copied().eq((0..found.len() as u32).map(|i| 5 * i)));
        assert!(found.len() > 10_000 - PREFETCH_BYTES / 5 - 2);
        assert_eq!((parts, pays), (3, true));
        let learned = |at| Skimmer { wants_all: at < 1000, wanted: [true; 256], ..known.clone() };
        let (found_again, parts, pays) = skimmed(&log, learned);
        assert!(found_again == found);
        assert_eq!((parts, pays), (3, false));
    }
}
