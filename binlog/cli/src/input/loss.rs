//! What of a log can't be read.

use crate::any_log::Session;
use crate::counted::counted;
use binlog::Skipped;
use binlog::log::DamagedLine;
use std::fmt;

/// Bytes of a log that yield no record or frame and aren't padding, and header lines that can't be used.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Loss {
    /// The number of places.
    places: usize,
    bytes: usize,
    /// How many of the bytes are frames of another session.
    foreign: usize,
    /// Whether header lines can't be used.
    has_header_damage: bool,
    /// The offset of the first place.
    first: usize,
}

impl Loss {
    pub(super) fn of(sessions: &[Session<'_>]) -> Self {
        let mut loss = Loss::default();
        for (i, session) in sessions.iter().enumerate() {
            if let Some(log) = session.ardupilot() {
                let start = session.range().start;
                let is_last = i + 1 == sessions.len();
                let is_lost = |skipped: &&Skipped| !(is_last && skipped.is_padding(log.bytes()));
                let lost = log.skipped().iter().filter(is_lost);
                lost.for_each(|skipped| loss.add(start + skipped.offset, skipped.length, false));
            } else if let Some((session, tables)) = session.blackbox() {
                let problems = session.header().problems();
                problems.iter().for_each(|problem| loss.add(problem.offset, 0, false));
                loss.has_header_damage |= !problems.is_empty();
                let lost = tables.lost().iter();
                lost.for_each(|lost| loss.add(lost.offset, lost.length, lost.reason.is_other_session()));
            }
        }
        loss
    }

    fn add(&mut self, offset: usize, length: usize, is_foreign: bool) {
        self.first = if self.places == 0 { offset } else { self.first.min(offset) };
        self.places += 1;
        self.bytes += length;
        self.foreign += if is_foreign { length } else { 0 };
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.places == 0
    }
}

/// What a command says of the damaged lines of a text log; `None` for a log without damage.
pub(super) fn damaged_lines(lines: &[DamagedLine]) -> Option<String> {
    let first = lines.first()?;
    Some(match lines.len() {
        1 => format!("the log is damaged: {first}"),
        count => format!("the log is damaged: {count} of its lines can't be read, or not as a whole; first, {first}"),
    })
}

/// What a command says of bytes of another session.
pub fn other_session(bytes: usize) -> String {
    let are = if bytes == 1 { "is" } else { "are" };
    format!("{} {are} of another session, as an older log leaves them after a power cut", counted(bytes, "byte"))
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let damaged = match self.bytes - self.foreign {
            0 if self.has_header_damage => Some("the header is damaged".to_owned()),
            0 => None,
            bytes => Some(format!("the log is damaged: {} can't be read", counted(bytes, "byte"))),
        };
        let foreign = (self.foreign > 0).then(|| other_session(self.foreign));
        f.write_str(&damaged.into_iter().chain(foreign).collect::<Vec<String>>().join(", and "))?;
        match self.places {
            1 => write!(f, ", at offset {}", self.first),
            places => write!(f, ", in {} from offset {} on", counted(places, "place"), self.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_says_how_much_and_where() {
        let mut loss = Loss { has_header_damage: true, ..Loss::default() };
        assert!(loss.is_nothing());
        loss.add(70, 0, false);
        assert_eq!(loss.to_string(), "the header is damaged, at offset 70");
        loss.add(50, 1, false);
        assert_eq!(loss.to_string(), "the log is damaged: 1 byte can't be read, in 2 places from offset 50 on");
        loss.add(90, 2000, true);
        let text = "the log is damaged: 1 byte can't be read, and 2000 bytes are of another session, as an older log \
                    leaves them after a power cut, in 3 places from offset 50 on";
        assert_eq!(loss.to_string(), text);
    }
}
