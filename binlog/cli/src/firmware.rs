//! Firmware and board of a log, by its records VER and MSG.

use binlog::Log;

/// Parts of the names of ArduPilot's firmwares, and the simulator's.
const NAMES: [&str; 7] = ["Copter", "Plane", "Rover", "ArduSub", "Antenna", "Blimp", "simulator"];

/// How AP_Logger's text about the operating system begins; the next text names the board.
const SYSTEMS: [&str; 3] = ["ChibiOS", "NuttX", "Linux"];

/// The firmware, such as `ArduCopter V4.6.0 (3fc7011a)`: `FWS` of VER, or else the first text with a version, or else
/// the first with the name of a firmware.
pub fn firmware(log: &Log<'_>) -> Option<String> {
    let of_version = || log.rows("VER").ok()?.records().next()?.value("FWS").map(|text| text.to_string());
    of_version().filter(|text| !text.is_empty()).or_else(|| {
        let texts = || log.texts().into_iter().map(|text| text.text);
        let is_named = |text: &String| NAMES.iter().any(|name| text.contains(name));
        texts().find(|text| has_version(text)).or_else(|| texts().find(is_named))
    })
}

/// Whether a text has a version: ` V4`.
fn has_version(text: &str) -> bool {
    text.split(" V").skip(1).any(|after| after.starts_with(|first: char| first.is_ascii_digit()))
}

/// The board: the text after that of the operating system, as AP_Logger writes them: `ChibiOS: 38022f4f`, then
/// `CubeOrange 0025003A 3138511 37393634`.
pub fn board(log: &Log<'_>) -> Option<String> {
    let texts = log.texts().into_iter().map(|text| text.text);
    let after = texts.skip_while(|text| !SYSTEMS.iter().any(|system| text.starts_with(system))).nth(1)?;
    after.split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use binlog::{LogSchema, LogWriter, messages::Msg};

    #[derive(LogSchema)]
    enum Texts {
        Msg(Msg),
    }

    fn log_of(texts: &[&str]) -> Log<'static> {
        let mut log = LogWriter::<Texts, _>::new(Vec::new()).expect("memory takes all");
        texts.iter().for_each(|text| log.text(0, text).expect("memory takes all"));
        Log::from_bytes(log.finish().expect("memory takes all"))
    }

    #[test]
    fn a_version_is_more_than_a_name() {
        let log = log_of(&["Copter on the way", "ArduCopter V4.6.0 (3fc7011a)", "ArduPlane V4.6.0"]);
        assert_eq!(firmware(&log).as_deref(), Some("ArduCopter V4.6.0 (3fc7011a)"));
        assert_eq!(firmware(&log_of(&["GPS 1: found Vx", "binlog simulator"])).as_deref(), Some("binlog simulator"));
        assert_eq!(firmware(&log_of(&["Throttle armed"])), None);
        assert_eq!(firmware(&log_of(&["My Vehicle V4.6"])).as_deref(), Some("My Vehicle V4.6"));
    }

    #[test]
    fn the_board_follows_the_operating_system() {
        let log = log_of(&["ArduCopter V4.6.0", "ChibiOS: 38022f4f", "CubeOrange 0025003A 3138511", "RCOut: PWM"]);
        assert_eq!(board(&log).as_deref(), Some("CubeOrange"));
        assert_eq!(board(&log_of(&["ChibiOS: 38022f4f"])), None);
    }
}
