//! Turns the state of the simulation into records, and says what is logged when.

use crate::batches::Batches;
use crate::messages::{
    Attitude, Barometer, Battery, BodyVector, Compass, ControlTuning, EstimatedAttitude, EstimatedState, Event,
    EventId, FlightLog, FlightSink, Imu, Milligauss, Position, Power, PulseWidth, RateControl, RcOutput,
    RelativeAltitude, Variances, Vibration,
};
use crate::simulation::fault::Fault;
use crate::simulation::location::{HOME_ALTITUDE, Location};
use crate::simulation::math::Vec3;
use crate::simulation::mission::Phase;
use crate::simulation::params::PARAMS;
use crate::simulation::sensors::{AIR_TEMPERATURE, RangeFinder};
use crate::simulation::{LOOP_RATE, STEP_US, Simulation, mission, sensors};
use binlog::field::{Centi, Chars, Latitude, Longitude};
use binlog::messages::{Arm, Dsf, Err, Gps, GpsStatus, Mode, Msg, Parm, VehicleType, Ver};
use binlog::sink::TimedSink;
use std::ops::ControlFlow;

/// Name and version of the firmware that this vehicle pretends to have. From `ArduCopter` viewers know the kind of
/// vehicle and the names of its flight modes.
const FIRMWARE: &str = "ArduCopter V4.6.0 (binlog simulator)";

/// ArduPilot's `ModeReason::INITIALISED`.
const MODE_INITIALISED: u8 = 26;
/// MAVLink's `MAV_POWER_STATUS_BRICK_VALID`.
const POWER_VALID: u16 = 1;
/// ArduPilot's `ModeReason::GCS_COMMAND`.
const MODE_COMMANDED: u8 = 2;
/// ArduPilot's `ModeReason::RADIO_FAILSAFE`.
const MODE_RADIO_LOST: u8 = 3;
/// ArduPilot's `LogErrorSubsystem::FAILSAFE_RADIO`, with the code `FAILSAFE_OCCURRED`.
const RADIO_FAILSAFE: (u8, u8) = (5, 1);
/// ArduPilot's `LogErrorSubsystem::COMPASS`, with the code `UNHEALTHY`.
const COMPASS_UNHEALTHY: (u8, u8) = (3, 4);
/// ArduPilot's `LogErrorSubsystem::EKF_PRIMARY`; the code is the core.
const EKF_PRIMARY: u8 = 24;

/// The records that readers want first in each log: parameters, the kind of vehicle, the flight mode.
pub fn prologue(simulation: &Simulation) -> Vec<FlightLog> {
    let time_us = simulation.time_us;
    let parameter = |name, value, default| Parm::new(time_us, name, value, default).ok().map(FlightLog::Parm);
    let Vec3 { x, y, z } = simulation.compass.offsets;
    let offsets = [("COMPASS_OFS_X", x), ("COMPASS_OFS_Y", y), ("COMPASS_OFS_Z", z)];
    let mode = Mode::new(time_us, simulation.mission.phase.mode() as u8, MODE_INITIALISED);
    let parameters = PARAMS.iter().filter_map(|param| parameter(param.name, param.value, Some(param.default)));
    let offsets = offsets.into_iter().filter_map(|(name, offset)| parameter(name, offset as f32, Some(0.0)));
    let texts = Msg::parts(time_us, 0, FIRMWARE).into_iter().flatten().map(FlightLog::Msg);
    let version = FlightLog::Ver(version(time_us));
    parameters.chain(offsets).chain(texts).chain([version]).chain(mode.ok().map(FlightLog::Mode)).collect()
}

/// Flies until the simulation is over, and logs the flight. A logger of the host takes it, and so does the logger of a
/// microcontroller.
///
/// `after_step` is called after each step, 400 times a simulated second, and may end the flight. A flight in real time
/// waits there.
pub fn fly(
    mut simulation: Simulation,
    log: &(impl FlightSink + TimedSink),
    mut after_step: impl FnMut(&Simulation) -> ControlFlow<()>,
) {
    let (mut batches, mut dropped) = (Batches::default(), 0);
    while !simulation.is_over() {
        simulation.step();
        if is_missing(&simulation) {
            dropped += 4;
            if after_step(&simulation).is_break() {
                return;
            }
            continue;
        }
        for event in &simulation.events {
            log_event(&simulation, *event, log);
        }
        log_state(&simulation, log);
        if simulation.fault == Some(Fault::LogDrops) && is_due(simulation.time_us, 1) {
            let empty = Dsf {
                time_us: simulation.time_us,
                dropped,
                blocks: 0,
                bytes: 0,
                free_min: 0,
                free_max: 0,
                free_mean: 0,
            };
            log.log(&empty);
        }
        if let Some(due) = batches.sample(&simulation) {
            due.head.map(|head| log.log(&head));
            log.log(&due.data);
        }
        if after_step(&simulation).is_break() {
            return;
        }
    }
}

/// Whether a fault of the logger loses the records of this step.
fn is_missing(simulation: &Simulation) -> bool {
    let time = simulation.time_us as f64 * 1e-6;
    let is_during = |seconds| simulation.fault.is_some_and(|fault| fault.is_during(time, seconds));
    match simulation.fault {
        Some(Fault::LogDrops) => is_during(8.0) && !(simulation.time_us / STEP_US).is_multiple_of(8),
        fault => fault.is_some_and(|fault| fault.is_silent(time)),
    }
}

/// Whether a fault silences the barometer.
fn is_silent(simulation: &Simulation) -> bool {
    let time = simulation.time_us as f64 * 1e-6;
    simulation.fault == Some(Fault::LogSilence) && Fault::LogSilence.is_during(time, 6.0)
}

/// The records of one step.
fn log_state(simulation: &Simulation, log: &(impl FlightSink + TimedSink)) {
    let due = |rate| is_due(simulation.time_us, rate);
    log.log(&attitude(simulation));
    log.log(&rate_control(simulation));
    for (instance, imu) in (0..).zip(&simulation.imus) {
        log.log(&inertial(simulation.time_us, instance, imu));
    }
    if due(50) {
        if !is_silent(simulation) {
            log.log(&barometer(simulation));
        }
        log.log(&compass(simulation));
        log.log(&relative_altitude(simulation));
        log.log(&rc_output(simulation));
    }
    if due(25) {
        log.log(&control_tuning(simulation));
        log.log(&estimated_state(simulation));
        log.log(&estimated_attitude(simulation));
        // Before the first fix there is no position on the Earth.
        if simulation.mission.phase != Phase::Startup {
            log.log(&position(simulation));
        }
    }
    if due(10) {
        log.log(&battery(simulation));
        log.log(&power(simulation));
        for (instance, imu) in (0..).zip(&simulation.imus) {
            log.log(&vibration(simulation.time_us, instance, imu));
        }
        log.log(&variances(simulation));
    }
    if due(5) {
        log.log(&gps(simulation));
    }
}

/// Whether a message with `rate` records a second is due. Rates divide that of the loop.
fn is_due(time_us: u64, rate: u64) -> bool {
    time_us.is_multiple_of(1_000_000 / rate)
}

/// Logs an event: a text for people and, for most events, a record for programs.
fn log_event(simulation: &Simulation, event: mission::Event, log: &(impl FlightSink + TimedSink)) {
    let time_us = simulation.time_us;
    if let mission::Event::Mode(mode) = event {
        let is_failsafe = simulation.mission.radio_lost && mode == mission::Mode::Rtl;
        log.mode(mode as u8, if is_failsafe { MODE_RADIO_LOST } else { MODE_COMMANDED });
        return;
    }
    log.text(event);
    let error = match event {
        mission::Event::RadioLost => Some(RADIO_FAILSAFE),
        mission::Event::CompassUnhealthy => Some(COMPASS_UNHEALTHY),
        mission::Event::LaneSwitch(core) => Some((EKF_PRIMARY, core)),
        _ => None,
    };
    if let Some((subsystem, code)) = error {
        log.log(&Err { time_us, subsystem, code });
    }
    let id = match event {
        mission::Event::HomeSet => EventId::SetHome,
        mission::Event::Armed => EventId::Armed,
        mission::Event::TakeOff => EventId::NotLanded,
        mission::Event::LandComplete => EventId::LandComplete,
        mission::Event::Disarmed => EventId::Disarmed,
        _ => return,
    };
    log.log(&Event { time_us, id });
    if matches!(id, EventId::Armed | EventId::Disarmed) {
        log.log(&arming(time_us, id == EventId::Armed));
    }
}

fn version(time_us: u64) -> Ver {
    Ver {
        time_us,
        board_type: 3, // SITL
        board_subtype: 0,
        major: 4,
        minor: 6,
        patch: 0,
        firmware_type: 255,
        git_hash: 0,
        firmware: const { Chars::literal(FIRMWARE) },
        board_id: 0,
        vehicle: VehicleType::COPTER,
        filter_version: 2, // as Copter 4.6 logs it
        iomcu_mcu_id: 0,
        iomcu_cpu_id: 0,
    }
}

fn arming(time_us: u64, armed: bool) -> Arm {
    Arm { time_us, arm_state: armed.into(), arm_checks: 1, forced: 0, method: 1 }
}

/// A heading of 0 to 360 degrees in hundredths, 0 to 35,999: one that rounds up to 360 degrees is 0.
fn heading(degrees: f64) -> Centi<u16> {
    let heading: Centi<u16> = Centi::from_f64(degrees);
    Centi::from_raw(heading.raw() % 36_000)
}

/// A heading of 0 to 360 degrees, below 360 in single precision, too.
fn heading_f32(degrees: f64) -> f32 {
    degrees as f32 % 360.0
}

fn attitude(simulation: &Simulation) -> Attitude {
    let control = &simulation.attitude;
    Attitude {
        time_us: simulation.time_us,
        des_roll: Centi::from_f64(control.target.roll),
        roll: Centi::from_f64(control.actual.roll),
        des_pitch: Centi::from_f64(control.target.pitch),
        pitch: Centi::from_f64(control.actual.pitch),
        des_yaw: heading(control.target.yaw),
        yaw: heading(control.actual.yaw),
        lean_error: Centi::from_f64(control.lean_error),
        yaw_error: Centi::from_f64(control.yaw_error),
        active_ekf: 3,
    }
}

fn rate_control(simulation: &Simulation) -> RateControl {
    let (attitude, position) = (&simulation.attitude, &simulation.position);
    let [des_roll, des_pitch, des_yaw] = attitude.rate_target();
    let [roll, pitch, yaw] = attitude.rates.rate;
    let [roll_output, pitch_output, yaw_output] = attitude.rates.output;
    RateControl {
        time_us: simulation.time_us,
        des_roll,
        roll,
        roll_output,
        des_pitch,
        pitch,
        pitch_output,
        des_yaw,
        yaw,
        yaw_output,
        des_acceleration: position.accel_target as f32,
        acceleration: position.accel as f32,
        throttle: position.throttle as f32,
    }
}

fn body_vector(vector: Vec3) -> BodyVector {
    BodyVector { x: vector.x as f32, y: vector.y as f32, z: vector.z as f32 }
}

fn inertial(time_us: u64, instance: u8, imu: &sensors::Imu) -> Imu {
    Imu {
        time_us,
        instance,
        gyro: body_vector(imu.gyro),
        acceleration: body_vector(imu.accel),
        gyro_errors: 0,
        accel_errors: 0,
        temperature: imu.temperature as f32,
        gyro_healthy: true,
        accel_healthy: true,
        gyro_rate: LOOP_RATE,
        accel_rate: LOOP_RATE,
    }
}

fn barometer(simulation: &Simulation) -> Barometer {
    let barometer = &simulation.barometer;
    Barometer {
        time_us: simulation.time_us,
        instance: 0,
        altitude: barometer.altitude as f32,
        altitude_amsl: (HOME_ALTITUDE + barometer.altitude) as f32,
        pressure: barometer.pressure as f32,
        temperature: Centi::from_f64(barometer.temperature),
        climb_rate: barometer.climb_rate as f32,
        sample_ms: (simulation.time_us / 1000) as u32,
        offset: 0.0,
        ground_temperature: AIR_TEMPERATURE as f32,
        healthy: true,
    }
}

fn compass(simulation: &Simulation) -> Compass {
    let milligauss = |field: Vec3| [field.x, field.y, field.z].map(|field| Milligauss(field.round() as i16));
    Compass {
        time_us: simulation.time_us,
        instance: 0,
        field: milligauss(simulation.compass.field),
        offsets: milligauss(simulation.compass.offsets),
        motors: [Milligauss(0); 3],
        healthy: true,
        sample_us: simulation.time_us as u32,
    }
}

fn gps(simulation: &Simulation) -> Gps {
    let gps = &simulation.gps;
    let Location { latitude, longitude, altitude } = gps.location;
    Gps {
        time_us: simulation.time_us,
        instance: 0,
        status: GpsStatus(gps.status),
        week_ms: gps.week_ms,
        week: gps.week,
        satellites: gps.satellites,
        hdop: Centi::from_f64(gps.hdop),
        latitude: Latitude::from_e7(latitude),
        longitude: Longitude::from_e7(longitude),
        altitude: Centi::from_f64(altitude),
        speed: gps.ground_speed as f32,
        course: heading_f32(gps.course),
        vertical_speed: gps.vertical_speed as f32,
        yaw: heading_f32(gps.yaw),
        used: 1,
    }
}

fn position(simulation: &Simulation) -> Position {
    let Location { latitude, longitude, altitude } = simulation.estimate.location();
    let above_home = simulation.estimate.altitude() as f32;
    Position {
        time_us: simulation.time_us,
        latitude: Latitude::from_e7(latitude),
        longitude: Longitude::from_e7(longitude),
        altitude: altitude as f32,
        rel_home_alt: above_home,
        rel_origin_alt: above_home,
    }
}

fn control_tuning(simulation: &Simulation) -> ControlTuning {
    let centi = |value: f64| 100.0 * value;
    let control = &simulation.position;
    let des_altitude = -control.target.z;
    ControlTuning {
        time_us: simulation.time_us,
        throttle_in: simulation.mission.throttle_stick() as f32,
        angle_boost: control.angle_boost as f32,
        throttle_out: control.throttle as f32,
        throttle_hover: control.hover_throttle as f32,
        des_altitude: des_altitude as f32,
        altitude: simulation.estimate.altitude() as f32,
        baro_altitude: centi(simulation.barometer.altitude) as f32,
        des_range: Centi::from_f64(des_altitude + RangeFinder::MOUNT),
        range: Centi::from_f64(simulation.range_finder.distance),
        // The terrain is flat.
        terrain_altitude: centi(simulation.estimate.altitude()) as f32,
        des_climb_rate: centi(control.climb_target).round() as i16,
        climb_rate: centi(simulation.estimate.climb_rate()).round() as i16,
    }
}

fn relative_altitude(simulation: &Simulation) -> RelativeAltitude {
    RelativeAltitude {
        time_us: simulation.time_us,
        altitude: (simulation.range_finder.distance - RangeFinder::MOUNT) as f32,
        vertical_speed: (1000.0 * simulation.estimate.climb_rate()).round() as i32,
    }
}

fn battery(simulation: &Simulation) -> Battery {
    let battery = &simulation.battery;
    Battery {
        time_us: simulation.time_us,
        instance: 0,
        voltage: battery.voltage as f32,
        resting_voltage: (battery.voltage + battery.current * battery.resistance) as f32,
        current: battery.current as f32,
        charge: battery.consumed_mah as f32,
        energy: battery.consumed_wh as f32,
        temperature: Centi::from_f64(battery.temperature),
        resistance: battery.resistance as f32,
        remaining: battery.remaining().round() as u8,
    }
}

fn rc_output(simulation: &Simulation) -> RcOutput {
    RcOutput { time_us: simulation.time_us, outputs: simulation.motors.pwm.map(PulseWidth) }
}

fn estimated_state(simulation: &Simulation) -> EstimatedState {
    let estimate = &simulation.estimate;
    let attitude = estimate.attitude.euler();
    let bias = simulation.imus[0].gyro_bias().map(f64::to_degrees);
    EstimatedState {
        time_us: simulation.time_us,
        core: 0,
        roll: Centi::from_f64(attitude.roll),
        pitch: Centi::from_f64(attitude.pitch),
        yaw: heading(attitude.yaw),
        velocity_north: estimate.velocity.x as f32,
        velocity_east: estimate.velocity.y as f32,
        velocity_down: estimate.velocity.z as f32,
        position_down_rate: estimate.velocity.z as f32,
        position_north: estimate.position.x as f32,
        position_east: estimate.position.y as f32,
        position_down: estimate.position.z as f32,
        gyro_bias_x: Centi::from_f64(bias.x),
        gyro_bias_y: Centi::from_f64(bias.y),
        gyro_bias_z: Centi::from_f64(bias.z),
        origin_height: Centi::from_f64(HOME_ALTITUDE),
    }
}

fn estimated_attitude(simulation: &Simulation) -> EstimatedAttitude {
    let [q1, q2, q3, q4] = simulation.estimate.attitude.components().map(|component| component as f32);
    EstimatedAttitude { time_us: simulation.time_us, core: 0, q1, q2, q3, q4 }
}

fn power(simulation: &Simulation) -> Power {
    Power {
        time_us: simulation.time_us,
        // The regulator gives way a little as the battery does.
        board_voltage: (5.2 - 0.01 * simulation.battery.current) as f32,
        servo_voltage: 0.0,
        flags: POWER_VALID,
        all_flags: POWER_VALID,
        safety: 0,
        processor_temperature: simulation.imus[0].temperature as f32,
        processor_voltage: 3.3,
        least_processor_voltage: 3.3,
        greatest_processor_voltage: 3.3,
    }
}

fn vibration(time_us: u64, instance: u8, imu: &sensors::Imu) -> Vibration {
    let Vec3 { x, y, z } = imu.vibration.level();
    let (vibe_x, vibe_y, vibe_z) = (x as f32, y as f32, z as f32);
    Vibration { time_us, instance, vibe_x, vibe_y, vibe_z, clipped: imu.vibration.clipped }
}

/// Attitude, velocity and position are good: EKF3's `nav_filter_status`.
const SOLUTION: u32 = 831;

fn variances(simulation: &Simulation) -> Variances {
    let innovations = &simulation.innovations;
    Variances {
        time_us: simulation.time_us,
        core: 0,
        velocity: Centi::from_f64(innovations.velocity),
        position: Centi::from_f64(innovations.position),
        height: Centi::from_f64(innovations.height),
        field: Centi::from_f64(innovations.field),
        airspeed: Centi::from_f64(0.0),
        tilt_error: 0.0,
        reset_north: 0.0,
        reset_east: 0.0,
        faults: 0,
        timeouts: 0,
        solution: SOLUTION,
        gps: 0,
        primary: simulation.core as i8,
    }
}
