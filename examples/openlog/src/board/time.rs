//! Time since start in microseconds, from SysTick, and with it embassy's timers.

use core::cell::{Cell, RefCell};
use core::task::Waker;

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use critical_section::Mutex;
use embassy_time_driver::{Driver, time_driver_impl};
use embassy_time_queue_utils::Queue;

use super::CLOCK_HZ;

/// SysTick's interrupts a second.
pub const TICK_HZ: u32 = 1_000;
/// Microseconds of a tick.
pub const TICK_US: u64 = 1_000_000 / TICK_HZ as u64;
/// Clock cycles of a tick.
const PERIOD: u32 = CLOCK_HZ / TICK_HZ;
/// SysTick's CSR: the counter has reached 0 since the last read.
const COUNTFLAG: u32 = 1 << 16;

struct SysTickDriver {
    /// Of all ticks that are over.
    us: Mutex<Cell<u64>>,
    queue: Mutex<RefCell<Queue>>,
}

time_driver_impl!(static DRIVER: SysTickDriver = SysTickDriver {
    us: Mutex::new(Cell::new(0)),
    queue: Mutex::new(RefCell::new(Queue::new())),
});

impl Driver for SysTickDriver {
    /// Whoever is first to ask after the end of a tick counts it, since COUNTFLAG is cleared by being read. So the time
    /// is right in every interrupt, whether the handler of SysTick has run or not.
    fn now(&self) -> u64 {
        critical_section::with(|token| {
            let us = self.us.borrow(token);
            let mut cycles = cycles();
            // SAFETY: reading CSR changes COUNTFLAG, at which nothing else looks.
            if unsafe { (*SYST::PTR).csr.read() } & COUNTFLAG != 0 {
                us.set(us.get() + TICK_US);
                // Those read before may be of either tick.
                cycles = self::cycles();
            }
            us.get() + u64::from(cycles) * TICK_US / u64::from(PERIOD)
        })
    }

    /// There is no alarm to set: each tick looks for timers that are due.
    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|token| self.queue.borrow(token).borrow_mut().schedule_wake(at, waker));
    }
}

/// Clock cycles since the tick began.
fn cycles() -> u32 {
    loop {
        let left = SYST::get_current();
        if left != 0 {
            return PERIOD - left;
        }
        // The tick ends at 0. QEMU may show the 0 before COUNTFLAG, so wait for the next cycle, unless the counter
        // wasn't started yet.
        if SYST::get_reload() == 0 {
            return 0;
        }
    }
}

/// Starts the time at 0, and SysTick's interrupt.
pub fn start(mut systick: SYST) {
    systick.set_clock_source(SystClkSource::Core);
    systick.set_reload(PERIOD - 1);
    systick.clear_current();
    systick.enable_interrupt();
    systick.enable_counter();
}

/// Wakes the tasks whose timers are due. To be called in the SysTick handler.
pub fn on_tick() {
    let now = DRIVER.now();
    critical_section::with(|token| DRIVER.queue.borrow(token).borrow_mut().next_expiration(now));
}

/// The microseconds since start.
pub fn now_us() -> u64 {
    DRIVER.now()
}
