//! A companion computer with the library's `Recorder`.

use binlog::mavlink::{Address, LogEnd, Message, Recorder, RecorderEvent, RecorderOptions};
use binlog_tests::mavlink::Packet;
use binlog_tests::mavlink::channel::Channel;

/// The recorder's default address.
pub(crate) const CLIENT: Address = Address::new(254, 155);

pub(crate) struct Companion {
    pub(crate) recorder: Recorder,
    /// What it wrote.
    pub(crate) logs: Vec<Vec<u8>>,
    pub(crate) ends: Vec<LogEnd>,
}

impl Companion {
    pub(crate) fn new() -> Self {
        Companion { recorder: Recorder::new(RecorderOptions::default()), logs: Vec::new(), ends: Vec::new() }
    }

    /// Takes what arrived, and sends what is due.
    pub(crate) fn step(&mut self, now_us: u64, down: &mut Channel, up: &mut Channel) {
        for packet in down.receive(now_us) {
            self.recorder.receive(now_us, packet.sender, &packet.message());
        }
        while up.has_room(now_us) {
            let Some(message) = self.recorder.next(now_us) else { break };
            up.send(now_us, Packet::new(CLIENT, &message));
        }
        while let Some(event) = self.recorder.take() {
            match event {
                RecorderEvent::Begin(_) => self.logs.push(Vec::new()),
                RecorderEvent::Block(block) => self.logs.last_mut().expect("a log").extend(*block),
                RecorderEvent::End(why) => self.ends.push(why),
            }
        }
    }
}

/// The heartbeat of an armed vehicle.
pub(crate) fn heartbeat() -> Message<'static> {
    Message::Heartbeat { custom_mode: 0, kind: 2, autopilot: 3, base_mode: 128, system_status: 4 }
}
