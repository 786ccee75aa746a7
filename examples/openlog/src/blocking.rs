//! The same log without an executor: the main loop drains it.
//!
//! The loop waits for the UART. Code that must not wait is in interrupts, which log all the while.

#![no_std]
#![no_main]

use core::convert::Infallible;

use cortex_m_rt::{entry, exception};

use lm3s6965::semihosting::exit;
use openlog::board::uart::Uart;
use openlog::board::{Arguments, time};
use openlog::{ATTITUDE_HZ, LOG, log_attitude, log_imu, log_text, prologue, summary};

#[exception]
fn SysTick() {
    time::on_tick();
    let time_us = time::now_us();
    log_imu(time_us);
    // In a vehicle these have interrupts of their own.
    let tick = time_us / time::TICK_US;
    let ticks = u64::from(time::TICK_HZ);
    if tick % (ticks / u64::from(ATTITUDE_HZ)) == 0 {
        log_attitude(time_us);
    }
    if tick % ticks == 0 {
        log_text(tick / ticks);
    }
}

#[entry]
fn main() -> ! {
    let Ok(()) = fly(Arguments::read());
    exit(u8::from(!summary()))
}

fn fly(arguments: Arguments) -> Result<(), Infallible> {
    let core = cortex_m::Peripherals::take().expect("taken once");
    let mut uart = Uart::start(arguments.baud);
    let mut drain =
        LOG.drain().expect("LOG has a drain already").with_prologue(|record| prologue(record, arguments.baud));
    LOG.start(time::now_us);
    drain.report_every(1_000_000);
    time::start(core.SYST);

    while time::now_us() < arguments.seconds * 1_000_000 {
        if drain.catch_up(&mut uart)? == 0 {
            // There is nothing to do before the next interrupt.
            cortex_m::asm::wfi();
        }
    }
    LOG.stop();
    drain.finish(&mut uart)?;
    Ok(())
}
