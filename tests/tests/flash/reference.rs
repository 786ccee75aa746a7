//! What must be on a chip: a plain model that knows which bytes were written where, and nothing of the format but its
//! documented promise.

use binlog::flash::Image;
use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{Options, Preamble, StoredLog};
use binlog_tests::nor_chip::{Memory, NorChip, Operation, SECTOR};
use embedded_io::Read;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

/// A byte of a log. No two logs are alike, nor two stretches of one.
pub(crate) fn byte(log: u16, at: u32) -> u8 {
    let mixed = (at ^ (u32::from(log) << 20)).wrapping_mul(0x9E37_79B1);
    (mixed >> 24) as u8 ^ (mixed >> 13) as u8
}

/// A log that was read from a chip.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Extracted {
    pub(crate) number: u16,
    /// Bytes that are missing at its beginning.
    pub(crate) missing: u32,
    pub(crate) bytes: Vec<u8>,
}

/// The logs that the target extracts.
pub(crate) fn on_target<const WORD: usize, const UNIT: u32>(
    flash: &mut FlashLog<NorChip<WORD, UNIT>>,
) -> Vec<Extracted> {
    let mut logs: Vec<StoredLog> = Vec::new();
    let each = |log: &StoredLog| {
        logs.push(*log);
        ControlFlow::Continue(())
    };
    flash.list(each).expect("the chip works");
    let mut extract = |log: &StoredLog| {
        let (mut bytes, mut piece) = (Vec::new(), [0; 100]);
        let mut reader = flash.read(log, Preamble::NONE).expect("the chip works");
        loop {
            match reader.read(&mut piece).expect("the chip works") {
                0 => break,
                length => bytes.extend_from_slice(&piece[..length]),
            }
        }
        assert_eq!(reader.missing(), log.missing, "log {} has a hole", log.number);
        Extracted { number: log.number, missing: log.missing, bytes }
    };
    logs.iter().map(&mut extract).collect()
}

/// The logs that the host finds in an image.
pub(crate) fn on_host(image: &[u8]) -> Vec<Extracted> {
    let Ok(image) = Image::new(image) else { return Vec::new() };
    let logs = image.logs().iter().map(|log| {
        let gaps = log.gaps();
        assert!(gaps.is_empty() || gaps.len() == 1 && gaps[0].at == 0, "log {}: {gaps:?}", log.number());
        Extracted { number: log.number(), missing: gaps.first().map_or(0, |gap| gap.length), bytes: log.bytes() }
    });
    logs.collect()
}

/// The bytes of a log in a sector.
#[derive(Clone, Debug)]
struct Stretch {
    log: u16,
    part: Range<u32>,
}

/// A chip's sectors.
#[derive(Clone)]
pub(crate) struct Reference {
    sectors: Vec<Option<Stretch>>,
    /// Sectors in a block, as the format documents them.
    block: usize,
    /// The newest sector, and how often the ring began again.
    head: Option<usize>,
    laps: u32,
    /// The sector that a torn write may have begun.
    begun: Option<usize>,
}

impl Reference {
    pub(crate) fn new(length: usize, unit: usize) -> Self {
        let sectors = length / SECTOR;
        let eighth = 1 << (sectors / 8).ilog2();
        let block = (unit / SECTOR).max(16.min(eighth));
        Reference { sectors: vec![None; sectors / block * block], block, head: None, laps: 0, begun: None }
    }

    /// How often the ring began again.
    pub(crate) fn laps(&self) -> u32 {
        self.laps
    }

    /// Takes note of an operation that succeeded; a write carried a part of a log.
    pub(crate) fn note(&mut self, operation: &Operation, carried: Option<(u16, Range<u32>)>) {
        match operation {
            Operation::Erase(address, length) => self.forget(*address, *length),
            Operation::Write(address, _) => {
                let sector = *address as usize / SECTOR;
                let (log, part) = carried.expect("a write carries bytes");
                match &mut self.sectors[sector] {
                    Some(stretch) => {
                        assert_eq!((stretch.log, stretch.part.end), (log, part.start), "sector {sector}");
                        stretch.part.end = part.end;
                    }
                    empty => {
                        *empty = Some(Stretch { log, part });
                        if self.head.is_some_and(|head| sector <= head) {
                            self.laps += 1;
                        }
                        (self.head, self.begun) = (Some(sector), None);
                    }
                }
            }
        }
    }

    /// Takes note of an operation that was torn.
    pub(crate) fn note_torn(&mut self, operation: &Operation) {
        match operation {
            Operation::Erase(address, length) => self.forget(*address, *length),
            Operation::Write(address, _) => self.begun = Some(*address as usize / SECTOR),
        }
    }

    fn forget(&mut self, address: u32, length: u32) {
        let end = (address + length) as usize / SECTOR;
        self.sectors[address as usize / SECTOR..end].fill(None);
    }

    /// The parts of logs that have to be on the chip.
    fn required(&self) -> BTreeMap<u16, Vec<Range<u32>>> {
        let mut required = BTreeMap::<u16, Vec<Range<u32>>>::new();
        let Some(head) = self.head else { return required };
        let length = self.sectors.len();
        let around: Vec<usize> = (1..=length).map(|by| (head + by) % length).collect();
        let first = *around.iter().find(|&&sector| self.sectors[sector].is_some()).expect("the newest one");
        let newest = self.begun.unwrap_or(head).max(head);
        let is_in_last_block = newest >= length - self.block;
        let oldest = match self.laps == 0 && !is_in_last_block {
            true => first,
            false => (first / self.block + 1) * self.block % length,
        };
        let count = (head + length - oldest) % length + 1;
        for &sector in &around[length - count..] {
            if let Some(stretch) = &self.sectors[sector] {
                required.entry(stretch.log).or_default().push(stretch.part.clone());
            }
        }
        required
    }

    /// Asserts that a chip has what was written and nothing else.
    pub(crate) fn check(&self, extracted: &[Extracted], context: &dyn Fn() -> String) {
        for log in extracted {
            let is_own = |(at, &found): (usize, &u8)| found == byte(log.number, log.missing + at as u32);
            assert!(log.bytes.iter().enumerate().all(is_own), "log {}: other bytes; {}", log.number, context());
        }
        for (number, parts) in self.required() {
            let Some(log) = extracted.iter().find(|log| log.number == number) else {
                panic!("log {number} is missing; {}", context());
            };
            let found = log.missing..log.missing + log.bytes.len() as u32;
            for part in parts {
                let is_there = found.start <= part.start && part.end <= found.end;
                assert!(is_there, "log {number}: {part:?} is not in {found:?}; {}", context());
            }
        }
        assert!(extracted.is_sorted_by_key(|log| log.number), "{}", context());
    }

    /// As [`check`](Reference::check), for what target and host extract from a chip.
    pub(crate) fn check_chip<const WORD: usize, const UNIT: u32>(&self, memory: &Memory, context: &dyn Fn() -> String) {
        let host = on_host(memory.bytes());
        self.check(&host, context);
        let mut flash = FlashLog::new(NorChip::<WORD, UNIT>::with(memory.clone()), Options::DEFAULT);
        assert_eq!(on_target(&mut flash), host, "target and host differ; {}", context());
    }
}
