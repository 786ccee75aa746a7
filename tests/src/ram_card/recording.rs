//! What a card was given to write, block by block: from it, the card at each moment at which the power can fail.

use super::{Block, RamCard};
use std::ops::Range;

/// The unit in which a block is torn: its beginning is new, its end is old.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// Entries of FAT16.
    Two,
    /// Entries of FAT32 and exFAT.
    Four,
}

/// A block that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Its number.
    pub at: u32,
    /// Its new contents.
    pub block: Block,
    /// Which transfer wrote it, counted from 0.
    pub transfer: u64,
}

/// A card as it was, and what was written from then on.
#[derive(Clone)]
pub struct Recording {
    /// The card at the beginning.
    pub before: RamCard,
    /// The blocks in the order in which they were written.
    pub writes: Vec<Written>,
}

/// A moment at which the power fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Blocks that were written as a whole.
    pub writes: usize,
    /// Bytes of the next block that were written, too.
    pub torn: usize,
}

impl Recording {
    /// Calls `look` with the card at all moments of `writes` that differ: before each write, and torn at each word up
    /// to which the new block differs from the old one.
    ///
    /// Of blocks for which `whole` is true, only the middle is a moment: contents of files, which no other block
    /// depends on.
    pub fn moments(
        &self,
        writes: Range<usize>,
        word: Word,
        whole: impl Fn(u32) -> bool,
        mut look: impl FnMut(Moment, RamCard),
    ) {
        let card = self.before.copy();
        for (count, written) in self.writes.iter().enumerate().take(writes.end) {
            if count >= writes.start {
                for torn in tears(&card.block(written.at), &written.block, word, whole(written.at)) {
                    let moment = card.copy();
                    moment.tear(written.at, &written.block, torn);
                    look(Moment { writes: count, torn }, moment);
                }
            }
            card.set_block(written.at, written.block);
        }
        if writes.end > self.writes.len() {
            look(Moment { writes: self.writes.len(), torn: 0 }, card);
        }
    }

    /// The card after all writes but one: what a card with a cache of its own may leave of its last ones.
    pub fn without(&self, writes: usize, missing: usize) -> RamCard {
        let card = self.before.copy();
        for (count, written) in self.writes[..writes].iter().enumerate() {
            if count != missing {
                card.set_block(written.at, written.block);
            }
        }
        card
    }
}

/// How many bytes of a block are new, for each tear that leaves different contents.
fn tears(old: &Block, new: &Block, word: Word, whole: bool) -> Vec<usize> {
    let size = match word {
        Word::Two => 2,
        Word::Four => 4,
    };
    if whole {
        return if old == new { vec![0] } else { vec![0, 256] };
    }
    // The last of the words that differ completes the block, which is the next write's moment.
    let mut tears = vec![0];
    tears.extend((size..512).step_by(size).filter(|&end| old[end - size..end] != new[end - size..end]));
    if tears.last().is_some_and(|&end| end > 0 && old[end..] == new[end..]) {
        tears.pop();
    }
    tears
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_is_torn_after_each_changed_word_but_the_last() {
        let old = [0; 512];
        let mut new = old;
        (new[5], new[100], new[511]) = (1, 1, 1);
        assert_eq!(tears(&old, &new, Word::Four, false), [0, 8, 104]);
        assert_eq!(tears(&old, &new, Word::Two, false), [0, 6, 102]);
        assert_eq!(tears(&old, &new, Word::Four, true), [0, 256]);
        assert_eq!(tears(&old, &old, Word::Four, false), [0]);
        new[511] = 0;
        assert_eq!(tears(&old, &new, Word::Four, false), [0, 8]);
    }
}
