//! What the analysis tools want: the estimator's state for MAGFit, batches of samples for FilterReview and
//! `mavfft_isb.py`, the supply for HardwareReport, vibration and innovations for `binlog report`. Formats and labels
//! are those of ArduPilot's `libraries/AP_NavEKF3/LogStructure.h`, `libraries/AP_InertialSensor/LogStructure.h` and
//! `libraries/AP_Logger/LogStructure.h`.

use binlog::LogMessage;
use binlog::field::Centi;
use zerocopy::{Immutable, IntoBytes};

/// State of the estimator.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "XKF1")]
#[repr(C, packed)]
pub struct EstimatedState {
    /// Time since boot.
    pub time_us: u64,
    /// Which core of the estimator, from 0.
    #[log(label = "C", instance)]
    pub core: u8,
    /// Roll.
    #[log(unit = "deg")]
    pub roll: Centi<i16>,
    /// Pitch.
    #[log(unit = "deg")]
    pub pitch: Centi<i16>,
    /// Heading.
    #[log(unit = "degheading")]
    pub yaw: Centi<u16>,
    /// Velocity to the north.
    #[log(label = "VN", unit = "m/s")]
    pub velocity_north: f32,
    /// Velocity to the east.
    #[log(label = "VE", unit = "m/s")]
    pub velocity_east: f32,
    /// Velocity downward.
    #[log(label = "VD", unit = "m/s")]
    pub velocity_down: f32,
    /// Derivative of the position downward.
    #[log(label = "dPD", unit = "m/s")]
    pub position_down_rate: f32,
    /// Position north of the origin.
    #[log(label = "PN", unit = "m")]
    pub position_north: f32,
    /// Position east of the origin.
    #[log(label = "PE", unit = "m")]
    pub position_east: f32,
    /// Position below the origin.
    #[log(label = "PD", unit = "m")]
    pub position_down: f32,
    /// Bias of the gyroscope about the X axis.
    #[log(label = "GX", unit = "deg/s")]
    pub gyro_bias_x: Centi<i16>,
    /// Bias of the gyroscope about the Y axis.
    #[log(label = "GY", unit = "deg/s")]
    pub gyro_bias_y: Centi<i16>,
    /// Bias of the gyroscope about the Z axis.
    #[log(label = "GZ", unit = "deg/s")]
    pub gyro_bias_z: Centi<i16>,
    /// Height of the origin above the ellipsoid.
    #[log(label = "OH", unit = "m")]
    pub origin_height: Centi<i32>,
}

/// Attitude of the estimator, as a quaternion.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "XKQ")]
#[repr(C, packed)]
pub struct EstimatedAttitude {
    /// Time since boot.
    pub time_us: u64,
    /// Which core of the estimator, from 0.
    #[log(label = "C", instance)]
    pub core: u8,
    /// Real part.
    pub q1: f32,
    /// About the X axis.
    pub q2: f32,
    /// About the Y axis.
    pub q3: f32,
    /// About the Z axis.
    pub q4: f32,
}

/// Head of a batch of samples of one inertial sensor.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "ISBH", as_logged)]
#[repr(C, packed)]
pub struct BatchHead {
    /// Time since boot.
    pub time_us: u64,
    /// Number of the batch.
    #[log(label = "N")]
    pub number: u16,
    /// 0 for the accelerometer, 1 for the gyroscope.
    #[log(label = "type")]
    pub sensor_type: u8,
    /// Which sensor, from 0.
    #[log(label = "instance")]
    pub instance: u8,
    /// What the samples in m/s/s or rad/s are multiplied by.
    #[log(label = "mul")]
    pub multiplier: u16,
    /// Samples of the batch.
    #[log(label = "smp_cnt")]
    pub sample_count: u16,
    /// Time of the first sample.
    #[log(label = "SampleUS", unit = "s", mult = 1e-6)]
    pub sample_us: u64,
    /// Samples a second.
    #[log(label = "smp_rate", unit = "Hz", mult = '-')]
    pub sample_rate: f32,
}

/// 32 samples of a batch.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "ISBD", as_logged)]
#[repr(C, packed)]
pub struct BatchData {
    /// Time since boot.
    pub time_us: u64,
    /// Number of the batch.
    #[log(label = "N")]
    pub number: u16,
    /// Number of the record in the batch, from 0.
    #[log(label = "seqno")]
    pub sequence: u16,
    /// Forward, or about the roll axis.
    #[log(label = "x", unit = "m/s/s", mult = '?')]
    pub x: [i16; 32],
    /// To the right, or about the pitch axis.
    #[log(label = "y", unit = "m/s/s", mult = '?')]
    pub y: [i16; 32],
    /// Downward, or about the yaw axis.
    #[log(label = "z", unit = "m/s/s", mult = '?')]
    pub z: [i16; 32],
}

/// Supply of the autopilot.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "POWR")]
#[repr(C, packed)]
pub struct Power {
    /// Time since boot.
    pub time_us: u64,
    /// Voltage of the autopilot.
    #[log(label = "Vcc", unit = "V")]
    pub board_voltage: f32,
    /// Voltage of the servo rail.
    #[log(label = "VServo", unit = "V")]
    pub servo_voltage: f32,
    /// State, by MAVLink's `MAV_POWER_STATUS`.
    pub flags: u16,
    /// All states since boot.
    #[log(label = "AccFlags")]
    pub all_flags: u16,
    /// State of the safety switch, by ArduPilot's `safety_state`.
    pub safety: u8,
    /// Temperature of the processor.
    #[log(label = "MTemp", unit = "degC")]
    pub processor_temperature: f32,
    /// Voltage of the processor.
    #[log(label = "MVolt", unit = "V")]
    pub processor_voltage: f32,
    /// Least voltage of the processor.
    #[log(label = "MVmin", unit = "V")]
    pub least_processor_voltage: f32,
    /// Greatest voltage of the processor.
    #[log(label = "MVmax", unit = "V")]
    pub greatest_processor_voltage: f32,
}

/// Vibration of an accelerometer.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "VIBE")]
#[repr(C, packed)]
pub struct Vibration {
    /// Time since boot.
    pub time_us: u64,
    /// Which sensor, from 0.
    #[log(label = "IMU", instance)]
    pub instance: u8,
    /// Level on the X axis.
    #[log(unit = "m/s/s")]
    pub vibe_x: f32,
    /// Level on the Y axis.
    #[log(unit = "m/s/s")]
    pub vibe_y: f32,
    /// Level on the Z axis.
    #[log(unit = "m/s/s")]
    pub vibe_z: f32,
    /// Samples near the sensor's limit, since boot.
    #[log(label = "Clip")]
    pub clipped: u32,
}

/// How far measurements are from the estimate: from 1 on, they are rejected.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, Debug)]
#[log(name = "XKF4")]
#[repr(C, packed)]
pub struct Variances {
    /// Time since boot.
    pub time_us: u64,
    /// Which core of the estimator, from 0.
    #[log(label = "C", instance)]
    pub core: u8,
    /// Velocity.
    #[log(label = "SV")]
    pub velocity: Centi<i16>,
    /// Position.
    #[log(label = "SP")]
    pub position: Centi<i16>,
    /// Height.
    #[log(label = "SH")]
    pub height: Centi<i16>,
    /// Magnetic field.
    #[log(label = "SM")]
    pub field: Centi<i16>,
    /// Airspeed.
    #[log(label = "SVT")]
    pub airspeed: Centi<i16>,
    /// Error of roll and pitch.
    #[log(label = "errRP")]
    pub tilt_error: f32,
    /// Last reset of the position, to the north.
    #[log(label = "OFN", unit = "m")]
    pub reset_north: f32,
    /// Last reset of the position, to the east.
    #[log(label = "OFE", unit = "m")]
    pub reset_east: f32,
    /// Faults of the filter.
    #[log(label = "FS")]
    pub faults: u16,
    /// Sensors whose measurements are missing.
    #[log(label = "TS")]
    pub timeouts: u8,
    /// Status of the solution.
    #[log(label = "SS")]
    pub solution: u32,
    /// Status of the GPS.
    #[log(label = "GPS")]
    pub gps: u16,
    /// The core in use.
    #[log(label = "PI")]
    pub primary: i8,
}
