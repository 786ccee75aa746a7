//! The format of each message in each version, from the facts of a lock.

use super::Lock;
use super::fact::{Dated, Fact};
use super::file::LockError;
use crate::catalogue::column::ResolvedColumn;
use crate::compatibility::facts::{self, ColumnFacts, MeaningFacts, MessageFacts};
use crate::older::Older;
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
            for pair in bounds.windows(2) {
                let here: Vec<&Dated> =
                    facts.iter().copied().filter(|dated| dated.interval.contains(pair[0])).collect();
                if let Some(message) = message(name, &here, lock.version(pair[0]))? {
                    states.versions.push(pair[0]..pair[1]);
                    states.messages.push(message);
                }
            }
        }
        Ok(states)
    }
}

/// A message by its facts in one version; `None` if there are none.
fn message<'l>(name: &'l str, dated: &[&'l Dated], version: &str) -> Result<Option<MessageFacts<'l>>, LockError> {
    let Some(first) = dated.first() else { return Ok(None) };
    let line = |dated: &Dated| dated.line.unwrap_or_default();
    let (mut id, mut rate, mut order) = (None, facts::Fact { value: None, line: None }, None);
    let mut columns: Vec<(&(String, usize), ColumnFacts<'l>)> = Vec::new();
    for dated in dated {
        let at = dated.line;
        match (&dated.fact, &dated.subject.column) {
            (Fact::Id(value), _) => id = Some(facts::Fact { value: *value, line: at }),
            (Fact::Rate(value), _) => rate = facts::Fact { value: Some(*value), line: at },
            (Fact::Order(labels), _) => order = Some((labels, at)),
            (Fact::Column { format, unit, multiplier }, Some(column)) => {
                let said = ResolvedColumn {
                    label: &column.0,
                    format: *format,
                    unit_id: Some(unit.0),
                    unit: &unit.1,
                    multiplier_id: Some(multiplier.0),
                    multiplier: Some(multiplier.1),
                };
                let said = facts::Fact { value: said, line: at };
                let meanings = Some(MeaningFacts::default());
                let of_column = ColumnFacts { said, nth: column.1, meanings, older: Older::NONE, place: None };
                columns.push((column, of_column));
            }
            _ => {}
        }
    }
    let incomplete = |what: &str| LockError::new(line(first), format!("{name} has {what} in {version}"));
    let id = id.ok_or_else(|| incomplete("no `id`"))?;
    let (order, order_line) = order.ok_or_else(|| incomplete("no `order`"))?;
    for dated in dated {
        let (value, text, are_bits) = match &dated.fact {
            Fact::Value(value, text) => (*value, text, false),
            Fact::Bit(bit, text) => (*bit, text, true),
            _ => continue,
        };
        let column = columns.iter_mut().find(|(column, _)| Some(*column) == dated.subject.column.as_ref());
        let Some(meanings) = column.and_then(|(_, column)| column.meanings.as_mut()) else {
            return Err(LockError::new(line(dated), format!("there is no column {} in {version}", dated.subject)));
        };
        if !meanings.rows.is_empty() && meanings.are_bits != are_bits {
            return Err(LockError::new(line(dated), format!("{} has values and bits in {version}", dated.subject)));
        }
        meanings.are_bits = are_bits;
        meanings.rows.push(facts::Fact { value: (value, text.as_str()), line: dated.line });
    }
    let mut in_order = Vec::new();
    for (i, label) in order.iter().enumerate() {
        let nth = order[..i].iter().filter(|before| *before == label).count();
        let Some(at) = columns.iter().position(|(column, _)| (&column.0, column.1) == (label, nth)) else {
            let what = format!("{name} has no column {label} in {version}, which its order names");
            return Err(LockError::new(order_line.unwrap_or_default(), what));
        };
        in_order.push(columns.swap_remove(at).1);
    }
    if let Some((column, left)) = columns.first() {
        let what = format!("{name}.{} isn't in the order of {name} in {version}", column.0);
        return Err(LockError::new(left.said.line.unwrap_or_default(), what));
    }
    Ok(Some(MessageFacts {
        name: name.into(),
        aliases: &[],
        id,
        rate: Some(rate),
        columns: in_order,
        order: facts::Fact { value: (), line: order_line },
        rest: 0,
        leftover: None,
    }))
}
