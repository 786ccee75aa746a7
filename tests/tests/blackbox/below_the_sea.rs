//! Altitudes below the sea, which firmware logs as unsigned numbers.

use crate::raw_session::{RawSession, signed, unsigned};
use binlog::blackbox::log::{Item, Tables};
use binlog::blackbox::{BlackboxFrame, BlackboxLog};
use binlog::convert::to_ardupilot;
use binlog::{Log, Scaling};
use binlog_tests::shared;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A log with one fix.
fn log(firmware: &str, altitude: u32, sign: &str) -> Vec<u8> {
    let lines = [
        format!("Firmware revision:{firmware}"),
        "Field H name:GPS_home[0],GPS_home[1]".into(),
        "Field H signed:1,1".into(),
        "Field H predictor:0,0".into(),
        "Field H encoding:0,0".into(),
        "Field G name:GPS_numSat,GPS_coord[0],GPS_coord[1],GPS_altitude".into(),
        format!("Field G signed:0,1,1,{sign}"),
        "Field G predictor:0,7,7,0".into(),
        "Field G encoding:1,0,0,1".into(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut log = RawSession::simple(&["x"], &lines);
    log.intra(0, 1000, &[5]).push(b'H', &[signed(473_566_100), signed(85_190_000)]);
    log.push(b'G', &[unsigned(12), signed(10), signed(20), unsigned(altitude)]).inter(10, &[1]).end();
    log.bytes
}

fn altitude(tables: &Tables, row: usize) -> f64 {
    tables.column("GPS_altitude").and_then(|column| column.number(row, Scaling::Units)).expect("an altitude")
}

#[test]
fn altitudes_are_signed_in_every_firmware() {
    for (firmware, logged, metres) in [
        // Decimetres.
        ("Betaflight 4.3.1 (8d4f005) STM32F7X2", -50_i32 as u32, -5.0),
        ("Betaflight 4.0.0 (x) Y", -1_i32 as u32, -0.1),
        ("Betaflight 2025.12.0 (x) Y", -4300_i32 as u32, -430.0),
        ("Rotorflight 4.3.0 (x) Y", -50_i32 as u32, -5.0),
        ("Betaflight 4.3.1 (x) Y", 88_480, 8848.0),
        // Centimetres.
        ("Betaflight 3.5.0 (x) Y", -500_i32 as u32, -5.0),
        // Metres.
        ("INAV 7.1.0 (x) Y", -5_i32 as u32, -5.0),
        ("INAV 7.1.0 (x) Y", 40_000, 40_000.0),
        // Metres in 16 bits.
        ("Cleanflight 2.2.0 (x) Y", 65_531, -5.0),
        ("Betaflight 3.1.0 (x) Y", 65_531, -5.0),
        ("Betaflight 3.1.0 (x) Y", 8848, 8848.0),
        ("6f2bf5a", 65_106, -430.0),
    ] {
        for sign in ["0", "1"] {
            let is_wide = sign == "1" && (32_768..65_536).contains(&logged);
            if is_wide {
                continue;
            }
            let bytes = log(firmware, logged, sign);
            let blackbox = BlackboxLog::from_bytes(&*bytes);
            let session = blackbox.session(0).expect("a session");
            let tables = session.tables();
            assert!((altitude(&tables, 0) - metres).abs() < 1e-6, "{firmware}: {}", altitude(&tables, 0));
            let mut converted = Vec::new();
            to_ardupilot(&session, &mut converted).expect("memory takes all");
            let converted = Log::from_bytes(converted);
            for column in ["GPS.Alt", "POS.Alt"] {
                let shown = converted.numbers(column, Scaling::Shown).expect("a column")[0];
                assert!((shown - metres).abs() < 1e-3, "{firmware}, {column}: {shown}");
            }
            let mut frames = session.frames();
            let mut logged_value = None;
            while let Some(item) = frames.next() {
                if let Item::Frame(frame) = item {
                    logged_value = logged_value.or(frame.value("GPS_altitude"));
                }
            }
            assert_eq!(logged_value.map(|value| value < 0), Some(metres < 0.0), "{firmware}");
        }
    }
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(gps, allow(not_portable))]
#[repr(C)]
struct Signed {
    gps_altitude: i32,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(gps, allow(not_portable))]
#[repr(C)]
struct AsLogged {
    gps_altitude: u32,
}

#[test]
fn a_struct_has_them_with_the_sign_of_its_field() {
    let bytes = log("Betaflight 4.3.1 (x) Y", -50_i32 as u32, "0");
    let log = BlackboxLog::from_bytes(bytes);
    let session = log.session(0).expect("a session");
    let signed = session.typed::<Signed>().expect("the field").find_map(|item| match item.expect("in its range") {
        Item::Frame(frame) => Some(frame.frame.gps_altitude),
        _ => None,
    });
    let as_logged =
        session.typed::<AsLogged>().expect("the field").find_map(|item| match item.expect("in its range") {
            Item::Frame(frame) => Some(frame.frame.gps_altitude),
            _ => None,
        });
    assert_eq!((signed, as_logged), (Some(-50), Some(-50_i32 as u32)));
}

#[test]
fn the_shared_case_is_below_the_sea() {
    let Some(path) = shared("cases/altitude-below-sea.bbl") else { return };
    let log = BlackboxLog::open(path).expect("a readable log");
    let tables = &log.tables()[0];
    let rows = tables.table(b'G').expect("fixes").len();
    let altitudes: Vec<f64> = (0..rows).map(|row| altitude(tables, row)).collect();
    assert!(altitudes.iter().all(|metres| (-5.0..5.0).contains(metres)), "{altitudes:?}");
    assert_eq!(altitudes.last(), Some(&-5.0));
}
