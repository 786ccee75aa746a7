//! An SD card at the end of an SPI bus, with time: it is busy after each multi-block write, from the second byte after
//! the stop token on, as the specification allows. A busy card misses commands. Wrong checksums of commands fail the
//! test.

use binlog_embedded::card::{AcquireOpts, SpiCard};
use core::convert::Infallible;
use embedded_hal::delay::DelayNs;
use embedded_hal::spi::{ErrorType, Operation, SpiDevice};
use embedded_sdmmc::embedded_sdmmc_types::sdcard::{crc7, crc16};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// The card's size in blocks, and that of a card that counts in bytes.
pub(crate) const BLOCKS: u32 = 4096 * 1024;
pub(crate) const FEW_BLOCKS: u32 = 3_862_528;

const START_BLOCK: u8 = 0xFE;
const START_BLOCK_OF_MANY: u8 = 0xFC;
const STOP: u8 = 0xFD;
const ACCEPTED: u8 = 0xE5;
const CRC_ERROR: u8 = 0xEB;
const WRITE_ERROR: u8 = 0xED;

/// The card, as the test sees it.
#[derive(Clone)]
pub(crate) struct Chip(Rc<RefCell<State>>);

/// What cards there are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Generation {
    /// Version 1, which doesn't know CMD8. It counts in bytes.
    First,
    /// Version 2 with up to 2 GB. It counts in bytes.
    Standard,
    /// Version 2 with more. It counts in blocks.
    #[default]
    High,
}

/// What the card does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// It has no checksums.
    NoChecksums,
    /// It sends a block with a wrong bit.
    WrongBit,
    /// It sends an error instead of a block.
    ReadError,
    /// It sends nothing instead of a block.
    NoBlock,
    /// It refuses a command that reads or writes.
    Refused,
    /// It rejects a block.
    Rejected,
    /// It reports an error after a block was written.
    NotWritten,
    /// It has an unknown register.
    Register,
    /// It has a register with a wrong bit, in a block whose checksum is right.
    WrongRegister,
}

#[derive(Default)]
struct State {
    now_us: u64,
    generation: Generation,
    fault: Option<Fault>,
    /// Resets, and attempts to leave the idle state, that come to nothing.
    deaf_to_resets: u32,
    idle_for: u32,
    /// Whether the card sends noise until it is reset.
    is_noisy: bool,
    /// How long the card is busy after it was told how many blocks follow.
    erase_us: u64,
    is_pulled: bool,
    blocks: BTreeMap<u32, [u8; 512]>,
    is_idle: bool,
    /// The bytes of a command that have arrived.
    command: Vec<u8>,
    /// Whether the last command was CMD55.
    is_application: bool,
    answer: VecDeque<u8>,
    write: Option<Write>,
    program_us: u64,
    /// The stop token was received, and the byte after it wasn't.
    is_stopped: bool,
    busy_until_us: u64,
    lost_commands: u32,
    resets: u32,
    resets_while_busy: u32,
}

struct Write {
    at: u32,
    is_of_many: bool,
    /// What arrived after the token: a block and its checksum.
    block: Option<Vec<u8>>,
}

impl Chip {
    /// A card in its slot, and the driver under test.
    pub(crate) fn in_slot() -> (SpiCard<Spi, Delay>, Chip) {
        let chip = Chip(Rc::new(RefCell::new(State::default())));
        (SpiCard::new(Spi { chip: chip.clone(), byte_us: 1 }, Delay(chip.clone())), chip)
    }

    /// Another driver of the card.
    pub(crate) fn with_options(&self, options: AcquireOpts) -> SpiCard<Spi, Delay> {
        SpiCard::with_options(Spi { chip: self.clone(), byte_us: 1 }, Delay(self.clone()), options)
    }

    /// A card of a generation.
    pub(crate) fn of(generation: Generation) -> (SpiCard<Spi, Delay>, Chip) {
        let (card, chip) = Self::in_slot();
        chip.0.borrow_mut().generation = generation;
        (card, chip)
    }

    /// From now on, the card has a fault, or none.
    pub(crate) fn fail(&self, fault: Option<Fault>) {
        self.0.borrow_mut().fault = fault;
    }

    /// The card needs to be asked more often before it is initialised.
    pub(crate) fn be_slow(&self, deaf_to_resets: u32, idle_for: u32) {
        let mut state = self.0.borrow_mut();
        (state.deaf_to_resets, state.idle_for) = (deaf_to_resets, idle_for);
    }

    /// From now on, the card is busy for that long after each multi-block write.
    pub(crate) fn program_for_us(&self, program_us: u64) {
        self.0.borrow_mut().program_us = program_us;
    }

    /// From now on, the card is busy for good.
    pub(crate) fn hang(&self) {
        self.0.borrow_mut().busy_until_us = u64::MAX;
    }

    /// From now on, the card is busy for that long before each multi-block write.
    pub(crate) fn erase_for_us(&self, erase_us: u64) {
        self.0.borrow_mut().erase_us = erase_us;
    }

    /// Another card is put in, which is not ready before it is reset.
    pub(crate) fn exchange_for_a_noisy_one(&self) {
        let mut state = self.0.borrow_mut();
        (state.is_noisy, state.busy_until_us) = (true, 0);
    }

    pub(crate) fn pull(&self) {
        self.0.borrow_mut().is_pulled = true;
    }

    pub(crate) fn now_us(&self) -> u64 {
        self.0.borrow().now_us
    }

    pub(crate) fn lost_commands(&self) -> u32 {
        self.0.borrow().lost_commands
    }

    pub(crate) fn resets(&self) -> u32 {
        self.0.borrow().resets
    }

    pub(crate) fn resets_while_busy(&self) -> u32 {
        self.0.borrow().resets_while_busy
    }
}

impl State {
    fn is_busy(&self) -> bool {
        self.now_us < self.busy_until_us
    }

    fn exchange(&mut self, byte: u8) -> u8 {
        if self.is_pulled {
            return 0xFF;
        }
        if core::mem::take(&mut self.is_stopped) {
            self.busy_until_us = self.now_us + self.program_us;
            return 0xFF;
        }
        if let Some(write) = &mut self.write {
            if let Some(block) = &mut write.block {
                block.push(byte);
                if block.len() == 514 {
                    self.end_block();
                }
                return 0xFF;
            }
            match byte {
                START_BLOCK | START_BLOCK_OF_MANY if (byte == START_BLOCK_OF_MANY) == write.is_of_many => {
                    write.block = Some(Vec::new());
                    return 0xFF;
                }
                STOP if write.is_of_many => {
                    self.write = None;
                    self.is_stopped = true;
                    return 0xFF;
                }
                _ => {}
            }
        }
        let idle = if self.is_noisy { 0x7F } else { 0xFF };
        let answer = if self.is_busy() { 0x00 } else { self.answer.pop_front().unwrap_or(idle) };
        if !self.command.is_empty() || byte & 0xC0 == 0x40 {
            self.command.push(byte);
            if let Ok(frame @ [command, argument @ .., sum]) = <[u8; 6]>::try_from(self.command.as_slice()) {
                assert_eq!(sum, crc7(&frame[..5]) << 1 | 1, "{frame:02X?}");
                self.command.clear();
                self.execute(command & 0x3F, u32::from_be_bytes(argument));
            }
        }
        answer
    }

    fn end_block(&mut self) {
        let Some(write) = &mut self.write else { return };
        let block = write.block.take().expect("a block has ended");
        let (contents, checksum) = block.split_first_chunk::<512>().expect("a block and its checksum");
        let accepted = checksum == crc16(contents).to_be_bytes();
        if self.fault == Some(Fault::Rejected) {
            self.answer.push_back(WRITE_ERROR);
            return;
        }
        self.answer.push_back(if accepted { ACCEPTED } else { CRC_ERROR });
        self.blocks.insert(write.at, *contents);
        write.at += 1;
        if !write.is_of_many {
            self.write = None;
        }
    }

    fn execute(&mut self, command: u8, argument: u32) {
        if self.is_busy() {
            self.lost_commands += 1;
            self.resets_while_busy += u32::from(command == 0);
            return;
        }
        let is_application = core::mem::replace(&mut self.is_application, command == 55);
        let r1 = |state: &Self| u8::from(state.is_idle);
        let is_in_bytes = self.generation != Generation::High;
        let at = |argument: u32| {
            assert!(!is_in_bytes || argument.is_multiple_of(512), "a block begins at byte {argument}");
            if is_in_bytes { argument / 512 } else { argument }
        };
        match (command, is_application) {
            (0, _) if self.deaf_to_resets > 0 => self.deaf_to_resets -= 1,
            (17 | 24 | 25, _) if self.fault == Some(Fault::Refused) => self.answer = [0xFF, 0x20].into(),
            (59, _) if self.fault == Some(Fault::NoChecksums) => self.answer = [0xFF, 0x05].into(),
            (8, _) if self.generation == Generation::First => self.answer = [0xFF, 0x05].into(),
            (58, _) if self.generation == Generation::First => panic!("a card of version 1 has no such capacity"),
            (0, _) => {
                (self.is_idle, self.write, self.resets) = (true, None, self.resets + 1);
                self.is_noisy = false;
                self.answer = [0xFF, 0x01].into();
            }
            (41, true) => {
                let host_supports = argument == 1 << 30;
                assert_eq!(host_supports, self.generation != Generation::First, "{argument:08X}");
                self.is_idle = self.idle_for > 0;
                self.idle_for = self.idle_for.saturating_sub(1);
                self.answer = [0xFF, r1(self)].into();
            }
            (8, _) => {
                self.answer = [0xFF, r1(self)].into();
                self.answer.extend(argument.to_be_bytes());
            }
            (58, _) => {
                let capacity = if is_in_bytes { 0x80 } else { 0xC0 };
                self.answer = [0xFF, r1(self), capacity, 0xFF, 0x80, 0x00].into();
            }
            (13, _) => {
                let status = if self.fault == Some(Fault::NotWritten) { 0x04 } else { 0x00 };
                self.answer = [0xFF, r1(self), status].into();
            }
            (9, _) => {
                self.answer = [0xFF, r1(self)].into();
                let mut register = [0; 16];
                if self.fault == Some(Fault::Register) {
                    register[0] = 0xC0;
                } else if is_in_bytes {
                    // CSD version 1.0: blocks of 1024 bytes (READ_BL_LEN 10), C_SIZE_MULT 7, C_SIZE less one.
                    let size = FEW_BLOCKS / 1024 - 1;
                    register[5] = 0x50 | 10;
                    register[6..9].copy_from_slice(&[(size >> 10) as u8, (size >> 2) as u8, (size << 6) as u8]);
                    (register[9], register[10]) = (0x03, 0x80);
                } else {
                    // CSD version 2.0: C_SIZE counts 512 KiB, minus one.
                    register[0] = 0x40;
                    register[7..10].copy_from_slice(&(BLOCKS / 1024 - 1).to_be_bytes()[1..]);
                }
                register[15] = crc7(&register[..15]) << 1 | 1;
                register[9] ^= u8::from(self.fault == Some(Fault::WrongRegister));
                self.send(&register);
            }
            (17, _) => {
                self.answer = [0xFF, r1(self)].into();
                let block = self.blocks.get(&at(argument)).copied().unwrap_or([0; 512]);
                self.send(&block);
            }
            (24 | 25, _) => {
                self.answer = [0xFF, r1(self)].into();
                self.write = Some(Write { at: at(argument), is_of_many: command == 25, block: None });
            }
            // CRC on, application command, blocks to erase.
            (59, _) | (55, _) | (23, true) => {
                self.answer = [0xFF, r1(self)].into();
                if command == 23 {
                    self.busy_until_us = self.now_us + self.erase_us;
                }
            }
            _ => panic!("CMD{command} with {argument:08X}"),
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        match self.fault {
            Some(Fault::NoBlock) => return,
            Some(Fault::ReadError) => return self.answer.extend([0xFF, 0x08]),
            _ => self.answer.extend([0xFF, START_BLOCK]),
        }
        self.answer.extend(bytes);
        let wrong_bit = u16::from(self.fault == Some(Fault::WrongBit));
        self.answer.extend((crc16(bytes) ^ wrong_bit).to_be_bytes());
    }
}

/// The bus to the card.
pub(crate) struct Spi {
    chip: Chip,
    byte_us: u64,
}

impl Spi {
    /// Sets the time that a byte takes.
    pub(crate) fn set_byte_us(&mut self, byte_us: u64) {
        self.byte_us = byte_us;
    }

    fn exchange(&self, byte: u8) -> u8 {
        let mut state = self.chip.0.borrow_mut();
        state.now_us += self.byte_us;
        state.exchange(byte)
    }
}

impl ErrorType for Spi {
    type Error = Infallible;
}

impl SpiDevice for Spi {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        for operation in operations {
            match operation {
                Operation::Write(bytes) => bytes.iter().for_each(|&byte| _ = self.exchange(byte)),
                Operation::TransferInPlace(bytes) => bytes.iter_mut().for_each(|byte| *byte = self.exchange(*byte)),
                Operation::Transfer(to, from) => {
                    to.iter_mut().zip(*from).for_each(|(to, &from)| *to = self.exchange(from))
                }
                Operation::Read(to) => to.iter_mut().for_each(|to| *to = self.exchange(0xFF)),
                Operation::DelayNs(_) => panic!("no bus that is shared without a delay can do this"),
            }
        }
        Ok(())
    }
}

/// Passes time.
pub(crate) struct Delay(Chip);

impl DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        self.0.0.borrow_mut().now_us += u64::from(ns.div_ceil(1000));
    }
}
