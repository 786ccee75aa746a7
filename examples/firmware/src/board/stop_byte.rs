//! One byte after the end of a multi-block write, which embedded-sdmmc 0.10 leaves out.
//!
//! After the stop token, a card has one byte's time before it must signal that it is busy (SD Physical Layer Simplified
//! Specification, chapter 7.5, N_BR). The driver sends the token and then polls until it reads 0xFF, which may be that
//! byte. The card becomes busy and misses the driver's next command.
//!
//! Keep this on a real board.

use embedded_hal::spi::{ErrorType, Operation, SpiDevice};

use super::operation::sent;

/// The token that ends a multi-block write ("Stop Tran").
const STOP: u8 = 0xFD;

/// An SPI device that clocks one more byte after each stop token that is sent by itself.
pub struct StopByte<D> {
    bus: D,
}

impl<D: SpiDevice> StopByte<D> {
    /// The card behind `bus`.
    pub fn new(bus: D) -> Self {
        Self { bus }
    }
}

impl<D: SpiDevice> ErrorType for StopByte<D> {
    type Error = D::Error;
}

impl<D: SpiDevice> SpiDevice for StopByte<D> {
    #[inline]
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), D::Error> {
        self.bus.transaction(operations)?;
        match operations.last().map(sent) {
            Some([STOP]) => self.bus.write(&[0xFF]),
            _ => Ok(()),
        }
    }
}
