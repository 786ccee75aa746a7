//! Resets between any two calls, against a list of what was logged; and memory with any contents.
//!
//! Resets inside of the calls are tests/cortex-m/resets.

extern crate std;

mod blackbox;

use super::{Claim, Reset, Retained};
use binlog::field::Chars;
use binlog::messages::{Dropped, Dsf, Msg};
use binlog::{LogMessage, LogSchema, Logs, Records, Sink};
use core::convert::Infallible;
use core::mem::{MaybeUninit, offset_of, size_of};
use core::sync::atomic::{AtomicU64, Ordering};
use embedded_io::{ErrorType, Write};
use proptest::prelude::*;
use std::boxed::Box;
use std::string::{String, ToString as _};
use std::vec::Vec;
use zerocopy::{Immutable, IntoBytes};

macro_rules! message {
    ($name:ident $label:literal { $($field:ident: $type:ty),* }) => {
        #[derive(LogMessage, IntoBytes, Immutable)]
        #[log(name = $label)]
        #[repr(C, packed)]
        struct $name {
            time_us: u64,
            $($field: $type,)*
        }
    };
}
message!(Tiny "TINY" {});
message!(Fake "FAKE" { text: Chars<64> });
message!(Giant "GIAN" { a: Chars<64>, b: Chars<64>, c: Chars<64>, d: Chars<16>, e: Chars<16>, f: Chars<16>, g: Chars<4> });

#[derive(LogSchema)]
enum Flight {
    Tiny(Tiny),
    Fake(Fake),
    Giant(Giant),
    Msg(Msg),
    Dsf(Dsf),
    Drop(Dropped),
}

const N: usize = if cfg!(miri) { 512 } else { 1024 };
const KINDS: usize = 3;

/// Text that looks like records, up to its end.
fn fake<const W: usize>(number: u64, skip: usize) -> Chars<W> {
    let tiny = [&[0xA3, 0x95, <Flight as Logs<Tiny>>::ID][..], &number.to_le_bytes()].concat();
    let mut bytes = [0; W];
    for (byte, fake) in bytes.iter_mut().rev().skip(skip).zip(tiny.iter().rev().cycle()) {
        *byte = *fake;
    }
    Chars::from_raw(bytes)
}

fn payload(kind: usize, number: u64) -> Vec<u8> {
    let time_us = number;
    match kind {
        0 => Tiny { time_us }.as_bytes().to_vec(),
        1 => Fake { time_us, text: fake(number, number as usize % 3) }.as_bytes().to_vec(),
        _ => giant(number).as_bytes().to_vec(),
    }
}

fn giant(time_us: u64) -> Giant {
    let (a, b, c) = (fake(time_us, 0), fake(time_us, 0), fake(time_us, 2));
    let (d, e, f) = (fake(time_us, 0), fake(time_us, 0), fake(time_us, 0));
    Giant { time_us, a, b, c, d, e, f, g: fake(time_us, 0) }
}

fn length(kind: usize) -> u32 {
    Flight::MESSAGES[kind].definition.length() as u32
}

static NOW: AtomicU64 = AtomicU64::new(0);

fn now() -> u64 {
    NOW.load(Ordering::Relaxed)
}

type Log = Retained<Flight, N>;

/// Memory that outlives resets.
struct Memory(Box<MaybeUninit<Log>>);

impl Memory {
    fn new() -> Self {
        Memory(Box::new(MaybeUninit::uninit()))
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        let mut memory = Memory::new();
        let bytes = &bytes[..bytes.len().min(size_of::<Log>())];
        // SAFETY: the bytes fit into it, and it may hold any.
        unsafe { memory.0.as_mut_ptr().cast::<u8>().copy_from(bytes.as_ptr(), bytes.len()) };
        memory
    }

    /// The same contents elsewhere, as at another boot.
    fn reset(&self) -> Self {
        let mut other = Memory::new();
        // SAFETY: both are as large, and nothing is assumed about the bytes.
        unsafe { other.0.as_mut_ptr().copy_from(self.0.as_ptr(), 1) };
        other
    }

    fn log(&self) -> &Log {
        // SAFETY: no byte of it has to be initialised. The tests claim it first.
        unsafe { self.0.assume_init_ref() }
    }

    fn ring(&mut self) -> *mut u8 {
        // SAFETY: the ring is at the logger's end, whose size is a multiple of its alignment.
        unsafe { self.0.as_mut_ptr().cast::<u8>().add(size_of::<crate::Logger<Flight, N>>() - N) }
    }

    /// Writes one of the words that the claim reads.
    fn set(&mut self, offset: usize, word: u32) {
        // SAFETY: it is the offset of an aligned word.
        unsafe { self.0.as_mut_ptr().cast::<u8>().add(offset).cast::<u32>().write(word) };
    }
}

type State = crate::logger::State<<Flight as LogSchema>::Counters>;

/// A file that takes some bytes.
struct Upto<'a> {
    left: usize,
    file: &'a mut Vec<u8>,
}

impl ErrorType for Upto<'_> {
    type Error = Infallible;
}

impl Write for Upto<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let taken = bytes.len().min(self.left);
        self.file.extend_from_slice(&bytes[..taken]);
        self.left -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// The texts of a log, and its other records: id and payload.
fn read(file: &[u8]) -> (Vec<String>, Vec<(u8, Vec<u8>)>) {
    assert!(file.starts_with(Flight::PREAMBLE));
    let (mut texts, mut records) = (Vec::new(), Vec::new());
    for record in Records::new(file) {
        let record = record.unwrap_or_else(|skipped| panic!("{skipped}"));
        match record.decode::<Msg>() {
            Ok(msg) => texts.push(msg.message.to_string()),
            Err(_) if record.offset() >= Flight::PREAMBLE.len() => {
                records.push((record.id(), record.payload().to_vec()));
            }
            Err(_) => {}
        }
    }
    (texts, records)
}

/// What was logged since power-on.
#[derive(Default)]
struct Logged {
    kinds: Vec<usize>,
    /// How many of them are flushed.
    flushed: usize,
}

impl Logged {
    /// Bytes of the records from one to another.
    fn bytes(&self, from: usize, to: usize) -> u32 {
        self.kinds[from..to].iter().map(|&kind| length(kind)).sum()
    }

    /// The number of records that the last bytes are.
    fn records_in(&self, bytes: u32) -> usize {
        (0..=self.kinds.len())
            .find(|&n| self.bytes(self.kinds.len() - n, self.kinds.len()) == bytes)
            .expect("whole records")
    }

    /// Asserts that a claim of this memory finds what it should, and all of it.
    fn check(&self, memory: &Memory, used: u32) {
        let memory = memory.reset();
        let claim = memory.log().claim(Reset::Watchdog);
        let Claim::Warm { records, bytes, overwritten, .. } = claim else { panic!("{claim:?}") };
        let end = self.kinds.len();
        let from = end - records as usize;
        assert!(from >= self.flushed, "{claim:?} of {} unflushed", end - self.flushed);
        assert_eq!(bytes, self.bytes(from, end));
        assert_eq!(overwritten, self.bytes(self.flushed, from));
        assert!(bytes >= used);
        // What can't be overwritten yet is recovered, except the records at its beginning, of which one may be text.
        assert!(overwritten == 0 || bytes == used || bytes + 3 * 255 > N as u32, "{claim:?} with {used} in use");

        memory.log().start(now);
        let late = memory.log().log(&Tiny { time_us: 99 });
        let mut drain = memory.log().drain().expect("the only drain");
        let mut file = Vec::new();
        while drain.step(&mut file).unwrap() > 0 {}
        if records > 0 {
            assert!(drain.ends_file());
            let (texts, found) = read(&file);
            let text: String = texts.concat();
            assert_eq!(text, claim.to_string());
            let expected: Vec<_> =
                (from..end).map(|i| (Flight::MESSAGES[self.kinds[i]].id, payload(self.kinds[i], i as u64))).collect();
            assert!(found == expected);
            drain.flush(&mut file).unwrap();
            drain.restart();
            file.clear();
            while drain.step(&mut file).unwrap() > 0 {}
        }
        assert!(!drain.ends_file());
        assert_eq!(read(&file).1.len(), usize::from(late));
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Log { kind: usize },
    Write { bytes: usize },
    Flush,
    Lose,
    Reset { torn: Vec<u8> },
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        8 => (0..KINDS).prop_map(|kind| Operation::Log { kind }),
        4 => (0usize..600).prop_map(|bytes| Operation::Write { bytes }),
        1 => Just(Operation::Flush),
        1 => Just(Operation::Lose),
        1 => proptest::collection::vec(any::<u8>(), 0..255).prop_map(|torn| Operation::Reset { torn }),
    ]
}

proptest! {
    #[test]
    fn what_was_not_flushed_is_recovered_and_nothing_else(
        operations in proptest::collection::vec(operation(), 1..if cfg!(miri) { 15 } else { 300 }),
    ) {
        let mut memory = Memory::new();
        prop_assert_eq!(memory.log().claim(Reset::PowerOn), Claim::Cold);
        memory.log().start(now);
        let mut logged = Logged::default();
        let mut operations = operations.into_iter().peekable();
        while operations.peek().is_some() {
            let mut drain = memory.log().drain().expect("the only drain");
            let mut file = Vec::new();
            let mut torn = Vec::new();
            for operation in operations.by_ref() {
                match operation {
                    Operation::Log { kind } => {
                        let number = logged.kinds.len() as u64;
                        let log = memory.log();
                        let accepted = match kind {
                            0 => log.log(&Tiny { time_us: number }),
                            1 => log.log(&Fake { time_us: number, text: fake(number, number as usize % 3) }),
                            _ => log.log(&giant(number)),
                        };
                        if accepted {
                            logged.kinds.push(kind);
                        }
                    }
                    Operation::Write { bytes } => {
                        let mut upto = Upto { left: bytes, file: &mut file };
                        while drain.step(&mut upto).unwrap() > 0 {}
                        if drain.ends_file() {
                            drain.flush(&mut file).unwrap();
                            logged.flushed = logged.kinds.len() - logged.records_in(memory.log().statistics().used);
                            drain.restart();
                        }
                    }
                    Operation::Flush => {
                        if drain.is_dirty() {
                            logged.flushed = logged.kinds.len() - logged.records_in(memory.log().statistics().used);
                        }
                        drain.flush(&mut file).unwrap();
                    }
                    Operation::Lose => drain.restart(),
                    Operation::Reset { torn: bytes } => {
                        torn = bytes;
                        break;
                    }
                }
            }
            let used = memory.log().statistics().used;
            core::mem::forget(drain);
            // A record that was being logged, and the end of what was there.
            let head = memory.log().state.with(|state| state.head) as usize;
            let mut next = memory.reset();
            for (i, &byte) in torn.iter().enumerate().take(N - used as usize) {
                // SAFETY: the index is inside of the ring.
                unsafe { next.ring().add((head + i) % N).write(byte) };
            }
            logged.check(&next, used);
            memory = next;
            let claim = memory.log().claim(Reset::Unknown);
            prop_assert!(matches!(claim, Claim::Warm { .. }), "{claim:?}");
            memory.log().start(now);
        }
    }

    /// From any contents of the memory, only whole records of the schema are recovered.
    #[test]
    fn any_memory_is_recovered_as_records_or_not_at_all(
        bytes in proptest::collection::vec(any::<u8>(), size_of::<Log>()),
        seal in any::<bool>(),
        (head, used, unsynced) in (any::<u32>(), 0u32..1300, 0u32..2600),
        records in proptest::collection::vec((0..N, 0..KINDS), 0..100),
        newest in any::<bool>(),
    ) {
        let mut memory = Memory::of_bytes(&bytes);
        if seal {
            memory.set(offset_of!(Log, seal), Log::SEAL[0]);
            memory.set(offset_of!(Log, seal) + 4, Log::SEAL[1]);
            memory.set(offset_of!(State, head), head);
            memory.set(offset_of!(State, tail), head.wrapping_sub(used));
            memory.set(offset_of!(State, synced), head.wrapping_sub(used).wrapping_sub(unsynced));
            // Records anywhere, and some where a walk finds them.
            let mut at = head.wrapping_sub(used) as usize;
            for (i, (place, kind)) in records.into_iter().enumerate() {
                let id = Flight::MESSAGES[kind].id;
                let record = [&[0xA3, 0x95, id][..], &payload(kind, 5)].concat();
                let from = if i % 4 == 0 { place } else { at };
                for (i, byte) in record.iter().enumerate() {
                    // SAFETY: the index is inside of the ring.
                    unsafe { memory.ring().add((from.wrapping_add(i)) % N).write(*byte) };
                }
                at = at.wrapping_add(record.len());
            }
        }
        let log = memory.log();
        let claim = if newest { log.claim(Reset::Pin) } else { log.claim_without_newest(Reset::Pin) };
        let expected = match claim {
            Claim::Foreign | Claim::Damaged => 0,
            Claim::Warm { records, bytes, .. } => {
                prop_assert!(seal && bytes as usize <= N);
                records
            }
            Claim::Cold => panic!("it looks"),
        };
        prop_assert!(seal || claim == Claim::Foreign);
        prop_assert!(!log.log(&Tiny { time_us: 5 }), "the logger is stopped, wherever its tail is");
        let mut drain = log.drain().expect("the only drain");
        let mut file = Vec::new();
        while drain.step(&mut file).unwrap() > 0 {}
        prop_assert_eq!(drain.ends_file(), expected > 0);
        // The text about them is of MSG records, too.
        let mut at = Flight::PREAMBLE.len();
        let mut found = 0;
        while at < file.len() {
            prop_assert_eq!(&file[at..at + 2], &binlog::HEAD_BYTES);
            let message = Flight::MESSAGES.iter().find(|message| message.id == file[at + 2]).expect("a message");
            at += message.definition.length();
            found += 1;
        }
        prop_assert_eq!(at, file.len());
        let texts = if expected > 0 { 1..=2 } else { 0..=0 };
        prop_assert!(found >= expected && texts.contains(&(found - expected)), "{} of {}", found, expected);
        prop_assert_eq!(memory.log().statistics().used, 0);
    }
}

/// A candidate that is only text may come before the first boundary, and end where a record does.
#[test]
fn text_like_records_is_not_recovered_without_its_record() {
    // Miri takes a second for each check.
    let (skips, step) = if cfg!(miri) { (1, 50) } else { (150, 1) };
    for skip in 0..skips {
        let memory = Memory::new();
        memory.log().claim(Reset::PowerOn);
        memory.log().start(now);
        let mut logged = Logged::default();
        let mut drain = memory.log().drain().expect("the only drain");
        let mut file = Vec::new();
        // In steps of a byte, so that the beginning of what is kept falls into each byte of a record.
        for number in 0..100 {
            let kind = if number < skip { 0 } else { 1 + usize::from(number % 2 == 0) };
            let accepted = match kind {
                0 => memory.log().log(&Tiny { time_us: number }),
                1 => memory.log().log(&Fake { time_us: number, text: fake(number, number as usize % 3) }),
                _ => memory.log().log(&giant(number)),
            };
            assert!(accepted);
            logged.kinds.push(kind);
            while drain.step(&mut file).unwrap() > 0 {}
            if number % step == 0 {
                logged.check(&memory, 0);
            }
        }
    }
}

#[test]
fn after_power_on_the_memory_is_not_read() {
    // Miri would report it.
    let memory = Memory::new();
    assert_eq!(memory.log().claim(Reset::PowerOn), Claim::Cold);
    memory.log().start(now);
    assert!(memory.log().log(&Tiny { time_us: 1 }));
    // A power-on with the records of an earlier boot still there.
    let memory = memory.reset();
    assert_eq!(memory.log().claim(Reset::PowerOn), Claim::Cold);
    assert_eq!(memory.log().statistics().used, 0);
}

#[test]
fn other_contents_are_refused() {
    let zeros = Memory::of_bytes(&std::vec![0; size_of::<Log>()]);
    assert_eq!(zeros.log().claim(Reset::Unknown), Claim::Foreign);
    zeros.log().start(now);
    assert!(zeros.log().log(&Tiny { time_us: 1 }));
    let mut damaged = zeros.reset();
    damaged.set(offset_of!(State, head), 10);
    assert_eq!(damaged.log().claim(Reset::Unknown), Claim::Damaged);
    // What is refused is usable, and recovered the next time.
    damaged.log().start(now);
    assert!(damaged.log().log(&Tiny { time_us: 2 }));
    let claim = damaged.reset().log().claim(Reset::Unknown);
    assert!(matches!(claim, Claim::Warm { records: 1, bytes: 11, overwritten: 0, .. }));
}

#[test]
#[cfg_attr(miri, ignore = "no records fill its smaller ring exactly")]
fn full_ring_is_recovered_and_an_overfull_one_refused() {
    let memory = Memory::new();
    memory.log().claim(Reset::PowerOn);
    memory.log().start(now);
    memory.log().set_reserve(0);
    let kinds = std::iter::once(2).chain([1; 6]).chain([0; 29]);
    let mut records = 0;
    for kind in kinds {
        assert!(match kind {
            0 => memory.log().log(&Tiny { time_us: 1 }),
            1 => memory.log().log(&Fake { time_us: 1, text: fake(1, 0) }),
            _ => memory.log().log(&giant(1)),
        });
        records += 1;
    }
    assert_eq!(memory.log().statistics().used as usize, N);
    // The same records again would be found, because they begin where they did.
    let mut fuller = memory.reset();
    fuller.set(offset_of!(State, head), 2 * N as u32);
    assert_eq!(fuller.log().claim(Reset::Watchdog), Claim::Damaged);
    let claim = memory.reset().log().claim(Reset::Watchdog);
    assert_eq!(claim, Claim::Warm { reset: Reset::Watchdog, records, bytes: N as u32, overwritten: 0 });
}

/// Positions repeat after 4 GiB, so what is flushed can't be much further back than the drain keeps it.
#[test]
fn memory_with_more_unflushed_than_a_drain_keeps_is_damaged() {
    let most = crate::drain::MAX_UNSYNCED + 255;
    for (unsynced, is_sound) in [(0, true), (most, true), (most + 1, false), (u32::MAX / 2, false), (u32::MAX, false)] {
        let mut memory = Memory::of_bytes(&std::vec![0; size_of::<Log>()]);
        memory.log().claim(Reset::PowerOn);
        memory.log().start(now);
        assert!(memory.log().log(&Tiny { time_us: 1 }));
        memory.set(offset_of!(State, synced), 0u32.wrapping_sub(unsynced));
        let claim = memory.reset().log().claim(Reset::Watchdog);
        match is_sound {
            true => assert!(matches!(claim, Claim::Warm { records: 1, bytes: 11, .. }), "{unsynced}: {claim:?}"),
            false => assert_eq!(claim, Claim::Damaged, "{unsynced}"),
        }
    }
}

/// A seal of one word would let another program's image through with a probability of 1 in 4 billion.
#[test]
fn both_words_of_the_seal_depend_on_the_schema_and_the_ring() {
    #[derive(LogSchema)]
    enum Other {
        Tiny(Tiny),
    }
    let seals = [Log::SEAL, Retained::<Other, N>::SEAL, Retained::<Flight, { 2 * N }>::SEAL];
    for (i, one) in seals.iter().enumerate() {
        for other in &seals[..i] {
            assert!(one[0] != other[0] && one[1] != other[1], "{seals:x?}");
        }
    }
}

#[test]
fn the_newest_record_is_left_out_if_its_end_may_be_missing() {
    let memory = Memory::new();
    memory.log().claim(Reset::PowerOn);
    memory.log().start(now);
    for time_us in 0..3 {
        assert!(memory.log().log(&Tiny { time_us }));
    }
    let memory = memory.reset();
    let claim = memory.log().claim_without_newest(Reset::Watchdog);
    assert!(matches!(claim, Claim::Warm { records: 2, bytes: 22, overwritten: 0, .. }), "{claim:?}");
    memory.log().start(now);
    assert!(memory.log().log(&Tiny { time_us: 7 }));
    let memory = memory.reset();
    let claim = memory.log().claim_without_newest(Reset::Watchdog);
    assert!(matches!(claim, Claim::Warm { records: 2, bytes: 22, .. }), "{claim:?}");
    let mut file = Vec::new();
    memory.log().drain().expect("the only drain").catch_up(&mut file).unwrap();
    let times: Vec<_> = read(&file).1.iter().map(|(_, payload)| payload[0]).collect();
    assert_eq!(times, [0, 1]);
}

#[test]
fn recovered_log_has_no_statistics_and_the_next_one_has_them() {
    let memory = Memory::new();
    memory.log().claim(Reset::PowerOn);
    memory.log().start(now);
    assert!(memory.log().log(&Tiny { time_us: 1 }));
    let memory = memory.reset();
    let claim = memory.log().claim(Reset::Software);
    assert_eq!(claim.to_string(), "Recovered after a software reset: 1 record, 11 bytes");
    memory.log().start(now);
    assert!(memory.log().log(&Tiny { time_us: 2 }));
    let mut drain = memory.log().drain().expect("the only drain");
    drain.report_every(1000);
    drain.report();
    let mut files = [Vec::new(), Vec::new()];
    drain.catch_up(&mut files[0]).unwrap();
    assert!(drain.ends_file());
    drain.flush(&mut files[0]).unwrap();
    drain.restart();
    drain.catch_up(&mut files[1]).unwrap();
    assert!(!drain.ends_file());
    let ids = |file: &[u8]| read(file).1.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    let (tiny, dsf) = (<Flight as Logs<Tiny>>::ID, <Flight as Logs<Dsf>>::ID);
    assert_eq!(ids(&files[0]), [tiny]);
    assert_eq!(ids(&files[1]), [dsf, tiny]);
    assert_eq!(memory.log().statistics().lost, 0);
}

/// A panic handler writes what the main program's drain had not passed on whole.
#[test]
fn a_panic_handler_drains_although_another_drain_exists() {
    let memory = Memory::new();
    memory.log().claim(Reset::PowerOn);
    memory.log().start(now);
    let mut main = memory.log().drain().expect("the only drain");
    for time_us in 0..3 {
        assert!(memory.log().log(&Tiny { time_us }));
    }
    // Preamble, one record, and a part of the next.
    let mut file = Vec::new();
    let mut upto = Upto { left: Flight::PREAMBLE.len() + 11 + 4, file: &mut file };
    while main.step(&mut upto).unwrap() > 0 {}
    core::mem::forget(main);
    memory.log().text("panicked");
    // SAFETY: the other drain is forgotten.
    let mut drain = unsafe { memory.log().drain_in_panic() };
    let mut last = Vec::new();
    assert!(drain.finish(&mut last).unwrap());
    let (texts, records) = read(&last);
    assert_eq!(texts, ["panicked"]);
    assert_eq!(records.iter().map(|(_, payload)| payload[0]).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_library_logs_through_the_trait() {
    fn library(sink: &impl Sink<Tiny>) -> bool {
        sink.log(&Tiny { time_us: 1 })
    }
    let memory = Memory::new();
    memory.log().claim(Reset::PowerOn);
    memory.log().start(now);
    assert!(library(memory.log()));
}
