//! Through logger and drain: what was accepted is in the log, and what wasn't is a gap that the log shows.

use crate::file::File;
use crate::flight::{Flight, INTERVALS, Main, Session, Slow, iterations, main, sessions, sessions_of, slow};
use binlog::blackbox::{BlackboxSchema, Event, HeaderLine, InvalidLine};
use binlog_embedded::{Budget, Drain, Logger};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Call {
    /// Iterations of the control loop, all of which are logged.
    Fly(u32),
    /// Iterations that aren't.
    Skip(u32),
    Slow(u32),
    Event,
    /// Steps of the drain, the writer taking at most this number of bytes each time.
    Drain(Vec<usize>),
    Finish,
    Restart,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        4 => (1..40u32).prop_map(Call::Fly),
        1 => (1..9000u32).prop_map(Call::Skip),
        1 => (0..3u32).prop_map(Call::Slow),
        1 => Just(Call::Event),
        4 => prop::collection::vec(1..200usize, 1..40).prop_map(Call::Drain),
        1 => Just(Call::Finish),
        1 => Just(Call::Restart),
    ]
}

proptest! {
    /// Of any calls, with a ring that is often full and a writer that takes little at a time.
    #[test]
    fn the_logs_have_all_frames_that_were_accepted_and_not_lost(calls in prop::collection::vec(call(), 1..60)) {
        let logger = Logger::<Flight, 512>::new();
        logger.start(|| 0);
        let mut drain = logger.drain().expect("the only drain");
        let (mut files, mut accepted) = (vec![File::default()], Vec::new());
        let (mut iteration, mut refused, mut thinned) = (0, 0, 0);
        for call in calls.into_iter().chain([Call::Finish]) {
            match call {
                Call::Fly(iterations) => {
                    for _ in 0..iterations {
                        match (logger.log(&main(iteration)), INTERVALS.kind_of(iteration)) {
                            (true, Some(_)) => accepted.push(iteration),
                            (false, Some(_)) => refused += 1,
                            (taken, None) => {
                                prop_assert!(!taken);
                                thinned += 1;
                            }
                        }
                        iteration += 1;
                    }
                }
                Call::Skip(iterations) => iteration += iterations,
                Call::Slow(flags) => {
                    logger.log(&slow(flags));
                }
                Call::Event => {
                    logger.event(&Event::SyncBeep { time: iteration });
                }
                Call::Drain(takes) => {
                    let file = files.last_mut().expect("a file");
                    file.takes = takes;
                    while !file.takes.is_empty() && drain.step(file).unwrap() > 0 {}
                    file.takes.clear();
                }
                Call::Finish => prop_assert!(drain.finish(files.last_mut().expect("a file")).unwrap()),
                Call::Restart => {
                    drain.flush(files.last_mut().expect("a file")).unwrap();
                    drain.restart();
                    files.push(File::default());
                }
            }
        }
        let tally = logger.tally::<Main>();
        prop_assert_eq!((tally.dropped, tally.decimated), (refused, thinned));
        prop_assert_eq!(logger.statistics().used, 0);
        let last = files.len() - 1;
        let sessions: Vec<Session> =
            files.iter().enumerate().flat_map(|(i, file)| sessions_of(&file.bytes, i < last)).collect();
        let read: Vec<u32> = sessions.iter().flat_map(iterations).collect();
        // A restart tears the record that is being written, and counts it as lost. If it tears the slow frame after an
        // I frame, which come from one record, the I frame can be read all the same.
        let lost: Vec<u32> = accepted.iter().copied().filter(|iteration| read.binary_search(iteration).is_err()).collect();
        let torn_behind = (tally.lost as usize).checked_sub(lost.len());
        prop_assert!(torn_behind.is_some_and(|torn| torn <= last), "{} of {} lost", tally.lost, lost.len());
        prop_assert_eq!(tally.written as usize + torn_behind.unwrap_or(0), read.len());
        accepted.retain(|iteration| lost.binary_search(iteration).is_err());
        prop_assert_eq!(&read, &accepted);
        for session in &sessions {
            let mut next = None;
            for &(iteration, letter) in &session.main {
                // The first frame, and each after a gap, stands alone.
                let follows = next.is_some_and(|next| INTERVALS.logged_between(next, iteration) == 0);
                prop_assert!(follows || letter == b'I', "{} is {}", iteration, char::from(letter));
                next = Some(iteration);
            }
        }
    }
}

#[test]
fn a_dropped_main_frame_is_counted_and_an_i_frame_follows() {
    let logger = Logger::<Flight, 512>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    let mut file = File::default();
    for iteration in (0..100).step_by(2) {
        // From iteration 20 on, the card is busy until 60.
        if !(20..60).contains(&iteration) {
            drain.catch_up(&mut file).unwrap();
        }
        logger.log(&main(iteration));
    }
    assert!(drain.finish(&mut file).unwrap());
    let dropped = logger.tally::<Main>().dropped;
    assert!(dropped > 0);
    assert_eq!((drain.counts().gaps, drain.counts().missing), (1, dropped));
    let [session] = &sessions(&file.bytes)[..] else { panic!("one session") };
    assert_eq!(session.main.len() as u32, 50 - dropped);
    let gap = session.main.windows(2).find(|pair| pair[1].0 - pair[0].0 > 2).expect("a gap");
    assert_eq!((gap[1].0 - gap[0].0) / 2 - 1, dropped);
    assert_eq!(gap[1].1, b'I');
    assert!(gap[1].0 % 16 != 0, "it would have been a P frame");
}

#[test]
fn a_finished_log_goes_on_with_another_session() {
    let logger = Logger::<Flight, 1024>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    let mut file = File::default();
    for first in [0, 1001] {
        if first == 0 {
            logger.log(&slow(7));
        }
        for iteration in first..first + 20 {
            logger.log(&main(iteration));
        }
        assert!(drain.finish(&mut file).unwrap());
        // Nothing is left to end.
        assert!(drain.finish(&mut file).unwrap());
    }
    let sessions = sessions(&file.bytes);
    assert_eq!(sessions.len(), 2);
    for (session, first) in sessions.iter().zip([0, 1002]) {
        assert_eq!(session.main[0], (first, b'I'));
        assert_eq!(session.main.len(), 10);
        assert_eq!(session.slow, [7], "each session says what the slow state is");
        assert!(matches!(session.events[..], [Event::End { .. }]));
    }
}

#[test]
fn event_of_the_program_neither_hides_nor_breaks_frames() {
    let logger = Logger::<Flight, 4096>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    let mut file = File::default();
    for iteration in 0..4 {
        logger.log(&main(iteration));
    }
    assert!(!logger.event(&Event::End { disarm_reason: None }));
    assert!(!logger.event(&Event::Unknown { id: 10 }));
    let resume = Event::Resume { iteration: 4, time: 4000 };
    assert!(logger.event(&resume));
    for iteration in 4..8 {
        logger.log(&main(iteration));
    }
    assert!(drain.finish(&mut file).unwrap());
    let [session] = &sessions(&file.bytes)[..] else { panic!("one session") };
    assert_eq!(session.main, [(0, b'I'), (2, b'P'), (4, b'I'), (6, b'P')]);
    assert_eq!(session.events, [resume, Event::End { disarm_reason: None }]);
    assert_eq!(drain.counts().events, 2);
}

#[test]
fn file_after_a_lost_one_begins_with_a_header_and_an_i_frame() {
    let logger = Logger::<Flight, 1024>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    let (mut lost, mut file) = (File::default(), File::default());
    logger.log(&slow(2));
    (0..10).for_each(|iteration| assert_eq!(logger.log(&main(iteration)), iteration % 2 == 0));
    drain.catch_up(&mut lost).unwrap();
    drain.restart();
    assert_eq!((logger.tally::<Main>().lost, logger.tally::<Slow>().lost), (5, 1));
    (10..20).for_each(|iteration| assert_eq!(logger.log(&main(iteration)), iteration % 2 == 0));
    assert!(drain.finish(&mut file).unwrap());
    let [session] = &sessions(&file.bytes)[..] else { panic!("one session") };
    assert_eq!(session.main[0], (10, b'I'));
    assert_eq!(iterations(session), [10, 12, 14, 16, 18]);
    assert_eq!(session.slow, [2]);
}

#[test]
fn the_prologue_has_header_lines() {
    let lines = |i: usize| -> Option<HeaderLine> {
        let line = match i {
            0 => HeaderLine::new("Craft name", "Mockingbird"),
            1 => HeaderLine::new("vbatref", 1600 + i),
            2 => HeaderLine::new("minthrottle", 1070),
            3 => HeaderLine::new("motorOutput", "158,2047"),
            // It would follow `motorOutput`.
            4 => HeaderLine::new("minthrottle", 1100),
            _ => return None,
        };
        Some(line.expect("a line"))
    };
    let logger = Logger::<Flight, 1024>::new();
    logger.start(|| 0);
    let mut drain: Drain<'_, Flight, 1024, _> = logger.drain().expect("the only drain").with_prologue(lines);
    let mut file = File { takes: vec![7; 2000], ..File::default() };
    logger.log(&main(0));
    assert!(drain.finish(&mut file).unwrap());
    // That with the name of a line of the schema takes its place.
    let of_schema = Flight::HEADER.replace("H vbatref:1680\n", "H vbatref:1601\n");
    let lines = "H Craft name:Mockingbird\nH minthrottle:1070\nH motorOutput:158,2047\n";
    let header = [&of_schema, lines].concat();
    assert!(file.bytes.starts_with(header.as_bytes()) && file.bytes[header.len()] == b'I');
    assert_eq!(iterations(&sessions(&file.bytes)[0]), [0]);
}

#[test]
fn lines_that_would_break_a_header_are_refused() {
    for (name, value) in [("a:b", "1"), ("", "1"), ("name", "two\nlines"), ("Field I name", "time"), ("vbatref", "x")] {
        assert!(matches!(HeaderLine::new(name, value), Err(InvalidLine::Header(_))), "{name}");
    }
    assert!(matches!(HeaderLine::new("name", "x".repeat(250)), Err(InvalidLine::TooLong)));
}

// A ring for 100 ms without the card.
const _: () =
    Budget::<Flight>::new().at_most("main", 500).at_most("slow", 5).at_most("event", 5).lasts::<32768>(100_000);
