//! Vehicles on a MAVLink link: heartbeats, the log while it is written, and the logs in each vehicle's folder.
//!
//! All vehicles share one UDP socket, because ground stations answer the last sender.

use binlog::LogFolder;
use binlog_embedded::mavlink::{
    Address, FolderLogs, Follow, Frames, Link, MAX_FRAME, Message, Server, ServerOptions, StreamOptions,
};
use std::io::{self, ErrorKind};
use std::net::{ToSocketAddrs, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Bytes a second of a vehicle's stream, and as many of its downloads: what ground stations take over USB.
const BYTES_PER_SECOND: u32 = 250_000;

/// Packets that are received before what is due is sent: others may send without end.
const MOST_PACKETS: usize = 64;

/// A vehicle on the link, as its flight sees it. Clones are the same vehicle.
#[derive(Clone, Debug)]
pub struct Vehicle {
    system: u8,
    folder: LogFolder,
    is_armed: Arc<AtomicBool>,
    is_logging: Arc<AtomicBool>,
}

impl Vehicle {
    /// A vehicle on the ground, with its system id and the folder of its logs. Its logger has a clone of the folder.
    pub fn new(system: u8, folder: LogFolder) -> Self {
        Vehicle { system, folder, is_armed: Arc::default(), is_logging: Arc::default() }
    }

    /// Whether the motors may turn.
    pub fn set_armed(&self, is_armed: bool) {
        self.is_armed.store(is_armed, Ordering::Relaxed);
    }

    /// Whether the log that the folder began last is being written. If not, a client gets the rest of it.
    pub fn set_logging(&self, is_logging: bool) {
        self.is_logging.store(is_logging, Ordering::Relaxed);
    }
}

/// The thread that sends and receives for the vehicles.
#[derive(Debug)]
pub struct Telemetry {
    ends: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<()>>,
}

impl Telemetry {
    /// Puts vehicles on a link to a ground station, which listens at this UDP address. It needn't run yet.
    ///
    /// # Errors
    ///
    /// If the address isn't one, or no socket can be opened.
    pub fn spawn(ground_station: impl ToSocketAddrs, vehicles: Vec<Vehicle>) -> io::Result<Self> {
        let no_address = || io::Error::new(ErrorKind::InvalidInput, "no address");
        let to = ground_station.to_socket_addrs()?.next().ok_or_else(no_address)?;
        let socket = UdpSocket::bind(if to.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" })?;
        socket.connect(to)?;
        socket.set_nonblocking(true)?;
        let ends = Arc::new(AtomicBool::new(false));
        let has_ended = Arc::clone(&ends);
        let mut link = UdpLink { socket, begun: Instant::now() };
        let mut vehicles: Vec<_> = vehicles.into_iter().map(OnLink::new).collect();
        let thread = thread::Builder::new().name("mavlink".to_owned()).spawn(move || {
            while !has_ended.load(Ordering::Relaxed) {
                link.receive(&mut vehicles)?;
                for vehicle in &mut vehicles {
                    vehicle.send(&link)?;
                }
                thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        })?;
        Ok(Telemetry { ends, thread })
    }

    /// Whether the thread runs: not after an error.
    pub fn is_running(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Ends the thread.
    ///
    /// # Errors
    ///
    /// That of the socket, or of a log, which ended the thread before.
    pub fn finish(self) -> io::Result<()> {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().expect("the thread doesn't panic")
    }
}

struct UdpLink {
    socket: UdpSocket,
    begun: Instant,
}

impl UdpLink {
    fn now_us(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    /// Passes on what has arrived.
    fn receive(&mut self, vehicles: &mut [OnLink]) -> io::Result<()> {
        let mut datagram = [0; 2048];
        for _ in 0..MOST_PACKETS {
            let Some(length) = ready(self.socket.recv(&mut datagram))? else { break };
            // Datagrams have whole frames.
            let (mut frames, mut bytes) = (Frames::new(), &datagram[..length]);
            while let Some(frame) = frames.next(&mut bytes) {
                if let Some(message) = frame.message() {
                    vehicles.iter_mut().for_each(|vehicle| vehicle.receive(self.now_us(), frame.sender, &message));
                }
            }
        }
        Ok(())
    }
}

/// `None` if the socket isn't ready, or if nobody listens at the other end, which Windows calls a reset.
fn ready<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    use ErrorKind::{ConnectionRefused, ConnectionReset, Interrupted, WouldBlock};
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), WouldBlock | Interrupted | ConnectionRefused | ConnectionReset) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What the thread knows of a vehicle.
struct OnLink {
    vehicle: Vehicle,
    link: Link,
    logs: FolderLogs,
    /// What the logs were told.
    is_logging: bool,
    follow: Follow<200>,
    server: Server<64>,
    heartbeat_us: u64,
}

impl OnLink {
    fn new(vehicle: Vehicle) -> Self {
        let address = Address::new(vehicle.system, 1);
        let bytes_per_second = BYTES_PER_SECOND;
        let server = ServerOptions { address, bytes_per_second, while_armed: true, ..ServerOptions::DEFAULT };
        let mut logs = FolderLogs::new(vehicle.folder.clone());
        logs.set_logging(false);
        OnLink {
            link: Link::new(address),
            logs,
            is_logging: false,
            follow: Follow::new(StreamOptions { address, bytes_per_second }),
            server: Server::new(server),
            heartbeat_us: 0,
            vehicle,
        }
    }

    fn receive(&mut self, now_us: u64, sender: Address, message: &Message<'_>) {
        self.follow.receive(now_us, sender, message);
        self.server.receive(sender, message);
    }

    /// Sends what is due.
    fn send(&mut self, to: &UdpLink) -> io::Result<()> {
        let now_us = to.now_us();
        let mut frame = [0; MAX_FRAME];
        let is_logging = self.vehicle.is_logging.load(Ordering::Relaxed);
        if is_logging != self.is_logging {
            self.logs.set_logging(is_logging);
            self.is_logging = is_logging;
        }
        if now_us >= self.heartbeat_us {
            self.heartbeat_us = now_us + 1_000_000;
            // A quadrotor of ArduPilot, active or in standby.
            let (base_mode, system_status) =
                if self.vehicle.is_armed.load(Ordering::Relaxed) { (128, 4) } else { (0, 3) };
            let heartbeat = Message::Heartbeat { custom_mode: 0, kind: 2, autopilot: 3, base_mode, system_status };
            ready(to.socket.send(self.link.frame(&heartbeat, &mut frame)))?;
        }
        loop {
            let message = match self.follow.next(now_us, &mut self.logs)? {
                Some(message) => message,
                None => match self.server.next(now_us, &mut self.logs)? {
                    Some(message) => message,
                    None => return Ok(()),
                },
            };
            ready(to.socket.send(self.link.frame(&message, &mut frame)))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_packets_doesnt_keep_the_vehicles_from_sending() -> io::Result<()> {
        let (socket, other) = (UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
        socket.connect(other.local_addr()?)?;
        other.connect(socket.local_addr()?)?;
        socket.set_nonblocking(true)?;
        for _ in 0..=MOST_PACKETS {
            other.send(&[0])?;
        }
        let mut link = UdpLink { socket, begun: Instant::now() };
        link.receive(&mut [])?;
        assert!(link.socket.recv(&mut [0]).is_ok(), "one waits for the next round");
        Ok(())
    }

    /// Windows and Unix have different errors for it.
    #[test]
    fn a_ground_station_that_isnt_there_is_no_error() {
        for kind in [ErrorKind::ConnectionReset, ErrorKind::ConnectionRefused, ErrorKind::WouldBlock] {
            assert!(ready::<()>(Err(kind.into())).is_ok_and(|ready| ready.is_none()), "{kind:?}");
        }
        assert!(ready::<()>(Err(ErrorKind::AddrNotAvailable.into())).is_err());
    }
}
