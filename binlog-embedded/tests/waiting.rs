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
fn writer_that_takes_nothing_yields_to_other_tasks() {
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

/// A writer that is always ready, takes some bytes at a time, and notes its length at each flush.
struct Ready {
    bytes: Vec<u8>,
    piece: usize,
    flushed: Vec<usize>,
}

impl Ready {
    fn new(piece: usize) -> Self {
        Ready { bytes: Vec::new(), piece, flushed: Vec::new() }
    }
}

impl ErrorType for Ready {
    type Error = Infallible;
}

impl Write for Ready {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let taken = bytes.len().min(self.piece);
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        self.flushed.push(self.bytes.len());
        Ok(())
    }
}

fn quiet() -> Arc<Waker> {
    Arc::new(Waker { woken: AtomicUsize::new(0), logger: None })
}

#[test]
fn catching_up_flushing_and_finishing_say_what_they_did() {
    let logger = Logger::<Flight, 4096>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().unwrap();
    for number in 0..20 {
        assert!(flight::log(&logger, number as usize % 4, number));
    }
    let mut file = Ready::new(50);
    let Poll::Ready(Ok(taken)) = poll_once(drain.catch_up_async(&mut file), &quiet()) else { panic!("not ready") };
    assert_eq!((taken, numbers(&file.bytes).len()), (file.bytes.len(), 20));
    assert!(drain.is_dirty() && file.flushed.is_empty());
    assert_eq!(poll_once(drain.flush_async(&mut file), &quiet()), Poll::Ready(Ok(())));
    assert!(!drain.is_dirty());
    assert_eq!(file.flushed, [file.bytes.len()]);
    assert_eq!(poll_once(drain.catch_up_async(&mut file), &quiet()), Poll::Ready(Ok(0)));

    assert!(flight::log(&logger, 1, 20));
    // A writer that takes nothing has not taken the end.
    assert_eq!(poll_once(drain.finish_async(&mut Busy), &quiet()), Poll::Ready(Ok(false)));
    assert_eq!(poll_once(drain.finish_async(&mut file), &quiet()), Poll::Ready(Ok(true)));
    assert_eq!(numbers(&file.bytes).len(), 21);
    assert_eq!(file.flushed.last(), Some(&file.bytes.len()));
}

#[test]
fn running_flushes_between_records_once_enough_is_written() {
    const FLUSH_BYTES: usize = 500;
    let logger = Logger::<Flight, 8192>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().unwrap();
    let mut ends = vec![Flight::PREAMBLE.len()];
    for number in 0..100 {
        let kind = number as usize % 4;
        assert!(flight::log(&logger, kind, number));
        ends.push(ends[ends.len() - 1] + flight::length(kind));
    }
    let mut file = Ready::new(7);
    assert!(poll_once(drain.run(&mut file, FLUSH_BYTES as u32), &quiet()).is_pending());
    assert_eq!(file.bytes.len(), ends[100]);
    let mut flushed = 0;
    for &at in &file.flushed {
        assert!(at - flushed >= FLUSH_BYTES, "{:?}", file.flushed);
        // In the preamble, too, a record ends somewhere.
        assert!(at < ends[0] || ends.contains(&at), "{at} is inside of a record");
        flushed = at;
    }
    // The largest of these records has 93 bytes.
    assert!(ends[100] - flushed < FLUSH_BYTES + 93, "{:?}", file.flushed);
}

#[test]
fn statistics_that_are_due_are_something_to_write() {
    static NOW: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(0);
    let logger = Logger::<Flight, 512>::new();
    logger.start(|| NOW.load(Ordering::Relaxed).into());
    let mut drain = logger.drain().unwrap();
    drain.report_every(1_000_000);
    let mut file = Ready::new(4096);
    while !matches!(poll_once(drain.step_async(&mut file), &quiet()), Poll::Ready(Ok(0))) {}
    let length = file.bytes.len();
    assert!(poll_once(drain.ready(), &quiet()).is_pending());
    NOW.store(1_000_000, Ordering::Relaxed);
    assert!(poll_once(drain.ready(), &quiet()).is_ready());
    while !matches!(poll_once(drain.step_async(&mut file), &quiet()), Poll::Ready(Ok(0))) {}
    assert!(file.bytes.len() > length);
    assert!(poll_once(drain.ready(), &quiet()).is_pending());
    // The clock is set back: they are due at once, and a second later.
    for now in [5, 1_000_005] {
        NOW.store(now, Ordering::Relaxed);
        let length = file.bytes.len();
        assert!(poll_once(drain.ready(), &quiet()).is_ready());
        while !matches!(poll_once(drain.step_async(&mut file), &quiet()), Poll::Ready(Ok(0))) {}
        assert!(file.bytes.len() > length);
        assert!(poll_once(drain.ready(), &quiet()).is_pending());
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
