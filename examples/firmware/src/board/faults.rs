//! Faults of cards, for tests: QEMU's card is never busy, never fails and stays in its slot.
//!
//! Like [`lm3s6965::qemu_card`], it's made for the transfers of `SpiCard`, each of which is one operation.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use embedded_hal::spi::{ErrorType, Operation, SpiDevice};

use lm3s6965::operation::{length, received, sent};

static BUSY_BYTES: AtomicU32 = AtomicU32::new(0);
static FAIL_EVERY: AtomicU32 = AtomicU32::new(0);
static PULLED: AtomicBool = AtomicBool::new(false);

/// Makes the card busy for `bytes` bytes after each block and after each multi-block write; 0: never.
///
/// A busy card answers 0x00, and doesn't see what is sent to it.
pub fn set_busy(bytes: u32) {
    BUSY_BYTES.store(bytes, Ordering::Relaxed);
}

/// One of `blocks` blocks isn't written: the card answers it with "write error"; 0: all are written.
pub fn fail_every(blocks: u32) {
    FAIL_EVERY.store(blocks, Ordering::Relaxed);
}

/// Pulls the card from its slot: the bus reads 0xFF. A block that is half over the bus is still written.
pub fn pull_card() {
    PULLED.store(true, Ordering::Relaxed);
}

/// Puts the card back. Like any card it's silent until a CMD0 resets it.
pub fn put_card_back() {
    PULLED.store(false, Ordering::Relaxed);
}

/// CMD0, GO_IDLE_STATE, as it goes over the bus.
const GO_IDLE_STATE: u8 = 0x40;
/// The token before the block of a single-block write.
const START_BLOCK: u8 = 0xFE;
/// The token before each block of a multi-block write.
const START_BLOCK_OF_MANY: u8 = 0xFC;
/// The token after the last of them.
const STOP: u8 = 0xFD;
/// The data response "write error" (SD Physical Layer Simplified Specification 9.00, 7.3.3.1).
const WRITE_ERROR: u8 = 0b0000_1101;

/// The card's position in a write.
#[derive(Clone, Copy)]
enum Write {
    /// No write.
    No,
    /// After the token.
    Block(Fate),
    /// After the CRC: the data response is next.
    Response(Fate),
    /// After the stop token: one byte, then it's busy.
    Stopped,
}

/// What the card does with a block.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Written,
    /// Refused in a single-block write: the card is ready for commands afterwards.
    Failed,
    /// Refused in a multi-block write: the card waits for more blocks or the end.
    FailedOfMany,
}

/// An SPI device that leads to a card with these faults.
pub struct FaultyCard<D> {
    bus: D,
    write: Write,
    /// For how many more bytes the card is busy.
    busy: u32,
    /// Blocks since the last one that failed.
    blocks: u32,
    /// The card was pulled, and hasn't been reset since.
    gone: bool,
}

impl<D: SpiDevice> FaultyCard<D> {
    /// The card on `bus`.
    pub fn new(bus: D) -> Self {
        Self { bus, write: Write::No, busy: 0, blocks: 0, gone: false }
    }

    fn operation(&mut self, operation: &mut Operation<'_, u8>) -> Result<(), D::Error> {
        if self.is_gone(operation)? {
            received(operation).fill(0xFF);
            return Ok(());
        }
        if self.busy > 0 {
            self.busy = self.busy.saturating_sub(length(operation) as u32);
            received(operation).fill(0x00);
            return Ok(());
        }
        match (self.write, sent(operation)) {
            (Write::No, [token @ (START_BLOCK | START_BLOCK_OF_MANY)]) => {
                let fate = self.fate(*token);
                self.write = Write::Block(fate);
                if fate != Fate::Written {
                    return Ok(());
                }
            }
            (Write::No, [STOP]) => self.write = Write::Stopped,
            (Write::Block(fate), bytes) => {
                if bytes.len() == 2 {
                    self.write = Write::Response(fate);
                }
                if fate != Fate::Written {
                    return Ok(());
                }
            }
            (Write::Response(fate), _) => {
                self.end_write();
                if fate == Fate::Failed {
                    self.end_transfer()?;
                }
                if fate != Fate::Written {
                    received(operation).fill(WRITE_ERROR);
                    return Ok(());
                }
            }
            // A card that becomes busy at the second byte of a command doesn't see the command.
            (Write::Stopped, bytes) => {
                let seen = bytes.len() <= 1 || BUSY_BYTES.load(Ordering::Relaxed) == 0;
                self.end_write();
                if !seen {
                    received(operation).fill(0x00);
                    return Ok(());
                }
            }
            (Write::No, _) => {}
        }
        let in_write = !matches!(self.write, Write::No);
        self.bus.transaction(core::slice::from_mut(operation))?;
        if in_write && PULLED.load(Ordering::Relaxed) {
            received(operation).fill(0xFF);
        }
        Ok(())
    }

    /// The card was pulled and not reset since, also after this operation.
    ///
    /// A block half over the bus still reaches QEMU's card, which would otherwise take commands for its rest.
    fn is_gone(&mut self, operation: &Operation<'_, u8>) -> Result<bool, D::Error> {
        let pulled = PULLED.load(Ordering::Relaxed);
        if pulled && matches!(self.write, Write::No | Write::Stopped) {
            self.gone = true;
            self.busy = 0;
            self.write = Write::No;
        }
        if self.gone && !pulled && matches!(sent(operation), [GO_IDLE_STATE, _, _, _, _, _]) {
            // A read may have been interrupted, and QEMU's card would continue it.
            self.end_transfer()?;
            self.gone = false;
        }
        Ok(self.gone)
    }

    /// What the card does with the block that starts with `token`.
    fn fate(&mut self, token: u8) -> Fate {
        self.blocks += 1;
        match FAIL_EVERY.load(Ordering::Relaxed) {
            0 => return Fate::Written,
            every if self.blocks < every => return Fate::Written,
            _ => self.blocks = 0,
        }
        if token == START_BLOCK { Fate::Failed } else { Fate::FailedOfMany }
    }

    fn end_write(&mut self) {
        self.write = Write::No;
        self.busy = BUSY_BYTES.load(Ordering::Relaxed);
    }

    /// Brings QEMU's card out of any transfer, with CMD12, STOP_TRANSMISSION.
    fn end_transfer(&mut self) -> Result<(), D::Error> {
        self.bus.write(&[0xFF; 16])?;
        self.bus.write(&[0x40 | 12, 0, 0, 0, 0, 0x61])?;
        self.bus.write(&[0xFF; 16])
    }
}

impl<D: SpiDevice> ErrorType for FaultyCard<D> {
    type Error = D::Error;
}

impl<D: SpiDevice> SpiDevice for FaultyCard<D> {
    /// Makes each operation a transaction, since each may meet a different fault.
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), D::Error> {
        operations.iter_mut().try_for_each(|operation| self.operation(operation))
    }
}
