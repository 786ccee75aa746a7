//! What a ring saved over a reset is a log of its own on the card.

use crate::fixture::flight::{self, Flight};
use crate::fixture::{OPTIONS, now, sd, wait};
use binlog::{LogSchema, Records};
use binlog_embedded::Retained;
use binlog_embedded::retained::{Claim, Reset};
use binlog_embedded::sd_log::Options;
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Geometry, Volume};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

type Ring = Retained<Flight, 4096>;

const EACH: [Geometry; 3] = [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT];

/// A ring that no reset clears, after power-on.
fn ring() -> &'static Ring {
    // SAFETY: it is claimed before anything else is done with it, and again where the next boot begins.
    let ring: &'static Ring = Box::leak(Box::new(unsafe { Retained::new() }));
    ring.claim(Reset::PowerOn);
    ring.start(now);
    ring
}

/// What the logs on the card hold, the oldest first: the texts, and the kinds and numbers of the records.
fn logs(card: &RamCard) -> Vec<(String, Vec<(usize, u64)>)> {
    let volume = Volume::of(card);
    volume.check().assert_clean("the card");
    let tree = volume.tree();
    let mut paths: Vec<&str> = tree.files("LOGS").map(|file| file.path.as_str()).collect();
    paths.sort_unstable();
    let read = |path: &&str| {
        let log = volume.read(path).expect("the log is there");
        assert!(log.starts_with(Flight::PREAMBLE), "{path}");
        let mut text = Vec::new();
        for record in Records::new(&log).map(|record| record.expect("a whole log")) {
            if record.name() == "MSG" {
                let part = record.payload()[11..].iter().copied();
                text.extend(part.take_while(|&character| character != 0));
            }
        }
        (String::from_utf8(text).expect("a text"), flight::numbers(&log))
    };
    paths.iter().map(read).collect()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return done;
        }
    }
}

/// Log 1 has what was flushed before the reset, log 2 what was recovered, and log 3 what came later.
#[test]
fn recovered_records_are_a_log_between_those_of_both_boots() {
    for (geometry, is_async) in EACH.into_iter().flat_map(|geometry| [(geometry, false), (geometry, true)]) {
        let card = geometry.format();
        let ring = ring();
        let mut drain = ring.drain().expect("the only drain");
        let mut log = sd(&card, OPTIONS);
        for number in 0..3 {
            assert!(flight::log(ring, 1, number));
        }
        log.run(&mut drain).unwrap();
        wait(OPTIONS.flush_us);
        log.run(&mut drain).unwrap();
        // These are in the buffer for the card, and these in the ring.
        for number in 3..5 {
            assert!(flight::log(ring, 1, number));
        }
        log.run(&mut drain).unwrap();
        for number in 5..8 {
            assert!(flight::log(ring, 1, number));
        }
        drop((drain, log));

        let claim = ring.claim(Reset::Watchdog);
        assert!(matches!(claim, Claim::Warm { records: 5, overwritten: 0, .. }), "{claim}");
        ring.start(now);
        assert!(flight::log(ring, 2, 8));
        let mut drain = ring.drain().expect("the only drain of this boot");
        let mut log = sd(&card, OPTIONS);
        for _ in 0..3 {
            if is_async {
                block_on(log.run_async(&mut drain)).unwrap();
            } else {
                log.run(&mut drain).unwrap();
            }
        }
        ring.stop();
        log.finish(&mut drain).unwrap();

        let logs = logs(&card);
        let numbers: Vec<_> = logs.iter().map(|(_, numbers)| numbers.clone()).collect();
        let before = (0..3).map(|number| (1, number)).collect::<Vec<_>>();
        let recovered = (3..8).map(|number| (1, number)).collect();
        assert_eq!(numbers, [before, recovered, vec![(2, 8)]], "{geometry:?}");
        assert!(logs[1].0.contains("watchdog"), "{:?}", logs[1].0);
        assert_eq!((logs[0].0.as_str(), logs[2].0.as_str()), ("", ""));
    }
}

/// Nothing is recovered after power-on, and the next log isn't split.
#[test]
fn a_boot_without_recovered_records_has_one_log() {
    for geometry in EACH {
        let card = geometry.format();
        let ring = ring();
        let mut drain = ring.drain().expect("the only drain");
        let mut log = sd(&card, OPTIONS);
        for number in 0..200 {
            assert!(flight::log(ring, 3, number));
            log.run(&mut drain).unwrap();
        }
        ring.stop();
        log.finish(&mut drain).unwrap();
        assert_eq!(logs(&card), [(String::new(), (0..200).map(|number| (3, number)).collect())]);
    }
}

/// A reset before the recovered records are flushed: they are recovered again, with those of the boot between.
#[test]
fn records_that_outlive_two_resets_are_in_one_log() {
    for geometry in EACH {
        let card = geometry.format();
        let ring = ring();
        assert!(flight::log(ring, 1, 0));
        assert!(matches!(ring.claim(Reset::Software), Claim::Warm { records: 1, .. }));
        ring.start(now);
        assert!(flight::log(ring, 1, 1));
        // No card is found in this boot.
        card.pull();
        let mut drain = ring.drain().expect("the only drain of this boot");
        assert!(sd(&card, OPTIONS).run(&mut drain).is_err());
        drop(drain);
        card.put_back();
        assert!(matches!(ring.claim(Reset::Pin), Claim::Warm { records: 2, .. }));
        ring.start(now);
        assert!(flight::log(ring, 1, 2));
        let mut drain = ring.drain().expect("the only drain of this boot");
        let mut log = sd(&card, OPTIONS);
        log.run(&mut drain).unwrap();
        ring.stop();
        log.finish(&mut drain).unwrap();
        let numbers: Vec<_> = logs(&card).into_iter().map(|(_, numbers)| numbers).collect();
        assert_eq!(numbers, [vec![(1, 0), (1, 1)], vec![(1, 2)]], "{geometry:?}");
    }
}

/// More was recovered than a log may have bytes.
#[test]
fn many_recovered_records_come_before_all_others() {
    for geometry in EACH {
        let card = geometry.format();
        let ring = ring();
        for number in 0..30 {
            assert!(flight::log(ring, 3, number));
        }
        ring.claim(Reset::Unknown);
        ring.start(now);
        let mut drain = ring.drain().expect("the only drain of this boot");
        let mut log = sd(&card, Options { log_bytes: 512, ..OPTIONS });
        for number in 30..40 {
            assert!(flight::log(ring, 3, number));
            log.run(&mut drain).unwrap();
        }
        ring.stop();
        log.finish(&mut drain).unwrap();
        let logs = logs(&card);
        let numbers: Vec<_> = logs.iter().flat_map(|(_, numbers)| numbers.clone()).collect();
        assert_eq!(numbers, (0..40).map(|number| (3, number)).collect::<Vec<_>>(), "{geometry:?}");
        let is_mixed = |(_, numbers): &(String, Vec<(usize, u64)>)| {
            numbers.iter().any(|record| record.1 < 30) && numbers.iter().any(|record| record.1 >= 30)
        };
        assert!(!logs.iter().any(is_mixed), "{logs:?}");
    }
}
