//! MAVLink messages over UDP, TCP or a serial port.

mod name;
mod peers;
mod transport;

pub use name::LinkName;

use crate::outcome::{Failure, warn};
use binlog::mavlink::{self, Address, Counts, MAX_FRAME, Message};
use peers::Peers;
use std::io;
use std::time::{Duration, Instant};
use transport::Transport;

/// How long [`receive`](Link::receive) waits for bytes.
pub(crate) const WAIT: Duration = Duration::from_millis(5);

/// A closed link is opened again this often.
const REOPEN: Duration = Duration::from_secs(1);

/// A link to vehicles. One that is closed, such as a TCP connection that the other end ends, or a serial port that is
/// pulled, is opened again: until then nothing is received, and what is sent is lost.
#[derive(Debug)]
pub struct Link {
    name: LinkName,
    transport: Option<Transport>,
    /// When it was opened last, or when that failed.
    opened: Instant,
    peers: Peers,
    sender: mavlink::Link,
    buffer: Vec<u8>,
    /// Bytes that came.
    bytes: u64,
}

impl Link {
    /// Opens a link. Its messages come from `address`.
    ///
    /// # Errors
    ///
    /// If it can't be opened.
    pub fn open(name: &LinkName, address: Address) -> Result<Self, Failure> {
        let failure =
            |error: io::Error| Failure::new(format_args!("can't open {name}: {error}{}", advice(name, &error)));
        let transport = Transport::open(name).map_err(failure)?;
        Ok(Link {
            name: name.clone(),
            transport: Some(transport),
            opened: Instant::now(),
            peers: Peers::default(),
            sender: mavlink::Link::new(address),
            buffer: vec![0; 65_536],
            bytes: 0,
        })
    }

    /// What was received and dropped.
    pub fn counts(&self) -> Counts {
        self.peers.counts()
    }

    /// Messages of systems that are at another UDP address, and packets of too many addresses, which were dropped.
    pub fn others(&self) -> u64 {
        self.peers.others()
    }

    /// Bytes that came.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Prints what was dropped, as [`dropped`](Link::dropped).
    pub(crate) fn warn_of_dropped(&self, messages: &[(u64, &str)]) {
        self.dropped(messages).iter().for_each(warn);
    }

    /// What was dropped, in a line: frames, messages of other addresses, and `messages`, each with its name.
    pub(crate) fn dropped(&self, messages: &[(u64, &str)]) -> Option<String> {
        let frames = self.counts();
        let all = [
            (u64::from(frames.damaged), "damaged frame"),
            (u64::from(frames.incompatible), "frame with unknown flags"),
            (self.others(), "message from another address than the system's"),
        ];
        let dropped = all.iter().chain(messages).filter(|(count, _)| *count > 0);
        let dropped: Vec<String> = dropped.map(|(count, what)| format!("{count} × {what}")).collect();
        (!dropped.is_empty()).then(|| format!("dropped: {}", dropped.join(", ")))
    }

    /// Whether it is open. UDP always is.
    pub fn is_open(&self) -> bool {
        self.transport.is_some()
    }

    /// Waits up to 5 milliseconds for bytes, and takes the messages in them.
    pub fn receive(&mut self, take: impl FnMut(Address, &Message<'_>)) {
        let Some(transport) = &mut self.transport else {
            std::thread::sleep(WAIT);
            if self.opened.elapsed() >= REOPEN {
                self.transport = Transport::open(&self.name).ok();
                self.opened = Instant::now();
            }
            return;
        };
        match transport.receive(&mut self.buffer) {
            // Nothing came, or an empty packet.
            Ok((0, _)) => {}
            Ok((length, from)) => {
                self.bytes = self.bytes.saturating_add(length as u64);
                let bytes = self.buffer.get(..length).unwrap_or_default();
                self.peers.receive(Instant::now(), from, bytes, take);
            }
            Err(_) => self.transport = None,
        }
    }

    /// Sends a message, on a UDP port of this computer to the address of its target.
    pub fn send(&mut self, message: &Message<'_>) {
        let mut buffer = [0; MAX_FRAME];
        let frame = self.sender.frame(message, &mut buffer);
        let to = || self.peers.addresses(Instant::now(), message);
        if self.transport.as_mut().is_some_and(|transport| transport.send(frame, to).is_err()) {
            self.transport = None;
        }
    }
}

/// What to do about a link that can't be opened.
fn advice(name: &LinkName, error: &io::Error) -> &'static str {
    use io::ErrorKind::{AddrInUse, AddrNotAvailable, ConnectionRefused, NotFound, PermissionDenied, TimedOut};
    match (error.kind(), name.is_serial()) {
        (AddrInUse, _) => "; another program, such as a ground station, has the port: end it, or name another port",
        (AddrNotAvailable, _) => "; udpin: takes an address of this computer, or 0.0.0.0 for all of them",
        (ConnectionRefused | TimedOut, _) => "; is the program that serves it running?",
        (NotFound, true) => "; is the vehicle plugged in?",
        (PermissionDenied, true) => "; the user needs the port's group, such as dialout",
        (PermissionDenied, false) => "; ports below 1024 need rights: name another port",
        _ => "",
    }
}

/// Whether an error of a read says only that nothing has come.
fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, Interrupted, TimedOut, WouldBlock};
    // A UDP socket says so if nobody listens at the other end yet.
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted | ConnectionRefused | ConnectionReset)
}
