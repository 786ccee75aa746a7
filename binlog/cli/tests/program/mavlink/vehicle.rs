//! A vehicle in a thread, on a UDP socket or on a TCP connection: heartbeats, a stream, and a server of logs.

use binlog::mavlink::{Address, Frames, Link, MAX_FRAME, Message};
use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Logs and their dates.
pub(super) type Logs = Vec<(Vec<u8>, u32)>;

/// What the vehicle has and does. A test changes it while the vehicle runs.
#[derive(Clone, Default)]
pub(super) struct Vehicle {
    pub(super) system: u8,
    /// The log that is streamed.
    pub(super) stream: Vec<u8>,
    /// The logs that are kept.
    pub(super) logs: Logs,
    /// The size that is said of each log, if that isn't true.
    pub(super) says: Option<u32>,
    /// What the last log gets, every half second.
    pub(super) rest: Vec<u8>,
    /// The number of a log whose entry it doesn't send.
    pub(super) hides: Option<u16>,
    /// The number of a log whose bytes it doesn't send.
    pub(super) withholds: Option<u16>,
    /// What happens to the logs when the last byte of log 1 is sent.
    pub(super) when_sent: Option<fn(&mut Logs)>,
    /// Of how many packets one is lost, in both directions.
    pub(super) loses_one_of: Option<u64>,
    /// Packets that are sent in a millisecond.
    pub(super) speed: usize,
    pub(super) is_armed: bool,
    /// Whether it doesn't answer requests for logs.
    pub(super) refuses: bool,
    /// Whether it sends no heartbeats.
    pub(super) is_mute: bool,
    /// Whether it neither sends nor hears anything.
    pub(super) is_silent: bool,
    /// It closes a TCP connection now.
    pub(super) hangs_up: bool,
    /// Bytes that it sends as they are, now.
    pub(super) noise: Vec<Vec<u8>>,
    /// How many STARTs, STOPs, heartbeats and requests for data came.
    pub(super) starts: u32,
    pub(super) stops: u32,
    pub(super) heartbeats: u32,
    pub(super) requests: u32,
    pub(super) ends: u32,
    /// Blocks of the stream that were acknowledged.
    pub(super) acknowledged: u32,
}

/// A vehicle that runs until it is dropped.
pub(super) struct Flying {
    pub(super) vehicle: Arc<Mutex<Vehicle>>,
    pub(super) link: String,
    ends: Arc<Mutex<bool>>,
    thread: Option<JoinHandle<()>>,
}

enum Socket {
    Udp(UdpSocket, Option<SocketAddr>),
    Tcp(TcpListener, Option<TcpStream>),
}

impl Vehicle {
    pub(super) fn new() -> Self {
        Vehicle { system: 1, speed: 5, ..Vehicle::default() }
    }

    /// A vehicle to which the program connects: `udp:`.
    pub(super) fn fly(self) -> Flying {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let link = format!("udp:{}", socket.local_addr().expect("an address"));
        self.fly_on(Socket::Udp(socket, None), link)
    }

    /// A vehicle that sends to a port of the program: `udpin:`.
    pub(super) fn fly_to(self, port: u16) -> Flying {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let to = SocketAddr::from(([127, 0, 0, 1], port));
        self.fly_on(Socket::Udp(socket, Some(to)), format!("udpin:{port}"))
    }

    /// A vehicle to which the program connects: `tcp:`.
    pub(super) fn fly_on_tcp(self) -> Flying {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a socket");
        let link = format!("tcp:{}", listener.local_addr().expect("an address"));
        self.fly_on(Socket::Tcp(listener, None), link)
    }

    fn fly_on(self, mut socket: Socket, link: String) -> Flying {
        if let Socket::Udp(socket, _) = &mut socket {
            socket.set_nonblocking(true).expect("a socket");
        }
        let (vehicle, ends) = (Arc::new(Mutex::new(self)), Arc::new(Mutex::new(false)));
        let (shared, stop) = (Arc::clone(&vehicle), Arc::clone(&ends));
        let thread = std::thread::spawn(move || {
            let mut flight = Flight::new(socket, shared.lock().expect("a lock").system);
            while !*stop.lock().expect("a lock") {
                flight.step(&mut shared.lock().expect("a lock"));
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        Flying { vehicle, link, ends, thread: Some(thread) }
    }
}

impl Flying {
    pub(super) fn with<R>(&self, use_it: impl FnOnce(&mut Vehicle) -> R) -> R {
        use_it(&mut self.vehicle.lock().expect("a lock"))
    }
}

impl Drop for Flying {
    fn drop(&mut self) {
        *self.ends.lock().expect("a lock") = true;
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// A free UDP port of this computer.
pub(super) fn free_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port()
}

struct Flight {
    socket: Socket,
    frames: Frames,
    link: Link,
    heartbeat: Option<Instant>,
    packets: u64,
    /// The client of the stream; blocks that aren't acknowledged, and when they were sent.
    client: Option<Address>,
    sent: BTreeMap<u32, Option<Instant>>,
    next: u32,
    entries: VecDeque<u16>,
    requests: VecDeque<(u16, u32, u32)>,
}

impl Flight {
    fn new(socket: Socket, system: u8) -> Self {
        Flight {
            socket,
            frames: Frames::new(),
            link: Link::new(Address::new(system, 1)),
            heartbeat: None,
            packets: 0,
            client: None,
            sent: BTreeMap::new(),
            next: 0,
            entries: VecDeque::new(),
            requests: VecDeque::new(),
        }
    }

    fn is_lost(&mut self, vehicle: &Vehicle) -> bool {
        self.packets += 1;
        // Primes, so that it isn't always the same packet of a request.
        vehicle.is_silent || vehicle.loses_one_of.is_some_and(|of| (self.packets * 7919 % 1009).is_multiple_of(of))
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        let mut buffer = [0; 2048];
        match &mut self.socket {
            Socket::Udp(socket, peer) => match socket.recv_from(&mut buffer) {
                Ok((length, from)) => {
                    *peer = Some(from);
                    Some(buffer[..length].to_vec())
                }
                Err(_) => None,
            },
            Socket::Tcp(listener, stream) => {
                if let Ok((accepted, _)) = listener.accept() {
                    accepted.set_nonblocking(true).expect("a socket");
                    *stream = Some(accepted);
                }
                match stream.as_mut()?.read(&mut buffer) {
                    Ok(0) => None,
                    Ok(length) => Some(buffer[..length].to_vec()),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => None,
                    Err(_) => {
                        *stream = None;
                        None
                    }
                }
            }
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        match &mut self.socket {
            Socket::Udp(socket, Some(peer)) => drop(socket.send_to(bytes, *peer)),
            Socket::Tcp(_, Some(stream)) => drop(stream.write_all(bytes)),
            _ => {}
        }
    }

    fn send_message(&mut self, vehicle: &Vehicle, message: &Message<'_>) {
        let mut buffer = [0; MAX_FRAME];
        let frame = self.link.frame(message, &mut buffer).to_vec();
        if !self.is_lost(vehicle) {
            self.send(&frame);
        }
    }

    fn step(&mut self, vehicle: &mut Vehicle) {
        if std::mem::take(&mut vehicle.hangs_up)
            && let Socket::Tcp(_, stream) = &mut self.socket
        {
            *stream = None;
        }
        while let Some(bytes) = self.receive() {
            if self.is_lost(vehicle) {
                continue;
            }
            let mut bytes = bytes.as_slice();
            let mut frames = std::mem::take(&mut self.frames);
            while let Some(frame) = frames.next(&mut bytes) {
                if let Some(message) = frame.message() {
                    self.answer(vehicle, frame.sender, &message);
                }
            }
            self.frames = frames;
        }
        for noise in std::mem::take(&mut vehicle.noise) {
            self.send(&noise);
        }
        if self.heartbeat.is_none_or(|last| last.elapsed() >= Duration::from_millis(500)) {
            self.heartbeat = Some(Instant::now());
            let base_mode = if vehicle.is_armed { 128 } else { 0 };
            let message = Message::Heartbeat { custom_mode: 0, kind: 2, autopilot: 3, base_mode, system_status: 4 };
            if !vehicle.is_mute {
                self.send_message(vehicle, &message);
            }
            let rest = vehicle.rest.split_off(vehicle.rest.len().min(2000));
            let grown = std::mem::replace(&mut vehicle.rest, rest);
            if let Some((log, _)) = vehicle.logs.last_mut() {
                log.extend(grown);
            }
        }
        for _ in 0..vehicle.speed {
            self.serve(vehicle);
            self.stream(vehicle);
        }
    }

    fn answer(&mut self, vehicle: &mut Vehicle, sender: Address, message: &Message<'_>) {
        let count = vehicle.logs.len() as u16;
        match *message {
            Message::Heartbeat { .. } => vehicle.heartbeats += 1,
            Message::RemoteLogBlockStatus { target, .. } if ![0, vehicle.system].contains(&target.system) => {}
            Message::RemoteLogBlockStatus { seqno: Message::START, .. } => {
                vehicle.starts += 1;
                if self.client.is_none() && !vehicle.stream.is_empty() {
                    (self.client, self.next) = (Some(sender), 0);
                    self.sent.clear();
                    vehicle.acknowledged = 0;
                }
            }
            Message::RemoteLogBlockStatus { seqno: Message::STOP, .. } => {
                vehicle.stops += 1;
                self.client = None;
            }
            Message::RemoteLogBlockStatus { seqno, is_received: true, .. } => {
                vehicle.acknowledged += u32::from(self.sent.remove(&seqno).is_some());
            }
            Message::RemoteLogBlockStatus { seqno, .. } => {
                self.sent.entry(seqno).and_modify(|sent| *sent = None);
            }
            Message::LogRequestList { .. } | Message::LogRequestData { .. } if vehicle.refuses => {}
            Message::LogRequestList { .. } if count == 0 => self.entries.push_back(0),
            Message::LogRequestList { start, end, .. } => self.entries.extend(start.max(1)..=end.min(count)),
            Message::LogRequestData { id, .. } if vehicle.withholds == Some(id) => {}
            Message::LogRequestData { id, ofs, count, .. } => {
                vehicle.requests += 1;
                if self.requests.len() < 32 {
                    self.requests.push_back((id, ofs, count));
                }
            }
            Message::LogRequestEnd { .. } => {
                vehicle.ends += 1;
                self.requests.clear();
            }
            _ => {}
        }
    }

    fn serve(&mut self, vehicle: &mut Vehicle) {
        let count = vehicle.logs.len() as u16;
        if let Some(id) = self.entries.pop_front() {
            if vehicle.hides == Some(id) {
                return;
            }
            let log = vehicle.logs.get(usize::from(id).wrapping_sub(1));
            let size = vehicle.says.unwrap_or(log.map_or(0, |(log, _)| log.len() as u32));
            let time_utc = log.map_or(0, |(_, date)| *date);
            let entry = Message::LogEntry { time_utc, size, id, num_logs: count, last_log_num: count };
            return self.send_message(vehicle, &entry);
        }
        let Some((id, ofs, count)) = self.requests.pop_front() else { return };
        let Some((log, _)) = vehicle.logs.get(usize::from(id).wrapping_sub(1)) else { return };
        let rest = log.get(ofs as usize..).unwrap_or(&[]);
        let data = &rest[..rest.len().min(Message::DATA).min(count as usize)];
        self.send_message(vehicle, &Message::LogData { id, ofs, count: data.len() as u8, data });
        let length = data.len() as u32;
        if data.len() == Message::DATA && count > length {
            self.requests.push_front((id, ofs + length, count - length));
        }
        if id == 1
            && data.len() == rest.len()
            && let Some(change) = vehicle.when_sent.take()
        {
            change(&mut vehicle.logs);
        }
    }

    fn stream(&mut self, vehicle: &Vehicle) {
        let Some(target) = self.client else { return };
        let is_due = |sent: &Option<Instant>| sent.is_none_or(|sent| sent.elapsed() >= Duration::from_millis(100));
        let blocks = vehicle.stream.len().div_ceil(Message::BLOCK) as u32;
        let due = self.sent.iter().find(|(_, sent)| is_due(sent)).map(|(seqno, _)| *seqno);
        let has_room = self.sent.keys().next().is_none_or(|first| self.next - first < 40);
        let seqno = match due {
            Some(seqno) => seqno,
            None if self.next < blocks && has_room => {
                self.next += 1;
                self.next - 1
            }
            None => return,
        };
        self.sent.insert(seqno, Some(Instant::now()));
        let rest = &vehicle.stream[seqno as usize * Message::BLOCK..];
        let data = &rest[..rest.len().min(Message::BLOCK)];
        self.send_message(vehicle, &Message::RemoteLogDataBlock { target, seqno, data });
    }
}
