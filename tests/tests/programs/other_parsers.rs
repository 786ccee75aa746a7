//! Two other Rust parsers read what the simulator wrote: the same number of records of each type, and every raw value.

use ardupilot_binlog::{FieldValue, Reader};
use binlog::{Decoder, Definition, Format, LogSchema, Records, Unit};
use rust_dataflash_parser::{FieldArray, LogSession};
use simulator::{FlightLog, Simulation};
use std::collections::BTreeMap;

/// A value in the form that both parsers give: hundredths divided, all others raw.
#[derive(Clone, PartialEq, Debug)]
enum Value {
    Number(f64),
    Text(String),
    Array(Vec<i16>),
}

/// The simulator's log, and its records by type.
fn flight() -> (Vec<u8>, BTreeMap<&'static str, Vec<Vec<Value>>>) {
    let log = simulator::log_of(Simulation::new(2, 20));
    let mut decoder = Decoder::<FlightLog>::new();
    let mut records: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for record in Records::new(&log).map(|record| record.expect("a sound log")) {
        if let Some(message) = decoder.decode(&record).expect("definitions that agree") {
            let (id, payload) = message.record();
            let definition = definition(|message| message.id == id);
            records.entry(definition.name).or_default().push(values(definition, payload));
        }
    }
    (log, records)
}

fn definition(is: impl Fn(&binlog::SchemaMessage) -> bool) -> &'static Definition {
    FlightLog::MESSAGES.iter().find(|message| is(message)).expect("a message of the schema").definition
}

fn values(definition: &Definition, payload: &[u8]) -> Vec<Value> {
    let mut rest = payload;
    let next = |column: &binlog::ColumnDefinition| {
        let (bytes, after) = rest.split_at(column.format.size());
        rest = after;
        value(column.format, bytes)
    };
    definition.columns.iter().map(next).collect()
}

fn value(format: Format, bytes: &[u8]) -> Value {
    let mut wide = [0; 8];
    if format == Format::I16x32 {
        return Value::Array(bytes.as_chunks().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect());
    }
    if !format.is_text() {
        wide[..bytes.len()].copy_from_slice(bytes);
    }
    let bits = u64::from_le_bytes(wide);
    Value::Number(match format {
        Format::I8 => f64::from(bits as i8),
        Format::U8 | Format::FlightMode | Format::U16 | Format::U32 | Format::U64 => bits as f64,
        Format::I16 => f64::from(bits as i16),
        Format::I32 | Format::Coordinate => f64::from(bits as i32),
        Format::CentiI16 => f64::from(bits as i16) / 100.0,
        Format::CentiU16 | Format::CentiU32 => bits as f64 / 100.0,
        Format::CentiI32 => f64::from(bits as i32) / 100.0,
        Format::F32 => f64::from(f32::from_bits(bits as u32)),
        Format::F64 => f64::from_bits(bits),
        Format::Chars4 | Format::Chars16 | Format::Chars64 => {
            let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
            return Value::Text(String::from_utf8(text.to_vec()).expect("the simulator's texts are UTF-8"));
        }
        other => panic!("the simulator has no column of format {other}"),
    })
}

#[test]
fn ardupilot_binlog_reads_what_was_written() {
    let (log, written) = flight();
    let mut read: BTreeMap<String, Vec<Vec<Value>>> = BTreeMap::new();
    for entry in Reader::new(&log[..]) {
        let entry = entry.expect("an entry");
        let values = entry.values().iter().map(|value| match value {
            FieldValue::Int(value) => Value::Number(*value as f64),
            FieldValue::Uint(value) => Value::Number(*value as f64),
            FieldValue::Float(value) => Value::Number(*value),
            FieldValue::String(text) => Value::Text(text.clone()),
            FieldValue::Array(numbers) => Value::Array(numbers.clone()),
        });
        read.entry(entry.name.clone()).or_default().push(values.collect());
    }
    for (name, records) in written {
        assert_same(name, &read[name], &records);
    }
}

#[test]
fn rust_dataflash_parser_reads_what_was_written() {
    let (log, written) = flight();
    let mut session = LogSession::from_bytes(log);
    session.index().expect("an index");
    for (name, records) in written {
        let definition = definition(|message| message.definition.name == name);
        session.load_message_type(name).expect("a type of the log");
        let instance = definition.columns.iter().position(|column| column.unit == Unit::INSTANCE);
        let Some(instance) = instance else {
            let columns = definition.columns.iter().map(|column| session.get(name, column.label).expect("a column"));
            assert_same(name, &rows(columns.collect()), &records);
            continue;
        };
        let instances: Vec<f64> = records.iter().filter_map(|record| number(&record[instance])).collect();
        for which in [0.0, 1.0].into_iter().filter(|which| instances.contains(which)) {
            let get = |column: &binlog::ColumnDefinition| session.get_instance(name, which as i64, column.label);
            let columns = definition.columns.iter().map(|column| get(column).expect("a column of an instance"));
            let of_instance = records.iter().filter(|record| record[instance] == Value::Number(which));
            assert_same(name, &rows(columns.collect()), &of_instance.cloned().collect::<Vec<_>>());
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Text(_) | Value::Array(_) => None,
    }
}

fn rows(columns: Vec<FieldArray>) -> Vec<Vec<Value>> {
    let cell = |column: &FieldArray, row: usize| match column {
        FieldArray::Numeric(numbers) => Value::Number(numbers[row]),
        FieldArray::Text(texts) => Value::Text(texts[row].clone()),
        FieldArray::Int16x32(arrays) => Value::Array(arrays[row].to_vec()),
    };
    let rows = 0..columns.first().map_or(0, FieldArray::len);
    rows.map(|row| columns.iter().map(|column| cell(column, row)).collect()).collect()
}

/// "No value" is a NaN, which equals itself here.
fn assert_same(name: &str, read: &[Vec<Value>], written: &[Vec<Value>]) {
    assert_eq!(read.len(), written.len(), "records of {name}");
    let same = |a: &Value, b: &Value| match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || (a.is_nan() && b.is_nan()),
        (a, b) => a == b,
    };
    for (read, written) in read.iter().zip(written) {
        assert_eq!(read.len(), written.len(), "columns of {name}");
        assert!(read.iter().zip(written).all(|(a, b)| same(a, b)), "{name}: {read:?} is not {written:?}");
    }
}
