//! One direction of a link: bandwidth, latency, loss, bursts, reordering and duplicates, from a seed.

use super::{Packet, Random};

/// What a channel does to packets.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// Bytes of frames that it carries in a second.
    pub bytes_per_second: u64,
    /// The time from a packet's last byte to its arrival.
    pub latency_us: u64,
    /// The share of packets that are lost.
    pub loss: f64,
    /// How many are lost in succession, on average; 1 for losses that are independent.
    pub burst: f64,
    /// The share of packets that arrive up to `late_us` later, after others.
    pub reordered: f64,
    /// See `reordered`.
    pub late_us: u64,
    /// The share of packets that arrive twice, the second time up to `late_us` later.
    pub duplicated: f64,
}

impl Conditions {
    /// A serial link at 921,600 baud whose packets take 25 ms, without losses.
    pub const SERIAL: Self = Conditions {
        bytes_per_second: 92_160,
        latency_us: 25_000,
        loss: 0.0,
        burst: 1.0,
        reordered: 0.0,
        late_us: 0,
        duplicated: 0.0,
    };

    /// The longest time that a packet takes, with the time in the sender's buffer.
    pub fn longest_us(&self) -> u64 {
        BUFFER * 1_000_000 / self.bytes_per_second + self.latency_us + self.late_us
    }
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Channel {
    /// What it does; may be changed while packets are on their way.
    pub conditions: Conditions,
    /// Whether everything is lost.
    pub is_gone: bool,
    random: Random,
    /// Whether a burst of losses continues.
    loses: bool,
    /// When its sender has sent all.
    busy_until_us: u64,
    /// Packets and when they arrive, in the order in which they were sent.
    on_the_way: Vec<(u64, Packet)>,
    /// Bytes that were sent.
    pub sent_bytes: u64,
}

/// Bytes that wait in the sender's buffer, at most: as a UART's driver has them.
const BUFFER: u64 = 512;

impl Channel {
    /// A channel without packets.
    pub fn new(conditions: Conditions, seed: u64) -> Self {
        Channel {
            conditions,
            is_gone: false,
            random: Random(seed),
            loses: false,
            busy_until_us: 0,
            on_the_way: Vec::new(),
            sent_bytes: 0,
        }
    }

    /// Whether the sender's buffer has room for a frame.
    pub fn has_room(&self, now_us: u64) -> bool {
        let waiting = self.busy_until_us.saturating_sub(now_us) * self.conditions.bytes_per_second / 1_000_000;
        waiting + 280 <= BUFFER
    }

    /// Sends a packet.
    pub fn send(&mut self, now_us: u64, packet: Packet) {
        let Conditions { bytes_per_second, latency_us, reordered, late_us, duplicated, .. } = self.conditions;
        let length = packet.frame_length();
        self.sent_bytes += length;
        self.busy_until_us = self.busy_until_us.max(now_us) + length * 1_000_000 / bytes_per_second;
        if self.is_lost() {
            return;
        }
        let on_time_us = self.busy_until_us + latency_us;
        let late = |random: &mut Random| on_time_us + 1 + random.below(late_us);
        if self.random.happens(duplicated) {
            self.on_the_way.push((late(&mut self.random), packet.clone()));
        }
        let arrives_us = if self.random.happens(reordered) { late(&mut self.random) } else { on_time_us };
        self.on_the_way.push((arrives_us, packet));
    }

    /// A chain of two states: in one of them all packets are lost, which gives bursts of the mean length.
    fn is_lost(&mut self) -> bool {
        let Conditions { loss, burst, .. } = self.conditions;
        self.loses = match (self.loses && burst > 1.0, loss > 0.0) {
            (_, false) => false,
            (true, _) => !self.random.happens(1.0 / burst),
            (false, _) if burst > 1.0 => self.random.happens((loss / (1.0 - loss) / burst).min(1.0)),
            (false, _) => self.random.happens(loss),
        };
        self.loses || self.is_gone
    }

    /// Whether one of these packets is on its way.
    pub fn carries(&self, is_it: impl Fn(&Packet) -> bool) -> bool {
        self.on_the_way.iter().any(|(_, packet)| is_it(packet))
    }

    /// The packets that arrived, in order.
    pub fn receive(&mut self, now_us: u64) -> Vec<Packet> {
        let mut arrived: Vec<_> = self.on_the_way.extract_if(.., |&mut (at, _)| at <= now_us).collect();
        arrived.sort_by_key(|&(at, _)| at);
        arrived.into_iter().map(|(_, packet)| packet).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::VEHICLE;
    use super::*;
    use binlog::mavlink::Message;

    #[test]
    fn losses_have_their_share_and_length() {
        for (loss, burst) in [(0.05, 1.0), (0.2, 1.0), (0.05, 10.0), (0.2, 10.0)] {
            let mut channel = Channel::new(Conditions { loss, burst, ..Conditions::SERIAL }, 7);
            let lost: Vec<_> = (0..200_000).map(|_| channel.is_lost()).collect();
            let count = lost.iter().filter(|&&lost| lost).count() as f64;
            let runs = lost.chunk_by(|a, b| a == b).filter(|run| run[0]).count() as f64;
            assert!((count / 200_000.0 / loss - 1.0).abs() < 0.1, "{loss} {burst}: {count}");
            let length = if burst > 1.0 { burst } else { 1.0 / (1.0 - loss) };
            assert!((count / runs / length - 1.0).abs() < 0.1, "{loss} {burst}: {runs}");
        }
    }

    #[test]
    fn packets_take_their_time() {
        let mut channel = Channel::new(Conditions::SERIAL, 1);
        let packet = Packet::new(VEHICLE, &Message::RemoteLogDataBlock { target: VEHICLE, seqno: 3, data: &[7; 200] });
        channel.send(0, packet.clone());
        // 218 bytes at 92,160 bytes a second.
        assert!(channel.receive(25_000 + 2_364).is_empty());
        assert_eq!(channel.receive(25_000 + 2_366), [packet]);
    }
}
