//! How many blocks each call reads and writes at most, and in which order: the table in the documentation of `SdLog`.

use crate::fixture::{OPTIONS, Sd, flight, ring, sd, wait};
use crate::history::{contents, path};
use crate::promise::mount;
use crate::volumes::geometries;
use binlog_embedded::mavlink::LogStore;
use binlog_embedded::sd_log::Options;
use binlog_tests::ram_card::{RamCard, Written};
use binlog_tests::volume::{Clusters, Computer, Entry, FileSystem, Geometry, Region, Regions, Volume};
use embedded_io::Write;
use std::collections::BTreeSet;
use std::ops::{Add, ControlFlow, Mul};

/// Blocks that a call moves: a row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Row {
    reads: u64,
    /// Blocks of the log that are written.
    contents: u64,
    /// Other blocks that are written.
    others: u64,
}

impl Row {
    #[track_caller]
    fn assert_holds(self, moved: Row, context: impl std::fmt::Display) {
        let is_within = moved.reads <= self.reads && moved.contents <= self.contents && moved.others <= self.others;
        assert!(is_within, "{context}: {moved:?} instead of at most {self:?}");
    }
}

impl Add for Row {
    type Output = Row;

    fn add(self, row: Row) -> Row {
        Row { reads: self.reads + row.reads, contents: self.contents + row.contents, others: self.others + row.others }
    }
}

impl Mul<u64> for Row {
    type Output = Row;

    fn mul(self, times: u64) -> Row {
        Row { reads: self.reads * times, contents: self.contents * times, others: self.others * times }
    }
}

/// The letters of the table, for one card. The functions are its rows.
struct Table {
    is_exfat: bool,
    has_gpt: bool,
    /// Blocks of the root directory and of the folder, and one more for each of their clusters.
    r: u64,
    d: u64,
    /// Blocks of the FAT; on exFAT of the bitmap.
    f: u64,
    /// Those of them that describe an extent, and those that describe its clusters that are marked and not used.
    t: u64,
    m: u64,
    /// FATs that are kept equal.
    c: u64,
    /// Blocks of a cluster; on exFAT of the folder.
    s: u64,
}

/// Blocks of the buffer.
const BLOCKS: u64 = 8;

impl Table {
    fn of(card: &RamCard, options: &Options) -> Self {
        let volume = Volume::of(card);
        let cluster = u64::from(volume.cluster_blocks);
        let is_exfat = volume.kind == FileSystem::ExFat;
        let per_block = clusters_per_block(&volume);
        let folder = volume.tree().get(options.folder).map_or(0, Entry::clusters);
        let most = per_block * if is_exfat { 1 } else { 16 };
        let extent = u64::from(options.extent_bytes).div_ceil(volume.cluster_bytes()).min(most);
        let t = (extent - 1).div_ceil(per_block) + 1;
        Table {
            is_exfat,
            has_gpt: card.block(0)[446 + 4] == 0xEE,
            // The root directory of these cards has one cluster.
            r: if volume.kind == FileSystem::Fat16 { volume.root_blocks.len() as u64 } else { cluster + 1 },
            d: folder * (cluster + 1),
            f: u64::from(volume.clusters + if is_exfat { 0 } else { 2 }).div_ceil(per_block),
            t,
            m: t.min(6),
            c: if is_exfat || !volume.mirrored { 1 } else { volume.fats.into() },
            s: if is_exfat { cluster.max(128) } else { cluster },
        }
    }

    fn mount(&self) -> Row {
        let entries = if self.has_gpt { 32 } else { 0 };
        Row { reads: 2 * self.r + self.d + self.f / 128 + 6 + entries, ..Row::default() }
    }

    fn mend(&self) -> Row {
        Row { reads: 2 * self.t + 6, others: (self.t + self.m + 1) * self.c + 3, ..Row::default() }
    }

    fn create_folder(&self) -> Row {
        Row { reads: 2 * self.r + self.f + 10, others: self.s + 2 * self.c + 5, ..Row::default() }
    }

    fn begin_log(&self) -> Row {
        Row { reads: 2 * self.d + 2 * self.f + 8, others: self.c + 5, ..Row::default() }
    }

    fn grow_folder(&self) -> Row {
        Row { reads: self.d + self.f + 6, others: self.s + 2 * self.c + 3, ..Row::default() }
    }

    fn write(&self) -> Row {
        match self.is_exfat {
            true => Row { contents: BLOCKS, ..Row::default() },
            false => Row { reads: 2, contents: BLOCKS, others: self.c + 1 },
        }
    }

    fn flush(&self) -> Row {
        Row { reads: 2, contents: BLOCKS, others: if self.is_exfat { 1 } else { self.c + 1 } }
    }

    fn prepare(&self) -> Row {
        match self.is_exfat {
            true => Row::default(),
            false => Row { reads: 6, contents: 0, others: self.c + 1 },
        }
    }

    fn extend(&self) -> Row {
        Row { reads: 2 * self.f + 8, contents: BLOCKS, others: 3 * self.c + 3 }
    }

    fn end_log(&self) -> Row {
        Row { reads: 2 * self.m + 8, contents: BLOCKS, others: (self.m + 4) * self.c + 4 }
    }

    /// `l`: blocks of the FAT or the bitmap that describe the log; `p`: its pieces.
    fn remove_oldest(&self, l: u64, p: u64) -> Row {
        let one = Row { reads: 3 * self.d + 3 * l + 8, others: 2 * l * self.c + 8, ..Row::default() };
        let further = Row { reads: 3 * l + p + 4, others: 3 * self.c + 1, ..Row::default() };
        one + further * (p - 1)
    }

    fn list(&self) -> Row {
        Row { reads: self.d, ..Row::default() }
    }

    /// `LogStore::list`; `taken`: the first numbers that are taken, if a log has the last number.
    fn list_by_age(&self, has_log: bool, taken: u64) -> Row {
        self.list() * if has_log { 1 } else { 2 + taken / 32 }
    }

    fn read_at(&self) -> Row {
        Row { reads: 2, ..Row::default() }
    }

    fn seek(&self) -> Row {
        Row { reads: self.d + 33, ..Row::default() }
    }

    fn extract(&self, log: &Entry) -> Row {
        Row { reads: self.d + log.size.div_ceil(512) + log.clusters(), ..Row::default() }
    }
}

/// Clusters that a block of the FAT, or of exFAT's bitmap, describes.
fn clusters_per_block(volume: &Volume) -> u64 {
    match volume.kind {
        FileSystem::Fat16 => 256,
        FileSystem::Fat32 => 128,
        FileSystem::ExFat => 4096,
    }
}

/// The blocks of the FAT that describe a file, and its pieces. On exFAT, a file in one piece has no chain in the FAT,
/// and the blocks are those of the bitmap, which begins with cluster 2.
fn described(volume: &Volume, file: &Entry) -> (u64, u64) {
    let (per_block, first) = match (volume.kind, file.runs.len()) {
        (FileSystem::ExFat, 1) => (4096, 2),
        (FileSystem::ExFat, _) => (128, 0),
        _ => (clusters_per_block(volume), 0),
    };
    let clusters = file.runs.iter().flat_map(|run| run.clone());
    let blocks: BTreeSet<u64> = clusters.map(|cluster| u64::from(cluster - first) / per_block).collect();
    (blocks.len() as u64, file.runs.len() as u64)
}

/// Whether a block that was written is a log's. On exFAT, the first block of each extent has a signature before.
fn is_contents(regions: &Regions, written: &Written) -> bool {
    regions.of(written.at) == Region::Contents && !written.block.starts_with(&[0x60, 0xB1, 0x06, 0x5A])
}

/// Counts what a call moves, and checks that its contents come in ascending order.
fn moved<R>(card: &RamCard, call: impl FnOnce() -> R) -> (R, Row) {
    let (returned, row) = counted(card, call);
    let regions = Volume::of(card).regions();
    let writes = card.recording().writes;
    let contents: Vec<u32> =
        writes.iter().filter(|written| is_contents(&regions, written)).map(|written| written.at).collect();
    assert!(contents.windows(2).all(|pair| pair[0] < pair[1]), "contents in this order: {contents:?}");
    (returned, row)
}

/// Counts what a call moves.
fn counted<R>(card: &RamCard, call: impl FnOnce() -> R) -> (R, Row) {
    let reads = card.reads();
    card.record();
    let returned = call();
    let regions = Volume::of(card).regions();
    let writes = card.recording().writes;
    let contents = writes.iter().filter(|written| is_contents(&regions, written)).count();
    let row = Row { reads: card.reads() - reads, contents: contents as u64, others: (writes.len() - contents) as u64 };
    (returned, row)
}

/// Flushes, counts what that moves, and checks that the contents come before the rest.
fn flushed(card: &RamCard, sd: &mut Sd) -> Row {
    let ((), row) = moved(card, || sd.flush().unwrap());
    let regions = Volume::of(card).regions();
    let is_contents = |written: &Written| is_contents(&regions, written);
    let writes = card.recording().writes;
    let others = writes.iter().position(|written| !is_contents(written)).unwrap_or(writes.len());
    assert!(!writes[others..].iter().any(is_contents), "contents after other blocks: {others}");
    row
}

fn options(geometry: &Geometry) -> Options {
    Options { free_bytes: 0, partition: geometry.partition(), ..Options::DEFAULT }
}

/// The cards that logs can be written to: an exFAT with its bitmap in pieces isn't one.
fn contiguous_geometries() -> impl Iterator<Item = Geometry> {
    geometries().into_iter().filter(|geometry| !geometry.scattered_bitmap)
}

/// Between flushes the card gets blocks of contents in ascending order and nothing else.
#[test]
fn steady_state_writes_contents_and_three_blocks_a_flush() {
    for geometry in contiguous_geometries() {
        let card = geometry.format();
        let options = Options { extent_bytes: 1 << 20, ..options(&geometry) };
        let (mut sd, _) = mount(&card, options).unwrap();
        sd.begin_log().unwrap();
        sd.write_all(&contents(1, 5_000)).unwrap();
        sd.flush().unwrap();
        let table = Table::of(&card, &options);
        assert!(table.flush().others <= 3);
        // The run is used up by less than half.
        for flush in 0..12 {
            prepare_all(&card, &mut sd, &table, &geometry);
            let bytes = contents(2, 32 << 10);
            let ((), write) = moved(&card, || sd.write_all(&bytes).unwrap());
            // 64 blocks, of which the last may come with the next flush, and one that was flushed before it was full.
            let most = Row { contents: 64 + 1, ..Row::default() };
            most.assert_holds(write, format_args!("write {flush}, {geometry:?}"));
            let flushed = flushed(&card, &mut sd);
            table.flush().assert_holds(flushed, format_args!("flush {flush}, {geometry:?}"));
        }
    }
}

/// Prepares until nothing is left to do. Returns how many calls that took.
fn prepare_all(card: &RamCard, sd: &mut Sd, table: &Table, geometry: &Geometry) -> usize {
    for call in 0.. {
        let (is_busy, prepared) = moved(card, || sd.prepare().unwrap());
        table.prepare().assert_holds(prepared, format_args!("prepare on {geometry:?}"));
        if !is_busy {
            return call;
        }
    }
    unreachable!("there is a call for each number")
}

/// What the bus carries for each KiB, by 517 bytes a block: nothing is written twice.
#[test]
fn flushes_at_ends_of_blocks_cost_little() {
    for geometry in contiguous_geometries() {
        let card = geometry.format();
        let options = Options { extent_bytes: 2 << 20, ..options(&geometry) };
        let (mut sd, _) = mount(&card, options).unwrap();
        sd.begin_log().unwrap();
        sd.flush().unwrap();
        let bytes = contents(1, 32 << 10);
        let before = card.writes();
        for _ in 0..32 {
            sd.write_all(&bytes).unwrap();
            sd.flush().unwrap();
        }
        let blocks = card.writes() - before;
        let per_kib = blocks as f64 * 517.0 / 1024.0;
        // With clusters of 512 bytes, a block of the FAT has the links of 64 KiB.
        let most = if geometry.cluster_blocks == 1 { 1_090.0 } else { 1_060.0 };
        assert!(per_kib <= most, "{geometry:?}: {per_kib} bytes a KiB");
    }
}

/// A card with two old logs, one of them in pieces, and a folder of some clusters.
fn used(geometry: &Geometry) -> RamCard {
    let card = geometry.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    let cluster = computer.volume().cluster_bytes() as usize;
    computer.put(&path("LOGS", 1), &contents(1, 100_000), Clusters::First);
    computer.put(&path("LOGS", 2), &contents(2, 9 * cluster), Clusters::Every(60));
    for number in 0..40 {
        computer.put(&format!("LOGS/Some other file {number}.txt"), &[7; 600], Clusters::Every(3));
    }
    computer.note_free_clusters();
    card
}

/// An extent that crosses an end of a block of the FAT, where that takes little.
fn extent_bytes(geometry: &Geometry) -> u32 {
    let clusters = if geometry.cluster_blocks <= 8 { 200 } else { 2 };
    clusters * geometry.cluster_blocks * 512
}

/// `Options::DEFAULT`'s extents of 64 MiB, on cards as they are sold.
#[test]
fn the_figures_of_the_guide_follow_from_the_table() {
    let fat32 = Geometry { cluster_blocks: 64, clusters: 120_000, ..Geometry::FAT32 };
    let exfat = Geometry { cluster_blocks: 256, clusters: 30_000, ..Geometry::EXFAT };
    for (geometry, most) in [(fat32, 9), (exfat, 6)] {
        let card = geometry.format();
        let table = Table::of(&card, &Options::DEFAULT);
        assert_eq!(table.begin_log().others.max(table.extend().others), most, "{geometry:?}");
    }
    // 1 GiB has the clusters of 256 blocks of the FAT, and of one more if it begins within a block.
    let log = (1 << 30) / (32 << 10) / 128 + 1;
    assert_eq!(Table::of(&fat32.format(), &Options::DEFAULT).remove_oldest(log, 1).others, 1_036);
}

#[test]
fn longest_extent_is_described_by_17_blocks_or_on_exfat_by_2() {
    for geometry in contiguous_geometries() {
        let card = geometry.format();
        let options = Options { extent_bytes: u32::MAX, ..options(&geometry) };
        let (mut sd, _) = mount(&card, options).unwrap();
        let table = Table::of(&card, &options);
        assert_eq!(table.t, if table.is_exfat { 2 } else { 17 });
        let (_, begun) = moved(&card, || sd.begin_log().unwrap());
        table.begin_log().assert_holds(begun, format_args!("{geometry:?}"));
        sd.write_all(&contents(1, 600)).unwrap();
        sd.flush().unwrap();
        while sd.prepare().unwrap() {}
        let cut = card.copy();
        let (_, mended) = moved(&cut, || mount(&cut, options).unwrap());
        (table.mount() + table.mend() + table.list()).assert_holds(mended, format_args!("{geometry:?}"));
        let ((), ended) = moved(&card, || sd.end_log().unwrap());
        table.end_log().assert_holds(ended, format_args!("{geometry:?}"));
    }
}

/// While some calls have no records, a log that is many times as long as an extent never waits for clusters on FAT, and
/// on exFAT for few blocks.
#[test]
fn a_flight_with_idle_calls_moves_at_most_14_blocks_in_a_call() {
    for base in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        let geometry = Geometry { cluster_blocks: 1, ..base };
        let card = geometry.format();
        let options = Options { extent_bytes: 256 << 10, ..options(&geometry) };
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut sd = sd(&card, options);
        let (mut number, mut longest) = (0, 0);
        while sd.byte_count() < 1 << 20 {
            for _ in 0..30 {
                flight::log(ring, 1, number);
                number += 1;
            }
            for _ in 0..3 {
                wait(10_000);
                let ((), moved) = counted(&card, || sd.run(&mut drain).unwrap());
                if sd.flushed_byte_count() > 0 {
                    longest = longest.max(moved.reads + moved.contents + moved.others);
                }
            }
        }
        let most = if geometry.kind == FileSystem::ExFat { 17 } else { 14 };
        assert!(longest <= most, "{longest} blocks on {geometry:?}");
        let volume = Volume::of(&card);
        let tree = volume.tree();
        assert_eq!(tree.get(&path("LOGS", 1)).unwrap().runs.len(), 1, "the log is in one piece on {geometry:?}");
    }
}

#[test]
fn each_call_reads_and_writes_at_most_the_blocks_of_the_table() {
    for geometry in contiguous_geometries() {
        let card = used(&geometry);
        let options = Options { extent_bytes: extent_bytes(&geometry), ..options(&geometry) };
        let table = Table::of(&card, &options);
        let called = |name: &'static str| format!("{name} on {geometry:?}");

        let ((mut sd, _), mounted) = moved(&card, || mount(&card, options).unwrap());
        (table.mount() + table.list()).assert_holds(mounted, called("mount"));
        let ((), listed) = moved(&card, || sd.list(|_| ControlFlow::Continue(())).unwrap());
        table.list().assert_holds(listed, called("list"));
        let tree = Volume::of(&card).tree();
        for number in [1, 2] {
            let log = tree.get(&path("LOGS", number)).unwrap();
            let (read, extracted) = moved(&card, || sd.extract(number, |_| ControlFlow::Continue(())).unwrap());
            assert_eq!(u64::from(read), log.size);
            table.extract(log).assert_holds(extracted, called("extract"));
            for offset in (0..read).step_by(300) {
                let (_, moved) = moved(&card, || sd.read_at(number, offset, &mut [0; 300]).unwrap());
                let row = if offset == 0 { table.seek() } else { table.read_at() };
                row.assert_holds(moved, format_args!("read_at {offset} on {geometry:?}"));
            }
            for offset in [read - 1, 0, read / 2, read / 3] {
                let (_, moved) = moved(&card, || sd.read_at(number, offset, &mut [0; 300]).unwrap());
                table.seek().assert_holds(moved, format_args!("read_at {offset} on {geometry:?}"));
            }
        }

        let (_, begun) = moved(&card, || sd.begin_log().unwrap());
        table.begin_log().assert_holds(begun, called("begin_log"));
        let extents = write_extents(&card, &mut sd, &table, &geometry, 3 * options.extent_bytes);
        assert!(extents >= 2, "{extents} extents on {geometry:?}");

        let cut = card.copy();
        let (_, mended) = moved(&cut, || mount(&cut, options).unwrap());
        assert!(mended.others > 0);
        (table.mount() + table.mend() + table.list()).assert_holds(mended, called("mount after a power cut"));

        let ((), ended) = moved(&card, || sd.end_log().unwrap());
        table.end_log().assert_holds(ended, called("end_log"));
        for number in [1, 2] {
            let volume = Volume::of(&card);
            let (l, p) = described(&volume, volume.tree().get(&path("LOGS", number)).unwrap());
            let (removed, moved) = moved(&card, || sd.remove_oldest().unwrap());
            assert_eq!(removed, Some(number));
            table.remove_oldest(l, p).assert_holds(moved, called("remove_oldest"));
        }
    }
}

/// Writes `bytes` bytes, flushed each 32 KiB. Returns how often the log got another extent.
fn write_extents(card: &RamCard, sd: &mut Sd, table: &Table, geometry: &Geometry, bytes: u32) -> usize {
    let mut extents = 0;
    for write in 1..=bytes / 4096 {
        let (_, written) = moved(card, || sd.write_all(&[3; 4096]).unwrap());
        let most = if written.others <= table.write().others {
            // `write_all` writes twice at the end of an extent.
            table.write() * 2
        } else {
            extents += 1;
            table.write() + table.extend()
        };
        most.assert_holds(written, format_args!("write {write} on {geometry:?}"));
        if write % 8 == 0 {
            let flushed = flushed(card, sd);
            assert!(table.flush().others <= 3);
            table.flush().assert_holds(flushed, format_args!("flush after write {write} on {geometry:?}"));
        }
    }
    extents
}

#[test]
fn the_folder_is_created_and_grows_with_the_blocks_of_the_table() {
    for geometry in contiguous_geometries() {
        let card = geometry.format();
        let options = Options { extent_bytes: extent_bytes(&geometry), ..options(&geometry) };
        let ((mut sd, _), created) = moved(&card, || mount(&card, options).unwrap());
        let table = Table::of(&card, &options);
        (table.mount() + table.create_folder() + table.list()).assert_holds(created, format_args!("{geometry:?}"));
        if geometry.kind == FileSystem::ExFat || geometry.cluster_blocks > 4 {
            continue;
        }
        // A block has room for the entries of 15 logs.
        let mut has_grown = false;
        for _ in 0..=16 * geometry.cluster_blocks {
            sd.end_log().unwrap();
            let before = Table::of(&card, &options);
            let (_, begun) = moved(&card, || sd.begin_log().unwrap());
            sd.write_all(b"a log").unwrap();
            has_grown = Table::of(&card, &options).d > before.d;
            let row = if has_grown { before.begin_log() + before.grow_folder() } else { before.begin_log() };
            row.assert_holds(begun, format_args!("begin_log on {geometry:?}"));
            if has_grown {
                break;
            }
        }
        assert!(has_grown, "{geometry:?}");
    }
}

/// A card on which the search for a free cluster passes 200,000 that are taken, from the first one on.
pub(crate) fn with_a_long_search() -> RamCard {
    let card = Geometry { clusters: 300_000, ..Geometry::FAT32 }.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    computer.occupy("TAKEN.DAT", 200_000, Clusters::First);
    // FSInfo has neither the first free cluster nor their count.
    let info = computer.volume().info.unwrap();
    card.edit(info, |block| block[488..496].fill(0xFF));
    card
}

/// On a large card, neither keeps the records waiting for the whole of it.
#[test]
fn run_pauses_a_search_after_32_blocks_and_a_count_after_32() {
    let card = with_a_long_search();
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    let (mut calls, mut begun) = (0, None);
    while sd.free_bytes().is_none() {
        flight::log(ring, 0, calls);
        wait(10_000);
        let ((), moved) = moved(&card, || sd.run(&mut drain).unwrap());
        // Besides, the card is mounted and a log is begun.
        let most = Row { reads: 32 + 32 + 20, contents: BLOCKS, others: 40 };
        most.assert_holds(moved, format_args!("call {calls}"));
        calls += 1;
        begun = begun.or(sd.number().map(|_| calls));
        assert!(calls < 1000, "there is no end to it");
    }
    // 200,000 clusters are described by 1,563 blocks, and all by 2,344.
    assert!(begun >= Some(1_563 / 32) && calls >= 2_344 / 32, "begun {begun:?}, counted after {calls} calls");
    assert_eq!(ring.statistics().dropped, 0);
}

/// A log has 800 clusters, each in another block of the FAT than the one before.
#[test]
fn read_at_pauses_a_search_after_32_blocks_of_the_fat() {
    for geometry in [Geometry::FAT32, Geometry { cluster_blocks: 1, clusters: 140_000, ..Geometry::EXFAT }] {
        let card = Geometry { cluster_blocks: 1, clusters: 140_000, ..geometry }.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        let log = contents(1, 800 * 512);
        computer.put(&path("LOGS", 1), &log, Clusters::Every(130));
        let mut sd = sd(&card, options(&geometry));
        let table = Table::of(&card, &options(&geometry));
        let _ = mount_by(&mut sd);
        for (offset, least) in [(799 * 512, 24), (100, 1), (400 * 512, 12)] {
            let (mut calls, mut into) = (0, [0; 90]);
            let count = loop {
                calls += 1;
                let (read, moved) = moved(&card, || sd.read_at(1, offset, &mut into).unwrap());
                table.seek().assert_holds(moved, format_args!("call {calls} on {geometry:?}"));
                if let Some(count) = read {
                    break count;
                }
            };
            assert!((least..=least + 1).contains(&calls), "{calls} calls for {offset} on {geometry:?}");
            assert_eq!(into[..count], log[offset as usize..][..count]);
        }
    }
}

/// The next cluster of each of two logs is found at once, while both are read.
#[test]
fn two_readers_dont_search_again_for_each_block() {
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        let card = used(&geometry);
        let mut sd = sd(&card, options(&geometry));
        let _ = mount_by(&mut sd);
        for number in [1, 2] {
            sd.read_at(number, 0, &mut [0]).unwrap();
        }
        let table = Table::of(&card, &options(&geometry));
        for offset in (0..9 * geometry.cluster_blocks * 512).step_by(512) {
            for number in [1, 2] {
                let (_, moved) = moved(&card, || sd.read_at(number, offset, &mut [0; 512]).unwrap());
                table.read_at().assert_holds(moved, format_args!("log {number}, {offset} on {geometry:?}"));
            }
        }
    }
}

/// Mounts the card.
fn mount_by(sd: &mut Sd) -> usize {
    let mut logs = 0;
    sd.list(|_| {
        logs += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    logs
}

/// Most of the card is taken, and to look for free clusters from the first one on would take a pass over the table.
#[test]
fn the_search_for_the_next_log_goes_on_where_the_last_one_ended() {
    for geometry in
        [Geometry { clusters: 130_000, ..Geometry::FAT32 }, Geometry { clusters: 900_000, ..Geometry::EXFAT }]
    {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.occupy("TAKEN.DAT", geometry.clusters * 9 / 10, Clusters::First);
        computer.note_free_clusters();
        let mut sd = sd(&card, OPTIONS);
        for number in 1..=3 {
            let (begun, moved) = moved(&card, || sd.begin_log());
            assert_eq!(begun, Ok(number));
            // 900 blocks of the FAT describe what is taken, or 200 of the bitmap.
            if number > 1 {
                assert!(moved.reads < 50, "{geometry:?}, log {number}: {moved:?}");
            }
            sd.write_all(&contents(number, 50_000)).unwrap();
            sd.end_log().unwrap();
        }
    }
}

/// Links are written ahead, so most flushes write none.
#[test]
fn a_flush_writes_the_fat_only_for_clusters_that_are_not_linked() {
    for geometry in [Geometry::FAT16, Geometry::FAT32] {
        let card = Geometry { cluster_blocks: 1, ..geometry }.format();
        let mut sd = sd(&card, OPTIONS);
        sd.begin_log().unwrap();
        let mut without = 0;
        for clusters in 1..=600 {
            sd.write_all(&contents(1, 512)).unwrap();
            let linked = Volume::of(&card).tree().get(&path("LOGS", 1)).map_or(0, Entry::clusters);
            flushed(&card, &mut sd);
            let regions = Volume::of(&card).regions();
            let links = card.recording().writes.iter().any(|written| regions.of(written.at) == Region::Fat);
            assert_eq!(links, clusters > linked.max(1), "{geometry:?}: {clusters} clusters, {linked} are linked");
            without += u32::from(!links);
        }
        assert!(without > 550, "{geometry:?}: {without} of 600");
    }
}

/// A log has the last number, so the folder is read for the first one that is free.
#[test]
fn number_after_the_last_is_found_within_the_tables_blocks() {
    for geometry in [Geometry::FAT32, Geometry::EXFAT] {
        for taken in [0, 1, 31, 32, 64, 130] {
            let card = geometry.format();
            let computer = Computer::new(&card);
            computer.folder("LOGS");
            (1..=taken).chain([200]).for_each(|number| computer.put(&path("LOGS", number), &[1], Clusters::First));
            computer.note_free_clusters();
            let options = Options { last_number: 200, ..options(&geometry) };
            let table = Table::of(&card, &options);
            let (mut sd, _) = mount(&card, options).unwrap();
            let context = format!("{taken} taken on {geometry:?}");
            let listed = |sd: &mut Sd| moved(&card, || LogStore::list(sd, |_| ControlFlow::Continue(())).unwrap()).1;
            table.list_by_age(false, taken.into()).assert_holds(listed(&mut sd), &context);
            let (begun, moved) = moved(&card, || sd.begin_log());
            assert_eq!(begun, Ok(taken + 1));
            let passes = Row { reads: table.d * (1 + u64::from(taken) / 32), ..Row::default() };
            (table.begin_log() + passes).assert_holds(moved, &context);
            table.list_by_age(true, 0).assert_holds(listed(&mut sd), &context);
        }
    }
}
