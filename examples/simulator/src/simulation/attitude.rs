//! The inner loops: from an attitude to motor commands.

use super::estimate::Estimate;
use super::math::{Euler, Quat, Vec3, wrap_180, wrap_360};
use super::mission::Spool;
use super::motors::{mix, pulse_width};
use super::params::*;
use super::pid::{LowPass, Pid};
use super::sensors::Imu;

/// Largest roll and pitch rate asked for, rad/s.
const MAX_RATE: f64 = 3.5;

/// Angle P, then a PID on the rate of every axis.
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
    pub rate_target: Vec3,
    /// Rates measured and filtered, FRD, rad/s.
    pub rate: Vec3,
    /// Torques asked of the mixer about the body axes, -1 to 1.
    pub rate_output: Vec3,
    gyro_filter: [LowPass; 3],
    pids: [Pid; 3],
    dt: f64,
}

impl AttitudeControl {
    /// A controller stepped every `dt` seconds.
    pub fn new(dt: f64) -> Self {
        let lean = Pid::new(ATC_RAT_RLL_P, ATC_RAT_RLL_I, ATC_RAT_RLL_IMAX, dt)
            .with_derivative(ATC_RAT_RLL_D, ATC_RAT_RLL_FLTD);
        let yaw = Pid::new(ATC_RAT_YAW_P, ATC_RAT_YAW_I, ATC_RAT_YAW_IMAX, dt);
        let filter = LowPass::new(INS_GYRO_FILTER, dt);
        Self {
            target: Euler::default(),
            actual: Euler::default(),
            lean_error: 0.0,
            yaw_error: 0.0,
            rate_target: Vec3::ZERO,
            rate: Vec3::ZERO,
            rate_output: Vec3::ZERO,
            gyro_filter: [filter.clone(), filter.clone(), filter],
            pids: [lean.clone(), lean, yaw],
            dt,
        }
    }

    /// The proportional, integral and derivative parts of the torques about the body axes.
    pub fn terms(&self) -> [Vec3; 3] {
        let [x, y, z] = [0, 1, 2].map(|axis| self.pids[axis].terms());
        [0, 1, 2].map(|term| Vec3::new(x[term], y[term], z[term]))
    }

    /// One step towards the attitude `target`; returns the pulse widths of the motors, us.
    pub fn update(&mut self, spool: Spool, target: Euler, throttle: f64, estimate: &Estimate, imu: &Imu) -> [u16; 4] {
        let [x, y, z] = &mut self.gyro_filter;
        self.rate = Vec3::new(x.apply(imu.gyro.x), y.apply(imu.gyro.y), z.apply(imu.gyro.z));
        self.actual = estimate.attitude.euler();
        match spool {
            Spool::Flying => {
                self.slew(target);
                self.follow(estimate);
                mix(throttle, self.rate_output)
            }
            Spool::Idle => {
                self.rest();
                [pulse_width(MOT_SPIN_ARM); 4]
            }
            Spool::Off => {
                self.rest();
                [pulse_width(0.0); 4]
            }
        }
    }

    /// Asks for nothing while the vehicle stands on the ground.
    fn rest(&mut self) {
        self.target = Euler { yaw: self.actual.yaw, ..Euler::default() };
        self.lean_error = 0.0;
        self.yaw_error = 0.0;
        self.rate_target = Vec3::ZERO;
        self.rate_output = Vec3::ZERO;
        self.pids.iter_mut().for_each(Pid::reset);
    }

    /// Turns the heading asked for no faster than the vehicle can follow.
    fn slew(&mut self, target: Euler) {
        let limit = ATC_SLEW_YAW / 100.0 * self.dt;
        let turn = wrap_180(target.yaw - self.target.yaw).clamp(-limit, limit);
        self.target = Euler { yaw: wrap_360(self.target.yaw + turn), ..target };
    }

    /// Finds the torques that turn the vehicle to the target.
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
        let error = self.rate_target - self.rate;
        let [roll, pitch, yaw] = &mut self.pids;
        self.rate_output = Vec3::new(roll.update(error.x), pitch.update(error.y), yaw.update(error.z))
            .map(|torque| torque.clamp(-1.0, 1.0));
    }
}
