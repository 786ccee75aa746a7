//! Options at their extremes, directories of the greatest size, and a transfer that fails between two logs.

use crate::fixture::{OPTIONS, account, flight, ring, sd, wait};
use crate::history::{contents, path};
use binlog::LogSchema as _;
use binlog::messages::Msg;
use binlog_embedded::sd_log::{Cause, Fault, Options};
use binlog_tests::ram_card::Word;
use binlog_tests::volume::{Clusters, Computer, Geometry, Volume};
use embedded_io::Write as _;

/// Its log has a multiple of 512 bytes at the end of some call.
#[test]
fn run_returns_with_flush_bytes_of_0() {
    let (send, done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let card = Geometry::FAT16.format();
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut log = sd(&card, Options { flush_bytes: 0, ..OPTIONS });
        for number in 0..5000u64 {
            flight::log(ring, (number % 5) as usize, number);
            wait(10_000);
            log.run(&mut drain).unwrap();
            send.send((number, log.byte_count())).unwrap();
        }
    });
    let mut last = (0, 0);
    loop {
        match done.recv_timeout(std::time::Duration::from_secs(60)) {
            Ok(at) => last = at,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("run hangs after call and bytes {last:?}"),
            Err(_) => break,
        }
    }
    assert_eq!(last.0, 4999);
}

#[test]
fn no_log_is_removed_for_a_number_that_a_read_only_log_keeps() {
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        for number in 1..=3 {
            computer.put(&path("LOGS", number), &contents(number, 5000), Clusters::First);
        }
        computer.note_free_clusters();
        computer.protect(&path("LOGS", 1));
        let error = sd(&card, Options { last_number: 3, ..OPTIONS }).begin_log().unwrap_err();
        assert!(matches!(error.cause, Cause::Fault(Fault::NoNumber)), "{geometry:?}: {error}");
        for number in 1..=3 {
            assert!(Volume::of(&card).read(&path("LOGS", number)).is_some(), "{geometry:?}: log {number} is gone");
        }
    }
}

#[test]
fn a_transfer_that_fails_between_two_logs_is_repeated() {
    let mut failures = Vec::new();
    for is_read in [true, false] {
        let card = Geometry::FAT32.format();
        let mut log = sd(&card, OPTIONS);
        log.begin_log().unwrap();
        log.write_all(&contents(1, 5000)).unwrap();
        log.end_log().unwrap();
        if is_read {
            card.fail_reads(1)
        } else {
            card.fail_writes(1)
        }
        if let Err(error) = log.begin_log() {
            failures.push(format!("read {is_read}: {error}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// FAT allows 65,536 entries.
#[test]
fn a_folder_with_the_most_entries_doesnt_grow() {
    let card = Geometry { cluster_blocks: 1, ..Geometry::FAT32 }.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    computer.occupy("MORE", 4095, Clusters::First);
    let tree = Volume::of(&card).tree();
    let (folder, more) = (tree.get("LOGS").unwrap().clone(), tree.get("MORE").unwrap().clone());
    computer.link(folder.first, more.first);
    card.edit(more.at.0, |block| block[more.at.1] = 0xE5);
    let mut number = 0;
    for (i, cluster) in std::iter::once(folder.first).chain(more.runs.iter().cloned().flatten()).enumerate() {
        let at = Volume::of(&card).blocks_of(cluster).start;
        card.edit(at, |block| {
            for (slot, entry) in block.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                if i == 0 && slot < 2 {
                    continue;
                }
                number += 1;
                entry.fill(0);
                entry[..11].copy_from_slice(format!("F{number:07}TXT").as_bytes());
                entry[11] = 0x20;
            }
        });
    }
    computer.note_free_clusters();
    Volume::of(&card).check().assert_clean("before");
    let mut said = Vec::new();
    for _ in 0..20 {
        let mut log = sd(&card, OPTIONS);
        let done = log.begin_log().and_then(|_| log.write_all(&[3; 100])).and_then(|()| log.end_log());
        said.push(match done {
            Ok(()) => "ok".to_owned(),
            Err(error) => error.to_string(),
        });
    }
    said.dedup();
    let blocks: u64 = Volume::of(&card).tree().get("LOGS").unwrap().clusters();
    assert!(blocks <= 4096, "the folder has {blocks} blocks, {} entries; {said:#?}", blocks * 16);
}

/// exFAT allows 8 million slots.
#[test]
fn a_root_directory_of_exfat_with_more_than_65536_slots_is_read() {
    let card = Geometry { cluster_blocks: 64, ..Geometry::EXFAT }.format();
    let computer = Computer::new(&card);
    let tree = Volume::of(&card).tree();
    let root = tree.get("(root)").unwrap().clone();
    computer.occupy("MORE", 70, Clusters::First);
    let more = Volume::of(&card).tree().get("MORE").unwrap().clone();
    let last = root.runs.last().unwrap().end - 1;
    for at in Volume::of(&card).blocks_of(last) {
        card.edit(at, |block| {
            for slot in block.as_chunks_mut::<32>().0 {
                if slot[0] == 0 || at == more.at.0 && slot[0] == 0x85 {
                    slot[0] = 0x05;
                }
            }
        });
    }
    card.edit(more.at.0, |block| {
        for slot in [0, 32, 64] {
            block[more.at.1 + slot] &= 0x7F;
        }
    });
    computer.link(last, more.first);
    for cluster in more.runs.iter().cloned().flatten() {
        for at in Volume::of(&card).blocks_of(cluster) {
            card.edit(at, |block| {
                block.fill(0);
                for slot in block.as_chunks_mut::<32>().0 {
                    slot[0] = 0x05;
                }
            });
        }
    }
    let end = more.runs.last().unwrap().end - 1;
    let at = Volume::of(&card).blocks_of(end).end - 1;
    card.set_block(at, [0; 512]);
    Volume::of(&card).check().assert_clean("before");
    let begun = sd(&card, OPTIONS).begin_log();
    assert!(begun.is_ok(), "{}", begun.unwrap_err());
}

/// With and without a log that ends each few calls.
#[test]
fn options_at_their_extremes_lose_nothing_uncounted() {
    let extremes = [
        Options { extent_bytes: 0, ..OPTIONS },
        Options { extent_bytes: u32::MAX, flush_bytes: u32::MAX, log_bytes: u32::MAX, flush_us: u64::MAX, ..OPTIONS },
        Options { extent_bytes: 1, flush_bytes: 1, flush_us: 0, retry_us: 0, ..OPTIONS },
        Options { log_bytes: 0, retry_us: u64::MAX, ..OPTIONS },
        Options { free_bytes: u64::MAX, ..OPTIONS },
        Options { folder: "", extension: "x", ..OPTIONS },
        Options { folder: "a-b_c", extension: "bin", last_number: 0, ..OPTIONS },
    ];
    for geometry in [
        Geometry { cluster_blocks: 1, ..Geometry::FAT16 },
        Geometry::FAT32,
        // A block of the bitmap describes 4 GiB.
        Geometry { cluster_blocks: 2048, clusters: 1000, ..Geometry::EXFAT },
    ] {
        for options in extremes {
            for rotates in [false, true] {
                let card = geometry.format();
                let ring = ring();
                let mut drain = ring.drain().unwrap();
                let mut log = sd(&card, options);
                let mut attempts = [0; flight::KINDS];
                let mut failed = Vec::new();
                for number in 0..300u64 {
                    let kind = number as usize % flight::KINDS;
                    flight::log(ring, kind, number);
                    attempts[kind] += 1;
                    wait(7000);
                    if rotates && number % 30 == 0 {
                        log.rotate();
                    }
                    if let Err(error) = log.run(&mut drain) {
                        failed.push(error.to_string());
                    }
                }
                if let Err(error) = log.finish(&mut drain) {
                    failed.push(error.to_string());
                }
                Volume::of(&card).check().assert_clean(format!("{options:?}"));
                // `last_number: 0` counts as 1.
                assert!(failed.is_empty() || options.last_number == 0, "{options:?}: {failed:?}");
                if options.folder == "LOGS" {
                    account(ring, &card, attempts);
                }
            }
        }
    }
}

/// exFAT, where a log's clusters are contiguous: pieces of free space that are shorter than the preamble get no log.
#[test]
fn log_on_exfat_has_a_record_however_space_is_fragmented() {
    for piece in 1..=3 {
        assert!(piece as usize * 512 < flight::Flight::PREAMBLE.len());
        for has_old_log in [false, true] {
            let card = Geometry { cluster_blocks: 1, ..Geometry::EXFAT }.format();
            let computer = Computer::new(&card);
            computer.folder("LOGS");
            if has_old_log {
                computer.put(&path("LOGS", 1), &contents(1, 60_000), Clusters::Contiguous);
            }
            for number in 0..4 {
                computer.occupy(&format!("HOLE{number}.DAT"), piece, Clusters::First);
                computer.occupy(&format!("STAYS{number}.DAT"), 2, Clusters::First);
            }
            // Naming the file may take one more.
            computer.occupy_all_but("ALL", 1);
            (0..4).for_each(|number| computer.delete(&format!("HOLE{number}.DAT")));
            let ring = ring();
            let mut drain = ring.drain().unwrap();
            let mut log = sd(&card, OPTIONS);
            let mut failed = Vec::new();
            for number in 0..300 {
                flight::log(ring, (number % 5) as usize, number);
                wait(1_500_000);
                failed.extend(log.run(&mut drain).err().map(|error| error.cause));
            }
            let _ = log.finish(&mut drain);
            let context = format!("pieces of {piece} clusters, an old log: {has_old_log}");
            let (volume, mut records) = (Volume::of(&card), 0);
            for file in volume.tree().files("LOGS") {
                let numbers = flight::numbers(&volume.contents(file));
                assert!(!numbers.is_empty(), "{context}: {} of {} bytes has no record", file.path, file.size);
                records += numbers.len();
            }
            assert!(failed.iter().all(|cause| *cause == Cause::Fault(Fault::Full)), "{context}: {failed:?}");
            // The old log made room.
            assert_eq!(records > 0, has_old_log, "{context}");
            assert_eq!(failed.is_empty(), has_old_log, "{context}");
            volume.check().assert_clean(context);
        }
    }
}

/// exFAT: after a log without a record, which filled a piece of more than 1 MiB, the next log needs a longer piece. A
/// search pauses after 32 blocks of the bitmap. From then on 1 MiB is enough, unless the log needs more.
#[test]
fn a_longer_piece_after_many_of_1_mib_is_found() {
    // A prologue of a little more than a piece.
    let (piece, longer) = (2_100, 4_096);
    let card = Geometry { cluster_blocks: 1, clusters: 150_000, ..Geometry::EXFAT }.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    for (name, clusters) in [("A", piece), ("STAYS", 2), ("B", piece), ("BIG", 136_000), ("C", longer), ("D", 2)] {
        computer.occupy(&format!("{name}.DAT"), clusters, Clusters::Contiguous);
    }
    computer.occupy_all_but("ALL", 0);
    ["A", "B", "C"].into_iter().for_each(|name| computer.delete(&format!("{name}.DAT")));
    let ring = ring();
    let texts = piece as usize * 512 / flight::length(6) + 100;
    let text = |number| if number < texts { Msg::new(0, 0, "a text").ok().map(flight::Flight::Msg) } else { None };
    let mut drain = ring.drain().unwrap().with_prologue(text);
    let mut log = sd(&card, Options { extent_bytes: 2 << 20, flush_bytes: 100_000, ..OPTIONS });
    for number in 0..100 {
        flight::log(ring, (number % 5) as usize, number);
        wait(10_000);
        log.run(&mut drain).unwrap();
    }
    log.finish(&mut drain).unwrap();
    let volume = Volume::of(&card);
    let records: Vec<_> = volume
        .tree()
        .files("LOGS")
        .map(|file| (file.size > u64::from(piece) * 512, flight::numbers(&volume.contents(file)).len()))
        .collect();
    assert_eq!(records, [(false, 0), (true, 100)]);
    volume.check().assert_clean("a longer piece");
}

/// Where an extent is used up, the log is flushed before it gets the next one.
#[test]
fn a_flush_for_another_extent_ends_with_a_whole_record() {
    for geometry in [Geometry { cluster_blocks: 1, ..Geometry::FAT16 }, Geometry::FAT32, Geometry::EXFAT] {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        // Pieces that are longer than an extent, so that logs on exFAT get another one, too.
        computer.occupy("HOLES.DAT", 150, Clusters::Every(14));
        computer.note_free_clusters();
        let options =
            Options { extent_bytes: 8 * 512, flush_bytes: u32::MAX, flush_us: u64::MAX, log_bytes: 40_000, ..OPTIONS };
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut log = sd(&card, options);
        card.record();
        for number in 0..600 {
            flight::log(ring, (number * 7 % 5) as usize, number);
            log.run(&mut drain).unwrap();
        }
        let mut sizes = std::collections::BTreeSet::new();
        card.recording().moments(
            0..usize::MAX,
            Word::Four,
            |_| true,
            |moment, card| {
                let volume = Volume::of(&card);
                for file in volume.tree().files("LOGS").filter(|file| file.size > 0 && moment.torn == 0) {
                    if sizes.insert((file.path.clone(), file.size)) {
                        let found = volume.contents(file);
                        let end = crate::fixture::whole(&found).len();
                        assert_eq!(end, found.len(), "{geometry:?}, {moment:?}: {} ends inside a record", file.path);
                    }
                }
            },
        );
        assert!(sizes.len() > 5, "{geometry:?}: {sizes:?}");
    }
}
