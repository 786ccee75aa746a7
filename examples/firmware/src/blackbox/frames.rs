//! The frames of the log: the measurements of [`sensors`](crate::sensors) with the names and units of Betaflight.

use crate::sensors;
use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Everything that the vehicle logs.
#[derive(BlackboxSchema)]
#[blackbox(i_interval = 32, header("looptime" = "1000", "gyro_scale" = "0x3f800000", "acc_1G" = "2048"))]
pub enum FlightLog {
    /// Each iteration, from an interrupt.
    Main(MainFrame),
    /// On change, from the main loop.
    Slow(SlowFrame),
}

/// One iteration of the control loop.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(main)]
#[repr(C)]
pub struct MainFrame {
    /// Number of the iteration.
    pub loop_iteration: u32,
    /// Time since boot, µs.
    pub time: u32,
    /// Proportional terms of the rate controllers, thousandths.
    pub axis_p: [i16; 3],
    /// Rates asked for, °/s, and the throttle, thousandths.
    pub setpoint: [i16; 4],
    /// Angular rates, °/s.
    pub gyro_adc: [i16; 3],
    /// Specific force, 1/2048 of gravity.
    pub acc_smooth: [i16; 3],
    /// Signal of the receiver, 0 to 1023.
    pub rssi: u16,
    /// Altitude above the start, cm.
    pub baro_alt: i32,
    /// Roll and pitch, 0.01 °, and heading, 0.1 °.
    pub debug: [i16; 4],
}

impl MainFrame {
    /// The vehicle's state at a time.
    pub fn at(loop_iteration: u32, time_us: u64) -> Self {
        let (imu, roll) = (sensors::imu(time_us, 0), sensors::roll_rate(time_us));
        let (attitude, barometer) = (sensors::attitude(time_us), sensors::barometer(time_us));
        let degrees = |rate: f32| (rate * 57.295_78) as i16;
        let force = |acceleration: f32| (acceleration / 9.806_65 * 2048.0) as i16;
        MainFrame {
            loop_iteration,
            time: time_us as u32,
            axis_p: [(1000.0 * roll.output) as i16, 0, 0],
            setpoint: [roll.target as i16, 0, 0, 500],
            gyro_adc: [degrees(imu.gyr_x), degrees(imu.gyr_y), degrees(imu.gyr_z)],
            acc_smooth: [force(imu.acc_x), force(imu.acc_y), force(-imu.acc_z)],
            rssi: 1023,
            baro_alt: (100.0 * barometer.altitude) as i32,
            debug: [attitude.roll.raw(), attitude.pitch.raw(), (attitude.yaw.raw() / 10) as i16, 0],
        }
    }
}

/// What changes now and then.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(slow)]
#[repr(C, packed)]
pub struct SlowFrame {
    /// Active modes: [`ARM`], [`ANGLE`].
    pub flight_mode_flags: u32,
    /// What the vehicle knows.
    pub state_flags: u32,
    /// Step of the failsafe procedure; 0 if it does not run.
    pub failsafe_phase: u8,
    /// Whether the receiver has a signal.
    pub rx_signal_received: u8,
    /// Whether the channels that fly the vehicle are valid.
    pub rx_flight_channels_valid: u8,
}

impl SlowFrame {
    /// The state with these modes.
    pub fn of(flight_mode_flags: u32) -> Self {
        SlowFrame {
            flight_mode_flags,
            state_flags: SMALL_ANGLE,
            failsafe_phase: 0,
            rx_signal_received: 1,
            rx_flight_channels_valid: 1,
        }
    }
}

/// Bit of Betaflight's `BOXARM`.
pub const ARM: u32 = 1 << 0;
/// Bit of Betaflight's `BOXANGLE`: the vehicle levels itself.
pub const ANGLE: u32 = 1 << 1;
/// Bit of Betaflight's `SMALL_ANGLE`: level enough to be armed.
const SMALL_ANGLE: u32 = 1 << 3;
