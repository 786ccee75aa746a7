//! The text of a lock file.

use super::fact::{Dated, Fact, Interval};
use super::states::States;
use super::token::{Cursor, Subject, write_text};
use super::{Exception, Lock};
use crate::compatibility::{Level, UnknownName};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// The first line, with the version of the layout.
const HEAD: &str = "binlog-lock 1";
/// The name of the version that isn't released yet.
pub(super) const NEXT: &str = "next";
/// The line before the descriptions.
const DESCRIPTIONS: &str = "descriptions";

/// Why a text isn't a lock file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockError {
    line: usize,
    what: String,
}

impl LockError {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Self {
        LockError { line, what: what.into() }
    }

    /// The line with the mistake, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for LockError {}

/// Reads a lock file, as it was written or edited by hand. Empty lines and lines that begin with `#` are ignored.
impl FromStr for Lock {
    type Err = LockError;

    fn from_str(text: &str) -> Result<Self, LockError> {
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        match lines.next() {
            Some((_, HEAD)) => {}
            Some((at, line)) => return Err(LockError::new(at, format!("a lock begins with `{HEAD}`, not `{line}`"))),
            None => return Err(LockError::new(1, format!("a lock begins with `{HEAD}`; this one is empty"))),
        }
        let mut lock = Lock::default();
        let mut is_described = false;
        for (at, line) in lines {
            let read = match line {
                DESCRIPTIONS => {
                    is_described = true;
                    Ok(())
                }
                _ if is_described => lock.read_description(line),
                _ => lock.read_line(line, at),
            };
            read.map_err(|what| LockError::new(at, what))?;
        }
        lock.check_once()?;
        States::of(&lock)?;
        Ok(lock)
    }
}

impl Lock {
    fn read_line(&mut self, line: &str, at: usize) -> Result<(), String> {
        let mut cursor = Cursor::new(line);
        let first = cursor.word();
        match first {
            "level" => {
                self.level = cursor.word().parse().map_err(|error: UnknownName| error.to_string())?;
                return cursor.end();
            }
            "release" => {
                if !(self.facts.is_empty() && self.exceptions.is_empty()) {
                    return Err("releases stand before the facts".into());
                }
                let name = cursor.word();
                self.check_release(name)?;
                self.releases.push(name.to_owned());
                return cursor.end();
            }
            _ => {}
        }
        let interval = self.interval(first)?;
        let rest = line.trim_start().strip_prefix(first).unwrap_or_default();
        let mut cursor = Cursor::new(rest);
        let mut after_allow = Cursor::new(rest);
        if after_allow.word() == "allow" {
            let subject = after_allow.subject()?;
            let kind = after_allow.word().parse().map_err(|error: UnknownName| error.to_string())?;
            let reason = after_allow.text()?;
            if reason.trim().is_empty() {
                return Err("an exception has a reason".into());
            }
            self.exceptions.push(Exception { interval, subject, kind, reason });
            return after_allow.end();
        }
        let subject = cursor.subject()?;
        let fact = Fact::read(&subject, &mut cursor)?;
        self.facts.push(Dated { interval, subject, fact, line: Some(at) });
        Ok(())
    }

    fn read_description(&mut self, line: &str) -> Result<(), String> {
        let mut cursor = Cursor::new(line);
        let described = (cursor.subject()?, cursor.text()?);
        self.descriptions.push(described);
        cursor.end()
    }

    /// Whether a release may have this name.
    pub(super) fn check_release(&self, name: &str) -> Result<(), String> {
        let is_valid = name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
            && !name.contains("..")
            && !name.ends_with('.')
            && name != NEXT;
        if !is_valid {
            return Err(format!(
                "`{name}` is no name of a release: letters, digits, and `.`, `_`, `+`, `-` between them"
            ));
        }
        match self.releases.iter().any(|release| release == name) {
            true => Err(format!("the release {name} is there already")),
            false => Ok(()),
        }
    }

    /// `1.3..1.5`: from a release until another one, which is no longer part of it. Either may be left out.
    fn interval(&self, text: &str) -> Result<Interval, String> {
        let Some((from, until)) = text.split_once("..") else {
            return Err(format!(
                "a line begins with an interval, as `1.3..`, or with `level` or `release`, not with `{text}`"
            ));
        };
        let place = |name: &str| match self.releases.iter().position(|release| release == name) {
            Some(place) => Ok(place),
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
        let mut seen: HashMap<_, Vec<&Dated>> = HashMap::new();
        for dated in &self.facts {
            let of_aspect = seen.entry((&dated.subject, dated.fact.aspect())).or_default();
            if let Some(other) = of_aspect.iter().find(|other| other.interval.overlaps(&dated.interval)) {
                let (line, first) = (dated.line.unwrap_or_default(), other.line.unwrap_or_default());
                let what =
                    format!("this is said of {} already, by line {first}, for a release in common", dated.subject);
                return Err(LockError::new(line, what));
            }
            of_aspect.push(dated);
        }
        Ok(())
    }

    /// The name of a version.
    pub(super) fn version(&self, place: usize) -> &str {
        self.releases.get(place).map_or(NEXT, String::as_str)
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
        for Exception { interval, subject, kind, reason } in &self.exceptions {
            write!(f, "{} allow {subject} {kind} ", self.interval_text(*interval))?;
            write_text(f, reason)?;
            writeln!(f)?;
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

fn write_description(f: &mut fmt::Formatter<'_>, subject: &Subject, text: &str) -> fmt::Result {
    write!(f, "{subject} ")?;
    write_text(f, text)?;
    writeln!(f)
}
