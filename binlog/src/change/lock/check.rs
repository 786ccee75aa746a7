//! Holds a schema against all versions of a lock.

use super::fact::Interval;
use super::file::WHY;
use super::states::States;
use super::token::Subject;
use super::{Exception, Lock};
use crate::change::LoggedSchema;
use crate::change::compatibility::changes::{Found, changes};
use crate::change::compatibility::comparable::sealed::Sealed;
use crate::change::compatibility::facts::MessageFacts;
use crate::change::compatibility::report::Explained;
use crate::change::compatibility::{Change, Level, facts};
use crate::describe::golden_file::Annotation;
use crate::format::LogSchema;
use crate::read::catalogue::DEFINITIONS;
use std::fmt;
use std::path::Path;

/// How a schema or a log differs from a lock: [`Lock::check`], [`Lock::check_log`].
///
/// `Display` prints each change with its rule, both places, what it breaks and what to do: at most five lines.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Check {
    level: Level,
    violations: Vec<Violation>,
    unaccepted: Vec<Change>,
    unused: Vec<String>,
    is_current: bool,
    /// Releases whose logs today's structs refuse, although the level doesn't ask for it.
    refused: Vec<String>,
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

    /// The lines of exceptions that allow no change, without their reasons.
    pub fn unused_exceptions(&self) -> &[String] {
        &self.unused
    }

    /// An error for each difference, at its place: what GitHub Actions reads from the output of a step, and shows beside
    /// the code. `lock` is the lock's file; without one, differences that only the lock has a place for have none.
    /// [`annotations_are_wanted`](Self::annotations_are_wanted) says whether it reads the output.
    pub fn annotations(&self, lock: Option<&Path>) -> Vec<String> {
        self.annotated(lock).iter().map(ToString::to_string).collect()
    }

    /// Whether GitHub Actions reads the output: `GITHUB_ACTIONS` is `true` in the environment.
    pub fn annotations_are_wanted() -> bool {
        Annotation::are_wanted()
    }

    pub(super) fn annotated(&self, lock: Option<&Path>) -> Vec<Annotation> {
        let at = |change: &Change, text: &dyn fmt::Display| match (change.flattened_at.or(change.place), lock) {
            (Some(place), _) => Annotation::new(Some(Path::new(place.file())), Some(place.line() as usize), text),
            (None, lock) => Annotation::new(lock, change.line, text),
        };
        let broken = |Violation { change, releases, exception }: &Violation| {
            let explained = Explained { change, since: &since(releases) };
            at(change, &format_args!("{explained}  Or allow it, with a reason: {exception}"))
        };
        let new = |change: &Change| at(change, &Explained { change, since: "no release forbids it" });
        let unused = |unused: &String| Annotation::new(lock, None, format_args!("{UNUSED}{unused}"));
        let changes = self.violations.iter().map(broken).chain(self.unaccepted.iter().map(new));
        let mut all: Vec<Annotation> = changes.chain(self.unused.iter().map(unused)).collect();
        if all.is_empty() && !self.is_ok() {
            all.push(Annotation::new(lock, None, self));
        }
        all
    }

    /// Whether the lock has the schema's facts, nothing is broken, and each exception allows something.
    pub fn is_ok(&self) -> bool {
        self.violations.is_empty() && self.unused.is_empty() && self.is_current
    }
}

impl Lock {
    /// Compares a schema with each version of the lock, in one pass: a message is compared as often as it changed.
    pub fn check<S: LogSchema>(&self) -> Check {
        self.check_facts(&facts::of_program(S::MESSAGES), self.is_current::<S>())
    }

    /// Compares the format of a log with each version of the lock, as if it were the version that isn't released yet: a
    /// log that the firmware of today wrote. Rates, defaults, aliases and
    /// the names of values aren't compared.
    pub fn check_log(&self, log: &LoggedSchema) -> Check {
        let is_listed = |name: &str| self.facts.iter().any(|dated| dated.subject.message == name);
        let mut facts = log.facts();
        facts.retain(|message| !DEFINITIONS.contains(&&*message.name) || is_listed(&message.name));
        let check = self.check_facts(&facts, false);
        // A log says nothing of defaults, and so nothing of what structs read.
        Check { is_current: check.unaccepted.is_empty(), refused: Vec::new(), ..check }
    }

    fn check_facts(&self, today: &[MessageFacts<'_>], is_current: bool) -> Check {
        // Can't fail: the facts come from a schema, or were checked when they were read.
        let States { versions, messages } =
            States::of(self).unwrap_or_else(|_| States { versions: vec![], messages: vec![] });
        let next = self.releases.len();
        let (violations, unaccepted, unused, refused) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut check = Check { level: self.level, violations, unaccepted, unused, is_current, refused };
        let mut is_refused = vec![false; next];
        let mut is_used = vec![false; self.exceptions.len()];
        for Found { change, before } in changes(&messages, today) {
            let is_in = |version: usize| before.iter().any(|&state| versions[state].contains(&version));
            let breaks = change.breaks.breaks(self.level);
            for (exception, is_used) in self.exceptions.iter().zip(&mut is_used) {
                *is_used |= exception.allows(&change)
                    && (0..next).any(|release| exception.interval.contains(release) && is_in(release));
            }
            let broken = (0..next).filter(|&release| breaks && is_in(release));
            let broken: Vec<usize> = broken.filter(|&release| !self.allows(&change, release)).collect();
            match (broken.first(), broken.last()) {
                (Some(&first), Some(&last)) => {
                    let interval = Interval { from: first, until: Some(last + 1) };
                    let (subject, number, kind) = (subject_of(&change), change.number, change.kind);
                    let exception = Exception { interval, subject, number, kind, reason: WHY.into() };
                    let exception = format!("{}\"{WHY}\"", self.exception_text(&exception));
                    let releases = broken.iter().map(|&release| self.releases[release].clone()).collect();
                    check.violations.push(Violation { change, releases, exception });
                }
                _ if is_current => {}
                // A new message is in no version.
                _ if is_in(next) || before.is_empty() => {
                    for (release, is_refused) in is_refused.iter_mut().enumerate() {
                        *is_refused |= change.breaks.old_logs && is_in(release) && !self.allows(&change, release);
                    }
                    check.unaccepted.push(change);
                }
                _ => {}
            }
        }
        check.refused =
            self.releases.iter().zip(is_refused).filter(|(_, is)| *is).map(|(name, _)| name.clone()).collect();
        let unused = self.exceptions.iter().zip(is_used).filter(|(_, is_used)| !is_used);
        check.unused = unused.map(|(exception, _)| self.exception_text(exception).trim_end().to_owned()).collect();
        check
    }

    fn allows(&self, change: &Change, release: usize) -> bool {
        self.exceptions.iter().any(|exception| exception.allows(change) && exception.interval.contains(release))
    }
}

impl Exception {
    fn allows(&self, change: &Change) -> bool {
        change.is_of(&self.subject.message, self.subject.label(), self.number, self.kind)
    }
}

fn subject_of(change: &Change) -> Subject {
    Subject { message: change.message.clone(), column: change.column.clone().map(|label| (label, 0)) }
}

/// Before the line of an exception.
const UNUSED: &str = "an exception that allows no change; remove the line: ";

/// `release 1.3`, or `releases 1.3 to 1.4`.
fn since(releases: &[String]) -> String {
    match releases {
        [] => String::new(),
        [one] => format!("release {one}"),
        [first, .., last] => format!("releases {first} to {last}"),
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
            write!(f, "\n{}", Explained { change, since: &since(releases) })?;
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
        if !self.refused.is_empty() {
            let releases = format!("release{} {}", s(self.refused.len()), self.refused.join(", "));
            writeln!(f, "  Today's structs refuse the logs of {releases}; with `level typed`, the lock forbids that")?;
        }
        self.unused.iter().try_for_each(|unused| writeln!(f, "{UNUSED}{unused}"))?;
        Ok(())
    }
}
