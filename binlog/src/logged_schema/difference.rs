//! Compares the definitions of two logs: what changed, and which programs that affects.

use super::{LoggedSchema, shown_name};
use crate::catalogue::column::ResolvedColumn;
use crate::catalogue::comparison::{ColumnComparison, Fit, Relation};
use crate::catalogue::definition::LoggedDefinition;
use crate::definition::Definition;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The changes from the messages of one log to those of another: [`LoggedSchema::difference`].
///
/// `Display` prints one line for each change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SchemaDifference {
    changes: Vec<Change>,
}

/// One change. `Display` prints one line: `ATT.Roll: unit deg ('d') → rad ('r') (breaking)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Change {
    /// The message's name; the old one, if it was renamed.
    pub message: String,
    /// The column's label; the old one, if it was renamed. `None` if the message itself changed.
    pub column: Option<String>,
    /// What changed.
    pub kind: ChangeKind,
    /// The old state; `None` if there was none.
    pub before: Option<String>,
    /// The new state; `None` if there is none.
    pub after: Option<String>,
    /// Which programs it affects.
    pub effect: Effect,
}

/// The part of a message or column that changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ChangeKind {
    /// A new message or column.
    Added,
    /// A removed message or column.
    Removed,
    /// The name of a message with the same id and columns, or the label of a column with the same place and meaning.
    Renamed,
    /// The place of a column among the columns of both logs.
    Moved,
    /// The id of a message.
    Id,
    /// The bytes of a record after its columns.
    Rest,
    /// Format characters and labels that form no column, in definitions that contradict themselves.
    Leftover,
    /// The format of a column.
    Format,
    /// The unit of a column.
    Unit,
    /// The multiplier of a column.
    Multiplier,
}

/// Which programs a change affects, if they were written for the old definitions and read a log with the new ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// None: a message was added, or an id changed.
    Compatible,
    /// Programs that read whole records by the layout of a struct ([`Record::decode`](crate::Record::decode),
    /// references into the log): a column was added or moved, or the id of a unit or multiplier with the same meaning
    /// changed. Programs that find messages by name and columns by label still work.
    CompatibleByLabel,
    /// All programs that use it: the message or column is gone, or its numbers have another meaning.
    Breaking,
}

impl SchemaDifference {
    /// The changes of each message of the old log, in the order of that log, then the added messages.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether any change is [breaking](Effect::Breaking).
    pub fn is_breaking(&self) -> bool {
        self.effect() == Effect::Breaking
    }

    /// The worst effect of all changes; [`Compatible`](Effect::Compatible) if there are none.
    pub fn effect(&self) -> Effect {
        self.changes.iter().map(|change| change.effect).max().unwrap_or(Effect::Compatible)
    }
}

impl LoggedSchema {
    /// Compares these definitions with those of `new`.
    ///
    /// Messages are matched by name and columns by label, as programs that read logs do:
    ///
    /// | change                                                                        | effect              |
    /// | ----------------------------------------------------------------------------- | ------------------- |
    /// | message added; id of a message                                                | compatible          |
    /// | column added or moved; bytes after the columns; labels that form no column    | compatible by label |
    /// | unit where there was none; ids of a unit or multiplier that means the same    | compatible by label |
    /// | message or column removed or renamed; format, unit or multiplier of a column  | breaking            |
    ///
    /// Units are compared by name and multipliers by value, according to the log's own tables, or else ArduPilot's. No
    /// multiplier equals a multiplier of 1. Multipliers don't matter for formats that scale by themselves (`c`, `C`,
    /// `e`, `E`, `L`). The tables themselves aren't compared. If a message is defined several times, each definition is
    /// compared with the one at the same place in the other log, or with the last one there.
    pub fn difference(&self, new: &LoggedSchema) -> SchemaDifference {
        let (before, after) = (Messages::of(self), Messages::of(new));
        // The new names, by the id of their first definition.
        let mut added: HashMap<u8, &str> = HashMap::new();
        for name in after.names.iter().filter(|name| !before.definitions.contains_key(*name)) {
            added.entry(after.definitions[name][0].id).or_insert(name);
        }
        let mut changes = Vec::new();
        let mut renamed = HashSet::new();
        for name in &before.names {
            let old = &before.definitions[name];
            if let Some(new) = after.definitions.get(name) {
                changes.extend(Changes::of(name, old, new));
            } else if let Some(&other) = added.get(&old[0].id)
                && old[0].is_renamed(&after.definitions[other][0])
            {
                let names = texts(name.as_str(), other);
                changes.push(Change::of(name, None, ChangeKind::Renamed, names, Effect::Breaking));
                changes.extend(Changes::of(name, old, &after.definitions[other]));
                renamed.insert(other);
            } else {
                let removed = (Some(old[0].shown()), None);
                changes.push(Change::of(name, None, ChangeKind::Removed, removed, Effect::Breaking));
            }
        }
        for name in &after.names {
            if !before.definitions.contains_key(name) && !renamed.contains(name.as_str()) {
                let added = (None, Some(after.definitions[name][0].shown()));
                changes.push(Change::of(name, None, ChangeKind::Added, added, Effect::Compatible));
            }
        }
        SchemaDifference { changes }
    }
}

type Texts = (Option<String>, Option<String>);

fn texts<T: ToString>(before: T, after: T) -> Texts {
    (Some(before.to_string()), Some(after.to_string()))
}

impl Change {
    fn of(message: &str, column: Option<&str>, kind: ChangeKind, (before, after): Texts, effect: Effect) -> Self {
        Change { message: message.to_owned(), column: column.map(str::to_owned), kind, before, after, effect }
    }
}

/// The changes of one message.
struct Changes<'m> {
    message: &'m str,
    changes: Vec<Change>,
    /// The changes found so far; several definitions may have the same one.
    seen: HashSet<Change>,
}

impl<'m> Changes<'m> {
    /// The changes of all definitions of a message.
    fn of(message: &'m str, old: &[Message<'_>], new: &[Message<'_>]) -> Vec<Change> {
        let mut changes = Changes { message, changes: Vec::new(), seen: HashSet::new() };
        for i in 0..old.len().max(new.len()) {
            changes.message(&old[i.min(old.len() - 1)], &new[i.min(new.len() - 1)]);
        }
        changes.changes
    }

    fn add(&mut self, column: Option<&str>, kind: ChangeKind, texts: Texts, effect: Effect) {
        let change = Change::of(self.message, column, kind, texts, effect);
        if self.seen.insert(change.clone()) {
            self.changes.push(change);
        }
    }

    fn message(&mut self, old: &Message<'_>, new: &Message<'_>) {
        if old.id != new.id {
            self.add(None, ChangeKind::Id, texts(old.id, new.id), Effect::Compatible);
        }
        if old.rest != new.rest {
            let bytes = |rest: usize| format!("{rest} bytes");
            self.add(None, ChangeKind::Rest, texts(bytes(old.rest), bytes(new.rest)), Effect::CompatibleByLabel);
        }
        if old.leftover != new.leftover {
            let leftover = (old.leftover.clone(), new.leftover.clone());
            self.add(None, ChangeKind::Leftover, leftover, Effect::CompatibleByLabel);
        }

        // The place of each remaining column in the old and in the new definition.
        let mut stayed: Vec<(usize, usize)> = Vec::new();
        for (at, column) in old.columns.iter().enumerate() {
            let place = match new.columns.iter().position(|other| other.is_same_label(column)) {
                Some(place) => Some(place),
                // At the same place, a column with a new label and the same meaning.
                None => new.columns.get(at).filter(|other| other.means_as(column) && !old.has(other)).map(|_| at),
            };
            match place {
                Some(place) => stayed.push((at, place)),
                None => {
                    let removed = (Some(column.shown()), None);
                    self.add(Some(column.said.label), ChangeKind::Removed, removed, Effect::Breaking);
                }
            }
        }
        for (&(at, place), in_order) in stayed.iter().zip(in_order(&stayed)) {
            let (old, new) = (&old.columns[at], &new.columns[place]);
            if !in_order {
                let column = |at: usize| format!("column {}", at + 1);
                let moved = texts(column(at), column(place));
                self.add(Some(old.said.label), ChangeKind::Moved, moved, Effect::CompatibleByLabel);
            }
            self.column(old, new);
        }
        for (at, column) in new.columns.iter().enumerate() {
            if !stayed.iter().any(|&(_, place)| place == at) {
                let added = (None, Some(format!("column {}, {}", at + 1, column.shown())));
                self.add(Some(column.said.label), ChangeKind::Added, added, Effect::CompatibleByLabel);
            }
        }
    }

    fn column(&mut self, old: &Column<'_>, new: &Column<'_>) {
        let (old, new) = (&old.said, &new.said);
        let label = Some(old.label);
        let ColumnComparison { format, unit, multiplier } = ColumnComparison::of(old, new);
        if old.label != new.label {
            self.add(label, ChangeKind::Renamed, texts(old.label, new.label), Effect::Breaking);
        }
        if format != Fit::Same {
            self.add(label, ChangeKind::Format, texts(old.format, new.format), Effect::Breaking);
        }
        let effect = match unit {
            Relation::Same => None,
            Relation::OtherId | Relation::Gained => Some(Effect::CompatibleByLabel),
            Relation::Lost | Relation::Differs => Some(Effect::Breaking),
        };
        if let Some(effect) = effect {
            self.add(label, ChangeKind::Unit, texts(unit_text(old), unit_text(new)), effect);
        }
        // If id and value are equal, only the format differs, and that has its own line.
        let is_same_row = (old.multiplier_id, old.multiplier) == (new.multiplier_id, new.multiplier);
        let effect = match multiplier {
            Relation::Same => None,
            _ if is_same_row => None,
            Relation::OtherId => Some(Effect::CompatibleByLabel),
            // No multiplier is a factor of 1.
            Relation::Gained | Relation::Lost | Relation::Differs => Some(Effect::Breaking),
        };
        if let Some(effect) = effect {
            self.add(label, ChangeKind::Multiplier, texts(multiplier_text(old), multiplier_text(new)), effect);
        }
    }
}

/// The definitions of each message, and the names in the order of the log.
struct Messages<'a> {
    names: Vec<String>,
    definitions: HashMap<String, Vec<Message<'a>>>,
}

impl<'a> Messages<'a> {
    fn of(schema: &'a LoggedSchema) -> Self {
        let mut messages = Messages { names: Vec::new(), definitions: HashMap::new() };
        for definition in schema.messages() {
            let name = shown_name(&definition);
            let message = Message::of(schema, &definition);
            let definitions = messages.definitions.entry(name.clone()).or_default();
            if definitions.is_empty() {
                messages.names.push(name);
            }
            definitions.push(message);
        }
        messages
    }
}

/// The parts of a definition that are compared.
struct Message<'a> {
    id: u8,
    columns: Vec<Column<'a>>,
    /// The bytes of the record after its columns.
    rest: usize,
    leftover: Option<String>,
}

impl<'a> Message<'a> {
    fn of(schema: &'a LoggedSchema, definition: &LoggedDefinition<'a>) -> Self {
        let mut columns: Vec<Column<'a>> = Vec::new();
        let mut used = Definition::HEADER_LENGTH;
        for column in definition.columns() {
            let nth = columns.iter().filter(|other| other.said.label == column.label).count();
            used += column.format.size();
            columns.push(Column { said: ResolvedColumn::of_log(&column, schema), nth });
        }
        let formats: String = definition.format().chars().skip(columns.len()).collect();
        let labels: Vec<&str> = definition.labels().split(',').skip(columns.len()).collect();
        let labels = labels.join(",");
        let leftover = (!formats.is_empty() || !labels.is_empty())
            .then(|| format!("formats {formats:?}, labels {labels:?} that form no column"));
        Message { id: definition.id(), columns, rest: usize::from(definition.length()).saturating_sub(used), leftover }
    }

    fn has(&self, column: &Column<'_>) -> bool {
        self.columns.iter().any(|other| other.is_same_label(column))
    }

    /// Whether it may be the same message with another name.
    fn is_renamed(&self, new: &Message<'_>) -> bool {
        let layout = |message: &Message<'_>| -> Vec<_> {
            message.columns.iter().map(|column| (column.said.label.to_owned(), column.said.format)).collect()
        };
        self.id == new.id && layout(self) == layout(new)
    }

    fn shown(&self) -> String {
        let labels: Vec<&str> = self.columns.iter().map(|column| column.said.label).collect();
        format!("id {}, {}", self.id, labels.join(","))
    }
}

struct Column<'a> {
    said: ResolvedColumn<'a>,
    /// How many earlier columns have the same label.
    nth: usize,
}

impl Column<'_> {
    fn is_same_label(&self, other: &Column<'_>) -> bool {
        (self.said.label, self.nth) == (other.said.label, other.nth)
    }

    /// Whether its numbers have the same meaning, including the ids.
    fn means_as(&self, other: &Column<'_>) -> bool {
        let (own, other) = (&self.said, &other.said);
        own.format == other.format
            && (own.unit_id, own.unit) == (other.unit_id, other.unit)
            && (own.multiplier_id, own.multiplier) == (other.multiplier_id, other.multiplier)
    }

    fn shown(&self) -> String {
        let ResolvedColumn { format, .. } = self.said;
        format!("format {format}, unit {}, multiplier {}", unit_text(&self.said), multiplier_text(&self.said))
    }
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
        (Some(id), Some(value)) if value.abs() < 0.1 => format!("{value:e} ({:?})", char::from(id)),
        (Some(id), Some(value)) => format!("{value} ({:?})", char::from(id)),
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

impl fmt::Display for SchemaDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.changes.iter().try_for_each(|change| writeln!(f, "{change}"))
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(column) = &self.column {
            write!(f, ".{}", on_a_line(column))?;
        }
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let (before, after) = (before.unwrap_or("nothing"), after.unwrap_or("nothing"));
        write!(f, ": {} {} → {} ({})", self.kind.words(), on_a_line(before), on_a_line(after), self.effect)
    }
}

/// Labels come from a log and may contain anything.
fn on_a_line(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

impl ChangeKind {
    fn words(self) -> &'static str {
        match self {
            ChangeKind::Added => "added:",
            ChangeKind::Removed => "removed:",
            ChangeKind::Renamed => "renamed",
            ChangeKind::Moved => "moved",
            ChangeKind::Id => "id",
            ChangeKind::Rest => "after the columns",
            ChangeKind::Leftover => "unused",
            ChangeKind::Format => "format",
            ChangeKind::Unit => "unit",
            ChangeKind::Multiplier => "multiplier",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effect::Compatible => "compatible",
            Effect::CompatibleByLabel => "compatible by label",
            Effect::Breaking => "breaking",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Row, schema};
    use super::*;
    use crate::catalogue::definition::CopiedDefinition;
    use crate::logged_schema::{LoggedMultiplier, LoggedUnit};

    const ATT: Row<'_> = (1, "ATT", "Qcch", "TimeUS,Roll,Pitch,Err", "sdd-", "FBB-");

    /// The changes to ATT, one line each.
    fn became(new: Row<'_>) -> Vec<String> {
        schema(&[ATT]).difference(&schema(&[new])).changes.iter().map(Change::to_string).collect()
    }

    #[test]
    fn each_change_is_a_line_with_what_it_means() {
        let changes: [(Row<'_>, &[&str]); 16] = [
            (ATT, &[]),
            ((2, ATT.1, ATT.2, ATT.3, ATT.4, ATT.5), &["ATT: id 1 → 2 (compatible)"]),
            ((1, "ATX", ATT.2, ATT.3, ATT.4, ATT.5), &["ATT: renamed ATT → ATX (breaking)"]),
            (
                (7, "ATX", ATT.2, ATT.3, ATT.4, ATT.5),
                &[
                    "ATT: removed: id 1, TimeUS,Roll,Pitch,Err → nothing (breaking)",
                    "ATX: added: nothing → id 7, TimeUS,Roll,Pitch,Err (compatible)",
                ],
            ),
            (
                (1, "ATT", "Qccchf", "TimeUS,Roll,Pitch,Yaw,Err,Dt", "sddh-s", "FBBB-0"),
                &[
                    "ATT.Yaw: added: nothing → column 4, format c, unit degheading ('h'), multiplier 1e-2 ('B') \
                     (compatible by label)",
                    "ATT.Dt: added: nothing → column 6, format f, unit s ('s'), multiplier 1 ('0') \
                     (compatible by label)",
                ],
            ),
            (
                (1, "ATT", "Qch", "TimeUS,Roll,Err", "sd-", "FB-"),
                &["ATT.Pitch: removed: format c, unit deg ('d'), multiplier 1e-2 ('B') → nothing (breaking)"],
            ),
            (
                (1, "ATT", "Qcch", "TimeUS,RollDeg,Pitch,Err", "sdd-", "FBB-"),
                &["ATT.Roll: renamed Roll → RollDeg (breaking)"],
            ),
            // With another meaning, it is another column.
            (
                (1, "ATT", "Qcch", "TimeUS,Temp,Pitch,Err", "sOd-", "FBB-"),
                &[
                    "ATT.Roll: removed: format c, unit deg ('d'), multiplier 1e-2 ('B') → nothing (breaking)",
                    "ATT.Temp: added: nothing → column 2, format c, unit degC ('O'), multiplier 1e-2 ('B') \
                     (compatible by label)",
                ],
            ),
            (
                (1, "ATT", "Qhcc", "TimeUS,Err,Roll,Pitch", "s-dd", "F-BB"),
                &["ATT.Err: moved column 4 → column 2 (compatible by label)"],
            ),
            ((1, "ATT", "Qcfh", ATT.3, ATT.4, ATT.5), &["ATT.Pitch: format c → f (breaking)"]),
            ((1, "ATT", ATT.2, ATT.3, "sdr-", ATT.5), &["ATT.Pitch: unit deg ('d') → rad ('r') (breaking)"]),
            ((1, "ATT", ATT.2, ATT.3, "sd--", ATT.5), &["ATT.Pitch: unit deg ('d') → none ('-') (breaking)"]),
            (
                (1, "ATT", ATT.2, ATT.3, "sddm", "FBB0"),
                &[
                    "ATT.Err: unit none ('-') → m ('m') (compatible by label)",
                    "ATT.Err: multiplier none ('-') → 1 ('0') (compatible by label)",
                ],
            ),
            ((1, "ATT", ATT.2, ATT.3, ATT.4, "FBBC"), &["ATT.Err: multiplier none ('-') → 1e-3 ('C') (breaking)"]),
            // The format scales by itself.
            (
                (1, "ATT", ATT.2, ATT.3, ATT.4, "FB--"),
                &["ATT.Pitch: multiplier 1e-2 ('B') → none ('-') (compatible by label)"],
            ),
            (
                (1, "ATT", ATT.2, ATT.3, ATT.4, "FBB?"),
                &["ATT.Err: multiplier none ('-') → 1 ('?') (compatible by label)"],
            ),
        ];
        for (new, expected) in changes {
            assert_eq!(became(new), expected, "{new:?}");
        }
    }

    #[test]
    fn a_log_without_fmtu_contradicts_none() {
        let silent: Row<'_> = (1, "EV", "QBB", "TimeUS,Id,X", "", "");
        let none: Row<'_> = (1, "EV", "QBB", "TimeUS,Id,X", "---", "---");
        let some: Row<'_> = (1, "EV", "QBB", "TimeUS,Id,X", "s--", "F--");
        assert!(schema(&[silent]).difference(&schema(&[none])).is_empty());
        assert!(schema(&[none]).difference(&schema(&[silent])).is_empty());
        assert!(!schema(&[silent]).difference(&schema(&[some])).is_empty());
    }

    #[test]
    fn a_unit_is_what_its_log_calls_it() {
        let with = |id: u8, name: &str, value: f64| {
            let ids = format!("s{}", char::from(id));
            let mut schema = schema(&[(1, "MAG", "Qh", "TimeUS,X", &ids, &ids.replace('s', "F"))]);
            schema.units.push(LoggedUnit { id, name: name.into() });
            schema.multipliers.push(LoggedMultiplier { id, value });
            schema
        };
        let changes = |old: &LoggedSchema, new: LoggedSchema| old.difference(&new).to_string();
        let old = with(b'T', "uT", 0.5);
        assert_eq!(
            changes(&old, with(b'N', "uT", 0.5)),
            "MAG.X: unit uT ('T') → uT ('N') (compatible by label)\n\
             MAG.X: multiplier 0.5 ('T') → 0.5 ('N') (compatible by label)\n"
        );
        assert_eq!(changes(&old, with(b'T', "t", 0.5)), "MAG.X: unit uT ('T') → t ('T') (breaking)\n");
        assert_eq!(changes(&old, with(b'T', "uT", 0.25)), "MAG.X: multiplier 0.5 ('T') → 0.25 ('T') (breaking)\n");
        // The table alone doesn't count.
        let mut more = old.clone();
        more.units.push(LoggedUnit { id: b'd', name: "decibel".into() });
        assert!(old.difference(&more).is_empty());
    }

    #[test]
    fn definitions_of_one_message_are_compared_in_their_order() {
        let roll: Row<'_> = (1, "ATT", "Qf", "TimeUS,Roll", "sd", "F0");
        let both: Row<'_> = (1, "ATT", "Qff", "TimeUS,Roll,Pitch", "sdd", "F00");
        assert!(schema(&[roll, both]).difference(&schema(&[roll, both])).is_empty());
        // Some of the records lack a column that all records had.
        let difference = schema(&[both]).difference(&schema(&[both, roll]));
        assert!(difference.is_breaking());
        let difference = schema(&[roll]).difference(&schema(&[both, both]));
        assert_eq!((difference.changes.len(), difference.effect()), (1, Effect::CompatibleByLabel));
    }

    #[test]
    fn what_makes_no_column_is_compared_too() {
        let of = |length, format, labels| {
            let definition = CopiedDefinition::new(1, length, "EFI", format, labels, None);
            LoggedSchema { definitions: vec![definition], ..Default::default() }
        };
        let old = of(12, "QB", "TimeUS,X");
        assert_eq!(
            old.difference(&of(15, "QB", "TimeUS,X")).to_string(),
            "EFI: after the columns 0 bytes → 3 bytes (compatible by label)\n"
        );
        assert_eq!(
            old.difference(&of(12, "QBx", "TimeUS,X")).to_string(),
            "EFI: unused nothing → formats \"x\", labels \"\" that form no column (compatible by label)\n"
        );
        // One line, whatever the log contains.
        assert_eq!(of(12, "QB", "TimeUS,\n").difference(&old).to_string().lines().count(), 1);
    }
}
