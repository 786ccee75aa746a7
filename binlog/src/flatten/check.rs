//! Checks of flattened fields, which the derive calls with the span of each field, once all columns are known.

use super::part::{Group, Part, place};
use crate::const_text::{ConstText, same};
use crate::rules::{MAX_COLUMNS, MAX_LABELS, label_rules, refuse, value_rules};
use crate::{ColumnDefinition, Multiplier, Unit};

/// A flattened struct in a message, or a column after one. The limits of FMT count the columns and labels up to here.
/// `is_checked` is false for a message as another firmware logs it.
///
/// The macro has checked what it knows: labels of columns against each other, and a message without flattened structs.
#[track_caller]
pub const fn of_message(name: &str, parts: &[Part], columns: &[ColumnDefinition], index: usize, is_checked: bool) {
    let (start, end) = place(parts, index);
    capacity(columns, start, end);
    if is_checked {
        no_other(columns, start, end);
    }
    if let Part::Group(group) = &parts[index] {
        contradictions(group, columns, start);
        let mut i = start;
        while is_checked && i < end {
            label_rules(name, &columns[i]);
            value_rules(&columns[i], Unit::NONE.id());
            i += 1;
        }
    }
}

/// A flattened struct in a struct that is flattened itself, or a column after one.
#[track_caller]
pub const fn of_columns(parts: &[Part], columns: &[ColumnDefinition], index: usize) {
    let (start, end) = place(parts, index);
    no_other(columns, start, end);
    if let Part::Group(group) = &parts[index] {
        contradictions(group, columns, start);
        let mut i = start;
        while i < end {
            value_rules(&columns[i], Unit::NONE.id());
            i += 1;
        }
    }
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

/// The alias of a column is neither the label of a column nor another alias: a log's column would fill two of the
/// program's. The macro has checked it against what it knows; this is called with the span of the alias.
#[track_caller]
pub const fn alias(columns: &[ColumnDefinition], alias: &str) {
    let (mut times, mut i) = (0, 0);
    while i < columns.len() {
        if same(columns[i].label, alias) {
            refuse(
                ConstText::new()
                    .str("the alias `")
                    .str(alias)
                    .str("` is a label of the message, so it can't be an older label of another column"),
            );
        }
        let aliases = columns[i].older.aliases;
        let mut j = 0;
        while j < aliases.len() {
            times += same(aliases[j], alias) as usize;
            j += 1;
        }
        i += 1;
    }
    if times > 1 {
        refuse(ConstText::new().str("the alias `").str(alias).str("` is given twice"));
    }
}

/// Rule 1, for the columns up to `end`; those up to `start` are within the limits, or have an error already.
#[track_caller]
const fn capacity(columns: &[ColumnDefinition], start: usize, end: usize) {
    // Nearly always, and then the rest would only cost the compiler time.
    if columns.len() <= MAX_COLUMNS && labels_length(columns, columns.len()) <= MAX_LABELS {
        return;
    }
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
const fn contradictions(group: &Group, columns: &[ColumnDefinition], start: usize) {
    let (mut size, mut i) = (0, 0);
    while i < group.columns.len() {
        let own = &group.columns[i];
        size += own.format.size();
        let label = columns[start + i].label;
        if let Some(unit) = group.unit
            && own.unit.id() != Unit::NONE.id()
            && own.unit.id() != unit.id()
        {
            let text = ConstText::new().str("the column ").str(label).str(" has the unit `").str(own.unit.name());
            refuse(text.str("` of its own; leave `unit` out here, and give it in the struct"));
        }
        if let Some(multiplier) = group.multiplier
            && own.multiplier.id() != Multiplier::NONE.id()
            && own.multiplier.id() != multiplier.id()
        {
            let text = ConstText::new().str("the column ").str(label).str(" has the multiplier '");
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
