//! What the autopilot itself says: failsafes and errors.

use super::{Evidence, Finding, Flight, Rule, Sensor};
use crate::counted::counted;
use crate::report::words::sentence;
use std::collections::BTreeMap;

/// AP_Logger's LogErrorSubsystem, and whether it is one of a failsafe.
const SUBSYSTEMS: [(u32, &str, bool); 31] = [
    (1, "main loop", false),
    (2, "radio", false),
    (3, "compass", false),
    (4, "optical flow", false),
    (5, "radio failsafe", true),
    (6, "battery failsafe", true),
    (7, "GPS failsafe", true),
    (8, "ground station failsafe", true),
    (9, "fence failsafe", true),
    (10, "flight mode", false),
    (11, "GPS", false),
    (12, "crash check", false),
    (13, "flip", false),
    (14, "autotune", false),
    (15, "parachute", false),
    (16, "EKF check", false),
    (17, "EKF failsafe", true),
    (18, "barometer", false),
    (19, "CPU failsafe", true),
    (20, "ADSB failsafe", true),
    (21, "terrain", false),
    (22, "navigation", false),
    (23, "terrain failsafe", true),
    (EKF_PRIMARY, "EKF core", false),
    (25, "thrust loss check", false),
    (26, "sensor failsafe", true),
    (27, "leak failsafe", true),
    (28, "pilot input", false),
    (29, "vibration failsafe", true),
    (30, "internal error", false),
    (31, "dead reckoning failsafe", true),
];

/// Changes of the core in use belong to another rule.
const EKF_PRIMARY: u32 = 24;

/// ArduPilot's ModeReason, those of failsafes.
const REASONS: [(u32, &str); 11] = [
    (3, "radio failsafe"),
    (4, "battery failsafe"),
    (5, "ground station failsafe"),
    (6, "EKF failsafe"),
    (10, "fence breached"),
    (11, "terrain failsafe"),
    (19, "crash failsafe"),
    (25, "failsafe"),
    (29, "leak failsafe"),
    (50, "dead reckoning failsafe"),
    (51, "take-off failsafe"),
];

/// AP_Logger's LogErrorCode. Of a flight mode, the code is the mode's number; of a fence, each bit is a limit.
fn code_text(subsystem: u32, code: u32) -> String {
    match (subsystem, code) {
        (1, 1) => "late sensors".into(),
        (9, limits) => {
            let names = ["maximum altitude", "circle", "polygon", "minimum altitude"];
            let broken = (0..).zip(names).filter(|(bit, _)| limits >> bit & 1 != 0);
            broken.map(|(_, name)| name).collect::<Vec<_>>().join(" and ")
        }
        (10, mode) => format!("mode {mode} was refused"),
        (11, 2) => "glitch".into(),
        (12, 1) => "crash into the ground".into(),
        (12, 2) => "loss of control".into(),
        (16, 2) => "bad variance".into(),
        (18, 2) => "glitch".into(),
        (2, 2) => "late frame".into(),
        (22, 2) => "a destination was refused".into(),
        (22, 3) => "RTL began again".into(),
        (22, 4) => "circling was refused".into(),
        (22, 5) => "the destination is outside of the fence".into(),
        (25 | 30, 1) => "occurred".into(),
        (_, 1) if SUBSYSTEMS.iter().any(|(number, _, is_failsafe)| *number == subsystem && *is_failsafe) => {
            "occurred".into()
        }
        (_, 1) => "failed to start".into(),
        (_, 4) => "unhealthy".into(),
        (_, code) => format!("code {code}"),
    }
}

/// The records of ERR while the vehicle was armed whose subsystem is chosen, with what they say. A code of 0 says that
/// something is resolved.
fn errors(flight: &Flight<'_>, sensor: &Sensor<'_>, is_chosen: impl Fn(u32, bool) -> bool) -> Vec<Evidence> {
    let (Some(subsystems), Some(codes)) = (sensor.column("Subsys"), sensor.column("ECode")) else { return Vec::new() };
    let mut found = Vec::new();
    for (row, (subsystem, code)) in subsystems.iter().zip(codes).enumerate() {
        let (subsystem, code) = (*subsystem as u32, *code as u32);
        let known = SUBSYSTEMS.iter().find(|(number, ..)| *number == subsystem);
        let (name, is_failsafe) =
            known.map_or_else(|| (format!("subsystem {subsystem}"), false), |(_, name, is)| ((*name).to_owned(), *is));
        if code > 0 && is_chosen(subsystem, is_failsafe) && flight.armed.contains(sensor.times_us[row]) {
            let text = format!("{name}: {}", code_text(subsystem, code));
            found.push(Evidence::of_row(flight, sensor, row).with_text(text));
        }
    }
    found
}

/// A finding of events, which are listed in the order of time.
fn of_events(rule: &Rule, flight: &Flight<'_>, events: Vec<Evidence>) -> Vec<Finding> {
    let limit = flight.rules.threshold(rule);
    if events.is_empty() || (events.len() as f64) < limit {
        return Vec::new();
    }
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    events.iter().filter_map(|event| event.text.as_deref()).for_each(|text| *counts.entry(text).or_default() += 1);
    let text = |(text, count): (&&str, &u64)| {
        if *count == 1 { (*text).to_owned() } else { format!("{text} ({})", counted(*count, "time")) }
    };
    let texts: Vec<String> = counts.iter().take(5).map(text).collect();
    let more = if counts.len() > 5 { ", …" } else { "" };
    let at_s = events[0].at_s;
    let summary = format!("{}{more}; the first at {at_s:.1} s.", sentence(&texts.join(", ")));
    let first = events.first().cloned();
    let (count, curves) = (events.len() as f64, Vec::new());
    vec![Finding::new(rule, summary, count, limit, "events").severe_if(true).at(events).shown(
        flight,
        first.as_ref(),
        curves,
        None,
    )]
}

pub(in crate::report) fn error(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let log = flight.session.ardupilot()?;
    // A log of today's firmware defines ERR, and has none if nothing failed.
    log.rows("ERR").ok()?;
    let sensors = flight.sensors(&["ERR"], &["Subsys", "ECode"]);
    let events = |sensor| errors(flight, sensor, |subsystem, is_failsafe| !is_failsafe && subsystem != EKF_PRIMARY);
    Some(of_events(rule, flight, sensors.iter().flat_map(events).collect()))
}

pub(in crate::report) fn failsafe(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let mut events = Vec::new();
    let Some(log) = flight.session.ardupilot() else {
        let frames = flight.frames("slow", &["failsafePhase", "rxSignalReceived"])?;
        for (label, is_wrong, text) in [
            ("failsafePhase", (|value: f64| value > 0.0) as fn(f64) -> bool, "failsafe of the receiver"),
            ("rxSignalReceived", |value| value == 0.0, "no signal of the receiver"),
        ] {
            let values = frames.column(label).unwrap_or_default();
            let begins = |row: &usize| {
                let wrong = |row: usize| is_wrong(values[row]) && flight.armed.contains(frames.times_us[row]);
                wrong(*row) && row.checked_sub(1).is_none_or(|before| !wrong(before))
            };
            let begun = (0..values.len()).filter(begins);
            events.extend(begun.map(|row| Evidence::of_row(flight, &frames, row).with_text(text)));
        }
        events.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        return Some(of_events(rule, flight, events));
    };
    if ["ERR", "MODE", "MSG"].iter().all(|name| log.rows(name).is_err()) {
        return None;
    }
    for sensor in flight.sensors(&["ERR"], &["Subsys", "ECode"]) {
        events.extend(errors(flight, &sensor, |_, is_failsafe| is_failsafe));
    }
    for sensor in flight.sensors(&["MODE"], &["Rsn"]) {
        for (row, reason) in sensor.column("Rsn").unwrap_or_default().iter().enumerate() {
            let known = REASONS.iter().find(|(number, _)| f64::from(*number) == *reason);
            if let Some((_, name)) = known.filter(|_| flight.armed.contains(sensor.times_us[row])) {
                let mode = flight.modes.iter().find(|mode| mode.time_us.start == sensor.times_us[row]);
                let name = mode.map_or_else(|| (*name).to_owned(), |mode| format!("{name}: mode {}", mode.name));
                events.push(Evidence::of_row(flight, &sensor, row).with_text(name));
            }
        }
    }
    // ArduPlane logs no ERR.
    for (time_us, text) in flight.texts() {
        let is_failsafe = ["Failsafe. Short event on", "Failsafe. Long event on"].iter().any(|on| text.starts_with(on));
        if is_failsafe && flight.armed.contains(*time_us) {
            let at_s = *time_us as f64 / 1e6;
            events.push(Evidence::of_time(at_s, at_s).with_text(text.as_str()));
        }
    }
    events.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    Some(of_events(rule, flight, events))
}
