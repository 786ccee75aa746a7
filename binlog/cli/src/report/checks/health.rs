//! The log itself: dropped records, gaps, silent sensors, pauses, damage.

use super::{Candidate, Evidence, Finding, Flight, Rule, Sensor, short};
use crate::counted::counted;
use crate::report::finding::LISTED;
use crate::report::spans::quantile;
use crate::report::words::fixed;
use binlog::log::DamagedLine;

/// A log that begins this long after boot, in seconds, may have others of the same boot before it.
const FIRST_LOG_S: f64 = 30.0;

pub(in crate::report) fn drops(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let sensors = flight.sensors(&["DSF", "DROP"], &["Dp", "Dropped"]);
    if sensors.is_empty() {
        return None;
    }
    let is_later = flight.facts.from_s.is_some_and(|from_s| from_s > FIRST_LOG_S);
    let mut older = 0.0_f64;
    let mut places: Vec<(f64, Evidence)> = Vec::new();
    let mut curves = Vec::new();
    for sensor in &sensors {
        let label = if sensor.column("Dp").is_some() { "Dp" } else { "Dropped" };
        let numbers = sensor.column(label).unwrap_or_default();
        // DSF counts from boot on: in a log that begins later, its first count is that of an earlier log.
        let before = if label == "Dp" && is_later { numbers.first().copied().unwrap_or_default() } else { 0.0 };
        older = before.max(older);
        // DROP counts by id, so its numbers needn't rise.
        let more = |row: usize| match (label, row) {
            ("Dropped", _) => numbers[row],
            (_, 0) => numbers[0] - before,
            _ => numbers[row] - numbers[row - 1],
        };
        let rose = (0..numbers.len()).filter(|row| more(*row) > 0.0);
        places.extend(rose.map(|row| (more(row), Evidence::of_row(flight, sensor, row).with_value(more(row)))));
        if curves.is_empty() {
            curves.extend(Candidate::of(sensor, label));
        }
    }
    let (dropped, limit) = (flight.facts.dropped as f64 - older, flight.rules.threshold(rule));
    if dropped <= 0.0 || dropped < limit {
        return Some(Vec::new());
    }
    let records: u64 = flight.facts.types.iter().map(|of_type| of_type.records).sum();
    let percent = 100.0 * dropped / (dropped + records as f64);
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    let places: Vec<Evidence> = places.into_iter().map(|(_, place)| place).collect();
    let first = places.first().cloned();
    let summary = format!(
        "The logger says that it dropped {}, {} % of all. The places are where it says so; the records were lost before.",
        counted(dropped as u64, "record"),
        short(percent)
    );
    let columns = curves.iter().map(|curve| curve.name.clone()).collect();
    let finding = Finding::new(rule, summary, dropped, limit, "records")
        .severe_if(percent >= flight.rules.severe(rule))
        .at(places)
        .of_columns(columns)
        .shown(flight, first.as_ref(), curves.iter().map(Candidate::curve).collect(), None);
    Some(vec![finding])
}

/// A finding of times in seconds, each with a text, the longest first.
fn of_times(flight: &Flight<'_>, rule: &Rule, mut times: Vec<Evidence>, what: &str) -> Vec<Finding> {
    let limits = flight.rules;
    times.retain(|time| time.length_s() >= limits.threshold(rule));
    times.sort_by(|a, b| b.length_s().total_cmp(&a.length_s()));
    let Some(longest) = times.first().cloned() else { return Vec::new() };
    let length_s = longest.length_s();
    let count = if times.len() > 1 {
        format!(" It happened {} in all.", counted(times.len() as u64, "time"))
    } else {
        String::new()
    };
    let whose = longest.text.as_ref().map_or_else(String::new, |text| format!(" of {text}"));
    let summary = format!("From {} s on, {what}{whose} for {} s.{count}", fixed(longest.from_s, 1), short(length_s));
    vec![
        Finding::new(rule, summary, length_s, limits.threshold(rule), "s")
            .severe_if(length_s >= limits.severe(rule))
            .at(times)
            .shown(flight, Some(&longest), Vec::new(), None),
    ]
}

fn is_armed(flight: &Flight<'_>, from_s: f64, to_s: f64) -> bool {
    let us = |seconds: f64| (seconds * 1e6) as u64;
    flight.armed.ranges().iter().any(|armed| armed.start < us(to_s) && us(from_s) < armed.end)
}

pub(in crate::report) fn gap(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let Some(log) = flight.session.ardupilot() else {
        let frames = flight.frames("main", &["loopIteration"])?;
        return Some(of_times(flight, rule, pauses(flight, &frames), "there is no frame"));
    };
    flight.facts.from_s?;
    // A copy of a part begins with what was valid there: the last mode, when it was armed.
    let first_us = |(name, _): &(&str, &str)| log.rows(name).ok()?.records().find_map(|record| record.time_us());
    let begins_s = FAST.iter().filter_map(first_us).min().unwrap_or_default() as f64 / 1e6;
    let gaps = flight.facts.gaps.iter().filter(|gap| gap.from_s >= begins_s && is_armed(flight, gap.from_s, gap.to_s));
    let gaps = gaps.map(|gap| Evidence::of_time(gap.from_s, gap.to_s)).collect();
    Some(of_times(flight, rule, gaps, "there is no record at all"))
}

pub(in crate::report) fn silence(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    flight.facts.from_s?;
    let silences = flight.facts.silences.iter().filter(|silence| is_armed(flight, silence.from_s, silence.to_s));
    let place = |silence: &crate::log_info::SilenceInfo| {
        Evidence::of_time(silence.from_s, silence.to_s).with_text(&silence.source)
    };
    Some(of_times(flight, rule, silences.map(place).collect(), "there is no record"))
}

/// The pauses of rows while armed that are longer than four usual intervals.
fn pauses(flight: &Flight<'_>, sensor: &Sensor<'_>) -> Vec<Evidence> {
    let times_us = &sensor.times_us;
    let step_s = |pair: &[u64]| pair[1].saturating_sub(pair[0]) as f64 / 1e6;
    let steps = times_us.windows(2).map(step_s).filter(|step| *step > 0.0);
    let Some(usual_s) = quantile(steps, 0.5) else { return Vec::new() };
    let pause = |(row, pair): (usize, &[u64])| {
        let is_long = step_s(pair) > 4.0 * usual_s && flight.armed.contains(pair[0]) && flight.armed.contains(pair[1]);
        is_long.then(|| {
            let mut place = Evidence::of_row(flight, sensor, row);
            place.to_s = pair[1] as f64 / 1e6;
            place
        })
    };
    times_us.windows(2).enumerate().filter_map(pause).collect()
}

/// The types that are logged all the time, and fast.
const FAST: [(&str, &str); 3] = [("RATE", "R"), ("IMU", "GyrX"), ("ATT", "Roll")];

/// The longest usual interval of a type that shows pauses, in seconds.
const FAST_S: f64 = 0.05;

pub(in crate::report) fn stall(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let is_fast = |sensor: &Sensor<'_>| {
        let steps = sensor.times_us.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64 / 1e6);
        quantile(steps.filter(|step| *step > 0.0), 0.5).is_some_and(|usual_s| usual_s <= FAST_S)
    };
    let fast = match flight.session.ardupilot() {
        None => flight.frames("main", &["loopIteration"]),
        Some(_) => FAST.iter().find_map(|(name, label)| flight.sensors(&[name], &[label]).into_iter().find(is_fast)),
    };
    let loops = flight.sensors(&["PM"], &["MaxT"]);
    if fast.is_none() && loops.is_empty() {
        return None;
    }
    let mut places = fast.as_ref().map(|sensor| pauses(flight, sensor)).unwrap_or_default();
    // Longer ones are gaps.
    places.retain(|place| place.length_s() < 1.0);
    for sensor in &loops {
        // The longest loop in the time up to the record, in microseconds unless the log has units.
        let scale = if sensor.unit("MaxT") == "s" { 1.0 } else { 1e-6 };
        for (row, longest) in sensor.column("MaxT").unwrap_or_default().iter().enumerate() {
            if flight.armed.contains(sensor.times_us[row]) {
                let mut place = Evidence::of_row(flight, sensor, row);
                place.from_s = place.to_s - longest * scale;
                places.push(place);
            }
        }
    }
    let name = fast.as_ref().map_or("PM", |sensor| if sensor.name.is_empty() { "the frames" } else { &sensor.name });
    Some(of_times(flight, rule, places, &format!("{name} paused")))
}

pub(in crate::report) fn damage(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let facts = flight.facts;
    let limit = flight.rules.threshold(rule);
    // A damaged line of a header has no length.
    let count = facts.damage_count + flight.damaged_lines.len() as u64;
    if count == 0 || (count as f64) < limit {
        return Some(Vec::new());
    }
    let of_lines: usize = flight.damaged_lines.iter().map(|line| line.length).sum();
    let bytes = facts.damaged_bytes as f64 + of_lines as f64;
    let percent = 100.0 * bytes / flight.session.range().len().max(1) as f64;
    let mut damage: Vec<&crate::log_info::DamageInfo> = facts.damage.iter().collect();
    damage.sort_by_key(|damage| std::cmp::Reverse(damage.length));
    let place = |damage: &&crate::log_info::DamageInfo| {
        let time_s = flight.time_s_before(damage.offset).unwrap_or(f64::NAN);
        let mut place = Evidence::of_time(time_s, time_s).with_value(damage.length as f64).with_text(&damage.what);
        place.offset = Some(damage.offset);
        place
    };
    let mut places: Vec<Evidence> = damage.iter().take(LISTED).map(place).collect();
    let of_line = |line: &&DamagedLine| {
        let time_s = flight.time_s_before(line.place).unwrap_or(f64::NAN);
        Evidence::of_time(time_s, time_s).with_text(format!("line {}: {line}", line.line))
    };
    places.extend(flight.damaged_lines.iter().take(LISTED).map(of_line));
    // No more are shown.
    let missing = (count as usize).saturating_sub(places.len());
    places.extend(std::iter::repeat_n(Evidence::of_time(f64::NAN, f64::NAN), missing));
    let lost = match (facts.damaged_bytes, flight.damaged_lines.len() as u64) {
        (0, 0) => "the header's other lines are read.".to_owned(),
        (0, lines) => format!("{} of the text can't be read, or not as a whole.", counted(lines, "line")),
        (bytes, _) => format!("{}, {} % of the log, can't be read.", counted(bytes, "byte"), short(percent)),
    };
    let summary = format!("The log is damaged in {}: {lost}", counted(count, "place"));
    let finding = Finding::new(rule, summary, count as f64, limit, "places")
        .severe_if(percent >= flight.rules.severe(rule))
        .at(places);
    Some(vec![finding])
}
