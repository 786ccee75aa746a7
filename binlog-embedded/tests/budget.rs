//! The bytes that a `Budget` counts are what a real logger accepts at worst, to the byte.
#![cfg(not(loom))]

use binlog::field::Chars;
use binlog::messages::{Dropped, Dsf, Ev, Msg};
use binlog::{LogMessage, LogSchema};
use binlog_embedded::{Budget, Logger};
use core::cell::Cell;
use core::convert::Infallible;
use embedded_io::{ErrorType, Write};
use proptest::prelude::*;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "IMU")]
#[repr(C, packed)]
struct Imu {
    time_us: u64,
    #[log(instance)]
    instance: u8,
    text: Chars<16>,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BIG")]
#[repr(C, packed)]
struct Big {
    time_us: u64,
    a: Chars<64>,
    b: Chars<64>,
    c: Chars<64>,
}

#[derive(LogSchema)]
enum Flight {
    #[log(rate = 400)]
    Imu(Imu),
    #[log(rate = 30)]
    Ev(Ev),
    #[log(rate = 7)]
    Big(Big),
    Msg(Msg),
    Dsf(Dsf),
    Drop(Dropped),
}

const INSTANCES: u8 = 3;
const TEXTS: u32 = 4;
const BUDGET: Budget<Flight> = Budget::new().instances("IMU", INSTANCES).at_most("MSG", TEXTS);

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// A file that takes a number of bytes.
struct Upto(usize);

impl ErrorType for Upto {
    type Error = Infallible;
}

impl Write for Upto {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Each message at once, of each instance. Those with a rate are tried twice, because one may come early.
fn log_all<const N: usize>(logger: &Logger<Flight, N>, time_us: u64, texts: u32) {
    NOW.set(time_us);
    for _ in 0..2 {
        for instance in 0..INSTANCES {
            logger.log(&Imu { time_us, instance, text: Chars::cut("") });
        }
        logger.log(&Ev { time_us, id: 1 });
        let [a, b, c] = [Chars::cut(""); 3];
        logger.log(&Big { time_us, a, b, c });
    }
    for _ in 0..texts {
        logger.text("a text");
    }
}

/// An empty ring whose drain has written a part of a record, and a clock at which all schedules are long past.
fn with_part_of_a_record<const N: usize>(start_us: u64, part: usize) -> Box<Logger<Flight, N>> {
    let logger = Box::new(Logger::<Flight, N>::new());
    logger.start(|| NOW.get());
    NOW.set(0);
    logger.text("x");
    let mut drain = logger.drain().expect("the only drain");
    let mut file = Upto(Flight::PREAMBLE.len() + part);
    while drain.step(&mut file).unwrap() > 0 {}
    // The stall begins, and nothing drains any more.
    core::mem::forget(drain);
    NOW.set(start_us);
    logger
}

proptest! {
    /// With the schedule that brings the most, and any other one.
    #[test]
    fn a_logger_accepts_what_the_budget_counts_and_no_more(
        start_us in 10_000_000u64..20_000_000,
        stall_us in 0u64..2_500_000,
        step_us in 1u64..3_000,
        part in 1usize..77,
    ) {
        const N: usize = 1 << 18;
        let counted = BUDGET.bytes_in(stall_us);
        let is_text = |time_us: u64| time_us.is_multiple_of(1_000_000);
        // Every microsecond at which something may be due: multiples of all periods.
        let logger = with_part_of_a_record::<N>(start_us, part);
        let periods = Flight::MESSAGES.iter().filter_map(|message| Some(u64::from(message.rate?.period_us)));
        let periods = periods.chain([1_000_000]);
        let mut times: Vec<u64> = periods.flat_map(|period| (0..=stall_us / period).map(move |i| i * period)).collect();
        times.sort_unstable();
        times.dedup();
        for time_us in times {
            log_all(&logger, start_us + time_us, if is_text(time_us) { TEXTS } else { 0 });
        }
        prop_assert_eq!(u64::from(logger.statistics().used), counted + 77, "the worst schedule");

        let logger = with_part_of_a_record::<N>(start_us, part);
        let steps = (0..=stall_us / step_us).map(|i| i * step_us);
        let mut next_text_us = 0;
        for time_us in steps {
            let texts = if time_us >= next_text_us { TEXTS } else { 0 };
            if texts > 0 {
                next_text_us = time_us + 1_000_000;
            }
            log_all(&logger, start_us + time_us, texts);
        }
        prop_assert!(u64::from(logger.statistics().used) <= counted + 77);
    }

    /// In a ring for which the budget holds, with the reserve as it is by itself.
    #[test]
    fn nothing_is_dropped_for_as_long_as_the_ring_lasts(start_us in 10_000_000u64..20_000_000, part in 1usize..77) {
        const N: usize = 16384;
        const STALL_US: u64 = 250_000;
        const { BUDGET.lasts::<N>(STALL_US) };
        let logger = with_part_of_a_record::<N>(start_us, part);
        for time_us in (0..=STALL_US).step_by(50) {
            log_all(&logger, start_us + time_us, if time_us == 0 { TEXTS } else { 0 });
        }
        prop_assert_eq!(logger.statistics().dropped, 0);
        // And not much longer.
        for time_us in (STALL_US..=3 * STALL_US).step_by(50) {
            log_all(&logger, start_us + time_us, 0);
        }
        prop_assert!(logger.statistics().dropped > 0);
    }
}

/// 400 records a second in 250 ms are 100, and 2 that come early.
#[test]
fn a_rate_counts_its_records_and_two_more() {
    let imu = Imu::DEFINITION.length() as u64;
    let others = 2 * (Ev::DEFINITION.length() + Big::DEFINITION.length()) as u64 + 4 * 77;
    assert_eq!(BUDGET.bytes_in(0), 3 * 2 * imu + others);
    let others = others + (7 * Ev::DEFINITION.length() + Big::DEFINITION.length()) as u64;
    assert_eq!(BUDGET.bytes_in(250_000), 3 * 102 * imu + others);
    // Without a count of instances, of the eight that are decimated.
    let all = Budget::<Flight>::new().at_most("MSG", 4);
    assert_eq!(all.bytes_in(250_000) - BUDGET.bytes_in(250_000), 5 * 102 * imu);
    // What the program says counts where it is less.
    let few = Budget::<Flight>::new().at_most("MSG", 4).at_most("IMU", 10);
    assert_eq!(few.bytes_in(250_000), 10 * imu + others);
    assert!(few.bytes_in(1_000_000) - few.bytes_in(999_999) >= 10 * imu);
}

#[test]
fn eight_instances_may_be_said() {
    let said = Budget::<Flight>::new().at_most("MSG", TEXTS).instances("IMU", 8);
    assert_eq!(said.bytes_in(250_000), Budget::<Flight>::new().at_most("MSG", TEXTS).bytes_in(250_000));
}

/// The text of an error, as it is in a constant.
fn error_of(check: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let error = std::panic::catch_unwind(check).expect_err("an error");
    *error.downcast::<String>().expect("a text")
}

/// The number after a phrase.
fn number_after(text: &str, phrase: &str) -> u64 {
    let (_, rest) = text.split_once(phrase).unwrap_or_else(|| panic!("{phrase:?} in {text:?}"));
    rest.split(' ').next().expect("a word").parse().unwrap_or_else(|error| panic!("{phrase:?} in {text:?}: {error}"))
}

/// A ring keeps an eighth for critical messages, and part of a record that is being written.
fn fits(bytes: u64, ring: u64) -> bool {
    bytes <= ring - ring / 8 - 255
}

#[test]
fn error_for_a_ring_tells_its_time_and_the_size_that_suffices() {
    const STALL_US: u64 = 2_000_000;
    for (ring, text) in [
        (2048, error_of(|| BUDGET.lasts::<2048>(STALL_US))),
        (8192, error_of(|| BUDGET.lasts::<8192>(STALL_US))),
        (32768, error_of(|| BUDGET.lasts::<32768>(STALL_US))),
    ] {
        let lasts_ms = number_after(&text, "is full after ");
        assert!(fits(BUDGET.bytes_in(lasts_ms * 1000), ring), "{text}");
        assert!(!fits(BUDGET.bytes_in((lasts_ms + 1) * 1000), ring), "{text}");
        let needed = BUDGET.bytes_in(STALL_US);
        assert!(text.contains(&format!("a stall of 2000 ms needs {needed}: ")), "{text}");
        let taken = number_after(&text, "take ");
        assert!(taken.is_power_of_two() && fits(needed, taken) && !fits(needed, taken / 2), "{text}");
        let lengths = |message: &str, definition: &binlog::Definition| match message {
            "IMU" => 400 * u64::from(INSTANCES) * definition.length() as u64,
            "EV" => 30 * definition.length() as u64,
            "BIG" => 7 * definition.length() as u64,
            _ => 0,
        };
        let steady: u64 = Flight::MESSAGES.iter().map(|it| lengths(it.definition.name, it.definition)).sum();
        let texts = u64::from(TEXTS) * Msg::DEFINITION.length() as u64;
        // Periods are whole microseconds.
        assert!(number_after(&text, " ms at ").abs_diff(steady + texts) <= 1, "{text}");
    }
}

#[test]
fn a_message_without_a_rate_is_an_error_that_names_it() {
    let text = error_of(|| _ = Budget::<Flight>::new().bytes_in(0));
    assert!(text.starts_with("MSG has no rate: say `.at_most(\"MSG\", 10)`"), "{text}");
}

#[test]
fn no_ring_is_larger_than_a_gibibyte() {
    let fits_largest = |us: &u64| fits(BUDGET.bytes_in(*us), 1 << 30);
    // The last time that it holds, to the microsecond.
    let mut range = 0..u64::from(u32::MAX) * 1_000_000;
    while range.end - range.start > 1 {
        let middle = range.start.midpoint(range.end);
        if fits_largest(&middle) { range.start = middle } else { range.end = middle }
    }
    assert!(error_of(|| BUDGET.lasts::<2048>(range.start)).contains("take 1073741824 bytes"));
    assert!(error_of(|| BUDGET.lasts::<2048>(range.end)).contains("no ring is large enough, so lower the rates"));
}

#[test]
fn a_message_has_1_to_8_instances() {
    for count in [0, 9] {
        let text = error_of(|| _ = Budget::<Flight>::new().instances("IMU", count));
        assert!(text.ends_with(&format!("IMU is said to have {count}")), "{text}");
    }
}
