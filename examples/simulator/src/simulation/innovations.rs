//! How far measurements are from what the estimator expects, as shares of what its gates allow: from 1 on, a Kalman
//! filter rejects a measurement.
//!
//! Gates and noise are the defaults of EKF3's parameters.

use super::estimate::Estimate;
use super::math::Vec3;
use super::sensors::{Barometer, Compass, Gps};

/// 5 standard deviations of `EK3_VELNE_M_NSE` (0.3) with the estimator's own, m/s.
const VELOCITY_GATE: f64 = 2.0;
/// 5 standard deviations of `EK3_POSNE_M_NSE` (0.5) with the estimator's own, m.
const POSITION_GATE: f64 = 4.0;
/// 5 standard deviations of `EK3_ALT_M_NSE` (2.0), m.
const HEIGHT_GATE: f64 = 10.0;
/// 3 standard deviations of `EK3_MAG_M_NSE` (50 mGauss), mGauss.
const FIELD_GATE: f64 = 150.0;

/// The last measurements' distances, in gates.
#[derive(Clone, Debug, Default)]
pub struct Innovations {
    /// Velocity by the GPS.
    pub velocity: f64,
    /// Position by the GPS.
    pub position: f64,
    /// Height by the barometer.
    pub height: f64,
    /// Magnetic field.
    pub field: f64,
}

impl Innovations {
    /// Takes a sample of the GPS. Without a fix, nothing is measured.
    pub fn take_gps(&mut self, gps: &Gps, estimate: &Estimate) {
        if !gps.has_fix() {
            return;
        }
        let course = gps.course.to_radians();
        let horizontal = Vec3::new(course.cos(), course.sin(), 0.0) * gps.ground_speed;
        let velocity = horizontal + Vec3::new(0.0, 0.0, gps.vertical_speed);
        self.velocity = (velocity - estimate.velocity).length() / VELOCITY_GATE;
        self.position = (gps.place - estimate.position).horizontal().length() / POSITION_GATE;
    }

    /// Takes a sample of the barometer.
    pub fn take_barometer(&mut self, barometer: &Barometer, estimate: &Estimate) {
        self.height = (barometer.altitude - estimate.altitude()).abs() / HEIGHT_GATE;
    }

    /// Takes a sample of the compass.
    pub fn take_compass(&mut self, compass: &Compass, estimate: &Estimate) {
        self.field = (compass.field - compass.expected(estimate)).length() / FIELD_GATE;
    }
}
