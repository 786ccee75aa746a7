//! A `log` call of a host's logger allocates nothing, and neither does a text.

use binlog::messages::{Ev, Msg};
use binlog::sink::Tally;
use binlog::{HostLogger, LogSchema};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io;

#[derive(LogSchema)]
enum FlightLog {
    #[log(rate = 1000)]
    Ev(Ev),
    Msg(Msg),
}

thread_local! {
    static ALLOCATIONS: Cell<u32> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending has no count any more.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Logs EV records at 1,430 Hz, and some texts. Returns the logger's counts of EV.
fn log_without_allocating(capacity: usize) -> Tally {
    let thread = HostLogger::<FlightLog>::builder().capacity(capacity).spawn(io::sink()).expect("it takes all");
    let log = thread.logger();
    let before = ALLOCATIONS.get();
    for i in 0..100_000 {
        log.log(&Ev { time_us: 700 * i, id: 10 });
        if i % 100 == 0 {
            log.text(format_args!("record {i} of a text that needs more than one record, because it is so long"));
        }
    }
    assert_eq!(ALLOCATIONS.get() - before, 0);
    log.tally::<Ev>()
}

#[test]
fn logging_allocates_nothing_from_the_first_record_on() {
    // Often full, and often taken.
    log_without_allocating(2048);
    // Room for all of them, so that the rate decides.
    let tally = log_without_allocating(4 << 20);
    assert!(tally.decimated > 10_000 && tally.dropped == 0, "{tally:?}");
}
