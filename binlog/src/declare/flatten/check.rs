//! Checks of flattened fields, which the derive calls with the span of each field, once all columns are known.

use super::part::{ColumnPart, place};
use crate::declare::rules::{MAX_COLUMNS, MAX_LABELS, label_rules, refuse, value_rules};
use crate::format::{ColumnDefinition, Multiplier, Unit};
use crate::wording::const_text::{ConstText, same};

/// A flattened struct in a message, at its index among the parts. `is_checked` is false for a message as another
/// firmware logs it.
#[track_caller]
pub const fn of_message(
    name: &str,
    parts: &[ColumnPart],
    columns: &[ColumnDefinition],
    index: usize,
    is_checked: bool,
) {
    let (start, end) = place(parts, index);
    contradictions(&parts[index], columns, start);
    let mut i = start;
    while is_checked && i < end {
        label_rules(name, &columns[i]);
        value_rules(&columns[i], Unit::NONE.id());
        i += 1;
    }
}

/// A flattened struct in a struct that is flattened itself.
#[track_caller]
pub const fn of_columns(parts: &[ColumnPart], columns: &[ColumnDefinition], index: usize) {
    let (start, end) = place(parts, index);
    contradictions(&parts[index], columns, start);
    let mut i = start;
    while i < end {
        value_rules(&columns[i], Unit::NONE.id());
        i += 1;
    }
}

/// Whether all columns together break a rule: the `limits` of FMT, or that each of the `labels` is there once. Then
/// [`locate`] finds the field, which takes the compiler longer.
pub const fn is_broken(parts: &[ColumnPart], columns: &[ColumnDefinition], limits: bool, labels: bool) -> bool {
    (limits && exceeds(columns)) || (labels && has_twice(parts, columns))
}

/// The same rules up to a flattened struct, or to a column after one.
#[track_caller]
pub const fn locate(parts: &[ColumnPart], columns: &[ColumnDefinition], index: usize, limits: bool, labels: bool) {
    let (start, end) = place(parts, index);
    if limits {
        capacity(columns, start, end);
    }
    if labels {
        no_other(columns, start, end);
    }
}

const fn exceeds(columns: &[ColumnDefinition]) -> bool {
    columns.len() > MAX_COLUMNS || labels_length(columns, columns.len()) > MAX_LABELS
}

/// Whether a label is there twice. The macro has checked the labels of columns against each other, and those of a
/// derived struct.
const fn has_twice(parts: &[ColumnPart], columns: &[ColumnDefinition]) -> bool {
    // The first column of the first struct.
    let mut grouped = columns.len();
    let (mut at, mut index) = (0, 0);
    while index < parts.len() {
        let start = at;
        let (from, end, is_derived) = match &parts[index] {
            ColumnPart::Column(_) => (grouped, at + 1, true),
            ColumnPart::Group(group) => {
                if start < grouped {
                    grouped = start;
                }
                (0, at + group.columns.len(), group.is_derived)
            }
        };
        while at < end {
            let label = columns[at].label.as_bytes();
            let until = if is_derived { start } else { at };
            let mut j = from;
            while j < until {
                // Patterns instead of calls, which take rustc's interpreter long.
                let other = columns[j].label.as_bytes();
                if let ([first, ..], [other_first, ..]) = (label, other)
                    && *first == *other_first
                    && let ([.., last], [.., other_last]) = (label, other)
                    && *last == *other_last
                    && same(columns[j].label, columns[at].label)
                {
                    return true;
                }
                j += 1;
            }
            at += 1;
        }
        index += 1;
    }
    false
}

/// No column before has the label of one from `start` to `end`.
#[track_caller]
const fn no_other(columns: &[ColumnDefinition], start: usize, end: usize) {
    let mut i = start;
    while i < end {
        let mut j = 0;
        while j < i {
            if same(columns[j].label, columns[i].label) {
                let text = ConstText::new().str("the label `").str(columns[i].label);
                refuse(text.str("` is given twice; give a flattened field another `prefix`"));
            }
            j += 1;
        }
        i += 1;
    }
}

/// Rule 1, for the columns up to `end`; those up to `start` are within the limits, or have an error already.
#[track_caller]
const fn capacity(columns: &[ColumnDefinition], start: usize, end: usize) {
    if end > MAX_COLUMNS && start <= MAX_COLUMNS {
        let text = ConstText::new().str("up to here the message has ").number(end as u64);
        refuse(text.str(" columns, flattened fields counted in full; a message has at most 16"));
    }
    let (before, length) = (labels_length(columns, start), labels_length(columns, end));
    if length > MAX_LABELS && before <= MAX_LABELS {
        let text = ConstText::new().str("up to here the labels, joined by commas, take ").number(length as u64);
        refuse(text.str(" bytes; FMT has room for 64; shorten some with `label` and `prefix`"));
    }
}

const fn labels_length(columns: &[ColumnDefinition], end: usize) -> usize {
    let (mut length, mut i) = (0, 0);
    while i < end {
        length += columns[i].label.len() + (i > 0) as usize;
        i += 1;
    }
    length
}

/// The field gives a unit or a multiplier to columns without one only, and its columns make up the whole struct.
#[track_caller]
const fn contradictions(part: &ColumnPart, columns: &[ColumnDefinition], start: usize) {
    let ColumnPart::Group(group) = part else { return };
    let none = (Unit::NONE.id(), Multiplier::NONE.id());
    let (mut size, mut i) = (0, 0);
    while i < group.columns.len() {
        let own = &group.columns[i];
        size += own.format.size();
        if let Some(unit) = group.unit
            && own.unit.id() != none.0
            && own.unit.id() != unit.id()
        {
            let text = ConstText::new().str("the column ").str(columns[start + i].label).str(" has the unit `");
            refuse(text.str(own.unit.name()).str("` of its own; leave `unit` out here, and give it in the struct"));
        }
        if let Some(multiplier) = group.multiplier
            && own.multiplier.id() != none.1
            && own.multiplier.id() != multiplier.id()
        {
            let text = ConstText::new().str("the column ").str(columns[start + i].label).str(" has the multiplier '");
            let text = text.char(own.multiplier.id());
            refuse(text.str("' of its own; leave `mult` out here, and give it in the struct"));
        }
        i += 1;
    }
    if let Some(expected) = group.size
        && size != expected
    {
        let text = ConstText::new().str("the columns of `").str(group.prefix).str("` take ").number(size as u64);
        refuse(text.str(" bytes, but the size of its type is ").number(expected as u64));
    }
}
