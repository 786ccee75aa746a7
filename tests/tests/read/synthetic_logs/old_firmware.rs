//! Logs as firmware before 2015 wrote them: times in milliseconds, four labels for FMT's five columns, no FMTU.

use super::assert_as_pymavlink;
use binlog::field::Chars;
use binlog::log::{Clock, Values, Vehicle};
use binlog::{Log, Scaling};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

const PARM: u8 = 1;
const MSG: u8 = 2;
const MODE: u8 = 3;
const ATT: u8 = 4;
const GPS: u8 = 5;

fn definitions() -> RawLog {
    let mut log = RawLog::empty();
    log.fmt(128, "FMT", "BBnNZ", "Type,Length,Name,Format");
    log.fmt(PARM, "PARM", "Nf", "Name,Value");
    log.fmt(MSG, "MSG", "Z", "Message");
    log.fmt(MODE, "MODE", "Mh", "Mode,ThrCrs");
    log.fmt(ATT, "ATT", "IccccCC", "TimeMS,DesRoll,Roll,DesPitch,Pitch,DesYaw,Yaw");
    log.fmt(GPS, "GPS", "BIHBcLLeeEefI", "Status,TimeMS,Week,NSats,HDop,Lat,Lng,RelAlt,Alt,Spd,GCrs,VZ,T");
    log
}

fn parameter(log: &mut RawLog, name: &str, value: f32) {
    log.record(PARM, &payload![Chars::<16>::cut(name), value]);
}

fn text(log: &mut RawLog, text: &str) {
    log.record(MSG, &payload![Chars::<64>::cut(text)]);
}

fn attitude(log: &mut RawLog, time_ms: u32) {
    log.record(ATT, &payload![time_ms, 100_i16, -250_i16, 0_i16, 7_i16, 36_000_u16, 65_535_u16]);
}

fn gps(log: &mut RawLog, time_ms: u32, week: u16, week_ms: u32) {
    let position = payload![-353_632_621_i32, 1_491_652_374_i32, 1234_i32, -58_420_i32];
    let speed = payload![4_000_000_000_u32, -17_950_i32, -0.5_f32];
    log.record(GPS, &[payload![3_u8, week_ms, week, 9_u8, 123_i16], position, speed, payload![time_ms]].concat());
}

/// A flight with a GPS that finds the time after a while.
fn flight() -> RawLog {
    let mut log = definitions();
    parameter(&mut log, "SYSID_THISMAV", 1.0);
    text(&mut log, "ArduCopter V3.1.2 (5dc6e1bc)");
    log.record(MODE, &payload![0_u8, 500_i16]);
    attitude(&mut log, 60_000);
    gps(&mut log, 60_100, 0, 0);
    attitude(&mut log, 60_200);
    gps(&mut log, 60_300, 1790, 302_400_000);
    log.record(MODE, &payload![5_u8, 500_i16]);
    parameter(&mut log, "SYSID_THISMAV", 2.0);
    attitude(&mut log, 60_400);
    gps(&mut log, 60_500, 1790, 302_400_200);
    log.record(MODE, &payload![9_u8, 500_i16]);
    attitude(&mut log, 4_294_967_295);
    log
}

#[test]
fn pymavlink_reads_old_firmware_alike() {
    assert_as_pymavlink(&flight());
}

#[test]
fn the_clock_is_the_first_fix_with_a_week() {
    let log = flight();
    let log = Log::from_bytes(&log.bytes);
    // 2014-04-30 12:00:00 of GPS time, 16 seconds ahead of UTC then, 18 by pymavlink's reckoning.
    let fix_unix_us = 1_398_859_200_000_000 - 18_000_000;
    assert_eq!(log.clock().map(|clock| clock.unix_us(60_300_000)), Some(fix_unix_us));
    assert_eq!(log.clock().as_ref().map(Clock::boot_unix_us), Some(fix_unix_us - 60_300_000));
}

#[test]
fn milliseconds_are_times_and_so_is_the_column_t_of_a_gps() {
    let log = flight();
    let log = Log::from_bytes(&log.bytes);
    let times = |name: &str| log.rows(name).expect("the log has it").times_us();
    assert_eq!(times("ATT"), [60_000_000, 60_200_000, 60_400_000, 4_294_967_295_000]);
    assert_eq!(times("GPS"), [60_100_000, 60_300_000, 60_500_000]);
    // Without a time of their own: the last one before, or the first of all.
    assert_eq!(times("PARM"), [60_000_000, 60_300_000]);
    assert_eq!(times("MODE"), [60_000_000, 60_300_000, 60_500_000]);
    assert_eq!(times("FMT"), [60_000_000; 6]);
    // The last record is far from all others.
    assert_eq!(log.time_range_us(), Some(60_000_000..=60_500_000));
}

#[test]
fn the_definition_of_fmt_may_lack_a_label() {
    let log = flight();
    let log = Log::from_bytes(&log.bytes);
    let fmt = log.rows("FMT").expect("the log has it");
    assert_eq!(fmt.labels(), ["Type", "Length", "Name", "Format"]);
    assert_eq!(log.numbers("FMT.Length", Scaling::Shown), Ok(vec![89.0, 23.0, 67.0, 6.0, 19.0, 45.0]));
    assert_eq!(fmt.records().next().map(|record| record.values().count()), Some(4));
}

#[test]
fn hundredths_and_degrees_are_divided() {
    let log = flight();
    let log = Log::from_bytes(&log.bytes);
    let first = |name: &str| log.numbers(name, Scaling::Shown).expect("numbers")[0];
    assert_eq!(first("ATT.Roll"), -2.5);
    assert_eq!(first("ATT.Yaw"), 655.35);
    assert_eq!(first("GPS.Lat"), -35.363_262_1);
    assert_eq!(first("GPS.Spd"), 40_000_000.0);
    assert_eq!(first("GPS.Alt"), -584.2);
    // In a log without FMTU there is no unit to convert to, but times say by their labels what they are.
    assert_eq!(log.numbers("ATT.TimeMS", Scaling::Units).expect("numbers")[0], 60.0);
    let speed = log.column("GPS.Spd").expect("a column");
    assert_eq!((speed.shown_unit(), speed.unit(), speed.multiplier()), ("", "", None));
    assert_eq!(speed.values(), &Values::U32(vec![4_000_000_000; 3].into()));
}

#[test]
fn modes_without_a_number_column_are_numbers() {
    let log = flight();
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.vehicle(), Some(Vehicle::Copter));
    let modes = log.modes();
    let names: Vec<_> = modes.iter().map(|mode| (mode.number, mode.name.as_deref(), mode.reason)).collect();
    let expected = [(Some(0), Some("STABILIZE"), None), (Some(5), Some("LOITER"), None), (Some(9), Some("LAND"), None)];
    assert_eq!(names, expected);
    assert_eq!(modes[1].time_us, 60_300_000..60_500_000);
    assert_eq!(modes[2].time_us.end, 60_500_001);
    assert_eq!(
        log.parameters()["SYSID_THISMAV"].values.iter().map(|value| value.value).collect::<Vec<_>>(),
        [1.0, 2.0]
    );
}

/// pymavlink takes every vehicle for a copter where MODE has no ModeNum.
#[test]
fn the_modes_of_an_old_plane_are_a_planes_unlike_in_pymavlink() {
    let mut log = definitions();
    text(&mut log, "ArduPlane V2.78");
    log.record(MODE, &payload![11_u8, 0_i16]);
    attitude(&mut log, 1000);
    let ours = Log::from_bytes(&log.bytes).modes();
    assert_eq!(ours[0].name.as_deref(), Some("RTL"));
    let Some(facts) = binlog_tests::pymavlink::flight(&log.bytes) else { return };
    assert_eq!(facts["modes"][0][0], "DRIFT");
}
