//! The places of items: what a map shows of a mission, a fence and rally points.

use super::{
    CIRCLE_EXCLUSION, CIRCLE_INCLUSION, EXCLUSION, GLOBAL, INCLUSION, Item, RALLY_POINT, RELATIVE, RETURN_POINT,
};
use crate::track::is_somewhere;

/// A place: latitude and longitude in degrees, and the altitude in metres above mean sea level if it is known.
pub type Place = (f64, f64, Option<f64>);

/// A line on a map.
#[derive(Clone, PartialEq, Debug)]
pub struct Path {
    /// What it is.
    pub name: String,
    /// Its places. A closed line ends where it begins.
    pub places: Vec<Place>,
}

/// What a map shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Points {
    /// The mission in the order of flight, and the borders of the fence.
    pub paths: Vec<Path>,
    /// The mission's items, the fence's return point, rally points.
    pub points: Vec<Point>,
}

/// A point on a map.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// What it is, with its number.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// Its place.
    pub place: Place,
    /// Whether a path of the mission leads through it.
    pub is_on_path: bool,
}

const GLOBAL_INT: u8 = 5;
const RELATIVE_INT: u8 = 6;
const LAND: u16 = 21;
const VTOL_LAND: u16 = 85;
const DO_JUMP: u16 = 177;
const RETURN_PATH_START: u16 = 188;
const LAND_START: u16 = 189;

/// What items show on a map. One that is nowhere, as that of a damaged record, isn't shown.
pub(super) fn points(items: &[Item]) -> Points {
    let is_mission = |item: &Item| item.command < RETURN_POINT;
    let home = items.first().filter(|home| is_mission(home)).map(|home| home.altitude);
    let place_of = |i: usize| {
        let item = &items[i];
        let altitude = match (i, item.frame) {
            // That of home is above the sea, even if the log doesn't say its frame.
            (0, _) => home,
            (_, GLOBAL | GLOBAL_INT) => Some(item.altitude),
            (_, RELATIVE | RELATIVE_INT) => home.map(|home| home + item.altitude),
            _ => None,
        };
        (item.latitude, item.longitude, altitude.filter(|_| is_mission(item)))
    };
    let mut shown = Points::default();
    let mut is_on_path = vec![false; items.len()];
    for (number, order) in orders(items).into_iter().enumerate().filter(|(_, order)| order.len() > 1) {
        let name = if number == 0 { "mission".to_owned() } else { format!("mission, part {}", number + 1) };
        order.iter().for_each(|&i| is_on_path[i] = true);
        shown.paths.push(Path { name, places: order.into_iter().map(place_of).collect() });
    }
    let point = |i: usize, name: String, kind: &str| {
        let (kind, place) = (kind.to_owned(), place_of(i));
        Point { name, kind, place, is_on_path: is_on_path[i] }
    };
    let mut rest = items.iter().enumerate().peekable();
    while let Some((i, item)) = rest.next() {
        match item.command {
            INCLUSION | EXCLUSION => {
                let count = item.parameters[0] as usize;
                let mut corners = vec![i];
                while let Some((i, _)) = rest.next_if(|(_, next)| next.command == item.command && corners.len() < count)
                {
                    corners.push(i);
                }
                corners.retain(|&i| is_there(&items[i]));
                // Fewer enclose nothing.
                if let [first, _, _, ..] = corners[..] {
                    corners.push(first);
                    let places = corners.into_iter().map(place_of).collect();
                    shown.paths.push(Path { name: border(item.command == INCLUSION), places });
                }
            }
            _ if !is_there(item) => {}
            CIRCLE_INCLUSION | CIRCLE_EXCLUSION if item.parameters[0].is_finite() => {
                let places = circle(item);
                shown.paths.push(Path { name: border(item.command == CIRCLE_INCLUSION), places });
            }
            RETURN_POINT => shown.points.push(point(i, "fence, return point".into(), "fence, return point")),
            RALLY_POINT => shown.points.push(point(i, format!("rally point {}", i + 1), "rally point")),
            _ if is_place(item) && i == 0 => shown.points.push(point(i, "home".into(), "home")),
            _ if is_place(item) => {
                let kind = command(item.command);
                shown.points.push(point(i, format!("{i} {kind}"), &kind));
            }
            _ => {}
        }
    }
    shown
}

fn border(is_inclusion: bool) -> String {
    format!("fence, {}", if is_inclusion { "inclusion" } else { "exclusion" })
}

/// A circle as a closed line.
fn circle(item: &Item) -> Vec<Place> {
    const SIDES: u32 = 64;
    const METRES_A_DEGREE: f64 = 111_319.49;
    let north = item.parameters[0] / METRES_A_DEGREE;
    let east = north / item.latitude.to_radians().cos().max(1e-6);
    (0..=SIDES)
        .map(|side| {
            let (sin, cos) = (f64::from(side % SIDES) * std::f64::consts::TAU / f64::from(SIDES)).sin_cos();
            (item.latitude + north * cos, item.longitude + east * sin, None)
        })
        .collect()
}

/// Whether an item of a mission is at a place: `MAV_CMD` says which commands have one.
fn is_place(item: &Item) -> bool {
    let has_place = matches!(
        item.command,
        16..=19 | 21..=25 | 31 | 34..=36 | 80..=82 | 84 | 85 | 94 | 179 | 188 | 189 | 192 | 195 | 201 | 252 | 4001
            | 4501 | 30_001 | 31_000..=31_009 | 43_003
    );
    has_place && is_there(item)
}

fn is_there(item: &Item) -> bool {
    is_somewhere(item.latitude, item.longitude)
}

/// The order in which the places of a mission are flown, as pymavlink's `view_list` has it: jumps are followed once,
/// and a landing ends it. What is reached in no other way, such as a landing after DO_LAND_START, begins another one.
fn orders(items: &[Item]) -> Vec<Vec<usize>> {
    let mut done = vec![false; items.len()];
    let mut all = Vec::new();
    let is_location = |i: usize| items[i].command != LAND_START && is_place(&items[i]);
    while let Some(mut i) = done.iter().position(|done| !done) {
        let mut order = Vec::new();
        while let Some(item) = items.get(i) {
            if done[i] {
                order.extend(is_location(i).then_some(i));
                break;
            }
            // Nothing flies to these. A part may begin there.
            let is_start = matches!(item.command, LAND_START | RETURN_PATH_START);
            if is_start && !order.is_empty() {
                i += 1;
                continue;
            }
            done[i] = true;
            match item.command {
                _ if is_start => {
                    order.push(i);
                    i += 1;
                }
                DO_JUMP => i = item.parameters[0] as usize,
                command => {
                    order.extend(is_location(i).then_some(i));
                    if matches!(command, LAND | VTOL_LAND) {
                        break;
                    }
                    i += 1;
                }
            }
        }
        order.retain(|i| is_there(&items[*i]));
        if !order.is_empty() {
            all.push(order);
        }
    }
    all
}

/// The name of a command that has a place.
fn command(command: u16) -> String {
    let name = match command {
        16 => "WAYPOINT",
        17 => "LOITER_UNLIM",
        18 => "LOITER_TURNS",
        19 => "LOITER_TIME",
        LAND => "LAND",
        22 => "TAKEOFF",
        31 => "LOITER_TO_ALT",
        82 => "SPLINE_WAYPOINT",
        84 => "VTOL_TAKEOFF",
        VTOL_LAND => "VTOL_LAND",
        94 => "PAYLOAD_PLACE",
        RETURN_PATH_START => "RETURN_PATH_START",
        LAND_START => "LAND_START",
        195 | 201 => "ROI",
        command => return format!("command {command}"),
    };
    name.into()
}
