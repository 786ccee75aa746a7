//! The fields of firmware's frames, as its `blackbox.c` defines them: Cleanflight, Betaflight, INAV, Rotorflight.

mod betaflight;
mod cleanflight;
mod inav;
mod rotorflight;

/// What a firmware writes into the header of its logs.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) name: &'static str,
    /// Lines besides those of the fields: names and values.
    pub(super) lines: &'static [&'static str],
    /// The fields of each kind of frame, one a line: `gyroADC[3] s 0/0 3/0` are three signed fields with predictor and
    /// encoding in I and in P frames; `u` for unsigned ones. Other frames have the first pair only.
    pub(super) main: &'static [&'static str],
    pub(super) slow: &'static [&'static str],
    pub(super) gps: &'static [&'static str],
    pub(super) home: &'static [&'static str],
    /// A revision that `blackbox-log` reads, to which the header's is changed for it; none if its fields aren't among
    /// those that it reads.
    pub(super) known_as: Option<&'static str>,
}

const START: [&str; 2] = ["loopIteration u 0/1 6/9", "time u 0/1 2/0"];
const PID: [&str; 3] = ["axisP[3] s 0/0 1/0", "axisI[3] s 0/0 1/7", "axisD[2] s 0/0 1/0"];
const STICKS: [&str; 2] = ["rcCommand[3] s 0/0 1/8", "rcCommand[3..4] u 4/1 1/8"];
const SETPOINT: &str = "setpoint[4] s 0/0 1/8";
const SENSORS: [&str; 2] = ["gyroADC[3] s 0/0 3/0", "accSmooth[3] s 0/0 3/0"];
const OLD_MOTORS: [&str; 2] = ["motor[1] u 4/1 3/0", "motor[1..4] u 5/0 3/0"];
const MOTORS: [&str; 2] = ["motor[1] u 11/1 3/0", "motor[1..4] u 5/0 3/0"];
const SLOW: [&str; 5] = [
    "flightModeFlags u 0/1",
    "stateFlags u 0/1",
    "failsafePhase u 0/7",
    "rxSignalReceived u 0/7",
    "rxFlightChannelsValid u 0/7",
];
const GPS: [&str; 6] = [
    "time u 10/1",
    "GPS_numSat u 0/1",
    "GPS_coord[2] s 7/0",
    "GPS_altitude s 0/0",
    "GPS_speed u 0/1",
    "GPS_ground_course u 0/1",
];
const HOME: [&str; 1] = ["GPS_home[2] s 0/0"];

/// All layouts, by firmware.
pub(super) fn layouts() -> impl Iterator<Item = Layout> {
    let all = [&cleanflight::LAYOUTS[..], &betaflight::LAYOUTS, &inav::LAYOUTS, &rotorflight::LAYOUTS];
    all.into_iter().flatten().copied()
}
