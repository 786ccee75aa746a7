//! Free clusters: counted and searched for, one block of the FAT or the bitmap after the other.

use super::bytes::Block;
use super::{Goal, Phase, Recorder, Stop};
use crate::recorder::Fault;

/// Blocks of the FAT that a search reads before it pauses.
const PAUSE_AFTER: u32 = 32;

/// Blocks of the FAT that a run may take, which bounds the time to mark it.
const RUN_BLOCKS: u32 = 16;

/// A search for a run of free clusters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClusterSearch {
    /// The next cluster to look at; while a chain is walked, the cluster before the piece.
    pub(super) at: u32,
    /// Clusters that are left to look at; while a chain is walked, those that it had so far.
    pub(super) left: u32,
    /// Free clusters right before `at`; while a chain is walked, one of those that it had.
    run: u32,
    pub(super) first: u32,
    /// The longest run so far.
    pub(super) count: u32,
    /// Clusters that are enough; while a chain is walked, what the piece is linked to.
    pub(super) want: u32,
    /// Blocks since the last pause; afterwards, blocks of the run that are cleared.
    pub(super) blocks: u32,
    /// Whether a chain is walked once more.
    pub(super) is_again: bool,
    /// What the run is for.
    pub(super) next: Phase,
}

impl ClusterSearch {
    pub(crate) const NONE: ClusterSearch = ClusterSearch {
        at: 0,
        left: 0,
        run: 0,
        first: 0,
        count: 0,
        want: 0,
        blocks: 0,
        is_again: false,
        next: Phase::Done,
    };
}

impl ClusterSearch {
    /// Begins to walk a chain, piece by piece.
    #[inline(never)]
    pub(super) fn walk(&mut self, first: u32) {
        *self = ClusterSearch { first, count: 1, left: 1, ..ClusterSearch::NONE };
    }

    /// Continues with the piece that `last` is linked to.
    pub(super) fn go_on(&mut self, first: u32, last: u32) {
        (self.first, self.count, self.at) = (first, 1, last);
    }

    /// Counts the next cluster of a chain. Returns whether the chain had it before, which shows within three times the
    /// clusters that there are (Brent's algorithm).
    pub(super) fn comes_back_to(&mut self, cluster: u32) -> bool {
        let is_again = cluster == self.run;
        if self.left.is_power_of_two() {
            self.run = cluster;
        }
        self.left += 1;
        is_again
    }
}

impl Recorder {
    /// Clusters of the next run, given how many may be taken.
    pub(super) fn wanted(&self, allowed: u32) -> u32 {
        let table = match self.volume.is_exfat() {
            true => 1 << self.volume.table_shift,
            false => RUN_BLOCKS << self.volume.table_shift,
        };
        self.volume.clusters_of(self.options.extent_bytes).clamp(1, table).min(allowed)
    }

    /// Whether only the clusters right after the open log count: a log on exFAT grows in place, and so does one that is
    /// prepared to.
    pub(super) fn is_pinned(&self) -> bool {
        self.goal == Goal::Prepare || (self.goal == Goal::Extend && self.volume.is_exfat())
    }

    /// Begins a search for `want` clusters.
    pub(super) fn search_for(&mut self, want: u32, next: Phase) -> Phase {
        let (at, left) = match (&self.log, self.goal) {
            (Some(log), _) if self.is_pinned() => {
                let end = log.end();
                (end, want.min(self.volume.end() - end))
            }
            (Some(log), Goal::Extend) if self.volume.has(log.end()) => (log.end(), self.volume.clusters),
            _ if self.volume.has(self.next_free) => (self.next_free, self.volume.clusters),
            _ => (2, self.volume.clusters),
        };
        self.search = ClusterSearch { at, left, want, next, ..ClusterSearch::NONE };
        Phase::Search
    }

    pub(super) fn search(&mut self, block: &Block) -> Result<Phase, Stop> {
        let least = match self.goal {
            #[cfg(feature = "exfat")]
            Goal::Begin if self.volume.is_exfat() => {
                self.volume.clusters_of(self.least_bytes).clamp(1, self.search.want)
            }
            _ => 1,
        };
        self.search_run(block, least)?;
        if self.search.count < least {
            return self.found_too_little();
        }
        Ok(self.use_run())
    }

    /// Looks for a run until it is long enough or there are no more clusters.
    fn search_run(&mut self, block: &Block, least: u32) -> Result<(), Stop> {
        let is_pinned = self.is_pinned();
        let search = &mut self.search;
        // Long enough to be worth no further look.
        let enough = self.volume.clusters_of(1 << 20).max(least).min(search.want);
        while search.left > 0 && search.count < search.want {
            let end =
                self.volume.table_next(search.at).min(self.volume.end()).min(search.at.saturating_add(search.left));
            self.loaded.need(self.volume.table_block(search.at))?;
            let from = search.at;
            for cluster in from..end {
                (search.at, search.left) = (cluster + 1, search.left - 1);
                if self.volume.value(block, cluster) != 0 {
                    search.run = 0;
                    if is_pinned {
                        search.left = 0;
                        break;
                    }
                    continue;
                }
                search.run += 1;
                if search.run > search.count {
                    (search.first, search.count) = (cluster + 1 - search.run, search.run);
                    if search.count == search.want {
                        break;
                    }
                }
            }
            if search.at == self.volume.end() {
                (search.at, search.run) = (2, 0);
            }
            search.blocks += 1;
            if search.blocks >= PAUSE_AFTER {
                search.blocks = 0;
                if search.count >= enough {
                    break;
                }
                return Err(Stop::Pause);
            }
        }
        Ok(())
    }

    /// No run is long enough. A preparation is given up, a log on exFAT that can't grow in place is blocked, and
    /// otherwise the card is full.
    fn found_too_little(&mut self) -> Result<Phase, Stop> {
        if self.goal == Goal::Prepare {
            self.is_blocked = true;
            return Ok(Phase::Done);
        }
        if self.is_pinned() {
            return Err(Stop::Fault(Fault::Blocked));
        }
        // The count may have been wrong.
        (self.free, self.counted, self.is_hint) = (0, self.volume.end(), false);
        self.full()
    }

    /// Takes the run that was found.
    fn use_run(&mut self) -> Phase {
        let search = &mut self.search;
        if search.next == Phase::PutNote && !self.volume.is_exfat() {
            // The first flush is to link clusters of one block of the FAT only.
            let here = self.volume.table_next(search.first) - search.first;
            if here <= self.volume.clusters_of(self.options.flush_bytes) && here < 1 << self.volume.table_shift {
                if search.count > 2 * here {
                    (search.first, search.count) = (search.first + here, search.count - here);
                } else {
                    search.count = search.count.min(here);
                }
            }
        }
        search.blocks = 0;
        self.next_free = search.first + search.count;
        #[cfg(feature = "exfat")]
        if search.next == Phase::PutNote && self.volume.is_exfat() {
            return Phase::Sign;
        }
        search.next
    }

    /// Begins to count the free clusters, or continues.
    pub(super) fn begin_count(&mut self) -> Phase {
        if self.is_hint {
            (self.free, self.counted, self.is_hint) = (0, 2, false);
        }
        Phase::Count
    }

    pub(super) fn count(&mut self, block: &Block) -> Result<Phase, Stop> {
        self.search.blocks = 0;
        while self.counted < self.volume.end() {
            self.need_value(self.counted)?;
            let end = self.volume.table_next(self.counted).min(self.volume.end());
            let is_free = |&cluster: &u32| self.volume.value(block, cluster) == 0;
            self.free += (self.counted..end).filter(is_free).count() as u32;
            self.counted = end;
            if self.counted < self.volume.end() && (end >> self.volume.table_shift).is_multiple_of(PAUSE_AFTER) {
                return Err(Stop::Pause);
            }
        }
        Ok(match self.goal {
            Goal::Count => Phase::Done,
            _ => Phase::MakeRoom,
        })
    }

    /// Whether a count takes so little that it needn't wait.
    pub(super) fn is_small(&self) -> bool {
        self.volume.clusters >> self.volume.table_shift < 256
    }

    /// Takes a cluster that is about to be marked off the count.
    pub(super) fn take_off(&mut self, cluster: u32) {
        if cluster < self.counted {
            self.free = self.free.saturating_sub(1);
        }
    }
}
