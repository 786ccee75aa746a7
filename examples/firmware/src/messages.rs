//! The messages of the firmware, and the schema that lists them.

use binlog::field::Centi;
use binlog::{LogMessage, LogSchema, messages};
use zerocopy::{Immutable, IntoBytes};

/// Everything that the firmware logs.
#[derive(LogSchema)]
pub enum FlightLog {
    /// A thousand records a second, from an interrupt.
    Imu(Imu),
    /// 50 of the controller's 500 records a second.
    #[log(rate = 50)]
    Rate(RollRate),
    /// From the main loop.
    Att(Attitude),
    /// From the main loop.
    Baro(Barometer),
    /// Texts, for which the ring has a reserve.
    Msg(messages::Msg),
    /// The parameters, at the beginning of every log.
    Parm(messages::Parm),
    /// The logger's own statistics.
    Dsf(messages::Dsf),
    /// Counts of the records that each message lost.
    Drop(messages::Dropped),
}

/// Gyroscope and accelerometer, as ArduPilot logs them: tools expect this layout, in rad/s and m/s/s.
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
    #[log(unit = "rad/s")]
    pub gyr_x: f32,
    /// Around the right axis.
    #[log(unit = "rad/s")]
    pub gyr_y: f32,
    /// Around the down axis.
    #[log(unit = "rad/s")]
    pub gyr_z: f32,
    /// Acceleration forward.
    #[log(unit = "m/s/s")]
    pub acc_x: f32,
    /// To the right.
    #[log(unit = "m/s/s")]
    pub acc_y: f32,
    /// Down; -9.81 at rest.
    #[log(unit = "m/s/s")]
    pub acc_z: f32,
    /// Gyroscope errors so far.
    #[log(label = "EG")]
    pub gyro_errors: u32,
    /// Accelerometer errors so far.
    #[log(label = "EA")]
    pub accel_errors: u32,
    /// Temperature of the chip.
    #[log(label = "T", unit = "degC", mult = '-')]
    pub temperature: f32,
    /// Whether the gyroscope works.
    #[log(label = "GH")]
    pub gyro_healthy: bool,
    /// Whether the accelerometer works.
    #[log(label = "AH")]
    pub accel_healthy: bool,
    /// Sampling rate of the gyroscope.
    #[log(label = "GHz", unit = "Hz")]
    pub gyro_rate: u16,
    /// Sampling rate of the accelerometer.
    #[log(label = "AHz", unit = "Hz")]
    pub accel_rate: u16,
}

/// Setpoint, measurement and output of the roll controller.
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

/// Barometer.
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
