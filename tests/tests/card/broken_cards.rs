//! Cards that can't be used, or not as they say.

use crate::fixture::Sd;
use crate::history::contents;
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Cause, Fault, Flaw, Options, SdError, Undated, Unusable};
use binlog_tests::ram_card::{CardError, RamCard};
use binlog_tests::volume::{Clusters, Computer, FileSystem, Geometry, PartitionTable, Volume};
use embedded_io::Write;
use proptest::prelude::*;
use std::convert::Infallible;
use std::ops::ControlFlow;

const OPTIONS: Options = Options { free_bytes: 0, extent_bytes: 1 << 20, ..Options::DEFAULT };

fn sd(card: &RamCard, options: Options) -> Sd {
    SdLog::with_blocks(card.clone(), Undated, options)
}

const EACH: [Geometry; 3] = [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT];

/// Logs in three boots until each ends with an error. Returns the last one.
fn fill(card: &RamCard, options: Options) -> SdError<CardError> {
    let boot = || -> Result<Infallible, SdError<CardError>> {
        let mut sd = sd(card, options);
        sd.begin_log()?;
        loop {
            sd.write_all(&contents(1, 100_000))?;
            sd.flush()?;
        }
    };
    let [.., last] = [(); 3].map(|()| boot().unwrap_err());
    last
}

/// The partition table says less than the boot sector: what lies after the partition is somebody else's.
#[test]
fn partition_shorter_than_its_file_system_bounds_all_writes() {
    for geometry in EACH {
        let card = geometry.format();
        let length = geometry.blocks() / 2;
        card.edit(0, |table| table[458..462].copy_from_slice(&length.to_le_bytes()));
        fill(&card, OPTIONS);
        let touched = card.touched();
        assert!(touched.iter().all(|&at| (geometry.start..geometry.start + length).contains(&at)), "{geometry:?}");
    }
}

/// The boot sector says more than the card has. A block beyond the card would be an error of the card.
#[test]
fn a_card_smaller_than_its_file_system_is_an_error_or_gets_full() {
    for geometry in EACH {
        let large = geometry.format();
        let blocks = geometry.start + geometry.blocks() / 2;
        let card = RamCard::blank(blocks);
        large.each_written(0..blocks, |at, block| card.set_block(at, *block));
        let error = fill(&card, OPTIONS);
        assert!(matches!(error.cause, Cause::Fault(_)), "{geometry:?}: {error:?}");
    }
}

/// A full card keeps everything that belongs to others, to the last block.
#[test]
fn a_card_that_is_filled_keeps_what_isnt_the_logs() {
    for geometry in EACH {
        for table in [PartitionTable::Mbr { row: 2 }, PartitionTable::Gpt] {
            let card = Geometry { table, ..geometry }.format();
            let computer = Computer::new(&card);
            let photo = contents(9, 100_000);
            computer.put("PHOTO.JPG", &photo, Clusters::Every(3));
            computer.note_free_clusters();
            let before = card.copy();
            let volume = Volume::of(&card);
            let options = Options { partition: Geometry { table, ..geometry }.partition(), ..OPTIONS };
            fill(&card, options);
            sd(&card, options).list(|_| std::ops::ControlFlow::Continue(())).unwrap();
            let report = volume.check();
            report.assert_clean(format!("{geometry:?}"));
            assert!(volume.read("PHOTO.JPG") == Some(photo));
            let end = geometry.start + geometry.blocks();
            for at in (0..geometry.start + 1).chain(end..card.blocks()) {
                assert!(card.block(at) == before.block(at), "block {at}");
            }
            let logged: u64 = report.tree.files("LOGS").map(|file| file.size).sum();
            let room = u64::from(geometry.clusters) * u64::from(geometry.cluster_blocks) * 512;
            assert!(logged > room * 9 / 10, "{logged} of {room} bytes hold logs");
        }
    }
}

#[test]
fn a_bitmap_in_pieces_is_refused_by_name() {
    let card = Geometry { cluster_blocks: 1, clusters: 20_000, scattered_bitmap: true, ..Geometry::EXFAT }.format();
    let error = sd(&card, OPTIONS).begin_log().unwrap_err();
    assert!(
        matches!(error.cause, Cause::Fault(Fault::Unusable(Unusable::NotFat(Flaw::FragmentedBitmap)))),
        "{error:?}"
    );
    assert!(
        error.to_string().ends_with("must be formatted as FAT16, FAT32 or exFAT: its allocation bitmap is fragmented"),
        "{error}"
    );
    assert_eq!(card.writes(), 0);
}

/// Where the file system says so itself, each of the facts that it can't do without is looked at.
#[test]
fn impossible_boot_sector_or_bitmap_is_refused_by_name() {
    let refused = |geometry: Geometry, edit: &dyn Fn(&RamCard)| {
        let card = geometry.format();
        edit(&card);
        let error = sd(&card, OPTIONS).begin_log().unwrap_err();
        assert_eq!(card.writes(), 0, "{geometry:?}");
        match error.cause {
            Cause::Fault(Fault::Unusable(Unusable::NotFat(flaw))) => flaw,
            cause => panic!("{geometry:?}: {cause:?}"),
        }
    };
    for geometry in [Geometry::FAT16, Geometry::FAT32] {
        // Blocks of a cluster, blocks before the FATs, and FATs.
        for (at, bytes) in [(13, &[0][..]), (13, &[3]), (14, &[0, 0]), (16, &[0])] {
            let flaw = refused(geometry, &|card| {
                card.edit(geometry.start, |boot| boot[at..at + bytes.len()].copy_from_slice(bytes));
            });
            assert_eq!(flaw, Flaw::BootSector, "{geometry:?}, {at}: {bytes:?}");
        }
    }
    let bitmap = |card: &RamCard, at: usize, value: u32| {
        let root = Volume::of(card).blocks_of(Volume::of(card).root_cluster).start;
        card.edit(root, |block| {
            let entry = block.chunks_mut(32).find(|entry| entry[0] == 0x81).expect("the bitmap's entry");
            entry[at..at + 4].copy_from_slice(&value.to_le_bytes());
        });
    };
    // Its first cluster, and its bytes.
    for (at, value) in [(20, 0), (20, 1), (20, 5_002), (24, 0), (24, 512)] {
        assert_eq!(refused(Geometry::EXFAT, &|card| bitmap(card, at, value)), Flaw::Bitmap, "{at}: {value}");
    }
}

/// As the specification allows: the FAT begins 24 blocks after the boot sector at the earliest.
#[test]
fn the_smallest_beginning_of_an_exfat_is_used() {
    let card = Geometry { reserved: 24, ..Geometry::EXFAT }.format();
    assert_eq!(sd(&card, OPTIONS).begin_log(), Ok(1));
}

#[test]
fn a_card_without_a_partition_table_is_one_file_system() {
    for geometry in EACH {
        let card = Geometry { table: PartitionTable::None, start: 0, ..geometry }.format();
        assert_eq!(sd(&card, OPTIONS).begin_log(), Ok(1), "{geometry:?}");
    }
}

/// The protective partition of a GPT may be in any row, beside partitions of the GPT.
#[test]
fn a_gpt_is_found_in_any_row_of_the_partition_table() {
    for geometry in EACH {
        for row in 0..4 {
            let card = Geometry { table: PartitionTable::Gpt, ..geometry }.format();
            card.edit(0, |table| {
                let protective = table[446..462].to_vec();
                table[446..462].fill(0);
                table[446 + 16 * row..][..16].copy_from_slice(&protective);
            });
            assert_eq!(sd(&card, OPTIONS).begin_log(), Ok(1), "{geometry:?}, row {row}");
            assert!(Volume::at(&card, geometry.start).tree().get("LOGS").is_some(), "{geometry:?}, row {row}");
        }
    }
}

/// The GPT has checksums, and a copy at the end of the card.
#[test]
fn a_damaged_gpt_is_read_from_its_copy_or_refused_by_name() {
    let geometry = Geometry { table: PartitionTable::Gpt, ..Geometry::FAT32 };
    let whole = geometry.format();
    let last = whole.blocks() - 1;
    let damage = |card: &RamCard, at: u32, byte: usize| card.edit(at, |block| block[byte] ^= 0x11);
    // Of the header the signature, length, checksum, place, and the place, number, size and checksum of the entries; of
    // the entries the first one's beginning, and the last block.
    let header = [0, 12, 16, 24, 72, 80, 84, 88, 91].map(|byte| (1, byte));
    let entries = [(2, 0), (2, 32), (2, 40), (33, 511)];
    for (at, byte) in header.into_iter().chain(entries) {
        let card = whole.copy();
        damage(&card, at, byte);
        assert_eq!(sd(&card, OPTIONS).begin_log(), Ok(1), "byte {byte} of block {at}");
        assert!(Volume::at(&card, geometry.start).tree().get("LOGS").is_some(), "byte {byte} of block {at}");
        let copy = match at {
            1 => last,
            at => last - 34 + at,
        };
        for also in [(copy, byte), (last, 16), (last - 32, 0)] {
            let card = whole.copy();
            damage(&card, at, byte);
            damage(&card, also.0, also.1);
            let error = sd(&card, OPTIONS).begin_log().unwrap_err();
            let is_gpt = matches!(error.cause, Cause::Fault(Fault::Unusable(Unusable::NotFat(Flaw::Gpt))));
            assert!(is_gpt, "byte {byte} of block {at}, and {also:?}: {error:?}");
            assert_eq!(card.writes(), 0);
        }
    }
    // A card with only its copy is accepted.
    let card = whole.copy();
    damage(&card, last, 0);
    assert_eq!(sd(&card, OPTIONS).begin_log(), Ok(1));
}

/// FAT12 is named with and without a partition table.
#[test]
fn fat12_is_refused_by_name() {
    for table in [PartitionTable::None, PartitionTable::Mbr { row: 0 }] {
        let start = if table == PartitionTable::None { 0 } else { 2048 };
        let card = Geometry { table, start, ..Geometry::FAT16 }.format();
        // So few blocks that it has 4,084 clusters.
        card.edit(start, |boot| {
            let blocks = Geometry::FAT16.blocks() - 16 * Geometry::FAT16.cluster_blocks;
            boot[19..21].copy_from_slice(&(blocks as u16).to_le_bytes());
        });
        let refused = |card: &RamCard| {
            let error = sd(card, OPTIONS).begin_log().unwrap_err();
            assert_eq!(card.writes(), 0);
            assert!(error.to_string().contains("FAT12; a card of 16 MB or more can be FAT16"), "{error}");
            error.cause == Cause::Fault(Fault::Unusable(Unusable::NotFat(Flaw::Fat12)))
        };
        assert!(refused(&card), "{table:?}");
        if table != PartitionTable::None {
            card.edit(0, |block| block[446 + 4] = 0x01);
            assert!(refused(&card), "by the type of the partition");
        }
    }
}

/// Its code begins as a boot sector does, and says nothing of sectors.
#[test]
fn a_boot_manager_before_the_partition_table_is_no_file_system() {
    for geometry in EACH {
        let card = geometry.format();
        card.edit(0, |block| block[..3].copy_from_slice(&[0xEB, 0x5E, 0x90]));
        assert_eq!(sd(&card, OPTIONS).begin_log(), Ok(1), "{geometry:?}");
        assert!(Volume::at(&card, geometry.start).tree().get("LOGS").is_some(), "{geometry:?}");
    }
}

#[test]
fn sectors_of_4_kib_are_refused_by_name() {
    for geometry in EACH {
        let card = geometry.format();
        card.edit(geometry.start, |boot| if geometry == Geometry::EXFAT { boot[108] = 12 } else { boot[12] = 16 });
        let error = sd(&card, OPTIONS).begin_log().unwrap_err();
        assert!(matches!(error.cause, Cause::Fault(Fault::Unusable(Unusable::Sectors { bytes: 4096 }))), "{error:?}");
        assert_eq!(card.writes(), 0);
    }
}

#[test]
fn write_protected_card_is_an_error_until_it_is_unprotected() {
    for geometry in EACH {
        let card = geometry.format();
        let before = card.copy();
        card.protect(true);
        let mut sd = sd(&card, OPTIONS);
        for _ in 0..3 {
            let error = sd.begin_log().unwrap_err();
            assert!(matches!(error.cause, Cause::Card(_)), "{error:?}");
        }
        assert!((0..card.blocks()).all(|at| card.block(at) == before.block(at)), "{geometry:?}");
        card.protect(false);
        sd.begin_log().unwrap();
        sd.write_all(b"a log").unwrap();
        sd.end_log().unwrap();
        assert_eq!(Volume::of(&card).read("LOGS/00000001.BIN").unwrap(), b"a log");
    }
}

/// Computers set and clear the marks of an unclean shutdown and of errors; `SdLog` does neither.
#[test]
fn marks_of_a_dirty_volume_stay() {
    for geometry in EACH {
        let card = geometry.format();
        let volume = Volume::of(&card);
        let marks = |card: &RamCard| match geometry.kind {
            FileSystem::ExFat => card.block(volume.start)[106..108].to_vec(),
            FileSystem::Fat16 => card.block(volume.fat)[..4].to_vec(),
            FileSystem::Fat32 => card.block(volume.fat)[..8].to_vec(),
        };
        match geometry.kind {
            FileSystem::ExFat => card.edit(volume.start, |boot| boot[106] |= 6),
            FileSystem::Fat16 => card.edit(volume.fat, |fat| fat[3] = 0x3F),
            FileSystem::Fat32 => card.edit(volume.fat, |fat| fat[7] = 0x03),
        }
        if geometry.kind != FileSystem::ExFat {
            let first = card.block(volume.fat);
            card.set_block(volume.fat + volume.fat_blocks, first);
        }
        let before = marks(&card);
        let mut sd = sd(&card, OPTIONS);
        sd.begin_log().unwrap();
        sd.write_all(&contents(1, 10_000)).unwrap();
        sd.end_log().unwrap();
        assert_eq!(marks(&card), before, "{geometry:?}");
        volume.check().assert_clean(format!("{geometry:?}"));
    }
}

/// A file on FAT has less than 4 GiB, and so has a log on any card.
#[test]
#[ignore = "takes two minutes without optimization: cargo test --release -- --ignored"]
fn a_log_ends_before_4_gib() {
    for geometry in [
        Geometry { cluster_blocks: 64, clusters: 200_000, ..Geometry::FAT32 },
        Geometry { cluster_blocks: 256, clusters: 60_000, ..Geometry::EXFAT },
    ] {
        let card = geometry.format();
        card.discard_contents();
        let mut sd = sd(&card, Options { extent_bytes: 1 << 30, ..OPTIONS });
        let number = sd.begin_log().unwrap();
        let bytes = vec![0x5A; 1 << 20];
        let mut written = 0u64;
        let error = loop {
            match sd.write(&bytes[..4096]) {
                Ok(count) => written += count as u64,
                Err(error) => break error,
            }
            assert!(written <= u64::from(u32::MAX), "a file of {written} bytes");
        };
        assert!(matches!(error.cause, Cause::Fault(Fault::TooLong)), "{error}");
        assert_eq!(error.log, Some(number));
        assert!(written > u64::from(u32::MAX) - (1 << 20), "only {written} bytes");
        sd.flush().unwrap();
        sd.end_log().unwrap();
        let volume = Volume::of(&card);
        volume.check().assert_clean(format!("{geometry:?}"));
        assert_eq!(volume.tree().get("LOGS/00000001.BIN").unwrap().size, written);
    }
}

/// A card with a log of another system that has 4 GiB and 64 MiB, more than the recorder can count.
fn with_a_longer_log() -> RamCard {
    let card = Geometry { cluster_blocks: 65_536, clusters: 160, ..Geometry::EXFAT }.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    computer.occupy("LOGS/00000001.BIN", 130, Clusters::Contiguous);
    card
}

/// Its clusters beyond 4 GiB would be lost.
#[test]
fn foreign_log_of_4_gib_is_listed_and_never_removed() {
    let card = with_a_longer_log();
    // More than is free.
    let mut sd = sd(&card, Options { free_bytes: 2 << 30, ..OPTIONS });
    sd.list(|log| {
        assert_eq!((log.number, log.bytes), (1, u32::MAX));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(sd.remove_oldest().unwrap(), None);
    assert_eq!(sd.begin_log().unwrap(), 2);
    sd.end_log().unwrap();
    assert_eq!(Volume::of(&card).tree().get("LOGS/00000001.BIN").unwrap().size, 130 << 25);
}

#[test]
#[ignore = "takes a minute without optimization: cargo test --release -- --ignored"]
fn foreign_log_of_4_gib_reads_up_to_the_limit_then_fails() {
    let mut sd = sd(&with_a_longer_log(), OPTIONS);
    let mut passed = 0u64;
    let error = sd
        .extract(1, |bytes| {
            passed += bytes.len() as u64;
            ControlFlow::Continue(())
        })
        .unwrap_err();
    assert!(matches!(error.cause, Cause::Fault(Fault::Beyond4Gib)), "{error}");
    assert_eq!(error.log, Some(1));
    assert_eq!(passed, u64::from(u32::MAX));
}

fn exercised() -> u32 {
    if std::env::var_os("BINLOG_THOROUGH").is_some() { 50_000 } else { 200 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: exercised(), failure_persistence: None, ..ProptestConfig::default() })]

    /// On a damaged card, every call returns, and what it writes stays inside of the file system.
    #[test]
    fn damaged_card_never_panics_hangs_or_writes_outside(
        kind in 0..5u8,
        damage in proptest::collection::vec(any::<[u8; 4]>(), 0..40),
    ) {
        let bytes: Vec<u8> = [kind].into_iter().chain(damage.into_iter().flatten()).collect();
        binlog_tests::any_bytes::card::card(&bytes);
    }
}

#[test]
fn card_corpus_never_panics_hangs_or_writes_outside() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/card");
    for input in std::fs::read_dir(corpus).expect("the corpus is committed") {
        let input = input.expect("an entry of the folder").path();
        binlog_tests::any_bytes::card::card(&std::fs::read(input).expect("an input"));
    }
}
