//! When a log was logged: its earliest and latest time, and the boots that it holds.

use binlog::Log;
use binlog::field::Chars;
use binlog::log::{ArmedInterval, Vehicle};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

const MODE: u8 = 1;
const ARM: u8 = 2;
const TIME: u8 = 3;

/// What a boot logs before its records.
fn preamble() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(MODE, "MODE", "QMB", "TimeUS,Mode,ModeNum").fmt(ARM, "ARM", "QB", "TimeUS,ArmState");
    log.fmt(TIME, "TIME", "Q", "TimeUS");
    log
}

fn boot(times: &[u64], modes: &[(u64, u8)], armed: &[(u64, u8)]) -> RawLog {
    let mut log = preamble();
    for &(time_us, mode) in modes {
        log.record(MODE, &payload![time_us, mode, mode]);
    }
    for &(time_us, state) in armed {
        log.record(ARM, &payload![time_us, state]);
    }
    for &time_us in times {
        log.record(TIME, &payload![time_us]);
    }
    log
}

#[test]
fn time_range_is_earliest_to_latest_in_any_order() {
    let log = boot(&[50, 20, 90, 70], &[(30, 1)], &[(60, 1)]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.time_range_us(), Some(20..=90));
    assert_eq!(log.boots().len(), 1);
    // Intervals hold the latest time, too.
    assert_eq!(log.modes()[0].time_us, 30..91);
    assert_eq!(log.armed(), [ArmedInterval { time_us: 60..91, is_open: true }]);
}

#[test]
fn a_second_preamble_begins_a_boot() {
    let first = boot(&[1_000, 5_000], &[(2_000, 1)], &[(3_000, 1)]);
    // It continues in the mode and the state that the first one ended in.
    let second = boot(&[100, 900], &[(200, 1), (400, 2)], &[(300, 1), (500, 0)]);
    let bytes = [&first.bytes[..], &second.bytes].concat();
    let log = Log::from_bytes(&bytes);
    let boots: Vec<_> = log.boots().collect();
    assert_eq!(
        boots.iter().map(|boot| boot.range()).collect::<Vec<_>>(),
        [0..first.bytes.len(), first.bytes.len()..bytes.len()]
    );
    let ranges: Vec<_> = boots.iter().map(|boot| boot.time_range_us()).collect();
    assert_eq!(ranges, [Some(1_000..=5_000), Some(100..=900)]);
    assert_eq!(log.time_range_us(), Some(100..=5_000));

    let modes: Vec<_> = log.modes().into_iter().map(|mode| (mode.time_us, mode.number)).collect();
    assert_eq!(modes, [(2_000..5_001, Some(1)), (200..400, Some(1)), (400..901, Some(2))]);
    let armed = [(3_000..5_001, true), (300..500, false)].map(|(time_us, is_open)| ArmedInterval { time_us, is_open });
    assert_eq!(log.armed(), armed);

    // Each is a log of its own.
    for (boot, whole) in boots.iter().zip([&first, &second]) {
        let view = boot.log();
        assert_eq!((view.bytes(), view.boots().len()), (&whole.bytes[..], 1));
        assert_eq!(view.rows("TIME").expect("the boot has it").len(), 2);
        assert_eq!(view.skipped(), []);
    }
    let [first, second] = [&boots[0], &boots[1]].map(|boot| boot.log().modes().len() + boot.log().armed().len());
    assert_eq!(first + second, modes.len() + armed.len());
}

/// Joined logs may be those of different vehicles, and of firmware that logs arming differently.
#[test]
fn each_boot_has_its_own_vehicle_and_its_own_records_of_arming() {
    const MSG: u8 = 4;
    const EV: u8 = 5;
    const STAT: u8 = 6;
    let boot = |text: &str| {
        let mut log = preamble();
        log.fmt(MSG, "MSG", "QZ", "TimeUS,Message").fmt(EV, "EV", "QB", "TimeUS,Id");
        log.fmt(STAT, "STAT", "QB", "TimeUS,Armed");
        log.record(MSG, &payload![1_u64, Chars::<64>::cut(text)]).record(MODE, &payload![2_u64, 5_u8, 5_u8]);
        log
    };
    let mut copter = boot("ArduCopter V4.6.0");
    copter.record(ARM, &payload![10_u64, 1_u8]).record(ARM, &payload![20_u64, 0_u8]);
    // ARM decides in this boot.
    copter.record(EV, &payload![11_u64, 10_u8]);
    let mut plane = boot("ArduPlane V4.6.0");
    plane.record(EV, &payload![30_u64, 10_u8]).record(EV, &payload![40_u64, 11_u8]);
    let mut unnamed = boot("a firmware of one's own");
    for (time_us, armed) in [(50_u64, 0_u8), (60, 1), (70, 0)] {
        unnamed.record(STAT, &payload![time_us, armed]);
    }
    let log = Log::from_bytes([copter.bytes, plane.bytes, unnamed.bytes].concat());
    assert_eq!(log.boots().len(), 3);

    let modes = log.modes();
    let names: Vec<_> = modes.iter().map(|mode| mode.name.as_deref()).collect();
    assert_eq!(names, [Some("LOITER"), Some("FBWA"), None]);
    let armed = [10..20, 30..40, 60..70].map(|time_us| ArmedInterval { time_us, is_open: false });
    assert_eq!(log.armed(), armed);
    assert_eq!(log.vehicle(), Some(Vehicle::Copter));

    let logs: Vec<_> = log.boots().map(|boot| boot.log()).collect();
    assert_eq!(logs.iter().flat_map(Log::modes).collect::<Vec<_>>(), modes);
    assert_eq!(logs.iter().flat_map(Log::armed).collect::<Vec<_>>(), armed);
    assert_eq!(logs.iter().map(Log::vehicle).collect::<Vec<_>>(), [Some(Vehicle::Copter), Some(Vehicle::Plane), None]);
}

#[test]
fn a_text_ends_with_its_boot() {
    let boot = |seq: u8, text: &str| {
        let mut log = RawLog::new();
        log.fmt(TIME, "MSG", "QBBZ", "TimeUS,ID,Seq,Message");
        log.record(TIME, &payload![1_u64, 1_u8, seq, Chars::<64>::cut(text)]);
        log.bytes
    };
    let log = Log::from_bytes([boot(0, "first"), boot(1, "second")].concat());
    let texts: Vec<_> = log.texts().into_iter().map(|text| (text.text, text.is_complete)).collect();
    assert_eq!(texts, [("first".into(), true), ("second".into(), false)]);
}

#[test]
fn only_fmt_of_fmt_begins_a_boot() {
    let mut log = boot(&[1_000, 5_000, 10], &[], &[]);
    // ArduPilot repeats the FMT of a type that is sent late.
    log.fmt(TIME, "TIME", "Q", "TimeUS").record(TIME, &payload![20_u64]);
    log.fmt(9, "NEW", "Q", "TimeUS").record(9, &payload![30_u64]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!((log.boots().len(), log.time_range_us()), (1, Some(10..=5_000)));
    // FMT that defines itself twice in one preamble.
    let twice = [&preamble().bytes[..], &boot(&[1], &[], &[]).bytes].concat();
    assert_eq!(Log::from_bytes(&twice).boots().len(), 1);
}

/// TimeUS of one record has a bit too many: the last one's, and one in the middle.
#[test]
fn damaged_time_stretches_neither_range_nor_open_intervals() {
    const HOUR: u64 = 3_600_000_000;
    for wild in [1 << 40 | 7_000, 1 << 63 | 7_000, u64::MAX] {
        for times in [vec![6_000, 7_000, 8_000, wild], vec![6_000, wild, 7_000, 8_000], vec![wild, 6_000, 8_000]] {
            let whole = boot(&times, &[(5_000, 1)], &[(5_500, 1)]);
            let log = Log::from_bytes(&whole.bytes);
            assert_eq!(log.time_range_us(), Some(5_000..=8_000), "{times:?}");
            assert_eq!(log.modes()[0].time_us, 5_000..8_001);
            assert_eq!(log.armed(), [ArmedInterval { time_us: 5_500..8_001, is_open: true }]);
            assert_eq!(log.rows("TIME").expect("its definition").times_us(), times, "the record keeps its time");
        }
    }
    // A pause isn't damage: two records agree.
    let paused = boot(&[5_000, 6_000, 9 * HOUR, 9 * HOUR + 1_000], &[], &[]);
    assert_eq!(Log::from_bytes(&paused.bytes).time_range_us(), Some(5_000..=9 * HOUR + 1_000));
    // Each boot for itself.
    let two = [&boot(&[1_000, 2_000], &[], &[]).bytes[..], &boot(&[10, u64::MAX, 20], &[], &[]).bytes].concat();
    let ranges: Vec<_> = Log::from_bytes(&two).boots().map(|boot| boot.time_range_us()).collect();
    assert_eq!(ranges, [Some(1_000..=2_000), Some(10..=20)]);
}

#[test]
fn a_log_without_times_is_one_boot_without_a_range() {
    for bytes in [&[][..], &[0; 100], &preamble().bytes] {
        let log = Log::from_bytes(bytes);
        let boots: Vec<_> = log.boots().map(|boot| (boot.range(), boot.time_range_us())).collect();
        assert_eq!((boots, log.time_range_us()), (vec![(0..bytes.len(), None)], None));
    }
}
