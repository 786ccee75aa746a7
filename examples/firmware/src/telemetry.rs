//! The firmware's MAVLink link: frames over the UART, and heartbeats, which a program with a MAVLink library has
//! already; and the logs of a card on it.

use binlog_embedded::mavlink::{
    Address, Follow, Frames, Link, LogStore, MAX_FRAME, Message, Server, ServerOptions, StreamOptions,
};
use lm3s6965::uart::Uart0;

/// This vehicle's autopilot.
pub const ADDRESS: Address = Address::new(1, 1);

/// The link.
pub struct Telemetry {
    uart: Uart0,
    frames: Frames,
    link: Link,
    /// The frame that is being sent, its length, and how many bytes of it are sent.
    frame: [u8; MAX_FRAME],
    length: usize,
    sent: usize,
    heartbeat_us: u64,
}

impl Telemetry {
    /// Starts the UART.
    pub fn start(baud: u32) -> Self {
        Telemetry {
            uart: Uart0::start(baud),
            frames: Frames::new(),
            link: Link::new(ADDRESS),
            frame: [0; MAX_FRAME],
            length: 0,
            sent: 0,
            heartbeat_us: 0,
        }
    }

    /// Passes on the messages that have arrived, each with its sender.
    pub fn receive(&mut self, mut take: impl FnMut(Address, &Message<'_>)) {
        while let Some(byte) = self.uart.receive() {
            if let Some(frame) = self.frames.next(&mut [byte].as_slice())
                && let Some(message) = frame.message()
            {
                take(frame.sender, &message);
            }
        }
    }

    /// Whether a message can be sent. Brings the rest of the one before to the UART.
    pub fn has_room(&mut self) -> bool {
        self.sent += self.uart.send(&self.frame[self.sent..self.length]);
        self.sent == self.length
    }

    /// Sends a message. Call it if there is room.
    pub fn send(&mut self, message: &Message<'_>) {
        self.length = self.link.frame(message, &mut self.frame).len();
        self.sent = 0;
    }

    /// Sends a heartbeat each second, if there is room.
    pub fn heartbeat(&mut self, time_us: u64, is_armed: bool) {
        if time_us >= self.heartbeat_us && self.has_room() {
            self.heartbeat_us = time_us + 1_000_000;
            // A quadrotor that pretends to be ArduPilot's, active or in standby.
            let (base_mode, system_status) = if is_armed { (128, 4) } else { (0, 3) };
            self.send(&Message::Heartbeat { custom_mode: 0, kind: 2, autopilot: 3, base_mode, system_status });
        }
    }
}

/// The logs of a card on the link: the one that is being written is streamed, all are served.
pub struct CardLink {
    telemetry: Telemetry,
    follow: Follow<64>,
    server: Server<32>,
}

impl CardLink {
    /// Starts the UART.
    pub fn start(baud: u32) -> Self {
        // The server may use the whole link: `step` sends what is streamed first.
        let server = ServerOptions {
            address: ADDRESS,
            bytes_per_second: baud / 10,
            while_armed: true,
            ..ServerOptions::DEFAULT
        };
        CardLink {
            telemetry: Telemetry::start(baud),
            follow: Follow::new(StreamOptions { address: ADDRESS, ..StreamOptions::DEFAULT }),
            server: Server::new(server),
        }
    }

    /// Receives and sends what is due. Call it in each round of the main loop, after `card.run`.
    ///
    /// # Errors
    ///
    /// The card's, each once.
    pub fn step<L: LogStore>(&mut self, time_us: u64, is_armed: bool, card: &mut L) -> Result<(), L::Error> {
        let CardLink { telemetry, follow, server } = self;
        telemetry.receive(|sender, message| {
            follow.receive(time_us, sender, message);
            server.receive(sender, message);
        });
        server.set_armed(is_armed);
        telemetry.heartbeat(time_us, is_armed);
        while telemetry.has_room() {
            if let Some(message) = follow.next(time_us, card)? {
                telemetry.send(&message);
            } else if let Some(message) = server.next(time_us, card)? {
                telemetry.send(&message);
            } else {
                break;
            }
        }
        Ok(())
    }
}
