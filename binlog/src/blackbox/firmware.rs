//! The firmware that wrote a session, for what its header doesn't say otherwise: the meaning of mode flags, and units
//! that changed from one version to the next. Decoding never asks for it.

use super::Header;

/// A family of firmwares that share their numbers of flags and phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    /// Betaflight, and those of Cleanflight 2 of which it is known from which Betaflight they are built.
    Betaflight(Version),
    /// INAV.
    Inav,
    /// Cleanflight 1 and Baseflight.
    Cleanflight,
    /// Cleanflight 2.1 to 2.4, each built from the Betaflight of its time, which nothing here tells.
    Cleanflight2,
    /// Rotorflight, for helicopters.
    Rotorflight,
    /// Any other, whose numbers are unknown except for those that all have in common.
    Other,
}

/// Major and minor version.
pub(crate) type Version = (u32, u32);

/// What a Betaflight without a version is taken for: the last numbers before 2025.
const USUAL: Version = (4, 5);

impl Family {
    /// By the fields first, since only INAV has these, then by the line `Firmware revision`.
    pub(crate) fn of(header: &Header<'_>) -> Self {
        let has = |letter, name: &str| header.fields(letter).iter().any(|field| field.name() == name);
        if has(b'I', "navState") || has(b'S', "activeFlightModeFlags") || has(b'G', "GPS_hdop") {
            return Family::Inav;
        }
        let revision = header.value("Firmware revision").unwrap_or_default();
        let mut words = revision.split_whitespace();
        let (name, version) = (words.next().unwrap_or_default(), words.next().and_then(version));
        match name.to_ascii_lowercase().as_str() {
            "betaflight" => Family::Betaflight(version.unwrap_or(USUAL)),
            "inav" => Family::Inav,
            "rotorflight" => Family::Rotorflight,
            // Cleanflight 2.0 is built from Betaflight 3.1 and 2.5 from 4.0, as their `rc_modes.h` show; Cleanflight 1
            // logs the hash of its commit alone.
            "cleanflight" => match version {
                Some(version) if version >= (2, 5) => Family::Betaflight((4, 0)),
                Some((2, 0)) => Family::Betaflight((3, 1)),
                Some(version) if version > (2, 0) => Family::Cleanflight2,
                _ => Family::Cleanflight,
            },
            "baseflight" => Family::Cleanflight,
            hash if !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => Family::Cleanflight,
            _ => Family::Other,
        }
    }
}

/// `4.2.11` is 4.2, `2025.12.0-beta` is 2025.12.
fn version(text: &str) -> Option<Version> {
    let mut parts = text.split('.').map(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        part[..digits].parse().ok()
    });
    Some((parts.next()??, parts.next()??))
}

/// The firmware's name and version as the header has them: `Betaflight 4.2.0`.
pub(crate) fn name(header: &Header<'_>) -> String {
    let revision = header.value("Firmware revision").unwrap_or_default();
    let mut words = revision.split_whitespace();
    match (words.next(), words.next()) {
        (Some(name), Some(version)) if version.starts_with(|first: char| first.is_ascii_digit()) => {
            format!("{name} {version}")
        }
        (Some(revision), _) => {
            format!("{} {revision}", header.value("Firmware type").unwrap_or("firmware"))
        }
        (None, _) => header.value("Firmware type").unwrap_or("unknown firmware").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(lines: &str) -> Header<'_> {
        Header::parse(lines.as_bytes(), 0).0
    }

    #[test]
    fn families_by_their_header_lines() {
        for (lines, family, text) in [
            (
                "H Firmware type:Cleanflight\nH Firmware revision:Betaflight 4.2.11 (948ba6339) STM32F7X2\n",
                Family::Betaflight((4, 2)),
                "Betaflight 4.2.11",
            ),
            (
                "H Firmware revision:Betaflight 2025.12.0-beta (norevision) STM32H743\n",
                Family::Betaflight((2025, 12)),
                "Betaflight 2025.12.0-beta",
            ),
            ("H Firmware revision:INAV 9.0.0 (abc) MATEKF765\n", Family::Inav, "INAV 9.0.0"),
            (
                "H Field I name:loopIteration,time,navState\nH Field I predictor:0,0,0\nH Field I encoding:1,1,0\n",
                Family::Inav,
                "unknown firmware",
            ),
            ("H Firmware type:Cleanflight\nH Firmware revision:c49bd40\n", Family::Cleanflight, "Cleanflight c49bd40"),
            (
                "H Firmware type:Rotorflight\nH Firmware revision:Rotorflight 4.3.0\n",
                Family::Rotorflight,
                "Rotorflight 4.3.0",
            ),
            ("H Firmware revision:Cleanflight 2.0.1 (abc)\n", Family::Betaflight((3, 1)), "Cleanflight 2.0.1"),
            ("H Firmware revision:Cleanflight 2.3.2 (abc)\n", Family::Cleanflight2, "Cleanflight 2.3.2"),
            ("H Firmware revision:Cleanflight 2.5.0 (abc)\n", Family::Betaflight((4, 0)), "Cleanflight 2.5.0"),
            ("H Firmware revision:EmuFlight 0.4.1 (abc)\n", Family::Other, "EmuFlight 0.4.1"),
            ("H Product:Blackbox\n", Family::Other, "unknown firmware"),
        ] {
            let header = header(lines);
            assert_eq!(Family::of(&header), family, "{lines}");
            assert_eq!(name(&header), text);
        }
    }
}
