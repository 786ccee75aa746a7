//! The rigid body: forces and torques in, motion out.

use super::math::{Euler, Quat, Vec3};
use super::motors::Motors;
use super::params::SIM_MASS;

/// Acceleration of gravity, m/s^2.
pub const GRAVITY: f64 = 9.80665;

/// Moments of inertia about the body axes, kg m^2.
const INERTIA: Vec3 = Vec3::new(0.035, 0.035, 0.06);
/// Drag per airspeed, N per m/s.
const DRAG: f64 = 0.35;
/// The feet, from the centre of mass, FRD, m.
const FEET: [Vec3; 4] = [
    Vec3::new(0.2, 0.2, LEG_HEIGHT),
    Vec3::new(-0.2, -0.2, LEG_HEIGHT),
    Vec3::new(0.2, -0.2, LEG_HEIGHT),
    Vec3::new(-0.2, 0.2, LEG_HEIGHT),
];
/// Height of the centre of mass over the feet, m.
const LEG_HEIGHT: f64 = 0.15;
/// Stiffness of a leg, N/m.
const LEG_STIFFNESS: f64 = 1200.0;
/// Damping of a leg, N per m/s.
const LEG_DAMPING: f64 = 40.0;
/// Friction of a foot, of the load it carries.
const FRICTION: f64 = 0.6;
/// Sliding speed at which the friction is full, m/s. Below, it falls to zero without a jump, which a fixed step could
/// not follow.
const FRICTION_SPEED: f64 = 0.05;
/// Heading before take-off, degrees.
const PARKED_YAW: f64 = 40.0;

/// The true state of the vehicle, which only the sensors may look at.
#[derive(Clone, Debug)]
pub struct Vehicle {
    /// From the place of take-off, where the vehicle stands at zero, NED, m.
    pub position: Vec3,
    /// NED, m/s.
    pub velocity: Vec3,
    /// From body to world.
    pub attitude: Quat,
    /// Angular rates, FRD, rad/s.
    pub rates: Vec3,
    /// What an ideal accelerometer feels, FRD, m/s^2: every force but gravity.
    pub specific_force: Vec3,
    /// A torque from outside, FRD, N m.
    pub push: Vec3,
}

impl Default for Vehicle {
    /// A vehicle parked at home.
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            velocity: Vec3::ZERO,
            attitude: Quat::from_euler(Euler { yaw: PARKED_YAW, ..Euler::default() }),
            rates: Vec3::ZERO,
            specific_force: Vec3::new(0.0, 0.0, -GRAVITY),
            push: Vec3::ZERO,
        }
    }
}

impl Vehicle {
    /// Height above the ground, m.
    pub fn height(&self) -> f64 {
        -self.position.z
    }

    /// Angle between the body's down axis and the world's, degrees.
    pub fn tilt(&self) -> f64 {
        let down = self.attitude.rotate(Vec3::new(0.0, 0.0, 1.0));
        down.z.clamp(-1.0, 1.0).acos().to_degrees()
    }

    /// Moves on by `dt` seconds in air of velocity `wind`, NED, m/s.
    pub fn step(&mut self, motors: &Motors, wind: Vec3, dt: f64) {
        let to_body = self.attitude.inverse();
        let (ground_force, ground_torque) = self.ground_contact();
        let drag = (wind - self.velocity) * DRAG;
        let thrust = Vec3::new(0.0, 0.0, -motors.total_thrust());
        self.specific_force = (thrust + to_body.rotate(drag + ground_force)) * (1.0 / SIM_MASS);

        let momentum = Vec3::new(INERTIA.x * self.rates.x, INERTIA.y * self.rates.y, INERTIA.z * self.rates.z);
        let torque = motors.torque() + ground_torque + self.push - self.rates.cross(momentum);

        // Velocities first and positions from the new ones: semi-implicit Euler, which does not feed energy into the
        // springs of the legs.
        let gravity = Vec3::new(0.0, 0.0, GRAVITY);
        self.velocity += (self.attitude.rotate(self.specific_force) + gravity) * dt;
        self.position += self.velocity * dt;
        self.rates += Vec3::new(torque.x / INERTIA.x, torque.y / INERTIA.y, torque.z / INERTIA.z) * dt;
        self.attitude = (self.attitude * Quat::from_rotation_vector(self.rates * dt)).normalized();
    }

    /// Force (NED, N) and torque (FRD, N m) of the ground on the feet.
    fn ground_contact(&self) -> (Vec3, Vec3) {
        let mut force = Vec3::ZERO;
        let mut torque = Vec3::ZERO;
        for foot in FEET {
            let depth = (self.position + self.attitude.rotate(foot)).z - LEG_HEIGHT;
            if depth <= 0.0 {
                continue;
            }
            let velocity = self.velocity + self.attitude.rotate(self.rates.cross(foot));
            // The ground pushes, but never pulls.
            let load = (LEG_STIFFNESS * depth + LEG_DAMPING * velocity.z).max(0.0);
            let slide = velocity.horizontal();
            let friction = slide * (-FRICTION * load / slide.length().max(FRICTION_SPEED));
            let push = friction + Vec3::new(0.0, 0.0, -load);
            force += push;
            torque += foot.cross(self.attitude.inverse().rotate(push));
        }
        (force, torque)
    }
}
