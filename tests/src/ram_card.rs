//! An SD card in memory that fails on demand.

mod blocks;
mod driver;
mod files;
mod recording;

pub use blocks::{Block, junk};
pub use driver::{Buffer, Leaves};
pub use files::Partition;
pub use recording::{Moment, Recording, Word, Written};

use crate::volume::{Geometry, Volume};
use blocks::Blocks;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// Where the partition of [`RamCard::formatted`] begins.
pub const START: u32 = 2048;

/// Errors of the card's driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CardError {
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
pub struct RamCard(Rc<RefCell<State>>);

/// What happens to a card that leaves its slot.
type Trip = Rc<dyn Fn(&RamCard)>;

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
    failing_reads: u32,
    protected: bool,
    /// Whether writes succeed and change nothing.
    worn_out: bool,
    /// Blocks that may be read, of all since the card was made.
    max_reads: Option<u64>,
    discards: bool,
    writes: u64,
    reads: u64,
    transfers: u64,
    touched: BTreeSet<u32>,
    /// The card as it was when the recording began, and what was written since.
    recording: Option<(Blocks, Vec<Written>)>,
    /// Called in the middle of each transfer, as an interrupt would be.
    busy: Option<fn()>,
    /// Transfers that the driver was asked for.
    calls: u64,
    /// At which of them the card leaves its slot, and what happens to it then.
    departure: Option<(u64, Leaves, Trip)>,
}

/// A file system to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// 16 MiB of FAT16, clusters of 2 KiB.
    Fat16,
    /// 33 MiB of FAT32, clusters of 512 bytes: the smallest there is.
    Fat32,
    /// 4 GiB of FAT32, clusters of 32 KiB, as cards are sold.
    Fat32Large,
}

impl RamCard {
    /// A blank card.
    pub fn blank(blocks: u32) -> Self {
        let card = RamCard::default();
        card.0.borrow_mut().count = blocks;
        card
    }

    /// A card with one formatted partition, followed by 1,000 blocks with other contents.
    pub fn formatted(format: Format) -> Self {
        match format {
            Format::Fat16 => Geometry { cluster_blocks: 4, clusters: 8167, ..Geometry::FAT16 },
            Format::Fat32 => Geometry { cluster_blocks: 1, clusters: 66_500, ..Geometry::FAT32 },
            Format::Fat32Large => Geometry { cluster_blocks: 64, clusters: 131_000, ..Geometry::FAT32 },
        }
        .format()
    }

    /// An independent copy of the card as it is, without its faults.
    pub fn copy(&self) -> Self {
        let state = self.0.borrow();
        let copy = State { blocks: state.blocks.clone(), count: state.count, ..State::default() };
        RamCard(Rc::new(RefCell::new(copy)))
    }

    /// The number of the card's blocks.
    pub fn blocks(&self) -> u32 {
        self.0.borrow().count
    }

    /// A block as it is on the card.
    pub fn block(&self, at: u32) -> Block {
        self.0.borrow().blocks.get(at)
    }

    /// Lets the card forget what is written to blocks that it holds nothing of yet, in runs of four blocks and more. So
    /// a card in memory can be written to by the gigabyte.
    pub fn discard_contents(&self) {
        self.0.borrow_mut().discards = true;
    }

    /// Calls `each` with the blocks of a range that were ever written.
    pub fn each_written(&self, range: Range<u32>, mut each: impl FnMut(u32, &Block)) {
        let state = self.0.borrow();
        for at in state.blocks.written(range) {
            each(at, &state.blocks.get(at));
        }
    }

    /// Puts a block on the card.
    pub fn set_block(&self, at: u32, block: Block) {
        self.0.borrow_mut().blocks.set(at, &block);
    }

    /// Changes a block on the card.
    pub fn edit(&self, at: u32, edit: impl FnOnce(&mut Block)) {
        let mut block = self.block(at);
        edit(&mut block);
        self.set_block(at, block);
    }

    /// Puts the first bytes of a block on the card.
    pub fn tear(&self, at: u32, block: &Block, bytes: usize) {
        self.edit(at, |old| old[..bytes].copy_from_slice(&block[..bytes]));
    }

    /// Lets all blocks from `at` on that were never written hold old contents.
    pub fn fill_with_junk(&self, at: u32) {
        self.0.borrow_mut().blocks.fill_with_junk(at);
    }

    /// Takes the card out.
    pub fn pull(&self) {
        let mut state = self.0.borrow_mut();
        (state.pulled, state.ready) = (true, false);
    }

    /// Puts it back; it answers once the driver initialises it.
    pub fn put_back(&self) {
        self.0.borrow_mut().pulled = false;
    }

    /// Puts another card into the slot.
    pub fn swap(&self, other: &RamCard) {
        let mut state = self.0.borrow_mut();
        let other = other.0.borrow();
        (state.blocks, state.count) = (other.blocks.clone(), other.count);
        (state.pulled, state.ready) = (false, false);
    }

    /// Lets the card leave its slot at the `n`th transfer from now on, counted from 0. `happens` pulls or swaps it. The
    /// transfer fails.
    pub fn leave_at(&self, n: u64, leaves: Leaves, happens: impl Fn(&RamCard) + 'static) {
        let mut state = self.0.borrow_mut();
        state.departure = Some((state.calls + n, leaves, Rc::new(happens)));
    }

    /// Transfers that the driver was asked for.
    pub fn calls(&self) -> u64 {
        self.0.borrow().calls
    }

    /// Lets the power fail at the `n`th block that is written from now on, counted from 0, after `bytes` of its bytes.
    pub fn cut_power(&self, n: u64, bytes: usize) {
        self.0.borrow_mut().cut = Some((n, bytes));
    }

    /// Whether the card is pulled or without power.
    pub fn is_out(&self) -> bool {
        self.0.borrow().pulled
    }

    /// Makes the next writes fail.
    pub fn fail_writes(&self, count: u32) {
        self.0.borrow_mut().failing_writes = count;
    }

    /// Makes the next reads fail.
    pub fn fail_reads(&self, count: u32) {
        self.0.borrow_mut().failing_reads = count;
    }

    /// Moves the card's write-protect switch.
    pub fn protect(&self, protected: bool) {
        self.0.borrow_mut().protected = protected;
    }

    /// Lets the card take all writes and store none, as some worn-out cards do.
    pub fn wear_out(&self) {
        self.0.borrow_mut().worn_out = true;
    }

    /// Lets a test fail where more than `blocks` blocks are read from now on, instead of hanging.
    pub fn limit_reads(&self, blocks: u64) {
        let mut state = self.0.borrow_mut();
        state.max_reads = Some(state.reads + blocks);
    }

    /// Sets what happens while the card is busy with a write.
    pub fn while_busy(&self, busy: fn()) {
        self.0.borrow_mut().busy = Some(busy);
    }

    /// Blocks that were written.
    pub fn writes(&self) -> u64 {
        self.0.borrow().writes
    }

    /// Blocks that were read.
    pub fn reads(&self) -> u64 {
        self.0.borrow().reads
    }

    /// Numbers of the blocks that were written.
    pub fn touched(&self) -> BTreeSet<u32> {
        self.0.borrow().touched.clone()
    }

    /// Records all blocks that are written from now on.
    pub fn record(&self) {
        let mut state = self.0.borrow_mut();
        state.recording = Some((state.blocks.clone(), Vec::new()));
    }

    /// Blocks that were recorded since [`record`](RamCard::record).
    pub fn recorded(&self) -> usize {
        self.0.borrow().recording.as_ref().map_or(0, |(_, writes)| writes.len())
    }

    /// What was recorded since [`record`](RamCard::record).
    pub fn recording(&self) -> Recording {
        let state = self.0.borrow();
        let (blocks, writes) = state.recording.clone().unwrap_or_default();
        let before = RamCard(Rc::new(RefCell::new(State { blocks, count: state.count, ..State::default() })));
        Recording { before, writes }
    }

    /// Clusters whose entry in the FAT is free, counted.
    pub fn free_clusters(&self) -> u32 {
        Volume::of(self).free_clusters()
    }

    /// Whether both FATs are equal, where there are two.
    pub fn fats_agree(&self) -> bool {
        Volume::of(self).differing_fat_block().is_none()
    }

    /// Panics if a chain of clusters is broken, shared or too short.
    pub fn check_chains(&self) {
        Volume::of(self).check().assert_readable("the card");
    }

    /// Fills the first free clusters, as on a card that was in use before.
    pub fn fill_free_clusters(&self, byte: u8) {
        let volume = Volume::of(self);
        for cluster in volume.free().take(300) {
            for at in volume.blocks_of(cluster) {
                self.set_block(at, [byte; 512]);
            }
        }
    }

    /// The free count that FSInfo claims.
    pub fn claimed_free(&self) -> u32 {
        u32::from_le_bytes(self.block(START + 1)[488..492].try_into().unwrap())
    }
}
