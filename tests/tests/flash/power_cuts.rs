//! The power fails in each operation, and in each operation of the boot after that.
//!
//! `BINLOG_CUTS=1000000 cargo test -p binlog-tests --release --test flash power_cuts` cuts that often in each
//! geometry, or at all places if they are fewer.

use crate::boot::{Boot, Noted};
use crate::reference::Reference;
use binlog_embedded::flash_log::{Options, WhenFull};
use binlog_tests::nor_chip::{Memory, Operation, Tear, random};

/// Cuts in a geometry, of the first kind.
fn most() -> usize {
    std::env::var("BINLOG_CUTS").map_or(60, |count| count.parse().expect("a number of cuts"))
}

/// A flight: boots that log several laps, with flushes at odd places.
struct Flight {
    memory: Memory,
    reference: Reference,
    /// What happened to the chip, boot after boot.
    noted: Vec<Noted>,
}

const OVERWRITE: Options = Options { when_full: WhenFull::Overwrite, ..Options::DEFAULT };

/// Logs `bytes` in pieces and flushes; now and then another log begins, or the ground prepares.
fn fly<const WORD: usize, const UNIT: u32>(
    memory: &Memory,
    reference: &Reference,
    bytes: u32,
    seed: &mut u64,
) -> Boot<WORD, UNIT> {
    let mut boot = Boot::<WORD, UNIT>::new(memory.clone(), reference.clone(), OVERWRITE);
    if random(seed).is_multiple_of(3) {
        boot.prepare(random(seed) as u32 % (UNIT * 3));
    }
    boot.begin();
    let mut left = bytes;
    while left > 0 {
        let length = (random(seed) as u32 % 3000 + 1).min(left);
        boot.write(length);
        left -= length;
        match random(seed) % 12 {
            0..6 => boot.flush(),
            6 if left > 0 => boot.begin(),
            7 => drop(boot.prepare(UNIT)),
            _ => {}
        }
    }
    boot.flush();
    boot
}

/// The tears of an operation that are tried.
fn tears(operation: &Operation, seed: &mut u64) -> Vec<Tear> {
    let length = match operation {
        Operation::Write(_, bytes) => bytes.len(),
        Operation::Erase(_, length) => *length as usize,
    };
    let mut tears = vec![Tear::Before, Tear::After];
    // In the header of a sector or a frame, and anywhere.
    for end in [1, 4, 15, 16, 20, 22, 23, random(seed) as usize % length, random(seed) as usize % length] {
        tears.extend((end < length).then_some(Tear::Bytes(end)));
    }
    tears.extend((0..4).map(|_| Tear::Some(random(seed))));
    tears
}

/// Cuts each operation of a history. `then` gets the chip, its reference and a description.
fn cut_each<const WORD: usize, const UNIT: u32>(
    start: (&Memory, &Reference),
    noted: &[Noted],
    most: usize,
    (seed, context): (&mut u64, &str),
    mut then: impl FnMut(&Memory, &Reference, &str, &mut u64),
) -> usize {
    let (mut memory, mut reference) = (start.0.clone(), start.1.clone());
    let stride = (noted.len() * 13).div_ceil(most).max(1);
    let mut cuts = 0;
    for (index, (operation, carried)) in noted.iter().enumerate() {
        for (i, tear) in tears(operation, seed).into_iter().enumerate() {
            // Every nth in all, so that each kind of operation and tear has its share.
            if !(index * 13 + i).is_multiple_of(stride) {
                continue;
            }
            let (mut torn, mut known) = (memory.clone(), reference.clone());
            torn.apply(operation, tear);
            match tear {
                Tear::Before => {}
                Tear::After => known.note(operation, carried.clone()),
                Tear::Bytes(_) | Tear::Some(_) => known.note_torn(operation),
            }
            let place = match operation {
                Operation::Write(address, bytes) => format!("write of {} at {address:#x}", bytes.len()),
                Operation::Erase(address, length) => format!("erase of {length} at {address:#x}"),
            };
            let description = format!("operation {index}, {place}, {tear:?}");
            known.check_chip::<WORD, UNIT>(&torn, &|| format!("{context}{description}"));
            then(&torn, &known, &description, seed);
            cuts += 1;
        }
        memory.apply(operation, Tear::After);
        reference.note(operation, carried.clone());
    }
    cuts
}

/// Flies `laps` of the ring in boots of different length.
fn flight<const WORD: usize, const UNIT: u32>(sectors: usize, laps: usize, seed: &mut u64) -> Flight {
    let length = sectors * 4096;
    let memory = Memory::blank(length, WORD);
    let reference = Reference::new(length, UNIT as usize);
    let mut flight = Flight { memory, reference, noted: Vec::new() };
    let (mut memory, mut reference) = (flight.memory.clone(), flight.reference.clone());
    let mut left = laps * length;
    while left > 0 {
        // From a few records to more than the chip has room for.
        let bytes = match random(seed) % 4 {
            0 => 1 + random(seed) as usize % 3000,
            1 => length + random(seed) as usize % length,
            _ => random(seed) as usize % (length / 2) + 1,
        };
        let boot = fly::<WORD, UNIT>(&memory, &reference, bytes as u32, seed);
        left = left.saturating_sub(bytes);
        memory = boot.chip.memory();
        reference = boot.reference;
        reference.check_chip::<WORD, UNIT>(&memory, &|| format!("{left} bytes before the end"));
        flight.noted.extend(boot.noted);
    }
    flight
}

/// Cuts in flights, and again in the boot after each cut.
fn cut_flights<const WORD: usize, const UNIT: u32>(sectors: usize, laps: usize) {
    let seed = &mut (sectors as u64 * 1000 + WORD as u64);
    let flight = flight::<WORD, UNIT>(sectors, laps, seed);
    let mut nested = 0;
    let start = (&flight.memory, &flight.reference);
    let cuts = cut_each::<WORD, UNIT>(start, &flight.noted, most(), (seed, ""), |memory, reference, first, seed| {
        // The next boot reaches at least two units further.
        let bytes = 2 * UNIT + random(seed) as u32 % UNIT;
        let next = fly::<WORD, UNIT>(memory, reference, bytes, seed);
        next.reference.check_chip::<WORD, UNIT>(&next.chip.memory(), &|| format!("the boot after {first}"));
        let most = if most() > 1000 { 8 } else { 2 };
        nested += cut_each::<WORD, UNIT>(
            (memory, reference),
            &next.noted,
            most,
            (seed, &format!("the boot after {first}, then ")),
            |memory, reference, second, seed| {
                let context = || format!("the boot after {first}, then {second}");
                let last = fly::<WORD, UNIT>(memory, reference, UNIT + 100, seed);
                last.reference.check_chip::<WORD, UNIT>(&last.chip.memory(), &context);
            },
        );
    });
    println!("{sectors} sectors, words of {WORD}, units of {UNIT}: {cuts} cuts, {nested} more in the boot after one");
    assert!(cuts >= most().min(1000) / 2 && nested >= cuts / 2, "{cuts}, {nested}");
}

#[test]
fn of_a_small_chip_with_units_of_4_kib() {
    cut_flights::<1, 4096>(16, 4);
}

#[test]
fn of_a_chip_that_writes_words_of_4_bytes() {
    cut_flights::<4, 4096>(24, 4);
}

#[test]
fn of_a_chip_that_writes_words_of_32_bytes() {
    cut_flights::<32, 8192>(32, 3);
}

#[test]
fn of_a_chip_that_writes_whole_pages() {
    cut_flights::<256, 4096>(17, 4);
}

#[test]
fn of_a_chip_with_units_of_32_kib() {
    cut_flights::<1, 32768>(64, 3);
}

#[test]
fn of_a_chip_with_blocks_of_many_units() {
    cut_flights::<1, 4096>(72, 2);
}

/// A log that fills the chip and stops there is whole after a power cut in any of the last operations.
#[test]
fn at_the_end_of_a_chip_that_is_full() {
    for earlier in [0, 1, 5, 15] {
        let seed = &mut 5;
        let length = 16 * 4096;
        let mut memory = Memory::blank(length, 1);
        let mut reference = Reference::new(length, 4096);
        for _ in 0..earlier {
            let boot = fly::<1, 4096>(&memory, &reference, 2000, seed);
            (memory, reference) = (boot.chip.memory(), boot.reference);
        }
        let mut boot = Boot::<1, 4096>::new(memory.clone(), reference.clone(), Options::DEFAULT);
        boot.begin();
        while boot.write(700) {
            boot.flush();
        }
        let flushed = boot.noted.iter().rev().find_map(|(_, carried)| carried.clone()).expect("writes");
        // Up to the last two units, other tests cut.
        let (early, late) = boot.noted.split_at(boot.noted.len() - 2 * 18);
        for (operation, carried) in early {
            memory.apply(operation, Tear::After);
            reference.note(operation, carried.clone());
        }
        let cuts = cut_each::<1, 4096>((&memory, &reference), late, most(), (seed, ""), |memory, _, context, _| {
            let logs = crate::reference::on_host(memory.bytes());
            let log = logs.last().expect("a log");
            assert_eq!((log.number, log.missing), (flushed.0, 0), "{context}");
            assert!(log.bytes.len() > length / 2);
        });
        assert!(cuts > 20, "{cuts}");
    }
}
