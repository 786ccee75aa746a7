//! A whole log in memory: its records by type, its columns, its times.

mod bytes;
mod clock;
mod column;
mod conversion;
mod flight;
mod index;
mod map;
mod select;
mod series;
mod tables;
mod typed;
mod units;
mod values;

pub use bytes::OpenError;
pub use clock::Clock;
pub use column::Column;
pub use flight::{
    ArmedInterval, Batch, BatchSensor, EmbeddedFile, LogText, MissingPieces, ModeInterval, Parameter, ParameterValue,
    Vehicle,
};
pub use select::SelectError;
pub use series::Series;
pub use tables::Table;
pub use typed::{Messages, Typed, TypedError, TypedRefs};
pub use values::Values;

use crate::{Definition, Records, Scaling, Skipped};
use bytes::Bytes;
use clock::TimeSource;
use index::{Index, Kind};
use select::{TypeName, column_name};
use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::{fmt, str};
use units::Units;

/// A log in memory, or mapped into it.
///
/// Opening does no more than that. The first type that is asked for is looked for in one pass over the log, without the
/// rest; with the second, an index of all records is made, in one pass too, and kept.
///
/// ```no_run
/// use binlog::{Log, Scaling};
///
/// let log = Log::open("flight.bin")?;
/// for (time_us, roll) in log.series("ATT")?.times_us().iter().zip(log.numbers("ATT.Roll", Scaling::Shown)?) {
///     println!("{time_us} µs: {roll}°");
/// }
/// for skipped in log.skipped() {
///     eprintln!("{skipped}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Log<'a> {
    bytes: Bytes<'a>,
    index: OnceLock<Index>,
    units: OnceLock<Arc<Units>>,
    clock: OnceLock<Option<Clock>>,
    /// Whether a type was looked for without an index.
    scanned: AtomicBool,
}

impl Log<'static> {
    /// Reads a file, as long as it is when it is opened: what is appended later is left out, and one that becomes shorter
    /// ends there. What isn't a regular file, `/dev/stdin` say, is read until it ends.
    ///
    /// # Errors
    ///
    /// When the file can't be opened or read, or doesn't fit into memory; the error names it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        bytes::read(path.as_ref()).map(|bytes| Log::of(Bytes::Owned(bytes)))
    }

    /// Reads all that a reader gives: `std::io::stdin()`, a decompressor.
    ///
    /// # Errors
    ///
    /// The reader's.
    pub fn read(reader: impl Read) -> io::Result<Self> {
        bytes::read_all(reader, 0).map(|bytes| Log::of(Bytes::Owned(bytes)))
    }
}

impl<'a> Log<'a> {
    /// The log that these bytes are, a `Vec<u8>` or a `&[u8]`.
    pub fn new(bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Log::of(match bytes.into() {
            Cow::Borrowed(bytes) => Bytes::Borrowed(bytes),
            Cow::Owned(bytes) => Bytes::Owned(bytes),
        })
    }

    fn of(bytes: Bytes<'a>) -> Self {
        Log {
            bytes,
            index: OnceLock::new(),
            units: OnceLock::new(),
            clock: OnceLock::new(),
            scanned: AtomicBool::new(false),
        }
    }

    /// The log's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All records in the order of the log, and what is between them.
    pub fn records(&self) -> Records<'_> {
        Records::new(&self.bytes)
    }

    /// The stretches that hold no record.
    pub fn skipped(&self) -> &[Skipped] {
        &self.index().skipped
    }

    /// Offsets of the records that something else than a header follows, so that their end may be damaged.
    pub fn suspects(&self) -> &[usize] {
        &self.index().suspects
    }

    /// The types that the log has records of, in the order of their definitions.
    pub fn types(&self) -> impl Iterator<Item = Series<'_>> {
        self.index().names(&self.bytes).into_iter().map(|name| self.all(name))
    }

    /// The records of a type, `ATT`, or of one instance of it, `IMU[1]`.
    ///
    /// # Errors
    ///
    /// When the log doesn't define the type, or has no such instance.
    pub fn series(&self, name: &str) -> Result<Series<'_>, SelectError> {
        let TypeName { name, instance } = TypeName::parse(name);
        let series = match self.index.get() {
            // The second time, an index pays.
            None if !self.scanned.swap(true, Ordering::Relaxed) => self.scan(name),
            _ => self.all(name),
        };
        if !series.is_defined() {
            return Err(self.no_type(name));
        }
        instance.map_or(Ok(series.clone()), |instance| series.instance(instance))
    }

    /// The records and the label of a column, `ATT.Roll` or `IMU[1].GyrX`.
    ///
    /// # Errors
    ///
    /// When the log has no such type, instance or column.
    pub fn select<'n>(&self, name: &'n str) -> Result<(Series<'_>, &'n str), SelectError> {
        let (series, label) = column_name(name)?;
        let series = self.series(series)?;
        series.require(label)?;
        Ok((series, label))
    }

    /// A column, `ATT.Roll` or `IMU[1].GyrX`.
    ///
    /// # Errors
    ///
    /// When the log has no such type, instance or column, or defines the column in two ways.
    pub fn column(&self, name: &str) -> Result<Column, SelectError> {
        let (series, label) = self.select(name)?;
        series.column(label)
    }

    /// The numbers of a column.
    ///
    /// # Errors
    ///
    /// As [`column`](Log::column), and when the column is text or an array.
    pub fn numbers(&self, name: &str, scaling: Scaling) -> Result<Vec<f64>, SelectError> {
        let (series, label) = self.select(name)?;
        series.numbers(label, scaling)
    }

    /// What relates times since boot to the calendar; `None` in a log without a GPS fix that has a date.
    pub fn clock(&self) -> Option<Clock> {
        *self.clock.get_or_init(|| Clock::of(self))
    }

    /// From the first record's time to the last one's, in microseconds since boot; `None` in a log without times.
    pub fn time_range_us(&self) -> Option<Range<u64>> {
        let time_at = |kind: &Kind, offset: usize| {
            let definition = kind.definition(&self.bytes);
            let payload = self.bytes.get(offset..offset + usize::from(definition.length()))?;
            TimeSource::of(&definition).time_us(payload.get(Definition::HEADER_LENGTH..)?)
        };
        let kinds = || self.index().kinds.iter();
        let first = kinds().filter_map(|kind| Some((kind.offsets.iter().next()?, kind)));
        let first = first.filter_map(|(offset, kind)| Some((offset, time_at(kind, offset)?))).min()?;
        let last = kinds().filter_map(|kind| Some((kind.offsets.last()?, kind)));
        let last = last.filter_map(|(offset, kind)| Some((offset, time_at(kind, offset)?))).max()?;
        Some(first.1..last.1.max(first.1))
    }

    fn no_type(&self, name: &str) -> SelectError {
        let known = self.index().names(&self.bytes).into_iter().map(str::to_owned).collect();
        SelectError::NoType { name: name.into(), known }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.bytes))
    }

    fn units(&self) -> Arc<Units> {
        self.units.get_or_init(|| Arc::new(Units::new(&self.bytes, self.index()))).clone()
    }

    /// The records with a name, none if the log doesn't define it.
    fn all(&self, name: &str) -> Series<'_> {
        Series::new(&self.bytes, self.index(), self.units(), name)
    }

    /// The same without an index.
    fn scan(&self, name: &str) -> Series<'_> {
        let index = Index::of(&self.bytes, &[name, "UNIT", "MULT"]);
        let units = Units::new(&self.bytes, &index);
        Series::taken_from(&self.bytes, index, Arc::new(units), name)
    }
}

impl fmt::Debug for Log<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log")
            .field("bytes", &self.bytes.len())
            .field("is_indexed", &self.index.get().is_some())
            .finish_non_exhaustive()
    }
}
