//! What a log defines: FMT, FMTU, UNIT and MULT records, one after the other.

use super::definition;
use super::findings::Findings;
use super::rule::Rule;
use crate::format::header::FMT_ID;
use crate::format::multiplier::Factor;
use crate::format::{Multiplier, Unit};
use crate::read::catalogue::declaration::{Change, Declaration};
use crate::read::catalogue::definition::FmtContent;
use crate::read::catalogue::units::{TableRow, UnitTables, Units};
use crate::read::{LoggedColumn, LoggedDefinition, Record};
use std::collections::{BTreeMap, HashMap};

/// The definitions so far.
pub(super) struct Declarations<'a> {
    /// By id, as the log declares them.
    in_force: [Option<LoggedDefinition<'a>>; 256],
    by_name: HashMap<&'a str, FmtContent>,
    units: Units,
    /// The ids that FMTUs use.
    used: BTreeMap<(Kind, u8), Use>,
    /// The columns without a multiplier whose unit has no name before the FMTU at this offset.
    unnamed: Vec<(LoggedDefinition<'a>, LoggedColumn<'a>, usize)>,
    /// FMTUs whose time is below 256, by that time.
    early_fmtu: BTreeMap<u8, (usize, u64)>,
    has_fmtu: bool,
    /// By id, the first record of a definition without FMTU, as long as none follows.
    without_units: [Option<(&'a str, usize)>; 256],
    /// The types that have records and never got an FMTU, with the offset of the first record.
    unitless: BTreeMap<&'a str, usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Unit,
    Multiplier,
}

/// The use of an id of a unit or multiplier.
struct Use {
    offset: usize,
    count: u64,
    column: String,
    /// The first use and the number of uses before the log defines the id.
    early: Option<(usize, u64)>,
}

impl<'a> Declarations<'a> {
    pub(super) fn new() -> Self {
        Declarations {
            in_force: [None; 256],
            by_name: HashMap::new(),
            units: Units::default(),
            used: BTreeMap::new(),
            unnamed: Vec::new(),
            early_fmtu: BTreeMap::new(),
            has_fmtu: false,
            without_units: [None; 256],
            unitless: BTreeMap::new(),
        }
    }

    /// The name of the type with this id, or `id 37`.
    pub(super) fn name(&self, id: u8) -> String {
        match &self.in_force[usize::from(id)] {
            Some(definition) => definition.shown_name(),
            None if id == FMT_ID => "FMT".into(),
            None => format!("id {id}"),
        }
    }

    /// Notes that a type has a record; `definition` is in force for it.
    pub(super) fn has_record(&mut self, definition: &LoggedDefinition<'a>, offset: usize) {
        if definition.unit_ids().is_none() {
            let slot = &mut self.without_units[usize::from(definition.id())];
            slot.get_or_insert((definition.name(), offset));
        }
    }

    /// An FMT record with an impossible length, which declares nothing.
    pub(super) fn impossible(record: &Record<'_>, findings: &mut Findings) {
        let (Some(&id), Some(&length)) = (record.payload().first(), record.payload().get(1)) else { return };
        let text = || format!("FMT.Length is {length}");
        findings.add(Rule::ImpossibleLength, &format!("id {id}"), record.offset(), text);
    }

    /// A record that declares something.
    pub(super) fn declare(&mut self, declaration: Declaration<'a>, record: &Record<'_>, findings: &mut Findings) {
        let (id, offset) = (declaration.id(), record.offset());
        let known = self.in_force[usize::from(id)];
        match (declaration, declaration.change(known)) {
            (Declaration::Fmt(_), Change::Amended(definition) | Change::Replaced(definition)) => {
                self.redefine(known, &definition, offset, findings);
                definition::check_layout(&definition, offset, findings);
                self.in_force[usize::from(id)] = Some(definition);
            }
            (Declaration::Fmt(_), Change::Same) => {}
            (Declaration::Fmtu(..), change) => {
                self.has_fmtu = true;
                self.without_units[usize::from(id)] = None;
                let first = record.values().next().filter(|(column, _)| column.label != "FmtType");
                let first = first.and_then(|(_, value)| u8::try_from(value.to_integer()?).ok());
                if let Some(time) = first {
                    self.early_fmtu.entry(time).or_insert((offset, 0)).1 += 1;
                }
                let Some(known) = known else {
                    let text = || "no FMT for the type precedes its FMTU".into();
                    findings.add(Rule::UnitsWithoutType, &format!("id {id}"), offset, text);
                    return;
                };
                if let Change::Amended(definition) | Change::Replaced(definition) = change {
                    if let (Change::Replaced(_), Some(_)) = (change, known.unit_ids()) {
                        redefine_units(&known, &definition, offset, findings);
                    }
                    definition::check_units(&definition, offset, findings);
                    self.look_for_multipliers(definition, offset, findings);
                    self.use_ids(&definition, offset);
                    self.in_force[usize::from(id)] = Some(definition);
                }
            }
        }
    }

    /// Whether an id or a name had another definition before.
    fn redefine(
        &mut self,
        known: Option<LoggedDefinition<'a>>,
        definition: &LoggedDefinition<'a>,
        offset: usize,
        findings: &mut Findings,
    ) {
        let (id, name) = (definition.id(), definition.name());
        if known.is_some()
            && let Some((name, first)) = self.without_units[usize::from(id)].take()
        {
            self.unitless.entry(name).or_insert(first);
        }
        if id == 255 {
            findings.add(Rule::ReservedId, &definition.shown_name(), offset, || "FMT.Type is 255".into());
        }
        if let Some(known) = known.filter(|known| known.name() != name) {
            let text =
                || format!("the id was {}'s, and is {}'s from here on", known.shown_name(), definition.shown_name());
            findings.add(Rule::RedefinedType, &format!("id {id}"), offset, text);
        }
        if name.is_empty() {
            return;
        }
        let content = definition.fmt_content();
        match self.by_name.insert(name, content) {
            Some(before) if before != content => {
                let text = || format!("its layout is `{}` from here on, and was another", definition.labels());
                findings.add(Rule::RedefinedType, &definition.shown_name(), offset, text);
            }
            _ => {}
        }
        let twin = self.in_force.iter().flatten().find(|other| other.id() != id && other.name() == name);
        if let Some(twin) = twin {
            let text = || format!("the ids {} and {id} have this name", twin.id());
            findings.add(Rule::NameTwice, &definition.shown_name(), offset, text);
        }
    }

    /// pymavlink's indexer in Python knows the units before the FMTU, that in C the last ones of the log.
    fn look_for_multipliers(&mut self, definition: LoggedDefinition<'a>, offset: usize, findings: &mut Findings) {
        for column in definition.columns().filter(definition::lacks_multiplier) {
            match is_named(&self.units, &column) {
                true => add_missing_multiplier(&definition, &column, offset, findings),
                false => self.unnamed.push((definition, column, offset)),
            }
        }
    }

    fn use_ids(&mut self, definition: &LoggedDefinition<'_>, offset: usize) {
        for column in definition.columns() {
            let ids = [(Kind::Unit, column.unit_id), (Kind::Multiplier, column.multiplier_id)];
            for (kind, id) in ids {
                let Some(id) = id.filter(|&id| !means_nothing(kind, id)) else { continue };
                let tables = self.units.at(offset);
                let is_defined = match kind {
                    Kind::Unit => tables.logged_unit(id).is_some(),
                    Kind::Multiplier => tables.logged_multiplier(id).is_some(),
                };
                let new = || Use {
                    offset,
                    count: 0,
                    column: format!("{}.{}", definition.shown_name(), column.label.escape_debug()),
                    early: None,
                };
                let used = self.used.entry((kind, id)).or_insert_with(new);
                used.count += 1;
                if !is_defined {
                    used.early.get_or_insert((offset, 0)).1 += 1;
                }
            }
        }
    }

    /// A UNIT or MULT record.
    pub(super) fn row(&mut self, record: &Record<'_>, findings: &mut Findings) {
        let offset = record.offset();
        let Some(row) = TableRow::of(&record.definition(), record.payload()) else { return };
        let before = self.units.era();
        let (subject, redefined, other, text) = match &row {
            TableRow::Unit { id, name } => {
                let other = Unit::from_id(*id).is_some_and(|unit| unit.name() != name);
                let ardupilot = Unit::from_id(*id).map_or("", |unit| unit.name());
                let text = format!("the log names the unit `{}`, ArduPilot `{ardupilot}`", name.escape_debug());
                (shown_id(Kind::Unit, *id), Rule::RedefinedUnit, other.then_some(Rule::OtherUnit), text)
            }
            TableRow::Multiplier { id, value } => {
                let other = Multiplier::from_id(*id).is_some_and(|multiplier| multiplier.value() != *value);
                let ardupilot = Factor(Multiplier::from_id(*id).map_or(0.0, |multiplier| multiplier.value()));
                let text = format!("the log's value is {}, ArduPilot's {ardupilot}", Factor(*value));
                let other = other.then_some(Rule::OtherMultiplier);
                (shown_id(Kind::Multiplier, *id), Rule::RedefinedMultiplier, other, text)
            }
        };
        if let Some(other) = other {
            findings.add(other, &subject, offset, || text);
        }
        self.units.learn(offset, row);
        if self.units.era() != before {
            findings.add(redefined, &subject, offset, || "the id means something else from here on".into());
        }
    }

    /// What only the whole log shows.
    pub(super) fn finish(mut self, findings: &mut Findings) {
        if self.in_force[usize::from(FMT_ID)].is_none() {
            findings.add(Rule::UndefinedFmt, "FMT", 0, || "no FMT defines FMT itself".into());
        }
        for (time, (offset, count)) in &self.early_fmtu {
            if let Some(clash) = &self.in_force[usize::from(*time)] {
                let text = || format!("FMTU.TimeUS is {time}, the id of {}", clash.shown_name());
                findings.add_times(Rule::FmtuTime, "FMTU", *offset, *count, text);
            }
        }
        for (name, offset) in self.without_units.into_iter().flatten() {
            self.unitless.entry(name).or_insert(offset);
        }
        if self.has_fmtu {
            for (name, offset) in &self.unitless {
                findings.add(Rule::NoUnits, name, *offset, || "the type has no FMTU".into());
            }
        } else {
            findings.add(Rule::NoUnits, "", 0, || "the log has no FMTU: no type has units".into());
        }
        for (definition, column, offset) in &self.unnamed {
            if is_named(&self.units, column) {
                add_missing_multiplier(definition, column, *offset, findings);
            }
        }
        let end = self.units.at(usize::MAX);
        for ((kind, id), used) in &self.used {
            let (is_logged, is_standard, unknown, undefined) = match kind {
                Kind::Unit => {
                    let is_standard = Unit::from_id(*id).is_some();
                    (end.logged_unit(*id).is_some(), is_standard, Rule::UnknownUnit, Rule::UndefinedUnit)
                }
                Kind::Multiplier => {
                    let is_standard = Multiplier::from_id(*id).is_some();
                    let is_logged = end.logged_multiplier(*id).is_some();
                    (is_logged, is_standard, Rule::UnknownMultiplier, Rule::UndefinedMultiplier)
                }
            };
            let subject = shown_id(*kind, *id);
            match used.early {
                Some((offset, count)) if is_logged => {
                    let text = || format!("{} uses {subject}, which the log defines later", used.column);
                    findings.add_times(Rule::LateUnits, "", offset, count, text);
                }
                _ if is_logged => {}
                _ => {
                    let rule = if is_standard { undefined } else { unknown };
                    let text = || format!("{} uses it, and no record defines it", used.column);
                    findings.add_times(rule, &subject, used.offset, used.count, text);
                }
            }
        }
    }
}

/// Whether the last UNIT record for the column's unit has a name.
fn is_named(units: &Units, column: &LoggedColumn<'_>) -> bool {
    let name = column.unit_id.and_then(|id| units.at(usize::MAX).logged_unit(id));
    name.is_some_and(|name| !name.is_empty())
}

fn add_missing_multiplier(
    definition: &LoggedDefinition<'_>,
    column: &LoggedColumn<'_>,
    offset: usize,
    findings: &mut Findings,
) {
    let unit = column.unit_id.map_or_else(String::new, |id| shown_id(Kind::Unit, id));
    let text = || format!("`{}`: {unit}, and no multiplier", column.label.escape_debug());
    findings.add_column(Rule::MissingMultipliers, &definition.shown_name(), column.label, offset, text);
}

/// ``unit `d` ``
fn shown_id(kind: Kind, id: u8) -> String {
    match kind {
        Kind::Unit => format!("unit `{}`", id.escape_ascii()),
        Kind::Multiplier => format!("multiplier `{}`", id.escape_ascii()),
    }
}

/// Whether readers show the same without a definition of the id.
fn means_nothing(kind: Kind, id: u8) -> bool {
    match kind {
        Kind::Unit => matches!(id, b'-' | b'#' | b'?'),
        Kind::Multiplier => matches!(id, b'-' | b'?' | b'0'),
    }
}

/// A type whose columns get other units, other multipliers, or both.
fn redefine_units(before: &LoggedDefinition<'_>, after: &LoggedDefinition<'_>, offset: usize, findings: &mut Findings) {
    let change = |kind, ids: [Option<&str>; 2]| {
        let [before, after] = ids.map(Option::unwrap_or_default);
        (before != after).then(|| format!("the ids of its {kind} were `{before}`, and are `{after}` from here on"))
    };
    let units = change("units", [before, after].map(LoggedDefinition::unit_ids));
    let multipliers = change("multipliers", [before, after].map(LoggedDefinition::multiplier_ids));
    let changes: Vec<String> = units.into_iter().chain(multipliers).collect();
    findings.add(Rule::RedefinedUnits, &after.shown_name(), offset, || changes.join("; "));
}
