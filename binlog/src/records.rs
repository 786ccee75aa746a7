//! Reading: bytes in, records out.

mod decoder;
pub(crate) mod definitions;
pub(crate) mod framing;
pub(crate) mod logged;
mod stream;
pub(crate) mod time;
pub(crate) mod value;

pub use decoder::Decoder;
pub use logged::{LoggedColumn, LoggedColumns, LoggedDefinition};
pub use stream::RecordStream;
pub use value::{LoggedText, Scaling, Value};

#[cfg(feature = "std")]
use crate::HEAD_BYTES;
use crate::{DecodeError, Definition, LogMessage};
use core::fmt;
use definitions::{Borrowed, Lessons};
use framing::Step;
use time::TimeSource;

/// The records of a log in memory, one after the other. [`RecordStream`] takes the bytes as they arrive.
///
/// The bytes are not trusted: a damaged stretch is reported as [`Skipped`] and reading goes on behind it; nothing
/// panics. Definitions are learned on the way and apply from where they stand.
///
/// A record stands when the next header, or the end, follows it. If neither does, a header inside it that is followed
/// by two more is believed instead; without one the record stands and is marked [suspect](Record::is_suspect). To get
/// back in step, the same proof is asked for: a known id and two further headers, where an unknown id or the end of the
/// bytes ends the proof.
///
/// ```
/// # use binlog::{LogSchema, encode, messages::Ev};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Ev(Ev) }
/// # let mut log = FlightLog::PREAMBLE.to_vec();
/// # let mut record = [0; 12];
/// # encode::<FlightLog, _>(&Ev { time_us: 7, id: 10 }, &mut record);
/// # log.extend(record);
/// use binlog::Records;
///
/// for record in Records::new(&log) {
///     match record {
///         Ok(record) if record.name() == "EV" => println!("event {}", record.decode::<Ev>()?.id),
///         Ok(_) => {}
///         Err(skipped) => eprintln!("{skipped}"),
///     }
/// }
/// # Ok::<(), binlog::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct Records<'a> {
    bytes: &'a [u8],
    /// Where the next record is looked for.
    at: usize,
    lessons: Lessons,
    definitions: Borrowed<'a>,
}

/// A record of a log.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    offset: usize,
    id: u8,
    payload: &'a [u8],
    suspect: bool,
    definition: LoggedDefinition<'a>,
    fingerprint: u64,
}

/// A stretch of a log that holds no record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// Where it begins, in bytes from the start of the log.
    pub offset: usize,
    /// Its length in bytes, at least 1.
    pub length: usize,
    /// What is wrong with it.
    pub reason: Reason,
}

/// Why bytes were skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// There is no header `A3 95`.
    NoHeader,
    /// There is a header, but no FMT for its id came before.
    UnknownId(u8),
    /// A record with this id begins here and another one, proven by what follows it, inside it.
    Broken(u8),
    /// The log ends inside a record with this id, or inside a header.
    Truncated(Option<u8>),
}

impl<'a> Records<'a> {
    /// The records of a whole log.
    pub fn new(bytes: &'a [u8]) -> Self {
        Records { bytes, at: 0, lessons: Lessons::new(), definitions: Borrowed::new() }
    }

    /// The definition of an id, as far as the log has been read.
    pub fn definition(&self, id: u8) -> Option<LoggedDefinition<'a>> {
        self.definitions.get(id).map(|(definition, _)| definition)
    }

    /// Where the next record is looked for, in bytes from the start of the log.
    pub fn offset(&self) -> usize {
        self.at
    }

    #[inline]
    fn next_record(&mut self) -> Result<Record<'a>, Skipped> {
        let offset = self.at;
        let (end, reason) = match self.lessons.framing.step::<true>(self.bytes, offset) {
            Step::Record { id, end, suspect } => {
                let payload = self.bytes.get(offset + Definition::HEADER_LENGTH..end);
                match (payload, self.definitions.get(id)) {
                    (Some(payload), Some((mut definition, mut fingerprint))) => {
                        self.at = end;
                        if let Some(lesson) = self.lessons.learn(id, payload) {
                            self.definitions.learn(&lesson);
                            if let (true, Some(own)) = (lesson.is_of_fmt(), self.definitions.get(id)) {
                                (definition, fingerprint) = own;
                            }
                        }
                        return Ok(Record { offset, id, payload, suspect, definition, fingerprint });
                    }
                    // A length that is known comes from a definition, and a record stands inside the log.
                    _ => (self.bytes.len(), Reason::UnknownId(id)),
                }
            }
            Step::Skip { end, reason, .. } => (end, reason),
            Step::More => (self.bytes.len(), Reason::Truncated(None)),
        };
        self.at = end;
        Err(Skipped { offset, length: end - offset, reason })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Skipped>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.at < self.bytes.len()).then(|| self.next_record())
    }
}

impl core::iter::FusedIterator for Records<'_> {}

impl<'a> Record<'a> {
    /// The record at an offset where one of this definition is known to stand.
    #[cfg(feature = "std")]
    pub(crate) fn indexed(
        log: &'a [u8],
        offset: usize,
        definition: LoggedDefinition<'a>,
        fingerprint: u64,
    ) -> Option<Self> {
        let (head, payload) = log.get(offset..)?.split_first_chunk::<{ Definition::HEADER_LENGTH }>()?;
        let (payload, after) = payload.split_at_checked(usize::from(definition.length()) - head.len())?;
        let suspect = !after.starts_with(&HEAD_BYTES) && !HEAD_BYTES.starts_with(after);
        Some(Record { offset, id: head[2], payload, suspect, definition, fingerprint })
    }

    /// Where the record begins, in bytes from the start of the log.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The id, the third byte of the header.
    pub fn id(&self) -> u8 {
        self.id
    }

    /// The bytes behind the header.
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// Whether something else than a header follows the record, so that its end may be damaged.
    pub fn is_suspect(&self) -> bool {
        self.suspect
    }

    /// Bytes of the record, header included: 3 to 255.
    #[expect(clippy::len_without_is_empty, reason = "no record is empty")]
    pub fn len(&self) -> usize {
        Definition::HEADER_LENGTH + self.payload.len()
    }

    /// The definition that was in force where the record stands. A record of a [`Log`](crate::Log) has its units as
    /// well where they were said after it, and the id in it may be another one that is defined alike.
    pub fn definition(&self) -> LoggedDefinition<'a> {
        self.definition
    }

    /// The message's name; `""` if it isn't UTF-8.
    pub fn name(&self) -> &'a str {
        self.definition.name()
    }

    /// The time since boot that the record itself says, in microseconds: TimeUS, if that is the first column; TimeMS in
    /// logs of old firmware, or the column T of its GPS, whose TimeMS is the time of the week.
    pub fn time_us(&self) -> Option<u64> {
        TimeSource::of(&self.definition).time_us(self.payload)
    }

    /// The value of the first column with a label.
    pub fn value(&self, label: &str) -> Option<Value<'a>> {
        self.definition.column(label).and_then(|column| Value::of(column.format, &self.payload[column.offset..]))
    }

    /// The columns and their values, in the order of the record.
    pub fn values(&self) -> impl Iterator<Item = (LoggedColumn<'a>, Value<'a>)> + use<'a> {
        let payload = self.payload;
        self.definition
            .columns()
            .filter_map(move |column| Some((column, Value::of(column.format, payload.get(column.offset..)?)?)))
    }

    /// The record as a message of the program's.
    ///
    /// [`Decoder`] does this for a whole schema, and compares each definition once.
    ///
    /// # Errors
    ///
    /// When the log defines the message otherwise (the first difference is named), or when a column holds what is no
    /// value of its type.
    pub fn decode<M: LogMessage>(&self) -> Result<M, DecodeError> {
        self.definition.check(&M::DEFINITION).map_err(DecodeError::Definition)?;
        M::decode(self.payload)
    }
}

impl fmt::Debug for Records<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("offset", &self.at).field("length", &self.bytes.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("offset", &self.offset)
            .field("id", &self.id)
            .field("name", &self.name())
            .field("payload", &self.payload)
            .field("suspect", &self.suspect)
            .finish()
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "skipped {} bytes at offset {}: ", self.length, self.offset)?;
        match self.reason {
            Reason::NoHeader => f.write_str("there is no record header (A3 95)"),
            Reason::UnknownId(id) => write!(f, "no FMT for id {id} came before"),
            Reason::Broken(id) => write!(f, "the record with id {id} is cut short by another one"),
            Reason::Truncated(Some(id)) => write!(f, "the log ends inside a record with id {id}"),
            Reason::Truncated(None) => f.write_str("the log ends inside a record's header"),
        }
    }
}

impl core::error::Error for Skipped {}
