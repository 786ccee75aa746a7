//! A main frame of Blackbox as `c/blackbox.c` has it, for the measurements here and on the target.
#![allow(missing_docs, unreachable_pub, reason = "the fields are Betaflight's, and two crates have this file")]

use binlog::blackbox::{BlackboxFields, BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A usual main frame of Betaflight 4, as in `c/blackbox.c`.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C, packed)]
pub struct MainFrame {
    pub loop_iteration: u32,
    pub time: u32,
    #[blackbox(flatten, prefix = "axis")]
    pub pid: Pid,
    pub rc_command: [i16; 4],
    pub setpoint: [i16; 4],
    pub vbat_latest: u16,
    pub amperage_latest: i16,
    pub baro_alt: i32,
    pub rssi: u16,
    pub gyro_adc: [i16; 3],
    pub acc_smooth: [i16; 3],
    pub motor: [u16; 4],
}

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
pub struct Pid {
    pub p: [i16; 3],
    #[blackbox(p(encoding = tag2_3s32))]
    pub i: [i16; 3],
    pub d: [i16; 2],
    pub f: [i16; 3],
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 256)]
#[blackbox(header("looptime" = "125", "acc_1G" = "2048", "vbatref" = "1600", "motorOutput" = "158,2047"))]
pub enum FlightLog {
    Main(MainFrame),
}

/// As of the schema.
pub const I_INTERVAL: u32 = 256;
