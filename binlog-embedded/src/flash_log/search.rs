//! Finds the newest sector of a chip, by binary search over the first sectors of the blocks.
//!
//! Of the used blocks, each has a valid header in its first sector, since a log begins at a unit, and its later units
//! follow. Those up to the head have the head's lap. The invalid stretch of the ring (erased sectors, unused ones and
//! those of a torn erase) is shorter than half of the chip, so that a first or a middle block is valid if any is.

use super::geometry::{Geometry, Head};
use binlog::flash::Header;

/// A search in progress. Each step names the sector whose header is needed next.
#[derive(Clone, Copy)]
pub(super) struct HeadSearch {
    phase: Phase,
    /// The newest sector so far.
    newest: Option<Head>,
    /// A block above it that is not of its lap, or the end of the chip.
    high: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The number of blocks that were looked at and have no header: the first, the middle one, and then, on a chip that
    /// is blank or damaged, all.
    Any(u32),
    Halving,
    /// The sectors of the newest block, the last one first.
    Sectors,
}

/// What a search wants.
pub(super) enum Step {
    /// The header of a sector.
    Read(u32),
    Done(Option<Head>),
}

impl HeadSearch {
    pub(super) const START: Self = HeadSearch { phase: Phase::Any(0), newest: None, high: 0 };

    /// Takes the header of the sector that was read last, and asks for the next. The first call gets nothing.
    pub(super) fn next(&mut self, geometry: &Geometry, sector: u32, header: Option<Header>) -> Step {
        let found = header.map(|header| Head { sector, header });
        let is_of_lap = |newest: Head| header.is_some_and(|header| header.lap == newest.header.lap);
        let is_newer = self.newest.is_none_or(is_of_lap) && found.is_some();
        if is_newer {
            self.newest = found;
        }
        match self.phase {
            Phase::Any(count) if !is_newer => {
                let block = match count {
                    0 => 0,
                    1 => geometry.blocks() / 2,
                    _ => count - 2,
                };
                if block >= geometry.blocks() {
                    return Step::Done(None);
                }
                self.phase = Phase::Any(count + 1);
                return Step::Read(block << geometry.block_log2);
            }
            Phase::Any(_) => (self.phase, self.high) = (Phase::Halving, geometry.blocks()),
            Phase::Halving if !is_newer => self.high = sector >> geometry.block_log2,
            Phase::Halving => {}
            Phase::Sectors if is_newer => return Step::Done(found),
            Phase::Sectors => {}
        }
        let Some(newest) = self.newest else { return Step::Done(None) };
        let low = newest.sector >> geometry.block_log2;
        let middle = (low + self.high) / 2;
        let next = match self.phase {
            Phase::Sectors => sector - 1,
            _ if middle > low => return Step::Read(middle << geometry.block_log2),
            _ => newest.sector + geometry.block() - 1,
        };
        self.phase = Phase::Sectors;
        // The first sector of the block is known.
        if next > newest.sector { Step::Read(next) } else { Step::Done(self.newest) }
    }
}
