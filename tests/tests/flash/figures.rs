//! Speed, reads and wear on a model of a W25Q128, with the typical times of its data sheet.

use crate::boot::Boot;
use crate::fixture::flight::{self, Flight, Medium};
use crate::reference::Reference;
use binlog_embedded::flash_log::{Chip, Options, WhenFull};
use binlog_embedded::{FlashLog, Logger};
use binlog_tests::nor_chip::{Memory, NorChip, SECTOR, now, wait, while_busy};
use embedded_io::Write;
use std::cell::Cell;
use std::rc::Rc;

const CHIP: usize = 16 << 20;

/// Bytes a second that a chip takes, flushed once a sector.
fn sustained<const UNIT: u32>(prepared: u32) -> u64 {
    let chip = NorChip::<1, UNIT>::blank(CHIP);
    let mut flash = FlashLog::new(chip.clone(), Options::DEFAULT);
    flash.prepare(prepared).expect("the chip works");
    flash.begin_log(&[]).expect("the chip works");
    let start = chip.busy_us();
    let length = 2 << 20;
    for _ in 0..length / 4096 {
        flash.write_all(&[0x5A; 4096]).expect("the chip works");
        flash.flush().expect("the chip works");
    }
    let bytes_a_second = length * 1_000_000 / (chip.busy_us() - start);
    println!("units of {UNIT}, {prepared} bytes erased before: {bytes_a_second} bytes a second");
    bytes_a_second
}

#[test]
fn the_erase_unit_decides_the_speed() {
    assert!(sustained::<4096>(0) >= 70_000);
    assert!(sustained::<32768>(0) >= 160_000);
    assert!(sustained::<65536>(0) >= 220_000);
    assert!(sustained::<32768>(4 << 20) >= 400_000);
}

/// Logs 100 KB/s for a minute through a ring of 16 KiB. Returns the records that were lost, and all.
fn lost_at_100_kb_a_second<const UNIT: u32>() -> (u32, u32) {
    const RECORD_US: u64 = 280;
    let ring: &'static Logger<Flight, 16384> = Box::leak(Box::new(Logger::new()));
    ring.start(now);
    let due = Rc::new(Cell::new(now()));
    let attempts = Rc::new(Cell::new(0));
    let log = {
        let (due, attempts) = (due.clone(), attempts.clone());
        move || {
            while due.get() <= now() {
                ring.log(&Medium::numbered(attempts.get()));
                attempts.set(attempts.get() + 1);
                due.set(due.get() + RECORD_US * flight::length(2) as u64 / 28);
            }
        }
    };
    let chip = NorChip::<1, UNIT>::blank(CHIP);
    let mut flash = FlashLog::new(chip, Options { flush_bytes: 32 << 10, ..Options::DEFAULT });
    let mut drain = ring.drain().expect("the only drain");
    while_busy(Some(Box::new(log.clone())));
    let end = now() + 60_000_000;
    while now() < end {
        wait(1000);
        log();
        flash.run(&mut drain).expect("the chip works");
    }
    while_busy(None);
    ring.stop();
    flash.finish(&mut drain).expect("the chip works");
    let statistics = ring.statistics();
    assert_eq!(statistics.dropped + statistics.written, attempts.get() as u32, "{statistics:?}");
    println!("units of {UNIT}: {} of {} records lost", statistics.dropped, attempts.get());
    (statistics.dropped, attempts.get() as u32)
}

#[test]
fn a_ring_of_16_kib_bridges_erases_of_32_kib_at_100_kb_a_second() {
    let (lost, all) = lost_at_100_kb_a_second::<32768>();
    assert_eq!(lost, 0);
    assert!(all as usize * flight::length(2) > 5_900_000);
}

#[test]
fn units_of_4_kib_are_too_slow_for_100_kb_a_second() {
    let (lost, all) = lost_at_100_kb_a_second::<4096>();
    assert!(lost > all / 10 && lost < all / 3, "{lost} of {all}");
}

/// Reads of a mount.
fn reads_at_mount<const UNIT: u32>(memory: &Memory) -> usize {
    let chip = NorChip::<1, UNIT>::with(memory.clone());
    FlashLog::new(chip.clone(), Options::DEFAULT).begin_log(&[]).expect("the chip works");
    let (reads, bytes) = chip.reads();
    assert_eq!(bytes, reads * 16);
    assert!(chip.operations(0).is_empty(), "a search writes nothing");
    reads
}

#[test]
fn the_newest_log_of_16_mib_is_found_with_26_reads_at_most() {
    let chip = NorChip::<1, 65536>::blank(CHIP);
    let mut flash = FlashLog::new(chip.clone(), Options { when_full: WhenFull::Overwrite, ..Options::DEFAULT });
    flash.begin_log(&[]).expect("the chip works");
    let mut most = 0;
    // Two laps. A sector that is begun is enough to be found.
    for sector in 0..2 * CHIP / SECTOR {
        flash.write_all(&[0x5A; 3900]).expect("the chip works");
        if sector % 293 == 0 {
            most = most.max(reads_at_mount::<4096>(&chip.memory()));
        }
    }
    println!("{most} reads on a chip with logs");
    assert!((20..=26).contains(&most));
}

#[test]
fn blank_chip_is_searched_with_258_reads_a_foreign_one_with_516() {
    let mut memory = Memory::blank(CHIP, 1);
    assert_eq!(reads_at_mount::<4096>(&memory), 258);
    memory.bytes_mut().fill(0x55);
    assert_eq!(reads_at_mount::<4096>(&memory), 516);
}

#[test]
fn each_unit_is_erased_once_a_lap_and_boots_add_their_own() {
    const SECTORS: usize = 128;
    let length = SECTORS * SECTOR;
    let mut boot = Boot::<1, 8192>::new(
        Memory::blank(length, 1),
        Reference::new(length, 8192),
        Options { when_full: WhenFull::Overwrite, ..Options::DEFAULT },
    );
    // Ten laps in one boot.
    boot.begin();
    while boot.reference.laps() < 10 {
        boot.write(1000);
    }
    let erases = boot.chip.erases();
    let (least, most) = (erases.iter().min().expect("sectors"), erases.iter().max().expect("sectors"));
    println!("ten laps: {least} to {most} erases");
    assert!(*least >= 10 && *most <= 11, "{least} to {most}");

    // A boot after the other: each erases one unit and what it had erased ahead.
    let (mut memory, mut reference) = (boot.chip.memory(), boot.reference);
    let mut total = vec![0; SECTORS];
    let boots = 200;
    for _ in 0..boots {
        let mut boot = Boot::<1, 8192>::new(memory, reference, Options::DEFAULT);
        boot.begin();
        boot.write(3000);
        boot.prepare(8192 * 2);
        boot.flush();
        total.iter_mut().zip(boot.chip.erases()).for_each(|(total, erases)| *total += erases);
        (memory, reference) = (boot.chip.memory(), boot.reference);
    }
    let most = total.iter().copied().max().expect("sectors");
    // A boot uses one unit of 64, and each unit is erased by the boot that uses it and by the two before.
    assert!(most as usize <= 3 * (boots / (SECTORS / 2) + 1), "{most}");
}

#[test]
fn a_chip_is_prepared_up_to_less_than_half() {
    let chip = NorChip::<1, 32768>::blank(CHIP);
    let mut flash = FlashLog::new(chip.clone(), Options::DEFAULT);
    // A sector of 4,096 bytes has 16 for its header, and each of its 16 pages 6.
    let bytes = |sectors: usize| sectors as u32 * (4096 - 16 - 16 * 6);
    assert_eq!(flash.prepare(bytes(32) - 8000).expect("the chip works"), bytes(32));
    assert_eq!(flash.prepare(0).expect("the chip works"), bytes(32));
    assert_eq!(chip.busy_us() / 1000, 4 * 120 + 2, "four erases, and the search");
    let prepared = flash.prepare(u32::MAX).expect("the chip works");
    assert_eq!(prepared, bytes((CHIP / 2 - 2 * 32768) / 4096));
    // That is what a log may write without an erase.
    flash.begin_log(&[]).expect("the chip works");
    let before = chip.operations(0).len();
    flash.write_all(&vec![1; prepared as usize]).expect("the chip works");
    flash.flush().expect("the chip works");
    let is_erase = |operation: &binlog_tests::nor_chip::Operation| {
        matches!(operation, binlog_tests::nor_chip::Operation::Erase(..))
    };
    assert!(!chip.operations(before).iter().any(is_erase));
    assert_eq!(<NorChip<1, 32768> as Chip>::UNIT, 32768);
}
