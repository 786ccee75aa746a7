//! The log of a card and the stream at once: both have the same bytes.

use crate::companion::{Companion, heartbeat};
use crate::flight::{self, Flight};
use crate::simulation::{COMPANION, now, set_now};
use binlog::mavlink::LogEnd;
use binlog_embedded::mavlink::{Follow, StreamOptions, StreamState};
use binlog_embedded::sd_log::{Options, Undated};
use binlog_embedded::{Drain, Logger, SdLog};
use binlog_tests::mavlink::channel::{Channel, Conditions};
use binlog_tests::mavlink::client::{Client, Kind};
use binlog_tests::mavlink::{Packet, VEHICLE};
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Clusters, Computer, Geometry, Volume};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

const RING: usize = 4096;

/// A vehicle with a card, and a link.
struct Vehicle {
    log: &'static Logger<Flight, RING>,
    drain: Drain<'static, Flight, RING>,
    card: RamCard,
    sd: SdLog<RamCard, Undated>,
    follow: Follow<100>,
    is_async: bool,
    down: Channel,
    up: Channel,
    client: Client,
    /// The client, if it isn't `client`.
    companion: Option<Companion>,
    is_flying: bool,
    bytes_per_second: u64,
    due: u64,
    next: u64,
}

impl Vehicle {
    /// A vehicle whose client is the library's.
    fn recorded(conditions: Conditions) -> Self {
        Vehicle { companion: Some(Companion::new()), ..Vehicle::new(conditions) }
    }

    fn new(conditions: Conditions) -> Self {
        set_now(0);
        let log: &'static Logger<Flight, RING> = Box::leak(Box::new(Logger::new()));
        log.start(now);
        let card = Geometry::FAT32.format();
        Vehicle {
            log,
            drain: log.drain().expect("the only drain"),
            sd: SdLog::new(card.clone(), Undated, Options { free_bytes: 0, ..Options::DEFAULT }),
            card,
            follow: Follow::new(StreamOptions { address: VEHICLE, ..StreamOptions::DEFAULT }),
            is_async: false,
            down: Channel::new(conditions, 1),
            up: Channel::new(conditions, 2),
            client: Client::new(Kind::MavProxy, COMPANION),
            companion: None,
            is_flying: true,
            bytes_per_second: 30_000,
            due: 0,
            next: 0,
        }
    }

    fn fly(&mut self, seconds: u64) {
        for _ in 0..seconds * 1000 {
            let now_us = now() + 1000;
            set_now(now_us);
            self.due += self.bytes_per_second * 1000;
            let length = flight::length(2) as u64 * 1_000_000;
            while self.due >= length {
                self.due -= length;
                flight::log(self.log, 2, self.next);
                self.next += 1;
            }
            if now_us.is_multiple_of(1_000_000) && self.companion.is_some() {
                self.down.send(now_us, Packet::new(VEHICLE, &heartbeat()));
            }
            if self.is_flying {
                // While there is no card, it says so.
                let _ = self.sd.run(&mut self.drain);
            }
            self.up.receive(now_us).iter().for_each(|it| self.follow.receive(now_us, it.sender, &it.message()));
            while self.down.has_room(now_us) {
                let message = match self.is_async {
                    false => self.follow.next(now_us, &mut self.sd),
                    true => block_on(self.follow.next_async(now_us, &mut self.sd)),
                };
                let Ok(Some(message)) = message else { break };
                self.down.send(now_us, Packet::new(VEHICLE, &message));
            }
            if let Some(companion) = &mut self.companion {
                companion.step(now_us, &mut self.down, &mut self.up);
                continue;
            }
            self.down.receive(now_us).iter().for_each(|packet| self.client.receive(now_us, packet));
            while self.up.has_room(now_us) {
                let Some(packet) = self.client.send(now_us) else { break };
                self.up.send(now_us, packet);
            }
        }
    }

    /// The flight ends, and with it the log on the card.
    fn land(&mut self) {
        self.is_flying = false;
        self.bytes_per_second = 0;
        self.log.stop();
        self.sd.finish(&mut self.drain).expect("the card works");
    }

    fn state(&self) -> StreamState {
        self.follow.state(now())
    }

    /// Asserts that the stream has ended, and that a file of the client is a log of the card.
    fn assert_finished(&self, file: usize, log: usize) {
        assert_eq!(self.state(), StreamState::Finished);
        self.assert_equal(file, log);
    }

    /// Asserts that a file of the client is a log of the card, with zeros up to a whole block.
    fn assert_equal(&self, file: usize, log: usize) {
        let log = Volume::of(&self.card).read(&format!("LOGS/{log:08}.BIN")).expect("the log is there");
        let file = match &self.companion {
            Some(companion) => &companion.logs[file],
            None => self.client.files[file].prefix(),
        };
        let (same, zeros) = file.split_at(log.len().min(file.len()));
        assert!(same == log, "{} of {} bytes", file.len(), log.len());
        assert!(zeros.len() < 200 && zeros.iter().all(|&byte| byte == 0));
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return done;
        }
    }
}

#[test]
fn a_slow_link_catches_up_after_landing_and_never_stalls_a_card() {
    for is_async in [false, true] {
        // A third of what the flight has.
        let slow = Conditions { bytes_per_second: 11_520, loss: 0.05, ..Conditions::SERIAL };
        let mut vehicle = Vehicle { is_async, ..Vehicle::new(slow) };
        vehicle.fly(10);
        vehicle.land();
        assert_eq!((vehicle.log.statistics().dropped, vehicle.log.statistics().lost), (0, 0));
        assert!(vehicle.client.files[0].bytes.len() < 150_000);
        vehicle.fly(40);
        vehicle.assert_finished(0, 1);
    }
}

#[test]
fn the_next_log_of_the_card_waits_for_a_start() {
    let mut vehicle = Vehicle::new(Conditions { loss: 0.05, ..Conditions::SERIAL });
    vehicle.fly(5);
    vehicle.sd.rotate();
    vehicle.fly(5);
    vehicle.assert_finished(0, 1);
    let sent = vehicle.down.sent_bytes;
    vehicle.fly(2);
    assert_eq!(vehicle.down.sent_bytes, sent);
    // From its beginning.
    vehicle.client.restart();
    vehicle.fly(5);
    vehicle.land();
    vehicle.fly(10);
    vehicle.assert_finished(1, 2);
}

#[test]
fn a_client_that_restarts_gets_the_whole_log_again() {
    let mut vehicle = Vehicle::new(Conditions { loss: 0.05, ..Conditions::SERIAL });
    vehicle.fly(5);
    vehicle.client.restart();
    vehicle.fly(10);
    vehicle.land();
    vehicle.fly(20);
    assert_eq!(vehicle.client.files.len(), 2);
    vehicle.assert_finished(1, 1);
}

#[test]
fn a_pulled_card_delays_the_rest_of_its_log() {
    let mut vehicle = Vehicle::new(Conditions::SERIAL);
    vehicle.fly(5);
    vehicle.card.pull();
    vehicle.fly(3);
    assert_eq!(vehicle.state(), StreamState::Streaming);
    vehicle.card.put_back();
    vehicle.fly(10);
    vehicle.assert_finished(0, 1);
}

#[test]
fn the_stream_ends_if_the_card_stays_away() {
    let mut vehicle = Vehicle::new(Conditions::SERIAL);
    vehicle.fly(5);
    vehicle.card.pull();
    vehicle.fly(20);
    assert_eq!(vehicle.state(), StreamState::Idle);
    // A client waits for a log.
    vehicle.client.restart();
    vehicle.fly(3);
    vehicle.card.put_back();
    vehicle.fly(5);
    vehicle.land();
    vehicle.fly(10);
    vehicle.assert_finished(1, 2);
}

#[test]
fn a_recorder_has_the_rest_of_a_log_whose_card_is_away() {
    for (seed, bytes_per_second) in [30_000, 20].into_iter().enumerate() {
        let mut vehicle = Vehicle::recorded(Conditions { loss: 0.05, ..Conditions::SERIAL });
        vehicle.fly(5);
        vehicle.bytes_per_second = bytes_per_second;
        vehicle.fly(10 + seed as u64);
        vehicle.card.pull();
        vehicle.fly(5);
        vehicle.card.put_back();
        vehicle.fly(10);
        vehicle.land();
        vehicle.fly(10);
        assert_eq!(vehicle.companion.as_ref().map(|it| &*it.ends), Some(&[LogEnd::NextLog][..]));
        vehicle.assert_equal(0, 1);
        vehicle.assert_equal(1, 2);
    }
}

#[test]
fn a_recorder_has_a_log_with_little_to_send_once() {
    for bytes_per_second in [0, 20] {
        let mut vehicle = Vehicle::recorded(Conditions { loss: 0.2, ..Conditions::SERIAL });
        vehicle.fly(5);
        vehicle.bytes_per_second = bytes_per_second;
        vehicle.fly(60);
        assert_eq!(vehicle.companion.as_ref().map(|it| (it.logs.len(), it.ends.len())), Some((1, 0)));
        vehicle.land();
        vehicle.fly(2);
        vehicle.assert_equal(0, 1);
    }
}

#[test]
fn another_cards_log_isnt_taken_for_the_clients() {
    // A link that is too slow, or has carried everything.
    for (bytes_per_second, logs, is_async) in
        [(11_520, 0, false), (11_520, 2, true), (92_160, 0, true), (92_160, 2, false)]
    {
        let other = Geometry::FAT32.format();
        other.edit(Geometry::FAT32.start, |boot| boot[67..71].copy_from_slice(&[1, 2, 3, 4]));
        if logs > 0 {
            let computer = Computer::new(&other);
            computer.folder("LOGS");
            for number in 1..=logs {
                computer.put(&format!("LOGS/{number:08}.BIN"), &[number as u8; 400_000], Clusters::First);
            }
            computer.note_free_clusters();
        }
        let conditions = Conditions { bytes_per_second, ..Conditions::SERIAL };
        let mut vehicle = Vehicle { is_async, ..Vehicle::recorded(conditions) };
        vehicle.fly(5);
        vehicle.card.pull();
        vehicle.fly(1);
        let card = vehicle.card.copy();
        vehicle.card.swap(&other);
        vehicle.fly(10);
        vehicle.land();
        vehicle.fly(60);
        let companion = vehicle.companion.as_ref().expect("a companion");
        assert_eq!((companion.logs.len(), &*companion.ends), (2, &[LogEnd::NextLog][..]));
        let log = Volume::of(&card).read("LOGS/00000001.BIN").expect("the log is there");
        assert!(companion.logs[0].len() > 20_000 && log.starts_with(&companion.logs[0]));
        vehicle.assert_equal(1, logs + 1);
    }
}
