//! One session of a log.

use super::frames::{Frames, Item};
use super::letters::Letters;
use super::tables::Tables;
use crate::blackbox::decode::NO_VALUES;
use crate::blackbox::header;
use crate::blackbox::header::{Header, LoggedField};
use memchr::{memmem, memrchr};
use std::fmt;
use std::ops::Range;

/// Where the sessions of a log begin and end.
pub(super) fn ranges(log: &[u8]) -> Vec<Range<usize>> {
    ranges_by(log, MAIN_FRAMES)
}

/// As [`ranges`], also sessions whose header has lost both its first line and the definition of main frames. Nothing of
/// them can be read without another header.
pub(crate) fn ranges_by_any_definition(log: &[u8]) -> Vec<Range<usize>> {
    ranges_by(log, DEFINITION)
}

fn ranges_by(log: &[u8], definition: &[u8]) -> Vec<Range<usize>> {
    let marked = memmem::find_iter(log, header::FIRST_LINE).filter(|&start| !is_in_a_value(log, start));
    let starts = with_unmarked(log, marked.collect(), definition);
    let ends = starts.iter().skip(1).copied().chain([log.len()]);
    starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
}

/// The offset of the first session of a log; if none can be read, that of what is left of its first line. `None` if
/// the bytes are not a Blackbox log.
///
/// ```
/// use binlog::blackbox::log::find_session;
///
/// assert_eq!(find_session(b"\nH Product:Blackbox flight data recorder by Nicholas Sherlock\n"), Some(1));
/// assert_eq!(find_session(b"H Product:Blackbox flight data recorder by XX"), Some(0));
/// assert_eq!(find_session(b"TimeUS,Roll\n1,2\n"), None);
/// ```
pub fn find_session(log: &[u8]) -> Option<usize> {
    ranges(log).first().map(|session| session.start).or_else(|| memmem::find(log, FIRST_WORDS))
}

/// How the first line begins.
const FIRST_WORDS: &[u8] = b"H Product:Blackbox flight data recorder";

/// The line that defines main frames: a header has one.
const MAIN_FRAMES: &[u8] = b"\nH Field I name:";

/// How the lines begin that define frames.
const DEFINITION: &[u8] = b"\nH Field ";

/// Also sessions whose first line is damaged: another header between the marked ones, or before them. `definition` is
/// how one of its lines begins.
fn with_unmarked(log: &[u8], marked: Vec<usize>, definition: &[u8]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(marked.len());
    let mut marked = marked.into_iter().peekable();
    let mut header_end = 0;
    for line in memmem::find_iter(log, definition).map(|newline| newline + 1) {
        while let Some(start) = marked.next_if(|&start| start < line) {
            starts.push(start);
            header_end = header::end(&log[..marked.peek().copied().unwrap_or(log.len())], start);
        }
        if line >= header_end {
            let start = header::start(log, header_end, line);
            starts.push(start);
            header_end = header::end(&log[..marked.peek().copied().unwrap_or(log.len())], start);
        }
    }
    starts.extend(marked);
    starts
}

/// A marker further from the start of its line is not in a value.
const LONGEST_LINE: usize = 1024;

/// Whether the marker at `start` is the value of a header line, such as a name that a pilot chose. A line with foreign
/// bytes before the marker is not a header line.
fn is_in_a_value(log: &[u8], start: usize) -> bool {
    let before = &log[start.saturating_sub(LONGEST_LINE)..start];
    let line = memrchr(b'\n', before).map_or(before, |newline| &before[newline + 1..]);
    // An H frame has bytes that are not text.
    let is_text = line.iter().all(|&byte| byte >= b' ' || byte == b'\t');
    line.starts_with(b"H ") && is_text && line.contains(&b':')
}

/// If these stand, the header has the fields of the frames.
const FIRST_FRAMES: usize = 6;

/// This many main frames prove how many fields they have, or fewer of a session that has fewer.
const PROVING_FRAMES: usize = 64;
const FEWEST_FRAMES: usize = 8;

/// A session: from arming to disarming, as a rule. It has a header of its own.
#[derive(Clone)]
pub struct Session<'log> {
    log: &'log [u8],
    range: Range<usize>,
    header: Header<'log>,
    frames_offset: usize,
    /// The index of the field `time` by letter, for frames other than main frames.
    time_fields: Vec<(u8, usize)>,
}

impl<'log> Session<'log> {
    /// The session in a part of a log.
    pub(crate) fn new(log: &'log [u8], range: Range<usize>) -> Self {
        let (header, length) = Header::parse(log.get(range.clone()).unwrap_or_default(), range.start);
        let with = |header| Session::with_header(log, range.clone(), header, length);
        match Letters::new(&header, log, range.end).stand(range.start + length, FIRST_FRAMES, &mut NO_VALUES.clone()) {
            true => with(header),
            false => with(header.with_unnamed_fields(|header| with(header.clone()).is_sound()).unwrap_or(header)),
        }
    }

    fn with_header(log: &'log [u8], range: Range<usize>, header: Header<'log>, length: usize) -> Self {
        let time = |letter| header.fields(letter).iter().position(|field| field.name() == "time");
        let letters = header.frames().iter().map(|frame| frame.letter());
        let time_fields = letters.filter_map(|letter| Some((letter, time(letter)?))).collect();
        Session { log, frames_offset: range.start + length, range, header, time_fields }
    }

    /// Whether the header reads the first frames: none is lost, and none is missing between two of them.
    fn is_sound(&self) -> bool {
        let intervals = self.header.intervals();
        let (mut last, mut count) = (None, 0);
        let mut frames = self.frames();
        while count < PROVING_FRAMES
            && let Some(item) = frames.next()
        {
            match item {
                Item::Frame(frame) if matches!(frame.letter(), b'I' | b'P') => {
                    let Some(iteration) = frame.value("loopIteration") else { return false };
                    let before = last.replace(iteration as u32);
                    if before.is_some_and(|before| !intervals.is_after(before, iteration as u32, 0)) {
                        return false;
                    }
                    count += 1;
                }
                Item::Frame(_) | Item::Event { .. } => {}
                Item::Lost(_) => return false,
            }
        }
        count >= FEWEST_FRAMES
    }

    /// Its header.
    pub fn header(&self) -> &Header<'log> {
        &self.header
    }

    /// Where it begins, in bytes from the start of the log.
    pub fn offset(&self) -> usize {
        self.range.start
    }

    /// Where its frames begin, in bytes from the start of the log.
    pub fn frames_offset(&self) -> usize {
        self.frames_offset
    }

    /// Its bytes, up to the next session or the end of the log.
    pub fn bytes(&self) -> &'log [u8] {
        self.log.get(self.range.clone()).unwrap_or_default()
    }

    /// Its frames, events and lost stretches, one after the other.
    pub fn frames(&self) -> Frames<'_> {
        Frames::new(self)
    }

    /// The columns of all its frames, and its events and lost stretches.
    pub fn tables(&self) -> Tables {
        Tables::new(self)
    }

    /// The bytes of the log, which continue after the session.
    pub(super) fn log(&self) -> &'log [u8] {
        self.log
    }

    pub(super) fn end(&self) -> usize {
        self.range.end
    }

    /// The fields of the frames with this letter whose values are decoded.
    ///
    /// The predictors of a letter that nobody else defines may mean a history of its own: only its length is sure.
    pub(super) fn columns(&self, letter: u8) -> &[LoggedField] {
        match self.header.frame(letter).map(|frame| (frame, frame.plan())) {
            Some((frame, Ok(plan))) if frame.kind().is_some() || !plan.needs_history() => frame.fields(),
            _ => &[],
        }
    }

    pub(super) fn time_field(&self, letter: u8) -> Option<usize> {
        self.time_fields.iter().find(|(of, _)| *of == letter).map(|(_, field)| *field)
    }

    /// Whether the session has a sound main frame, without which it can't be converted. It reads up to the first one.
    pub fn has_main_frames(&self) -> bool {
        self.first_time_us().is_some()
    }

    /// The time of the first main frame.
    pub(crate) fn first_time_us(&self) -> Option<u64> {
        let mut frames = self.frames();
        while let Some(item) = frames.next() {
            if let Item::Frame(frame) = item
                && matches!(frame.letter(), b'I' | b'P')
            {
                return Some(frame.time_us());
            }
        }
        None
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("range", &self.range).field("frames_offset", &self.frames_offset).finish()
    }
}
