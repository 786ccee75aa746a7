//! The frames of the log: names, units and axes are those of Betaflight 4.5, so that its tools understand them.
//!
//! Axes are forward, left and up: roll to the right, pitch down and yaw to the left are positive.

use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// One iteration of the control loop.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[blackbox(main)]
#[repr(C, packed)]
pub struct MainFrame {
    /// Number of the iteration.
    pub loop_iteration: u32,
    /// Time since boot, µs.
    pub time: u32,
    /// Proportional terms of the rate controllers, thousandths of the mixer's range.
    pub axis_p: [i16; 3],
    /// Integral terms.
    pub axis_i: [i16; 3],
    /// Derivative terms of roll and pitch; yaw has none.
    pub axis_d: [i16; 2],
    /// Sticks: roll, pitch and yaw -500 to 500, throttle 1000 to 2000.
    pub rc_command: [i16; 4],
    /// Rates asked for, °/s, and the throttle, thousandths.
    pub setpoint: [i16; 4],
    /// Voltage of the battery, 10 mV.
    pub vbat_latest: u16,
    /// Current of the battery, 10 mA.
    pub amperage_latest: i16,
    /// Magnetic field, mG.
    pub mag_adc: [i16; 3],
    /// Signal of the receiver, 0 to 1023.
    pub rssi: u16,
    /// Altitude above home, cm.
    pub baro_alt: i32,
    /// Angular rates, °/s.
    pub gyro_adc: [i16; 3],
    /// The same before the filters.
    pub gyro_unfilt: [i16; 3],
    /// Specific force, 1/2048 of gravity.
    pub acc_smooth: [i16; 3],
    /// Pulse widths of the motors, µs.
    pub motor: [u16; 4],
}

/// What changes a few times in a flight.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[blackbox(slow)]
#[repr(C, packed)]
pub struct SlowFrame {
    /// Active modes: [`ARM`], [`ANGLE`], [`GPS_RESCUE`].
    pub flight_mode_flags: u32,
    /// What the vehicle knows: [`HOME_FIX`], [`FIX`], [`SMALL_ANGLE`].
    pub state_flags: u32,
    /// Step of the failsafe procedure; 0 if it does not run.
    pub failsafe_phase: u8,
    /// Whether the receiver has a signal.
    pub rx_signal_received: u8,
    /// Whether the channels that fly the vehicle are valid.
    pub rx_flight_channels_valid: u8,
}

/// Bit of Betaflight's `BOXARM`.
pub const ARM: u32 = 1 << 0;
/// Bit of Betaflight's `BOXANGLE`: the vehicle levels itself.
pub const ANGLE: u32 = 1 << 1;
/// Bit of Betaflight's `BOXGPSRESCUE`: the vehicle comes home by itself.
pub const GPS_RESCUE: u32 = 1 << 7;

/// Betaflight's `FAILSAFE_GPS_RESCUE`: the vehicle comes home, as the receiver has no signal.
pub const RESCUED: u8 = 6;

/// Bit of Betaflight's `GPS_FIX_HOME`: home is known.
pub const HOME_FIX: u32 = 1 << 0;
/// Bit of Betaflight's `GPS_FIX`.
pub const FIX: u32 = 1 << 1;
/// Bit of Betaflight's `SMALL_ANGLE`: level enough to be armed.
pub const SMALL_ANGLE: u32 = 1 << 3;

/// A fix of the satellite receiver.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[blackbox(gps)]
#[repr(C)]
pub struct GpsFrame {
    /// Time since boot, µs.
    pub time: u32,
    /// Latitude and longitude, 1e-7 °.
    pub gps_coord: [i32; 2],
    /// Altitude above sea level, dm.
    pub gps_altitude: u16,
    /// Ground speed, cm/s.
    pub gps_speed: u16,
    /// Course over ground, 0.1 °.
    pub gps_ground_course: u16,
    /// Number of satellites.
    pub gps_num_sat: u16,
}

/// Where the vehicle took off.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, Debug)]
#[blackbox(home)]
#[repr(C)]
pub struct HomeFrame {
    /// Latitude and longitude, 1e-7 °.
    pub gps_home: [i32; 2],
}

/// Everything that the vehicle logs.
#[derive(BlackboxSchema)]
#[blackbox(i_interval = 32)]
#[blackbox(header(
    "Craft name" = "binlog simulator",
    "looptime" = "2500",
    "acc_1G" = "2048",
    "minthrottle" = "1000",
    "maxthrottle" = "2000",
    "motorOutput" = "1000,1950",
    "vbatref" = "1680"
))]
pub enum FlightLog {
    /// Each iteration.
    Main(MainFrame),
    /// On change.
    Slow(SlowFrame),
    /// Five a second.
    Gps(GpsFrame),
    /// On change.
    Home(HomeFrame),
}
