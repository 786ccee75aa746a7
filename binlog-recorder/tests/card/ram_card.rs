//! An SD card in memory that fails on demand.

mod blocks;
mod driver;
mod files;
mod recording;

pub(crate) use blocks::Block;
pub(crate) use recording::{Moment, Recording, Word, Written};

use blocks::Blocks;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// Where the partition of a `Geometry` begins.
pub(crate) const START: u32 = 2048;

/// Errors of the card's driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CardError {
    /// No card answers.
    Missing,
    /// The card rejected a write.
    Write,
    /// A read failed.
    Read,
}

impl fmt::Display for CardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for CardError {}

/// A card, or rather its slot: clones are the same.
#[derive(Clone, Default)]
pub(crate) struct RamCard(Rc<RefCell<State>>);

#[derive(Clone, Default)]
struct State {
    blocks: Blocks,
    count: u32,
    pulled: bool,
    /// Whether the card that is in the slot was initialised since it got power.
    ready: bool,
    /// Whether the driver believes that it is initialised.
    known: bool,
    /// Blocks until the power fails, and bytes of the last block that are written.
    cut: Option<(u64, usize)>,
    failing_writes: u32,
    protected: bool,
    discards: bool,
    writes: u64,
    reads: u64,
    transfers: u64,
    touched: BTreeSet<u32>,
    /// The card as it was when the recording began, and what was written since.
    recording: Option<(Blocks, Vec<Written>)>,
}

impl RamCard {
    /// A blank card.
    pub(crate) fn blank(blocks: u32) -> Self {
        let card = RamCard::default();
        card.0.borrow_mut().count = blocks;
        card
    }

    /// An independent copy of the card as it is, without its faults.
    pub(crate) fn copy(&self) -> Self {
        let state = self.0.borrow();
        let copy = State { blocks: state.blocks.clone(), count: state.count, ..State::default() };
        RamCard(Rc::new(RefCell::new(copy)))
    }

    /// The number of the card's blocks.
    pub(crate) fn blocks(&self) -> u32 {
        self.0.borrow().count
    }

    /// A block as it is on the card.
    pub(crate) fn block(&self, at: u32) -> Block {
        self.0.borrow().blocks.get(at)
    }

    /// Lets the card forget what is written to blocks that it holds nothing of yet, in runs of four blocks and more. So
    /// a card in memory can be written to by the gigabyte.
    pub(crate) fn discard_contents(&self) {
        self.0.borrow_mut().discards = true;
    }

    /// Calls `each` with the blocks of a range that were ever written.
    pub(crate) fn each_written(&self, range: Range<u32>, mut each: impl FnMut(u32, &Block)) {
        let state = self.0.borrow();
        for at in state.blocks.written(range) {
            each(at, &state.blocks.get(at));
        }
    }

    /// Puts a block on the card.
    pub(crate) fn set_block(&self, at: u32, block: Block) {
        self.0.borrow_mut().blocks.set(at, &block);
    }

    /// Changes a block on the card.
    pub(crate) fn edit(&self, at: u32, edit: impl FnOnce(&mut Block)) {
        let mut block = self.block(at);
        edit(&mut block);
        self.set_block(at, block);
    }

    /// Puts the first bytes of a block on the card.
    pub(crate) fn tear(&self, at: u32, block: &Block, bytes: usize) {
        self.edit(at, |old| old[..bytes].copy_from_slice(&block[..bytes]));
    }

    /// Lets all blocks from `at` on that were never written hold old contents.
    pub(crate) fn fill_with_junk(&self, at: u32) {
        self.0.borrow_mut().blocks.fill_with_junk(at);
    }

    /// Takes the card out.
    pub(crate) fn pull(&self) {
        let mut state = self.0.borrow_mut();
        (state.pulled, state.ready) = (true, false);
    }

    /// Puts it back; it answers once the driver initialises it.
    pub(crate) fn put_back(&self) {
        self.0.borrow_mut().pulled = false;
    }

    /// Lets the power fail at the `n`th block that is written from now on, counted from 0, after so many of its bytes.
    pub(crate) fn cut_power(&self, n: u64, bytes: usize) {
        self.0.borrow_mut().cut = Some((n, bytes));
    }

    /// Whether the power failed.
    pub(crate) fn is_cut(&self) -> bool {
        self.0.borrow().pulled
    }

    /// Makes the next writes fail.
    pub(crate) fn fail_writes(&self, count: u32) {
        self.0.borrow_mut().failing_writes = count;
    }

    /// Moves the card's write-protect switch.
    pub(crate) fn protect(&self, protected: bool) {
        self.0.borrow_mut().protected = protected;
    }

    /// Blocks that were written.
    pub(crate) fn writes(&self) -> u64 {
        self.0.borrow().writes
    }

    /// Blocks that were read.
    pub(crate) fn reads(&self) -> u64 {
        self.0.borrow().reads
    }

    /// Numbers of the blocks that were written.
    pub(crate) fn touched(&self) -> BTreeSet<u32> {
        self.0.borrow().touched.clone()
    }

    /// Records all blocks that are written from now on.
    pub(crate) fn record(&self) {
        let mut state = self.0.borrow_mut();
        state.recording = Some((state.blocks.clone(), Vec::new()));
    }

    /// Blocks that were recorded since [`record`](RamCard::record).
    pub(crate) fn recorded(&self) -> usize {
        self.0.borrow().recording.as_ref().map_or(0, |(_, writes)| writes.len())
    }

    /// What was recorded since [`record`](RamCard::record).
    pub(crate) fn recording(&self) -> Recording {
        let state = self.0.borrow();
        let (blocks, writes) = state.recording.clone().unwrap_or_default();
        let before = RamCard(Rc::new(RefCell::new(State { blocks, count: state.count, ..State::default() })));
        Recording { before, writes }
    }
}
