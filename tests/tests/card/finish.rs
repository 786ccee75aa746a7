//! How flights end, and what is between them.

use crate::bounds::with_a_long_search;
use crate::dropped_futures::{poll, wait_for};
use crate::fixture::flight::{self, Flight, KINDS};
use crate::fixture::{OPTIONS, Sd, account, ring, sd};
use crate::history::{contents, path};
use binlog_embedded::sd_log::{Cause, Damage, Fault, Operation, Options, SdError};
use binlog_tests::ram_card::{CardError, Format, RamCard, Word};
use binlog_tests::volume::{Clusters, Computer, Geometry, Volume};
use embedded_io::Write;
use std::ops::ControlFlow;

#[test]
fn finish_makes_an_attempt_however_short_ago_one_failed() {
    for format in [Format::Fat16, Format::Fat32] {
        let card = RamCard::formatted(format);
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut sd = sd(&card, OPTIONS);
        let mut attempts = [0; KINDS];
        attempts[0] += 1;
        flight::log(ring, 0, 1);
        card.pull();
        for call in 0..3 {
            let error = if call == 0 { sd.run(&mut drain) } else { sd.finish(&mut drain) };
            assert_eq!(error.expect_err("there is no card").operation, Operation::Mount, "call {call}");
            assert!(ring.statistics().used > 0);
        }
        card.put_back();
        sd.finish(&mut drain).unwrap();
        account(ring, &card, attempts);
        assert_eq!(ring.statistics().lost + ring.statistics().dropped, 0);
    }
}

/// Clusters that nothing will be written to would have to be given back at once.
#[test]
fn finish_prepares_no_clusters() {
    for geometry in [Geometry::FAT16, Geometry::FAT32] {
        let begun = || {
            let card = Geometry { cluster_blocks: 1, ..geometry }.format();
            let ring = ring();
            let mut drain = ring.drain().unwrap();
            // Many blocks of the FAT describe the extent. Calls that write mark what the log will need soon, and leave
            // the next block to idle calls.
            let mut sd = sd(&card, Options { extent_bytes: 1 << 20, ..OPTIONS });
            for number in 1..=150 {
                flight::log(ring, 4, number);
                if number % 15 == 0 {
                    sd.run(&mut drain).unwrap();
                }
            }
            (card, ring, drain, sd)
        };
        let free = |card: &RamCard| Volume::of(card).free_clusters();
        let (card, _, mut drain, mut sd) = begun();
        let before = free(&card);
        (0..100).for_each(|_| sd.run(&mut drain).unwrap());
        assert!(free(&card) < before, "{:?}: nothing is to be prepared", geometry.kind);

        let (card, ring, mut drain, mut sd) = begun();
        let before = free(&card);
        flight::log(ring, 4, 151);
        ring.stop();
        card.record();
        sd.finish(&mut drain).unwrap();
        card.recording().moments(
            0..usize::MAX,
            Word::Four,
            |_| true,
            |moment, card| {
                assert!(free(&card) >= before, "{:?}, {moment:?}", geometry.kind);
            },
        );
        assert!(free(&card) > before, "{:?}: what was marked is given back", geometry.kind);
    }
}

#[test]
fn after_a_flight_no_log_begins_before_a_record() {
    let card = RamCard::formatted(Format::Fat32);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    for flown in 1..=3 {
        flight::log(ring, 0, flown);
        sd.run(&mut drain).unwrap();
        ring.stop();
        sd.finish(&mut drain).unwrap();
        for _ in 0..3 {
            sd.run(&mut drain).unwrap();
            sd.finish(&mut drain).unwrap();
        }
        assert_eq!(card.names("LOGS").len() as u64, flown, "{:?}", card.names("LOGS"));
        let log = card.file(&format!("LOGS/{flown:08}.BIN")).expect("the log is there");
        assert_eq!(flight::numbers(&log), [(0, flown)]);
        ring.start(crate::fixture::now);
    }
}

#[test]
fn run_asks_to_be_called_again_while_a_search_goes_on() {
    let card = with_a_long_search();
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    let mut calls = 0;
    loop {
        sd.run(&mut drain).unwrap();
        calls += 1;
        if !sd.is_searching() {
            break;
        }
        assert_eq!(sd.number(), None);
        assert!(calls < 100, "there is no end to it");
    }
    assert!(calls > 10, "only {calls} calls");
    assert_eq!(sd.number(), Some(1));
    assert!(sd.byte_count() as usize >= <Flight as binlog::LogSchema>::PREAMBLE.len());
}

#[test]
fn run_async_searches_to_the_end() {
    let card = with_a_long_search();
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    wait_for(sd.run_async(&mut drain)).unwrap();
    assert!(!sd.is_searching());
    assert_eq!(sd.number(), Some(1));
}

/// Another call completes the end of the log. The flight stays finished, and no second log begins.
#[test]
fn a_finish_that_was_dropped_ends_the_last_log() {
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        for polls in 1..200 {
            let card = geometry.format();
            let ring = ring();
            let mut drain = ring.drain().unwrap();
            drain.report_every(100_000);
            let mut sd = sd(&card, OPTIONS);
            let mut attempts = [0; KINDS];
            for number in 0..30 {
                flight::log(ring, 0, number);
                attempts[0] += 1;
            }
            sd.run(&mut drain).unwrap();
            if poll(sd.finish_async(&mut drain), polls).is_none() {
                wait_for(sd.list_async(|_| ControlFlow::Continue(()))).unwrap();
                wait_for(sd.finish_async(&mut drain)).unwrap();
            }
            account(ring, &card, attempts);
            let volume = Volume::of(&card);
            assert_eq!(volume.tree().files("LOGS").count(), 1, "{geometry:?}, {polls} polls");
            volume.check().assert_clean(format_args!("{geometry:?}, {polls} polls"));
        }
    }
}

/// A call that has nothing to do with the open log.
type Other = fn(&mut Sd, bool) -> Result<(), SdError<CardError>>;

const OTHERS: [(&str, Other); 3] = [
    ("list", |sd, is_async| {
        let visit = |_| ControlFlow::Continue(());
        if is_async { wait_for(sd.list_async(visit)) } else { sd.list(visit) }
    }),
    ("extract", |sd, is_async| {
        let taken = async |_: &[u8]| ControlFlow::Continue(());
        match is_async {
            true => wait_for(sd.extract_async(1, taken)).map(drop),
            false => sd.extract(1, |_| ControlFlow::Continue(())).map(drop),
        }
    }),
    ("remove_oldest", |sd, is_async| {
        if is_async { wait_for(sd.remove_oldest_async()).map(drop) } else { sd.remove_oldest().map(drop) }
    }),
];

/// A card with a log.
fn with_a_log(geometry: Geometry) -> RamCard {
    let card = geometry.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    computer.put(&path("LOGS", 1), &contents(1, 3000), Clusters::First);
    computer.note_free_clusters();
    card
}

/// Pulls the card for a call, which fails.
fn fail(card: &RamCard, sd: &mut Sd, other: Other, is_async: bool) {
    // The block in memory is then not one of the folder's, so the call reads from the card.
    sd.extract(1, |_| ControlFlow::Break(())).unwrap();
    card.pull();
    other(sd, is_async).expect_err("the card is pulled");
    card.put_back();
}

fn is_closed(error: &SdError<CardError>) -> bool {
    error.cause == Cause::Fault(Fault::Closed)
}

/// The open log is lost with it, and what wasn't flushed.
#[test]
fn end_log_after_another_calls_error_says_that_it_cant() {
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        for (name, other) in OTHERS {
            for (is_async, is_flushed) in [(false, false), (true, false), (false, true), (true, true)] {
                let context = format!("{:?}, {name}, async {is_async}, flushed {is_flushed}", geometry.kind);
                let card = with_a_log(geometry);
                let mut sd = sd(&card, OPTIONS);
                assert_eq!(sd.begin_log(), Ok(2));
                sd.write_all(&contents(2, 3000)).unwrap();
                sd.flush().unwrap();
                if !is_flushed {
                    sd.write_all(&[7; 100]).unwrap();
                }
                fail(&card, &mut sd, other, is_async);
                assert_eq!((sd.number(), sd.byte_count(), sd.flushed_byte_count()), (None, 0, 0), "{context}");
                // However often it is asked.
                for _ in 0..2 {
                    let ended = if is_async { wait_for(sd.end_log_async()) } else { sd.end_log() };
                    assert_eq!(ended.is_err_and(|error| is_closed(&error)), !is_flushed, "{context}");
                }
                let error = sd.write_all(&[7; 100]).expect_err(&context);
                assert_eq!((is_closed(&error), error.operation), (true, Operation::Write), "{context}");
                let error = sd.flush().expect_err(&context);
                assert_eq!((is_closed(&error), error.operation), (true, Operation::Flush), "{context}");
                assert_eq!(sd.begin_log(), Ok(3), "{context}");
                sd.write_all(&contents(3, 500)).unwrap();
                assert_eq!(sd.end_log(), Ok(()), "{context}");
                for (number, bytes) in [(1, 3000), (2, 3000), (3, 500)] {
                    let log = Volume::of(&card).read(&path("LOGS", number));
                    assert!(log == Some(contents(number, bytes)), "{context}: log {number}");
                }
                Volume::of(&card).check().assert_clean(&context);
            }
        }
    }
}

#[test]
fn finish_after_another_calls_error_tells_the_lost_records() {
    for (name, other) in OTHERS {
        for is_async in [false, true] {
            let card = with_a_log(Geometry::FAT32);
            let ring = ring();
            let mut drain = ring.drain().unwrap();
            let mut sd = sd(&card, OPTIONS);
            let mut attempts = [0; KINDS];
            for number in 0..5 {
                flight::log(ring, 0, number);
                attempts[0] += 1;
            }
            sd.run(&mut drain).unwrap();
            ring.stop();
            fail(&card, &mut sd, other, is_async);
            let mut finish = || if is_async { wait_for(sd.finish_async(&mut drain)) } else { sd.finish(&mut drain) };
            assert!(finish().is_err_and(|error| is_closed(&error)), "{name}, async {is_async}");
            assert_eq!(finish(), Ok(()), "{name}, async {is_async}");
            assert_eq!(ring.tally_of(0).unwrap().lost, 5, "{name}, async {is_async}");
            Computer::new(&card).delete(&path("LOGS", 1));
            account(ring, &card, attempts);
        }
    }
}

/// Another system's file doesn't cost what isn't flushed.
#[test]
fn a_damaged_log_that_is_read_leaves_the_open_one() {
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        for is_async in [false, true] {
            let card = Geometry { cluster_blocks: 1, ..geometry }.format();
            let computer = Computer::new(&card);
            computer.folder("LOGS");
            computer.put(&path("LOGS", 1), &contents(1, 9000), Clusters::Every(2));
            let first = computer.volume().tree().get(&path("LOGS", 1)).unwrap().first;
            computer.link(first, 0);
            computer.note_free_clusters();
            let mut sd = sd(&card, OPTIONS);
            assert_eq!(sd.begin_log(), Ok(2));
            sd.write_all(&contents(2, 700)).unwrap();
            let error = OTHERS[1].1(&mut sd, is_async).expect_err("its chain has one cluster");
            assert_eq!(error.cause, Cause::Fault(Fault::Damaged(Damage::Short)));
            sd.write_all(&contents(2, 900)[700..]).unwrap();
            assert_eq!(sd.end_log(), Ok(()), "{geometry:?}");
            assert!(Volume::of(&card).read(&path("LOGS", 2)) == Some(contents(2, 900)), "{geometry:?}");
        }
    }
}
