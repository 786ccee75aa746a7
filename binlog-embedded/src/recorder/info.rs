//! FSInfo, FAT32's block of hints: how many clusters are free, and where the next one may be.

use super::Stop;
use super::bytes::{Block, put_u32, u32_at};
use super::disk::Disk;

const FREE: usize = 488;
const NEXT: usize = 492;
/// The count is unknown.
const UNKNOWN: u32 = u32::MAX;

impl Disk {
    /// Takes the hints.
    pub(super) fn read_info(&mut self, block: &Block) -> Result<(), Stop> {
        if self.volume.info == 0 {
            return Ok(());
        }
        self.need(self.volume.info)?;
        if !is_info(block) {
            self.volume.info = 0;
            return Ok(());
        }
        let (free, next) = (u32_at(block, FREE), u32_at(block, NEXT));
        if free <= self.volume.clusters {
            (self.free, self.counted, self.is_hint) = (free, self.volume.end(), true);
        }
        if self.volume.has(next) {
            self.next_free = next;
        }
        Ok(())
    }

    /// Says that the count is unknown, before it changes. It stops once, to write this.
    #[inline(never)]
    pub(super) fn forget_info(&mut self, block: &mut Block) -> Result<(), Stop> {
        if self.is_info_unknown { Ok(()) } else { self.write_info(block, UNKNOWN) }
    }

    /// Says how many clusters are free, if it is known. It stops once, to write this.
    pub(super) fn save_info(&mut self, block: &mut Block) -> Result<(), Stop> {
        if self.is_info_unknown && self.is_counted() { self.write_info(block, self.free) } else { Ok(()) }
    }

    fn write_info(&mut self, block: &mut Block, free: u32) -> Result<(), Stop> {
        if self.volume.info == 0 {
            return Ok(());
        }
        self.need(self.volume.info)?;
        if !is_info(block) {
            return Err(Stop::Changed);
        }
        put_u32(block, FREE, free);
        put_u32(block, NEXT, self.next_free);
        self.is_info_unknown = free == UNKNOWN;
        Err(Stop::Write)
    }
}

/// Whether a block has FSInfo's three signatures.
fn is_info(block: &Block) -> bool {
    block[..4] == *b"RRaA" && block[484..488] == *b"rrAa" && block[508..] == [0, 0, 0x55, 0xAA]
}
