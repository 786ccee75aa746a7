//! Clients that record a stream, as MAVProxy 1.8.75's module `dataflash_logger` and mavlink-router do it: written from
//! what they were seen to do.

use super::{Packet, VEHICLE};
use binlog::mavlink::{Address, Message};
use std::collections::{BTreeMap, VecDeque};

/// Which client it is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It acknowledges each block, and asks for each gap, at most every 0.1 s a block.
    MavProxy,
    /// It asks for the block that just arrived, if one before it is missing, and acknowledges that one.
    Router,
}

/// A client that records one log after the other.
#[derive(Clone, Debug)]
pub struct Client {
    kind: Kind,
    /// Its address.
    pub address: Address,
    /// Where it sends what starts the stream.
    pub target: Address,
    /// The files that it wrote, the newest last. Gaps are zeros.
    pub files: Vec<File>,
    /// Whether it asks for a log.
    wants: bool,
    asked_us: Option<u64>,
    /// Blocks that are acknowledged when their time comes.
    to_acknowledge: VecDeque<(u64, u32)>,
    /// Blocks that are missing, since when, and when they were asked for last.
    missing: BTreeMap<u32, (u64, Option<u64>)>,
    /// Answers that are sent before others.
    urgent: VecDeque<Packet>,
}

/// A file of a client.
#[derive(Clone, Default, Debug)]
pub struct File {
    /// What was written, with zeros in gaps.
    pub bytes: Vec<u8>,
    /// Whether each block was written.
    pub blocks: Vec<bool>,
}

impl File {
    /// The bytes up to the first gap.
    pub fn prefix(&self) -> &[u8] {
        let blocks = self.blocks.iter().take_while(|&&is_written| is_written).count();
        &self.bytes[..blocks * Message::BLOCK]
    }
}

/// From a block's arrival to its acknowledgement.
const ANSWER_US: u64 = 1300;

impl Client {
    /// A client that starts a stream with its first [`send`](Client::send).
    pub fn new(kind: Kind, address: Address) -> Self {
        // MAVProxy's default is all vehicles' loggers.
        let target = if kind == Kind::MavProxy { Address::new(0, 155) } else { Address::new(1, 0) };
        Client {
            kind,
            address,
            target,
            files: Vec::new(),
            wants: true,
            asked_us: None,
            to_acknowledge: VecDeque::new(),
            missing: BTreeMap::new(),
            urgent: VecDeque::new(),
        }
    }

    /// Whether its newest file has more than block 0.
    pub fn has_begun(&self) -> bool {
        !self.wants && self.files.last().is_some_and(|file| file.blocks.len() > 1)
    }

    /// The program ends and is started again.
    pub fn restart(&mut self) {
        (self.wants, self.asked_us) = (true, None);
        self.to_acknowledge.clear();
        self.missing.clear();
        self.urgent.clear();
    }

    /// Asks the vehicle to stop.
    pub fn stop(&mut self) {
        self.urgent.push_back(self.status(VEHICLE, Message::STOP, true));
    }

    fn status(&self, target: Address, seqno: u32, is_received: bool) -> Packet {
        Packet::new(self.address, &Message::RemoteLogBlockStatus { target, seqno, is_received })
    }

    /// Takes a packet.
    pub fn receive(&mut self, now_us: u64, packet: &Packet) {
        let Message::RemoteLogDataBlock { target, seqno, data } = packet.message() else { return };
        assert_eq!(target, self.address, "a block for another client");
        if seqno == 0 && self.wants {
            self.files.push(File::default());
            self.missing.clear();
            self.wants = false;
        }
        if self.wants {
            return;
        }
        let Some(file) = self.files.last_mut() else { return };
        let (block, next) = (seqno as usize, file.blocks.len());
        assert!(block < next + 200, "a block far ahead of the others");
        if block >= next {
            file.blocks.resize(block + 1, false);
            file.bytes.resize((block + 1) * Message::BLOCK, 0);
            for gap in next..block {
                self.missing.insert(gap as u32, (now_us, None));
            }
        }
        file.blocks[block] = true;
        file.bytes[block * Message::BLOCK..][..data.len()].copy_from_slice(data);
        self.missing.remove(&seqno);
        self.to_acknowledge.push_back((now_us + ANSWER_US, seqno));
        if self.kind == Kind::Router && !self.missing.is_empty() {
            self.urgent.push_back(self.status(VEHICLE, seqno, false));
            self.missing.clear();
        }
    }

    /// The next packet to send, if one is due.
    pub fn send(&mut self, now_us: u64) -> Option<Packet> {
        if self.wants {
            if self.asked_us.is_some_and(|asked| now_us < asked + 1_000_000) {
                return None;
            }
            self.asked_us = Some(now_us);
            return Some(self.status(self.target, Message::START, true));
        }
        if let Some(packet) = self.urgent.pop_front() {
            return Some(packet);
        }
        if let Some((_, block)) = self.to_acknowledge.pop_front_if(|(due, _)| *due <= now_us) {
            return Some(self.status(VEHICLE, block, true));
        }
        let newest = self.files.last().map_or(0, |file| file.blocks.len() as u32);
        // Given up.
        self.missing.retain(|&block, (since, _)| newest - block <= 200 && now_us - *since < 60_000_000);
        if self.kind == Kind::Router {
            return None;
        }
        let is_due = |asked: &Option<u64>| asked.is_none_or(|asked| now_us >= asked + 100_000);
        let (&block, (_, asked)) = self.missing.iter_mut().find(|(_, (_, asked))| is_due(asked))?;
        *asked = Some(now_us);
        Some(self.status(VEHICLE, block, false))
    }
}
