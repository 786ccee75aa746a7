//! The sensors: measurements of the true state, with errors.

use super::estimate::Estimate;
use super::fault::Fault;
use super::location::{HOME_ALTITUDE, Location};
use super::math::{Vec3, wrap_360};
use super::noise::{GaussMarkov, Noise};
use super::vehicle::{GRAVITY, Vehicle};
use std::f64::consts::TAU;

/// Temperature of the air at home, degC.
pub const AIR_TEMPERATURE: f64 = 22.0;

/// A gyroscope and an accelerometer on one chip.
#[derive(Clone, Debug)]
pub struct Imu {
    /// Angular rates, FRD, rad/s.
    pub gyro: Vec3,
    /// Specific force, FRD, m/s^2; -9.81 on z at rest.
    pub accel: Vec3,
    /// Temperature of the chip, degC.
    pub temperature: f64,
    /// How much the sensor shakes.
    pub vibration: Vibration,
    gyro_bias: GaussMarkov,
    accel_bias: GaussMarkov,
    noise: Noise,
}

impl Imu {
    /// Time constant of the warming of the chip, s.
    const WARM_UP: f64 = 240.0;
    /// Temperature of the warm chip, degC.
    const WARM: f64 = 43.0;
    /// Largest acceleration that the sensor measures, m/s^2: 16 g.
    const FULL_SCALE: f64 = 16.0 * GRAVITY;

    /// An instance with errors of its own.
    pub fn new(mut noise: Noise, dt: f64) -> Self {
        Self {
            gyro: Vec3::ZERO,
            accel: Vec3::ZERO,
            temperature: AIR_TEMPERATURE + 4.0 + noise.gauss(1.0),
            vibration: Vibration::default(),
            gyro_bias: GaussMarkov::new(0.002, 600.0, dt, noise.fork()),
            accel_bias: GaussMarkov::new(0.04, 600.0, dt, noise.fork()),
            noise,
        }
    }

    /// Error of the gyroscope that an estimator finds, FRD, rad/s.
    pub fn gyro_bias(&self) -> Vec3 {
        self.gyro_bias.value()
    }

    /// Takes a sample; `throttle` (0 to 1) shakes the frame, and so does a fault, by `shake`, FRD, m/s^2.
    pub fn sample(&mut self, vehicle: &Vehicle, throttle: f64, shake: Vec3, dt: f64) {
        self.gyro = vehicle.rates + self.gyro_bias.step() + self.noise.gauss3(0.002 + 0.01 * throttle);
        let accel = vehicle.specific_force + self.accel_bias.step() + self.noise.gauss3(0.04 + 0.6 * throttle) + shake;
        self.accel = accel.map(|accel| accel.clamp(-Self::FULL_SCALE, Self::FULL_SCALE));
        self.vibration.sample(self.accel, dt);
        self.temperature += (Self::WARM - self.temperature) * dt / Self::WARM_UP;
    }
}

/// The vibration of an accelerometer as ArduPilot measures it (`AP_InertialSensor::calc_vibration_and_clipping`).
#[derive(Clone, Debug, Default)]
pub struct Vibration {
    /// Samples near the sensor's limit.
    pub clipped: u32,
    floor: Option<Vec3>,
    squares: Vec3,
}

impl Vibration {
    /// An acceleration above this counts as clipped, m/s^2.
    const CLIP_LIMIT: f64 = 15.5 * GRAVITY;
    /// Cut-off of the filter that finds the vehicle's own acceleration, Hz.
    const FLOOR: f64 = 5.0;
    /// Cut-off of the filter of the squares, Hz.
    const SQUARES: f64 = 2.0;

    /// The level on each axis, FRD, m/s^2.
    pub fn level(&self) -> Vec3 {
        self.squares.map(f64::sqrt)
    }

    fn sample(&mut self, accel: Vec3, dt: f64) {
        let is_clipped = [accel.x, accel.y, accel.z].into_iter().any(|accel| accel.abs() > Self::CLIP_LIMIT);
        self.clipped += u32::from(is_clipped);
        let gain = |frequency: f64| dt / (dt + 1.0 / (TAU * frequency));
        let floor = self.floor.get_or_insert(accel);
        *floor += (accel - *floor) * gain(Self::FLOOR);
        let squares = (accel - *floor).map(|difference| difference * difference);
        self.squares += (squares - self.squares) * gain(Self::SQUARES);
    }
}

/// A barometer, with zero altitude at home.
#[derive(Clone, Debug)]
pub struct Barometer {
    /// Altitude above home, m.
    pub altitude: f64,
    /// Pressure, Pa.
    pub pressure: f64,
    /// Temperature of the chip, degC.
    pub temperature: f64,
    /// Climb rate, smoothed, m/s.
    pub climb_rate: f64,
    drift: GaussMarkov,
    noise: Noise,
}

impl Barometer {
    /// Pressure at sea level, Pa.
    const SEA_LEVEL: f64 = 101_325.0;
    /// Altitude at which the temperature of the standard atmosphere would reach zero, m.
    const SCALE: f64 = 44_330.8;
    /// Exponent of the standard atmosphere.
    const EXPONENT: f64 = 5.255_88;
    /// Time constant of the climb rate, s.
    const SMOOTHING: f64 = 0.4;

    /// A barometer sampled every `dt` seconds.
    pub fn new(mut noise: Noise, dt: f64) -> Self {
        let mut drift = GaussMarkov::new(0.2, 120.0, dt, noise.fork());
        Self {
            altitude: drift.step().z,
            pressure: Self::pressure_at(HOME_ALTITUDE),
            temperature: AIR_TEMPERATURE + 8.0,
            climb_rate: 0.0,
            drift,
            noise,
        }
    }

    /// Takes a sample; wind on the sensor makes the height wrong by `wind` metres.
    pub fn sample(&mut self, vehicle: &Vehicle, wind: f64, dt: f64) {
        let height = vehicle.height() + self.drift.step().z + wind;
        self.pressure = Self::pressure_at(HOME_ALTITUDE + height) + self.noise.gauss(0.8);
        let altitude = Self::altitude_at(self.pressure) - HOME_ALTITUDE;
        let slope = (altitude - self.altitude) / dt;
        self.climb_rate += (slope - self.climb_rate) * dt / Self::SMOOTHING;
        self.altitude = altitude;
    }

    fn pressure_at(altitude: f64) -> f64 {
        Self::SEA_LEVEL * (1.0 - altitude / Self::SCALE).powf(Self::EXPONENT)
    }

    fn altitude_at(pressure: f64) -> f64 {
        Self::SCALE * (1.0 - (pressure / Self::SEA_LEVEL).powf(1.0 / Self::EXPONENT))
    }
}

/// A compass whose offsets are known from calibration.
#[derive(Clone, Debug)]
pub struct Compass {
    /// Field after the offsets are added, FRD, mGauss.
    pub field: Vec3,
    /// Offsets that cancel the magnetism of the frame, mGauss.
    pub offsets: Vec3,
    noise: Noise,
}

impl Compass {
    /// Field of the Earth at home, NED, mGauss: that of ArduPilot's table (`AP_Declination`), by which its page MAGFit
    /// judges a calibration.
    const EARTH: Vec3 = Vec3::new(223.3, 10.3, 422.0);

    /// A compass on a frame of its own magnetism.
    pub fn new(mut noise: Noise) -> Self {
        Self { field: Vec3::ZERO, offsets: noise.gauss3(40.0), noise }
    }

    /// Takes a sample beside wires with a field of their own, FRD, mGauss.
    pub fn sample(&mut self, vehicle: &Vehicle, wires: Vec3) {
        self.field = vehicle.attitude.inverse().rotate(Self::EARTH) + self.noise.gauss3(2.0) + wires;
    }

    /// The field that an estimator expects, FRD, mGauss.
    pub fn expected(&self, estimate: &Estimate) -> Vec3 {
        estimate.attitude.inverse().rotate(Self::EARTH)
    }
}

/// A satellite receiver with two antennas, so that it knows its heading too.
#[derive(Clone, Debug)]
pub struct Gps {
    /// 1 without a fix, 3 with a 3D fix, 4 with a differential one.
    pub status: u8,
    /// Week number.
    pub week: u16,
    /// Time in the week, ms.
    pub week_ms: u32,
    /// Satellites in use.
    pub satellites: u8,
    /// Horizontal dilution of precision.
    pub hdop: f64,
    /// Position; zero without a fix.
    pub location: Location,
    /// The same from home, NED, m.
    pub place: Vec3,
    /// Horizontal speed, m/s.
    pub ground_speed: f64,
    /// Direction of motion, degrees, 0 to 360.
    pub course: f64,
    /// Vertical speed, positive down, m/s.
    pub vertical_speed: f64,
    /// Heading, degrees, 0 to 360.
    pub yaw: f64,
    drift: GaussMarkov,
    noise: Noise,
}

impl Gps {
    /// Week at the start: late October 2025.
    const START_WEEK: u16 = 2389;
    /// Time in the week at the start, ms: Thursday noon.
    const START_MS: u32 = 388_800_000;
    /// When the receiver finds its position, s.
    const FIX_TIME: f64 = 1.2;
    /// When corrections reach the receiver, s.
    const DIFFERENTIAL_TIME: f64 = 12.0;

    /// A receiver sampled every `dt` seconds, still without a fix.
    pub fn new(mut noise: Noise, dt: f64) -> Self {
        Self {
            status: 1,
            week: Self::START_WEEK,
            week_ms: Self::START_MS,
            satellites: 0,
            hdop: 99.99,
            location: Location::default(),
            place: Vec3::ZERO,
            ground_speed: 0.0,
            course: 0.0,
            vertical_speed: 0.0,
            yaw: 0.0,
            drift: GaussMarkov::new(0.4, 60.0, dt, noise.fork()),
            noise,
        }
    }

    /// Whether the position can be used.
    pub fn has_fix(&self) -> bool {
        self.status >= 3
    }

    /// Takes a sample, `time` seconds after the start.
    pub fn sample(&mut self, vehicle: &Vehicle, fault: Option<Fault>, time: f64) {
        self.week_ms = Self::START_MS + (1000.0 * time).round() as u32;
        self.satellites = (4.0 + time).min(15.0) as u8;
        if time < Self::FIX_TIME {
            return;
        }
        self.status = if time < Self::DIFFERENTIAL_TIME { 3 } else { 4 };
        self.hdop = 0.7 + 1.5 * (-time / 6.0).exp();
        self.place = vehicle.position + self.drift.step();
        match fault {
            Some(Fault::GpsGlitch) if Fault::GpsGlitch.is_during(time, 4.0) => self.place.x += 40.0,
            Some(Fault::GpsLost) if Fault::GpsLost.is_during(time, 6.0) => (self.status, self.satellites) = (1, 2),
            Some(Fault::GpsDilution) if Fault::GpsDilution.is_during(time, 8.0) => {
                (self.hdop, self.satellites) = (2.8, 5)
            }
            _ => {}
        }
        self.location = Location::from_home(self.place);
        let velocity = vehicle.velocity + self.noise.gauss3(0.05);
        self.ground_speed = velocity.horizontal().length();
        self.course = wrap_360(velocity.y.atan2(velocity.x).to_degrees());
        self.vertical_speed = velocity.z;
        self.yaw = wrap_360(vehicle.attitude.euler().yaw + self.noise.gauss(0.4));
    }
}

/// A laser that looks down along the body's z axis.
#[derive(Clone, Debug)]
pub struct RangeFinder {
    /// Distance to the ground along the beam, m.
    pub distance: f64,
    noise: Noise,
}

impl RangeFinder {
    /// Height of the lens over the ground when parked, m.
    pub const MOUNT: f64 = 0.1;
    /// Longest distance measured, m.
    const RANGE: f64 = 40.0;

    /// A rangefinder with its own noise.
    pub fn new(noise: Noise) -> Self {
        Self { distance: Self::MOUNT, noise }
    }

    /// Takes a sample.
    pub fn sample(&mut self, vehicle: &Vehicle) {
        let beam = vehicle.attitude.rotate(Vec3::new(0.0, 0.0, 1.0));
        // A beam near the horizon finds nothing in range.
        let distance = (vehicle.height() + Self::MOUNT) / beam.z.max(0.1);
        self.distance = (distance + self.noise.gauss(0.01)).clamp(0.0, Self::RANGE);
    }
}
