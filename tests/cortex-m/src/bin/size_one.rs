//! Logs one message.

#![no_std]
#![no_main]

use binlog::LogSchema;
use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::{CAPACITY, drain};
use binlog_cortex_m::unknown;
use binlog_embedded::{Drain, Logger};
use core::panic::PanicInfo;
use core::sync::atomic::AtomicU8;
use cortex_m as _;
use cortex_m_rt::entry;

#[derive(LogSchema)]
enum SizeLog {
    Att(Attitude),
}

// The names are those that tests/cortex-m/size asks nm for. The drain itself is on the stack; this is as large as it.
#[unsafe(no_mangle)]
static LOG: Logger<SizeLog, CAPACITY> = Logger::new();
#[unsafe(no_mangle)]
#[used]
static DRAIN: [AtomicU8; size_of::<Drain<'static, SizeLog, CAPACITY>>()] = [const { AtomicU8::new(0) }; _];

#[entry]
fn main() -> ! {
    LOG.start(|| 0);
    let Some(mut out) = LOG.drain() else { panic!() };
    loop {
        LOG.log(unknown!(Attitude));
        drain(&mut out);
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
