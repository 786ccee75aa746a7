//! Corrects QEMU's card, between the bus and the driver, where it differs from a real card.
//!
//! Written for QEMU 7.2 (`hw/sd/ssi-sd.c`) and for the transfers of `SpiCard`, each of which is one operation. A board
//! with a real card doesn't need it.

use core::slice;

use embedded_hal::spi::{ErrorType, Operation, SpiDevice};

use crate::operation::{received, sent};

/// CMD58, READ_OCR, as it goes over the bus.
const READ_OCR: u8 = 0x40 | 58;

/// An SPI device that leads to QEMU's card, and behaves as if it led to a card.
pub struct QemuCard<D> {
    bus: D,
    /// A CMD58 was sent, and its R1 has not arrived.
    ocr_asked: bool,
}

impl<D: SpiDevice> QemuCard<D> {
    /// The card on `bus`.
    pub fn new(bus: D) -> Self {
        Self { bus, ocr_asked: false }
    }

    fn operation(&mut self, operation: &mut Operation<'_, u8>) -> Result<(), D::Error> {
        match sent(operation) {
            // The byte after a response is lost, even if it is the token that starts a block or ends several.
            [0xFC..=0xFE] => self.bus.write(&[0xFF])?,
            [READ_OCR, _, _, _, _, _] => self.ocr_asked = true,
            _ => {}
        }
        self.bus.transaction(slice::from_mut(operation))?;
        // R1 of CMD58 always says "idle", which is an error in a card that was initialised just before.
        if self.ocr_asked
            && let Some(r1) = received(operation).iter_mut().find(|byte| **byte != 0xFF)
        {
            self.ocr_asked = false;
            *r1 &= !0x01;
        }
        Ok(())
    }
}

impl<D: SpiDevice> ErrorType for QemuCard<D> {
    type Error = D::Error;
}

impl<D: SpiDevice> SpiDevice for QemuCard<D> {
    /// Makes each operation a transaction, since bytes are sent between them. Both QEMU's card and the driver accept
    /// that.
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), D::Error> {
        operations.iter_mut().try_for_each(|operation| self.operation(operation))
    }
}
