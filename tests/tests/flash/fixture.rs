//! A logger and its drain on a chip, with all attempts accounted for.
#[path = "../../../binlog-embedded/tests/flight/mod.rs"]
pub(crate) mod flight;

use binlog::flash::Image;
use binlog::{LogSchema, Records};
use binlog_embedded::Logger;
use binlog_tests::nor_chip::{NorChip, now};
use flight::Flight;

pub(crate) type Ring = Logger<Flight, 4096>;

/// A static logger, as firmware has.
pub(crate) fn ring() -> &'static Ring {
    let ring = Box::leak(Box::new(Ring::new()));
    ring.start(now);
    ring
}

/// The logs on a chip as the host finds them, each up to its last whole record.
pub(crate) fn logs<const WORD: usize, const UNIT: u32>(chip: &NorChip<WORD, UNIT>) -> Vec<Vec<u8>> {
    let memory = chip.memory();
    let Ok(image) = Image::new(memory.bytes()) else { return Vec::new() };
    let whole = |mut log: Vec<u8>| {
        assert!(log.len() < Flight::PREAMBLE.len() || log.starts_with(Flight::PREAMBLE));
        let end = Records::new(&log).flatten().last().map_or(0, |record| record.offset() + record.len());
        log.truncate(end);
        log
    };
    image.logs().iter().map(|log| whole(log.bytes())).collect()
}

/// Asserts that every attempt is on the chip or counted, and that no more is said to be written than there is.
#[track_caller]
pub(crate) fn account<const WORD: usize, const UNIT: u32>(
    ring: &Ring,
    chip: &NorChip<WORD, UNIT>,
    attempts: [usize; flight::KINDS],
) {
    let mut on_chip = [0; flight::KINDS];
    for log in logs(chip) {
        flight::numbers(&log).iter().for_each(|&(kind, _)| on_chip[kind] += 1);
    }
    for kind in 0..flight::KINDS {
        let tally = ring.tally_of(kind).expect("a message");
        let counted = (tally.dropped + tally.decimated + tally.ignored + tally.lost) as usize;
        assert_eq!(tally.written as usize + counted, attempts[kind], "kind {kind}: {tally:?}");
        assert!(on_chip[kind] >= tally.written as usize, "kind {kind}: {} on the chip, {tally:?}", on_chip[kind]);
        // Pages that were written and not flushed before an error are counted as lost.
        assert!(on_chip[kind] + counted >= attempts[kind], "kind {kind}: {} on the chip, {tally:?}", on_chip[kind]);
    }
    assert_eq!(ring.statistics().used, 0);
}
