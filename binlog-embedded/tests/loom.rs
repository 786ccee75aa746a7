//! The ring under every interleaving of producers and drain that the memory model allows, and the clock under every one
//! of its callers.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p binlog-embedded --release --test loom`
#![cfg(loom)]

mod flight;

use binlog::{LogMessage, LogSchema, Logs, encode};
use binlog_embedded::{Drain, Logger, WideCounter};
use flight::{Flight, Large, Small};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    // Thread switches besides those where a thread waits or ends. One lock protects everything shared, so more
    // switches find nothing new.
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// A running logger with an empty ring that holds five records of 93 bytes.
fn logger() -> Arc<Logger<Flight, 512>> {
    let logger = Arc::new(Logger::new());
    logger.start(|| 0);
    logger
}

/// The log before the first record.
fn preamble(drain: &mut Drain<'_, Flight, 512>) -> Vec<u8> {
    let mut log = Vec::new();
    while drain.step(&mut log).unwrap() > 0 {}
    assert_eq!(log, Flight::PREAMBLE);
    log
}

/// The whole log without the preamble.
fn drained(drain: &mut Drain<'_, Flight, 512>, log: &mut Vec<u8>) {
    while drain.step(log).unwrap() > 0 {}
    log.drain(..Flight::PREAMBLE.len());
}

fn record<M: LogMessage>(message: &M) -> Vec<u8>
where
    Flight: Logs<M>,
{
    let mut bytes = vec![0; 255];
    let length = encode::<Flight, _>(message, &mut bytes).unwrap();
    bytes.truncate(length);
    bytes
}

#[test]
fn two_producers_and_a_drain() {
    check(|| {
        let logger = logger();
        let mut drain = logger.drain().unwrap();
        let mut log = preamble(&mut drain);
        // The record after the next one wraps around the ring's end.
        for _ in 0..4 {
            assert!(logger.log(&Large::numbered(0)));
        }
        drain.step(&mut log).unwrap();
        let large = thread::spawn({
            let logger = logger.clone();
            move || logger.log(&Large::numbered(1)) && logger.log(&Large::numbered(2))
        });
        let small = thread::spawn({
            let logger = logger.clone();
            move || logger.log(&Small::numbered(3))
        });
        // Writes what has been logged by then.
        drain.step(&mut log).unwrap();
        drain.step(&mut log).unwrap();
        assert!(large.join().unwrap() && small.join().unwrap());
        drained(&mut drain, &mut log);
        let [one, two, three] = [record(&Large::numbered(1)), record(&Large::numbered(2)), record(&Small::numbered(3))];
        let log = &log[4 * one.len()..];
        let orders = [[&one, &two, &three], [&one, &three, &two], [&three, &one, &two]];
        assert!(orders.iter().any(|order| order.iter().copied().flatten().eq(log)), "{log:?}");
        assert_eq!((logger.tally::<Large>().written, logger.tally::<Small>().written), (6, 1));
    });
}

/// With room for one of two records, one is in the log and the other is counted.
#[test]
fn a_full_ring_drops_and_counts() {
    check(|| {
        let logger = logger();
        let mut drain = logger.drain().unwrap();
        let mut log = preamble(&mut drain);
        for _ in 0..4 {
            assert!(logger.log(&Large::numbered(0)));
        }
        let producers = [1, 2].map(|number| {
            let logger = logger.clone();
            thread::spawn(move || logger.log(&Large::numbered(number)))
        });
        drain.step(&mut log).unwrap();
        let taken = producers.map(|producer| producer.join().unwrap());
        drained(&mut drain, &mut log);
        let accepted = taken.iter().filter(|&&taken| taken).count();
        let length = record(&Large::numbered(0)).len();
        assert_eq!(log.len(), (4 + accepted) * length);
        for (record_at, number) in log.chunks(length).skip(4).zip([1u64, 2].iter().filter(|&&n| taken[n as usize - 1]))
        {
            // If both fit, either order is right.
            assert!(accepted == 2 || record_at == record(&Large::numbered(*number)));
        }
        let tally = logger.tally::<Large>();
        assert_eq!((tally.written as usize, tally.dropped as usize), (4 + accepted, 2 - accepted));
    });
}

loom::lazy_static! {
    /// A hardware counter, two ticks before its wrap.
    static ref TICKS: AtomicU32 = AtomicU32::new(u32::MAX - 1);
}

/// Three contexts that interrupt each other around the counter's wrap. It ticks at each reading, so each time is one
/// call's.
#[test]
fn wide_counter_never_goes_back_in_any_context() {
    check(|| {
        let counter: Arc<WideCounter> = Arc::new(WideCounter::new(|| TICKS.fetch_add(1, Ordering::Relaxed)));
        let contexts = [(); 2].map(|()| {
            let counter = counter.clone();
            thread::spawn(move || [counter.now(), counter.now()])
        });
        let mut times = vec![counter.now(), counter.now()];
        for context in contexts {
            times.extend(context.join().unwrap());
        }
        assert!(times.chunks(2).all(|times| times[0] < times[1]), "{times:?}");
        times.sort_unstable();
        assert!(times.iter().copied().eq((0..6).map(|i| u64::from(u32::MAX) - 1 + i)), "{times:?}");
    });
}
