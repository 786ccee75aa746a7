//! `FlashLog` with a drain: beginning, flushing, errors, a full chip, another log.

use crate::fixture::{self, account, flight, logs, ring};
use crate::reference::{on_host, on_target};
use binlog::LogSchema;
use binlog_embedded::flash_log::{self, Cause, Chip as _, Options, Plain, Preamble, StoredLog, WhenFull};
use binlog_embedded::retained::{Claim, Reset};
use binlog_embedded::{FlashLog, Retained};
use binlog_tests::nor_chip::{Memory, NorChip, NorError, Operation, now, random, wait};
use embedded_io::{Error, Write};
use embedded_storage::nor_flash::{ErrorType, NorFlash, ReadNorFlash};
use flight::Flight;
use std::ops::ControlFlow;

type Chip = NorChip<4, 8192>;

const OPTIONS: Options = Options { flush_bytes: 1500, ..Options::DEFAULT };

/// Logs `count` records of all kinds, and drains every so often.
fn log(ring: &'static fixture::Ring, attempts: &mut [usize; flight::KINDS], count: usize, mut drained: impl FnMut()) {
    for number in 0..count {
        let kind = number * 7 % flight::KINDS;
        flight::log(ring, kind, number as u64);
        attempts[kind] += 1;
        if number % 5 == 0 {
            wait(1000);
            drained();
        }
    }
}

#[test]
fn a_flight_is_on_the_chip_as_it_was_logged() {
    let (chip, ring) = (Chip::blank(1 << 20), ring());
    let mut flash = FlashLog::new(chip.clone(), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    let mut attempts = [0; flight::KINDS];
    log(ring, &mut attempts, 3000, || flash.run(&mut drain).expect("the chip works"));
    ring.stop();
    flash.finish(&mut drain).expect("the chip works");
    assert_eq!(flash.number(), None);
    account(ring, &chip, attempts);
    let statistics = ring.statistics();
    assert_eq!((statistics.lost, statistics.dropped, statistics.written), (0, 0, 3000));
    assert_eq!(logs(&chip).len(), 1);
}

#[test]
fn records_that_outlived_a_reset_are_a_log_of_their_own() {
    let chip = Chip::blank(1 << 20);
    // SAFETY: it is claimed before anything else is done with it, and again where the next boot begins.
    let ring: &'static Retained<Flight, 4096> = Box::leak(Box::new(unsafe { Retained::new() }));
    ring.claim(Reset::PowerOn);
    ring.start(now);
    for number in 0..5 {
        assert!(flight::log(ring, 1, number));
    }
    assert!(matches!(ring.claim(Reset::Watchdog), Claim::Warm { records: 5, .. }));
    ring.start(now);
    assert!(flight::log(ring, 2, 5));
    let mut flash = FlashLog::new(chip.clone(), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    for _ in 0..10 {
        flash.run(&mut drain).expect("the chip works");
    }
    ring.stop();
    flash.finish(&mut drain).expect("the chip works");
    let logs: Vec<_> = logs(&chip).into_iter().map(|log| flight::numbers(&log)).collect();
    assert_eq!(logs, [(0..5).map(|number| (1, number)).collect(), vec![(2, 5)]]);
}

#[test]
fn a_boot_without_records_leaves_no_trace() {
    let (chip, ring) = (Chip::blank(1 << 20), ring());
    let mut flash = FlashLog::new(chip.clone(), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    for _ in 0..10 {
        flash.run(&mut drain).expect("the chip works");
        wait(1_000_000);
    }
    flash.finish(&mut drain).expect("the chip works");
    assert!(chip.operations(0).is_empty());
}

#[test]
fn little_is_flushed_after_a_time_and_much_after_some_bytes() {
    let (chip, ring) = (Chip::blank(1 << 20), ring());
    let mut flash = FlashLog::new(chip.clone(), Options { flush_bytes: 100_000, ..Options::DEFAULT });
    let mut drain = ring.drain().expect("the only drain");
    flight::log(ring, 0, 1);
    flash.run(&mut drain).expect("the chip works");
    let records = || logs(&chip).iter().map(|log| flight::numbers(log).len()).sum::<usize>();
    assert_eq!(records(), 0);
    wait(Options::DEFAULT.flush_us);
    flash.run(&mut drain).expect("the chip works");
    assert_eq!(records(), 1);

    let mut flash = FlashLog::new(chip.clone(), Options { flush_bytes: 1, flush_us: u64::MAX, ..Options::DEFAULT });
    flight::log(ring, 4, 3);
    flash.run(&mut drain).expect("the chip works");
    assert_eq!(flight::numbers(logs(&chip).last().expect("a log")), [(4, 3)]);
}

#[test]
fn a_log_that_is_rotated_ends_and_the_next_begins() {
    let (chip, ring) = (Chip::blank(1 << 20), ring());
    let mut flash = FlashLog::new(chip.clone(), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    for number in 1..=3 {
        flight::log(ring, 2, number);
        flash.run(&mut drain).expect("the chip works");
        flash.rotate();
        flight::log(ring, 3, number);
        flash.run(&mut drain).expect("the chip works");
    }
    flash.finish(&mut drain).expect("the chip works");
    let logs = logs(&chip);
    let numbers: Vec<_> = logs.iter().map(|log| flight::numbers(log)).collect();
    assert_eq!(numbers[..3], [vec![(2, 1), (3, 1)], vec![(2, 2), (3, 2)], vec![(2, 3), (3, 3)]]);
}

/// A task that was started again takes another drain. The ring is empty.
#[test]
fn the_log_of_another_drain_is_flushed_and_ends() {
    for finishes in [false, true] {
        let (chip, ring) = (Chip::blank(1 << 20), ring());
        let mut flash = FlashLog::new(chip.clone(), OPTIONS);
        let mut drain = ring.drain().expect("the only drain");
        (1..=5).for_each(|number| assert!(flight::log(ring, 2, number)));
        flash.run(&mut drain).expect("the chip works");
        drop(drain);
        ring.stop();
        let mut drain = ring.drain().expect("the only drain");
        match finishes {
            true => flash.finish(&mut drain).expect("the chip works"),
            false => flash.run(&mut drain).expect("the chip works"),
        }
        assert_eq!(flash.number(), None);
        assert_eq!(flight::numbers(&logs(&chip)[0]), (1..=5).map(|number| (2, number)).collect::<Vec<_>>());
    }
}

#[test]
fn failed_operation_loses_only_unflushed_bytes() {
    for after in 0..60 {
        let (chip, ring) = (Chip::blank(1 << 18), ring());
        let mut flash = FlashLog::new(chip.clone(), OPTIONS);
        let mut drain = ring.drain().expect("the only drain");
        let mut attempts = [0; flight::KINDS];
        chip.fail(after, 2);
        let mut errors = Vec::new();
        log(ring, &mut attempts, 400, || {
            if let Err(error) = flash.run(&mut drain) {
                errors.push(error);
            }
        });
        // The ring fills while no log can be begun; then logging continues.
        wait(OPTIONS.retry_us);
        log(ring, &mut attempts, 400, || flash.run(&mut drain).unwrap_or_else(|error| errors.push(error)));
        wait(OPTIONS.retry_us);
        log(ring, &mut attempts, 100, || flash.run(&mut drain).unwrap_or_else(|error| errors.push(error)));
        ring.stop();
        flash.finish(&mut drain).expect("the chip works again");
        assert_eq!(errors.len(), 2, "after {after}: {errors:?}");
        for error in &errors {
            assert_eq!(error.cause, Cause::Chip(NorError::Bus));
            assert_eq!(error.kind(), embedded_io::ErrorKind::Other);
        }
        account(ring, &chip, attempts);
        // The log that failed is still there, and another number follows.
        let memory = chip.memory();
        let image = binlog::flash::Image::new(memory.bytes()).expect("logs");
        let numbers: Vec<_> = image.logs().iter().map(|log| log.number()).collect();
        assert!(numbers.len() <= 3 && numbers.iter().copied().eq(1..=numbers.len() as u16), "{numbers:?}");
        assert!(after < 3 || numbers.len() > 1, "after {after}: {numbers:?}");
        // Target and host agree on a chip that lived through it.
        let host = on_host(chip.memory().bytes());
        assert_eq!(on_target(&mut FlashLog::new(chip.clone(), OPTIONS)), host, "after {after}");
    }
}

#[test]
fn a_write_protected_chip_is_an_error_and_not_a_log() {
    let (chip, ring) = (Chip::blank(1 << 18), ring());
    chip.protect(true);
    let mut flash = FlashLog::new(chip.clone(), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    let mut attempts = [0; flight::KINDS];
    let mut errors = Vec::new();
    log(ring, &mut attempts, 50, || flash.run(&mut drain).unwrap_or_else(|error| errors.push(error)));
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].cause, Cause::NotWritten);
    assert_eq!(errors[0].log, Some(1));
    let text = errors[0].to_string();
    assert!(text.starts_with("can't ") && text.contains("log 1") && text.contains("write protection"), "{text}");
    chip.protect(false);
    wait(OPTIONS.retry_us);
    log(ring, &mut attempts, 50, || flash.run(&mut drain).expect("the chip works again"));
    flash.finish(&mut drain).expect("the chip works again");
    account(ring, &chip, attempts);
}

#[test]
fn a_chip_that_is_absent_is_an_error() {
    let mut flash = FlashLog::new(Chip::blank(1 << 18), OPTIONS);
    flash.flash().fail_reads(1);
    let error = flash.begin_log(&[]).expect_err("no read works");
    assert_eq!((error.operation, error.cause), (flash_log::Operation::Mount, Cause::Chip(NorError::Bus)));
    assert_eq!(flash.begin_log(&[]).expect("reads work again"), 1);
}

#[test]
fn a_chip_with_fewer_than_eight_units_is_refused() {
    let mut flash = FlashLog::new(NorChip::<1, 65536>::blank(7 * 65536), OPTIONS);
    let error = flash.begin_log(&[]).expect_err("seven units");
    assert_eq!((error.operation, &error.cause), (flash_log::Operation::Mount, &Cause::TooSmall));
    assert!(error.to_string().contains("Chip::UNIT"), "{error}");
    assert_eq!(error.kind(), embedded_io::ErrorKind::Unsupported);
    FlashLog::new(NorChip::<1, 65536>::blank(8 * 65536), OPTIONS).begin_log(&[]).expect("eight units");
}

#[test]
fn logs_of_this_boot_fill_the_chip_and_stay_wherever_they_begin() {
    const LENGTH: usize = 1 << 17;
    // Earlier boots bring the beginning to each unit, twice around.
    for earlier in 0..32 {
        let (chip, ring) = (Chip::blank(LENGTH), ring());
        for _ in 0..earlier {
            let mut flash = FlashLog::new(chip.clone(), OPTIONS);
            flash.begin_log(&[]).expect("the chip works");
            flash.write_all(&[1; 1000]).expect("room");
            flash.flush().expect("the chip works");
        }
        let mut flash = FlashLog::new(chip.clone(), OPTIONS);
        let mut drain = ring.drain().expect("the only drain");
        let mut attempts = [0; flight::KINDS];
        let mut errors = Vec::new();
        log(ring, &mut attempts, 4000, || flash.run(&mut drain).unwrap_or_else(|error| errors.push(error)));
        // One error for each attempt, a second apart.
        assert!((1..=4).contains(&errors.len()), "after {earlier} boots: {errors:?}");
        for error in &errors {
            assert_eq!((&error.cause, error.kind()), (&Cause::Full, embedded_io::ErrorKind::OutOfMemory));
            assert!(error.to_string().contains("Options::when_full"), "{error}");
        }
        let memory = chip.memory();
        let image = binlog::flash::Image::new(memory.bytes()).expect("logs");
        let found = image.logs().last().expect("this boot's").bytes();
        assert!(found.starts_with(Flight::PREAMBLE), "after {earlier} boots");
        // An eighth stays unused, up to a block that the log shares with an earlier one, and 2.7 % are headers.
        assert!(found.len() > LENGTH * 6 / 8 * 97 / 100, "after {earlier} boots: {} bytes", found.len());
        // What was flushed when the chip was full counts as written, except a record that was cut there.
        let on_chip = flight::numbers_after_damage(&found).len();
        let statistics = ring.statistics();
        assert_eq!(on_chip, statistics.written as usize, "after {earlier} boots: {statistics:?}");
        assert!(statistics.dropped > 0 && statistics.lost <= 1, "after {earlier} boots: {statistics:?}");
        assert_eq!(on_target(&mut flash), on_host(memory.bytes()));
    }
}

/// Another firmware's schema.
#[derive(LogSchema)]
enum Other {
    Msg(binlog::messages::Msg),
}

#[test]
fn a_log_that_overwrites_its_beginning_gets_its_preamble_back() {
    let (chip, ring) = (Chip::blank(1 << 17), ring());
    let mut flash = FlashLog::new(chip.clone(), Options { when_full: WhenFull::Overwrite, ..OPTIONS });
    let mut drain = ring.drain().expect("the only drain");
    let mut attempts = [0; flight::KINDS];
    log(ring, &mut attempts, 6000, || flash.run(&mut drain).expect("the chip works"));
    flash.finish(&mut drain).expect("the chip works");
    assert_eq!((ring.statistics().lost, ring.statistics().dropped), (0, 0));
    let memory = chip.memory();
    let image = binlog::flash::Image::new(memory.bytes()).expect("a log");
    let [log] = image.logs() else { panic!("{} logs", image.logs().len()) };
    assert!(log.lacks_preamble() && log.gaps()[0].at == 0 && log.gaps()[0].length > 8192);
    let plain = log.bytes();
    let image = image.with_preamble(Flight::PREAMBLE);
    let log = &image.logs()[0];
    assert!(!log.lacks_preamble());
    assert_eq!(log.preamble_bytes(), Flight::PREAMBLE.len());
    assert_eq!(log.bytes(), [Flight::PREAMBLE, &plain].concat());
    // As the target does.
    let mut extracted = Vec::new();
    let pass = |bytes: &[u8]| {
        extracted.extend_from_slice(bytes);
        ControlFlow::Continue(())
    };
    let passed = flash.extract(1, Preamble::of::<Flight>(), pass).expect("the chip works");
    assert_eq!(passed as usize, extracted.len());
    assert_eq!(extracted, log.bytes());
    // Another firmware's preamble is not put there.
    let mut other = Vec::new();
    let pass = |bytes: &[u8]| {
        other.extend_from_slice(bytes);
        ControlFlow::Continue(())
    };
    flash.extract(1, Preamble::of::<Other>(), pass).expect("the chip works");
    assert_eq!(other, plain);
    // The newest records are there.
    let newest = flight::numbers_after_damage(&extracted);
    assert_eq!(newest.last(), Some(&(5999 * 7 % flight::KINDS, 5999)));
}

#[test]
fn extraction_ends_on_request_or_names_what_is_missing() {
    let chip = Chip::blank(1 << 17);
    let mut flash = FlashLog::new(chip, OPTIONS);
    flash.begin_log(&[]).expect("the chip works");
    flash.write_all(&[7; 1000]).expect("room");
    flash.end_log().expect("the chip works");
    assert_eq!(flash.number(), None);
    let mut pieces = Vec::new();
    let stop = |piece: &[u8]| {
        pieces.push(piece.len());
        ControlFlow::Break(())
    };
    let passed = flash.extract(1, Preamble::NONE, stop).expect("the chip works");
    assert_eq!(pieces, [passed as usize]);
    let error = flash.extract(2, Preamble::NONE, |_| ControlFlow::Continue(())).expect_err("there is one log");
    assert_eq!((error.operation, error.log, &error.cause), (flash_log::Operation::Read, Some(2), &Cause::NoLog));
    assert_eq!(error.kind(), embedded_io::ErrorKind::NotFound);
    assert_eq!(flash.write(b"x").expect_err("no log is open").cause, Cause::Closed);
}

#[test]
fn a_list_says_how_much_of_the_chip_a_log_occupies() {
    let mut flash = FlashLog::new(Chip::blank(1 << 18), OPTIONS);
    for (length, sectors) in [(1, 1), (3900, 1), (4096, 2), (20_000, 6)] {
        let number = flash.begin_log(&[]).expect("the chip works");
        flash.write_all(&vec![7; length]).expect("room");
        flash.end_log().expect("the chip works");
        let mut newest = None;
        let each = |log: &StoredLog| {
            newest = Some(*log);
            ControlFlow::Continue(())
        };
        flash.list(each).expect("the chip works");
        let newest = newest.expect("a log");
        assert_eq!((newest.number, newest.occupied_bytes()), (number, sectors * 4096), "{length} bytes");
    }
}

#[test]
fn any_nor_flash_is_a_chip() {
    let chip = NorChip::<1, 4096>::blank(1 << 18);
    let mut flash = FlashLog::new(Plain::<_, 16384>(chip.clone()), OPTIONS);
    flash.begin_log(&[]).expect("the chip works");
    let mut seed = 1;
    let bytes: Vec<u8> = (0..50_000).map(|_| random(&mut seed) as u8).collect();
    flash.write_all(&bytes).expect("room");
    flash.end_log().expect("the chip works");
    assert_eq!(on_host(chip.memory().bytes())[0].bytes, bytes);
    assert_eq!(chip.longest_us(), 45_000, "the driver erases sector by sector");
}

#[test]
fn noise_on_the_bus_does_not_hide_the_newest_log() {
    let chip = Chip::blank(1 << 18);
    for number in 1..=5 {
        let mut flash = FlashLog::new(chip.clone(), OPTIONS);
        chip.disturb_reads(1);
        assert_eq!(flash.begin_log(&[]).expect("the chip works"), number);
        flash.write_all(&[7; 10_000]).expect("room");
        flash.end_log().expect("the chip works");
    }
}

/// The driver's `erase` erases more at once than a unit would have by default.
struct Coarse(Chip);

impl ErrorType for Coarse {
    type Error = NorError;
}

impl ReadNorFlash for Coarse {
    const READ_SIZE: usize = 16;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorError> {
        self.0.read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl NorFlash for Coarse {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = 8192;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorError> {
        (from..to).step_by(8192).try_for_each(|address| self.0.erase_unit(address))
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorError> {
        self.0.write(offset, bytes)
    }
}

#[test]
fn unit_of_a_driver_with_large_erases_is_one_erase() {
    let chip = Chip::blank(1 << 17);
    let mut plain = Plain::<_, 4096>(Coarse(chip.clone()));
    // A borrowed chip is one, too.
    let mut flash = FlashLog::new(&mut plain, Options { when_full: WhenFull::Overwrite, ..OPTIONS });
    let bytes: Vec<u8> = (0..100_000_u32).map(|at| (at / 251) as u8).collect();
    for number in 1..=3 {
        assert_eq!(flash.begin_log(&[]).expect("the chip works"), number);
        flash.write_all(&bytes).expect("room");
        flash.end_log().expect("the chip works");
    }
    assert_eq!(on_host(chip.memory().bytes()).last().expect("a log").bytes, bytes);
    let erases = chip.operations(0).into_iter().filter_map(|operation| match operation {
        Operation::Erase(_, length) => Some(length),
        Operation::Write(..) => None,
    });
    let lengths: Vec<u32> = erases.collect();
    assert!(lengths.len() > 30 && lengths.iter().all(|&length| length == 8192), "{lengths:?}");
}

/// Sectors that are erased after the newest one, on a chip that had other contents.
fn erased_ahead(chip: &Chip) -> usize {
    let memory = chip.memory();
    memory.bytes().chunks(4096).filter(|sector| sector.iter().all(|&byte| byte == 0xFF)).count()
}

#[test]
fn idle_calls_erase_exactly_as_far_ahead_as_told() {
    // The first unit has one sector after the log's.
    for (ahead_bytes, sectors) in [(0, 1), (1, 1), (4096, 1), (4097, 3), (12_288, 3), (12_289, 5), (50_000, 13)] {
        let mut memory = Memory::blank(1 << 18, 4);
        memory.bytes_mut().fill(0);
        let (chip, ring) = (Chip::with(memory), ring());
        let mut flash = FlashLog::new(chip.clone(), Options { ahead_bytes, ..OPTIONS });
        let mut drain = ring.drain().expect("the only drain");
        flight::log(ring, 0, 1);
        let mut erases = 0;
        for call in 0..30 {
            flash.run(&mut drain).expect("the chip works");
            let now = chip.operations(0).iter().filter(|of| matches!(of, Operation::Erase(..))).count();
            // The first one erases where the log begins, too.
            assert!(now - erases <= 1 + usize::from(call == 0), "{ahead_bytes}: {} units in a call", now - erases);
            erases = now;
        }
        assert_eq!(erased_ahead(&chip), sectors, "{ahead_bytes} bytes ahead");
    }
}
