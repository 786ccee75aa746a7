//! Blackbox logs on a flash chip: extraction, power cuts, resets.
#[path = "../../../binlog-embedded/tests/blackbox/flight.rs"]
mod flight;

use crate::asynchronous::{Slow, block_on};
use binlog::blackbox::{BlackboxSchema, Event};
use binlog::flash::Image;
use binlog_embedded::flash_log::{Options, Preamble, WhenFull};
use binlog_embedded::retained::{Claim, Reset};
use binlog_embedded::{FlashLog, Logger, Retained};
use binlog_tests::nor_chip::{Memory, NorChip, Operation, Tear, now, wait};
use flight::{Flight, INTERVALS, Main, iterations, main, sessions, sessions_of, slow};
use std::ops::ControlFlow;

type Chip = NorChip<4, 4096>;
type Ring = Logger<Flight, 4096>;

const OPTIONS: Options = Options { flush_bytes: 900, ..Options::DEFAULT };

fn ring() -> &'static Ring {
    let ring: &Ring = Box::leak(Box::new(Logger::new()));
    ring.start(now);
    ring
}

/// The names and contents of the logs in an image.
fn logs(memory: &Memory) -> Vec<(String, Vec<u8>)> {
    let Ok(image) = Image::new(memory.bytes()) else { return Vec::new() };
    image.logs().iter().map(|log| (log.file_name(), log.bytes())).collect()
}

/// Logs iterations and runs `drained` after some. Returns those that were accepted.
fn fly(ring: &Ring, range: std::ops::Range<u32>, mut drained: impl FnMut()) -> Vec<u32> {
    let mut accepted = Vec::new();
    for iteration in range {
        if iteration % 300 == 0 {
            assert!(ring.log(&slow(iteration)));
        }
        match ring.log(&main(iteration)) {
            true => accepted.push(iteration),
            false => assert_eq!(INTERVALS.kind_of(iteration), None),
        }
        if iteration % 9 == 0 {
            wait(1000);
            drained();
        }
    }
    accepted
}

#[test]
fn a_flight_is_extracted_as_a_blackbox_log() {
    let (chip, ring) = (Chip::blank(1 << 20), ring());
    let mut flash = FlashLog::new(chip.clone(), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    let first = fly(ring, 0..2000, || flash.run(&mut drain).expect("the chip works"));
    // All is flushed when the vehicle is armed again.
    for _ in 0..3 {
        wait(10_000_000);
        flash.run(&mut drain).expect("the chip works");
    }
    flash.rotate();
    flash.run(&mut drain).expect("the chip works");
    let second = fly(ring, 2000..2500, || flash.run(&mut drain).expect("the chip works"));
    ring.stop();
    flash.finish(&mut drain).expect("the chip works");
    assert_two_logs(&chip, ring, &[first, second].concat());
}

#[test]
fn flight_on_an_async_chip_is_extracted_as_a_blackbox_log() {
    let (chip, ring) = (Chip::blank(1 << 20), ring());
    let mut flash = FlashLog::new(Slow(chip.clone()), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    let first = fly(ring, 0..2000, || block_on(flash.run_async(&mut drain)).expect("the chip works"));
    for _ in 0..3 {
        wait(10_000_000);
        block_on(flash.run_async(&mut drain)).expect("the chip works");
    }
    flash.rotate();
    block_on(flash.run_async(&mut drain)).expect("the chip works");
    let second = fly(ring, 2000..2500, || block_on(flash.run_async(&mut drain)).expect("the chip works"));
    ring.stop();
    block_on(flash.finish_async(&mut drain)).expect("the chip works");
    assert_two_logs(&chip, ring, &[first, second].concat());
}

/// The chip has two logs of one session each, with all main frames that were accepted.
#[track_caller]
fn assert_two_logs(chip: &Chip, ring: &Ring, accepted: &[u32]) {
    let logs = logs(&chip.memory());
    let names: Vec<&str> = logs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["00000001.BBL", "00000002.BBL"]);
    let mut read = Vec::new();
    for (name, bytes) in &logs {
        let [session] = &sessions(bytes)[..] else { panic!("{name}: one session") };
        assert_eq!(session.events, [Event::End { disarm_reason: None }], "{name}");
        assert_eq!(session.main[0].1, b'I', "{name}");
        read.extend(iterations(session));
    }
    assert_eq!(read, accepted);
    let tally = ring.tally::<Main>();
    assert_eq!((tally.written as usize, tally.dropped, tally.lost), (read.len(), 0, 0));
}

/// The power fails in any operation: what was flushed before is there, and the frames after that are whole, except the
/// last one.
#[test]
fn a_power_cut_anywhere_leaves_the_frames_that_were_flushed() {
    let (chip, ring) = (Chip::blank(1 << 17), ring());
    let mut flash = FlashLog::new(chip.clone(), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    // Operations, and the bytes of the log that were flushed by then.
    let mut flushed = vec![(0, 0)];
    let mut length = 0;
    fly(ring, 0..1500, || {
        flash.run(&mut drain).expect("the chip works");
        if flushed.len() % 7 == 0 {
            drain.flush(&mut flash).expect("the chip works");
            length = flash.byte_count();
        }
        flushed.push((chip.operations(0).len(), length));
    });
    ring.stop();
    flash.finish(&mut drain).expect("the chip works");
    let whole = logs(&chip.memory()).remove(0).1;
    let mut memory = Memory::blank(1 << 17, 4);
    let mut shortest = usize::MAX;
    for (count, operation) in chip.operations(0).iter().enumerate() {
        let bytes = match operation {
            Operation::Write(_, bytes) => bytes.len(),
            Operation::Erase(_, length) => *length as usize,
        };
        for tear in [Tear::Before, Tear::Bytes(bytes / 3), Tear::Some(count as u64)] {
            let mut torn = memory.clone();
            torn.apply(operation, tear);
            let least = flushed.iter().rev().find(|(operations, _)| *operations <= count).map_or(0, |mark| mark.1);
            let logs = logs(&torn);
            let found = logs.first().map_or(&[][..], |(_, bytes)| bytes);
            assert!(found.len() >= least as usize, "operation {count}, {tear:?}: {} of {least} bytes", found.len());
            assert!(whole.starts_with(found), "operation {count}, {tear:?}");
            // What is flushed ends with a frame.
            let until_flush = sessions(&whole[..least as usize]);
            let all = sessions_of(found, true);
            let of = |sessions: &[flight::Session]| sessions.iter().flat_map(iterations).collect::<Vec<_>>();
            assert!(of(&all).starts_with(&of(&until_flush)));
            assert!(of(&all).into_iter().eq((0..).step_by(2).take(of(&all).len())));
            if least > 0 {
                shortest = shortest.min(found.len());
                assert_eq!(logs[0].0, "00000001.BBL");
            }
        }
        memory.apply(operation, Tear::After);
    }
    assert!(shortest < whole.len() / 2);
}

#[test]
fn a_log_that_overwrites_its_beginning_gets_its_header_back() {
    let (chip, ring) = (Chip::blank(1 << 16), ring());
    let mut flash = FlashLog::new(chip.clone(), Options { when_full: WhenFull::Overwrite, ..OPTIONS });
    let mut drain = ring.drain().expect("the only drain");
    let accepted = fly(ring, 0..20_000, || flash.run(&mut drain).expect("the chip works"));
    ring.stop();
    flash.finish(&mut drain).expect("the chip works");
    let memory = chip.memory();
    let image = Image::new(memory.bytes()).expect("a log");
    assert!(image.logs()[0].lacks_preamble());
    let image = image.with_preamble(Flight::HEADER.as_bytes());
    let [log] = image.logs() else { panic!("one log") };
    let bytes = log.bytes();
    assert!(bytes.starts_with(Flight::HEADER.as_bytes()) && log.preamble_bytes() == Flight::HEADER.len());
    assert_eq!(log.file_name(), "00000001.BBL");
    // As the target does.
    let mut extracted = Vec::new();
    let pass = |bytes: &[u8]| {
        extracted.extend_from_slice(bytes);
        ControlFlow::Continue(())
    };
    flash.extract(1, Preamble::of::<Flight>(), pass).expect("the chip works");
    assert!(extracted == bytes);
    // Whole from the first I frame on.
    let [session] = &sessions_of(&bytes, true)[..] else { panic!("one session") };
    let read = iterations(session);
    assert_eq!(session.main[0].1, b'I');
    assert!(accepted.ends_with(&read) && read.len() > 1000, "{} frames", read.len());
    // Another log of the same firmware gives the header, too, and no more of its beginning.
    let whole = [Flight::HEADER.as_bytes(), b"H Craft name:another\n", b"I"].concat();
    let image = Image::new(memory.bytes()).expect("a log").with_preamble(&whole);
    assert!(image.logs()[0].bytes() == bytes);
}

#[test]
fn frames_that_outlived_a_reset_are_a_log_of_their_own() {
    let chip = Chip::blank(1 << 18);
    // SAFETY: it is claimed before anything else is done with it, and again where the next boot begins.
    let ring: &'static Retained<Flight, 4096> = Box::leak(Box::new(unsafe { Retained::new() }));
    ring.claim(Reset::PowerOn);
    ring.start(now);
    assert!(ring.log(&slow(5)));
    for iteration in 0..20 {
        ring.log(&main(iteration));
    }
    assert!(matches!(ring.claim(Reset::Watchdog), Claim::Warm { records: 11, .. }));
    ring.start(now);
    for iteration in 0..6 {
        ring.log(&main(iteration));
    }
    let mut flash = FlashLog::new(chip.clone(), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    for _ in 0..10 {
        flash.run(&mut drain).expect("the chip works");
    }
    ring.stop();
    flash.finish(&mut drain).expect("the chip works");
    let logs = logs(&chip.memory());
    let sessions: Vec<_> = logs.iter().flat_map(|(_, log)| sessions(log)).collect();
    let read: Vec<_> = sessions.iter().map(|session| (iterations(session), session.slow.clone())).collect();
    assert_eq!(read, [((0..20).step_by(2).collect(), vec![5]), (vec![0, 2, 4], vec![])]);
    assert!(String::from_utf8_lossy(&logs[0].1).contains("H Note 1:Recovered after a watchdog reset: 11 records, "));
}
