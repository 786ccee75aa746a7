//! Logs one message to a flash chip, and extracts the logs.

#![no_std]
#![no_main]

use binlog::LogSchema;
use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::{CAPACITY, Nor, Uart};
use binlog_cortex_m::unknown;
use binlog_embedded::flash_log::{Options, Preamble, StoredLog};
use binlog_embedded::{FlashLog, Logger};
use core::ops::ControlFlow;
use core::panic::PanicInfo;
use core::sync::atomic::AtomicU8;
use cortex_m as _;
use cortex_m_rt::entry;
use embedded_io::{Read, Write};

#[derive(LogSchema)]
enum SizeLog {
    Att(Attitude),
}

// The names are those that tests/cortex-m/size asks nm for. The sink itself is on the stack; this is as large as it.
#[unsafe(no_mangle)]
static LOG: Logger<SizeLog, CAPACITY> = Logger::new();
#[unsafe(no_mangle)]
#[used]
static FLASH: [AtomicU8; size_of::<FlashLog<Nor>>()] = [const { AtomicU8::new(0) }; _];

#[entry]
fn main() -> ! {
    LOG.start(|| 0);
    let Some(mut out) = LOG.drain() else { panic!() };
    let mut flash = FlashLog::new(Nor, Options::DEFAULT);
    loop {
        LOG.log(unknown!(Attitude));
        if flash.run(&mut out).is_err() {
            panic!();
        }
        let mut newest = None;
        let each = |log: &StoredLog| {
            newest = Some(*log);
            ControlFlow::Continue(())
        };
        if flash.list(each).is_err() {
            panic!();
        }
        let Some(log) = newest else { continue };
        let Ok(mut reader) = flash.read(&log, Preamble::of::<SizeLog>()) else { panic!() };
        let mut bytes = [0; 64];
        while let Ok(length @ 1..) = reader.read(&mut bytes) {
            let Ok(_) = Uart.write(&bytes[..length]);
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
