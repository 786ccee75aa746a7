//! Counts the instructions of calls, for the programs of tests/cortex-m/instructions. It isn't in the library, whose
//! other programs have a panic handler of their own.

use binlog_cortex_m::clock::{between, now};
use lm3s6965::semihosting::println;

/// Mean and maximum of the instructions of calls.
#[derive(Clone, Copy)]
pub struct Count {
    sum: u32,
    max: u32,
    calls: u32,
}

impl Count {
    /// Without a call.
    pub const NONE: Count = Count { sum: 0, max: 0, calls: 0 };

    /// Makes a call and counts its instructions.
    pub fn of<R>(&mut self, call: impl FnOnce() -> R) -> R {
        let from = now();
        let result = call();
        let count = between(from, now());
        (self.sum, self.max, self.calls) = (self.sum + count, self.max.max(count), self.calls + 1);
        result
    }

    /// Prints a line `NAME MEAN MAXIMUM`.
    pub fn print(&self, name: &str) {
        let hundredths = (u64::from(self.sum) * 100 / u64::from(self.calls)) as u32;
        println!("{name} {}.{:02} {}", hundredths / 100, hundredths % 100, self.max);
    }
}
