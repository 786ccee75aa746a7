//! Stand-ins for sensors: values computed from the time, so that a reader can check them.

use crate::{Attitude, Barometer, Imu, RollRate};
use binlog::field::Centi;

/// A triangle wave from -`height` to `height` and back in `period_us`.
fn triangle(time_us: u64, period_us: u64, height: i32) -> i32 {
    let phase = (time_us % period_us) as i64 * 4 * i64::from(height) / period_us as i64;
    let height = i64::from(height);
    (if phase < 2 * height { phase - height } else { 3 * height - phase }) as i32
}

fn hundredths(time_us: u64, period_us: u64, height: i32) -> Centi<i16> {
    // Heights are at most 18,000.
    Centi::from_raw(triangle(time_us, period_us, height) as i16)
}

/// The same as a number, of thousandths.
fn thousandths(time_us: u64, period_us: u64, height: i32) -> f32 {
    triangle(time_us, period_us, height) as f32 * 1e-3
}

/// An inertial sensor's measurement at a time.
pub fn imu(time_us: u64, instance: u8) -> Imu {
    Imu {
        time_us,
        instance,
        gyr_x: thousandths(time_us, 700_000, 524),
        gyr_y: thousandths(time_us, 900_000, 349),
        gyr_z: thousandths(time_us, 1_100_000, 175),
        acc_x: thousandths(time_us, 500_000, 500),
        acc_y: thousandths(time_us, 600_000, 500),
        acc_z: -9.81,
        gyro_errors: 0,
        accel_errors: 0,
        temperature: 38.5,
        gyro_healthy: true,
        accel_healthy: true,
        gyro_rate: 1000,
        accel_rate: 1000,
    }
}

/// The roll controller's state at a time.
pub fn roll_rate(time_us: u64) -> RollRate {
    let target = triangle(time_us, 700_000, 3000) as f32 * 0.01;
    let actual = triangle(time_us.saturating_sub(20_000), 700_000, 3000) as f32 * 0.01;
    RollRate { time_us, target, actual, output: (target - actual) * 0.135 }
}

/// The vehicle's attitude at a time.
pub fn attitude(time_us: u64) -> Attitude {
    Attitude {
        time_us,
        roll: hundredths(time_us, 4_000_000, 2000),
        pitch: hundredths(time_us, 6_000_000, 1000),
        yaw: Centi::from_raw((time_us / 1000 % 36_000) as u16),
    }
}

/// The barometer's measurement at a time.
pub fn barometer(time_us: u64) -> Barometer {
    let altitude = time_us as f32 * 1e-6;
    let pressure = 101_325.0 - 12.0 * altitude;
    Barometer { time_us, instance: 0, altitude, pressure, temperature: Centi::from_raw(2150) }
}
