//! The producer wakes the drain of an asynchronous writer, and cancelling the drain loses nothing.
#![cfg(all(feature = "async", not(loom)))]

mod flight;

use binlog::LogSchema;
use binlog_embedded::retained::{Claim, Reset};
use binlog_embedded::{Logger, Retained};
use core::convert::Infallible;
use core::future::Future;
use core::pin::pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll};
use embedded_io::ErrorType;
use embedded_io_async::Write;
use flight::{Flight, numbers};
use std::sync::Arc;
use std::task::Wake;

/// Counts its wake-ups, and logs in each one, as an executor's code may.
struct Waker {
    woken: AtomicUsize,
    logger: Option<Arc<Logger<Flight, 512>>>,
}

impl Wake for Waker {
    fn wake(self: Arc<Self>) {
        self.woken.fetch_add(1, Ordering::Relaxed);
        if let Some(logger) = &self.logger {
            flight::log(logger, 0, 1000);
        }
    }
}

/// A writer that isn't ready every other time, and accepts nothing then.
#[derive(Default)]
struct Uart {
    bytes: Vec<u8>,
    polls: usize,
}

impl ErrorType for Uart {
    type Error = Infallible;
}

impl Write for Uart {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        core::future::poll_fn(|_| {
            self.polls += 1;
            if self.polls % 2 == 1 {
                return Poll::Pending;
            }
            let taken = bytes.len().min(7);
            self.bytes.extend_from_slice(&bytes[..taken]);
            Poll::Ready(Ok(taken))
        })
        .await
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

fn poll_once<T>(future: impl Future<Output = T>, waker: &Arc<Waker>) -> Poll<T> {
    pin!(future).poll(&mut Context::from_waker(&waker.clone().into()))
}

#[test]
fn a_record_wakes_the_drain() {
    let logger = Arc::new(Logger::<Flight, 512>::new());
    logger.start(|| 0);
    let waker = Arc::new(Waker { woken: AtomicUsize::new(0), logger: Some(logger.clone()) });
    let mut drain = logger.drain().unwrap();
    // The preamble is waiting to be written.
    assert!(poll_once(drain.ready(), &waker).is_ready());
    let mut uart = Uart::default();
    while uart.bytes.len() < Flight::PREAMBLE.len() {
        let _ = poll_once(drain.step_async(&mut uart), &waker);
    }
    assert!(poll_once(drain.step_async(&mut uart), &waker).is_ready());
    assert!(poll_once(drain.ready(), &waker).is_pending());
    assert_eq!(waker.woken.load(Ordering::Relaxed), 0);
    assert!(flight::log(&logger, 1, 1));
    assert_eq!(waker.woken.load(Ordering::Relaxed), 1);
    // Once only: nothing waits any more.
    assert!(flight::log(&logger, 1, 2));
    assert_eq!(waker.woken.load(Ordering::Relaxed), 1);
    assert!(poll_once(drain.ready(), &waker).is_ready());
}

#[test]
fn a_cancelled_step_loses_nothing() {
    let logger = Arc::new(Logger::<Flight, 512>::new());
    logger.start(|| 0);
    let waker = Arc::new(Waker { woken: AtomicUsize::new(0), logger: None });
    let mut drain = logger.drain().unwrap();
    let mut uart = Uart::default();
    let mut logged = Vec::new();
    for number in 0..if cfg!(miri) { 10 } else { 100 } {
        if flight::log(&logger, number as usize % 5, number) {
            logged.push((number as usize % 5, number));
        }
        // Every future is dropped after a single poll.
        for _ in 0..40 {
            let _ = poll_once(drain.step_async(&mut uart), &waker);
        }
    }
    while logger.statistics().used > 0 {
        assert!(poll_once(drain.run(&mut uart, 64), &waker).is_pending());
    }
    assert_eq!(numbers(&uart.bytes), logged);
}

/// Takes nothing.
struct Busy;

impl ErrorType for Busy {
    type Error = Infallible;
}

impl Write for Busy {
    async fn write(&mut self, _: &[u8]) -> Result<usize, Infallible> {
        Ok(0)
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[test]
fn a_writer_that_takes_nothing_leaves_the_executor_to_other_tasks() {
    let logger = Arc::new(Logger::<Flight, 512>::new());
    logger.start(|| 0);
    let waker = Arc::new(Waker { woken: AtomicUsize::new(0), logger: None });
    let mut drain = logger.drain().unwrap();
    assert!(flight::log(&logger, 1, 1));
    let mut busy = Busy;
    let mut run = pin!(drain.run(&mut busy, 64));
    for tries in 1..4 {
        // It returns to the executor, and asks to be polled again.
        assert!(run.as_mut().poll(&mut Context::from_waker(&waker.clone().into())).is_pending());
        assert_eq!(waker.woken.load(Ordering::Relaxed), tries);
    }
}

/// Both in the same writer.
#[test]
fn recovered_records_are_followed_by_the_next_log() {
    // SAFETY: it is claimed first, and again where the next boot begins.
    let logger = Box::new(unsafe { Retained::<Flight, 512>::new() });
    logger.claim(Reset::PowerOn);
    logger.start(|| 0);
    assert!(flight::log(&logger, 1, 1));
    assert!(matches!(logger.claim(Reset::Watchdog), Claim::Warm { records: 1, .. }));
    logger.start(|| 0);
    assert!(flight::log(&logger, 1, 2));
    let waker = Arc::new(Waker { woken: AtomicUsize::new(0), logger: None });
    let mut drain = logger.drain().unwrap();
    let mut uart = Uart::default();
    for _ in 0..1_000 {
        assert!(poll_once(drain.run(&mut uart, 100), &waker).is_pending());
    }
    assert_eq!(logger.statistics().used, 0);
    let second = uart.bytes.windows(Flight::PREAMBLE.len()).rposition(|bytes| bytes == Flight::PREAMBLE).unwrap();
    let (first, second) = uart.bytes.split_at(second);
    assert_eq!((numbers(first), numbers(second)), (vec![(1, 1)], vec![(1, 2)]));
}
