//! exFAT. Source of all places: Microsoft's "exFAT file system specification".

use super::Geometry;
use crate::ram_card::{Block, RamCard};

fn put32(block: &mut [u8], at: usize, value: u32) {
    block[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put64(block: &mut [u8], at: usize, value: u64) {
    block[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

pub(super) fn format(card: &RamCard, geometry: &Geometry) {
    let start = geometry.start;
    let fat = start + geometry.reserved;
    for at in start..start + geometry.blocks_before_data() {
        card.set_block(at, [0; 512]);
    }
    let cluster_bytes = geometry.cluster_blocks * 512;
    let bitmap_bytes = geometry.clusters.div_ceil(8);
    let bitmap_clusters = bitmap_bytes.div_ceil(cluster_bytes);
    let step = if geometry.scattered_bitmap { 2 } else { 1 };
    let bitmap: Vec<u32> = (0..bitmap_clusters).map(|i| 2 + i * step).collect();
    let upcase_cluster = 2 + bitmap_clusters * step;
    let root = upcase_cluster + 1;
    let used: Vec<u32> = bitmap.iter().copied().chain([upcase_cluster, root]).collect();

    let fat_entry = |cluster: u32, value: u32| {
        card.edit(fat + cluster / 128, |block| put32(block, (cluster % 128 * 4) as usize, value));
    };
    fat_entry(0, 0xFFFF_FFF8);
    fat_entry(1, 0xFFFF_FFFF);
    for pair in bitmap.windows(2) {
        fat_entry(pair[0], pair[1]);
    }
    for end in [bitmap.last().copied().unwrap_or(2), upcase_cluster, root] {
        fat_entry(end, 0xFFFF_FFFF);
    }

    let data = start + geometry.blocks_before_data();
    let put = |cluster: u32, bytes: &[u8]| {
        let first = data + (cluster - 2) * geometry.cluster_blocks;
        for at in 0..geometry.cluster_blocks {
            let mut block = [0; 512];
            let rest = bytes.get(at as usize * 512..).unwrap_or_default();
            let count = rest.len().min(512);
            block[..count].copy_from_slice(&rest[..count]);
            card.set_block(first + at, block);
        }
    };
    let mut bits = vec![0; bitmap_bytes as usize];
    for cluster in used {
        bits[((cluster - 2) / 8) as usize] |= 1 << ((cluster - 2) % 8);
    }
    for (&cluster, bytes) in bitmap.iter().zip(bits.chunks(cluster_bytes as usize)) {
        put(cluster, bytes);
    }
    let upcase = upcase_table();
    put(upcase_cluster, &upcase);
    let mut entries = [0; 96];
    entries[0] = 0x83;
    entries[32] = 0x81;
    put32(&mut entries, 32 + 20, 2);
    put64(&mut entries, 32 + 24, bitmap_bytes.into());
    entries[64] = 0x82;
    put32(&mut entries, 64 + 4, upcase.iter().fold(0, add));
    put32(&mut entries, 64 + 20, upcase_cluster);
    put64(&mut entries, 64 + 24, upcase.len() as u64);
    put(root, &entries);

    let boot = boot_sectors(geometry, root);
    for (at, block) in (0..).zip(boot) {
        card.set_block(start + at, block);
        card.set_block(start + 12 + at, block);
    }
}

/// ASCII in upper case, and all else as it is.
fn upcase_table() -> Vec<u8> {
    let ascii = (0..128u16).map(|unit| if (0x61..=0x7A).contains(&unit) { unit - 0x20 } else { unit });
    // 0xFFFF and a number stand for that many characters that are mapped to themselves.
    ascii.chain([0xFFFF, 0xFFFF - 127]).flat_map(u16::to_le_bytes).collect()
}

fn add(sum: u32, &byte: &u8) -> u32 {
    sum.rotate_right(1).wrapping_add(byte.into())
}

fn boot_sectors(geometry: &Geometry, root: u32) -> [Block; 12] {
    let mut sectors = [[0; 512]; 12];
    let boot = &mut sectors[0];
    boot[..3].copy_from_slice(&[0xEB, 0x76, 0x90]);
    boot[3..11].copy_from_slice(b"EXFAT   ");
    put64(boot, 64, geometry.start.into());
    put64(boot, 72, geometry.blocks().into());
    put32(boot, 80, geometry.reserved);
    put32(boot, 84, geometry.fat_blocks());
    put32(boot, 88, geometry.blocks_before_data());
    put32(boot, 92, geometry.clusters);
    put32(boot, 96, root);
    put32(boot, 100, 0x1234_5678);
    boot[105] = 1;
    boot[108] = 9;
    boot[109] = geometry.cluster_blocks.trailing_zeros() as u8;
    boot[110] = geometry.fats as u8;
    boot[111] = 0x80;
    boot[112] = 0xFF;
    boot[120..510].fill(0xF4);
    boot[510..].copy_from_slice(&[0x55, 0xAA]);
    for sector in &mut sectors[1..9] {
        put32(sector, 508, 0xAA55_0000);
    }
    // The flags and the percentage change without the checksum.
    let counted = sectors[..11].as_flattened().iter().enumerate();
    let sum = counted.filter(|(at, _)| !matches!(at, 106 | 107 | 112)).fold(0, |sum, (_, byte)| add(sum, byte));
    for at in (0..512).step_by(4) {
        put32(&mut sectors[11], at, sum);
    }
    sectors
}
