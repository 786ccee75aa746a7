//! The asynchronous calls write what the blocking ones write, and lose nothing when a future is dropped.

use crate::fixture::{OPTIONS, Ring, Sd, account, flight, on_card, ring, sd, wait};
use binlog_embedded::card::{AsyncCard, DriverError, FromDriver};
use binlog_embedded::sd_log::{Options, Undated};
use binlog_embedded::{Drain, SdLog};
use binlog_tests::ram_card::{CardError, RamCard};
use binlog_tests::volume::{Geometry, Volume};
use flight::Flight;
use std::cell::Cell;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

const GEOMETRIES: [Geometry; 3] = [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT];

/// Small extents and logs, so that a flight has several of both.
const MANY: Options = Options { extent_bytes: 8 << 10, log_bytes: 40_000, ..OPTIONS };

/// Polls futures, and drops each that isn't ready after `polls` polls, or up to 15 more: a transfer has to be possible
/// between two interruptions at one time or other.
struct Executor {
    polls: Cell<u32>,
    drop_after: u32,
    dropped: Cell<u32>,
}

impl Executor {
    fn new(drop_after: u32) -> Self {
        Executor { polls: Cell::new(0), drop_after, dropped: Cell::new(0) }
    }

    /// The future's output, or `None` if it was dropped.
    fn run<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return Some(output);
            }
            self.polls.set(self.polls.get() + 1);
            if self.polls.get() >= self.drop_after.saturating_add(self.dropped.get() % 16) {
                self.polls.set(0);
                self.dropped.set(self.dropped.get() + 1);
                assert!(self.dropped.get() < 1_000_000, "there is no end to it");
                return None;
            }
        }
    }
}

/// Who flies: the calls differ, nothing else.
trait Calls {
    fn run(&self, sd: &mut Sd, drain: &mut Drain<'_, Flight, 4096>);
    fn finish(&self, sd: &mut Sd, drain: &mut Drain<'_, Flight, 4096>);
}

struct Blocking;

impl Calls for Blocking {
    fn run(&self, sd: &mut Sd, drain: &mut Drain<'_, Flight, 4096>) {
        sd.run(drain).expect("the card works");
    }

    fn finish(&self, sd: &mut Sd, drain: &mut Drain<'_, Flight, 4096>) {
        sd.finish(drain).expect("the card works");
    }
}

impl Calls for Executor {
    fn run(&self, sd: &mut Sd, drain: &mut Drain<'_, Flight, 4096>) {
        // A call that was interrupted is left at that, as by a `select` that continues with something else.
        self.run(sd.run_async(drain)).unwrap_or(Ok(())).expect("the card works");
    }

    fn finish(&self, sd: &mut Sd, drain: &mut Drain<'_, Flight, 4096>) {
        let finished = std::iter::repeat_with(|| self.run(sd.finish_async(drain))).flatten().next();
        finished.expect("the iterator is endless").expect("the card works");
    }
}

/// Flies with two rotations, and returns the attempts to log.
fn fly(ring: &Ring, sd: &mut Sd, calls: &impl Calls) -> [usize; flight::KINDS] {
    let mut drain = ring.drain().expect("the only drain");
    drain.report_every(100_000);
    let mut attempts = [0; flight::KINDS];
    for number in 0..3000 {
        let kind = number % flight::KINDS;
        flight::log(ring, kind, number as u64);
        attempts[kind] += 1;
        if number % 7 == 0 {
            wait(2000);
            calls.run(sd, &mut drain);
        }
        if number % 1400 == 1399 {
            sd.rotate();
        }
    }
    ring.stop();
    calls.finish(sd, &mut drain);
    attempts
}

#[test]
fn blocking_and_asynchronous_calls_leave_the_same_card() {
    /// The blocks that a flight wrote. It has a thread and with it a clock of its own.
    fn written(geometry: Geometry, calls: impl Calls + Send + 'static) -> Vec<(u32, [u8; 512])> {
        let flight = std::thread::spawn(move || {
            let (card, ring) = (geometry.format(), ring());
            let attempts = fly(ring, &mut sd(&card, MANY), &calls);
            account(ring, &card, attempts);
            card.touched().into_iter().map(|at| (at, card.block(at))).collect()
        });
        flight.join().expect("no panic")
    }
    for geometry in GEOMETRIES {
        let (blocking, asynchronous) = (written(geometry, Blocking), written(geometry, Executor::new(u32::MAX)));
        assert!(blocking == asynchronous, "{geometry:?}");
    }
}

#[test]
fn a_future_may_be_dropped_anywhere() {
    for geometry in GEOMETRIES {
        // A transfer takes two polls, or four with a mirror, so most calls are interrupted several times.
        for drop_after in [1, 2, 5, 11, 50] {
            let card = geometry.format();
            let (ring, executor) = (ring(), Executor::new(drop_after));
            let mut sd = sd(&card, MANY);
            let attempts = fly(ring, &mut sd, &executor);
            assert!(executor.dropped.get() > 3, "after {drop_after}");
            account(ring, &card, attempts);
            let lost: u32 = (0..flight::KINDS).filter_map(|kind| ring.tally_of(kind)).map(|tally| tally.lost).sum();
            assert_eq!((lost, sd.transfers().retried), (0, 0), "after {drop_after}");
            Volume::of(&card).check().assert_clean(format_args!("{geometry:?}, after {drop_after}"));
        }
    }
}

/// The next call, of any kind, completes what was interrupted.
#[test]
fn another_call_completes_what_a_dropped_future_left() {
    let polls = || (1..60).flat_map(|polls| [(polls, true), (polls, false)]);
    for geometry in GEOMETRIES {
        for (polls, is_async) in polls() {
            let card = geometry.format();
            let mut sd = sd(&card, OPTIONS);
            let patient = Executor::new(u32::MAX);
            patient.run(sd.begin_log_async()).unwrap().expect("the card works");
            write_all(&mut sd, &[0x55; 5000]);
            // Interrupted, unless it took less than that.
            let _ = Executor::new(polls).run(sd.begin_log_async());
            let each = |_| ControlFlow::Continue(());
            let listed = if is_async { patient.run(sd.list_async(each)).unwrap() } else { sd.list(each) };
            listed.expect("the card works");
            // The first log, if it is still open, is flushed by this.
            patient.run(sd.end_log_async()).unwrap().expect("the card works");
            let mut read = Vec::new();
            let extract = sd.extract_async(1, async |bytes: &[u8]| {
                read.extend_from_slice(bytes);
                ControlFlow::Continue(())
            });
            assert_eq!(patient.run(extract).unwrap(), Ok(5000), "{geometry:?}, {polls} polls");
            assert!(read.iter().all(|&byte| byte == 0x55));
            Volume::of(&card).check().assert_clean(format_args!("{geometry:?}, {polls} polls"));
        }
    }
}

fn write_all(sd: &mut Sd, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let write = embedded_io_async::Write::write(sd, bytes);
        let taken = Executor::new(u32::MAX).run(write).unwrap().expect("the card works");
        bytes = &bytes[taken..];
    }
}

/// An error that follows an interruption is counted as any other: the log is left, and the next begins.
#[test]
fn pulling_the_card_between_futures_loses_only_counted_records() {
    for geometry in GEOMETRIES {
        let card = geometry.format();
        let (ring, executor) = (ring(), Executor::new(9));
        let mut sd = sd(&card, MANY);
        let mut drain = ring.drain().expect("the only drain");
        let (mut attempts, mut errors) = ([0; flight::KINDS], 0);
        for number in 0..2000 {
            flight::log(ring, number % flight::KINDS, number as u64);
            attempts[number % flight::KINDS] += 1;
            wait(5000);
            match number {
                700 => card.pull(),
                800 => card.put_back(),
                _ => {}
            }
            errors += u32::from(executor.run(sd.run_async(&mut drain)).is_some_and(|result| result.is_err()));
        }
        ring.stop();
        Calls::finish(&executor, &mut sd, &mut drain);
        drop(drain);
        assert!(errors > 0);
        account(ring, &card, attempts);
        assert!(on_card(&card).iter().sum::<usize>() > 1500);
        Volume::of(&card).check().assert_readable(format_args!("{geometry:?}"));
    }
}

/// A device of block-device-driver, whose errors are only `Debug`.
struct Device(RamCard);

impl block_device_driver::BlockDevice<512> for Device {
    type Error = CardError;
    type Align = aligned::A4;

    async fn read(
        &mut self,
        at: u32,
        blocks: &mut [aligned::Aligned<aligned::A4, [u8; 512]>],
    ) -> Result<(), CardError> {
        for (at, block) in (at..).zip(blocks) {
            if self.0.is_out() {
                return Err(CardError::Missing);
            }
            **block = self.0.block(at);
        }
        Ok(())
    }

    async fn write(&mut self, at: u32, blocks: &[aligned::Aligned<aligned::A4, [u8; 512]>]) -> Result<(), CardError> {
        for (at, block) in (at..).zip(blocks) {
            self.0.set_block(at, **block);
        }
        Ok(())
    }

    async fn size(&mut self) -> Result<u64, CardError> {
        Ok(u64::from(self.0.blocks()) * 512)
    }
}

#[test]
fn any_device_of_block_device_driver_is_a_card() {
    let card = Geometry::FAT32.format();
    let mut sd = SdLog::new(FromDriver::new(Device(card.clone()), |_| ()), Undated, Options::DEFAULT);
    let patient = Executor::new(u32::MAX);
    assert_eq!(patient.run(sd.begin_log_async()).unwrap(), Ok(1));
    let written = embedded_io_async::Write::write(&mut sd, b"a log");
    assert_eq!(patient.run(written).unwrap(), Ok(5));
    assert_eq!(patient.run(sd.end_log_async()).unwrap(), Ok(()));
    assert_eq!(card.file("LOGS/00000001.BIN").as_deref(), Some(&b"a log"[..]));
    let blocks = sd.with_card(|card| patient.run(card.block_count()).unwrap());
    assert_eq!(blocks, Ok(card.blocks()));
    card.pull();
    let failed = sd.with_card(|card| patient.run(card.read(0, &mut [aligned::Aligned([0; 512])])).unwrap());
    assert_eq!(failed, Err(DriverError(CardError::Missing)));
    assert_eq!(failed.unwrap_err().to_string(), "Missing");
}

#[test]
fn the_oldest_log_is_removed_asynchronously() {
    for geometry in GEOMETRIES {
        let card = geometry.format();
        let patient = Executor::new(u32::MAX);
        for number in 1..=2 {
            let mut sd = sd(&card, OPTIONS);
            assert_eq!(patient.run(sd.begin_log_async()).unwrap(), Ok(number));
            write_all(&mut sd, &[0x55; 5000]);
            patient.run(sd.end_log_async()).unwrap().expect("the card works");
        }
        let mut sd = sd(&card, OPTIONS);
        for oldest in [Some(1), Some(2), None] {
            assert_eq!(patient.run(sd.remove_oldest_async()).unwrap(), Ok(oldest), "{geometry:?}");
        }
        assert_eq!(Volume::of(&card).tree().files("LOGS").count(), 0, "{geometry:?}");
        Volume::of(&card).check().assert_clean(format_args!("{geometry:?}"));
    }
}
