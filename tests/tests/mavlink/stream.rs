//! The stream of a log from a drain: what each message of a client does, and what is sent when.

use crate::flight::{self, Flight};
use crate::simulation::{COMPANION, Simulation, gone, now, numbers, set_now};
use binlog::check::Rule;
use binlog::{Log, LogSchema, Records};
use binlog_embedded::mavlink::{Address, Message, Stream, StreamOptions, StreamState};
use binlog_embedded::retained::Reset;
use binlog_embedded::{Drain, Logger, Retained};
use binlog_tests::mavlink::channel::Conditions;
use binlog_tests::mavlink::client::{Client, Kind};
use binlog_tests::mavlink::{Packet, VEHICLE};

const RING: usize = 4096;

/// A vehicle without a link: messages are passed by hand.
struct Bench {
    log: &'static Logger<Flight, RING>,
    drain: Drain<'static, Flight, RING>,
    stream: Stream<40>,
}

impl Bench {
    fn new() -> Self {
        set_now(0);
        let log: &'static Logger<Flight, RING> = Box::leak(Box::new(Logger::new()));
        log.start(now);
        Bench {
            log,
            drain: log.drain().expect("the only drain"),
            stream: Stream::new(StreamOptions { address: VEHICLE, ..StreamOptions::DEFAULT }),
        }
    }

    /// A bench whose client started and has acknowledged all blocks, and the number of the next one.
    fn streaming() -> (Self, u32) {
        let mut bench = Bench::new();
        bench.says(COMPANION, VEHICLE, Message::START, true);
        let mut next = 0;
        loop {
            let sent = bench.sends();
            let Some(last) = sent.last() else { return (bench, next) };
            next = last + 1;
            wait(ROUND_TRIP);
            sent.iter().for_each(|&block| bench.says(COMPANION, VEHICLE, block, true));
        }
    }

    /// Fills more than a block.
    fn log_a_block(&self) {
        for number in 0..3 {
            self.log.log(&flight::Large::numbered(number));
        }
    }

    fn says(&mut self, sender: Address, target: Address, seqno: u32, is_received: bool) {
        let message = Message::RemoteLogBlockStatus { target, seqno, is_received };
        self.stream.receive(now(), sender, &message);
    }

    /// The blocks that are sent now.
    fn sends(&mut self) -> Vec<u32> {
        self.sends_to(COMPANION)
    }

    fn sends_to(&mut self, client: Address) -> Vec<u32> {
        while self.stream.run(now(), &mut self.drain) {}
        let mut sent = Vec::new();
        while let Some(message) = self.stream.next(now()) {
            let Message::RemoteLogDataBlock { target, seqno, data } = message else { panic!("{message:?}") };
            assert_eq!((target, data.len()), (client, 200));
            sent.push(seqno);
            assert!(sent.len() < 1000, "the stream sends without end");
        }
        sent
    }

    fn unflushed(&self) -> u32 {
        self.log.tallies().map(|(_, tally)| tally.unflushed).sum()
    }

    fn state(&self) -> StreamState {
        self.stream.state(now())
    }
}

fn wait(us: u64) {
    set_now(now() + us);
}

const ROUND_TRIP: u64 = 50_000;
const START: u32 = Message::START;
const STOP: u32 = Message::STOP;
const NONE: [u32; 0] = [];

#[test]
fn nothing_is_sent_before_a_client_starts() {
    let mut bench = Bench::new();
    bench.log_a_block();
    for seqno in [0, 5, STOP] {
        bench.says(COMPANION, VEHICLE, seqno, true);
        bench.says(COMPANION, VEHICLE, seqno, false);
    }
    bench.says(COMPANION, VEHICLE, START, false);
    assert_eq!((bench.sends(), bench.state()), (vec![], StreamState::Idle));
}

#[test]
fn block_0_goes_alone_until_it_is_acknowledged() {
    let mut bench = Bench::new();
    bench.log_a_block();
    bench.says(COMPANION, VEHICLE, START, true);
    assert_eq!((bench.sends(), bench.state()), (vec![0], StreamState::Streaming));
    // Nobody has them.
    bench.says(COMPANION, VEHICLE, 1, true);
    bench.says(COMPANION, VEHICLE, 1, false);
    assert_eq!(bench.sends(), NONE);
    bench.says(COMPANION, VEHICLE, 0, true);
    let sent = bench.sends();
    assert!(sent.len() > 3 && sent.iter().copied().eq(1..=sent.len() as u32), "{sent:?}");
}

#[test]
fn a_start_before_an_acknowledgement_sends_block_0_again() {
    let mut bench = Bench::new();
    bench.says(COMPANION, VEHICLE, START, true);
    assert_eq!(bench.sends(), [0]);
    wait(900_000);
    bench.says(COMPANION, VEHICLE, START, true);
    assert_eq!(bench.sends(), [0]);
    assert_eq!(bench.stream.counts().sent_again, 1);
}

#[test]
fn a_client_that_restarts_gets_a_new_log() {
    let (mut bench, next) = Bench::streaming();
    bench.log_a_block();
    assert_eq!(bench.sends(), [next]);
    wait(3_000_000);
    let last = now();
    bench.sends();
    bench.says(COMPANION, VEHICLE, START, true);
    // Late messages about the old log would be taken for those about the new one.
    set_now(last + 2_990_000);
    assert_eq!(bench.sends(), NONE);
    set_now(last + 3_020_000);
    assert_eq!(bench.sends(), [0]);
    let Some(Message::RemoteLogDataBlock { data, .. }) = ({
        wait(2_000_000);
        bench.stream.next(now())
    }) else {
        panic!("block 0 isn't sent again");
    };
    assert_eq!(data, &Flight::PREAMBLE[..200]);
}

#[test]
fn a_late_repetition_of_start_begins_no_log() {
    let stop = |bench: &mut Bench, _: u32| bench.says(COMPANION, VEHICLE, STOP, true);
    for ends in [|_: &mut Bench, _: u32| {}, stop, finish] {
        let mut bench = Bench::new();
        bench.says(COMPANION, VEHICLE, START, true);
        assert_eq!(bench.sends(), [0]);
        wait(1_500_000);
        bench.says(COMPANION, VEHICLE, 0, true);
        let next = bench.sends().last().expect("the preamble") + 1;
        (1..next).for_each(|block| bench.says(COMPANION, VEHICLE, block, true));
        ends(&mut bench, next);
        wait(2_990_000);
        bench.says(COMPANION, VEHICLE, START, true);
        wait(3_020_000);
        assert!(!bench.sends().contains(&0));
        bench.says(COMPANION, VEHICLE, START, true);
        wait(3_020_000);
        assert_eq!(bench.sends(), [0]);
    }
}

/// Ends the log, whose next block is this one.
fn finish(bench: &mut Bench, next: u32) {
    for _ in 0..2 {
        bench.stream.finish(now(), &mut bench.drain);
        while bench.stream.next(now()).is_some() {}
        (next..next + 5).for_each(|block| bench.says(COMPANION, VEHICLE, block, true));
    }
    assert_eq!(bench.state(), StreamState::Finished);
}

/// A bench whose client was killed after a block was sent, and has started again; and the number of that block.
fn started_again() -> (Bench, u32) {
    let (mut bench, next) = Bench::streaming();
    wait(3_000_000);
    bench.log_a_block();
    assert!(bench.sends().contains(&next));
    bench.says(COMPANION, VEHICLE, START, true);
    (bench, next)
}

#[test]
fn an_acknowledgement_within_3_seconds_is_of_its_log() {
    let (mut bench, block) = started_again();
    wait(2_990_000);
    bench.says(COMPANION, VEHICLE, block, true);
    assert_eq!(bench.sends(), NONE);
    wait(30_000);
    assert_eq!(bench.sends(), [0]);
    assert_eq!((bench.stream.counts().acknowledged, bench.log.statistics().written), (block, 0));
}

#[test]
fn a_later_acknowledgement_counts_for_the_next_log() {
    let (mut bench, block) = started_again();
    wait(3_020_000);
    assert_eq!(bench.sends(), [0]);
    bench.says(COMPANION, VEHICLE, 0, true);
    bench.log_a_block();
    assert!(bench.sends().contains(&block));
    let acknowledged = bench.stream.counts().acknowledged;
    bench.says(COMPANION, VEHICLE, block, true);
    assert_eq!(bench.stream.counts().acknowledged, acknowledged + 1);
    assert!(!bench.sends().contains(&block), "the client doesn't get it again");
}

#[test]
fn a_stop_ends_the_stream_until_the_next_start() {
    let (mut bench, _) = Bench::streaming();
    bench.says(COMPANION, VEHICLE, STOP, true);
    assert_eq!((bench.sends(), bench.state()), (vec![], StreamState::Idle));
    wait(20_000_000);
    assert_eq!(bench.sends(), NONE);
    bench.says(COMPANION, VEHICLE, START, true);
    assert_eq!(bench.sends(), [0]);
}

#[test]
fn the_first_client_wins_until_it_is_silent_for_10_seconds() {
    let other = Address::new(255, 190);
    let (mut bench, next) = Bench::streaming();
    bench.log_a_block();
    bench.sends();
    for seqno in [START, STOP, next] {
        bench.says(other, VEHICLE, seqno, true);
    }
    assert_eq!((bench.sends(), bench.state()), (vec![], StreamState::Streaming));
    assert_eq!(bench.stream.counts().refused, 3);
    wait(9_900_000);
    bench.says(other, VEHICLE, START, true);
    bench.sends();
    wait(200_000);
    bench.says(other, VEHICLE, START, true);
    assert_eq!(bench.sends_to(other), NONE);
    wait(3_020_000);
    assert_eq!(bench.sends_to(other), [0]);
    bench.says(COMPANION, VEHICLE, 0, true);
    assert_eq!(bench.sends_to(other), NONE);
}

#[test]
fn broadcasts_and_component_155_are_targets() {
    for (target, is_for_us) in [
        (Address::new(0, 0), true),
        (Address::new(0, 155), true),
        (Address::new(1, 0), true),
        (Address::new(1, 1), true),
        (Address::new(1, 155), true),
        (Address::new(0, 1), true),
        (Address::new(2, 1), false),
        (Address::new(2, 155), false),
        (Address::new(1, 2), false),
    ] {
        let mut bench = Bench::new();
        bench.says(COMPANION, target, START, true);
        assert_eq!(bench.sends().len(), usize::from(is_for_us), "{target:?}");
    }
}

#[test]
fn a_nack_is_answered_once_in_a_round_trip() {
    let (mut bench, _) = Bench::streaming();
    (0..3).for_each(|_| bench.log_a_block());
    let sent = bench.sends();
    assert!(sent.len() >= 3, "{sent:?}");
    wait(50_000);
    bench.says(COMPANION, VEHICLE, sent[2], true);
    bench.says(COMPANION, VEHICLE, sent[0], false);
    assert_eq!(bench.sends().first(), Some(&sent[0]));
    // Asked for again before it can have arrived.
    wait(40_000);
    bench.says(COMPANION, VEHICLE, sent[0], false);
    assert!(!bench.sends().contains(&sent[0]));
    wait(6_000);
    bench.says(COMPANION, VEHICLE, sent[0], false);
    assert_eq!(bench.sends(), [sent[0]]);
}

#[test]
fn an_acknowledgement_cancels_a_nack() {
    let (mut bench, _) = Bench::streaming();
    bench.log_a_block();
    let sent = bench.sends();
    wait(1000);
    // As mavlink-router asks for the block that it just got.
    bench.says(COMPANION, VEHICLE, sent[0], false);
    bench.says(COMPANION, VEHICLE, sent[0], true);
    assert_eq!(bench.sends(), NONE);
}

#[test]
fn three_later_acknowledgements_send_a_block_again() {
    let (mut bench, _) = Bench::streaming();
    (0..5).for_each(|_| bench.log_a_block());
    let sent = bench.sends();
    wait(50_000);
    bench.says(COMPANION, VEHICLE, sent[1], true);
    bench.says(COMPANION, VEHICLE, sent[3], true);
    assert_eq!(bench.sends(), NONE);
    bench.says(COMPANION, VEHICLE, sent[4], true);
    assert_eq!(bench.sends(), [sent[0]]);
}

#[test]
fn a_block_is_sent_again_after_the_measured_time() {
    for round_trip in [20_000, 200_000, 1_500_000] {
        let (mut bench, _) = Bench::streaming();
        for _ in 0..60 {
            bench.log_a_block();
            let sent = bench.sends();
            wait(round_trip);
            sent.iter().for_each(|&block| bench.says(COMPANION, VEHICLE, block, true));
        }
        let waiting = bench.sends();
        wait(round_trip);
        waiting.iter().for_each(|&block| bench.says(COMPANION, VEHICLE, block, true));
        wait(500_000);
        bench.log_a_block();
        let sent = bench.sends();
        wait(round_trip);
        assert_eq!(bench.sends(), NONE, "{round_trip}");
        wait(15_000);
        assert_eq!(bench.sends(), sent, "{round_trip}");
    }
}

#[test]
fn a_silent_client_gets_one_block_a_second() {
    let (mut bench, next) = Bench::streaming();
    (0..3).for_each(|_| bench.log_a_block());
    assert!(bench.sends().len() > 2);
    let mut sent = 0;
    for _ in 0..100 {
        wait(100_000);
        sent += bench.sends().len();
    }
    assert!(sent < 80, "{sent} blocks were sent again in 10 seconds without an answer");
    assert_eq!(bench.state(), StreamState::Silent);
    let mut sent = Vec::new();
    for _ in 0..600 {
        wait(100_000);
        bench.log_a_block();
        sent.extend(bench.sends());
    }
    assert!((59..=61).contains(&sent.len()) && sent.iter().all(|&block| block == next), "{sent:?}");
    // The client is back.
    bench.says(COMPANION, VEHICLE, next, true);
    assert_eq!(bench.state(), StreamState::Streaming);
    assert!(bench.sends().len() > 2);
    assert!(bench.log.statistics().dropped > 0, "the ring was full");
}

#[test]
fn nothing_is_sent_for_ever() {
    let (mut bench, next) = Bench::streaming();
    bench.log_a_block();
    bench.sends();
    wait(590_000_000);
    assert_eq!(bench.sends(), [next]);
    wait(11_000_000);
    assert_eq!((bench.sends(), bench.state()), (vec![], StreamState::Idle));
    // Nor to a client that never acknowledges anything.
    let mut bench = Bench::new();
    bench.says(COMPANION, VEHICLE, START, true);
    let mut sent = 0;
    for _ in 0..7000 {
        wait(100_000);
        sent += bench.sends().len();
    }
    assert!((500..650).contains(&sent), "{sent}");
    assert_eq!(bench.state(), StreamState::Idle);
}

#[test]
fn the_rate_is_limited() {
    let options = StreamOptions { address: VEHICLE, bytes_per_second: 10_000 };
    let mut simulation = Simulation::<40>::with_options(Conditions::SERIAL, 1, options);
    simulation.bytes_per_second = 50_000;
    simulation.fly(3.0);
    let before = simulation.down.sent_bytes;
    simulation.fly(20.0);
    let sent = (simulation.down.sent_bytes - before) / 20;
    assert!((9_700..=10_020).contains(&sent), "{sent} bytes a second");
}

#[test]
fn acknowledged_records_count_as_flushed() {
    let mut bench = Bench::new();
    bench.says(COMPANION, VEHICLE, START, true);
    for number in 0..30 {
        bench.log.log(&flight::Large::numbered(number));
    }
    assert_eq!(bench.sends(), [0]);
    assert!(bench.unflushed() > 0);
    bench.says(COMPANION, VEHICLE, 0, true);
    let sent = bench.sends();
    // All but the third of the last ones, whose record isn't complete at the client.
    let last = *sent.last().expect("blocks");
    for &block in sent.iter().filter(|&&block| block != last - 2) {
        bench.says(COMPANION, VEHICLE, block, true);
    }
    bench.sends();
    assert!((1..=4).contains(&bench.unflushed()), "{}", bench.unflushed());
    bench.says(COMPANION, VEHICLE, STOP, true);
    bench.sends();
    let after = bench.log.statistics();
    // The record that was sent in part, and those that end or begin in the missing block.
    assert_eq!(bench.unflushed(), 0);
    assert!((2..=5).contains(&after.lost), "{after:?}");
    assert_eq!(after.written + after.lost + after.used / 93, 30, "{after:?}");
}

#[test]
fn records_are_dropped_whole_and_counted_in_the_log() {
    let slow = Conditions { bytes_per_second: 11_520, ..Conditions::SERIAL };
    let mut simulation = Simulation::<40>::new(slow, 1);
    simulation.fly(2.0);
    simulation.bytes_per_second = 15_000;
    simulation.fly(30.0);
    assert!(simulation.finish(10.0));
    let read = simulation.check();
    let critical = simulation.tally(5);
    assert_eq!((critical.dropped, critical.lost), (0, 0), "critical records are kept");
    assert!(simulation.missed() > 100);
    // As on a card: DSF has the sum, and DROP each message's count.
    let file = simulation.clients[0].files[0].prefix();
    let mut reported = [0; flight::KINDS];
    for record in Records::new(file).flatten() {
        if record.name() == "DROP" {
            let values: Vec<_> = record.values().map(|(_, value)| value.to_f64()).collect();
            let kind = (0..flight::KINDS).find(|&kind| Some(f64::from(Flight::MESSAGES[kind].id)) == values[1]);
            if let Some(kind) = kind {
                reported[kind] = values[2].unwrap_or_default() as u32;
            }
        }
    }
    for (kind, reported) in reported.into_iter().enumerate() {
        assert_eq!(reported, simulation.tally(kind).dropped, "{kind}");
        let found = read[0].iter().filter(|(found, _)| *found == kind).count() as u32;
        assert_eq!(found + reported, simulation.logged[kind], "{kind}");
    }
}

#[test]
fn the_last_block_is_padded_with_zeros() {
    let mut simulation = Simulation::<40>::new(Conditions::SERIAL, 1);
    simulation.bytes_per_second = 5000;
    simulation.fly(3.0);
    assert!(simulation.finish(2.0));
    let file = &simulation.clients[0].files[0];
    assert!(file.bytes.len().is_multiple_of(200) && file.prefix().len() == file.bytes.len());
    let mut records = Records::new(&file.bytes).collect::<Vec<_>>();
    if let Some(Err(padding)) = records.pop_if(|last| last.is_err()) {
        assert!(padding.is_padding(&file.bytes));
    }
    assert!(records.iter().all(Result::is_ok));
    // The last statistics are in it.
    assert_eq!(records.last().and_then(|record| record.as_ref().ok()).map(|record| record.name()), Some("DSF"));
    assert!((0..flight::KINDS).all(|kind| simulation.tally(kind).unflushed == 0));
    let numbers: usize = simulation.check().iter().map(Vec::len).sum();
    assert_eq!(numbers as u64, simulation.next);
    // Nothing more is sent.
    let sent = simulation.down.sent_bytes;
    simulation.fly(5.0);
    assert_eq!(simulation.down.sent_bytes, sent);
}

#[test]
fn a_start_after_the_end_waits_for_the_next_flight() {
    let (mut bench, next) = Bench::streaming();
    bench.log_a_block();
    assert!(!bench.stream.finish(now(), &mut bench.drain));
    for block in next..next + 3 {
        bench.says(COMPANION, VEHICLE, block, true);
        let _ = bench.stream.next(now());
    }
    for block in next..next + 3 {
        bench.says(COMPANION, VEHICLE, block, true);
    }
    assert!(bench.stream.finish(now(), &mut bench.drain));
    wait(5_000_000);
    bench.says(COMPANION, VEHICLE, START, true);
    for _ in 0..3 {
        assert!(bench.stream.finish(now(), &mut bench.drain));
        assert_eq!(bench.stream.next(now()), None);
    }
    assert_eq!(bench.sends(), [0], "`run` begins the next log");
}

#[test]
fn a_logger_that_starts_with_its_client_leaves_nothing_out() {
    let drops = |waits: bool| {
        set_now(0);
        let log: &'static Logger<Flight, RING> = Box::leak(Box::new(Logger::new()));
        let mut drain = log.drain().expect("the only drain");
        drain.report_every(1_000_000);
        let mut stream = Stream::<40>::new(StreamOptions::DEFAULT);
        let mut client = Client::new(Kind::MavProxy, COMPANION);
        let mut is_started = false;
        for step in 0..20_000 {
            wait(1000);
            if !is_started && (!waits || stream.state(now()) == StreamState::Streaming) {
                log.start(now);
                is_started = true;
            }
            log.log(&flight::Medium::numbered(now()));
            // The client comes after ten seconds.
            if step > 10_000
                && let Some(packet) = client.send(now())
            {
                stream.receive(now(), packet.sender, &packet.message());
            }
            while stream.run(now(), &mut drain) {}
            if let Some(message) = stream.next(now()) {
                client.receive(now(), &Packet::new(VEHICLE, &message));
            }
        }
        let report = Log::from_bytes(client.files[0].prefix()).check();
        report.findings().iter().any(|finding| finding.rule() == Rule::DroppedRecords)
    };
    assert!(drops(false), "the ring keeps the first records");
    assert!(!drops(true));
}

#[test]
fn a_link_that_is_gone_for_a_minute_leaves_no_gap_in_the_file() {
    let mut simulation = Simulation::<40>::new(Conditions::SERIAL, 3);
    simulation.bytes_per_second = 30_000;
    simulation.fly(10.0);
    gone(&mut simulation, 60.0);
    assert_eq!(simulation.stream.state(now()), StreamState::Silent);
    simulation.fly(10.0);
    assert!(simulation.finish(5.0));
    assert_eq!(simulation.clients[0].files.len(), 1, "the same log continues");
    simulation.check();
    assert!(simulation.tally(2).dropped > 1000);
    assert_eq!(simulation.log.statistics().lost, 0);
}

#[test]
fn a_client_that_is_killed_gets_a_log_of_its_own() {
    for kind in [Kind::MavProxy, Kind::Router] {
        let mut simulation = Simulation::<40>::new(Conditions { loss: 0.05, ..Conditions::SERIAL }, 5);
        simulation.clients = vec![Client::new(kind, COMPANION)];
        simulation.bytes_per_second = 30_000;
        simulation.fly(10.0);
        simulation.clients[0].restart();
        simulation.fly(10.0);
        simulation.clients[0].restart();
        simulation.fly(10.0);
        assert!(simulation.finish(20.0));
        assert_eq!(simulation.clients[0].files.len(), 3);
        simulation.check();
        assert!(simulation.log.statistics().lost > 0);
    }
}

#[test]
fn a_vehicle_that_restarts_sends_nothing_uninvited() {
    let mut simulation = Simulation::<40>::new(Conditions::SERIAL, 5);
    simulation.bytes_per_second = 30_000;
    simulation.fly(10.0);
    let file = simulation.clients[0].files[0].bytes.clone();
    let clients = std::mem::take(&mut simulation.clients);
    let mut simulation = Simulation::<40>::new(Conditions::SERIAL, 6);
    simulation.clients = clients;
    simulation.bytes_per_second = 30_000;
    simulation.fly(10.0);
    assert_eq!(simulation.down.sent_bytes, 0);
    assert!(simulation.clients[0].files[0].bytes.starts_with(&file));
    simulation.clients[0].restart();
    simulation.fly(10.0);
    assert!(simulation.finish(10.0));
    assert_eq!(simulation.clients[0].files.len(), 2);
    let [_, second] = &simulation.clients[0].files[..] else { panic!("two files") };
    numbers(second.prefix());
}

#[test]
fn recovered_records_and_the_next_log_are_in_one_file() {
    set_now(0);
    // SAFETY: it is claimed before anything else is done with it, and again where the next boot begins.
    let ring: &'static Retained<Flight, RING> = Box::leak(Box::new(unsafe { Retained::new() }));
    ring.claim(Reset::PowerOn);
    ring.start(now);
    (0..50).for_each(|number| assert!(flight::log(ring, 2, number)));
    ring.claim(Reset::Watchdog);
    ring.start(now);
    (50..70).for_each(|number| assert!(flight::log(ring, 2, number)));
    let mut drain = ring.drain().expect("the only drain");
    let mut stream = Stream::<40>::new(StreamOptions::DEFAULT);
    let mut client = Client::new(Kind::MavProxy, COMPANION);
    for _ in 0..2000 {
        wait(1000);
        if let Some(packet) = client.send(now()) {
            stream.receive(now(), packet.sender, &packet.message());
        }
        if now() > 1_000_000 {
            stream.finish(now(), &mut drain);
        } else {
            while stream.run(now(), &mut drain) {}
        }
        if let Some(message) = stream.next(now()) {
            client.receive(now(), &Packet::new(VEHICLE, &message));
        }
    }
    assert_eq!(stream.state(now()), StreamState::Finished);
    let file = client.files[0].prefix();
    assert!(numbers(file).into_iter().eq((0..70).map(|number| (2, number))));
    let preambles = file.windows(Flight::PREAMBLE.len()).filter(|bytes| *bytes == Flight::PREAMBLE).count();
    assert_eq!(preambles, 2);
    assert_eq!(ring.tally::<flight::Medium>().unflushed, 0);
    assert_eq!(ring.tally::<flight::Medium>().lost, 0);
}
