//! The same log under the embassy executor, to an SD card.
//!
//! The task [`drain`] waits while the card is busy. Meanwhile, the SysTick interrupt and the task [`fly`] log into the
//! ring. At the end, the program prints by how much the card made `fly` late.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Options, Undated};
use cortex_m_rt::exception;
use embassy_executor::Spawner;
use embassy_time::{Duration, Instant, Ticker};

use lm3s6965::semihosting::{exit, println, unhandled};
use openlog::board::busy_card::BusyCard;
use openlog::board::{Arguments, time};
use openlog::{ATTITUDE_HZ, LOG, log_attitude, log_imu, log_text, prologue, summary};

/// The most microseconds by which the attitude was logged too late.
static LATE_US: AtomicU32 = AtomicU32::new(0);

fn micros() -> u64 {
    Instant::now().as_micros()
}

#[exception]
fn SysTick() {
    time::on_tick();
    log_imu(micros());
}

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let arguments = Arguments::read();
    let core = cortex_m::Peripherals::take().expect("taken once");
    LOG.start(micros);
    let clock = time::start(core.SYST);
    let busy = Duration::from_micros(arguments.busy_us.into());
    let card = BusyCard::take(clock.delay(), busy).expect("taken once");
    spawner.spawn(fly().expect("spawned once"));
    spawner.spawn(drain(card, arguments).expect("spawned once"));
}

#[embassy_executor::task]
async fn fly() {
    let period = Duration::from_hz(ATTITUDE_HZ.into());
    let mut due = Instant::now() + period;
    let mut ticker = Ticker::every(period);
    for round in 1.. {
        ticker.next().await;
        let late_us = Instant::now().saturating_duration_since(due).as_micros() as u32;
        LATE_US.store(LATE_US.load(Ordering::Relaxed).max(late_us), Ordering::Relaxed);
        due += period;
        log_attitude(micros());
        if round % ATTITUDE_HZ == 0 {
            log_text((round / ATTITUDE_HZ).into());
        }
    }
}

#[embassy_executor::task]
async fn drain(card: BusyCard, arguments: Arguments) {
    let baud = arguments.baud;
    let mut drain = LOG.drain().expect("LOG has a drain already").with_prologue(move |record| prologue(record, baud));
    drain.report_every(1_000_000);
    let mut card = SdLog::new(card, Undated, Options::DEFAULT);

    let mut ticker = Ticker::every(Duration::from_millis(10));
    while Instant::now().as_secs() < arguments.seconds {
        ticker.next().await;
        if let Err(error) = card.run_async(&mut drain).await {
            println!("{error}");
        }
    }
    LOG.stop();
    if let Err(error) = card.finish_async(&mut drain).await {
        println!("{error}");
    }
    println!("the card kept other tasks waiting for at most {} us", LATE_US.load(Ordering::Relaxed));
    exit(u8::from(!summary()))
}
