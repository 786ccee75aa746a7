//! The log of the three programs. `main.rs` drains it to a UART in a task of the embassy executor, `blocking.rs` in its
//! main loop, and `card.rs` to an SD card in a task.

#![no_std]

pub mod board;

use core::sync::atomic::{AtomicU32, Ordering};

use binlog::field::{Centi, Chars};
use binlog::messages::{self, Msg, Parm};
use binlog::{LogMessage, LogSchema, Logs};
use binlog_embedded::Logger;
use lm3s6965::println;
use zerocopy::{Immutable, IntoBytes};

/// Gyroscope and accelerometer.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "IMU")]
#[repr(C, packed)]
pub struct Imu {
    /// Time since boot.
    pub time_us: u64,
    /// Roll rate.
    #[log(unit = "rad/s")]
    pub gyr_x: f32,
    /// Pitch rate.
    #[log(unit = "rad/s")]
    pub gyr_y: f32,
    /// Yaw rate.
    #[log(unit = "rad/s")]
    pub gyr_z: f32,
    /// Acceleration forward.
    #[log(unit = "m/s/s")]
    pub acc_x: f32,
    /// Acceleration to the right.
    #[log(unit = "m/s/s")]
    pub acc_y: f32,
    /// Acceleration downward.
    #[log(unit = "m/s/s")]
    pub acc_z: f32,
}

/// Attitude.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
pub struct Attitude {
    /// Time since boot.
    pub time_us: u64,
    /// Roll asked for.
    #[log(unit = "deg")]
    pub des_roll: Centi<i16>,
    /// Roll, right side down positive.
    #[log(unit = "deg")]
    pub roll: Centi<i16>,
    /// Pitch asked for.
    #[log(unit = "deg")]
    pub des_pitch: Centi<i16>,
    /// Pitch, nose up positive.
    #[log(unit = "deg")]
    pub pitch: Centi<i16>,
    /// Heading asked for.
    #[log(unit = "degheading")]
    pub des_yaw: Centi<u16>,
    /// Heading, 0 to 360.
    #[log(unit = "degheading")]
    pub yaw: Centi<u16>,
}

/// Everything that is logged.
#[derive(LogSchema)]
pub enum FlightLog {
    /// Sampled [`TICK_HZ`](board::time::TICK_HZ) times a second, of which the log keeps a quarter.
    #[log(rate = 250)]
    Imu(Imu),
    /// [`ATTITUDE_HZ`] times a second.
    Att(Attitude),
    /// Texts. They are critical, as EV, ERR and MODE are: they still fit when the ring is nearly full.
    Msg(Msg),
    /// Parameters.
    Parm(Parm),
    /// Statistics of the ring, from the drain.
    Dsf(messages::Dsf),
    /// Counts of each message that was dropped or decimated, from the drain.
    Drop(messages::Dropped),
}

/// How often the attitude is logged.
pub const ATTITUDE_HZ: u32 = 100;

/// Bytes that are logged in a second: 11,180. Each second has a text, a DSF record and, as IMU is decimated, a DROP
/// record.
pub const BYTES_PER_SECOND: usize = 250 * Imu::DEFINITION.length()
    + ATTITUDE_HZ as usize * Attitude::DEFINITION.length()
    + Msg::DEFINITION.length()
    + messages::Dsf::DEFINITION.length()
    + messages::Dropped::DEFINITION.length();

/// Bits a second on the wire.
pub const BAUD: u32 = 250_000;

/// Bytes of the ring: 1.3 seconds. On a new card with exFAT, the recorder makes a folder of 128 KiB before the first
/// log, block by block.
pub const RING: usize = 16384;

/// The logger. It is zero at the start, so it takes no flash.
pub static LOG: Logger<FlightLog, RING> = Logger::new();

/// How often each message was logged, to compare with what the logger counted. A program needs no such thing.
static ATTEMPTS: [AtomicU32; FlightLog::MESSAGES.len()] = [const { AtomicU32::new(0) }; FlightLog::MESSAGES.len()];

fn attempt<M>()
where
    FlightLog: Logs<M>,
{
    ATTEMPTS[<FlightLog as Logs<M>>::INDEX].fetch_add(1, Ordering::Relaxed);
}

/// Logs a sample of the IMU. Called in an interrupt.
pub fn log_imu(time_us: u64) {
    attempt::<Imu>();
    let swing = swing(time_us, 1_000_000);
    let (gyr_x, gyr_y, gyr_z) = (0.5 * swing, -0.2 * swing, 0.01);
    LOG.log(&Imu { time_us, gyr_x, gyr_y, gyr_z, acc_x: 0.3 * swing, acc_y: -0.1 * swing, acc_z: -9.81 });
}

/// Logs the attitude.
pub fn log_attitude(time_us: u64) {
    attempt::<Attitude>();
    let (now, before) = (swing(time_us, 4_000_000), swing(time_us.saturating_sub(100_000), 4_000_000));
    let yaw = (time_us / 10_000 % 36_000) as f32 / 100.0;
    LOG.log(&Attitude {
        time_us,
        des_roll: Centi::from_f32(20.0 * now),
        roll: Centi::from_f32(20.0 * before),
        des_pitch: Centi::from_f32(-5.0 * now),
        pitch: Centi::from_f32(-5.0 * before),
        des_yaw: Centi::from_f32(yaw),
        yaw: Centi::from_f32(yaw),
    });
}

/// Logs a text.
pub fn log_text(seconds: u64) {
    attempt::<Msg>();
    let statistics = LOG.statistics();
    LOG.text(format_args!("{seconds} s, {} records, {} dropped", statistics.written, statistics.dropped));
}

/// The first records of the log, after its definitions. Readers take the vehicle from the first texts.
pub fn prologue(record: usize, baud: u32) -> Option<FlightLog> {
    match record {
        0 => {
            attempt::<Msg>();
            let message = Chars::cut("ArduCopter OpenLog example 0.1.0");
            Some(FlightLog::Msg(Msg { time_us: 0, id: 0, seq: 0, message }))
        }
        1 => {
            attempt::<Parm>();
            let name = Chars::cut("OPENLOG_BAUD");
            Some(FlightLog::Parm(Parm { time_us: 0, name, value: baud as f32, default: BAUD as f32 }))
        }
        _ => None,
    }
}

/// Prints the counts of each message, and returns whether every attempt is accounted for.
pub fn summary() -> bool {
    // In one critical section, or an interrupt between the two reads would log one more.
    let counts: [_; FlightLog::MESSAGES.len()] = critical_section::with(|_| {
        core::array::from_fn(|i| (ATTEMPTS[i].load(Ordering::Relaxed), LOG.tally_of(i).unwrap_or_default()))
    });
    println!("message  attempts  written  dropped  decimated  ignored");
    let mut complete = true;
    for (message, (attempts, tally)) in FlightLog::MESSAGES.iter().zip(counts) {
        let name = message.definition.name;
        let (written, dropped, decimated, ignored) = (tally.written, tally.dropped, tally.decimated, tally.ignored);
        println!("{name:7}  {attempts:8}  {written:7}  {dropped:7}  {decimated:9}  {ignored:7}");
        // What nobody logs is the drain's own: DSF and DROP.
        complete &= attempts == 0 || attempts == written + dropped + decimated + ignored;
    }
    let high_water = LOG.statistics().high_water;
    println!("at most {high_water} of {RING} bytes in the ring; {BYTES_PER_SECOND} bytes a second");
    complete
}

/// A value that goes from -1 to 1 and back in a period.
fn swing(time_us: u64, period_us: u64) -> f32 {
    let part = (time_us % period_us) as f32 / period_us as f32;
    if part < 0.5 { 4.0 * part - 1.0 } else { 3.0 - 4.0 * part }
}
