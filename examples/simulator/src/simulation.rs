//! The whole simulation: air, vehicle, sensors, mission and controllers, one step at a time.

pub mod attitude;
pub mod battery;
pub mod estimate;
pub mod fault;
pub mod innovations;
pub mod location;
pub mod math;
pub mod mission;
pub mod motors;
pub mod noise;
pub mod params;
pub mod pid;
pub mod position;
pub mod rate;
pub mod sensors;
pub mod vehicle;
pub mod wind;

use attitude::AttitudeControl;
use battery::Battery;
use estimate::Estimate;
use fault::Fault;
use innovations::Innovations;
use math::Vec3;
use mission::{Event, Mission};
use motors::Motors;
use noise::Noise;
use position::PositionControl;
use sensors::{Barometer, Compass, Gps, Imu, RangeFinder};
use vehicle::Vehicle;
use wind::Wind;

/// Steps a second, Hz: the control loop's rate.
pub const LOOP_RATE: u16 = 400;
/// Duration of a step, us.
pub const STEP_US: u64 = 1_000_000 / LOOP_RATE as u64;
/// Duration of a step, s.
pub const DT: f64 = STEP_US as f64 * 1e-6;
/// Steps from one sample of the barometer, compass or rangefinder to the next: 50 Hz.
const SLOW_STEPS: u64 = 8;
/// Steps from one sample of the GPS to the next: 5 Hz.
const GPS_STEPS: u64 = 80;

/// How long a motor is out of synchronisation, s.
const DESYNC: f64 = 0.2;
/// Frequency of the vibration that the gyroscopes feel, Hz.
const GYRO_SHAKE: f64 = 150.0;

/// A flight in progress. All of its state can be read between steps.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Time since the start, us.
    pub time_us: u64,
    /// What happened in the last step.
    pub events: Vec<Event>,
    /// The air.
    pub wind: Wind,
    /// The true motion.
    pub vehicle: Vehicle,
    /// The motors.
    pub motors: Motors,
    /// The battery.
    pub battery: Battery,
    /// Two inertial sensors; the controllers use the first.
    pub imus: [Imu; 2],
    /// The barometer, 50 Hz.
    pub barometer: Barometer,
    /// The compass, 50 Hz.
    pub compass: Compass,
    /// The rangefinder, 50 Hz.
    pub range_finder: RangeFinder,
    /// The satellite receiver, 5 Hz.
    pub gps: Gps,
    /// The estimated motion.
    pub estimate: Estimate,
    /// How far the measurements are from the estimate.
    pub innovations: Innovations,
    /// The estimator's core in use.
    pub core: u8,
    /// The flight plan.
    pub mission: Mission,
    /// The outer control loops.
    pub position: PositionControl,
    /// The inner control loops.
    pub attitude: AttitudeControl,
    /// What goes wrong.
    pub fault: Option<Fault>,
    end_us: u64,
}

impl Simulation {
    /// A flight of `seconds` seconds. The same arguments give the same flight, bit for bit.
    pub fn new(seed: u64, seconds: u32) -> Self {
        let mut noise = Noise::new(seed);
        let vehicle = Vehicle::default();
        Self {
            time_us: 0,
            events: Vec::new(),
            wind: Wind::new(noise.fork(), DT),
            motors: Motors::default(),
            battery: Battery::default(),
            imus: [Imu::new(noise.fork(), DT), Imu::new(noise.fork(), DT)],
            barometer: Barometer::new(noise.fork(), DT * SLOW_STEPS as f64),
            compass: Compass::new(noise.fork()),
            range_finder: RangeFinder::new(noise.fork()),
            gps: Gps::new(noise.fork(), DT * GPS_STEPS as f64),
            estimate: Estimate::new(noise.fork(), &vehicle, DT),
            innovations: Innovations::default(),
            core: 0,
            mission: Mission::new(f64::from(seconds), DT),
            position: PositionControl::new(DT),
            attitude: AttitudeControl::new(DT),
            vehicle,
            fault: None,
            end_us: u64::from(seconds) * 1_000_000,
        }
    }

    /// The flight with a fault.
    pub fn with_fault(mut self, fault: Fault) -> Self {
        match fault {
            Fault::MotorBalance => self.motors.efficiency[0] = 0.6,
            Fault::MotorSaturation => self.motors.efficiency = [0.56; 4],
            _ => {}
        }
        self.battery = self.battery.with_fault(fault);
        self.fault = Some(fault);
        self
    }

    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        self.time_us >= self.end_us
    }

    /// Moves on by [`STEP_US`].
    pub fn step(&mut self) {
        self.time_us += STEP_US;
        self.events.clear();
        self.go_wrong();
        self.move_vehicle();
        self.sample_sensors();
        self.control();
    }

    fn time(&self) -> f64 {
        self.time_us as f64 * 1e-6
    }

    /// Whether a fault is there, if it passes after `seconds`.
    fn has(&self, fault: Fault, seconds: f64) -> bool {
        self.fault == Some(fault) && fault.is_during(self.time(), seconds)
    }

    /// What happens once, and what comes from outside.
    fn go_wrong(&mut self) {
        let has_begun = self.fault.is_some_and(|fault| fault.is_during(self.time(), DT));
        match self.fault.filter(|_| has_begun) {
            Some(Fault::EkfLane) => {
                self.core = 1;
                self.events.push(Event::LaneSwitch(self.core));
            }
            Some(Fault::Failsafe) => {
                self.mission.radio_lost = true;
                self.events.push(Event::RadioLost);
            }
            Some(Fault::Desync) => self.motors.efficiency[0] = 0.0,
            Some(Fault::Error) => self.events.push(Event::CompassUnhealthy),
            _ => {}
        }
        if self.fault == Some(Fault::Desync) && !self.has(Fault::Desync, DESYNC) {
            self.motors.efficiency[0] = 1.0;
        }
        self.vehicle.push.x = if self.has(Fault::TrackingError, 1.5) { 1.4 } else { 0.0 };
    }

    /// What a fault adds to the accelerations, FRD, m/s^2.
    fn shake(&self, throttle: f64) -> Vec3 {
        let phase = |frequency: f64| std::f64::consts::TAU * frequency * self.time();
        match self.fault {
            Some(Fault::Vibration) => {
                Vec3::new(phase(113.0).sin(), phase(97.0).cos(), 0.1 * phase(131.0).sin()) * (110.0 * throttle)
            }
            Some(Fault::Clipping) if throttle > 0.2 && (self.time_us / STEP_US).is_multiple_of(80) => {
                Vec3::new(170.0, 0.0, 0.0)
            }
            _ => Vec3::ZERO,
        }
    }

    /// What the propellers shake the gyroscopes with, before and after the filters, deg/s.
    pub fn gyro_shake(&self) -> [f64; 2] {
        let (amplitude, left) = match self.fault {
            Some(Fault::GyroNoise) => (300.0, 0.35),
            Some(Fault::GyroFilters) => (100.0, 1.0),
            _ => (5.0, 0.0),
        };
        let throttle = self.motors.speed.iter().sum::<f64>() / 4.0;
        let shake = amplitude * (throttle / 0.4).min(1.0) * (std::f64::consts::TAU * GYRO_SHAKE * self.time()).sin();
        [shake, left * shake]
    }

    fn move_vehicle(&mut self) {
        let gusting = self.wind.gusting;
        self.wind.step(self.time(), self.vehicle.height());
        match (gusting, self.wind.gusting) {
            (false, true) => self.events.push(Event::GustBegin),
            (true, false) => self.events.push(Event::GustEnd),
            _ => {}
        }
        self.motors.step(self.battery.voltage, DT);
        self.battery.step(self.motors.power(), DT);
        self.vehicle.step(&self.motors, self.wind.velocity, DT);
    }

    fn sample_sensors(&mut self) {
        let throttle = self.motors.speed.iter().sum::<f64>() / 4.0;
        let shake = self.shake(throttle);
        for imu in &mut self.imus {
            imu.sample(&self.vehicle, throttle, shake, DT);
        }
        let step = self.time_us / STEP_US;
        if step.is_multiple_of(SLOW_STEPS) {
            let wind = if self.has(Fault::EkfInnovation, 8.0) { 14.0 } else { 0.0 };
            self.barometer.sample(&self.vehicle, wind, DT * SLOW_STEPS as f64);
            let wires = if self.fault == Some(Fault::CompassThrottle) { 520.0 * throttle } else { 0.0 };
            self.compass.sample(&self.vehicle, Vec3::new(0.0, 0.0, wires));
            self.range_finder.sample(&self.vehicle);
        }
        if step.is_multiple_of(GPS_STEPS) {
            self.gps.sample(&self.vehicle, self.fault, self.time());
        }
        self.estimate.update(&self.vehicle);
        if step.is_multiple_of(SLOW_STEPS) {
            self.innovations.take_barometer(&self.barometer, &self.estimate);
            self.innovations.take_compass(&self.compass, &self.estimate);
        }
        if step.is_multiple_of(GPS_STEPS) {
            self.innovations.take_gps(&self.gps, &self.estimate);
        }
    }

    fn control(&mut self) {
        let time = self.time();
        self.mission.update(time, self.gps.has_fix(), &self.estimate, self.position.throttle, &mut self.events);
        let setpoint = &self.mission.setpoint;
        let imu = &self.imus[0];
        self.position.update(setpoint, &self.estimate, imu);
        self.motors.pwm = self.attitude.update(
            setpoint.spool,
            self.position.attitude_target,
            self.position.throttle,
            &self.estimate,
            imu,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::mission::Phase;
    use super::*;

    /// The course of a flight.
    struct Flight {
        last: Simulation,
        events: Vec<Event>,
        highest: f64,
        max_tilt: f64,
        touchdown_speed: f64,
    }

    fn fly(seed: u64, seconds: u32) -> Flight {
        let mut sim = Simulation::new(seed, seconds);
        let mut events = Vec::new();
        let (mut highest, mut max_tilt) = (0.0_f64, 0.0_f64);
        let mut touchdown_speed = 0.0_f64;
        let mut speed = 0.0;
        while !sim.is_over() {
            sim.step();
            events.extend(&sim.events);
            highest = highest.max(sim.vehicle.height());
            max_tilt = max_tilt.max(sim.vehicle.tilt());
            if sim.mission.phase == Phase::Land && sim.vehicle.height() <= 0.0 {
                touchdown_speed = touchdown_speed.max(speed);
            }
            speed = sim.vehicle.velocity.z;
            assert!(sim.vehicle.position.length().is_finite());
            assert!(sim.vehicle.rates.length().is_finite());
            assert!(sim.battery.voltage.is_finite());
        }
        Flight { last: sim, events, highest, max_tilt, touchdown_speed }
    }

    #[test]
    fn a_flight_of_any_length_comes_home() {
        for (seed, seconds) in [(1, 20), (2, 30), (3, 60), (4, 90), (5, 200), (6, 3600)] {
            let flight = fly(seed, seconds);
            let home = flight.last.vehicle.position.horizontal().length();
            println!(
                "{seconds} s: highest {:.2} m, tilt {:.1} deg, touchdown {:.2} m/s, {home:.2} m from home",
                flight.highest, flight.max_tilt, flight.touchdown_speed
            );
            assert_eq!(flight.last.mission.phase, Phase::Done);
            assert!(home < 1.0, "{home} m from home after {seconds} s");
            assert!(flight.max_tilt < 35.0);
            assert!(flight.touchdown_speed < 0.8);
            assert!(flight.last.vehicle.tilt() < 1.0);
            assert_eq!(flight.last.motors.pwm, [1000; 4]);
        }
    }

    #[test]
    fn a_minute_is_enough_for_the_whole_mission() {
        let flight = fly(7, 60);
        assert!((9.5..11.0).contains(&flight.highest));
        let expected = [
            Event::HomeSet,
            Event::Armed,
            Event::TakeOff,
            Event::Corner(1),
            Event::Corner(2),
            Event::Corner(3),
            Event::Corner(4),
            Event::LandComplete,
            Event::Disarmed,
        ];
        let mut events = flight.events.iter();
        for event in expected {
            assert!(events.any(|seen| *seen == event), "no {event:?} in its turn");
        }
        assert!(flight.events.contains(&Event::GustBegin));
        assert!(flight.events.contains(&Event::GustEnd));
    }

    #[test]
    fn a_very_short_flight_is_cut_off() {
        for seconds in 1..20 {
            assert!(fly(1, seconds).max_tilt < 35.0);
        }
    }

    #[test]
    fn the_seed_decides_every_bit() {
        let state = |seed| format!("{:?}", fly(seed, 25).last);
        assert_eq!(state(11), state(11));
        assert_ne!(state(11), state(12));
    }
}
