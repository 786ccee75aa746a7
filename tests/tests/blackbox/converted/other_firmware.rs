//! Logs with the fields of firmwares that no real log is from.

use super::converted;
use crate::by_header::{HeaderLog, header_of};
use crate::raw_session::MARKER;
use binlog::blackbox::{Adjusted, BlackboxLog, Event};
use binlog::convert::to_ardupilot;
use binlog::{Log, Scaling};

/// Header lines of frames whose fields are stored as they are, all as `SIGNED_VB`.
pub(super) fn plain(letter: char, names: &[&str]) -> String {
    let list = |entry: &str| vec![entry; names.len()].join(",");
    let mut lines = format!("H Field {letter} name:{}\nH Field {letter} signed:{}\n", names.join(","), list("1"));
    lines += &format!("H Field {letter} predictor:{}\nH Field {letter} encoding:{}\n", list("0"), list("0"));
    if letter == 'I' {
        lines += &format!("H Field P predictor:{}\nH Field P encoding:{}\n", list("0"), list("0"));
    }
    lines
}

/// The converted log of one session: these header lines, then these frames and events.
fn log(lines: &str, fill: impl FnOnce(&mut HeaderLog<'_>)) -> Vec<u8> {
    let lines = format!("{MARKER}H Data version:2\n{lines}");
    let of_header = BlackboxLog::from_bytes(lines.as_bytes());
    let header = header_of(&of_header);
    let mut made = HeaderLog::new(&lines, &header);
    fill(&mut made);
    let log = BlackboxLog::from_bytes(made.bytes);
    converted(&log.session(0).expect("a session"))
}

fn bits(values: &[i32]) -> Vec<u32> {
    values.iter().map(|value| value.cast_unsigned()).collect()
}

fn numbers(log: &Log<'_>, column: &str) -> Vec<f64> {
    log.numbers(column, Scaling::Shown).expect("the column")
}

fn near(found: &[f64], expected: &[f64]) {
    let is_near = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
    assert!(is_near, "{found:?}, not {expected:?}");
}

#[test]
fn inav_has_angles_and_a_position_in_metres() {
    let lines = plain('I', &["loopIteration", "time", "attitude[0]", "attitude[1]", "attitude[2]", "vbat", "navState"])
        + &plain('S', &["flightModeFlags", "failsafePhase"])
        + &plain(
            'G',
            &[
                "time",
                "GPS_fixType",
                "GPS_numSat",
                "GPS_coord[0]",
                "GPS_coord[1]",
                "GPS_altitude",
                "GPS_hdop",
                "GPS_velned[0]",
                "GPS_velned[1]",
                "GPS_velned[2]",
            ],
        )
        + "H Firmware type:Cleanflight\nH Firmware revision:INAV 9.0.0 (abcdef) TARGET\n";
    let log = log(&lines, |log| {
        log.frame(b'S', &[1 | 1 << 9, 0]).expect("a frame");
        log.frame(b'I', &bits(&[0, 1000, 100, -150, 3590, 1234, 2])).expect("a frame");
        log.frame(b'G', &bits(&[1100, 2, 12, 473_977_420, 85_455_940, 488, 85, 100, -200, 50])).expect("a frame");
        log.frame(b'I', &bits(&[32, 2000, 0, 0, 0, 1230, 2])).expect("a frame");
        log.frame(b'S', &[1, 3]).expect("a frame");
        log.frame(b'I', &bits(&[64, 3000, 0, 0, 0, 1230, 2])).expect("a frame");
        log.frame(b'S', &[1, 0]).expect("a frame");
        log.event(&Event::End { disarm_reason: Some(4) });
    });
    let log = Log::from_bytes(log);
    near(&numbers(&log, "ATT.Roll"), &[10.0, 0.0, 0.0]);
    near(&numbers(&log, "ATT.Pitch"), &[15.0, 0.0, 0.0]);
    near(&numbers(&log, "ATT.Yaw"), &[359.0, 0.0, 0.0]);
    near(&numbers(&log, "BAT.Volt"), &[12.34, 12.3]);
    near(&numbers(&log, "GPS.Lat"), &[47.397742]);
    near(&numbers(&log, "GPS.Alt"), &[488.0]);
    near(&numbers(&log, "GPS.HDop"), &[0.85]);
    near(&numbers(&log, "GPS.VZ"), &[0.5]);
    near(&numbers(&log, "GPS.Status"), &[3.0]);
    near(&numbers(&log, "POS.Alt"), &[488.0]);
    let names: Vec<_> = log.modes().into_iter().filter_map(|mode| mode.name).collect();
    assert_eq!(names, ["LOITER", "ACRO"]);
    near(&numbers(&log, "ERR.ECode"), &[1.0, 0.0]);
    let texts: Vec<String> = log.texts().into_iter().map(|text| text.text).collect();
    for text in [
        "ArduCopter modes; converted from INAV 9.0.0",
        "Mode flags 0x201: ARM|NAV_POSHOLD",
        "Failsafe phase RETURN_TO_HOME (3)",
        "End of log, disarmed: SWITCH (4)",
    ] {
        assert!(texts.iter().any(|found| found == text), "{text} is not in {texts:?}");
    }
    assert!(!log.armed()[0].is_open);
}

/// The switches say one thing, and a failsafe flies another.
#[test]
fn modes_of_inav_are_those_that_are_flown() {
    let flags = ["flightModeFlags", "flightModeFlags2", "activeFlightModeFlags", "failsafePhase"];
    let lines =
        plain('I', &["loopIteration", "time"]) + &plain('S', &flags) + "H Firmware revision:INAV 7.1.0 (abc) X\n";
    let log = log(&lines, |log| {
        let flown = [[1, 0, 0, 0], [1, 1 << 3, 1 << 12, 0], [1, 0, 1 << 4 | 1 << 9, 3], [1, 1 << 11, 1 << 15, 0]];
        for (i, slow) in (1..).zip(flown) {
            log.frame(b'S', &slow).expect("a frame");
            log.event(&Event::FlightMode { new: 3, old: 1 });
            log.frame(b'I', &[i * 32, i * 1000]).expect("a frame");
        }
    });
    let log = Log::from_bytes(log);
    let names: Vec<_> = log.modes().into_iter().filter_map(|mode| mode.name).collect();
    assert_eq!(names, ["ACRO", "LOITER", "RTL", "TURTLE"]);
    let texts: Vec<String> = log.texts().into_iter().map(|text| text.text).collect();
    for text in ["Mode flags 0x800000001: ARM|NAV_COURSE_HOLD", "Active modes 0x210: NAV_RTH|FAILSAFE"] {
        assert!(texts.iter().any(|found| found == text), "{text} is not in {texts:?}");
    }
}

#[test]
fn rotorflights_collective_is_centred_and_motors_in_thousandths() {
    let commands = ["rcCommand[0]", "rcCommand[1]", "rcCommand[2]", "rcCommand[3]", "rcCommand[4]"];
    let names = [&["loopIteration", "time"], &commands[..], &["motor[0]", "motor[1]"]].concat();
    let lines =
        plain('I', &names) + "H Firmware revision:Rotorflight 4.3.0 (abc) X\nH minthrottle:1070\nH maxthrottle:2000\n";
    let log = log(&lines, |log| {
        log.frame(b'I', &bits(&[0, 1000, 10, -20, 30, -200, 700, 500, -250])).expect("a frame");
    });
    let log = Log::from_bytes(log);
    near(&numbers(&log, "RCIN.C3"), &[1300.0]);
    near(&numbers(&log, "RCOU.C1"), &[1500.0]);
    near(&numbers(&log, "RCOU.C2"), &[750.0]);
}

#[test]
fn a_quaternion_becomes_angles() {
    let lines = plain('I', &["loopIteration", "time", "imuQuaternion[0]", "imuQuaternion[1]", "imuQuaternion[2]"])
        + "H Firmware revision:Betaflight 2026.6.0 (abcdef) TARGET\n";
    // Half a turn of the sine, in parts of 32767: turns by 90° right wing down, 30° nose down, 90° counterclockwise.
    let half = |degrees: f64| ((degrees / 2.0).to_radians().sin() * 32767.0).round() as i32;
    let log = log(&lines, |log| {
        log.frame(b'I', &bits(&[0, 1000, 0, 0, 0])).expect("a frame");
        log.frame(b'I', &bits(&[32, 2000, half(90.0), 0, 0])).expect("a frame");
        log.frame(b'I', &bits(&[64, 3000, 0, half(30.0), 0])).expect("a frame");
        log.frame(b'I', &bits(&[96, 4000, 0, 0, half(90.0)])).expect("a frame");
    });
    let log = Log::from_bytes(log);
    let near = |found: &[f64], expected: &[f64]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01), "{found:?}, not {expected:?}");
    };
    near(&numbers(&log, "ATT.Roll"), &[0.0, 90.0, 0.0, 0.0]);
    near(&numbers(&log, "ATT.Pitch"), &[0.0, 0.0, -30.0, 0.0]);
    near(&numbers(&log, "ATT.Yaw"), &[0.0, 0.0, 0.0, 270.0]);
    assert_eq!(numbers(&log, "BI01.imuQuaternion1"), [0.0, 0.0, f64::from(half(30.0)), 0.0], "it is kept as logged");
}

#[test]
fn events_are_texts_and_times_never_go_back() {
    let lines = plain('I', &["loopIteration", "time"]) + "H Firmware revision:Betaflight 4.5.2 (abcdef) TARGET\n";
    let log = log(&lines, |log| {
        log.event(&Event::SyncBeep { time: 900 });
        log.frame(b'I', &[0, 1000]).expect("a frame");
        log.event(&Event::Adjustment { function: 5, value: Adjusted::Float(1.5) });
        log.event(&Event::FlightMode { new: 3, old: 1 });
        log.event(&Event::Resume { iteration: 64, time: u32::MAX - 10 });
        log.frame(b'I', &[64, u32::MAX - 5]).expect("a frame");
        // 2^32 microseconds are over.
        log.frame(b'I', &[96, 20]).expect("a frame");
        log.event(&Event::Disarm { reason: 4 });
    });
    let log = Log::from_bytes(log);
    let texts: Vec<String> = log.texts().into_iter().map(|text| text.text).collect();
    for text in
        ["Sync beep at 900 us", "Adjustment of setting 5 to 1.5", "Mode flags 0x3: ARM|ANGLE", "Disarmed: SWITCH (4)"]
    {
        assert!(texts.iter().any(|found| found == text), "{text} is not in {texts:?}");
    }
    let times = log.rows("BI00").expect("the iterations").times_us();
    assert_eq!(times, [1000, u64::from(u32::MAX) - 5, u64::from(u32::MAX) + 21]);
}

#[test]
fn frame_of_128_fields_with_long_equal_names_keeps_each() {
    let long = "x".repeat(80);
    let names: Vec<String> = (2..128).map(|i| if i < 40 { format!("{long}{i}") } else { format!("f[{i}]") }).collect();
    let names: Vec<&str> = ["loopIteration", "time"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let values: Vec<i32> = (0..128).map(|i| if i < 2 { i } else { i - 64 }).collect();
    let log = log(&plain('I', &names), |log| log.frame(b'I', &bits(&values)).expect("a frame"));
    let log = Log::from_bytes(log);
    let mut found: Vec<f64> = Vec::new();
    for rows in log.types().filter(|rows| rows.name().starts_with("BI")) {
        for label in rows.labels().into_iter().filter(|label| *label != "TimeUS") {
            found.extend(rows.numbers(label, Scaling::Stored).expect("a column"));
        }
    }
    let expected: Vec<f64> =
        values.iter().enumerate().filter(|(i, _)| *i != 1).map(|(_, &value)| value.into()).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_session_without_frames_is_an_error_that_says_so() {
    let lines = format!("{MARKER}{}", plain('I', &["loopIteration", "time"]));
    let log = BlackboxLog::from_bytes(lines.into_bytes());
    let session = log.session(0).expect("a session");
    assert!(!session.has_main_frames());
    let error = to_ardupilot(&session, Vec::new()).expect_err("no frames");
    assert!(error.to_string().contains("no main frame that can be read"), "{error}");
}

#[test]
fn frames_that_only_this_log_defines_are_converted_as_logged() {
    let lines = plain('I', &["loopIteration", "time"]) + &plain('T', &["left", "right"]);
    let log = log(&lines, |log| {
        log.frame(b'I', &[0, 1000]).expect("a frame");
        log.frame(b'T', &bits(&[-7, 9])).expect("a frame");
        log.frame(b'I', &[32, 2000]).expect("a frame");
    });
    let log = Log::from_bytes(log);
    assert_eq!(numbers(&log, "BT00.left"), [-7.0]);
    assert_eq!(numbers(&log, "BT00.right"), [9.0]);
}

#[test]
fn undecodable_frames_are_left_out_and_a_text_says_so() {
    let names = vec!["a"; 20_000];
    let lines = plain('I', &["loopIteration", "time"]) + &plain('S', &names) + &plain('T', &names);
    // A main frame of iteration 0 at 1 us.
    let log = BlackboxLog::from_bytes(format!("{MARKER}H Data version:2\n{lines}I\0\x02").into_bytes());
    let log = Log::from_bytes(converted(&log.session(0).expect("a session")));
    assert_eq!(numbers(&log, "BI00.loopIteration"), [0.0]);
    let texts: Vec<String> = log.texts().into_iter().map(|text| text.text).collect();
    for letter in ["S", "T"] {
        let start = format!("{letter} frames can't be decoded and are left out: the frame has 20000 fields");
        assert!(texts.iter().any(|text| text.starts_with(&start)), "{texts:?}");
    }
}

#[test]
fn many_long_names_are_cut_so_that_all_fields_find_room() {
    let names: Vec<String> = (0..128).map(|i| format!("{i:050}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let letters = ['S', 'G', 'T'];
    let lines = letters.map(|letter| plain(letter, &names)).concat() + &plain('I', &["loopIteration", "time"]);
    let values: Vec<i32> = (-64..64).collect();
    let log = log(&lines, |log| {
        log.frame(b'I', &[0, 1000]).expect("a frame");
        for letter in letters {
            log.frame(letter as u8, &bits(&values)).expect("a frame");
        }
    });
    let log = Log::from_bytes(log);
    for letter in letters {
        let mut found: Vec<f64> = Vec::new();
        for rows in log.types().filter(|rows| rows.name().starts_with(&format!("B{letter}"))) {
            for label in rows.labels().into_iter().filter(|label| *label != "TimeUS") {
                found.extend(rows.numbers(label, Scaling::Stored).expect("a column"));
            }
        }
        assert_eq!(found, values.iter().map(|&value| f64::from(value)).collect::<Vec<_>>(), "{letter}");
    }
    assert!(log.texts().iter().any(|text| text.text.contains("cut to 28 characters")), "{:?}", log.texts());
}

#[test]
fn the_time_of_a_gps_frame_never_moves_that_of_main_frames() {
    let lines = plain('I', &["loopIteration", "time"]) + &plain('G', &["time", "GPS_coord[0]", "GPS_coord[1]"]);
    let log = Log::from_bytes(log(&lines, |log| {
        log.frame(b'I', &[0, 1000]).expect("a frame");
        log.frame(b'G', &[9_000_000, 1, 2]).expect("a frame");
        log.frame(b'I', &[32, 2000]).expect("a frame");
        log.frame(b'G', &[2100, 1, 2]).expect("a frame");
        log.frame(b'I', &[64, 3000]).expect("a frame");
    }));
    assert_eq!(log.rows("BI00").expect("the iterations").times_us(), [1000, 2000, 3000]);
    assert_eq!(log.rows("GPS").expect("positions").times_us(), [1000, 2000]);
    assert_eq!(numbers(&log, "BG00.time"), [f64::from(9_000_000), 2100.0], "it is kept as logged");
}

#[test]
fn times_that_go_back_continue_and_a_text_tells_the_offset() {
    let lines = plain('I', &["loopIteration", "time"]);
    let log = Log::from_bytes(log(&lines, |log| {
        log.frame(b'I', &[0, 5_000_000]).expect("a frame");
        log.event(&Event::Resume { iteration: 32, time: 1000 });
        for i in 1..4 {
            log.frame(b'I', &[32 * i, 1000 + 100 * i]).expect("a frame");
        }
    }));
    assert_eq!(log.rows("BI00").expect("the iterations").times_us(), [5_000_000, 5_000_000, 5_000_100, 5_000_200]);
    let texts: Vec<String> = log.texts().into_iter().map(|text| text.text).collect();
    for text in [
        "Logging resumed at iteration 32, 1000 us",
        "Time goes back from 5000000 to 1100 us: from here, TimeUS is 4998900 us more than logged",
    ] {
        assert!(texts.iter().any(|found| found == text), "{text} is not in {texts:?}");
    }
}
