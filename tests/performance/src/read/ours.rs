//! By binlog. The benchmark and the instruction counts use these functions only, which call the measured reader.

use crate::{Attitude, ControlTuning};
use binlog::log::{Column, Numbers, Rows};
use binlog::replay::{Flight, Item, messages};
use binlog::{AnyLog, Log, LogSchema, Records, Scaling};
use std::error::Error;
use std::io::Read;
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

/// Every field of every record, doubles where they are scaled.
pub fn scaled(log: &[u8], threads: NonZero<usize>) -> Vec<Vec<Column>> {
    decode(log, SCALED, threads)
}

/// The same, each type by itself.
pub fn by_type(log: &[u8]) -> Vec<Vec<Column>> {
    let log = Log::from_bytes(log);
    log.types().flat_map(|rows| rows.by_definition().map(|rows| all_columns(&rows)).collect::<Vec<_>>()).collect()
}

/// All columns of a type.
fn all_columns(rows: &Rows<'_>) -> Vec<Column> {
    rows.columns(&rows.labels(), SCALED).expect("one definition")
}

/// What the columns of a type are: how many, without their values.
pub fn schema(log: &Log<'_>, name: &str) -> usize {
    log.rows(name).expect("a type").schema(SCALED).expect("one definition").columns.len()
}

const SCALED: Numbers = Numbers::Scaled(Scaling::Shown);

/// The types and columns that a replay is fed with.
const REPLAYED: [(&str, [&str; 3]); 2] = [("ATT", ["Roll", "Pitch", "Yaw"]), ("CTUN", ["ThO", "Alt", "CRt"])];

/// The same as messages.
#[derive(LogSchema)]
enum Replayed {
    Att(Attitude),
    Ctun(ControlTuning),
}

/// The columns of a replay, read as columns.
pub fn replayed_columns(log: &[u8]) -> Vec<Vec<Column>> {
    let log = Log::from_bytes(log);
    let scaled = Numbers::F64(Scaling::Units);
    let columns = |(name, labels): (&str, [&str; 3])| {
        log.rows(name).and_then(|rows| rows.columns(&labels, scaled)).expect("the log has them")
    };
    REPLAYED.map(columns).into()
}

/// The rows of a replay with these columns: how many.
pub fn replayed_rows(log: &[u8]) -> usize {
    let log = AnyLog::from_bytes(log).expect("a log");
    let name = |table: usize, column: usize| format!("{}.{}", REPLAYED[table].0, REPLAYED[table].1[column]);
    let signals = [name(0, 0), name(0, 1), name(0, 2), name(1, 0), name(1, 1), name(1, 2)];
    let flight = Flight::of(&log);
    flight.rows(signals).expect("the log has them").filter(|item| matches!(item, Ok(Item::Input { .. }))).count()
}

/// The messages ATT and CTUN in a replay: how many.
pub fn replayed_messages(log: impl Read) -> usize {
    messages::<Replayed>(log).filter(|item| matches!(item, Ok(Item::Input { .. }))).count()
}

/// How a file is opened for one column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opened {
    /// Mapped into memory.
    Mapped,
    /// Read in pieces, for the records of the type.
    InPieces,
    /// Read as a whole.
    Whole,
}

/// One column of a file as doubles, including opening it.
///
/// # Errors
///
/// Those of the file, and of the column's name.
pub fn file_column(path: &Path, opened: Opened, name: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    let of_type = name.split('.').next().unwrap_or_default();
    let log = match opened {
        // SAFETY: nothing else uses the file.
        Opened::Mapped => unsafe { Log::map(path) }?,
        Opened::InPieces => Log::open_types(path, &[of_type])?.0,
        Opened::Whole => Log::open(path)?,
    };
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
