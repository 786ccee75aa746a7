//! Reading records from the bytes of a log.

mod decoder;
mod stream;
pub(crate) mod time;
pub(crate) mod wraps;

pub use decoder::Decoder;
#[cfg(feature = "read")]
pub(crate) use decoder::place_in;
pub use stream::RecordStream;

use crate::format::Definition;
use crate::format::header::FMT_ID;
use crate::format::{DecodeError, LogMessage, Value};
use crate::read::catalogue::in_force::Borrowed;
#[cfg(feature = "read")]
use crate::read::framing;
use crate::read::framing::Step;
use crate::read::learner::Learner;
use crate::read::{LoggedColumn, LoggedDefinition};
use crate::read::{Reason, Skipped};
use core::fmt;
use time::TimeSource;
use wraps::Wraps;

/// The records of a log in memory, in order. For bytes that arrive in chunks, use [`RecordStream`].
///
/// Any bytes are valid input. A damaged stretch is reported as [`Skipped`], reading resumes after it, and nothing
/// panics. A definition applies to the records after it.
///
/// Bytes are a record if the next header, or the end of the log, follows them. If neither follows, a header inside the
/// record takes precedence if two more headers follow it; without one, the record is accepted and marked
/// [suspect](Record::is_suspect). After damage, reading resumes at a header with a known id that two further headers
/// follow; an unknown id or the end of the bytes ends this proof early.
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
    /// The offset where the next record is expected.
    at: usize,
    learner: Learner,
    definitions: Borrowed<'a>,
    wraps: Wraps,
}

/// A record of a log.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    offset: usize,
    id: u8,
    payload: &'a [u8],
    suspect: bool,
    definition: LoggedDefinition<'a>,
    /// How often a time of 32 bits has wrapped before; of a record with another time, any number.
    wraps: u32,
}

impl<'a> Records<'a> {
    /// Reads the records of a whole log.
    pub fn new(bytes: &'a [u8]) -> Self {
        Records { bytes, at: 0, learner: Learner::new(), definitions: Borrowed::new(), wraps: Wraps::default() }
    }

    /// The definition in force for an id, in the part of the log that has been read.
    pub fn definition(&self, id: u8) -> Option<LoggedDefinition<'a>> {
        self.definitions.get(id)
    }

    /// The offset where the next record is expected, in bytes from the start of the log.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next record or skipped stretch, without the fast path; `None` at the end of the log.
    #[cold]
    #[inline(never)]
    fn next_unusual(&mut self) -> Option<Result<Record<'a>, Skipped>> {
        (self.at < self.bytes.len()).then(|| self.next_record())
    }

    fn next_record(&mut self) -> Result<Record<'a>, Skipped> {
        let offset = self.at;
        let (end, reason) = match self.learner.framing.step::<true>(self.bytes, offset) {
            Step::Record { id, end, suspect } => {
                let payload = self.bytes.get(offset + Definition::HEADER_LENGTH..end);
                match (payload, self.definitions.get(id)) {
                    (Some(payload), Some(mut definition)) => {
                        self.at = end;
                        let mut wraps = 0;
                        if self.learner.notes(id) {
                            (definition, wraps) = self.note(id, payload, definition);
                        }
                        return Ok(Record { offset, id, payload, suspect, definition, wraps });
                    }
                    // Known lengths come from definitions, and the framing returns records inside the log only.
                    _ => (self.bytes.len(), Reason::UnknownId(id)),
                }
            }
            Step::Skip { end, reason, .. } => (end, reason),
            Step::More => (self.bytes.len(), Reason::Truncated(None)),
        };
        self.at = end;
        Err(Skipped { offset, length: end - offset, reason })
    }

    /// Looks at a record: what it declares, and the time of 32 bits in it. Returns the definition that it is read by,
    /// and how often such times have wrapped before.
    fn note(&mut self, id: u8, payload: &'a [u8], definition: LoggedDefinition<'a>) -> (LoggedDefinition<'a>, u32) {
        let Some(declaration) = self.learner.learn(id, payload) else {
            return (definition, self.wraps.count(&definition, payload));
        };
        if self.wraps.declare(&declaration) {
            self.learner.note_all();
        }
        self.definitions.learn(declaration);
        let own = self.definitions.get(id).filter(|_| declaration.is_of_fmt());
        (own.unwrap_or(definition), self.wraps.count(&definition, payload))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Skipped>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some((id, end)) = self.learner.framing.in_step(self.bytes, self.at)
            && !self.learner.notes(id)
            && let Some(payload) = self.bytes.get(self.at + Definition::HEADER_LENGTH..end)
            && let Some(definition) = self.definitions.get(id)
        {
            let offset = core::mem::replace(&mut self.at, end);
            return Some(Ok(Record { offset, id, payload, suspect: false, definition, wraps: 0 }));
        }
        self.next_unusual()
    }
}

impl core::iter::FusedIterator for Records<'_> {}

impl<'a> Record<'a> {
    /// The record at an offset where the index has found one of this definition.
    #[cfg(feature = "read")]
    pub(crate) fn indexed(log: &'a [u8], offset: usize, definition: LoggedDefinition<'a>, wraps: u32) -> Option<Self> {
        let id = *log.get(offset + 2)?;
        let end = offset + usize::from(definition.length());
        let payload = framing::payload(log, offset, definition.length().into())?;
        let suspect = !framing::may_follow(log.get(end..)?);
        Some(Record { offset, id, payload, suspect, definition, wraps })
    }

    /// The offset of the record, in bytes from the start of the log.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The id: the third byte of the header.
    pub fn id(&self) -> u8 {
        self.id
    }

    /// The payload: the bytes after the header.
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// Whether bytes other than a header follow the record, so that its end may be damaged.
    pub fn is_suspect(&self) -> bool {
        self.suspect
    }

    /// Length of the record in bytes, header included: 3 to 255.
    #[expect(clippy::len_without_is_empty, reason = "no record is empty")]
    pub fn len(&self) -> usize {
        Definition::HEADER_LENGTH + self.payload.len()
    }

    /// The definition in force for the record. For a record of a [`Log`](crate::Log) it includes an FMTU that follows
    /// the record, and it may be an equal definition of another id.
    pub fn definition(&self) -> LoggedDefinition<'a> {
        self.definition
    }

    /// The id of the type that the record defines, if it is an FMT: the records of the type after it are read by the
    /// new definition.
    #[inline]
    pub fn defines(&self) -> Option<u8> {
        if self.id == FMT_ID { self.payload.first().copied() } else { None }
    }

    /// The message's name; `""` if it isn't UTF-8.
    pub fn name(&self) -> &'a str {
        self.definition.name()
    }

    /// The record's own time since boot, in microseconds: TimeUS, an integer of any width. In logs of old firmware,
    /// TimeMS, if it is the first column, or the column T of GPS, whose TimeMS is the time of the week; in logs of PX4,
    /// the column StartTime of TIME. `None` if the record has no time.
    ///
    /// A TimeUS of 32 bits begins again at 0 after 71.6 minutes. The time continues: a jump back by more than 2^31 µs
    /// adds 2^32 µs to what follows, up to the end of the boot. So a pause of more than 35.8 minutes may hide a wrap,
    /// and so may records that are all more than 17.9 minutes apart.
    pub fn time_us(&self) -> Option<u64> {
        TimeSource::of(&self.definition).time_us(self.payload, self.wraps)
    }

    /// How often a time of 32 bits has wrapped before; of a record with another time, any number.
    #[cfg(feature = "read")]
    pub(crate) fn wraps(&self) -> u32 {
        self.wraps
    }

    /// The value of the first column with this label.
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

    /// Decodes the record as a message of the program.
    ///
    /// [`Decoder`] does this for a whole schema, and faster.
    ///
    /// # Errors
    ///
    /// If the log defines the message differently (the error's source names the first difference), or if a column holds
    /// a value invalid for its type.
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
