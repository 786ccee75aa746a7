//! Transfers, tried twice where the card is certain to be the same.

use super::card::Card;
use super::device::DeviceError;
use super::layout::Kind;
use embedded_sdmmc::{Block, BlockIdx};

/// Blocks that were transferred since the sink was made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Transfers {
    /// Blocks that were read.
    pub read: u32,
    /// Blocks that were written.
    pub written: u32,
    /// Transfers that were tried again after an error.
    pub retried: u32,
}

/// A block that is kept.
pub(super) struct Slot {
    pub(super) block: [Block; 1],
    pub(super) at: Option<u32>,
    pub(super) changed: bool,
}

impl Slot {
    pub(super) const EMPTY: Slot = Slot { block: [Block { contents: [0; 512] }], at: None, changed: false };
}

/// What all transfers go through.
#[derive(Default)]
pub(super) struct Port {
    pub(super) transfers: Transfers,
    /// The boot sector, with the volume's serial number in it.
    boot: Option<Witness>,
    /// Blocks of FAT, FSInfo and directory as they were written last.
    written: [Option<Witness>; 3],
    /// Whether FSInfo tells when another system has written to the card. FAT16 has none.
    has_info: bool,
    /// Whether the card that was mounted is gone. Nothing more reaches whatever is there now.
    gone: bool,
}

/// A block and a sum of its bytes, by which a card is known again.
#[derive(Clone, Copy)]
struct Witness {
    at: u32,
    sum: u32,
}

impl Witness {
    fn of(block: &Block, at: u32) -> Self {
        // FNV-1a.
        let sum = block.iter().fold(0x811C_9DC5, |sum: u32, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        Witness { at, sum }
    }
}

impl Port {
    pub(super) fn forget(&mut self) {
        (self.boot, self.written, self.gone) = (None, [None; 3], false);
    }

    pub(super) fn witness_boot(&mut self, boot: &Slot, kind: Kind) {
        self.boot = boot.at.map(|at| Witness::of(&boot.block[0], at));
        self.has_info = kind == Kind::Fat32;
    }

    pub(super) fn is_boot(&self, at: u32) -> bool {
        self.boot.is_some_and(|boot| boot.at == at)
    }

    /// Notes what the card holds after all was written.
    pub(super) fn witness(&mut self, fat: &Slot, info: &Slot, directory: &Slot) {
        self.written = [fat, info, directory].map(|slot| slot.at.map(|at| Witness::of(&slot.block[0], at)));
    }

    /// Reads a block into a slot whose own is on the card.
    pub(super) fn fill<C: Card>(&mut self, card: &C, slot: &mut Slot, at: u32) -> Result<(), DeviceError<C::Error>> {
        slot.at = None;
        self.read(card, &mut slot.block, at)?;
        slot.at = Some(at);
        Ok(())
    }

    /// Writes a slot that was changed, and once more `copy` blocks behind.
    pub(super) fn save<C: Card>(&mut self, card: &C, slot: &mut Slot, copy: u32) -> Result<(), DeviceError<C::Error>> {
        if let (true, Some(at)) = (slot.changed, slot.at) {
            // From here on the card may hold either.
            self.written.iter_mut().for_each(|witness| {
                if witness.is_some_and(|witness| witness.at == at) {
                    *witness = None;
                }
            });
            self.write(card, &slot.block, at)?;
            if copy > 0 {
                self.write(card, &slot.block, at + copy)?;
            }
            slot.changed = false;
        }
        Ok(())
    }

    pub(super) fn read<C: Card>(
        &mut self,
        card: &C,
        blocks: &mut [Block],
        at: u32,
    ) -> Result<(), DeviceError<C::Error>> {
        self.check()?;
        if let Err(error) = card.read(blocks, BlockIdx(at)) {
            self.recover(card, error)?;
            self.again(card.read(blocks, BlockIdx(at)))?;
        }
        self.transfers.read = self.transfers.read.wrapping_add(blocks.len() as u32);
        Ok(())
    }

    pub(super) fn write<C: Card>(&mut self, card: &C, blocks: &[Block], at: u32) -> Result<(), DeviceError<C::Error>> {
        self.check()?;
        if let Err(error) = card.write(blocks, BlockIdx(at)) {
            self.recover(card, error)?;
            self.again(card.write(blocks, BlockIdx(at)))?;
        }
        self.transfers.written = self.transfers.written.wrapping_add(blocks.len() as u32);
        Ok(())
    }

    fn check<E>(&self) -> Result<(), DeviceError<E>> {
        if self.gone { Err(DeviceError::Changed) } else { Ok(()) }
    }

    fn again<E>(&mut self, outcome: Result<(), E>) -> Result<(), DeviceError<E>> {
        self.gone = outcome.is_err();
        outcome.map_err(DeviceError::Card)
    }

    /// Makes the card ready for a second try, which a block that was hit by noise needs.
    ///
    /// Not without initialising it: after a failed multi-block write, embedded-sdmmc's next write would land where that
    /// one was to go. And not if another card is there now, or the same one after a visit elsewhere: what is kept here
    /// would undo what was done there. On FAT16, which says nothing of that, there is no second try.
    fn recover<C: Card>(&mut self, card: &C, error: C::Error) -> Result<(), DeviceError<C::Error>> {
        self.gone = true;
        let (Some(boot), true) = (self.boot, self.has_info) else { return Err(DeviceError::Card(error)) };
        card.forget();
        self.transfers.retried = self.transfers.retried.wrapping_add(1);
        let mut block = [Block { contents: [0; 512] }];
        for witness in self.written.into_iter().flatten().chain([boot]) {
            match card.read(&mut block, BlockIdx(witness.at)) {
                Ok(()) if Witness::of(&block[0], witness.at).sum == witness.sum => {}
                Ok(()) => return Err(DeviceError::Changed),
                Err(_) => return Err(DeviceError::Card(error)),
            }
        }
        self.gone = false;
        Ok(())
    }
}
