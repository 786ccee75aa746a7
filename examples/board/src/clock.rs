//! The time since start, from SysTick.
//!
//! Under QEMU with `-icount shift=3` an instruction takes 8 ns and a tick of SysTick 5 ns, so times are exact and the
//! same in each run: they count instructions. They aren't the cycles of a real core.

use core::cell::Cell;

use cortex_m::interrupt::{self, Mutex};
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use embedded_hal::delay::DelayNs;

use crate::register::Register;

/// Ticks in a microsecond. QEMU (7.2, `hw/arm/stellaris.c`) divides 200 MHz by RCC's SYSDIV plus one. The chip itself
/// takes no divisor below 4, so at most 50 MHz.
pub const TICKS_PER_US: u32 = 200;

/// RCC, run mode clock configuration (data sheet, chapter 5): bits 26 to 23 are SYSDIV.
// SAFETY: it's a register and starts no access to memory.
const RCC: Register = unsafe { Register::at(0x400F_E060) };

#[derive(Clone, Copy)]
struct Time {
    /// Microseconds of all finished periods of SysTick.
    us: u64,
    /// A period in ticks.
    period: u32,
}

static TIME: Mutex<Cell<Time>> = Mutex::new(Cell::new(Time { us: 0, period: 0 }));

/// The clock, once started. Copies of it are the same clock.
#[derive(Clone, Copy)]
pub struct Clock(());

impl Clock {
    /// Starts it at 0, with the SysTick interrupt `tick_hz` times a second. The handler belongs to the application and
    /// calls [`on_tick`](Self::on_tick).
    ///
    /// # Panics
    ///
    /// If a tick isn't a whole number of microseconds, or more than 83,886 of them (the counter has 24 bits).
    pub fn start(mut systick: SYST, tick_hz: u32) -> Self {
        assert!(tick_hz > 0 && 1_000_000 % tick_hz == 0, "a tick is a whole number of microseconds");
        let period = 1_000_000 / tick_hz * TICKS_PER_US;
        assert!(period <= 1 << 24, "a tick fits into SysTick's 24 bits");
        RCC.change(0xF << 23, 0);

        interrupt::free(|token| TIME.borrow(token).set(Time { us: 0, period }));
        systick.set_clock_source(SystClkSource::Core);
        systick.set_reload(period - 1);
        systick.clear_current();
        systick.enable_interrupt();
        systick.enable_counter();
        Self(())
    }

    /// Keeps the time when nothing else reads it. Call it in the SysTick handler.
    pub fn on_tick() {
        now();
    }

    /// The microseconds since start.
    ///
    /// It never goes back: not in the main program, not in handlers of any priority, not with interrupts masked. While
    /// they are masked, it must be read at least once in each tick. It is 0 before the start. It is an associated
    /// function because handlers and the logger have no clock at hand.
    pub fn now_us() -> u64 {
        let (us, ticks) = now();
        us + u64::from(ticks / TICKS_PER_US)
    }

    /// Ticks since start, [`TICKS_PER_US`] in each microsecond.
    fn now_ticks(self) -> u64 {
        let (us, ticks) = now();
        us * u64::from(TICKS_PER_US) + u64::from(ticks)
    }

    /// A delay by this clock.
    pub fn delay(self) -> Delay {
        Delay { clock: self }
    }
}

/// The microseconds of all finished periods, and the ticks of the current one.
///
/// The first read after the end of a period counts it, because reading clears COUNTFLAG. So the time doesn't depend on
/// when the SysTick handler runs.
fn now() -> (u64, u32) {
    interrupt::free(|token| {
        let cell = TIME.borrow(token);
        let mut time = cell.get();
        if time.period == 0 {
            return (0, 0);
        }
        let mut ticks = ticks(time.period);
        // SAFETY: reading SysTick's CSR changes COUNTFLAG only, which nothing else reads.
        if unsafe { (*SYST::PTR).csr.read() } & COUNTFLAG != 0 {
            time.us += u64::from(time.period / TICKS_PER_US);
            cell.set(time);
            // The ticks read before may belong to either period.
            ticks = self::ticks(time.period);
        }
        (time.us, ticks)
    })
}

/// SysTick's CSR: the counter has reached 0 since the last read.
const COUNTFLAG: u32 = 1 << 16;

/// The ticks since the start of the period.
fn ticks(period: u32) -> u32 {
    loop {
        // A period ends at 0. QEMU may show the 0 before COUNTFLAG is set, so wait for the next tick.
        let left = SYST::get_current();
        if left != 0 {
            return period - left;
        }
    }
}

/// Waits by the clock. Interrupts that run meanwhile are part of the wait.
pub struct Delay {
    clock: Clock,
}

impl DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        self.wait(u64::from(ns.div_ceil(1_000 / TICKS_PER_US)));
    }

    fn delay_us(&mut self, us: u32) {
        self.wait(u64::from(us) * u64::from(TICKS_PER_US));
    }

    fn delay_ms(&mut self, ms: u32) {
        self.wait(u64::from(ms) * u64::from(1_000 * TICKS_PER_US));
    }
}

impl Delay {
    fn wait(&self, ticks: u64) {
        let end = self.clock.now_ticks() + ticks;
        while self.clock.now_ticks() < end {}
    }
}
