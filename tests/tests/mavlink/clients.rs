//! The library's clients, `Recorder` and `Downloader`, with the vehicle's `Stream` and `Server` at the other end of a
//! link with losses. The figures are printed by
//! `cargo test -p binlog-tests --test mavlink clients -- --nocapture`.

use crate::companion::{CLIENT, Companion, heartbeat};
use crate::flight;
use crate::simulation::{Simulation, now, numbers, set_now};
use binlog::mavlink::{Address, Downloader, DownloaderOptions, LogEnd, Recorder, RecorderOptions, RecorderState};
use binlog_embedded::mavlink::{LogEntry, LogStore, Message, Piece, Server, ServerOptions};
use binlog_embedded::mavlink::{Stream, StreamOptions, StreamState};
use binlog_tests::mavlink::ardupilot::ArduPilotLike;
use binlog_tests::mavlink::channel::{Channel, Conditions};
use binlog_tests::mavlink::{Packet, Random, VEHICLE};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::ControlFlow;

/// What a recorder has written of a simulated vehicle.
struct Recording<const BLOCKS: usize> {
    simulation: Simulation<BLOCKS>,
    companion: Companion,
    due: u64,
    heartbeat_us: u64,
    is_finishing: bool,
}

impl<const BLOCKS: usize> Recording<BLOCKS> {
    fn new(conditions: Conditions, seed: u64) -> Self {
        let mut simulation = Simulation::new(conditions, seed);
        simulation.clients.clear();
        Recording { simulation, companion: Companion::new(), due: 0, heartbeat_us: 0, is_finishing: false }
    }

    fn step(&mut self) {
        let now_us = now() + 1000;
        set_now(now_us);
        let Simulation { log: _, drain, stream, down, up, .. } = &mut self.simulation;
        for packet in up.receive(now_us) {
            stream.receive(now_us, packet.sender, &packet.message());
        }
        if self.is_finishing {
            stream.finish(now_us, drain);
        } else {
            while stream.run(now_us, drain) {}
        }
        if now_us >= self.heartbeat_us {
            self.heartbeat_us = now_us + 1_000_000;
            down.send(now_us, Packet::new(VEHICLE, &heartbeat()));
        }
        while down.has_room(now_us) {
            let Some(message) = stream.next(now_us) else { break };
            down.send(now_us, Packet::new(VEHICLE, &message));
        }
        self.companion.step(now_us, down, up);
    }

    /// Flies, and logs `bytes_per_second`.
    fn fly(&mut self, seconds: f64, bytes_per_second: u64) {
        let end = now() + (seconds * 1e6) as u64;
        while now() < end {
            self.due += bytes_per_second * 1000;
            let length = flight::length(2) as u64 * 1_000_000;
            while self.due >= length {
                self.due -= length;
                self.simulation.log_one(2);
            }
            self.step();
        }
    }

    /// The vehicle ends the log.
    fn finish(&mut self) {
        self.simulation.log.stop();
        self.is_finishing = true;
        let end = now() + 60_000_000;
        while self.simulation.stream.state(now()) != StreamState::Finished {
            assert!(now() < end, "the stream hasn't ended");
            self.step();
        }
        self.is_finishing = false;
        self.simulation.log.start(now);
    }

    /// Asserts that each record is in a log or counted, and each log is the beginning of the vehicle's.
    fn check(&self) {
        let read: Vec<_> = self.companion.logs.iter().map(|log| numbers(log)).collect();
        let all: BTreeSet<_> = read.iter().flatten().copied().collect();
        assert_eq!(all.len(), read.iter().map(Vec::len).sum::<usize>(), "no record is in two logs");
        let (found, tally) = (all.len() as u32, self.simulation.tally(2));
        let logged = self.simulation.logged[2];
        assert!(found + tally.dropped + tally.lost + tally.ignored >= logged, "{found} of {logged}, {tally:?}");
    }

    fn gone(&mut self, seconds: f64) {
        (self.simulation.down.is_gone, self.simulation.up.is_gone) = (true, true);
        self.fly(seconds, 5_000);
        (self.simulation.down.is_gone, self.simulation.up.is_gone) = (false, false);
    }
}

fn link(loss: f64, burst: f64) -> Conditions {
    Conditions { loss, burst, reordered: 0.02, late_us: 20_000, duplicated: 0.02, ..Conditions::SERIAL }
}

#[test]
fn every_record_of_a_stream_is_recorded_or_counted() {
    for seed in 0..4 {
        for (loss, burst) in [(0.0, 1.0), (0.05, 1.0), (0.05, 10.0), (0.2, 1.0), (0.2, 10.0)] {
            let mut recording = Recording::<40>::new(link(loss, burst), seed);
            recording.fly(20.0, 30_000);
            recording.finish();
            recording.check();
            assert_eq!(recording.companion.logs.len(), 1, "{loss} {burst} {seed}: {:?}", recording.companion.ends);
            // The next log begins by itself.
            recording.fly(10.0, 30_000);
            recording.finish();
            recording.check();
            assert_eq!(
                (recording.companion.logs.len(), &*recording.companion.ends),
                (2, &[LogEnd::NextLog][..]),
                "{loss} {burst} {seed}"
            );
        }
    }
}

#[test]
fn a_link_that_is_gone_for_a_moment_costs_no_log() {
    let mut recording = Recording::<40>::new(link(0.05, 1.0), 5);
    recording.fly(10.0, 20_000);
    recording.gone(5.0);
    recording.fly(10.0, 20_000);
    recording.finish();
    recording.check();
    assert_eq!((recording.companion.logs.len(), &*recording.companion.ends), (1, &[][..]));
}

#[test]
fn a_link_that_is_gone_for_a_minute_begins_another_log() {
    let mut recording = Recording::<40>::new(link(0.05, 1.0), 6);
    recording.fly(10.0, 20_000);
    recording.gone(60.0);
    recording.fly(20.0, 20_000);
    recording.finish();
    recording.check();
    assert_eq!((recording.companion.logs.len(), &*recording.companion.ends), (2, &[LogEnd::LinkLost][..]));
    assert!(recording.companion.logs[1].len() > 200_000, "{}", recording.companion.logs[1].len());
}

#[test]
fn a_vehicle_that_restarts_begins_another_log() {
    let mut recording = Recording::<40>::new(link(0.05, 1.0), 7);
    recording.fly(10.0, 20_000);
    // The stream begins again: the ring keeps its records.
    *recording.simulation.stream = Stream::new(StreamOptions { address: VEHICLE, ..StreamOptions::DEFAULT });
    recording.fly(20.0, 20_000);
    assert_eq!((recording.companion.logs.len(), &*recording.companion.ends), (2, &[LogEnd::NextLog][..]));
    assert!(recording.companion.logs[1].len() > 200_000, "{}", recording.companion.logs[1].len());
    numbers(&recording.companion.logs[1]);
}

#[test]
fn a_recorder_that_restarts_begins_another_log() {
    let mut recording = Recording::<40>::new(link(0.05, 1.0), 8);
    recording.fly(10.0, 20_000);
    recording.companion.recorder = Recorder::new(RecorderOptions::default());
    recording.fly(20.0, 20_000);
    recording.finish();
    assert_eq!((recording.companion.logs.len(), recording.companion.recorder.state()), (2, RecorderState::Recording));
    recording.check();
}

#[test]
fn a_stream_with_little_to_send_is_one_log() {
    for (seed, bytes_per_second) in [(1, 0), (2, 20), (3, 60)] {
        for (loss, burst) in [(0.0, 1.0), (0.2, 1.0), (0.2, 10.0)] {
            let mut recording = Recording::<2>::new(link(loss, burst), seed);
            recording.fly(5.0, 20_000);
            recording.fly(120.0, bytes_per_second);
            recording.finish();
            recording.check();
            let Companion { logs, ends, .. } = &recording.companion;
            assert_eq!((logs.len(), &**ends), (1, &[][..]), "{bytes_per_second} {loss} {burst}");
            assert_eq!(recording.simulation.log.statistics().lost, 0);
            assert!(recording.simulation.log.tallies().all(|(_, tally)| tally.unflushed == 0));
        }
    }
}

#[test]
fn a_client_that_vanishes_from_an_idle_stream_is_noticed() {
    let mut recording = Recording::<40>::new(link(0.0, 1.0), 1);
    recording.fly(5.0, 20_000);
    recording.fly(15.0, 0);
    assert_eq!(recording.simulation.stream.state(now()), StreamState::Streaming);
    recording.simulation.up.is_gone = true;
    recording.fly(15.0, 0);
    assert_eq!(recording.simulation.stream.state(now()), StreamState::Silent);
}

/// Goodput in % of a link of 92,160 bytes/s, as `loss_table` has it for other clients.
#[test]
fn a_saturated_stream_uses_what_the_link_carries() {
    for (loss, burst, least) in [(0.0, 1.0, 91.0), (0.05, 1.0, 81.0), (0.2, 1.0, 57.0)] {
        let mut recording = Recording::<40>::new(Conditions { loss, burst, ..Conditions::SERIAL }, 1);
        recording.fly(10.0, 110_000);
        let before = recording.companion.recorder.counts().blocks;
        recording.fly(60.0, 110_000);
        let blocks = recording.companion.recorder.counts().blocks - before;
        let percent = blocks as f64 * 200.0 / (60.0 * 92_160.0) * 100.0;
        println!("recorder, losses of {loss}: {percent:.1} %");
        assert!(percent >= least, "{loss}: {percent:.1} %");
    }
}

/// Logs in memory.
struct Logs(Vec<Vec<u8>>);

impl LogStore for Logs {
    type Error = Infallible;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Infallible> {
        for (number, log) in (1..).zip(&self.0) {
            let entry = LogEntry { number, order: number, bytes: log.len() as u32, seconds: 1_764_000_000 };
            if visit(entry).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Infallible> {
        let Some(log) = self.0.get(number as usize - 1) else { return Ok(Piece::NoLog) };
        let rest = log.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(into.len()).min(512 - offset as usize % 512);
        into[..count].copy_from_slice(&rest[..count]);
        Ok(Piece::Bytes(count))
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        None
    }
}

fn some_log(length: usize) -> Vec<u8> {
    let mut random = Random(9);
    (0..length).map(|_| random.bits() as u8).collect()
}

/// A vehicle that sends its logs.
trait Sends {
    fn receive(&mut self, sender: Address, message: &Message<'_>);
    fn next(&mut self, now_us: u64) -> Option<Packet>;
}

/// The library's server, with its logs.
struct Queued<const REQUESTS: usize>(Server<REQUESTS>, Logs);

impl<const REQUESTS: usize> Queued<REQUESTS> {
    fn new(log: &[u8]) -> Self {
        let options = ServerOptions { address: VEHICLE, bytes_per_second: 10_000_000, ..ServerOptions::DEFAULT };
        Queued(Server::new(options), Logs(vec![vec![1], log.to_vec()]))
    }
}

impl<const REQUESTS: usize> Sends for Queued<REQUESTS> {
    fn receive(&mut self, sender: Address, message: &Message<'_>) {
        self.0.receive(sender, message);
    }

    fn next(&mut self, now_us: u64) -> Option<Packet> {
        let Queued(server, logs) = self;
        server.next(now_us, logs).expect("no errors").map(|message| Packet::new(VEHICLE, &message))
    }
}

/// A server that ignores a request while it serves one, as ArduPilot's.
struct OneAtATime {
    log: Vec<u8>,
    is_listed: bool,
    /// Offset and bytes of the request.
    request: Option<(u32, u32)>,
}

impl Sends for OneAtATime {
    fn receive(&mut self, _: Address, message: &Message<'_>) {
        match *message {
            Message::LogRequestList { .. } => self.is_listed = true,
            Message::LogRequestData { ofs, count, .. } => _ = self.request.get_or_insert((ofs, count)),
            Message::LogRequestEnd { .. } => self.request = None,
            _ => {}
        }
    }

    fn next(&mut self, _: u64) -> Option<Packet> {
        if std::mem::take(&mut self.is_listed) {
            let size = self.log.len() as u32;
            let entry = Message::LogEntry { time_utc: 0, size, id: 1, num_logs: 1, last_log_num: 1 };
            return Some(Packet::new(VEHICLE, &entry));
        }
        let (ofs, count) = self.request?;
        let rest = self.log.get(ofs as usize..).unwrap_or_default();
        let data = &rest[..rest.len().min(Message::DATA).min(count as usize)];
        let length = data.len() as u32;
        self.request =
            (data.len() == Message::DATA && count > length).then_some((ofs + length, count.saturating_sub(length)));
        Some(Packet::new(VEHICLE, &Message::LogData { id: 1, ofs, count: data.len() as u8, data }))
    }
}

/// Downloads the last log. Returns it, with the time in seconds.
fn download(vehicle: &mut impl Sends, conditions: Conditions, seed: u64) -> (Vec<u8>, f64) {
    set_now(0);
    let mut downloader = Downloader::new(DownloaderOptions { system: Some(1), ..DownloaderOptions::default() });
    let mut random = Random(seed);
    let (mut down, mut up) = (Channel::new(conditions, random.bits()), Channel::new(conditions, random.bits()));
    let (mut bytes, mut began_us) = (Vec::new(), None);
    loop {
        let now_us = now() + 500;
        set_now(now_us);
        for packet in up.receive(now_us) {
            vehicle.receive(packet.sender, &packet.message());
        }
        while down.has_room(now_us) {
            let Some(packet) = vehicle.next(now_us) else { break };
            down.send(now_us, packet);
        }
        for packet in down.receive(now_us) {
            downloader.receive(now_us, packet.sender, &packet.message());
        }
        downloader.take(&mut bytes);
        if began_us.is_none()
            && let Some(logs) = downloader.logs()
        {
            began_us = Some(now_us);
            let log = logs.last().expect("a log");
            downloader.fetch(log.id, 0, log.size);
        }
        while up.has_room(now_us) {
            let Some(message) = downloader.next(now_us) else { break };
            up.send(now_us, Packet::new(CLIENT, &message));
        }
        if downloader.is_fetched() {
            return (bytes, (now_us - began_us.unwrap_or(0)) as f64 / 1e6);
        }
        assert!(downloader.silent_us(now_us) < 60_000_000, "it hangs: {:?}", downloader.counts());
    }
}

/// The figures of the guide's chapter about companions: 10 MB, 250 kB/s, a round trip of 50 ms, losses both ways.
#[test]
fn a_download_uses_what_the_link_carries() {
    let log = some_log(10_000_000);
    for (loss, burst, least, least_one) in [(0.0, 1.0, 82.0, 78.0), (0.05, 1.0, 76.0, 26.0), (0.05, 10.0, 73.0, 35.0)] {
        let conditions = Conditions { bytes_per_second: 250_000, loss, burst, ..Conditions::SERIAL };
        let mut one = OneAtATime { log: log.clone(), is_listed: false, request: None };
        let queued = download(&mut Queued::<32>::new(&log), conditions, 3);
        for (name, (bytes, seconds), least) in
            [("queue of 32", queued, least), ("one at a time", download(&mut one, conditions, 3), least_one)]
        {
            assert!(bytes == log, "{name}, {loss} {burst}");
            let percent = bytes.len() as f64 / seconds / 250_000.0 * 100.0;
            println!("download, {name}, losses of {loss} in bursts of {burst}: {percent:.1} %");
            assert!(percent >= least, "{name}, {loss} {burst}: {percent:.1} %");
        }
    }
}

#[test]
fn a_download_over_any_link_is_the_log() {
    let mut random = Random(4);
    for seed in 0..60 {
        let log = some_log(random.below(40_000) as usize + 1);
        let conditions = Conditions {
            bytes_per_second: 5_000 + random.below(200_000),
            latency_us: random.below(150_000),
            loss: random.below(40) as f64 / 100.0,
            burst: 1.0 + random.below(5) as f64,
            reordered: random.below(30) as f64 / 100.0,
            late_us: 30_000,
            duplicated: random.below(30) as f64 / 100.0,
        };
        let (queued, _) = download(&mut Queued::<16>::new(&log), conditions, seed);
        let mut one = OneAtATime { log: log.clone(), is_listed: false, request: None };
        let (one, _) = download(&mut one, conditions, seed);
        assert!(queued == log && one == log, "{seed}: {} and {} bytes, {conditions:?}", queued.len(), one.len());
    }
}

/// A recorder of a sender like ArduPilot's, which logs 10,000 bytes a second for `seconds`. Returns what was logged.
fn ardupilot(companion: &mut Companion, sender: &mut ArduPilotLike, loss: f64, seconds: u64) -> Vec<u8> {
    let conditions = Conditions { loss, ..link(loss, 1.0) };
    let (mut down, mut up) = (Channel::new(conditions, 1), Channel::new(conditions, 2));
    let mut logged = Vec::new();
    for now_us in (now()..now() + (seconds + 2) * 1_000_000).step_by(1000) {
        set_now(now_us);
        if now_us % 10_000 == 0 && now() < seconds * 1_000_000 {
            let record = some_log(100 + logged.len() % 7);
            if sender.log(&record) {
                logged.extend(record);
            }
        }
        up.receive(now_us).iter().for_each(|packet| sender.receive(now_us, packet));
        while down.has_room(now_us) {
            let Some(packet) = sender.send(now_us) else { break };
            down.send(now_us, packet);
        }
        companion.step(now_us, &mut down, &mut up);
    }
    logged
}

#[test]
fn ardupilots_stream_is_recorded() {
    for loss in [0.0, 0.05, 0.2] {
        set_now(0);
        let mut sender = ArduPilotLike::new(100);
        let mut companion = Companion::new();
        let logged = ardupilot(&mut companion, &mut sender, loss, 20);
        assert!(logged.len() > 100_000, "{}", logged.len());
        let logs = companion.logs;
        assert!(logs.len() == 1 && logs[0] == logged[..logged.len() / 200 * 200], "{loss}: {} logs", logs.len());
        // It ignores START while it sends, so another client has it stop first.
        let mut restarted = Companion::new();
        ardupilot(&mut restarted, &mut sender, loss, 60);
        let is_recorded = restarted.logs.first().is_some_and(|log| log.len() > 50_000);
        assert!(restarted.recorder.counts().headless > 0 && is_recorded, "{loss}");
    }
}
