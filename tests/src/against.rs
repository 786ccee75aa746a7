//! Compares what `Log` reads with what pymavlink reads.

use crate::pymavlink::{self, float, parse_float, raw};
use binlog::log::{Column, Rows, Vehicle};
use binlog::{Format, Log, Record, Records, Scaling, Value};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// A log with pymavlink's records: one JSON value each, as `tests/python/dump.py` writes them.
pub struct Read {
    /// The log, for messages.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
    in_order: Vec<Json>,
    by_type: BTreeMap<String, Vec<Json>>,
}

impl Read {
    /// A log read by pymavlink; `None` without pymavlink.
    pub fn new(name: &str, bytes: &[u8]) -> Option<Self> {
        let in_order = pymavlink::dump(bytes)?;
        let mut by_type = BTreeMap::<String, Vec<Json>>::new();
        for line in &in_order {
            by_type.entry(line["type"].as_str().expect("a name").to_owned()).or_default().push(line.clone());
        }
        Some(Read { name: name.into(), bytes: bytes.into(), in_order, by_type })
    }

    /// All of the following comparisons.
    pub fn assert_all(&self) {
        self.assert_types();
        self.assert_records();
        self.assert_columns();
        self.assert_units();
        self.assert_instances();
        self.assert_times();
        self.assert_parameters();
        self.assert_modes();
    }

    /// Which types there are, and how many records of each.
    pub fn assert_types(&self) {
        let counts: BTreeMap<_, _> = self.by_type.iter().map(|(name, lines)| (name.clone(), lines.len())).collect();
        let log = Log::from_bytes(&self.bytes);
        let types: Vec<_> = log.types().map(|rows| (rows.name().to_owned(), rows.len())).collect();
        assert_eq!(types.iter().cloned().collect::<BTreeMap<_, _>>(), counts, "{}", self.name);
        // Each once, in the order of the definitions.
        let mut defined: Vec<&str> = Vec::new();
        for line in &self.by_type["FMT"] {
            let name = line["values"][2].as_str().expect("a name");
            if self.by_type.contains_key(name) && !defined.contains(&name) {
                defined.push(name);
            }
        }
        assert_eq!(types.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>(), defined, "{}", self.name);
        for (rows, &count) in &counts {
            // The first request is answered without an index, the second one with it.
            let fresh = Log::from_bytes(&self.bytes);
            for _ in 0..2 {
                assert_eq!(fresh.rows(rows).map(|rows| rows.len()), Ok(count), "{}: {rows}", self.name);
            }
        }
    }

    /// Every value of every record: in the order of the log, and by type.
    pub fn assert_records(&self) {
        let mut lines = self.in_order.iter();
        for record in Records::new(&self.bytes).flatten() {
            let line = lines.next().expect("pymavlink has as many records");
            assert_eq!(json!(record.name()), line["type"], "{}: {record:?}", self.name);
            assert_eq!(shown_record(&record), line["values"], "{}: {record:?}", self.name);
        }
        assert_eq!(lines.next(), None, "{}: pymavlink has one more", self.name);
        let log = Log::from_bytes(&self.bytes);
        for (name, lines) in &self.by_type {
            let rows = log.rows(name).expect("pymavlink has it");
            let shown: Vec<_> = rows.records().map(|record| shown_record(&record)).collect();
            let values: Vec<_> = lines.iter().map(|line| line["values"].clone()).collect();
            assert_eq!(shown, values, "{}: {name}", self.name);
        }
    }

    /// Every value of every column, native, as a value, and as a number in each of the ways.
    pub fn assert_columns(&self) {
        let log = Log::from_bytes(&self.bytes);
        let mut compared = 0;
        for (table, scaled) in log.tables().iter().zip(log.tables_f64(Scaling::Shown)) {
            let lines = &self.by_type[table.name()];
            assert_eq!((scaled.name(), table.len()), (table.name(), lines.len()), "{}", self.name);
            assert_eq!(lines[0]["labels"], json!(table.rows().labels()), "{}: {}", self.name, table.name());
            for (i, (own, scaled)) in table.columns().iter().zip(scaled.columns()).enumerate() {
                let name = format!("{}.{}", table.name(), own.label());
                let selected = log.column(&name).expect("the table has it");
                let expected: Vec<&Json> = lines.iter().map(|line| &line["values"][i]).collect();
                for column in [own, &selected] {
                    let value = |i| shown(table.name(), column.format(), column.get(i).expect("a value a record"));
                    let values: Vec<_> = (0..column.len()).map(value).collect();
                    assert_eq!(values.iter().collect::<Vec<_>>(), expected, "{}: {name}", self.name);
                }
                compared += expected.len();
                let numbers = log.numbers(&name, Scaling::Shown).ok();
                let ways = [own.to_f64(Scaling::Shown), numbers, scaled.to_f64(Scaling::Shown)];
                if own.format().is_text() || own.format() == Format::I16x32 {
                    assert_eq!(ways, [None, None, None], "{}: {name}", self.name);
                    assert_eq!(scaled.values(), own.values(), "{}: {name}", self.name);
                    continue;
                }
                // They are scaled already, and what was stored is gone.
                assert_eq!(scaled.to_f64(Scaling::Stored), None, "{}: {name}", self.name);
                for numbers in ways {
                    let numbers = numbers.expect("numbers");
                    let agree = numbers.iter().zip(&expected).all(|(ours, theirs)| is_number(*ours, theirs));
                    assert!(agree && numbers.len() == expected.len(), "{}: {name}: {numbers:?}", self.name);
                }
            }
        }
        let values = self.in_order.iter().map(|line| line["values"].as_array().expect("values").len());
        assert_eq!(compared, values.sum::<usize>(), "{}", self.name);
    }

    /// The unit of each column.
    pub fn assert_units(&self) {
        for table in Log::from_bytes(&self.bytes).tables() {
            let units: Vec<&str> = table.columns().iter().map(Column::shown_unit).collect();
            for line in &self.by_type[table.name()] {
                assert_eq!(line["units"], json!(units), "{}: {}", self.name, table.name());
            }
        }
    }

    /// The instances of each type, and the records of each instance.
    pub fn assert_instances(&self) {
        let log = Log::from_bytes(&self.bytes);
        for (name, lines) in &self.by_type {
            let mut instances = BTreeMap::<String, Vec<&Json>>::new();
            for line in lines.iter().filter(|line| !line["instance"].is_null()) {
                let instance = line["instance"].as_str().map_or(line["instance"].to_string(), str::to_owned);
                instances.entry(instance).or_default().push(&line["values"]);
            }
            let known = log.rows(name).expect("pymavlink has it").instances();
            let known: BTreeSet<String> = known.iter().map(Value::to_string).collect();
            assert_eq!(known, instances.keys().cloned().collect(), "{}: {name}", self.name);
            for (instance, values) in &instances {
                let of_instance = log.rows(&format!("{name}[{instance}]")).expect("pymavlink has it");
                assert_eq!(of_instance.len(), values.len(), "{}: {}", self.name, of_instance.name());
                let shown: Vec<_> = of_instance.records().map(|record| shown_record(&record)).collect();
                assert_eq!(shown.iter().collect::<Vec<_>>(), *values, "{}: {}", self.name, of_instance.name());
            }
            let other = log.rows(&format!("{name}[no such]"));
            assert!(other.is_err(), "{}: {other:?}", self.name);
        }
    }

    /// The time of each record to a microsecond: since 1970, or since boot in a log without GPS.
    pub fn assert_times(&self) {
        let log = Log::from_bytes(&self.bytes);
        if log.time_range_us().is_none() {
            // Where there is no time it counts 50 records a second.
            return;
        }
        let boot = log.clock().map_or(0, |clock| clock.boot_unix_us());
        let facts = pymavlink::flight(&self.bytes).expect("pymavlink is there");
        assert_is_time(&facts["timebase"], boot, &self.name);
        for (name, lines) in &self.by_type {
            let times = log.rows(name).expect("pymavlink has it").times_us();
            assert_eq!(times.len(), lines.len(), "{}: {name}", self.name);
            for (time_us, line) in times.into_iter().zip(lines) {
                if log.clock().is_none() && time_us > 0 && parse_float(&line["time"]) == 0.0 {
                    // Without a clock it has no time for the definitions at the start.
                    let start = log.records().flatten().find_map(|record| record.time_us());
                    assert_eq!(Some(time_us), start, "{}: {line}", self.name);
                    continue;
                }
                assert_is_time(&line["time"], boot.saturating_add_unsigned(time_us), &format!("{}: {line}", self.name));
            }
        }
    }

    /// The last value of each parameter, and its default.
    pub fn assert_parameters(&self) {
        let facts = pymavlink::flight(&self.bytes).expect("pymavlink is there");
        let parameters = Log::from_bytes(&self.bytes).parameters();
        let values = parameters.iter().map(|(name, parameter)| (name, float(parameter.last())));
        assert_eq!(json!(values.collect::<BTreeMap<_, _>>()), facts["params"], "{}", self.name);
        let defaults = parameters.iter().filter_map(|(name, parameter)| Some((name, float(parameter.default?))));
        assert_eq!(json!(defaults.collect::<BTreeMap<_, _>>()), facts["defaults"], "{}", self.name);
    }

    /// The vehicle, and the names and times of its modes. Returns how many there are.
    pub fn assert_modes(&self) -> usize {
        let facts = pymavlink::flight(&self.bytes).expect("pymavlink is there");
        let log = Log::from_bytes(&self.bytes);
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
        assert_eq!(facts["vehicle"], vehicle, "{}", self.name);
        let boot = log.clock().map_or(0, |clock| clock.boot_unix_us());
        let theirs = facts["modes"].as_array().expect("an array");
        let ours = log.modes();
        // It says UNKNOWN from the first parameter to the first mode.
        let before = usize::from(theirs.len() > ours.len() && theirs[0][0] == "UNKNOWN");
        assert_eq!(theirs.len(), ours.len() + before, "{}: {theirs:?} {ours:?}", self.name);
        let has_time = |rows: Rows<'_>| rows.labels().contains(&"TimeUS");
        let has_times = log.rows("MODE").is_ok_and(has_time);
        for (i, (theirs, mode)) in theirs[before..].iter().zip(&ours).enumerate() {
            assert_eq!(theirs[0], mode.name.as_deref().unwrap_or("UNKNOWN"), "{}", self.name);
            if !has_times {
                // The list leaves the other records out, and with them the times that would be carried.
                continue;
            }
            assert_is_time(&theirs[1], boot.saturating_add_unsigned(mode.time_us.start), &self.name);
            let end = boot.saturating_add_unsigned(mode.time_us.end);
            match i + 1 == ours.len() {
                false => assert_is_time(&theirs[2], end, &self.name),
                // It ends with the last record, and times aren't sorted.
                true => assert!(parse_float(&theirs[2]) * 1e6 <= end as f64, "{}: {theirs}", self.name),
            }
        }
        ours.len()
    }
}

/// The values of a record as pymavlink's attributes have them.
pub fn shown_record(record: &Record<'_>) -> Json {
    record.values().map(|(column, value)| shown(record.name(), column.format, value)).collect()
}

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

/// Whether a number is the one that a script wrote, bit for bit. An integer beyond 2^53 is rounded by `Log`.
fn is_number(ours: f64, theirs: &Json) -> bool {
    match (theirs.as_f64(), theirs["f"].as_str()) {
        (Some(theirs), _) => ours.to_bits() == theirs.to_bits(),
        (None, Some("nan")) => ours.is_nan(),
        (None, _) => ours.to_bits() == parse_float(theirs).to_bits(),
    }
}

/// Seconds as pymavlink has them, against microseconds.
fn assert_is_time(theirs: &Json, ours_us: i64, what: &str) {
    let theirs = parse_float(theirs) * 1e6;
    assert!((theirs - ours_us as f64).abs() <= 1.0, "{theirs} and {ours_us} µs: {what}");
}
