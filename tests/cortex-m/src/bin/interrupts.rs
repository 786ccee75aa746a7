//! Logs from the main program and from an interrupt that sooner or later comes at each of its instructions. Checks that
//! the drain yields every accepted record, whole and in order.

#![no_std]
#![no_main]

use binlog::{HEAD_BYTES, LogMessage, LogSchema};
use binlog_cortex_m::clock::start_with_period;
use binlog_embedded::{Drain, Logger};
use core::convert::Infallible;
use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::Peripherals;
use cortex_m_rt::{entry, exception};
use embedded_io::{ErrorType, Write};
use lm3s6965::semihosting::{exit, println, unhandled};
use zerocopy::{Immutable, IntoBytes};

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

/// From the main program, with a length that puts records at all addresses.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "MAIN")]
#[repr(C, packed)]
struct Main {
    time_us: u64,
    number: u32,
    check: u32,
    end: u8,
}

/// From the interrupt.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "INTR")]
#[repr(C, packed)]
struct Interrupt {
    time_us: u64,
    number: u32,
    check: u32,
    again: u32,
    end: u16,
}

#[derive(LogSchema)]
enum Flight {
    Main(Main),
    Interrupt(Interrupt),
}

const CAPACITY: usize = 512;
const RECORDS: u32 = 20_000;

/// Ticks from one interrupt to the next, at least: enough time to drain what the interrupt logs.
const PERIOD: u32 = 6_007;

static LOG: Logger<Flight, CAPACITY> = Logger::new();

/// Records that the interrupt logged, and those of them that were accepted.
static LOGGED: AtomicU32 = AtomicU32::new(0);
static TAKEN: AtomicU32 = AtomicU32::new(0);

fn check(number: u32) -> u32 {
    number ^ 0x5A5A_5A5A
}

fn main_record(number: u32) -> Main {
    Main { time_us: number.into(), number, check: check(number), end: !number as u8 }
}

fn interrupt_record(number: u32) -> Interrupt {
    Interrupt { time_us: number.into(), number, check: check(number), again: number, end: !number as u16 }
}

/// Only one context changes a number, so this needs no compare-and-swap, which a Cortex-M0 doesn't have.
#[exception]
fn SysTick() {
    let number = LOGGED.load(Ordering::Relaxed);
    LOGGED.store(number.wrapping_add(1), Ordering::Relaxed);
    if LOG.log(&interrupt_record(number)) {
        TAKEN.store(TAKEN.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// A file that checks the records. It accepts small pieces too, as at the ring's end.
#[derive(Default)]
struct Checker {
    preamble: usize,
    record: Record,
    /// Records of each message, and the number that the next has at least.
    records: [u32; 2],
    next: [u32; 2],
}

struct Record {
    bytes: [u8; 64],
    length: usize,
}

impl Default for Record {
    fn default() -> Self {
        Record { bytes: [0; 64], length: 0 }
    }
}

impl Checker {
    fn take(&mut self, byte: u8) {
        if let Some(&expected) = Flight::PREAMBLE.get(self.preamble) {
            assert_eq!(byte, expected, "the preamble comes first");
            self.preamble += 1;
            return;
        }
        let record = &mut self.record;
        record.bytes[record.length] = byte;
        record.length += 1;
        if record.length < 3 {
            return;
        }
        assert_eq!(record.bytes[..2], HEAD_BYTES, "a record begins where the last one ends");
        let Some(index) = Flight::MESSAGES.iter().position(|message| message.id == record.bytes[2]) else {
            panic!("there is no message {}", record.bytes[2])
        };
        if record.length < Flight::MESSAGES[index].definition.length() {
            return;
        }
        let payload = &record.bytes[3..record.length];
        let number = u32::from_le_bytes([payload[8], payload[9], payload[10], payload[11]]);
        match index {
            0 => assert_eq!(payload, main_record(number).as_bytes(), "a record of the main program is whole"),
            _ => assert_eq!(payload, interrupt_record(number).as_bytes(), "a record of the interrupt is whole"),
        }
        assert!(number >= self.next[index], "records of a context stay in their order");
        self.next[index] = number + 1;
        self.records[index] += 1;
        record.length = 0;
    }
}

impl ErrorType for Checker {
    type Error = Infallible;
}

impl Write for Checker {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        bytes.iter().for_each(|&byte| self.take(byte));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

fn drain(drain: &mut Drain<'_, Flight, CAPACITY>, checker: &mut Checker) {
    while drain.step(checker).expect("it takes all") > 0 {}
}

#[entry]
fn main() -> ! {
    let mut systick = Peripherals::take().expect("taken once").SYST;
    let mut checker = Checker::default();
    let mut out = LOG.drain().expect("the only drain");
    let mut taken = 0;
    LOG.start(|| 0);
    systick.enable_interrupt();
    start_with_period(&mut systick, PERIOD);
    for number in 0..RECORDS {
        if number % 16 == 0 {
            // Each period differs, so that the work is interrupted at other instructions each time.
            systick.set_reload(PERIOD + number % 1_009);
        }
        taken += u32::from(LOG.log(&main_record(number)));
        // Now and then the drain comes late, so that the ring is full.
        if number % 8 == 0 && number % 512 > 64 {
            drain(&mut out, &mut checker);
        }
    }
    systick.disable_counter();
    systick.disable_interrupt();
    drain(&mut out, &mut checker);

    let (interrupts, interrupts_taken) = (LOGGED.load(Ordering::Relaxed), TAKEN.load(Ordering::Relaxed));
    let (main, interrupt) = (LOG.tally::<Main>(), LOG.tally::<Interrupt>());
    println!("main: {RECORDS} records, {taken} taken; interrupt: {interrupts} records, {interrupts_taken} taken");
    assert_eq!(checker.record.length, 0, "the last record is whole");
    assert_eq!(checker.records, [taken, interrupts_taken], "what was taken arrives");
    assert_eq!([main.written, interrupt.written], checker.records, "what was written is counted");
    assert_eq!([main.dropped, interrupt.dropped], [RECORDS - taken, interrupts - interrupts_taken], "so is the rest");
    assert!(interrupts_taken > 500 && interrupt.dropped > 10 && main.dropped > 10, "all of that happened");
    exit(0)
}
