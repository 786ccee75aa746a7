//! The format of each message in each version, from the facts of a lock.

use super::Lock;
use super::error::LockError;
use super::fact::{Dated, Fact};
use crate::change::compatibility::facts;
use crate::change::compatibility::facts::{ColumnFacts, MeaningFacts, MessageFacts};
use crate::format::FieldHistory;
use crate::read::catalogue::column::ResolvedColumn;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Each message as often as it changed.
pub(super) struct States<'l> {
    /// The versions that a state holds in.
    pub(super) versions: Vec<Range<usize>>,
    pub(super) messages: Vec<MessageFacts<'l>>,
}

impl<'l> States<'l> {
    /// The messages in the order of the file; the states of each in the order of the versions.
    ///
    /// # Errors
    ///
    /// If the facts of a version contradict each other, which only a file that was edited by hand can cause.
    pub(super) fn of(lock: &'l Lock) -> Result<Self, LockError> {
        let end = lock.releases.len() + 1;
        let mut names: Vec<&str> = Vec::new();
        let mut of_name: HashMap<&str, Vec<&Dated>> = HashMap::new();
        for dated in &lock.facts {
            let facts = of_name.entry(&dated.subject.message).or_default();
            if facts.is_empty() {
                names.push(&dated.subject.message);
            }
            facts.push(dated);
        }
        let mut states = States { versions: Vec::new(), messages: Vec::new() };
        for name in names {
            let facts = &of_name[name];
            let bounds = facts.iter().flat_map(|dated| [dated.interval.from, dated.interval.until.unwrap_or(end)]);
            let bounds: Vec<usize> = bounds.collect::<BTreeSet<_>>().into_iter().collect();
            let mut beginning: HashMap<usize, Vec<usize>> = HashMap::new();
            for (at, dated) in facts.iter().enumerate() {
                beginning.entry(dated.interval.from).or_default().push(at);
            }
            // Those that hold, in the order of the file.
            let mut holding: BTreeSet<usize> = BTreeSet::new();
            for pair in bounds.windows(2) {
                holding.retain(|&at| facts[at].interval.contains(pair[0]));
                holding.extend(beginning.remove(&pair[0]).unwrap_or_default());
                let here: Vec<&Dated> = holding.iter().map(|&at| facts[at]).collect();
                if let Some(message) = message(name, &here, lock.version(pair[0]))? {
                    states.versions.push(pair[0]..pair[1]);
                    states.messages.push(message);
                }
            }
        }
        Ok(states)
    }
}

/// A message by its facts in one version; `None` if that version lacks it.
fn message<'l>(name: &'l str, dated: &[&'l Dated], version: &str) -> Result<Option<MessageFacts<'l>>, LockError> {
    let Some(first) = dated.first() else { return Ok(None) };
    let (mut id, mut rate, mut order) = (None, facts::Fact { value: None, line: None }, None);
    for dated in dated {
        match &dated.fact {
            Fact::Id(value) => id = Some(facts::Fact { value: *value, line: dated.line }),
            Fact::Rate(value) => rate = facts::Fact { value: Some(*value), line: dated.line },
            Fact::Order(labels) => order = Some(facts::Fact { value: labels.as_slice(), line: dated.line }),
            _ => {}
        }
    }
    let incomplete = |what: &str| LockError::new(line(first), format!("{name} has {what} in {version}"));
    let id = id.ok_or_else(|| incomplete("no `id`"))?;
    let order = order.ok_or_else(|| incomplete("no `order`"))?;
    let mut columns = columns(dated);
    add_meanings(&mut columns, dated, version)?;
    Ok(Some(MessageFacts {
        name: name.into(),
        aliases: &[],
        id,
        rate: Some(rate),
        columns: in_order(name, columns, order, version)?,
        order: facts::Fact { value: (), line: order.line },
        rest: 0,
        leftover: None,
        has_records: false,
    }))
}

fn line(dated: &Dated) -> usize {
    dated.line.unwrap_or_default()
}

/// The columns in the order of the file, without names of values and bits.
fn columns<'l>(dated: &[&'l Dated]) -> Vec<ColumnFacts<'l>> {
    let column = |dated: &&'l Dated| {
        let (Fact::Column { format, unit, multiplier, is_closed }, Some((label, nth))) =
            (&dated.fact, &dated.subject.column)
        else {
            return None;
        };
        let said = ResolvedColumn {
            label,
            format: *format,
            unit_id: Some(unit.0),
            unit: &unit.1,
            multiplier_id: Some(multiplier.0),
            multiplier: Some(multiplier.1),
        };
        let said = facts::Fact { value: said, line: dated.line };
        let meanings = Some(MeaningFacts::default());
        let (is_closed, history) = (Some(*is_closed), FieldHistory::NONE);
        Some(ColumnFacts { said, nth: *nth, meanings, is_closed, history, place: None, flattened_at: None })
    };
    dated.iter().filter_map(column).collect()
}

/// Adds the names of values and bits to their columns.
fn add_meanings<'l>(columns: &mut [ColumnFacts<'l>], dated: &[&'l Dated], version: &str) -> Result<(), LockError> {
    for dated in dated {
        let (value, text, are_bits) = match &dated.fact {
            Fact::Value(value, text) => (*value, text, false),
            Fact::Bit(bit, text) => (*bit, text, true),
            _ => continue,
        };
        let wrong = |what: String| LockError::new(line(dated), format!("{what} in {version}"));
        let of_subject = |column: &&mut ColumnFacts<'_>| {
            dated.subject.column.as_ref().is_some_and(|(label, nth)| (column.label(), column.nth) == (label, *nth))
        };
        let meanings = columns.iter_mut().find(of_subject).and_then(|column| column.meanings.as_mut());
        let meanings = meanings.ok_or_else(|| wrong(format!("there is no column {}", dated.subject)))?;
        if !meanings.rows.is_empty() && meanings.are_bits != are_bits {
            return Err(wrong(format!("{} has values and bits", dated.subject)));
        }
        meanings.are_bits = are_bits;
        meanings.rows.push(facts::Fact { value: (value, text.as_str()), line: dated.line });
    }
    Ok(())
}

/// The columns in the order of the record: all of them, and no others.
fn in_order<'l>(
    name: &str,
    mut columns: Vec<ColumnFacts<'l>>,
    order: facts::Fact<&[String]>,
    version: &str,
) -> Result<Vec<ColumnFacts<'l>>, LockError> {
    let mut in_order = Vec::new();
    for (i, label) in order.value.iter().enumerate() {
        let nth = order.value[..i].iter().filter(|before| *before == label).count();
        let Some(at) = columns.iter().position(|column| (column.label(), column.nth) == (label, nth)) else {
            let what = format!("{name} has no column {label} in {version}, which its order names");
            return Err(LockError::new(order.line.unwrap_or_default(), what));
        };
        in_order.push(columns.swap_remove(at));
    }
    match columns.first() {
        Some(left) => {
            let what = format!("{name}.{} isn't in the order of {name} in {version}", left.label());
            Err(LockError::new(left.said.line.unwrap_or_default(), what))
        }
        None => Ok(in_order),
    }
}
