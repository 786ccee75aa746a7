//! pymavlink reads what we wrote: every type, label, unit, instance and value, bit for bit.

use crate::every_format::EveryFormat;
use binlog::check::Rule;
use binlog::{Definition, Format, Log, LogSchema, LogWriter};
use binlog_tests::pymavlink::{self, float, raw};
use binlog_tests::raw_log::RawLog;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// The values of a payload as pymavlink has them. Hundredths are divided by 100.0 and coordinates by 1e7, as it does.
fn values(definition: &Definition, payload: &[u8]) -> Vec<Value> {
    let mut rest = payload;
    let mut values = Vec::new();
    for column in definition.columns {
        let (bytes, after) = rest.split_at(column.format.size());
        rest = after;
        let is_file_data = definition.name == "FILE" && column.format == Format::Chars64;
        values.push(if is_file_data { raw(bytes) } else { value(column.format, bytes) });
    }
    values
}

fn value(format: Format, bytes: &[u8]) -> Value {
    fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.try_into().expect("the column's size")
    }
    match format {
        // pymavlink reads a mode signed.
        Format::I8 | Format::FlightMode => json!(i8::from_le_bytes(array(bytes))),
        Format::U8 => json!(bytes[0]),
        Format::I16 => json!(i16::from_le_bytes(array(bytes))),
        Format::U16 => json!(u16::from_le_bytes(array(bytes))),
        Format::I32 => json!(i32::from_le_bytes(array(bytes))),
        Format::U32 => json!(u32::from_le_bytes(array(bytes))),
        Format::I64 => json!(i64::from_le_bytes(array(bytes))),
        Format::U64 => json!(u64::from_le_bytes(array(bytes))),
        Format::CentiI16 => float(f64::from(i16::from_le_bytes(array(bytes))) / 100.0),
        Format::CentiU16 => float(f64::from(u16::from_le_bytes(array(bytes))) / 100.0),
        Format::CentiI32 => float(f64::from(i32::from_le_bytes(array(bytes))) / 100.0),
        Format::CentiU32 => float(f64::from(u32::from_le_bytes(array(bytes))) / 100.0),
        Format::Coordinate => float(f64::from(i32::from_le_bytes(array(bytes))) / 1e7),
        // Python doesn't keep which NaN it is.
        Format::F16 if half::f16::from_le_bytes(array(bytes)).is_nan() => json!({ "f": "nan" }),
        Format::F16 => float(f64::from(half::f16::from_le_bytes(array(bytes)))),
        Format::F32 => float(f64::from(f32::from_le_bytes(array(bytes)))),
        Format::F64 => float(f64::from_le_bytes(array(bytes))),
        Format::I16x32 => bytes.as_chunks().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect(),
        Format::Chars4 | Format::Chars16 | Format::Chars64 => {
            // UTF-8 or else ISO-8859-1, of the whole slot; then up to the first NUL.
            let text = str::from_utf8(bytes)
                .map_or_else(|_| bytes.iter().map(|&byte| char::from(byte)).collect(), |text| text.to_owned());
            json!(text.split('\0').next())
        }
    }
}

/// The units as pymavlink shows them: with the multiplier as a prefix, or before them as a number.
fn units(definition: &Definition) -> Vec<String> {
    let unit = |column: &binlog::ColumnDefinition| {
        let name = column.unit.name();
        let scaled_by_format = column.format.is_centi() || column.format == Format::Coordinate;
        if name.is_empty() || scaled_by_format {
            return name.to_owned();
        }
        match column.multiplier.value() {
            0.0 | 1.0 => name.to_owned(),
            1e-1 => format!("d{name}"),
            1e-2 => format!("c{name}"),
            1e-3 => format!("m{name}"),
            1e-6 => format!("µ{name}"),
            1e-9 => format!("n{name}"),
            // Python's "%.4g".
            value @ (1e-4 | 1e-7) => format!("{} {name}", if value == 1e-4 { "0.0001" } else { "1e-07" }),
            1e-5 => format!("1e-05 {name}"),
            value => format!("{value} {name}"),
        }
    };
    definition.columns.iter().map(unit).collect()
}

/// Compares pymavlink's records with the written ones in `expected`, without definitions.
fn assert_reads_as(log: &[u8], expected: &[(&'static Definition, Vec<u8>)]) {
    let Some(read) = pymavlink::dump(log) else { return };
    let own = ["FMT", "UNIT", "MULT", "FMTU"];
    let mut written = expected.iter();
    for line in read.iter().filter(|line| !own.contains(&line["type"].as_str().unwrap_or_default())) {
        let (definition, payload) = written.next().expect("no record that was not written");
        assert_eq!(line["type"], definition.name);
        let labels: Vec<&str> = definition.columns.iter().map(|column| column.label).collect();
        assert_eq!(line["labels"], json!(labels), "{}", definition.name);
        assert_eq!(line["units"], json!(units(definition)), "{}", definition.name);
        let values = values(definition, payload);
        assert_eq!(line["values"], json!(values), "{}", definition.name);
        let instance = definition.columns.iter().position(|column| column.unit == binlog::Unit::INSTANCE);
        let instance = instance.map(|at| values[at].clone());
        assert_eq!(line["instance"], json!(instance), "{}", definition.name);
    }
    assert_eq!(written.next().map(|(definition, _)| definition.name), None, "all that was written is read");
}

#[test]
fn pymavlink_reads_every_format_and_message_bit_for_bit() {
    let mut runner = TestRunner::deterministic();
    let messages = proptest::collection::vec(any::<EveryFormat>(), 2000);
    let messages = messages.new_tree(&mut runner).expect("no filter").current();
    let mut log = LogWriter::<EveryFormat, _>::new(Vec::new()).expect("memory takes all");
    let mut expected = Vec::new();
    for message in &messages {
        log.write_any(message).expect("memory takes all");
        let (id, payload) = message.record();
        let definition = EveryFormat::MESSAGES.iter().find(|message| message.id == id).expect("its definition");
        expected.push((definition.definition, payload.to_vec()));
    }
    assert_reads_as(&log.finish().expect("memory takes all"), &expected);
}

#[test]
fn pymavlink_reads_the_simulators_log_as_it_was_written() {
    let log = simulator::log_of(simulator::Simulation::new(3, 20));
    let mut decoder = binlog::Decoder::<simulator::FlightLog>::new();
    let mut expected = Vec::new();
    for record in binlog::Records::new(&log).map(|record| record.expect("a sound log")) {
        if let Some(message) = decoder.decode(&record).expect("definitions that agree") {
            let (id, payload) = message.record();
            let messages = simulator::FlightLog::MESSAGES;
            let definition = messages.iter().find(|message| message.id == id).expect("its definition").definition;
            expected.push((definition, payload.to_vec()));
        }
    }
    assert_reads_as(&log, &expected);
}

#[test]
fn mavlogdump_opens_the_simulators_log_without_a_warning() {
    let log = simulator::log_of(simulator::Simulation::new(1, 5));
    let Some(output) = pymavlink::mavlogdump(&log) else { return };
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    for name in ["ATT {", "IMU {", "GPS {", "CTUN {", "RALT {"] {
        assert!(text.contains(name), "no {name}");
    }
}

#[test]
fn mavfft_isb_computes_spectra_of_the_simulators_batches() {
    let log = simulator::log_of(simulator::Simulation::new(1, 12));
    let Some(output) = pymavlink::mavfft_isb(&log) else { return };
    let (text, progress) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{progress}");
    // The last batch ends with the log, so it isn't plotted.
    assert!(progress.contains("Extracted 4 fft data sets"), "{progress}");
    for sensor in ["Accel[0]", "Gyro[0]", "Accel[1]", "Gyro[1]"] {
        assert!(text.contains(&format!("Sensor: {sensor}")), "{text}");
    }
    assert!(!text.contains("holes"), "{text}");
}

#[test]
fn check_tells_where_pymavlink_fails_without_a_multiplier() {
    // Format, units and multipliers of a type. The unit `T` has its name after the FMTU, `v` none, `-` an empty one.
    let cases = [
        ("QBB", "s-m", "F--", false),
        ("QBB", "s-m", "F-", true),
        ("QBB", "smm", "F", true),
        ("QBB", "s--", "F", false),
        ("QBB", "s-", "F-", false),
        ("QBB", "s-v", "F-", false),
        ("QBB", "s-T", "F-", true),
        ("QBB", "s-#", "F-", true),
        ("QBZ", "s-m", "F-", true),
        ("QBa", "s-m", "F-", true),
        ("QBM", "s-m", "F-", true),
        ("QBf", "s-m", "", true),
        ("QBc", "s-m", "F-", false),
        ("QBC", "s-m", "F-", false),
        ("QBe", "s-m", "F-", false),
        ("QBE", "s-m", "F-", false),
        ("QBL", "s-m", "F-", false),
        ("QLB", "smm", "F", true),
    ];
    for (format, units, multipliers, fails) in cases {
        let mut log = RawLog::with_units();
        log.unit('s', "s").unit('m', "m").unit('-', "").unit('#', "instance").mult('F', 1e-6).mult('-', 0.0);
        log.fmt(40, "EV", format, "TimeUS,A,B").fmtu(40, units, multipliers);
        log.unit('T', "uT");
        let report = Log::from_bytes(&*log.bytes).check();
        let found = report.findings().iter().any(|finding| finding.rule() == Rule::MissingMultipliers);
        assert_eq!(found, fails, "{format} {units} {multipliers}:\n{report}");
        let Some(opens) = pymavlink::opens(&log.bytes) else { continue };
        assert_eq!(!(opens[0] && opens[1]), fails, "{format} {units} {multipliers}: {opens:?}");
    }
}
