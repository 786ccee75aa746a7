//! The card as [`SdLog`](crate::SdLog) sees it: blocks of 512 bytes in a slot.
//!
//! These are cards:
//!
#![cfg_attr(
    feature = "sdmmc",
    doc = "- [`SpiCard`]: an SD card on SPI.\n- [`FromSdmmc`]: any block device of embedded-sdmmc."
)]
#![cfg_attr(
    feature = "block-device-driver",
    doc = "- [`FromDriver`]: any block device of block-device-driver, such as embassy-stm32's SDMMC."
)]
//! - Your own: a driver that implements [`Slot`] and either [`Card`] or, with the feature `async`, `AsyncCard`. None of
//!   them needs another crate.
//!
//! ```
//! use binlog_embedded::card::{Card, Slot};
//! # use core::fmt;
//!
//! /// The SD host controller, as the HAL has it.
//! struct Host {
//!     is_ready: bool,
//! }
//! # #[derive(Debug)]
//! # struct HostError;
//! # impl fmt::Display for HostError {
//! #     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str("no card") }
//! # }
//! # impl core::error::Error for HostError {}
//! # impl Host {
//! #     fn initialise(&mut self) -> Result<(), HostError> { self.is_ready = true; Ok(()) }
//! #     fn read_blocks(&mut self, _: u32, _: &mut [Block]) -> Result<(), HostError> { Ok(()) }
//! #     fn write_blocks(&mut self, _: u32, _: &[Block]) -> Result<(), HostError> { Ok(()) }
//! #     fn blocks(&mut self) -> Result<u32, HostError> { Ok(0) }
//! # }
//!
//! /// A block where the host's DMA can reach it.
//! #[repr(align(32))]
//! struct Block([u8; 512]);
//! # impl core::ops::Deref for Block {
//! #     type Target = [u8; 512];
//! #     fn deref(&self) -> &[u8; 512] { &self.0 }
//! # }
//! # impl core::ops::DerefMut for Block {
//! #     fn deref_mut(&mut self) -> &mut [u8; 512] { &mut self.0 }
//! # }
//!
//! impl Slot for Host {
//!     type Block = Block; // it has `Deref` and `DerefMut`
//!     type Error = HostError;
//!     const ZERO: Block = Block([0; 512]);
//!
//!     fn forget(&mut self) {
//!         self.is_ready = false;
//!     }
//! }
//!
//! impl Card for Host {
//!     fn read(&mut self, at: u32, blocks: &mut [Block]) -> Result<(), HostError> {
//!         self.initialise()?; // unless it is ready
//!         self.read_blocks(at, blocks)
//!     }
//!
//!     fn write(&mut self, at: u32, blocks: &[Block]) -> Result<(), HostError> {
//!         self.initialise()?;
//!         self.write_blocks(at, blocks)
//!     }
//!
//!     fn block_count(&mut self) -> Result<u32, HostError> {
//!         self.initialise()?;
//!         self.blocks()
//!     }
//! }
//! ```

#[cfg(feature = "block-device-driver")]
mod block_device_driver;
#[cfg(feature = "sdmmc")]
mod sdmmc;
#[cfg(feature = "sdmmc")]
mod spi;

#[cfg(feature = "block-device-driver")]
pub use block_device_driver::{DriverError, FromDriver};
#[cfg(feature = "sdmmc")]
pub use sdmmc::FromSdmmc;
#[cfg(feature = "sdmmc")]
pub use spi::{AcquireOpts, SpiCard, SpiError};

use core::ops::DerefMut;

/// What blocking and asynchronous cards have in common: the type of a block, and a card that may be exchanged.
pub trait Slot {
    /// A block of 512 bytes, aligned as the driver's DMA needs it.
    type Block: DerefMut<Target = [u8; 512]>;
    /// The driver's error.
    type Error: core::error::Error;
    /// A block of zeros, which initialises buffers.
    const ZERO: Self::Block;

    /// Forgets what the driver knows of the card, so that the next transfer initialises the card that is in the slot,
    /// or fails. It doesn't access the card.
    ///
    /// [`SdLog`](crate::SdLog) calls it before it looks for a card, and after a failed transfer. Until then, a driver
    /// must not initialise a card that lost its power: another card might be there, and would be written to.
    fn forget(&mut self);
}

/// A card whose driver blocks until a transfer is complete.
///
/// Blocks are numbered from 0 to [`block_count`](Card::block_count) - 1; block 0 has the partition table. `blocks` is
/// never empty, and has one block in every read.
pub trait Card: Slot {
    /// Reads consecutive blocks, the first of which is number `at` of the card.
    ///
    /// # Errors
    ///
    /// The driver's, also if checksums don't match. The contents of `blocks` are then unspecified.
    fn read(&mut self, at: u32, blocks: &mut [Self::Block]) -> Result<(), Self::Error>;

    /// Writes consecutive blocks in ascending order, the first of which is number `at` of the card, after all blocks of
    /// earlier calls.
    ///
    /// A write of one block returns when the card has programmed it: [`SdLog`](crate::SdLog)'s promise of flushed bytes
    /// relies on that, since a flush ends with such a write. A write of several blocks may return when the card has
    /// received them.
    ///
    /// # Errors
    ///
    /// The driver's, also if the card rejects a block. Some of the blocks may have been written.
    fn write(&mut self, at: u32, blocks: &[Self::Block]) -> Result<(), Self::Error>;

    /// The card's size in blocks of 512 bytes; `u32::MAX` for a card of more than 2 TB.
    ///
    /// # Errors
    ///
    /// The driver's.
    fn block_count(&mut self) -> Result<u32, Self::Error>;
}

/// A card whose driver waits for a transfer without blocking, as one for an SD host controller with DMA does.
///
/// A future may be dropped before it is ready, which leaves its transfer unfinished. The next transfer then ends what
/// is left of it and does its own work, or fails. It must not succeed on another card than the unfinished one.
#[cfg(feature = "async")]
#[allow(async_fn_in_trait, reason = "executors on microcontrollers don't need `Send`")]
pub trait AsyncCard: Slot {
    /// As [`Card::read`].
    ///
    /// # Errors
    ///
    /// As there.
    async fn read(&mut self, at: u32, blocks: &mut [Self::Block]) -> Result<(), Self::Error>;

    /// As [`Card::write`].
    ///
    /// # Errors
    ///
    /// As there.
    async fn write(&mut self, at: u32, blocks: &[Self::Block]) -> Result<(), Self::Error>;

    /// As [`Card::block_count`].
    ///
    /// # Errors
    ///
    /// As there.
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
