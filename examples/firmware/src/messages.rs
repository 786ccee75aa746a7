//! What the firmware logs.

use binlog::field::Centi;
use binlog::{LogMessage, LogSchema, messages};
use zerocopy::{Immutable, IntoBytes};

/// Everything that the firmware logs.
#[derive(LogSchema)]
pub enum FlightLog {
    /// A thousand records a second, from an interrupt.
    Imu(Imu),
    /// The controller runs ten times as often as is of interest.
    #[log(rate = 50)]
    Rate(RollRate),
    /// From the main loop.
    Att(Attitude),
    /// From the main loop.
    Baro(Barometer),
    /// Texts; the reserve of the ring is kept for them.
    Msg(messages::Msg),
    /// The parameters, at the beginning of every log.
    Parm(messages::Parm),
    /// The logger's own statistics.
    Dsf(messages::Dsf),
    /// What each message lost.
    Drop(messages::Dropped),
}

/// Names and numbers of the messages, for what is counted by hand.
pub const MESSAGES: usize = FlightLog::MESSAGES.len();

/// Accelerations and rates.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "IMU")]
#[repr(C, packed)]
pub struct Imu {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor.
    #[log(label = "I", instance)]
    pub instance: u8,
    /// Angular rate around the forward axis.
    #[log(unit = "deg/s")]
    pub gyr_x: Centi<i16>,
    /// Around the right axis.
    #[log(unit = "deg/s")]
    pub gyr_y: Centi<i16>,
    /// Around the down axis.
    #[log(unit = "deg/s")]
    pub gyr_z: Centi<i16>,
    /// Acceleration forward.
    #[log(unit = "m/s/s")]
    pub acc_x: Centi<i16>,
    /// To the right.
    #[log(unit = "m/s/s")]
    pub acc_y: Centi<i16>,
    /// Down.
    #[log(unit = "m/s/s")]
    pub acc_z: Centi<i16>,
}

/// What the roll controller was asked for and did.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "PIDR")]
#[repr(C, packed)]
pub struct RollRate {
    /// Time since boot.
    pub time_us: u64,
    /// Rate that was asked for.
    #[log(label = "Tar", unit = "deg/s")]
    pub target: f32,
    /// Rate that was measured.
    #[log(label = "Act", unit = "deg/s")]
    pub actual: f32,
    /// Output to the motors, -1 to 1.
    #[log(label = "Out")]
    pub output: f32,
}

/// Vehicle attitude.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "ATT")]
#[repr(C, packed)]
pub struct Attitude {
    /// Time since boot.
    pub time_us: u64,
    /// Roll.
    #[log(unit = "deg")]
    pub roll: Centi<i16>,
    /// Pitch.
    #[log(unit = "deg")]
    pub pitch: Centi<i16>,
    /// Heading.
    #[log(unit = "degheading")]
    pub yaw: Centi<u16>,
}

/// What the barometer measures.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "BARO")]
#[repr(C, packed)]
pub struct Barometer {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor.
    #[log(label = "I", instance)]
    pub instance: u8,
    /// Height above the start.
    #[log(label = "Alt", unit = "m")]
    pub altitude: f32,
    /// Pressure.
    #[log(label = "Press", unit = "Pa")]
    pub pressure: f32,
    /// Temperature.
    #[log(label = "Temp", unit = "degC")]
    pub temperature: Centi<i16>,
}
