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
use std::convert::Infallible;
use std::ops::ControlFlow;

#[derive(LogSchema)]
enum AnyLog {
    Ev(Ev),
    Msg(Msg),
}

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// Logs in memory, the last of which may be open.
struct Logs {
    logs: Vec<Vec<u8>>,
    is_open: bool,
}

impl LogStore for Logs {
    type Error = Infallible;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Infallible> {
        for (number, log) in (1..).zip(&self.logs) {
            let entry = LogEntry { number, order: number, bytes: log.len() as u32, seconds: 0 };
            if visit(entry).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Infallible> {
        let Some(log) = (number as usize).checked_sub(1).and_then(|log| self.logs.get(log)) else {
            return Ok(Piece::NoLog);
        };
        let rest = log.get(offset as usize..).unwrap_or(&[]);
        let count = rest.len().min(into.len()).min(512 - offset as usize % 512);
        into[..count].copy_from_slice(&rest[..count]);
        Ok(Piece::Bytes(count))
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        let newest = self.logs.last().filter(|_| self.is_open)?;
        Some((self.logs.len() as u32, newest.len() as u32))
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
    let mut store = Logs { logs: vec![vec![1; 700]], is_open: true };
    let (mut streamed, mut followed) = (Sent::default(), Sent::default());
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
            8 => match b % 4 {
                0 => store.logs.push(vec![a; 3]),
                1 => store.is_open = !store.is_open,
                2 if store.is_open => {
                    if let Some(log) = store.logs.last_mut() {
                        log.resize(log.len() + usize::from(a) * 3, a);
                    }
                }
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
                    let Ok(message) = server.next(now_us, &mut store);
                    if message.is_none() {
                        break;
                    }
                }
            }
        }
        let (tally, used) = (log.tally::<Ev>(), log.statistics().used);
        // A record of which the beginning was written is still in the ring.
        assert_eq!(tally.written + tally.lost + used / 12, accepted);
        assert!(tally.unflushed <= tally.written);
    }
}
