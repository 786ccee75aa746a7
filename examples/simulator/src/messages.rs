//! The vehicle's log: a struct for each message, and [`FlightLog`], the schema that lists them all.
//!
//! 1. A message is a struct with `#[derive(LogMessage, IntoBytes, Immutable)]` and `#[repr(C, packed)]`: its bytes in
//!    memory are the payload of its records. The first field is `time_us`, the time since boot in microseconds.
//! 2. Its name, two to four upper-case letters and digits, is an attribute. A field's label is its own name in
//!    UpperCamelCase (`des_roll` is `DesRoll`), unless `label` gives a shorter one: all labels of a message, joined by
//!    commas, have 64 bytes.
//! 3. A field's type decides how it is stored. `unit` is the unit of its value, and `mult` what the stored number is
//!    multiplied by: an `i32` with `unit = "m/s", mult = 1e-3` counts millimetres a second. Viewers treat multipliers
//!    differently: see the guide's chapter on viewers.
//! 4. A variant of the schema makes a message part of the log and assigns its id.
//!
//! Doc comments become the descriptions in [`LogMessage::DEFINITION`]. Mistakes, such as an unknown unit, a duplicate
//! label or a record that is too long, are compile errors at the line of the mistake.

mod analysis;

pub use analysis::{BatchData, BatchHead, EstimatedAttitude, EstimatedState, Power, Variances, Vibration};

use binlog::field::{Centi, Latitude, Longitude};
use binlog::{Columns, Field, LogMessage, LogSchema, messages};
use zerocopy::{Immutable, IntoBytes};

/// Everything that the vehicle logs.
// Ids are assigned from 1 upward, in this order, so a message that is added at the end changes no id. An id may be
// fixed: ATT has that of madflight. The format's own messages (`messages::…`) are listed like any other.
#[derive(LogSchema, Clone, Copy, Debug)]
#[log(sink = FlightSink)]
pub enum FlightLog {
    /// Attitude, 400 Hz.
    #[log(id = 0x64)]
    Att(Attitude),
    /// Rate controllers, 400 Hz.
    Rate(RateControl),
    /// Two inertial sensors, 400 Hz each.
    Imu(Imu),
    /// Barometer, 50 Hz.
    Baro(Barometer),
    /// Compass, 50 Hz.
    Mag(Compass),
    /// Satellite receiver, 5 Hz.
    Gps(messages::Gps),
    /// Position, 25 Hz.
    Pos(Position),
    /// Altitude controller, 25 Hz.
    Ctun(ControlTuning),
    /// Height above ground, 50 Hz.
    Ralt(RelativeAltitude),
    /// Battery, 10 Hz.
    Bat(Battery),
    /// Motor commands, 50 Hz.
    Rcou(RcOutput),
    /// Changes of the flight mode.
    Mode(messages::Mode),
    /// Arming and disarming.
    Arm(messages::Arm),
    /// Events.
    Ev(Event),
    /// Texts.
    Msg(messages::Msg),
    /// Parameters.
    Parm(messages::Parm),
    /// Version of the firmware.
    Ver(messages::Ver),
    /// State of the estimator, 25 Hz.
    Xkf1(EstimatedState),
    /// Attitude of the estimator, 25 Hz.
    Xkq(EstimatedAttitude),
    /// Heads of batches of samples.
    Isbh(BatchHead),
    /// Samples of the inertial sensors, 12.5 Hz.
    Isbd(BatchData),
    /// Supply of the autopilot, 10 Hz.
    Powr(Power),
    /// Statistics of the logger.
    Dsf(messages::Dsf),
    /// Records that are missing.
    Drop(messages::Dropped),
    /// Vibration of two accelerometers, 10 Hz each.
    Vibe(Vibration),
    /// Innovations of the estimator, 10 Hz.
    Xkf4(Variances),
    /// Errors.
    Err(messages::Err),
}

/// Attitude, asked for and estimated.
// `Centi<i16>` stores hundredths in two bytes, -327.68 to 327.67; readers divide by 100. It takes half the bytes of a
// float and is precise enough for an angle.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
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
    /// Error of roll and pitch together.
    #[log(label = "ErrRP", unit = "deg")]
    pub lean_error: Centi<u16>,
    /// Error of the heading.
    #[log(label = "ErrYaw", unit = "degheading")]
    pub yaw_error: Centi<u16>,
    /// Kind of the estimator in use, 3 for EKF3.
    #[log(label = "AEKF")]
    pub active_ekf: u8,
}

/// Rate controllers: what was asked for, what was measured, what was commanded.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "RATE")]
#[repr(C, packed)]
pub struct RateControl {
    /// Time since boot.
    pub time_us: u64,
    /// Roll rate asked for.
    #[log(label = "RDes", unit = "deg/s")]
    pub des_roll: f32,
    /// Roll rate.
    #[log(label = "R", unit = "deg/s")]
    pub roll: f32,
    /// Roll torque commanded, -1 to 1.
    #[log(label = "ROut")]
    pub roll_output: f32,
    /// Pitch rate asked for.
    #[log(label = "PDes", unit = "deg/s")]
    pub des_pitch: f32,
    /// Pitch rate.
    #[log(label = "P", unit = "deg/s")]
    pub pitch: f32,
    /// Pitch torque commanded, -1 to 1.
    #[log(label = "POut")]
    pub pitch_output: f32,
    /// Yaw rate asked for.
    #[log(label = "YDes", unit = "deg/s")]
    pub des_yaw: f32,
    /// Yaw rate.
    #[log(label = "Y", unit = "deg/s")]
    pub yaw: f32,
    /// Yaw torque commanded, -1 to 1.
    #[log(label = "YOut")]
    pub yaw_output: f32,
    /// Vertical acceleration asked for, up positive.
    #[log(label = "ADes", unit = "m/s/s")]
    pub des_acceleration: f32,
    /// Vertical acceleration, up positive.
    #[log(label = "A", unit = "m/s/s")]
    pub acceleration: f32,
    /// Throttle commanded, 0 to 1.
    #[log(label = "AOut")]
    pub throttle: f32,
}

/// A vector in the body's frame.
// Flattened in a message, it is three columns, with the prefix and the unit that the message gives.
#[derive(Columns, IntoBytes, Immutable, Clone, Copy, Debug)]
#[repr(C)]
pub struct BodyVector {
    /// Forward.
    pub x: f32,
    /// To the right.
    pub y: f32,
    /// Downward.
    pub z: f32,
}

/// Gyroscope and accelerometer.
// `instance` marks the column that tells several sensors of one kind apart; tools then plot `IMU[0]` and `IMU[1]`.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "IMU")]
#[repr(C, packed)]
pub struct Imu {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor, from 0.
    #[log(label = "I", instance)]
    pub instance: u8,
    /// Rate of rotation.
    #[log(flatten, prefix = "Gyr", unit = "rad/s")]
    pub gyro: BodyVector,
    /// Acceleration; -9.8 downward at rest, since the sensor measures the push of the ground.
    #[log(flatten, prefix = "Acc", unit = "m/s/s")]
    pub acceleration: BodyVector,
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

/// Barometer.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "BARO")]
#[repr(C, packed)]
pub struct Barometer {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor, from 0.
    #[log(label = "I", instance)]
    pub instance: u8,
    /// Altitude above home.
    #[log(label = "Alt", unit = "m")]
    pub altitude: f32,
    /// Altitude above sea level.
    #[log(label = "AltAMSL", unit = "m")]
    pub altitude_amsl: f32,
    /// Pressure.
    #[log(label = "Press", unit = "Pa")]
    pub pressure: f32,
    /// Temperature of the chip.
    #[log(label = "Temp", unit = "degC")]
    pub temperature: Centi<i16>,
    /// Climb rate by the barometer alone.
    #[log(label = "CRt", unit = "m/s")]
    pub climb_rate: f32,
    /// Time of the sample.
    #[log(label = "SMS", unit = "s", mult = 1e-3)]
    pub sample_ms: u32,
    /// Correction that was added to the altitude.
    #[log(unit = "m")]
    pub offset: f32,
    /// Temperature on the ground.
    #[log(label = "GndTemp", unit = "degC")]
    pub ground_temperature: f32,
    /// Whether the sensor works.
    #[log(label = "Health")]
    pub healthy: bool,
}

/// A magnetic field in thousandths of a Gauss.
// A field type of our own, with unit and multiplier: nine columns have it.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[log(unit = "Gauss", mult = 1e-3)]
#[repr(transparent)]
pub struct Milligauss(pub i16);

/// Compass.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "MAG")]
#[repr(C, packed)]
pub struct Compass {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor, from 0.
    #[log(label = "I", instance)]
    pub instance: u8,
    /// Field in the body's frame, offsets applied.
    #[log(flatten, prefix = "Mag", names = "X,Y,Z")]
    pub field: [Milligauss; 3],
    /// Offset for the frame's own field.
    #[log(flatten, prefix = "Ofs", names = "X,Y,Z")]
    pub offsets: [Milligauss; 3],
    /// Offset for the motors' field.
    #[log(flatten, prefix = "MO", names = "X,Y,Z")]
    pub motors: [Milligauss; 3],
    /// Whether the sensor works.
    #[log(label = "Health")]
    pub healthy: bool,
    /// Time of the sample; begins again after 71 minutes.
    #[log(label = "S", unit = "s", mult = 1e-6)]
    pub sample_us: u32,
}

/// Estimated position.
// Latitude and longitude are stored in 1e-7 degrees, 11 mm on the ground, which their format tells the readers.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "POS")]
#[repr(C, packed)]
pub struct Position {
    /// Time since boot.
    pub time_us: u64,
    /// Latitude.
    #[log(label = "Lat")]
    pub latitude: Latitude,
    /// Longitude.
    #[log(label = "Lng")]
    pub longitude: Longitude,
    /// Altitude above sea level.
    #[log(label = "Alt", unit = "m")]
    pub altitude: f32,
    /// Altitude above home.
    #[log(unit = "m")]
    pub rel_home_alt: f32,
    /// Altitude above the estimator's origin.
    #[log(unit = "m")]
    pub rel_origin_alt: f32,
}

/// Altitude controller, as ArduSub logs it.
// Some of ArduSub's floats have a multiplier, and some integers one that UAV Log Viewer doesn't show. The compiler
// warns of both; `allow` accepts them here, so that the columns are ArduSub's.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "CTUN", allow(float_multiplier, misleading_multiplier))]
#[repr(C, packed)]
pub struct ControlTuning {
    /// Time since boot.
    pub time_us: u64,
    /// Pilot's throttle, 0 to 1.
    #[log(label = "ThI")]
    pub throttle_in: f32,
    /// Throttle added because a leaning vehicle lifts less, 0 to 1.
    #[log(label = "ABst")]
    pub angle_boost: f32,
    /// Throttle commanded, 0 to 1.
    #[log(label = "ThO")]
    pub throttle_out: f32,
    /// Throttle that was learned to hold the altitude, 0 to 1.
    #[log(label = "ThH")]
    pub throttle_hover: f32,
    /// Altitude asked for.
    #[log(label = "DAlt", unit = "m")]
    pub des_altitude: f32,
    /// Altitude estimated.
    #[log(label = "Alt", unit = "m")]
    pub altitude: f32,
    /// Altitude by the barometer, in centimetres.
    #[log(label = "BAlt", unit = "m", mult = 1e-2)]
    pub baro_altitude: f32,
    /// Altitude asked for, above the ground.
    #[log(label = "DSAlt", unit = "m")]
    pub des_range: Centi<i16>,
    /// Distance to the ground by the rangefinder.
    #[log(label = "SAlt", unit = "m")]
    pub range: Centi<i16>,
    /// Altitude above the terrain, in centimetres.
    #[log(label = "TAlt", unit = "m", mult = 1e-2)]
    pub terrain_altitude: f32,
    /// Climb rate asked for, in centimetres a second.
    #[log(label = "DCRt", unit = "m/s", mult = 1e-2)]
    pub des_climb_rate: i16,
    /// Climb rate, in centimetres a second.
    #[log(label = "CRt", unit = "m/s", mult = 1e-2)]
    pub climb_rate: i16,
}

/// Height above ground, the example of madflight's documentation.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "RALT")]
#[repr(C, packed)]
pub struct RelativeAltitude {
    /// Time since boot.
    pub time_us: u64,
    /// Height above ground.
    #[log(label = "RelAlt", unit = "m")]
    pub altitude: f32,
    /// Vertical speed, up positive, in millimetres a second.
    #[log(label = "VertSpeed", unit = "m/s", mult = 1e-3)]
    pub vertical_speed: i32,
}

/// Battery.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "BAT")]
#[repr(C, packed)]
pub struct Battery {
    /// Time since boot.
    pub time_us: u64,
    /// Which battery, from 0.
    #[log(label = "Inst", instance)]
    pub instance: u8,
    /// Voltage.
    #[log(label = "Volt", unit = "V")]
    pub voltage: f32,
    /// Voltage that the battery would have at rest.
    #[log(label = "VoltR", unit = "V")]
    pub resting_voltage: f32,
    /// Current.
    #[log(label = "Curr", unit = "A")]
    pub current: f32,
    /// Charge drawn so far, in milliampere-hours.
    #[log(label = "CurrTot", unit = "Ah", mult = 1e-3, allow(float_multiplier))]
    pub charge: f32,
    /// Energy drawn so far.
    #[log(label = "EnrgTot", unit = "W.h")]
    pub energy: f32,
    /// Temperature.
    #[log(label = "Temp", unit = "degC")]
    pub temperature: Centi<i16>,
    /// Resistance.
    #[log(label = "Res", unit = "Ohm")]
    pub resistance: f32,
    /// Charge that is left.
    #[log(label = "RemPct", unit = "%")]
    pub remaining: u8,
}

/// Width of the pulses to a motor, 1000 to 2000.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[log(unit = "us")]
#[repr(transparent)]
pub struct PulseWidth(pub u16);

/// Commands to the motors.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "RCOU")]
#[repr(C, packed)]
pub struct RcOutput {
    /// Time since boot.
    pub time_us: u64,
    /// Motors in ArduPilot's order: front right, rear left, front left, rear right.
    #[log(flatten, prefix = "C")]
    pub outputs: [PulseWidth; 4],
}

/// Something that happened.
// The crate has this message too, `messages::Ev`, with a plain number. An enum names the events that this vehicle has;
// another number in a log is then an error when it is decoded.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "EV")]
#[repr(C, packed)]
pub struct Event {
    /// Time since boot.
    pub time_us: u64,
    /// What happened.
    pub id: EventId,
}

/// The events, by their numbers in ArduPilot's `LogEvent`.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum EventId {
    /// The motors may turn.
    Armed = 10,
    /// The motors are locked.
    Disarmed = 11,
    /// The vehicle stands on the ground again.
    LandComplete = 18,
    /// Home is known.
    SetHome = 25,
    /// The vehicle is about to leave the ground.
    NotLanded = 28,
}
