//! Holds a schema against all versions of a lock.

use super::fact::Interval;
use super::file::WHY;
use super::states::States;
use super::token::Subject;
use super::{Exception, Lock};
use crate::change::LoggedSchema;
use crate::change::compatibility::changes::{Found, changes};
use crate::change::compatibility::facts::{MessageFacts, named_in_one};
use crate::change::compatibility::report::Explained;
use crate::change::compatibility::{Change, ChangeKind, Level, facts};
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
    /// Lines of the other lock.
    allowed_by_other: Vec<String>,
    /// Whether today's format is that of a log, which nobody enters into the lock.
    is_of_log: bool,
    /// What the log lacks.
    not_compared: Vec<String>,
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

    /// The lines of the other lock's exceptions without which there were more [`violations`](Self::violations):
    /// [`Lock::check_log_with`].
    pub fn allowed_by_other(&self) -> &[String] {
        &self.allowed_by_other
    }

    /// What the lock says and the log doesn't, so that it isn't compared: rates, for instance. Empty for a schema.
    pub fn not_compared(&self) -> &[String] {
        &self.not_compared
    }

    /// An error for each difference that fails the test, or of a log, for each [violation](Self::violations), at its
    /// place: what GitHub Actions reads from the output of a step, and shows beside the code. `lock` is the lock's
    /// file; without one, differences that only the lock has a place for have none.
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
        let new = |change: &Change| match change.breaks.level() {
            Some(_) => at(change, &format_args!("{}  {ENTER}", Explained { change, since: "" })),
            None => at(change, &format_args!("{}: {}\n  {ENTER}", change.kind, change.summary())),
        };
        let unused = |unused: &String| Annotation::new(lock, None, format_args!("{UNUSED}{unused}"));
        let broken = self.violations.iter().map(broken);
        if self.is_of_log {
            return broken.collect();
        }
        let changes = broken.chain(self.unaccepted.iter().map(new));
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
        self.check_facts(&facts::of_program(S::MESSAGES), self.is_current::<S>(), None)
    }

    /// Compares the format of a log with each version of the lock, as if it were the version that isn't released yet: a
    /// log that the firmware of today wrote. Names of values and bits are compared for the columns of which the log
    /// [describes](LoggedSchema::descriptions) some; [`not_compared`](Check::not_compared) lists what the log lacks.
    pub fn check_log(&self, log: &LoggedSchema) -> Check {
        self.check_log_against(log, None)
    }

    /// As [`check_log`](Self::check_log), with the exceptions of another lock, too: of a pull request's own lock, whose
    /// facts don't count. An exception applies to the releases of this lock that have the same name.
    /// [`allowed_by_other`](Check::allowed_by_other) lists those that count.
    pub fn check_log_with(&self, log: &LoggedSchema, other: &Lock) -> Check {
        self.check_log_against(log, Some(other))
    }

    fn check_log_against(&self, log: &LoggedSchema, other: Option<&Lock>) -> Check {
        let is_listed = |name: &str| self.facts.iter().any(|dated| dated.subject.message == name);
        let mut facts = log.named_facts();
        facts.retain(|message| !DEFINITIONS.contains(&&*message.name) || is_listed(&message.name));
        let check = self.check_facts(&facts, false, other);
        // A log says nothing of defaults, and so nothing of what structs read.
        let (is_current, refused) = (check.unaccepted.is_empty(), Vec::new());
        Check { is_current, refused, is_of_log: true, not_compared: self.not_in(&facts), ..check }
    }

    /// What the lock says, and the format of a log doesn't.
    fn not_in(&self, log: &[MessageFacts<'_>]) -> Vec<String> {
        let locked = self.messages();
        let unnamed = named_in_one(&locked, log);
        let is_none_named = !log.iter().flat_map(|message| &message.columns).any(|column| column.meanings.is_some());
        let names = match &unnamed[..] {
            [] => None,
            _ if is_none_named => Some("names of values and bits".to_owned()),
            columns => Some(format!("names of values and bits of {}", columns.join(", "))),
        };
        let has_rate = locked.iter().any(|message| message.rate.is_some_and(|rate| rate.value.is_some()));
        let is_closed = locked.iter().flat_map(|message| &message.columns).any(|column| column.is_closed == Some(true));
        let of_types = is_closed.then(|| "types that refuse numbers".to_owned());
        [has_rate.then(|| "rates".to_owned()), names, of_types].into_iter().flatten().collect()
    }

    fn check_facts(&self, today: &[MessageFacts<'_>], is_current: bool, other: Option<&Lock>) -> Check {
        // Can't fail: the facts come from a schema, or were checked when they were read.
        let States { versions, messages } =
            States::of(self).unwrap_or_else(|_| States { versions: vec![], messages: vec![] });
        let next = self.releases.len();
        let mut check = Check {
            level: self.level,
            violations: Vec::new(),
            unaccepted: Vec::new(),
            unused: Vec::new(),
            is_current,
            refused: Vec::new(),
            allowed_by_other: Vec::new(),
            is_of_log: false,
            not_compared: Vec::new(),
        };
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
            let mut broken: Vec<usize> = broken.filter(|&release| !self.allows(&change, release)).collect();
            if let Some(other) = other {
                broken.retain(|&release| match other.exception_for(&change, &self.releases[release]) {
                    Some(line) if check.allowed_by_other.contains(&line) => false,
                    Some(line) => {
                        check.allowed_by_other.push(line);
                        false
                    }
                    None => true,
                });
            }
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

    /// The line that allows a change from the release with this name.
    fn exception_for(&self, change: &Change, release: &str) -> Option<String> {
        let release = self.releases.iter().position(|own| own == release)?;
        let allows = |exception: &&Exception| exception.allows(change) && exception.interval.contains(release);
        self.exceptions.iter().find(allows).map(|exception| self.exception_line(exception))
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
/// What to do about a change that breaks nothing.
const ENTER: &str = "Enter it into the lock, after a review: BINLOG_LOCK=accept cargo test";

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
            writeln!(f, "{line}{count} change{} that the lock allows:", s(count))?;
        }
        for change in &self.unaccepted {
            match change.breaks.breaks(self.level) {
                true => write!(f, "\n{}", Explained { change, since: "" })?,
                false => writeln!(f, "  {}: {}", change.kind, change.summary())?,
            }
        }
        // Once for all messages: one that is added or removed in the middle changes the ids of all that follow.
        for kind in [ChangeKind::Id, ChangeKind::ColumnMoved] {
            let is_of = |change: &&Change| change.kind == kind && !change.breaks.breaks(self.level);
            if let Some(change) = self.unaccepted.iter().find(is_of) {
                writeln!(f, "  {kind}: {} {}", change.consequence(), change.advice())?;
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
