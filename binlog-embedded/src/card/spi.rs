// Held by binlog-embedded/tests/spi_card.

//! An SD card on SPI.

mod protocol;

use super::{Card, Slot};
use crate::plain_text::{Pieces, PlainText, display};
use core::error::Error;
use core::fmt;
use embedded_hal::delay::DelayNs;
use embedded_hal::spi::SpiDevice;
use embedded_sdmmc::Block;
pub use embedded_sdmmc::sdcard::spi::AcquireOpts;
use protocol::Protocol;

/// An SD card on SPI, of any capacity. It is initialised on first use.
///
/// A write of several blocks returns when the card has received them, and the next transfer waits until they are
/// programmed, up to 500 ms. So the next blocks gather while the card writes. A reset waits, too: it would end the
/// programming and may destroy data.
///
/// Before the first command, a card needs at least 74 clocks with its chip select high (SD Physical Layer Simplified
/// Specification 9.00, 6.4.1). A [`SpiDevice`] can't send them. Send them with the bus, at 100 to 400 kHz: before the
/// first call and, for a card that is put in later, before each call while none works. Once a call has succeeded, the
/// bus may run faster, up to 25 MHz.
///
/// ```no_run
/// use binlog_embedded::card::SpiCard;
/// use binlog_embedded::{SdLog, sd_log::{Options, Undated}};
/// # fn on(spi: impl embedded_hal::spi::SpiDevice, delay: impl embedded_hal::delay::DelayNs) {
/// let log = SdLog::new(SpiCard::new(spi, delay), Undated, Options::DEFAULT);
/// # }
/// ```
pub struct SpiCard<SPI: SpiDevice, DELAY: DelayNs> {
    card: Protocol<SPI, DELAY>,
}

impl<SPI: SpiDevice, DELAY: DelayNs> SpiCard<SPI, DELAY> {
    /// A card with checksums. If none answers, two more attempts are made: without a card, a call takes 350 ms.
    pub fn new(spi: SPI, delay: DELAY) -> Self {
        Self::with_options(spi, delay, AcquireOpts { use_crc: true, acquire_retries: 2 })
    }

    /// As [`new`](Self::new), with other options. Without a card, each retry blocks for 110 ms.
    pub fn with_options(spi: SPI, delay: DELAY, options: AcquireOpts) -> Self {
        SpiCard { card: Protocol::new(spi, delay, options) }
    }

    /// Calls `f` with the SPI device, to change its clock. Transfers with it confuse the driver.
    pub fn spi<R>(&mut self, f: impl FnOnce(&mut SPI) -> R) -> R {
        f(&mut self.card.spi)
    }
}

/// Why a card on SPI failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SpiError {
    /// The SPI device reports an error.
    Bus,
    /// The card doesn't take checksums: [`AcquireOpts::use_crc`] switches them off.
    NoChecksums,
    /// The card sends no data.
    NoData,
    /// The card is busy for too long.
    Busy,
    /// The card doesn't answer a command.
    NoAnswer,
    /// The card doesn't describe itself.
    Unknown,
    /// A checksum is wrong.
    Checksum,
    /// The card can't read.
    Read,
    /// The card can't write.
    Write,
    /// There is no card, or it doesn't work.
    NoCard,
}

impl PlainText for SpiError {
    fn put(&self, out: &mut dyn Pieces) {
        out.text(match self {
            SpiError::Bus => "the SPI device reports an error",
            SpiError::NoChecksums => "it doesn't take checksums",
            SpiError::NoData => "it sends no data",
            SpiError::Busy => "it is busy for too long",
            SpiError::NoAnswer => "it doesn't answer a command",
            SpiError::Unknown => "it doesn't describe itself",
            SpiError::Checksum => "a checksum is wrong",
            SpiError::Read => "it can't read",
            SpiError::Write => "it can't write",
            SpiError::NoCard => "there is none, or it doesn't work",
        });
    }
}

impl fmt::Display for SpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.put(out))
    }
}

impl Error for SpiError {}

impl<SPI: SpiDevice, DELAY: DelayNs> Slot for SpiCard<SPI, DELAY> {
    type Block = Block;
    type Error = SpiError;
    const ZERO: Block = Block { contents: [0; 512] };

    fn forget(&mut self) {
        self.card.forget();
    }
}

impl<SPI: SpiDevice, DELAY: DelayNs> Card for SpiCard<SPI, DELAY> {
    fn read(&mut self, at: u32, blocks: &mut [Block]) -> Result<(), SpiError> {
        (at..).zip(blocks).try_for_each(|(at, block)| self.card.read(at, &mut block.contents))
    }

    fn write(&mut self, at: u32, blocks: &[Block]) -> Result<(), SpiError> {
        self.card.write(at, blocks)
    }

    fn block_count(&mut self) -> Result<u32, SpiError> {
        self.card.block_count()
    }
}
