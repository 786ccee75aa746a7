//! What the state estimator of an autopilot would believe: the truth with small, slow errors.
//!
//! It stands in for a Kalman filter, whose inside is a subject of its own.

use super::location::Location;
use super::math::{Quat, Vec3};
use super::noise::{GaussMarkov, Noise};
use super::vehicle::Vehicle;

/// The motion as the autopilot believes it to be.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// From home, NED, m.
    pub position: Vec3,
    /// NED, m/s.
    pub velocity: Vec3,
    /// From body to world.
    pub attitude: Quat,
    position_error: GaussMarkov,
    velocity_error: GaussMarkov,
    attitude_error: GaussMarkov,
}

impl Estimate {
    /// An estimate stepped every `dt` seconds.
    pub fn new(mut noise: Noise, vehicle: &Vehicle, dt: f64) -> Self {
        Self {
            position: vehicle.position,
            velocity: vehicle.velocity,
            attitude: vehicle.attitude,
            position_error: GaussMarkov::new(0.1, 30.0, dt, noise.fork()),
            velocity_error: GaussMarkov::new(0.03, 5.0, dt, noise.fork()),
            attitude_error: GaussMarkov::new(0.005, 10.0, dt, noise.fork()),
        }
    }

    /// Follows the vehicle.
    pub fn update(&mut self, vehicle: &Vehicle) {
        self.position = vehicle.position + self.position_error.step();
        self.velocity = vehicle.velocity + self.velocity_error.step();
        self.attitude = vehicle.attitude * Quat::from_rotation_vector(self.attitude_error.step());
    }

    /// Altitude above home, m.
    pub fn altitude(&self) -> f64 {
        -self.position.z
    }

    /// Climb rate, m/s.
    pub fn climb_rate(&self) -> f64 {
        -self.velocity.z
    }

    /// The position on the Earth.
    pub fn location(&self) -> Location {
        Location::from_home(self.position)
    }
}
