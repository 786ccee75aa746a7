//! `Log` against pymavlink: types, counts, columns, units, instances, times, parameters, modes and vehicle of real logs
//! and the simulator's. Where pymavlink is not followed, a test at the end says so.

mod logs;

use binlog::log::{Column, Vehicle};
use binlog::{Format, Log, Reason, Record, Scaling, Value};
use binlog_tests::payload;
use binlog_tests::pymavlink::{self, float, parse_float, raw};
use binlog_tests::raw_log::RawLog;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What pymavlink reads of one type, a JSON value a record.
type Lines = Vec<Json>;

/// A log with pymavlink's records by type.
struct Read {
    name: String,
    bytes: Vec<u8>,
    theirs: BTreeMap<String, Lines>,
}

/// All logs; none where pymavlink is missing.
fn read_by_both() -> &'static [Read] {
    static READ: LazyLock<Vec<Read>> = LazyLock::new(|| {
        let read = |(name, bytes): (String, Vec<u8>)| {
            let theirs = by_type(pymavlink::dump(&bytes)?);
            Some(Read { name, bytes, theirs })
        };
        logs::all().into_iter().map_while(read).collect()
    });
    &READ
}

fn by_type(lines: Lines) -> BTreeMap<String, Lines> {
    let mut types = BTreeMap::<String, Lines>::new();
    for line in lines {
        types.entry(line["type"].as_str().expect("a name").to_owned()).or_default().push(line);
    }
    types
}

/// A value as pymavlink's attribute has it.
fn shown(message: &str, format: Format, value: Value<'_>) -> Json {
    match value {
        Value::Signed(value) => json!(value),
        Value::Unsigned(value) => json!(value),
        // Python doesn't keep which half-precision NaN it is.
        Value::Float(value) if format == Format::F16 && value.is_nan() => json!({ "f": "nan" }),
        Value::Hundredths(_) | Value::Coordinate(_) | Value::Float(_) => float(value.to_f64().expect("a number")),
        // pymavlink has a file's bytes raw.
        Value::Text(text) if message == "FILE" && format == Format::Chars64 => raw(text.raw()),
        Value::Text(text) => json!(text.to_string()),
        Value::Samples(samples) => json!(samples),
    }
}

/// The values that a column has in each line.
fn column(lines: &[Json], label: &str) -> Vec<Json> {
    let at = |line: &Json| line["labels"].as_array().expect("labels").iter().position(|other| other == label);
    lines.iter().map(|line| line["values"][at(line).expect("pymavlink has the column")].clone()).collect()
}

fn shown_record(record: &Record<'_>) -> Json {
    record.values().map(|(column, value)| shown(record.name(), column.format, value)).collect()
}

#[test]
fn types_and_their_counts_are_those_of_pymavlink() {
    for Read { name, bytes, theirs } in read_by_both() {
        let counts: BTreeMap<_, _> = theirs.iter().map(|(name, lines)| (name.clone(), lines.len())).collect();
        let log = Log::new(bytes);
        let types: Vec<_> = log.types().map(|series| (series.name().to_owned(), series.len())).collect();
        assert_eq!(types.iter().cloned().collect::<BTreeMap<_, _>>(), counts, "{name}");
        // Each once, in the order of the definitions.
        let mut defined: Vec<&str> = Vec::new();
        for line in &theirs["FMT"] {
            let name = line["values"][2].as_str().expect("a name");
            if theirs.contains_key(name) && !defined.contains(&name) {
                defined.push(name);
            }
        }
        assert_eq!(types.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>(), defined, "{name}");
        for (series, &count) in &counts {
            // The first type that is asked for is found without an index, the second one with it.
            let fresh = Log::new(bytes);
            for _ in 0..2 {
                assert_eq!(fresh.series(series).map(|series| series.len()), Ok(count), "{name}: {series}");
            }
        }
    }
}

#[test]
fn every_value_of_every_record_is_that_of_pymavlink() {
    for Read { name, bytes, theirs } in read_by_both() {
        let log = Log::new(bytes);
        for (series, lines) in theirs {
            let series = log.series(series).expect("pymavlink has it");
            assert_eq!(lines[0]["labels"], json!(series.labels()), "{name}: {}", series.name());
            assert_eq!(series.records().count(), lines.len(), "{name}: {}", series.name());
            for (record, line) in series.records().zip(lines) {
                assert_eq!(shown_record(&record), line["values"], "{name}: {record:?}");
            }
        }
    }
}

#[test]
fn every_value_of_every_column_is_that_of_pymavlink() {
    for Read { name, bytes, theirs } in read_by_both() {
        let log = Log::new(bytes);
        let mut compared = 0;
        for (table, scaled) in log.tables().iter().zip(log.tables_f64(Scaling::Shown)) {
            let lines = &theirs[table.name()];
            assert_eq!((scaled.name(), table.len()), (table.name(), lines.len()), "{name}");
            for (own, scaled) in table.columns().iter().zip(scaled.columns()) {
                let column_name = format!("{}.{}", table.name(), own.label());
                let selected = log.column(&column_name).expect("the table has it");
                let expected = column(lines, own.label());
                for column in [own, &selected] {
                    let value = |i| shown(table.name(), column.format(), column.get(i).expect("a value a record"));
                    assert_eq!((0..column.len()).map(value).collect::<Vec<_>>(), expected, "{name}: {column_name}");
                }
                compared += expected.len();
                let numbers = log.numbers(&column_name, Scaling::Shown).ok();
                let ways = [own.to_f64(Scaling::Shown), numbers, scaled.to_f64(Scaling::Shown)];
                if own.format().is_text() || own.format() == Format::I16x32 {
                    assert_eq!(ways, [None, None, None], "{name}: {column_name}");
                    assert_eq!(scaled.values(), own.values(), "{name}: {column_name}");
                    continue;
                }
                // They are scaled already, and what was stored is gone.
                assert_eq!(scaled.to_f64(Scaling::Stored), None, "{name}: {column_name}");
                let expected: Vec<u64> = expected.into_iter().map(bits).collect();
                for numbers in ways {
                    let bits: Vec<u64> = numbers.expect("numbers").into_iter().map(f64::to_bits).collect();
                    assert_eq!(bits, expected, "{name}: {column_name}");
                }
            }
        }
        let values = theirs.values().flatten().map(|line| line["values"].as_array().expect("values").len());
        assert_eq!(compared, values.sum::<usize>(), "{name}");
    }
}

/// The bits of a number that the script wrote. An integer beyond 2^53 is rounded, as by `Log`.
fn bits(number: Json) -> u64 {
    number.as_f64().unwrap_or_else(|| parse_float(&number)).to_bits()
}

#[test]
fn units_are_those_of_pymavlink() {
    for Read { name, bytes, theirs } in read_by_both() {
        for table in Log::new(bytes).tables() {
            let units: Vec<&str> = table.columns().iter().map(Column::unit).collect();
            for line in &theirs[table.name()] {
                assert_eq!(line["units"], json!(units), "{name}: {}", table.name());
            }
        }
    }
}

#[test]
fn instances_are_those_of_pymavlink() {
    for Read { name, bytes, theirs } in read_by_both() {
        let log = Log::new(bytes);
        for (series, lines) in theirs {
            let mut instances = BTreeMap::<String, Vec<&Json>>::new();
            for line in lines.iter().filter(|line| !line["instance"].is_null()) {
                instances.entry(line["instance"].to_string().replace('"', "")).or_default().push(line);
            }
            let known = log.series(series).expect("pymavlink has it").instances();
            let known: BTreeSet<String> = known.iter().map(Value::to_string).collect();
            assert_eq!(known, instances.keys().cloned().collect(), "{name}: {series}");
            for (instance, lines) in &instances {
                let of_instance = log.series(&format!("{series}[{instance}]")).expect("pymavlink has it");
                assert_eq!(of_instance.len(), lines.len(), "{name}: {}", of_instance.name());
                for (record, line) in of_instance.records().zip(lines) {
                    assert_eq!(shown_record(&record), line["values"], "{name}: {record:?}");
                }
            }
            assert_eq!(log.series(&format!("{series}[no such]")).map(|series| series.len()).ok(), None);
        }
    }
}

#[test]
fn times_are_those_of_pymavlink_to_a_microsecond() {
    let mut clocks = 0;
    for Read { name, bytes, theirs } in read_by_both() {
        let log = Log::new(bytes);
        // pymavlink counts from boot, too, when it doesn't know when that was.
        let boot = log.clock().map_or(0, |clock| clock.boot_unix_us());
        clocks += usize::from(log.clock().is_some());
        let facts = pymavlink::flight(bytes).expect("pymavlink is there");
        assert_is_time(&facts["timebase"], boot, name);
        for (series, lines) in theirs {
            let times = log.series(series).expect("pymavlink has it").times_us();
            assert_eq!(times.len(), lines.len(), "{name}: {series}");
            for (time_us, line) in times.into_iter().zip(lines) {
                if log.clock().is_none() && parse_float(&line["time"]) == 0.0 {
                    // Without a clock it has no time for the definitions at the start.
                    assert_eq!(Some(time_us), log.time_range_us().map(|range| range.start), "{name}: {line}");
                    continue;
                }
                assert_is_time(&line["time"], boot.saturating_add_unsigned(time_us), &format!("{name}: {line}"));
            }
        }
    }
    assert!(clocks > 0 || read_by_both().is_empty(), "no log has a clock");
}

/// Seconds as pymavlink has them, against microseconds.
fn assert_is_time(theirs: &Json, ours_us: i64, what: &str) {
    let theirs = parse_float(theirs) * 1e6;
    assert!((theirs - ours_us as f64).abs() <= 1.0, "{theirs} and {ours_us} µs: {what}");
}

#[test]
fn parameters_and_their_defaults_are_those_of_pymavlink() {
    for Read { name, bytes, .. } in read_by_both() {
        let facts = pymavlink::flight(bytes).expect("pymavlink is there");
        let parameters = Log::new(bytes).parameters();
        let values: BTreeMap<_, _> =
            parameters.iter().map(|(name, parameter)| (name, float(parameter.last()))).collect();
        assert_eq!(json!(values), facts["params"], "{name}");
        let defaults = parameters.iter().filter_map(|(name, parameter)| Some((name, float(parameter.default?))));
        assert_eq!(json!(defaults.collect::<BTreeMap<_, _>>()), facts["defaults"], "{name}");
    }
}

#[test]
fn the_vehicle_and_its_modes_are_those_of_pymavlink() {
    let mut modes_compared = 0;
    for Read { name, bytes, .. } in read_by_both() {
        let facts = pymavlink::flight(bytes).expect("pymavlink is there");
        let log = Log::new(bytes);
        // MAV_TYPE; a fixed wing where pymavlink doesn't know.
        let vehicle = match log.vehicle() {
            Some(Vehicle::Plane) | None => 1,
            Some(Vehicle::Copter) => 2,
            Some(Vehicle::Tracker) => 5,
            Some(Vehicle::Blimp) => 7,
            Some(Vehicle::Rover) => 10,
            Some(Vehicle::Sub) => 12,
            Some(vehicle) => panic!("{vehicle} is new"),
        };
        assert_eq!(facts["vehicle"], vehicle, "{name}");
        let boot = log.clock().map_or(0, |clock| clock.boot_unix_us());
        let theirs = facts["modes"].as_array().expect("an array");
        let ours = log.modes();
        // It says UNKNOWN from the first parameter to the first mode.
        let before = usize::from(theirs.len() > ours.len() && theirs[0][0] == "UNKNOWN");
        assert_eq!(theirs.len(), ours.len() + before, "{name}");
        for (theirs, ours) in theirs[before..].iter().zip(&ours) {
            assert_eq!(theirs[0], ours.name.as_deref().unwrap_or("UNKNOWN"), "{name}");
            assert_is_time(&theirs[1], boot.saturating_add_unsigned(ours.time_us.start), name);
            assert_is_time(&theirs[2], boot.saturating_add_unsigned(ours.time_us.end), name);
        }
        modes_compared += ours.len();
    }
    assert!(modes_compared > 3 || read_by_both().is_empty(), "the simulator's log has modes");
}

/// pymavlink reads the byte of `M` signed, so that ArduPilot keeps modes below 128. It is a u8 in ArduPilot, and here.
#[test]
fn a_mode_above_127_is_not_negative_as_in_pymavlink() {
    let mut log = RawLog::new();
    log.fmt(1, "MODE", "QM", "TimeUS,Mode").record(1, &payload![7_u64, 200_u8]);
    let own = Log::new(&log.bytes).series("MODE").expect("its definition").records().map(|r| shown_record(&r)).next();
    assert_eq!(own, Some(json!([7, 200])));
    let Some(lines) = pymavlink::dump(&log.bytes) else { return };
    assert_eq!(by_type(lines)["MODE"][0]["values"], json!([7, -56]));
}

/// pymavlink decodes the whole slot and cuts after that, so that what stands behind the NUL decides about the text before.
#[test]
fn text_is_cut_before_it_is_decoded_otherwise_than_in_pymavlink() {
    let mut log = RawLog::new();
    log.fmt(1, "TEXT", "Qn", "TimeUS,Text").record(1, &payload![7_u64, *b"\xC2\xB5\0\xFF"]);
    let own = Log::new(&log.bytes).series("TEXT").expect("its definition").records().map(|r| shown_record(&r)).next();
    assert_eq!(own, Some(json!([7, "µ"])));
    let Some(lines) = pymavlink::dump(&log.bytes) else { return };
    assert_eq!(by_type(lines)["TEXT"][0]["values"], json!([7, "Âµ"]));
}

/// pymavlink's index ends at an id that no FMT defined.
#[test]
fn records_after_an_unknown_id_are_read_otherwise_than_in_pymavlink() {
    let mut log = RawLog::new();
    log.fmt(1, "EV", "QB", "TimeUS,Id");
    for time_us in 0..5_u64 {
        log.record(1, &payload![time_us, 10_u8]);
    }
    let unknown_at = log.bytes.len();
    log.record(2, &[0; 20]);
    for time_us in 5..10_u64 {
        log.record(1, &payload![time_us, 10_u8]);
    }
    let own = Log::new(&log.bytes);
    assert_eq!(own.series("EV").map(|series| series.times_us()), Ok((0..10).collect()));
    let skipped = own.skipped();
    assert_eq!(skipped.len(), 1);
    let [skipped] = skipped else { panic!("{skipped:?}") };
    assert_eq!((skipped.offset, skipped.length, skipped.reason), (unknown_at, 23, Reason::UnknownId(2)));
}
