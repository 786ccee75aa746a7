//! A whole log in memory: its records by type, its columns, the facts of the flight.
//!
//! ```no_run
//! use binlog::{Log, Scaling};
//!
//! let log = Log::open("flight.bin")?;
//! let times = log.rows("ATT")?.times_us();
//! let roll: Vec<f64> = log.numbers("ATT.Roll", Scaling::Shown)?;
//! let second_gyro = log.numbers("IMU[1].GyrX", Scaling::Shown)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map
//!
//! - One type: [`Log::rows`] are its records; [`Column`] is one column with its unit, [`Log::numbers`] its numbers,
//!   [`Rows::columns`] several columns in one pass. A [`Scaling`] selects stored numbers, those that pymavlink shows,
//!   or those in the column's unit. [`Rows::schema`] says what the columns are, without reading a value,
//!   [`Rows::during`] has the records of a part of the time.
//! - Handles: [`OwnedRows`] keep their log. Columns own their values.
//! - Several logs: a [`SchemaUnion`] has the columns that any of them has.
//! - Everything: [`Log::tables`] has all columns of all types.
//! - The program's messages: [`Log::typed`] for one, [`Log::messages`] for a schema, [`Log::typed_refs`] for references
//!   into the log. They match columns by label, except for `typed_refs`.
//! - The flight: [`Log::vehicle`], [`parameters`](Log::parameters), [`texts`](Log::texts), [`modes`](Log::modes) and
//!   other [`states`](Log::states), [`armed`](Log::armed), [`files`](Log::files), [`batches`](Log::batches) of samples,
//!   the calendar ([`Log::clock`]) and the [`boots`](Log::boots).
//! - Names: [`Column::value_name`] is what the log calls a value, [`Log::descriptions`] all that it says. Of a log of
//!   several boots, see [`Log::value_names`].
//! - Damage: [`Log::skipped`] and [`Log::suspects`]; of a log that was text, [`Log::damaged_lines`].
//! - Definitions: [`Log::types`] lists the types, [`Log::schema`] has the definitions as data.
//!
//! The guide shows each of these in use: [reading](crate::guide::reading),
//! [damaged logs](crate::guide::damaged_logs), [unknown firmware](crate::guide::unknown_firmware) and
//! [formats over years](crate::guide::formats_over_years).
//!
//! # Memory and time
//!
//! A [`Log`] takes the length of the log, and 4 to 8 bytes for each record in the index. A mapped log takes memory only
//! for the pages in use. The first request is answered in one pass over the log. The second request, even for the same
//! type, builds the index in one more pass; from then on a column costs only its own values.
//!
//! All processors read a file of 8 MiB or more, build the index of a log of 4 MiB or more, and decode many records.
//!
//! [`Log::open_types`] reads a file in pieces, and takes memory for the records of some types only.
//!
//! [`RecordStream`](crate::RecordStream) reads a log that is too long for this in constant memory; the guide
//! [shows how](crate::guide::reading#bytes-that-arrive-in-chunks). [`Records`] reads bytes in memory one record after
//! the other, without allocating.

mod ahead;
mod boots;
mod clock;
mod column;
mod columns;
mod decode;
mod during;
mod flight;
mod gather;
mod index;
mod numbers;
mod offsets;
mod owned;
mod rows;
mod schema;
mod select;
mod skim;
mod some_types;
mod tables;
mod time_range;
mod typed;
mod value_names;
mod wraps;

pub use crate::read::descriptions::{Described, DescribedColumn, DescribedMessage};
pub use crate::source::{
    Buffer, ColumnSchema, ConflictCause, DamagedLine, Kind, LineFault, Numbers, OpenError, SchemaConflict, SchemaUnion,
    TableSchema, Values, distinct_labels,
};
pub use boots::Boot;
pub use clock::{Clock, ClockSearch};
pub(crate) use clock::{Fix, GpsDate};
pub use column::Column;
pub use flight::{
    ArmedInterval, Batch, BatchSensor, EmbeddedFile, MissingPieces, ModeInterval, Parameter, ParameterValue,
    StateInterval, TextMessage, Vehicle,
};
pub(crate) use flight::{DescriptionPieces, EVENT_ARMED, EVENT_DISARMED, Incomplete, names_vehicle};
#[cfg(feature = "blackbox")]
pub(crate) use gather::Scale;
pub use owned::OwnedRows;
pub use rows::{RowRecords, Rows};
pub use select::SelectError;
pub use tables::Table;
pub use time_range::TimeRange;
pub use typed::{Messages, Typed, TypedError, TypedRefs};
pub use value_names::ValueNames;

use crate::format::Scaling;
use crate::read::catalogue::units::Units;
use crate::read::{Records, Skipped};
use crate::source::bytes::{self, Bytes};
use boots::Span;
use index::Index;
pub(crate) use select::{TypeName, column_name};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use value_names::LogNames;
use wraps::WrapPlaces;

/// A log in memory, or mapped into it.
///
/// Opening only loads or maps the bytes. The first request is answered in one pass over the log, which skips everything
/// else. The second request, even for the same type, indexes all records in one more pass; the index is kept.
///
/// ```no_run
/// use binlog::{Log, Scaling};
///
/// let log = Log::open("flight.bin")?;
/// for (time_us, roll) in log.rows("ATT")?.times_us().iter().zip(log.numbers("ATT.Roll", Scaling::Shown)?) {
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
    spans: OnceLock<Vec<Span>>,
    clock: OnceLock<Option<Clock>>,
    wraps: OnceLock<Arc<WrapPlaces>>,
    /// The embedded descriptions of each boot; empty without them.
    xml: OnceLock<Vec<String>>,
    /// What they call values and bits.
    named: OnceLock<LogNames>,
    /// What they say, by type.
    described: OnceLock<HashMap<String, DescribedMessage>>,
    /// Whether a type was found without an index before.
    scanned: AtomicBool,
}

impl Log<'static> {
    /// Reads a file. Bytes appended after opening are left out; if the file becomes shorter, the log ends there.
    /// Anything but a regular file, such as `/dev/stdin`, is read to its end.
    ///
    /// # Errors
    ///
    /// If the file can't be opened or read, or doesn't fit into memory. The error names the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        bytes::read(path.as_ref()).map(Log::of)
    }

    /// Reads a reader to its end: `std::io::stdin()`, a decompressor.
    ///
    /// # Errors
    ///
    /// Errors of the reader.
    pub fn from_reader(reader: impl Read) -> io::Result<Self> {
        bytes::read_all(reader, 0).map(|bytes| Log::of(Bytes::Owned(bytes)))
    }
}

impl<'a> Log<'a> {
    /// Uses bytes in memory as a log: a `Vec<u8>` or a `&[u8]`.
    pub fn from_bytes(bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Log::of(match bytes.into() {
            Cow::Borrowed(bytes) => Bytes::Borrowed(bytes),
            Cow::Owned(bytes) => Bytes::Owned(bytes),
        })
    }

    pub(crate) fn of(bytes: Bytes<'a>) -> Self {
        Log {
            bytes,
            index: OnceLock::new(),
            spans: OnceLock::new(),
            clock: OnceLock::new(),
            wraps: OnceLock::new(),
            xml: OnceLock::new(),
            named: OnceLock::new(),
            described: OnceLock::new(),
            scanned: AtomicBool::new(false),
        }
    }

    #[cfg(feature = "blackbox")]
    pub(crate) fn into_source(self) -> Bytes<'a> {
        self.bytes
    }

    /// The log's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All records in the order of the log, and the skipped stretches between them.
    pub fn records(&self) -> Records<'_> {
        Records::new(&self.bytes)
    }

    /// The skipped stretches, which contain no record.
    pub fn skipped(&self) -> &[Skipped] {
        &self.index().skipped
    }

    /// Offsets of the suspect records: bytes other than a header follow them, so their end may be damaged.
    pub fn suspects(&self) -> &[usize] {
        &self.index().suspects
    }

    /// The lines of a text log, as [`AnyLog`](crate::AnyLog) opens it, that can't be read, or not as a whole; `None`
    /// for a log that wasn't text.
    pub fn damaged_lines(&self) -> Option<&[DamagedLine]> {
        match &self.bytes {
            Bytes::OfText(log) => Some(&log.damaged),
            _ => None,
        }
    }

    /// The types with at least one record, in the order of their definitions.
    pub fn types(&self) -> impl Iterator<Item = Rows<'_>> {
        self.index().names(&self.bytes).into_iter().map(|name| self.all(name))
    }

    /// The records of a type, `ATT`, or of one of its instances, `IMU[1]`.
    ///
    /// # Errors
    ///
    /// If the log doesn't define the type, or has no such instance.
    pub fn rows(&self, name: &str) -> Result<Rows<'_>, SelectError> {
        let whole = name;
        let TypeName { name, instance } = TypeName::parse(whole);
        let rows = match self.index.get() {
            // From the second request on, an index is faster.
            None if !self.scanned.swap(true, Ordering::Relaxed) => self.scan(name),
            _ => self.all(name),
        };
        if rows.is_empty() {
            self.require_definitions()?;
        }
        let found = match instance {
            _ if !rows.is_defined() => Err(self.no_type(name)),
            Some(instance) => rows.instance(instance),
            None => Ok(rows),
        };
        // A damaged definition may give a type a name with brackets.
        let is_instance = instance.is_some();
        found.or_else(|error| is_instance.then(|| self.all(whole)).filter(Rows::is_defined).ok_or(error))
    }

    /// The records and the label of a column, `ATT.Roll` or `IMU[1].GyrX`.
    ///
    /// # Errors
    ///
    /// If the log has no such type, instance or column.
    pub fn select<'n>(&self, name: &'n str) -> Result<(Rows<'_>, &'n str), SelectError> {
        let (rows, label) = column_name(name)?;
        let rows = self.rows(rows)?;
        rows.require(label)?;
        Ok((rows, label))
    }

    /// A column, `ATT.Roll` or `IMU[1].GyrX`.
    ///
    /// # Errors
    ///
    /// If the log has no such type, instance or column, or if it redefines the column with another format, unit or
    /// multiplier.
    pub fn column(&self, name: &str) -> Result<Column, SelectError> {
        let (rows, label) = self.select(name)?;
        rows.column(label)
    }

    /// The numbers of a column.
    ///
    /// # Errors
    ///
    /// As [`column`](Log::column), and if the column is text or an array.
    pub fn numbers(&self, name: &str, scaling: Scaling) -> Result<Vec<f64>, SelectError> {
        let (rows, label) = self.select(name)?;
        rows.numbers(label, scaling)
    }

    /// The relation of times since boot to the calendar; `None` if the log has no GPS record with a week. [`Clock`]
    /// says which record decides.
    ///
    /// For a log of several [boots](Log::boots), that of the first boot that has one. Each boot has its own:
    /// `boot.log().clock()`.
    pub fn clock(&self) -> Option<Clock> {
        *self.clock.get_or_init(|| Clock::of(self))
    }

    /// The earliest and the latest time of the log's records, both inclusive, in microseconds since boot; `None` if the
    /// log has no times.
    ///
    /// Damaged times don't count: [`TimeRange`] has the rule. If the clock restarts in the middle of the log, each part
    /// of [`boots`](Log::boots) has its own range.
    pub fn time_range_us(&self) -> Option<RangeInclusive<u64>> {
        let ranges = self.spans().iter().filter_map(|span| span.time_us.clone());
        ranges.reduce(|a, b| *a.start().min(b.start())..=*a.end().max(b.end()))
    }

    /// Returns an error if the log defines nothing.
    fn require_definitions(&self) -> Result<(), SelectError> {
        let defines_nothing = self.index().kinds.is_empty();
        if defines_nothing { Err(SelectError::NoLog { bytes: self.bytes.len() }) } else { Ok(()) }
    }

    fn no_type(&self, name: &str) -> SelectError {
        if let Err(error) = self.require_definitions() {
            return error;
        }
        let known = self.index().names(&self.bytes).into_iter().map(str::to_owned).collect();
        SelectError::NoType { name: name.into(), known }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.bytes))
    }

    fn units(&self) -> &Units {
        &self.index().units
    }

    /// Where the log's times of 32 bits wrap. Found in a pass over the log of its own, which only such a log needs.
    fn wraps(&self) -> &Arc<WrapPlaces> {
        self.wraps.get_or_init(|| Arc::new(WrapPlaces::of(&self.bytes)))
    }

    /// The records of a type; none if the log doesn't define it.
    fn all(&self, name: &str) -> Rows<'_> {
        Rows::new(self, self.index(), name)
    }

    /// As [`all`](Log::all), without an index.
    fn scan(&self, name: &str) -> Rows<'_> {
        let index = Index::of(&self.bytes, &[name, "FILE"]);
        // A column needs them, and another pass would cost as much as this one.
        self.xml.get_or_init(|| flight::descriptions::texts(&Rows::new(self, &index, "FILE"), &index.boots));
        Rows::taken_from(self, index, name)
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
