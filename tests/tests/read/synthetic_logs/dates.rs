//! The date of a log by GPS records, of which some have no fix.

use binlog::Log;
use binlog::log::Clock;
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

const GPS: u8 = 1;
const GPS2: u8 = 2;

/// The start of GPS time's week 2310, by pymavlink's leap seconds, in microseconds since 1970.
const WEEK_2310: i64 = (315_964_800 + 604_800 * 2310 - 18) * 1_000_000;

fn log() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(GPS, "GPS", "QBIH", "TimeUS,Status,GMS,GWk").fmt(GPS2, "GPS2", "QBIH", "TimeUS,Status,GMS,GWk");
    log
}

/// A record at a second, with a status and a week whose begin is at second 0.
fn gps(log: &mut RawLog, id: u8, second: u64, status: u8, week: u16) {
    log.record(id, &payload![second * 1_000_000, status, 1000 * second as u32, week]);
}

fn boot_us(log: &RawLog) -> Option<i64> {
    Log::from_bytes(&log.bytes).clock().as_ref().map(Clock::boot_unix_us)
}

/// The time of boot, if a week has begun then.
fn begin_of(week: u16) -> Option<i64> {
    Some(WEEK_2310 + (i64::from(week) - 2310) * 604_800_000_000)
}

#[test]
fn the_first_3d_fix_decides_then_a_2d_fix_then_any_record() {
    let mut log = log();
    gps(&mut log, GPS, 1, 0, 0);
    assert_eq!(boot_us(&log), None);
    gps(&mut log, GPS, 2, 1, 1024);
    assert_eq!(boot_us(&log), begin_of(1024));
    gps(&mut log, GPS, 3, 1, 1025);
    assert_eq!(boot_us(&log), begin_of(1024));
    gps(&mut log, GPS, 4, 2, 2309);
    assert_eq!(boot_us(&log), begin_of(2309));
    gps(&mut log, GPS, 5, 3, 2310);
    gps(&mut log, GPS, 6, 6, 2311);
    assert_eq!(boot_us(&log), begin_of(2310));
}

#[test]
fn the_better_of_two_receivers_decides() {
    let mut log = log();
    gps(&mut log, GPS, 1, 2, 1024);
    gps(&mut log, GPS2, 2, 1, 1025);
    gps(&mut log, GPS2, 3, 3, 2310);
    gps(&mut log, GPS, 4, 3, 2311);
    assert_eq!(boot_us(&log), begin_of(2310));
}

#[test]
fn the_first_boot_that_has_a_date_decides() {
    let (mut first, mut second) = (log(), log());
    gps(&mut first, GPS, 1, 1, 1024);
    gps(&mut second, GPS, 1, 3, 2310);
    let both = RawLog { bytes: [first.bytes, second.bytes].concat() };
    assert_eq!(boot_us(&both), begin_of(1024));
    let log = Log::from_bytes(&both.bytes);
    let boots: Vec<_> = log.boots().map(|boot| boot.log().clock().as_ref().map(Clock::boot_unix_us)).collect();
    assert_eq!(boots, [begin_of(1024), begin_of(2310)]);
}

#[test]
fn a_receiver_without_a_status_has_a_date_too() {
    let mut log = RawLog::new();
    log.fmt(GPS, "GPS", "QIH", "TimeUS,GMS,GWk").record(GPS, &payload![2_000_000_u64, 2000_u32, 2310_u16]);
    assert_eq!(boot_us(&log), begin_of(2310));
}

#[test]
fn px4_logs_utc() {
    let mut log = RawLog::new();
    log.fmt(3, "TIME", "Q", "StartTime").fmt(GPS, "GPS", "QB", "GPSTime,Fix");
    for (second, gps_us, fix) in
        [(1_u64, 0_u64, 0_u8), (2, 5, 0), (3, 1_500_000_003_000_000, 3), (4, 1_600_000_000_000_000, 3)]
    {
        log.record(3, &payload![second * 1_000_000]).record(GPS, &payload![gps_us, fix]);
    }
    assert_eq!(boot_us(&log), Some(1_500_000_000_000_000));
    assert_eq!(
        Log::from_bytes(&log.bytes).rows("GPS").expect("GPS").times_us(),
        [1, 2, 3, 4].map(|second| second * 1_000_000)
    );
}

#[test]
fn implausible_weeks_are_ignored() {
    // Until 2099; the last week that fits in 16 bits is in the year 3236.
    for (week, is_date) in [(1, true), (6260, true), (6280, false), (65_535, false)] {
        let mut log = log();
        gps(&mut log, GPS, 1, 3, week);
        assert_eq!(boot_us(&log), begin_of(week).filter(|_| is_date), "{week}");
        gps(&mut log, GPS, 2, 1, 2310);
        assert!(boot_us(&log).is_some());
        assert_eq!(boot_us(&log) == begin_of(2310), !is_date);
    }
    let mut px4 = RawLog::new();
    px4.fmt(3, "TIME", "Q", "StartTime").fmt(GPS, "GPS", "QB", "GPSTime,Fix");
    px4.record(3, &payload![1_000_000_u64]).record(GPS, &payload![u64::MAX, 3_u8]);
    assert_eq!(boot_us(&px4), None);
}

#[test]
fn another_clocks_date_beats_a_receiver_without_a_fix() {
    let mut log = log();
    gps(&mut log, GPS, 1, 1, 1024);
    gps(&mut log, GPS, 2, 0, 2310);
    assert_eq!(boot_us(&log), begin_of(2310));
}

#[test]
fn a_program_without_a_gps_says_the_date_from_1980_on() {
    use binlog::messages::Gps;
    use binlog::{LogSchema, LogWriter};
    use std::time::Duration;

    #[derive(LogSchema)]
    enum FlightLog {
        Gps(Gps),
    }
    // 13 January 1980 begins the first week that is a date.
    const FIRST: u64 = 315_964_800 + 604_800 - 18;
    for (since_1970, is_date) in [
        (0, false),
        (315_964_799, false),
        (FIRST - 1, false),
        (FIRST, true),
        (1_700_000_000, true),
        (u64::from(u32::MAX), false),
    ] {
        let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
        log.write(&Gps::date(5_000_000, Duration::from_secs(since_1970))).expect("memory takes all");
        let log = Log::from_bytes(log.finish().expect("memory takes all"));
        let unix_s = log.clock().map(|clock| clock.unix_us(5_000_000) / 1_000_000);
        assert_eq!(unix_s, is_date.then_some(since_1970 as i64), "{since_1970}");
        assert_eq!(log.clock().is_none(), !is_date);
    }
}

#[test]
fn untimed_gps_of_old_firmware_has_the_time_before_it() {
    for has_others in [true, false] {
        let mut log = RawLog::new();
        log.fmt(GPS, "GPS", "BIH", "Status,TimeMS,Week").fmt(3, "ATT", "I", "TimeMS").fmt(4, "IMU", "f", "GyrX");
        for ms in [1_000_u32, 3_000] {
            if has_others {
                log.record(3, &payload![ms]);
            }
            log.record(
                GPS,
                &payload![if ms == 1_000 { 1_u8 } else { 3 }, ms, if ms == 1_000 { 1024_u16 } else { 2310 }],
            );
            log.record(4, &payload![0_f32]);
        }
        // Without any time, it is the date of the record.
        let since_week = if has_others { 0 } else { 3_000_000 };
        assert_eq!(boot_us(&log), begin_of(2310).map(|begin| begin + since_week), "{has_others}");
    }
}
