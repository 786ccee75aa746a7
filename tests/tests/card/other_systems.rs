//! What other systems leave on a card, and what they do to it between two boots or while a log is open.

use crate::fixture::{OPTIONS, Sd, sd};
use crate::history::{contents, path};
use crate::power_cuts::stride;
use binlog_embedded::sd_log::{Cause, Fault, Options};
use binlog_tests::ram_card::{RamCard, Word};
use binlog_tests::volume::{Clusters, Computer, Geometry, Region, Volume, set_sum};
use embedded_io::Write;
use std::ops::ControlFlow;

const GEOMETRIES: [Geometry; 3] = [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT];

/// A card with a folder of logs of these lengths in bytes, the first with number 1.
fn with_logs(geometry: &Geometry, bytes: &[usize]) -> (RamCard, Computer) {
    let card = geometry.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    for (number, &bytes) in (1..).zip(bytes) {
        computer.put(&path("LOGS", number), &contents(number, bytes), Clusters::First);
    }
    computer.note_free_clusters();
    (card, computer)
}

fn numbers(sd: &mut Sd) -> Vec<u32> {
    let mut numbers = Vec::new();
    let each = |log: binlog_embedded::sd_log::LogFile| {
        numbers.push(log.number);
        ControlFlow::Continue(())
    };
    sd.list(each).unwrap();
    numbers.sort_unstable();
    numbers
}

/// A log whose name a computer wrote in small letters has a long name, too. Its slots may be in the block before that
/// of the entry.
#[test]
fn a_long_name_goes_with_its_log() {
    for geometry in [Geometry::FAT16, Geometry::FAT32] {
        for before in 0..16 {
            let (card, computer) = with_logs(&geometry, &[]);
            for number in 0..before {
                computer.put(&format!("LOGS/F{number}.TXT"), &[], Clusters::First);
            }
            computer.put("LOGS/00000007.bin", &contents(7, 9000), Clusters::First);
            computer.note_free_clusters();
            let mut sd = sd(&card, OPTIONS);
            assert_eq!(sd.remove_oldest(), Ok(Some(7)), "{geometry:?}, {before} files before it");
            let report = Volume::of(&card).check();
            report.assert_clean(format_args!("{geometry:?}, {before} files before it"));
            assert!(report.tree.get("LOGS/00000007.bin").is_none());
        }
    }
}

/// The slot that begins a long name says so. Without that, all slots before the entry are still its name.
#[test]
fn a_long_name_without_its_beginning_goes_with_its_log() {
    let (card, computer) = with_logs(&Geometry::FAT32, &[]);
    computer.put("LOGS/00000007.bin", &contents(7, 9000), Clusters::First);
    computer.note_free_clusters();
    let (block, offset) = computer.volume().tree().get("LOGS/00000007.bin").unwrap().at;
    card.edit(block, |block| block[offset - 32] &= !0x40);
    assert_eq!(sd(&card, OPTIONS).remove_oldest(), Ok(Some(7)));
    Volume::of(&card).check().assert_clean("without the log");
    let slots = [offset - 32, offset].map(|slot| card.block(block)[slot]);
    assert_eq!(slots, [0xE5, 0xE5], "the name and the entry are deleted");
}

/// A log without clusters makes no room.
#[test]
fn empty_logs_stay_on_a_full_card() {
    for geometry in GEOMETRIES {
        let (card, computer) = with_logs(&geometry, &[0, 0, 0]);
        computer.occupy_all_but("PHOTO", 0);
        computer.note_free_clusters();
        let mut sd = sd(&card, OPTIONS);
        let error = sd.begin_log().unwrap_err();
        assert!(matches!(error.cause, Cause::Fault(Fault::Full)), "{geometry:?}: {error}");
        assert_eq!(numbers(&mut sd), [1, 2, 3], "{geometry:?}");
    }
}

/// A file whose number is higher than [`Options::last_number`] isn't a log.
#[test]
fn files_with_numbers_above_the_last_stay() {
    for geometry in GEOMETRIES {
        let (card, computer) = with_logs(&geometry, &[30_000]);
        computer.put(&path("LOGS", 50), &contents(50, 30_000), Clusters::First);
        computer.occupy_all_but("PHOTO", 0);
        computer.note_free_clusters();
        let mut sd = sd(&card, Options { last_number: 9, ..OPTIONS });
        assert_eq!(sd.begin_log(), Ok(2), "{geometry:?}");
        let error = sd.write_all(&[0x4C; 60_000]).unwrap_err();
        assert!(matches!(error.cause, Cause::Fault(Fault::Full | Fault::Blocked)), "{geometry:?}: {error}");
        sd.end_log().unwrap();
        assert_eq!(sd.remove_oldest(), Ok(None), "{geometry:?}");
        let volume = Volume::of(&card);
        assert!(volume.read(&path("LOGS", 1)).is_none(), "{geometry:?}: it made room");
        assert_eq!(volume.read(&path("LOGS", 50)), Some(contents(50, 30_000)), "{geometry:?}");
    }
}

/// exFAT: the FAT's entries don't count for a folder whose clusters follow each other.
#[test]
fn a_contiguous_folder_ends_with_its_size() {
    let card = Geometry::EXFAT.format();
    let computer = Computer::new(&card);
    computer.put("PHOTO.JPG", &[0; 4096], Clusters::First);
    let mut first = sd(&card, OPTIONS);
    first.begin_log().unwrap();
    first.end_log().unwrap();
    let tree = computer.volume().tree();
    let (folder, photo) = (tree.get("LOGS").unwrap(), tree.get("PHOTO.JPG").unwrap());
    assert!(folder.contiguous);
    computer.link(folder.runs[0].end - 1, photo.first);
    // TexFAT's padding is in use and no file's, so the folder is full.
    for at in folder.runs[0].clone().flat_map(|cluster| computer.volume().blocks_of(cluster)) {
        card.edit(at, |block| block.chunks_mut(32).for_each(|slot| slot[0] = 0xA1));
    }
    let error = sd(&card, OPTIONS).begin_log().unwrap_err();
    assert!(matches!(error.cause, Cause::Fault(Fault::DirectoryFull)), "{error}");
    assert_eq!(Volume::of(&card).read("PHOTO.JPG"), Some(vec![0; 4096]));
}

/// exFAT: a file that claims to have more clusters than there are is removed, and nothing else is touched.
#[test]
fn a_log_with_a_size_beyond_the_card_takes_nothing_along() {
    for bytes in [1 << 27, 1 << 31, (1 << 32) - 2] {
        let card = Geometry::EXFAT.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put(&path("LOGS", 1), &contents(1, 9000), Clusters::Contiguous);
        computer.put(&path("LOGS", 2), &contents(2, 90_000), Clusters::First);
        computer.occupy_all_but("PHOTO", 100);
        computer.resize(&path("LOGS", 1), bytes);
        let free = computer.volume().free_clusters();
        let end = card.blocks();
        let last_blocks: Vec<_> = (end - 800..end).map(|at| card.block(at)).collect();
        assert_eq!(sd(&card, OPTIONS).remove_oldest(), Ok(Some(1)), "{bytes}");
        let volume = Volume::of(&card);
        assert_eq!(volume.read(&path("LOGS", 2)), Some(contents(2, 90_000)), "{bytes}");
        assert_eq!(volume.free_clusters(), free, "{bytes}: the log's clusters aren't known, so none is freed");
        assert!((end - 800..end).map(|at| card.block(at)).eq(last_blocks), "{bytes}");
    }
}

/// exFAT: a checksum that fits before the last slot of the set doesn't count.
#[test]
fn a_set_with_a_wrong_checksum_isnt_a_log() {
    let (card, computer) = with_logs(&Geometry::EXFAT, &[5000]);
    let (block, offset) = computer.volume().tree().get(&path("LOGS", 1)).unwrap().at;
    card.edit(block, |block| {
        block[offset + 1] = 3;
        let sum = set_sum(&block[offset..offset + 96]);
        block[offset + 2..offset + 4].copy_from_slice(&sum.to_le_bytes());
        // A vendor's extension.
        block[offset + 96] = 0xE0;
    });
    assert!(numbers(&mut sd(&card, OPTIONS)).is_empty());
    card.edit(block, |block| {
        let sum = set_sum(&block[offset..offset + 128]);
        block[offset + 2..offset + 4].copy_from_slice(&sum.to_le_bytes());
    });
    // The extension may have clusters, which only its vendor's system can free.
    let mut sd = sd(&card, OPTIONS);
    assert_eq!(numbers(&mut sd), [1]);
    assert_eq!(sd.remove_oldest(), Ok(None));
    assert!(Volume::of(&card).read(&path("LOGS", 1)).is_some());
}

/// exFAT: a computer deleted files whose entries go across the end of a block. The log's note takes a slot of one of
/// them.
#[test]
fn a_note_in_a_deleted_set_is_found() {
    let (card, computer) = with_logs(&Geometry::EXFAT, &[]);
    for number in 0..7 {
        computer.put(&format!("LOGS/F{number}.TXT"), &[], Clusters::First);
    }
    let entry = |name| computer.volume().tree().get(name).unwrap().at;
    let (block, slot) = entry("LOGS/F5.TXT");
    assert_eq!(slot, 15 * 32);
    computer.delete("LOGS/F5.TXT");
    computer.delete("LOGS/F6.TXT");
    card.record();
    let mut first = sd(&card, OPTIONS);
    first.begin_log().unwrap();
    first.write_all(&contents(1, 9000)).unwrap();
    first.flush().unwrap();
    assert_eq!(entry(&path("LOGS", 1)), (block + 1, 32));
    let regions = Volume::of(&card).regions();
    let is_contents = |at| regions.of(at) == Region::Contents;
    let mut flushed = 0;
    card.recording().moments(0..usize::MAX, Word::Four, is_contents, |moment, card| {
        let numbers = numbers(&mut sd(&card, OPTIONS));
        let volume = Volume::of(&card);
        volume.check().assert_clean(format_args!("{moment:?}"));
        if numbers == [1] {
            assert_eq!(volume.read(&path("LOGS", 1)), Some(contents(1, 9000)), "{moment:?}");
            flushed += 1;
        }
    });
    assert!(flushed > 3, "the last block is torn at several words: {flushed}");
}

/// The power fails in a removal, and a computer gives one of the log's clusters to somebody else before the next boot.
#[test]
fn cluster_that_a_computer_took_from_a_removed_log_stays_taken() {
    for geometry in [Geometry::FAT16, Geometry::FAT32] {
        let cluster = geometry.cluster_blocks as usize * 512;
        let (card, computer) = with_logs(&geometry, &[3 * cluster, 9000]);
        let first = computer.volume().tree().get(&path("LOGS", 1)).unwrap().first;
        card.record();
        assert_eq!(sd(&card, OPTIONS).remove_oldest(), Ok(Some(1)));
        let mut seen = 0;
        let is_whole = |_| true;
        card.recording().moments(0..usize::MAX, Word::Two, is_whole, |moment, card| {
            let tree = Volume::of(&card).tree();
            let is_cut = tree.get(&path("LOGS", 1)).is_some_and(|log| log.size == 0 && log.clusters() == 3);
            if moment.torn > 0 || !is_cut {
                return;
            }
            seen += 1;
            let computer = Computer::new(&card);
            // The removal came so far: it marks clusters with this value.
            computer.link(first + 1, 0x0FFF_FFFB);
            computer.link(first + 2, 0);
            computer.put("PHOTO.JPG", &contents(9, 2 * cluster), Clusters::From(first + 2));
            let photo = computer.volume().tree().get("PHOTO.JPG").unwrap().clone();
            assert_eq!((photo.first, photo.runs.len()), (first + 2, 2));
            computer.note_free_clusters();
            assert_eq!(numbers(&mut sd(&card, OPTIONS)), [2], "{geometry:?}, {moment:?}");
            let volume = Volume::of(&card);
            assert_eq!(volume.read("PHOTO.JPG"), Some(contents(9, 2 * cluster)), "{geometry:?}, {moment:?}");
            volume.check().assert_clean(format_args!("{geometry:?}, {moment:?}"));
        });
        assert!(seen > 0, "{geometry:?}");
    }
}

/// Something else has the card while a log is open. A flush that finds the log's entry gone returns an error, and
/// doesn't write the entry.
#[test]
fn a_flush_to_an_entry_that_is_gone_is_an_error() {
    for name in [*b"\xE50000001BIN", *b"PHOTO   JPG"] {
        for geometry in [Geometry::FAT16, Geometry::FAT32] {
            let geometry = Geometry { cluster_blocks: 1, ..geometry };
            let card = geometry.format();
            let mut sd = sd(&card, OPTIONS);
            sd.begin_log().unwrap();
            sd.write_all(&contents(1, 3000)).unwrap();
            sd.flush().unwrap();
            let (block, offset) = Volume::of(&card).tree().get(&path("LOGS", 1)).unwrap().at;
            card.edit(block, |block| block[offset..offset + 11].copy_from_slice(&name));
            let entry = card.block(block)[offset..offset + 32].to_vec();
            // Enough that the block of the entry is read again.
            let error = (0..100).find_map(|_| sd.write_all(&[0x4C; 3000]).and_then(|()| sd.flush()).err());
            let error = error.expect("the entry is another's");
            assert!(matches!(error.cause, Cause::Changed), "{geometry:?}: {error}");
            assert_eq!(card.block(block)[offset..offset + 32], entry, "{geometry:?}");
        }
    }
}

/// exFAT: the power failed while a log owned clusters in advance, and a computer gave the slots of the log's entry to
/// another file.
#[test]
fn a_file_in_the_slots_of_a_deleted_log_keeps_its_clusters() {
    let (card, computer) = with_logs(&Geometry::EXFAT, &[]);
    let mut first = sd(&card, OPTIONS);
    first.begin_log().unwrap();
    first.write_all(&contents(1, 9000)).unwrap();
    first.flush().unwrap();
    let (block, offset) = computer.volume().tree().get(&path("LOGS", 1)).unwrap().at;
    // The log's three clusters are somebody's now, and the photo's entry is moved to where the log's was.
    computer.delete(&path("LOGS", 1));
    let others = ["LOGS/A.TXT", "LOGS/PHOTO.JPG", "LOGS/B.TXT"];
    others.into_iter().for_each(|name| computer.put(name, &contents(9, 4000), Clusters::First));
    let (from, at) = computer.volume().tree().get("LOGS/PHOTO.JPG").unwrap().at;
    assert_eq!(from, block);
    card.edit(block, |block| {
        block.copy_within(at..at + 96, offset);
        block[at..at + 96].iter_mut().step_by(32).for_each(|kind| *kind &= 0x7F);
    });
    for _ in 0..2 {
        assert!(numbers(&mut sd(&card, OPTIONS)).is_empty());
        let volume = Volume::of(&card);
        for name in others {
            assert!(volume.read(name) == Some(contents(9, 4000)), "{name}");
        }
        assert_eq!(volume.check().flaws.into_iter().find(|flaw| !flaw.is_waste()), None);
    }
}

/// exFAT: 4,096 clusters are described by a block of the bitmap.
#[test]
fn logs_across_the_end_of_a_block_of_the_bitmap_are_whole() {
    for before in 4080..4100 {
        let card = Geometry { clusters: 9000, ..Geometry::EXFAT }.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        let taken = computer.volume().clusters - computer.volume().free_clusters();
        computer.occupy("TAKEN.DAT", before - taken, Clusters::First);
        for boot in 1..=2 {
            let mut sd = sd(&card, OPTIONS);
            assert_eq!(sd.begin_log(), Ok(boot));
            sd.write_all(&contents(boot, 60_000)).unwrap();
            sd.end_log().unwrap();
        }
        let volume = Volume::of(&card);
        for number in 1..=2 {
            assert!(volume.read(&path("LOGS", number)) == Some(contents(number, 60_000)), "{before}: log {number}");
        }
        volume.check().assert_clean(format_args!("{before} clusters are taken"));
    }
}

/// exFAT: the bytes of a log that another system made longer without writing them are zeros, not what the clusters
/// held before.
#[test]
fn bytes_of_a_log_that_were_not_written_are_zeros() {
    for place in [Clusters::First, Clusters::Every(2), Clusters::Contiguous] {
        for valid in [0, 1, 511, 512, 513, 4096, 5000, 8999, 9000] {
            let (card, computer) = with_logs(&Geometry::EXFAT, &[]);
            let log = contents(1, 9000);
            computer.put(&path("LOGS", 1), &log, place);
            computer.put(&path("LOGS", 2), &log, place);
            computer.leave_unwritten(&path("LOGS", 1), valid as u64);
            let mut sd = sd(&card, OPTIONS);
            for (number, written) in [(1, valid), (2, 9000)] {
                let mut extracted = Vec::new();
                let passed = sd.extract(number, |bytes| {
                    extracted.extend_from_slice(bytes);
                    ControlFlow::Continue(())
                });
                assert_eq!(passed, Ok(9000), "{place:?}, {valid}");
                assert!(extracted[..written] == log[..written], "{place:?}, {valid}, log {number}");
                assert!(extracted[written..].iter().all(|&byte| byte == 0), "{place:?}, {valid}, log {number}");
            }
        }
    }
}

/// exFAT: the power fails after a log, an extent or the folder was noted and before its clusters are taken, or while
/// they are. A computer gives clusters of them to a file, which keeps them.
#[test]
fn a_file_that_a_computer_writes_after_a_cut_keeps_its_clusters() {
    // Runs that end within a word of the bitmap, and in another one than they begin in.
    for (cluster_blocks, run) in [(1, 100), (8, 5)] {
        let geometry = Geometry { cluster_blocks, ..Geometry::EXFAT };
        let options = Options { extent_bytes: run * cluster_blocks * 512, ..OPTIONS };
        for has_folder in [false, true] {
            let card = geometry.format();
            let computer = Computer::new(&card);
            computer.put("MORE.DAT", &contents(3, 9000), Clusters::First);
            if has_folder {
                computer.folder("LOGS");
            }
            card.record();
            let mut first = sd(&card, options);
            first.begin_log().unwrap();
            first.write_all(&contents(1, options.extent_bytes as usize + 2000)).unwrap();
            first.flush().unwrap();
            let regions = Volume::of(&card).regions();
            let is_contents = |at| regions.of(at) == Region::Contents;
            let mut seen = 0;
            card.recording().moments(0..usize::MAX, Word::Four, is_contents, |moment, card| {
                // After a tear, a file that takes whole words of the bitmap right after it can't be told from the run.
                for clusters in [1, run, 20].into_iter().filter(|&clusters| moment.torn == 0 || clusters < 32) {
                    for place in [Clusters::First, Clusters::Contiguous, Clusters::Backwards] {
                        seen += 1;
                        if moment.torn > 0 && seen % stride(5) != 0 {
                            continue;
                        }
                        let card = card.copy();
                        let photo = contents(9, (clusters * cluster_blocks * 512 - 100) as usize);
                        Computer::new(&card).put("PHOTO.JPG", &photo, place);
                        let check = |when| {
                            let context = format!("{when}: {geometry:?}, {moment:?}, {clusters} clusters, {place:?}");
                            let volume = Volume::of(&card);
                            assert!(volume.read("PHOTO.JPG").as_ref() == Some(&photo), "{context}");
                            let report = volume.check();
                            let flaw = report.flaws.iter().find(|flaw| !flaw.is_waste());
                            assert_eq!(
                                flaw, None,
                                "{context}
{report:?}"
                            );
                        };
                        let mut next = sd(&card, options);
                        numbers(&mut next);
                        check("after the next boot");
                        next.begin_log().unwrap();
                        next.write_all(&contents(2, 2000)).unwrap();
                        next.end_log().unwrap();
                        check("after its log");
                    }
                }
            });
            assert!(seen > 300, "{seen}");
        }
    }
}
