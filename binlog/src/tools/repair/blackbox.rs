// Held by tests/tests/blackbox/repaired.rs.

//! Repairs Blackbox logs: sessions with the frames that a reader accepts in the damaged ones.

mod frames;
mod header;
mod other_log;
mod report;

pub use report::{InsertedLine, Removal, Removed, RepairedBlackbox};

use super::RepairError;
use crate::blackbox::BlackboxLog;
use crate::blackbox::log::{Session, ranges_by_any_definition};
use frames::{count_main, count_sound, mended};
use header::Lines;
use other_log::OtherLog;
use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

/// Bytes in front of the first session are a session without header if the other log's header reads at least this many
/// main frames in them: chance doesn't.
const PROVING_FRAMES: u64 = 8;

impl BlackboxLog<'_> {
    /// Writes a clean log with all frames of this one: see [the module](crate::repair#blackbox-logs).
    ///
    /// It decodes each frame once, those of damaged sessions three times. It takes the memory of the longest session
    /// that is damaged.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn repair(&self, mut out: impl Write) -> io::Result<RepairedBlackbox> {
        let mut repaired = RepairedBlackbox::default();
        repaired.remove(0..self.session(0).map_or(self.bytes().len(), |first| first.offset()), Removal::NoSession);
        for session in self.sessions() {
            if let Some(bytes) = repaired.session(&session) {
                out.write_all(&bytes)?;
            }
        }
        Ok(repaired)
    }

    /// As [`repair`](BlackboxLog::repair), with header lines of another log of the same firmware where this one lacks
    /// them, or has damaged ones: see [the module](crate::repair#blackbox-logs).
    ///
    /// # Errors
    ///
    /// [`OtherFields`](RepairError::OtherFields), if the main frames of the other log have other fields, and
    /// [`NoHeader`](RepairError::NoHeader), if it has no sound header; then nothing is written. Errors of the writer.
    pub fn repair_with(
        &self,
        definitions: &BlackboxLog<'_>,
        mut out: impl Write,
    ) -> Result<RepairedBlackbox, RepairError> {
        let ranges = ranges_by_any_definition(self.bytes());
        let start = ranges.first().map_or(self.bytes().len(), |first| first.start);
        let in_front = Session::new(self.bytes(), 0..start);
        let sessions: Vec<_> = ranges.into_iter().map(|range| Session::new(self.bytes(), range)).collect();
        let headers: Vec<_> = sessions.iter().map(Lines::of).collect();
        let other = OtherLog::new(definitions, &headers)?;
        let mut repaired = RepairedBlackbox::default();
        let completed = other.complete(&in_front, &Lines::of(&in_front));
        match completed.filter(|with| count_main(&Session::new(&with.bytes, 0..with.bytes.len())) >= PROVING_FRAMES) {
            Some(with) => out.write_all(&repaired.completed(&in_front, &Lines::of(&in_front), &with, &other))?,
            None => repaired.remove(0..start, Removal::NoSession),
        }
        for (session, own) in sessions.iter().zip(&headers) {
            match other.complete(session, own) {
                Some(with) => out.write_all(&repaired.completed(session, own, &with, &other))?,
                None => {
                    repaired.differ(&other, own);
                    if let Some(bytes) = repaired.session(session) {
                        out.write_all(&bytes)?;
                    }
                }
            }
        }
        Ok(repaired)
    }
}

impl RepairedBlackbox {
    /// The bytes of a session without damage. `None` if its main frames can't be decoded, so that nothing of it is
    /// kept.
    pub(in crate::tools) fn session<'l>(&mut self, session: &Session<'l>) -> Option<Cow<'l, [u8]>> {
        let Range { start, end } = session.offset()..session.offset() + session.bytes().len();
        let lines = Lines::of(session);
        let Some(header) = lines.mended() else {
            self.remove(start..end, Removal::NoHeader);
            return None;
        };
        self.sessions += 1;
        if lines.is_sound()
            && let Some(frames) = count_sound(session)
        {
            self.frames += frames;
            return Some(Cow::Borrowed(session.bytes()));
        }
        if lines.lacks_first_line {
            self.insert_first_line(start);
        }
        for (range, reason) in &lines.removed {
            self.remove(range.clone(), *reason);
        }
        Some(Cow::Owned(self.mend(session, &header, 0)))
    }

    /// The bytes of a session with lines of the other log.
    fn completed(
        &mut self,
        session: &Session<'_>,
        own: &Lines<'_>,
        with: &other_log::WithOther,
        other: &OtherLog<'_>,
    ) -> Vec<u8> {
        let offset = session.offset();
        self.sessions += 1;
        if own.lacks_first_line {
            self.insert_first_line(offset);
        }
        for (range, reason) in &own.removed {
            self.remove(range.clone(), *reason);
        }
        let taken = with.taken.iter();
        self.lines.extend(taken.map(|taken| InsertedLine {
            offset,
            name: taken.name.clone(),
            replaced: taken.replaced.clone(),
            is_from_other_log: true,
        }));
        let completed = Session::new(&with.bytes, 0..with.bytes.len());
        let lines = Lines::of(&completed);
        self.differ(other, &lines);
        self.mend(&completed, &lines.bytes(), session.frames_offset() as isize - completed.frames_offset() as isize)
    }

    /// The header with the frames of a session. Places in the log are `moved` bytes after those in the session's.
    fn mend(&mut self, session: &Session<'_>, header: &[u8], moved: isize) -> Vec<u8> {
        let in_log = |at: usize| at.saturating_add_signed(moved);
        let mended = mended(session, header);
        self.frames += mended.frames;
        for (range, reason) in mended.removed {
            self.remove(in_log(range.start)..in_log(range.end), reason);
        }
        self.resumed.extend(mended.resumed.into_iter().map(in_log));
        mended.bytes
    }

    fn insert_first_line(&mut self, offset: usize) {
        let name = "Product".to_owned();
        self.lines.push(InsertedLine { offset, name, replaced: None, is_from_other_log: false });
    }

    fn differ(&mut self, other: &OtherLog<'_>, lines: &Lines<'_>) {
        for name in other.differing(lines) {
            if !self.differing.contains(&name) {
                self.differing.push(name);
            }
        }
    }

    fn remove(&mut self, bytes: Range<usize>, reason: Removal) {
        if !bytes.is_empty() {
            self.removed.push(Removed { offset: bytes.start, length: bytes.len(), reason });
        }
    }
}
