//! The vehicle, and the names of its modes.

use super::{integer, text};
use crate::read::{Log, Record};
use std::fmt;

/// An ArduPilot firmware. Each has its own list of mode numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Vehicle {
    /// ArduCopter, multicopters and helicopters.
    Copter,
    /// ArduPlane.
    Plane,
    /// Rover and boats.
    Rover,
    /// ArduSub.
    Sub,
    /// AntennaTracker.
    Tracker,
    /// Blimp.
    Blimp,
}

impl Log<'_> {
    /// The vehicle: by VER's build type, or else by the first text that names a firmware. `None` if the log has
    /// neither. For a log of several [boots](Log::boots), that of the first boot that has one.
    pub fn vehicle(&self) -> Option<Vehicle> {
        self.vehicles().into_iter().flatten().next()
    }

    /// The vehicle of each boot.
    pub(super) fn vehicles(&self) -> Vec<Option<Vehicle>> {
        let mut vehicles = vec![None; self.index().boots.len() + 1];
        let by_version = |record: &Record<'_>| integer(record, "BU").and_then(Vehicle::from_build_type);
        self.find_vehicles("VER", by_version, &mut vehicles);
        let by_text = |record: &Record<'_>| Vehicle::from_text(&text(record, "Message")?);
        self.find_vehicles("MSG", by_text, &mut vehicles);
        vehicles
    }

    /// Sets the vehicle of each boot that has none yet, by the first record that says it.
    fn find_vehicles(
        &self,
        name: &str,
        vehicle: impl Fn(&Record<'_>) -> Option<Vehicle>,
        vehicles: &mut [Option<Vehicle>],
    ) {
        for record in self.all(name).records() {
            let known = &mut vehicles[self.boot_at(record.offset())];
            *known = known.or_else(|| vehicle(&record));
        }
    }
}

impl Vehicle {
    /// ArduPilot's `APM_BUILD_TYPE`.
    fn from_build_type(number: u8) -> Option<Self> {
        Some(match number {
            1 => Vehicle::Rover,
            2 | 13 => Vehicle::Copter,
            3 => Vehicle::Plane,
            4 => Vehicle::Tracker,
            7 => Vehicle::Sub,
            12 => Vehicle::Blimp,
            _ => return None,
        })
    }

    /// Texts such as `ArduCopter V4.6.0`, `APM:Plane V3.8`, `APMrover2 V2.5`.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let names = [
            ("copter", Vehicle::Copter),
            ("plane", Vehicle::Plane),
            ("rover", Vehicle::Rover),
            ("ardusub", Vehicle::Sub),
            ("antenna", Vehicle::Tracker),
            ("blimp", Vehicle::Blimp),
        ];
        names.into_iter().find_map(|(name, vehicle)| text.contains(name).then_some(vehicle))
    }

    /// The name of a mode in pymavlink and ground stations; `None` if the vehicle has no mode with this number.
    ///
    /// Source: the mode numbers of ArduPilot's vehicles (`Mode::Number` in each one's `mode.h`).
    pub fn mode_name(self, number: u8) -> Option<&'static str> {
        let modes: &[(u8, &str)] = match self {
            Vehicle::Copter => &COPTER,
            Vehicle::Plane => &PLANE,
            Vehicle::Rover => &ROVER,
            Vehicle::Sub => &SUB,
            Vehicle::Tracker => &TRACKER,
            Vehicle::Blimp => &BLIMP,
        };
        modes.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
    }
}

impl fmt::Display for Vehicle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Vehicle::Copter => "Copter",
            Vehicle::Plane => "Plane",
            Vehicle::Rover => "Rover",
            Vehicle::Sub => "Sub",
            Vehicle::Tracker => "AntennaTracker",
            Vehicle::Blimp => "Blimp",
        })
    }
}

/// Whether a text names a vehicle: one of ArduPilot's, or any other with its version, such as `Falcon V1.0` or
/// `Falcon 0.3.1`. A number with one dot isn't a version without a `V`: `Battery 12.5V`.
pub(crate) fn names_vehicle(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_version = |word: &str| match word.strip_prefix(['v', 'V']) {
        Some(number) => number.starts_with(|first: char| first.is_ascii_digit()),
        None => word.split('.').count() == 3 && word.split('.').all(is_number),
    };
    Vehicle::from_text(text).is_some() || text.split_whitespace().skip(1).any(is_version)
}

const COPTER: [(u8, &str); 29] = [
    (0, "STABILIZE"),
    (1, "ACRO"),
    (2, "ALT_HOLD"),
    (3, "AUTO"),
    (4, "GUIDED"),
    (5, "LOITER"),
    (6, "RTL"),
    (7, "CIRCLE"),
    (8, "POSITION"),
    (9, "LAND"),
    (10, "OF_LOITER"),
    (11, "DRIFT"),
    (13, "SPORT"),
    (14, "FLIP"),
    (15, "AUTOTUNE"),
    (16, "POSHOLD"),
    (17, "BRAKE"),
    (18, "THROW"),
    (19, "AVOID_ADSB"),
    (20, "GUIDED_NOGPS"),
    (21, "SMART_RTL"),
    (22, "FLOWHOLD"),
    (23, "FOLLOW"),
    (24, "ZIGZAG"),
    (25, "SYSTEMID"),
    (26, "AUTOROTATE"),
    (27, "AUTO_RTL"),
    (28, "TURTLE"),
    (29, "RATE_ACRO"),
];

const PLANE: [(u8, &str); 26] = [
    (0, "MANUAL"),
    (1, "CIRCLE"),
    (2, "STABILIZE"),
    (3, "TRAINING"),
    (4, "ACRO"),
    (5, "FBWA"),
    (6, "FBWB"),
    (7, "CRUISE"),
    (8, "AUTOTUNE"),
    (10, "AUTO"),
    (11, "RTL"),
    (12, "LOITER"),
    (13, "TAKEOFF"),
    (14, "AVOID_ADSB"),
    (15, "GUIDED"),
    (16, "INITIALISING"),
    (17, "QSTABILIZE"),
    (18, "QHOVER"),
    (19, "QLOITER"),
    (20, "QLAND"),
    (21, "QRTL"),
    (22, "QAUTOTUNE"),
    (23, "QACRO"),
    (24, "THERMAL"),
    (25, "LOITERALTQLAND"),
    (26, "AUTOLAND"),
];

const ROVER: [(u8, &str); 15] = [
    (0, "MANUAL"),
    (1, "ACRO"),
    (2, "LEARNING"),
    (3, "STEERING"),
    (4, "HOLD"),
    (5, "LOITER"),
    (6, "FOLLOW"),
    (7, "SIMPLE"),
    (8, "DOCK"),
    (9, "CIRCLE"),
    (10, "AUTO"),
    (11, "RTL"),
    (12, "SMART_RTL"),
    (15, "GUIDED"),
    (16, "INITIALISING"),
];

const SUB: [(u8, &str); 11] = [
    (0, "STABILIZE"),
    (1, "ACRO"),
    (2, "ALT_HOLD"),
    (3, "AUTO"),
    (4, "GUIDED"),
    (7, "CIRCLE"),
    (9, "SURFACE"),
    (16, "POSHOLD"),
    (19, "MANUAL"),
    (20, "MOTOR_DETECT"),
    (21, "SURFTRAK"),
];

const TRACKER: [(u8, &str); 6] =
    [(0, "MANUAL"), (1, "STOP"), (2, "SCAN"), (4, "GUIDED"), (10, "AUTO"), (16, "INITIALISING")];

const BLIMP: [(u8, &str); 7] =
    [(0, "LAND"), (1, "MANUAL"), (2, "VELOCITY"), (3, "LOITER"), (4, "RTL"), (5, "AUTO"), (6, "HOLD")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vehicle_has_a_name_and_a_version() {
        for text in ["ArduCopter V4.6.0", "Falcon V1.0", "falcon v2", "Falcon V2-beta", "Falcon Mk 1 0.3.1", "Rover"] {
            assert!(names_vehicle(text), "{text}");
        }
        for text in ["Armed", "V1.0", "GPS 1: no fix", "Battery 2 low", "Battery 12.5V", "Throttle 0.85", ""] {
            assert!(!names_vehicle(text), "{text}");
        }
    }
}
