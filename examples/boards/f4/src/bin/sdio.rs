//! The same card on SDIO with DMA, under the embassy executor: embassy-stm32's driver in [`FromDriver`].
//!
//! The card must not be exchanged while the power is on: [`FromDriver`] says why. For what a flight logger needs
//! besides, see main.rs.

#![no_std]
#![no_main]

use binlog::LogSchema;
use binlog::messages::{Ev, Msg};
use binlog_embedded::card::FromDriver;
use binlog_embedded::sd_log::{Options, Undated};
use binlog_embedded::{Logger, SdLog};
use core::panic::PanicInfo;
use embassy_executor::Spawner;
use embassy_stm32::sdmmc::sd::{CmdBlock, StorageDevice};
use embassy_stm32::sdmmc::{self, Sdmmc};
use embassy_stm32::time::{Hertz, mhz};
use embassy_stm32::{bind_interrupts, dma, peripherals, rcc};
use embassy_time::{Duration, Instant, Ticker, Timer};

/// Everything that is logged.
#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
    Msg(Msg),
}

static LOG: Logger<FlightLog, 16384> = Logger::new();

bind_interrupts!(struct Interrupts {
    SDIO => sdmmc::InterruptHandler<peripherals::SDIO>;
    DMA2_STREAM3 => dma::InterruptHandler<peripherals::DMA2_CH3>;
});

fn micros() -> u64 {
    Instant::now().as_micros() // 64 bits already
}

#[embassy_executor::task]
async fn fly() {
    let mut ticker = Ticker::every(Duration::from_hz(50));
    loop {
        ticker.next().await;
        LOG.log(&Ev { time_us: micros(), id: 10 });
    }
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let mut config = embassy_stm32::Config::default();
    config.rcc.hse = Some(rcc::Hse { freq: Hertz(8_000_000), mode: rcc::HseMode::Oscillator });
    config.rcc.pll_src = rcc::PllSource::HSE;
    // SDIO takes 48 MHz: 8 MHz / 4 * 168 / 7.
    let (divp, divq) = (Some(rcc::PllPDiv::DIV2), Some(rcc::PllQDiv::DIV7));
    config.rcc.pll = Some(rcc::Pll { prediv: rcc::PllPreDiv::DIV4, mul: rcc::PllMul::MUL168, divp, divq, divr: None });
    config.rcc.sys = rcc::Sysclk::PLL1_P;
    config.rcc.apb1_pre = rcc::APBPrescaler::DIV4;
    config.rcc.apb2_pre = rcc::APBPrescaler::DIV2;
    let p = embassy_stm32::init(config);
    LOG.start(micros);
    spawner.spawn(fly().expect("spawned once"));

    let mut sdio = Sdmmc::new_4bit(
        p.SDIO,
        p.DMA2_CH3,
        Interrupts,
        p.PC12, // clock
        p.PD2,  // command
        p.PC8,  // data 0 to 3
        p.PC9,
        p.PC10,
        p.PC11,
        Default::default(),
    );
    let mut drain = LOG.drain().expect("the only drain");
    let mut block = CmdBlock::new();
    let device = loop {
        match StorageDevice::new_sd_card(&mut sdio, &mut block, mhz(24)).await {
            Ok(device) => break device,
            Err(error) => _ = LOG.text(format_args!("no card: {error:?}")),
        }
        Timer::after_secs(1).await;
    };
    let mut card = SdLog::new(FromDriver::new(device, |_| ()), Undated, Options::DEFAULT);
    let mut ticker = Ticker::every(Duration::from_millis(10));
    loop {
        if let Err(error) = card.run_async(&mut drain).await {
            LOG.text(error);
        }
        ticker.next().await;
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    cortex_m::peripheral::SCB::sys_reset()
}
