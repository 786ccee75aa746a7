//! Logs one message to an SD card, without the driver of the card. With the feature `listing` it also lists and
//! extracts logs; with `async`, it waits for the card without blocking.

#![no_std]
#![no_main]

use binlog::LogSchema;
use binlog_cortex_m::messages::Attitude;
use binlog_cortex_m::size::{CAPACITY, Slots};
use binlog_cortex_m::unknown;
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
    loop {
        LOG.log(unknown!(Attitude));
        #[cfg(not(feature = "async"))]
        let done = card.run(&mut out);
        #[cfg(feature = "async")]
        let done = block_on(card.run_async(&mut out));
        if done.is_err() {
            panic!();
        }
        #[cfg(feature = "listing")]
        if !is_sent(&mut card) {
            panic!();
        }
    }
}

/// Sends the newest log.
#[cfg(feature = "listing")]
fn is_sent(card: &mut Card) -> bool {
    use core::ops::ControlFlow;
    use embedded_io::Write;

    let mut newest = 0;
    let list = card.list(|log| {
        newest = log.number;
        ControlFlow::Continue(())
    });
    let send = |bytes: &[u8]| {
        let Ok(_) = binlog_cortex_m::size::Uart.write(bytes);
        ControlFlow::Continue(())
    };
    list.is_ok() && card.extract(newest, send).is_ok()
}

/// The smallest executor.
#[cfg(feature = "async")]
fn block_on<T>(future: impl Future<Output = T>) -> T {
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};

    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
