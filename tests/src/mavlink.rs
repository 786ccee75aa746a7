//! A MAVLink link in memory, and what is at its ends: clients that record a stream, and a sender that does it as
//! ArduPilot's does.

pub mod ardupilot;
pub mod channel;
pub mod client;

use binlog::mavlink::{Address, MAX_PAYLOAD, Message};

/// The vehicle at one end of the link.
pub const VEHICLE: Address = Address::new(1, 1);

/// A message on its way, with its sender.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Who sent it.
    pub sender: Address,
    id: u32,
    payload: Vec<u8>,
}

impl Packet {
    /// A packet of a message.
    pub fn new(sender: Address, message: &Message<'_>) -> Self {
        Packet { sender, id: message.id(), payload: message.payload(&mut [0; MAX_PAYLOAD]).to_vec() }
    }

    /// The message.
    pub fn message(&self) -> Message<'_> {
        Message::parse(self.id, &self.payload).expect("a message that was sent")
    }

    /// Bytes of its frame in MAVLink 2, whose zeros at the end are left out.
    fn frame_length(&self) -> u64 {
        12 + self.payload.iter().rposition(|&byte| byte != 0).map_or(1, |last| last as u64 + 1)
    }
}

/// Numbers that look random, from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Whether something happens that has this probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        ((self.bits() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit.max(1)
    }
}
