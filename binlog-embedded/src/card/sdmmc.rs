//! Any block device of embedded-sdmmc as a card.

use super::{Card, Slot};
use embedded_sdmmc::{Block, BlockDevice, BlockIdx};

/// A card behind any [`embedded_sdmmc::BlockDevice`], such as a HAL's driver of an SD host controller. For a card on
/// SPI, [`SpiCard`](super::SpiCard) is the better choice: it corrects what embedded-sdmmc's `SdCard` leaves out.
///
/// It is a type of its own because a `BlockDevice` can't be told that the card may have been exchanged: that is what
/// `forget` is for.
///
/// ```
/// use binlog_embedded::card::FromSdmmc;
/// # fn soldered(device: impl embedded_sdmmc::BlockDevice) {
/// // A card that can't be taken out, or a driver that notices by itself:
/// let card = FromSdmmc::new(device, |_| ());
/// # }
/// ```
pub struct FromSdmmc<D> {
    device: D,
    forget: fn(&mut D),
}

impl<D: BlockDevice> FromSdmmc<D> {
    /// A card behind `device`. `forget` does what [`Slot::forget`] asks for; nothing if the card can't be taken out.
    pub fn new(device: D, forget: fn(&mut D)) -> Self {
        FromSdmmc { device, forget }
    }

    /// The block device, for what the log doesn't do. Writing to it destroys the file system.
    pub fn device(&mut self) -> &mut D {
        &mut self.device
    }
}

impl<D: BlockDevice> Slot for FromSdmmc<D> {
    type Block = Block;
    type Error = D::Error;
    const ZERO: Block = Block { contents: [0; 512] };

    fn forget(&mut self) {
        (self.forget)(&mut self.device);
    }
}

impl<D: BlockDevice> Card for FromSdmmc<D> {
    fn read(&mut self, at: u32, blocks: &mut [Block]) -> Result<(), D::Error> {
        self.device.read(blocks, BlockIdx(at))
    }

    fn write(&mut self, at: u32, blocks: &[Block]) -> Result<(), D::Error> {
        self.device.write(blocks, BlockIdx(at))
    }

    fn block_count(&mut self) -> Result<u32, D::Error> {
        Ok(self.device.num_blocks()?.0)
    }
}
