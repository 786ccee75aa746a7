//! A logger, its drain and a card, with all attempts accounted for.
#[path = "../../../binlog-embedded/tests/flight/mod.rs"]
pub(crate) mod flight;

use binlog::{LogSchema, Records};
use binlog_embedded::sd_log::{Options, Undated};
use binlog_embedded::{Logger, SdLog};
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::Volume;
use flight::Flight;
use std::cell::Cell;

pub(crate) type Ring = Logger<Flight, 4096>;
pub(crate) type Sd = SdLog<RamCard, Undated, 8>;

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

pub(crate) fn now() -> u64 {
    NOW.get()
}

/// Moves the clock on.
pub(crate) fn wait(us: u64) {
    NOW.set(NOW.get() + us);
}

/// A static logger, as firmware has.
pub(crate) fn ring() -> &'static Ring {
    let ring = Box::leak(Box::new(Ring::new()));
    ring.start(now);
    ring
}

/// Small sizes, so that little data reaches every limit.
pub(crate) const OPTIONS: Options = Options { flush_bytes: 3000, free_bytes: 0, ..Options::DEFAULT };

pub(crate) fn sd(card: &RamCard, options: Options) -> Sd {
    SdLog::new(card.clone(), Undated, options)
}

/// Whole records of all logs on the card, by kind.
pub(crate) fn on_card(card: &RamCard) -> [usize; flight::KINDS] {
    let mut counts = [0; flight::KINDS];
    let volume = Volume::of(card);
    for file in volume.tree().files("LOGS").filter(|file| file.path.ends_with(".BIN")) {
        let log = volume.contents(file);
        assert!(log.len() < Flight::PREAMBLE.len() || log.starts_with(Flight::PREAMBLE), "{}", file.path);
        for (kind, _) in flight::numbers(whole(&log)) {
            counts[kind] += 1;
        }
    }
    counts
}

/// A log up to the end of its last whole record.
pub(crate) fn whole(log: &[u8]) -> &[u8] {
    let end = Records::new(log).flatten().last().map_or(0, |record| record.offset() + record.payload().len() + 3);
    &log[..end]
}

/// Asserts that every attempt is on the card or counted.
#[track_caller]
pub(crate) fn account(ring: &Ring, card: &RamCard, attempts: [usize; flight::KINDS]) {
    let on_card = on_card(card);
    for kind in 0..flight::KINDS {
        let tally = ring.tally_of(kind).expect("a message");
        let counted = tally.dropped + tally.decimated + tally.ignored + tally.lost;
        assert_eq!(
            on_card[kind] + counted as usize,
            attempts[kind],
            "kind {kind}: {} on the card, {tally:?}",
            on_card[kind]
        );
        assert_eq!(tally.written as usize, on_card[kind], "kind {kind}");
    }
    assert_eq!(ring.statistics().used, 0);
}
