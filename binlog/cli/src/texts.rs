//! The texts of a log: whole, with the level that `tracing` and `log` gave them.

use binlog::Log;
use binlog::log::Rows;
use std::collections::{HashMap, HashSet};

/// The level of a text. MSG has no column for it; the library's bridges to `tracing` and `log` write it in front of the
/// target: `WARN battery: sagging`.
pub fn level(text: &str) -> Option<&'static str> {
    let (first, rest) = text.split_once(' ')?;
    let level = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"].into_iter().find(|level| *level == first)?;
    let (target, _) = rest.split_once(':')?;
    (!target.is_empty() && !target.contains(char::is_whitespace)).then_some(level)
}

/// The texts of a log that take several records, to show each whole in the place of its first record.
#[derive(Clone, Default, Debug)]
pub struct Joined {
    /// By the offset of the first record, the whole text.
    whole: HashMap<usize, String>,
    /// The offsets of the other records.
    rest: HashSet<usize>,
}

/// What stands in the place of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part<'t> {
    /// The record itself.
    Record,
    /// The record with this text.
    Whole(&'t str),
    /// Nothing: an earlier record has its text.
    Nothing,
}

impl<'t> Part<'t> {
    /// The whole text, if it stands in the place of the record's.
    pub fn text(self) -> Option<&'t str> {
        match self {
            Part::Whole(text) => Some(text),
            Part::Record | Part::Nothing => None,
        }
    }
}

impl Joined {
    /// The texts of a log.
    pub fn of(log: &Log<'_>) -> Self {
        let mut joined = Joined::default();
        for (text, offsets) in log.texts_with_offsets() {
            if let [first, rest @ ..] = &*offsets
                && !rest.is_empty()
            {
                joined.rest.extend(rest);
                joined.whole.insert(*first, text.text);
            }
        }
        joined
    }

    /// What stands in the place of the record at an offset.
    pub fn part(&self, offset: usize) -> Part<'_> {
        match self.whole.get(&offset) {
            Some(text) => Part::Whole(text),
            None if self.rest.contains(&offset) => Part::Nothing,
            None => Part::Record,
        }
    }

    /// What stands in the place of each of these records.
    pub fn parts(&self, rows: &Rows<'_>) -> Vec<Part<'_>> {
        rows.records().map(|record| self.part(record.offset())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_in_front_of_a_target() {
        for (text, of) in [
            ("WARN battery: sagging", Some("WARN")),
            ("ERROR my_app::motors: lost", Some("ERROR")),
            ("INFO x:", Some("INFO")),
            ("WARNING battery: sagging", None),
            ("ERROR in the gyro: 3", None),
            ("INFO", None),
            ("DEBUG ", None),
            ("ArduCopter V4.6.0", None),
        ] {
            assert_eq!(level(text), of, "{text}");
        }
    }
}
