//! The rules: what each means, where its limits come from, and the file by which a user changes them.

use super::checks::{battery, blackbox, compass, ekf, failsafes, gps, health, motors, tracking, vibration};
use super::finding::Finding;
use super::flight::Flight;
use crate::one_line::on_one_line;
use crate::outcome::Failure;
use crate::suggest;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A rule.
#[derive(Serialize)]
pub struct Rule {
    /// Its name, in JSON and in a file of limits.
    pub name: &'static str,
    /// The heading of what it finds.
    pub title: &'static str,
    /// What a finding means, and what to do.
    pub meaning: &'static str,
    /// Its numbers. The first one is the limit that makes a finding.
    pub limits: &'static [Limit],
    /// Where the limits come from.
    pub source: &'static str,
    /// The columns that it reads.
    pub needs: &'static str,
    /// The logs that it is for.
    pub formats: Formats,
    /// The rules that may find something for the same reason.
    pub brings: &'static [&'static str],
    #[serde(skip)]
    pub(super) check: Check,
}

/// Applies a rule: `None` if the log lacks what the rule needs.
type Check = fn(&Flight<'_>, &Rule) -> Option<Vec<Finding>>;

/// A number of a rule.
#[derive(Serialize)]
pub struct Limit {
    /// Its name in a file of limits: `vibration.seconds`.
    pub name: &'static str,
    /// Its value, unless the file has another.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
}

/// The formats of a rule.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Formats {
    /// ArduPilot logs.
    ArduPilot,
    /// Blackbox logs.
    Blackbox,
    /// All logs.
    Both,
}

impl Formats {
    /// Whether logs of a format are among them.
    pub fn has(self, is_ardupilot: bool) -> bool {
        match self {
            Formats::ArduPilot => is_ardupilot,
            Formats::Blackbox => !is_ardupilot,
            Formats::Both => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Formats::ArduPilot => "ArduPilot",
            Formats::Blackbox => "Blackbox",
            Formats::Both => "both",
        }
    }
}

const fn limit(name: &'static str, value: f64, unit: &'static str) -> Limit {
    Limit { name, value, unit }
}

/// The limit that makes a finding.
const THRESHOLD: &str = "threshold";
/// From this value on, a finding is a problem and not a warning.
const SEVERE: &str = "severe";
/// How long it must last.
pub(super) const SECONDS: &str = "seconds";

/// What several rules read.
const MOTORS: &str = "RCOU of the motors (SERVOn_FUNCTION 33 to 40), or motor of Blackbox logs";
const TIMES: &str = "times of the records";
pub(super) const NOTHING: &str = "nothing";

/// All rules.
pub const RULES: &[Rule] = &[
    Rule {
        name: "vibration",
        title: "The frame shakes the autopilot",
        meaning: "Strong vibration makes the estimates of height and position wrong. Balance the propellers, look \
                  for loose parts, and mount the autopilot softly.",
        limits: &[limit(THRESHOLD, 30.0, "m/s/s"), limit(SEVERE, 60.0, "m/s/s"), limit(SECONDS, 1.0, "s")],
        source: "ArduPilot's docs, Measuring Vibration: below 30 is normally acceptable, above 60 nearly always a \
                 problem",
        needs: "VIBE.VibeX, VibeY, VibeZ",
        formats: Formats::ArduPilot,
        brings: &["clipping", "ekf-innovation", "ekf-lane", "failsafe"],
        check: vibration::vibration,
    },
    Rule {
        name: "clipping",
        title: "An accelerometer reached its limit",
        meaning: "Accelerations beyond the sensor's range were cut off, so the autopilot computes a wrong speed. A \
                  loose or hard mounted autopilot, or a part that hits the frame, causes it.",
        limits: &[limit(THRESHOLD, 100.0, "samples"), limit(SEVERE, 1000.0, "samples")],
        source: "ArduPilot's docs, Measuring Vibration: below 100 in a flight is likely fine",
        needs: "VIBE.Clip, or VIBE.Clip0, Clip1, Clip2",
        formats: Formats::ArduPilot,
        brings: &["ekf-innovation", "ekf-lane"],
        check: vibration::clipping,
    },
    Rule {
        name: "gps-glitch",
        title: "The GPS position jumped",
        meaning: "The position moved further than the vehicle can have flown. Buildings, a bad antenna or \
                  interference cause it; the vehicle may fly after such a jump.",
        limits: &[limit(THRESHOLD, 5.0, "m"), limit(SEVERE, 25.0, "m"), limit("acceleration", 10.0, "m/s/s")],
        source: "ArduPilot's docs, GPS Failsafe and Glitch Protection: 5 m and 10 m/s/s; EK3_GLITCH_RAD: 25 m",
        needs: "GPS.Status, Lat, Lng, Spd",
        formats: Formats::ArduPilot,
        brings: &["ekf-innovation", "ekf-lane", "error", "failsafe", "tracking-error"],
        check: gps::glitch,
    },
    Rule {
        name: "gps-lost",
        title: "The GPS lost its position",
        meaning: "The receiver had a position and lost it in flight. Look at the antenna's view of the sky, its \
                  cable, and transmitters near it.",
        limits: &[limit(THRESHOLD, 1.0, "s in all"), limit(SEVERE, 5.0, "s in all")],
        source: "AP_GPS: a Status of 3 is a 3D fix; NavEKF3 times out after some seconds without one",
        needs: "GPS.Status",
        formats: Formats::ArduPilot,
        brings: &["gps-glitch", "ekf-innovation", "error", "failsafe"],
        check: gps::lost,
    },
    Rule {
        name: "gps-dilution",
        title: "The GPS saw too few satellites",
        meaning: "With few satellites, or satellites in one part of the sky, the position may be metres off. Wait \
                  longer before take-off, and keep the antenna clear.",
        limits: &[limit(THRESHOLD, 2.0, "HDop"), limit("satellites", 6.0, "satellites"), limit(SECONDS, 1.0, "s")],
        source: "ArduPilot's docs, Diagnosing problems using Logs: an HDop above 2; NavEKF3 needs 6 satellites to \
                 align",
        needs: "GPS.HDop, or GPS.NSats",
        formats: Formats::ArduPilot,
        brings: &["gps-glitch", "gps-lost", "ekf-innovation"],
        check: gps::dilution,
    },
    Rule {
        name: "ekf-innovation",
        title: "The estimator doubted its sensors",
        meaning: "A sensor disagreed with the estimated motion; at 1, its measurements are rejected. SV is velocity, \
                  SP position, SH height, SM the compass. Look at that sensor.",
        limits: &[limit(THRESHOLD, 0.8, ""), limit(SEVERE, 1.0, ""), limit(SECONDS, 1.0, "s")],
        source: "ArduPilot's FS_EKF_THRESH: 0.8 for 1 s; AP_NavEKF3's XKF4: from 1 on, measurements are rejected",
        needs: "XKF4.SV, SP, SH, SM, or those of NKF4 or EKF4",
        formats: Formats::ArduPilot,
        brings: &["ekf-lane", "error", "failsafe"],
        check: ekf::innovation,
    },
    Rule {
        name: "ekf-lane",
        title: "The estimator changed its sensors in flight",
        meaning: "The autopilot gave up the estimator that it used and took another one, with another IMU. The one \
                  that it left had the larger errors.",
        limits: &[limit(THRESHOLD, 1.0, "changes")],
        source: "AP_NavEKF3: the primary core (PI) stays the same in a sound flight; ERR subsystem 24, EKF_PRIMARY",
        needs: "XKF4.PI or NKF4.PI",
        formats: Formats::ArduPilot,
        brings: &[],
        check: ekf::lane,
    },
    Rule {
        name: "battery-sag",
        title: "The battery's voltage was low",
        meaning: "Below this voltage, a battery is nearly empty, too small, or worn. The motors lose thrust, and the \
                  vehicle may come down.",
        limits: &[limit(THRESHOLD, 3.5, "V a cell"), limit(SEVERE, 3.3, "V a cell"), limit(SECONDS, 10.0, "s")],
        source: "ArduPilot's BATT_LOW_VOLT (10.5 V of 3 cells), BATT_LOW_TIMER (10 s), MOT_BAT_VOLT_MIN (3.3 V a \
                 cell)",
        needs: "BAT.Volt or CURR.Volt; of Blackbox logs vbatLatest or vbat",
        formats: Formats::Both,
        brings: &["motor-saturation", "failsafe", "tracking-error"],
        check: battery::sag,
    },
    Rule {
        name: "battery-resistance",
        title: "The battery has a high resistance",
        meaning: "The voltage falls more with the current than it should. The battery is worn, too small or cold, or \
                  a plug or a wire is bad.",
        limits: &[
            limit(THRESHOLD, 20.0, "mOhm a cell"),
            limit(SEVERE, 40.0, "mOhm a cell"),
            limit("current", 2.0, "A"),
        ],
        source: "binlog: at 40 A, 20 mOhm lose 0.8 V a cell, what is between full (4.2 V) and low (3.4 V)",
        needs: "BAT.Volt and Curr, or CURR.Volt and Curr; of Blackbox logs vbatLatest and amperageLatest",
        formats: Formats::Both,
        brings: &["battery-sag", "motor-saturation", "failsafe"],
        check: battery::resistance,
    },
    Rule {
        name: "compass-throttle",
        title: "The motors disturb the compass",
        meaning: "The magnetic field changes with the throttle, so the heading is wrong when the motors draw \
                  current. Move the compass away from wires and motors, or calibrate it with the motors \
                  (COMPASS_MOTCT).",
        limits: &[limit(THRESHOLD, 30.0, "%"), limit(SEVERE, 60.0, "%"), limit("correlation", 0.5, "")],
        source: "ArduPilot's docs, Magnetic Interference: up to 30 % of the field is acceptable, above 60 % is bad",
        needs: "MAG.MagX, MagY, MagZ, and CTUN.ThO, CTUN.ThrOut or RCOU",
        formats: Formats::ArduPilot,
        brings: &["ekf-innovation", "ekf-lane", "error", "tracking-error"],
        check: compass::throttle,
    },
    Rule {
        name: "motor-balance",
        title: "One motor works harder than another",
        meaning: "In a balanced vehicle, all motors run at about the same output. A bad motor or propeller, a \
                  twisted arm, or a centre of gravity that is off makes one work harder.",
        limits: &[limit(THRESHOLD, 150.0, "us"), limit(SEVERE, 300.0, "us"), limit(SECONDS, 10.0, "s")],
        source: "ArduPilot's docs, Diagnosing problems using Logs: motors diverge before a failure; 150 of 1000 us: \
                 binlog",
        needs: MOTORS,
        formats: Formats::Both,
        brings: &["motor-saturation", "tracking-error"],
        check: motors::balance,
    },
    Rule {
        name: "motor-saturation",
        title: "A motor was at its limit",
        meaning: "A motor that is at its maximum can't correct the attitude any more. The vehicle is too heavy, the \
                  battery too weak, the tune too aggressive, or something is broken.",
        limits: &[limit(THRESHOLD, 99.0, "%"), limit(SECONDS, 1.0, "s"), limit(SEVERE, 5.0, "s")],
        source: "ArduPilot's thrust loss check: at the limit for 1 s; 100 % is MOT_SPIN_MAX or motorOutput",
        needs: MOTORS,
        formats: Formats::Both,
        brings: &["tracking-error"],
        check: motors::saturation,
    },
    Rule {
        name: "failsafe",
        title: "A failsafe took over",
        meaning: "The autopilot decided by itself to come home, land or stop, because a link, a battery or a sensor \
                  failed. The text says which.",
        limits: &[limit(THRESHOLD, 1.0, "events")],
        source: "AP_Logger's LogErrorSubsystem and ModeReason; Betaflight's failsafePhase and rxSignalReceived",
        needs: "ERR, MODE.Rsn or MSG; of Blackbox logs failsafePhase or rxSignalReceived",
        formats: Formats::Both,
        brings: &[],
        check: failsafes::failsafe,
    },
    Rule {
        name: "error",
        title: "The autopilot reported an error",
        meaning: "The autopilot said itself that something failed. The text says what.",
        limits: &[limit(THRESHOLD, 1.0, "events")],
        source: "AP_Logger's LogErrorSubsystem and LogErrorCode",
        needs: "ERR",
        formats: Formats::ArduPilot,
        brings: &["failsafe", "ekf-lane"],
        check: failsafes::error,
    },
    Rule {
        name: "tracking-error",
        title: "The vehicle didn't follow its controller",
        meaning: "Roll or pitch differed from what the controller wanted. A motor or propeller failed, the vehicle \
                  hit something, the wind was too strong, or the tune is too weak.",
        limits: &[limit(THRESHOLD, 15.0, "deg"), limit(SEVERE, 30.0, "deg"), limit(SECONDS, 0.5, "s")],
        source: "ArduCopter's crash check: 30 deg (CRASH_CHECK_ANGLE_DEVIATION_DEG); half of it: binlog",
        needs: "ATT.DesRoll, Roll, DesPitch, Pitch",
        formats: Formats::ArduPilot,
        brings: &["error"],
        check: tracking::attitude,
    },
    Rule {
        name: "log-drops",
        title: "The logger dropped records",
        meaning: "The card was too slow, so records are missing, and what they had is unknown. Take a faster card, \
                  or log less.",
        limits: &[limit(THRESHOLD, 1.0, "records"), limit(SEVERE, 1.0, "%")],
        source: "AP_Logger's DSF.Dp, binlog's DROP: a sound log has none",
        needs: "DSF.Dp or DROP.Dropped",
        formats: Formats::ArduPilot,
        brings: &["log-gap", "log-silence", "log-stall"],
        check: health::drops,
    },
    Rule {
        name: "log-gap",
        title: "Nothing was logged for a while",
        meaning: "For this time nothing is known. The card stalled, or the autopilot did.",
        limits: &[limit(THRESHOLD, 1.0, "s"), limit(SEVERE, 5.0, "s")],
        source: "binlog: every autopilot logs something each second; as `info` counts gaps",
        needs: TIMES,
        formats: Formats::Both,
        brings: &["log-stall"],
        check: health::gap,
    },
    Rule {
        name: "log-silence",
        title: "A sensor stopped logging",
        meaning: "A sensor that logged regularly was silent while others weren't. It failed, or its wire did.",
        limits: &[limit(THRESHOLD, 1.0, "s"), limit(SEVERE, 5.0, "s")],
        source: "binlog: at least 10 missed records, as `info` finds silences",
        needs: TIMES,
        formats: Formats::ArduPilot,
        brings: &["log-stall"],
        check: health::silence,
    },
    Rule {
        name: "log-stall",
        title: "The autopilot or its logger paused",
        meaning: "What is logged many times a second paused. If the autopilot's loop paused, nobody flew the vehicle \
                  in this time; if only the logger did, the card was slow.",
        limits: &[limit(THRESHOLD, 0.1, "s"), limit(SEVERE, 0.5, "s")],
        source: "binlog: at 0.1 s, a multicopter of a few kilograms has fallen by 5 cm without control",
        needs: "RATE, IMU or ATT at 20 Hz or more, or main frames; PM.MaxT",
        formats: Formats::Both,
        brings: &[],
        check: health::stall,
    },
    Rule {
        name: "log-damage",
        title: "A part of the log can't be read",
        meaning: "Bytes of the log are damaged or missing, and with them what they had. `binlog check` says more, \
                  `binlog repair` keeps the rest.",
        limits: &[limit(THRESHOLD, 1.0, "places"), limit(SEVERE, 1.0, "%")],
        source: "binlog: a sound log has none; as `check` counts damage",
        needs: NOTHING,
        formats: Formats::Both,
        brings: &["log-gap", "log-silence", "log-stall"],
        check: health::damage,
    },
    Rule {
        name: "gyro-noise",
        title: "The gyroscopes are noisy after the filters",
        meaning: "Noise above 100 Hz reaches the controller: motors run hot, and the vehicle flies worse. Look for \
                  bent propellers, loose screws and bad bearings before you filter more.",
        limits: &[limit(THRESHOLD, 15.0, "deg/s"), limit(SEVERE, 30.0, "deg/s"), limit("frequency", 100.0, "Hz")],
        source: "binlog, by logs of sound vehicles, which have 1 to 5 deg/s; Betaflight's dyn_notch_min_hz: 100 Hz",
        needs: "gyroADC at 400 Hz or more",
        formats: Formats::Blackbox,
        brings: &["motor-saturation"],
        check: blackbox::noise,
    },
    Rule {
        name: "gyro-filters",
        title: "The filters leave most of the noise",
        meaning: "The gyroscopes are noisy, and the filters remove less than half of it. Set up RPM and dynamic \
                  notch filters.",
        limits: &[limit(THRESHOLD, 50.0, "%"), limit("noise", 15.0, "deg/s"), limit("frequency", 100.0, "Hz")],
        source: "binlog: filters that leave half of the noise delay and don't help; the noise is that of gyro-noise",
        needs: "gyroUnfilt and gyroADC at 400 Hz or more",
        formats: Formats::Blackbox,
        brings: &["gyro-noise"],
        check: blackbox::filters,
    },
    Rule {
        name: "desync",
        title: "A motor may have lost its synchronisation",
        meaning: "One motor was driven to its maximum while the vehicle turned differently from what the pilot \
                  wanted: the motor didn't obey, as after a desync of its ESC, or its propeller broke.",
        limits: &[limit(THRESHOLD, 200.0, "deg/s"), limit(SECONDS, 0.1, "s"), limit("output", 95.0, "%")],
        source: "Betaflight's docs on desyncs: a motor at full output beside a rotation that nobody wanted",
        needs: "motor, gyroADC and setpoint (or axisError)",
        formats: Formats::Blackbox,
        brings: &["motor-saturation", "motor-balance"],
        check: blackbox::desync,
    },
];

/// The limits of all rules, and which are on.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Rules {
    /// Rule, limit and value, as a user gave them.
    given: Vec<(&'static str, &'static str, f64)>,
    off: Vec<&'static str>,
}

/// What switches a rule on or off in a file.
const ENABLED: &str = "enabled";

impl Rules {
    /// Reads a file of limits: lines `NAME.LIMIT = NUMBER` and `NAME.enabled = false`; a `#` begins a comment. Such a
    /// file is TOML, too.
    ///
    /// # Errors
    ///
    /// For a line that is neither, with a suggestion for an unknown name, and for a limit that is given twice. `name`
    /// is the file.
    pub fn of_text(name: &str, text: &str) -> Result<Self, Failure> {
        let (mut rules, mut keys) = (Rules::default(), BTreeSet::new());
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (i, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                let wrong = |wrong: String| Failure::new(format_args!("{name}, line {}: {wrong}", i + 1));
                let (rule, limit) = rules.add(line).map_err(wrong)?;
                if !keys.insert((rule, limit)) {
                    return Err(wrong(format!("{rule}.{limit} is given twice; leave one out")));
                }
            }
        }
        Ok(rules)
    }

    /// Takes a line. Returns the names of its rule and limit.
    fn add(&mut self, line: &str) -> Result<(&'static str, &'static str), String> {
        let shown = on_one_line(line);
        let parts = line.split_once('=').and_then(|(key, value)| Some((key.trim().split_once('.')?, value.trim())));
        let parts = parts.map(|((name, limit), value)| (name.trim_end(), limit.trim_start(), value));
        let Some((name, limit, value)) = parts else {
            return Err(format!(
                "`{shown}` is not a limit; write `vibration.threshold = 30`, or `error.enabled = false`"
            ));
        };
        let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
            let hint = suggest::hint(name, "the rules are", RULES.iter().map(|rule| rule.name));
            return Err(format!("there is no rule `{}`; {hint}", on_one_line(name)));
        };
        if limit == ENABLED {
            match value {
                "true" => {}
                "false" => self.off.push(rule.name),
                _ => return Err(format!("`{shown}`: {name}.{ENABLED} is true or false")),
            }
            return Ok((rule.name, ENABLED));
        }
        let known = || rule.limits.iter().map(|limit| limit.name).chain([ENABLED]);
        let Some(found) = rule.limits.iter().find(|known| known.name == limit) else {
            let hint = suggest::hint(limit, &format!("{name} has"), known().collect::<Vec<_>>());
            return Err(format!("{name} has no limit `{}`; {hint}", on_one_line(limit)));
        };
        match value.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => self.given.push((rule.name, found.name, value)),
            _ => return Err(format!("`{shown}`: a limit is a number from 0 on, in {}", unit_or(found.unit))),
        }
        Ok((rule.name, found.name))
    }

    /// Whether a rule is applied.
    pub fn is_on(&self, rule: &str) -> bool {
        !self.off.contains(&rule)
    }

    /// The value of a limit of a rule: the one that the user gave, or that of the table.
    pub(super) fn limit(&self, rule: &Rule, limit: &str) -> f64 {
        let given = self.given.iter().find(|(name, of, _)| *name == rule.name && *of == limit);
        let of_table = || rule.limits.iter().find(|known| known.name == limit).map(|limit| limit.value);
        given.map(|(_, _, value)| *value).or_else(of_table).unwrap_or(f64::INFINITY)
    }

    /// The limits of a rule that the user has changed, for a text.
    pub(super) fn own_limits(&self, rule: &Rule) -> Option<String> {
        let own = self.given.iter().filter(|(name, ..)| *name == rule.name);
        let own: Vec<String> = own.map(|(_, limit, value)| format!("{limit} = {value}")).collect();
        (!own.is_empty()).then(|| own.join(", "))
    }

    pub(super) fn threshold(&self, rule: &Rule) -> f64 {
        self.limit(rule, THRESHOLD)
    }

    pub(super) fn severe(&self, rule: &Rule) -> f64 {
        self.limit(rule, SEVERE)
    }

    pub(super) fn seconds(&self, rule: &Rule) -> f64 {
        self.limit(rule, SECONDS)
    }
}

fn unit_or(unit: &str) -> &str {
    if unit.is_empty() { "no unit" } else { unit }
}

/// The table of rules as Markdown, for the guide.
pub fn markdown() -> String {
    let heads = ["rule", "finds", "limits", "needs", "logs", "may bring along", "limits are from"];
    let mut table = format!("| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len()));
    for Rule { name, title, limits, needs, formats, brings, source, .. } in RULES {
        let limits: Vec<String> = limits.iter().map(|limit| limit.text()).collect();
        let brings = if brings.is_empty() { "–".to_owned() } else { brings.join(", ") };
        let (limits, formats) = (limits.join(", "), formats.name());
        // Writing to a `String` doesn't fail.
        let _ = writeln!(table, "| `{name}` | {title} | {limits} | {needs} | {formats} | {brings} | {source} |");
    }
    table
}

impl Limit {
    /// `threshold 30 m/s/s`.
    fn text(&self) -> String {
        let Limit { name, value, unit } = self;
        format!("{name} {value}{}{unit}", if unit.is_empty() { "" } else { " " })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_limits_and_switches_rules_off() {
        let text = "# ours\nvibration.threshold=20 # softer\n\nerror.enabled = false\n";
        let rules = Rules::of_text("ours.txt", text).expect("limits");
        assert_eq!(rules.threshold(&RULES[0]), 20.0);
        assert_eq!(rules.severe(&RULES[0]), 60.0);
        assert!(!rules.is_on("error") && rules.is_on("vibration"));
    }

    #[test]
    fn a_wrong_line_has_the_nearest_name() {
        for (text, wrong) in [
            ("\nvibraton.threshold = 1", "f, line 2: there is no rule `vibraton`; did you mean `vibration`?"),
            ("vibration.treshold = 1", "f, line 1: vibration has no limit `treshold`; did you mean `threshold`?"),
            ("vibration.threshold = high", "`vibration.threshold = high`: a limit is a number from 0 on, in m/s/s"),
            ("vibration.threshold = NaN", "a limit is a number"),
            ("vibration = off", "`vibration = off` is not a limit; write"),
            ("error.enabled = no", "error.enabled is true or false"),
        ] {
            let failure = Rules::of_text("f", text).expect_err(text).to_string();
            assert!(failure.contains(wrong), "{failure}");
        }
    }

    #[test]
    fn consequences_are_rules_and_names_are_distinct() {
        for (i, rule) in RULES.iter().enumerate() {
            assert!(RULES[..i].iter().all(|other| other.name != rule.name), "{}", rule.name);
            assert_eq!(rule.limits[0].name, THRESHOLD, "{}", rule.name);
            for brought in rule.brings {
                assert!(RULES.iter().any(|other| other.name == *brought), "{} brings {brought}", rule.name);
            }
        }
    }
}
