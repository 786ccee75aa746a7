//! The parameters of the vehicle and its controllers, under the names ArduCopter gives them.

/// One entry of the parameter table.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Name, at most 16 characters.
    pub name: &'static str,
    /// The value this vehicle flies with.
    pub value: f32,
    /// The value an untuned vehicle would have.
    pub default: f32,
}

/// Makes of every line a constant for the code and a row of [`PARAMS`] for the log.
macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $value:literal, default $default:literal;)*) => {
        $($(#[$doc])* pub const $name: f64 = $value;)*

        /// Every parameter, in the order of declaration.
        pub const PARAMS: &[Param] = &[
            $(Param { name: stringify!($name), value: $value, default: $default },)*
        ];
    };
}

params! {
    /// Roll and pitch angle error to rate, 1/s.
    ATC_ANG_RLL_P = 7.0, default 4.5;
    /// Yaw angle error to rate, 1/s.
    ATC_ANG_YAW_P = 2.5, default 4.5;
    /// Roll and pitch rate error to torque, per rad/s.
    ATC_RAT_RLL_P = 0.07, default 0.135;
    /// Integral gain of the roll and pitch rate, per rad.
    ATC_RAT_RLL_I = 0.07, default 0.135;
    /// Derivative gain of the roll and pitch rate, per rad/s^2.
    ATC_RAT_RLL_D = 0.0018, default 0.0036;
    /// Yaw rate error to torque, per rad/s.
    ATC_RAT_YAW_P = 0.35, default 0.18;
    /// Integral gain of the yaw rate, per rad.
    ATC_RAT_YAW_I = 0.035, default 0.018;
    /// Cut-off of the rate derivatives, Hz.
    ATC_RAT_RLL_FLTD = 20.0, default 20.0;
    /// Largest integral of the roll and pitch rate, of full torque.
    ATC_RAT_RLL_IMAX = 0.3, default 0.5;
    /// Largest integral of the yaw rate, of full torque.
    ATC_RAT_YAW_IMAX = 0.3, default 0.5;
    /// Largest yaw rate that is asked for, cdeg/s.
    ATC_SLEW_YAW = 4500.0, default 6000.0;
    /// Time constant of a change of lean angle, s.
    ATC_INPUT_TC = 0.1, default 0.15;
    /// Largest lean angle that is asked for, cdeg.
    ANGLE_MAX = 2500.0, default 3000.0;
    /// Horizontal position error to velocity, 1/s.
    PSC_POSXY_P = 1.0, default 1.0;
    /// Horizontal velocity error to acceleration, 1/s.
    PSC_VELXY_P = 2.0, default 2.0;
    /// Integral gain of the horizontal velocity, 1/s^2.
    PSC_VELXY_I = 0.4, default 1.0;
    /// Altitude error to climb rate, 1/s.
    PSC_POSZ_P = 1.0, default 1.0;
    /// Climb rate error to vertical acceleration, 1/s.
    PSC_VELZ_P = 5.0, default 5.0;
    /// Vertical acceleration error to throttle, 1/1000 per cm/s^2.
    PSC_ACCZ_P = 0.5, default 0.5;
    /// Integral gain of the vertical acceleration, 1/1000 per cm/s.
    PSC_ACCZ_I = 1.0, default 1.0;
    /// Horizontal speed between waypoints, cm/s.
    WPNAV_SPEED = 500.0, default 1000.0;
    /// Climb rate, cm/s.
    WPNAV_SPEED_UP = 250.0, default 250.0;
    /// Rate of descent, cm/s.
    WPNAV_SPEED_DN = 150.0, default 150.0;
    /// Horizontal acceleration, cm/s^2.
    WPNAV_ACCEL = 200.0, default 250.0;
    /// Vertical acceleration, cm/s^2.
    WPNAV_ACCEL_Z = 150.0, default 100.0;
    /// A waypoint counts as reached within this distance, cm.
    WPNAV_RADIUS = 150.0, default 200.0;
    /// Shortest return, spent over home if it begins there, ms.
    RTL_LOIT_TIME = 2000.0, default 5000.0;
    /// Rate of descent near the ground, cm/s.
    LAND_SPEED = 50.0, default 50.0;
    /// Altitude from which the descent is slow, cm.
    LAND_ALT_LOW = 200.0, default 1000.0;
    /// Curvature of the thrust over the motor command, 0 (straight) to 1 (square).
    MOT_THST_EXPO = 0.65, default 0.65;
    /// Throttle expected to hover, before it is learned.
    MOT_THST_HOVER = 0.4, default 0.35;
    /// Motor command when armed on the ground.
    MOT_SPIN_ARM = 0.1, default 0.1;
    /// Lowest motor command in flight.
    MOT_SPIN_MIN = 0.15, default 0.15;
    /// Highest motor command.
    MOT_SPIN_MAX = 0.95, default 0.95;
    /// Time from idle to full throttle, s.
    MOT_SPOOL_TIME = 1.0, default 0.5;
    /// Cut-off of the gyroscope filter, Hz.
    INS_GYRO_FILTER = 30.0, default 20.0;
    /// Cut-off of the accelerometer filter, Hz.
    INS_ACCEL_FILTER = 10.0, default 20.0;
    /// Capacity of the battery, mAh.
    BATT_CAPACITY = 16000.0, default 3300.0;
    /// Kind of the estimator, 3 for EKF3.
    AHRS_EKF_TYPE = 3.0, default 3.0;
    /// The autopilot is mounted as the vehicle is.
    AHRS_ORIENTATION = 0.0, default 0.0;
    /// Roll of the mounting, rad.
    AHRS_TRIM_X = 0.0, default 0.0;
    /// Pitch of the mounting, rad.
    AHRS_TRIM_Y = 0.0, default 0.0;
    /// Yaw of the mounting, rad.
    AHRS_TRIM_Z = 0.0, default 0.0;
    /// Whether EKF3 runs.
    EK3_ENABLE = 1.0, default 1.0;
    /// The core of EKF3 that is used first.
    EK3_PRIMARY = 0.0, default 0.0;
    /// Device id of the first accelerometer: as in SITL, bus type 4 and device type 42.
    INS_ACC_ID = 2753028.0, default 0.0;
    /// Device id of the second accelerometer.
    INS_ACC2_ID = 2753036.0, default 0.0;
    /// Device id of the first gyroscope.
    INS_GYR_ID = 2752772.0, default 0.0;
    /// Device id of the second gyroscope.
    INS_GYR2_ID = 2752780.0, default 0.0;
    /// The inertial sensors whose samples are logged in batches: both.
    INS_LOG_BAT_MASK = 3.0, default 0.0;
    /// Samples of a batch.
    INS_LOG_BAT_CNT = 1024.0, default 1024.0;
    /// Batches are sampled before the filters.
    INS_LOG_BAT_OPT = 0.0, default 0.0;
    /// There is no harmonic notch filter.
    INS_HNTCH_ENABLE = 0.0, default 0.0;
    /// There is a compass.
    COMPASS_ENABLE = 1.0, default 1.0;
    /// Device id of the compass.
    COMPASS_DEV_ID = 97539.0, default 0.0;
    /// The compass is used for the heading.
    COMPASS_USE = 1.0, default 1.0;
    /// The compass is outside of the autopilot: the device id is that of one on DroneCAN.
    COMPASS_EXTERNAL = 1.0, default 0.0;
    /// It is mounted as the autopilot is.
    COMPASS_ORIENT = 0.0, default 0.0;
    /// The scale needs no correction.
    COMPASS_SCALE = 1.0, default 0.0;
    /// Soft-iron correction, diagonal: none.
    COMPASS_DIA_X = 1.0, default 1.0;
    /// Soft-iron correction, diagonal: none.
    COMPASS_DIA_Y = 1.0, default 1.0;
    /// Soft-iron correction, diagonal: none.
    COMPASS_DIA_Z = 1.0, default 1.0;
    /// Soft-iron correction, off the diagonal: none.
    COMPASS_ODI_X = 0.0, default 0.0;
    /// Soft-iron correction, off the diagonal: none.
    COMPASS_ODI_Y = 0.0, default 0.0;
    /// Soft-iron correction, off the diagonal: none.
    COMPASS_ODI_Z = 0.0, default 0.0;
    /// Kind of the correction for the motors: none.
    COMPASS_MOTCT = 0.0, default 0.0;
    /// Correction for the motors, forward.
    COMPASS_MOT_X = 0.0, default 0.0;
    /// Correction for the motors, to the right.
    COMPASS_MOT_Y = 0.0, default 0.0;
    /// Correction for the motors, downward.
    COMPASS_MOT_Z = 0.0, default 0.0;
    /// The first output is the first motor.
    SERVO1_FUNCTION = 33.0, default 0.0;
    /// The second output is the second motor.
    SERVO2_FUNCTION = 34.0, default 0.0;
    /// The third output is the third motor.
    SERVO3_FUNCTION = 35.0, default 0.0;
    /// The fourth output is the fourth motor.
    SERVO4_FUNCTION = 36.0, default 0.0;
    /// Mass ready to fly, kg.
    SIM_MASS = 2.2, default 2.2;
    /// Steady wind at height, m/s.
    SIM_WIND_SPD = 3.0, default 0.0;
    /// Standard deviation of the turbulence, m/s.
    SIM_WIND_TURB = 0.4, default 0.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_the_log() {
        assert!(PARAMS.iter().all(|param| param.name.len() <= 16));
    }
}
