//! What a card is to the sink.

use embedded_hal::delay::DelayNs;
use embedded_hal::spi::SpiDevice;
use embedded_sdmmc::{BlockDevice, SdCard};

/// A block device that can be taken out and put back.
///
/// embedded-sdmmc's [`SdCard`] is one. Another, such as an SDIO driver, implements [`BlockDevice`] and this.
pub trait Card: BlockDevice {
    /// Forgets what is known of the card, so that the next operation finds out what is in the slot.
    fn forget(&self);
}

impl<SPI: SpiDevice<u8>, DELAY: DelayNs> Card for SdCard<SPI, DELAY> {
    fn forget(&self) {
        self.mark_card_uninit();
    }
}
