//! What an anonymised Blackbox log has, and what it doesn't have any more.

use crate::raw_session::{RawSession, signed, unsigned};
use crate::real_logs;
use binlog::anonymise::{Anonymise, AnonymisedBlackbox, Kind};
use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::Item;
use binlog_tests::any_bytes::blackbox_tools::{assert_clean, frames};

fn anonymised(options: &Anonymise, log: &[u8], secret: [u8; 16]) -> (Vec<u8>, AnonymisedBlackbox) {
    let mut out = Vec::new();
    let report = options.write_blackbox(&BlackboxLog::from_bytes(log), secret, &mut out).expect("memory takes all");
    (out, report)
}

/// The values of the fields that have positions, with the letter of their frames.
fn positions(log: &[u8]) -> Vec<(u8, [i32; 2])> {
    let mut all = Vec::new();
    for session in BlackboxLog::from_bytes(log).sessions() {
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            let Item::Frame(frame) = item else { continue };
            let field = if frame.letter() == b'H' { "GPS_home" } else { "GPS_coord" };
            let values = [0, 1].map(|i| frame.value(&format!("{field}[{i}]")));
            if let [Some(latitude), Some(longitude)] = values {
                all.push((frame.letter(), [latitude as i32, longitude as i32]));
            }
        }
    }
    all
}

/// Metres between two positions in 1e-7 degrees, on a sphere.
fn metres(a: [i32; 2], b: [i32; 2]) -> f64 {
    let [[lat_a, lon_a], [lat_b, lon_b]] = [a, b].map(|at| at.map(|value| (f64::from(value) / 1e7).to_radians()));
    let h = ((lat_b - lat_a) / 2.0).sin().powi(2) + ((lon_b - lon_a) / 2.0).sin().powi(2) * lat_a.cos() * lat_b.cos();
    2.0 * 6_371_000.0 * h.sqrt().atan2((1.0 - h).sqrt())
}

const HOME: [&str; 14] = [
    "Field H name:GPS_home[0],GPS_home[1]",
    "Field H signed:1,1",
    "Field H predictor:0,0",
    "Field H encoding:0,0",
    "Field G name:time,GPS_coord[0],GPS_coord[1],GPS_altitude",
    "Field G signed:0,1,1,0",
    "Field G predictor:10,7,7,0",
    "Field G encoding:1,0,0,1",
    "Craft name:Karl's quad",
    "Pilot name:Karl",
    "DeviceUID:0x0032003A3531510E34333630",
    "mag_declination:230",
    "Log start datetime:2022-02-02T15:04:53.139+00:00",
    "looptime:10",
];

/// Home and fixes between main frames.
fn flight() -> Vec<u8> {
    let mut log = RawSession::simple(&["x"], &[&HOME[..], &["I interval:4"]].concat());
    for group in 0..6_u32 {
        log.intra(4 * group, 1000 + 40 * group, &[group as i32]).inter(10, &[1]);
        match group {
            // Before the first fix.
            0 => log.push(b'H', &[signed(0), signed(0)]).push(b'G', &[unsigned(1), signed(0), signed(0), unsigned(0)]),
            1 => log.push(b'H', &[signed(473_977_000), signed(85_456_000)]),
            _ => log.push(b'G', &[unsigned(1), signed(3000 * group as i32), signed(-4000), unsigned(4560)]),
        };
        log.inter(0, &[1]).inter(0, &[1]);
    }
    log.end();
    log.bytes
}

#[test]
fn two_fields_of_one_coordinate_are_both_moved() {
    let header = [
        "Field G name:time,GPS_lat,GPS_lon,GPS_latitude",
        "Field G signed:0,1,1,1",
        "Field G predictor:10,0,0,0",
        "Field G encoding:1,0,0,0",
        "I interval:4",
    ];
    let mut log = RawSession::simple(&["x"], &header);
    log.intra(0, 1000, &[0]).inter(10, &[1]);
    log.push(b'G', &[unsigned(1), signed(473_977_000), signed(85_456_000), signed(473_977_000)]);
    log.inter(0, &[1]).inter(0, &[1]).end();
    let (copy, report) = anonymised(&Anonymise::new(), &log.bytes, [5; 16]);
    assert_eq!((report.positions(), report.elsewhere()), (2, 0));
    let log = BlackboxLog::from_bytes(&copy);
    let session = log.sessions().next().expect("one");
    let mut frames = session.frames();
    let fix = loop {
        match frames.next().expect("a fix") {
            Item::Frame(frame) if frame.letter() == b'G' => break frame,
            _ => {}
        }
    };
    for field in ["GPS_lat", "GPS_lon", "GPS_latitude"] {
        let value = fix.value(field).expect("a field") as i32;
        assert!(![473_977_000, 85_456_000, 0].contains(&value), "{field}");
    }
}

#[test]
fn home_and_fixes_move_together() {
    let log = flight();
    let (copy, report) = anonymised(&Anonymise::new(), &log, [5; 16]);
    assert_clean(&copy);
    assert_eq!((report.sessions(), report.positions(), report.elsewhere(), report.lost()), (1, 5, 0, &[][..]));
    let (before, after) = (positions(&log), positions(&copy));
    assert_eq!((before.len(), after[0].1, after[1].1), (7, [0, 0], [0, 0]));
    assert!(metres(before[2].1, after[2].1) > 100_000.0);
    for ((letter, before_at), (new_letter, after_at)) in before[2..].iter().zip(&after[2..]) {
        assert_eq!(letter, new_letter);
        assert!((metres(before[2].1, *before_at) - metres(after[2].1, *after_at)).abs() < 0.03);
    }
    // Main frames, and their times, stay.
    let of = |log: &[u8]| frames(log).into_iter().map(|frame| frame.time_us).collect::<Vec<_>>();
    assert_eq!(of(&log), of(&copy));
    assert_ne!(positions(&anonymised(&Anonymise::new(), &log, [6; 16]).0)[2], after[2]);
}

#[test]
fn names_and_numbers_of_the_header_are_removed() {
    let log = flight();
    let values = |options: &Anonymise| {
        let copy = anonymised(options, &log, [5; 16]).0;
        let log = BlackboxLog::from_bytes(&*copy);
        let session = log.session(0).expect("a session");
        let names = ["Craft name", "Pilot name", "DeviceUID", "mag_declination", "Log start datetime", "looptime"];
        names.map(|name| session.header().value(name).map(str::to_owned).expect("a line")).join("|")
    };
    let date = "2022-02-02T15:04:53.139+00:00";
    assert_eq!(values(&Anonymise::new()), format!("||0|0|{date}|10"));
    assert_eq!(values(&Anonymise::new().keep("Craft*")), format!("Karl's quad||0|0|{date}|10"));
    let none = values(&Anonymise::new().drop_kind(Kind::Dates).keep_kind(Kind::Declination));
    assert_eq!(none, "||0|230|0000-01-01T00:00:00.000+00:00|10");
}

#[test]
fn heights_of_fixes_go_if_they_are_dropped() {
    let altitudes = |options: &Anonymise| {
        let copy = anonymised(options, &flight(), [5; 16]).0;
        let log = BlackboxLog::from_bytes(&*copy);
        let session = log.session(0).expect("a session");
        let mut frames = session.frames();
        let mut sum = 0;
        while let Some(item) = frames.next() {
            if let Item::Frame(frame) = item {
                sum += frame.value("GPS_altitude").unwrap_or(0);
            }
        }
        sum
    };
    assert_eq!(altitudes(&Anonymise::new()), 4 * 4560);
    assert_eq!(altitudes(&Anonymise::new().drop_kind(Kind::Heights)), 0);
}

#[test]
fn copies_of_real_logs_are_sound_and_show_no_place() {
    for (name, log) in real_logs::all() {
        let (copy, report) = anonymised(&Anonymise::new(), &log, [7; 16]);
        assert_clean(&copy);
        let (before, after) = (positions(&log), positions(&copy));
        assert_eq!((before.len() as u64, before.len()), (report.positions() + zeros(&before), after.len()), "{name}");
        for ((_, a), (_, b)) in before.iter().zip(&after).filter(|((_, a), _)| *a != [0, 0]) {
            assert!(metres(*a, *b) > 100_000.0, "{name}");
            for value in a {
                // As it is encoded, and as text.
                for bytes in [signed(*value), value.to_string().into_bytes()] {
                    assert!(!copy.windows(bytes.len()).any(|window| window == bytes), "{name}: {value}");
                }
            }
        }
        let session = BlackboxLog::from_bytes(&*log);
        for name in ["Craft name", "Pilot name"] {
            let value = session.session(0).and_then(|session| session.header().value(name).map(str::to_owned));
            let line = value.filter(|value| !value.is_empty()).map(|value| format!("{name}:{value}\n"));
            assert!(line.is_none_or(|line| !copy.windows(line.len()).any(|window| window == line.as_bytes())));
        }
        let (again, _) = anonymised(&Anonymise::new(), &copy, [8; 16]);
        assert_clean(&again);
        assert_eq!(frames(&again).len(), frames(&copy).len());
    }
}

fn zeros(positions: &[(u8, [i32; 2])]) -> u64 {
    positions.iter().filter(|(_, position)| *position == [0, 0]).count() as u64
}
