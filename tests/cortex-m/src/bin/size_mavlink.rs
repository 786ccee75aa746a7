//! Logs one message, and streams it over MAVLink.

#![no_std]
#![no_main]

use binlog::LogSchema;
use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::{CAPACITY, Uart};
use binlog_cortex_m::unknown;
use binlog_embedded::Logger;
use binlog_embedded::mavlink::{Address, Message, Stream, StreamOptions};
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

// The names are those that tests/cortex-m/size asks nm for. The stream itself is on the stack; this is as large as it.
#[unsafe(no_mangle)]
static LOG: Logger<SizeLog, CAPACITY> = Logger::new();
#[unsafe(no_mangle)]
#[used]
static STREAM: [AtomicU8; size_of::<Stream<40>>()] = [const { AtomicU8::new(0) }; _];

#[entry]
fn main() -> ! {
    LOG.start(|| 0);
    let Some(mut out) = LOG.drain() else { panic!() };
    let mut stream = Stream::<40>::new(StreamOptions::DEFAULT);
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
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
