//! Who is heard on a link. A UDP port of this computer may have several vehicles, ground stations and strangers, each
//! at an address of its own; other links have one peer, without an address.

use binlog::mavlink::{Address, Counts, Frames, Message};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Addresses that are known at most. Each takes 300 bytes.
const MOST: usize = 32;

/// After this silence, a system may be at another address: a vehicle that restarts has another port.
const SILENT: Duration = Duration::from_secs(3);

/// After this silence, an address gets no more messages for everybody, and gives its place to another one.
const GONE: Duration = Duration::from_secs(10);

/// Who is heard, at which addresses. Memory is bounded, whoever sends what.
#[derive(Debug, Default)]
pub(super) struct Peers {
    peers: Vec<Peer>,
    /// The address of each system, and when it was heard there last.
    systems: BTreeMap<u8, (Option<SocketAddr>, Instant)>,
    /// What was dropped.
    counts: Counts,
    others: u64,
}

#[derive(Debug)]
struct Peer {
    address: Option<SocketAddr>,
    frames: Frames,
    heard: Instant,
    /// Whether it has sent a frame of a system that has its address.
    is_known: bool,
}

impl Peers {
    /// What was dropped in frames.
    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// Messages of systems that are at another address, and packets of addresses for which there is no room.
    pub(super) fn others(&self) -> u64 {
        self.others
    }

    /// Takes the messages in bytes of an address. A system has one address, until that is silent.
    pub(super) fn receive(
        &mut self,
        now: Instant,
        address: Option<SocketAddr>,
        mut bytes: &[u8],
        mut take: impl FnMut(Address, &Message<'_>),
    ) {
        let Some(place) = self.place(now, address) else {
            self.others = self.others.saturating_add(1);
            return;
        };
        let Some(peer) = self.peers.get_mut(place) else { return };
        let before = peer.frames.counts();
        while let Some(frame) = peer.frames.next(&mut bytes) {
            let system = self.systems.entry(frame.sender.system).or_insert((address, now));
            if system.0 != address && now.saturating_duration_since(system.1) < SILENT {
                self.others = self.others.saturating_add(1);
                continue;
            }
            *system = (address, now);
            (peer.heard, peer.is_known) = (now, true);
            if let Some(message) = frame.message() {
                take(frame.sender, &message);
            }
        }
        add(&mut self.counts, peer.frames.counts(), before);
    }

    /// The place of an address in the list, which may be that of one that is gone, or has never sent a frame.
    fn place(&mut self, now: Instant, address: Option<SocketAddr>) -> Option<usize> {
        if let Some(place) = self.peers.iter().position(|peer| peer.address == address) {
            return Some(place);
        }
        let peer = Peer { address, frames: Frames::new(), heard: now, is_known: false };
        if self.peers.len() < MOST {
            self.peers.push(peer);
            return Some(self.peers.len() - 1);
        }
        let may_go = |peer: &Peer| !peer.is_known || now.saturating_duration_since(peer.heard) >= GONE;
        let places = self.peers.iter_mut().enumerate().filter(|(_, peer)| may_go(peer));
        let (place, gone) = places.min_by_key(|(_, peer)| peer.heard)?;
        *gone = peer;
        Some(place)
    }

    /// Where a message goes: to the address of its target, or to all that are known if the target isn't.
    pub(super) fn addresses(&self, now: Instant, message: &Message<'_>) -> Vec<SocketAddr> {
        let system = Some(target(message)).filter(|system| *system > 0);
        if let Some((address, _)) = system.and_then(|system| self.systems.get(&system)) {
            return address.iter().copied().collect();
        }
        let is_there = |peer: &&Peer| peer.is_known && now.saturating_duration_since(peer.heard) < GONE;
        self.peers.iter().filter(is_there).filter_map(|peer| peer.address).collect()
    }
}

/// The system that gets a message; 0 is everybody.
fn target(message: &Message<'_>) -> u8 {
    match *message {
        Message::LogRequestList { target, .. }
        | Message::LogRequestData { target, .. }
        | Message::LogErase { target }
        | Message::LogRequestEnd { target }
        | Message::RemoteLogDataBlock { target, .. }
        | Message::RemoteLogBlockStatus { target, .. } => target.system,
        Message::Heartbeat { .. } | Message::LogEntry { .. } | Message::LogData { .. } => 0,
    }
}

/// Adds what was counted since `before`.
fn add(counts: &mut Counts, now: Counts, before: Counts) {
    let add = |count: &mut u32, now: u32, before: u32| *count = count.saturating_add(now.saturating_sub(before));
    add(&mut counts.frames, now.frames, before.frames);
    add(&mut counts.others, now.others, before.others);
    add(&mut counts.damaged, now.damaged, before.damaged);
    add(&mut counts.incompatible, now.incompatible, before.incompatible);
    add(&mut counts.skipped, now.skipped, before.skipped);
}

#[cfg(test)]
mod tests {
    use super::*;
    use binlog::mavlink::{Link, MAX_FRAME};

    const HEARTBEAT: Message<'static> =
        Message::Heartbeat { custom_mode: 0, kind: 2, autopilot: 3, base_mode: 0, system_status: 4 };

    fn port(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    fn heartbeat(system: u8) -> Vec<u8> {
        let mut buffer = [0; MAX_FRAME];
        Link::new(Address::new(system, 1)).frame(&HEARTBEAT, &mut buffer).to_vec()
    }

    /// The systems whose messages were taken.
    fn hear(peers: &mut Peers, now: Instant, from: u16, bytes: &[u8]) -> Vec<u8> {
        let mut systems = Vec::new();
        peers.receive(now, Some(port(from)), bytes, |sender, _| systems.push(sender.system));
        systems
    }

    fn ask(system: u8) -> Message<'static> {
        Message::LogErase { target: Address::new(system, 0) }
    }

    #[test]
    fn a_message_goes_where_its_target_was_heard() {
        let (mut peers, now) = (Peers::default(), Instant::now());
        assert_eq!(peers.addresses(now, &HEARTBEAT), []);
        // A ground station, two vehicles, two more through a router, and somebody who sends no frames.
        for (from, system) in [(1, 255), (2, 1), (3, 2), (4, 3), (4, 4)] {
            assert_eq!(hear(&mut peers, now, from, &heartbeat(system)), [system]);
        }
        assert_eq!(hear(&mut peers, now, 5, b"hello"), [0_u8; 0]);
        for (to, ports) in [(2, &[3][..]), (4, &[4]), (0, &[1, 2, 3, 4]), (9, &[1, 2, 3, 4])] {
            let ports: Vec<_> = ports.iter().map(|number| port(*number)).collect();
            assert_eq!(peers.addresses(now, &ask(to)), ports, "to {to}");
        }
        let later = now + GONE;
        hear(&mut peers, later, 4, &heartbeat(3));
        assert_eq!(peers.addresses(later, &HEARTBEAT), [port(4)]);
        assert_eq!(peers.others(), 0);
    }

    #[test]
    fn a_sender_that_calls_itself_everybody_isnt() {
        let (mut peers, now) = (Peers::default(), Instant::now());
        hear(&mut peers, now, 1, &heartbeat(0));
        hear(&mut peers, now, 2, &heartbeat(1));
        assert_eq!(peers.addresses(now, &HEARTBEAT), [1, 2].map(port));
    }

    #[test]
    fn a_system_has_one_address_until_it_is_silent() {
        let (mut peers, now) = (Peers::default(), Instant::now());
        let second = Duration::from_secs(1);
        assert_eq!(hear(&mut peers, now, 1, &heartbeat(1)), [1]);
        assert_eq!(hear(&mut peers, now, 2, &heartbeat(1)), [0_u8; 0]);
        assert_eq!(hear(&mut peers, now + 2 * second, 1, &heartbeat(1)), [1]);
        assert_eq!(hear(&mut peers, now + 4 * second, 2, &heartbeat(1)), [0_u8; 0]);
        assert_eq!(peers.others(), 2);
        assert_eq!(hear(&mut peers, now + 5 * second, 2, &heartbeat(1)), [1]);
        assert_eq!(peers.addresses(now + 5 * second, &ask(1)), [port(2)]);
    }

    /// As of a bridge from a serial port, whose packets end anywhere.
    #[test]
    fn frames_in_pieces_of_two_addresses_are_kept_apart() {
        let (mut peers, now) = (Peers::default(), Instant::now());
        let (one, two) = (heartbeat(1), heartbeat(2));
        let mut systems = Vec::new();
        for (a, b) in one.chunks(4).zip(two.chunks(4)) {
            systems.extend([hear(&mut peers, now, 1, a), hear(&mut peers, now, 2, b)].concat());
        }
        assert_eq!((systems, peers.counts().damaged, peers.counts().frames), (vec![1, 2], 0, 2));
    }

    #[test]
    fn any_number_of_addresses_takes_bounded_memory() {
        let (mut peers, now) = (Peers::default(), Instant::now());
        assert_eq!(hear(&mut peers, now, 1, &heartbeat(1)), [1]);
        for from in 2..1000 {
            hear(&mut peers, now, from, b"hello");
        }
        assert_eq!((peers.peers.len(), peers.others()), (MOST, 0));
        for from in 1000..2000 {
            hear(&mut peers, now, from, &heartbeat(2));
        }
        assert_eq!(peers.peers.len(), MOST);
        assert_eq!(hear(&mut peers, now, 1, &heartbeat(1)), [1], "a vehicle keeps its place");
        // System 2 has the first of these addresses only, so the other ones are never known.
        assert_eq!(peers.addresses(now, &HEARTBEAT), [1, 1000].map(port));
        for system in 3..250 {
            hear(&mut peers, now, 2000 + u16::from(system), &heartbeat(system));
        }
        assert_eq!((peers.peers.len(), peers.addresses(now, &HEARTBEAT).len()), (MOST, MOST));
        assert_eq!(hear(&mut peers, now + GONE, 9999, &heartbeat(99)), [99]);
    }
}
