//! Where the positions of a log are moved to.
//!
//! The earth, as a sphere, is turned so that the first position comes to a random place. All distances stay, and so do
//! north and east at the first position. The date line and the poles need no rule of their own.
//!
//! Vehicles and viewers compute metres north from degrees of latitude, and metres east from degrees of longitude. Of a
//! position at the distance d, these change by at most d²/2R times the difference of the tangents of both latitudes,
//! where R is the earth's radius. That is 7.8e-4 of 10 km, so that a difference of 0.127 keeps them to 1 in 10^4.

/// A latitude and a longitude in degrees, north and east positive.
pub(super) type Position = [f64; 2];

/// The tangents of the two latitudes differ by at most this, which leaves room for terms of higher order. They differ
/// by a tenth of it at least.
const TANGENT: f64 = 0.12;

/// Beyond this latitude, where the difference of the tangents leaves no room, any latitude up to it may be drawn.
const POLAR: f64 = 70.0;

/// The longitude moves by more than this, in degrees.
const FEWEST_DEGREES: f64 = 20.0;

/// The cosine of the angle of 1000 km. A position that is further away, such as a default in a parameter, isn't one of
/// the flight. Moved, it would tell where all others were, if somebody knows it.
const FAR: f64 = 0.98771;

/// Receivers without a fix are this near to 0, 0, in degrees.
const NOWHERE: f64 = 1e-4;

/// Moves positions.
pub(super) struct Place {
    from: [Vector; 3],
    to: [Vector; 3],
    first: Position,
}

type Vector = [f64; 3];

impl Place {
    /// Moves `first` to a place that `secret` draws.
    pub(super) fn draw(first: Position, secret: [u8; 16]) -> Self {
        let [latitude, longitude] = first;
        let (low, high) = secret.split_at(8);
        let [a, b] = [low, high].map(|bytes| fraction(bytes.first_chunk().copied().unwrap_or_default()));
        let latitude = match latitude.abs() < POLAR {
            true => {
                // Either direction, and never nearly the same latitude.
                let signed = 2.0 * a - 1.0;
                let moved = TANGENT * (0.1 + 0.9 * signed.abs()) * signed.signum();
                (latitude.to_radians().tan() + moved).atan().to_degrees()
            }
            false => POLAR * (2.0 * a - 1.0),
        };
        let longitude = longitude + FEWEST_DEGREES + (360.0 - 2.0 * FEWEST_DEGREES) * b;
        Place { from: axes(first), to: axes([latitude, longitude]), first }
    }

    /// The first position, if this is one.
    pub(super) fn first(position: [Option<f64>; 2]) -> Option<Position> {
        let [Some(latitude), Some(longitude)] = position else { return None };
        is_somewhere([latitude, longitude]).then_some([latitude, longitude])
    }

    /// The place of a position. `None` if it isn't a position of the flight: it is nowhere or far away.
    pub(super) fn moved(&self, position: Position) -> Option<Position> {
        let [up, ..] = axes(position);
        let parts = self.from.map(|axis| (0..3).map(|i| axis[i] * up[i]).sum::<f64>());
        if !is_somewhere(position) || parts[0] < FAR {
            return None;
        }
        let [x, y, z]: Vector = std::array::from_fn(|i| (0..3).map(|axis| self.to[axis][i] * parts[axis]).sum());
        Some([z.atan2(x.hypot(y)).to_degrees(), y.atan2(x).to_degrees()])
    }

    /// The place of a latitude or a longitude alone: that of the first position with it.
    pub(super) fn moved_alone(&self, latitude: Option<f64>, longitude: Option<f64>) -> Option<Position> {
        self.moved([latitude.unwrap_or(self.first[0]), longitude.unwrap_or(self.first[1])])
    }
}

/// Whether a position is on the earth, and not where receivers without a fix are.
fn is_somewhere([latitude, longitude]: Position) -> bool {
    latitude.abs() <= 90.0 && longitude.abs() <= 180.0 && (latitude.abs() >= NOWHERE || longitude.abs() >= NOWHERE)
}

/// Up, north and east at a position, from the earth's centre.
fn axes(position: Position) -> [Vector; 3] {
    let [(sin_lat, cos_lat), (sin_lon, cos_lon)] = position.map(|degrees| degrees.to_radians().sin_cos());
    let up = [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat];
    [up, [-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat], [-sin_lon, cos_lon, 0.0]]
}

/// A number from 0 up to 1.
fn fraction(random: [u8; 8]) -> f64 {
    (u64::from_le_bytes(random) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Metres north and east of the first position, as ArduPilot counts them.
    fn metres(first: Position, position: Position, scale_at: f64) -> [f64; 2] {
        const METRES_A_DEGREE: f64 = 111_319.5;
        let east = (position[1] - first[1] + 540.0).rem_euclid(360.0) - 180.0;
        [(position[0] - first[0]) * METRES_A_DEGREE, east * METRES_A_DEGREE * scale_at.to_radians().cos()]
    }

    fn distance(a: Position, b: Position) -> f64 {
        let [a, b] = [a, b].map(|position| axes(position)[0]);
        let cross = [0, 1, 2].map(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
        let dot: f64 = (0..3).map(|i| a[i] * b[i]).sum();
        6_371_000.0 * cross.iter().map(|part| part * part).sum::<f64>().sqrt().atan2(dot)
    }

    proptest! {
        #[test]
        fn metres_north_and_east_are_kept_within_10_km(
            latitude in -69.9..69.9_f64,
            longitude in -180.0..180.0_f64,
            direction in 0.0..360.0_f64,
            far in 0.0..10_000.0_f64,
            secret: [u8; 16],
        ) {
            let first = [latitude, longitude];
            let (sin, cos) = direction.to_radians().sin_cos();
            let north = latitude + far * cos / 111_319.5;
            let position = [north, longitude + far * sin / 111_319.5 / latitude.to_radians().cos()];
            prop_assume!(position[1].abs() < 180.0);
            prop_assume!(latitude.abs().max(longitude.abs()) > 1.0);
            let place = Place::draw(first, secret);
            let (new_first, new) = (place.moved(first).expect("is one"), place.moved(position).expect("is near"));
            // By the cosine of the first latitude, and by that between the two.
            for share in [0.0, 0.5] {
                let scale = |a: Position, b: Position| a[0] + share * (b[0] - a[0]);
                let before = metres(first, position, scale(first, position));
                let after = metres(new_first, new, scale(new_first, new));
                for axis in [0, 1] {
                    prop_assert!((before[axis] - after[axis]).abs() <= 1e-4 * far + 1e-6, "{before:?} {after:?}");
                }
            }
        }

        #[test]
        fn distances_are_kept_at_poles_and_at_the_date_line(
            latitude in prop_oneof![Just(90.0), Just(-90.0), 89.9..90.0_f64, -80.0..80.0_f64],
            longitude in prop_oneof![Just(180.0), Just(-180.0), 179.9..180.0_f64],
            north in -0.1..0.1_f64,
            secret: [u8; 16],
        ) {
            let first = [latitude, longitude];
            let other = [(latitude + north).clamp(-90.0, 90.0), -179.95];
            let place = Place::draw(first, secret);
            let [new_first, new] = [first, other].map(|position| place.moved(position).expect("is near"));
            prop_assert!((distance(first, other) - distance(new_first, new)).abs() < 1e-5);
            prop_assert!(new[0].abs() <= 90.0 && new[1].abs() <= 180.0);
        }
    }

    #[test]
    fn positions_elsewhere_are_none() {
        let place = Place::draw([47.0, 8.0], [7; 16]);
        for elsewhere in [[0.0, 0.0], [1e-7, 0.0], [-35.0, 149.0], [91.0, 8.0], [47.0, 181.0], [f64::NAN, 8.0]] {
            assert_eq!(place.moved(elsewhere), None, "{elsewhere:?}");
        }
        assert!(place.moved([48.0, 9.0]).is_some());
    }

    #[test]
    fn a_place_depends_on_the_secret_alone() {
        let of = |secret| Place::draw([47.0, 8.0], secret).moved([47.0, 8.0]);
        assert_eq!(of([1; 16]), of([1; 16]));
        assert_ne!(of([1; 16]), of([2; 16]));
    }
}
