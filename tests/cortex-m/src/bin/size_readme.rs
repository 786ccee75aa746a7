//! README's program for a microcontroller: two messages and, with the feature `text`, texts of the card's errors.

#![no_std]
#![no_main]

use binlog_cortex_m::size::{Spi, Wait};
use core::panic::PanicInfo;
use cortex_m_rt::{entry, exception};

#[allow(missing_docs, reason = "README explains it")]
mod readme {
    include!(concat!(env!("OUT_DIR"), "/readme.rs"));
}

#[cfg(feature = "mem")]
mod mem {
    include!(concat!(env!("OUT_DIR"), "/mem.rs"));
}

#[exception]
fn SysTick() {
    readme::timer_interrupt();
}

#[entry]
fn main() -> ! {
    readme::fly(Spi, Wait)
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
