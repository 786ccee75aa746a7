//! The columns of a file, and which tables fit into it.

use crate::export::chosen_table::{Cells, ChosenColumn, ChosenTable, Scale, TIME};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use binlog::log::Described;
use binlog::log::{ValueNames, Values};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The columns that every type has. A label of a log that is the same gets an underscore.
const OWN: [&str; 5] = ["log_id", "session", "instance", TIME, "UTC"];

/// The samples of an array.
pub(super) const SAMPLES: i32 = 32;

/// The columns of a type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TypeSchema {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) columns: Vec<ColumnSchema>,
}

/// A column of a type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ColumnSchema {
    pub(super) label: String,
    pub(super) unit: String,
    pub(super) description: String,
    pub(super) names: Names,
    pub(super) data_type: DataType,
}

/// What its values and bits are called; empty if nothing says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Names {
    values: BTreeMap<i128, String>,
    bits: BTreeMap<i128, String>,
}

impl Names {
    fn of(names: &ValueNames) -> Self {
        // The first name of a value applies.
        let by_number =
            |named: &[Described]| named.iter().rev().map(|named| (named.value, named.name.clone())).collect();
        Names { values: by_number(names.values()), bits: by_number(names.bits()) }
    }

    /// The names of both; `None` if they call a value differently, or if only one has names.
    fn joined(&self, other: &Names) -> Option<Names> {
        let none = Names::default();
        let mut joined = self.clone();
        let lists = [(&mut joined.values, &other.values), (&mut joined.bits, &other.bits)];
        for (own, other) in lists {
            for (number, name) in other {
                if own.entry(*number).or_insert_with(|| name.clone()) != name {
                    return None;
                }
            }
        }
        ((*self == none) == (*other == none)).then_some(joined)
    }

    /// Values and bits as JSON by number: `{"0":"Pad","3":"Boost"}`. Empty if there are none.
    fn json(&self) -> [String; 2] {
        [&self.values, &self.bits].map(|names| {
            let by_number: serde_json::Map<String, serde_json::Value> =
                names.iter().map(|(number, name)| (number.to_string(), name.as_str().into())).collect();
            if by_number.is_empty() { String::new() } else { serde_json::Value::from(by_number).to_string() }
        })
    }
}

impl TypeSchema {
    pub(super) fn of(table: &ChosenTable) -> Self {
        let column = |column: &ChosenColumn| ColumnSchema {
            label: column.label.clone(),
            unit: column.unit.clone(),
            description: column.description.clone(),
            names: column.names.as_ref().map(Names::of).unwrap_or_default(),
            data_type: data_type(column),
        };
        TypeSchema {
            name: table.name.clone(),
            description: table.description.clone(),
            columns: table.columns.iter().map(column).collect(),
        }
    }

    /// Whether each column of the other is here, with the same unit, its names and a type that holds its values.
    pub(super) fn holds(&self, other: &TypeSchema) -> bool {
        other.columns.iter().all(|column| {
            let here = self.columns.iter().find(|here| here.label == column.label);
            here.is_some_and(|here| {
                here.unit == column.unit
                    && here.names.joined(&column.names).as_ref() == Some(&here.names)
                    && widened(&here.data_type, &column.data_type).as_ref() == Some(&here.data_type)
            })
        })
    }

    /// The columns of both, widened where the types differ; `None` if the units of a column differ, if its names do, or
    /// if no type holds both.
    pub(super) fn joined(&self, other: &TypeSchema) -> Option<TypeSchema> {
        let mut joined = self.clone();
        for column in &other.columns {
            match joined.columns.iter_mut().find(|here| here.label == column.label) {
                Some(here) if here.unit != column.unit => return None,
                Some(here) => {
                    here.names = here.names.joined(&column.names)?;
                    here.data_type = widened(&here.data_type, &column.data_type)?;
                }
                None => joined.columns.push(column.clone()),
            }
        }
        Some(joined)
    }

    /// The schema of the file, with the columns that every type has before those of the log.
    pub(super) fn arrow(&self) -> Schema {
        let microseconds = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        let own = [
            (DataType::Utf8, false, "hash of the log's bytes; `logs` has the log", ""),
            (
                DataType::UInt32,
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
        let columns = self.columns.iter().map(|column| {
            let mut name = column.label.clone();
            let is_other = |name: &str| self.columns.iter().any(|other| other.label == name);
            while OWN.iter().any(|own| own.eq_ignore_ascii_case(&name)) || (name != column.label && is_other(&name)) {
                name.push('_');
            }
            let [values, bits] = column.names.json();
            let about =
                [("unit", &column.unit), ("description", &column.description), ("values", &values), ("bits", &bits)];
            let about = about.map(|(key, text)| (key, text.as_str()));
            Field::new(name, column.data_type.clone(), true).with_metadata(texts(about))
        });
        let metadata = [("type", self.name.as_str()), ("description", &self.description)];
        Schema::new(own.chain(columns).collect::<Vec<_>>()).with_metadata(texts(metadata))
    }
}

/// The texts that aren't empty.
fn texts<'t>(texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> HashMap<String, String> {
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    texts.map(|(key, text)| (key.to_owned(), text.to_owned())).collect()
}

fn data_type(column: &ChosenColumn) -> DataType {
    let Cells::Logged(values) = &column.cells else {
        return if matches!(column.cells, Cells::Raw(_)) { DataType::Binary } else { DataType::Utf8 };
    };
    match values {
        Values::I16x32(_) => DataType::FixedSizeList(Arc::new(Field::new_list_field(DataType::Int16, false)), SAMPLES),
        Values::Chars4(_) | Values::Chars16(_) | Values::Chars64(_) => DataType::Utf8,
        _ if column.scale != Scale::One => DataType::Float64,
        Values::I8(_) => DataType::Int8,
        Values::U8(_) => DataType::UInt8,
        Values::I16(_) => DataType::Int16,
        Values::U16(_) => DataType::UInt16,
        Values::I32(_) => DataType::Int32,
        Values::U32(_) => DataType::UInt32,
        Values::I64(_) => DataType::Int64,
        Values::U64(_) => DataType::UInt64,
        Values::F32(_) => DataType::Float32,
        _ => DataType::Float64,
    }
}

/// The smallest type that holds the values of both without loss; `None` if no type does.
fn widened(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::*;
    if one == other {
        return Some(one.clone());
    }
    let candidates = [Int16, UInt16, Int32, UInt32, Int64, UInt64, Float32, Float64];
    candidates.into_iter().find(|wide| is_held(one, wide) && is_held(other, wide))
}

fn is_held(narrow: &DataType, wide: &DataType) -> bool {
    use DataType::*;
    // Bits of the sign and of the magnitude that a type holds exactly.
    let bits = |data_type: &DataType| {
        Some(match data_type {
            Int8 => (true, 7),
            UInt8 => (false, 8),
            Int16 => (true, 15),
            UInt16 => (false, 16),
            Int32 => (true, 31),
            UInt32 => (false, 32),
            Int64 => (true, 63),
            UInt64 => (false, 64),
            Float32 => (true, 24),
            Float64 => (true, 53),
            _ => return None,
        })
    };
    let is_float = |data_type: &DataType| matches!(data_type, Float32 | Float64);
    match (bits(narrow), bits(wide)) {
        (Some((is_signed, bits)), Some((is_wide_signed, wide_bits))) => {
            bits <= wide_bits && (is_wide_signed || !is_signed) && (is_float(wide) || !is_float(narrow))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataType::*;

    #[test]
    fn types_widen_without_loss() {
        for (one, other, wide) in [
            (Int8, UInt8, Some(Int16)),
            (UInt16, Int16, Some(Int32)),
            (UInt32, Int8, Some(Int64)),
            (Int16, Float32, Some(Float32)),
            (Int32, Float32, Some(Float64)),
            (Float32, Float64, Some(Float64)),
            (Int64, Float32, None),
            (UInt64, Int8, None),
            (Utf8, Int8, None),
            (Utf8, Utf8, Some(Utf8)),
        ] {
            assert_eq!(widened(&one, &other), wide, "{one} {other}");
            assert_eq!(widened(&other, &one), wide, "{other} {one}");
        }
    }

    fn schema(columns: &[(&str, &str, DataType)]) -> TypeSchema {
        let column = |(label, unit, data_type): &(&str, &str, DataType)| ColumnSchema {
            label: (*label).into(),
            unit: (*unit).into(),
            description: String::new(),
            names: Names::default(),
            data_type: data_type.clone(),
        };
        TypeSchema { name: "ATT".into(), description: String::new(), columns: columns.iter().map(column).collect() }
    }

    #[test]
    fn a_column_that_a_log_lacks_is_null() {
        let (old, new) = (schema(&[("Roll", "deg", Int16)]), schema(&[("Roll", "deg", Float32), ("Yaw", "deg", Int8)]));
        assert!(new.holds(&old) && !old.holds(&new));
        assert_eq!(old.joined(&new), Some(new));
    }

    #[test]
    fn a_column_with_other_names_is_in_another_file() {
        let with = |names: &[(i128, &str)]| {
            let mut schema = schema(&[("Phase", "", UInt8)]);
            schema.columns[0].names.values = names.iter().map(|(value, name)| (*value, (*name).to_owned())).collect();
            schema
        };
        let (old, new) = (with(&[(1, "Boost"), (2, "Coast")]), with(&[(1, "Boost"), (3, "Landed")]));
        assert!(!old.holds(&new) && old.holds(&with(&[(2, "Coast")])));
        assert_eq!(old.joined(&new), Some(with(&[(1, "Boost"), (2, "Coast"), (3, "Landed")])));
        assert_eq!(old.joined(&with(&[(1, "Coast")])), None);
        assert_eq!(old.joined(&with(&[])), None);
        assert!(!old.holds(&with(&[])));
    }

    #[test]
    fn a_column_with_another_unit_is_in_another_file() {
        assert_eq!(schema(&[("Roll", "deg", Int16)]).joined(&schema(&[("Roll", "rad", Int16)])), None);
    }

    #[test]
    fn a_label_of_ours_gets_an_underscore() {
        let arrow = schema(&[("UTC", "", Int16), ("Instance", "", Int16), ("UTC_", "", Int16)]).arrow();
        let names: Vec<&str> = arrow.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["log_id", "session", "instance", "TimeUS", "UTC", "UTC__", "Instance_", "UTC_"]);
    }
}
