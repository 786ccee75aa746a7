//! Logs one message to an SD card on SPI.

#![no_std]
#![no_main]

use binlog::LogSchema;
use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::{CAPACITY, Spi, Wait};
use binlog_cortex_m::unknown;
use binlog_embedded::card::SpiCard;
use binlog_embedded::sd_log::{Options, Undated};
use binlog_embedded::{Logger, SdLog};
use core::panic::PanicInfo;
use core::sync::atomic::AtomicU8;
use cortex_m as _;
use cortex_m_rt::entry;

#[derive(LogSchema)]
enum SizeLog {
    Att(Attitude),
}

type Card = SdLog<SpiCard<Spi, Wait>>;

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
    let mut card: Card = SdLog::new(SpiCard::new(Spi, Wait), Undated, Options::DEFAULT);
    loop {
        LOG.log(unknown!(Attitude));
        if card.run(&mut out).is_err() {
            panic!();
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
