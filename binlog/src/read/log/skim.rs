//! Locates the records that declare nothing, which are nearly all.

use crate::format::header::HEAD_BYTES;
use crate::read::learner::PlainLengths;
use std::hint;
use std::ops::Range;

/// By id, offsets from a base.
pub(super) type Lists = [Vec<u32>; 256];

pub(super) fn empty_lists() -> Box<Lists> {
    Box::new([const { Vec::new() }; 256])
}

/// The longest record, the next header, and some more. Reading a byte at the window's end ahead of time loads the
/// memory into the cache before the records are read, which saves a third of the time.
pub(super) const PREFETCH_BYTES: usize = 1024;

/// What is known of the records: where skimming from an offset goes depends on nothing else.
#[derive(Clone, PartialEq)]
pub(super) struct Skimmer {
    pub(super) lengths: PlainLengths,
    /// The ids whose records are noted.
    pub(super) wanted: [bool; 256],
    /// Whether all records are noted, so that no id has to be looked up.
    pub(super) wants_all: bool,
    /// From which the noted offsets count.
    pub(super) base: usize,
}

impl Skimmer {
    /// Notes records that are in step, declare nothing and aren't near the end of the log. Returns the offset of the
    /// first other record, or of the first one after the range.
    pub(super) fn skim(&self, log: &[u8], range: Range<usize>, lists: &mut Lists) -> usize {
        match self.wants_all {
            true => self.skim_ids(log, range, |_| true, lists),
            false => self.skim_ids(log, range, |id| self.wanted[usize::from(id)], lists),
        }
    }

    #[inline(always)]
    fn skim_ids(&self, log: &[u8], range: Range<usize>, is_wanted: impl Fn(u8) -> bool, lists: &mut Lists) -> usize {
        let Range { start: mut at, end: until } = range;
        if !log.get(at..).is_some_and(|rest| rest.starts_with(&HEAD_BYTES)) {
            return at;
        }
        let mut ahead = 0;
        while at < until
            && let Some(window) = log.get(at..at + PREFETCH_BYTES).and_then(<[u8]>::first_chunk::<PREFETCH_BYTES>)
        {
            ahead ^= window[PREFETCH_BYTES - 1];
            let id = window[2];
            let length = usize::from(self.lengths[usize::from(id)]);
            if length == 0 || [window[length], window[length + 1]] != HEAD_BYTES {
                break;
            }
            if is_wanted(id) {
                lists[usize::from(id)].push((at - self.base) as u32);
            }
            at += length;
        }
        hint::black_box(ahead);
        at
    }

    /// The first offset from here on at which several records follow each other; rarely, damage looks like it.
    pub(super) fn in_step(&self, log: &[u8], from: usize) -> Option<usize> {
        let next = |at: usize| {
            let id = *log.get(at..)?.strip_prefix(&HEAD_BYTES)?.first()?;
            Some(at + usize::from(self.lengths[usize::from(id)])).filter(|&next| next > at)
        };
        let is_start = |&at: &usize| (0..RECORDS_IN_STEP).try_fold(at, |at, _| next(at)).is_some();
        (from..from + STEP_BYTES).find(is_start)
    }
}

const RECORDS_IN_STEP: usize = 8;

/// Records in step are searched for in this number of bytes.
const STEP_BYTES: usize = 4096;
