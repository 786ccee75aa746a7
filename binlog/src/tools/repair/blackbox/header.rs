//! The header of a session, line by line: what a reader can use of it, and what a log of the same firmware adds.

use super::report::Removal;
use crate::blackbox::FrameKind;
use crate::blackbox::header::{FIRST_LINE, HeaderProblemKind};
use crate::blackbox::log::Session;
use memchr::{memchr, memmem};
use std::ops::Range;

/// The lines of a header that a reader can use.
#[derive(Clone)]
pub(super) struct Lines<'l> {
    pub(super) lines: Vec<Line<'l>>,
    /// What else is in the header.
    pub(super) removed: Vec<(Range<usize>, Removal)>,
    /// Whether the session has lost its first line. It is the same in all logs, so it is among the lines.
    pub(super) lacks_first_line: bool,
    /// Whether the lines define main frames.
    pub(super) has_main_frames: bool,
}

/// A line of a header.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Line<'l> {
    pub(super) name: String,
    pub(super) value: String,
    /// Its bytes, with the end of the line.
    pub(super) bytes: &'l [u8],
}

impl<'l> Lines<'l> {
    /// The lines of a session. A line is left out if it isn't used because of what is wrong with it: its value, or the
    /// number of its entries. So the other lines say the same as all.
    pub(super) fn of(session: &Session<'l>) -> Self {
        let header = session.header();
        let (mut unusable, mut letters, mut removed, mut lacks_first_line) =
            (Vec::new(), Vec::new(), Vec::new(), false);
        for problem in header.problems() {
            match &problem.kind {
                HeaderProblemKind::FirstLine => lacks_first_line = true,
                HeaderProblemKind::NotALine { length } => {
                    removed.push((problem.offset..problem.offset + length, Removal::NotALine));
                }
                HeaderProblemKind::Value { name, .. } => unusable.push(name.as_str()),
                // A frame that only this header defines is kept as it is.
                HeaderProblemKind::Frame { letter, .. } if FrameKind::from_letter(*letter).is_some() => {
                    letters.push(format!("Field {} ", char::from(*letter)));
                }
                HeaderProblemKind::Frame { .. } => {}
                HeaderProblemKind::UnnamedFields { .. } | HeaderProblemKind::NoMainFrames => {}
            }
        }
        let mut lines = Vec::with_capacity(header.lines().len());
        if lacks_first_line {
            lines.push(Line::first());
        }
        for line in header.lines() {
            let rest = session.bytes().get(line.offset() - session.offset()..).unwrap_or_default();
            let length = memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
            let bytes = rest.get(..length).unwrap_or_default();
            let name = line.name();
            if unusable.contains(&name)
                || letters.iter().any(|fields| name.starts_with(fields))
                || lacks_first_line && (name == "Product" || is_damaged_first(bytes))
            {
                removed.push((line.offset()..line.offset() + length, Removal::UnusableLine));
                continue;
            }
            lines.push(Line { name: name.to_owned(), value: line.value().to_owned(), bytes });
        }
        let has_main_frames = header.frame(b'I').is_some_and(|frame| frame.unusable().is_none());
        Lines { lines, removed, lacks_first_line, has_main_frames }
    }

    /// Whether a reader uses all bytes of the header, and main frames are defined.
    pub(super) fn is_sound(&self) -> bool {
        self.removed.is_empty() && !self.lacks_first_line && self.has_main_frames
    }

    /// The bytes of the header without those that a reader can't use. `None` if they aren't a sound header: a line that
    /// is left out may be one that others need.
    pub(super) fn mended(&self) -> Option<Vec<u8>> {
        let bytes = self.bytes();
        let is_sound = self.is_sound() || Lines::of(&Session::new(&bytes, 0..bytes.len())).is_sound();
        (self.has_main_frames && is_sound).then_some(bytes)
    }

    /// The bytes of the header.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| line.bytes).copied().collect()
    }

    pub(super) fn line(&self, name: &str) -> Option<&Line<'l>> {
        self.lines.iter().rfind(|line| line.name == name)
    }

    /// The header with the lines of another one that it lacks, each after the line that it follows there. Of the lines
    /// that define frames, the other header's are taken in any case if `with_fields`. Also returns what has changed.
    pub(super) fn with(&self, other: &Lines<'l>, with_fields: bool) -> (Self, Vec<Taken>) {
        let mut merged = self.clone();
        let (mut taken, mut at) = (Vec::new(), 0);
        for line in other.lines.iter().filter(|line| line.name != LOG_START) {
            let Some(own) = merged.lines.iter().rposition(|own| own.name == line.name) else {
                merged.lines.insert(at, line.clone());
                at += 1;
                taken.push(Taken { name: line.name.clone(), replaced: None });
                continue;
            };
            at = own + 1;
            let is_taken = with_fields && (line.name.starts_with(FIELDS) || line.name == "Data version");
            if is_taken && merged.lines[own].value != line.value {
                let replaced = std::mem::replace(&mut merged.lines[own], line.clone()).value;
                taken.push(Taken { name: line.name.clone(), replaced: Some(replaced) });
            }
        }
        (merged, taken)
    }
}

impl Line<'_> {
    /// The first line of every session.
    fn first() -> Self {
        const LINE: &[u8] = b"H Product:Blackbox flight data recorder by Nicholas Sherlock\n";
        const { assert!(LINE.len() == FIRST_LINE.len() + 1) };
        Line { name: "Product".to_owned(), value: String::new(), bytes: LINE }
    }
}

/// Whether a line is the first one, with damage: it has 16 of its bytes.
fn is_damaged_first(line: &[u8]) -> bool {
    FIRST_LINE.windows(16).any(|part| memmem::find(line, part).is_some())
}

/// A line that was taken from another header.
pub(super) struct Taken {
    pub(super) name: String,
    /// The value that it replaces.
    pub(super) replaced: Option<String>,
}

/// How the names of lines begin that define frames.
pub(super) const FIELDS: &str = "Field ";

/// The line with the time of a flight.
const LOG_START: &str = "Log start datetime";
