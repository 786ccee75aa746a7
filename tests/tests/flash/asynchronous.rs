//! The same on an asynchronous chip, which is pending while it is busy.

use crate::fixture::{account, flight, logs, ring};
use crate::reference::on_host;
use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{AsyncChip, Cause, Options, Plain, Preamble, WhenFull};
use binlog_tests::nor_chip::{NorChip, NorError, now, wait};
use embedded_io_async::{Read, Write};
use embedded_storage::nor_flash::{NorFlash as Blocking, ReadNorFlash as BlockingRead};
use embedded_storage_async::nor_flash::{ErrorType, NorFlash, ReadNorFlash};
use std::future::{Future, poll_fn};
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A chip that is polled three times for each operation.
#[derive(Clone)]
pub(crate) struct Slow<const UNIT: u32>(pub(crate) NorChip<4, UNIT>);

async fn pending() {
    let mut left = 2;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

impl<const UNIT: u32> ErrorType for Slow<UNIT> {
    type Error = NorError;
}

impl<const UNIT: u32> ReadNorFlash for Slow<UNIT> {
    const READ_SIZE: usize = 16;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorError> {
        pending().await;
        self.0.read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl<const UNIT: u32> NorFlash for Slow<UNIT> {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = 4096;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), NorError> {
        pending().await;
        self.0.erase(from, to)
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorError> {
        pending().await;
        self.0.write(offset, bytes)
    }
}

impl<const UNIT: u32> AsyncChip for Slow<UNIT> {
    const UNIT: u32 = UNIT;

    async fn erase_unit(&mut self, address: u32) -> Result<(), NorError> {
        pending().await;
        binlog_embedded::flash_log::Chip::erase_unit(&mut self.0, address)
    }
}

/// Polls a future so often at most. `None` if it is dropped before its end.
pub(crate) fn poll<T>(future: impl Future<Output = T>, most: usize) -> Option<T> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..most).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    })
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    poll(future, 1_000_000).expect("it ends")
}

const OPTIONS: Options = Options { flush_bytes: 1500, ..Options::DEFAULT };

#[test]
fn the_asynchronous_log_is_that_of_the_blocking_one() {
    let chips = [NorChip::<4, 8192>::blank(1 << 18), NorChip::<4, 8192>::blank(1 << 18)];
    let (blocking_ring, async_ring) = (ring(), ring());
    let mut blocking = FlashLog::new(chips[0].clone(), OPTIONS);
    let mut asynchronous = FlashLog::new(Slow(chips[1].clone()), OPTIONS);
    let mut drains = [blocking_ring.drain().expect("the only drain"), async_ring.drain().expect("the only drain")];
    assert_eq!(blocking.prepare(20_000), block_on(asynchronous.prepare_async(20_000)));
    for number in 0..2000_u64 {
        let kind = (number * 5 % 7) as usize % flight::KINDS;
        flight::log(blocking_ring, kind, number);
        flight::log(async_ring, kind, number);
        if number == 1000 {
            blocking.rotate();
            asynchronous.rotate();
        }
        if number % 4 == 0 {
            blocking.run(&mut drains[0]).expect("the chip works");
            block_on(asynchronous.run_async(&mut drains[1])).expect("the chip works");
        }
    }
    blocking.finish(&mut drains[0]).expect("the chip works");
    block_on(asynchronous.finish_async(&mut drains[1])).expect("the chip works");
    assert_eq!(blocking_ring.statistics().written, async_ring.statistics().written);
    // Times differ, so flushes and erases do; the contents don't.
    assert_eq!(logs(&chips[0]), logs(&chips[1]));

    // Extraction, too.
    let host = on_host(chips[1].memory().bytes());
    let mut listed = Vec::new();
    let each = |log: &binlog_embedded::flash_log::StoredLog| {
        listed.push(*log);
        ControlFlow::Continue(())
    };
    block_on(asynchronous.list_async(each)).expect("the chip works");
    assert_eq!(listed.iter().map(|log| log.number).collect::<Vec<_>>(), [1, 2]);
    for (log, host) in listed.iter().zip(&host) {
        let (mut bytes, mut piece) = (Vec::new(), [0; 77]);
        let mut reader = block_on(asynchronous.read_async(log, Preamble::NONE)).expect("the chip works");
        loop {
            match block_on(reader.read(&mut piece)).expect("the chip works") {
                0 => break,
                length => bytes.extend_from_slice(&piece[..length]),
            }
        }
        assert_eq!(bytes, host.bytes);
        let mut passed = Vec::new();
        let pass = async |bytes: &[u8]| {
            passed.extend_from_slice(bytes);
            ControlFlow::Continue(())
        };
        assert_eq!(
            block_on(asynchronous.extract_async(log.number, Preamble::NONE, pass)).expect("a log") as usize,
            bytes.len()
        );
        assert_eq!(passed, bytes);
    }
    let error = block_on(asynchronous.extract_async(9, Preamble::NONE, async |_: &[u8]| ControlFlow::Continue(())))
        .expect_err("two logs");
    assert_eq!(error.cause, Cause::NoLog);
}

/// In the middle of the search of the chip, of a write, of a flush, of the end of a log, and of erasing ahead.
#[test]
fn dropped_call_loses_only_unflushed_bytes() {
    let options = Options { ahead_bytes: 20_000, ..OPTIONS };
    for (dropped, rotates, most) in [(0, false), (100, false), (100, true)]
        .into_iter()
        .flat_map(|(dropped, rotates)| (1..60).map(move |most| (dropped, rotates, most)))
    {
        let (chip, ring) = (NorChip::<4, 8192>::blank(1 << 18), ring());
        let mut flash = FlashLog::new(Slow(chip.clone()), options);
        let mut drain = ring.drain().expect("the only drain");
        let mut attempts = [0; flight::KINDS];
        for number in 0..300 {
            let kind = number * 5 % flight::KINDS;
            flight::log(ring, kind, number as u64);
            attempts[kind] += 1;
            if number == dropped {
                if rotates {
                    flash.rotate();
                }
                let _ = poll(flash.run_async(&mut drain), most);
            } else if number % 4 == 0 {
                block_on(flash.run_async(&mut drain)).expect("the chip works");
            }
            wait(100);
        }
        ring.stop();
        block_on(flash.finish_async(&mut drain)).expect("the chip works");
        account(ring, &chip, attempts);
    }
}

/// All records are in a page when a `finish` is dropped in the middle of something, and nothing is in the ring.
#[test]
fn a_finish_that_is_dropped_loses_nothing_uncounted() {
    let mut failed = 0;
    for most in 1..80 {
        let (chip, ring) = (NorChip::<4, 8192>::blank(1 << 18), ring());
        let mut flash = FlashLog::new(Slow(chip.clone()), OPTIONS);
        let mut drain = ring.drain().expect("the only drain");
        let mut attempts = [0; flight::KINDS];
        for number in 0..20 {
            flight::log(ring, 0, number);
            attempts[0] += 1;
        }
        ring.stop();
        if most % 2 == 0 {
            block_on(flash.run_async(&mut drain)).expect("the chip works");
        }
        if poll(flash.finish_async(&mut drain), most).is_none() {
            match block_on(flash.finish_async(&mut drain)) {
                Ok(()) => {
                    let lost: u32 =
                        (0..flight::KINDS).filter_map(|kind| ring.tally_of(kind)).map(|tally| tally.lost).sum();
                    assert_eq!(lost, 0, "{most} polls: `Ok` means that all is on the chip");
                }
                Err(error) => {
                    assert_eq!(error.cause, Cause::Closed, "{most} polls");
                    failed += 1;
                }
            }
        }
        account(ring, &chip, attempts);
    }
    assert!(failed > 0, "a page is written in some of the polls");
}

#[test]
fn an_idle_log_lets_other_tasks_run() {
    let (chip, ring) = (NorChip::<4, 8192>::blank(1 << 18), ring());
    let mut flash = FlashLog::new(Slow(chip.clone()), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    let mut forever = pin!(async {
        loop {
            drain.ready().await;
            flash.run_async(&mut drain).await.expect("the chip works");
        }
    });
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..100 {
        assert!(forever.as_mut().poll(&mut context).is_pending());
    }
    assert!(chip.operations(0).is_empty(), "a boot without records leaves no trace");
}

#[test]
fn little_is_flushed_after_a_time() {
    let (chip, ring) = (NorChip::<4, 8192>::blank(1 << 18), ring());
    let options = Options { flush_bytes: 100_000, ..Options::DEFAULT };
    let mut flash = FlashLog::new(Slow(chip.clone()), options);
    let mut drain = ring.drain().expect("the only drain");
    flight::log(ring, 0, 1);
    block_on(flash.run_async(&mut drain)).expect("the chip works");
    let records = || logs(&chip).iter().map(|log| flight::numbers(log).len()).sum::<usize>();
    assert_eq!(records(), 0);
    wait(options.flush_us);
    block_on(flash.run_async(&mut drain)).expect("the chip works");
    assert_eq!(records(), 1);
}

#[test]
fn any_asynchronous_nor_flash_is_a_chip() {
    let chip = NorChip::<4, 8192>::blank(1 << 17);
    let mut plain = Plain::<_, 16384>(Slow(chip.clone()));
    let mut flash = FlashLog::new(&mut plain, Options { when_full: WhenFull::Overwrite, ..OPTIONS });
    let bytes: Vec<u8> = (0..50_000_u32).map(|at| (at / 251) as u8).collect();
    // Around the chip, so that units are erased.
    for number in 1..=5 {
        assert_eq!(block_on(flash.begin_log_async(&[])).expect("the chip works"), number);
        block_on(flash.write_all(&bytes)).expect("room");
        block_on(flash.end_log_async()).expect("the chip works");
    }
    let logs = on_host(chip.memory().bytes());
    assert_eq!(logs.last().expect("a log").bytes, bytes);
    assert_eq!(logs.last().expect("a log").number, 5);

    // Whoever else uses the chip can.
    block_on(plain.erase(0, 4096)).expect("the chip works");
    let mut read = [0; 4096];
    block_on(plain.read(0, &mut read)).expect("the chip works");
    assert_eq!(read, [0xFF; 4096]);
}

#[test]
fn a_full_chip_has_what_it_was_given() {
    let (chip, ring) = (NorChip::<4, 4096>::blank(1 << 17), ring());
    let mut flash = FlashLog::new(Slow(chip.clone()), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    let mut errors = Vec::new();
    for number in 0..4000 {
        flight::log(ring, number * 5 % flight::KINDS, number as u64);
        if number % 4 == 0 {
            wait(1000);
            errors.extend(block_on(flash.run_async(&mut drain)).err());
        }
    }
    // One error for each attempt, a second apart.
    assert!((1..=4).contains(&errors.len()), "{errors:?}");
    assert!(errors.iter().all(|error| error.cause == Cause::Full), "{errors:?}");
    let memory = chip.memory();
    let found = on_host(memory.bytes()).pop().expect("a log").bytes;
    // Up to a record that was cut where the chip ends.
    assert_eq!(flight::numbers_after_damage(&found).len(), ring.statistics().written as usize);
}

#[test]
fn async_chips_error_is_returned_once_per_attempt() {
    let (chip, ring) = (NorChip::<4, 8192>::blank(1 << 18), ring());
    let mut flash = FlashLog::new(Slow(chip.clone()), OPTIONS);
    let mut drain = ring.drain().expect("the only drain");
    chip.fail(3, 2);
    let mut errors = Vec::new();
    let mut attempts = [0; flight::KINDS];
    for number in 0..200 {
        flight::log(ring, 3, number);
        attempts[3] += 1;
        wait(20_000);
        if let Err(error) = block_on(flash.run_async(&mut drain)) {
            assert_eq!(error.cause, Cause::Chip(NorError::Bus));
            errors.push(now());
        }
    }
    // The log that fails, and the next attempt, a second later.
    let [first, second] = errors[..] else { panic!("{errors:?}") };
    assert!((OPTIONS.retry_us..2 * OPTIONS.retry_us).contains(&(second - first)), "{errors:?}");
    block_on(flash.finish_async(&mut drain)).expect("the chip works");
    account(ring, &chip, attempts);
    // And as a writer.
    block_on(flash.begin_log_async(b"preamble")).expect("the chip works");
    block_on(flash.write_all(b"preamble and records")).expect("the chip works");
    block_on(flash.end_log_async()).expect("the chip works");
    let logs = on_host(chip.memory().bytes());
    assert_eq!(logs.last().expect("a log").bytes, b"preamble and records");
}
