//! Prints the bytes of stack below `main` that a feature's choice takes, on a card at the bus of QEMU's board or on a
//! chip in memory.

#![no_std]
#![no_main]

mod writer;

use cortex_m::register::msp;
use cortex_m_rt::{entry, exception};
use lm3s6965::semihosting::{exit, println, unhandled};

#[allow(dead_code, reason = "a writer needs a card or a chip")]
mod medium {
    use binlog_cortex_m::size::Wait;
    use binlog_embedded::card::{Card as _, Slot as _, SpiCard};
    use core::cell::RefCell;
    use core::convert::Infallible;
    use core::ffi::c_int;
    use core::sync::atomic::{AtomicU8, Ordering};
    use cortex_m::interrupt::{self, Mutex};
    use embedded_sdmmc::Block;
    use embedded_storage::nor_flash::{ErrorType, NorFlash, ReadNorFlash};
    use lm3s6965::qemu_card::QemuCard;
    use lm3s6965::ssi::Ssi0;

    pub type Card = SpiCard<QemuCard<Ssi0>, Wait>;

    pub fn card() -> Card {
        SpiCard::new(QemuCard::new(Ssi0::take().expect("taken once")), Wait)
    }

    /// The card of a writer in C, and a block on its way there.
    static CARD: Mutex<RefCell<Option<(Card, Block)>>> = Mutex::new(RefCell::new(None));

    fn with_card(transfer: impl FnOnce(&mut Card, &mut Block) -> bool) -> c_int {
        interrupt::free(|token| {
            let mut slot = CARD.borrow(token).borrow_mut();
            let (card, block) = slot.get_or_insert_with(|| (card(), Card::ZERO));
            c_int::from(!transfer(card, block))
        })
    }

    pub fn read_card(at: u32, blocks: &mut [[u8; 512]]) -> c_int {
        with_card(|card, block| {
            (at..).zip(blocks).all(|(at, bytes)| {
                let read = card.read(at, core::slice::from_mut(block)).is_ok();
                *bytes = block.contents;
                read
            })
        })
    }

    pub fn write_card(at: u32, blocks: &[[u8; 512]]) -> c_int {
        with_card(|card, block| {
            (at..).zip(blocks).all(|(at, bytes)| {
                block.contents = *bytes;
                card.write(at, core::slice::from_ref(block)).is_ok()
            })
        })
    }

    /// The smallest chip that all of them take.
    const BYTES: usize = 32 << 10;
    const SECTOR: usize = 4096;
    static MEMORY: [AtomicU8; BYTES] = [const { AtomicU8::new(0) }; _];

    pub struct Chip;

    pub fn chip() -> Chip {
        Chip
    }

    /// Erases all of it.
    pub fn erase_chip() {
        let Ok(()) = Chip.erase(0, BYTES as u32);
    }

    impl ErrorType for Chip {
        type Error = Infallible;
    }

    impl ReadNorFlash for Chip {
        const READ_SIZE: usize = 1;

        fn read(&mut self, at: u32, bytes: &mut [u8]) -> Result<(), Infallible> {
            for (byte, cell) in bytes.iter_mut().zip(&MEMORY[at as usize..]) {
                *byte = cell.load(Ordering::Relaxed);
            }
            Ok(())
        }

        fn capacity(&self) -> usize {
            BYTES
        }
    }

    impl NorFlash for Chip {
        const WRITE_SIZE: usize = 1;
        const ERASE_SIZE: usize = SECTOR;

        fn erase(&mut self, from: u32, to: u32) -> Result<(), Infallible> {
            MEMORY[from as usize..to as usize].iter().for_each(|cell| cell.store(0xFF, Ordering::Relaxed));
            Ok(())
        }

        fn write(&mut self, at: u32, bytes: &[u8]) -> Result<(), Infallible> {
            for (byte, cell) in bytes.iter().zip(&MEMORY[at as usize..]) {
                cell.store(cell.load(Ordering::Relaxed) & byte, Ordering::Relaxed);
            }
            Ok(())
        }
    }

    impl binlog_embedded::flash_log::Chip for Chip {
        const UNIT: u32 = SECTOR as u32;

        fn erase_unit(&mut self, address: u32) -> Result<(), Infallible> {
            self.erase(address, address + Self::UNIT)
        }
    }
}

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

/// What cortex-m-rt's feature `paint-stack` fills the stack with.
const PAINT: u32 = 0xCCCC_CCCC;

unsafe extern "C" {
    static _stack_end: u32;
}

#[inline(never)]
fn fly(log: &mut writer::Log) {
    writer::fly(log).expect("the medium works");
}

#[entry]
fn main() -> ! {
    medium::erase_chip();
    let mut log = writer::log();
    let top = msp::read();
    // The first flight finds an empty medium, the next ones logs.
    for _ in 0..5 {
        fly(&mut log);
    }
    let mut lowest = &raw const _stack_end;
    // SAFETY: all words from here to `main`'s frame are the stack's, and nothing writes them meanwhile.
    while unsafe { lowest.read_volatile() } == PAINT {
        lowest = lowest.wrapping_add(1);
    }
    println!("{}", top - lowest as u32);
    exit(0)
}
