//! Counts the bytes on the card's bus: the cost of logging where SPI is the bottleneck.

use core::sync::atomic::{AtomicU32, Ordering};

use embedded_hal::spi::{ErrorType, Operation, SpiDevice};

use lm3s6965::operation::length;

static BYTES: AtomicU32 = AtomicU32::new(0);

/// The bytes transferred since start, modulo 2³².
pub fn spi_bytes() -> u32 {
    BYTES.load(Ordering::Relaxed)
}

/// An SPI device that counts its bytes.
pub struct Counted<D> {
    bus: D,
}

impl<D: SpiDevice> Counted<D> {
    /// Counts what goes over `bus`.
    pub fn new(bus: D) -> Self {
        Self { bus }
    }
}

impl<D: SpiDevice> ErrorType for Counted<D> {
    type Error = D::Error;
}

impl<D: SpiDevice> SpiDevice for Counted<D> {
    #[inline]
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), D::Error> {
        let bytes = operations.iter().map(length).sum::<usize>() as u32;
        // The bus has one user, so no count is lost between the load and the store.
        BYTES.store(BYTES.load(Ordering::Relaxed).wrapping_add(bytes), Ordering::Relaxed);
        self.bus.transaction(operations)
    }
}
