//! Any block device of embedded-sdmmc as a card.

use super::{Card, Slot};
use embedded_sdmmc::{Block, BlockDevice, BlockIdx};

/// A card on any [`embedded_sdmmc::BlockDevice`], such as a HAL's driver of an SD host controller. For a card on
/// SPI, [`SpiCard`](super::SpiCard) is the better choice: unlike embedded-sdmmc's `SdCard`, it waits for a card that is
/// programming.
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
    /// A card on `device`. `forget` does what [`Slot::forget`] asks for; nothing if the card can't be taken out.
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

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use core::cell::RefCell;
    use core::convert::Infallible;
    use embedded_sdmmc::BlockCount;
    use std::vec::Vec;

    /// A device of 77 blocks, which notes what is asked of it.
    #[derive(Default)]
    struct Device(RefCell<Vec<(char, u32, usize)>>);

    impl BlockDevice for Device {
        type Error = Infallible;

        fn read(&self, blocks: &mut [Block], at: BlockIdx) -> Result<(), Infallible> {
            self.0.borrow_mut().push(('r', at.0, blocks.len()));
            Ok(())
        }

        fn write(&self, blocks: &[Block], at: BlockIdx) -> Result<(), Infallible> {
            self.0.borrow_mut().push(('w', at.0, blocks.len()));
            Ok(())
        }

        fn num_blocks(&self) -> Result<BlockCount, Infallible> {
            Ok(BlockCount(77))
        }
    }

    #[test]
    fn a_block_device_is_a_card() {
        let mut card = FromSdmmc::new(Device::default(), |device| device.0.borrow_mut().push(('f', 0, 0)));
        let mut blocks = [FromSdmmc::<Device>::ZERO, FromSdmmc::<Device>::ZERO];
        card.read(5, &mut blocks).expect("it never fails");
        card.write(9, &blocks[..1]).expect("it never fails");
        card.forget();
        assert_eq!(card.block_count(), Ok(77));
        assert_eq!(*card.device().0.borrow(), [('r', 5, 2), ('w', 9, 1), ('f', 0, 0)]);
    }
}
