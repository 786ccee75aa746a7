//! What is known about the records that outlived a reset, for the drain and for the reader of the log.

use binlog::__private::Plural;
use binlog::ring_format::{FormatOf, Notes, Schema};
use core::fmt::{self, Display, Write};
use core::sync::atomic::{AtomicBool, Ordering};

/// Why the processor was reset, as the board's reset-cause register says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Reset {
    /// Power-on or brown-out: RAM holds nothing that can be relied on.
    PowerOn,
    /// A watchdog.
    Watchdog,
    /// The program itself, for example after a panic.
    Software,
    /// A lock-up: a fault inside of a fault handler.
    Lockup,
    /// The reset pin.
    Pin,
    /// The board can't tell, or something else. RAM that was switched off is recognised, except with a chance of 1 in
    /// 2⁶⁴.
    Unknown,
}

impl Display for Reset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reset::PowerOn => "power-on",
            Reset::Watchdog => "a watchdog reset",
            Reset::Software => "a software reset",
            Reset::Lockup => "a lock-up",
            Reset::Pin => "a reset by the pin",
            Reset::Unknown => "a reset",
        })
    }
}

/// The records that outlived a reset, until they are written.
pub(crate) struct Recovery {
    /// The position in the ring where they end.
    pub(crate) end: u32,
    pub(crate) text: Text,
    /// Whether they are written.
    pub(crate) done: AtomicBool,
    /// Encodes a part of the text as a note; `None` after the last part. A function pointer, so that only a
    /// program that recovers records has its code.
    pub(crate) encode: fn(&Recovery, usize, &mut [u8]) -> Option<usize>,
}

impl Recovery {
    /// Whether some of them are still to be written by a drain at `tail`.
    pub(crate) fn is_left(&self, tail: u32) -> bool {
        // A ring has at most 1 GiB, so a tail beyond the end shows as a larger distance.
        let is_left = !self.done.load(Ordering::Relaxed) && (1..=1 << 30).contains(&self.end.wrapping_sub(tail));
        if !is_left {
            self.done.store(true, Ordering::Relaxed);
        }
        is_left
    }

    pub(crate) fn encode<S: Schema>(&self, part: usize, out: &mut [u8]) -> Option<usize>
    where
        FormatOf<S>: Notes<S>,
    {
        let mut text = Part { skip: part * PART, bytes: [0; PART], length: 0 };
        // Never fails: what is beyond the part is left out.
        let _ = write!(text, "{}", self.text);
        let text = core::str::from_utf8(text.bytes.get(..text.length)?).ok()?;
        if text.is_empty() { None } else { FormatOf::<S>::encode_note(part as u8, text, out) }
    }
}

/// The text in the log.
pub(crate) struct Text {
    pub(crate) reset: Reset,
    pub(crate) records: u32,
    pub(crate) bytes: u32,
    pub(crate) overwritten: u32,
}

impl Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text { reset, records, bytes, overwritten } = *self;
        write!(f, "Recovered after {reset}: {}, {}", Plural(records, "record"), Plural(bytes, "byte"))?;
        match overwritten {
            0 => Ok(()),
            // A record has several bytes.
            _ => write!(f, "; {overwritten} bytes before them were not flushed and are overwritten"),
        }
    }
}

/// Bytes of a note.
const PART: usize = 64;

/// Keeps 64 bytes of a text that has ASCII characters only.
struct Part {
    /// Bytes before the part that are still to come.
    skip: usize,
    bytes: [u8; PART],
    length: usize,
}

impl Write for Part {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            match self.skip.checked_sub(1) {
                Some(skip) => self.skip = skip,
                None => {
                    if let Some(place) = self.bytes.get_mut(self.length) {
                        *place = byte;
                        self.length += 1;
                    }
                }
            }
        }
        Ok(())
    }
}
