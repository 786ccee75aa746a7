//! How many blocks each call reads and writes at most, and in which order.

use crate::history::{contents, path};
use crate::promise::mount;
use crate::volumes::geometries;
use binlog_embedded::sd_log::Options;
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Geometry, Guest, Kind, Place, Region, Regions, Volume};
use embedded_io::Write;

/// Blocks that a call read and wrote.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Moved {
    reads: u64,
    contents: usize,
    metadata: usize,
}

/// Counts what a call moves, and checks that its data comes in ascending order and before the metadata.
fn moved<R>(card: &RamCard, regions: &Regions, call: impl FnOnce() -> R) -> (R, Moved) {
    let reads = card.reads();
    card.record();
    let returned = call();
    let blocks: Vec<u32> = card.recording().writes.iter().map(|written| written.at).collect();
    let is_contents = |&at: &u32| regions.of(at) == Region::Contents;
    let contents: Vec<u32> = blocks.iter().copied().filter(is_contents).collect();
    assert!(contents.windows(2).all(|pair| pair[0] < pair[1]), "contents in this order: {contents:?}");
    let metadata = blocks.iter().position(|at| !is_contents(at)).unwrap_or(blocks.len());
    assert!(!blocks[metadata..].iter().any(is_contents), "metadata before contents: {blocks:?}");
    (returned, Moved { reads: card.reads() - reads, contents: contents.len(), metadata: blocks.len() - contents.len() })
}

fn options(geometry: &Geometry) -> Options {
    Options { free_bytes: 0, partition: geometry.partition(), ..Options::DEFAULT }
}

/// Between flushes the card gets data blocks in ascending order and nothing else; a flush writes three blocks more at
/// most: one of each FAT, and one of the directory. On exFAT it is one.
#[test]
fn in_steady_state_only_contents_are_written_and_a_flush_adds_three_blocks() {
    for geometry in geometries().into_iter().filter(|geometry| !geometry.scattered_bitmap) {
        let card = geometry.format();
        let options = Options { extent_bytes: 1 << 20, ..options(&geometry) };
        let (mut recorder, _) = mount(&card, options).unwrap();
        recorder.begin_log().unwrap();
        recorder.write_all(&contents(1, 5_000)).unwrap();
        recorder.flush().unwrap();
        let regions = Volume::of(&card).regions();
        let most = if geometry.kind == Kind::ExFat { 1 } else { 3 };
        // The run is used up by less than half.
        for flush in 0..12 {
            let bytes = contents(2, 32 << 10);
            let ((), write) = moved(&card, &regions, || recorder.write_all(&bytes).unwrap());
            assert_eq!((write.reads, write.metadata), (0, 0), "{geometry:?}, {write:?}");
            assert!(write.contents <= 64 + 8, "{write:?}");
            let ((), flushed) = moved(&card, &regions, || recorder.flush().unwrap());
            assert!(flushed.metadata <= most, "flush {flush} of {geometry:?}: {flushed:?}");
            assert!(flushed.contents <= 8 + 1 && flushed.reads <= 2, "flush {flush} of {geometry:?}: {flushed:?}");
        }
    }
}

/// What the bus carries for each KiB, by 517 bytes a block: nothing is written twice.
#[test]
fn flushes_at_ends_of_blocks_cost_little() {
    for geometry in geometries().into_iter().filter(|geometry| !geometry.scattered_bitmap) {
        let card = geometry.format();
        let options = Options { extent_bytes: 2 << 20, ..options(&geometry) };
        let (mut recorder, _) = mount(&card, options).unwrap();
        recorder.begin_log().unwrap();
        recorder.flush().unwrap();
        let bytes = contents(1, 32 << 10);
        let before = card.writes();
        for _ in 0..32 {
            recorder.write_all(&bytes).unwrap();
            recorder.flush().unwrap();
        }
        let blocks = card.writes() - before;
        let per_kib = blocks as f64 * 517.0 / 1024.0;
        // With clusters of 512 bytes, a block of the FAT has the links of 64 KiB.
        let most = if geometry.cluster_blocks == 1 { 1_090.0 } else { 1_060.0 };
        assert!(per_kib <= most, "{geometry:?}: {per_kib} bytes a KiB");
    }
}

/// Each call's most blocks, on cards where it has the most to do.
#[test]
fn each_call_reads_and_writes_a_bounded_number_of_blocks() {
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry { clusters: 60_000, ..Geometry::EXFAT }] {
        let card = geometry.format();
        let guest = Guest::new(&card);
        guest.folder("LOGS");
        guest.put(&path("LOGS", 1), &contents(1, 100_000), Place::First);
        for number in 0..40 {
            guest.put(&format!("LOGS/Some other file {number}.txt"), &[7; 600], Place::Every(3));
        }
        guest.note_free_clusters();
        let volume = Volume::of(&card);
        let regions = volume.regions();
        let extent = 64 << 10;
        let options = Options { extent_bytes: extent, ..options(&geometry) };
        let directory = volume.tree().get("LOGS").unwrap().clusters() * u64::from(geometry.cluster_blocks);
        let root = u64::from(geometry.root_entries / 16).max(geometry.cluster_blocks.into());
        // Blocks of the FAT or the bitmap that the clusters of an extent and of the old log are in.
        let table = |bytes: u32| u64::from(bytes / 512 / geometry.cluster_blocks).div_ceil(128) + 2;
        let copies = if geometry.kind == Kind::ExFat { 1 } else { u64::from(geometry.fats) };
        let fat = u64::from(volume.fat_blocks);

        let (mounted, mount_moved) = moved(&card, &regions, || mount(&card, options).unwrap());
        let (mut recorder, _) = mounted;
        assert!(mount_moved.reads <= 8 + root + 4 * directory, "mount: {mount_moved:?}, {geometry:?}");
        assert_eq!((mount_moved.contents, mount_moved.metadata), (0, 0), "mount: {mount_moved:?}, {geometry:?}");

        let (_, begin) = moved(&card, &regions, || recorder.begin_log().unwrap());
        assert!(begin.reads <= fat + root + 3 * directory + 2 * table(extent), "begin: {begin:?}, {geometry:?}");
        assert!(begin.metadata as u64 <= 4 + table(extent) * copies, "begin: {begin:?}, {geometry:?}");
        assert_eq!(begin.contents, 0, "begin: {begin:?}, {geometry:?}");

        let regions = volume.regions();
        for _ in 0..40 {
            let (_, write) = moved(&card, &regions, || recorder.write(&[3; 4096]).unwrap());
            // At the end of its run, the log is flushed and gets another.
            assert!(write.reads <= fat + 8, "write: {write:?}, {geometry:?}");
            assert!(
                write.metadata as u64 <= 6 + table(extent) * copies + table(extent),
                "write: {write:?}, {geometry:?}"
            );
        }

        let (_, end) = moved(&card, &regions, || recorder.end_log().unwrap());
        assert!(end.metadata as u64 <= 6 + 2 * table(extent) * copies, "end: {end:?}, {geometry:?}");
        let (removed, remove) = moved(&card, &regions, || recorder.remove_oldest().unwrap());
        assert_eq!(removed, Some(1));
        assert!(remove.metadata as u64 <= 6 + 3 * table(100_000) * copies, "remove: {remove:?}, {geometry:?}");
        assert_eq!(remove.contents, 0, "remove: {remove:?}, {geometry:?}");
    }
}
