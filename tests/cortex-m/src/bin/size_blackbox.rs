//! Logs a main frame of Blackbox with 35 fields.

#![no_std]
#![no_main]

use binlog_cortex_m::frame::{FlightLog, MainFrame};
use binlog_cortex_m::size::{CAPACITY, Uart};
use binlog_cortex_m::unknown;
use binlog_embedded::{Drain, Logger};
use core::panic::PanicInfo;
use core::sync::atomic::AtomicU8;
use cortex_m as _;
use cortex_m_rt::entry;

// The names are those that tests/cortex-m/size asks nm for. The drain itself is on the stack; this is as large as it.
#[unsafe(no_mangle)]
static LOG: Logger<FlightLog, CAPACITY> = Logger::new();
#[unsafe(no_mangle)]
#[used]
static DRAIN: [AtomicU8; size_of::<Drain<'static, FlightLog, CAPACITY>>()] = [const { AtomicU8::new(0) }; _];

#[entry]
fn main() -> ! {
    LOG.start(|| 0);
    let Some(mut out) = LOG.drain() else { panic!() };
    loop {
        LOG.log(unknown!(MainFrame));
        let Ok(_) = out.step(&mut Uart);
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
