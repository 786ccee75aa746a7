//! An SD card of high capacity at the end of an SPI bus, with time: it is busy after each multi-block write, from the
//! second byte after the stop token on, as the specification allows. A busy card misses commands.

use binlog_embedded::card::SpiCard;
use core::convert::Infallible;
use embedded_hal::delay::DelayNs;
use embedded_hal::spi::{ErrorType, Operation, SpiDevice};
use embedded_sdmmc::embedded_sdmmc_types::sdcard::{crc7, crc16};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// The card's size in blocks.
pub(crate) const BLOCKS: u32 = 4096 * 1024;

const START_BLOCK: u8 = 0xFE;
const START_BLOCK_OF_MANY: u8 = 0xFC;
const STOP: u8 = 0xFD;
const ACCEPTED: u8 = 0xE5;
const CRC_ERROR: u8 = 0xEB;

/// The card, as the test sees it.
#[derive(Clone)]
pub(crate) struct Chip(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    now_us: u64,
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

    /// From now on, the card is busy for that long after each multi-block write.
    pub(crate) fn program_for_us(&self, program_us: u64) {
        self.0.borrow_mut().program_us = program_us;
    }

    /// From now on, the card is busy for good.
    pub(crate) fn hang(&self) {
        self.0.borrow_mut().busy_until_us = u64::MAX;
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
        let answer = if self.is_busy() { 0x00 } else { self.answer.pop_front().unwrap_or(0xFF) };
        if !self.command.is_empty() || byte & 0xC0 == 0x40 {
            self.command.push(byte);
            if let Ok([command, argument @ .., _]) = <[u8; 6]>::try_from(self.command.as_slice()) {
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
        match (command, is_application) {
            (0, _) => {
                (self.is_idle, self.write, self.resets) = (true, None, self.resets + 1);
                self.answer = [0xFF, 0x01].into();
            }
            (41, true) => {
                self.is_idle = false;
                self.answer = [0xFF, 0x00].into();
            }
            (8, _) => {
                self.answer = [0xFF, r1(self)].into();
                self.answer.extend(argument.to_be_bytes());
            }
            (58, _) => self.answer = [0xFF, r1(self), 0xC0, 0xFF, 0x80, 0x00].into(),
            (13, _) => self.answer = [0xFF, r1(self), 0x00].into(),
            (9, _) => {
                self.answer = [0xFF, r1(self)].into();
                let mut register = [0; 16];
                // CSD version 2.0: C_SIZE counts 512 KiB, minus one.
                register[0] = 0x40;
                register[7..10].copy_from_slice(&(BLOCKS / 1024 - 1).to_be_bytes()[1..]);
                register[15] = crc7(&register[..15]) << 1 | 1;
                self.send(&register);
            }
            (17, _) => {
                self.answer = [0xFF, r1(self)].into();
                let block = self.blocks.get(&argument).copied().unwrap_or([0; 512]);
                self.send(&block);
            }
            (24 | 25, _) => {
                self.answer = [0xFF, r1(self)].into();
                self.write = Some(Write { at: argument, is_of_many: command == 25, block: None });
            }
            // CRC on, application command, blocks to erase.
            (59, _) | (55, _) | (23, true) => self.answer = [0xFF, r1(self)].into(),
            _ => panic!("CMD{command} with {argument:08X}"),
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.answer.extend([0xFF, START_BLOCK]);
        self.answer.extend(bytes);
        self.answer.extend(crc16(bytes).to_be_bytes());
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
