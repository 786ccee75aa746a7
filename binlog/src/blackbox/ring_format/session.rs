//! What the drain of a Blackbox logger encodes with.

use super::{EventRecord, HeaderLine, kind_of};
use crate::blackbox::{BlackboxSchema, Counts, Encoder, FrameKind, preamble};
use crate::format::ring_format;
use core::ops::Range;
use zerocopy::IntoBytes;

/// Encodes the sessions of a logger, one after the other.
pub struct SessionEncoder<S: BlackboxSchema> {
    frames: Encoder<S>,
    /// Room for the next event.
    event: EventRecord,
    /// A header line or a note.
    line: [u8; HeaderLine::LONGEST],
    last: Last,
    /// Whether the session has a frame or an event.
    has_begun: bool,
    has_ended: bool,
}

/// What was encoded last.
#[derive(Clone, Copy)]
enum Last {
    Line,
    /// A frame or an event.
    Frame,
}

impl<S: BlackboxSchema> SessionEncoder<S> {
    /// What became of the frames since boot.
    pub fn counts(&self) -> &Counts {
        self.frames.counts()
    }
}

impl<S: BlackboxSchema> ring_format::Encoder<HeaderLine> for SessionEncoder<S> {
    fn new() -> Self {
        SessionEncoder {
            frames: Encoder::new(),
            event: EventRecord::NONE,
            line: [0; HeaderLine::LONGEST],
            last: Last::Line,
            has_begun: false,
            has_ended: false,
        }
    }

    fn encoded(&self) -> &[u8] {
        match self.last {
            Last::Line => &self.line,
            Last::Frame => self.frames.bytes(),
        }
    }

    fn buffer(&mut self) -> &mut [u8] {
        self.last = Last::Line;
        &mut self.line
    }

    fn encode_prologue(&mut self, line: &HeaderLine) -> Option<usize> {
        self.frames.refer_checked(line.name(), line.value()).ok()?;
        let bytes = line.bytes();
        ring_format::Encoder::buffer(self).get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(bytes.len())
    }

    fn replaces(_: &[u8], line: &HeaderLine) -> Option<Range<usize>> {
        preamble::line_of(S::HEADER, line.name())
    }

    fn synthetic_tag(&self) -> Option<u8> {
        None
    }

    fn begin_session(&mut self) {
        self.frames.begin();
        (self.has_begun, self.has_ended) = (false, false);
    }

    fn forget(&mut self) {
        self.frames.forget();
        ring_format::Encoder::begin_session(self);
    }

    fn room(&mut self, tag: u8) -> &mut [u8] {
        match kind_of(tag) {
            FrameKind::Event => self.event.as_mut_bytes(),
            kind => self.frames.room(kind),
        }
    }

    fn encode(&mut self, tag: u8) -> Option<usize> {
        self.last = Last::Frame;
        let length = match kind_of(tag) {
            FrameKind::Event => self.frames.encoded_event(self.event.bytes()).len(),
            kind => self.frames.encode_room(kind).ok()?.len(),
        };
        self.has_begun |= length > 0;
        Some(length)
    }

    fn end(&mut self) -> usize {
        self.frames.lose_waiting();
        if !self.has_begun || self.has_ended {
            return 0;
        }
        self.has_ended = true;
        self.last = Last::Frame;
        self.frames.end().len()
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn waiting(&self, tag: u8) -> u32 {
        self.frames.waiting(kind_of(tag))
    }

    fn take_unwritten(&mut self) -> Option<(u8, u32)> {
        self.frames.take_unwritten().map(|(kind, frames)| (kind.letter(), frames))
    }
}
