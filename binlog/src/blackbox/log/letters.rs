//! What the bytes of a session are in the place of a frame's letter.

use crate::blackbox::decode::{Derived, FrameDecoder, Values, WINDOW_BYTES};
use crate::blackbox::event::Event;
use crate::blackbox::header::Header;

/// More unknown events between frames are not looked at: bytes that are nothing else must not cost a look at all of
/// them for each.
const MAX_UNKNOWN_EVENTS: usize = 64;

/// An erased byte of a flash chip.
const ERASED: u8 = 0xFF;

/// A run of this many equal bytes is padding, not values of frames.
const LEAST_PADDING: usize = 32;

/// What begins with a letter.
#[derive(Clone, Copy)]
pub(super) enum Begins<'h> {
    /// No frame.
    Nothing,
    Event,
    /// A frame of which the length and the values are known.
    Frame(FrameDecoder<'h>),
    /// A frame that the header names without saying how it is decoded.
    Unusable,
}

/// The frames of a session by letter, and their bytes.
#[derive(Clone)]
pub(super) struct Letters<'h> {
    begins: [Begins<'h>; 256],
    bytes: &'h [u8],
    /// Where the session ends.
    pub(super) end: usize,
}

/// Why there is no frame at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoFrame {
    Broken,
    Truncated,
}

impl<'h> Letters<'h> {
    /// `bytes` are those of the log up to the end of the session or more, which ends at `end`.
    pub(super) fn new(header: &'h Header<'_>, bytes: &'h [u8], end: usize) -> Self {
        let mut begins = [Begins::Nothing; 256];
        for frame in header.frames() {
            begins[usize::from(frame.letter())] = match frame.plan() {
                Ok(plan) => Begins::Frame(FrameDecoder::by_plan(plan)),
                Err(_) => Begins::Unusable,
            };
        }
        begins[usize::from(b'E')] = Begins::Event;
        Letters { begins, bytes, end: end.min(bytes.len()) }
    }

    /// Decodes the frames with a letter by derived code, which does the same as the header's plan.
    pub(super) fn derive(&mut self, letter: u8, derived: Derived) {
        let begins = &mut self.begins[usize::from(letter)];
        if let Begins::Frame(decoder) = begins {
            *begins = Begins::Frame(decoder.with(derived));
        }
    }

    pub(super) fn of(&self, letter: u8) -> Begins<'h> {
        self.begins[usize::from(letter)]
    }

    /// The byte at a place in the session.
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied().filter(|_| at < self.end)
    }

    /// Whether a frame may end at a place: the letter of another one or padding follows, or the session ends.
    #[inline(always)]
    pub(super) fn may_end(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            Some(&byte) if at < self.end => !matches!(self.of(byte), Begins::Nothing) || self.is_padding(at),
            _ => at == self.end,
        }
    }

    /// Whether padding follows a frame that ends at a place: zeros, or bytes of an erased chip. A frame may end with
    /// zeros of its own. One that ends in erased bytes wasn't written whole.
    #[cold]
    fn is_padding(&self, at: usize) -> bool {
        let padding = &self.bytes[at..self.end.min(at + LEAST_PADDING)];
        let is_whole = || self.bytes[at - 1] != ERASED;
        padding.iter().all(|&byte| byte == 0) || padding.iter().all(|&byte| byte == ERASED) && is_whole()
    }

    /// Whether nothing but padding is from a place to the end of the session.
    #[cold]
    pub(super) fn is_padding_to_the_end(&self, at: usize) -> bool {
        self.bytes.get(at..self.end).is_some_and(|rest| rest.iter().all(|&byte| byte == 0 || byte == ERASED))
    }

    /// Where padding begins that ends the session, if there is enough of it to be told from values.
    #[cold]
    pub(super) fn start_of_padding(&self) -> Option<usize> {
        let bytes = self.bytes.get(..self.end)?;
        let last = bytes.last().filter(|&&last| last == 0 || last == ERASED)?;
        let start = bytes.iter().rposition(|byte| byte != last).map_or(0, |at| at + 1);
        (self.end - start >= LEAST_PADDING).then_some(start)
    }

    /// As [`read`](Self::read), where few frames are read.
    #[inline(never)]
    pub(super) fn read_one(
        &self,
        decoder: &FrameDecoder<'_>,
        at: usize,
        residuals: &mut Values,
    ) -> Result<usize, NoFrame> {
        self.read(decoder, at, residuals)
    }

    /// Reads the residuals of the frame whose letter is at `at`. Returns its end.
    #[inline(always)]
    pub(super) fn read(&self, decoder: &FrameDecoder<'_>, at: usize, residuals: &mut Values) -> Result<usize, NoFrame> {
        let start = at + 1;
        let window = self.bytes.get(start..).and_then(|bytes| bytes.first_chunk::<WINDOW_BYTES>());
        let length = match window {
            Some(window) => decoder.read(window, residuals),
            None => self.read_at_the_end(decoder, start, residuals),
        };
        let Some(length) = length else { return Err(NoFrame::Broken) };
        let end = start + length;
        if self.may_end(end) {
            return Ok(end);
        }
        Err(if end > self.end { NoFrame::Truncated } else { NoFrame::Broken })
    }

    /// The last bytes of the log are followed by zeros.
    #[cold]
    fn read_at_the_end(&self, decoder: &FrameDecoder<'_>, start: usize, residuals: &mut Values) -> Option<usize> {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let mut window = [0; WINDOW_BYTES];
        window[..rest.len()].copy_from_slice(rest);
        decoder.read(&window, residuals)
    }

    /// The event whose letter is at `at`, and its end.
    pub(super) fn event(&self, at: usize) -> Result<(Event, usize), NoFrame> {
        let payload = self.bytes.get(at + 1..self.end).unwrap_or_default();
        match Event::decode(payload) {
            Some((event @ (Event::End { .. } | Event::Unknown { .. }), length)) => Ok((event, at + 1 + length)),
            Some((event, length)) if self.may_end(at + 1 + length) => Ok((event, at + 1 + length)),
            None if payload.len() < Event::MAX_BYTES => Err(NoFrame::Truncated),
            _ => Err(NoFrame::Broken),
        }
    }

    /// Whether `count` frames stand one after the other from `at` on, or fewer up to the end of the session.
    ///
    /// Unknown events don't count, neither for nor against: if no letter follows one at once, the end of its payload is
    /// unknown, and the frames before it decide.
    pub(super) fn stand(&self, at: usize, count: usize, scratch: &mut Values) -> bool {
        let (mut at, mut stood, mut unknown) = (at, 0, 0);
        while stood < count {
            let Some(letter) = self.byte(at) else { return at == self.end };
            let end = match self.of(letter) {
                Begins::Frame(decoder) => self.read_one(&decoder, at, scratch),
                Begins::Event => match self.event(at) {
                    Ok((Event::End { .. }, _)) => return true,
                    Ok((Event::Unknown { .. }, end)) => {
                        if unknown == MAX_UNKNOWN_EVENTS || !self.may_end(end) {
                            return stood > 0;
                        }
                        (at, unknown) = (end, unknown + 1);
                        continue;
                    }
                    other => other.map(|(_, end)| end),
                },
                Begins::Nothing | Begins::Unusable => return false,
            };
            match end {
                Ok(end) => (at, stood) = (end, stood + 1),
                Err(_) => return false,
            }
        }
        true
    }
}
