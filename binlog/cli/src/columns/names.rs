//! Names of tables and columns, and the errors about names that aren't there.

use crate::outcome::Failure;
use crate::suggest;
use binlog::blackbox::log::table_name;
use binlog::log::{Rows, SelectError};
use std::collections::HashSet;

/// The letter of the frames in a table, given its name or the letter.
pub(super) fn letter_of(name: &str) -> Option<u8> {
    if let Some(letter) = b"ISGH".iter().find(|letter| table_name(**letter) == name) {
        return Some(*letter);
    }
    match name.as_bytes() {
        [letter] => Some(*letter),
        _ => None,
    }
}

/// Splits `main.gyroADC[0]` into table and label; without a table, it is a label.
pub(super) fn split(name: &str) -> (Option<&str>, &str) {
    match name.split_once('.') {
        Some((table, label)) => (Some(table), label),
        None => (None, name),
    }
}

/// The names of a type's columns, of all its definitions, each once.
pub(crate) fn of_columns(rows: &Rows<'_>) -> Vec<String> {
    let mut seen = HashSet::new();
    let names = rows.definitions().flat_map(|definition| definition.distinct_labels());
    names.filter(|name| seen.insert(name.clone())).collect()
}

/// Names beside which there are others, `own`: one that is the same gets a `_` at the end.
pub(crate) fn apart_from(own: &[&str], names: Vec<String>) -> Vec<String> {
    let apart = |name: &String| {
        let mut apart = name.clone();
        while own.contains(&apart.as_str()) || (apart != *name && names.contains(&apart)) {
            apart.push('_');
        }
        apart
    };
    names.iter().map(apart).collect()
}

pub(super) fn no_table(name: &str, known: &[String]) -> Failure {
    let hint = suggest::hint(name, "it has", known.iter().map(String::as_str));
    Failure::new(format_args!("the log has no frames `{name}`; {hint}"))
}

pub(super) fn no_column(table: &str, label: &str, known: &[&str]) -> Failure {
    let hint = suggest::hint(label, "it has", known.iter().copied());
    Failure::new(format_args!("{table} has no column `{label}`; {hint}"))
}

pub(crate) fn no_numbers(name: &str) -> Failure {
    Failure::new(format_args!("{name} has no numbers: it is text or an array"))
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        let (what, given, known) = match &error {
            SelectError::NoType { name, known } => (format!("the log has no type `{name}`"), name, known),
            SelectError::NoColumn { name, label, known } => (format!("{name} has no column `{label}`"), label, known),
            SelectError::NoInstance { name, instance, known } => {
                (format!("{name} has no instance `{instance}`"), instance, known)
            }
            SelectError::Redefined { name, label } => {
                return Failure::new(format_args!(
                    "the log redefines {name}.{label} with another format, unit or multiplier, so it isn't one column; \
                     `stats` lists the records of each definition separately"
                ));
            }
            _ => return Failure::new(error),
        };
        let hint = suggest::hint(given, "it has", known.iter().map(String::as_str));
        Failure::absent(format_args!("{what}; {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_names() {
        for (name, letter) in [("main", Some(b'I')), ("gps", Some(b'G')), ("Z", Some(b'Z')), ("", None), ("xy", None)] {
            assert_eq!(letter_of(name), letter, "{name}");
        }
    }

    #[test]
    fn a_name_of_ours_gets_an_underscore() {
        let names = ["session", "session_", "A"].map(str::to_owned).to_vec();
        assert_eq!(apart_from(&["session", "TimeUS"], names), ["session__", "session_", "A"]);
    }

    #[test]
    fn a_name_that_is_not_there_has_a_suggestion() {
        let error = SelectError::NoColumn { name: "ATT".into(), label: "Rol".into(), known: vec!["Roll".into()] };
        assert_eq!(Failure::from(error).to_string(), "ATT has no column `Rol`; did you mean `Roll`?");
    }
}
