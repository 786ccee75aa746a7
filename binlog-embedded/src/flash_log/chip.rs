//! What a flash chip is to the log.

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashError, ReadNorFlash};

/// A NOR flash chip, and the largest unit that it erases at once.
///
/// The unit decides how fast a log can be: of a W25Q128, 4 KiB take 45 ms to erase, 32 KiB take 120 ms and 64 KiB
/// 150 ms. [`NorFlash::erase`] has only one size, and many drivers erase in units of 4 KiB however long the range is.
/// For such a driver, implement this trait with its command for blocks (0x52 erases 32 KiB, 0xD8 erases 64 KiB):
///
/// ```
/// use binlog_embedded::flash_log::Chip;
/// # use core::convert::Infallible;
/// use embedded_storage::nor_flash::{ErrorType, NorFlash, ReadNorFlash};
///
/// struct Flash(Driver); // of your board
///
/// impl Chip for Flash {
///     const UNIT: u32 = 32 << 10;
///
///     fn erase_unit(&mut self, address: u32) -> Result<(), Self::Error> {
///         self.0.block_erase_32k(address)
///     }
/// }
///
/// // These pass each call on to the driver.
/// impl ErrorType for Flash {
///     type Error = <Driver as ErrorType>::Error;
/// }
/// impl ReadNorFlash for Flash {
///     const READ_SIZE: usize = Driver::READ_SIZE;
///     // …
/// #     fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> { self.0.read(offset, bytes) }
/// #     fn capacity(&self) -> usize { self.0.capacity() }
/// }
/// impl NorFlash for Flash {
///     const WRITE_SIZE: usize = Driver::WRITE_SIZE;
///     const ERASE_SIZE: usize = Driver::ERASE_SIZE;
///     // …
/// #     fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> { self.0.erase(from, to) }
/// #     fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> { self.0.write(offset, bytes) }
/// }
/// # struct Driver;
/// # impl Driver { fn block_erase_32k(&mut self, _: u32) -> Result<(), Infallible> { Ok(()) } }
/// # impl ErrorType for Driver { type Error = Infallible; }
/// # impl ReadNorFlash for Driver {
/// #     const READ_SIZE: usize = 1;
/// #     fn read(&mut self, _: u32, _: &mut [u8]) -> Result<(), Infallible> { Ok(()) }
/// #     fn capacity(&self) -> usize { 16 << 20 }
/// # }
/// # impl NorFlash for Driver {
/// #     const WRITE_SIZE: usize = 1;
/// #     const ERASE_SIZE: usize = 4096;
/// #     fn erase(&mut self, _: u32, _: u32) -> Result<(), Infallible> { Ok(()) }
/// #     fn write(&mut self, _: u32, _: &[u8]) -> Result<(), Infallible> { Ok(()) }
/// # }
/// ```
///
/// If the driver's `erase` is fast enough, use [`Plain`].
///
/// `READ_SIZE` is a power of two up to 16, `WRITE_SIZE` one up to 256. Other sizes fail to compile.
pub trait Chip: NorFlash {
    /// Bytes that [`erase_unit`](Chip::erase_unit) erases: a power of two, at least 4096 and `ERASE_SIZE`. The chip
    /// needs eight units at least.
    const UNIT: u32;

    /// Erases the unit that begins at `address`, a multiple of [`UNIT`](Chip::UNIT).
    ///
    /// # Errors
    ///
    /// The driver's. The unit may then hold anything.
    fn erase_unit(&mut self, address: u32) -> Result<(), Self::Error>;
}

impl<F: Chip> Chip for &mut F {
    const UNIT: u32 = F::UNIT;

    fn erase_unit(&mut self, address: u32) -> Result<(), Self::Error> {
        F::erase_unit(self, address)
    }
}

/// An asynchronous NOR flash chip, as [`Chip`] is a blocking one.
#[cfg(feature = "async")]
#[allow(async_fn_in_trait, reason = "as embedded_storage_async: the executor decides whether futures are Send")]
pub trait AsyncChip: embedded_storage_async::nor_flash::NorFlash {
    /// As [`Chip::UNIT`].
    const UNIT: u32;

    /// As [`Chip::erase_unit`].
    ///
    /// # Errors
    ///
    /// The driver's. The unit may then hold anything.
    async fn erase_unit(&mut self, address: u32) -> Result<(), Self::Error>;
}

#[cfg(feature = "async")]
impl<F: AsyncChip> AsyncChip for &mut F {
    const UNIT: u32 = F::UNIT;

    async fn erase_unit(&mut self, address: u32) -> Result<(), Self::Error> {
        F::erase_unit(self, address).await
    }
}

/// Any NOR flash as a [`Chip`]: a unit of `UNIT` bytes is erased by the driver's `erase`.
///
/// The default unit is 4 KiB, or the driver's `ERASE_SIZE` if that is larger. Choose a larger one,
/// `Plain::<_, 32768>(flash)`, if the driver erases whole blocks with one command, or if fewer, longer stalls suit the
/// program.
#[derive(Clone, Copy, Default, Debug)]
pub struct Plain<F, const UNIT: u32 = 4096>(
    /// The driver.
    pub F,
);

impl<F: ErrorType, const UNIT: u32> ErrorType for Plain<F, UNIT>
where
    F::Error: NorFlashError,
{
    type Error = F::Error;
}

impl<F: ReadNorFlash, const UNIT: u32> ReadNorFlash for Plain<F, UNIT> {
    const READ_SIZE: usize = F::READ_SIZE;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl<F: NorFlash, const UNIT: u32> NorFlash for Plain<F, UNIT> {
    const WRITE_SIZE: usize = F::WRITE_SIZE;
    const ERASE_SIZE: usize = F::ERASE_SIZE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        self.0.erase(from, to)
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0.write(offset, bytes)
    }
}

/// The unit of a driver that erases `erase_size` bytes.
const fn unit(wanted: u32, erase_size: usize) -> u32 {
    if erase_size > wanted as usize { erase_size as u32 } else { wanted }
}

impl<F: NorFlash, const UNIT: u32> Chip for Plain<F, UNIT> {
    const UNIT: u32 = unit(UNIT, F::ERASE_SIZE);

    fn erase_unit(&mut self, address: u32) -> Result<(), Self::Error> {
        self.0.erase(address, address + <Self as Chip>::UNIT)
    }
}

#[cfg(feature = "async")]
mod asynchronous {
    use super::{AsyncChip, Plain, unit};
    use embedded_storage_async::nor_flash::{NorFlash, ReadNorFlash};

    impl<F: ReadNorFlash, const UNIT: u32> ReadNorFlash for Plain<F, UNIT> {
        const READ_SIZE: usize = F::READ_SIZE;

        async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
            self.0.read(offset, bytes).await
        }

        fn capacity(&self) -> usize {
            self.0.capacity()
        }
    }

    impl<F: NorFlash, const UNIT: u32> NorFlash for Plain<F, UNIT> {
        const WRITE_SIZE: usize = F::WRITE_SIZE;
        const ERASE_SIZE: usize = F::ERASE_SIZE;

        async fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
            self.0.erase(from, to).await
        }

        async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
            self.0.write(offset, bytes).await
        }
    }

    impl<F: NorFlash, const UNIT: u32> AsyncChip for Plain<F, UNIT> {
        const UNIT: u32 = unit(UNIT, F::ERASE_SIZE);

        async fn erase_unit(&mut self, address: u32) -> Result<(), Self::Error> {
            self.0.erase(address, address + <Self as AsyncChip>::UNIT).await
        }
    }
}
