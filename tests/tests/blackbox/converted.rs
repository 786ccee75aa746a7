//! Sessions converted to ArduPilot logs: our reader, pymavlink and viewers find the session's values in them.

mod any_session;
mod other_firmware;
mod program;

use crate::real_logs;
use binlog::blackbox::log::{Item, Session};
use binlog::blackbox::{BlackboxLog, Quantity};
use binlog::convert::to_ardupilot;
use binlog::{Log, LoggedSchema, Scaling, Unit};
use binlog_tests::pymavlink;
use serde_json::json;
use std::collections::BTreeMap;

pub(super) fn converted(session: &Session<'_>) -> Vec<u8> {
    let mut log = Vec::new();
    let converted = to_ardupilot(session, &mut log).expect("a session with frames");
    assert_eq!(converted.bytes, log.len() as u64);
    log
}

/// The real sessions, by name, each with its converted log.
fn each(mut check: impl FnMut(&str, &Session<'_>, &[u8])) {
    for (name, bytes) in real_logs::all() {
        let log = BlackboxLog::from_bytes(bytes);
        for (i, session) in log.sessions().enumerate() {
            check(&format!("{name}, session {i}"), &session, &converted(&session));
        }
    }
}

/// The times and values of each field in the frames of a letter.
fn columns(session: &Session<'_>, letter: u8) -> (Vec<u64>, BTreeMap<String, Vec<i64>>) {
    let (mut times, mut columns) = (Vec::new(), BTreeMap::<String, Vec<i64>>::new());
    let mut frames = session.frames();
    while let Some(item) = frames.next() {
        let Item::Frame(frame) = item else { continue };
        if frame.letter() != letter && (frame.letter(), letter) != (b'P', b'I') {
            continue;
        }
        times.push(frame.time_us());
        for (field, &bits) in frame.fields().iter().zip(frame.values()) {
            columns.entry(field.name().to_owned()).or_default().push(field.value(bits));
        }
    }
    (times, columns)
}

fn label(field: &str) -> String {
    field.replace(['[', ']'], "")
}

#[test]
fn our_reader_has_no_complaints() {
    each(|name, _, log| {
        let read = Log::from_bytes(log);
        assert_eq!(read.skipped(), [], "{name}");
        assert!(read.suspects().is_empty(), "{name}");
        // The definition of BAT is ArduPilot's.
        let findings = read.check();
        let ours: Vec<_> = findings.findings().iter().filter(|found| !found.text().contains("CurrTot")).collect();
        assert!(ours.is_empty(), "{name}: {ours:?}");
        let schema = LoggedSchema::from_bytes(log);
        for message in schema.messages() {
            let columns: Vec<_> = message.columns().collect();
            assert!(columns.len() <= 16, "{name}: {}", message.name());
            assert_eq!(columns[0].label == "TimeUS", columns[0].format == binlog::Format::U64, "{}", message.name());
            for column in columns {
                assert!(column.unit_id.is_some_and(|unit| schema.unit_name(unit).is_some()), "{}", column.label);
                let multiplier = column.multiplier_id.expect("an FMTU for each message");
                assert!(schema.multiplier_value(multiplier).is_some() || multiplier == b'-', "{}", column.label);
            }
        }
        for rows in read.types().filter(|rows| !["FMT", "UNIT", "MULT", "FMTU", "FILE"].contains(&rows.name())) {
            let times = rows.times_us();
            assert!(times.is_sorted(), "{name}: the times of {} go back", rows.name());
        }
    });
}

#[test]
fn every_value_of_every_frame_is_in_the_converted_log() {
    each(|name, session, log| {
        let read = Log::from_bytes(log);
        for letter in [b'I', b'S', b'G', b'H'] {
            let (times, columns) = columns(session, letter);
            if times.is_empty() {
                continue;
            }
            // The messages of the remaining fields: equal numbers.
            let mut found: Vec<String> = if letter == b'I' { vec!["time".into()] } else { Vec::new() };
            for rows in read.types().filter(|rows| rows.name().starts_with(&format!("B{}", char::from(letter)))) {
                if letter == b'I' {
                    assert!(rows.times_us().iter().zip(&times).all(|(row, frame)| row >= frame), "{name}");
                }
                for (field, values) in &columns {
                    let Ok(numbers) = rows.numbers(&label(field), Scaling::Stored) else { continue };
                    assert!(numbers.iter().copied().eq(values.iter().map(|&value| value as f64)), "{name}: {field}");
                    found.push(field.clone());
                }
            }
            for (field, values) in &columns {
                if found.contains(field) {
                    continue;
                }
                let (column, of) = place(letter, field).unwrap_or_else(|| panic!("{name}: {field} is nowhere"));
                let quantity = Quantity::of(session.header(), field);
                let factor = of * quantity.map_or(1.0, |quantity| quantity.factor);
                let numbers = read.numbers(&column, Scaling::Shown).expect("the column");
                let logged: Vec<i64> = numbers.iter().map(|number| (number / factor).round() as i64).collect();
                let mut expected = values.clone();
                if ["BAT", "BARO", "RCIN"].iter().any(|rare| column.starts_with(rare)) {
                    // These have a record for each change.
                    expected = at(
                        &read.rows(column.split('.').next().unwrap_or_default()).expect("a type").times_us(),
                        &times,
                        values,
                    );
                }
                assert_eq!(logged, expected, "{name}: {field}");
            }
        }
    });
}

/// The values at some of the times.
fn at(some: &[u64], times: &[u64], values: &[i64]) -> Vec<i64> {
    some.iter().map(|time| values[times.iter().position(|frame| frame == time).expect("the time of a frame")]).collect()
}

/// The column that has a field, and what it is multiplied by besides the field's own factor.
fn place(letter: u8, field: &str) -> Option<(String, f64)> {
    let (array, axis) = match field.split_once('[') {
        Some((array, index)) => (array, index.trim_end_matches(']').parse::<usize>().ok()?),
        None => (field, 0),
    };
    let direction = if axis == 0 { 1.0 } else { -1.0 };
    let radians = 1_f64.to_radians();
    let place = |name: &str, column: &str, factor: f64| Some((format!("{name}.{column}"), factor));
    match (letter, array) {
        (b'I', "gyroADC") => place("IMU", ["GyrX", "GyrY", "GyrZ"][axis], direction * radians),
        (b'I', "accSmooth") => place("IMU", ["AccX", "AccY", "AccZ"][axis], direction),
        (b'I', "magADC") => place("MAG", ["MagX", "MagY", "MagZ"][axis], direction),
        (b'I', "setpoint") => place("RATE", ["RDes", "PDes", "YDes"][axis], direction),
        (b'I', "axisP" | "axisI" | "axisD" | "axisF") => {
            let term = match array {
                "axisF" => "FF",
                _ => &array[4..],
            };
            place(["PIDR", "PIDP", "PIDY"][axis], term, direction / 100.0)
        }
        (b'I', "vbatLatest") => place("BAT", "Volt", 1.0),
        (b'I', "amperageLatest") => place("BAT", "Curr", 1.0),
        (b'I', "BaroAlt") => place("BARO", "Alt", 1.0),
        (b'G', "GPS_coord") => place("GPS", ["Lat", "Lng"][axis], 1.0),
        (b'G', "GPS_altitude") => place("GPS", "Alt", 1.0),
        (b'G', "GPS_speed") => place("GPS", "Spd", 1.0),
        (b'G', "GPS_ground_course") => place("GPS", "GCrs", 1.0),
        (b'G', "GPS_numSat") => place("GPS", "NSats", 1.0),
        _ => None,
    }
}

#[test]
fn the_flight_has_its_facts() {
    each(|name, session, log| {
        let read = Log::from_bytes(log);
        assert_eq!(read.vehicle(), Some(binlog::log::Vehicle::Copter), "{name}");
        let parameters = read.parameters();
        let value = |name: &str| parameters.get(name).map(binlog::log::Parameter::first);
        assert_eq!(value("looptime"), Some(125.0), "{name}");
        assert_eq!(value("gyro_scale"), Some(1.0), "{name}");
        assert_eq!(value("rollPID_2"), session.header().numbers("rollPID").map(|pid| pid[2] as f64), "{name}");
        let modes = read.modes();
        assert_eq!(modes.iter().map(|mode| mode.name.as_deref()).collect::<Vec<_>>(), [Some("ACRO")], "{name}");
        let armed = read.armed();
        assert_eq!(armed.len(), 1, "{name}");
        assert!(!armed[0].is_open, "{name}: the log has a disarm event");
        let texts = read.texts();
        assert!(texts.iter().any(|text| text.text.starts_with("Disarmed: ")), "{name}");
        let files = read.files();
        let header = &session.bytes()[..session.frames_offset() - session.offset()];
        assert_eq!(files[0].name, "header.txt");
        assert_eq!(files[0].contents().expect("all pieces"), header, "{name}");
    });
}

#[test]
fn lost_ranges_are_texts() {
    each(|name, session, log| {
        let (mut frames, mut lost) = (session.frames(), Vec::new());
        while let Some(item) = frames.next() {
            if let Item::Lost(range) = item {
                lost.push(range.to_string());
            }
        }
        let texts: Vec<String> = Log::from_bytes(log).texts().into_iter().map(|text| text.text).collect();
        assert!(lost.iter().all(|range| texts.contains(range)), "{name}: {lost:?} in {texts:?}");
        let sum = texts.last().filter(|text| text.contains(&format!("in {} ranges", lost.len())));
        assert_eq!(sum.is_some(), !lost.is_empty(), "{name}: {texts:?}");
    });
}

#[test]
fn pymavlink_reads_converted_logs() {
    each(|name, session, log| {
        let Some(flight) = pymavlink::flight(log) else { return };
        // MAV_TYPE_QUADROTOR.
        assert_eq!(flight["vehicle"], 2, "{name}");
        assert_eq!(flight["params"]["looptime"], pymavlink::float(125.0), "{name}");
        // pymavlink's list begins with the first parameter, when no mode is known yet.
        let modes: Vec<_> = flight["modes"].as_array().into_iter().flatten().map(|mode| &mode[0]).collect();
        assert_eq!(modes, ["UNKNOWN", "ACRO"], "{name}");
        let has_date = session.header().value("Log start datetime").is_some_and(|date| date.starts_with("20"));
        assert_eq!(pymavlink::parse_float(&flight["timebase"]) > 1e9, has_date && name.contains("LOG00037"), "{name}");
        let Some(dump) = pymavlink::dump(log) else { return };
        let read = Log::from_bytes(log);
        for rows in read.types() {
            let count = dump.iter().filter(|line| line["type"] == rows.name()).count();
            assert_eq!(count, rows.len(), "{name}: {}", rows.name());
        }
        let imu = dump.iter().find(|line| line["type"] == "IMU").expect("a record");
        assert_eq!(imu["units"][2], "rad/s");
        assert_eq!(imu["instance"], json!(0));
        let altitude = dump.iter().find(|line| line["type"] == "BARO").expect("a record");
        assert_eq!(altitude["units"][2], Unit::from_id(b'm').map_or("", |unit| unit.name()));
    });
}
