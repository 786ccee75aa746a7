//! Brings a lock up to date with a program, and adds releases to it.

use super::fact::{Aspect, Dated, Fact, Interval};
use super::token::Subject;
use super::{Exception, Lock};
use crate::change::LoggedSchema;
use crate::change::compatibility::facts;
use crate::change::compatibility::facts::MessageFacts;
use crate::format::LogSchema;
use crate::read::catalogue::DEFINITIONS;
use std::collections::{HashMap, HashSet};

/// The id of no unit, and of no multiplier.
const NONE: u8 = b'-';

impl Lock {
    /// The facts of a schema, as the version that isn't released yet.
    pub fn of<S: LogSchema>() -> Self {
        let mut lock = Lock::default();
        lock.accept::<S>();
        lock
    }

    /// The format of a log, as the version that isn't released yet: for firmware whose tests don't run on the host.
    ///
    /// The lock takes no rates, types that refuse numbers, or descriptions from a log, and names of values and bits
    /// only if the log [describes](LoggedSchema::descriptions) them. It doesn't notice when what it lacks changes.
    pub fn of_log(log: &LoggedSchema) -> Self {
        let mut facts = log.named_facts();
        facts.retain(|message| !DEFINITIONS.contains(&&*message.name));
        let mut lock = Lock::default();
        lock.enter(facts_of(&facts));
        lock
    }

    /// Enters the facts of a schema as those of the version that isn't released yet. Facts of releases stay.
    ///
    /// It doesn't ask whether that breaks anything: [`check`](Lock::check) does.
    pub fn accept<S: LogSchema>(&mut self) {
        self.enter(facts_of(&facts::of_program(S::MESSAGES)));
        self.descriptions = descriptions_of::<S>();
    }

    /// Enters the facts of today.
    fn enter(&mut self, today: Vec<(Subject, Fact)>) {
        let next = self.releases.len();
        let by_aspect: HashMap<(&Subject, Aspect), &Fact> =
            today.iter().map(|(subject, fact)| ((subject, fact.aspect()), fact)).collect();
        let holds = |dated: &Dated| by_aspect.get(&(&dated.subject, dated.fact.aspect())) == Some(&&dated.fact);
        for dated in &mut self.facts {
            dated.interval.until = match dated.interval.until {
                None if !holds(dated) => Some(next),
                // It had been left out since the last release, and is back.
                Some(until) if until == next && holds(dated) => None,
                until => until,
            };
        }
        // What no release had and is gone.
        self.facts.retain(|dated| dated.interval.until.is_none_or(|until| until > dated.interval.from));
        let known: HashSet<(Subject, Aspect)> = (self.facts.iter())
            .filter(|dated| dated.interval.until.is_none())
            .map(|dated| (dated.subject.clone(), dated.fact.aspect()))
            .collect();
        let places = Places::of(&self.facts, &today);
        for (subject, fact) in today {
            if !known.contains(&(subject.clone(), fact.aspect())) {
                let interval = Interval { from: next, until: None };
                self.facts.push(Dated { interval, subject, fact, line: None });
            }
        }
        self.facts
            .sort_by_cached_key(|dated| (places.of_subject(&dated.subject), dated.fact.aspect(), dated.interval.from));
    }

    /// Removes the exceptions with these lines, which are without reasons.
    pub(super) fn remove_exceptions(&mut self, lines: &[String]) {
        let is_kept =
            |exception: &Exception| !lines.iter().any(|line| *line == self.exception_text(exception).trim_end());
        let kept = self.exceptions.iter().filter(|exception| is_kept(exception)).cloned().collect();
        self.exceptions = kept;
    }

    /// Makes the version that isn't released yet a release.
    ///
    /// # Errors
    ///
    /// If there is a release with this name, if the last one has a higher version, or if the name isn't valid: it has
    /// letters, digits, and `.`, `_`, `+`, `-`.
    pub fn release(&mut self, name: &str) -> Result<(), String> {
        self.check_release(name)?;
        if let Some(last) = self.releases.last()
            && let (Some(version), Some(of_last)) = (version(name), version(last))
            && version < of_last
        {
            return Err(format!("the release {name} is before {last}, the last one; a lock has releases in order"));
        }
        self.releases.push(name.to_owned());
        Ok(())
    }

    /// Whether the facts of today are those of a schema, apart from descriptions.
    pub(super) fn is_current<S: LogSchema>(&self) -> bool {
        let today = facts_of(&facts::of_program(S::MESSAGES));
        let mut today: HashMap<(&Subject, Aspect), &Fact> =
            today.iter().map(|(subject, fact)| ((subject, fact.aspect()), fact)).collect();
        let head = self.facts.iter().filter(|dated| dated.interval.until.is_none());
        for dated in head {
            if today.remove(&(&dated.subject, dated.fact.aspect())) != Some(&dated.fact) {
                return false;
            }
        }
        today.is_empty()
    }
}

/// The numbers that a release's name begins with: 1 and 4 of `1.4-rc1`. `None` if it begins with a letter.
fn version(release: &str) -> Option<Vec<u64>> {
    let end = release.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(release.len());
    release[..end].trim_end_matches('.').split('.').map(|number| number.parse().ok()).collect()
}

/// The facts of messages, in their order. Where a log gives no unit or multiplier, there is none.
fn facts_of(messages: &[MessageFacts<'_>]) -> Vec<(Subject, Fact)> {
    let mut facts = Vec::new();
    for message in messages {
        let name = message.name.as_ref();
        let of_message = Subject { message: name.to_owned(), column: None };
        facts.push((of_message.clone(), Fact::Id(message.id.value)));
        if let Some(rate) = message.rate.as_ref().and_then(|rate| rate.value) {
            facts.push((of_message.clone(), Fact::Rate(rate)));
        }
        let labels = message.columns.iter().map(|column| column.label().to_owned());
        facts.push((of_message, Fact::Order(labels.collect())));
        for column in &message.columns {
            let said = &column.said.value;
            let subject = Subject { message: name.to_owned(), column: Some((said.label.to_owned(), column.nth)) };
            let unit = (said.unit_id.unwrap_or(NONE), said.unit.to_owned());
            let multiplier = (said.multiplier_id.unwrap_or(NONE), said.multiplier.unwrap_or_default());
            facts.push((
                subject.clone(),
                Fact::Column { format: said.format, unit, multiplier, is_closed: column.is_closed.unwrap_or_default() },
            ));
            let meanings = column.meanings.as_ref();
            for row in meanings.into_iter().flat_map(|meanings| &meanings.rows) {
                let (value, text) = (row.value.0, row.value.1.to_owned());
                let are_bits = meanings.is_some_and(|meanings| meanings.are_bits);
                let fact = if are_bits { Fact::Bit(value, text) } else { Fact::Value(value, text) };
                // A schema may name a value twice; the first name counts.
                let mut of_column = facts.iter().rev().take_while(|(other, _)| *other == subject);
                if !of_column.any(|(_, before)| before.aspect() == fact.aspect()) {
                    facts.push((subject.clone(), fact));
                }
            }
        }
    }
    facts
}

fn descriptions_of<S: LogSchema>() -> Vec<(Subject, String)> {
    let mut descriptions = Vec::new();
    for message in S::MESSAGES {
        let name = message.definition.name.to_owned();
        let mut describe = |column: Option<(String, usize)>, text: &str| {
            if !text.is_empty() {
                descriptions.push((Subject { message: name.clone(), column }, text.to_owned()));
            }
        };
        describe(None, message.definition.description);
        for (i, column) in message.definition.columns.iter().enumerate() {
            let before = &message.definition.columns[..i];
            let nth = before.iter().filter(|before| before.label == column.label).count();
            describe(Some((column.label.to_owned(), nth)), column.description);
        }
    }
    descriptions
}

/// The places of messages and columns in the file: those of the file, and new ones after what precedes them in the
/// schema. So a change moves no line.
struct Places {
    messages: HashMap<String, usize>,
    columns: HashMap<Subject, usize>,
}

impl Places {
    fn of(before: &[Dated], today: &[(Subject, Fact)]) -> Self {
        let subjects = || before.iter().map(|dated| &dated.subject);
        let new = || today.iter().map(|(subject, _)| subject);
        let messages = merged(subjects().map(|subject| &subject.message), new().map(|subject| &subject.message));
        let columns = merged(subjects(), new());
        Places {
            messages: messages.into_iter().enumerate().map(|(place, name)| (name.clone(), place)).collect(),
            columns: columns.into_iter().enumerate().map(|(place, subject)| (subject.clone(), place)).collect(),
        }
    }

    /// A message comes before its columns.
    fn of_subject(&self, subject: &Subject) -> (usize, Option<usize>) {
        let place = self.messages.get(&subject.message).copied().unwrap_or(usize::MAX);
        let column = subject.column.as_ref().map(|_| self.columns.get(subject).copied().unwrap_or(usize::MAX));
        (place, column)
    }
}

/// Each item once, in the order of `before`; the others after the one that precedes them in `today`.
fn merged<'t, T: Eq + std::hash::Hash>(
    before: impl Iterator<Item = &'t T>,
    today: impl Iterator<Item = &'t T>,
) -> Vec<&'t T> {
    let mut kept: HashSet<&T> = HashSet::new();
    let before: Vec<&T> = before.filter(|item| kept.insert(*item)).collect();
    let mut added: HashSet<&T> = HashSet::new();
    // By the item that they follow, in order.
    let mut following: HashMap<Option<&T>, Vec<&T>> = HashMap::new();
    let mut anchor = None;
    for item in today {
        if kept.contains(item) {
            anchor = Some(item);
        } else if added.insert(item) {
            following.entry(anchor).or_default().push(item);
        }
    }
    let mut all = following.remove(&None).unwrap_or_default();
    for item in before {
        all.push(item);
        all.extend(following.remove(&Some(item)).unwrap_or_default());
    }
    all
}
