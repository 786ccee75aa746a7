//! A link for tests: bandwidth, latency, losses, bursts of them, duplicates and reordering, all from a seed.

use super::{Address, MAX_PAYLOAD, Message};
use std::collections::BTreeMap;
use std::vec::Vec;

/// One direction.
#[derive(Clone)]
pub(super) struct Lossy {
    bytes_per_second: u64,
    delay_us: u64,
    /// Losses of 1,000 frames, and how many frames are lost at once.
    loss: u64,
    burst: u64,
    /// Frames of 1,000 that come twice, and those that come up to 20 ms late.
    twice: u64,
    late: u64,
    seed: u64,
    lost: u64,
    free_us: u64,
    /// What is on the way, by the time of its arrival.
    frames: BTreeMap<(u64, u64), (u32, Vec<u8>)>,
    sent: u64,
}

impl Lossy {
    pub(super) fn new(bytes_per_second: u64, delay_us: u64, loss: u64, seed: u64) -> Self {
        Lossy {
            bytes_per_second,
            delay_us,
            loss,
            burst: 1,
            twice: 0,
            late: 0,
            seed: seed | 1,
            lost: 0,
            free_us: 0,
            frames: BTreeMap::new(),
            sent: 0,
        }
    }

    /// Frames are lost so many at once.
    pub(super) fn in_bursts(self, burst: u64) -> Self {
        Lossy { burst, ..self }
    }

    /// So many frames of 1,000 come twice, and so many up to 20 ms late.
    pub(super) fn with(self, twice: u64, late: u64) -> Self {
        Lossy { twice, late, ..self }
    }

    /// A number below 1,000.
    pub(super) fn random(&mut self) -> u64 {
        // xorshift64
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) % 1000
    }

    /// Whether there is room for a frame: the sender's queue holds those of a millisecond.
    pub(super) fn is_free(&self, now_us: u64) -> bool {
        self.free_us <= now_us + 1000
    }

    pub(super) fn send(&mut self, now_us: u64, message: &Message<'_>) {
        let mut payload = [0; MAX_PAYLOAD];
        let mut payload = message.payload(&mut payload);
        while let [rest @ .., 0] = payload {
            payload = rest;
        }
        let bytes = payload.len() as u64 + 12;
        self.free_us = self.free_us.max(now_us) + bytes * 1_000_000 / self.bytes_per_second;
        if self.lost == 0 && self.random() * self.burst < self.loss {
            self.lost = self.burst;
        }
        if self.lost > 0 {
            self.lost -= 1;
            return;
        }
        let copies = 1 + u64::from(self.random() < self.twice);
        for _ in 0..copies {
            let late = if self.random() < self.late { self.random() * 20 } else { 0 };
            self.sent += 1;
            self.frames.insert((self.free_us + self.delay_us + late, self.sent), (message.id(), payload.to_vec()));
        }
    }

    /// What has arrived.
    pub(super) fn receive(&mut self, now_us: u64) -> Vec<(u32, Vec<u8>)> {
        let later = self.frames.split_off(&(now_us + 1, 0));
        std::mem::replace(&mut self.frames, later).into_values().collect()
    }
}

/// Bytes that differ from each other at every place.
pub(super) fn log(length: usize) -> Vec<u8> {
    (0..length as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

pub(super) const VEHICLE: Address = Address::new(7, 1);
