//! A table as PlotJuggler takes it: the rows in the order of their times, a unit in each name, and Arrow's columns.
//!
//! PlotJuggler refuses rows whose time goes back, has no units, and takes numbers and texts only.

use binlog::arrow::{ArrowArrayStream, ArrowColumn, ArrowError};
use binlog::log::{ColumnSchema, Kind, TableSchema, Values, distinct_labels};
use std::convert::Infallible;
use std::ops::RangeInclusive;

/// The name of the column with the times. It isn't shown.
pub const TIME: &str = "time since 1970";

/// A table of a log.
pub struct Table {
    /// The name that its topic gets: `ATT`, `IMU[1]`, `main`.
    pub name: String,
    /// When each row is, in microseconds of the log's clock; `None` in a log without times.
    pub times_us: Option<Vec<u64>>,
    /// The times that aren't damaged.
    pub counted: RangeInclusive<u64>,
    /// The columns.
    pub columns: Vec<(ColumnSchema, Values)>,
    /// What the log calls the values of a column: the place of the column, and a text for each row.
    pub names: Vec<(usize, Vec<Option<String>>)>,
}

/// A table for the host.
pub struct Topic {
    /// The columns, and the name of that with the times.
    pub stream: ArrowArrayStream,
    pub time: Option<&'static str>,
    pub rows: usize,
    /// Rows whose time is damaged.
    pub left_out: usize,
}

impl Topic {
    /// A topic whose times are `boot_unix_us` later than those of the table.
    pub fn new(table: Table, boot_unix_us: i64) -> Result<Self, ArrowError> {
        let length = table.columns.first().map_or(0, |(_, values)| values.len());
        let time = table.times_us.as_ref().map(|_| TIME);
        let (times, order) = match &table.times_us {
            Some(times_us) => in_order(times_us, &table.counted, boot_unix_us),
            None => (Vec::new(), None),
        };
        let rows = order.as_ref().map_or(length, Vec::len);
        let mut fields: Vec<(String, ColumnSchema, ArrowColumn)> = Vec::new();
        if time.is_some() {
            let schema = ColumnSchema::new(TIME, Kind::I64);
            fields.push((TIME.into(), schema, ArrowColumn::new(Kind::I64, Values::I64(times.into()))?));
        }
        let mut names = table.names.into_iter().peekable();
        for (place, (schema, values)) in table.columns.into_iter().enumerate() {
            let label = schema.label.clone();
            let values = match &order {
                Some(order) => picked(values, order),
                None => values,
            };
            match (schema.kind, values) {
                // PlotJuggler can't show it.
                (Kind::Bytes, _) => {}
                (Kind::Samples, Values::I16x32(arrays)) => {
                    for sample in 0..32 {
                        let values = Values::I16(arrays.iter().map(|array| array[sample]).collect());
                        let mut schema = schema.clone();
                        schema.kind = Kind::I16;
                        let name = with_unit(&format!("{label}[{sample}]"), &schema.unit);
                        fields.push((name, schema, ArrowColumn::new(Kind::I16, values)?));
                    }
                }
                (kind, values) => {
                    let unit = if schema.is_instance { "" } else { &schema.unit };
                    let name = with_unit(&label, unit);
                    fields.push((name, schema, ArrowColumn::new(kind, values)?));
                }
            }
            if let Some((_, texts)) = names.next_if(|(of, _)| *of == place) {
                let text = |row: usize| texts[row].as_deref();
                let texts = match &order {
                    Some(order) => ArrowColumn::texts(order.iter().map(|&row| text(row))),
                    None => ArrowColumn::texts((0..length).map(text)),
                };
                fields.push((format!("{label} name"), ColumnSchema::new("", Kind::Text), texts?));
            }
        }
        let labels = distinct_labels(fields.iter().map(|(name, ..)| &**name));
        let mut schema = TableSchema::new(table.name);
        let mut columns = Vec::new();
        for ((_, mut field, values), label) in fields.into_iter().zip(labels) {
            field.label = label;
            schema.columns.push(field);
            columns.push(values);
        }
        let stream = ArrowArrayStream::of_tables(schema, [Ok::<_, Infallible>(columns)]);
        Ok(Topic { stream, time, rows, left_out: length - rows })
    }
}

/// `Roll [deg]`. A slash would separate the parts of a name, so units have a division slash: `GyrX [rad∕s]`.
fn with_unit(label: &str, unit: &str) -> String {
    match unit {
        "" => label.to_owned(),
        unit => format!("{label} [{}]", unit.replace('/', "∕")),
    }
}

/// The times in nanoseconds since 1970, ascending, and the rows that have them; `None` if those are all rows, in order.
fn in_order(times_us: &[u64], counted: &RangeInclusive<u64>, boot_unix_us: i64) -> (Vec<i64>, Option<Vec<usize>>) {
    let nanoseconds = |&time_us: &u64| {
        let unix_us = counted.contains(&time_us).then(|| boot_unix_us.checked_add_unsigned(time_us));
        unix_us.flatten()?.checked_mul(1000)
    };
    if let Some(times) = times_us.iter().map(nanoseconds).collect::<Option<Vec<i64>>>()
        && times.is_sorted()
    {
        return (times, None);
    }
    let rows = times_us.iter().map(nanoseconds).enumerate();
    let mut rows: Vec<(i64, usize)> = rows.filter_map(|(row, time)| Some((time?, row))).collect();
    rows.sort_unstable();
    let (times, order) = rows.into_iter().unzip();
    (times, Some(order))
}

/// The values of these rows.
fn picked(values: Values, rows: &[usize]) -> Values {
    macro_rules! picked {
        ($($variant:ident),*) => {
            match values {
                $(Values::$variant(values) => Values::$variant(rows.iter().map(|&row| values[row]).collect()),)*
                other => other,
            }
        };
    }
    picked!(I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, Chars4, Chars16, Chars64, I16x32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_time_and_damaged_times_left_out() {
        assert_eq!(in_order(&[1, 2, 2], &(0..=9), 10), (vec![11_000, 12_000, 12_000], None));
        assert_eq!(in_order(&[3, 1, 99, 1], &(0..=9), 0), (vec![1000, 1000, 3000], Some(vec![1, 3, 0])));
        // A time that doesn't fit into nanoseconds of 64 bits.
        assert_eq!(in_order(&[u64::MAX, 1], &(0..=u64::MAX), 0), (vec![1000], Some(vec![1])));
        assert_eq!(in_order(&[i64::MAX as u64 / 1000, 1], &(0..=u64::MAX), 1000), (vec![1_001_000], Some(vec![1])));
    }

    #[test]
    fn values_go_with_their_rows() {
        assert_eq!(picked(Values::F32(vec![0.5, 1.5, 2.5].into()), &[2, 0]), Values::F32(vec![2.5, 0.5].into()));
        assert_eq!(picked(Values::I16x32(vec![[1; 32], [2; 32]].into()), &[1]), Values::I16x32(vec![[2; 32]].into()));
    }

    #[test]
    fn units_are_in_the_names_without_slashes() {
        assert_eq!(with_unit("GyrX", "rad/s"), "GyrX [rad∕s]");
        assert_eq!(with_unit("I", ""), "I");
    }
}
