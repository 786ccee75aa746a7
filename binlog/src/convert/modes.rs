//! Flight modes: the flags of a firmware, by name, and the nearest of Copter's modes.

use crate::blackbox::firmware::Family;

// What the bits of the flags are called in the firmwares' sources and viewers, from the lowest.

/// `boxId_e` of Betaflight 3.2 (`rc_modes.h`).
const BETAFLIGHT_3_2: &str = "ARM ANGLE HORIZON BARO ANTIGRAVITY MAG HEADFREE HEADADJ CAMSTAB CAMTRIG GPSHOME GPSHOLD PASSTHRU BEEPER \
    LEDMAX LEDLOW LLIGHTS CALIB GOV OSD TELEMETRY GTUNE SONAR SERVO1 SERVO2 SERVO3 BLACKBOX FAILSAFE AIRMODE \
    3D FPVANGLEMIX BLACKBOXERASE";

/// Of Betaflight up to 3.1: the same without the fifth.
const WITHOUT_ANTIGRAVITY: &str = "ARM ANGLE HORIZON BARO MAG HEADFREE HEADADJ CAMSTAB CAMTRIG GPSHOME GPSHOLD PASSTHRU BEEPER LEDMAX \
    LEDLOW LLIGHTS CALIB GOV OSD TELEMETRY GTUNE SONAR SERVO1 SERVO2 SERVO3 BLACKBOX FAILSAFE AIRMODE 3D \
    FPVANGLEMIX BLACKBOXERASE CAMERA1";

/// Of Betaflight 3.3 and 3.4, those that both have.
const BETAFLIGHT_3_3: &str = "ARM ANGLE HORIZON MAG BARO GPSHOME GPSHOLD HEADFREE PASSTHRU RANGEFINDER FAILSAFE";

/// Of Betaflight 3.5.
const BETAFLIGHT_3_5: &str = "ARM ANGLE HORIZON MAG BARO GPSHOME GPSHOLD HEADFREE PASSTHRU FAILSAFE GPSRESCUE ANTIGRAVITY HEADADJ \
    CAMSTAB BEEPER LEDLOW CALIB OSD TELEMETRY SERVO1 SERVO2 SERVO3 BLACKBOX AIRMODE 3D FPVANGLEMIX \
    BLACKBOXERASE CAMERA1 CAMERA2 CAMERA3 FLIPOVERAFTERCRASH PREARM";

/// Of Betaflight 4.0 to 4.5.
const BETAFLIGHT_4: &str = "ARM ANGLE HORIZON MAG HEADFREE PASSTHRU FAILSAFE GPSRESCUE ANTIGRAVITY HEADADJ CAMSTAB BEEPER LEDLOW \
    CALIB OSD TELEMETRY SERVO1 SERVO2 SERVO3 BLACKBOX AIRMODE 3D FPVANGLEMIX BLACKBOXERASE CAMERA1 CAMERA2 \
    CAMERA3 FLIPOVERAFTERCRASH PREARM BEEPGPSCOUNT VTXPITMODE PARALYZE";

/// Of Betaflight 2025.12.
const BETAFLIGHT_2025: &str = "ARM ANGLE HORIZON MAG ALTHOLD HEADFREE CHIRP PASSTHRU FAILSAFE POSHOLD GPSRESCUE ANTIGRAVITY HEADADJ \
    CAMSTAB BEEPER LEDLOW CALIB OSD TELEMETRY SERVO1 SERVO2 SERVO3 BLACKBOX AIRMODE 3D FPVANGLEMIX \
    BLACKBOXERASE CAMERA1 CAMERA2 CAMERA3 FLIPOVERAFTERCRASH PREARM";

/// Of Betaflight 2026.6.
const BETAFLIGHT_2026: &str = "ARM ANGLE HORIZON MAG ALTHOLD HEADFREE CHIRP PASSTHRU FAILSAFE POSHOLD GPSRESCUE AUTOPILOT ANTIGRAVITY \
    HEADADJ CAMSTAB BEEPER LEDLOW CALIB OSD TELEMETRY SERVO1 SERVO2 SERVO3 BLACKBOX AIRMODE 3D FPVANGLEMIX \
    BLACKBOXERASE CAMERA1 CAMERA2 CAMERA3 FLIPOVERAFTERCRASH";

/// `boxId_e` of INAV (`fc/rc_modes.h`). The first 32 are in `flightModeFlags`, the others in `flightModeFlags2`.
const INAV: &str = "ARM ANGLE HORIZON NAV_ALTHOLD HEADING_HOLD HEADFREE HEAD_ADJ CAMSTAB NAV_RTH NAV_POSHOLD MANUAL BEEPER \
    LEDS_OFF LIGHTS NAV_LAUNCH OSD_OFF TELEMETRY BLACKBOX FAILSAFE NAV_WP AIRMODE HOME_RESET GCS_NAV \
    KILLSWITCH SURFACE FLAPERON TURN_ASSIST SERVO_AUTOTRIM AUTOTUNE CAMERA_1 CAMERA_2 CAMERA_3 OSD_ALT_1 \
    OSD_ALT_2 OSD_ALT_3 NAV_COURSE_HOLD MC_BRAKING USER_1 USER_2 FPV_ANGLE_MIX LOITER_CHANGE MSP_RC_OVERRIDE \
    PREARM TURTLE NAV_CRUISE AUTO_LEVEL_TRIM WP_PLANNER SOARING USER_3 USER_4 MISSION_CHANGE BEEPER_MUTE \
    MULTI_FUNCTION MIXER_PROFILE_2 MIXER_TRANSITION ANGLE_HOLD";

/// `flightModeFlags_e` of INAV (`fc/runtime_config.h`): the modes that are flown, whichever switch or failsafe asked
/// for them.
const INAV_ACTIVE: &str = "ANGLE HORIZON HEADING_HOLD NAV_ALTHOLD NAV_RTH NAV_POSHOLD HEADFREE NAV_LAUNCH MANUAL FAILSAFE AUTOTUNE \
    NAV_WP NAV_COURSE_HOLD FLAPERON TURN_ASSIST TURTLE SOARING ANGLE_HOLD NAV_FW_AUTOLAND NAV_SEND_TO";

/// `flightModeFlags_e` of Cleanflight 1 (`fc/runtime_config.h`): modes, without a bit for armed.
const CLEANFLIGHT: &str = "ANGLE HORIZON MAG BARO GPSHOME GPSHOLD HEADFREE AUTOTUNE PASSTHRU SONAR FAILSAFE GTUNE";

/// The nearest mode of Copter by flag; of several flags the first here decides.
const NEAREST: &[(&str, u8)] = &[
    ("FLIPOVERAFTERCRASH", TURTLE),
    ("TURTLE", TURTLE),
    ("GPSRESCUE", RTL),
    ("NAV_RTH", RTL),
    ("NAV_FW_AUTOLAND", LAND),
    ("GPSHOME", RTL),
    ("FAILSAFE", LAND),
    ("NAV_WP", AUTO),
    ("AUTOPILOT", AUTO),
    ("NAV_LAUNCH", AUTO),
    ("NAV_SEND_TO", AUTO),
    ("NAV_POSHOLD", LOITER),
    ("NAV_CRUISE", LOITER),
    ("NAV_COURSE_HOLD", LOITER),
    ("POSHOLD", LOITER),
    ("GPSHOLD", LOITER),
    ("AUTOTUNE", AUTOTUNE),
    ("GTUNE", AUTOTUNE),
    ("NAV_ALTHOLD", ALT_HOLD),
    ("ALTHOLD", ALT_HOLD),
    ("BARO", ALT_HOLD),
    ("ANGLE", STABILIZE),
    ("HORIZON", STABILIZE),
];

// `Mode::Number` of ArduCopter's `mode.h`.
const STABILIZE: u8 = 0;
const ACRO: u8 = 1;
const ALT_HOLD: u8 = 2;
const AUTO: u8 = 3;
const LOITER: u8 = 5;
const RTL: u8 = 6;
const LAND: u8 = 9;
const AUTOTUNE: u8 = 15;
const TURTLE: u8 = 28;

/// The names of a firmware's mode flags.
pub(super) struct ModeFlags {
    names: Vec<&'static str>,
}

impl ModeFlags {
    /// Those of `flightModeFlags`.
    pub(super) fn of(family: Family) -> Self {
        Self::named(match family {
            Family::Inav => INAV,
            Family::Cleanflight => CLEANFLIGHT,
            // The first three flags of all of them but Cleanflight 1.
            Family::Cleanflight2 | Family::Rotorflight | Family::Other => "ARM ANGLE HORIZON",
            Family::Betaflight(version) if version >= (2026, 6) => BETAFLIGHT_2026,
            Family::Betaflight(version) if version >= (2025, 0) => BETAFLIGHT_2025,
            Family::Betaflight(version) if version >= (4, 0) => BETAFLIGHT_4,
            Family::Betaflight(version) if version >= (3, 5) => BETAFLIGHT_3_5,
            Family::Betaflight(version) if version >= (3, 3) => BETAFLIGHT_3_3,
            Family::Betaflight(version) if version >= (3, 2) => BETAFLIGHT_3_2,
            Family::Betaflight(_) => WITHOUT_ANTIGRAVITY,
        })
    }

    /// Those of INAV's `activeFlightModeFlags`.
    pub(super) fn active_of_inav() -> Self {
        Self::named(INAV_ACTIVE)
    }

    fn named(names: &'static str) -> Self {
        ModeFlags { names: names.split_ascii_whitespace().collect() }
    }

    fn is_set(&self, flags: u64, name: &str) -> Option<bool> {
        let bit = self.names.iter().position(|flag| *flag == name)?;
        Some(flags >> bit & 1 != 0)
    }

    /// Whether the flags say armed; `None` if they don't say.
    pub(super) fn is_armed(&self, flags: u64) -> Option<bool> {
        self.is_set(flags, "ARM")
    }

    /// The names of the flags, `ARM|ANGLE`. A flag without a name is its number.
    pub(super) fn text(&self, flags: u64) -> String {
        let set = (0..64).filter(|bit| flags >> bit & 1 != 0);
        let name = |bit: usize| self.names.get(bit).map_or_else(|| format!("bit {bit}"), |name| (*name).to_owned());
        let names: Vec<String> = set.map(name).collect();
        if names.is_empty() { "none".into() } else { names.join("|") }
    }

    /// The number of the nearest mode of Copter. Without a flag for a mode, the sticks command rates: ACRO.
    pub(super) fn nearest(&self, flags: u64) -> u8 {
        let set = NEAREST.iter().find(|(flag, _)| self.is_set(flags, flag) == Some(true));
        set.map_or(ACRO, |(_, mode)| *mode)
    }
}

/// `failsafePhase_e` of Betaflight and INAV (`flight/failsafe.h`).
pub(super) fn failsafe_phase(family: Family, phase: i64) -> String {
    let names = match family {
        Family::Inav => {
            "IDLE RX_LOSS_DETECTED RX_LOSS_IDLE RETURN_TO_HOME LANDING LANDED RX_LOSS_MONITORING RX_LOSS_RECOVERED"
        }
        Family::Other => "IDLE",
        Family::Betaflight(_) | Family::Cleanflight | Family::Cleanflight2 | Family::Rotorflight => {
            "IDLE RX_LOSS_DETECTED LANDING LANDED RX_LOSS_MONITORING RX_LOSS_RECOVERED GPS_RESCUE"
        }
    };
    name(names, phase)
}

/// `flightLogDisarmReason_e` of Betaflight (`fc/core.h`), and `disarmReason_t` of INAV (`fc/fc_core.h`).
pub(super) fn disarm_reason(family: Family, reason: u32) -> String {
    let names = match family {
        Family::Inav => "NONE TIMEOUT STICKS SWITCH_3D SWITCH KILLSWITCH FAILSAFE NAVIGATION LANDING",
        Family::Rotorflight | Family::Other => "",
        Family::Betaflight(_) | Family::Cleanflight | Family::Cleanflight2 => {
            "ARMING_DISABLED FAILSAFE THROTTLE_TIMEOUT STICKS SWITCH CRASH_PROTECTION RUNAWAY_TAKEOFF GPS_RESCUE \
             SERIAL_COMMAND LANDING CRASHFLIP"
        }
    };
    name(names, reason.into())
}

fn name(names: &str, number: i64) -> String {
    let known = usize::try_from(number).ok().and_then(|number| names.split_ascii_whitespace().nth(number));
    known.map_or_else(|| format!("number {number}"), |name| format!("{name} ({number})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::log::Vehicle;

    /// Flags, their text, and the name of Copter's mode.
    fn of(family: Family, flags: u64) -> (String, &'static str) {
        let of = ModeFlags::of(family);
        (of.text(flags), Vehicle::Copter.mode_name(of.nearest(flags)).expect("a mode of Copter"))
    }

    #[test]
    fn flags_by_firmware() {
        for (family, flags, text, mode) in [
            (Family::Betaflight((4, 2)), 0b1, "ARM", "ACRO"),
            (Family::Betaflight((4, 2)), 0b11, "ARM|ANGLE", "STABILIZE"),
            (Family::Betaflight((4, 5)), 1 << 7 | 1 << 20 | 1, "ARM|GPSRESCUE|AIRMODE", "RTL"),
            (Family::Betaflight((4, 3)), 1 << 6 | 1, "ARM|FAILSAFE", "LAND"),
            (Family::Betaflight((2025, 12)), 1 << 4 | 1, "ARM|ALTHOLD", "ALT_HOLD"),
            (Family::Betaflight((2026, 6)), 1 << 11, "AUTOPILOT", "AUTO"),
            (Family::Betaflight((3, 1)), 1 << 26, "FAILSAFE", "LAND"),
            (Family::Inav, 1 << 9 | 1 << 1 | 1, "ARM|ANGLE|NAV_POSHOLD", "LOITER"),
            (Family::Inav, 1 << 19, "NAV_WP", "AUTO"),
            (Family::Inav, 1 << 35 | 1, "ARM|NAV_COURSE_HOLD", "LOITER"),
            (Family::Cleanflight2, 1 << 6 | 1, "ARM|bit 6", "ACRO"),
            (Family::Cleanflight, 1, "ANGLE", "STABILIZE"),
            (Family::Cleanflight, 1 << 31, "bit 31", "ACRO"),
            (Family::Betaflight((4, 5)), 0, "none", "ACRO"),
            (Family::Other, 0b1011, "ARM|ANGLE|bit 3", "STABILIZE"),
        ] {
            assert_eq!(of(family, flags), (text.to_owned(), mode));
        }
    }

    #[test]
    fn armed_by_firmware() {
        assert_eq!(ModeFlags::of(Family::Betaflight((4, 5))).is_armed(1), Some(true));
        assert_eq!(ModeFlags::of(Family::Inav).is_armed(2), Some(false));
        assert_eq!(ModeFlags::of(Family::Cleanflight).is_armed(1), None);
    }
}
