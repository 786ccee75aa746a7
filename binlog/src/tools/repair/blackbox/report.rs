//! What a repair of a Blackbox log has done.

use crate::blackbox::log::LostReason;
use crate::wording::plural::Plural;
use std::fmt;

/// What [`BlackboxLog::repair`](crate::blackbox::BlackboxLog::repair) has done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct RepairedBlackbox {
    pub(super) sessions: usize,
    pub(super) frames: u64,
    pub(super) removed: Vec<Removed>,
    pub(super) lines: Vec<InsertedLine>,
    pub(super) resumed: Vec<usize>,
    pub(super) differing: Vec<String>,
}

/// Bytes of the damaged log that the repaired one lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Removed {
    /// Where they begin in the damaged log.
    pub offset: usize,
    /// How many they are, at least 1.
    pub length: usize,
    /// Why they were removed.
    pub reason: Removal,
}

/// Why bytes were removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Removal {
    /// They yield no frame.
    Lost(LostReason),
    /// They are padding: zeros or erased bytes at the end of a session.
    Padding,
    /// They follow the End event of a session.
    AfterEnd,
    /// They precede the first session.
    NoSession,
    /// A session whose header doesn't say how its main frames are decoded.
    NoHeader,
    /// They are in a header, and not a header line.
    NotALine,
    /// A header line whose value is not of its form, or contradicts another line.
    UnusableLine,
    /// Frames or events that are read only with the damage beside them.
    Unread,
}

/// A header line that was written into a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InsertedLine {
    /// The offset of the session in the damaged log.
    pub offset: usize,
    /// The name of the line.
    pub name: String,
    /// The value of the line that it replaces; `None` if the session lacked the line.
    pub replaced: Option<String>,
    /// Whether it is from the other log. The line `Product` is the same in all logs.
    pub is_from_other_log: bool,
}

impl RepairedBlackbox {
    /// The number of sessions in the repaired log.
    pub fn sessions(&self) -> usize {
        self.sessions
    }

    /// The number of frames in the repaired log, without events.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// What was removed, with its place in the damaged log.
    pub fn removed(&self) -> &[Removed] {
        &self.removed
    }

    /// The header lines that were inserted.
    pub fn lines(&self) -> &[InsertedLine] {
        &self.lines
    }

    /// The offsets, in the damaged log, of the I frames in front of which a Resume event was inserted. Iterations are
    /// missing before them, and without the event readers would take them for damaged.
    pub fn resumed(&self) -> &[usize] {
        &self.resumed
    }

    /// Names of header lines that decide what values mean, differ from the other log's and stay. They may be damaged.
    pub fn differing(&self) -> &[String] {
        &self.differing
    }

    /// Whether nothing was changed: the repaired log is a copy of the damaged one.
    pub fn is_copy(&self) -> bool {
        self.removed.is_empty() && self.lines.is_empty() && self.resumed.is_empty()
    }
}

impl Removal {
    /// Whether the bytes are padding, which isn't damage.
    pub fn is_padding(&self) -> bool {
        *self == Removal::Padding
    }
}

impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Removal::Lost(reason) => return reason.fmt(f),
            Removal::Padding => "padding at the end of a session",
            Removal::AfterEnd => "they follow the End event of a session",
            Removal::NoSession => "no session precedes them",
            Removal::NoHeader => "a session whose header doesn't say how its main frames are decoded",
            Removal::NotALine => "they are in the header, and not a header line",
            Removal::UnusableLine => "a header line whose value can't be used",
            Removal::Unread => "frames that are read only with the damage beside them",
        })
    }
}

/// A line for each change, with offsets in the damaged log. Header lines come first.
impl fmt::Display for RepairedBlackbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for InsertedLine { offset, name, replaced, is_from_other_log } in &self.lines {
            let name = name.escape_debug();
            match replaced {
                Some(value) => writeln!(
                    f,
                    "offset {offset}: replaced the header line `{name}` by that of the other log; it was `{}`",
                    value.escape_debug()
                )?,
                None if *is_from_other_log => {
                    writeln!(f, "offset {offset}: inserted the header line `{name}` of the other log")?;
                }
                None => writeln!(f, "offset {offset}: inserted the header line `{name}`")?,
            }
        }
        if self.lines.iter().any(|line| line.name == "vbatref" && line.is_from_other_log) {
            writeln!(f, "`vbatref` is measured on arming: voltages are off by the difference of both flights")?;
        }
        for name in &self.differing {
            writeln!(f, "kept the header line `{}`, which differs from the other log's", name.escape_debug())?;
        }
        for Removed { offset, length, reason } in &self.removed {
            writeln!(f, "offset {offset}: removed {}: {reason}", Plural(*length, "byte"))?;
        }
        for offset in &self.resumed {
            writeln!(f, "offset {offset}: inserted a Resume event, since iterations are missing before the I frame")?;
        }
        Ok(())
    }
}
