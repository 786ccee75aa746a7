//! The table of logs: a row for each log of a data set.

use super::facts::Facts;
use super::file::OpenFile;
use crate::outcome::Failure;
use arrow_array::{
    ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{ArrowError, Field, Schema};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The name of its folder.
pub(super) const FOLDER: &str = "logs";

/// The logs of a row group of the table. The facts of earlier ones aren't in memory.
const LOGS: usize = 1024;

/// The table of the logs that are added.
pub(super) struct TableOfLogs {
    /// The logs that aren't written yet.
    waiting: Vec<Facts>,
    file: OpenFile,
}

impl TableOfLogs {
    /// Begins the table for a place whose folder exists.
    pub(super) fn create(place: PathBuf) -> Result<Self, Failure> {
        let schema = batch(&[]).map_err(|error| Failure::new(format_args!("{error}")))?.schema();
        Ok(TableOfLogs { waiting: Vec::new(), file: OpenFile::create(place, schema)? })
    }

    pub(super) fn add(&mut self, facts: Facts) -> Result<(), Failure> {
        self.waiting.push(facts);
        if self.waiting.len() < LOGS { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.file.write(std::iter::once(batch(&std::mem::take(&mut self.waiting))))
    }

    /// Ends the file, still beside its place, which is returned.
    pub(super) fn finish(mut self) -> Result<PathBuf, Failure> {
        self.flush()?;
        self.file.finish()
    }
}

/// The rows of some logs.
fn batch(logs: &[Facts]) -> Result<RecordBatch, ArrowError> {
    fn texts<'f>(of_logs: impl Iterator<Item = Option<&'f str>>) -> ArrayRef {
        Arc::new(StringArray::from_iter(of_logs))
    }
    let start = logs.iter().map(|log| log.start_unix_us);
    // Engines lack unsigned numbers. No count of one log comes near the end of these.
    let counts = |of: fn(&Facts) -> u64| {
        let count = |log| i64::try_from(of(log)).unwrap_or(i64::MAX);
        Arc::new(Int64Array::from_iter_values(logs.iter().map(count))) as ArrayRef
    };
    let small = |of: fn(&Facts) -> u32| {
        let count = |log| i32::try_from(of(log)).unwrap_or(i32::MAX);
        Arc::new(Int32Array::from_iter_values(logs.iter().map(count))) as ArrayRef
    };
    let columns: [(&str, &str, &str, ArrayRef); 14] = [
        ("log_id", "", "hash of the log's bytes", texts(logs.iter().map(|log| Some(log.log_id.as_str())))),
        ("name", "", "name of the log when it was added", texts(logs.iter().map(|log| Some(log.name.as_str())))),
        ("format", "", "ArduPilot or Blackbox", texts(logs.iter().map(|log| Some(log.format.as_str())))),
        ("vehicle", "", "", texts(logs.iter().map(|log| log.vehicle.as_deref()))),
        ("firmware", "", "", texts(logs.iter().map(|log| log.firmware.as_deref()))),
        (
            "start",
            "",
            "first time, by the log's GPS",
            Arc::new(TimestampMicrosecondArray::from_iter(start).with_timezone("UTC")),
        ),
        (
            "duration",
            "s",
            "from the first time to the last of each boot or session",
            Arc::new(Float64Array::from_iter(logs.iter().map(|log| log.duration_s))),
        ),
        ("sessions", "", "number of boots or sessions", small(|log| log.sessions)),
        ("records", "", "number of records or frames", counts(|log| log.records)),
        ("bytes", "B", "length of the log", counts(|log| log.bytes)),
        ("skipped_bytes", "B", "bytes that yield no record", counts(|log| log.skipped_bytes)),
        ("skipped", "", "stretches of such bytes", small(|log| log.skipped)),
        ("suspects", "", "records whose end may be damaged", small(|log| log.suspects)),
        ("schema", "", "hash of the definitions", texts(logs.iter().map(|log| Some(log.schema.as_str())))),
    ];
    let field = |(name, unit, description, array): &(&str, &str, &str, ArrayRef)| {
        let metadata =
            [("unit", *unit), ("description", *description)].into_iter().filter(|(_, text)| !text.is_empty());
        let metadata: HashMap<String, String> = metadata.map(|(key, text)| (key.into(), text.into())).collect();
        Field::new(*name, array.data_type().clone(), true).with_metadata(metadata)
    };
    let fields: Vec<Field> = columns.iter().map(field).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(.., array)| array).collect())
}
