//! MAVLink messages over UDP, TCP or a serial port.

mod name;
mod transport;

pub use name::LinkName;

use crate::outcome::{Failure, warn};
use binlog::mavlink::{self, Address, Counts, Frames, MAX_FRAME, Message};
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
    frames: Frames,
    sender: mavlink::Link,
    buffer: Vec<u8>,
    others: u64,
}

impl Link {
    /// Opens a link. Its messages come from `address`.
    ///
    /// # Errors
    ///
    /// If it can't be opened.
    pub fn open(name: &LinkName, address: Address) -> Result<Self, Failure> {
        let transport =
            Transport::open(name).map_err(|error| Failure::new(format_args!("can't open {name}: {error}")))?;
        Ok(Link {
            name: name.clone(),
            transport: Some(transport),
            opened: Instant::now(),
            frames: Frames::new(),
            sender: mavlink::Link::new(address),
            buffer: vec![0; 65_536],
            others: 0,
        })
    }

    /// What was received and dropped.
    pub fn counts(&self) -> Counts {
        self.frames.counts()
    }

    /// Packets of other UDP senders than the first one, which were dropped.
    pub fn others(&self) -> u64 {
        self.others
    }

    /// Prints what was dropped: frames, packets of other senders, and `messages`, each with its name.
    pub(crate) fn warn_of_dropped(&self, messages: &[(u64, &str)]) {
        let frames = self.counts();
        let all = [
            (u64::from(frames.damaged), "damaged frame"),
            (u64::from(frames.incompatible), "frame with unknown flags"),
            (self.others, "packet of another sender"),
        ];
        let dropped = all.iter().chain(messages).filter(|(count, _)| *count > 0);
        let dropped: Vec<String> = dropped.map(|(count, what)| format!("{count} × {what}")).collect();
        if !dropped.is_empty() {
            warn(format_args!("dropped: {}", dropped.join(", ")));
        }
    }

    /// Whether it is open. UDP always is.
    pub fn is_open(&self) -> bool {
        self.transport.is_some()
    }

    /// Waits up to 5 milliseconds for bytes, and takes the messages in them.
    pub fn receive(&mut self, mut take: impl FnMut(Address, &Message<'_>)) {
        let Some(transport) = &mut self.transport else {
            std::thread::sleep(WAIT);
            if self.opened.elapsed() >= REOPEN {
                self.transport = Transport::open(&self.name).ok();
                self.opened = Instant::now();
            }
            return;
        };
        let received = transport.receive(&mut self.buffer, &mut self.others);
        let mut bytes = match received {
            Ok(length) => self.buffer.get(..length).unwrap_or_default(),
            Err(_) => {
                self.transport = None;
                return;
            }
        };
        while let Some(frame) = self.frames.next(&mut bytes) {
            if let Some(message) = frame.message() {
                take(frame.sender, &message);
            }
        }
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Message<'_>) {
        let mut buffer = [0; MAX_FRAME];
        let frame = self.sender.frame(message, &mut buffer);
        if self.transport.as_mut().is_some_and(|transport| transport.send(frame).is_err()) {
            self.transport = None;
        }
    }
}

/// Whether an error of a read says only that nothing has come.
fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, Interrupted, TimedOut, WouldBlock};
    // A UDP socket says so if nobody listens at the other end yet.
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted | ConnectionRefused | ConnectionReset)
}
