// Held by binlog-embedded/tests/spi_card.

//! An SD card on SPI: embedded-sdmmc's driver, and what it leaves out.

mod bus;

use super::{Card, Slot};
use crate::plain_text::{Pieces, PlainText};
use bus::Bus;
use embedded_hal::delay::DelayNs;
use embedded_hal::spi::SpiDevice;
pub use embedded_sdmmc::sdcard::spi::AcquireOpts;
use embedded_sdmmc::{Block, BlockDevice, BlockIdx, SdCard, SdCardError};

/// How often a transfer waits for a card that is programming. embedded-sdmmc 0.10 waits 100 ms before a command; an
/// SDXC card may take 500 ms (SD Physical Layer Simplified Specification 9.00, 4.6.2.2).
const WAITS: u32 = 5;

/// An SD card on SPI, by embedded-sdmmc's [`SdCard`]. It is initialised on first use.
///
/// It adds what embedded-sdmmc 0.10 leaves out:
///
/// - one byte after a multi-block write, before the card signals that it is busy. Without it, the card misses the next
///   command;
/// - waiting up to 500 ms for a card that is programming, instead of 100;
/// - waiting for such a card before a reset, which would end the programming and may destroy data.
///
/// A write of several blocks returns when the card has received them, and the next transfer waits until they are
/// programmed. So the next blocks gather while the card writes.
///
/// Before the first command, a card needs at least 74 clocks with its chip select high (SD Physical Layer Simplified
/// Specification 9.00, 6.4.1). A [`SpiDevice`] can't send them, and embedded-sdmmc doesn't. Send them with the bus, at
/// 100 to 400 kHz: before the first call and, for a card that is put in later, before each call while none works. Once
/// a call has succeeded, the bus may run faster, up to 25 MHz.
///
/// ```no_run
/// use binlog_embedded::card::SpiCard;
/// use binlog_embedded::{SdLog, sd_log::{Options, Undated}};
/// # fn on(spi: impl embedded_hal::spi::SpiDevice, delay: impl embedded_hal::delay::DelayNs) {
/// let log = SdLog::new(SpiCard::new(spi, delay), Undated, Options::DEFAULT);
/// # }
/// ```
pub struct SpiCard<SPI: SpiDevice, DELAY: DelayNs> {
    card: SdCard<Bus<SPI>, DELAY>,
}

impl<SPI: SpiDevice, DELAY: DelayNs> SpiCard<SPI, DELAY> {
    /// A card with checksums. If none answers, two more attempts are made: without a card, a call takes 350 ms.
    pub fn new(spi: SPI, delay: DELAY) -> Self {
        Self::with_options(spi, delay, AcquireOpts { use_crc: true, acquire_retries: 2 })
    }

    /// As [`new`](Self::new), with other options. Without a card, each retry blocks for 110 ms; embedded-sdmmc's
    /// default is 50 of them.
    pub fn with_options(spi: SPI, delay: DELAY, options: AcquireOpts) -> Self {
        SpiCard { card: SdCard::new_with_options(Bus::new(spi), delay, options) }
    }

    /// Calls `f` with the SPI device, to change its clock. Transfers with it confuse the driver.
    pub fn spi<R>(&mut self, f: impl FnOnce(&mut SPI) -> R) -> R {
        self.card.spi(|bus| f(bus.device()))
    }

    /// Repeats a transfer that did not begin because the card is still programming.
    fn when_programmed<R>(
        &mut self,
        mut transfer: impl FnMut(&SdCard<Bus<SPI>, DELAY>) -> Result<R, SdCardError>,
    ) -> Result<R, SdCardError> {
        for _ in 1..WAITS {
            match transfer(&self.card) {
                Err(SdCardError::TimeoutWaitNotBusy) if self.card.spi(|bus| bus.is_programming()) => {}
                outcome => return outcome,
            }
        }
        transfer(&self.card)
    }
}

impl PlainText for SdCardError {
    fn put(&self, out: &mut dyn Pieces) {
        out.text(match self {
            SdCardError::Transport => "the SPI device reports an error",
            SdCardError::CantEnableCRC => "it doesn't take checksums",
            SdCardError::TimeoutReadBuffer => "it sends no data",
            SdCardError::TimeoutWaitNotBusy => "it is busy for too long",
            SdCardError::TimeoutCommand(_) | SdCardError::TimeoutACommand(_) => "it doesn't answer a command",
            SdCardError::Cmd58Error | SdCardError::RegisterReadError => "it doesn't describe itself",
            SdCardError::CrcError(..) => "a checksum is wrong",
            SdCardError::ReadError => "it can't read",
            SdCardError::WriteError => "it can't write",
            SdCardError::BadState => "it is in another state",
            SdCardError::CardNotFound => "there is none, or it doesn't work",
            SdCardError::GpioError => "a pin reports an error",
        });
    }
}

impl<SPI: SpiDevice, DELAY: DelayNs> Slot for SpiCard<SPI, DELAY> {
    type Block = Block;
    type Error = SdCardError;
    const ZERO: Block = Block { contents: [0; 512] };

    fn forget(&mut self) {
        self.card.mark_card_uninit();
    }
}

impl<SPI: SpiDevice, DELAY: DelayNs> Card for SpiCard<SPI, DELAY> {
    fn read(&mut self, at: u32, blocks: &mut [Block]) -> Result<(), SdCardError> {
        self.when_programmed(|card| card.read(blocks, BlockIdx(at)))
    }

    fn write(&mut self, at: u32, blocks: &[Block]) -> Result<(), SdCardError> {
        self.when_programmed(|card| card.write(blocks, BlockIdx(at)))
    }

    fn block_count(&mut self) -> Result<u32, SdCardError> {
        Ok(self.when_programmed(SdCard::num_blocks)?.0)
    }
}
