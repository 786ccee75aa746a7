//! Downloads over links with losses, by clients that ask as MAVProxy and QGroundControl do, from the server of logs and
//! from one like ArduPilot's: the table of the guide's chapter. Print it with
//! `BINLOG_THOROUGH=1 cargo test -p binlog-tests --test mavlink download -- --nocapture`.

use crate::server::{STATION, UNLIMITED, bytes};
use binlog_embedded::mavlink::{LogEntry, LogStore, Message, Piece, Server};
use binlog_tests::mavlink::channel::{Channel, Conditions};
use binlog_tests::mavlink::{Packet, Random, VEHICLE};
use std::convert::Infallible;
use std::ops::ControlFlow;

const DATA: u32 = Message::DATA as u32;

/// One log, as a card has it.
struct Card(Vec<u8>);

impl LogStore for Card {
    type Error = Infallible;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Infallible> {
        let _ = visit(LogEntry { number: 1, order: 1, bytes: self.0.len() as u32, seconds: 0 });
        Ok(())
    }

    fn read_at(&mut self, _: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Infallible> {
        let offset = offset as usize;
        let rest = self.0.get(offset..).unwrap_or_default();
        let count = rest.len().min(into.len()).min(512 - offset % 512);
        into[..count].copy_from_slice(&rest[..count]);
        Ok(Piece::Bytes(count))
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        None
    }
}

/// The end of the link that has the logs.
trait Vehicle {
    fn receive(&mut self, packet: &Packet);
    fn next(&mut self, now_us: u64, card: &mut Card) -> Option<Packet>;
}

impl Vehicle for Server<32> {
    fn receive(&mut self, packet: &Packet) {
        Server::receive(self, packet.sender, &packet.message());
    }

    fn next(&mut self, now_us: u64, card: &mut Card) -> Option<Packet> {
        loop {
            let Ok(message) = Server::next(self, now_us, card);
            let packet = message.map(|message| Packet::new(VEHICLE, &message));
            if packet.is_some() || self.is_idle() {
                return packet;
            }
        }
    }
}

/// Answers one request at a time, as ArduPilot does, and ignores others meanwhile.
#[derive(Default)]
struct ArduPilotLike(Option<(u32, u32)>);

impl Vehicle for ArduPilotLike {
    fn receive(&mut self, packet: &Packet) {
        match packet.message() {
            Message::LogRequestData { ofs, count, .. } if self.0.is_none() => self.0 = Some((ofs, count)),
            Message::LogRequestEnd { .. } => self.0 = None,
            _ => {}
        }
    }

    fn next(&mut self, _: u64, card: &mut Card) -> Option<Packet> {
        let (ofs, count) = self.0?;
        let left = (card.0.len() as u32).saturating_sub(ofs).min(count);
        let length = left.min(DATA);
        let data = card.0.get(ofs as usize..).map_or(&[][..], |rest| &rest[..length as usize]);
        self.0 = (left > length).then_some((ofs + length, left - length));
        Some(Packet::new(VEHICLE, &Message::LogData { id: 1, ofs, count: length as u8, data }))
    }
}

/// What both clients have.
struct File {
    bytes: Vec<u8>,
    /// Which packets came.
    packets: Vec<bool>,
    requests: Vec<Message<'static>>,
    is_complete: bool,
}

impl File {
    fn request(&mut self, ofs: u32, count: u32) {
        self.requests.push(Message::LogRequestData { target: VEHICLE, id: 1, ofs, count });
    }

    fn write(&mut self, ofs: u32, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        self.bytes[ofs as usize..][..data.len()].copy_from_slice(data);
        self.packets[(ofs / DATA) as usize] = true;
    }
}

trait Client {
    fn file(&mut self) -> &mut File;
    fn receive(&mut self, now_us: u64, ofs: u32, data: &[u8]);
    fn idle(&mut self, now_us: u64);
}

/// Asks for the whole log, and after 0.7 s of silence for up to 20 gaps.
struct MavProxyLike {
    file: File,
    heard_us: u64,
}

impl Client for MavProxyLike {
    fn file(&mut self) -> &mut File {
        &mut self.file
    }

    fn receive(&mut self, now_us: u64, ofs: u32, data: &[u8]) {
        self.file.write(ofs, data);
        self.heard_us = now_us;
        let before = self.file.packets.iter().take((ofs / DATA) as usize);
        self.file.is_complete |= data.is_empty() || (data.len() < 90 && before.copied().all(|came| came));
    }

    fn idle(&mut self, now_us: u64) {
        if now_us - self.heard_us <= 700_000 {
            return;
        }
        self.heard_us = now_us;
        let Some(highest) = self.file.packets.iter().rposition(|&came| came) else { return };
        let mut gaps = Vec::new();
        let mut at = 0;
        while gaps.len() < 20 && at < highest {
            let end = (at..highest).find(|&at| self.file.packets[at]).unwrap_or(highest);
            if end > at {
                gaps.push((at, end));
            }
            at = end + 1;
        }
        if gaps.is_empty() {
            self.file.request((1 + highest as u32) * DATA, u32::MAX);
        }
        for (from, to) in gaps {
            self.file.request(from as u32 * DATA, (to - from) as u32 * DATA);
        }
    }
}

/// Asks for chunks of 512 packets, and after 0.5 s of silence, or when a gap is filled, for the first gap of the chunk.
struct QGroundControlLike {
    file: File,
    heard_us: u64,
    chunk: usize,
    /// The log's length, once a short or an empty packet came.
    end: Option<u32>,
}

const CHUNK: usize = 512;

impl QGroundControlLike {
    fn packets(&mut self) -> std::ops::Range<usize> {
        let end = self.end.map_or(usize::MAX, |end| end.div_ceil(DATA) as usize);
        self.chunk * CHUNK..((self.chunk + 1) * CHUNK).min(end)
    }

    fn came(&self, packet: usize) -> bool {
        self.file.packets.get(packet).is_some_and(|&came| came)
    }

    fn ask(&mut self) {
        let packets = self.packets();
        let from = packets.clone().find(|&packet| !self.came(packet));
        match from {
            Some(from) => {
                let to = (from..packets.end).find(|&packet| self.came(packet)).unwrap_or(packets.end);
                self.file.request(from as u32 * DATA, (to - from) as u32 * DATA);
            }
            None if self.end.is_some_and(|end| end as usize <= (self.chunk + 1) * CHUNK * DATA as usize) => {
                self.file.is_complete = true;
            }
            None => {
                self.chunk += 1;
                self.file.request((self.chunk * CHUNK) as u32 * DATA, CHUNK as u32 * DATA);
            }
        }
    }
}

impl Client for QGroundControlLike {
    fn file(&mut self) -> &mut File {
        &mut self.file
    }

    fn receive(&mut self, now_us: u64, ofs: u32, data: &[u8]) {
        let packet = (ofs / DATA) as usize;
        if !ofs.is_multiple_of(DATA) || packet / CHUNK != self.chunk || self.came(packet) {
            return;
        }
        self.heard_us = now_us;
        self.file.write(ofs, data);
        if data.len() < 90 {
            self.end = Some(ofs + data.len() as u32);
        }
        let packets = self.packets();
        if packets.clone().all(|packet| self.came(packet)) || (packets.contains(&(packet + 1)) && self.came(packet + 1))
        {
            self.ask();
        }
    }

    fn idle(&mut self, now_us: u64) {
        if now_us - self.heard_us > 500_000 {
            self.heard_us = now_us;
            self.ask();
        }
    }
}

const LINKS: [(f64, f64); 3] = [(0.0, 1.0), (0.05, 1.0), (0.05, 10.0)];
const BYTES_PER_SECOND: u64 = 250_000;

/// Downloads a log. Returns what arrived a second, in % of what the link carries.
fn download(client: &mut impl Client, vehicle: &mut impl Vehicle, log: Vec<u8>, link: (f64, f64)) -> f64 {
    let (loss, burst) = link;
    let conditions =
        Conditions { bytes_per_second: BYTES_PER_SECOND, latency_us: 25_000, loss, burst, ..Conditions::SERIAL };
    let mut random = Random(1);
    let [mut down, mut up] = [(); 2].map(|()| Channel::new(conditions, random.bits()));
    let mut card = Card(log);
    let mut now_us = 0;
    while !client.file().is_complete {
        now_us += 500;
        up.receive(now_us).iter().for_each(|packet| vehicle.receive(packet));
        while down.has_room(now_us) {
            let Some(packet) = vehicle.next(now_us, &mut card) else { break };
            down.send(now_us, packet);
        }
        for packet in down.receive(now_us) {
            if let Message::LogData { ofs, data, count, .. } = packet.message() {
                // Zeros at the end may be left out.
                let mut bytes = [0; 90];
                bytes[..data.len()].copy_from_slice(data);
                client.receive(now_us, ofs, &bytes[..count.into()]);
            }
        }
        client.idle(now_us);
        for request in client.file().requests.split_off(0) {
            up.send(now_us, Packet::new(STATION, &request));
        }
        assert!(now_us < 3_600_000_000, "no end of the download");
    }
    assert!(client.file().bytes == card.0, "the file is the log");
    card.0.len() as f64 / (now_us as f64 / 1e6) / BYTES_PER_SECOND as f64 * 100.0
}

fn file(log: &[u8]) -> File {
    let (bytes, packets) = (vec![0; log.len()], vec![false; log.len().div_ceil(90)]);
    File { bytes, packets, requests: Vec::new(), is_complete: false }
}

fn mavproxy(log: &[u8]) -> MavProxyLike {
    let mut file = file(log);
    file.request(0, u32::MAX);
    MavProxyLike { file, heard_us: 0 }
}

fn qgroundcontrol(log: &[u8]) -> QGroundControlLike {
    let mut file = file(log);
    file.request(0, CHUNK as u32 * DATA);
    QGroundControlLike { file, heard_us: 0, chunk: 0, end: None }
}

#[test]
fn clients_download_no_slower_than_from_ardupilots_server() {
    let length = if std::env::var_os("BINLOG_THOROUGH").is_some() { 10_000_001 } else { 500_001 };
    let log = bytes(1, length);
    println!("| losses both ways | MAVProxy | from ArduPilot's | QGroundControl | from ArduPilot's |");
    println!("| --- | --- | --- | --- | --- |");
    for link in LINKS {
        let proxy = download(&mut mavproxy(&log), &mut Server::<32>::new(UNLIMITED), log.clone(), link);
        let proxy_before = download(&mut mavproxy(&log), &mut ArduPilotLike::default(), log.clone(), link);
        let station = download(&mut qgroundcontrol(&log), &mut Server::<32>::new(UNLIMITED), log.clone(), link);
        let station_before = download(&mut qgroundcontrol(&log), &mut ArduPilotLike::default(), log.clone(), link);
        let (loss, burst) = link;
        let name = format!("{} %{}", loss * 100.0, if burst > 1.0 { ", bursts of 10" } else { "" });
        println!("| {name} | {proxy:.1} | {proxy_before:.1} | {station:.1} | {station_before:.1} |");
        // The two see other packets lost.
        assert!(proxy >= proxy_before * 0.9, "{proxy} instead of {proxy_before}");
        assert!(station >= station_before * 0.9, "{station} instead of {station_before}");
    }
}

/// MAVProxy takes an empty packet for the end, and QGroundControl waits for a short or an empty one.
#[test]
fn logs_of_any_length_arrive_whole_at_both_clients() {
    for length in [1, 89, 90, 180, 9000, 46_080, 46_081, 46_079, 92_160, 90_000] {
        let log = bytes(1, length);
        for link in [(0.0, 1.0), (0.05, 1.0), (0.2, 1.0)] {
            let mut client = mavproxy(&log);
            // It asks again for a log only of which something came.
            while client.file.requests.len() < 4 {
                client.file.request(0, u32::MAX);
            }
            download(&mut client, &mut Server::<32>::new(UNLIMITED), log.clone(), link);
            download(&mut qgroundcontrol(&log), &mut Server::<32>::new(UNLIMITED), log.clone(), link);
        }
    }
}
