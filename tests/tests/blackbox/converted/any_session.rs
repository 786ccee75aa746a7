//! The converted log is sound for any header and any frames.

use crate::raw_session::MARKER;
use binlog::blackbox::BlackboxLog;
use binlog::convert::{ConvertError, to_ardupilot};
use binlog::{Log, LoggedSchema};
use proptest::prelude::*;

/// Asserts that the sessions of a log convert to sound logs, or have no frames.
fn check(log: Vec<u8>) -> Result<(), TestCaseError> {
    let log = BlackboxLog::from_bytes(log);
    for session in log.sessions() {
        let mut converted = Vec::new();
        match to_ardupilot(&session, &mut converted) {
            Ok(_) => {}
            Err(ConvertError::NoFrames) => {
                prop_assert!(!session.has_main_frames());
                continue;
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
        let schema = LoggedSchema::from_bytes(&converted);
        for message in schema.messages() {
            let mut labels: Vec<&str> = message.columns().map(|column| column.label).collect();
            prop_assert!(labels.len() <= 16 && labels.join(",").len() <= 64, "{:?}", labels);
            labels.sort_unstable();
            prop_assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{:?}", labels);
        }
        let read = Log::from_bytes(converted);
        prop_assert_eq!(read.skipped(), []);
        let mut last = 0;
        for record in read.records() {
            let record = record.map_err(|skipped| TestCaseError::fail(skipped.to_string()))?;
            if ["FMT", "UNIT", "MULT", "FMTU", "FILE"].contains(&record.name()) {
                continue;
            }
            let time_us = record.time_us().ok_or_else(|| TestCaseError::fail("no time"))?;
            prop_assert!(time_us >= last, "{} goes back", record.name());
            last = time_us;
        }
    }
    Ok(())
}

/// Fields that the conversion looks for, and others.
const FIELDS: [&str; 20] = [
    "gyroADC[0]",
    "gyroADC[1]",
    "gyroADC[2]",
    "accSmooth[0]",
    "axisP[0]",
    "axisD[2]",
    "setpoint[0]",
    "setpoint[1]",
    "setpoint[2]",
    "motor[0]",
    "motor[1]",
    "servo[0]",
    "vbatLatest",
    "amperageLatest",
    "BaroAlt",
    "attitude[0]",
    "imuQuaternion[0]",
    "debug[0]",
    "in",
    "a name, with ümlauts",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::sample::select(&FIELDS[..]).prop_map(str::to_owned),
        1 => "[ -+--~]{0,90}",
    ]
}

fn definition(letter: char, names: &[String], signs: u64) -> String {
    let names: Vec<String> = names.iter().map(|name| name.replace(',', "")).collect();
    let list = |entry: &dyn Fn(usize) -> &'static str| -> String {
        let entries: Vec<&str> = (0..names.len()).map(entry).collect();
        entries.join(",")
    };
    let signed = list(&|i| if signs >> (i % 64) & 1 == 0 { "0" } else { "1" });
    let zeros = list(&|_| "0");
    let mut lines = format!("H Field {letter} name:{}\nH Field {letter} signed:{signed}\n", names.join(","));
    lines += &format!("H Field {letter} predictor:{zeros}\nH Field {letter} encoding:{zeros}\n");
    if letter == 'I' {
        lines += &format!("H Field P predictor:{}\nH Field P encoding:{zeros}\n", list(&|_| "1"));
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_names_values_and_bytes(
        main in proptest::collection::vec(name(), 0..60),
        gps in proptest::collection::vec(name(), 0..6),
        signs: u64,
        lines in proptest::collection::vec(("[ -9;-~]{1,40}", "[ -~]{0,40}"), 0..20),
        calibration in proptest::collection::vec(("(acc_1G|gyro_scale|motorOutput|vbatcellvoltage|vbatref|motor_poles|Log start datetime|Firmware revision)", "[0-9xa-fT:,.-]{0,12}"), 0..8),
        frames in proptest::collection::vec((proptest::sample::select(&b"IIPPPGSHE"[..]), proptest::collection::vec(0..0x90_u8, 0..80)), 0..40),
    ) {
        let main: Vec<String> = ["loopIteration".to_owned(), "time".to_owned()].into_iter().chain(main).collect();
        let mut log = format!("{MARKER}{}{}", definition('I', &main, signs), definition('G', &gps, signs));
        log += &definition('S', &["flightModeFlags", "stateFlags", "failsafePhase"].map(str::to_owned), signs);
        log += &definition('H', &["GPS_home[0]", "GPS_home[1]", "GPS_home[2]"].map(str::to_owned), signs);
        for (name, value) in lines.iter().chain(&calibration) {
            log += &format!("H {name}:{value}\n");
        }
        let mut log = log.into_bytes();
        for (letter, bytes) in &frames {
            log.push(*letter);
            log.extend(bytes);
        }
        check(log)?;
    }

    #[test]
    fn sound_frames_with_any_values(
        values in proptest::collection::vec(proptest::collection::vec(any::<i32>(), FIELDS.len()), 1..20),
        signs: u64,
        scale in prop_oneof![Just("0x3f800000"), Just("0x7f800000"), Just("0"), Just("-1"), Just("1e300")],
    ) {
        use crate::by_header::{HeaderLog, header_of};
        let main: Vec<String> = ["loopIteration", "time"].into_iter().chain(FIELDS).map(|name| name.replace(',', "")).collect();
        let lines = format!("{MARKER}{}H gyro_scale:{scale}\nH acc_1G:2048\nH motorOutput:158,2047\n", definition('I', &main, signs));
        let of_header = BlackboxLog::from_bytes(lines.as_bytes());
        let header = header_of(&of_header);
        let mut log = HeaderLog::new(&lines, &header);
        for (i, values) in (0..).zip(&values) {
            let frame: Vec<u32> = [i, 1000 * i].into_iter().chain(values.iter().map(|value| value.cast_unsigned())).collect();
            log.frame(b'I', &frame).map_err(|error| TestCaseError::fail(error.to_string()))?;
        }
        check(log.bytes)?;
    }
}
