//! Logs a message to a flash chip and, with the feature `text`, the chip's errors as texts.

#![no_std]
#![no_main]

use binlog::LogSchema;
use binlog::messages::Msg;
use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::{CAPACITY, Nor};
use binlog_cortex_m::unknown;
use binlog_embedded::flash_log::Options;
use binlog_embedded::{FlashLog, Logger};
use core::panic::PanicInfo;
use cortex_m as _;
use cortex_m_rt::entry;

#[derive(LogSchema)]
enum SizeLog {
    Att(Attitude),
    Msg(Msg),
}

static LOG: Logger<SizeLog, CAPACITY> = Logger::new();

#[entry]
fn main() -> ! {
    LOG.start(|| 0);
    let Some(mut out) = LOG.drain() else { panic!() };
    let mut flash = FlashLog::new(Nor, Options::DEFAULT);
    loop {
        LOG.log(unknown!(Attitude));
        if let Err(error) = flash.run(&mut out) {
            #[cfg(feature = "text")]
            LOG.error(error);
            #[cfg(not(feature = "text"))]
            let _ = error;
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
