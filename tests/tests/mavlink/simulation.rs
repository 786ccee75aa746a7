//! A vehicle that streams its flight over a link to clients.

use crate::flight::{self, Flight};
use binlog::{LogSchema, Records, record_header};
use binlog_embedded::mavlink::{Message, Stream, StreamOptions};
use binlog_embedded::{Drain, Logger};
use binlog_tests::mavlink::channel::{Channel, Conditions};
use binlog_tests::mavlink::client::{Client, File, Kind};
use binlog_tests::mavlink::{Packet, Random, VEHICLE};
use std::cell::Cell;
use std::collections::BTreeSet;

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

pub(crate) fn now() -> u64 {
    NOW.get()
}

pub(crate) fn set_now(now_us: u64) {
    NOW.set(now_us);
}

/// Bytes of the ring.
pub(crate) const RING: usize = 4096;

/// A companion computer.
pub(crate) const COMPANION: binlog_embedded::mavlink::Address = binlog_embedded::mavlink::Address::new(1, 191);

/// What a kind of record is logged with, of 16.
const KINDS: [usize; 16] = [2, 3, 1, 2, 2, 4, 0, 2, 3, 2, 5, 2, 2, 1, 3, 2];

pub(crate) struct Simulation<const BLOCKS: usize> {
    pub(crate) log: &'static Logger<Flight, RING>,
    pub(crate) drain: Drain<'static, Flight, RING>,
    pub(crate) stream: Box<Stream<BLOCKS>>,
    pub(crate) down: Channel,
    pub(crate) up: Channel,
    pub(crate) clients: Vec<Client>,
    /// Bytes of records that are logged in a second.
    pub(crate) bytes_per_second: u64,
    pub(crate) step_us: u64,
    /// The rest of the bytes that are due, in millionths.
    due: u64,
    /// The number of the next record.
    pub(crate) next: u64,
    /// Records that were logged, by kind: all, and those that the ring refused.
    pub(crate) logged: [u32; flight::KINDS],
    is_ending: bool,
}

impl<const BLOCKS: usize> Simulation<BLOCKS> {
    /// A vehicle with a link that has these conditions in both directions, and a client like MAVProxy.
    pub(crate) fn new(conditions: Conditions, seed: u64) -> Self {
        Self::with_options(conditions, seed, StreamOptions { address: VEHICLE, ..StreamOptions::DEFAULT })
    }

    pub(crate) fn with_options(conditions: Conditions, seed: u64, options: StreamOptions) -> Self {
        set_now(0);
        let log: &'static Logger<Flight, RING> = Box::leak(Box::new(Logger::new()));
        log.start(now);
        let mut drain = log.drain().expect("the only drain");
        drain.report_every(1_000_000);
        let mut random = Random(seed);
        Simulation {
            log,
            drain,
            stream: Box::new(Stream::new(options)),
            down: Channel::new(conditions, random.bits()),
            up: Channel::new(conditions, random.bits()),
            clients: vec![Client::new(Kind::MavProxy, COMPANION)],
            bytes_per_second: 0,
            step_us: 1000,
            due: 0,
            next: 0,
            logged: [0; flight::KINDS],
            is_ending: false,
        }
    }

    /// Logs what the flight has in a step, and moves all messages.
    pub(crate) fn step(&mut self) {
        let now_us = now() + self.step_us;
        set_now(now_us);
        self.due += self.bytes_per_second * self.step_us;
        loop {
            let kind = KINDS[self.next as usize % KINDS.len()];
            let length = flight::length(kind) as u64 * 1_000_000;
            if self.due < length {
                break;
            }
            self.due -= length;
            self.log_one(kind);
        }
        for packet in self.up.receive(now_us) {
            self.stream.receive(now_us, packet.sender, &packet.message());
        }
        if self.is_ending {
            self.stream.finish(now_us, &mut self.drain);
        } else {
            while self.stream.run(now_us, &mut self.drain) {}
        }
        while self.down.has_room(now_us) {
            let Some(message) = self.stream.next(now_us) else { break };
            self.down.send(now_us, Packet::new(VEHICLE, &message));
        }
        for packet in self.down.receive(now_us) {
            let Message::RemoteLogDataBlock { target, .. } = packet.message() else { continue };
            self.clients.iter_mut().filter(|it| it.address == target).for_each(|it| it.receive(now_us, &packet));
        }
        for client in &mut self.clients {
            while self.up.has_room(now_us) {
                let Some(packet) = client.send(now_us) else { break };
                self.up.send(now_us, packet);
            }
        }
    }

    pub(crate) fn log_one(&mut self, kind: usize) -> bool {
        self.logged[kind] += 1;
        self.next += 1;
        flight::log(self.log, kind, self.next - 1)
    }

    pub(crate) fn fly(&mut self, seconds: f64) {
        let end = now() + (seconds * 1e6) as u64;
        while now() < end {
            self.step();
        }
    }

    /// Ends the log. Returns whether the client has it before `seconds` have passed.
    pub(crate) fn finish(&mut self, seconds: f64) -> bool {
        self.bytes_per_second = 0;
        self.log.stop();
        self.is_ending = true;
        let end = now() + (seconds * 1e6) as u64;
        while now() < end && self.stream.state(now()) != binlog_embedded::mavlink::StreamState::Finished {
            self.step();
        }
        self.is_ending = false;
        self.log.start(now);
        self.stream.state(now()) == binlog_embedded::mavlink::StreamState::Finished
    }

    /// Records of all kinds that were dropped or lost.
    pub(crate) fn missed(&self) -> u32 {
        (0..flight::KINDS).map(|kind| self.tally(kind)).map(|tally| tally.dropped + tally.lost).sum()
    }

    pub(crate) fn tally(&self, kind: usize) -> binlog_embedded::Tally {
        self.log.tally_of(kind).expect("a kind")
    }

    /// Ends the stream. Asserts that each record is in a file, counted, or still in the ring; and returns the numbers
    /// of those in the files.
    pub(crate) fn check(&mut self) -> Vec<Vec<(usize, u64)>> {
        for client in &self.clients {
            let stop = Message::RemoteLogBlockStatus { target: VEHICLE, seqno: Message::STOP, is_received: true };
            self.stream.receive(now(), client.address, &stop);
        }
        while self.stream.run(now(), &mut self.drain) {}
        let mut rest = Vec::new();
        self.drain.catch_up(&mut rest).expect("memory");
        let rest = numbers(&rest);
        let files: Vec<_> = self.clients.iter().flat_map(|client| &client.files).collect();
        let read: Vec<_> = files.iter().map(|file| [numbers(file.prefix()), after_gaps(file)].concat()).collect();
        let all: BTreeSet<_> = read.iter().flatten().copied().collect();
        assert_eq!(all.len(), read.iter().map(Vec::len).sum::<usize>(), "no record is in two files");
        for kind in 0..flight::KINDS {
            let found = all.iter().filter(|(found, _)| *found == kind).count() as u32;
            let tally = self.tally(kind);
            let waiting = rest.iter().filter(|(waiting, _)| *waiting == kind).count() as u32;
            // A lost acknowledgement leaves records in the file that count as lost.
            let counted = tally.dropped + tally.lost + tally.ignored + waiting;
            let logged = self.logged[kind];
            assert!(found + counted >= logged, "{kind}: {found} found, {waiting} waiting, {tally:?} of {logged}");
            assert!(found + tally.dropped + tally.ignored + waiting <= logged, "{kind}: {found} found, {tally:?}");
        }
        read
    }
}

/// Kind and number of each record of the beginning of a log, whose last record may be cut. Asserts that all others are
/// whole, and in the order in which they were logged.
pub(crate) fn numbers(file: &[u8]) -> Vec<(usize, u64)> {
    let mut whole = file.len();
    for record in Records::new(file) {
        if let Err(skipped) = record {
            assert!(whole == file.len() && file.len() - skipped.offset < 256, "{skipped} of {}", file.len());
            whole = skipped.offset;
        }
    }
    let numbers = flight::numbers(&file[..whole]);
    assert!(numbers.is_sorted_by_key(|&(_, number)| number), "the order is that of the flight");
    numbers
}

fn is_header(bytes: &[u8; 2]) -> bool {
    bytes == record_header(0).first_chunk().expect("3 bytes")
}

/// Those of the blocks after the first gap, of a client that was killed before it was filled.
fn after_gaps(file: &File) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    let blocks: Vec<_> = file.bytes.chunks(Message::BLOCK).zip(&file.blocks).skip(file.prefix().len() / 200).collect();
    for run in blocks.chunk_by(|(_, a), (_, b)| a == b).filter(|run| *run[0].1) {
        let bytes: Vec<u8> = run.iter().flat_map(|(block, _)| *block).copied().collect();
        // The rest of a record comes first, and the last one may be cut, or be followed by padding.
        let records = |start: usize| {
            let log = [Flight::PREAMBLE, &bytes[start..]].concat();
            let whole = Records::new(&log).find_map(Result::err).map_or(log.len(), |skipped| skipped.offset);
            let rest = &log[whole..];
            let is_end = rest.first_chunk().is_none_or(is_header) || rest.iter().all(|&byte| byte == 0);
            (is_end && rest.len() < 256).then(|| flight::numbers(&log[..whole]))
        };
        let mut starts = (0..bytes.len()).filter(|&start| bytes[start..].first_chunk().is_some_and(is_header));
        found.extend(starts.find_map(records).unwrap_or_default());
    }
    found
}

/// The link carries nothing in these seconds.
pub(crate) fn gone<const BLOCKS: usize>(simulation: &mut Simulation<BLOCKS>, seconds: f64) {
    (simulation.down.is_gone, simulation.up.is_gone) = (true, true);
    simulation.fly(seconds);
    (simulation.down.is_gone, simulation.up.is_gone) = (false, false);
}
