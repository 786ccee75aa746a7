//! The blocks of a card, sparse and cheap to copy: cards of 64 GB are made and copied by the thousand.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// The contents of a block.
pub type Block = [u8; 512];

/// Blocks that are stored together and shared by the copies of a card until one of them writes there.
const PAGE: u32 = 16;

#[derive(Clone, Default)]
pub(super) struct Blocks {
    pages: BTreeMap<u32, Rc<[Block; PAGE as usize]>>,
    /// Blocks from here on hold old contents until they are written.
    junk_from: Option<u32>,
}

impl Blocks {
    pub(super) fn get(&self, at: u32) -> Block {
        match self.pages.get(&(at / PAGE)) {
            Some(page) => page[(at % PAGE) as usize],
            None => self.unwritten(at),
        }
    }

    pub(super) fn set(&mut self, at: u32, block: &Block) {
        let first = at - at % PAGE;
        if !self.pages.contains_key(&(at / PAGE)) {
            if *block == self.unwritten(at) {
                return;
            }
            let page = std::array::from_fn(|i| self.unwritten(first + i as u32));
            self.pages.insert(at / PAGE, Rc::new(page));
        }
        if let Some(page) = self.pages.get_mut(&(at / PAGE)) {
            Rc::make_mut(page)[(at % PAGE) as usize] = *block;
        }
    }

    /// Lets all blocks from `at` on that were never written hold old contents.
    pub(super) fn fill_with_junk(&mut self, at: u32) {
        self.junk_from = Some(at);
    }

    pub(super) fn is_written(&self, at: u32) -> bool {
        self.pages.contains_key(&(at / PAGE))
    }

    /// The numbers of the blocks that may have been written.
    pub(super) fn written(&self, range: Range<u32>) -> impl Iterator<Item = u32> {
        let pages = self.pages.range(range.start / PAGE..range.end.div_ceil(PAGE));
        pages.flat_map(|(page, _)| page * PAGE..(page + 1) * PAGE).filter(move |at| range.contains(at))
    }

    fn unwritten(&self, at: u32) -> Block {
        match self.junk_from {
            Some(from) if at >= from => junk(at),
            _ => [0; 512],
        }
    }
}

/// What a block of a card that was used before holds: no zeros, and different in each block.
pub fn junk(at: u32) -> Block {
    let mut block = [0xD5; 512];
    for word in block.chunks_exact_mut(8) {
        word[..4].copy_from_slice(&at.to_le_bytes());
    }
    block
}
