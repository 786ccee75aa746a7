//! embassy's timers, by the board's clock.

use core::cell::RefCell;
use core::task::Waker;

use cortex_m::peripheral::SYST;
use critical_section::Mutex;
use embassy_time_driver::{Driver, time_driver_impl};
use embassy_time_queue_utils::Queue;
use lm3s6965::clock::Clock;

/// SysTick's interrupts a second.
pub const TICK_HZ: u32 = 1_000;
/// Microseconds of a tick.
pub const TICK_US: u64 = 1_000_000 / TICK_HZ as u64;

struct ClockDriver {
    queue: Mutex<RefCell<Queue>>,
}

time_driver_impl!(static DRIVER: ClockDriver = ClockDriver { queue: Mutex::new(RefCell::new(Queue::new())) });

impl Driver for ClockDriver {
    fn now(&self) -> u64 {
        now_us()
    }

    /// There is no alarm to set: each tick looks for timers that are due.
    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|token| self.queue.borrow(token).borrow_mut().schedule_wake(at, waker));
    }
}

/// Starts the time at 0, and enables SysTick's interrupt.
pub fn start(systick: SYST) -> Clock {
    Clock::start(systick, TICK_HZ)
}

/// Wakes the tasks whose timers are due. Call it in the SysTick handler.
pub fn on_tick() {
    let now = now_us();
    critical_section::with(|token| DRIVER.queue.borrow(token).borrow_mut().next_expiration(now));
}

/// The microseconds since start.
pub fn now_us() -> u64 {
    Clock::now_us()
}
