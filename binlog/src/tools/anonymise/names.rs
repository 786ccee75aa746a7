//! What names of types, columns, parameters and fields say: the tables by which something is moved or removed.

use super::kind::Kind;

/// One of the two coordinates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Axis {
    Latitude,
    Longitude,
}

/// Types whose records are removed.
const TYPES: [(&str, Kind); 15] = [
    ("TERR", Kind::Terrain),
    ("GRAW", Kind::Satellites),
    ("GRXH", Kind::Satellites),
    ("GRXS", Kind::Satellites),
    ("SBRE", Kind::Satellites),
    ("SBRH", Kind::Satellites),
    ("SBRM", Kind::Satellites),
    ("ADSB", Kind::Traffic),
    ("AIS1", Kind::Traffic),
    ("AIS4", Kind::Traffic),
    ("AIS5", Kind::Traffic),
    ("AISR", Kind::Traffic),
    ("CANF", Kind::Bus),
    ("CAFD", Kind::Bus),
    ("FILE", Kind::Files),
];

/// Why records of a type are removed.
pub(super) fn removed_type(name: &str) -> Option<Kind> {
    TYPES.iter().find(|(of, _)| *of == name).map(|(_, kind)| *kind)
}

/// Parameters, with `*` for any text and `?` for a character. Ids of sensors stay (`INS_GYR_ID`, `COMPASS_DEV_ID`):
/// they say type and bus, which all boards of a kind share, and WebTools' FilterReview and MAGFit need them.
const PARAMETERS: [(&str, Kind); 27] = [
    ("COMPASS_DEC", Kind::Declination),
    ("ATT_MAG_DECL", Kind::Declination),
    ("MAG_DECLINATION", Kind::Declination),
    ("MAGDECLINATION", Kind::Declination),
    ("STAT_RESET", Kind::Dates),
    ("*GND_PRESS", Kind::Heights),
    ("*GND_ABS_PRESS*", Kind::Heights),
    ("*GND_ALT", Kind::Heights),
    ("*OPOS_ALT", Kind::Heights),
    ("BCN_ALT", Kind::Heights),
    ("*ORIG*_ALT", Kind::Heights),
    ("*SERIAL_NUM*", Kind::Ids),
    ("*SYSID*", Kind::Ids),
    ("*SYS_ID*", Kind::Ids),
    ("*MACADDR*", Kind::Ids),
    ("*IPADDR*", Kind::Ids),
    ("*GWADDR*", Kind::Ids),
    ("NET_P?_IP*", Kind::Ids),
    ("NET_*_IP?", Kind::Ids),
    ("*ICAO*", Kind::Ids),
    ("*SQUAWK*", Kind::Ids),
    ("*CALLSIGN*", Kind::Ids),
    ("*_UID*", Kind::Ids),
    ("*PASS*W*D*", Kind::Ids),
    ("*PASSPHRASE*", Kind::Ids),
    ("*SSID*", Kind::Ids),
    ("*SERIAL_NO*", Kind::Ids),
];

/// Why a parameter is removed.
pub(super) fn removed_parameter(name: &str) -> Option<Kind> {
    let name = name.to_ascii_uppercase();
    PARAMETERS.iter().find(|(pattern, _)| matches(pattern, &name)).map(|(_, kind)| *kind)
}

/// Columns whose numbers are removed, by what precedes the digits of the type's name (`*`: any) and by label.
const COLUMNS: [(&str, &str, Kind); 23] = [
    ("RMGH", "Dec", Kind::Declination),
    ("GPA", "AEl", Kind::Ellipsoid),
    ("GPAB", "AEl", Kind::Ellipsoid),
    ("GPA", "Und", Kind::Ellipsoid),
    ("GPAB", "Und", Kind::Ellipsoid),
    ("SBFE", "Undul", Kind::Ellipsoid),
    ("SBFE", "TOW", Kind::Dates),
    ("SBFE", "WN", Kind::Dates),
    ("BARO", "AltAMSL", Kind::Heights),
    ("BARO", "Press", Kind::Heights),
    ("BAR", "Press", Kind::Heights),
    ("XKF", "OH", Kind::Heights),
    ("NKF", "OH", Kind::Heights),
    ("SENS", "BaroPres", Kind::Heights),
    ("SENS", "BaroAlt", Kind::Heights),
    ("*", "GWk", Kind::Dates),
    ("*", "GMS", Kind::Dates),
    ("*", "WkMS", Kind::Dates),
    ("*", "Week", Kind::Dates),
    ("*", "GPSTime", Kind::Dates),
    ("*", "GPSWeek", Kind::Dates),
    ("*", "RTimeUS", Kind::Dates),
    ("GPS", "TimeMS", Kind::Dates),
];

/// Words in labels of numbers that identify something.
const ID_WORDS: [&str; 13] =
    ["serial", "serno", "uid", "uuid", "guid", "mac", "ssid", "icao", "mmsi", "imei", "imsi", "uid1", "uid2"];

/// Words in labels of dates.
const DATE_WORDS: [&str; 4] = ["utc", "date", "epoch", "unix"];

/// Why a column of numbers is removed. `has_earth_field` says whether the type has all
/// components of the earth's field.
pub(super) fn removed_column(of_type: &str, label: &str, has_earth_field: bool) -> Option<Kind> {
    let stem = of_type.trim_end_matches(|last: char| last.is_ascii_digit());
    if has_earth_field && EARTH_FIELD.contains(&label) {
        return Some(Kind::EarthField);
    }
    let is_column = |(name, column, _): &&(&str, &str, Kind)| *column == label && ["*", stem].contains(name);
    if let Some((_, _, kind)) = COLUMNS.iter().find(is_column) {
        return Some(*kind);
    }
    let has = |of: &[&str]| words(label).any(|word| is_any(word, of));
    // `SerNo` is two words.
    if has(&ID_WORDS) || is_any(label, &ID_WORDS) {
        return Some(Kind::Ids);
    }
    has(&DATE_WORDS).then_some(Kind::Dates)
}

/// The columns of the earth's magnetic field: north, east, down.
pub(super) const EARTH_FIELD: [&str; 3] = ["MN", "ME", "MD"];

/// Whether a name is about the home position.
#[cfg(feature = "blackbox")]
pub(super) fn is_home(name: &str) -> bool {
    words(name).any(|word| starts_with(word, "home"))
}

/// Whether a column beside a position is a height above the sea.
pub(super) fn is_height(label: &str) -> bool {
    let has = |of: &[&str]| words(label).any(|word| is_any(word, of));
    has(&["alt", "altitude", "height", "hgt", "amsl", "alti", "elev"]) && !has(&["rel", "home", "origin"])
}

/// Texts that stay: names of the format, of parameters, of modes and of tasks of the firmware. By type and label.
const TEXTS: [(&str, &str); 5] =
    [("PARM", "Name"), ("MODE", "Mode"), ("MODE", "Name"), ("STAK", "Name"), ("WDOG", "TN")];

/// Whether a text column has names that all vehicles of a firmware share.
pub(super) fn is_kept_text(of_type: &str, label: &str) -> bool {
    TEXTS.contains(&(of_type, label))
}

/// Whether a text column may name the vehicle and its version.
pub(super) fn names_firmware(of_type: &str, label: &str) -> bool {
    [("MSG", "Message"), ("VER", "FWS")].contains(&(of_type, label))
}

/// ArduPilot's vehicles.
const VEHICLES: [&str; 7] = ["ArduCopter", "ArduPlane", "ArduRover", "Rover", "ArduSub", "AntennaTracker", "Blimp"];

/// How much of a text names a vehicle and its version: all of `ArduCopter V4.6.2` in `ArduCopter V4.6.2 (6a85082c)`.
/// Of one without a version, an ArduPilot vehicle's name stays: `ArduCopter modes; converted from …`.
pub(super) fn vehicle_and_version(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().position(|&byte| byte == b' ').unwrap_or(text.len());
    let (name, rest) = (&text[..end], text.get(end + 1..).unwrap_or_default());
    let version = rest.split(|&byte| byte == b' ').next().unwrap_or_default();
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b":-_".contains(byte));
    let number = version.strip_prefix(b"V").or_else(|| version.strip_prefix(b"v")).unwrap_or(version);
    let (numbers, suffix) = number.split_at(number.iter().position(|&byte| byte == b'-').unwrap_or(number.len()));
    let parts: Vec<_> = numbers.split(|&byte| byte == b'.').collect();
    let is_part = |part: &&[u8]| (1..=3).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
    // Numbers with one dot may be anything, unless a V precedes them.
    let is_version = parts.iter().all(is_part)
        && match number.len() < version.len() {
            true => (2..=3).contains(&parts.len()),
            false => parts.len() == 3,
        };
    let is_suffix = suffix.len() <= 8 && suffix.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    match !name.is_empty() && is_name && is_version && is_suffix {
        true => text.get(..end + 1 + version.len()),
        false => VEHICLES.iter().any(|vehicle| vehicle.as_bytes() == name).then_some(name),
    }
}

/// Columns that have coordinates and whose labels don't say so.
const COORDINATES: [(&str, &str, Axis); 4] = [
    ("MAVC", "X", Axis::Latitude),
    ("MAVC", "Y", Axis::Longitude),
    ("OABR", "DLt", Axis::Latitude),
    ("OABR", "DLg", Axis::Longitude),
];

/// Columns that are named as coordinates and aren't any: ArduPilot's count of long loops.
const OTHERS: [(&str, &str); 1] = [("PM", "NLon")];

/// The coordinate in a column of a type that has no unit that says so.
pub(super) fn coordinate_column(of_type: &str, label: &str) -> Option<Axis> {
    if OTHERS.contains(&(of_type, label)) {
        return None;
    }
    let special = COORDINATES.iter().find(|(name, column, _)| (*name, *column) == (of_type, label));
    special.map(|(.., axis)| *axis).or_else(|| coordinate(label).map(|(axis, _)| axis))
}

/// The coordinate that a name says, and the rest of the name, by which latitude and longitude find each other:
/// `HLat`, `SIM_OPOS_LAT`, `GPS_coord[0]`.
pub(super) fn coordinate(name: &str) -> Option<(Axis, String)> {
    let brackets = ['[', ']'];
    let array = name.trim_end_matches(brackets);
    for (index, axis) in [("0", Axis::Latitude), ("1", Axis::Longitude)] {
        let Some(stem) = array.strip_suffix(index).map(|stem| stem.trim_end_matches(brackets)) else { continue };
        if ["coord", "home"].iter().any(|array| ends_with(stem, array)) {
            return Some((axis, stem.to_ascii_lowercase()));
        }
    }
    let axis = |word: &str| {
        let is_longitude = is_any(word, &["lng", "lon", "long", "longitude"]);
        if is_any(word, &["lat", "latitude"]) { Some(Axis::Latitude) } else { is_longitude.then_some(Axis::Longitude) }
    };
    // Most names have none of them.
    let begins = |three: &[u8]| ["lat", "lng", "lon"].iter().any(|word| three.eq_ignore_ascii_case(word.as_bytes()));
    if !name.as_bytes().windows(3).any(begins) {
        return None;
    }
    let (at, found) = words(name).enumerate().find_map(|(at, word)| Some((at, axis(word)?)))?;
    // Lateral and longitudinal; failsafes of ArduPlane that take long.
    const OTHER: [&str; 9] = ["acc", "accel", "acceleration", "vel", "velocity", "g", "force", "err", "fs"];
    let stem: Vec<&str> = words(name).enumerate().filter(|(i, _)| *i != at).map(|(_, word)| word).collect();
    (!stem.iter().any(|word| is_any(word, &OTHER))).then(|| (found, stem.join("_").to_lowercase()))
}

/// Whether a word is one of these, in letters of either case.
fn is_any(word: &str, of: &[&str]) -> bool {
    of.iter().any(|of| of.eq_ignore_ascii_case(word))
}

fn starts_with(word: &str, prefix: &str) -> bool {
    word.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn ends_with(word: &str, suffix: &str) -> bool {
    let start = word.len().checked_sub(suffix.len());
    start.and_then(|at| word.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
}

/// The words of a name: `HLat` has H and Lat, `GPSTime` GPS and Time, `lat_e7` lat and e7.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split(|character: char| !character.is_alphanumeric());
    parts.flat_map(by_capitals).flat_map(split_coordinate).filter(|word| !word.is_empty())
}

/// The words of a name that begin with capitals: with one after a small letter, or with the last of several.
fn by_capitals(mut rest: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let mut characters = rest.char_indices().peekable();
        let (_, mut before) = characters.next()?;
        let mut end = rest.len();
        while let Some((at, character)) = characters.next() {
            let is_before_small = characters.peek().is_some_and(|(_, next)| next.is_lowercase());
            if character.is_uppercase() && (before.is_lowercase() || is_before_small) {
                end = at;
                break;
            }
            before = character;
        }
        let (word, others) = rest.split_at(end);
        rest = others;
        Some(word)
    })
}

/// `lat2` and `gpslat` are two words each. Others are followed by empty ones.
fn split_coordinate(word: &str) -> [&str; 3] {
    let letters = word.trim_end_matches(|last: char| last.is_ascii_digit());
    let prefix = ["gps", "home"].into_iter().find(|prefix| starts_with(letters, prefix)).unwrap_or_default();
    let (prefix, found) = letters.split_at(prefix.len());
    match is_any(found, &["latitude", "longitude", "lat", "lng", "lon"]) {
        true => [prefix, found, &word[letters.len()..]],
        false => [word, "", ""],
    }
}

/// Whether a name is as a pattern says: `*` stands for any text, `?` for any byte.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    // Where to continue if the text for the last `*` was too short.
    let (mut p, mut n, mut retry) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                p += 1;
                retry = Some((p, n));
            }
            Some(&character) if character == b'?' || character == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((after, from)) = retry else { return false };
                // Only where what follows the `*` begins.
                let Some(&next) = pattern.get(after) else { return true };
                let begins = |&character: &u8| [b'*', b'?', character].contains(&next);
                let Some(skipped) = name[from + 1..].iter().position(begins) else { return false };
                n = from + 1 + skipped;
                (p, retry) = (after, Some((after, n)));
            }
        }
    }
    pattern[p..].iter().all(|character| *character == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_a_shell() {
        for (pattern, name, is_match) in [
            ("ATT", "ATT", true),
            ("ATT", "ATTX", false),
            ("XK*", "XKF1", true),
            ("*F?", "XKF1", true),
            ("*F1*", "XKF1", true),
            ("*KF?", "XKKF1", true),
            ("*?1", "XKF1", true),
            ("X*1", "XKF", false),
            ("*K*F*2", "XKF1", false),
            ("X??", "XKF1", false),
            ("*", "", true),
            ("", "A", false),
        ] {
            assert_eq!(matches(pattern, name), is_match, "{pattern} {name}");
        }
    }

    #[test]
    fn names_of_coordinates_are_known() {
        use Axis::{Latitude, Longitude};
        for (name, axis) in [
            ("Lat", Latitude),
            ("Lng", Longitude),
            ("lon", Longitude),
            ("latitude", Latitude),
            ("HLat", Latitude),
            ("OALng", Longitude),
            ("DLat", Latitude),
            ("OLng", Longitude),
            ("lat_e7", Latitude),
            ("gpslat", Latitude),
            ("SIM_OPOS_LAT", Latitude),
            ("BCN_LONGITUDE", Longitude),
            ("AHRS_ORIG_LON", Longitude),
            ("GPS_coord[0]", Latitude),
            ("GPS_home1", Longitude),
            ("Lat2", Latitude),
        ] {
            assert_eq!(coordinate(name).map(|(axis, _)| axis), Some(axis), "{name}");
        }
        for name in ["Plat", "Flags", "LatAcc", "Alt", "Relation", "Long_g", "Belt", "Salon", "GPS_coord[2]", "Lag"] {
            assert_eq!(coordinate(name), None, "{name}");
        }
        assert_eq!(coordinate("SIM_OPOS_LAT").map(|(_, stem)| stem), coordinate("SIM_OPOS_LNG").map(|(_, stem)| stem));
    }

    #[test]
    fn texts_keep_the_vehicle_and_its_version_alone() {
        for (text, kept) in [
            ("ArduCopter V4.6.2 (6a85082c)", Some("ArduCopter V4.6.2")),
            ("ArduPlane V3.8.2-dev (abc)", Some("ArduPlane V3.8.2-dev")),
            ("Falcon 0.3.1", Some("Falcon 0.3.1")),
            ("APM:Copter V3.3", Some("APM:Copter V3.3")),
            ("ArduCopter modes; converted from Betaflight", Some("ArduCopter")),
            ("ArduSub", Some("ArduSub")),
            ("Home 47.3977", None),
            ("Home V47.3977", None),
            ("CubeOrange 00340038 31395101 38363331", None),
            ("Frame: QUAD/X", None),
            ("", None),
        ] {
            assert_eq!(vehicle_and_version(text.as_bytes()), kept.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn long_loops_are_no_longitude() {
        assert_eq!(coordinate_column("PM", "NLon"), None);
        assert_eq!(coordinate_column("POS", "NLon"), Some(Axis::Longitude));
    }

    #[test]
    fn parameters_that_identify_are_known() {
        for name in ["BRD_SERIAL_NUM", "NET_MACADDR5", "NET_P1_IP0", "SYSID_THISMAV", "MAV_SYS_ID"] {
            assert_eq!(removed_parameter(name), Some(Kind::Ids), "{name}");
        }
        for name in ["SERIAL1_BAUD", "ATC_RAT_RLL_P", "BATT_MONITOR", "INS_GYR_ID", "COMPASS_DEV_ID"] {
            assert_eq!(removed_parameter(name), None, "{name}");
        }
    }
}
