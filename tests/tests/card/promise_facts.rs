//! Flushed records stay, and nothing else on the card changes: on torn FATs, on full cards, after cut removals, and
//! where FATs aren't mirrored.

use crate::fixture::{OPTIONS, account, flight, ring, sd, wait};
use binlog::LogWriter;
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Cause, Fault, Options, Undated};
use binlog_tests::ram_card::{RamCard, Word};
use binlog_tests::volume::{Clusters, Computer, Flaw, Geometry, Region, Volume};
use core::ops::ControlFlow;
use embedded_io::Write;
use flight::KINDS;

/// Writes finished logs with these lengths in bytes, as a computer would.
fn old_logs(computer: &Computer, bytes: &[usize]) {
    computer.folder("LOGS");
    for (number, &bytes) in (1..).zip(bytes) {
        let mut log = LogWriter::<flight::Flight, _>::new(Vec::new()).unwrap().finish().unwrap();
        log.resize(bytes.max(log.len()), 0x5A);
        computer.put(&format!("LOGS/{number:08}.BIN"), &log, Clusters::First);
    }
    computer.note_free_clusters();
}

fn log_names(card: &RamCard) -> Vec<String> {
    let tree = Volume::of(card).tree();
    let mut names: Vec<String> = tree.files("LOGS").map(|file| file.path.clone()).collect();
    names.retain(|name| name.ends_with(".BIN"));
    names.sort();
    names
}

/// A chain may lead to a free cluster where a FAT block is torn. The next boot gives that cluster to one log only.
#[test]
fn a_torn_fat_block_gives_no_cluster_to_two_logs() {
    let card = Geometry::FAT32.format();
    sd(&card, OPTIONS).begin_log().unwrap();
    card.record();
    let mut log = SdLog::<_, _, 8>::with_blocks(card.clone(), Undated, OPTIONS);
    log.begin_log().unwrap();
    // Across the middle and the end of a FAT block, of which each holds 128 clusters of 512 bytes.
    for _ in 0..30 {
        log.write_all(&[0x4C; 3000]).unwrap();
        log.flush().unwrap();
    }
    let recording = card.recording();
    let regions = Volume::of(&card).regions();
    recording.moments(
        0..usize::MAX,
        Word::Four,
        |at| regions.of(at) == Region::Contents,
        |moment, card| {
            let mut next = SdLog::<_, _, 8>::with_blocks(card.clone(), Undated, OPTIONS);
            next.begin_log().unwrap();
            next.write_all(&[0x4E; 70_000]).unwrap();
            next.flush().unwrap();
            Volume::of(&card).check().assert_readable(format!("{moment:?}"));
        },
    );
}

/// Old logs that would free too little stay.
#[test]
fn old_logs_that_would_free_too_little_stay() {
    let card = Geometry { clusters: 131_000, ..Geometry::FAT32 }.format();
    let computer = Computer::new(&card);
    old_logs(&computer, &[100_000; 5]);
    computer.occupy_all_but("PHOTO", 3 << 11);
    computer.note_free_clusters();
    let logs = log_names(&card);
    assert_eq!(logs.len(), 5);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sink = sd(&card, Options::DEFAULT);
    for number in 0..50 {
        flight::log(ring, 0, number);
        wait(2_000_000);
        let _ = sink.run(&mut drain);
        let left = log_names(&card);
        assert!(logs.iter().all(|name| left.contains(name)), "only these are left: {left:?}");
    }
}

/// Their records count as written, so they stay on a card that gets full.
#[test]
fn logs_of_this_boot_are_never_removed() {
    let card = Geometry::FAT16.format();
    let computer = Computer::new(&card);
    old_logs(&computer, &[20_000; 2]);
    computer.occupy_all_but("PHOTO", 60);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sink = sd(&card, OPTIONS);
    for number in 0..5000 {
        flight::log(ring, (number * 7 % KINDS as u64) as usize, number);
        if number % 5 == 0 {
            wait(100_000);
            let _ = sink.run(&mut drain);
        }
    }
    for (kind, on_card) in crate::fixture::on_card(&card).into_iter().enumerate() {
        let written = ring.tally_of(kind).unwrap().written as usize;
        assert!(written <= on_card, "kind {kind}: {written} count as written, {on_card} are on the card");
    }
}

/// The next boot frees the clusters of a log whose removal was cut.
#[test]
fn a_cut_removal_leaks_nothing_beyond_the_next_boot() {
    for geometry in [Geometry::FAT16, Geometry::FAT32] {
        let card = geometry.format();
        let computer = Computer::new(&card);
        old_logs(&computer, &[200_000, 1000]);
        let free = u64::from(computer.volume().free_clusters()) * computer.volume().cluster_bytes();
        // The first log has to go for this.
        let options = Options { free_bytes: free + 100_000, ..OPTIONS };
        card.record();
        sd(&card, options).begin_log().unwrap();
        let recording = card.recording();
        assert!(!log_names(&card).contains(&"LOGS/00000001.BIN".to_owned()));
        let regions = Volume::of(&card).regions();
        let word = if geometry == Geometry::FAT16 { Word::Two } else { Word::Four };
        recording.moments(
            0..usize::MAX,
            word,
            |at| regions.of(at) == Region::Contents,
            |moment, card| {
                let ring = ring();
                let mut drain = ring.drain().unwrap();
                let mut next = sd(&card, OPTIONS);
                flight::log(ring, 0, 1);
                next.run(&mut drain).unwrap();
                next.finish(&mut drain).unwrap();
                let report = Volume::of(&card).check();
                report.assert_readable(format!("{moment:?}"));
                let lost = report.flaws.iter().find(|flaw| matches!(flaw, Flaw::Lost { .. }));
                assert_eq!(lost, None, "{moment:?}");
            },
        );
    }
}

/// The note of a folder's new cluster, in the first slot of a block, was never wiped: each mount gave back the cluster
/// again, whoever had got it since.
#[test]
fn a_folder_whose_growth_was_cut_is_mended_once() {
    let card = Geometry::FAT32.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    // With `.` and `..`, two clusters of one block, whose only free slot is the first of the second block.
    for number in 0..30 {
        computer.put(&format!("LOGS/F{number}.TXT"), &[], Clusters::First);
    }
    computer.note_free_clusters();
    let (block, offset) = computer.volume().tree().get("LOGS/F14.TXT").unwrap().at;
    assert_eq!(offset, 0);
    card.edit(block, |block| {
        block[..32].fill(0);
        block[0] = 0xE5;
    });
    card.record();
    sd(&card, OPTIONS).begin_log().unwrap();
    let recording = card.recording();
    let folder = Volume::of(&card).tree().get("LOGS").unwrap().clone();
    assert_eq!(folder.clusters(), 3, "the folder has grown");
    recording.moments(
        0..usize::MAX,
        Word::Four,
        |_| false,
        |moment, card| {
            let mount = || {
                let mut sink = sd(&card, OPTIONS);
                sink.list(|_| ControlFlow::Continue(())).unwrap();
                sink.transfers().written
            };
            mount();
            assert_eq!(mount(), 0, "{moment:?}: the card was mended before");
            Volume::of(&card).check().assert_clean(format!("{moment:?}"));
        },
    );
}

/// FAT32 may say that only one of its FATs counts. The other one isn't touched then.
#[test]
fn only_the_active_fat_is_written_where_fats_are_not_mirrored() {
    let card = Geometry { only_fat: Some(1), ..Geometry::FAT32 }.format();
    let computer = Computer::new(&card);
    computer.put("PHOTO.JPG", &[0x42; 30_000], Clusters::Every(3));
    computer.note_free_clusters();
    let volume = Volume::of(&card);
    let inactive = || (0..volume.fat_blocks).map(|at| card.block(volume.fat + at)).collect::<Vec<_>>();
    let before = inactive();
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sink = sd(&card, OPTIONS);
    let mut attempts = [0; KINDS];
    for number in 0..500 {
        flight::log(ring, 1, number);
        attempts[1] += 1;
        wait(10_000);
        sink.run(&mut drain).unwrap();
    }
    sink.finish(&mut drain).unwrap();
    volume.check().assert_clean("the card");
    assert!(volume.read("PHOTO.JPG").unwrap() == [0x42; 30_000]);
    assert!(inactive() == before, "the FAT that doesn't count was written");
    assert_eq!(ring.tally_of(1).unwrap().written, 500);
    let log = volume.read("LOGS/00000001.BIN").unwrap();
    assert_eq!(flight::numbers(&log).len(), 500);
}

#[test]
fn impossible_partition_number_is_an_error_naming_the_option() {
    let card = Geometry::FAT32.format();
    for partition in [4, 255] {
        let error = sd(&card, Options { partition, ..OPTIONS }).begin_log().unwrap_err().to_string();
        assert!(error.contains("Options::partition"), "{error}");
        assert!(error.contains("0 to 3"), "{error}");
    }
    assert_eq!(card.writes(), 0);
}

#[test]
fn flight_that_fills_the_card_keeps_every_written_record() {
    let card = Geometry::FAT16.format();
    let computer = Computer::new(&card);
    computer.occupy_all_but("PHOTO", 200);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sink = sd(&card, OPTIONS);
    let mut attempts = [0; KINDS];
    let error = (0..100_000).find_map(|number| {
        flight::log(ring, 3, number);
        attempts[3] += 1;
        wait(10_000);
        sink.run(&mut drain).err()
    });
    let error = error.expect("200 clusters hold fewer records");
    assert_eq!(error.cause, Cause::Fault(Fault::Full));
    sink.finish(&mut drain).unwrap();
    account(ring, &card, attempts);
    Volume::of(&card).check().assert_clean("the card");
}
