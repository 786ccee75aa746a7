//! A watchdog resets this program at any instruction, `boots=N` times. Each boot checks what the ring recovers against
//! a journal in RAM that outlives resets, too: all records that were accepted and not flushed, whole and in order, and
//! nothing else.
//!
//! Run it with QEMU's option for one instruction at a time: tests/cortex-m/resets does.

#![no_std]
#![no_main]

use binlog::field::Chars;
use binlog::messages::Msg;
use binlog::{HEAD_BYTES, LogMessage, LogSchema};
use binlog_embedded::retained::{Claim, Reset};
use binlog_embedded::{Drain, Retained};
use core::cell::UnsafeCell;
use core::convert::Infallible;
use core::mem::MaybeUninit;
use cortex_m_rt::{entry, exception};
use embedded_io::{ErrorType, Write};
use lm3s6965::register::Register;
use lm3s6965::semihosting::{Arguments, exit, println, unhandled};
use zerocopy::{Immutable, IntoBytes};

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

macro_rules! message {
    ($name:ident $label:literal { $($field:ident),* }) => {
        #[derive(LogMessage, IntoBytes, Immutable)]
        #[log(name = $label)]
        #[repr(C, packed)]
        struct $name {
            time_us: u64,
            tag: u8,
            mark: Chars<4>,
            $($field: Chars<64>,)*
        }
    };
}
message!(Short "SHRT" {});
message!(Middle "MIDD" { a });
message!(Long "LONG" { a, b, c });

#[derive(LogSchema)]
enum Flight {
    Short(Short),
    Middle(Middle),
    Long(Long),
    Msg(Msg),
}

const CAPACITY: usize = 1024;
/// Bytes of the records. They and the ring are multiples of 16, so that what a record in progress has overwritten often
/// begins and ends where records do.
const LENGTHS: [usize; 3] = [SHORT, 80, 208];
const SHORT: usize = 16;

// SAFETY: cortex-m-rt doesn't clear `.uninit`, and `main` claims the logger before it logs. No interrupt does.
#[unsafe(link_section = ".uninit.LOG")]
static LOG: Retained<Flight, CAPACITY> = unsafe { Retained::new() };

/// A word of the journal. Each changes with one store.
struct Word(UnsafeCell<MaybeUninit<u32>>);

// SAFETY: the program has one context.
unsafe impl Sync for Word {}

impl Word {
    const fn new() -> Self {
        Word(UnsafeCell::new(MaybeUninit::uninit()))
    }

    fn get(&self) -> u32 {
        // SAFETY: RAM holds some value, which a volatile read returns.
        unsafe { self.0.get().cast::<u32>().read_volatile() }
    }

    fn set(&self, value: u32) {
        // SAFETY: the word may hold any value.
        unsafe { self.0.get().cast::<u32>().write_volatile(value) }
    }

    fn add(&self, count: u32) {
        self.set(self.get().wrapping_add(count));
    }
}

macro_rules! journal {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[unsafe(link_section = ".uninit.JOURNAL")]
        static $name: Word = Word::new();
    )*};
}
journal! {
    /// [`BEGUN`] once the other words have values.
    STATE
    BOOTS
    SEED
    /// Whether the ring was claimed once.
    CLAIMED
    /// Records that were accepted, and those that were accepted or tried.
    ACCEPTED
    TRIED
    /// Records of which the drain passed all bytes, or gave up a part.
    PASSED
    /// Records that are flushed, and those that the flush in progress includes.
    FLUSHED
    FLUSHING
    /// The part of the boot: [`CLAIMING`], or [`RUNNING`].
    PART
    RESETS_WHILE_CLAIMING
    /// Boots whose claim found records, and those with records that were overwritten.
    RECOVERED
    OVERWRITTEN
}
const BEGUN: u32 = 0x0B00_7ED1;
const CLAIMING: u32 = 1;
const RUNNING: u32 = 2;

/// Marsaglia's xorshift.
fn random() -> u32 {
    let mut seed = SEED.get();
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    SEED.set(seed);
    seed
}

/// A number below a limit.
fn below(limit: u32) -> u32 {
    (random() >> 8) % limit
}

/// Starts the watchdog: a reset after a number of instructions.
///
/// LM3S6965 data sheet, chapter 11. It counts ticks of 5 ns, an instruction takes 8 ns (clock.rs), and it resets when
/// it has counted down twice.
fn reset_after(instructions: u32) {
    // SAFETY: they are registers, and start no access to memory.
    let [rcc, load, control, lock] =
        unsafe { [0x400F_E060, 0x4000_0000, 0x4000_0008, 0x4000_0C00].map(|address| Register::at(address)) };
    rcc.change(0xF << 23, 0);
    lock.write(0x1ACC_E551);
    load.write(instructions * 4 / 5 + 1);
    // Both bits: count, and reset.
    control.write(0b11);
}

/// Which of the three messages the record with a number is.
fn kind(number: u32) -> usize {
    (number.wrapping_mul(0x9E37_79B9) >> 16) as usize % 3
}

/// Bytes of the records from one number to another.
fn bytes(from: u32, to: u32) -> u32 {
    (from..to).map(|number| LENGTHS[kind(number)] as u32).sum()
}

/// A text that contains whole short records, up to its end.
fn text(number: u32) -> Chars<64> {
    let mut bytes = [number as u8; 64];
    for (byte, i) in bytes.iter_mut().rev().zip((0..SHORT).rev().cycle()) {
        *byte = byte_of_short(number, i);
    }
    Chars::from_raw(bytes)
}

fn byte_of_short(number: u32, i: usize) -> u8 {
    match i {
        0 | 1 => HEAD_BYTES[i],
        2 => Flight::MESSAGES[0].id,
        3..11 => u64::from(number).to_le_bytes()[i - 3],
        _ => number as u8 ^ i as u8,
    }
}

fn byte_of_record(number: u32, i: usize) -> u8 {
    match i {
        2 => Flight::MESSAGES[kind(number)].id,
        0..SHORT => byte_of_short(number, i),
        // Texts of 64 bytes.
        _ => byte_of_short(number, SHORT - 1 - (63 - (i - SHORT) % 64) % SHORT),
    }
}

fn log(number: u32) -> bool {
    let (time_us, tag) = (number.into(), byte_of_short(number, 11));
    let mark = Chars::from_raw(core::array::from_fn(|i| byte_of_short(number, 12 + i)));
    let text = || text(number);
    match kind(number) {
        0 => LOG.log(&Short { time_us, tag, mark }),
        1 => LOG.log(&Middle { time_us, tag, mark, a: text() }),
        _ => LOG.log(&Long { time_us, tag, mark, a: text(), b: text(), c: text() }),
    }
}

/// A file that checks its records, and takes some bytes of each piece.
struct Checker {
    /// Bytes of the preamble.
    preamble: usize,
    /// The number of the next record, of which `at` bytes were written.
    next: u32,
    at: usize,
    /// Whether the current record is a text.
    is_text: bool,
    /// Records besides texts in this file.
    records: u32,
    /// If it isn't known whether the first record is `next` or the one after it: its first bytes.
    first: Option<[u8; SHORT]>,
    most: usize,
}

impl Checker {
    fn begin(&mut self) {
        if self.at > 0 && !self.is_text {
            // The drain gives up the rest.
            self.next += 1;
            PASSED.set(self.next);
        }
        (self.preamble, self.at, self.is_text, self.records) = (0, 0, false, 0);
    }

    fn take(&mut self, byte: u8) {
        if self.at == 2 {
            self.is_text = byte == Flight::MESSAGES[3].id;
        }
        if let (Some(first), false) = (&mut self.first, self.is_text) {
            first[self.at] = byte;
            if self.at == SHORT - 1 {
                let number = u32::from_le_bytes([first[3], first[4], first[5], first[6]]);
                assert!(number == self.next || number == self.next + 1, "it begins with record {number}");
                self.next = number;
                let expected: [u8; SHORT] = core::array::from_fn(|i| byte_of_record(number, i));
                assert_eq!(*first, expected, "record {number} is as it was logged");
                self.first = None;
            }
        } else if !self.is_text {
            let expected = byte_of_record(self.next, self.at);
            assert_eq!(byte, expected, "byte {} of record {} is as it was logged", self.at, self.next);
        }
        self.at += 1;
        let length = if self.is_text { Flight::MESSAGES[3].definition.length() } else { LENGTHS[kind(self.next)] };
        if self.at >= 3 && self.at == length && self.first.is_none_or(|_| self.is_text) {
            self.at = 0;
            if !self.is_text {
                self.records += 1;
                self.next += 1;
                PASSED.set(self.next);
            }
            self.is_text = false;
        }
    }
}

impl ErrorType for Checker {
    type Error = Infallible;
}

impl Write for Checker {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        // All of a piece of the preamble at once, so that most of the time is the records'.
        let preamble = &Flight::PREAMBLE[self.preamble..];
        if !preamble.is_empty() {
            assert!(preamble.starts_with(bytes), "the preamble comes first");
            self.preamble += bytes.len();
            return Ok(bytes.len());
        }
        let taken = bytes.len().min(self.most);
        bytes[..taken].iter().for_each(|&byte| self.take(byte));
        Ok(taken)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        // As a card, it takes a while.
        (0..500).for_each(|_| _ = SEED.get());
        FLUSHING.set(self.next);
        Ok(())
    }
}

fn flush(drain: &mut Drain<'_, Flight, CAPACITY>, file: &mut Checker) {
    if !drain.is_dirty() {
        return;
    }
    let Ok(()) = drain.flush(file);
    FLUSHED.set(FLUSHING.get());
}

/// Checks what was claimed against the journal. Returns the number of the first recovered record and of the next one to
/// log; the latter is `None` while it isn't known whether the record that was being logged is there.
fn judge(claim: Claim) -> (u32, Option<u32>) {
    let (accepted, tried) = (ACCEPTED.get(), TRIED.get());
    let Claim::Warm { records, bytes: length, overwritten, .. } = claim else {
        assert!(claim == Claim::Foreign && CLAIMED.get() == 0, "{claim:?} in boot {}", BOOTS.get());
        return (0, Some(0));
    };
    if records == 0 {
        // A record that was logged is in the ring.
        assert!((FLUSHED.get()..=FLUSHING.get()).contains(&accepted), "{claim:?}, and {accepted} are accepted");
        return (accepted, Some(accepted));
    }
    RECOVERED.add(1);
    let fits = |end: u32| {
        let from = end.wrapping_sub(records);
        from <= end
            && length == bytes(from, end)
            && [FLUSHED.get(), FLUSHING.get()].iter().any(|&flushed| flushed <= from && overwritten == bytes(flushed, from))
            // What is not overwritten is there.
            && (overwritten == 0 || length as usize + 3 * 255 > CAPACITY || from >= PASSED.get())
    };
    if overwritten > 0 {
        OVERWRITTEN.add(1);
    }
    let end = match (fits(accepted), tried != accepted && fits(tried)) {
        (true, true) => None,
        (true, false) => Some(accepted),
        (false, true) => Some(tried),
        (false, false) => panic!(
            "{claim:?}, of {accepted} to {tried} accepted, {} passed, {} to {} flushed",
            PASSED.get(),
            FLUSHED.get(),
            FLUSHING.get()
        ),
    };
    // The checker finds out which.
    (end.unwrap_or(accepted) - records, end)
}

#[entry]
fn main() -> ! {
    if STATE.get() != BEGUN {
        for word in [&BOOTS, &CLAIMED, &ACCEPTED, &TRIED, &PASSED, &FLUSHED, &FLUSHING, &PART] {
            word.set(0);
        }
        for word in [&RESETS_WHILE_CLAIMING, &RECOVERED, &OVERWRITTEN] {
            word.set(0);
        }
        let seed = argument("seed=").unwrap_or(1);
        SEED.set(seed.wrapping_mul(0x9E37_79B9) | 1);
        STATE.set(BEGUN);
    }
    if PART.get() == CLAIMING {
        RESETS_WHILE_CLAIMING.add(1);
    }
    BOOTS.add(1);
    let boots = argument("boots=").unwrap_or(300);
    if BOOTS.get() > boots {
        println!(
            "{boots} boots: {} resets while claiming, {} boots with recovered records, {} of them with overwritten ones; \
             {} records",
            RESETS_WHILE_CLAIMING.get(),
            RECOVERED.get(),
            OVERWRITTEN.get(),
            ACCEPTED.get()
        );
        exit(0);
    }
    // Short times hit the claim, long ones a full ring.
    let longest = [2_000, 30_000, 200_000][below(3) as usize];
    let instructions = below(longest);
    PART.set(CLAIMING);
    reset_after(instructions);

    let claim = LOG.claim(Reset::Watchdog);
    let (from, end) = judge(claim);
    CLAIMED.set(1);
    PART.set(RUNNING);
    let first = end.is_none().then_some([0; SHORT]);
    let mut file = Checker { preamble: 0, next: from, at: 0, is_text: false, records: 0, first, most: usize::MAX };
    let mut drain = LOG.drain().expect("the only drain");
    let end = end.unwrap_or_else(|| {
        while !drain.ends_file() {
            let Ok(_) = drain.step(&mut file);
        }
        file.next
    });
    assert!(end == ACCEPTED.get() || end == TRIED.get());
    ACCEPTED.set(end);
    TRIED.set(end);
    LOG.start(|| 0);
    loop {
        match below(16) {
            0..=7 => {
                let number = ACCEPTED.get();
                TRIED.set(number + 1);
                if log(number) {
                    ACCEPTED.set(number + 1);
                } else {
                    TRIED.set(number);
                }
            }
            8..=12 => {
                file.most = below(300) as usize + 1;
                // The preamble comes in pieces. All of them at once, so that most of the time is the records'.
                loop {
                    let Ok(_) = drain.step(&mut file);
                    if !(1..Flight::PREAMBLE.len()).contains(&file.preamble) {
                        break;
                    }
                }
            }
            13 if below(4) == 0 => flush(&mut drain, &mut file),
            // A file that is lost. The checker has to know the record in progress, whose third byte says what it is.
            14 if below(16) == 0 && !drain.ends_file() && !(1..3).contains(&file.at) => {
                drain.restart();
                file.begin();
            }
            _ => {}
        }
        if drain.ends_file() {
            let Claim::Warm { records, .. } = claim else { panic!("{claim:?}, and a recovered log") };
            assert!(file.next == end && file.records <= records, "all recovered records are written");
            if below(2) == 0 {
                flush(&mut drain, &mut file);
            }
            drain.restart();
            file.begin();
        }
    }
}

fn argument(key: &str) -> Option<u32> {
    Arguments::read().iter().find_map(|argument| argument.strip_prefix(key)).and_then(|value| value.parse().ok())
}
