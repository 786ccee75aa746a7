//! The flight, and what it costs on the bus.

use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Region, Volume};
use std::ops::Range;

/// A writer of one log.
pub(crate) trait Logs {
    /// Begins the log, which will have `bytes` bytes.
    fn begin(&mut self, card: &RamCard, bytes: u32);
    /// Writes.
    fn write(&mut self, bytes: &[u8]);
    /// Flushes what was written.
    fn sync(&mut self);
    /// Has nothing to write.
    fn idle(&mut self) {}
    /// Ends the log.
    fn end(&mut self);
}

/// Bytes of the log, and after how many it is synced.
const LOG: u32 = 64 << 20;
const SYNC: u32 = 32 << 10;

/// Blocks of metadata: everything but the log's contents.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Metadata {
    /// All of them.
    pub(crate) blocks: usize,
    /// The most in one call.
    pub(crate) most: usize,
    /// How many calls wrote any.
    pub(crate) calls: usize,
}

/// What a flight cost from its first byte to its end.
#[derive(Debug)]
pub(crate) struct Cost {
    /// Bytes on an SPI bus for each KiB logged, 517 for each block that is written.
    pub(crate) blocks_per_kib: f64,
    /// The same, with commands and reads.
    pub(crate) all_per_kib: f64,
    /// Metadata that the writes wrote.
    pub(crate) in_writes: Metadata,
    /// Metadata that the syncs wrote.
    pub(crate) in_syncs: Metadata,
    /// The most blocks that one write, sync or idle call read and wrote.
    pub(crate) longest: u64,
    /// The most blocks that the begin or the end read and wrote.
    pub(crate) longest_begin_or_end: u64,
}

/// SPI bytes besides 517 for each block that is written, as `SpiCard` sends them: of a single block the command and the
/// status after it; of several the two commands that announce how many, the command and the end.
const SINGLE: u64 = 17;
const SEVERAL: u64 = 28;
/// Of a block that is read, with its command.
const READ: u64 = 524;

/// Counts what each call moves.
struct Meter<'a> {
    card: &'a RamCard,
    reads: u64,
    writes: usize,
}

impl Meter<'_> {
    /// The writes since the last call, and the number of all transferred blocks.
    fn moved(&mut self) -> (Range<usize>, u64) {
        let (reads, writes) = (self.card.reads(), self.card.recorded());
        let written = self.writes..writes;
        let blocks = reads - self.reads + written.len() as u64;
        (self.reads, self.writes) = (reads, writes);
        (written, blocks)
    }
}

/// Flies with writes of `chunk` bytes.
pub(crate) fn fly(logs: &mut impl Logs, card: &RamCard, chunk: u32) -> Cost {
    card.record();
    let mut meter = Meter { card, reads: card.reads(), writes: 0 };
    logs.begin(card, LOG);
    let (begin, mut longest_begin_or_end) = meter.moved();
    let reads = meter.reads;
    let bytes: Vec<u8> = (0..chunk).map(|at| (at % 251) as u8).collect();
    let (mut in_writes, mut in_syncs) = (Vec::new(), Vec::new());
    let mut longest = 0;
    for written in (0..LOG).step_by(chunk as usize).map(|at| at + chunk) {
        logs.write(&bytes);
        let (range, blocks) = meter.moved();
        in_writes.push(range);
        longest = longest.max(blocks);
        if written % SYNC == 0 {
            logs.sync();
            let (range, blocks) = meter.moved();
            in_syncs.push(range);
            longest = longest.max(blocks);
            logs.idle();
            longest = longest.max(meter.moved().1);
        }
    }
    let flown = begin.end..meter.writes;
    let reads = meter.reads - reads;
    logs.end();
    longest_begin_or_end = longest_begin_or_end.max(meter.moved().1);

    let writes = card.recording().writes;
    let regions = Volume::of(card).regions();
    let metadata = |calls: &[Range<usize>]| {
        let is_metadata = |&at: &usize| regions.of(writes[at].at) != Region::Contents;
        let blocks = calls.iter().map(|call| call.clone().filter(is_metadata).count());
        let blocks: Vec<usize> = blocks.filter(|&blocks| blocks > 0).collect();
        let most = blocks.iter().copied().max().unwrap_or(0);
        Metadata { blocks: blocks.iter().sum(), most, calls: blocks.len() }
    };
    let (in_writes, in_syncs) = (metadata(&in_writes), metadata(&in_syncs));
    let flown = &writes[flown];
    let transfers = flown.chunk_by(|first, second| first.transfer == second.transfer);
    let commands: u64 = transfers.map(|transfer| if transfer.len() == 1 { SINGLE } else { SEVERAL }).sum();
    let blocks = flown.len() as u64 * 517;
    let kib = f64::from(LOG >> 10);
    Cost {
        blocks_per_kib: blocks as f64 / kib,
        all_per_kib: (blocks + commands + reads * READ) as f64 / kib,
        in_writes,
        in_syncs,
        longest,
        longest_begin_or_end,
    }
}
