//! Cards on which something leads back into itself, or keeps its contents when it is written: every call returns.

use crate::fixture::Sd;
use crate::history::{contents, path};
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Cause, Damage, Fault, Operation, Options, Undated};
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Clusters, Computer, Geometry, Volume};
use embedded_io::Write;
use std::ops::ControlFlow;

const OPTIONS: Options = Options { free_bytes: 0, extent_bytes: 64 << 10, ..Options::DEFAULT };

const FATS: [Geometry; 2] = [Geometry::FAT16, Geometry::FAT32];

fn sd(card: &RamCard) -> Sd {
    SdLog::with_blocks(card.clone(), Undated, OPTIONS)
}

/// A card with log 1 in pieces of one cluster, and the clusters of that.
fn with_log(geometry: Geometry) -> (RamCard, Computer, Vec<u32>) {
    let card = geometry.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    computer.put(&path("LOGS", 1), &contents(1, 12 * computer.volume().cluster_bytes() as usize), Clusters::Every(2));
    computer.put(&path("LOGS", 2), &contents(2, 5000), Clusters::Every(2));
    computer.note_free_clusters();
    let runs = computer.volume().tree().get(&path("LOGS", 1)).unwrap().runs.clone();
    (card, computer, runs.into_iter().flatten().collect())
}

/// Which clusters of twelve are linked to which.
const LOOPS: [(usize, usize); 6] = [(11, 11), (11, 0), (11, 7), (0, 0), (5, 4), (6, 1)];

#[test]
fn cyclic_chain_of_a_log_on_fat_is_a_named_error() {
    for (geometry, (from, to)) in FATS.into_iter().flat_map(|geometry| LOOPS.map(|link| (geometry, link))) {
        let (card, computer, clusters) = with_log(geometry);
        computer.link(clusters[from], clusters[to]);
        let before = card.copy();
        card.limit_reads(100);
        let error = sd(&card).remove_oldest().unwrap_err();
        assert_eq!(error.cause, Cause::Fault(Fault::Damaged(Damage::Endless)), "{geometry:?}, {from} to {to}");
        assert_eq!((error.operation, error.log), (Operation::Remove, Some(1)));
        assert!(error.to_string().starts_with("can't remove log 1: "), "{error}");
        assert!(card.touched().iter().all(|&at| card.block(at) == before.block(at)), "{geometry:?}, {from} to {to}");
    }
}

/// A removal that a power cut came into is completed by the next mount, and the log says that it has no bytes.
#[test]
fn cyclic_chain_of_a_half_removed_log_on_fat_is_a_named_error() {
    for geometry in FATS {
        let (card, computer, clusters) = with_log(geometry);
        computer.link(clusters[11], clusters[3]);
        let (at, offset) = computer.volume().tree().get(&path("LOGS", 1)).unwrap().at;
        card.edit(at, |block| block[offset + 28..offset + 32].fill(0));
        card.limit_reads(100);
        let error = sd(&card).begin_log().unwrap_err();
        assert!(error.to_string().starts_with("can't remove log 1: the file system is damaged"), "{error}");
    }
}

/// A file on FAT has less than 4 GiB, and so at most 2^23 clusters of 512 bytes.
#[test]
fn log_on_fat_with_too_many_clusters_is_a_named_error() {
    let card = Geometry { clusters: (1 << 23) + 1000, fats: 1, ..Geometry::FAT32 }.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    computer.put(&path("LOGS", 1), &contents(1, 5000), Clusters::First);
    let volume = computer.volume();
    let (first, last) = (volume.tree().get(&path("LOGS", 1)).unwrap().first, volume.clusters + 1);
    for cluster in (first..last).step_by(128) {
        let (at, _) = volume.place_of(cluster);
        let entries = cluster / 128 * 128..(cluster / 128 + 1) * 128;
        card.edit(at, |block| {
            for (entry, cluster) in
                block.chunks_mut(4).zip(entries).filter(|(_, cluster)| (first..last).contains(cluster))
            {
                entry.copy_from_slice(&(cluster + 1).to_le_bytes());
            }
        });
    }
    computer.link(last, 0x0FFF_FFFF);
    let before = card.writes();
    let error = sd(&card).remove_oldest().unwrap_err();
    assert_eq!(error.cause, Cause::Fault(Fault::Damaged(Damage::Endless)));
    assert_eq!((error.operation, error.log), (Operation::Remove, Some(1)));
    assert_eq!(card.writes(), before, "nothing is changed");
}

/// exFAT says how many clusters a log has, so that as many are freed at most.
#[test]
fn a_log_on_exfat_that_leads_back_into_itself_is_removed() {
    for (from, to) in LOOPS {
        let (card, computer, clusters) = with_log(Geometry::EXFAT);
        computer.link(clusters[from], clusters[to]);
        let free = computer.volume().free_clusters();
        card.limit_reads(100);
        assert_eq!(sd(&card).remove_oldest().unwrap(), Some(1), "{from} to {to}");
        let found = computer.volume().free_clusters() - free;
        // What the loop leaves out is nobody's any more.
        assert_eq!(found as usize, from + 1, "{from} to {to}");
        assert!(computer.volume().tree().get(&path("LOGS", 1)).is_none());
        assert_eq!(computer.volume().read(&path("LOGS", 2)), Some(contents(2, 5000)));
    }
}

/// A chain that is longer than its log leads to somebody else's clusters.
#[test]
fn clusters_beyond_the_end_of_a_log_on_exfat_stay_taken() {
    let (card, computer, clusters) = with_log(Geometry::EXFAT);
    let photo = contents(3, 20_000);
    computer.put("PHOTO.JPG", &photo, Clusters::Every(2));
    computer.link(clusters[11], computer.volume().tree().get("PHOTO.JPG").unwrap().first);
    card.limit_reads(100);
    assert_eq!(sd(&card).remove_oldest().unwrap(), Some(1));
    computer.volume().check().assert_clean("the card");
    assert_eq!(computer.volume().read("PHOTO.JPG"), Some(photo));
}

/// FNV-1a, with which a piece of a log that is being removed is noted.
fn noted(entry: &[u8]) -> u32 {
    let bytes = entry[1..22].iter().chain(&entry[26..28]).chain(b"remove");
    bytes.fold(0x811C_9DC5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The note of a removal can be wrong although its checksum is right.
#[test]
fn half_a_removal_with_another_length_is_completed() {
    for (geometry, count) in FATS.into_iter().flat_map(|geometry| [0, 2, 0x00FF_FFFF].map(|count| (geometry, count))) {
        let (card, computer, clusters) = with_log(geometry);
        let (at, offset) = computer.volume().tree().get(&path("LOGS", 1)).unwrap().at;
        card.edit(at, |block| {
            let entry = &mut block[offset..offset + 32];
            entry[28..].fill(0);
            entry[14..18].copy_from_slice(&clusters[11].to_le_bytes());
            (entry[13], entry[18], entry[19]) = (count as u8, (count >> 8) as u8, (count >> 16) as u8);
            let sum = noted(entry);
            entry[22..26].copy_from_slice(&sum.to_le_bytes());
        });
        card.limit_reads(1000);
        sd(&card).begin_log().unwrap();
        assert!(computer.volume().tree().get(&path("LOGS", 1)).is_none());
        computer.volume().check().assert_readable(format!("{geometry:?}, {count}"));
    }
}

/// Every call of `SdLog`, on a card that takes all writes and stores none.
fn wear_out(card: &RamCard, options: Options) {
    card.wear_out();
    card.limit_reads(50 * u64::from(card.blocks()));
    let mut sd: Sd = SdLog::with_blocks(card.clone(), Undated, options);
    for _ in 0..3 {
        let _ = sd.list(|_| ControlFlow::Continue(()));
        if sd.begin_log().is_ok() {
            while sd.write_all(&contents(1, 5000)).is_ok() && sd.byte_count() < 500_000 {
                let _ = sd.flush();
            }
        }
        let _ = sd.end_log();
        let _ = sd.remove_oldest();
    }
}

#[test]
fn a_card_that_stores_nothing_is_given_up() {
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        // The folder has to be created.
        wear_out(&geometry.format(), OPTIONS);
        // Logs have to be removed, in many pieces.
        let (card, ..) = with_log(geometry);
        let room = u64::from(Volume::of(&card).free_clusters()) * Volume::of(&card).cluster_bytes();
        wear_out(&card, Options { free_bytes: room + 1000, ..OPTIONS });
        // The number of an old log is wanted.
        let (card, ..) = with_log(geometry);
        wear_out(&card, Options { last_number: 2, ..OPTIONS });
        // The folder has to grow.
        let (card, computer, _) = with_log(geometry);
        let slots = computer.volume().tree().get("LOGS").unwrap().clusters() * computer.volume().cluster_bytes() / 32;
        for number in 3..slots - 1 {
            computer.put(&format!("LOGS/{number}.TXT"), &[], Clusters::First);
        }
        wear_out(&card, OPTIONS);
        // The entry of the log that is removed is in two blocks.
        for files in 0..6 {
            let card = geometry.format();
            let computer = Computer::new(&card);
            computer.folder("LOGS");
            for number in 0..files {
                let name = if number % 2 == 0 { "A" } else { "A file with a long name" };
                computer.put(&format!("LOGS/{name} {number}"), &[7], Clusters::First);
            }
            computer.put(&path("LOGS", 1), &contents(1, 9000), Clusters::Every(2));
            wear_out(&card, OPTIONS);
        }
    }
}

/// On exFAT, other systems begin an entry in any slot.
#[test]
fn a_log_whose_entry_is_in_two_blocks_is_removed_whole() {
    for (long, short) in (0..5).flat_map(|long| (0..5).map(move |short| (long, short))) {
        let card = Geometry::EXFAT.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        for number in 0..long {
            computer.put(&format!("LOGS/A file with a long name {number}"), &[7], Clusters::First);
        }
        for number in 0..short {
            computer.put(&format!("LOGS/{number}.TXT"), &[7], Clusters::First);
        }
        computer.put(&path("LOGS", 1), &contents(1, 9000), Clusters::Every(2));
        let (_, offset) = computer.volume().tree().get(&path("LOGS", 1)).unwrap().at;
        assert_eq!(sd(&card).remove_oldest().unwrap(), Some(1));
        let tree = computer.volume().tree();
        assert_eq!(tree.files("LOGS").count(), long + short, "the entry began at byte {offset}");
        computer.volume().check().assert_clean(format!("the entry began at byte {offset}"));
    }
}
