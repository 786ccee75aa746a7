//! By binlog. The benchmark and the instruction counts use these functions only, which call the measured reader.

use crate::Attitude;
use binlog::log::{Column, Numbers};
use binlog::{Log, Records, Scaling};
use std::error::Error;
use std::num::NonZero;
use std::path::Path;

/// The records one after the other: the sum of their lengths.
pub fn records(log: &[u8]) -> usize {
    Records::new(log).flatten().map(|record| record.len()).sum()
}

/// The same, of their times.
pub fn times(log: &[u8]) -> u64 {
    Records::new(log).flatten().filter_map(|record| record.time_us()).fold(0, u64::wrapping_add)
}

/// The index of all types.
pub fn index(log: &[u8]) -> Log<'_> {
    let log = Log::from_bytes(log);
    assert!(log.suspects().is_empty(), "the log is sound");
    log
}

/// Every field of every record in its native type, by a number of threads.
pub fn columns(log: &[u8], threads: NonZero<usize>) -> Vec<Vec<Column>> {
    decode(log, Numbers::Native, threads)
}

/// Every field of every record, numbers as doubles, by a number of threads.
pub fn f64(log: &[u8], threads: NonZero<usize>) -> Vec<Vec<Column>> {
    decode(log, Numbers::F64(Scaling::Shown), threads)
}

fn decode(log: &[u8], numbers: Numbers, threads: NonZero<usize>) -> Vec<Vec<Column>> {
    let log = Log::from_bytes(log);
    log.tables_with(numbers, threads).into_iter().map(|table| table.into_columns()).collect()
}

/// One column of a file as doubles, including opening it; mapped or read.
///
/// # Errors
///
/// Those of the file, and of the column's name.
pub fn file_column(path: &Path, map: bool, name: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    // SAFETY: nothing else uses the file.
    let log = if map { unsafe { Log::map(path) }? } else { Log::open(path)? };
    Ok(log.numbers(name, Scaling::Shown)?)
}

/// The records of ATT, found.
pub struct Attitudes<'a>(Log<'a>);

impl<'a> Attitudes<'a> {
    /// Finds them in a log.
    pub fn new(log: &'a [u8]) -> Self {
        Attitudes(index(log))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.records().count()
    }

    /// The sum of time, roll, pitch and yaw of the first `records`, as integers that wrap.
    pub fn sum(&self, records: usize) -> u64 {
        self.records().take(records).fold(0, |sum: u64, attitude| {
            let &Attitude { time_us, roll, pitch, yaw, .. } = attitude;
            let angles = i64::from(roll.raw()) + i64::from(pitch.raw()) + i64::from(yaw.raw());
            sum.wrapping_add(time_us).wrapping_add_signed(angles)
        })
    }

    fn records(&self) -> impl Iterator<Item = &Attitude> {
        self.0.typed_refs::<Attitude>().expect("ArduPilot's ATT")
    }
}
