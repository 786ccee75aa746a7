//! Clusters that are prepared in idle calls: on full cards, after dropped futures, and where a log ends without them.

use crate::dropped_futures::{poll, wait_for};
use crate::fixture::Sd;
use crate::history::{contents, path};
use crate::promise::mount;
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Cause, Fault, Options, Undated};
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Clusters, Computer, Geometry, Volume};
use embedded_io::Write as _;
use std::ops::ControlFlow;

/// Several blocks of the FAT describe an extent: with clusters of 512 bytes, each describes 64 KiB, on FAT16 128.
const OPTIONS: Options = Options { extent_bytes: 200 << 10, free_bytes: 0, ..Options::DEFAULT };

const GEOMETRIES: [Geometry; 3] = [
    Geometry { cluster_blocks: 1, ..Geometry::FAT16 },
    Geometry { cluster_blocks: 1, ..Geometry::FAT32 },
    Geometry { cluster_blocks: 1, ..Geometry::EXFAT },
];

fn sd(card: &RamCard, options: Options) -> Sd {
    SdLog::with_blocks(card.clone(), Undated, options)
}

/// What may follow a preparation.
const CALLS: [fn(&mut Sd); 6] = [
    |log| log.write_all(&[0; 100]).unwrap(),
    |log| embedded_io::Write::flush(log).unwrap(),
    |log| log.end_log().unwrap(),
    |log| _ = log.begin_log().unwrap(),
    |log| log.list(|_| ControlFlow::Continue(())).unwrap(),
    |log| _ = log.remove_oldest().unwrap(),
];

/// A future is dropped at each of its polls, and another call follows.
#[test]
fn a_dropped_preparation_is_completed_by_any_call() {
    let mut dropped = 0;
    for geometry in GEOMETRIES {
        for (call, prepared) in (0..CALLS.len()).flat_map(|call| [0, 1, 3, 6].map(|prepared| (call, prepared))) {
            for times in 1.. {
                let card = geometry.format();
                let computer = Computer::new(&card);
                computer.folder("LOGS");
                computer.put(&path("LOGS", 1), &contents(1, 2000), Clusters::First);
                computer.note_free_clusters();
                let first_block = card.block(0);
                let mut log = sd(&card, OPTIONS);
                let number = wait_for(log.begin_log_async()).unwrap();
                let flushed = contents(2, 150_000);
                log.write_all(&flushed).unwrap();
                embedded_io::Write::flush(&mut log).unwrap();
                for _ in 0..prepared {
                    wait_for(log.prepare_async()).unwrap();
                }
                if poll(log.prepare_async(), times).is_some() {
                    break;
                }
                dropped += 1;
                let context = format!("{:?}, {prepared} calls, {times} polls, call {call}", geometry.kind);
                // The power may fail now.
                let copy = card.copy();
                mount(&copy, OPTIONS).unwrap();
                Volume::of(&copy).check().assert_clean(&context);
                CALLS[call](&mut log);
                log.end_log().unwrap();
                let volume = Volume::of(&card);
                volume.check().assert_clean(&context);
                assert_eq!(card.block(0), first_block, "{context}");
                let read = volume.read(&path("LOGS", number)).unwrap();
                assert!(read.starts_with(&flushed), "{context}: {} bytes", read.len());
            }
        }
    }
    assert!(dropped > 50, "{dropped}");
}

/// The log prepares all that is left, and the card is full before the flight's end.
#[test]
fn a_card_that_turns_full_with_prepared_clusters_keeps_the_log() {
    for geometry in GEOMETRIES {
        for free in [1, 5, 130, 131, 300, 700] {
            let card = geometry.format();
            let computer = Computer::new(&card);
            computer.folder("LOGS");
            computer.occupy_all_but("FULL", free);
            computer.note_free_clusters();
            let mut log = sd(&card, OPTIONS);
            let number = log.begin_log().unwrap();
            let all = contents(3, 512 * free as usize + 3000);
            let mut written = 0;
            let error = loop {
                match log.write(&all[written..(written + 700).min(all.len())]) {
                    Ok(count) => written += count,
                    Err(error) => break error,
                }
                if written % 5 == 0 {
                    embedded_io::Write::flush(&mut log).unwrap();
                }
                log.prepare().unwrap();
            };
            let context = format!("{:?}, {free} clusters free", geometry.kind);
            assert!(matches!(error.cause, Cause::Fault(Fault::Full | Fault::Blocked)), "{context}: {error}");
            // A full card isn't an error while nothing is to be written.
            log.prepare().unwrap();
            log.end_log().unwrap();
            let volume = Volume::of(&card);
            volume.check().assert_clean(&context);
            assert!(volume.read(&path("LOGS", number)).unwrap() == all[..written], "{context}: {written} bytes");
            let used = written.div_ceil(512) as u32;
            assert_eq!(volume.free_clusters(), free - used, "{context}");
            assert!(used + 1 >= free, "{context}: only {used} are used");
        }
    }
}

/// No log is removed for clusters that are only prepared, and those that stay free aren't taken.
#[test]
fn a_preparation_takes_only_what_may_be_used() {
    for geometry in GEOMETRIES {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put(&path("LOGS", 1), &contents(1, 50_000), Clusters::First);
        computer.occupy_all_but("FULL", 300);
        computer.note_free_clusters();
        let mut log = sd(&card, Options { free_bytes: 100 * 512, extent_bytes: 64 << 10, ..OPTIONS });
        log.begin_log().unwrap();
        log.write_all(&contents(2, 60_000)).unwrap();
        embedded_io::Write::flush(&mut log).unwrap();
        let calls = (0..100).take_while(|_| log.prepare().unwrap()).count();
        assert!(calls < 100, "{:?}: there is no end to it", geometry.kind);
        let volume = Volume::of(&card);
        assert!(volume.free_clusters() >= 100, "{:?}: {} are free", geometry.kind, volume.free_clusters());
        assert!(volume.read(&path("LOGS", 1)) == Some(contents(1, 50_000)), "{:?}", geometry.kind);
    }
}

#[test]
fn prepared_clusters_that_the_log_did_not_need_are_given_back() {
    let ends: [fn(&mut Sd, &RamCard); 3] = [
        |log, _| log.end_log().unwrap(),
        // An empty log, whose clusters are given back, too.
        |log, _| {
            log.begin_log().unwrap();
            log.end_log().unwrap();
        },
        // The power fails.
        |_, card| drop(mount(card, OPTIONS).unwrap()),
    ];
    for geometry in GEOMETRIES {
        for (end, bytes) in (0..ends.len()).flat_map(|end| [0, 1, 70_000, 150_000].map(|bytes| (end, bytes))) {
            let card = geometry.format();
            let computer = Computer::new(&card);
            computer.folder("LOGS");
            computer.note_free_clusters();
            let free = computer.volume().free_clusters();
            let mut log = sd(&card, OPTIONS);
            log.begin_log().unwrap();
            log.write_all(&contents(2, bytes)).unwrap();
            embedded_io::Write::flush(&mut log).unwrap();
            let calls = (0..100).take_while(|_| log.prepare().unwrap()).count();
            let context = format!("{:?}, end {end}, {bytes} bytes, {calls} calls", geometry.kind);
            let used = bytes.div_ceil(512) as u32;
            assert!(Volume::of(&card).free_clusters() < free - used, "{context}: nothing is prepared");
            ends[end](&mut log, &card);
            Volume::of(&card).check().assert_clean(&context);
            assert_eq!(Volume::of(&card).free_clusters(), free - used, "{context}");
        }
    }
}
