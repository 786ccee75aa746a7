//! A flight log under the embassy executor, to an OpenLog on a UART.
//!
//! - The SysTick interrupt samples an IMU, 1,000 times a second, and logs each sample; the schema keeps 250.
//! - The task [`fly`] logs the attitude and texts.
//! - The task [`drain`] sends the log over the UART, woken by each logged record and by the UART's interrupt.
//!
//! Without an executor, draining is a line of the main loop: `blocking.rs`.

#![no_std]
#![no_main]

use cortex_m_rt::exception;
use embassy_executor::Spawner;
use embassy_futures::select::select;
use embassy_time::{Duration, Instant, Ticker, Timer};

use lm3s6965::semihosting::{exit, unhandled};
use openlog::board::uart::Uart;
use openlog::board::{Arguments, time, uart};
use openlog::{ATTITUDE_HZ, LOG, log_attitude, log_imu, log_text, prologue, summary};

fn micros() -> u64 {
    Instant::now().as_micros()
}

#[exception]
fn SysTick() {
    time::on_tick();
    log_imu(micros());
}

/// All interrupts of the chip. A device crate has a name for each.
#[exception]
unsafe fn DefaultHandler(number: i16) {
    match number {
        uart::INTERRUPT => uart::on_interrupt(),
        _ => unhandled(number),
    }
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let arguments = Arguments::read();
    let core = cortex_m::Peripherals::take().expect("taken once");
    // From here on SysTick logs; the ring keeps what comes before the drain runs.
    LOG.start(micros);
    time::start(core.SYST);
    spawner.spawn(fly().expect("spawned once"));
    spawner.spawn(drain(Uart::start(arguments.baud), arguments).expect("spawned once"));
}

#[embassy_executor::task]
async fn fly() {
    let mut ticker = Ticker::every(Duration::from_hz(ATTITUDE_HZ.into()));
    for round in 1.. {
        ticker.next().await;
        log_attitude(micros());
        if round % ATTITUDE_HZ == 0 {
            log_text((round / ATTITUDE_HZ).into());
        }
    }
}

#[embassy_executor::task]
async fn drain(mut uart: Uart, arguments: Arguments) {
    let baud = arguments.baud;
    let mut drain = LOG.drain().expect("LOG has a drain already").with_prologue(move |record| prologue(record, baud));
    drain.report_every(1_000_000);

    // A vehicle would await `drain.run(…)` and nothing else. A run under QEMU has to end, perhaps in the middle of a
    // record; the drain then continues where it was. An OpenLog saves by itself, so nothing is flushed.
    select(drain.run(&mut uart, u32::MAX), Timer::at(Instant::from_secs(arguments.seconds))).await;
    LOG.stop();
    let Ok(_) = drain.finish_async(&mut uart).await;
    exit(u8::from(!summary()))
}
