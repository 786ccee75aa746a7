//! Missions, fences and rally points: waypoint files equal those of pymavlink's `mavmission.py`, and maps show what was
//! uploaded.

use crate::mission_log::{CMD, FNCE, HOME, MISSION, POS, damaged, flight, item, log, mission};
use crate::support::{Logs, all_logs, export, export_to};
use binlog_tests::raw_log::RawLog;
use binlog_tests::{payload, pymavlink};
use std::fs;
use std::path::Path;

/// The waypoint file of a log, and what is said of it.
fn waypoints(log: &[u8], options: &[&str]) -> (String, String) {
    let logs = Logs::of(&[("flight.bin", log)]);
    let out = logs.out("mission.waypoints");
    let said = export_to(&out, &logs.paths, options, 0);
    (fs::read_to_string(out).expect("a file"), said)
}

/// The file of `mavmission.py`; `None` without pymavlink.
fn theirs(log: &[u8]) -> Option<String> {
    let logs = Logs::of(&[("flight.bin", log)]);
    let out = logs.out("theirs.txt");
    let mut tool = pymavlink::tool("mavmission.py", &[])?;
    let ran = tool.arg("--output").arg(&out).arg(&logs.paths[0]).output().expect("python runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(fs::read_to_string(out).expect("a file"))
}

fn assert_as_pymavlink(log: &[u8], options: &[&str]) -> String {
    let (file, _) = waypoints(log, options);
    if let Some(theirs) = theirs(log) {
        assert_eq!(file, theirs);
    }
    file
}

#[test]
fn a_mission_is_written_as_pymavlink_writes_it() {
    let mut log = log();
    mission(&mut log, 1000, &MISSION);
    // An item that begins is logged again.
    item(&mut log, 9000, MISSION.len(), 2, MISSION[2]);
    let file = assert_as_pymavlink(&log.bytes, &[]);
    let lines: Vec<&str> = file.lines().collect();
    assert_eq!(lines.len(), 1 + MISSION.len());
    assert_eq!(lines[0], "QGC WPL 110");
    assert_eq!(lines[1], "0\t0\t0\t16\t0.000000\t0.500000\t0.000000\t-0.250000\t48.500000\t11.250000\t500.000000\t1");
    assert_eq!(lines[5], "4\t0\t3\t177\t2.000000\t0.500000\t0.000000\t-0.250000\t0.000000\t0.000000\t0.000000\t1");
}

#[test]
fn missions_of_real_logs_are_those_of_pymavlink() {
    let mut found = 0;
    for (name, bytes) in all_logs() {
        let has_mission = binlog::Log::from_bytes(&*bytes).rows("CMD").is_ok_and(|rows| !rows.is_empty());
        if has_mission {
            let logs = Logs::of(&[(&name, &bytes)]);
            let output = export(&logs.paths, &["--format", "waypoints"]).output().expect("the program runs");
            if let Some(theirs) = theirs(&bytes) {
                assert_eq!(String::from_utf8_lossy(&output.stdout), theirs, "{name}");
            }
            found += 1;
        }
    }
    assert!(found > 0 || all_logs().len() == 1, "no real log has a mission");
}

#[test]
fn the_last_complete_mission_is_written_or_the_given_one() {
    let mut log = log();
    mission(&mut log, 1_000_000, &MISSION);
    // When the vehicle is armed, all items are logged again.
    mission(&mut log, 2_000_000, &MISSION);
    let other = [HOME, (3, 16, 0.0, -1.0, 2.0, 3.0), (3, 21, 0.0, -1.5, 2.5, 0.0)];
    mission(&mut log, 60_000_000, &other);
    let complete = log.bytes.clone();
    assert_as_pymavlink(&complete, &[]);
    // The log ends while it is logged.
    (0..2).for_each(|number| item(&mut log, 90_000_000, 5, number, (3, 16, 9.0, 5.0, 5.0, 5.0)));
    let (file, said) = waypoints(&log.bytes, &[]);
    assert_eq!(file.lines().count(), 4);
    let listed = "1 at 1.000 s with 8 items, 2 at 60.000 s with 3 items, 3 at 90.000 s with 5 items\n";
    assert!(said.ends_with(&format!("upload 2 is written; --upload chooses among {listed}")), "{said}");
    let (first, said) = waypoints(&log.bytes, &["--upload", "1"]);
    assert_eq!((first.lines().count(), said.as_str()), (9, ""));
    // Up to the end of the chosen part.
    let (early, said) = waypoints(&complete, &["--to", "30"]);
    assert_eq!((early, said.as_str()), (first, ""));
    let logs = Logs::of(&[("flight.bin", &log.bytes)]);
    let said = export_to(&logs.out("no.waypoints"), &logs.paths, &["--upload", "4"], 2);
    assert!(said.ends_with(&format!("there is no upload 4; the log has {listed}")), "{said}");
    let said = export_to(&logs.out("no.waypoints"), &logs.paths, &["--items", "fence"], 2);
    assert!(said.ends_with("the log has no fence (FNCE)\n"), "{said}");
    let said = export_to(&logs.out("no.kml"), &logs.paths, &["--upload", "1"], 2);
    assert!(said.contains("--items and --upload are for --format waypoints"), "{said}");
}

#[test]
fn items_that_the_log_lacks_are_reported() {
    let mut log = log();
    for number in [0, 1, 2, 5, 7] {
        item(&mut log, 1000, 9, number, (3, 16, number as f32, 1.0 + number as f64, 2.0, 3.0));
    }
    let (file, said) = waypoints(&log.bytes, &[]);
    // Numbers stay, unlike those of `mavmission.py`: jumps refer to them.
    let first: Vec<&str> = file.lines().skip(1).filter_map(|line| line.split('\t').nth(4)).collect();
    let expected = [0, 1, 2, 5, 5, 5, 7, 7].map(|number| format!("{number}.000000"));
    assert_eq!(first, expected);
    assert!(said.ends_with("the log lacks items 3 to 4, 6, 8 of the mission; the next item is in the place of each\n"));
}

#[test]
fn missions_of_old_firmware_have_frames() {
    // As ArduPlane 3.8 logs it.
    let mut log = RawLog::new();
    log.fmt(CMD, "CMD", "QHHHfffffff", "TimeUS,CTot,CNum,CId,Prm1,Prm2,Prm3,Prm4,Lat,Lng,Alt");
    for number in 0..3_u16 {
        let coordinates = [-35.362_63_f32, 149.165_31, 584.64];
        log.record(
            CMD,
            &payload![
                1_u64,
                3_u16,
                number,
                16_u16,
                0_f32,
                0_f32,
                f32::NAN,
                0_f32,
                coordinates[0],
                coordinates[1],
                coordinates[2]
            ],
        );
    }
    let file = assert_as_pymavlink(&log.bytes, &[]);
    assert!(file.lines().skip(1).all(|line| line.split('\t').nth(2) == Some("3")), "{file}");
    assert!(file.contains("\tnan\t"), "{file}");
    // A text log of ArduCopter 3.0, which pymavlink's tool can't read.
    let text = "FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format\n\
        FMT, 8, 20, CMD, BBBBBeLL, CTot,CNum,CId,COpt,Prm1,Alt,Lat,Lng\n\
        CMD, 2, 0, 16, 0, 0, 0.00, 24.2398206, 54.5793101\n\
        CMD, 2, 1, 22, 1, 0, 7.62, 0.0000000, 0.0000000\n";
    let logs = Logs::of(&[("old.log", text.as_bytes())]);
    let output = export(&logs.paths, &["--format", "waypoints"]).output().expect("the program runs");
    let expected = "QGC WPL 110\n\
        0\t0\t0\t16\t0.000000\t0.000000\t0.000000\t0.000000\t24.239821\t54.579310\t0.000000\t1\n\
        1\t0\t3\t22\t0.000000\t0.000000\t0.000000\t0.000000\t0.000000\t0.000000\t7.620000\t1\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn fences_and_rally_points_are_loaded_by_pymavlink() {
    let bytes = flight();
    let rows = |file: &str| -> Vec<String> {
        file.lines().skip(1).map(|line| line.split('\t').skip(2).take(3).collect::<Vec<_>>().join(" ")).collect()
    };
    let (fence, _) = waypoints(&bytes, &["--items", "fence"]);
    let expected = [
        "0 5001 3.000000",
        "0 5001 3.000000",
        "0 5001 3.000000",
        "0 5002 3.000000",
        "0 5002 3.000000",
        "0 5002 3.000000",
        "0 5003 100.000000",
        "0 5004 50.500000",
        "0 5000 0.000000",
    ];
    assert_eq!(rows(&fence), expected);
    let (rally, _) = waypoints(&bytes, &["--items", "rally"]);
    assert_eq!(rows(&rally), ["3 5100 0.000000", "0 5100 0.000000", "10 5100 0.000000"]);
    for (class, file, count) in [("Fence", &fence, 9), ("Rally", &rally, 3)] {
        let logs = Logs::of(&[("items.txt", file.as_bytes())]);
        let program = format!(
            "import sys; from pymavlink import mavwp; items = mavwp.MissionItemProtocol_{class}(); \
             items.load(sys.argv[1]); print(items.count())"
        );
        let Some(mut python) = pymavlink::command(Path::new("-c"), &[]) else { return };
        let ran = python.arg(program).arg(&logs.paths[0]).output().expect("python runs");
        assert_eq!(
            String::from_utf8_lossy(&ran.stdout).trim(),
            count.to_string(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
}

/// The coordinates of each line of a KML file, by its name.
fn lines(kml: &str, name: &str) -> Vec<Vec<(f64, f64, f64)>> {
    let placemarks = kml.split("<Placemark>").filter(|placemark| placemark.contains(&format!("<name>{name}")));
    let coordinates = |placemark: &str| {
        let text = placemark.split("<coordinates>").nth(1)?.split('<').next()?;
        let place = |place: &str| {
            let numbers: Vec<f64> = place.split(',').filter_map(|number| number.parse().ok()).collect();
            (numbers[0], numbers[1], numbers[2])
        };
        Some(text.split(' ').map(place).collect())
    };
    placemarks.filter_map(coordinates).collect()
}

#[test]
fn a_map_shows_the_mission_in_the_order_of_pymavlink() {
    let bytes = flight();
    let logs = Logs::of(&[("flight.bin", &bytes)]);
    export_to(&logs.out("flight.kml"), &logs.paths, &[], 0);
    let kml = fs::read_to_string(logs.out("flight.kml")).expect("a file");
    let shown: Vec<Vec<(f64, f64)>> = lines(&kml, "mission")
        .into_iter()
        .map(|line| line.into_iter().map(|(longitude, latitude, _)| (latitude, longitude)).collect())
        .collect();
    // The jump closes the first part; nothing but the landing itself leads to the second one.
    let place = |i: usize| (MISSION[i].3, MISSION[i].4);
    assert_eq!(shown, [vec![place(0), place(1), place(2), place(3), place(2)], vec![place(5), place(6), place(7)]]);
    let (file, _) = waypoints(&bytes, &[]);
    let mission = Logs::of(&[("mission.txt", file.as_bytes())]);
    let program = "import sys; from pymavlink import mavwp; items = mavwp.MAVWPLoader(); items.load(sys.argv[1])\n\
        for part in items.view_list(): print(*part)";
    if let Some(mut python) = pymavlink::command(Path::new("-c"), &[]) {
        let ran = python.arg(program).arg(&mission.paths[0]).output().expect("python runs");
        // pymavlink repeats the target of a jump.
        assert_eq!(
            String::from_utf8_lossy(&ran.stdout),
            "0 1 2 3 2 2\n5 6 7\n",
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
    // Above home, above the sea; over terrain nobody knows.
    assert!(lines(&kml, "mission").iter().flatten().any(|(.., altitude)| *altitude == 0.0));
    let altitudes: Vec<f64> = lines(&kml, "mission, part 2")[0].iter().map(|(.., altitude)| *altitude).collect();
    assert_eq!(altitudes, [520.0, 520.0, 500.0]);
    let fences = lines(&kml, "fence, inclusion");
    assert_eq!(fences.iter().map(Vec::len).collect::<Vec<_>>(), [4, 65]);
    assert!(fences.iter().all(|fence| fence.first() == fence.last()));
    assert_eq!(lines(&kml, "fence, exclusion").iter().map(Vec::len).collect::<Vec<_>>(), [4, 65]);
    let north = fences[1].iter().map(|(_, latitude, _)| *latitude).fold(f64::MIN, f64::max);
    assert!(((north - 48.55) * 111_319.49 - 100.0).abs() < 0.1);
    assert_eq!(lines(&kml, "rally point").len(), 3);
    assert_eq!(lines(&kml, "fence, return point"), [vec![(11.27, 48.57, 0.0)]]);
    assert_eq!((lines(&kml, "home").len(), lines(&kml, "2 WAYPOINT").len(), lines(&kml, "7 LAND").len()), (1, 1, 1));
    export_to(&logs.out("flight.gpx"), &logs.paths, &[], 0);
    let gpx = fs::read_to_string(logs.out("flight.gpx")).expect("a file");
    assert_eq!((gpx.matches("<rte>").count(), gpx.matches("<name>rally point ").count()), (6, 3));
    crate::track::check_files(&gpx, &kml);
}

#[test]
fn places_of_damaged_items_are_on_no_map() {
    let bytes = damaged();
    let logs = Logs::of(&[("flight.bin", &bytes)]);
    export_to(&logs.out("flight.kml"), &logs.paths, &[], 0);
    let kml = fs::read_to_string(logs.out("flight.kml")).expect("a file");
    assert_eq!(lines(&kml, "mission"), [vec![(11.25, 48.5, 500.0), (11.5, 48.25, 1000.0)]]);
    let corners = [(11.25, 48.5, 0.0), (11.5, 48.5, 0.0), (11.5, 48.25, 0.0), (11.25, 48.5, 0.0)];
    assert_eq!(lines(&kml, "fence"), [corners]);
    let points = kml.matches("<Point>").count();
    assert_eq!(points, 2, "home and a waypoint: {kml}");
}

#[test]
fn a_circle_across_the_antimeridian_is_whole() {
    let mut log = log();
    let (latitude, longitude) = ((-17.0_f64 * 1e7) as i32, (179.999_f64 * 1e7) as i32);
    log.record(FNCE, &payload![2000_u64, 1_u8, 0_u8, 92_u8, latitude, longitude, 0_u8, 300_f32]);
    log.record(POS, &payload![3000_u64, latitude, longitude, 500_f32]);
    let logs = Logs::of(&[("flight.bin", &log.bytes)]);
    export_to(&logs.out("flight.kml"), &logs.paths, &[], 0);
    let kml = fs::read_to_string(logs.out("flight.kml")).expect("a file");
    let circle = &lines(&kml, "fence, inclusion")[0];
    assert_eq!(circle.len(), 65);
    let metres = |(east, north, _): &(f64, f64, f64)| {
        ((north + 17.0) * 111_319.49).hypot((east - 179.999) * 111_319.49 * 17_f64.to_radians().cos())
    };
    assert!(circle.iter().all(|place| (metres(place) - 300.0).abs() < 0.5), "{circle:?}");
}
