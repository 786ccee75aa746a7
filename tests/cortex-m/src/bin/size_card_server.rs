//! Logs one message to an SD card, and serves the card's logs over MAVLink.

#![no_std]
#![no_main]

use binlog::LogSchema;
use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::{CAPACITY, Slots, Uart};
use binlog_cortex_m::unknown;
use binlog_embedded::mavlink::{Address, Message, Server, ServerOptions};
use binlog_embedded::sd_log::{Options, Undated};
use binlog_embedded::{Logger, SdLog};
use core::hint::black_box;
use core::panic::PanicInfo;
use core::sync::atomic::AtomicU8;
use cortex_m as _;
use cortex_m_rt::entry;
use embedded_io::Write;

#[derive(LogSchema)]
enum SizeLog {
    Att(Attitude),
}

type Card = SdLog<Slots>;

// The names are those that tests/cortex-m/size asks nm for. The sink itself is on the stack; this is as large as it.
#[unsafe(no_mangle)]
static LOG: Logger<SizeLog, CAPACITY> = Logger::new();
#[unsafe(no_mangle)]
#[used]
static CARD: [AtomicU8; size_of::<Card>()] = [const { AtomicU8::new(0) }; _];

#[entry]
fn main() -> ! {
    LOG.start(|| 0);
    let Some(mut out) = LOG.drain() else { panic!() };
    let mut card: Card = SdLog::new(Slots, Undated, Options::DEFAULT);
    let mut server = Server::<32>::new(ServerOptions::DEFAULT);
    loop {
        LOG.log(unknown!(Attitude));
        if card.run(&mut out).is_err() {
            panic!();
        }
        let now_us = black_box(0);
        let [system, component, ..] = black_box([1, 2, 3, 4]);
        let target = Address::new(system, component);
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
        match server.next(now_us, &mut card) {
            Ok(Some(Message::LogData { ofs, data, .. })) => {
                black_box(ofs);
                let Ok(_) = Uart.write(data);
            }
            Ok(Some(Message::LogEntry { time_utc, size, id, num_logs, last_log_num })) => {
                black_box((time_utc, size, id, num_logs, last_log_num));
            }
            Ok(_) => {}
            Err(_) => panic!(),
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
