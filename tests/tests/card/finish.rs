//! How flights end, and what is between them.

use crate::asynchronous::Executor;
use crate::rig::flight::{self, Flight, KINDS};
use crate::rig::{OPTIONS, account, ring, sd};
use binlog_embedded::sd_log::Operation;
use binlog_tests::ram_card::{Format, RamCard};
use binlog_tests::volume::{Geometry, Guest, Place};

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

/// A card on which the search for free clusters takes more than one call.
fn searched() -> RamCard {
    let card = Geometry { clusters: 300_000, ..Geometry::FAT32 }.format();
    let guest = Guest::new(&card);
    guest.folder("LOGS");
    guest.occupy("TAKEN.DAT", 200_000, Place::First);
    // FSInfo has no hint where free clusters are.
    let info = guest.volume().info.unwrap();
    card.edit(info, |block| block[488..496].fill(0xFF));
    card
}

#[test]
fn while_a_search_goes_on_run_says_that_it_is_to_be_called_again() {
    let card = searched();
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
    let card = searched();
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    Executor::new(u32::MAX).run(sd.run_async(&mut drain)).expect("never dropped").unwrap();
    assert!(!sd.is_searching());
    assert_eq!(sd.number(), Some(1));
}
