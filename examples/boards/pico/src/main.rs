//! A template to copy: a flight logger on a Raspberry Pi Pico under the embassy executor, with a flash chip on SPI.
//!
//! Wiring: the SCK, MOSI, MISO and CS of a W25Q128 at GP18, GP19, GP16 and GP17; its WP and HOLD at 3.3 V. For a chip
//! of another size, change [`CHIP_BYTES`]. After a panic, the next boot writes what was left in the ring as a log of
//! its own. The guide's chapter on flash chips says how to get the logs from the chip.
//!
//! From a clone to a running logger, in this folder; hold BOOTSEL while you plug in the Pico, for
//! [picotool](https://github.com/raspberrypi/picotool):
//!
//! ```console
//! $ rustup target add thumbv6m-none-eabi
//! $ cargo build --release
//! $ picotool load -x -t elf target/thumbv6m-none-eabi/release/pico
//! ```
//!
//! With a debug probe and [probe-rs](https://probe.rs), instead:
//! `probe-rs run --chip RP2040 target/thumbv6m-none-eabi/release/pico`.

#![no_std]
#![no_main]

use binlog::messages::{Msg, Parm};
use binlog::{LogMessage, LogSchema};
use binlog_embedded::flash_log::{Options, Plain};
use binlog_embedded::retained::Reset;
use binlog_embedded::{FlashLog, Retained};
use core::panic::PanicInfo;
use cortex_m_rt::{ExceptionFrame, exception};
use embassy_executor::Spawner;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::peripherals::{DMA_CH0, DMA_CH1, WATCHDOG};
use embassy_rp::spi::{self, Spi};
use embassy_rp::watchdog::{ResetReason, Watchdog};
use embassy_rp::{bind_interrupts, dma};
use embassy_time::{Delay, Duration, Instant, Ticker};
use embedded_hal_bus::spi::ExclusiveDevice;
use w25::W25;
use zerocopy::{Immutable, IntoBytes};

/// A W25Q128.
const CHIP_BYTES: u32 = 16 << 20;
const SAMPLE_HZ: u64 = 200;

/// Acceleration.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ACC")]
#[repr(C, packed)]
struct Acceleration {
    time_us: u64,
    /// Downward.
    #[log(unit = "m/s/s")]
    z: f32,
}

/// Everything that is logged.
#[derive(LogSchema)]
enum FlightLog {
    Acc(Acceleration),
    Msg(Msg),
    Parm(Parm),
}

// SAFETY: cortex-m-rt doesn't clear `.uninit`, and the first thing that `main` does is to claim the ring.
#[unsafe(link_section = ".uninit.LOG")]
static LOG: Retained<FlightLog, 32768> = unsafe { Retained::new() };

bind_interrupts!(struct Interrupts {
    DMA_IRQ_0 => dma::InterruptHandler<DMA_CH0>, dma::InterruptHandler<DMA_CH1>;
});

/// Microseconds since boot, of a timer of 64 bits.
fn micros() -> u64 {
    Instant::now().as_micros()
}

/// The records with which every log begins: viewers want the vehicle and its parameters.
fn prologue(i: usize) -> Option<FlightLog> {
    match i {
        0 => Msg::new(0, 0, "ArduCopter V4.6.0").ok().map(FlightLog::Msg),
        1 => Parm::new(0, "FRAME_CLASS", 1.0, None).ok().map(FlightLog::Parm),
        _ => None,
    }
}

fn watchdog() -> Watchdog {
    // SAFETY: only `main`, before it starts anything, and `reset`, after which nothing runs, use the watchdog.
    Watchdog::new(unsafe { WATCHDOG::steal() })
}

/// Why the chip was reset. The watchdog knows its own resets only; those of the RUN pin count as power-on.
fn reset_cause() -> Reset {
    match watchdog().reset_reason() {
        None => Reset::PowerOn,
        Some(ResetReason::TimedOut) => Reset::Watchdog,
        Some(ResetReason::Forced) => Reset::Software, // by `reset`
    }
}

/// A reset by the watchdog, because it notes the reason; one by the core itself would be taken for a power-on.
fn reset() -> ! {
    watchdog().trigger_reset();
    loop {
        cortex_m::asm::nop();
    }
}

#[embassy_executor::task]
async fn sample() {
    let mut ticker = Ticker::every(Duration::from_hz(SAMPLE_HZ));
    loop {
        ticker.next().await;
        LOG.log(&Acceleration { time_us: micros(), z: -9.81 }); // of your sensor
    }
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let claim = LOG.claim(reset_cause());
    let board = embassy_rp::init(Default::default());
    LOG.start(micros);
    LOG.text(claim); // "cold start", "Recovered after a software reset: …"
    spawner.spawn(sample().expect("spawned once"));

    let mut config = spi::Config::default();
    config.frequency = 20_000_000;
    let (clock, mosi, miso) = (board.PIN_18, board.PIN_19, board.PIN_16);
    let spi = Spi::new(board.SPI0, clock, mosi, miso, board.DMA_CH0, board.DMA_CH1, Interrupts, config);
    let chip_select = Output::new(board.PIN_17, Level::High);
    let Ok(device) = ExclusiveDevice::new(spi, chip_select, Delay);
    let chip = W25::<w25::Q, _, _, _>::new_no_pins(device, CHIP_BYTES).await.expect("this SPI has no errors");
    let mut flash = FlashLog::new(Plain::<_>(chip), Options::DEFAULT);
    let mut drain = LOG.drain().expect("the only drain").with_prologue(prologue);
    let mut ticker = Ticker::every(Duration::from_millis(10));
    loop {
        if let Err(error) = flash.run_async(&mut drain).await {
            LOG.error(error);
        }
        ticker.next().await;
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    cortex_m::interrupt::disable();
    LOG.text(info);
    reset()
}

/// A fault may come in the middle of `log`, so this only resets.
#[exception]
unsafe fn HardFault(_: &ExceptionFrame) -> ! {
    reset()
}
