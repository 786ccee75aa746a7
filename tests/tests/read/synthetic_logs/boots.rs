//! When a log was logged: its earliest and latest time, and the boots that it holds.

use binlog::Log;
use binlog::field::Chars;
use binlog::log::ArmedInterval;
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
fn the_range_reaches_from_the_earliest_to_the_latest_time_in_any_order() {
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
    // It goes on in the mode and the state that the first one ended in.
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
fn neither_a_time_that_jumps_back_nor_a_definition_that_is_repeated_begins_a_boot() {
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

#[test]
fn a_log_without_times_is_one_boot_without_a_range() {
    for bytes in [&[][..], &[0; 100], &preamble().bytes] {
        let log = Log::from_bytes(bytes);
        let boots: Vec<_> = log.boots().map(|boot| (boot.range(), boot.time_range_us())).collect();
        assert_eq!((boots, log.time_range_us()), (vec![(0..bytes.len(), None)], None));
    }
}
