//! README's program with a ring of 4 KiB, on a part with 64 KB of flash and 20 KB of RAM. It runs for three seconds
//! under QEMU, on the card of examples/board, and ends with exit code 0.

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::{entry, exception};
use lm3s6965::clock::Clock;
use lm3s6965::qemu_card::QemuCard;
use lm3s6965::semihosting;
use lm3s6965::ssi::Ssi0;

#[allow(missing_docs, reason = "README explains it")]
mod readme {
    include!(concat!(env!("OUT_DIR"), "/readme.rs"));
}

/// Stands for the program's own code and data in flash: the linker fails if there is less room.
static OWN: [u8; 25 << 10] = [0xA5; 25 << 10];

/// The cycle counter, which QEMU lacks.
fn cycles() -> u32 {
    (Clock::now_us() * 168) as u32
}

#[exception]
fn SysTick() {
    Clock::on_tick();
    readme::timer_interrupt();
    if Clock::now_us() >= 3_000_000 {
        semihosting::exit(0);
    }
}

#[entry]
fn main() -> ! {
    black_box(&OWN);
    let (Some(core), Some(bus)) = (cortex_m::Peripherals::take(), Ssi0::take()) else { panic!() };
    readme::fly(QemuCard::new(bus), Clock::start(core.SYST, 50).delay())
}
