//! The flight, and what it costs on the bus.

use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Region, Volume};

/// A writer of one log.
pub(crate) trait Logs {
    /// Begins the log, which will have so many bytes.
    fn begin(&mut self, card: &RamCard, bytes: u32);
    /// Writes.
    fn write(&mut self, bytes: &[u8]);
    /// Makes what was written safe.
    fn sync(&mut self);
    /// Ends the log.
    fn end(&mut self);
}

/// Bytes of the log, and after how many it is synced.
const LOG: u32 = 64 << 20;
const SYNC: u32 = 32 << 10;

/// What a flight cost, from its first byte to its end.
#[derive(Debug)]
pub(crate) struct Cost {
    /// Bytes on an SPI bus for each KiB logged, 517 for each block that is written.
    pub(crate) blocks_per_kib: f64,
    /// The same, with commands and reads.
    pub(crate) all_per_kib: f64,
    /// Blocks that were written and aren't the log's contents.
    pub(crate) metadata: usize,
    /// The most blocks that one call read and wrote, and of those of a begin and an end.
    pub(crate) longest: u64,
    pub(crate) longest_begin_or_end: u64,
}

/// SPI bytes besides 517 for each block that is written, as embedded-sdmmc 0.10's `SdCard` sends them: of a single block
/// the command and the status after it; of several the two commands that announce how many, the command and the end.
const SINGLE: u64 = 14;
const SEVERAL: u64 = 27;
/// Of a block that is read, with its command.
const READ: u64 = 524;

/// Flies with writes of so many bytes.
pub(crate) fn fly(logs: &mut impl Logs, card: &RamCard, chunk: u32) -> Cost {
    card.record();
    let blocks = || card.reads() + card.writes();
    let mut at = blocks();
    let mut moved = || {
        let before = at;
        at = blocks();
        at - before
    };
    logs.begin(card, LOG);
    let mut longest_begin_or_end = moved();
    let reads = card.reads();
    let recorded = card.recorded();
    let bytes: Vec<u8> = (0..chunk).map(|at| (at % 251) as u8).collect();
    let mut longest = 0;
    for written in (0..LOG).step_by(chunk as usize).map(|at| at + chunk) {
        logs.write(&bytes);
        longest = longest.max(moved());
        if written % SYNC == 0 {
            logs.sync();
            longest = longest.max(moved());
        }
    }
    let recording = card.recording();
    let reads = card.reads() - reads;
    logs.end();
    longest_begin_or_end = longest_begin_or_end.max(moved());

    let regions = Volume::of(card).regions();
    let writes = &recording.writes[recorded..];
    let metadata = writes.iter().filter(|written| regions.of(written.at) != Region::Contents).count();
    let transfers = writes.chunk_by(|first, second| first.transfer == second.transfer);
    let commands: u64 = transfers.map(|transfer| if transfer.len() == 1 { SINGLE } else { SEVERAL }).sum();
    let blocks = writes.len() as u64 * 517;
    let kib = f64::from(LOG >> 10);
    Cost {
        blocks_per_kib: blocks as f64 / kib,
        all_per_kib: (blocks + commands + reads * READ) as f64 / kib,
        metadata,
        longest,
        longest_begin_or_end,
    }
}
