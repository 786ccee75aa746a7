//! Records of random sizes from several threads at once: no record is torn, lost or uncounted.
//!
//! `BINLOG_RECORDS=100000000 cargo test -p binlog-embedded --release --test stress`
#![cfg(not(loom))]

mod flight;

use binlog::LogSchema;
use binlog_embedded::Logger;
use core::convert::Infallible;
use embedded_io::{ErrorType, Write};
use flight::{Flight, KINDS, length};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const PRODUCERS: u64 = 3;

/// Checks each record as it arrives: it is whole, and the next one of its producer.
struct Checker {
    skip: usize,
    pending: Vec<u8>,
    next: [u64; PRODUCERS as usize],
    records: [u64; KINDS],
    random: u64,
}

impl ErrorType for Checker {
    type Error = Infallible;
}

impl Write for Checker {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        // In pieces of all sizes.
        let taken = bytes.len().min(1 + (step(&mut self.random) % 700) as usize);
        let bytes = &bytes[..taken];
        let skipped = self.skip.min(taken);
        self.skip -= skipped;
        self.pending.extend_from_slice(&bytes[skipped..]);
        let mut at = 0;
        while let Some(&id) = self.pending.get(at + 2) {
            assert_eq!(self.pending[at..at + 2], [0xA3, 0x95]);
            let kind = usize::from(id) - 1;
            let Some(record) = self.pending.get(at..at + length(kind)) else { break };
            let number = u64::from_le_bytes(record[3..11].try_into().unwrap());
            let producer = (number % PRODUCERS) as usize;
            assert_eq!(number, self.next[producer]);
            self.next[producer] = number + PRODUCERS;
            assert!(is_whole(kind, number, &record[3..]), "record {number} is torn");
            self.records[kind] += 1;
            at += length(kind);
        }
        self.pending.drain(..at);
        Ok(taken)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

fn is_whole(kind: usize, number: u64, payload: &[u8]) -> bool {
    use binlog::LogMessage;
    match kind {
        0 => flight::Tiny::numbered(number).wire() == payload,
        1 => flight::Small::numbered(number).wire() == payload,
        2 => flight::Medium::numbered(number).wire() == payload,
        3 => flight::Large::numbered(number).wire() == payload,
        4 => flight::Giant::numbered(number).wire() == payload,
        _ => flight::Vital::numbered(number).wire() == payload,
    }
}

/// xorshift64.
fn step(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random
}

#[test]
fn threads_at_once() {
    let records = std::env::var("BINLOG_RECORDS").map_or(300_000, |count| count.parse().expect("a number of records"));
    let logger = Arc::new(Logger::<Flight, 4096>::new());
    logger.start(|| 0);
    let running = Arc::new(AtomicUsize::new(PRODUCERS as usize));
    let producers: Vec<_> = (0..PRODUCERS)
        .map(|producer| {
            let (logger, running) = (logger.clone(), running.clone());
            thread::spawn(move || {
                let mut random = 0x9E37_79B9_7F4A_7C15 ^ (producer + 1);
                let (mut tried, mut accepted) = ([0u64; KINDS], [0u64; KINDS]);
                for i in 0..records / PRODUCERS {
                    let kind = (step(&mut random) >> 32) as usize % KINDS;
                    loop {
                        tried[kind] += 1;
                        if flight::log(&logger, kind, i * PRODUCERS + producer) {
                            break;
                        }
                        thread::yield_now();
                    }
                    accepted[kind] += 1;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                (tried, accepted)
            })
        })
        .collect();
    let mut checker = Checker {
        skip: Flight::PREAMBLE.len(),
        pending: Vec::new(),
        next: core::array::from_fn(|producer| producer as u64),
        records: [0; KINDS],
        random: 1,
    };
    let mut drain = logger.drain().unwrap();
    loop {
        let last = running.load(Ordering::SeqCst) == 0;
        if drain.step(&mut checker).unwrap() == 0 && last {
            break;
        }
    }
    assert!(checker.pending.is_empty());
    let counts: Vec<_> = producers.into_iter().map(|producer| producer.join().unwrap()).collect();
    for kind in 0..KINDS {
        let tried: u64 = counts.iter().map(|(tried, _)| tried[kind]).sum();
        let accepted: u64 = counts.iter().map(|(_, accepted)| accepted[kind]).sum();
        let tally = logger.tally_of(kind).unwrap();
        assert_eq!(checker.records[kind], accepted, "kind {kind}");
        assert_eq!(u64::from(tally.written), accepted, "kind {kind}");
        assert_eq!(accepted + u64::from(tally.dropped), tried, "kind {kind}");
        assert_eq!((tally.decimated, tally.ignored, tally.lost), (0, 0, 0), "kind {kind}");
    }
    let statistics = logger.statistics();
    assert!(statistics.high_water <= 4096 && statistics.used == 0);
    println!("{} records, {} attempts found the ring full", statistics.written, statistics.dropped);
}
