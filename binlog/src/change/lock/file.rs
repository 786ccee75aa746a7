//! The text of a lock file.

use super::error::LockError;
use super::fact::{Dated, Fact, Interval};
use super::states::States;
use super::token::{Cursor, Quoted, Subject, write_text};
use super::{Exception, Lock};
use crate::change::compatibility::{ChangeKind, Level, UnknownName};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

/// The first line, with the version of the layout.
const HEAD: &str = "binlog-lock 1";
/// The name of the version that isn't released yet.
pub(super) const NEXT: &str = "next";
/// The text in place of a reason, in the line that a check proposes.
pub(super) const WHY: &str = "why";
/// The line before the descriptions.
const DESCRIPTIONS: &str = "descriptions";

/// Reads a lock file, as it was written or edited by hand. Empty lines and lines that begin with `#` are ignored.
impl FromStr for Lock {
    type Err = LockError;

    fn from_str(text: &str) -> Result<Self, LockError> {
        // Editors of Windows put a mark before the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        match lines.next() {
            Some((_, HEAD)) => {}
            Some((at, line)) => return Err(LockError::new(at, format!("a lock begins with `{HEAD}`, not `{line}`"))),
            None => return Err(LockError::new(1, format!("a lock begins with `{HEAD}`; this one is empty"))),
        }
        let mut lock = Lock::default();
        let mut is_described = false;
        let mut head = Head::default();
        for (at, line) in lines {
            let read = match line {
                DESCRIPTIONS => {
                    is_described = true;
                    Ok(())
                }
                _ if is_described => lock.read_description(line),
                _ => lock.read_line(line, at, &mut head),
            };
            read.map_err(|what| LockError::new(at, what))?;
        }
        lock.check_once()?;
        States::of(&lock)?;
        Ok(lock)
    }
}

/// What the first lines have said.
#[derive(Default)]
struct Head {
    has_level: bool,
    /// The place of each release.
    places: HashMap<String, usize>,
}

impl Lock {
    fn read_line(&mut self, line: &str, at: usize, head: &mut Head) -> Result<(), String> {
        let mut cursor = Cursor::new(line);
        let first = cursor.word();
        match first {
            "level" => {
                if std::mem::replace(&mut head.has_level, true) {
                    return Err("the level is there already".into());
                }
                self.level = cursor.word().parse().map_err(|error: UnknownName| error.to_string())?;
                return cursor.end();
            }
            "release" => {
                if !(self.facts.is_empty() && self.exceptions.is_empty()) {
                    return Err("releases stand before the facts".into());
                }
                let name = cursor.word();
                check_name(name)?;
                if head.places.insert(name.to_owned(), self.releases.len()).is_some() {
                    return Err(there_already(name));
                }
                self.releases.push(name.to_owned());
                return cursor.end();
            }
            _ => {}
        }
        let interval = self.interval(first, &head.places)?;
        let rest = line.trim_start().strip_prefix(first).unwrap_or_default();
        let mut cursor = Cursor::new(rest);
        let mut after_allow = Cursor::new(rest);
        if after_allow.word() == "allow" {
            let (subject, number) = after_allow.excepted()?;
            let kind: ChangeKind = after_allow.word().parse().map_err(|error: UnknownName| error.to_string())?;
            let number = number_of(kind, &subject, number)?;
            let reason = after_allow.text()?;
            if reason.trim().is_empty() {
                return Err("an exception has a reason".into());
            }
            if reason.trim() == WHY {
                return Err(format!("give a reason in place of `{WHY}`"));
            }
            self.exceptions.push(Exception { interval, subject, number, kind, reason });
            return after_allow.end();
        }
        let subject = cursor.subject()?;
        let fact = Fact::read(&subject, &mut cursor)?;
        self.facts.push(Dated { interval, subject, fact, line: Some(at) });
        Ok(())
    }

    fn read_description(&mut self, line: &str) -> Result<(), String> {
        let described = read_subject_and_text(line);
        // A line that isn't a description may have been meant for another place.
        if described.is_err() && !line.starts_with('"') && Cursor::new(line).word().contains("..") {
            return Err(format!(
                "after `{DESCRIPTIONS}` stand descriptions only; exceptions and facts stand before it: \
                 `allow` lines after the `release` lines, facts after those"
            ));
        }
        self.descriptions.push(described?);
        Ok(())
    }

    /// Whether a release may have this name.
    pub(super) fn check_release(&self, name: &str) -> Result<(), String> {
        check_name(name)?;
        match self.releases.iter().any(|release| release == name) {
            true => Err(there_already(name)),
            false => Ok(()),
        }
    }

    /// `1.3..1.5`: from a release up to, but not including, another one. Either may be left out.
    fn interval(&self, text: &str, places: &HashMap<String, usize>) -> Result<Interval, String> {
        let Some((from, until)) = text.split_once("..") else {
            return Err(format!(
                "a line begins with an interval, as `1.3..`, or with `level` or `release`, not with `{text}`; of an \
                 exception that was printed, paste what begins with the interval"
            ));
        };
        let place = |name: &str| match places.get(name) {
            Some(&place) => Ok(place),
            None if name == NEXT => Ok(self.releases.len()),
            None => Err(format!("there is no release {name}")),
        };
        let from = if from.is_empty() { 0 } else { place(from)? };
        let until = if until.is_empty() { None } else { Some(place(until)?) };
        match until.is_some_and(|until| until <= from) {
            true => Err(format!("the interval `{text}` ends before it begins")),
            false => Ok(Interval { from, until }),
        }
    }

    /// Nothing is said twice of one version.
    fn check_once(&self) -> Result<(), LockError> {
        // By the version in which each begins, so that those which overlap are neighbours.
        let mut seen: HashMap<_, BTreeMap<usize, &Dated>> = HashMap::new();
        for dated in &self.facts {
            let of_aspect = seen.entry((&dated.subject, dated.fact.aspect())).or_default();
            let before = of_aspect.range(..=dated.interval.from).next_back();
            let neighbours = before.into_iter().chain(of_aspect.range(dated.interval.from..).next());
            let other = neighbours.map(|(_, other)| other).find(|other| other.interval.overlaps(&dated.interval));
            if let Some(other) = other {
                let (line, first) = (dated.line.unwrap_or_default(), other.line.unwrap_or_default());
                let what =
                    format!("this is said of {} already, by line {first}, for a release in common", dated.subject);
                return Err(LockError::new(line, what));
            }
            of_aspect.insert(dated.interval.from, dated);
        }
        Ok(())
    }

    /// The name of a version.
    pub(super) fn version(&self, place: usize) -> &str {
        self.releases.get(place).map_or(NEXT, String::as_str)
    }

    /// The line of an exception up to its reason.
    pub(super) fn exception_text(&self, exception: &Exception) -> String {
        let Exception { interval, subject, number, kind, .. } = exception;
        let sign = if kind.is_of_bits() { '&' } else { '=' };
        let number = number.map(|number| format!("{sign}{number}")).unwrap_or_default();
        format!("{} allow {subject}{number} {kind} ", self.interval_text(*interval))
    }

    /// The line of an exception.
    pub(super) fn exception_line(&self, exception: &Exception) -> String {
        format!("{}{}", self.exception_text(exception), Quoted(&exception.reason))
    }

    pub(super) fn interval_text(&self, interval: Interval) -> String {
        format!("{}..{}", self.version(interval.from), interval.until.map_or("", |until| self.version(until)))
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        if self.level != Level::default() {
            writeln!(f, "level {}", self.level)?;
        }
        for release in &self.releases {
            writeln!(f, "release {release}")?;
        }
        f.write_str(if self.exceptions.is_empty() { "" } else { "\n" })?;
        for exception in &self.exceptions {
            writeln!(f, "{}", self.exception_line(exception))?;
        }
        let mut message: Option<&str> = None;
        for Dated { interval, subject, fact, .. } in &self.facts {
            if message.replace(&subject.message) != Some(&subject.message) {
                writeln!(f)?;
            }
            writeln!(f, "{} {subject} {fact}", self.interval_text(*interval))?;
        }
        if !self.descriptions.is_empty() {
            writeln!(f, "\n{DESCRIPTIONS}")?;
        }
        for (subject, text) in &self.descriptions {
            write_description(f, subject, text)?;
        }
        Ok(())
    }
}

/// The line of a description.
fn read_subject_and_text(line: &str) -> Result<(Subject, String), String> {
    let mut cursor = Cursor::new(line);
    let described = (cursor.subject()?, cursor.text()?);
    cursor.end()?;
    Ok(described)
}

/// Whether a text may be the name of a release.
fn check_name(name: &str) -> Result<(), String> {
    let is_valid = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
        && !name.contains("..")
        && !name.ends_with('.')
        && name != NEXT;
    match is_valid {
        true => Ok(()),
        false => Err(format!(
            "`{name}` is not a valid release name: use letters, digits, and `.`, `_`, `+`, `-` between them"
        )),
    }
}

fn there_already(release: &str) -> String {
    format!("the release {release} is there already")
}

/// The value or bit that an exception is about: it names one if its rule is about one, and only then.
fn number_of(kind: ChangeKind, subject: &Subject, number: Option<(char, i128)>) -> Result<Option<i128>, String> {
    let sign = match (kind.is_of_values(), kind.is_of_bits()) {
        (true, _) => Some('='),
        (_, true) => Some('&'),
        _ => None,
    };
    match (sign, number) {
        (Some(sign), Some((found, number))) if sign == found => Ok(Some(number)),
        (Some(sign), _) => Err(format!("an exception for {kind} names the number: `{subject}{sign}1`")),
        (None, Some(_)) => Err(format!("an exception for {kind} names no number: `{subject}`")),
        (None, None) => Ok(None),
    }
}

fn write_description(f: &mut fmt::Formatter<'_>, subject: &Subject, text: &str) -> fmt::Result {
    write!(f, "{subject} ")?;
    write_text(f, text)?;
    writeln!(f)
}
