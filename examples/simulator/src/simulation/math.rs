//! Vectors and rotations, no more of them than a rigid body needs.
//!
//! The world frame is north-east-down (NED), the body frame forward-right-down (FRD).

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A vector of three components.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3 {
    /// North, or forward.
    pub x: f64,
    /// East, or right.
    pub y: f64,
    /// Down, in both frames.
    pub z: f64,
}

impl Vec3 {
    /// The zero vector.
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0);

    /// A vector from its components.
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    /// The horizontal part, in a world frame.
    pub const fn horizontal(self) -> Self {
        Self::new(self.x, self.y, 0.0)
    }

    /// Every component through `f`.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self::new(f(self.x), f(self.y), f(self.z))
    }

    /// Scalar product.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Vector product.
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Euclidean length.
    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The same direction, made no longer than `max`.
    pub fn limit(self, max: f64) -> Self {
        let length = self.length();
        if length > max { self * (max / length) } else { self }
    }
}

impl Add for Vec3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl AddAssign for Vec3 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Vec3 {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

impl Mul<f64> for Vec3 {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        self.map(|component| component * factor)
    }
}

/// Roll, pitch and yaw in degrees, applied in the order yaw, pitch, roll.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Euler {
    /// Right side down is positive, -180 to 180.
    pub roll: f64,
    /// Nose up is positive, -90 to 90.
    pub pitch: f64,
    /// Clockwise from true north, 0 to 360.
    pub yaw: f64,
}

/// A unit quaternion that turns body vectors into world vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quat {
    w: f64,
    v: Vec3,
}

impl Quat {
    /// The real part, then the others.
    pub fn components(self) -> [f64; 4] {
        [self.w, self.v.x, self.v.y, self.v.z]
    }

    /// The rotation about the direction of `r` by its length in radians.
    pub fn from_rotation_vector(r: Vec3) -> Self {
        let half = 0.5 * r.length();
        // sin(half) / (2 half), which is 1/2 in the limit.
        let scale = if half > 1e-9 { 0.5 * half.sin() / half } else { 0.5 };
        Self { w: half.cos(), v: r * scale }
    }

    /// The rotation vector in radians, by the shorter way round.
    pub fn rotation_vector(self) -> Vec3 {
        let sine = self.v.length();
        if sine < 1e-9 {
            return Vec3::ZERO;
        }
        let shorter_way = if self.w < 0.0 { -1.0 } else { 1.0 };
        let angle = 2.0 * sine.atan2(self.w.abs());
        self.v * (shorter_way * angle / sine)
    }

    /// The attitude with these Euler angles.
    pub fn from_euler(euler: Euler) -> Self {
        let about = |x, y, z, degrees: f64| Self::from_rotation_vector(Vec3::new(x, y, z) * degrees.to_radians());
        about(0.0, 0.0, 1.0, euler.yaw) * about(0.0, 1.0, 0.0, euler.pitch) * about(1.0, 0.0, 0.0, euler.roll)
    }

    /// The Euler angles of this attitude.
    pub fn euler(self) -> Euler {
        let Self { w, v } = self;
        let roll = (2.0 * (w * v.x + v.y * v.z)).atan2(1.0 - 2.0 * (v.x * v.x + v.y * v.y));
        // Rounding can take the sine just past 1.
        let pitch = (2.0 * (w * v.y - v.z * v.x)).clamp(-1.0, 1.0).asin();
        let yaw = (2.0 * (w * v.z + v.x * v.y)).atan2(1.0 - 2.0 * (v.y * v.y + v.z * v.z));
        Euler { roll: roll.to_degrees(), pitch: pitch.to_degrees(), yaw: wrap_360(yaw.to_degrees()) }
    }

    /// The opposite rotation.
    pub fn inverse(self) -> Self {
        Self { w: self.w, v: -self.v }
    }

    /// A body vector in the world frame.
    pub fn rotate(self, v: Vec3) -> Vec3 {
        let t = self.v.cross(v) * 2.0;
        v + t * self.w + self.v.cross(t)
    }

    /// This rotation scaled back to unit length, against the drift of repeated products.
    pub fn normalized(self) -> Self {
        let scale = 1.0 / (self.w * self.w + self.v.dot(self.v)).sqrt();
        Self { w: self.w * scale, v: self.v * scale }
    }
}

impl Mul for Quat {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            w: self.w * other.w - self.v.dot(other.v),
            v: other.v * self.w + self.v * other.w + self.v.cross(other.v),
        }
    }
}

/// An angle in degrees brought into 0 to 360.
pub fn wrap_360(degrees: f64) -> f64 {
    let wrapped = degrees.rem_euclid(360.0);
    // A tiny negative angle rounds up to 360 itself.
    if wrapped < 360.0 { wrapped } else { 0.0 }
}

/// An angle in degrees brought into -180 to 180.
pub fn wrap_180(degrees: f64) -> f64 {
    wrap_360(degrees + 180.0) - 180.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn euler_angles_survive_the_quaternion() {
        let euler = Euler { roll: -20.0, pitch: 35.0, yaw: 290.0 };
        let back = Quat::from_euler(euler).euler();
        assert!((back.roll - euler.roll).abs() < 1e-9);
        assert!((back.pitch - euler.pitch).abs() < 1e-9);
        assert!((back.yaw - euler.yaw).abs() < 1e-9);
    }

    #[test]
    fn a_yaw_of_90_degrees_turns_forward_into_east() {
        let east = Quat::from_euler(Euler { yaw: 90.0, ..Euler::default() }).rotate(Vec3::new(1.0, 0.0, 0.0));
        assert!((east - Vec3::new(0.0, 1.0, 0.0)).length() < 1e-12);
    }
}
