//! A template to copy: a flight logger on an STM32F405 at 168 MHz, with an SD card on SPI, without an executor.
//!
//! Wiring: a crystal of 8 MHz; the card's SCK, MISO, MOSI and CS at PB13, PB14, PB15 and PB12. For another F4, change
//! the chip's name in Cargo.toml, the clocks and the pins. After a panic, a fault or a watchdog reset, the next boot
//! writes what was left in the ring as a log of its own.
//!
//! From a clone to a log, in this folder, with a debug probe and [probe-rs](https://probe.rs):
//!
//! ```console
//! $ rustup target add thumbv7em-none-eabihf
//! $ cargo build --release
//! $ probe-rs run --chip STM32F405RG target/thumbv7em-none-eabihf/release/f4
//! ```
//!
//! Without a probe, over USB: hold BOOT0 during a reset, then
//! `arm-none-eabi-objcopy -O binary target/thumbv7em-none-eabihf/release/f4 f4.bin` and
//! `dfu-util -a 0 -s 0x08000000:leave -D f4.bin`. After some seconds, put the card into a computer: the log is
//! `LOGS/00000001.BIN`.

#![no_std]
#![no_main]

use binlog::messages::{Msg, Parm};
use binlog::{LogMessage, LogSchema};
use binlog_embedded::sd_log::{Options, Undated};
use binlog_embedded::{Retained, SdLog, WideCounter, card::SpiCard, retained::Reset};
use core::panic::PanicInfo;
use cortex_m::peripheral::{DWT, SCB, syst::SystClkSource};
use cortex_m_rt::{ExceptionFrame, entry, exception};
use embassy_stm32::gpio::{Level, Output, Speed};
use embassy_stm32::mode::Blocking;
use embassy_stm32::spi::{self, Spi, mode::Master};
use embassy_stm32::time::Hertz;
use embassy_stm32::{pac::RCC, rcc};
use embedded_hal::delay::DelayNs;
use embedded_hal_bus::spi::ExclusiveDevice;
use zerocopy::{Immutable, IntoBytes};

const CORE_HZ: u32 = 168_000_000;

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

/// Microseconds since boot. The cycle counter wraps after 25 s; the main loop asks the time much more often.
fn micros() -> u64 {
    static CYCLES: WideCounter<32, { CORE_HZ / 1_000_000 }> = WideCounter::new(DWT::cycle_count);
    CYCLES.now()
}

#[exception]
fn SysTick() {
    LOG.log(&Acceleration { time_us: micros(), z: -9.81 }); // of your sensor
}

/// The records with which every file begins: viewers want the vehicle and its parameters.
fn prologue(i: usize) -> Option<FlightLog> {
    match i {
        0 => Msg::new(0, 0, "ArduCopter V4.6.0").ok().map(FlightLog::Msg),
        1 => Parm::new(0, "FRAME_CLASS", 1.0, None).ok().map(FlightLog::Parm),
        _ => None,
    }
}

/// Why the chip was reset. The flags stay until they are cleared, so the next reset would see these, too.
fn reset_cause() -> Reset {
    let flags = RCC.csr().read();
    RCC.csr().modify(|csr| csr.set_rmvf(true));
    match () {
        _ if flags.porrstf() || flags.borrstf() => Reset::PowerOn,
        _ if flags.wdgrstf() || flags.wwdgrstf() => Reset::Watchdog,
        _ if flags.sftrstf() => Reset::Software,
        _ => Reset::Pin,
    }
}

/// Of a crystal of 8 MHz.
fn clocks() -> embassy_stm32::Config {
    let mut config = embassy_stm32::Config::default();
    config.rcc.hse = Some(rcc::Hse { freq: Hertz(8_000_000), mode: rcc::HseMode::Oscillator });
    config.rcc.pll_src = rcc::PllSource::HSE;
    let (divp, divq) = (Some(rcc::PllPDiv::DIV2), Some(rcc::PllQDiv::DIV7));
    config.rcc.pll = Some(rcc::Pll { prediv: rcc::PllPreDiv::DIV4, mul: rcc::PllMul::MUL168, divp, divq, divr: None });
    config.rcc.sys = rcc::Sysclk::PLL1_P;
    config.rcc.apb1_pre = rcc::APBPrescaler::DIV4;
    config.rcc.apb2_pre = rcc::APBPrescaler::DIV2;
    config
}

/// A card is initialised at 400 kHz at most. Once it works, it takes 25 MHz; SPI2 has 21.
fn bus(is_ready: bool) -> spi::Config {
    let mut config = spi::Config::default();
    config.frequency = Hertz(if is_ready { 21_000_000 } else { 400_000 });
    config
}

/// Sets the speed. Before its first command, a card needs 74 clocks while it isn't selected, whenever it is put in. The
/// card's driver doesn't send them, so a card that isn't ready gets 80 of them.
fn prepare(spi: &mut Spi<'_, Blocking, Master>, is_ready: bool) {
    let _ = spi.set_config(&bus(is_ready));
    if !is_ready {
        let _ = spi.blocking_write(&[0xFF_u8; 10]);
    }
}

struct Delay;

impl DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        cortex_m::asm::delay(ns.div_ceil(1000) * (CORE_HZ / 1_000_000));
    }
}

#[entry]
fn main() -> ! {
    let claim = LOG.claim(reset_cause());
    let board = embassy_stm32::init(clocks());
    let mut core = cortex_m::Peripherals::take().expect("taken once");
    core.DCB.enable_trace();
    core.DWT.enable_cycle_counter();
    LOG.start(micros);
    LOG.text(claim); // "cold start", "Recovered after a watchdog reset: …"
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(CORE_HZ / 200 - 1); // 200 Hz
    core.SYST.enable_counter();
    core.SYST.enable_interrupt();

    let spi = Spi::new_blocking(board.SPI2, board.PB13, board.PB15, board.PB14, bus(false));
    let chip_select = Output::new(board.PB12, Level::High, Speed::High);
    let Ok(device) = ExclusiveDevice::new(spi, chip_select, Delay);
    let mut card = SdLog::new(SpiCard::new(device, Delay), Undated, Options::DEFAULT);
    let mut drain = LOG.drain().expect("the only drain").with_prologue(prologue);
    loop {
        let is_ready = card.number().is_some();
        card.with_card(|card| card.spi(|device| prepare(device.bus_mut(), is_ready)));
        if let Err(error) = card.run(&mut drain) {
            LOG.error(error);
        }
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    cortex_m::interrupt::disable();
    LOG.text(info);
    SCB::sys_reset()
}

/// A fault may come in the middle of `log`, so this only resets.
#[exception]
unsafe fn HardFault(_: &ExceptionFrame) -> ! {
    SCB::sys_reset()
}
