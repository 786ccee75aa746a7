//! Slow, GPS and home frames before the first main frame: each is in the log, or counted as lost.

use crate::file::File;
use crate::flight::{Main, Slow, main, slow};
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxFrame, BlackboxLog, BlackboxSchema, Event};
use binlog_embedded::{Logger, Tally};
use proptest::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(gps)]
#[repr(C)]
struct Fix {
    time: u32,
    gps_coord: [i32; 2],
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(home)]
#[repr(C)]
struct Home {
    gps_home: [i32; 2],
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 16, p_rate = "1/2", header("looptime" = "1000", "vbatref" = "1680"))]
enum GpsFlight {
    Main(Main),
    Slow(Slow),
    Gps(Fix),
    Home(Home),
}

fn fix(number: u32) -> Fix {
    Fix { time: 1000 * number, gps_coord: [480_000_000 + number as i32, 90_000_000] }
}

/// The letters of a log's frames and events, a dash between sessions.
fn letters(bytes: &[u8]) -> String {
    let log = BlackboxLog::from_bytes(bytes);
    let sessions = log.sessions().map(|session| {
        let (mut frames, mut letters) = (session.frames(), String::new());
        while let Some(item) = frames.next() {
            letters.push(match item {
                Item::Frame(frame) => char::from(frame.letter()),
                Item::Event { .. } => 'E',
                Item::Lost(lost) => panic!("{lost}"),
            });
        }
        letters
    });
    sessions.collect::<Vec<_>>().join("-")
}

fn written_and_lost(tally: Tally) -> (u32, u32) {
    (tally.written, tally.lost)
}

#[test]
fn last_frame_of_each_kind_is_logged_and_earlier_ones_are_lost() {
    let logger = Logger::<GpsFlight, 1024>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    let mut file = File::default();
    for i in 0..3 {
        assert!(logger.log(&fix(i)));
        // The first two are equal.
        assert!(logger.log(&slow(i / 2)));
        drain.catch_up(&mut file).unwrap();
    }
    assert!(logger.log(&Home { gps_home: [1, 2] }) && logger.log(&Home { gps_home: [480_000_000, 90_000_000] }));
    drain.catch_up(&mut file).unwrap();
    assert_eq!(written_and_lost(logger.tally::<Fix>()), (1, 2));
    assert_eq!(written_and_lost(logger.tally::<Slow>()), (1, 2));
    assert_eq!(written_and_lost(logger.tally::<Home>()), (1, 1));
    logger.log(&main(0));
    assert!(drain.finish(&mut file).unwrap());
    assert_eq!(letters(&file.bytes), "ISHGE");
    assert_eq!(drain.counts().unwritten, 5);
    assert_eq!(logger.statistics().lost, 5);
}

#[test]
fn a_session_that_ends_without_a_main_frame_loses_them() {
    for with_event in [false, true] {
        let logger = Logger::<GpsFlight, 1024>::new();
        logger.start(|| 0);
        let mut drain = logger.drain().expect("the only drain");
        let mut file = File::default();
        assert!(logger.log(&slow(7)) && logger.log(&fix(0)));
        if with_event {
            logger.event(&Event::SyncBeep { time: 0 });
        }
        assert!(drain.finish(&mut file).unwrap());
        assert_eq!(letters(&file.bytes), if with_event { "EE" } else { "" });
        assert_eq!(written_and_lost(logger.tally::<Slow>()), (0, 1));
        assert_eq!(written_and_lost(logger.tally::<Fix>()), (0, 1));
        // What flies next knows the slow state, which is older than it.
        logger.log(&main(0));
        assert!(drain.finish(&mut file).unwrap());
        assert_eq!(letters(&file.bytes), if with_event { "EE-ISE" } else { "ISE" });
        assert_eq!(logger.statistics().lost, 2);
    }
}

#[test]
fn a_drain_that_is_dropped_loses_them() {
    let logger = Logger::<GpsFlight, 1024>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    logger.log(&fix(0));
    drain.catch_up(&mut File::default()).unwrap();
    assert_eq!(written_and_lost(logger.tally::<Fix>()), (1, 0));
    drop(drain);
    assert_eq!(written_and_lost(logger.tally::<Fix>()), (0, 1));
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Main(u32),
    Fix,
    Slow(u32),
    Home(i32),
    Event,
    Drain,
    Flush,
    /// The file ends.
    Finish,
    /// The file is lost, up to what was flushed.
    Lose,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        1 => (1..20u32).prop_map(Call::Main),
        4 => Just(Call::Fix),
        3 => (0..2u32).prop_map(Call::Slow),
        2 => (0..2i32).prop_map(Call::Home),
        1 => Just(Call::Event),
        4 => Just(Call::Drain),
        2 => Just(Call::Flush),
        1 => Just(Call::Finish),
        2 => Just(Call::Lose),
    ]
}

proptest! {
    #[test]
    fn each_accepted_frame_is_in_the_log_or_counted(calls in prop::collection::vec(call(), 1..80)) {
        let logger = Logger::<GpsFlight, 2048>::new();
        logger.start(|| 0);
        let mut drain = logger.drain().expect("the only drain");
        let (mut kept, mut file, mut flushed) = (0, File::default(), 0);
        let (mut iteration, mut fixes, mut states, mut homes) = (0, 0, 0, 0);
        let fixes_in = |bytes: &[u8]| letters(bytes).chars().filter(|&letter| letter == 'G').count();
        for call in calls.into_iter().chain([Call::Finish]) {
            match call {
                Call::Main(count) => {
                    for iteration in iteration..iteration + count {
                        logger.log(&main(iteration));
                    }
                    iteration += count;
                }
                Call::Fix => fixes += u32::from(logger.log(&fix(iteration))),
                Call::Slow(flags) => states += u32::from(logger.log(&slow(flags))),
                Call::Home(home) => homes += u32::from(logger.log(&Home { gps_home: [480_000_000, home] })),
                Call::Event => {
                    logger.event(&Event::SyncBeep { time: 0 });
                }
                Call::Drain => {
                    drain.catch_up(&mut file).unwrap();
                }
                Call::Flush => {
                    drain.catch_up(&mut file).unwrap();
                    drain.flush(&mut file).unwrap();
                    flushed = file.bytes.len();
                }
                Call::Finish => {
                    prop_assert!(drain.finish(&mut file).unwrap());
                    flushed = file.bytes.len();
                }
                Call::Lose => {
                    drain.restart();
                    kept += fixes_in(&file.bytes[..flushed]);
                    (file, flushed) = (File::default(), 0);
                }
            }
        }
        kept += fixes_in(&file.bytes);
        let [of_fixes, of_states, of_homes] = [logger.tally::<Fix>(), logger.tally::<Slow>(), logger.tally::<Home>()];
        for (accepted, tally) in [(fixes, of_fixes), (states, of_states), (homes, of_homes)] {
            prop_assert_eq!(tally.written.wrapping_add(tally.lost), accepted);
            prop_assert_eq!(tally.unflushed, 0);
        }
        prop_assert_eq!(of_fixes.written as usize, kept);
    }
}
