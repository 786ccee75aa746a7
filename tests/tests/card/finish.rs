//! How flights end, and what is between them.

use crate::bounds::with_a_long_search;
use crate::dropped::{poll, wait_for};
use crate::rig::flight::{self, Flight, KINDS};
use crate::rig::{OPTIONS, account, ring, sd};
use binlog_embedded::sd_log::{Operation, Options};
use binlog_tests::ram_card::{Format, RamCard, Word};
use binlog_tests::volume::{Geometry, Volume};
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
            // Many blocks of the FAT describe the extent. Calls that write mark what the log will need soon, and leave the
            // next block to idle calls.
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
        ring.start(crate::rig::now);
    }
}

#[test]
fn while_a_search_goes_on_run_says_that_it_is_to_be_called_again() {
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
