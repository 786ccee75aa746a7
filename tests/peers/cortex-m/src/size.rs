//! What a feature chooses writes to a UART in place of a card or chip, so that no driver is counted.

#![no_std]
#![no_main]

mod writer;

use core::panic::PanicInfo;
use core::sync::atomic::AtomicU8;
use cortex_m as _;
use cortex_m_rt::entry;

#[allow(dead_code, reason = "a writer needs a card or a chip")]
mod medium {
    use binlog_cortex_m::size::{Block, Nor, Slots};
    use binlog_embedded::card::Card as _;
    use core::ffi::c_int;

    pub type Card = Slots;
    pub type Chip = Nor;

    pub fn card() -> Slots {
        Slots
    }

    pub fn chip() -> Nor {
        Nor
    }

    pub fn read_card(at: u32, blocks: &mut [Block]) -> c_int {
        c_int::from(Slots.read(at, blocks).is_err())
    }

    pub fn write_card(at: u32, blocks: &[Block]) -> c_int {
        c_int::from(Slots.write(at, blocks).is_err())
    }
}

// What is on the stack counts as RAM: this is as large as it.
#[used]
static LOG: [AtomicU8; size_of::<writer::Log>()] = [const { AtomicU8::new(0) }; _];

#[entry]
fn main() -> ! {
    let mut log = writer::log();
    loop {
        if writer::fly(&mut log).is_err() {
            panic!();
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
