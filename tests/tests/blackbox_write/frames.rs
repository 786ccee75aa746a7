//! Frames for the tests.

use binlog::blackbox::{BlackboxFields, BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The 35 fields of a usual main frame of Betaflight.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug, Default)]
#[blackbox(main)]
#[repr(C, packed)]
pub(crate) struct MainFrame {
    pub(crate) loop_iteration: u32,
    pub(crate) time: u32,
    #[blackbox(flatten, prefix = "axis")]
    pub(crate) pid: Pid,
    pub(crate) rc_command: [i16; 4],
    pub(crate) setpoint: [i16; 4],
    pub(crate) vbat_latest: u16,
    pub(crate) amperage_latest: i16,
    pub(crate) baro_alt: i32,
    pub(crate) rssi: u16,
    pub(crate) gyro_adc: [i16; 3],
    pub(crate) acc_smooth: [i16; 3],
    pub(crate) motor: [u16; 4],
}

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub(crate) struct Pid {
    pub(crate) p: [i16; 3],
    #[blackbox(p(encoding = tag2_3s32))]
    pub(crate) i: [i16; 3],
    pub(crate) d: [i16; 2],
    pub(crate) f: [i16; 3],
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug, Default)]
#[blackbox(slow)]
#[repr(C, packed)]
pub(crate) struct SlowFrame {
    pub(crate) flight_mode_flags: u32,
    pub(crate) state_flags: u32,
    pub(crate) failsafe_phase: u8,
    pub(crate) rx_signal_received: u8,
    pub(crate) rx_flight_channels_valid: u8,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug, Default)]
#[blackbox(gps)]
#[repr(C, packed)]
pub(crate) struct GpsFrame {
    pub(crate) time: u32,
    pub(crate) gps_num_sat: u8,
    pub(crate) gps_coord: [i32; 2],
    pub(crate) gps_altitude: i16,
    pub(crate) gps_speed: u16,
    pub(crate) gps_ground_course: u16,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug, Default)]
#[blackbox(home)]
#[repr(C)]
pub(crate) struct HomeFrame {
    pub(crate) gps_home: [i32; 2],
}

#[derive(BlackboxSchema)]
#[blackbox(
    i_interval = 32,
    p_rate = "1/2",
    header("looptime" = "125", "acc_1G" = "2048", "vbatref" = "1600", "motorOutput" = "158,2047")
)]
#[blackbox(header("Craft name" = "Hawk"))]
pub(crate) enum FlightLog {
    Main(MainFrame),
    Slow(SlowFrame),
    Gps(GpsFrame),
    Home(HomeFrame),
}

/// A main frame and nothing else, logged in each iteration.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug, Default)]
#[blackbox(main)]
#[repr(C)]
pub(crate) struct Small {
    pub(crate) loop_iteration: u32,
    pub(crate) time: u32,
    #[blackbox(p(encoding = tag8_4s16))]
    pub(crate) channel: [i16; 4],
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 8, header("looptime" = "1000"))]
pub(crate) enum SmallLog {
    Main(Small),
}

/// The frame of an iteration of 1 ms.
pub(crate) fn small(loop_iteration: u32, channel: [i16; 4]) -> Small {
    Small { loop_iteration, time: loop_iteration.wrapping_mul(1000), channel }
}

/// A flight: values that move as those of a craft do.
pub(crate) fn flight(iterations: u32) -> impl Iterator<Item = MainFrame> {
    let wave = |i: u32, period: f32, height: f32| ((i as f32 / period).sin() * height) as i16;
    (0..iterations).map(move |i| MainFrame {
        loop_iteration: i,
        time: 5_000_000 + i * 125 + i % 3,
        pid: Pid {
            p: [wave(i, 9.0, 200.0), wave(i, 11.0, 150.0), wave(i, 5.0, 40.0)],
            i: [wave(i, 200.0, 60.0), wave(i, 300.0, 6.0), wave(i, 50.0, 300.0)],
            d: [wave(i, 2.0, 90.0), wave(i, 2.5, 80.0)],
            f: [0, wave(i, 40.0, 3.0), 0],
        },
        rc_command: [wave(i / 16, 3.0, 500.0), wave(i / 16, 4.0, 10.0), 0, 1500 + wave(i, 100.0, 300.0)],
        setpoint: [wave(i / 16, 3.0, 200.0), 0, 0, wave(i, 100.0, 300.0)],
        vbat_latest: 1590 - (i / 500) as u16,
        amperage_latest: wave(i / 10, 9.0, 1000.0),
        baro_alt: (i / 20) as i32 - 30,
        rssi: 1023 - (i / 300 % 4) as u16,
        gyro_adc: [wave(i, 3.0, 500.0), wave(i, 3.5, 400.0), -wave(i, 8.0, 30.0)],
        acc_smooth: [wave(i, 13.0, 100.0), wave(i, 17.0, 100.0), 2048 + wave(i, 4.0, 50.0)],
        motor: [0.0, 1.0, 2.0, 3.0].map(|arm| (800.0 + (i as f32 / 20.0 + arm).sin() * 300.0) as u16),
    })
}
