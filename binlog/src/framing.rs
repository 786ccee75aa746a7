//! Where one record ends and the next begins: the rule by which a log is cut into records, damaged or not.
//!
//! In step, a record stands when a header, or the end of the log, follows it. If neither does, a header inside it that
//! is proven is believed instead; without one the record stands and is suspect. To get back in step, a place is asked
//! for where a record begins for certain. The look-ahead is the next record's own check, so that it costs next to
//! nothing.

#[cfg(feature = "std")]
use crate::definition::Definition;
use core::fmt;

/// The two bytes that every record begins with; the id follows. ArduPilot's `HEAD_BYTE1` and `HEAD_BYTE2`.
pub const HEAD_BYTES: [u8; 2] = [0xA3, 0x95];

/// The bytes from a record's start that decide about it, at the most: the record, and inside it a header that is
/// proven by two more.
pub(crate) const LOOK_AHEAD: usize = 3 * 255 + 2;

/// The longest record and the header after it.
const WINDOW: usize = 255 + HEAD_BYTES.len();

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

/// The lengths of the records that are known so far.
#[derive(Clone)]
pub(crate) struct Framing {
    /// By id, header included; 0 for an unknown one.
    lengths: [u8; 256],
}

/// What stands at a place of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// A record; the payload's end, and whether something else than a header follows.
    Record {
        /// The third byte.
        id: u8,
        /// Where it ends.
        end: usize,
        /// Whether something else than a header follows it.
        suspect: bool,
    },
    /// No record.
    Skip {
        /// Where reading goes on.
        end: usize,
        /// Why.
        reason: Reason,
        /// Whether the stretch is over; else the bytes given end inside it.
        is_whole: bool,
    },
    /// The bytes given don't decide; a log that has ended never says so.
    More,
}

impl Framing {
    pub(crate) fn new() -> Self {
        Framing { lengths: [0; 256] }
    }

    /// Takes note that records with an id are so long, header included.
    pub(crate) fn learn(&mut self, id: u8, length: u8) {
        self.lengths[usize::from(id)] = length;
    }

    #[cfg(feature = "std")]
    pub(crate) fn lengths(&self) -> &[u8; 256] {
        &self.lengths
    }

    fn length(&self, id: u8) -> Option<usize> {
        match self.lengths[usize::from(id)] {
            0 => None,
            length => Some(length.into()),
        }
    }

    /// What stands at `at`, before the end of `log`. With `ENDED` the log ends with these bytes; without, more may
    /// come.
    #[inline(always)]
    pub(crate) fn step<const ENDED: bool>(&self, log: &[u8], at: usize) -> Step {
        match self.in_step(log, at) {
            Some((id, end)) => Step::Record { id, end, suspect: false },
            None => self.unusual(Bytes { log, ended: ENDED }, at),
        }
    }

    /// The id and the end of a record that a header follows, whether the log ends with these bytes or not. Returns
    /// `None` for everything unusual.
    #[inline(always)]
    pub(crate) fn in_step(&self, log: &[u8], at: usize) -> Option<(u8, usize)> {
        // One check for all that is looked at.
        let window = log.get(at..at + WINDOW)?.first_chunk::<WINDOW>()?;
        let id = window[2];
        let length = usize::from(self.lengths[usize::from(id)]);
        // An unknown id has length 0.
        let is_record = window[..2] == HEAD_BYTES && length != 0 && [window[length], window[length + 1]] == HEAD_BYTES;
        is_record.then_some((id, at + length))
    }

    /// The same without a shortcut.
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

    /// Goes on with a stretch that [`Step::Skip`] left open: what of it is before the next record.
    pub(crate) fn resume<const ENDED: bool>(&self, log: &[u8], at: usize, reason: Reason) -> Step {
        self.skip(Bytes { log, ended: ENDED }, at, reason)
    }

    /// To where a record begins for certain, at `from` or after it.
    fn skip(&self, bytes: Bytes<'_>, from: usize, reason: Reason) -> Step {
        match self.find_proven(bytes, from, bytes.log.len()) {
            Search::Found(end) => Step::Skip { end, reason, is_whole: true },
            Search::Undecided(end) => Step::Skip { end, reason, is_whole: false },
            Search::Nothing => Step::Skip { end: bytes.log.len(), reason, is_whole: bytes.ended },
        }
    }

    /// The first place in `from..to` where a record begins for certain.
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

    /// Whether a record begins at `at` for certain: a known id and two further headers, where an unknown id or the end
    /// of the log ends the proof.
    fn is_proven(&self, bytes: Bytes<'_>, at: usize) -> Seen<()> {
        let first = match bytes.header(at) {
            Seen::Yes(id) => id,
            Seen::Unknown if !bytes.ended => return Seen::Unknown,
            _ => return Seen::No,
        };
        let Some(length) = self.length(first) else { return Seen::No };
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

/// The payload of a record that is known to stand at `offset` and to be `length` bytes long, header included.
#[cfg(feature = "std")]
#[inline(always)]
pub(crate) fn payload(log: &[u8], offset: usize, length: usize) -> Option<&[u8]> {
    log.get(offset + Definition::HEADER_LENGTH..offset + length)
}

/// Whether a record may end before these bytes, the rest of a log: a header follows, or the start of one that the end
/// cuts short.
#[cfg(feature = "std")]
pub(crate) fn may_follow(rest: &[u8]) -> bool {
    rest.starts_with(&HEAD_BYTES) || HEAD_BYTES.starts_with(rest)
}

/// An answer about bytes of which not all may be there yet.
#[derive(Clone, Copy)]
enum Seen<T> {
    Yes(T),
    No,
    Unknown,
}

enum Search {
    Found(usize),
    /// The first place that may turn out to be one.
    Undecided(usize),
    Nothing,
}

#[derive(Clone, Copy)]
struct Bytes<'a> {
    log: &'a [u8],
    ended: bool,
}

impl Bytes<'_> {
    /// The id, if a header stands at `at`; unknown when the bytes end before that is clear.
    fn header(self, at: usize) -> Seen<u8> {
        match self.log.get(at..).unwrap_or_default() {
            [first, second, id, ..] if [*first, *second] == HEAD_BYTES => Seen::Yes(*id),
            [_, _, _, ..] => Seen::No,
            start if HEAD_BYTES.starts_with(start) => Seen::Unknown,
            _ => Seen::No,
        }
    }

    /// Whether a record may end at `end`: any header follows, or the log's end. A header that the end cuts short
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
