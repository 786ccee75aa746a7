//! Logs one message, streams it over MAVLink, and serves logs that a UART has in place of a card.

#![no_std]
#![no_main]

use binlog::LogSchema;
use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::{CAPACITY, Uart};
use binlog_cortex_m::unknown;
use binlog_embedded::Logger;
use binlog_embedded::mavlink::{
    Address, LogEntry, LogStore, Message, Piece, Server, ServerOptions, Stream, StreamOptions,
};
use core::convert::Infallible;
use core::hint::black_box;
use core::ops::ControlFlow;
use core::panic::PanicInfo;
use core::sync::atomic::AtomicU8;
use cortex_m as _;
use cortex_m_rt::entry;
use embedded_io::Write;

#[derive(LogSchema)]
enum SizeLog {
    Att(Attitude),
}

// The names are those that tests/cortex-m/size asks nm for. The server itself is on the stack; this is as large as it.
#[unsafe(no_mangle)]
static LOG: Logger<SizeLog, CAPACITY> = Logger::new();
#[unsafe(no_mangle)]
#[used]
static SERVER: [AtomicU8; size_of::<Server<32>>()] = [const { AtomicU8::new(0) }; _];

/// Logs of which nothing is known.
struct Logs;

impl LogStore for Logs {
    type Error = Infallible;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Infallible> {
        let [number, order, bytes, seconds] = black_box([1, 2, 3, 4]);
        let _ = visit(LogEntry { number, order, bytes, seconds });
        Ok(())
    }

    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Infallible> {
        black_box((number, offset, into));
        Ok(Piece::Bytes(black_box(1)))
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        None
    }
}

#[entry]
fn main() -> ! {
    LOG.start(|| 0);
    let Some(mut out) = LOG.drain() else { panic!() };
    let mut stream = Stream::<40>::new(StreamOptions::DEFAULT);
    let mut server = Server::<32>::new(ServerOptions::DEFAULT);
    loop {
        LOG.log(unknown!(Attitude));
        let [system, component, seqno, is_received] = black_box([1, 2, 3, 4]);
        let target = Address::new(system as u8, component as u8);
        let message = Message::RemoteLogBlockStatus { target, seqno, is_received: is_received != 0 };
        let now_us = black_box(0);
        stream.receive(now_us, target, &message);
        if black_box(false) {
            stream.finish(now_us, &mut out);
        } else {
            stream.run(now_us, &mut out);
        }
        if let Some(Message::RemoteLogDataBlock { target, seqno, data }) = stream.next(now_us) {
            black_box((target, seqno));
            let Ok(_) = Uart.write(data);
        }
        let [id, start, end, kind] = black_box([1, 2, 3, 4]);
        let request = match kind {
            0 => Message::LogRequestList { target, start: start as u16, end: end as u16 },
            1 => Message::LogRequestData { target, id: id as u16, ofs: start, count: end },
            2 => Message::LogErase { target },
            _ => Message::LogRequestEnd { target },
        };
        server.receive(target, &request);
        server.set_armed(black_box(false));
        black_box(server.wants_erase());
        match server.next(now_us, &mut Logs) {
            Ok(Some(Message::LogData { ofs, data, .. })) => {
                black_box(ofs);
                let Ok(_) = Uart.write(data);
            }
            Ok(Some(Message::LogEntry { time_utc, size, id, num_logs, last_log_num })) => {
                black_box((time_utc, size, id, num_logs, last_log_num));
            }
            _ => {}
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
