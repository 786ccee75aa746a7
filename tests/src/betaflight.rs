//! The frames of real logs, as a program that reads them derives them: fields, predictors and encodings are those of
//! their headers. Tests and benchmarks use them.
#![allow(missing_docs, reason = "the fields have the names of the log")]

use binlog::blackbox::{BlackboxFields, BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The main frame of Betaflight without a magnetometer, as in `fcbb_btfl_001.bbl`.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(main)]
#[repr(C, packed)]
pub struct MainFrame {
    pub loop_iteration: u32,
    pub time: u32,
    #[blackbox(flatten, prefix = "axis")]
    pub pid: Pid,
    pub rc_command: [i16; 3],
    #[blackbox(name = "rcCommand[3]")]
    pub throttle: u16,
    pub setpoint: [i16; 4],
    pub vbat_latest: u16,
    pub amperage_latest: i16,
    #[blackbox(name = "BaroAlt")]
    pub baro_alt: i32,
    pub rssi: u16,
    pub gyro_adc: [i16; 3],
    pub acc_smooth: [i16; 3],
    pub motor: [u16; 4],
}

/// The main frame with a magnetometer and debug values, as in `fcbb_LOG00037.BFL`.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(main)]
#[repr(C, packed)]
pub struct MainFrameWithMag {
    pub loop_iteration: u32,
    pub time: u32,
    #[blackbox(flatten, prefix = "axis")]
    pub pid: Pid,
    pub rc_command: [i16; 3],
    #[blackbox(name = "rcCommand[3]")]
    pub throttle: u16,
    pub setpoint: [i16; 4],
    pub vbat_latest: u16,
    pub amperage_latest: i16,
    pub mag_adc: [i16; 3],
    #[blackbox(name = "BaroAlt")]
    pub baro_alt: i32,
    pub rssi: u16,
    pub gyro_adc: [i16; 3],
    pub acc_smooth: [i16; 3],
    pub debug: [i16; 4],
    pub motor: [u16; 4],
}

/// The terms of the PID controllers.
#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Pid {
    pub p: [i16; 3],
    #[blackbox(p(encoding = tag2_3s32))]
    pub i: [i16; 3],
    pub d: [i16; 2],
    pub f: [i16; 3],
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(slow)]
#[repr(C, packed)]
pub struct SlowFrame {
    pub flight_mode_flags: u32,
    pub state_flags: u32,
    pub failsafe_phase: u8,
    pub rx_signal_received: u8,
    pub rx_flight_channels_valid: u8,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(gps)]
#[repr(C, packed)]
pub struct GpsFrame {
    pub time: u32,
    pub gps_num_sat: u8,
    pub gps_coord: [i32; 2],
    pub gps_altitude: u16,
    pub gps_speed: u16,
    pub gps_ground_course: u16,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(home)]
#[repr(C)]
pub struct HomeFrame {
    pub gps_home: [i32; 2],
}

/// The schema of `fcbb_btfl_001.bbl`.
#[derive(BlackboxSchema, Clone, Copy, PartialEq, Debug)]
#[blackbox(i_interval = 256, p_rate = "1/16", allow(not_portable))]
#[blackbox(header("vbatref" = "2466", "motorOutput" = "158,2047"))]
pub enum FlightLog {
    Main(MainFrame),
    Slow(SlowFrame),
}

/// The schema of `fcbb_LOG00037.BFL`.
#[derive(BlackboxSchema, Clone, Copy, PartialEq, Debug)]
#[blackbox(i_interval = 256, p_rate = "1/8", allow(not_portable))]
#[blackbox(header("vbatref" = "2277", "motorOutput" = "158,2047"))]
pub enum FlightLogWithGps {
    Main(MainFrameWithMag),
    Slow(SlowFrame),
    Gps(GpsFrame),
    Home(HomeFrame),
}
