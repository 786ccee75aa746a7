// Held by tests/tests/format/lock.rs, binlog/src/change/lock/tests.rs.

//! The lock: a reviewed text file with the format of every release, and the test that holds a schema against it.
//!
//! Logs live for years, and so do the queries, plots and programs that read them. One line in a test says which changes
//! of the format break them:
//!
//! ```no_run
//! # use binlog::{LogSchema, messages};
//! # #[derive(LogSchema)]
//! # enum FlightLog { Ev(messages::Ev) }
//! #[test]
//! fn the_format_is_that_of_the_lock() {
//!     binlog::lock::assert::<FlightLog>("flightlog.lock");
//! }
//! ```
//!
//! The first run makes the file; commit it. From then on the test fails if the schema differs from it:
//!
//! - A change that breaks what was released fails with its rule, the place of the field, the line of the lock, what it
//!   breaks and what to do. It can be allowed by a line in the lock, with a reason.
//! - Any other change fails until it is reviewed and entered: `BINLOG_LOCK=accept cargo test`.
//! - `BINLOG_LOCK=release:1.4 cargo test` makes the facts of today those of release 1.4, which the lock keeps for good.
//!   Accept the changes first. 1.4 must be higher than the last release.
//!
//! Where `CI` is set (to anything but an empty text, `0` or `false`), nothing is written, a missing lock is an error,
//! and `BINLOG_LOCK` is refused. Changes of descriptions don't fail; the next accepted change updates them. The
//! guide's chapter on [formats over years](crate::guide::formats_over_years) shows the daily use.
//!
//! # The file
//!
//! ```text
//! binlog-lock 1
//! level typed
//! release 1.3
//! release 1.4
//!
//! 1.3..1.4 allow ENG.Turns column-removed "no sensor for it since 1.4"
//!
//! 1.3.. ENG id 7
//! 1.3..1.4 ENG order TimeUS,Turns
//! 1.4.. ENG order TimeUS,Rev,State
//! 1.3.. ENG.TimeUS Q s 1e-6
//! 1.3..1.4 ENG.Turns H - -
//! 1.4.. ENG.Rev I rpm 1
//! 1.4.. ENG.State B - - closed
//! 1.4.. ENG.State = 0 "Off"
//! next.. ENG.State = 1 "On"
//!
//! descriptions
//! ENG "The engine."
//! ```
//!
//! A line is one fact, after the versions in which it holds: `1.3..1.4` is release 1.3 and those after it, up to 1.4,
//! which isn't part of it; `next` is what isn't released yet. A column has its format, unit and multiplier, and
//! `closed` if its type refuses some numbers, as a `bool` and an enum do; `=` names a value, `&` a bit. A unit that
//! ArduPilot's table lacks has its id before its name, `T=uT`. Lines that begin with `#` are ignored, and dropped when
//! the file is written.
//!
//! An `allow` line is an exception: the releases that a change may be from, the message or column, the rule, and the
//! reason. For the name of a value or bit it has the number, `ENG.State=1` or `ENG.Warnings&2`, and allows only that
//! one. `allow` lines stand after the `release` lines. A line that allows nothing any more fails the check, so that it
//! doesn't allow a later mistake; `BINLOG_LOCK=accept` removes it.
//!
//! The line `level` says what must keep working: see [`Level`]. A new lock has none, which means `names`; add the line
//! after the first one.

mod assertion;
mod check;
mod definitions;
mod error;
mod fact;
mod file;
mod states;
#[cfg(test)]
mod tests;
mod token;
mod update;

pub use assertion::assert;
pub use check::{Check, Violation};
pub use error::LockError;

use crate::change::compatibility::comparable::sealed::Sealed;
use crate::change::compatibility::facts::MessageFacts;
use crate::change::compatibility::{ChangeKind, Comparable, Level};
use fact::{Dated, Interval};
use states::States;
use token::Subject;

/// The format of a schema in all its releases, as the [file](self) has it: `parse` reads it, `Display` prints it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lock {
    level: Level,
    /// In order, the oldest first.
    releases: Vec<String>,
    exceptions: Vec<Exception>,
    facts: Vec<Dated>,
    descriptions: Vec<(Subject, String)>,
}

/// A change that is allowed.
#[derive(Clone, PartialEq, Debug)]
struct Exception {
    /// The versions that it may be a change from.
    interval: Interval,
    subject: Subject,
    /// The value or bit that it is about.
    number: Option<i128>,
    kind: ChangeKind,
    reason: String,
}

impl Lock {
    /// What must keep working.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Changes what must keep working.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// The releases, the oldest first.
    pub fn releases(&self) -> impl ExactSizeIterator<Item = &str> {
        self.releases.iter().map(String::as_str)
    }

    /// Each message as often as it changed.
    fn messages(&self) -> Vec<MessageFacts<'_>> {
        // Can't fail: the facts come from a schema, or were checked when they were read.
        States::of(self).map(|states| states.messages).unwrap_or_default()
    }

    /// Whether there is a release, and nothing changed since the last one.
    fn is_released(&self) -> bool {
        let next = self.releases.len();
        let changes = |dated: &Dated| dated.interval.from == next || dated.interval.until == Some(next);
        next > 0 && !self.facts.iter().any(changes)
    }
}

/// All versions of a lock, the one that isn't released included.
impl Comparable for Lock {}

impl Sealed for Lock {
    #[allow(private_interfaces, reason = "nothing outside of the crate can name this trait")]
    fn facts(&self) -> Vec<MessageFacts<'_>> {
        self.messages()
    }
}
