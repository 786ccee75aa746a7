//! The innermost loop: from the rates asked for and the gyroscope to torques.
//!
//! Inputs, parameters and outputs have the types and units in which they are logged. So a replay of the log feeds the
//! controller with the same bits as the flight, and gets the same ones back.

use super::params::*;
use super::pid::{LowPass, Pid};

/// The parameters of the rate controller, as the log has them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gains {
    lean_p: f32,
    lean_i: f32,
    lean_d: f32,
    lean_derivative_filter: f32,
    lean_integral_max: f32,
    yaw_p: f32,
    yaw_i: f32,
    yaw_integral_max: f32,
    gyro_filter: f32,
}

impl Default for Gains {
    /// Those that this vehicle flies with.
    fn default() -> Self {
        Gains {
            lean_p: ATC_RAT_RLL_P as f32,
            lean_i: ATC_RAT_RLL_I as f32,
            lean_d: ATC_RAT_RLL_D as f32,
            lean_derivative_filter: ATC_RAT_RLL_FLTD as f32,
            lean_integral_max: ATC_RAT_RLL_IMAX as f32,
            yaw_p: ATC_RAT_YAW_P as f32,
            yaw_i: ATC_RAT_YAW_I as f32,
            yaw_integral_max: ATC_RAT_YAW_IMAX as f32,
            gyro_filter: INS_GYRO_FILTER as f32,
        }
    }
}

impl Gains {
    /// The names of the parameters.
    pub const NAMES: [&'static str; 9] = [
        "ATC_RAT_RLL_P",
        "ATC_RAT_RLL_I",
        "ATC_RAT_RLL_D",
        "ATC_RAT_RLL_FLTD",
        "ATC_RAT_RLL_IMAX",
        "ATC_RAT_YAW_P",
        "ATC_RAT_YAW_I",
        "ATC_RAT_YAW_IMAX",
        "INS_GYRO_FILTER",
    ];

    /// Sets the parameter with this name. Others are left to other controllers.
    pub fn set(&mut self, name: &str, value: f32) {
        let gain = match name {
            "ATC_RAT_RLL_P" => &mut self.lean_p,
            "ATC_RAT_RLL_I" => &mut self.lean_i,
            "ATC_RAT_RLL_D" => &mut self.lean_d,
            "ATC_RAT_RLL_FLTD" => &mut self.lean_derivative_filter,
            "ATC_RAT_RLL_IMAX" => &mut self.lean_integral_max,
            "ATC_RAT_YAW_P" => &mut self.yaw_p,
            "ATC_RAT_YAW_I" => &mut self.yaw_i,
            "ATC_RAT_YAW_IMAX" => &mut self.yaw_integral_max,
            "INS_GYRO_FILTER" => &mut self.gyro_filter,
            _ => return,
        };
        *gain = value;
    }
}

/// A PID on the rate of every axis: roll, pitch, yaw.
#[derive(Clone, Debug)]
pub struct RateController {
    /// Rates measured and filtered, deg/s.
    pub rate: [f32; 3],
    /// Torques asked of the mixer, -1 to 1.
    pub output: [f32; 3],
    gyro_filter: [LowPass; 3],
    pids: [Pid; 3],
}

impl RateController {
    /// A controller stepped every `dt` seconds.
    pub fn new(gains: &Gains, dt: f64) -> Self {
        let [p, i, d] = [gains.lean_p, gains.lean_i, gains.lean_d].map(f64::from);
        let lean =
            Pid::new(p, i, gains.lean_integral_max.into(), dt).with_derivative(d, gains.lean_derivative_filter.into());
        let yaw = Pid::new(gains.yaw_p.into(), gains.yaw_i.into(), gains.yaw_integral_max.into(), dt);
        let filter = LowPass::new(gains.gyro_filter.into(), dt);
        RateController {
            rate: [0.0; 3],
            output: [0.0; 3],
            gyro_filter: [filter.clone(), filter.clone(), filter],
            pids: [lean.clone(), lean, yaw],
        }
    }

    /// One step. `target` has the rates asked for in deg/s, `gyro` those of the gyroscope in rad/s. On the ground, the
    /// controller asks for nothing and forgets the past.
    pub fn update(&mut self, target: [f32; 3], gyro: [f32; 3], is_flying: bool) {
        for axis in 0..3 {
            let rate = self.gyro_filter[axis].apply(gyro[axis].into());
            self.rate[axis] = rate.to_degrees() as f32;
            let pid = &mut self.pids[axis];
            self.output[axis] = if is_flying {
                pid.update(f64::from(target[axis]).to_radians() - rate).clamp(-1.0, 1.0) as f32
            } else {
                pid.reset();
                0.0
            };
        }
    }

    /// The proportional, integral and derivative parts of each torque.
    pub fn terms(&self) -> [[f64; 3]; 3] {
        [0, 1, 2].map(|axis| self.pids[axis].terms())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_sets_a_parameter_of_its_own() {
        let mut all = Vec::new();
        for name in Gains::NAMES {
            let mut gains = Gains::default();
            gains.set(name, 123.0);
            assert_ne!(gains, Gains::default(), "{name}");
            assert!(!all.contains(&gains), "{name}");
            all.push(gains);
            assert!(PARAMS.iter().any(|param| param.name == name), "{name}");
        }
    }
}
