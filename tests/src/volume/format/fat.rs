//! FAT16 and FAT32. Source of all places: Microsoft's "FAT32 File System Specification" (fatgen103).

use super::Geometry;
use crate::ram_card::{Block, RamCard};
use crate::volume::FileSystem;

fn put16(block: &mut Block, at: usize, value: u32) {
    block[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
}

fn put32(block: &mut Block, at: usize, value: u32) {
    block[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

pub(super) fn format(card: &RamCard, geometry: &Geometry) {
    let start = geometry.start;
    let is_fat32 = geometry.kind == FileSystem::Fat32;
    assert_eq!(is_fat32, geometry.clusters >= 65525, "the number of clusters makes it a FAT16 or a FAT32");
    for at in start..start + geometry.blocks_before_data() {
        card.set_block(at, [0; 512]);
    }
    let boot = boot_sector(geometry);
    card.set_block(start, boot);
    let fat = start + geometry.reserved;
    for copy in 0..geometry.fats {
        card.edit(fat + copy * geometry.fat_blocks(), |block| {
            if is_fat32 {
                put32(block, 0, 0x0FFF_FFF8);
                put32(block, 4, 0x0FFF_FFFF);
                put32(block, 8, 0x0FFF_FFFF);
            } else {
                put16(block, 0, 0xFFF8);
                put16(block, 2, 0xFFFF);
            }
        });
    }
    if is_fat32 {
        let mut info = [0; 512];
        put32(&mut info, 0, 0x4161_5252);
        put32(&mut info, 484, 0x6141_7272);
        put32(&mut info, 488, geometry.clusters - 1);
        put32(&mut info, 492, 2);
        put32(&mut info, 508, 0xAA55_0000);
        card.set_block(start + 1, info);
        if geometry.reserved > 7 {
            card.set_block(start + 6, boot);
            card.set_block(start + 7, info);
        }
        let root = start + geometry.blocks_before_data();
        for at in root..root + geometry.cluster_blocks {
            card.set_block(at, [0; 512]);
        }
    }
}

fn boot_sector(geometry: &Geometry) -> Block {
    let is_fat32 = geometry.kind == FileSystem::Fat32;
    let mut boot = [0; 512];
    boot[..3].copy_from_slice(&[0xEB, 0x58, 0x90]);
    boot[3..11].copy_from_slice(b"MSWIN4.1");
    put16(&mut boot, 11, 512);
    boot[13] = geometry.cluster_blocks as u8;
    put16(&mut boot, 14, geometry.reserved);
    boot[16] = geometry.fats as u8;
    put16(&mut boot, 17, geometry.root_entries);
    let blocks = geometry.blocks();
    if blocks < 0x1_0000 && !is_fat32 {
        put16(&mut boot, 19, blocks);
    } else {
        put32(&mut boot, 32, blocks);
    }
    boot[21] = 0xF8;
    put16(&mut boot, 24, 63);
    put16(&mut boot, 26, 255);
    put32(&mut boot, 28, geometry.start);
    let more = if is_fat32 {
        put32(&mut boot, 36, geometry.fat_blocks());
        put16(&mut boot, 40, geometry.only_fat.map_or(0, |fat| 0x80 | fat));
        put32(&mut boot, 44, 2);
        put16(&mut boot, 48, 1);
        put16(&mut boot, 50, if geometry.reserved > 7 { 6 } else { 0 });
        64
    } else {
        put16(&mut boot, 22, geometry.fat_blocks());
        36
    };
    boot[more] = 0x80;
    boot[more + 2] = 0x29;
    put32(&mut boot, more + 3, 0x1234_5678);
    boot[more + 7..more + 18].copy_from_slice(b"NO NAME    ");
    boot[more + 18..more + 26].copy_from_slice(if is_fat32 { b"FAT32   " } else { b"FAT16   " });
    boot[510..].copy_from_slice(&[0x55, 0xAA]);
    boot
}
