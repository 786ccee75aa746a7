//! A whole log in memory: its records by type, its columns, its times.
//!
//! [`Log`] holds the bytes of a log and knows where the records of each type are. [`Records`] and
//! [`RecordStream`](crate::RecordStream) are below it: they need no memory, and give one record after the other. A
//! chapter for each use:
//!
//! # One column, fast
//!
//! ```no_run
//! use binlog::{Log, Scaling};
//!
//! // SAFETY: nobody writes to a flight that is over.
//! let log = unsafe { Log::map("flight.bin") }?; // `Log::open` reads the file, which is safe and takes longer
//! let roll: Vec<f64> = log.numbers("ATT.Roll", Scaling::Shown)?;
//! let second_gyro = log.numbers("IMU[1].GyrX", Scaling::Shown)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A type with several sensors has their records mixed, as they came: `IMU[1]` is one sensor, and
//! [`Rows::by_instance`] each for itself.
//!
//! The first column that is asked for costs one pass over the log, which skips everything else. From the second type on
//! there is an index of all records, so that a column costs no more than its own values.
//!
//! [`Scaling`] says what a number is: as it is stored; as pymavlink and the viewers show it (hundredths and coordinates
//! divided); or in the column's unit, so that `TimeUS` is in seconds and `BAT.CurrTot` in ampere-hours. Where the log
//! says no multiplier (old firmware has no FMTU), that is the shown number.
//! [`Rows::column`] keeps the column in the type that it is stored in, with text and exact 64-bit integers, and
//! scales when asked; it knows the column's unit. [`Rows::times_us`] has the times beside it, [`Log::clock`] the
//! calendar.
//!
//! # Everything
//!
//! ```no_run
//! use binlog::{Log, Scaling};
//!
//! let log = Log::open("flight.bin")?;
//! for table in log.tables() {
//!     println!("{}: {} records", table.name(), table.len());
//!     for column in table.columns() {
//!         println!("  {} in {}: {:?}", column.label(), column.shown_unit(), column.number(0, Scaling::Shown));
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Log::tables_f64`] has all numbers as `f64`. Where firmware has appended to the log of its last boot,
//! [`Log::boots`] has each boot as a log of its own. What the log says of the flight is put together already:
//! [`vehicle`](Log::vehicle), [`parameters`](Log::parameters), [`texts`](Log::texts), [`modes`](Log::modes),
//! [`armed`](Log::armed), [`files`](Log::files), [`batches`](Log::batches) of samples.
//!
//! # Typed
//!
//! ```no_run
//! use binlog::{Log, LogMessage, LogSchema, messages};
//! use zerocopy::{Immutable, IntoBytes};
//!
//! #[derive(LogMessage, IntoBytes, Immutable)]
//! #[log(name = "RALT")]
//! #[repr(C, packed)]
//! struct RelativeAltitude {
//!     time_us: u64,
//!     #[log(unit = "m")]
//!     alt: f64, // a log that stores it as an f32 will do
//! }
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Ralt(RelativeAltitude),
//!     Mode(messages::Mode),
//! }
//!
//! let log = Log::open("flight.bin")?;
//! for altitude in log.typed::<RelativeAltitude>()? {
//!     println!("{} m", { altitude?.alt });
//! }
//! for message in log.messages::<FlightLog>()? {
//!     match message? {
//!         FlightLog::Ralt(altitude) => println!("{} m", { altitude.alt }),
//!         FlightLog::Mode(mode) => println!("mode {}", mode.mode_num),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Columns are found by their labels, and a format may be a narrower one than the program's, so that one struct reads
//! the logs of several releases: [`Log::typed`] has the table. The messages of [`messages`](crate::messages) are those
//! of today's firmware, and releases differ: up to Copter 4.6, MSG is [`LegacyMsg`](crate::messages::LegacyMsg). For
//! reading any log, [`texts`](Log::texts), [`parameters`](Log::parameters) and [`modes`](Log::modes) need no struct. A
//! log that would lose something when it is read so is refused, with the list of differences; [`Log::typed_refs`] wants
//! the very same definition and gives references into the log, without a copy.
//!
//! # Damaged logs
//!
//! ```no_run
//! use binlog::Log;
//!
//! let log = Log::open("damaged.bin")?;
//! for skipped in log.skipped() {
//!     eprintln!("{skipped}"); // skipped 4096 bytes at offset 81920: there is no record header (A3 95)
//! }
//! for offset in log.suspects() {
//!     eprintln!("no record follows the one at offset {offset}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No byte is trusted, and every skipped byte is reported: each is in one record or in one skipped stretch. A record
//! whose end may be damaged is still a record, marked suspect. What can't be seen: a flipped bit inside a value.
//!
//! # Logs of firmware that you don't know
//!
//! ```no_run
//! use binlog::Log;
//!
//! let log = Log::open("flight.bin")?;
//! for rows in log.types() {
//!     for definition in rows.definitions() {
//!         println!("{} {} {}", definition.name(), definition.format(), definition.labels());
//!     }
//!     let instances: Vec<String> = rows.instances().iter().map(|instance| instance.to_string()).collect();
//!     println!("  {} records, instances {}", rows.len(), instances.join(", "));
//!     if let Some(record) = rows.records().next() {
//!         for (column, value) in record.values() {
//!             println!("  {} = {value}", column.label);
//!         }
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A log brings its own definitions, units and multipliers, and real ones break rules: a definition is read up to
//! the first inconsistency ([`LoggedDefinition::columns`](crate::LoggedDefinition::columns)). A log may redefine a type
//! in its middle: all records of the type are one [`Rows`] in the order of the log, and [`Rows::by_definition`]
//! separates them.
//!
//! [`Log::schema`] is all that it says of its messages: to print, to compare with another log's, to turn into Rust
//! structs.
//!
//! # Memory
//!
//! A log that is read or mapped takes its own length and 4 to 8 bytes a record for the index. One that is too long for
//! that streams by in constant memory with [`RecordStream`](crate::RecordStream): `examples/counts.rs`.

mod boots;
mod bytes;
mod clock;
mod column;
mod conversion;
mod flight;
mod index;
mod map;
mod offsets;
mod rows;
mod select;
mod tables;
mod typed;
mod values;

pub use boots::Boot;
pub use bytes::OpenError;
pub use clock::Clock;
pub use column::Column;
pub use flight::{
    ArmedInterval, Batch, BatchSensor, EmbeddedFile, MissingPieces, ModeInterval, Parameter, ParameterValue,
    TextMessage, Vehicle,
};
pub use rows::{RowRecords, Rows};
pub use select::SelectError;
pub use tables::{Numbers, Table};
pub use typed::{Messages, Typed, TypedError, TypedRefs};
pub use values::Values;

use crate::catalogue::units::Units;
use crate::framing::Skipped;
use crate::logged_schema::LoggedSchema;
use crate::records::Records;
use crate::value::Scaling;
use boots::Span;
use bytes::Bytes;
use index::Index;
use select::{TypeName, column_name};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// A log in memory, or mapped into it.
///
/// Opening only loads or maps the bytes. The first type that you ask for is found in one pass over the log, which skips
/// everything else. The second type makes it index all records in one more pass; the index is kept.
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
        bytes::read(path.as_ref()).map(|bytes| Log::of(Bytes::Owned(bytes)))
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

    fn of(bytes: Bytes<'a>) -> Self {
        Log {
            bytes,
            index: OnceLock::new(),
            spans: OnceLock::new(),
            clock: OnceLock::new(),
            scanned: AtomicBool::new(false),
        }
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
        let TypeName { name, instance } = TypeName::parse(name);
        let rows = match self.index.get() {
            // From the second type on, an index is faster.
            None if !self.scanned.swap(true, Ordering::Relaxed) => self.scan(name),
            _ => self.all(name),
        };
        if rows.is_empty() {
            self.require_definitions()?;
        }
        if !rows.is_defined() {
            return Err(self.no_type(name));
        }
        match instance {
            Some(instance) => rows.instance(instance),
            None => Ok(rows),
        }
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

    /// The log's definitions, units and multipliers: to convert to Rust source or JSON, to print, or to compare.
    pub fn schema(&self) -> LoggedSchema {
        LoggedSchema::from_bytes(&self.bytes)
    }

    /// The relation of times since boot to the calendar; `None` if the log has no GPS record with a week.
    pub fn clock(&self) -> Option<Clock> {
        *self.clock.get_or_init(|| Clock::of(self))
    }

    /// The earliest and the latest time of the log's records, both inclusive, in microseconds since boot; `None` if the
    /// log has no times.
    ///
    /// If the clock restarts in the middle of the log, each part of [`boots`](Log::boots) has its own range.
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

    /// The records of a type; none if the log doesn't define it.
    fn all(&self, name: &str) -> Rows<'_> {
        Rows::new(&self.bytes, self.index(), name)
    }

    /// As [`all`](Log::all), without an index.
    fn scan(&self, name: &str) -> Rows<'_> {
        Rows::taken_from(&self.bytes, Index::of(&self.bytes, &[name]), name)
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
