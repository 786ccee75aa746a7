//! The memory card as the recorder sees it: blocks of 512 bytes in a slot.
//!
//! A driver of an SD card implements [`Slot`] and either [`Card`] or, with the feature `async`, `AsyncCard`. Neither
//! needs another crate.
//!
#![cfg_attr(
    feature = "sdmmc",
    doc = "- [`SpiCard`] is an SD card on SPI.\n- [`FromSdmmc`] is any block device of embedded-sdmmc."
)]
#![cfg_attr(
    feature = "block-device-driver",
    doc = "- [`FromDriver`] is any block device of block-device-driver, such as embassy's SDMMC."
)]

#[cfg(feature = "block-device-driver")]
mod driver;
#[cfg(feature = "sdmmc")]
mod sdmmc;
#[cfg(feature = "sdmmc")]
mod spi;

#[cfg(feature = "block-device-driver")]
pub use driver::{DriverError, FromDriver};
#[cfg(feature = "sdmmc")]
pub use sdmmc::FromSdmmc;
#[cfg(feature = "sdmmc")]
pub use spi::{AcquireOpts, SpiCard};

use core::ops::DerefMut;

/// What blocking and asynchronous cards have in common: the type of a block, and a card that may be replaced.
pub trait Slot {
    /// A block of 512 bytes, aligned as the driver's DMA needs it.
    type Block: DerefMut<Target = [u8; 512]>;
    /// The driver's error.
    type Error: core::error::Error;
    /// A block of zeros, which initialises buffers.
    const ZERO: Self::Block;

    /// Forgets what the driver knows of the card, so that the next transfer initialises whatever is in the slot.
    ///
    /// The writer calls this before it looks for a card, and after a failed transfer.
    fn forget(&mut self);
}

/// A card whose driver returns when a transfer is complete.
pub trait Card: Slot {
    /// Reads consecutive blocks, the first of which is number `at` of the card.
    ///
    /// # Errors
    ///
    /// The driver's. The contents of `blocks` are then unspecified.
    fn read(&mut self, at: u32, blocks: &mut [Self::Block]) -> Result<(), Self::Error>;

    /// Writes consecutive blocks in ascending order, the first of which is number `at` of the card. Returns when the
    /// card has programmed them: what was written before a power cut stays.
    ///
    /// # Errors
    ///
    /// The driver's. Some of the blocks may have been written.
    fn write(&mut self, at: u32, blocks: &[Self::Block]) -> Result<(), Self::Error>;

    /// The card's size in blocks.
    ///
    /// # Errors
    ///
    /// The driver's.
    fn block_count(&mut self) -> Result<u32, Self::Error>;
}

/// A card whose driver waits for a transfer without blocking, as an SD host controller with DMA does.
///
/// A future may be dropped before it is ready, which leaves its transfer unfinished. The next transfer then ends what is
/// left of it and does its own work, or fails. It must not succeed on another card.
#[cfg(feature = "async")]
#[allow(async_fn_in_trait, reason = "executors on microcontrollers don't need `Send`")]
pub trait AsyncCard: Slot {
    /// As [`Card::read`].
    async fn read(&mut self, at: u32, blocks: &mut [Self::Block]) -> Result<(), Self::Error>;

    /// As [`Card::write`].
    async fn write(&mut self, at: u32, blocks: &[Self::Block]) -> Result<(), Self::Error>;

    /// As [`Card::block_count`].
    async fn block_count(&mut self) -> Result<u32, Self::Error>;
}

#[cfg(feature = "async")]
impl<T: AsyncCard> AsyncCard for &mut T {
    async fn read(&mut self, at: u32, blocks: &mut [Self::Block]) -> Result<(), Self::Error> {
        T::read(self, at, blocks).await
    }

    async fn write(&mut self, at: u32, blocks: &[Self::Block]) -> Result<(), Self::Error> {
        T::write(self, at, blocks).await
    }

    async fn block_count(&mut self) -> Result<u32, Self::Error> {
        T::block_count(self).await
    }
}

impl<T: Slot> Slot for &mut T {
    type Block = T::Block;
    type Error = T::Error;
    const ZERO: Self::Block = T::ZERO;

    fn forget(&mut self) {
        T::forget(self);
    }
}

impl<T: Card> Card for &mut T {
    fn read(&mut self, at: u32, blocks: &mut [Self::Block]) -> Result<(), Self::Error> {
        T::read(self, at, blocks)
    }

    fn write(&mut self, at: u32, blocks: &[Self::Block]) -> Result<(), Self::Error> {
        T::write(self, at, blocks)
    }

    fn block_count(&mut self) -> Result<u32, Self::Error> {
        T::block_count(self)
    }
}
