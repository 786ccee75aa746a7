//! Missions, fences and rally points on a track: `--xy` of a longitude and a latitude.

use crate::flight::plot;
use crate::mission_log::{self, CMD, HOME, MISSION, POS, RALY, Row, mission};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::fs;
use tempfile::TempDir;

/// The points of a curve; `None` for a number that isn't finite.
type Points = Vec<(Option<f64>, Option<f64>)>;

fn folder(logs: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    logs.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).expect("room"));
    folder
}

/// The curves of a plot, by their names, whether each is on the right, and what is said.
fn plotted(folder: &TempDir, arguments: &[&str]) -> (Vec<(String, bool, Points)>, String) {
    let output = plot(folder.path()).args(arguments).arg("--json").output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect(&said);
    let curves = json["curves"].as_array().expect("curves").iter().map(|curve| {
        let numbers = |axis: &str| -> Vec<Option<f64>> {
            curve[axis].as_array().expect("numbers").iter().map(serde_json::Value::as_f64).collect()
        };
        let name = curve["name"].as_str().expect("a name").to_owned();
        (name, curve["right"] == true, numbers("x").into_iter().zip(numbers("y")).collect())
    });
    (curves.collect(), said)
}

fn names(folder: &TempDir, arguments: &[&str]) -> Vec<String> {
    plotted(folder, arguments).0.into_iter().map(|(name, ..)| name).collect()
}

const TRACK: [&str; 3] = ["--xy", "POS.Lng", "POS.Lat"];

fn with<'a>(first: &[&'a str], rest: &[&'a str]) -> Vec<&'a str> {
    [first, rest].concat()
}

/// A flight of today's firmware, whose coordinates have units, along a mission.
fn flight(rows: &[Row], rally: &[(f64, f64)]) -> Vec<u8> {
    let mut log = RawLog::with_units();
    log.fmt(CMD, "CMD", "QHHHffffLLfB", "TimeUS,CTot,CNum,CId,Prm1,Prm2,Prm3,Prm4,Lat,Lng,Alt,Frame");
    log.fmtu(CMD, "s-------DUm-", "F-------GG0-");
    log.fmt(RALY, "RALY", "QBBLLhB", "TimeUS,Tot,Seq,Lat,Lng,Alt,Flags").fmtu(RALY, "s--DUm-", "F--GGB-");
    log.fmt(POS, "POS", "QLLf", "TimeUS,Lat,Lng,Alt").fmtu(POS, "sDUm", "FGG0");
    log.fmt(5, "GPS", "QBBLL", "TimeUS,I,Status,Lat,Lng").fmtu(5, "s#-DU", "F--GG");
    let degrees = |value: f64| (value * 1e7).round() as i32;
    mission(&mut log, 1000, rows);
    for (number, (latitude, longitude)) in (0_u8..).zip(rally) {
        let total = rally.len() as u8;
        log.record(RALY, &payload![2000_u64, total, number, degrees(*latitude), degrees(*longitude), 25_i16, 0_u8]);
    }
    for i in 0..3_u64 {
        let (latitude, longitude) = (degrees(48.5 + i as f64 * 1e-3), degrees(11.25));
        log.record(POS, &payload![1_000_000 * (i + 1), latitude, longitude, 500_f32]);
        log.record(5, &payload![1_000_000 * (i + 1) + 5, 0_u8, 3_u8, latitude, longitude]);
    }
    log.bytes
}

const NEAR: [Row; 3] = [HOME, (3, 16, 0.0, 48.501, 11.251, 40.0), (3, 21, 0.0, 48.502, 11.252, 0.0)];
const FAR: [Row; 3] = [HOME, (3, 16, 0.0, 52.5, 10.5, 40.0), (3, 21, 0.0, 52.6, 10.5, 0.0)];
/// All of it: home isn't there either.
const FARTHER: [Row; 2] = [(3, 16, 0.0, 52.5, 10.5, 40.0), (3, 21, 0.0, 52.6, 10.5, 0.0)];

fn points(rows: &[Row]) -> Points {
    rows.iter().map(|row| (Some(row.4), Some(row.3))).collect()
}

#[test]
fn a_track_has_the_mission_and_what_is_around_it() {
    let folder = folder(&[("flight.bin", &mission_log::flight())]);
    let (curves, said) = plotted(&folder, &with(&["flight.bin"], &TRACK));
    assert!(
        said.contains("fence, exclusion: not drawn, because it is 0.9 degrees from the track"),
        "said: {said} {curves:?}"
    );
    let found: Vec<&str> = curves.iter().map(|(name, ..)| name.as_str()).collect();
    let expected = [
        "POS.Lat",
        "mission",
        "mission, part 2",
        "fence, inclusion",
        "fence, exclusion",
        "fence, return point",
        "rally point",
    ];
    assert_eq!(found, expected);
    let places = |places: &[usize]| places.iter().map(|&i| points(&MISSION)[i]).collect::<Points>();
    assert_eq!(curves[1].2, places(&[0, 1, 2, 3, 2]));
    assert_eq!(curves[2].2, places(&[5, 6, 7]));
    // A polygon and a circle, without a line from one to the other.
    let fence = &curves[3].2;
    assert_eq!((fence.len(), fence[4]), (4 + 1 + 65, (None, None)));
    assert_eq!((&curves[5].2, curves[6].2.len()), (&vec![(Some(11.27), Some(48.57))], 3));
}

#[test]
fn latitudes_and_longitudes_make_a_map_in_any_order() {
    let folder = folder(&[("a.bin", &flight(&NEAR, &[(48.501, 11.251), (48.505, 11.25)]))]);
    let (curves, said) = plotted(&folder, &with(&["a.bin"], &TRACK));
    assert_eq!((curves[1].0.as_str(), &curves[1].2, said.as_str()), ("mission", &points(&NEAR), ""));
    // One of them is at a waypoint.
    assert_eq!((curves[2].0.as_str(), curves[2].2.len()), ("rally point", 2));
    let (turned, _) = plotted(&folder, &["a.bin", "--xy", "POS.Lat", "POS.Lng"]);
    assert_eq!(turned[1].2, points(&NEAR).into_iter().map(|(x, y)| (y, x)).collect::<Points>());
    for maps in [["GPS.Lng", "GPS.Lat{GPS.Status>=3}"], ["POS.Lng", "GPS[0].Lat"], ["GPS.Lng", "POS.Lat"]] {
        assert_eq!(names(&folder, &["a.bin", "--xy", maps[0], maps[1]]).len(), 3, "{maps:?}");
    }
    // Other numbers than those of a place.
    for other in [["POS.Lng", "POS.Alt"], ["POS.Lng*1e7", "POS.Lat*1e7"], ["POS.Lng-GPS.Lng", "POS.Lat-GPS.Lat"]] {
        assert_eq!(names(&folder, &["a.bin", "--xy", other[0], other[1]]).len(), 1, "{other:?}");
    }
    // The mission is on the track's axis.
    let (right, _) = plotted(&folder, &["a.bin", "--xy", "POS.Lng", "POS.Lat:2"]);
    assert!(right.iter().all(|(_, is_right, _)| *is_right), "{right:?}");
}

#[test]
fn a_mission_of_another_place_is_left_out_aloud() {
    let folder = folder(&[("a.bin", &flight(&FARTHER, &[])), ("b.bin", &flight(&FAR, &[]))]);
    let (curves, said) = plotted(&folder, &with(&["a.bin"], &TRACK));
    assert_eq!(
        (curves.len(), said.as_str()),
        (1, "binlog: mission: not drawn, because it is 4.0 degrees from the track\n")
    );
    // One that begins at the flight leads where it leads.
    assert_eq!(names(&folder, &with(&["b.bin"], &TRACK)), ["POS.Lat", "mission"]);
}

#[test]
fn each_log_has_its_own_mission_and_equal_ones_are_drawn_once() {
    let (near, far) = (flight(&NEAR, &[]), flight(&FAR, &[]));
    // A log with a mission and without a track.
    let mut nowhere = RawLog::new();
    nowhere.fmt(CMD, "CMD", "QHHHffffLLfB", "TimeUS,CTot,CNum,CId,Prm1,Prm2,Prm3,Prm4,Lat,Lng,Alt,Frame");
    mission(&mut nowhere, 1000, &NEAR);
    let folder = folder(&[("a.bin", &near), ("b.bin", &near), ("c.bin", &far), ("d.bin", &nowhere.bytes)]);
    let of = |logs: &[&str]| names(&folder, &with(logs, &TRACK));
    assert_eq!(of(&["a.bin", "b.bin"]), ["POS.Lat · a.bin", "POS.Lat · b.bin", "mission"]);
    let expected = ["POS.Lat · a.bin", "POS.Lat · c.bin", "mission · a.bin", "mission · c.bin"];
    assert_eq!(of(&["a.bin", "c.bin"]), expected);
    assert_eq!(of(&["a.bin", "d.bin"]), ["POS.Lat · a.bin", "mission · a.bin"]);
}

#[test]
fn the_mission_is_the_one_at_the_end_of_the_part() {
    let mut log = flight(&NEAR, &[]);
    let mut later = RawLog::new();
    mission(&mut later, 60_000_000, &FAR);
    log.extend(&later.bytes[RawLog::new().bytes.len()..]);
    let folder = folder(&[("a.bin", &log)]);
    let mission = |rest: &[&str]| plotted(&folder, &with(&["a.bin"], &with(&TRACK, rest))).0[1].2.clone();
    assert_eq!((mission(&[]), mission(&["--to", "10"])), (points(&FAR), points(&NEAR)));
}

#[test]
fn damaged_items_are_on_no_track() {
    let folder = folder(&[("a.bin", &mission_log::damaged())]);
    let (curves, _) = plotted(&folder, &with(&["a.bin"], &TRACK));
    let corners = [(11.25, 48.5), (11.5, 48.5), (11.5, 48.25), (11.25, 48.5)];
    let some = |places: &[(f64, f64)]| places.iter().map(|(x, y)| (Some(*x), Some(*y))).collect::<Points>();
    let shapes: Vec<(&str, &Points)> = curves[1..].iter().map(|(name, _, points)| (name.as_str(), points)).collect();
    let expected = [("mission", &some(&[corners[0], corners[2]])), ("fence, inclusion", &some(&corners))];
    assert_eq!(shapes, expected);
}

#[test]
fn a_rally_point_is_a_cross_without_lines() {
    let folder = folder(&[("a.bin", &flight(&NEAR, &[(48.5005, 11.2515), (48.503, 11.2505)]))]);
    let picture = folder.path().join("track.svg");
    plot(folder.path()).arg("a.bin").args(TRACK).arg("-o").arg(&picture).assert().success();
    let svg = fs::read_to_string(picture).expect("a picture");
    let paths: Vec<&str> = svg.lines().filter(|line| line.starts_with("<path fill=\"none\"")).collect();
    // The track, the mission, two points of two lines each, and the one of the legend.
    assert_eq!(paths.len(), 4, "{svg}");
    assert_eq!([2, 3].map(|i: usize| (paths[i].matches('M').count(), paths[i].matches('L').count())), [(4, 4), (2, 2)]);
    // In a text without colours, too, lines have gaps and marks don't.
    let text = plot(folder.path()).arg("a.bin").args(TRACK).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(text.contains("+ rally point"), "{text}");
    let alone =
        plot(folder.path()).arg("a.bin").args(TRACK).args(["--color", "always"]).output().expect("it runs").stdout;
    // The third colour.
    let crosses = String::from_utf8(alone).expect("UTF-8").matches("\u{1b}[92m").count();
    assert!((3..=9).contains(&crosses), "{crosses}");
}
