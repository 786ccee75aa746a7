//! The columns of a file: those of its tables, and those that every type has.

use crate::export::chosen_table::{ChosenTable, TIME};
use arrow_schema::{DataType, Field, FieldRef, Schema, TimeUnit};
use binlog::log::{Kind, TableSchema};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The columns that every type has. A label of a log that is the same gets an underscore.
const OWN: [&str; 5] = ["log_id", "session", "instance", TIME, "UTC"];

/// The samples of an array.
pub(super) const SAMPLES: i32 = 32;

/// The columns of a table in a data set, whose numbers all have a sign.
pub(super) fn columns(table: &ChosenTable) -> TableSchema {
    let mut schema = table.schema();
    schema.columns.iter_mut().for_each(|column| column.kind = column.kind.signed());
    schema
}

/// The schema of the file, with the columns that every type has before those of the log.
pub(super) fn arrow(table: &TableSchema) -> Schema {
    let microseconds = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let own = [
        (DataType::Utf8, false, "hash of the log's bytes; `logs` has the log", ""),
        (
            DataType::Int32,
            false,
            "number of the session in the log, from 1: a boot, or a session of a Blackbox log",
            "",
        ),
        (DataType::Int32, true, "number of the sensor or other instance", ""),
        (DataType::Int64, true, "time since boot", "µs"),
        (microseconds, true, "time by the log's GPS", ""),
    ];
    let own = OWN.into_iter().zip(own).map(|(name, (data_type, is_nullable, description, unit))| {
        let about = [("unit", unit), ("description", description)];
        Field::new(name, data_type, is_nullable).with_metadata(texts(about))
    });
    let columns = table.columns.iter().map(|column| {
        let mut name = column.label.clone();
        let is_other = |name: &str| table.columns.iter().any(|other| other.label == name);
        while OWN.iter().any(|own| own.eq_ignore_ascii_case(&name)) || (name != column.label && is_other(&name)) {
            name.push('_');
        }
        let [values, bits] = [&column.values, &column.bits].map(json);
        let about =
            [("unit", &column.unit), ("description", &column.description), ("values", &values), ("bits", &bits)];
        let about = about.map(|(key, text)| (key, text.as_str()));
        Field::new(name, data_type(column.kind), true).with_metadata(texts(about))
    });
    let metadata = [("type", table.name.as_str()), ("description", &table.description)];
    Schema::new(own.chain(columns).collect::<Vec<_>>()).with_metadata(texts(metadata))
}

/// The texts that aren't empty.
fn texts<'t>(texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> HashMap<String, String> {
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    texts.map(|(key, text)| (key.to_owned(), text.to_owned())).collect()
}

/// The names as JSON by number: `{"0":"Pad","3":"Boost"}`. Empty without names.
fn json(names: &BTreeMap<i128, String>) -> String {
    let by_number: serde_json::Map<String, serde_json::Value> =
        names.iter().map(|(number, name)| (number.to_string(), name.as_str().into())).collect();
    if by_number.is_empty() { String::new() } else { serde_json::Value::from(by_number).to_string() }
}

/// A sample of an array.
pub(super) fn item() -> FieldRef {
    // The name that Parquet prescribes; Iceberg takes no other.
    Arc::new(Field::new("element", DataType::Int16, false))
}

/// The kind in which a file has values of a kind.
///
/// Sail and Spark have no numbers without a sign. They read files as one table only if a column has one type in all,
/// and firmware changes the width of numbers over the years: so all are as wide as any. Files get 8 % larger by it.
pub(super) fn in_file(kind: Kind) -> Kind {
    match kind {
        kind if !kind.is_number() => kind,
        kind if kind.is_float() => Kind::F64,
        _ => Kind::I64,
    }
}

/// The type of a kind of values in a file.
pub(super) fn data_type(kind: Kind) -> DataType {
    match kind {
        kind if kind.is_float() => DataType::Float64,
        kind if kind.is_number() => DataType::Int64,
        Kind::Text => DataType::Utf8,
        Kind::Bytes => DataType::Binary,
        _ => DataType::FixedSizeList(item(), SAMPLES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use binlog::log::ColumnSchema;

    #[test]
    fn a_label_of_ours_gets_an_underscore() {
        let mut table = TableSchema::new("ATT");
        table.columns = ["UTC", "Instance", "UTC_"].map(|label| ColumnSchema::new(label, Kind::I16)).to_vec();
        let arrow = arrow(&table);
        let names: Vec<&str> = arrow.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["log_id", "session", "instance", "TimeUS", "UTC", "UTC__", "Instance_", "UTC_"]);
    }
}
