//! A hardware counter, counted on over its wraps.

use crate::sync::Locked;

/// Extends a hardware counter of `BITS` bits to 64 bits, and divides it by `DIVISOR`. The clock that
/// [`Logger::start`](crate::Logger::start) takes must not wrap; a counter of 32 bits at 168 MHz does so after 25
/// seconds.
///
/// ```no_run
/// use binlog_embedded::WideCounter;
/// use cortex_m::peripheral::DWT;
///
/// /// Microseconds since boot, at 168 MHz. For `LOG.start(micros)`, and for the time of each message.
/// fn micros() -> u64 {
///     static CYCLES: WideCounter<32, 168> = WideCounter::new(DWT::cycle_count);
///     CYCLES.now()
/// }
/// ```
///
/// Dividing here takes a division of 32 bits, which a processor has or a multiplication replaces. Of the 64 bits that
/// `now` returns, it takes 500 bytes of flash.
///
/// **The contract.** Call [`now`](WideCounter::now) at least once in each period of the counter, that is before it
/// returns to the value of the last call; a period without a call is missing from the time. A main loop that calls
/// [`SdLog::run`](crate::SdLog::run) or `FlashLog::run` does so, because these ask the logger's clock. If the main loop
/// may block for longer, call `now` in a periodic interrupt, too.
///
/// The time starts with the counter's value at the first call. It never goes back, whichever contexts call `now`: main,
/// tasks, other cores, and interrupts of any priority that the critical section masks, so not an NMI or a fault
/// handler. All of them have to read the same counter: on a chip with several cores, take a timer that the cores share.
///
/// A counter of fewer bits, such as SysTick's 24, works alike: `WideCounter<24>`. A counter that counts down is read as
/// its distance from the top, and one that wraps elsewhere than at 2<sup>`BITS`</sup>, such as a SysTick that is
/// reloaded each millisecond, is not suitable:
///
/// ```no_run
/// use binlog_embedded::WideCounter;
/// use cortex_m::peripheral::SYST;
///
/// // The reload value is 0xFF_FFFF. At 48 MHz the period is 0.35 s, so SysTick's interrupt calls `now`.
/// static TICKS: WideCounter<24> = WideCounter::new(|| 0xFF_FFFF - SYST::get_current());
/// ```
///
/// `DWT::cycle_count` stands still until the trace unit and the counter are enabled (`DCB::enable_trace`,
/// `DWT::enable_cycle_counter`), and on many chips while the core sleeps in `wfi`. A Cortex-M0 doesn't have it.
pub struct WideCounter<const BITS: u32 = 32, const DIVISOR: u32 = 1> {
    read: fn() -> u32,
    state: Locked<State>,
}

/// The last call.
struct State {
    /// What it returned, and the remainder.
    quotient: u64,
    remainder: u32,
    /// The counter's value.
    reading: u32,
}

macro_rules! new {
    ($($const:ident)?) => {
        /// Extends the counter that `read` returns. It counts up; bits above `BITS` are ignored.
        ///
        /// `read` runs in a critical section. It must not call [`now`](WideCounter::now).
        ///
        /// `BITS` is 1 to 32, and `DIVISOR` 1 to 2³¹; otherwise the program fails to compile.
        pub $($const)? fn new(read: fn() -> u32) -> Self {
            const { assert!(BITS >= 1 && BITS <= 32, "a counter has 1 to 32 bits") };
            const { assert!(DIVISOR >= 1 && DIVISOR <= 1 << 31, "a divisor is 1 to 2³¹") };
            WideCounter { read, state: Locked::new(State { quotient: 0, remainder: 0, reading: 0 }) }
        }
    };
}

impl<const BITS: u32, const DIVISOR: u32> WideCounter<BITS, DIVISOR> {
    #[cfg(not(loom))]
    new!(const);
    #[cfg(loom)]
    new!();

    /// The counter's value and 2<sup>`BITS`</sup> for each of its wraps, divided by `DIVISOR`.
    pub fn now(&self) -> u64 {
        // The reading belongs to the critical section: one that is older than the last call's would count as a wrap.
        self.state.with_first(self.read, |state, reading| {
            let elapsed = reading.wrapping_sub(state.reading) & (u32::MAX >> (32 - BITS));
            state.reading = reading;
            let (mut quotient, mut remainder) = (elapsed / DIVISOR, state.remainder + elapsed % DIVISOR);
            if remainder >= DIVISOR {
                (quotient, remainder) = (quotient + 1, remainder - DIVISOR);
            }
            state.remainder = remainder;
            state.quotient += u64::from(quotient);
            state.quotient
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    extern crate std;

    use super::WideCounter;
    use proptest::prelude::*;
    use std::cell::Cell;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;
    use std::vec::Vec;

    std::thread_local! {
        /// What a counter of 64 bits would show.
        static TIME: Cell<u64> = const { Cell::new(0) };
    }

    fn low() -> u32 {
        TIME.get() as u32
    }

    fn follows<const BITS: u32, const DIVISOR: u32>(start: u64, steps: &[u64]) -> Result<(), TestCaseError> {
        TIME.set(start & ((1 << BITS) - 1));
        let counter = WideCounter::<BITS, DIVISOR>::new(low);
        prop_assert_eq!(counter.now(), TIME.get() / u64::from(DIVISOR));
        for step in steps {
            TIME.set(TIME.get() + step % (1 << BITS));
            prop_assert_eq!(counter.now(), TIME.get() / u64::from(DIVISOR));
        }
        Ok(())
    }

    proptest! {
        /// `low` has also the bits above, as a register may.
        #[test]
        fn a_counter_of_any_width_is_followed_over_its_wraps(
            start in any::<u64>(),
            steps in prop::collection::vec(prop_oneof![any::<u64>(), Just(u64::MAX), Just(0), Just(1)], 1..50),
        ) {
            follows::<32, 1>(start, &steps)?;
            follows::<31, 1>(start, &steps)?;
            follows::<24, 1>(start, &steps)?;
            follows::<16, 1>(start, &steps)?;
            follows::<1, 1>(start, &steps)?;
            follows::<32, 168>(start, &steps)?;
            follows::<32, { 1 << 31 }>(start, &steps)?;
            follows::<24, 48>(start, &steps)?;
            follows::<1, 3>(start, &steps)?;
        }
    }

    #[test]
    fn a_wrap_between_two_calls_counts_and_a_whole_period_does_not() {
        TIME.set(u64::from(u32::MAX));
        let counter: WideCounter = WideCounter::new(low);
        assert_eq!(counter.now(), 0xFFFF_FFFF);
        TIME.set(0x1_0000_0000);
        assert_eq!(counter.now(), 0x1_0000_0000);
        TIME.set(0x1_FFFF_FFFF); // as late as a call may come
        assert_eq!(counter.now(), 0x1_FFFF_FFFF);
        TIME.set(0x2_FFFF_FFFF); // too late
        assert_eq!(counter.now(), 0x1_FFFF_FFFF);
    }

    /// Each reading is a quarter of the period after the one before, so each one that is used out of order shows.
    #[test]
    fn interrupting_threads_get_each_time_once_and_in_order() {
        const QUARTER: u32 = 1 << 30;
        const CALLS: u64 = if cfg!(miri) { 20 } else { 2000 };
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        static WIDE: WideCounter = WideCounter::new(|| {
            let reading = COUNTER.fetch_add(QUARTER, Ordering::Relaxed);
            thread::yield_now();
            reading
        });
        static START: Barrier = Barrier::new(4);
        let call = || {
            START.wait();
            (0..CALLS).map(|_| WIDE.now()).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..4).map(|_| thread::spawn(call)).collect();
        let mut all = Vec::new();
        for thread in threads {
            let times = thread.join().expect("no thread panics");
            assert!(times.is_sorted_by(|a, b| a < b), "a context sees time go back");
            all.extend(times);
        }
        all.sort_unstable();
        assert!(all.iter().copied().eq((0..4 * CALLS).map(|i| i * u64::from(QUARTER))));
    }
}
