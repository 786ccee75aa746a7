//! The inner loops: from an attitude to motor commands.

use super::estimate::Estimate;
use super::math::{Euler, Quat, Vec3, wrap_180, wrap_360};
use super::mission::Spool;
use super::motors::{mix, pulse_width};
use super::params::*;
use super::rate::{Gains, RateController};
use super::sensors::Imu;

/// Largest roll and pitch rate asked for, rad/s.
const MAX_RATE: f64 = 3.5;

/// Angle P, then the controller of the rates.
#[derive(Clone, Debug)]
pub struct AttitudeControl {
    /// Attitude asked for, its heading slewed.
    pub target: Euler,
    /// Attitude estimated.
    pub actual: Euler,
    /// Error of roll and pitch together, degrees.
    pub lean_error: f64,
    /// Error of yaw, degrees.
    pub yaw_error: f64,
    /// Rates asked for, FRD, rad/s.
    rate_target: Vec3,
    /// The controller of the rates.
    pub rates: RateController,
    dt: f64,
}

impl AttitudeControl {
    /// A controller stepped every `dt` seconds.
    pub fn new(dt: f64) -> Self {
        Self {
            target: Euler::default(),
            actual: Euler::default(),
            lean_error: 0.0,
            yaw_error: 0.0,
            rate_target: Vec3::ZERO,
            rates: RateController::new(&Gains::default(), dt),
            dt,
        }
    }

    /// The proportional, integral and derivative parts of the torques about the body axes.
    pub fn terms(&self) -> [Vec3; 3] {
        let [x, y, z] = self.rates.terms();
        [0, 1, 2].map(|term| Vec3::new(x[term], y[term], z[term]))
    }

    /// The rates asked for, FRD, deg/s: what the controller of the rates is given.
    pub fn rate_target(&self) -> [f32; 3] {
        let Vec3 { x, y, z } = self.rate_target;
        [x, y, z].map(|rate| rate.to_degrees() as f32)
    }

    /// One step towards the attitude `target`; returns the pulse widths of the motors, us.
    pub fn update(&mut self, spool: Spool, target: Euler, throttle: f64, estimate: &Estimate, imu: &Imu) -> [u16; 4] {
        self.actual = estimate.attitude.euler();
        let is_flying = spool == Spool::Flying;
        match is_flying {
            true => {
                self.slew(target);
                self.follow(estimate);
            }
            false => self.rest(),
        }
        let gyro = [imu.gyro.x, imu.gyro.y, imu.gyro.z].map(|rate| rate as f32);
        self.rates.update(self.rate_target(), gyro, is_flying);
        match spool {
            Spool::Flying => {
                let [roll, pitch, yaw] = self.rates.output.map(f64::from);
                mix(throttle, Vec3::new(roll, pitch, yaw))
            }
            Spool::Idle => [pulse_width(MOT_SPIN_ARM); 4],
            Spool::Off => [pulse_width(0.0); 4],
        }
    }

    /// Asks for nothing while the vehicle stands on the ground.
    fn rest(&mut self) {
        self.target = Euler { yaw: self.actual.yaw, ..Euler::default() };
        self.lean_error = 0.0;
        self.yaw_error = 0.0;
        self.rate_target = Vec3::ZERO;
    }

    /// Turns the heading asked for no faster than the vehicle can follow.
    fn slew(&mut self, target: Euler) {
        let limit = ATC_SLEW_YAW / 100.0 * self.dt;
        let turn = wrap_180(target.yaw - self.target.yaw).clamp(-limit, limit);
        self.target = Euler { yaw: wrap_360(self.target.yaw + turn), ..target };
    }

    /// Finds the rates that turn the vehicle to the target.
    fn follow(&mut self, estimate: &Estimate) {
        // As a rotation in the body frame, the error is already the axis to turn about.
        let error = (estimate.attitude.inverse() * Quat::from_euler(self.target)).rotation_vector();
        self.lean_error = error.x.hypot(error.y).to_degrees();
        self.yaw_error = error.z.abs().to_degrees();

        let max_yaw_rate = (1.5 * ATC_SLEW_YAW / 100.0).to_radians();
        self.rate_target = Vec3::new(
            (ATC_ANG_RLL_P * error.x).clamp(-MAX_RATE, MAX_RATE),
            (ATC_ANG_RLL_P * error.y).clamp(-MAX_RATE, MAX_RATE),
            (ATC_ANG_YAW_P * error.z).clamp(-max_yaw_rate, max_yaw_rate),
        );
    }
}
