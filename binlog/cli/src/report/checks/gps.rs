//! Satellite receivers: jumps, lost fixes, dilution.

use super::{Bound, Candidate, Evidence, Finding, Flight, Rule, Sensor, Side, beyond, beyond_for, bound, short};
use crate::counted::counted;

const TYPES: [&str; 4] = ["GPS", "GPS2", "GPSB", "GPS3"];

/// The Status of a fix in three dimensions.
const FIX: f64 = 3.0;

/// Fixes further apart than this, in seconds, say nothing about a jump.
const LONGEST_STEP_S: f64 = 2.0;

pub(in crate::report) fn glitch(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let sensors = flight.sensors(&TYPES, &["Status", "Lat", "Lng", "Spd"]);
    let mut is_there = false;
    let mut jumps: Vec<(f64, usize, &Sensor<'_>)> = Vec::new();
    let (limit, severe) = (flight.rules.threshold(rule), flight.rules.severe(rule));
    let acceleration = flight.rules.limit(rule, "acceleration");
    for sensor in &sensors {
        let column = |label| sensor.column(label);
        let [Some(status), Some(latitudes), Some(longitudes), Some(speeds)] =
            ["Status", "Lat", "Lng", "Spd"].map(column)
        else {
            continue;
        };
        is_there = true;
        for row in 1..status.len() {
            let step_s = sensor.times_us[row].saturating_sub(sensor.times_us[row - 1]) as f64 / 1e6;
            let has_fix = |row: usize| status[row] >= FIX && (latitudes[row] != 0.0 || longitudes[row] != 0.0);
            let is_step = step_s > 0.0 && step_s <= LONGEST_STEP_S && has_fix(row - 1) && has_fix(row);
            if !is_step || !flight.armed.contains(sensor.times_us[row]) {
                continue;
            }
            let place = |row: usize| (latitudes[row], longitudes[row]);
            let flown = speeds[row - 1].max(speeds[row]) * step_s + 0.5 * acceleration * step_s * step_s;
            let excess = distance(place(row - 1), place(row)) - flown;
            if excess > limit {
                jumps.push((excess, row, sensor));
            }
        }
    }
    if !is_there {
        return None;
    }
    jumps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some(&(worst, row, sensor)) = jumps.first() else { return Some(Vec::new()) };
    let place =
        |&(excess, row, sensor): &(f64, usize, &Sensor<'_>)| Evidence::of_row(flight, sensor, row).with_value(excess);
    let places: Vec<Evidence> = jumps.iter().map(place).collect();
    let jumped = counted(jumps.len() as u64, "time");
    let at_s = sensor.times_us[row] as f64 / 1e6;
    let summary = format!(
        "The position of {} jumped {jumped}, most of all at {at_s:.1} s, by {} m more than the vehicle can have flown.",
        sensor.name,
        short(worst)
    );
    let first = places.first().cloned();
    // Degrees don't show a jump: metres north and east of the place before it do.
    let near = metres(sensor, row - 1);
    let curves = near.iter().map(Candidate::curve).collect();
    let finding = Finding::new(rule, summary, worst, limit, "m")
        .severe_if(worst >= severe)
        .at(places)
        .of_columns(vec![sensor.name_of("Lat"), sensor.name_of("Lng")])
        .shown(flight, first.as_ref(), curves, None);
    Some(vec![finding])
}

/// Metres a degree of latitude.
const DEGREE_M: f64 = 111_319.5;

/// The distance of two near places, in metres.
fn distance((a_lat, a_lng): (f64, f64), (b_lat, b_lng): (f64, f64)) -> f64 {
    let north = (b_lat - a_lat) * DEGREE_M;
    let east = across(a_lng, b_lng) * DEGREE_M * a_lat.to_radians().cos();
    north.hypot(east)
}

/// The degrees of longitude from one to the other, the short way.
fn across(from: f64, to: f64) -> f64 {
    (to - from + 540.0).rem_euclid(360.0) - 180.0
}

/// The places in metres north and east of that in a row; missing without a fix.
fn metres<'c, 's>(sensor: &'c Sensor<'s>, origin: usize) -> Vec<Candidate<'c, 's>> {
    let columns = ["Status", "Lat", "Lng"].map(|label| sensor.column(label).unwrap_or_default());
    let [status, latitudes, longitudes] = columns;
    let (latitude, longitude) = (latitudes[origin], longitudes[origin]);
    let fixed = |value: f64, row: usize| if status[row] >= FIX { value } else { f64::NAN };
    let north =
        latitudes.iter().enumerate().map(|(row, of)| fixed((of - latitude) * DEGREE_M, row)).collect::<Vec<_>>();
    let to_metres = DEGREE_M * latitude.to_radians().cos();
    let east = longitudes
        .iter()
        .enumerate()
        .map(|(row, of)| fixed(across(longitude, *of) * to_metres, row))
        .collect::<Vec<_>>();
    let candidate = |name: &str, values: Vec<f64>| Candidate {
        sensor,
        name: format!("{} {name}", sensor.name),
        unit: "m".into(),
        values: values.into(),
    };
    vec![candidate("north", north), candidate("east", east)]
}

pub(in crate::report) fn lost(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let sensors = flight.sensors(&TYPES, &["Status"]);
    let mut candidates = Vec::new();
    for sensor in &sensors {
        let Some(status) = sensor.column("Status") else { continue };
        // A receiver that never had a fix, as indoors, loses none.
        let first = status.iter().position(|status| *status >= FIX).unwrap_or(status.len());
        let values: Vec<f64> =
            status.iter().enumerate().map(|(row, status)| if row < first { FIX } else { *status }).collect();
        candidates.push(Candidate {
            sensor,
            name: sensor.name_of("Status"),
            unit: String::new(),
            values: values.into(),
        });
    }
    if candidates.is_empty() {
        return None;
    }
    let (limit_s, severe_s) = (flight.rules.threshold(rule), flight.rules.severe(rule));
    let bound = Bound { side: Side::Below, limit: FIX, severe: f64::NEG_INFINITY, seconds: limit_s, unit: "" };
    let Some((found, lost_s)) = beyond_for(flight, rule, &candidates, &bound) else {
        return Some(Vec::new());
    };
    let summary = found.summary.replace(" was below 3 for ", " was below 3, a 3D fix, for ");
    Some(vec![
        Finding { summary, value: lost_s, limit: limit_s, unit: "s in all", ..found }.severe_if(lost_s >= severe_s),
    ])
}

/// From here on, a receiver doesn't know its dilution: most say 99.99 then, ArduPilot 655.35.
const UNKNOWN_DOP: f64 = 99.0;

pub(in crate::report) fn dilution(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let sensors = flight.sensors(&TYPES, &["Status", "HDop", "NSats", "HDp"]);
    let of = |labels: &[&str], fine: f64, unknown: f64| {
        let mut candidates = Vec::new();
        for sensor in &sensors {
            for label in labels {
                let Some(values) = sensor.column(label) else { continue };
                let status = sensor.column("Status");
                // Without a fix, the position isn't used.
                let used = |(row, value): (usize, &f64)| {
                    if *value >= unknown || status.is_some_and(|status| status[row] < FIX) { fine } else { *value }
                };
                let values: Vec<f64> = values.iter().enumerate().map(used).collect();
                candidates.push(Candidate {
                    sensor,
                    name: sensor.name_of(label),
                    unit: String::new(),
                    values: values.into(),
                });
            }
        }
        candidates
    };
    let (hdops, satellites) = (of(&["HDop", "HDp"], 0.0, UNKNOWN_DOP), of(&["NSats"], f64::INFINITY, f64::INFINITY));
    if hdops.is_empty() && satellites.is_empty() {
        return None;
    }
    let above = Bound { severe: f64::INFINITY, ..bound(flight, rule, Side::Above, "") };
    let fewest = flight.rules.limit(rule, "satellites");
    let (severe, unit) = (f64::NEG_INFINITY, "satellites");
    let below = Bound { side: Side::Below, limit: fewest, severe, unit, ..above };
    let by_hdop = beyond(flight, rule, &hdops, &above);
    Some(by_hdop.or_else(|| beyond(flight, rule, &satellites, &below)).into_iter().collect())
}
