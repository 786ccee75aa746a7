//! The track of a flight: positions with times and altitudes, split into flight modes.
//!
//! A Blackbox session has a track once it is converted to an ArduPilot log.

use crate::intervals::Intervals;
use binlog::log::{Clock, Rows};
use binlog::{Log, Scaling};

/// Where the vehicle was, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// Microseconds since boot.
    pub time_us: u64,
    /// Degrees, north positive.
    pub latitude: f64,
    /// Degrees, east positive.
    pub longitude: f64,
    /// Metres above mean sea level; `None` if the log doesn't have it.
    pub altitude: Option<f64>,
}

/// A part of the track in one flight mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The mode's name, or its number; empty if the log has no mode for it.
    pub mode: String,
    /// At least one position. The first one of the next segment is repeated at the end, so that lines have no gaps.
    pub positions: Vec<Position>,
}

/// The track of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The type that has the positions: `GPS`, `POS`, …
    pub source: String,
    /// The segments, in the order of their times.
    pub segments: Vec<Segment>,
    /// The relation of times to the calendar; `None` if the log doesn't say it.
    pub clock: Option<Clock>,
}

/// The types that have positions, the best first: what the navigation filter knew (GPOS is PX4's), the GPS (GPS2 is the
/// second receiver of old firmware), and the position beside the attitude.
const SOURCES: [&str; 6] = ["POS", "GPOS", "GPS", "GPS2", "AHR2", "SIM"];

const LATITUDE: &str = "Lat";
/// PX4's label is the second one.
const LONGITUDE: [&str; 2] = ["Lng", "Lon"];
const ALTITUDE: &str = "Alt";
/// PX4's label is the second one. The numbers mean the same.
const FIX: [&str; 2] = ["Status", "Fix"];

/// Whether a GPS record with this `Status` has a position: ArduPilot's GPS_OK_FIX_2D (2) or better.
pub fn has_fix(status: f64) -> bool {
    status >= 2.0
}

/// Whether latitude (±90°) and longitude (±180°) are a position. Receivers without a fix log 0, 0.
pub fn is_somewhere(latitude: f64, longitude: f64) -> bool {
    let is_valid = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
    is_valid && (latitude, longitude) != (0.0, 0.0)
}

impl Track {
    /// The track of a log of one boot, by the best of its types that have positions, or by `source`; `None` if it has
    /// no position.
    pub fn of(log: &Log<'_>, source: Option<&str>) -> Option<Self> {
        let candidates = SOURCES.into_iter().filter(|name| source.is_none_or(|source| source == *name));
        let (source, positions) = candidates
            .filter_map(|name| Some((name, positions(log, name)?)))
            .find(|(_, positions)| !positions.is_empty())?;
        // In a log without times, the positions have no time.
        let clock = log.time_range_us().and_then(|_| log.clock());
        Some(Track { source: source.into(), segments: segments(log, positions), clock })
    }

    /// The types that can have positions.
    pub fn sources() -> impl Iterator<Item = &'static str> + Clone {
        SOURCES.into_iter()
    }

    /// Keeps the positions in these intervals.
    pub fn keep_intervals(&mut self, intervals: &Intervals) {
        let firsts: Vec<Option<Position>> =
            self.segments.iter().map(|segment| segment.positions.first().copied()).collect();
        let last = self.segments.len().saturating_sub(1);
        // Without the repeated ones, which are of another mode.
        for segment in &mut self.segments[..last] {
            segment.positions.pop();
        }
        for segment in &mut self.segments {
            segment.positions.retain(|position| intervals.contains(position.time_us));
        }
        for i in 0..last {
            let next = self.segments[i + 1].positions.first().copied();
            if next == firsts[i + 1] && !self.segments[i].positions.is_empty() {
                self.segments[i].positions.extend(next);
            }
        }
        self.segments.retain(|segment| !segment.positions.is_empty());
    }

    /// All positions once, in the order of their times.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        let next = self.segments.iter().skip(1).map(|segment| segment.positions.first()).chain([None]);
        self.segments.iter().zip(next).flat_map(|(segment, next)| {
            let is_repeated = next.is_some() && segment.positions.last() == next;
            segment.positions[..segment.positions.len() - usize::from(is_repeated)].iter().copied()
        })
    }
}

/// The positions in the records of a type, of its first instance that has any; `None` if the log doesn't have its
/// columns. Two receivers would zigzag between two tracks.
fn positions(log: &Log<'_>, name: &str) -> Option<Vec<Position>> {
    let rows = log.rows(name).ok()?;
    let instances: Vec<String> = rows.instances().iter().map(ToString::to_string).collect();
    if instances.is_empty() {
        return positions_in(&rows, name);
    }
    let of_instances = instances.iter().filter_map(|instance| rows.instance(instance).ok());
    let mut found = of_instances.filter_map(|rows| positions_in(&rows, name)).peekable();
    let has_columns = found.peek().is_some();
    has_columns.then(|| found.find(|positions| !positions.is_empty()).unwrap_or_default())
}

fn positions_in(rows: &Rows<'_>, name: &str) -> Option<Vec<Position>> {
    let numbers = |label| rows.numbers(label, Scaling::Shown).ok();
    let times_us = rows.times_us();
    let latitude = numbers(LATITUDE)?;
    let longitude = LONGITUDE.into_iter().find_map(numbers)?;
    // Old firmware logs the altitude above home as RelAlt, and that above the sea as Alt.
    let altitude = numbers(ALTITUDE);
    let status = if name.starts_with("GPS") { FIX.into_iter().find_map(numbers) } else { None };
    let position = |(i, &time_us): (usize, &u64)| {
        let position = Position {
            time_us,
            latitude: *latitude.get(i)?,
            longitude: *longitude.get(i)?,
            altitude: altitude.as_ref().and_then(|altitude| altitude.get(i).copied()).filter(|value| value.is_finite()),
        };
        let is_known = status.as_ref().and_then(|status| status.get(i)).is_none_or(|&status| has_fix(status));
        (is_known && is_somewhere(position.latitude, position.longitude)).then_some(position)
    };
    let mut positions: Vec<Position> = times_us.iter().enumerate().filter_map(position).collect();
    positions.sort_by_key(|position| position.time_us);
    Some(positions)
}

fn segments(log: &Log<'_>, positions: Vec<Position>) -> Vec<Segment> {
    let modes = log.modes();
    let name = |time_us: u64| {
        let mode = modes.iter().rev().find(|mode| mode.time_us.contains(&time_us));
        let number = |mode: &binlog::log::ModeInterval| mode.number.map(|number| format!("mode {number}"));
        mode.and_then(|mode| mode.name.clone().or_else(|| number(mode))).unwrap_or_default()
    };
    let mut segments: Vec<Segment> = Vec::new();
    for position in positions {
        let mode = name(position.time_us);
        match segments.last_mut() {
            Some(segment) if segment.mode == mode => segment.positions.push(position),
            last => {
                last.into_iter().for_each(|segment| segment.positions.push(position));
                segments.push(Segment { mode, positions: vec![position] });
            }
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(time_us: u64) -> Position {
        Position { time_us, latitude: 1.0, longitude: 2.0, altitude: None }
    }

    #[test]
    fn position_between_two_modes_is_in_both_lines_once_in_track() {
        let segment = |mode: &str, times: &[u64]| Segment {
            mode: mode.into(),
            positions: times.iter().map(|&time_us| position(time_us)).collect(),
        };
        let segments = vec![segment("AUTO", &[1, 2, 3]), segment("RTL", &[3, 4])];
        let mut track = Track { source: "GPS".into(), segments, clock: None };
        let times = |track: &Track| track.positions().map(|position| position.time_us).collect::<Vec<_>>();
        assert_eq!(times(&track), [1, 2, 3, 4]);
        let kept = |range: std::ops::Range<u64>| {
            let mut kept = track.clone();
            kept.keep_intervals(&Intervals::new([range]));
            kept.segments
        };
        assert_eq!(kept(0..9), track.segments);
        assert_eq!(kept(3..9), [segment("RTL", &[3, 4])], "a position of AUTO would be one of RTL");
        assert_eq!(kept(2..4), [segment("AUTO", &[2, 3]), segment("RTL", &[3])]);
        track.keep_intervals(&Intervals::new([0..3, 4..5]));
        assert_eq!(times(&track), [1, 2, 4]);
        assert_eq!(track.segments, [segment("AUTO", &[1, 2]), segment("RTL", &[4])]);
    }

    #[test]
    fn a_receiver_without_a_fix_is_nowhere() {
        assert!(!is_somewhere(0.0, 0.0));
        assert!(!is_somewhere(91.0, 0.0));
        assert!(!is_somewhere(f64::NAN, 0.0));
        assert!(is_somewhere(0.0, 1.0));
    }
}
