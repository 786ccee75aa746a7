//! The messages of a converted log, with the names, labels and units that viewers of ArduPilot's logs look for.
//!
//! Names and labels are those of ArduPilot's `LogStructure.h`; columns that Blackbox has no value for are left out.
//! Axes are ArduPilot's: forward, right, down. The firmwares that log Blackbox use forward, left, up.

use crate::declare::messages::{Err, Ev, File, Fmt, Fmtu, Gps, Mode, Msg, Mult, Parm, Unit};
use crate::format::field::{Latitude, Longitude};
use binlog_derive::{Columns, LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

/// Everything that a converted log has, apart from the messages that each log defines for its remaining fields.
#[derive(LogSchema)]
pub(crate) enum ConvertedLog {
    /// Definitions of the messages of the remaining fields.
    Fmt(Fmt),
    /// Units that only those have.
    Unit(Unit),
    /// Multipliers that only those have.
    Mult(Mult),
    /// Units and multipliers of those messages.
    Fmtu(Fmtu),
    /// Numbers of the header.
    Parm(Parm),
    /// Texts of the header, events, flags and lost ranges.
    Msg(Msg),
    /// Flight modes, as the nearest of Copter's.
    Mode(Mode),
    /// Armed and disarmed.
    Ev(Ev),
    /// Failsafe.
    Err(Err),
    /// The header, unchanged.
    File(File),
    /// GPS frames.
    Gps(Gps),
    /// Positions of GPS frames, for the track.
    Pos(Position),
    /// Gyroscopes and accelerometers.
    Imu(Imu),
    /// Gyroscopes before the filters.
    Gyr(Gyr),
    /// Attitude.
    Att(Attitude),
    /// Rates of rotation, wanted and actual.
    Rate(Rates),
    /// The PID controller of the roll rate.
    Pidr(PidRoll),
    /// The PID controller of the pitch rate.
    Pidp(PidPitch),
    /// The PID controller of the yaw rate.
    Pidy(PidYaw),
    /// Sticks.
    Rcin(RcInput),
    /// Motors and servos.
    Rcou(RcOutput),
    /// Battery.
    Bat(Battery),
    /// Barometer.
    Baro(Barometer),
    /// Magnetometer.
    Mag(Magnetometer),
    /// Speed of the motors.
    Esc(MotorSpeed),
}

/// Gyroscope and accelerometer, as the control loop uses them: filtered.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "IMU")]
#[repr(C, packed)]
pub(crate) struct Imu {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor, from 0.
    #[log(label = "I", instance)]
    pub instance: u8,
    /// Rate of rotation about the axes forward, right, down.
    #[log(flatten, prefix = "Gyr", names = "X,Y,Z", unit = "rad/s")]
    pub gyro: [f32; 3],
    /// Acceleration, without gravity in free fall: 9.8 upward, that is -9.8 in Z, at rest. NaN if not logged.
    #[log(flatten, prefix = "Acc", names = "X,Y,Z", unit = "m/s/s")]
    pub acceleration: [f32; 3],
}

/// Gyroscope before the filters.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "GYR")]
#[repr(C, packed)]
pub(crate) struct Gyr {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor, from 0.
    #[log(label = "I", instance)]
    pub instance: u8,
    /// Time of the sample.
    #[log(label = "SampleUS", unit = "s", mult = 1e-6)]
    pub sample_us: u64,
    /// Rate of rotation about the axes forward, right, down.
    #[log(flatten, prefix = "Gyr", names = "X,Y,Z", unit = "rad/s")]
    pub gyro: [f32; 3],
}

/// Attitude.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "ATT")]
#[repr(C, packed)]
pub(crate) struct Attitude {
    /// Time since boot.
    pub time_us: u64,
    /// Roll, right wing down positive.
    #[log(unit = "deg")]
    pub roll: f32,
    /// Pitch, nose up positive.
    #[log(unit = "deg")]
    pub pitch: f32,
    /// Heading, 0 to 360.
    #[log(unit = "degheading")]
    pub yaw: f32,
}

/// Rates of rotation about the axes forward, right, down, and the outputs of their controllers.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "RATE")]
#[repr(C, packed)]
pub(crate) struct Rates {
    /// Time since boot.
    pub time_us: u64,
    /// Wanted roll rate. NaN if not logged, as the other wanted rates.
    #[log(label = "RDes", unit = "deg/s")]
    pub desired_roll: f32,
    /// Roll rate.
    #[log(label = "R", unit = "deg/s")]
    pub roll: f32,
    /// Output of the roll controller as a fraction of the motors' range.
    #[log(label = "ROut")]
    pub roll_output: f32,
    /// Wanted pitch rate.
    #[log(label = "PDes", unit = "deg/s")]
    pub desired_pitch: f32,
    /// Pitch rate.
    #[log(label = "P", unit = "deg/s")]
    pub pitch: f32,
    /// Output of the pitch controller.
    #[log(label = "POut")]
    pub pitch_output: f32,
    /// Wanted yaw rate.
    #[log(label = "YDes", unit = "deg/s")]
    pub desired_yaw: f32,
    /// Yaw rate.
    #[log(label = "Y", unit = "deg/s")]
    pub yaw: f32,
    /// Output of the yaw controller.
    #[log(label = "YOut")]
    pub yaw_output: f32,
}

/// The state of a PID controller of a rate of rotation. Terms are fractions of the motors' range; NaN is not logged.
#[derive(Columns, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub(crate) struct PidTerms {
    /// Wanted rate.
    #[log(label = "Tar", unit = "rad/s")]
    pub target: f32,
    /// Rate.
    #[log(label = "Act", unit = "rad/s")]
    pub actual: f32,
    /// Wanted rate minus rate.
    #[log(label = "Err", unit = "rad/s")]
    pub error: f32,
    /// Proportional term.
    #[log(label = "P")]
    pub proportional: f32,
    /// Integral term.
    #[log(label = "I")]
    pub integral: f32,
    /// Derivative term.
    #[log(label = "D")]
    pub derivative: f32,
    /// Feedforward term.
    #[log(label = "FF")]
    pub feedforward: f32,
}

/// The controller of the roll rate.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "PIDR")]
#[repr(C, packed)]
pub(crate) struct PidRoll {
    /// Time since boot.
    pub time_us: u64,
    /// Its state.
    #[log(flatten, prefix = "")]
    pub terms: PidTerms,
}

/// The controller of the pitch rate, nose up positive.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "PIDP")]
#[repr(C, packed)]
pub(crate) struct PidPitch {
    /// Time since boot.
    pub time_us: u64,
    /// Its state.
    #[log(flatten, prefix = "")]
    pub terms: PidTerms,
}

/// The controller of the yaw rate, clockwise positive.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "PIDY")]
#[repr(C, packed)]
pub(crate) struct PidYaw {
    /// Time since boot.
    pub time_us: u64,
    /// Its state.
    #[log(flatten, prefix = "")]
    pub terms: PidTerms,
}

/// Channels in ArduPilot's number and order.
pub(crate) const CHANNELS: usize = 14;

/// The pilot's commands: roll, pitch, throttle, yaw in channels 1 to 4; the others are 0.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "RCIN")]
#[repr(C, packed)]
pub(crate) struct RcInput {
    /// Time since boot.
    pub time_us: u64,
    /// Pulse widths.
    #[log(flatten, prefix = "C", unit = "us")]
    pub channels: [u16; 14],
}

/// Commands to the motors, then the servos. Motors are scaled from the header's `motorOutput` to 1000 to 2000.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "RCOU")]
#[repr(C, packed)]
pub(crate) struct RcOutput {
    /// Time since boot.
    pub time_us: u64,
    /// Pulse widths; 0 where there is neither a motor nor a servo.
    #[log(flatten, prefix = "C", unit = "us")]
    pub channels: [u16; 14],
}

/// Battery.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "BAT")]
#[repr(C, packed)]
pub(crate) struct Battery {
    /// Time since boot.
    pub time_us: u64,
    /// Which battery, from 0.
    #[log(label = "Inst", instance)]
    pub instance: u8,
    /// Voltage. NaN if not logged, as current and charge.
    #[log(label = "Volt", unit = "V")]
    pub voltage: f32,
    /// Current.
    #[log(label = "Curr", unit = "A")]
    pub current: f32,
    /// Charge since the beginning of the session: the integral of the logged current, in mAh.
    #[log(label = "CurrTot", unit = "Ah", mult = 1e-3, allow(float_multiplier))]
    pub charge: f32,
}

/// Barometer.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "BARO")]
#[repr(C, packed)]
pub(crate) struct Barometer {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor, from 0.
    #[log(label = "I", instance)]
    pub instance: u8,
    /// Altitude above the place where the firmware set it to 0.
    #[log(label = "Alt", unit = "m")]
    pub altitude: f32,
}

/// Magnetometer, in the firmware's numbers, about the axes forward, right, down.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "MAG")]
#[repr(C, packed)]
pub(crate) struct Magnetometer {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor, from 0.
    #[log(label = "I", instance)]
    pub instance: u8,
    /// The field.
    #[log(flatten, prefix = "Mag", names = "X,Y,Z")]
    pub field: [i32; 3],
}

/// Speed of a motor.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "ESC")]
#[repr(C, packed)]
pub(crate) struct MotorSpeed {
    /// Time since boot.
    pub time_us: u64,
    /// Which motor, from 0.
    #[log(instance)]
    pub instance: u8,
    /// Revolutions of the motor, not of its field.
    #[log(label = "RPM", unit = "rpm")]
    pub speed: f32,
}

/// Position, of which viewers draw the track.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "POS")]
#[repr(C, packed)]
pub(crate) struct Position {
    /// Time since boot.
    pub time_us: u64,
    /// Latitude.
    #[log(label = "Lat")]
    pub latitude: Latitude,
    /// Longitude.
    #[log(label = "Lng")]
    pub longitude: Longitude,
    /// Height above sea level.
    #[log(label = "Alt", unit = "m")]
    pub altitude: f32,
    /// Height above home: the home frame's altitude, or else that of the first fix.
    #[log(label = "RelHomeAlt", unit = "m")]
    pub above_home: f32,
    /// The same.
    #[log(label = "RelOriginAlt", unit = "m")]
    pub above_origin: f32,
}
