//! Places on the Earth, and the flat patch of it around home.

use super::math::Vec3;

/// Mean radius of the Earth, m.
const EARTH_RADIUS: f64 = 6_371_000.0;
/// Latitude of home, degrees.
const HOME_LATITUDE: f64 = 46.519_1;
/// Longitude of home, degrees.
const HOME_LONGITUDE: f64 = 6.566_8;
/// Altitude of home above sea level, m.
pub const HOME_ALTITUDE: f64 = 400.0;

/// A place as ArduPilot logs it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Location {
    /// Latitude, degrees * 1e7.
    pub latitude: i32,
    /// Longitude, degrees * 1e7.
    pub longitude: i32,
    /// Altitude above sea level, m.
    pub altitude: f64,
}

impl Location {
    /// The place at `position` metres from home, NED.
    pub fn from_home(position: Vec3) -> Self {
        let north = (position.x / EARTH_RADIUS).to_degrees();
        let parallel = EARTH_RADIUS * HOME_LATITUDE.to_radians().cos();
        let east = (position.y / parallel).to_degrees();
        Self {
            latitude: ((HOME_LATITUDE + north) * 1e7).round() as i32,
            longitude: ((HOME_LONGITUDE + east) * 1e7).round() as i32,
            altitude: HOME_ALTITUDE - position.z,
        }
    }
}
