//! Whether programs and logs of two formats go together.

use super::change::Change;
use super::changes::changes;
use super::comparable::Comparable;
use super::facts;
use crate::describe::golden_file;
use crate::format::SchemaMessage;
use crate::read::catalogue::DEFINITIONS;
use std::fmt;
use std::panic::Location;

/// The question that a [`Report`] answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// Do today's structs read logs of the older format?
    CanRead,
    /// Do the structs of the older program read today's logs?
    CanBeReadBy,
}

/// The changes because of which programs of one format don't read logs of the other:
/// [`can_read`](super::can_read), [`can_be_read_by`](super::can_be_read_by).
///
/// `Display` prints for each change what it is, where, what it breaks and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Report {
    question: Question,
    changes: Vec<Change>,
}

impl Report {
    /// The question.
    pub fn question(&self) -> Question {
        self.question
    }

    /// Whether the answer is yes: nothing is in the way.
    pub fn is_ok(&self) -> bool {
        self.changes.is_empty()
    }

    /// The changes that are in the way.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, of_whom) = match self.question {
            Question::CanRead => ("older logs", "today's structs"),
            Question::CanBeReadBy => ("today's logs", "the older structs"),
        };
        if self.is_ok() {
            return writeln!(f, "{of_whom} read {what}");
        }
        let (count, s) = (self.changes.len(), if self.changes.len() == 1 { "" } else { "s" });
        writeln!(f, "{of_whom} don't read all of {what}: {count} change{s}")?;
        self.changes.iter().try_for_each(|change| write!(f, "\n{}", Explained { change, since: "" }))
    }
}

/// A change in at most four lines: the rule and the change, the places, what it breaks, what to do.
pub(crate) struct Explained<'a> {
    pub(crate) change: &'a Change,
    /// The versions that it is a change from.
    pub(crate) since: &'a str,
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explained { change, since } = self;
        writeln!(f, "{}: {}", change.kind, change.summary())?;
        let text =
            |place: &Location<'_>| format!("{}:{}:{}", golden_file::shown(place.file()), place.line(), place.column());
        let place = change.place.map(|place| match change.flattened_at {
            Some(field) => format!("{} (flattened; the column's own field is at {})", text(field), text(place)),
            None => text(place),
        });
        let line = change.line.map(|line| format!("line {line} of the lock"));
        let places: Vec<String> =
            [place, line, Some((*since).to_owned()).filter(|since| !since.is_empty())].into_iter().flatten().collect();
        if !places.is_empty() {
            writeln!(f, "  at {}", places.join(", "))?;
        }
        writeln!(f, "  {}", change.consequence())?;
        writeln!(f, "  {}", change.advice())
    }
}

/// Answers the question for a program.
pub(crate) fn answer(question: Question, program: &'static [SchemaMessage], older: &impl Comparable) -> Report {
    let of_program = facts::of_program(program);
    let is_listed = |name: &str| of_program.iter().any(|message| message.name == name);
    let of_preamble = |name: &str| DEFINITIONS.contains(&name) && !is_listed(name);
    let mut older = older.facts();
    older.retain(|message| !of_preamble(&message.name));
    // As in `Log::typed`: of a message with several names, definitions without records count only if none has records.
    for message in of_program.iter().filter(|message| !message.aliases.is_empty()) {
        let is_of = |name: &str| name == message.name || message.aliases.contains(&name);
        if older.iter().any(|other| other.has_records && is_of(&other.name)) {
            older.retain(|other| other.has_records || !is_of(&other.name));
        }
    }
    let mut changes: Vec<Change> = changes(&older, &of_program).into_iter().map(|found| found.change).collect();
    changes.retain(|change| match question {
        Question::CanRead => change.breaks.old_logs,
        Question::CanBeReadBy => change.breaks.old_programs,
    });
    Report { question, changes }
}
