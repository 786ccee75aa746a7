//! The vehicle that a client talks to, and the client's heartbeats.

use super::message::{Address, Message};

/// A component that isn't an autopilot has this one in its heartbeats: `MAV_AUTOPILOT_INVALID`.
const NO_AUTOPILOT: u8 = 8;
/// The type of ground stations, of which some claim to be an autopilot: `MAV_TYPE_GCS`.
const GROUND_STATION: u8 = 6;
/// The bit of `base_mode` in the heartbeats of an armed vehicle.
const ARMED: u8 = 128;
/// Time between heartbeats of the client, in microseconds.
const HEARTBEAT_US: u64 = 1_000_000;
/// Without heartbeats for this time, everybody is asked, in microseconds.
const UNHEARD_US: u64 = 2_500_000;
/// A vehicle that is silent for so long is lost, in microseconds.
pub(super) const LOST_US: u64 = 10_000_000;

/// What a client knows of the vehicle.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    /// Who the client is.
    address: Address,
    /// `MAV_TYPE` of the client.
    kind: u8,
    /// The system that the user chose.
    chosen: Option<u8>,
    /// The system whose log is open.
    held: Option<u8>,
    /// The autopilot whose heartbeat came first.
    vehicle: Option<Address>,
    heard_us: Option<u64>,
    is_armed: Option<bool>,
    began_us: Option<u64>,
    heartbeat_us: Option<u64>,
}

impl Peer {
    pub(super) fn new(address: Address, kind: u8, chosen: Option<u8>) -> Self {
        Peer {
            address,
            kind,
            chosen,
            held: None,
            vehicle: None,
            heard_us: None,
            is_armed: None,
            began_us: None,
            heartbeat_us: None,
        }
    }

    /// Takes a heartbeat of any component. Returns whether it is the vehicle's.
    pub(super) fn hear(&mut self, now_us: u64, sender: Address, message: &Message<'_>) -> bool {
        let Message::Heartbeat { kind, autopilot, base_mode, .. } = *message else { return false };
        let is_other = |system| system != sender.system;
        let is_vehicle = autopilot != NO_AUTOPILOT && kind != GROUND_STATION;
        if !is_vehicle || self.chosen.or(self.held).is_some_and(is_other) {
            return false;
        }
        let is_lost = self.heard_us.is_none_or(|heard| now_us.saturating_sub(heard) >= LOST_US);
        let vehicle = match self.vehicle {
            Some(vehicle) if !is_lost => vehicle,
            _ => *self.vehicle.insert(sender),
        };
        if vehicle == sender {
            self.heard_us = Some(now_us);
            self.is_armed = Some(base_mode & ARMED != 0);
        }
        vehicle == sender
    }

    /// Holds on to a system that answered, whoever else sends heartbeats, or lets it go.
    pub(super) fn hold(&mut self, system: Option<u8>) {
        self.held = system;
        if let Some(held) = system
            && self.vehicle.is_none_or(|vehicle| vehicle.system != held)
        {
            (self.vehicle, self.heard_us, self.is_armed) = (None, None, None);
        }
    }

    /// When the last heartbeat of a system came, if it is the vehicle's.
    pub(super) fn heard_us(&self, system: u8) -> Option<u64> {
        self.vehicle.filter(|vehicle| vehicle.system == system).and(self.heard_us)
    }

    pub(super) fn is_armed(&self) -> Option<bool> {
        self.is_armed
    }

    /// The system that is asked: the chosen one, the one whose log is open, or the one whose heartbeats come.
    pub(super) fn system(&self) -> Option<u8> {
        self.chosen.or(self.held).or(self.vehicle.map(|vehicle| vehicle.system))
    }

    /// Whom to ask. Without heartbeats it is everybody, after a while: routers pass them on, but one may not.
    pub(super) fn target(&mut self, now_us: u64) -> Option<Address> {
        let began = *self.began_us.get_or_insert(now_us);
        match self.system() {
            Some(system) => Some(Address::new(system, 0)),
            None => (now_us.saturating_sub(began) >= UNHEARD_US).then_some(Address::new(0, 0)),
        }
    }

    /// Whether an answer of this sender may be the vehicle's.
    pub(super) fn may_answer(&self, sender: Address) -> bool {
        self.system().is_none_or(|system| system == sender.system)
    }

    /// Whether a message to this target is for the client.
    pub(super) fn is_for_us(&self, target: Address) -> bool {
        (target.system == 0 || target.system == self.address.system)
            && (target.component == 0 || target.component == self.address.component)
    }

    /// The client's heartbeat, once a second: vehicles and routers learn from it where the client is.
    pub(super) fn heartbeat(&mut self, now_us: u64) -> Option<Message<'static>> {
        if self.heartbeat_us.is_some_and(|last| now_us.saturating_sub(last) < HEARTBEAT_US) {
            return None;
        }
        self.heartbeat_us = Some(now_us);
        // 4 is MAV_STATE_ACTIVE.
        let (kind, autopilot) = (self.kind, NO_AUTOPILOT);
        Some(Message::Heartbeat { custom_mode: 0, kind, autopilot, base_mode: 0, system_status: 4 })
    }
}
