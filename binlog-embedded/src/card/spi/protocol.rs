//! The protocol of SD cards on SPI: chapter 7 of the SD Physical Layer Simplified Specification 9.00, "SD" below.
//!
//! Each transfer is a transaction of one operation, so that the chip select is high between two of them. The order of
//! commands is that of SdFat and embedded-sdmmc, which many cards have met.

use super::{AcquireOpts, SpiError};
use embedded_hal::delay::DelayNs;
use embedded_hal::spi::SpiDevice;
use embedded_sdmmc::Block;

type Result<T> = core::result::Result<T, SpiError>;

/// How often the card is asked before it is given up, 10 us apart at least: 100 ms for an answer (SD, 4.6.2.1), and 500
/// ms for a card that is programming (SD, 4.6.2.2).
const ANSWER: u32 = 10_000;
const PROGRAMMING: u32 = 50_000;

/// What a silent card answers, a ready one too, and what is sent to listen.
const SILENT: u8 = 0xFF;
/// R1 of a card that was reset, and of one that doesn't know the command then.
const IDLE: u8 = 0x01;
const IDLE_AND_ILLEGAL: u8 = 0x05;
/// Tokens: of a block, of a block of many, and after those.
const START: u8 = 0xFE;
const START_OF_MANY: u8 = 0xFC;
const STOP: u8 = 0xFD;

/// How the card counts.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// It wasn't initialised.
    Unknown,
    /// In bytes: up to 2 GB.
    Bytes,
    /// In blocks.
    Blocks,
}

/// A card, and what is known of it.
pub(super) struct Protocol<SPI, DELAY> {
    pub(super) spi: SPI,
    delay: DELAY,
    options: AcquireOpts,
    kind: Kind,
    /// Whether a write of several blocks has ended, and the card wasn't seen ready since.
    is_programming: bool,
}

impl<SPI: SpiDevice, DELAY: DelayNs> Protocol<SPI, DELAY> {
    pub(super) fn new(spi: SPI, delay: DELAY, options: AcquireOpts) -> Self {
        Protocol { spi, delay, options, kind: Kind::Unknown, is_programming: false }
    }

    pub(super) fn forget(&mut self) {
        self.kind = Kind::Unknown;
    }

    pub(super) fn read(&mut self, at: u32, block: &mut [u8; 512]) -> Result<()> {
        let address = self.address(at)?;
        self.transfer_command(17, address, SpiError::Read)?;
        self.receive(block)
    }

    pub(super) fn write(&mut self, at: u32, blocks: &[Block]) -> Result<()> {
        let address = self.address(at)?;
        if let [block] = blocks {
            self.transfer_command(24, address, SpiError::Write)?;
            self.send_block(START, block)?;
            self.wait_ready(SILENT, PROGRAMMING)?;
            // The status has two bytes.
            self.transfer_command(13, 0, SpiError::Write)?;
            return if self.exchange(SILENT)? == 0 { Ok(()) } else { Err(SpiError::Write) };
        }
        // Some cards erase the blocks in advance. One that doesn't know the command writes all the same.
        self.application_command(23, blocks.len() as u32)?;
        self.wait_ready(SILENT, PROGRAMMING)?;
        self.transfer_command(25, address, SpiError::Write)?;
        for block in blocks {
            self.wait_ready(SILENT, PROGRAMMING)?;
            self.send_block(START_OF_MANY, block)?;
        }
        self.wait_ready(SILENT, PROGRAMMING)?;
        self.exchange(STOP)?;
        self.is_programming = true;
        // A card has one byte's time before it must signal that it is busy (SD, 7.5.2: N_BR).
        self.exchange(SILENT).map(drop)
    }

    pub(super) fn block_count(&mut self) -> Result<u32> {
        self.address(0)?;
        self.transfer_command(9, 0, SpiError::Unknown)?;
        let mut csd = [0; 16];
        self.receive(&mut csd)?;
        // The register has a checksum of its own, for a card whose blocks have none.
        if csd[15] | 1 != crc7(&csd[..15]) {
            return Err(SpiError::Checksum);
        }
        // SD, 5.3.1 to 5.3.4.
        let word = |at: usize| u32::from_be_bytes([csd[at], csd[at + 1], csd[at + 2], csd[at + 3]]);
        match csd[0] >> 6 {
            0 => {
                let multiplier = (word(7) >> 7 & 7) + 2;
                let block_log2 = u32::from(csd[5] & 0xF).clamp(9, 11);
                Ok(((word(6) >> 14 & 0xFFF) + 1) << (multiplier + block_log2 - 9))
            }
            1 => Ok(((word(6) & 0x3F_FFFF) + 1) << 10),
            2 => Ok(((word(6) & 0xFFF_FFFF) + 1).saturating_mul(1024)),
            _ => Err(SpiError::Unknown),
        }
    }

    /// Initialises the card if necessary. Returns the address of a block.
    #[inline(never)]
    fn address(&mut self, at: u32) -> Result<u32> {
        if self.kind == Kind::Unknown {
            let initialised = self.initialise();
            // Eight clocks, with which a card ends its last answer.
            let _ = self.exchange(SILENT);
            self.kind = initialised?;
        }
        Ok(if self.kind == Kind::Bytes { at << 9 } else { at })
    }

    fn initialise(&mut self) -> Result<Kind> {
        let mut attempts = self.options.acquire_retries;
        loop {
            match self.command(0, 0) {
                Ok(IDLE) => break,
                Ok(_) => {}
                Err(SpiError::NoAnswer) => {
                    // It may wait for the rest of a block that was cut off by a reset of the processor.
                    for _ in 0..255 {
                        self.exchange(SILENT)?;
                    }
                }
                Err(error) => return Err(error),
            }
            self.pause(&mut attempts, SpiError::NoCard)?;
        }
        if self.options.use_crc && self.command(59, 1)? != IDLE {
            return Err(SpiError::NoChecksums);
        }
        let mut attempts = ANSWER;
        let host_supports = loop {
            // Cards of version 1 don't know the command.
            if self.command(8, 0x1AA)? == IDLE_AND_ILLEGAL {
                break 0;
            }
            if self.receive_word()? & 0xFF == 0xAA {
                break 1 << 30;
            }
            self.pause(&mut attempts, SpiError::NoAnswer)?;
        };
        let mut attempts = ANSWER;
        while self.application_command(41, host_supports)? != 0 {
            self.pause(&mut attempts, SpiError::NoAnswer)?;
        }
        if host_supports != 0 {
            self.transfer_command(58, 0, SpiError::Unknown)?;
            // It is ready, and counts in blocks.
            if self.receive_word()? >> 30 == 3 {
                return Ok(Kind::Blocks);
            }
        }
        Ok(Kind::Bytes)
    }

    /// A command of a card that was initialised.
    #[inline(never)]
    fn transfer_command(&mut self, command: u8, argument: u32, error: SpiError) -> Result<()> {
        if self.command(command, argument)? == 0 { Ok(()) } else { Err(error) }
    }

    #[inline(never)]
    fn application_command(&mut self, command: u8, argument: u32) -> Result<u8> {
        self.command(55, 0)?;
        self.command(command, argument)
    }

    /// Sends a command. Returns R1.
    #[inline(never)]
    fn command(&mut self, command: u8, argument: u32) -> Result<u8> {
        // A card may not be ready before its reset, but must have programmed: a reset "may destroy the data formats on
        // the card" (SD, 7.2.4).
        if command != 0 || self.is_programming {
            // One that was put in since may send anything else than a busy card's zeros until it is reset.
            let ready = if command == 0 { 1 } else { SILENT };
            self.wait_ready(ready, if self.is_programming { PROGRAMMING } else { ANSWER })?;
        }
        let [a, b, c, d] = argument.to_be_bytes();
        let mut frame = [0x40 | command, a, b, c, d, 0];
        frame[5] = crc7(&frame[..5]);
        self.send(&frame)?;
        self.listen(0x80, SpiError::NoAnswer)
    }

    /// Four bytes that follow R1.
    #[inline(never)]
    fn receive_word(&mut self) -> Result<u32> {
        let mut bytes = [SILENT; 4];
        self.transfer(&mut bytes)?;
        Ok(u32::from_be_bytes(bytes))
    }

    #[inline(never)]
    fn receive(&mut self, bytes: &mut [u8]) -> Result<()> {
        if self.listen(SILENT, SpiError::NoData)? != START {
            return Err(SpiError::Read);
        }
        bytes.fill(SILENT);
        self.transfer(bytes)?;
        let mut sum = [SILENT; 2];
        self.transfer(&mut sum)?;
        if self.options.use_crc && u16::from_be_bytes(sum) != crc16(bytes) {
            return Err(SpiError::Checksum);
        }
        Ok(())
    }

    #[inline(never)]
    fn send_block(&mut self, token: u8, block: &Block) -> Result<()> {
        self.exchange(token)?;
        self.send(&block.contents)?;
        self.send(&crc16(&block.contents).to_be_bytes())?;
        if self.exchange(SILENT)? & 0x1F == 0x05 { Ok(()) } else { Err(SpiError::Write) }
    }

    /// Waits until the card isn't busy: until it sends `ready` or more.
    #[inline(never)]
    fn wait_ready(&mut self, ready: u8, mut attempts: u32) -> Result<()> {
        while self.exchange(SILENT)? < ready {
            self.pause(&mut attempts, SpiError::Busy)?;
        }
        self.is_programming = false;
        Ok(())
    }

    /// The first byte in which not all bits of `mask` are set.
    #[inline(never)]
    fn listen(&mut self, mask: u8, error: SpiError) -> Result<u8> {
        let mut attempts = ANSWER;
        loop {
            let byte = self.exchange(SILENT)?;
            if byte & mask != mask {
                return Ok(byte);
            }
            self.pause(&mut attempts, error)?;
        }
    }

    /// Waits before the next attempt; the error if there was none left.
    #[inline(never)]
    fn pause(&mut self, attempts: &mut u32, error: SpiError) -> Result<()> {
        *attempts = attempts.checked_sub(1).ok_or(error)?;
        self.delay.delay_us(10);
        Ok(())
    }

    #[inline(never)]
    fn exchange(&mut self, byte: u8) -> Result<u8> {
        let mut bytes = [byte];
        self.transfer(&mut bytes)?;
        Ok(bytes[0])
    }

    #[inline(never)]
    fn transfer(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.spi.transfer_in_place(bytes).map_err(|_| SpiError::Bus)
    }

    #[inline(never)]
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.spi.write(bytes).map_err(|_| SpiError::Bus)
    }
}

/// The checksum of a command, with its end bit (SD, 4.5).
fn crc7(bytes: &[u8]) -> u8 {
    let mut crc = 0;
    for byte in bytes {
        crc ^= byte;
        for _ in 0..8 {
            crc = if crc & 0x80 == 0 { crc << 1 } else { crc << 1 ^ 0x12 };
        }
    }
    crc | 1
}

/// The checksum of data (SD, 4.5).
#[inline(never)]
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0_u16, |crc, &byte| {
        let mut crc = crc.swap_bytes() ^ u16::from(byte);
        crc ^= (crc & 0xFF) >> 4;
        crc ^= crc << 12;
        crc ^ (crc & 0xFF) << 5
    })
}
