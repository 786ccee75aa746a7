//! A NOR flash chip in memory: bits that are only cleared, erase units, typical times, and power cuts.

use binlog_embedded::flash_log::Chip;
use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Bytes of a sector.
pub const SECTOR: usize = 4096;

/// A page program wraps around at the end of its page on the chips that this is a model of.
const PAGE: u32 = 256;

/// Errors of the chip's driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NorError {
    /// A transfer failed.
    Bus,
}

impl NorFlashError for NorError {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::Other
    }
}

/// An operation that changes the chip.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Bytes were written to an address.
    Write(u32, Vec<u8>),
    /// Bytes from an address on were erased.
    Erase(u32, u32),
}

/// How far an operation gets when the power fails in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tear {
    /// Nothing is done.
    Before,
    /// The first bytes are written, and some bits of the next; or the first bytes are erased.
    Bytes(usize),
    /// Any of the bits are written; or each sector is left as it was, erased, cleared, or has other bits.
    Some(u64),
    /// All of it is done.
    After,
}

/// The bytes of a chip, and which words were written since they were erased.
#[derive(Clone)]
pub struct Memory {
    bytes: Vec<u8>,
    /// For each word whether it may be written.
    is_erased: Vec<bool>,
    word: usize,
}

/// A chip that writes words of `WORD` bytes, reads words of `READ`, and erases `UNIT` bytes at once. Clones are the
/// same chip.
#[derive(Clone)]
pub struct NorChip<const WORD: usize, const UNIT: u32, const READ: usize = 16>(Rc<RefCell<State>>);

struct State {
    memory: Memory,
    operations: Vec<Operation>,
    /// Erases of each sector.
    erases: Vec<u32>,
    reads: usize,
    bytes_read: usize,
    time_us: u64,
    /// The number of operations that fail, after a number that work.
    failing: Option<(usize, usize)>,
    failing_reads: usize,
    /// The next read returns noise without an error.
    noise: usize,
    is_protected: bool,
    longest_us: u64,
}

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
    static WHILE_BUSY: RefCell<Option<Box<dyn FnMut()>>> = const { RefCell::new(None) };
}

/// The time of the model in microseconds: chips move it on while they are busy.
pub fn now() -> u64 {
    NOW.get()
}

/// Moves the clock on.
pub fn wait(us: u64) {
    NOW.set(NOW.get() + us);
}

/// Sets the function that is called after the clock moved on while a chip is busy, as interrupts would be.
pub fn while_busy(work: Option<Box<dyn FnMut()>>) {
    WHILE_BUSY.set(work);
}

/// Numbers that look random: SplitMix64 (Steele, Lea and Flood, 2014).
pub fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut value = *seed;
    value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

impl Memory {
    /// An erased chip.
    pub fn blank(length: usize, word: usize) -> Self {
        Memory { bytes: vec![0xFF; length], is_erased: vec![true; length / word], word }
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Changes any bytes, as a fault would.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.is_erased.fill(false);
        &mut self.bytes
    }

    /// Does an operation until the power fails.
    pub fn apply(&mut self, operation: &Operation, tear: Tear) {
        match operation {
            Operation::Write(address, bytes) => self.write(*address as usize, bytes, tear),
            Operation::Erase(address, length) => self.erase(*address as usize, *length as usize, tear),
        }
    }

    fn write(&mut self, address: usize, bytes: &[u8], tear: Tear) {
        if tear == Tear::Before {
            return;
        }
        let words = address / self.word..(address + bytes.len()) / self.word;
        let may_be_written = self.is_erased[words.clone()].iter().all(|&is_erased| is_erased);
        assert!(may_be_written, "a word at {address:#x} is written twice");
        self.is_erased[words].fill(false);
        let kept = |i: usize, seed: &mut u64| match tear {
            Tear::Before => 0xFF,
            Tear::After => 0,
            Tear::Bytes(end) if i < end => 0,
            Tear::Bytes(end) if i == end => 0b0101_1010,
            Tear::Bytes(_) => 0xFF,
            Tear::Some(_) => random(seed) as u8,
        };
        let mut seed = if let Tear::Some(seed) = tear { seed } else { 0 };
        for (i, &byte) in bytes.iter().enumerate() {
            self.bytes[address + i] &= byte | kept(i, &mut seed);
        }
    }

    fn erase(&mut self, address: usize, length: usize, tear: Tear) {
        let part = address..address + length;
        match tear {
            Tear::Before => return,
            Tear::After => {
                self.is_erased[part.start / self.word..part.end / self.word].fill(true);
                self.bytes[part].fill(0xFF);
                return;
            }
            Tear::Bytes(end) => self.bytes[part.start..part.start + end.min(length)].fill(0xFF),
            Tear::Some(mut seed) => {
                for sector in self.bytes[part.clone()].chunks_mut(SECTOR) {
                    match random(&mut seed) % 6 {
                        0 | 1 => {}
                        2 | 3 => sector.fill(0xFF),
                        4 => sector.fill(0),
                        _ => {
                            let end = random(&mut seed) as usize % SECTOR;
                            sector[end..].iter_mut().for_each(|byte| *byte |= random(&mut seed) as u8);
                        }
                    }
                }
            }
        }
        // Neither erased nor written: it has to be erased again.
        self.is_erased[part.start / self.word..part.end / self.word].fill(false);
    }
}

impl<const WORD: usize, const UNIT: u32, const READ: usize> NorChip<WORD, UNIT, READ> {
    /// An erased chip.
    pub fn blank(length: usize) -> Self {
        Self::with(Memory::blank(length, WORD))
    }

    /// A chip with contents.
    pub fn with(memory: Memory) -> Self {
        let erases = vec![0; memory.bytes.len() / SECTOR];
        NorChip(Rc::new(RefCell::new(State {
            memory,
            operations: Vec::new(),
            erases,
            reads: 0,
            bytes_read: 0,
            time_us: 0,
            failing: None,
            failing_reads: 0,
            noise: 0,
            is_protected: false,
            longest_us: 0,
        })))
    }

    /// The contents.
    pub fn memory(&self) -> Memory {
        self.0.borrow().memory.clone()
    }

    /// The operations from the `first`th on.
    pub fn operations(&self, first: usize) -> Vec<Operation> {
        self.0.borrow().operations[first..].to_vec()
    }

    /// The erases of each sector.
    pub fn erases(&self) -> Vec<u32> {
        self.0.borrow().erases.clone()
    }

    /// Reads so far, and the bytes that were read.
    pub fn reads(&self) -> (usize, usize) {
        let state = self.0.borrow();
        (state.reads, state.bytes_read)
    }

    /// Microseconds that the chip was busy.
    pub fn busy_us(&self) -> u64 {
        self.0.borrow().time_us
    }

    /// The longest operation in microseconds.
    pub fn longest_us(&self) -> u64 {
        self.0.borrow().longest_us
    }

    /// Makes `count` writes and erases fail, after `after` that work.
    pub fn fail(&self, after: usize, count: usize) {
        self.0.borrow_mut().failing = Some((after, count));
    }

    /// Makes the next reads fail.
    pub fn fail_reads(&self, count: usize) {
        self.0.borrow_mut().failing_reads = count;
    }

    /// Makes the next reads return a wrong bit, without an error.
    pub fn disturb_reads(&self, count: usize) {
        self.0.borrow_mut().noise = count;
    }

    /// Ignores writes and erases, as a chip does whose write protection is on.
    pub fn protect(&self, is_protected: bool) {
        self.0.borrow_mut().is_protected = is_protected;
    }

    /// Typical times of a W25Q128JV (data sheet revision F, section 9.6): 0.4 ms for a page, 45, 120 and 150 ms for
    /// units of 4, 32 and 64 KiB. SPI at 20 MHz, four bytes of command and address.
    fn busy(&self, operation: &Operation) {
        let us = match operation {
            Operation::Write(_, bytes) => transfer_us(bytes.len()) + 400,
            Operation::Erase(_, length) => match length / 1024 {
                0..32 => 45_000 * u64::from(length.div_ceil(4096)),
                32..64 => 120_000,
                _ => 150_000 * u64::from(length >> 16),
            },
        };
        let mut state = self.0.borrow_mut();
        state.longest_us = state.longest_us.max(us);
        drop(state);
        self.spend(us);
    }

    fn spend(&self, us: u64) {
        self.0.borrow_mut().time_us += us;
        wait(us);
        let work = WHILE_BUSY.take();
        if let Some(mut work) = work {
            work();
            WHILE_BUSY.set(Some(work));
        }
    }

    fn change(&self, operation: Operation) -> Result<(), NorError> {
        self.busy(&operation);
        let mut state = self.0.borrow_mut();
        match &mut state.failing {
            Some((0, 0)) => state.failing = None,
            Some((0, count)) => {
                *count -= 1;
                let seed = state.operations.len() as u64;
                state.memory.apply(&operation, Tear::Some(seed));
                return Err(NorError::Bus);
            }
            Some((after, _)) => *after -= 1,
            None => {}
        }
        if state.is_protected {
            return Ok(());
        }
        state.memory.apply(&operation, Tear::After);
        if let Operation::Erase(address, length) = operation {
            let sectors = address as usize / SECTOR..(address + length) as usize / SECTOR;
            state.erases[sectors].iter_mut().for_each(|count| *count += 1);
        }
        state.operations.push(operation);
        Ok(())
    }
}

fn transfer_us(bytes: usize) -> u64 {
    (bytes as u64 + 4) * 8 / 20
}

impl<const WORD: usize, const UNIT: u32, const READ: usize> ErrorType for NorChip<WORD, UNIT, READ> {
    type Error = NorError;
}

impl<const WORD: usize, const UNIT: u32, const READ: usize> ReadNorFlash for NorChip<WORD, UNIT, READ> {
    const READ_SIZE: usize = READ;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorError> {
        assert!((offset as usize | bytes.len()).is_multiple_of(READ), "{} bytes are read at {offset:#x}", bytes.len());
        self.spend(transfer_us(bytes.len()));
        let mut state = self.0.borrow_mut();
        if state.failing_reads > 0 {
            state.failing_reads -= 1;
            return Err(NorError::Bus);
        }
        bytes.copy_from_slice(&state.memory.bytes[offset as usize..offset as usize + bytes.len()]);
        if state.noise > 0 {
            state.noise -= 1;
            bytes[0] ^= 0x10;
        }
        (state.reads, state.bytes_read) = (state.reads + 1, state.bytes_read + bytes.len());
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.0.borrow().memory.bytes.len()
    }
}

impl<const WORD: usize, const UNIT: u32, const READ: usize> NorFlash for NorChip<WORD, UNIT, READ> {
    const WRITE_SIZE: usize = WORD;
    const ERASE_SIZE: usize = SECTOR;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorError> {
        assert!((from | to).is_multiple_of(SECTOR as u32) && from <= to, "{from:#x} to {to:#x} are erased");
        (from..to).step_by(SECTOR).try_for_each(|sector| self.change(Operation::Erase(sector, SECTOR as u32)))
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorError> {
        let end = offset + bytes.len() as u32;
        let is_aligned = (offset as usize | bytes.len()).is_multiple_of(WORD);
        assert!(is_aligned && !bytes.is_empty(), "{} bytes are written at {offset:#x}", bytes.len());
        assert_eq!(offset / PAGE, (end - 1) / PAGE, "a write at {offset:#x} goes into another page");
        self.change(Operation::Write(offset, bytes.to_vec()))
    }
}

impl<const WORD: usize, const UNIT: u32, const READ: usize> Chip for NorChip<WORD, UNIT, READ> {
    const UNIT: u32 = UNIT;

    fn erase_unit(&mut self, address: u32) -> Result<(), NorError> {
        assert!(address.is_multiple_of(UNIT), "a unit at {address:#x} is erased");
        self.change(Operation::Erase(address, UNIT))
    }
}
