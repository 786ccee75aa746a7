//! Blackbox logs on a card: their names, power cuts, broken cards, resets.
#[path = "../../../binlog-embedded/tests/blackbox/flight.rs"]
mod flight;

use crate::fixture::{now, sd, wait};
use crate::promise::mount;
use binlog::blackbox::Event;
use binlog_embedded::retained::{Claim, Reset};
use binlog_embedded::sd_log::Options;
use binlog_embedded::{Logger, Retained};
use binlog_tests::ram_card::{RamCard, Word};
use binlog_tests::volume::{FileSystem, Geometry, Region, Volume};
use flight::{Flight, INTERVALS, Main, Session, Slow, iterations, main, sessions, slow};
use proptest::prelude::*;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

type Ring = Logger<Flight, 4096>;

const EACH: [Geometry; 3] = [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT];

const OPTIONS: Options = Options { flush_bytes: 1500, free_bytes: 0, ..Options::DEFAULT };

fn ring() -> &'static Ring {
    let ring: &Ring = Box::leak(Box::new(Logger::new()));
    ring.start(now);
    ring
}

/// The names and contents of the logs on the card.
fn logs(card: &RamCard) -> Vec<(String, Vec<u8>)> {
    let volume = Volume::of(card);
    let tree = volume.tree();
    let mut logs: Vec<_> = tree.files("LOGS").map(|file| (file.path.clone(), volume.contents(file))).collect();
    logs.sort();
    logs
}

/// The sessions of the logs on the card, none of which lacks a byte.
fn read(card: &RamCard) -> Vec<Session> {
    logs(card).iter().flat_map(|(_, log)| sessions(log)).collect()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return done;
        }
    }
}

#[test]
fn logs_are_named_by_their_format_however_the_card_was_found() {
    for (geometry, lists_before, is_async) in
        EACH.into_iter().flat_map(|geometry| [(geometry, false, false), (geometry, true, true)])
    {
        let card = geometry.format();
        let ring = ring();
        let mut drain = ring.drain().expect("the only drain");
        let mut log = sd(&card, OPTIONS);
        if lists_before {
            log.list(|log| panic!("{log:?}")).unwrap();
        }
        for iteration in 0..10 {
            ring.log(&main(iteration));
            match is_async {
                true => block_on(log.run_async(&mut drain)).unwrap(),
                false => log.run(&mut drain).unwrap(),
            }
        }
        log.finish(&mut drain).unwrap();
        let names: Vec<String> = logs(&card).into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["LOGS/00000001.BBL"], "{geometry:?}");
        let mut listed = Vec::new();
        let list = log.list(|log| {
            listed.push(log.number);
            ControlFlow::Continue(())
        });
        list.unwrap();
        assert_eq!(listed, [1]);
    }
}

#[test]
fn an_extension_of_the_program_stays() {
    let card = Geometry::FAT16.format();
    let ring = ring();
    let mut drain = ring.drain().expect("the only drain");
    let mut log = sd(&card, Options { extension: "TXT", ..OPTIONS });
    ring.log(&main(0));
    log.run(&mut drain).unwrap();
    log.finish(&mut drain).unwrap();
    assert_eq!(card.names("LOGS"), ["00000001.TXT"]);
}

/// Both formats count their logs by themselves.
#[test]
fn logs_of_the_other_format_stay() {
    let card = Geometry::FAT32.format();
    let bin = crate::fixture::ring();
    let mut drain = bin.drain().expect("the only drain");
    let mut log = sd(&card, OPTIONS);
    for number in 0..3 {
        assert!(crate::fixture::flight::log(bin, 1, number));
        log.run(&mut drain).unwrap();
        log.finish(&mut drain).unwrap();
    }
    let ring = ring();
    let mut drain = ring.drain().expect("the only drain");
    // The recorder makes room by removing old logs, but the card has none of this format.
    let mut log = sd(&card, Options { last_number: 2, ..OPTIONS });
    ring.log(&main(0));
    log.run(&mut drain).unwrap();
    log.finish(&mut drain).unwrap();
    let names = card.names("LOGS");
    assert_eq!(names, ["00000001.BBL", "00000001.BIN", "00000002.BIN", "00000003.BIN"]);
}

#[test]
fn each_log_has_a_header_an_i_frame_the_slow_state_and_an_end() {
    for geometry in EACH {
        let card = geometry.format();
        let ring = ring();
        let mut drain = ring.drain().expect("the only drain");
        let mut log = sd(&card, Options { log_bytes: 3000, ..OPTIONS });
        assert!(ring.log(&slow(3)));
        let mut expected = Vec::new();
        for iteration in 0..2000 {
            if ring.log(&main(iteration)) {
                expected.push(iteration);
            }
            if iteration % 7 == 0 {
                log.run(&mut drain).unwrap();
            }
        }
        ring.stop();
        log.finish(&mut drain).unwrap();
        let logs = logs(&card);
        assert!(logs.len() > 3);
        for (path, bytes) in &logs {
            let [session] = &sessions(bytes)[..] else { panic!("{path}: one session") };
            assert_eq!(session.main[0].1, b'I', "{path}");
            assert_eq!(session.slow, [3], "{path}");
            assert_eq!(session.events, [Event::End { disarm_reason: None }], "{path}");
        }
        assert_eq!(read(&card).iter().flat_map(iterations).collect::<Vec<_>>(), expected);
        // As the log wasn't interrupted, P frames would have continued.
        assert_eq!((drain.counts().gaps, drain.counts().missing), (0, 0));
    }
}

/// The power fails at any block: the log has what was flushed before, whole frames only.
#[test]
fn a_power_cut_anywhere_leaves_the_frames_that_were_flushed() {
    for geometry in EACH {
        let card = geometry.format();
        card.record();
        let ring = ring();
        let mut drain = ring.drain().expect("the only drain");
        let mut log = sd(&card, Options { extent_bytes: 24 << 10, ..OPTIONS });
        // Blocks that were written, and the bytes that were flushed by then.
        let mut flushed = vec![(0, 0)];
        for iteration in 0..700 {
            ring.log(&main(iteration));
            if iteration % 100 == 0 {
                ring.log(&slow(iteration));
            }
            if iteration % 5 == 0 {
                log.run(&mut drain).unwrap();
                wait(if iteration % 35 == 0 { OPTIONS.flush_us } else { 0 });
                let bytes = log.flushed_byte_count();
                if flushed.last() != Some(&(card.recorded(), bytes)) {
                    flushed.push((card.recorded(), bytes));
                }
            }
        }
        ring.stop();
        log.finish(&mut drain).unwrap();
        let whole = logs(&card).remove(0).1;
        assert_eq!(sessions(&whole)[0].main.len(), 350);
        let regions = Volume::of(&card).regions();
        let is_contents = |at| regions.of(at) == Region::Contents;
        let word = if Volume::of(&card).kind == FileSystem::Fat16 { Word::Two } else { Word::Four };
        let (mut seen, mut lengths) = (0, std::collections::BTreeSet::new());
        card.recording().moments(0..usize::MAX, word, is_contents, |moment, card| {
            seen += 1;
            if seen % crate::power_cuts::stride(5) != 0 {
                return;
            }
            let least = flushed.iter().rev().find(|(writes, _)| *writes <= moment.writes).map_or(0, |mark| mark.1);
            mount(&card, Options { extension: "BBL", ..OPTIONS }).unwrap();
            let logs = logs(&card);
            let bytes = logs.first().map_or(&[][..], |(_, bytes)| bytes);
            assert!(bytes.len() >= least as usize, "{geometry:?}, {moment:?}: {} of {least} bytes", bytes.len());
            assert!(whole.starts_with(bytes), "{geometry:?}, {moment:?}");
            // No part of a frame: this panics at a lost range.
            let sessions = sessions(bytes);
            let expected = sessions.first().map_or(Vec::new(), iterations);
            assert!(expected.iter().copied().eq((0..).step_by(2).take(expected.len())));
            lengths.insert(bytes.len());
        });
        assert!(lengths.len() > 10, "{geometry:?}: {seen} moments, logs of {lengths:?} bytes");
    }
}

#[derive(Clone, Debug)]
enum Call {
    Fly(u32),
    Slow(u32),
    Run,
    RunAsync,
    /// The future is dropped after this number of polls.
    Dropped(usize),
    Wait(u64),
    Rotate,
    Finish,
    BadWrites(u32),
    Pull,
    PutBack,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        8 => (1..120u32).prop_map(Call::Fly),
        1 => (0..3u32).prop_map(Call::Slow),
        8 => Just(Call::Run),
        3 => Just(Call::RunAsync),
        3 => (1..9usize).prop_map(Call::Dropped),
        3 => (0..2_000_000u64).prop_map(Call::Wait),
        1 => Just(Call::Rotate),
        1 => Just(Call::Finish),
        1 => (1..3u32).prop_map(Call::BadWrites),
        1 => Just(Call::Pull),
        2 => Just(Call::PutBack),
    ]
}

fn live(geometry: Geometry, calls: &[Call]) -> Result<(), TestCaseError> {
    let card = geometry.format();
    let ring = ring();
    let mut drain = ring.drain().expect("the only drain");
    let mut log = sd(&card, Options { log_bytes: 9000, ..OPTIONS });
    let (mut iteration, mut accepted, mut refused, mut thinned) = (0, 0, 0, 0);
    for call in calls {
        match *call {
            Call::Fly(iterations) => {
                for _ in 0..iterations {
                    match (ring.log(&main(iteration)), INTERVALS.kind_of(iteration)) {
                        (true, _) => accepted += 1,
                        (false, Some(_)) => refused += 1,
                        (false, None) => thinned += 1,
                    }
                    iteration += 1;
                }
            }
            Call::Slow(flags) => {
                ring.log(&slow(flags));
            }
            Call::Run => drop(log.run(&mut drain)),
            Call::RunAsync => drop(block_on(log.run_async(&mut drain))),
            Call::Dropped(polls) => {
                let mut run = pin!(log.run_async(&mut drain));
                for _ in 0..polls {
                    if run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
                        break;
                    }
                }
            }
            Call::Wait(us) => wait(us),
            Call::Rotate => log.rotate(),
            Call::Finish => drop(log.finish(&mut drain)),
            Call::BadWrites(count) => card.fail_writes(count),
            Call::Pull => card.pull(),
            Call::PutBack => card.put_back(),
        }
    }
    card.put_back();
    card.fail_writes(0);
    wait(2_000_000);
    ring.stop();
    // The first attempt may be that of a card that was taken out.
    let _ = log.finish(&mut drain);
    log.finish(&mut drain).map_err(|error| TestCaseError::fail(error.to_string()))?;

    // The next boot mends what a card that was pulled has.
    mount(&card, Options { extension: "BBL", ..OPTIONS }).map_err(TestCaseError::fail)?;
    Volume::of(&card).check().assert_clean(format!("{geometry:?}"));
    let sessions = read(&card);
    let on_card: usize = sessions.iter().map(|session| session.main.len()).sum();
    let tally = ring.tally::<Main>();
    prop_assert_eq!((tally.dropped, tally.decimated, tally.ignored), (refused, thinned, 0));
    prop_assert_eq!(tally.written + tally.lost, accepted);
    // A card that was pulled, or failed, in the middle of a flush may have frames of it, which count as lost.
    prop_assert!((tally.written..=accepted).contains(&(on_card as u32)), "{} on the card, {:?}", on_card, tally);
    let is_sound = !calls.iter().any(|call| matches!(call, Call::BadWrites(_) | Call::Pull));
    prop_assert!(tally.lost == 0 || !is_sound, "{:?}", tally);
    prop_assert_eq!(ring.statistics().used, 0);
    let read: Vec<u32> = sessions.iter().flat_map(iterations).collect();
    prop_assert!(read.is_sorted_by(|before, after| before < after));
    for session in &sessions {
        for pair in session.main.windows(2) {
            let missing = INTERVALS.logged_between(pair[0].0, pair[1].0);
            prop_assert!(missing == 0 || pair[1].1 == b'I', "{} frames before {}", missing, pair[1].0);
        }
        prop_assert!(session.main.first().is_none_or(|first| first.1 == b'I'));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// After any fault of the card, its logs are whole, and have what counts as written.
    #[test]
    fn frames_are_on_the_card_or_counted(
        kind in 0..3usize,
        calls in prop::collection::vec(call(), 1..80),
    ) {
        live(EACH[kind], &calls)?;
    }
}

type Kept = Retained<Flight, 4096>;

/// The frames that a reset left in the ring are a log of their own. The log of the next boot begins without the state
/// of the boot before.
#[test]
fn recovered_frames_are_a_log_of_their_own() {
    for geometry in EACH {
        let card = geometry.format();
        // SAFETY: it is claimed before anything else is done with it, and again where the next boot begins.
        let ring: &'static Kept = Box::leak(Box::new(unsafe { Retained::new() }));
        ring.claim(Reset::PowerOn);
        ring.start(now);
        let mut drain = ring.drain().expect("the only drain");
        let mut log = sd(&card, OPTIONS);
        assert!(ring.log(&slow(9)));
        let fly = |iterations: std::ops::Range<u32>| {
            for iteration in iterations {
                ring.log(&main(iteration));
            }
        };
        fly(0..40);
        log.run(&mut drain).unwrap();
        wait(OPTIONS.flush_us);
        log.run(&mut drain).unwrap();
        // These are in the buffer for the card, and these in the ring.
        fly(40..60);
        log.run(&mut drain).unwrap();
        assert!(ring.log(&slow(7)));
        fly(60..80);
        drop((drain, log));

        let claim = ring.claim(Reset::Watchdog);
        assert!(matches!(claim, Claim::Warm { records: 21, overwritten: 0, .. }), "{claim}");
        ring.start(now);
        fly(0..20);
        let mut drain = ring.drain().expect("the only drain of this boot");
        let mut log = sd(&card, OPTIONS);
        log.run(&mut drain).unwrap();
        ring.stop();
        log.finish(&mut drain).unwrap();

        let logs = logs(&card);
        let names: Vec<&str> = logs.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(names, ["LOGS/00000001.BBL", "LOGS/00000002.BBL", "LOGS/00000003.BBL"], "{geometry:?}");
        let note = "H Note 1:Recovered after a watchdog reset: 21 records, ";
        assert!(String::from_utf8_lossy(&logs[1].1).contains(note));
        let sessions = read(&card);
        let flown = |from: u32, to: u32| (from..to).step_by(2).collect::<Vec<_>>();
        assert_eq!(sessions.iter().map(iterations).collect::<Vec<_>>(), [flown(0, 40), flown(40, 80), flown(0, 20)]);
        assert_eq!(sessions.iter().map(|session| &session.slow[..]).collect::<Vec<_>>(), [&[9][..], &[7], &[]]);
        assert_eq!(ring.tally::<Slow>().written, 1);
        assert_eq!(drain.counts().slow_frames, 1);
    }
}
