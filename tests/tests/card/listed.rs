//! What a list says of logs, and whose logs are whose after cards were swapped.

use crate::fixture::{OPTIONS, Sd, sd};
use crate::history::{contents, path};
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Date, LogFile, Options, Undated};
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Clusters, Computer, Geometry, Volume};
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

const GEOMETRIES: [Geometry; 3] = [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT];

#[test]
fn a_log_is_listed_with_the_date_and_the_size_of_its_flush() {
    use embedded_io::Write;
    for geometry in GEOMETRIES {
        let card = geometry.format();
        let date = Date::new(2026, 11, 25, 13, 30, 58);
        let mut sd: SdLog<RamCard, _, 8> = SdLog::with_blocks(card.clone(), || date, OPTIONS);
        for number in 1..=3 {
            assert_eq!(sd.begin_log(), Ok(number), "{geometry:?}");
            sd.write_all(&contents(number, 700 * number as usize)).unwrap();
            sd.flush().unwrap();
        }
        sd.end_log().unwrap();
        let mut listed = Vec::new();
        let each = |log: LogFile| {
            listed.push((log.number, log.bytes, log.date, log.is_read_only));
            ControlFlow::Continue(())
        };
        sd.list(each).unwrap();
        listed.sort_unstable_by_key(|log| log.0);
        assert_eq!(listed, [1, 2, 3].map(|number| (number, 700 * number, date, false)), "{geometry:?}");
    }
}

/// The ready output of a future.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}

/// Firmware may lend its card.
#[test]
fn a_card_that_is_lent_is_a_card() {
    use embedded_io_async::Write;
    for geometry in GEOMETRIES {
        let mut card = geometry.format();
        let copy = card.clone();
        {
            let mut sd: SdLog<&mut RamCard, Undated, 8> = SdLog::with_blocks(&mut card, Undated, OPTIONS);
            assert_eq!(block_on(sd.begin_log_async()), Ok(1), "{geometry:?}");
            block_on(sd.write_all(&contents(1, 9000))).unwrap();
            block_on(sd.end_log_async()).unwrap();
        }
        let mut sd: SdLog<&mut RamCard, Undated, 8> = SdLog::with_blocks(&mut card, Undated, OPTIONS);
        assert_eq!(sd.begin_log(), Ok(2), "{geometry:?}");
        embedded_io::Write::write_all(&mut sd, &contents(2, 5000)).unwrap();
        sd.end_log().unwrap();
        let volume = Volume::of(&copy);
        for (number, bytes) in [(1, 9000), (2, 5000)] {
            assert_eq!(volume.read(&path("LOGS", number)), Some(contents(number, bytes)), "{geometry:?}");
        }
    }
}

/// Logs of this boot are never removed. The numbers of those on the card before say nothing of another card's.
#[test]
fn the_logs_of_another_card_are_of_earlier_boots() {
    // Where the boot sector has the serial number, by which cards differ.
    for (geometry, serial) in GEOMETRIES.into_iter().zip([39, 67, 100]) {
        let card = geometry.format();
        let other = geometry.format();
        other.edit(geometry.start, |boot| boot[serial..serial + 4].copy_from_slice(&[1, 2, 3, 4]));
        let computer = Computer::new(&other);
        computer.folder("LOGS");
        (1..=3).for_each(|number| computer.put(&path("LOGS", number), &contents(number, 5000), Clusters::First));
        computer.note_free_clusters();
        let mut sd = sd(&card, OPTIONS);
        assert_eq!(sd.begin_log(), Ok(1));
        // More than the next mount, so that counts which begin again show.
        (0..50).for_each(|_| sd.list(|_| ControlFlow::Continue(())).unwrap());
        embedded_io::Write::write_all(&mut sd, &[0; 100_000]).unwrap();
        let before = sd.transfers();
        card.swap(&other);
        assert!(sd.begin_log().is_err(), "{geometry:?}: the card was swapped");
        assert_eq!(sd.begin_log(), Ok(4), "{geometry:?}");
        let after = sd.transfers();
        assert!(after.read > before.read && after.written > before.written, "{geometry:?}: {before:?}, {after:?}");
        assert_eq!(sd.remove_oldest(), Ok(Some(1)), "{geometry:?}");
        sd.end_log().unwrap();
        assert!(Volume::of(&card).read(&path("LOGS", 1)).is_none(), "{geometry:?}");
    }
}

/// It doesn't matter whether a log was begun on the other card.
#[test]
fn logs_of_this_boot_stay_when_their_card_is_back() {
    for (geometry, serial) in GEOMETRIES.into_iter().zip([39, 67, 100]) {
        for is_full in [false, true] {
            let card = geometry.format();
            let other = geometry.format();
            other.edit(geometry.start, |boot| boot[serial..serial + 4].copy_from_slice(&[1, 2, 3, 4]));
            let computer = Computer::new(&other);
            computer.folder("LOGS");
            computer.occupy_all_but("PHOTO", if is_full { 0 } else { 100 });
            computer.note_free_clusters();
            let mut sd = sd(&card, OPTIONS);
            assert_eq!(sd.begin_log(), Ok(1));
            embedded_io::Write::write_all(&mut sd, &contents(1, 9000)).unwrap();
            sd.end_log().unwrap();
            let first = card.copy();
            card.swap(&other);
            assert!(sd.begin_log().is_err(), "{geometry:?}: the card was swapped");
            assert_eq!(sd.begin_log().is_err(), is_full, "{geometry:?}");
            card.swap(&first);
            assert!(sd.begin_log().is_err(), "{geometry:?}: the card was swapped");
            assert_eq!(sd.remove_oldest(), Ok(None), "{geometry:?}, full: {is_full}");
            assert!(Volume::of(&card).read(&path("LOGS", 1)) == Some(contents(1, 9000)), "{geometry:?}");
        }
    }
}

/// Its clusters are in pieces, so each extension is a piece of its own.
#[test]
fn a_log_that_gets_more_clusters_keeps_its_number_and_its_size() {
    use embedded_io::Write;
    for geometry in [Geometry::FAT16, Geometry::FAT32] {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.occupy("TAKEN.DAT", 200, Clusters::Every(3));
        computer.note_free_clusters();
        let mut sd = sd(&card, Options { extent_bytes: 4 << 10, ..OPTIONS });
        let contents = contents(1, 60_000);
        assert_eq!(sd.begin_log(), Ok(1));
        for (i, piece) in contents.chunks(3000).enumerate() {
            sd.write_all(piece).unwrap();
            assert_eq!(sd.number(), Some(1), "{geometry:?}, piece {i}");
            let listed = |sd: &mut Sd| {
                let mut listed = Vec::new();
                let each = |log: LogFile| {
                    listed.push((log.number, log.bytes as usize));
                    ControlFlow::Continue(())
                };
                sd.list(each).unwrap();
                listed
            };
            // An extension flushes what it can.
            let [(1, flushed)] = listed(&mut sd)[..] else { panic!("{geometry:?}: one log") };
            assert!((3000 * i..=3000 * (i + 1)).contains(&flushed), "{geometry:?}, piece {i}: {flushed} bytes");
            sd.flush().unwrap();
            assert_eq!(listed(&mut sd), [(1, 3000 * (i + 1))], "{geometry:?}");
        }
        sd.end_log().unwrap();
        assert_eq!(Volume::of(&card).read(&path("LOGS", 1)), Some(contents), "{geometry:?}");
    }
}
