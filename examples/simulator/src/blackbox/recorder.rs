//! Turns the state of the simulation into frames, and says what is logged when.

use super::frames::{
    ANGLE, ARM, FIX, FlightLog, GPS_RESCUE, GpsFrame, HOME_FIX, HomeFrame, MainFrame, RESCUED, SMALL_ANGLE, SlowFrame,
};
use crate::simulation::location::Location;
use crate::simulation::math::Vec3;
use crate::simulation::mission::{self, Mode, Spool};
use crate::simulation::vehicle::GRAVITY;
use crate::simulation::{STEP_US, Simulation};
use binlog::WriteError;
use binlog::blackbox::{BlackboxWriter, Event};
use std::io::Write;
use std::ops::ControlFlow;

/// A fix each 200 ms.
const GPS_PERIOD_US: u64 = 200_000;
/// Betaflight's `DISARM_REASON_STICKS`.
const DISARMED_BY_STICKS: u32 = 3;
/// `acc_1G` of the header.
const ACC_1G: f64 = 2048.0;

/// Lines of the header that are known when the flight begins. Voltages are written as differences from the first one.
pub fn headers(simulation: &Simulation) -> Vec<(&'static str, String)> {
    vec![("vbatref", centivolts(simulation).to_string())]
}

/// Flies until the simulation is over, and logs the flight.
///
/// `after_step` is called with the simulated time in microseconds after each step, 400 times a simulated second, and
/// may end the flight.
///
/// # Errors
///
/// The log's.
pub fn fly<W: Write>(
    mut simulation: Simulation,
    log: &mut BlackboxWriter<FlightLog, W>,
    mut after_step: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<(), WriteError> {
    let (mut home, mut flags) = (None, mode_flags(&simulation));
    while !simulation.is_over() {
        simulation.step();
        let time = simulation.time_us as f64 * 1e-6;
        if simulation.fault.is_some_and(|fault| fault.is_silent(time)) {
            continue;
        }
        for event in &simulation.events {
            match event {
                mission::Event::HomeSet => home = Some(simulation.gps.location),
                mission::Event::Armed => log.event(&Event::SyncBeep { time: simulation.time_us as u32 })?,
                mission::Event::Disarmed => log.event(&Event::Disarm { reason: DISARMED_BY_STICKS })?,
                _ => {}
            }
        }
        let new = mode_flags(&simulation);
        if new != flags {
            log.event(&Event::FlightMode { new, old: flags })?;
            flags = new;
        }
        log.write(&main(&simulation))?;
        log.write(&slow(&simulation, home.is_some()))?;
        if let Some(Location { latitude, longitude, .. }) = home {
            log.write(&HomeFrame { gps_home: [latitude, longitude] })?;
            if simulation.time_us.is_multiple_of(GPS_PERIOD_US) {
                log.write(&gps(&simulation))?;
            }
        }
        if after_step(simulation.time_us).is_break() {
            break;
        }
    }
    Ok(())
}

fn main(simulation: &Simulation) -> MainFrame {
    let control = &simulation.attitude;
    let thousandths = |value: f64| round(1000.0 * value);
    let gyro = axes(simulation.imus[0].gyro.map(f64::to_degrees));
    let [unfiltered, filtered] = simulation.gyro_shake().map(|shake| gyro.map(|rate| round(rate + shake)));
    let [p, i, d] = control.terms().map(|terms| axes(terms).map(thousandths));
    let [x, y, z] = control.rate_target().map(f64::from);
    let [roll, pitch, yaw] = axes(Vec3::new(x, y, z)).map(round);
    MainFrame {
        loop_iteration: (simulation.time_us / STEP_US - 1) as u32,
        time: simulation.time_us as u32,
        axis_p: p,
        axis_i: i,
        axis_d: [d[0], d[1]],
        rc_command: [0, 0, 0, round(1000.0 + 1000.0 * simulation.mission.throttle_stick())],
        setpoint: [roll, pitch, yaw, thousandths(simulation.position.throttle)],
        vbat_latest: centivolts(simulation),
        amperage_latest: round(100.0 * simulation.battery.current),
        mag_adc: axes(simulation.compass.field).map(round),
        rssi: if simulation.mission.radio_lost { 0 } else { 1023 },
        baro_alt: (100.0 * simulation.barometer.altitude).round() as i32,
        gyro_adc: filtered,
        gyro_unfilt: unfiltered,
        acc_smooth: axes(simulation.imus[0].accel).map(|force| round(force / GRAVITY * ACC_1G)),
        motor: simulation.motors.pwm,
    }
}

fn slow(simulation: &Simulation, has_home: bool) -> SlowFrame {
    let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
    let is_lost = simulation.mission.radio_lost;
    SlowFrame {
        flight_mode_flags: mode_flags(simulation),
        state_flags: bit(has_home, HOME_FIX) | bit(simulation.gps.has_fix(), FIX) | SMALL_ANGLE,
        failsafe_phase: if is_lost { RESCUED } else { 0 },
        rx_signal_received: u8::from(!is_lost),
        rx_flight_channels_valid: u8::from(!is_lost),
    }
}

fn gps(simulation: &Simulation) -> GpsFrame {
    let gps = &simulation.gps;
    GpsFrame {
        time: simulation.time_us as u32,
        gps_coord: [gps.location.latitude, gps.location.longitude],
        gps_altitude: (10.0 * gps.location.altitude).round() as u16,
        gps_speed: (100.0 * gps.ground_speed).round() as u16,
        gps_ground_course: (10.0 * gps.course).round() as u16 % 3600,
        gps_num_sat: gps.satellites.into(),
    }
}

/// The modes of Betaflight that come nearest to the vehicle's.
fn mode_flags(simulation: &Simulation) -> u32 {
    let phase = simulation.mission.phase;
    let armed = if phase.spool() == Spool::Off { 0 } else { ARM };
    let mode = match phase.mode() {
        Mode::Rtl | Mode::Land => GPS_RESCUE,
        Mode::Stabilize | Mode::Auto | Mode::Guided | Mode::Loiter => ANGLE,
    };
    armed | mode
}

fn centivolts(simulation: &Simulation) -> u16 {
    (100.0 * simulation.battery.voltage).round() as u16
}

/// From forward, right and down to forward, left and up.
fn axes(vector: Vec3) -> [f64; 3] {
    [vector.x, -vector.y, -vector.z]
}

fn round(value: f64) -> i16 {
    value.round() as i16
}
