//! All changes from the messages of one format to those of another, and what each of them breaks.

use super::change::{Breaks, Change, ChangeKind};
use super::facts::{ColumnFacts, MeaningFacts, MessageFacts};
use crate::format::Format;
use crate::format::multiplier::Factor;
use crate::read::catalogue::column::ResolvedColumn;
use crate::read::catalogue::comparison::by_meaning::{ColumnComparison, Fit, Losses, Relation};
use crate::wording::plural::Plural;
use std::collections::{HashMap, HashSet};
use std::panic::Location;

/// A change, and the old messages, by their place among them, that it is a change from.
pub(crate) struct Found {
    pub(crate) change: Change,
    pub(crate) before: Vec<usize>,
}

/// The changes of each old message, in the order of the old format, then the added messages.
///
/// Messages are matched by name, or else by the aliases of the new ones; columns by label, or else by alias. Without an
/// alias, a message with the same id, labels and formats was renamed, and so was a column at the same place with the
/// same meaning. If a message is defined several times, each definition is compared with the one at the same place in
/// the other format, or with the last one there.
pub(crate) fn changes(before: &[MessageFacts<'_>], after: &[MessageFacts<'_>]) -> Vec<Found> {
    let (old_names, old_places) = by_name(before);
    let (new_names, new_places) = by_name(after);
    let is_new = |name: &&str| !old_places.contains_key(*name);
    // The new names, by the id of their first definition.
    let mut new_ids: HashMap<u8, &str> = HashMap::new();
    for name in new_names.iter().copied().filter(|name| is_new(name)) {
        new_ids.entry(after[new_places[name][0]].id.value).or_insert(name);
    }
    let mut found = Changes::default();
    let mut renamed: HashSet<&str> = HashSet::new();
    for &name in &old_names {
        let old = &old_places[name];
        let first = &before[old[0]];
        let with_alias = || new_names.iter().copied().find(|new| after[new_places[new][0]].aliases.contains(&name));
        let alike = || new_ids.get(&first.id.value).copied();
        let alike = || alike().filter(|&new| first.has_layout_of(&after[new_places[new][0]]));
        let (new_name, is_declared) = match (new_places.contains_key(name), with_alias()) {
            (true, _) => (Some(name), true),
            (false, Some(new)) => (Some(new), true),
            (false, None) => (alike(), false),
        };
        let Some(new_name) = new_name else {
            let breaks = Breaks { queries: true, old_programs: true, layout: true, ..Breaks::default() };
            for &at in old {
                let removed = (Some(shown(first)), None);
                found.add(Subject::message(&before[at], at), ChangeKind::MessageRemoved, removed, breaks);
            }
            continue;
        };
        let new = &new_places[new_name];
        if new_name != name {
            renamed.insert(new_name);
            let breaks = Breaks { queries: true, old_logs: !is_declared, old_programs: true, layout: true };
            for &at in old {
                let subject = Subject::message(&before[at], at).declared_as(&after[new[0]]);
                found.add(subject, ChangeKind::MessageRenamed, texts(name, new_name), breaks);
            }
        }
        for i in 0..old.len().max(new.len()) {
            let (old, new) = (old[i.min(old.len() - 1)], new[i.min(new.len() - 1)]);
            found.message(&before[old], old, &after[new]);
        }
    }
    for name in new_names.into_iter().filter(|name| is_new(name) && !renamed.contains(name)) {
        let new = &after[new_places[name][0]];
        let subject = Subject { before: None, ..Subject::message(new, 0) }.declared_as(new);
        found.add(subject, ChangeKind::MessageAdded, (None, Some(shown(new))), Breaks::default());
    }
    found.found
}

/// The names in their order, and the places of each name's messages.
fn by_name<'m>(messages: &'m [MessageFacts<'_>]) -> (Vec<&'m str>, HashMap<&'m str, Vec<usize>>) {
    let (mut names, mut places) = (Vec::new(), HashMap::new());
    for (at, message) in messages.iter().enumerate() {
        let of_name: &mut Vec<usize> = places.entry(&*message.name).or_default();
        if of_name.is_empty() {
            names.push(&*message.name);
        }
        of_name.push(at);
    }
    (names, places)
}

type Texts = (Option<String>, Option<String>);

fn texts<T: ToString>(before: T, after: T) -> Texts {
    (Some(before.to_string()), Some(after.to_string()))
}

/// What a change is about, and where it is declared.
#[derive(Clone, Copy)]
struct Subject<'m> {
    message: &'m str,
    column: Option<&'m str>,
    place: Option<&'static Location<'static>>,
    flattened_at: Option<&'static Location<'static>>,
    line: Option<usize>,
    /// The old message, by its place.
    before: Option<usize>,
    number: Option<i128>,
    reads_default: bool,
}

impl<'m> Subject<'m> {
    /// An old message.
    fn message(message: &'m MessageFacts<'_>, before: usize) -> Self {
        let line = message.id.line;
        Subject {
            message: &message.name,
            column: None,
            place: None,
            flattened_at: None,
            line,
            before: Some(before),
            number: None,
            reads_default: false,
        }
    }

    /// With the place where the new format declares the message.
    fn declared_as(self, new: &MessageFacts<'_>) -> Self {
        // The first column is the time, which isn't flattened.
        Subject { place: new.columns.first().and_then(|column| column.place), ..self }
    }

    fn at_line(self, line: Option<usize>) -> Self {
        Subject { line, ..self }
    }

    /// A value or bit of the column.
    fn number(self, number: i128) -> Self {
        Subject { number: Some(number), ..self }
    }

    /// A column of it: the old one with its line, the new one with its place.
    fn column(self, label: &'m str, old: Option<&ColumnFacts<'_>>, new: Option<&ColumnFacts<'_>>) -> Self {
        let (line, place) = (old.and_then(|old| old.said.line), new.and_then(|new| new.place));
        let flattened_at = new.and_then(|new| new.flattened_at);
        Subject { column: Some(label), line, place: place.or(self.place), flattened_at, ..self }
    }
}

/// What breaks if only the layout changed.
const LAYOUT: Breaks = Breaks { queries: false, old_logs: false, old_programs: false, layout: true };

/// The changes so far. Several definitions of a message may have the same one, which is kept once.
#[derive(Default)]
struct Changes {
    found: Vec<Found>,
    seen: HashMap<Change, usize>,
}

impl Changes {
    fn add(&mut self, subject: Subject<'_>, kind: ChangeKind, (before, after): Texts, breaks: Breaks) {
        let Subject { message, column, place, flattened_at, line, before: old_place, number, reads_default } = subject;
        let column = column.map(str::to_owned);
        let message = message.to_owned();
        let change =
            Change { message, column, kind, before, after, number, reads_default, breaks, place, flattened_at, line };
        // The first line of several is kept. Places are those of the new format, so they are the same.
        let key = Change { line: None, ..change.clone() };
        let at = *self.seen.entry(key).or_insert(self.found.len());
        if at == self.found.len() {
            self.found.push(Found { change, before: Vec::new() });
        }
        let old_places = &mut self.found[at].before;
        old_places.extend(old_place.filter(|old_place| !old_places.contains(old_place)));
    }

    fn message(&mut self, old: &MessageFacts<'_>, before: usize, new: &MessageFacts<'_>) {
        let subject = Subject::message(old, before).declared_as(new);
        if old.id.value != new.id.value {
            self.add(subject, ChangeKind::Id, texts(old.id.value, new.id.value), LAYOUT);
        }
        if let (Some(was), Some(is)) = (old.rate, new.rate)
            && was.value != is.value
        {
            let text = |rate: Option<u32>| rate.map_or("all records".into(), |rate| format!("{rate} a second"));
            let texts = texts(text(was.value), text(is.value));
            self.add(subject.at_line(was.line), ChangeKind::Rate, texts, Breaks::default());
        }
        if old.rest != new.rest {
            let bytes = |rest: usize| Plural(rest, "byte").to_string();
            self.add(subject, ChangeKind::TrailingBytes, texts(bytes(old.rest), bytes(new.rest)), LAYOUT);
        }
        if old.leftover != new.leftover {
            self.add(subject, ChangeKind::UnmatchedLabels, (old.leftover.clone(), new.leftover.clone()), LAYOUT);
        }
        self.columns(old, subject, new);
    }

    fn columns(&mut self, old: &MessageFacts<'_>, subject: Subject<'_>, new: &MessageFacts<'_>) {
        // The old place of each new column that has one.
        let sources: Vec<Option<usize>> = new.columns.iter().map(|column| source_of(column, old)).collect();
        let stayed = stayed(old, new, &sources);
        // A new column without an alias may be an old one with another label.
        let gained =
            new.columns.iter().enumerate().filter(|(place, _)| !stayed.iter().any(|(_, other)| other == place));
        let reads_default = gained
            .map(|(_, column)| column)
            .any(|column| column.history.default.is_some() && column.history.aliases.is_empty());
        for (at, column) in old.columns.iter().enumerate() {
            if !stayed.iter().any(|&(before, _)| before == at) {
                self.removed(Subject { reads_default, ..subject }, column);
            }
        }
        for (&(at, place), in_order) in stayed.iter().zip(in_order(&stayed)) {
            let (was, is) = (&old.columns[at], &new.columns[place]);
            let subject = subject.column(was.label(), Some(was), Some(is));
            if !in_order {
                let column = |at: usize| format!("column {}", at + 1);
                let subject = subject.at_line(old.order.line.or(subject.line));
                self.add(subject, ChangeKind::ColumnMoved, texts(column(at), column(place)), LAYOUT);
            }
            if was.label() != is.label() {
                let is_declared = sources.contains(&Some(at));
                let old_logs = !is_declared && is.history.default.is_none();
                let breaks = Breaks { queries: true, old_logs, old_programs: true, layout: true };
                let subject = Subject { reads_default: !is_declared && !old_logs, ..subject };
                self.add(subject, ChangeKind::ColumnRenamed, texts(was.label(), is.label()), breaks);
            }
            self.column(subject, &was.said.value, &is.said.value);
            self.accepted(subject, was, is);
            if let (Some(was), Some(is)) = (&was.meanings, &is.meanings) {
                self.meanings(subject, was, is);
            }
        }
        for (at, column) in new.columns.iter().enumerate() {
            if !stayed.iter().any(|&(_, place)| place == at) {
                self.added(subject, at, column);
            }
        }
    }

    fn removed(&mut self, subject: Subject<'_>, column: &ColumnFacts<'_>) {
        let old_programs = column.history.default.is_none();
        let breaks = Breaks { queries: true, old_logs: false, old_programs, layout: true };
        let subject = subject.column(column.label(), Some(column), None);
        self.add(subject, ChangeKind::ColumnRemoved, (Some(state(column)), None), breaks);
    }

    fn added(&mut self, subject: Subject<'_>, at: usize, column: &ColumnFacts<'_>) {
        let added = (None, Some(format!("column {}, {}", at + 1, state(column))));
        let breaks = Breaks { old_logs: column.history.default.is_none(), ..LAYOUT };
        let of_column = subject.column(column.label(), None, Some(column)).at_line(subject.line);
        self.add(of_column, ChangeKind::ColumnAdded, added, breaks);
    }

    /// The changes of format, unit and multiplier.
    fn column(&mut self, subject: Subject<'_>, old: &ResolvedColumn<'_>, new: &ResolvedColumn<'_>) {
        let (forward, back) = (ColumnComparison::of(old, new), ColumnComparison::of(new, old));
        let (of_old_logs, of_new_logs) = (Losses::of(old, new, forward), Losses::of(new, old, back));
        // If id and value of the multiplier are equal, only the format changed how numbers are shown.
        let is_same_row = (old.multiplier_id, old.multiplier) == (new.multiplier_id, new.multiplier);
        if forward.format != Fit::Same {
            let is_shown_otherwise = is_same_row && forward.multiplier != Relation::Same;
            let breaks = Breaks {
                queries: sort(old.format) != sort(new.format) || is_shown_otherwise,
                old_logs: of_old_logs.format || (is_same_row && of_old_logs.multiplier),
                old_programs: of_new_logs.format || (is_same_row && of_new_logs.multiplier),
                layout: true,
            };
            self.add(subject, ChangeKind::Format, texts(old.format, new.format), breaks);
        }
        if forward.unit != Relation::Same {
            let breaks = Breaks {
                queries: matches!(forward.unit, Relation::Lost | Relation::Differs),
                old_logs: of_old_logs.unit,
                old_programs: of_new_logs.unit,
                layout: true,
            };
            self.add(subject, ChangeKind::Unit, texts(unit_text(old), unit_text(new)), breaks);
        }
        if forward.multiplier != Relation::Same && !is_same_row {
            let breaks = Breaks {
                // No multiplier is a factor of 1.
                queries: forward.multiplier != Relation::OtherId,
                old_logs: of_old_logs.multiplier,
                old_programs: of_new_logs.multiplier,
                layout: true,
            };
            self.add(subject, ChangeKind::Multiplier, texts(multiplier_text(old), multiplier_text(new)), breaks);
        }
    }

    /// Whether one of the types refuses numbers that the other accepts, where no change of a value tells it.
    fn accepted(&mut self, subject: Subject<'_>, old: &ColumnFacts<'_>, new: &ColumnFacts<'_>) {
        let (Some(was), Some(is)) = (old.is_closed, new.is_closed) else { return };
        let (before, after) = (old.accepted(), new.accepted());
        let (old_logs, old_programs) = match (&before, &after) {
            (Some(before), Some(after)) => {
                let told: Vec<i128> = old.values().collect();
                let is_told = |number: &i128| !told.is_empty() && new.values().any(|value| value == *number);
                (
                    before.iter().any(|number| !after.contains(number) && !told.contains(number)),
                    after.iter().any(|number| !before.contains(number) && !is_told(number)),
                )
            }
            _ => (is && !was, was && !is),
        };
        if old_logs || old_programs {
            let text = |numbers: &Option<Vec<i128>>| match numbers {
                Some(numbers) => numbers.iter().map(i128::to_string).collect::<Vec<_>>().join(", "),
                None => "all numbers".into(),
            };
            let breaks = Breaks { old_logs, old_programs, ..Breaks::default() };
            self.add(subject, ChangeKind::AcceptedValues, (Some(text(&before)), Some(text(&after))), breaks);
        }
    }

    /// The changes of what values and bits stand for. A bit and a value of the same number have nothing in common.
    fn meanings(&mut self, subject: Subject<'_>, old: &MeaningFacts<'_>, new: &MeaningFacts<'_>) {
        let kinds = |are_bits: bool| match are_bits {
            true => [ChangeKind::BitAdded, ChangeKind::BitRemoved, ChangeKind::BitRenamed, ChangeKind::BitRenumbered],
            false => [
                ChangeKind::ValueAdded,
                ChangeKind::ValueRemoved,
                ChangeKind::ValueRenamed,
                ChangeKind::ValueRenumbered,
            ],
        };
        let is_same_sort = old.are_bits == new.are_bits;
        let text = |value: i128, name: &str| format!("{value} {name:?}");
        let [_, removed, renamed, renumbered] = kinds(old.are_bits);
        for row in &old.rows {
            let (value, name) = row.value;
            let subject = subject.at_line(row.line.or(subject.line)).number(value);
            let moved = new.number(name).filter(|_| is_same_sort && old.number(name) == Some(value));
            match (new.name(value).filter(|_| is_same_sort), moved) {
                (None, Some(to)) => {
                    let breaks = Breaks { queries: true, old_logs: true, old_programs: true, layout: false };
                    self.add(subject, renumbered, texts(text(value, name), text(to, name)), breaks);
                }
                (None, None) => {
                    let breaks = Breaks { queries: true, old_logs: !old.are_bits, ..Breaks::default() };
                    self.add(subject, removed, (Some(text(value, name)), None), breaks);
                }
                (Some(other), _) if other != name => {
                    let breaks = Breaks { queries: true, old_logs: true, old_programs: true, layout: false };
                    self.add(subject, renamed, texts(text(value, name), text(value, other)), breaks);
                }
                (Some(_), _) => {}
            }
        }
        let [added, ..] = kinds(new.are_bits);
        for row in &new.rows {
            let (value, name) = row.value;
            let subject = subject.number(value);
            // One that moved here is told where it was.
            let was = old.number(name).filter(|&was| is_same_sort && new.name(was).is_none());
            let has_moved = was.is_some() && new.number(name) == Some(value);
            if old.name(value).filter(|_| is_same_sort).is_none() && !has_moved {
                // Where the column had plain numbers, no program has an enum for it.
                let old_programs = !new.are_bits && !old.rows.is_empty();
                let breaks = Breaks { old_programs, ..Breaks::default() };
                self.add(subject, added, (None, Some(text(value, name))), breaks);
            }
        }
    }
}

/// The places, in the old and in the new definition, of each old column that the new one still has: under its label or
/// an alias, or else at the same place and with the same meaning.
fn stayed(old: &MessageFacts<'_>, new: &MessageFacts<'_>, sources: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut stayed = Vec::new();
    for (at, column) in old.columns.iter().enumerate() {
        let declared = sources.iter().position(|&source| source == Some(at));
        let means_as = || new.columns.get(at).is_some_and(|other| sources[at].is_none() && other.means_as(column));
        if let Some(place) = declared.or_else(|| means_as().then_some(at)) {
            stayed.push((at, place));
        }
    }
    stayed
}

/// The place of the old column that fills a new one.
fn source_of(new: &ColumnFacts<'_>, old: &MessageFacts<'_>) -> Option<usize> {
    new.history.place_of(new.label(), new.nth, old.columns.iter().map(ColumnFacts::label))
}

/// Sorts of values that no query takes for one another.
#[derive(PartialEq)]
enum Sort {
    Number,
    Text,
    Samples,
}

fn sort(format: Format) -> Sort {
    match format {
        Format::I16x32 => Sort::Samples,
        format if format.is_text() => Sort::Text,
        _ => Sort::Number,
    }
}

/// A message that was added or removed.
fn shown(message: &MessageFacts<'_>) -> String {
    let labels: Vec<&str> = message.columns.iter().map(ColumnFacts::label).collect();
    format!("id {}, {}", message.id.value, labels.join(","))
}

/// A column that was added or removed.
fn state(column: &ColumnFacts<'_>) -> String {
    let said = &column.said.value;
    format!("format {}, unit {}, multiplier {}", said.format, unit_text(said), multiplier_text(said))
}

/// A column's unit and its id; no id if the log has no FMTU for the message.
fn unit_text(column: &ResolvedColumn<'_>) -> String {
    match (column.unit_id, column.unit) {
        (None, _) => "none".into(),
        (Some(id), "") => format!("none ({:?})", char::from(id)),
        (Some(id), name) => format!("{name} ({:?})", char::from(id)),
    }
}

/// A column's multiplier and its id; no id if the log has no FMTU for the message, no value if the id is unknown.
fn multiplier_text(column: &ResolvedColumn<'_>) -> String {
    match (column.multiplier_id, column.multiplier) {
        (None, _) => "none".into(),
        (Some(id), None) => format!("unknown ({:?})", char::from(id)),
        (Some(id), Some(0.0)) => format!("none ({:?})", char::from(id)),
        (Some(id), Some(value)) => format!("{} ({:?})", Factor(value), char::from(id)),
    }
}

/// Which of the remaining columns kept their order: the longest ascending run. The others have moved.
fn in_order(stayed: &[(usize, usize)]) -> Vec<bool> {
    // For each column, the length of the longest run that ends with it, and the column before it in that run.
    let mut runs: Vec<(usize, Option<usize>)> = Vec::new();
    for (i, &(_, place)) in stayed.iter().enumerate() {
        let before = (0..i).filter(|&j| stayed[j].1 < place).max_by_key(|&j| (runs[j].0, std::cmp::Reverse(j)));
        runs.push((before.map_or(1, |j| runs[j].0 + 1), before));
    }
    let mut in_order = vec![false; stayed.len()];
    let mut at = (0..stayed.len()).max_by_key(|&i| (runs[i].0, std::cmp::Reverse(i)));
    while let Some(i) = at {
        in_order[i] = true;
        at = runs[i].1;
    }
    in_order
}
