//! A sender of a log that does as ArduPilot's `AP_Logger_MAVLink` is described to do, for comparison only.

use super::{Packet, VEHICLE};
use binlog::mavlink::{Address, Message};

/// A block of its buffer.
#[derive(Clone, Debug)]
struct Block {
    seqno: u32,
    data: [u8; Message::BLOCK],
    sent_us: Option<u64>,
    is_asked_for: bool,
}

/// A sender with a buffer of blocks.
#[derive(Clone, Debug)]
pub struct ArduPilotLike {
    capacity: usize,
    blocks: Vec<Block>,
    filling: Vec<u8>,
    next: u32,
    client: Option<Address>,
    heard_us: u64,
    /// When it looks for old blocks the next time.
    looks_us: u64,
}

/// A block that isn't acknowledged is sent again after this time, for which it looks as often.
const AGAIN_US: u64 = 100_000;
/// Without an acknowledgement for this time, it stops.
const SILENT_US: u64 = 10_000_000;

impl ArduPilotLike {
    /// A sender with `capacity` blocks.
    pub fn new(capacity: usize) -> Self {
        ArduPilotLike {
            capacity,
            blocks: Vec::new(),
            filling: Vec::new(),
            next: 0,
            client: None,
            heard_us: 0,
            looks_us: 0,
        }
    }

    /// Logs a record, whole or not at all. Returns whether there was room.
    pub fn log(&mut self, record: &[u8]) -> bool {
        let room = (self.capacity - self.blocks.len()) * Message::BLOCK - self.filling.len();
        if self.client.is_none() || room < record.len() {
            return false;
        }
        self.filling.extend_from_slice(record);
        while self.filling.len() >= Message::BLOCK {
            let data: Vec<u8> = self.filling.drain(..Message::BLOCK).collect();
            let data = data.try_into().expect("a block");
            self.blocks.push(Block { seqno: self.next, data, sent_us: None, is_asked_for: false });
            self.next += 1;
        }
        true
    }

    /// Takes a packet.
    pub fn receive(&mut self, now_us: u64, packet: &Packet) {
        let Message::RemoteLogBlockStatus { seqno, is_received, .. } = packet.message() else { return };
        match (seqno, is_received) {
            (Message::START, true) if self.client.is_none() => {
                self.client = Some(packet.sender);
                (self.heard_us, self.next) = (now_us, 0);
                self.blocks.clear();
                self.filling.clear();
            }
            (Message::STOP, true) => self.client = None,
            (_, true) => {
                self.heard_us = now_us;
                self.blocks.retain(|block| block.seqno != seqno);
            }
            (_, false) => {
                self.blocks.iter_mut().filter(|block| block.seqno == seqno).for_each(|block| block.is_asked_for = true);
            }
        }
    }

    /// The next packet to send.
    pub fn send(&mut self, now_us: u64) -> Option<Packet> {
        let target = self.client?;
        if now_us > self.heard_us + SILENT_US {
            self.client = None;
            return None;
        }
        if now_us >= self.looks_us {
            self.looks_us = now_us + AGAIN_US;
            let is_old = |block: &&mut Block| block.sent_us.is_some_and(|sent| now_us >= sent + AGAIN_US);
            self.blocks.iter_mut().filter(is_old).for_each(|block| block.is_asked_for = true);
        }
        let is_due = |block: &&mut Block| block.is_asked_for || block.sent_us.is_none();
        let due = self.blocks.iter_mut().filter(is_due).min_by_key(|block| (!block.is_asked_for, block.seqno))?;
        (due.sent_us, due.is_asked_for) = (Some(now_us), false);
        Some(Packet::new(VEHICLE, &Message::RemoteLogDataBlock { target, seqno: due.seqno, data: &due.data }))
    }
}
