//! Counts the instructions of a call that logs: a line `WORK MEAN MAXIMUM` for each.
//!
//! A call counts from the instruction that calls to the one that returns. As in an application, the called function is
//! one into which the compiler may inline `Logger::log` or not. The functions in C are called in the same way.

use binlog_cortex_m::clock::{between, now};
use core::convert::Infallible;
use core::hint::black_box;
use cortex_m::peripheral::SYST;
use embedded_io::{ErrorType, Write};
use lm3s6965::semihosting::println;

/// A C program has one type for all, so the calls have one.
pub(crate) type Work = unsafe extern "C" fn(*const u8, u32) -> i32;

// A call that does nothing, whose count is subtracted; its two instructions are added again.
core::arch::global_asm!(".thumb_func", ".global nothing", "nothing:", "bx lr");
const CALL_AND_RETURN: u32 = 2;
unsafe extern "C" {
    fn nothing(record: *const u8, length: u32) -> i32;
}

/// Records to a batch; they fit into the ring with its reserve.
const BATCH: usize = 64;
const BATCHES: usize = 256;

/// The instructions of each of a batch of calls.
#[inline(never)]
fn batch<T>(work: Work, records: &[T; 16], length: u32, expected: i32) -> [u32; BATCH] {
    let work = black_box(work);
    core::array::from_fn(|i| {
        let record = black_box(&records[i % 16]);
        let from = now();
        // SAFETY: `records` are what `work` takes, `length` bytes each; `nothing` takes all.
        let result = unsafe { work((&raw const *record).cast(), black_box(length)) };
        let to = now();
        assert!(expected == 2 || result == expected, "{result} in place of {expected}");
        between(from, to)
    })
}

/// Prints mean and maximum; `result` is what each call has to return, `between` runs between batches.
pub(crate) fn measure<T>(
    name: &str,
    work: Work,
    records: &[T; 16],
    length: u32,
    result: i32,
    mut between: impl FnMut(),
) {
    let (mut sum, mut max) = (0, 0);
    for _ in 0..BATCHES {
        for (with, without) in batch(work, records, length, result).into_iter().zip(batch(nothing, records, length, 2))
        {
            let instructions = with + CALL_AND_RETURN - without;
            sum += instructions;
            max = max.max(instructions);
        }
        between();
    }
    // A quarter of each, so that the product stays below 2³².
    let hundredths = sum * 25 / (BATCH * BATCHES / 4) as u32;
    println!("{name} {}.{:02} {max}", hundredths / 100, hundredths % 100);
}

/// C puts its records where the compiler likes, which is at a word.
#[repr(C, align(4))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// Asserts that blocks of known length count as many instructions as they have, at all phases of tick and instruction.
pub(crate) fn check_clock() {
    macro_rules! block {
        ($($length:literal)*) => {$({
            // Functions, because the assembler's repetition may be longer than the compiler's reach to a constant.
            #[inline(never)]
            fn count() -> u32 {
                let (from, to): (u32, u32);
                // SAFETY: it reads SysTick's counter, which is what `now` does.
                unsafe {
                    core::arch::asm!(
                        "ldr {from}, [{counter}]",
                        concat!(".rept ", $length), "nop", ".endr",
                        "ldr {to}, [{counter}]",
                        counter = in(reg) &raw const (*SYST::PTR).cvr,
                        from = out(reg) from,
                        to = out(reg) to,
                        options(nostack),
                    );
                };
                between(from, to)
            }
            assert_eq!(count(), $length + 1, "the clock counts instructions");
        })*};
    }
    for _ in 0..100 {
        block!(1 2 3 4 5 6 7 8 9 10 11 12 13 100);
    }
}

/// A file that accepts everything.
pub(crate) struct Void;

impl ErrorType for Void {
    type Error = Infallible;
}

impl Write for Void {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
