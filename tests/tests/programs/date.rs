//! The date of a log without a GPS.

use binlog::messages::{Ev, Gps};
use binlog::{Log, LogSchema, LogWriter};
use binlog_tests::pymavlink;
use std::time::Duration;

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
    Gps(Gps),
}

/// 1 May 2024, 12:00:00.25 UTC.
const NOON: Duration = Duration::from_millis(1_714_564_800_250);

fn dated(since_1970: Duration) -> Vec<u8> {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
    log.write(&Gps::date(5_000_000, since_1970)).expect("memory takes all");
    log.write(&Ev { time_us: 6_500_000, id: 10 }).expect("memory takes all");
    log.finish().expect("memory takes all")
}

#[test]
fn a_log_without_a_gps_has_the_date_that_it_was_given() {
    let log = dated(NOON);
    let clock = Log::from_bytes(&log[..]).clock().expect("a date");
    assert_eq!(clock.unix_us(5_000_000), NOON.as_micros() as i64);
    // pymavlink prints local time, which is UTC in its tests or not: minutes and seconds are the same nearly
    // everywhere.
    let Some(output) = pymavlink::mavlogdump(&log) else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    let event = text.lines().find(|line| line.contains(": EV {")).expect("an event");
    assert!(event.starts_with("2024-05-0") && event.contains(":01.75: EV"), "{event}");
}

#[test]
fn the_record_has_no_position_and_no_impossible_date() {
    let gps = Gps::date(1, NOON);
    assert_eq!((gps.status.0, gps.satellites, gps.latitude.e7(), gps.used), (0, 0, 0, 0));
    // 2312 weeks of GPS time and Wednesday noon, with the 18 leap seconds.
    let (week, week_ms) = (gps.week, gps.week_ms);
    assert_eq!((week, week_ms), (2312, (3 * 24 + 12) * 3_600_000 + 18_250));
    let (week, week_ms) = (Gps::date(1, Duration::ZERO).week, Gps::date(1, Duration::ZERO).week_ms);
    assert_eq!((week, week_ms), (0, 0));
    let week = Gps::date(1, Duration::MAX / 4).week;
    assert_eq!(week, u16::MAX);
}
