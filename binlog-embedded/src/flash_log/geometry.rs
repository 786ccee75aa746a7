//! The sizes of a chip, in sectors.

use binlog::flash::{Header, LAPS, SECTOR_BYTES};

/// A chip as a ring of sectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Geometry {
    /// Sectors in use: a multiple of `block`.
    pub(super) sectors: u32,
    /// Sectors that are erased at once: a power of two.
    pub(super) unit: u32,
    /// The binary logarithm of a block's sectors. Blocks are units at least.
    pub(super) block_log2: u8,
    /// The binary logarithm of the bytes that are written at once.
    pub(super) write_log2: u8,
}

/// Blocks have this many sectors, 64 KiB, if the chip has eight of them and no larger units. A chip may have been used
/// with units of any size up to this, so blocks must not depend on the unit.
const BLOCK: u32 = 16;

/// A sector with a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Head {
    pub(super) sector: u32,
    pub(super) header: Header,
}

impl Geometry {
    /// `None` if the chip has fewer than eight units.
    pub(super) fn new(capacity: usize, unit_bytes: u32, write_bytes: usize) -> Option<Self> {
        let all = u32::try_from(capacity).unwrap_or(u32::MAX) / SECTOR_BYTES as u32;
        let unit = unit_bytes / SECTOR_BYTES as u32;
        let eighth = all / 8;
        if eighth < unit {
            return None;
        }
        let block_log2 = unit.max(BLOCK.min(1 << eighth.ilog2())).ilog2();
        Some(Geometry {
            sectors: (all >> block_log2) << block_log2,
            unit,
            block_log2: block_log2 as u8,
            write_log2: write_bytes.ilog2() as u8,
        })
    }

    pub(super) fn block(&self) -> u32 {
        1 << self.block_log2
    }

    pub(super) fn blocks(&self) -> u32 {
        self.sectors >> self.block_log2
    }

    /// The sector that comes `by` sectors after another, at most a whole ring.
    pub(super) fn after(&self, sector: u32, by: u32) -> u32 {
        let sector = sector + by;
        if sector >= self.sectors { sector - self.sectors } else { sector }
    }

    /// Sectors from one to another along the ring.
    pub(super) fn distance(&self, from: u32, to: u32) -> u32 {
        if to >= from { to - from } else { to + self.sectors - from }
    }

    /// Whether a sector is in the last block.
    pub(super) fn is_in_last_block(&self, sector: u32) -> bool {
        sector >= self.sectors - self.block()
    }
}

/// The lap before another.
pub(super) fn lap_before(lap: u16) -> u16 {
    lap.wrapping_sub(1) % LAPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_64_kib_or_an_eighth_or_a_unit() {
        let geometry = |capacity, unit| Geometry::new(capacity, unit, 1).map(|it| (it.sectors, it.unit, it.block()));
        assert_eq!(geometry(16 << 20, 4096), Some((4096, 1, 16)));
        assert_eq!(geometry(16 << 20, 65536), Some((4096, 16, 16)));
        assert_eq!(geometry(2 << 20, 128 << 10), Some((512, 32, 32)));
        assert_eq!(geometry(256 << 10, 4096), Some((64, 1, 8)));
        assert_eq!(geometry(32 << 10, 4096), Some((8, 1, 1)));
        assert_eq!(geometry((32 << 10) - 1, 4096), None);
        assert_eq!(geometry(256 << 10, 65536), None);
        assert_eq!(geometry(0, 4096), None);
        // Less than a block at the end is not used.
        assert_eq!(geometry((1 << 20) + 4096 * 15, 4096), Some((256, 1, 16)));
    }

    #[test]
    fn laps_are_counted_across_their_overflow() {
        assert_eq!((lap_before(0), lap_before(1)), (4095, 0));
    }

    #[test]
    fn sectors_are_counted_around_the_ring() {
        let geometry = Geometry::new(16 * 4096, 4096, 1).expect("a chip");
        assert_eq!((geometry.after(15, 1), geometry.after(14, 1), geometry.after(3, 16)), (0, 15, 3));
        assert_eq!((geometry.distance(3, 3), geometry.distance(15, 0), geometry.distance(0, 15)), (0, 1, 15));
        assert!(geometry.is_in_last_block(14) && !geometry.is_in_last_block(13));
    }
}
