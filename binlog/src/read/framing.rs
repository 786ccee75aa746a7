// Held by tests/tests/read/damage.rs, tests/tests/read/damage_scored.rs.

//! Framing: the rule that cuts a log into records, damaged or not.
//!
//! In step, bytes are a record if a header or the end of the log follows them. If neither follows, a proven header
//! inside the record takes precedence; without one, the record is accepted and marked suspect. After damage, reading
//! resumes at a proven header, or at an FMT that agrees with itself: without it, its whole type would be lost. Looking
//! at the bytes after a record is the first check of the next record, so it costs next to nothing.

#[cfg(feature = "read")]
use crate::format::Definition;
use crate::format::header::{FMT_ID, HEAD_BYTES};
use crate::read::catalogue::definition::agrees_with_itself;
use crate::wording::plural::Plural;
use core::fmt;

/// The most bytes, from the start of a record, that decide about it: the record, and a header inside it that two more
/// headers prove.
pub(crate) const LOOK_AHEAD: usize = 3 * 255 + 2;

/// The longest record and the header after it.
const RECORD_AND_HEADER: usize = 255 + HEAD_BYTES.len();

/// A stretch of a log that contains no record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// Where it begins, in bytes from the start of the log.
    pub offset: usize,
    /// Its length in bytes, at least 1.
    pub length: usize,
    /// Why it was skipped.
    pub reason: Reason,
}

impl Skipped {
    /// Whether it is padding: it is the end of `log`, and all its bytes are 00 or all are FF. Files that were
    /// preallocated end so, and logs from flash chips, which are read in blocks.
    pub fn is_padding(&self, log: &[u8]) -> bool {
        let Some(bytes) = log.get(self.offset..).filter(|bytes| bytes.len() == self.length) else { return false };
        let Some((first, others)) = bytes.split_first() else { return false };
        // Each byte is the same as the next one.
        matches!(first, 0 | 0xFF) && bytes.get(..others.len()) == Some(others)
    }

    /// Whether it is padding after a whole record: the byte before it differs, so padding didn't replace the record's
    /// end.
    pub fn is_padding_after_record(&self, log: &[u8]) -> bool {
        let last = self.offset.checked_sub(1).and_then(|at| log.get(at));
        self.is_padding(log) && last.is_some_and(|last| Some(last) != log.get(self.offset))
    }
}

/// Why bytes were skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// There is no header `A3 95`.
    NoHeader,
    /// There is a header, but no FMT for its id precedes it.
    UnknownId(u8),
    /// A record with this id begins here, and another, proven record begins inside it.
    Broken(u8),
    /// The log ends inside a record with this id, or inside a header.
    Truncated(Option<u8>),
}

/// The known lengths of the records.
#[derive(Clone)]
pub(crate) struct Framing {
    /// By id, header included; 0 if unknown.
    lengths: [u8; 256],
}

/// The next step through the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// A record.
    Record {
        /// The third byte of the record.
        id: u8,
        /// The end of the record, in bytes from the start of the log.
        end: usize,
        /// Whether bytes other than a header follow it.
        suspect: bool,
    },
    /// Bytes that are not a record.
    Skip {
        /// The offset where reading resumes.
        end: usize,
        /// Why the bytes are skipped.
        reason: Reason,
        /// Whether the stretch ends there. Otherwise the given bytes end inside the stretch.
        is_whole: bool,
    },
    /// The given bytes don't decide. Only returned for a log that has not ended.
    More,
}

impl Framing {
    pub(crate) fn new() -> Self {
        Framing { lengths: [0; 256] }
    }

    /// Records with this id are `length` bytes long, header included.
    pub(crate) fn learn(&mut self, id: u8, length: u8) {
        self.lengths[usize::from(id)] = length;
    }

    #[cfg(feature = "read")]
    pub(crate) fn lengths(&self) -> &[u8; 256] {
        &self.lengths
    }

    fn length(&self, id: u8) -> Option<usize> {
        match self.lengths[usize::from(id)] {
            0 => None,
            length => Some(length.into()),
        }
    }

    /// The step at the offset `at`, which is before the end of `log`. With `ENDED`, the log ends with these bytes;
    /// without it, more bytes may follow.
    #[inline(always)]
    pub(crate) fn step<const ENDED: bool>(&self, log: &[u8], at: usize) -> Step {
        match self.in_step(log, at) {
            Some((id, end)) => Step::Record { id, end, suspect: false },
            None => self.unusual(Bytes { log, ended: ENDED }, at),
        }
    }

    /// The id and the end of a record that a header follows, whether the log ends with these bytes or not. `None` for
    /// everything else, which [`step`](Self::step) handles.
    #[inline(always)]
    pub(crate) fn in_step(&self, log: &[u8], at: usize) -> Option<(u8, usize)> {
        // One bounds check covers all accesses.
        let window = log.get(at..at + RECORD_AND_HEADER)?.first_chunk::<RECORD_AND_HEADER>()?;
        let id = window[2];
        let length = usize::from(self.lengths[usize::from(id)]);
        // An unknown id has length 0.
        let is_record = window[..2] == HEAD_BYTES && length != 0 && [window[length], window[length + 1]] == HEAD_BYTES;
        is_record.then_some((id, at + length))
    }

    /// As [`step`](Self::step), without the fast path.
    #[cold]
    #[inline(never)]
    fn unusual(&self, bytes: Bytes<'_>, at: usize) -> Step {
        let id = match bytes.header(at) {
            Seen::Yes(id) => id,
            Seen::Unknown if !bytes.ended => return Step::More,
            Seen::Unknown => return self.skip(bytes, at + 1, Reason::Truncated(None)),
            Seen::No => return self.skip(bytes, at + 1, Reason::NoHeader),
        };
        let Some(length) = self.length(id) else {
            return self.skip(bytes, at + 1, Reason::UnknownId(id));
        };
        let end = at + length;
        let suspect = match bytes.may_end_at(end) {
            Seen::Unknown => return Step::More,
            Seen::Yes(()) => false,
            Seen::No => true,
        };
        if suspect {
            match self.find_proven(bytes, at + 1, end) {
                Search::Found(inside) => {
                    return Step::Skip { end: inside, reason: Reason::Broken(id), is_whole: true };
                }
                Search::Undecided(_) => return Step::More,
                Search::Nothing => {}
            }
        }
        if end > bytes.log.len() {
            return Step::Skip { end: bytes.log.len(), reason: Reason::Truncated(Some(id)), is_whole: true };
        }
        Step::Record { id, end, suspect }
    }

    /// Continues a stretch that [`Step::Skip`] left open, up to the next record.
    pub(crate) fn resume<const ENDED: bool>(&self, log: &[u8], at: usize, reason: Reason) -> Step {
        self.skip(Bytes { log, ended: ENDED }, at, reason)
    }

    /// Skips to a proven record at `from` or after it.
    fn skip(&self, bytes: Bytes<'_>, from: usize, reason: Reason) -> Step {
        match self.find_proven(bytes, from, bytes.log.len()) {
            Search::Found(end) => Step::Skip { end, reason, is_whole: true },
            Search::Undecided(end) => Step::Skip { end, reason, is_whole: false },
            Search::Nothing => Step::Skip { end: bytes.log.len(), reason, is_whole: bytes.ended },
        }
    }

    /// The first offset in `from..to` with a proven record.
    fn find_proven(&self, bytes: Bytes<'_>, from: usize, to: usize) -> Search {
        let to = to.min(bytes.log.len());
        let mut from = from;
        while let Some(found) = bytes.log.get(from..to).and_then(|range| memchr::memchr(HEAD_BYTES[0], range)) {
            match self.is_proven(bytes, from + found) {
                Seen::Yes(()) => return Search::Found(from + found),
                Seen::Unknown => return Search::Undecided(from + found),
                Seen::No => from += found + 1,
            }
        }
        Search::Nothing
    }

    /// Whether a record is proven to begin at `at`: a known id and two further headers. An unknown id or the end of the
    /// log ends the proof early, and the contents of an FMT prove it.
    fn is_proven(&self, bytes: Bytes<'_>, at: usize) -> Seen<()> {
        let first = match bytes.header(at) {
            Seen::Yes(id) => id,
            Seen::Unknown if !bytes.ended => return Seen::Unknown,
            _ => return Seen::No,
        };
        let Some(length) = self.length(first) else { return Seen::No };
        if first == FMT_ID {
            match bytes.log.get(at + 3..).and_then(|payload| payload.first_chunk()) {
                Some(fmt) if agrees_with_itself(fmt) => return Seen::Yes(()),
                None if !bytes.ended => return Seen::Unknown,
                _ => {}
            }
        }
        let second = at + length;
        match bytes.may_end_at(second) {
            Seen::Yes(()) => {}
            other => return other,
        }
        match bytes.header(second) {
            Seen::Yes(id) => match self.length(id) {
                None => Seen::Yes(()),
                Some(length) if bytes.ended && second + length >= bytes.log.len() => Seen::Yes(()),
                Some(length) => bytes.may_end_at(second + length),
            },
            Seen::Unknown if !bytes.ended => Seen::Unknown,
            _ => Seen::Yes(()),
        }
    }
}

/// The payload of a record that begins at `offset`, as the caller knows, and has `length` bytes, header included.
#[cfg(feature = "read")]
#[inline(always)]
pub(crate) fn payload(log: &[u8], offset: usize, length: usize) -> Option<&[u8]> {
    log.get(offset + Definition::HEADER_LENGTH..offset + length)
}

/// Whether a record may end before these bytes, the rest of a log: they begin with a header, or with a part of one that
/// the end of the log cuts off.
#[cfg(feature = "read")]
pub(crate) fn may_follow(rest: &[u8]) -> bool {
    rest.starts_with(&HEAD_BYTES) || HEAD_BYTES.starts_with(rest)
}

/// An answer that may need bytes that have not arrived yet.
#[derive(Clone, Copy)]
enum Seen<T> {
    Yes(T),
    No,
    Unknown,
}

enum Search {
    Found(usize),
    /// The first offset that may turn out to have a proven record.
    Undecided(usize),
    Nothing,
}

#[derive(Clone, Copy)]
struct Bytes<'a> {
    log: &'a [u8],
    ended: bool,
}

impl Bytes<'_> {
    /// The id, if a header begins at `at`; undecided if the bytes end before that is clear.
    fn header(self, at: usize) -> Seen<u8> {
        match self.log.get(at..).unwrap_or_default() {
            [first, second, id, ..] if [*first, *second] == HEAD_BYTES => Seen::Yes(*id),
            [_, _, _, ..] => Seen::No,
            start if HEAD_BYTES.starts_with(start) => Seen::Unknown,
            _ => Seen::No,
        }
    }

    /// Whether a record may end at `end`: a header or the end of the log follows. A header that the end cuts off
    /// counts.
    fn may_end_at(self, end: usize) -> Seen<()> {
        match self.log.get(end..) {
            Some([first, second, ..]) if [*first, *second] == HEAD_BYTES => Seen::Yes(()),
            Some([_, _, ..]) => Seen::No,
            Some([first]) if *first != HEAD_BYTES[0] => Seen::No,
            _ if !self.ended => Seen::Unknown,
            Some(_) => Seen::Yes(()),
            None => Seen::No,
        }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "skipped {} at offset {}: {}", Plural(self.length, "byte"), self.offset, self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoHeader => f.write_str("there is no record header (A3 95)"),
            Reason::UnknownId(id) => write!(f, "no FMT for id {id} precedes it"),
            Reason::Broken(id) => write!(f, "the record with id {id} is interrupted by another record"),
            Reason::Truncated(Some(id)) => write!(f, "the log ends inside a record with id {id}"),
            Reason::Truncated(None) => f.write_str("the log ends inside a record's header"),
        }
    }
}

impl core::error::Error for Skipped {}
