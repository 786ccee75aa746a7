//! Holds a schema against all versions of a lock.

use super::fact::Interval;
use super::states::States;
use super::{Exception, Lock};
use crate::compatibility::changes::{Found, changes};
use crate::compatibility::facts;
use crate::compatibility::report::Explained;
use crate::compatibility::{Change, ChangeKind, Level};
use crate::schema::LogSchema;
use std::fmt;

/// How a schema differs from a lock: [`Lock::check`].
///
/// `Display` prints each change with its rule, both places, what it breaks and what to do: at most five lines.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Check {
    level: Level,
    violations: Vec<Violation>,
    unaccepted: Vec<Change>,
    is_current: bool,
}

/// A change that breaks what the lock's level keeps working.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// The change.
    pub change: Change,
    /// The releases whose format it is a change from, in order.
    pub releases: Vec<String>,
    /// The line that allows it, once it has a reason: to be added to the lock before its facts.
    pub exception: String,
}

impl Check {
    /// The changes from releases that break what the level keeps working, and that no exception allows.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// Changes since the lock's last version that break no release, or that an exception allows. [`Lock::accept`]
    /// enters them.
    pub fn unaccepted(&self) -> &[Change] {
        &self.unaccepted
    }

    /// Whether the lock has the schema's facts, and nothing is broken.
    pub fn is_ok(&self) -> bool {
        self.violations.is_empty() && self.is_current
    }
}

impl Lock {
    /// Compares a schema with each version of the lock, in one pass: a message is compared as often as it changed.
    pub fn check<S: LogSchema>(&self) -> Check {
        // Can't fail: the facts come from a schema, or were checked when they were read.
        let States { versions, messages } =
            States::of(self).unwrap_or_else(|_| States { versions: vec![], messages: vec![] });
        let next = self.releases.len();
        let is_current = self.is_current::<S>();
        let mut check = Check { level: self.level, violations: Vec::new(), unaccepted: Vec::new(), is_current };
        for Found { change, before } in changes(&messages, &facts::of_program(S::MESSAGES)) {
            let is_in = |version: usize| before.iter().any(|&state| versions[state].contains(&version));
            let breaks = change.breaks.breaks(self.level);
            let broken = (0..next).filter(|&release| breaks && is_in(release));
            let broken: Vec<usize> = broken.filter(|&release| !self.allows(&change, release)).collect();
            match (broken.first(), broken.last()) {
                (Some(&first), Some(&last)) => {
                    let interval = self.interval_text(Interval { from: first, until: Some(last + 1) });
                    let exception = format!("{interval} allow {} {} \"why\"", self.subject_of(&change), change.kind);
                    let releases = broken.iter().map(|&release| self.releases[release].clone()).collect();
                    check.violations.push(Violation { change, releases, exception });
                }
                _ if is_current => {}
                // A new message is in no version.
                _ if is_in(next) || before.is_empty() => {
                    let is_of_layout = matches!(change.kind, ChangeKind::Id | ChangeKind::ColumnMoved);
                    if self.level == Level::Layout || !is_of_layout {
                        check.unaccepted.push(change);
                    }
                }
                _ => {}
            }
        }
        check
    }

    fn allows(&self, change: &Change, release: usize) -> bool {
        let is_of = |exception: &&Exception| {
            let Exception { subject, kind, .. } = exception;
            change.is_of(&subject.message, subject.label(), *kind)
        };
        self.exceptions.iter().filter(is_of).any(|exception| exception.interval.contains(release))
    }

    fn subject_of(&self, change: &Change) -> super::token::Subject {
        let column = change.column.clone().map(|label| (label, 0));
        super::token::Subject { message: change.message.clone(), column }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        if !self.violations.is_empty() {
            let count = self.violations.len();
            writeln!(f, "{count} change{} from what was released, at level `{}`:", s(count), self.level)?;
        }
        for Violation { change, releases, exception } in &self.violations {
            let since = match &releases[..] {
                [] => String::new(),
                [one] => format!("release {one}"),
                [first, .., last] => format!("releases {first} to {last}"),
            };
            write!(f, "\n{}", Explained { change, since: &since })?;
            writeln!(f, "  Or allow it, with a reason: {exception}")?;
        }
        if self.violations.is_empty() && self.unaccepted.is_empty() && !self.is_current {
            writeln!(f, "facts that aren't in the lock yet")?;
        }
        if !self.unaccepted.is_empty() {
            let count = self.unaccepted.len();
            let line = if self.violations.is_empty() { "" } else { "\n" };
            writeln!(f, "{line}{count} change{} that no release forbids:", s(count))?;
        }
        for change in &self.unaccepted {
            match change.breaks.breaks(self.level) {
                true => write!(f, "\n{}", Explained { change, since: "no release forbids it" })?,
                false => writeln!(f, "  {}: {}", change.kind, change.summary())?,
            }
        }
        Ok(())
    }
}
