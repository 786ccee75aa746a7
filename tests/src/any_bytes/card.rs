//! All calls of `SdLog`, on any bytes as a card: shared by the fuzz target and the property test.
//!
//! What must hold on any card is asserted here. The fuzzer notices panics and hangs.

use crate::ram_card::RamCard;
use crate::volume::{Clusters, Computer, Geometry, Region, Regions, Volume};
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Options, Undated};
use embedded_io::Write;
use std::ops::ControlFlow;

const OPTIONS: Options = Options { extent_bytes: 16 << 10, free_bytes: 0, ..Options::DEFAULT };

/// A card that a vehicle and a computer have used, and its blocks that say something about others.
struct Used {
    card: RamCard,
    metadata: Vec<u32>,
    regions: Regions,
    end: u32,
}

fn used(geometry: Geometry) -> Used {
    let card = geometry.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    computer.put("LOGS/00000001.BIN", &[0x31; 9000], Clusters::Every(2));
    computer.put("LOGS/Notes about the flight.txt", &[0x32; 900], Clusters::First);
    computer.note_free_clusters();
    // Its power went while a log was open, so there are notes.
    let mut sd = SdLog::<_, _, 8>::with_blocks(card.clone(), Undated, OPTIONS);
    if sd.begin_log().is_ok() {
        let _ = sd.write_all(&[0x33; 5000]).and_then(|()| sd.flush());
    }
    let regions = Volume::of(&card).regions();
    let mut metadata = Vec::new();
    card.each_written(0..card.blocks(), |at, block| {
        let is_table = at < geometry.start.min(3);
        if is_table
            || !matches!(regions.of(at), Region::Contents | Region::Outside) && block.iter().any(|&byte| byte != 0)
        {
            metadata.push(at);
        }
    });
    Used { card, metadata, regions, end: geometry.start + geometry.blocks() }
}

thread_local! {
    static USED: [Used; 4] = [
        used(Geometry { cluster_blocks: 1, ..Geometry::FAT16 }),
        used(Geometry::FAT32),
        used(Geometry { cluster_blocks: 1, ..Geometry::EXFAT }),
        used(Geometry { table: crate::volume::PartitionTable::Gpt, ..Geometry::EXFAT }),
    ];
}

/// The card that bytes stand for: its blocks as they are, or a used card with damage, four bytes for each piece: the
/// block, the place in it (two), and a new byte.
pub fn card(bytes: &[u8]) {
    let Some((&kind, rest)) = bytes.split_first() else { return };
    if kind % 5 == 4 {
        let card = RamCard::blank(20_000);
        for (at, bytes) in (0..).zip(rest.chunks(512)) {
            card.edit(at, |block| block[..bytes.len()].copy_from_slice(bytes));
        }
        exercise(&card);
        return;
    }
    USED.with(|used| {
        let used = &used[usize::from(kind % 5)];
        let card = used.card.copy();
        let mut damages_table = false;
        for piece in rest.chunks_exact(4) {
            let at = used.metadata[usize::from(piece[0]) % used.metadata.len()];
            // What says where the file system is may say that it is elsewhere.
            damages_table |= matches!(used.regions.of(at), Region::Outside | Region::Boot);
            card.edit(at, |block| block[usize::from(piece[1]) << 1 | usize::from(piece[2] & 1)] = piece[3]);
        }
        exercise(&card);
        if !damages_table {
            let is_inside = |&at: &u32| used.regions.of(at) > Region::Boot && at < used.end;
            assert!(card.touched().iter().all(is_inside), "wrote outside of the file system: {:?}", card.touched());
        }
    });
}

fn exercise(card: &RamCard) {
    let first = card.block(0);
    for _ in 0..2 {
        let mut sd = SdLog::<_, _, 8>::with_blocks(card.clone(), Undated, OPTIONS);
        let mut numbers = Vec::new();
        let _ = sd.list(|log| {
            numbers.push(log.number);
            if numbers.len() < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        for number in numbers.into_iter().take(3) {
            let mut chunks = 0;
            let _ = sd.extract(number, |_| {
                chunks += 1;
                if chunks < 50 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        let _ = sd.begin_log();
        for _ in 0..12 {
            let _ = sd.write(&[0x44; 3000]).map(|_| sd.flush());
        }
        let _ = sd.remove_oldest();
        let _ = sd.begin_log();
        let _ = sd.write_all(&[0x45; 100]);
        let _ = sd.end_log();
    }
    assert!(card.block(0) == first, "the card's first block was written");
    // Neither is a card searched again and again.
    assert!(card.reads() < 40 * u64::from(card.blocks()), "{} reads", card.reads());
}
