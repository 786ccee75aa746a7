//! Instructions since start, by SysTick under QEMU with `-icount shift=3`.
//!
//! There, an instruction takes 8 ns of virtual time and a tick of SysTick 5 ns (`clock.rs` of examples/board has the
//! sources). So a tick identifies the instruction that read it: no two instructions are in the same tick. These are not
//! the cycles of a real core.

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;

/// All of SysTick's 24 bits.
const PERIOD: u32 = 1 << 24;

/// Instructions after which the count begins again at 0: a period is a whole number of them.
pub const WRAP: u32 = PERIOD / 8 * 5;

/// RCC, run mode clock configuration (LM3S6965 data sheet, chapter 5): bits 26 to 23 divide the clock, less one.
const RCC: *mut u32 = 0x400F_E060 as *mut u32;

/// Starts the count.
pub fn start(systick: &mut SYST) {
    start_with_period(systick, PERIOD);
}

/// Starts SysTick with a period in ticks, of which 8 are 5 instructions.
pub fn start_with_period(systick: &mut SYST, ticks: u32) {
    // SAFETY: it's a register and starts no access to memory; nothing else here uses it.
    unsafe { RCC.write_volatile(RCC.read_volatile() & !(0xF << 23)) };
    systick.set_clock_source(SystClkSource::Core);
    systick.set_reload(ticks - 1);
    systick.clear_current();
    systick.enable_counter();
}

/// What [`between`] takes two of.
#[inline(always)]
pub fn now() -> u32 {
    SYST::get_current()
}

/// The instructions from one reading to another, at most [`WRAP`].
pub fn between(from: u32, to: u32) -> u32 {
    let instruction = |reading: u32| (5 * (PERIOD - reading) + PHASE) / 8;
    (instruction(to) + WRAP - instruction(from)) % WRAP
}

/// Nanoseconds from a tick to the first instruction after it, at the clock's start; rounds up. A wrong one shows as
/// instructions that are counted twice or not at all.
const PHASE: u32 = 7;
