//! Logs nothing: its size is subtracted from the others'.

#![no_std]
#![no_main]

use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::Uart;
use binlog_cortex_m::unknown;
use core::hint::black_box;
use core::panic::PanicInfo;
use cortex_m as _;
use cortex_m_rt::entry;
use embedded_io::Write;

#[entry]
fn main() -> ! {
    loop {
        black_box(unknown!(Attitude));
        let Ok(_) = Uart.write(black_box(&[]));
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
