//! Any messages, at any times, for what answers messages over MAVLink: a stream of a drain, a stream of a store, and a
//! server of logs. The fuzzer notices panics and hangs; what must hold besides is asserted here.

use binlog::LogSchema;
use binlog::messages::{Ev, Msg};
use binlog_embedded::Logger;
use binlog_embedded::mavlink::{
    Address, Follow, LogEntry, LogStore, Message, Piece, Server, ServerOptions, Stream, StreamOptions,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

#[derive(LogSchema)]
enum AnyLog {
    Ev(Ev),
    Msg(Msg),
}

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// Logs in memory by number, the last of which may be open. The bytes of a log tell it from others.
struct Logs {
    logs: BTreeMap<u32, Vec<u8>>,
    is_open: bool,
    fails: bool,
    /// The card in the slot, and the one that was read last.
    card: u32,
    volume: u32,
}

impl Logs {
    /// The byte that a log has.
    fn byte(&self, number: u32) -> u8 {
        (self.card * 100 + number) as u8
    }

    fn begin(&mut self) {
        let number = self.logs.last_key_value().map_or(1, |(number, _)| number + 1);
        self.logs.insert(number, vec![self.byte(number); 3]);
        (self.is_open, self.volume) = (true, self.card);
    }

    fn grow(&mut self, bytes: usize) {
        if let Some(log) = self.logs.values_mut().next_back() {
            log.resize(log.len() + bytes, log[0]);
        }
    }

    /// Puts another card into the slot, whose logs have the same numbers and other lengths.
    fn exchange(&mut self, longer: usize) {
        (self.card, self.is_open) = (self.card + 1, false);
        for number in self.logs.keys().copied().collect::<Vec<_>>() {
            let length = self.logs[&number].len() + longer;
            self.logs.insert(number, vec![self.byte(number); length]);
        }
    }

    /// Removes the log after the `skipped` oldest ones, unless it is the newest.
    fn remove(&mut self, skipped: usize) {
        let number = self.logs.keys().copied().nth(skipped).filter(|_| skipped + 1 < self.logs.len());
        number.map(|number| self.logs.remove(&number));
    }
}

impl LogStore for Logs {
    type Error = &'static str;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Self::Error> {
        if self.fails {
            return Err("no list");
        }
        self.volume = self.card;
        // Orders move when an older log goes, as in a folder.
        for (order, (&number, log)) in (1..).zip(&self.logs) {
            let entry = LogEntry { number, order, bytes: log.len() as u32, seconds: 0 };
            if visit(entry).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Self::Error> {
        if self.fails {
            return Err("no bytes");
        }
        self.volume = self.card;
        let Some(log) = self.logs.get(&number) else { return Ok(Piece::NoLog) };
        let rest = log.get(offset as usize..).unwrap_or(&[]);
        let count = rest.len().min(into.len()).min(512 - offset as usize % 512);
        into[..count].copy_from_slice(&rest[..count]);
        Ok(Piece::Bytes(count))
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        let (&number, newest) = self.logs.last_key_value().filter(|_| self.is_open)?;
        Some((number, newest.len() as u32))
    }

    fn volume(&self) -> u32 {
        self.volume
    }
}

/// What is sent of a log: a block that is sent again is the same one, and none is far ahead.
#[derive(Default)]
struct Sent(BTreeMap<u32, Vec<u8>>);

impl Sent {
    fn note(&mut self, message: &Message<'_>) {
        let Message::RemoteLogDataBlock { seqno, data, .. } = *message else { panic!("{message:?}") };
        if seqno == 0 {
            // Perhaps of another log.
            self.0.clear();
        }
        assert!(self.0.last_key_value().is_none_or(|(&last, _)| seqno <= last + 200), "{seqno} is far ahead");
        let before = self.0.entry(seqno).or_insert_with(|| data.to_vec());
        assert_eq!(*before, data, "block {seqno} is sent again, and differs");
    }
}

/// What the server sends: for one client, an id means one log until that client lists, ends its requests, or asks for
/// another id.
#[derive(Default)]
struct Served {
    client: Option<Address>,
    /// Whether requests are outstanding to which the ids may mean other logs.
    is_mixed: bool,
    /// The id that was sent last, and its log.
    last: Option<(u16, u8)>,
}

impl Served {
    fn receive(&mut self, sender: Address, message: &Message<'_>) {
        match *message {
            Message::LogRequestData { id, .. } if self.client == Some(sender) => {
                self.last = self.last.filter(|&(last, _)| last == id);
            }
            _ => *self = Served { client: Some(sender), is_mixed: true, last: None },
        }
    }

    fn note(&mut self, message: &Message<'_>) {
        let Message::LogData { id, data, .. } = *message else { return };
        let Some(&log) = data.first().filter(|_| !self.is_mixed) else { return };
        assert!(data.iter().all(|&byte| byte == log), "a packet has bytes of two logs");
        let (last, before) = self.last.replace((id, log)).unwrap_or((id, log));
        assert!(last != id || before == log, "id {id} means log {before}, then log {log}");
    }
}

/// Messages that are sent at one time, at most.
const MOST: usize = 400;

/// Calls that bytes stand for: the first one of each says which, the next ones are its arguments.
pub fn mavlink(mut bytes: &[u8]) {
    NOW.set(0);
    let log = Logger::<AnyLog, 1024>::new();
    log.start(|| NOW.get());
    let mut drain = log.drain().expect("the only drain");
    let mut stream = Stream::<8>::new(StreamOptions::DEFAULT);
    let mut follow = Follow::<8>::new(StreamOptions { bytes_per_second: 50_000, ..StreamOptions::DEFAULT });
    let mut server = Server::<4>::new(ServerOptions { while_armed: true, ..ServerOptions::DEFAULT });
    let mut store = Logs { logs: BTreeMap::from([(1, vec![1; 700])]), is_open: true, fails: false, card: 0, volume: 0 };
    let (mut streamed, mut followed, mut served) = (Sent::default(), Sent::default(), Served::default());
    let mut accepted = 0;
    while let Some((&[call, a, b], rest)) = bytes.split_first_chunk() {
        bytes = rest;
        let now_us = NOW.get();
        let sender = Address::new(1, 190 + a % 3);
        let target =
            [Address::new(1, 1), Address::new(0, 155), Address::new(0, 0), Address::new(2, 1)][a as usize / 64];
        match call % 10 {
            0 => NOW.set(now_us + u64::from(a) * 1000),
            1 => NOW.set(now_us + u64::from(u16::from_le_bytes([a, b])) * 10_000),
            // A clock that is wrong.
            2 if b == 255 => NOW.set(now_us.wrapping_sub(u64::from(a) << 20) & u64::from(u32::MAX)),
            2 => (0..a % 32).for_each(|_| accepted += u32::from(log.log(&Ev { time_us: now_us, id: b }))),
            3 | 4 => {
                let seqno = match b {
                    255 => Message::START,
                    254 => Message::STOP,
                    253 => u32::MAX,
                    block => block.into(),
                };
                let message = Message::RemoteLogBlockStatus { target, seqno, is_received: call % 10 == 3 };
                stream.receive(now_us, sender, &message);
                follow.receive(now_us, sender, &message);
            }
            5 => {
                let (payload, rest) = bytes.split_at(bytes.len().min(b as usize % 16));
                bytes = rest;
                let id = [0, 117, 118, 119, 120, 121, 122, 184, 185][a as usize % 9];
                if let Some(message) = Message::parse(id, payload) {
                    stream.receive(now_us, sender, &message);
                    follow.receive(now_us, sender, &message);
                    served.receive(sender, &message);
                    server.receive(sender, &message);
                }
            }
            6 => {
                for _ in 0..=b % 4 {
                    stream.run(now_us, &mut drain);
                }
            }
            7 => {
                stream.finish(now_us, &mut drain);
            }
            8 => match b % 8 {
                0 | 4 => store.begin(),
                1 => store.is_open = false,
                2 if store.is_open => store.grow(usize::from(a) * 3),
                5 => store.fails = !store.fails,
                6 => store.remove(usize::from(a % 3)),
                3 if a < 64 => store.exchange(usize::from(a) * 7),
                _ => server.set_armed(a & 1 != 0),
            },
            _ => {
                let mut count = 0;
                while stream.next(now_us).inspect(|message| streamed.note(message)).is_some() {
                    count += 1;
                    assert!(count < MOST, "the stream sends without end");
                }
                let mut count = 0;
                while let Ok(Some(message)) = follow.next(now_us, &mut store) {
                    followed.note(&message);
                    count += 1;
                    assert!(count < MOST, "the follower sends without end");
                }
                for _ in 0..MOST {
                    match server.next(now_us, &mut store) {
                        Ok(Some(message)) => served.note(&message),
                        Ok(None) => break,
                        Err(_) => {}
                    }
                }
                served.is_mixed &= !server.is_idle();
            }
        }
        let (tally, used) = (log.tally::<Ev>(), log.statistics().used);
        // A record of which the beginning was written is still in the ring.
        assert_eq!(tally.written + tally.lost + used / 12, accepted);
        assert!(tally.unflushed <= tally.written);
    }
}
