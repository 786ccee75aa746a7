//! Shared by the programs for tests/cortex-m/size: work for the drain, and a panic handler that costs no flash.

use binlog::LogSchema;
use binlog_embedded::Drain;
use binlog_embedded::card::{Card, Slot};
use binlog_embedded::flash_log::Chip;
use core::convert::Infallible;
use core::fmt;
use core::ops::{Deref, DerefMut};
use embedded_hal::delay::DelayNs;
use embedded_hal::spi::{Operation, SpiDevice};
use embedded_io::{ErrorType, Write};
use embedded_storage::nor_flash::{self, NorFlash, ReadNorFlash};

/// Bytes of the programs' rings.
pub const CAPACITY: usize = 4096;

/// A UART's data register, as good as any: bytes go there.
const DATA: *mut u32 = 0x4000_C000 as *mut u32;

/// A file that is a UART.
pub struct Uart;

impl ErrorType for Uart {
    type Error = Infallible;
}

impl Write for Uart {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        for &byte in bytes {
            // SAFETY: it is UART0's data register (LM3S6965 data sheet, chapter 12), and starts no access to memory.
            unsafe { DATA.write_volatile(byte.into()) };
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// A UART in place of a card and its driver.
pub struct Slots;

/// A block of a card.
#[repr(transparent)]
pub struct Block([u8; 512]);

impl Deref for Block {
    type Target = [u8; 512];

    fn deref(&self) -> &[u8; 512] {
        &self.0
    }
}

impl DerefMut for Block {
    fn deref_mut(&mut self) -> &mut [u8; 512] {
        &mut self.0
    }
}

/// The block's number didn't suit the card.
#[derive(Debug)]
pub struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl core::error::Error for Refused {}

impl Slot for Slots {
    type Block = Block;
    type Error = Refused;
    const ZERO: Block = Block([0; 512]);

    fn forget(&mut self) {}
}

impl Card for Slots {
    fn read(&mut self, at: u32, blocks: &mut [Block]) -> Result<(), Refused> {
        for byte in blocks.iter_mut().flat_map(|block| block.iter_mut()) {
            // SAFETY: as in `Uart`.
            *byte = unsafe { DATA.read_volatile() } as u8;
        }
        if at == u32::MAX { Err(Refused) } else { Ok(()) }
    }

    fn write(&mut self, at: u32, blocks: &[Block]) -> Result<(), Refused> {
        for byte in blocks.iter().flat_map(|block| block.iter()) {
            // SAFETY: as in `Uart`.
            unsafe { DATA.write_volatile((*byte).into()) };
        }
        if at == u32::MAX { Err(Refused) } else { Ok(()) }
    }

    fn block_count(&mut self) -> Result<u32, Refused> {
        // SAFETY: as in `Uart`.
        Ok(unsafe { DATA.read_volatile() })
    }
}

#[cfg(feature = "async")]
impl binlog_embedded::card::AsyncCard for Slots {
    async fn read(&mut self, at: u32, blocks: &mut [Block]) -> Result<(), Refused> {
        Card::read(self, at, blocks)
    }

    async fn write(&mut self, at: u32, blocks: &[Block]) -> Result<(), Refused> {
        Card::write(self, at, blocks)
    }

    async fn block_count(&mut self) -> Result<u32, Refused> {
        Card::block_count(self)
    }
}

/// A UART in place of the bus, and a delay that doesn't wait.
pub struct Spi;

impl embedded_hal::spi::ErrorType for Spi {
    type Error = Infallible;
}

impl SpiDevice for Spi {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        for operation in operations {
            match operation {
                Operation::Write(bytes) => {
                    Uart.write(bytes)?;
                }
                Operation::Read(bytes) | Operation::TransferInPlace(bytes) | Operation::Transfer(bytes, _) => {
                    for byte in bytes.iter_mut() {
                        // SAFETY: as above.
                        *byte = unsafe { DATA.read_volatile() } as u8;
                    }
                }
                Operation::DelayNs(_) => {}
            }
        }
        Ok(())
    }
}

/// Waits not at all.
pub struct Wait;

impl DelayNs for Wait {
    fn delay_ns(&mut self, _: u32) {}
}

/// A UART in place of a flash chip of 16 MiB.
pub struct Nor;

impl nor_flash::ErrorType for Nor {
    type Error = Infallible;
}

impl ReadNorFlash for Nor {
    const READ_SIZE: usize = 1;

    fn read(&mut self, _: u32, bytes: &mut [u8]) -> Result<(), Infallible> {
        for byte in bytes.iter_mut() {
            // SAFETY: as above.
            *byte = unsafe { DATA.read_volatile() } as u8;
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        16 << 20
    }
}

impl NorFlash for Nor {
    const WRITE_SIZE: usize = 1;
    const ERASE_SIZE: usize = 4096;

    fn erase(&mut self, from: u32, _: u32) -> Result<(), Infallible> {
        Uart.write(&from.to_le_bytes()).map(drop)
    }

    fn write(&mut self, _: u32, bytes: &[u8]) -> Result<(), Infallible> {
        Uart.write(bytes).map(drop)
    }
}

impl Chip for Nor {
    const UNIT: u32 = 32 << 10;

    fn erase_unit(&mut self, address: u32) -> Result<(), Infallible> {
        self.erase(address, address + Self::UNIT)
    }
}

/// What a program's main loop does besides logging.
pub fn drain<S: LogSchema>(drain: &mut Drain<'_, S, CAPACITY>) {
    let Ok(_) = drain.step(&mut Uart);
}

/// Zeros, for all messages that are logged.
pub static BYTES: [u8; 256] = [0; 256];

/// Makes a message of bytes that the compiler doesn't know, so that filling it costs each program the same.
#[macro_export]
macro_rules! unknown {
    ($type:ty) => {
        // SAFETY: the messages are of integers, characters and floating point, of which all bits zero are a value, and
        // at most 248 bytes long. They are packed, so they stand at any address.
        unsafe { &*core::hint::black_box($crate::size::BYTES.as_ptr()).cast::<$type>() }
    };
}
