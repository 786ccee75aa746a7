//! Four motors in X: the mixer that commands them and the thrust they give.

use super::math::Vec3;
use super::params::{MOT_SPIN_MAX, MOT_SPIN_MIN, MOT_THST_EXPO};

/// Thrust of one motor at full command and full battery, N.
const MAX_THRUST: f64 = 13.0;
/// Battery voltage at which a motor reaches [`MAX_THRUST`], V.
const FULL_VOLTAGE: f64 = 16.8;
/// Time constant of a change of speed, s.
const LAG: f64 = 0.04;
/// Distance of a motor from the roll axis and from the pitch axis, m.
const LEVER: f64 = 0.21;
/// Drag torque on the frame per thrust, N m per N.
const DRAG_TORQUE: f64 = 0.02;
/// Hover efficiency of a propeller compared with an ideal one.
const FIGURE_OF_MERIT: f64 = 0.65;
/// Area swept by a 15 inch propeller, m^2.
const DISC_AREA: f64 = 0.114;
/// Density of the air, kg/m^3.
const AIR_DENSITY: f64 = 1.2;

/// Where a motor sits, and the torque its drag puts on the frame.
struct Mount {
    /// 1 in front, -1 in the rear.
    forward: f64,
    /// 1 on the right, -1 on the left.
    right: f64,
    /// 1 for a propeller that turns counter-clockwise, which drives the frame clockwise.
    yaw: f64,
}

/// Front right, rear left, front left, rear right.
const MOUNTS: [Mount; 4] =
    [Mount::new(1.0, 1.0, 1.0), Mount::new(-1.0, -1.0, 1.0), Mount::new(1.0, -1.0, -1.0), Mount::new(-1.0, 1.0, -1.0)];

impl Mount {
    const fn new(forward: f64, right: f64, yaw: f64) -> Self {
        Self { forward, right, yaw }
    }
}

/// The motors with their propellers.
#[derive(Clone, Debug)]
pub struct Motors {
    /// Pulse widths last commanded to motors 1 to 4, us. 1000 is off.
    pub pwm: [u16; 4],
    /// Speeds, as the command each would hold, 0 to 1.
    pub speed: [f64; 4],
    /// Thrusts, N.
    pub thrust: [f64; 4],
    /// What a sound propeller's thrust is multiplied by.
    pub efficiency: [f64; 4],
}

impl Default for Motors {
    /// Motors that stand still.
    fn default() -> Self {
        Self { pwm: [1000; 4], speed: [0.0; 4], thrust: [0.0; 4], efficiency: [1.0; 4] }
    }
}

impl Motors {
    /// Turns on for `dt` seconds at the battery voltage `voltage`.
    pub fn step(&mut self, voltage: f64, dt: f64) {
        let supply = voltage / FULL_VOLTAGE;
        let motors = self.speed.iter_mut().zip(&mut self.thrust).zip(self.pwm).zip(self.efficiency);
        for (((speed, thrust), pwm), efficiency) in motors {
            let command = (f64::from(pwm) - 1000.0) / 1000.0;
            *speed += (command - *speed) * dt / LAG;
            *thrust = MAX_THRUST * efficiency * supply * supply * thrust_of(*speed);
        }
    }

    /// Sum of the thrusts, N.
    pub fn total_thrust(&self) -> f64 {
        self.thrust.iter().sum()
    }

    /// Torque on the frame, FRD, N m.
    pub fn torque(&self) -> Vec3 {
        MOUNTS.iter().zip(self.thrust).fold(Vec3::ZERO, |sum, (mount, thrust)| {
            let lever = Vec3::new(-mount.right * LEVER, mount.forward * LEVER, mount.yaw * DRAG_TORQUE);
            sum + lever * thrust
        })
    }

    /// Electrical power, W, by the momentum theory of a hovering propeller.
    pub fn power(&self) -> f64 {
        let ideal = (2.0 * AIR_DENSITY * DISC_AREA).sqrt();
        self.thrust.iter().map(|thrust| thrust.powf(1.5) / (ideal * FIGURE_OF_MERIT)).sum()
    }
}

/// Pulse widths in us for `throttle` (0 to 1) and `torque` (-1 to 1 about each body axis).
pub fn mix(throttle: f64, torque: Vec3) -> [u16; 4] {
    // Roll and pitch keep the vehicle upright, so the throttle gives way to them, and yaw has what the others leave
    // over.
    let lean = 0.5 * (torque.x.abs() + torque.y.abs());
    let fit = (0.5 / lean.max(0.5)).min(1.0);
    let lean = lean * fit;
    let throttle = throttle.clamp(lean, 1.0 - lean);
    let room = (throttle - lean).min(1.0 - lean - throttle).max(0.0);
    let yaw = (0.5 * torque.z).clamp(-room, room);
    MOUNTS.each_ref().map(|mount| {
        let lean = 0.5 * fit * (mount.forward * torque.y - mount.right * torque.x);
        let command = command_for(throttle + lean + mount.yaw * yaw);
        pulse_width(command.clamp(MOT_SPIN_MIN, MOT_SPIN_MAX))
    })
}

/// The pulse width in us of a command of 0 to 1.
pub fn pulse_width(command: f64) -> u16 {
    1000 + (1000.0 * command).round() as u16
}

/// Thrust at `command`, both 0 to 1.
fn thrust_of(command: f64) -> f64 {
    (1.0 - MOT_THST_EXPO) * command + MOT_THST_EXPO * command * command
}

/// The command for `thrust`: the inverse of [`thrust_of`].
fn command_for(thrust: f64) -> f64 {
    let linear = 1.0 - MOT_THST_EXPO;
    let root = (linear * linear + 4.0 * MOT_THST_EXPO * thrust.max(0.0)).sqrt();
    (root - linear) / (2.0 * MOT_THST_EXPO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thrust_curve_inverts() {
        for step in 0..=10 {
            let thrust = f64::from(step) / 10.0;
            assert!((thrust_of(command_for(thrust)) - thrust).abs() < 1e-12);
        }
    }

    #[test]
    fn a_mixed_torque_comes_out_with_its_sign() {
        for axis in [Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.0, 0.1, 0.0), Vec3::new(0.0, 0.0, 0.1)] {
            let mut motors = Motors { pwm: mix(0.5, axis), ..Motors::default() };
            for _ in 0..400 {
                motors.step(16.0, 0.0025);
            }
            let torque = motors.torque();
            assert!(torque.dot(axis) > 0.99 * torque.length() * axis.length());
        }
    }
}
