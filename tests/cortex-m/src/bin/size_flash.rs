//! Writes bytes to a log on a flash chip and extracts the logs, without a logger.

#![no_std]
#![no_main]

use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::{BYTES, Nor, Uart};
use binlog_cortex_m::unknown;
use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{Options, Preamble, StoredLog};
use core::hint::black_box;
use core::ops::ControlFlow;
use core::panic::PanicInfo;
use cortex_m as _;
use cortex_m_rt::entry;
use embedded_io::{Read, Write};

#[entry]
fn main() -> ! {
    black_box(unknown!(Attitude));
    let mut flash = FlashLog::new(Nor, Options::DEFAULT);
    if flash.begin_log(&[]).is_err() {
        panic!();
    }
    loop {
        if flash.write(black_box(&BYTES)).is_err() || flash.flush().is_err() {
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
        let Ok(mut reader) = flash.read(&log, Preamble::NONE) else { panic!() };
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
