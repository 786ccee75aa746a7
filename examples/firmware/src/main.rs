//! The firmware: an LM3S6965 board that flies for some seconds and then prints what it logged.
//!
//! Arguments, with their defaults:
//!
//! - `format=bin|blackbox` (bin): the format of the log.
//! - `seconds=N` (5): how long to fly.
//! - `sensors=N` (1): inertial sensors, each of which logs a thousand records a second; of a Blackbox log, iterations
//!   of the control loop in a millisecond.
//! - `buffer=KIB` (4): the card's buffer, 4 or 8 KiB. The card gets as much in one transfer.
//! - `show`: prints a line after each flush, with the bytes that it covers.
//! - `busy=N`: keeps the card busy for N bytes after each block.
//! - `pull=N`: pulls the card in second N and puts it back in the next one.
//! - `panic=N`: panics in second N, which resets the processor. The next boot flies on, and its first log has what was
//!   left in the ring, up to the panic's text. A Blackbox log has no place for the text.
//! - `fail=N`: lets one of N blocks fail.
//! - `mavlink`: streams the log over MAVLink, and serves the logs of the card.
//! - `no-card`: there is no card; what is streamed comes from the ring.
//! - `baud=N` (921600): the bits a second of MAVLink's UART.
//! - `ground=N` (5): seconds on the ground after the flight, for MAVLink's clients.

#![no_std]
#![no_main]

mod board;
mod telemetry;

use binlog::blackbox::Counts;
use binlog_embedded::SdLog;
use binlog_embedded::mavlink::{Stream, StreamOptions};
use binlog_embedded::sd_log::{Options, Undated};
use board::counted::spi_bytes;
use board::{Board, faults};
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use cortex_m::peripheral::SCB;
use cortex_m_rt::{entry, exception};
use firmware::{Application, Claim, Flight, FlightLog, Reset, blackbox};
use lm3s6965::clock::Clock;
use lm3s6965::reset::{Cause, take_cause};
use lm3s6965::semihosting::{Arguments, exit, on_panic, println, unhandled};
use telemetry::{ADDRESS, CardLink, Telemetry};

/// The number of sensors that the interrupt reads.
static SENSORS: AtomicU32 = AtomicU32::new(0);

/// Whether it logs a Blackbox log.
static IS_BLACKBOX: AtomicBool = AtomicBool::new(false);

#[exception]
fn SysTick() {
    Clock::on_tick();
    let (time_us, sensors) = (Clock::now_us(), SENSORS.load(Ordering::Relaxed) as u8);
    match IS_BLACKBOX.load(Ordering::Relaxed) {
        true => blackbox::FlightLog::interrupt(time_us, sensors),
        false => FlightLog::interrupt(time_us, sensors),
    }
}

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

/// The ring outlives the reset, so the text need only get there.
fn log_and_reset<S: Application>(info: &PanicInfo<'_>) {
    S::panicked(info);
    SCB::sys_reset();
}

fn reset_cause() -> Reset {
    match take_cause() {
        Cause::PowerOn => Reset::PowerOn,
        Cause::Pin => Reset::Pin,
        Cause::Watchdog => Reset::Watchdog,
        Cause::Software => Reset::Software,
        Cause::Unknown => Reset::Unknown,
    }
}

/// The command line.
struct Flags {
    is_blackbox: bool,
    seconds: u32,
    sensors: u32,
    buffer: u32,
    show: bool,
    busy: u32,
    pull: Option<u32>,
    panic: Option<u32>,
    fail: u32,
    mavlink: bool,
    no_card: bool,
    baud: u32,
    ground: u32,
}

const ARGUMENTS: &str = "format=bin|blackbox seconds=N sensors=0..255 buffer=4|8 show busy=N pull=N panic=N fail=N \
                         mavlink no-card baud=N ground=N";

fn flags() -> Flags {
    let mut flags = Flags {
        is_blackbox: false,
        seconds: 5,
        sensors: 1,
        buffer: 4,
        show: false,
        busy: 0,
        pull: None,
        panic: None,
        fail: 0,
        mavlink: false,
        no_card: false,
        baud: 921_600,
        ground: 5,
    };
    for argument in Arguments::read().iter() {
        let (key, value) = argument.split_once('=').unwrap_or((argument, ""));
        if let ("format", "bin" | "blackbox") = (key, value) {
            flags.is_blackbox = value == "blackbox";
            continue;
        }
        let value: Option<u32> = value.parse().ok();
        match (key, value) {
            ("seconds", Some(seconds)) => flags.seconds = seconds,
            ("sensors", Some(sensors @ 0..=255)) => flags.sensors = sensors,
            ("buffer", Some(kib @ (4 | 8))) => flags.buffer = kib,
            ("show", None) => flags.show = true,
            ("busy", Some(bytes)) => flags.busy = bytes,
            ("pull", Some(second)) => flags.pull = Some(second),
            ("panic", Some(second)) => flags.panic = Some(second),
            ("fail", Some(blocks)) => flags.fail = blocks,
            ("mavlink", None) => flags.mavlink = true,
            ("no-card", None) => flags.no_card = true,
            ("baud", Some(baud @ 1200..)) => flags.baud = baud,
            ("ground", Some(seconds)) => flags.ground = seconds,
            _ => {
                println!("invalid argument `{argument}`; valid ones are {ARGUMENTS}");
                exit(2);
            }
        }
    }
    flags
}

/// Bytes on the bus, blocks written, and the log with its bytes, at one time.
#[derive(Clone, Copy)]
struct Mark {
    spi: u32,
    blocks: u32,
    log: Option<u32>,
    bytes: u32,
}

#[entry]
fn main() -> ! {
    let flags = flags();
    match flags.is_blackbox {
        true => boot::<blackbox::FlightLog>(flags),
        false => boot::<FlightLog>(flags),
    }
    exit(0)
}

/// Claims the ring and flies.
fn boot<S: Application>(mut flags: Flags) {
    // Before anything that logs.
    let claim = S::boot(reset_cause());
    println!("boot: {claim}");
    on_panic(log_and_reset::<S>);
    if matches!(claim, Claim::Warm { .. }) {
        flags.panic = None;
    }
    IS_BLACKBOX.store(flags.is_blackbox, Ordering::Relaxed);
    match flags.buffer {
        _ if flags.no_card => stream::<S>(&flags),
        4 => fly::<S, 8>(&flags),
        _ => fly::<S, 16>(&flags),
    }
}

/// Flies with a card's buffer of `BLOCKS` blocks, and prints what it logged.
// Inlined, the four flights would have their buffers in one stack frame, which is larger than the stack.
#[inline(never)]
fn fly<S: Application, const BLOCKS: usize>(flags: &Flags) {
    let board = Board::take(1000).expect("the board is taken once");
    let mut link = flags.mavlink.then(|| CardLink::start(flags.baud));
    // Records that are logged before the start are ignored, and counted.
    SENSORS.store(flags.sensors, Ordering::Relaxed);
    while Clock::now_us() < 10_000 {}
    let mut card = SdLog::<_, _, BLOCKS>::with_blocks(board.card, Undated, Options::DEFAULT);
    let mut flight = Flight::<S>::start(Clock::now_us).expect("there is one flight");
    faults::set_busy(flags.busy);
    faults::fail_every(flags.fail);

    let mark = |card: &SdLog<_, _, BLOCKS>| Mark {
        spi: spi_bytes(),
        blocks: card.transfers().written,
        log: card.number(),
        bytes: card.flushed_byte_count(),
    };
    // From one flush to a later one of the same log, so that neither the start of the file nor waiting records count.
    let (mut from, mut to) = (None, None);
    let mut flushed = (None, 0);
    let end_us = u64::from(flags.seconds) * 1_000_000;
    loop {
        let now_us = Clock::now_us();
        if now_us >= end_us {
            break;
        }
        let second = (now_us / 1_000_000) as u32;
        match flags.pull {
            Some(pull) if second == pull => faults::pull_card(),
            Some(pull) if second == pull + 1 => faults::put_card_back(),
            _ => {}
        }
        assert!(
            flags.panic.is_none_or(|panic| second < panic),
            "second {second}: the main loop panics, as it was told to"
        );
        flight.step(now_us);
        if let Err(error) = card.run(&mut flight.drain) {
            println!("{} ms: {error}", now_us / 1000);
        }
        if let Some(link) = &mut link
            && let Err(error) = link.step(now_us, true, &mut card)
        {
            println!("{} ms: link: {error}", now_us / 1000);
        }
        let reached = (card.number(), card.flushed_byte_count());
        if reached != flushed {
            flushed = reached;
            if let (true, (Some(log), bytes)) = (flags.show, flushed) {
                println!("flushed {log} {bytes}");
            }
            if second >= 1 {
                let mark = mark(&card);
                match from {
                    Some(Mark { log, .. }) if log == mark.log => to = Some(mark),
                    _ => (from, to) = (Some(mark), None),
                }
            }
        }
    }
    SENSORS.store(0, Ordering::Relaxed);
    flight.land();
    if let Err(error) = card.finish(&mut flight.drain) {
        println!("landing: {error}");
    }
    let end_us = Clock::now_us() + u64::from(flags.ground) * 1_000_000;
    while let Some(link) = &mut link
        && Clock::now_us() < end_us
    {
        if let Err(error) = link.step(Clock::now_us(), false, &mut card) {
            println!("link: {error}");
        }
    }
    report(&flight, from, to);
}

/// Blocks of the stream's window without a card: 8 KiB.
const WINDOW: usize = 40;

/// Flies without a card, and prints what it logged: the log goes over MAVLink.
#[inline(never)]
fn stream<S: Application>(flags: &Flags) {
    let _board = Board::take(1000).expect("the board is taken once");
    SENSORS.store(flags.sensors, Ordering::Relaxed);
    let mut flight = Flight::<S>::start(Clock::now_us).expect("there is one flight");
    let mut telemetry = Telemetry::start(flags.baud);
    let mut stream = Stream::<WINDOW>::new(StreamOptions { address: ADDRESS, ..StreamOptions::DEFAULT });
    let landing_us = u64::from(flags.seconds) * 1_000_000;
    let end_us = landing_us + u64::from(flags.ground) * 1_000_000;
    loop {
        let now_us = Clock::now_us();
        let is_flying = now_us < landing_us;
        telemetry.receive(|sender, message| stream.receive(now_us, sender, message));
        if is_flying {
            flight.step(now_us);
            while stream.run(now_us, &mut flight.drain) {}
        } else {
            SENSORS.store(0, Ordering::Relaxed);
            flight.land();
            if stream.finish(now_us, &mut flight.drain) || now_us >= end_us {
                break;
            }
        }
        telemetry.heartbeat(now_us, is_flying);
        while telemetry.has_room() {
            let Some(message) = stream.next(now_us) else { break };
            telemetry.send(&message);
        }
    }
    let counts = stream.counts();
    println!("blocks: {} sent, {} sent again, {} acknowledged", counts.sent, counts.sent_again, counts.acknowledged);
    report(&flight, None, None);
}

/// Prints what was logged, and what the card's bus carried from one mark to another.
fn report<S: Application>(flight: &Flight<S>, from: Option<Mark>, to: Option<Mark>) {
    println!("message attempts written dropped decimated ignored lost");
    for (name, attempts, tally) in S::counts() {
        println!(
            "{name} {attempts} {} {} {} {} {}",
            tally.written, tally.dropped, tally.decimated, tally.ignored, tally.lost
        );
    }
    println!("most of the ring in use: {} bytes", flight.statistics().high_water);
    if let Some(Counts { i_frames, p_frames, slow_frames, events, gaps, missing, misfits, refused, .. }) =
        flight.frames()
    {
        println!("frames: {i_frames} I, {p_frames} P, {slow_frames} S, {events} events");
        println!("not as usual: {gaps} gaps, {missing} missing, {misfits} misfits, {refused} refused");
    }
    if let (Some(from), Some(to)) = (from, to) {
        let bytes = u64::from(to.bytes.wrapping_sub(from.bytes));
        let per_kib = |count: u32| u64::from(count) * 1024 / bytes.max(1);
        println!("SPI bytes per KiB logged: {}", per_kib(to.spi.wrapping_sub(from.spi)));
        println!("blocks written per MiB logged: {}", per_kib(to.blocks.wrapping_sub(from.blocks) * 1024));
    }
}
