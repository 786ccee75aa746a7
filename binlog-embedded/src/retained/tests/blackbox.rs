//! Frames of Blackbox that outlive a reset.

extern crate std;

use crate::Retained;
use crate::retained::{Claim, Reset};
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxFrame, BlackboxLog, BlackboxSchema, Event};
use core::mem::MaybeUninit;
use proptest::prelude::*;
use std::boxed::Box;
use std::vec::Vec;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Main {
    loop_iteration: u32,
    time: u32,
    /// Looks like the beginning of a record.
    debug: [i16; 4],
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "1000"))]
enum Flight {
    Main(Main),
}

const N: usize = 512;

type Log = Retained<Flight, N>;

fn main(loop_iteration: u32) -> Main {
    let debug = [i16::from_le_bytes(binlog::HEAD_BYTES), i16::from_le_bytes(*b"I\0"), 0, loop_iteration as i16];
    Main { loop_iteration, time: 1000 * loop_iteration, debug }
}

/// The iterations of a log's main frames, whose values are those that were logged.
fn iterations(file: &[u8]) -> Vec<u32> {
    let log = BlackboxLog::from_bytes(file);
    let mut read = Vec::new();
    for session in log.sessions() {
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            match item {
                Item::Frame(frame) => {
                    let expected = main(frame.values()[0]);
                    let debug = expected.debug.map(|value| i32::from(value) as u32);
                    assert_eq!(frame.values()[1], expected.time);
                    assert_eq!(frame.values()[2..], debug);
                    read.push(expected.loop_iteration);
                }
                Item::Event { event: Event::SyncBeep { .. } | Event::End { .. }, .. } => {}
                item => panic!("{item:?}"),
            }
        }
    }
    read
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 3 } else { 256 }))]

    /// The frames since the last flush, as far back as they are in the ring, and no others.
    #[test]
    fn whole_frames_outlive_a_reset(flushed in 0..40u32, passed in 0..40u32, waiting in 0..12u32) {
        let mut memory = Box::new(MaybeUninit::<Log>::uninit());
        // SAFETY: no byte of it has to be initialised, and it is claimed first.
        let log = unsafe { memory.assume_init_ref() };
        prop_assert_eq!(log.claim(Reset::PowerOn), Claim::Cold);
        log.start(|| 0);
        let mut iteration = 0;
        {
            let mut drain = log.drain().expect("the only drain");
            let mut file = Vec::new();
            for (part, iterations) in [flushed, passed, waiting].into_iter().enumerate() {
                for _ in 0..iterations {
                    prop_assert!(log.log(&main(iteration)));
                    iteration += 1;
                    if part < 2 {
                        drain.catch_up(&mut file).unwrap();
                    }
                }
                if part == 0 {
                    drain.flush(&mut file).unwrap();
                }
            }
        }
        // The next boot has the same bytes.
        let mut next = Box::new(MaybeUninit::<Log>::uninit());
        // SAFETY: both are as large, and nothing is assumed about the bytes.
        unsafe { next.as_mut_ptr().copy_from(memory.as_mut_ptr(), 1) };
        // SAFETY: as above.
        let log = unsafe { next.assume_init_ref() };
        let Claim::Warm { records, .. } = log.claim(Reset::Watchdog) else { panic!("a ring") };
        let mut drain = log.drain().expect("the only drain");
        let mut file = Vec::new();
        drain.catch_up(&mut file).unwrap();
        prop_assert_eq!(drain.ends_file(), records > 0);
        let read = iterations(&file);
        prop_assert_eq!(read.len() as u32, records);
        prop_assert!(records >= waiting && records <= passed + waiting);
        // A frame has 20 bytes in the ring. A record that is being logged may have overwritten some, and of those after
        // it the first boundary may not be certain.
        prop_assert!(records >= (passed + waiting).min(N as u32 / 20 / 2));
        let first = flushed + passed + waiting - records;
        prop_assert_eq!(read, (first..first + records).collect::<Vec<_>>());
        if records > 0 {
            let note = b"H Note 1:Recovered after a watchdog reset: ";
            prop_assert!(file.windows(note.len()).any(|part| part == note));
        }
    }
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(slow)]
#[repr(C)]
struct Slow {
    flight_mode_flags: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "1000"))]
enum SlowFlight {
    Main(Main),
    Slow(Slow),
}

/// A slow frame waits for the first I frame; the header is flushed meanwhile.
#[test]
fn a_frame_that_waits_outlives_a_reset() {
    let mut memory = Box::new(MaybeUninit::<Retained<SlowFlight, N>>::uninit());
    // SAFETY: no byte of it has to be initialised, and it is claimed first.
    let log = unsafe { memory.assume_init_ref() };
    assert_eq!(log.claim(Reset::PowerOn), Claim::Cold);
    log.start(|| 0);
    {
        let mut drain = log.drain().expect("the only drain");
        let mut file = Vec::new();
        assert!(log.log(&Slow { flight_mode_flags: 5 }));
        drain.catch_up(&mut file).unwrap();
        drain.flush(&mut file).unwrap();
        (0..3).for_each(|iteration| assert!(log.log(&main(iteration))));
        drain.catch_up(&mut file).unwrap();
    }
    let mut next = Box::new(MaybeUninit::<Retained<SlowFlight, N>>::uninit());
    // SAFETY: both are as large, and nothing is assumed about the bytes.
    unsafe { next.as_mut_ptr().copy_from(memory.as_mut_ptr(), 1) };
    // SAFETY: as above.
    let log = unsafe { next.assume_init_ref() };
    let claim = log.claim(Reset::Watchdog);
    assert!(matches!(claim, Claim::Warm { records: 4, .. }), "{claim:?}");
    let mut drain = log.drain().expect("the only drain");
    let mut file = Vec::new();
    drain.catch_up(&mut file).unwrap();
    let read = BlackboxLog::from_bytes(&file[..]);
    let tables = read.tables().remove(0);
    assert_eq!(tables.main().len(), 3);
    let slow = tables.table(b'S').expect("the slow frame");
    let flags = slow.column("flightModeFlags").expect("its column").to_f64(binlog::Scaling::Stored);
    assert_eq!(flags, [5.0]);
}

/// Frames whose fields have other widths, and the same names, signs and length in the ring.
#[test]
fn a_ring_of_other_widths_is_foreign() {
    macro_rules! flight {
        ($flight:ident, $frame:ident, $first:ty, $second:ty) => {
            #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
            #[blackbox(main)]
            #[repr(C, packed)]
            struct $frame {
                loop_iteration: u32,
                time: u32,
                debug: [$first; 1],
                height: [$second; 1],
            }

            #[derive(BlackboxSchema)]
            #[blackbox(header("looptime" = "1000"))]
            enum $flight {
                Main($frame),
            }
        };
    }
    flight!(Wide, WideFrame, u32, u16);
    flight!(Narrow, NarrowFrame, u16, u32);
    assert_eq!(Wide::HEADER, Narrow::HEADER);
    let mut memory = Box::new(MaybeUninit::<Retained<Wide, N>>::uninit());
    // SAFETY: no byte of it has to be initialised, and it is claimed first.
    let log = unsafe { memory.assume_init_ref() };
    log.claim(Reset::PowerOn);
    log.start(|| 0);
    assert!(log.log(&WideFrame { loop_iteration: 0, time: 0, debug: [1], height: [2] }));
    let mut next = Box::new(MaybeUninit::<Retained<Narrow, N>>::uninit());
    assert_eq!(size_of::<Retained<Wide, N>>(), size_of::<Retained<Narrow, N>>());
    // SAFETY: both are as large, and nothing is assumed about the bytes.
    unsafe { next.as_mut_ptr().cast::<u8>().copy_from(memory.as_mut_ptr().cast(), size_of::<Retained<Wide, N>>()) };
    // SAFETY: as above.
    assert_eq!(unsafe { next.assume_init_ref() }.claim(Reset::Software), Claim::Foreign);
}
