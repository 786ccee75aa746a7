//! Rows of numbers by their labels, from the logs of any firmware.

use super::{Logged, double, log, single};
use binlog::replay::{Flight, Item, ReplayError, Signal};
use binlog::{AnyLog, Log, Scaling};
use binlog_tests::{real_logs, shared};
use proptest::prelude::*;

/// The times and values of all rows of the first boot or session.
fn rows<const N: usize>(log: &AnyLog<'_>, signals: [Signal; N]) -> Vec<(u64, [f64; N])> {
    let flight = Flight::of(log);
    let items = flight.rows(signals).expect("the log has them").map(|item| item.expect("no error"));
    let items = items.skip(1).take_while(|item| !matches!(item, Item::Begin { .. }));
    let row = |item| if let Item::Input { time_us, input } = item { Some((time_us, input)) } else { None };
    items.filter_map(row).collect()
}

fn error<const N: usize>(log: &AnyLog<'_>, signals: [&str; N]) -> String {
    let flight = Flight::of(log);
    format!("{:?}", flight.rows(signals).expect_err("the log doesn't have them"))
}

proptest! {
    #[test]
    fn a_row_has_the_last_and_the_interpolated_values(
        drives in prop::collection::btree_set(0..400_u64, 1..40),
        held in prop::collection::btree_set(0..400_u64, 1..40),
        interpolated in prop::collection::btree_set(0..400_u64, 1..40),
    ) {
        let mut records: Vec<(u64, Logged)> = Vec::new();
        records.extend(drives.iter().map(|&at| (at, double(10_000 * at, 0, at as u32))));
        records.extend(held.iter().map(|&at| (at, single(10_000 * at, at as u32))));
        records.extend(interpolated.iter().map(|&at| (at, double(10_000 * at, 1, 3 * at as u32))));
        records.sort_by_key(|(at, _)| *at);
        let log = AnyLog::from_bytes(log(records.into_iter().map(|(_, record)| record))).expect("a log");
        let signals = [Signal::last("BBB[0].Value"), "AAA.Value".into(), Signal::linear("BBB[1].Value")];
        let found = rows(&log, signals);
        prop_assert_eq!(found.len(), drives.len());
        for ((time_us, [own, last, linear]), &at) in found.into_iter().zip(&drives) {
            prop_assert_eq!((time_us, own), (10_000 * at, at as f64));
            match held.range(..=at).next_back() {
                Some(&before) => prop_assert_eq!(last, before as f64),
                None => prop_assert!(last.is_nan()),
            }
            match (interpolated.range(..=at).next_back(), interpolated.range(at..).next()) {
                // On the line, as the value is three times the time.
                (Some(before), Some(after)) if after - before <= 100 => {
                    prop_assert!((linear - 3.0 * at as f64).abs() < 1e-9, "{} at {}", linear, at);
                }
                (Some(&before), _) => prop_assert_eq!(linear, 3.0 * before as f64),
                (None, _) => prop_assert!(linear.is_nan()),
            }
        }
    }
}

/// The numbers of a column, in the order of time.
fn column(log: &Log<'_>, name: &str) -> Vec<(u64, f64)> {
    let (rows, label) = log.select(name).expect("a column");
    let numbers = rows.numbers(label, Scaling::Units).expect("numbers");
    let mut all: Vec<_> = rows.times_us().into_iter().zip(numbers).collect();
    all.sort_by_key(|(time_us, _)| *time_us);
    all
}

#[test]
fn the_columns_of_real_logs_are_replayed() {
    let mut replayed = 0;
    for (name, bytes) in real_logs() {
        let any = AnyLog::from_bytes(bytes).expect("a log");
        let AnyLog::ArduPilot(log) = &any else { panic!("{name} isn't ArduPilot's") };
        let types: Vec<String> = log.types().map(|rows| rows.name().to_owned()).collect();
        for of_type in types {
            let rows_of = log.rows(&of_type).expect("the type");
            let source = match rows_of.instances().first() {
                Some(instance) => format!("{of_type}[{instance}]"),
                None => of_type.clone(),
            };
            let labels: Vec<String> = rows_of.labels().iter().skip(1).map(|label| (*label).to_owned()).collect();
            let is_number = |label: &&String| log.numbers(&format!("{source}.{label}"), Scaling::Units).is_ok();
            let defines = rows_of.definitions().any(|definition| definition.defines_others());
            let Some(label) = labels.iter().find(is_number).filter(|_| !defines && log.boot_count() == 1) else {
                continue;
            };
            let signal = format!("{source}.{label}");
            let found = rows(&any, [Signal::from(signal.as_str())]);
            let expected = column(log, &signal);
            // Records without a time have that of the record before them.
            let values = |all: Vec<(u64, f64)>| all.into_iter().map(|(_, value)| value.to_bits()).collect::<Vec<_>>();
            assert!(
                values(found.iter().map(|(time_us, [value])| (*time_us, *value)).collect()) == values(expected),
                "{name} {signal}"
            );
            replayed += found.len();
        }
    }
    assert!(replayed > 5000 || real_logs().is_empty(), "{replayed}");
}

#[test]
fn a_controller_is_fed_by_a_stranger_s_ardupilot_log() {
    for (name, bytes) in real_logs() {
        let any = AnyLog::from_bytes(bytes).expect("a log");
        let flight = Flight::of(&any);
        let AnyLog::ArduPilot(log) = &any else { panic!("{name} isn't ArduPilot's") };
        if log.rows("RATE").is_ok_and(|rows| !rows.is_empty()) && log.rows("IMU[0]").is_ok_and(|rows| !rows.is_empty())
        {
            let rows = flight.rows(["IMU[0].GyrX", "RATE.RDes"]).expect("it has them");
            let inputs = rows.filter(|item| matches!(item, Ok(Item::Input { .. }))).count();
            assert_eq!(inputs, log.rows("IMU[0]").expect("its records").len(), "{name}");
        }
    }
}

#[test]
fn a_controller_is_fed_by_a_stranger_s_blackbox_log() {
    let Some(folder) = shared("blackbox-logs") else { return };
    let mut sessions = 0;
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            continue;
        }
        let log = AnyLog::open(&path).expect("a log");
        let AnyLog::Blackbox(blackbox) = &log else { panic!("{} isn't a Blackbox log", path.display()) };
        let tables = blackbox.tables();
        let asked = if tables[0].column("setpoint[0]").is_some() { "setpoint[0]" } else { "rcCommand[0]" };
        let flight = Flight::of(&log);
        let mut found: Vec<Vec<(u64, [f64; 2])>> = Vec::new();
        for item in flight.rows(["gyroADC[0]", asked]).expect("it has them") {
            match item.expect("no error") {
                Item::Begin { .. } => found.push(Vec::new()),
                Item::Input { time_us, input } => found.last_mut().expect("a session").push((time_us, input)),
                Item::OutOfOrder { time_us, input } => found.last_mut().expect("a session").push((time_us, input)),
                _ => {}
            }
        }
        assert_eq!(found.len(), tables.len(), "{}", path.display());
        for (mut found, tables) in found.into_iter().zip(&tables) {
            let of = |name| tables.main().column(name).expect("the field").to_f64(Scaling::Units);
            let times = tables.main().times_us().iter().copied();
            let mut expected: Vec<_> = times.zip(of("gyroADC[0]").into_iter().zip(of(asked))).collect();
            expected.sort_by_key(|(time_us, _)| *time_us);
            found.sort_by_key(|(time_us, _)| *time_us);
            let expected: Vec<_> =
                expected.into_iter().map(|(time_us, (gyro, asked))| (time_us, [gyro, asked])).collect();
            assert!(found == expected, "{}: {} for {}", path.display(), found.len(), expected.len());
            sessions += 1;
        }
    }
    assert!(sessions > 2, "{sessions}");
}

#[test]
fn names_that_the_log_does_not_have_are_explained() {
    let records = [single(1, 1), double(1, 0, 2), double(2, 3, 4)];
    let ardupilot = AnyLog::from_bytes(log(records)).expect("a log");
    for (name, said) in [
        ("AAA", "`AAA` is not the name of a column"),
        ("AAB.Value", "the log has no type `AAB`; it has "),
        ("aaa.Value", "did you mean `AAA`?"),
        ("AAA.value", "did you mean `Value`?"),
        ("BBB[1].Value", "BBB has no instance `1`; it has 0, 3"),
        ("AAA[0].Value", "AAA has no instances"),
        ("FMT.Name", "FMT.Name contains no numbers"),
    ] {
        let text = error(&ardupilot, [name]);
        assert!(text.contains(said), "{name}: {text}");
    }
    // A type that is defined and has no records.
    let text = error(&AnyLog::from_bytes(log([single(1, 1)])).expect("a log"), ["ZZZ.TimeUS"]);
    assert_eq!(text, "the log has no ZZZ.TimeUS; it has FMT, UNIT, MULT, FMTU, AAA");
    let blackbox = simulator::blackbox::log_of(simulator::Simulation::new(1, 1));
    let blackbox = AnyLog::from_bytes(blackbox).expect("a log");
    for name in ["gyroadc[0]", "gyroADC"] {
        assert!(error(&blackbox, [name]).ends_with(&format!("has no field `{name}`; did you mean `gyroADC[0]`?")));
    }
    // A name may begin with that of its frames, as in a comparison.
    let shown = |names: [&str; 2]| format!("{:?}", rows(&blackbox, names.map(Signal::last)));
    assert_eq!(shown(["main.gyroADC[0]", "gps.GPS_speed"]), shown(["gyroADC[0]", "GPS_speed"]));
    assert!(error(&blackbox, ["slow.gyroADC[0]"]).contains("has no field `slow.gyroADC[0]`; it has "));
    assert!(
        error(&blackbox, ["gyroADC[0]", "RATE.R"]).contains("session 1 has no field `RATE.R`; it has loopIteration, ")
    );
}

#[test]
fn a_name_without_an_instance_is_the_first_one() {
    let records = (0..100).flat_map(|i| [double(1000 * i, 3, i as u32), double(1000 * i, 0, 7)]);
    let log = AnyLog::from_bytes(log(records)).expect("a log");
    let found = rows(&log, [Signal::from("BBB.Value")]);
    assert!(found.iter().enumerate().all(|(i, (_, [value]))| *value == i as f64), "{found:?}");
    assert_eq!(found.len(), 100);
}

#[test]
fn sessions_without_the_field_are_left_out_aloud() {
    let one = simulator::blackbox::log_of(simulator::Simulation::new(1, 1));
    let text = String::from_utf8_lossy(&one[..3000]).into_owned();
    let at = text.find("setpoint[0]").expect("the field");
    let mut other = one.clone();
    other[at..at + 11].copy_from_slice(b"tnioptes[0]");
    let log = AnyLog::from_bytes([&other[..], &one].concat()).expect("a log");
    let flight = Flight::of(&log);
    let all: Vec<_> = flight.rows(["gyroADC[0]", "setpoint[0]"]).expect("a session has them").collect();
    let errors: Vec<_> = all.iter().filter_map(|item| item.as_ref().err()).collect();
    assert!(matches!(errors[..], [ReplayError::NoField { session: 1, .. }]), "{errors:?}");
    assert_eq!(all.iter().filter(|item| matches!(item, Ok(Item::Input { .. }))).count(), 400);
}
