//! Any asynchronous block device of block-device-driver as a card.

use super::{AsyncCard, Slot};
use aligned::Aligned;
use block_device_driver::BlockDevice;
use core::error::Error;
use core::fmt;

/// A card on any [`block_device_driver::BlockDevice`] of block-device-driver 0.2 with blocks of 512 bytes.
///
/// The driver to use is `sdmmc::sd::StorageDevice` of embassy-stm32 0.6: SDIO and SDMMC with DMA.
/// `examples/boards/f4/src/bin/sdio.rs` is a program with it. For a card on SPI, no released crate has this trait: use
/// `SpiCard`, which blocks, or implement [`AsyncCard`].
///
/// It is a type of its own because a `BlockDevice` can't be told that the card may have been exchanged: that is what
/// `forget` is for. `forget` can't await; a driver that initialises a card asynchronously needs an [`AsyncCard`] of its
/// own, which notes it in `forget` and initialises the card at its next transfer.
///
/// ```
/// use binlog_embedded::card::FromDriver;
/// # fn soldered(device: impl block_device_driver::BlockDevice<512>) {
/// // A card that can't be taken out:
/// let card = FromDriver::new(device, |_| ());
/// # }
/// ```
pub struct FromDriver<D> {
    device: D,
    forget: fn(&mut D),
}

impl<D: BlockDevice<512>> FromDriver<D> {
    /// A card on `device`. `forget` does what [`Slot::forget`] asks for; nothing if the card can't be taken out.
    pub fn new(device: D, forget: fn(&mut D)) -> Self {
        FromDriver { device, forget }
    }

    /// The block device, for what the log doesn't do. Writing to it destroys the file system.
    pub fn device(&mut self) -> &mut D {
        &mut self.device
    }
}

/// The error of a [`BlockDevice`], with its `Debug` as its text: the trait asks for no other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DriverError<E>(pub E);

impl<E: fmt::Debug> fmt::Display for DriverError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: fmt::Debug> Error for DriverError<E> {}

impl<D: BlockDevice<512>> Slot for FromDriver<D> {
    type Block = Aligned<D::Align, [u8; 512]>;
    type Error = DriverError<D::Error>;
    const ZERO: Self::Block = Aligned([0; 512]);

    fn forget(&mut self) {
        (self.forget)(&mut self.device);
    }
}

impl<D: BlockDevice<512>> AsyncCard for FromDriver<D> {
    async fn read(&mut self, at: u32, blocks: &mut [Self::Block]) -> Result<(), Self::Error> {
        self.device.read(at, blocks).await.map_err(DriverError)
    }

    async fn write(&mut self, at: u32, blocks: &[Self::Block]) -> Result<(), Self::Error> {
        self.device.write(at, blocks).await.map_err(DriverError)
    }

    async fn block_count(&mut self) -> Result<u32, Self::Error> {
        let bytes = self.device.size().await.map_err(DriverError)?;
        Ok(u32::try_from(bytes / 512).unwrap_or(u32::MAX))
    }
}
