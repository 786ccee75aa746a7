//! Missions, fences and rally points: the items that a ground station uploaded, as the log has them.
//!
//! Firmware logs all items when the log begins, when a mission is uploaded, and when the vehicle is armed; and an item
//! again when it begins.

mod path;

pub use path::{Path, Place, Point, Points};

use crate::any_log::Session;
use crate::intervals::Intervals;
use binlog::{Log, Record};
use path::points;

/// What is uploaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Kind {
    /// The mission: CMD.
    Mission,
    /// The fence: FNCE.
    Fence,
    /// Rally points: RALY.
    Rally,
}

/// An item, as MAVLink's MISSION_ITEM has it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Item {
    /// `MAV_FRAME`.
    pub frame: u8,
    /// `MAV_CMD`.
    pub command: u16,
    /// The first four parameters.
    pub parameters: [f64; 4],
    /// Degrees, north positive.
    pub latitude: f64,
    /// Degrees, east positive.
    pub longitude: f64,
    /// Metres, from what the frame says.
    pub altitude: f64,
}

/// The items of one upload, by their numbers. Those that the log lacks are `None`.
#[derive(Clone, PartialEq, Debug)]
pub struct Upload {
    /// When the log has the first one, in microseconds since boot.
    pub time_us: u64,
    items: Vec<Option<Item>>,
}

/// `MAV_FRAME_GLOBAL`: the altitude is above mean sea level.
const GLOBAL: u8 = 0;
/// `MAV_FRAME_GLOBAL_RELATIVE_ALT`: the altitude is above home.
const RELATIVE: u8 = 3;
/// `MAV_FRAME_GLOBAL_TERRAIN_ALT`.
const TERRAIN: u8 = 10;

impl Kind {
    /// The type that has the items.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mission => "CMD",
            Kind::Fence => "FNCE",
            Kind::Rally => "RALY",
        }
    }

    /// What it is called in messages.
    pub fn text(self) -> &'static str {
        match self {
            Kind::Mission => "mission",
            Kind::Fence => "fence",
            Kind::Rally => "rally points",
        }
    }
}

impl Upload {
    /// Whether the log has all items.
    pub fn is_complete(&self) -> bool {
        self.items.iter().all(Option::is_some)
    }

    /// The number of items, also of those that the log lacks.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The numbers of the items that the log lacks.
    pub fn missing(&self) -> Vec<usize> {
        (0..self.items.len()).filter(|number| self.items[*number].is_none()).collect()
    }

    /// The items as a waypoint file has them, without a gap: the next one is in the place of one that the
    /// log lacks, so that numbers, to which jumps refer, stay. The file ends with the last one that the log has.
    pub fn items(&self) -> Vec<Item> {
        let mut next = None;
        let mut items: Vec<Item> = self
            .items
            .iter()
            .rev()
            .filter_map(|item| {
                next = item.or(next);
                next
            })
            .collect();
        items.reverse();
        items
    }

    /// Whether the log has nothing in this upload that an earlier one doesn't have, too.
    fn repeats(&self, earlier: &Upload) -> bool {
        let is_known = |(own, earlier): (&Option<Item>, &Option<Item>)| own.is_none() || own == earlier;
        self.items.len() == earlier.items.len() && self.items.iter().zip(&earlier.items).all(is_known)
    }
}

/// The uploads of a session up to the end of the chosen times, in the order of the log. One that repeats the last one
/// isn't listed.
pub fn uploads(session: &Session<'_>, kind: Kind, chosen: &Intervals) -> Vec<Upload> {
    let until_us = chosen.ranges().last().map_or(0, |last| last.end);
    session.ardupilot().map_or_else(Vec::new, |log| of_log(log, kind, until_us))
}

/// What a map shows of the mission, the fence and the rally points at the end of the chosen times.
pub fn on_map(session: &Session<'_>, chosen: &Intervals) -> Points {
    let mut all = Points::default();
    for kind in [Kind::Mission, Kind::Fence, Kind::Rally] {
        let uploads = uploads(session, kind, chosen);
        if let Some(upload) = last_complete(&uploads).and_then(|index| uploads.get(index)) {
            let Points { paths, points } = points(&upload.items());
            all.paths.extend(paths);
            all.points.extend(points);
        }
    }
    all
}

fn of_log(log: &Log<'_>, kind: Kind, until_us: u64) -> Vec<Upload> {
    let Ok(rows) = log.rows(kind.name()) else { return Vec::new() };
    let (mut all, mut open) = (Vec::new(), None::<Upload>);
    for (time_us, record) in rows.times_us().into_iter().zip(rows.records()) {
        let Some((total, number, item)) =
            item(&record, kind).filter(|(total, number, _)| number < total && time_us <= until_us)
        else {
            continue;
        };
        let continued = open.take_if(|open| open.len() == total && (number > 0 || open.items[0].is_none()));
        if let Some(ended) = open.take() {
            end(&mut all, ended);
        }
        let upload = open.insert(continued.unwrap_or_else(|| Upload { time_us, items: vec![None; total] }));
        if let Some(place) = upload.items.get_mut(number) {
            *place = Some(item);
        }
    }
    open.into_iter().for_each(|ended| end(&mut all, ended));
    all
}

fn end(all: &mut Vec<Upload>, ended: Upload) {
    if all.last().is_none_or(|last| !ended.repeats(last)) {
        all.push(ended);
    }
}

/// The number of items, the item's own number, and the item.
fn item(record: &Record<'_>, kind: Kind) -> Option<(usize, usize, Item)> {
    let number = |label: &str| record.value(label)?.to_f64();
    let whole = |label: &str| usize::try_from(record.value(label)?.to_integer()?).ok();
    let or_zero = |label: &str| number(label).unwrap_or(0.0);
    let (latitude, longitude) = (number("Lat")?, number("Lng")?);
    let place =
        |frame, command, parameters, altitude| Item { frame, command, parameters, latitude, longitude, altitude };
    Some(match kind {
        Kind::Mission => {
            // Bit 0 of the options of old firmware says that the altitude is above home.
            let by_options = |options: usize| if options & 1 == 1 { RELATIVE } else { GLOBAL };
            let frame = whole("Frame").and_then(|frame| u8::try_from(frame).ok());
            let frame = frame.or_else(|| whole("COpt").map(by_options)).unwrap_or(RELATIVE);
            let command = u16::try_from(whole("CId")?).ok()?;
            let parameters = ["Prm1", "Prm2", "Prm3", "Prm4"].map(or_zero);
            (whole("CTot")?, whole("CNum")?, place(frame, command, parameters, number("Alt")?))
        }
        Kind::Fence => {
            let (command, parameter) = fence_item(whole("Type")?, or_zero("Count"), or_zero("Radius"))?;
            (whole("Tot")?, whole("Seq")?, place(GLOBAL, command, [parameter, 0.0, 0.0, 0.0], 0.0))
        }
        Kind::Rally => {
            let frame = whole("Flags").map_or(RELATIVE, rally_frame);
            (whole("Tot")?, whole("Seq")?, place(frame, RALLY_POINT, [0.0; 4], number("Alt")?))
        }
    })
}

const RETURN_POINT: u16 = 5000;
const INCLUSION: u16 = 5001;
const EXCLUSION: u16 = 5002;
const CIRCLE_INCLUSION: u16 = 5003;
const CIRCLE_EXCLUSION: u16 = 5004;
const RALLY_POINT: u16 = 5100;

/// The command and its first parameter, by ArduPilot's `AC_PolyFenceType`.
///
/// Source: `MissionItemProtocol_Fence::get_item_as_mission_item`.
fn fence_item(kind: usize, count: f64, radius: f64) -> Option<(u16, f64)> {
    Some(match kind {
        98 => (INCLUSION, count),
        97 => (EXCLUSION, count),
        95 => (RETURN_POINT, 0.0),
        94 | 92 => (CIRCLE_INCLUSION, radius),
        96 | 93 => (CIRCLE_EXCLUSION, radius),
        _ => return None,
    })
}

/// By the flags of ArduPilot's `RallyLocation`: bit 2 says that bits 3 and 4 are the frame.
fn rally_frame(flags: usize) -> u8 {
    match (flags >> 2 & 1, flags >> 3 & 3) {
        (1, 0) => GLOBAL,
        (1, 3) => TERRAIN,
        _ => RELATIVE,
    }
}

/// The upload that is meant by default: the last complete one, or else the last one.
pub fn last_complete(uploads: &[Upload]) -> Option<usize> {
    uploads.iter().rposition(Upload::is_complete).or(uploads.len().checked_sub(1))
}

/// A waypoint file, `QGC WPL 110`, as pymavlink's `mavwp` writes it.
pub fn waypoint_file(items: &[Item]) -> String {
    let number = |value: f64| if value.is_nan() { "nan".to_owned() } else { format!("{value:.6}") };
    let line = |(i, item): (usize, &Item)| {
        let Item { frame, command, parameters, latitude, longitude, altitude } = item;
        let [a, b, c, d] = parameters.map(number);
        let [x, y, z] = [*latitude, *longitude, *altitude].map(number);
        format!("{i}\t0\t{frame}\t{command}\t{a}\t{b}\t{c}\t{d}\t{x}\t{y}\t{z}\t1\n")
    };
    "QGC WPL 110\n".to_owned() + &items.iter().enumerate().map(line).collect::<String>()
}

/// Numbers in ascending order as ranges: `3 to 5, 7`.
pub fn ranges(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => ranges.push((number, number)),
        }
    }
    let range =
        |(start, end): (usize, usize)| if start == end { start.to_string() } else { format!("{start} to {end}") };
    ranges.into_iter().map(range).collect::<Vec<_>>().join(", ")
}
