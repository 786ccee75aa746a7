//! The outer loops: from a place to fly to, to lean angles and a throttle.

use super::estimate::Estimate;
use super::math::{Euler, Vec3, wrap_360};
use super::mission::{Setpoint, Spool};
use super::params::*;
use super::pid::{LowPass, Pid};
use super::sensors::Imu;
use super::vehicle::GRAVITY;

/// Centimetres in a metre: ArduCopter's parameters and its throttle loop count in centimetres.
const CM: f64 = 100.0;
/// Largest vertical acceleration asked for, m/s^2.
const MAX_CLIMB_ACCEL: f64 = 4.0;
/// Largest wind correction of the velocity loop, m/s^2.
const MAX_WIND_ACCEL: f64 = 3.0;
/// Time constant with which the hover throttle is learned, s.
const HOVER_LEARNING: f64 = 10.0;

/// Altitude P, climb rate P, acceleration PI; horizontally position P, velocity PI.
#[derive(Clone, Debug)]
pub struct PositionControl {
    /// Where the vehicle should be by now on its way to the setpoint, NED, m.
    pub target: Vec3,
    /// Climb rate asked for, m/s.
    pub climb_target: f64,
    /// Vertical acceleration asked for, positive up, m/s^2.
    pub accel_target: f64,
    /// Vertical acceleration measured, positive up, m/s^2.
    pub accel: f64,
    /// Output of the vertical acceleration loop: throttle over the hover throttle.
    pub accel_output: f64,
    /// Throttle added because a leaning vehicle lifts less.
    pub angle_boost: f64,
    /// Throttle that goes to the mixer, 0 to 1.
    pub throttle: f64,
    /// Throttle learned to hold the altitude.
    pub hover_throttle: f64,
    /// Lean angles asked for, and the heading.
    pub attitude_target: Euler,
    velocity: Vec3,
    north: Pid,
    east: Pid,
    climb: Pid,
    accel_filter: LowPass,
    roll: LowPass,
    pitch: LowPass,
    spool: f64,
    dt: f64,
}

impl PositionControl {
    /// A controller stepped every `dt` seconds.
    pub fn new(dt: f64) -> Self {
        let horizontal = Pid::new(PSC_VELXY_P, PSC_VELXY_I, MAX_WIND_ACCEL, dt);
        let lean = LowPass::with_time_constant(ATC_INPUT_TC, dt);
        let per_mille = CM / 1000.0;
        Self {
            target: Vec3::ZERO,
            climb_target: 0.0,
            accel_target: 0.0,
            accel: 0.0,
            accel_output: 0.0,
            angle_boost: 0.0,
            throttle: 0.0,
            hover_throttle: MOT_THST_HOVER,
            attitude_target: Euler::default(),
            velocity: Vec3::ZERO,
            north: horizontal.clone(),
            east: horizontal,
            climb: Pid::new(PSC_ACCZ_P * per_mille, PSC_ACCZ_I * per_mille, 0.5, dt),
            accel_filter: LowPass::new(INS_ACCEL_FILTER, dt),
            roll: lean.clone(),
            pitch: lean,
            spool: 0.0,
            dt,
        }
    }

    /// One step towards `setpoint`.
    pub fn update(&mut self, setpoint: &Setpoint, estimate: &Estimate, imu: &Imu) {
        let force = estimate.attitude.rotate(imu.accel);
        self.accel = self.accel_filter.apply(-force.z - GRAVITY);
        if setpoint.spool == Spool::Flying {
            self.spool = (self.spool + self.dt / MOT_SPOOL_TIME).min(1.0);
            // A target that moved before the vehicle can would have to be chased afterwards.
            let feedforward = if self.spool < 1.0 { Vec3::ZERO } else { self.advance_target(setpoint) };
            self.lean(estimate, feedforward, setpoint.yaw);
            self.lift(estimate, feedforward);
        } else {
            self.rest(estimate);
        }
    }

    /// Keeps everything ready on the ground, so that the next take-off begins from here.
    fn rest(&mut self, estimate: &Estimate) {
        self.spool = 0.0;
        self.target = estimate.position;
        self.velocity = Vec3::ZERO;
        self.climb_target = 0.0;
        self.accel_target = 0.0;
        self.accel_output = 0.0;
        self.angle_boost = 0.0;
        self.throttle = 0.0;
        for pid in [&mut self.north, &mut self.east, &mut self.climb] {
            pid.reset();
        }
        self.roll.value = 0.0;
        self.pitch.value = 0.0;
        self.attitude_target = Euler { yaw: estimate.attitude.euler().yaw, ..Euler::default() };
    }

    /// Moves the target along a path the vehicle can follow, and returns its acceleration, NED.
    fn advance_target(&mut self, setpoint: &Setpoint) -> Vec3 {
        let to_go = setpoint.position - self.target;

        let accel = WPNAV_ACCEL / CM;
        let distance = to_go.horizontal().length();
        let speed = approach_speed(distance, accel).min(WPNAV_SPEED / CM);
        let wanted = to_go.horizontal() * (speed / distance.max(1e-6));
        let change = (wanted - self.velocity.horizontal()).limit(accel * self.dt);

        let accel = WPNAV_ACCEL_Z / CM;
        let speed = approach_speed(to_go.z.abs(), accel).copysign(to_go.z);
        let wanted = speed.clamp(-WPNAV_SPEED_UP / CM, setpoint.descent_speed);
        let limit = accel * self.dt;
        let climb_change = (wanted - self.velocity.z).clamp(-limit, limit);

        let change = change + Vec3::new(0.0, 0.0, climb_change);
        self.velocity += change;
        self.target += self.velocity * self.dt;
        change * (1.0 / self.dt)
    }

    /// Finds the lean angles that follow the target.
    fn lean(&mut self, estimate: &Estimate, feedforward: Vec3, yaw: f64) {
        let error = self.target - estimate.position;
        let error = self.velocity + error * PSC_POSXY_P - estimate.velocity;
        let steepest = GRAVITY * (ANGLE_MAX / 100.0).to_radians().tan();
        let accel = Vec3::new(self.north.update(error.x), self.east.update(error.y), 0.0) + feedforward.horizontal();
        let accel = accel.limit(steepest);

        let (sin, cos) = estimate.attitude.euler().yaw.to_radians().sin_cos();
        let forward = accel.x * cos + accel.y * sin;
        let right = accel.y * cos - accel.x * sin;
        let pitch = -(forward / GRAVITY).atan();
        let roll = (right * pitch.cos() / GRAVITY).atan();
        self.attitude_target = Euler {
            roll: self.roll.apply(roll.to_degrees()),
            pitch: self.pitch.apply(pitch.to_degrees()),
            yaw: wrap_360(yaw),
        };
    }

    /// Finds the throttle that follows the target.
    fn lift(&mut self, estimate: &Estimate, feedforward: Vec3) {
        let altitude_error = estimate.position.z - self.target.z;
        self.climb_target = PSC_POSZ_P * altitude_error - self.velocity.z;
        let climb_error = self.climb_target - estimate.climb_rate();
        self.accel_target = (PSC_VELZ_P * climb_error - feedforward.z).clamp(-MAX_CLIMB_ACCEL, MAX_CLIMB_ACCEL);
        self.accel_output = self.climb.update(self.accel_target - self.accel);

        let level = (self.hover_throttle + self.accel_output).clamp(0.0, 1.0) * self.spool;
        let upright = estimate.attitude.rotate(Vec3::new(0.0, 0.0, 1.0)).z;
        self.throttle = (level / upright.max(0.5)).min(1.0);
        self.angle_boost = self.throttle - level;

        // Only steady flight tells what it takes to hover.
        let steady = self.accel_target.abs() < 1.0 && self.climb_target.abs() < 0.3;
        if steady && estimate.altitude() > 1.0 {
            self.hover_throttle += (level - self.hover_throttle) * self.dt / HOVER_LEARNING;
        }
    }
}

/// The speed at which to be `distance` from the goal, to stop there with half of `accel`: the other half is left for
/// what goes wrong.
fn approach_speed(distance: f64, accel: f64) -> f64 {
    (accel * distance).sqrt().min(distance)
}
