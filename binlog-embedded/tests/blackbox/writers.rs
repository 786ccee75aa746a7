//! Writers that take a part of a buffer, nothing, or fail; drains that are dropped.

use crate::file::File;
use crate::flight::{Flight, INTERVALS, Main, Session, Slow, iterations, main, sessions, sessions_of, slow};
use binlog::blackbox::Event;
use binlog_embedded::Logger;
use embedded_io::{ErrorKind, ErrorType, Write};
use proptest::prelude::*;

/// What a call of `write` does.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    Takes(usize),
    TakesNothing,
    Fails,
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![4 => (1..300usize).prop_map(Outcome::Takes), 1 => Just(Outcome::TakesNothing), 1 => Just(Outcome::Fails)]
}

/// A writer whose next calls have these outcomes, the last one first; then it takes all.
#[derive(Default)]
struct Fickle {
    bytes: Vec<u8>,
    outcomes: Vec<Outcome>,
    /// Polls of an asynchronous call before its outcome.
    #[cfg(feature = "async")]
    delays: Vec<usize>,
}

impl Fickle {
    fn take(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        let most = match self.outcomes.pop() {
            None => usize::MAX,
            Some(Outcome::Takes(most)) => most,
            Some(Outcome::TakesNothing) => 0,
            Some(Outcome::Fails) => return Err(ErrorKind::TimedOut),
        };
        let taken = bytes.len().min(most);
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }
}

impl ErrorType for Fickle {
    type Error = ErrorKind;
}

impl Write for Fickle {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        self.take(bytes)
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

/// Frames and events that were accepted.
#[derive(Default)]
struct Accepted {
    main: Vec<u32>,
    events: Vec<Event>,
    /// Main frames that have a place in the log and were not accepted.
    refused: u32,
}

impl Accepted {
    /// Logs one iteration, and now and then a slow frame and an event.
    fn fly(&mut self, logger: &Logger<Flight, 512>, iteration: u32) {
        if iteration % 50 == 3 {
            logger.log(&slow(iteration));
        }
        let event = Event::SyncBeep { time: iteration };
        if iteration % 20 == 7 && logger.event(&event) {
            self.events.push(event);
        }
        match logger.log(&main(iteration)) {
            true => self.main.push(iteration),
            false => self.refused += u32::from(INTERVALS.kind_of(iteration).is_some()),
        }
    }

    /// Asserts that a finished file has one session with all of them.
    fn check(&self, logger: &Logger<Flight, 512>, file: &[u8]) {
        let [session] = &sessions(file)[..] else { panic!("one session") };
        assert_eq!(iterations(session), self.main);
        let (last, events) = session.events.split_last().expect("the end");
        assert_eq!((last, events), (&Event::End { disarm_reason: None }, &self.events[..]));
        let tally = logger.tally::<Main>();
        assert_eq!((tally.dropped, tally.lost, tally.written), (self.refused, 0, self.main.len() as u32));
    }
}

proptest! {
    #[test]
    fn a_writer_may_take_parts_or_nothing_and_fail(outcomes in prop::collection::vec(outcome(), 1..400)) {
        let logger = Logger::<Flight, 512>::new();
        logger.start(|| 0);
        let mut drain = logger.drain().expect("the only drain");
        let (mut accepted, mut file) = (Accepted::default(), Fickle::default());
        for (iteration, &outcome) in (0..).zip(&outcomes) {
            accepted.fly(&logger, iteration);
            let failed = matches!(outcome, Outcome::Fails);
            file.outcomes.push(outcome);
            let step = drain.step(&mut file);
            // Nothing waited, so the outcome is another step's.
            prop_assert_eq!(step.is_err(), failed && file.outcomes.is_empty());
            file.outcomes.clear();
        }
        prop_assert!(drain.finish(&mut file).unwrap());
        accepted.check(&logger, &file.bytes);
        prop_assert!(drain.counts().missing <= accepted.refused);
    }

    /// A drain that is dropped anywhere: what it wrote whole is in its file, the record that it was writing is lost,
    /// and the next drain continues.
    #[test]
    fn another_drain_goes_on_where_a_drain_was_dropped(takes in prop::collection::vec(1..400usize, 0..12)) {
        let logger = Logger::<Flight, 512>::new();
        logger.start(|| 0);
        let mut accepted = Accepted::default();
        (0..30).for_each(|iteration| accepted.fly(&logger, iteration));
        let (mut first, mut second) = (File { takes, ..File::default() }, File::default());
        {
            let mut drain = logger.drain().expect("the only drain");
            while !first.takes.is_empty() && drain.step(&mut first).unwrap() > 0 {}
        }
        (30..60).for_each(|iteration| accepted.fly(&logger, iteration));
        let mut drain = logger.drain().expect("the only drain");
        prop_assert!(drain.finish(&mut second).unwrap());
        let sessions: Vec<Session> =
            [sessions_of(&first.bytes, true), sessions(&second.bytes)].into_iter().flatten().collect();
        let read: Vec<u32> = sessions.iter().flat_map(iterations).collect();
        let lost = accepted.main.iter().filter(|iteration| !read.contains(iteration)).count() as u32;
        let (main, slow) = (logger.tally::<Main>(), logger.tally::<Slow>());
        // An I frame may be whole, and the slow frame that belongs to its record torn.
        prop_assert!(lost <= main.lost && main.lost + slow.lost <= 1, "{lost}, {main:?}, {slow:?}");
        prop_assert!(accepted.main.iter().filter(|iteration| read.contains(iteration)).eq(&read));
        prop_assert_eq!(sessions.last().and_then(|session| session.main.first()).map(|main| main.1), Some(b'I'));
    }
}

#[cfg(feature = "async")]
mod asynchronous {
    use super::*;
    use core::future::{Future, poll_fn};
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};

    impl embedded_io_async::Write for Fickle {
        async fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
            let mut delay = self.delays.pop().unwrap_or(0);
            poll_fn(|_| match delay.checked_sub(1) {
                Some(left) => {
                    delay = left;
                    Poll::Pending
                }
                None => Poll::Ready(self.take(bytes)),
            })
            .await
        }

        async fn flush(&mut self) -> Result<(), ErrorKind> {
            Ok(())
        }
    }

    /// Polls at most `times` times, and then drops the future.
    fn poll<T>(future: impl Future<Output = T>, times: usize) -> Option<T> {
        let mut future = pin!(future);
        (0..times).find_map(|_| match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        })
    }

    proptest! {
        /// Each future is dropped after some polls, whether the writer was asked or not.
        #[test]
        fn dropped_futures_lose_nothing(
            calls in prop::collection::vec((outcome(), 0..4usize, 0..4usize, any::<bool>()), 1..300),
        ) {
            let logger = Logger::<Flight, 512>::new();
            logger.start(|| 0);
            let mut drain = logger.drain().expect("the only drain");
            let (mut accepted, mut file) = (Accepted::default(), Fickle::default());
            for (iteration, (outcome, delay, polls, runs)) in (0..).zip(calls) {
                accepted.fly(&logger, iteration);
                (file.outcomes, file.delays) = (vec![outcome], vec![delay]);
                if runs {
                    let _ = poll(drain.run(&mut file, 100), polls);
                } else {
                    let _ = poll(drain.step_async(&mut file), polls);
                }
            }
            (file.outcomes, file.delays) = (Vec::new(), Vec::new());
            // Also at the end, once it was dropped in each of its writes.
            while poll(drain.finish_async(&mut file), 2).is_none() {
                file.delays = vec![3, 0, 0];
                let _ = poll(drain.finish_async(&mut file), 2);
                file.delays.clear();
            }
            accepted.check(&logger, &file.bytes);
        }
    }
}
