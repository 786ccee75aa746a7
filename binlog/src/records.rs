//! Reading: bytes in, records out.

mod decoder;
mod logged;

pub use decoder::Decoder;
pub use logged::LoggedDefinition;

use crate::{DecodeError, HEAD_BYTES, LogMessage};
use core::fmt;
use logged::Definitions;

/// The records of a log, one after the other.
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
    definitions: Definitions<'a>,
}

/// A record of a log.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    offset: usize,
    id: u8,
    payload: &'a [u8],
    suspect: bool,
    definition: LoggedDefinition<'a>,
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
        Records { bytes, at: 0, definitions: Definitions::new() }
    }

    /// The definition of an id, as far as the log has been read.
    pub fn definition(&self, id: u8) -> Option<LoggedDefinition<'a>> {
        self.definitions.get(id)
    }

    /// The id at `at`, if a header stands there.
    fn header(&self, at: usize) -> Option<u8> {
        match self.bytes.get(at..)? {
            [first, second, id, ..] if [*first, *second] == HEAD_BYTES => Some(*id),
            _ => None,
        }
    }

    /// Whether a record that ends at `end` is followed by what may follow one: any header, or the end. A header that
    /// the end cuts short counts.
    fn may_end_at(&self, end: usize) -> bool {
        match self.bytes.get(end..) {
            None => false,
            Some([]) => true,
            Some([first]) => *first == HEAD_BYTES[0],
            Some([first, second, ..]) => [*first, *second] == HEAD_BYTES,
        }
    }

    /// Whether a record begins at `at` for certain: a known id and two further headers, where an unknown id or the end
    /// of the bytes ends the proof.
    fn is_proven(&self, at: usize) -> bool {
        let Some(length) = self.header(at).and_then(|id| self.definitions.length(id)) else {
            return false;
        };
        let second = at + length;
        if !self.may_end_at(second) {
            return false;
        }
        match self.header(second).and_then(|id| self.definitions.length(id)) {
            None => true,
            Some(length) => second + length >= self.bytes.len() || self.may_end_at(second + length),
        }
    }

    /// The first place in `from..to` where a record begins for certain.
    fn find_proven(&self, from: usize, to: usize) -> Option<usize> {
        let mut from = from;
        let to = to.min(self.bytes.len());
        while let Some(found) = self.bytes.get(from..to)?.iter().position(|&byte| byte == HEAD_BYTES[0]) {
            if self.is_proven(from + found) {
                return Some(from + found);
            }
            from += found + 1;
        }
        None
    }

    /// Leaves a stretch out.
    fn skip_to(&mut self, end: usize, reason: Reason) -> Skipped {
        let skipped = Skipped { offset: self.at, length: end - self.at, reason };
        self.at = end;
        skipped
    }

    fn next_record(&mut self) -> Result<Record<'a>, Skipped> {
        let offset = self.at;
        let everything = self.bytes.len();
        let Some(id) = self.header(offset) else {
            let reason = if self.may_end_at(offset) { Reason::Truncated(None) } else { Reason::NoHeader };
            let end = self.find_proven(offset + 1, everything).unwrap_or(everything);
            return Err(self.skip_to(end, reason));
        };
        let Some(definition) = self.definitions.get(id) else {
            let end = self.find_proven(offset + 1, everything).unwrap_or(everything);
            return Err(self.skip_to(end, Reason::UnknownId(id)));
        };
        let end = offset + usize::from(definition.length());
        let suspect = !self.may_end_at(end);
        if suspect && let Some(inside) = self.find_proven(offset + 1, end) {
            return Err(self.skip_to(inside, Reason::Broken(id)));
        }
        let Some(payload) = self.bytes.get(offset + 3..end) else {
            return Err(self.skip_to(everything, Reason::Truncated(Some(id))));
        };
        self.at = end;
        self.definitions.learn(id, payload);
        Ok(Record { offset, id, payload, suspect, definition })
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

    /// The definition that was in force where the record stands.
    pub fn definition(&self) -> LoggedDefinition<'a> {
        self.definition
    }

    /// The message's name; `""` if it isn't UTF-8.
    pub fn name(&self) -> &'a str {
        self.definition.name()
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
