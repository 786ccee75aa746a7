//! The air the vehicle flies through: a steady wind, gusts and turbulence.

use std::f64::consts::TAU;

use super::math::Vec3;
use super::noise::{GaussMarkov, Noise};
use super::params::{SIM_WIND_SPD, SIM_WIND_TURB};

/// When the first gust begins, s.
const FIRST_GUST: f64 = 16.0;
/// Time from one gust to the next, s.
const GUST_INTERVAL: f64 = 45.0;
/// Duration of a gust, s.
const GUST_DURATION: f64 = 5.0;
/// Wind speed that a gust adds at its height, m/s.
const GUST_SPEED: f64 = 6.0;
/// Correlation time of the turbulence, s.
const TURBULENCE_TIME: f64 = 1.5;

/// Wind over flat ground.
#[derive(Clone, Debug)]
pub struct Wind {
    /// Velocity of the air at the vehicle, NED, m/s.
    pub velocity: Vec3,
    /// Whether a gust is blowing.
    pub gusting: bool,
    direction: Vec3,
    gust_direction: Vec3,
    turbulence: GaussMarkov,
}

impl Wind {
    /// Wind whose directions are drawn from `noise`.
    pub fn new(mut noise: Noise, dt: f64) -> Self {
        let mut direction = || {
            // Two equal Gaussians have no favourite direction.
            let angle = noise.gauss(1.0).atan2(noise.gauss(1.0));
            Vec3::new(angle.cos(), angle.sin(), 0.0)
        };
        Self {
            velocity: Vec3::ZERO,
            gusting: false,
            direction: direction(),
            gust_direction: direction(),
            turbulence: GaussMarkov::new(SIM_WIND_TURB, TURBULENCE_TIME, dt, noise.fork()),
        }
    }

    /// Moves on to `time` seconds, `height` metres above the ground.
    pub fn step(&mut self, time: f64, height: f64) {
        let since_gust = (time - FIRST_GUST).rem_euclid(GUST_INTERVAL);
        self.gusting = time >= FIRST_GUST && since_gust < GUST_DURATION;
        let gust = if self.gusting {
            // The 1-cosine gust of airworthiness rules: it begins and ends without a jump.
            0.5 * GUST_SPEED * (1.0 - (TAU * since_gust / GUST_DURATION).cos())
        } else {
            0.0
        };
        // Air is slowed by the ground; at the ground it stands still.
        let height = height.max(0.0);
        let shear = height / (height + 1.0);
        self.velocity = (self.direction * SIM_WIND_SPD + self.gust_direction * gust + self.turbulence.step()) * shear;
    }
}
