//! Counts the instructions of the calls of a server of logs over MAVLink, for tests/cortex-m/instructions: a line
//! `CALL MEAN MAXIMUM` for each. The logs are in memory, because what a card takes isn't the server's.

#![no_std]
#![no_main]

#[path = "../count.rs"]
mod count;

use binlog_cortex_m::clock;
use binlog_embedded::mavlink::{Address, LogEntry, LogStore, Message, Piece, Server, ServerOptions};
use core::convert::Infallible;
use core::ops::ControlFlow;
use cortex_m::Peripherals;
use cortex_m_rt::{entry, exception};
use count::Count;
use lm3s6965::semihosting::{exit, unhandled};

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

/// Two logs, whose bytes aren't even copied.
struct Logs;

impl LogStore for Logs {
    type Error = Infallible;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Infallible> {
        for number in [1, 2] {
            if visit(LogEntry { number, order: number, bytes: 100_000, seconds: 7 }).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn read_at(&mut self, _: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Infallible> {
        Ok(Piece::Bytes(into.len().min(512 - offset as usize % 512)))
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        None
    }
}

// Calls, as the counts of the other programs have them.
#[inline(never)]
fn receive(server: &mut Server<32>, sender: Address, message: &Message<'_>) {
    server.receive(sender, message);
}

#[inline(never)]
fn next(server: &mut Server<32>, now_us: u64) -> bool {
    matches!(server.next(now_us, &mut Logs), Ok(Some(_)))
}

#[entry]
fn main() -> ! {
    let mut peripherals = Peripherals::take().expect("taken once");
    clock::start(&mut peripherals.SYST);
    let mut server = Server::<32>::new(ServerOptions { bytes_per_second: 50_000, ..ServerOptions::DEFAULT });
    let (client, target) = (Address::new(255, 190), Address::new(1, 1));
    let [mut received, mut sent] = [Count::NONE; 2];
    let mut packets = 0;
    for round in 0..200_u32 {
        received.of(|| receive(&mut server, client, &Message::LogRequestList { target, start: 0, end: 0xFFFF }));
        // The queue is full, and one request has no room.
        for gap in 0..33 {
            let ofs = (round * 37 + gap * 11) % 1000 * 90;
            let request = Message::LogRequestData { target, id: 1, ofs, count: 90 + gap % 3 * 90 };
            received.of(|| receive(&mut server, client, &request));
        }
        for step in 0..400_u64 {
            let now_us = (u64::from(round) * 400 + step) * 1000;
            packets += u32::from(sent.of(|| next(&mut server, now_us)));
        }
        if round % 3 == 0 {
            let request = Message::LogRequestData { target, id: 2, ofs: 0, count: u32::MAX };
            received.of(|| receive(&mut server, client, &request));
            received.of(|| receive(&mut server, client, &Message::LogRequestEnd { target }));
        }
    }
    assert!(packets > 5000, "the server serves");
    received.print("server-receive");
    sent.print("server-next");
    exit(0)
}
