//! Names and texts in errors and `repr`: what somebody may have meant, and characters that a terminal would obey.

use pyo3::prelude::*;
use pyo3::types::PyString;
use std::borrow::Cow;

/// A name that a program gives; `None` if it gives something else. No log has a name with half of a character, which
/// Python's texts may have.
pub fn name_of<'k>(key: &'k Bound<'_, PyAny>) -> Option<Cow<'k, str>> {
    Some(key.cast::<PyString>().ok()?.to_string_lossy())
}

/// A text of a log on one line, with the characters escaped that a terminal or a page would obey: control characters,
/// and those that end lines or turn the direction of writing.
pub fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let is_obeyed =
            matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        match is_obeyed || character.is_control() {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown
}

/// The end of an error about a name that isn't there: ``did you mean `ATT`?``, or else what there is.
pub fn hint(given: &str, known: &[impl AsRef<str>]) -> String {
    hint_of("it has", given, known)
}

/// The same about what has the names: `it has`.
pub fn hint_of(what_has: &str, given: &str, known: &[impl AsRef<str>]) -> String {
    if let Some(meant) = nearest(given, known.iter().map(AsRef::as_ref)) {
        return format!("did you mean `{}`?", one_line(meant));
    }
    const LISTED: usize = 64;
    let shown: Vec<String> = known.iter().take(LISTED).map(|known| one_line(known.as_ref())).collect();
    match known.len() {
        0 => format!("{what_has} none"),
        1..=LISTED => format!("{what_has} {}", shown.join(", ")),
        more => format!("{what_has} {} and {} more", shown.join(", "), more - LISTED),
    }
}

/// The known name that differs least from the given one: in one letter of three at most, or only in case.
fn nearest<'k>(given: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let letters = |name: &str| name.to_lowercase().chars().collect::<Vec<char>>();
    let from = letters(given);
    let most = if from.len() > 1 { (from.len() + 1) / 3 } else { 0 };
    // A name that is longer by more takes more slips.
    let known = known.map(|name| (letters(name), name)).filter(|(to, _)| from.len().abs_diff(to.len()) <= most);
    let slips = known.map(|(to, name)| (slips(&from, &to), name));
    let near = slips.filter(|(slips, _)| *slips <= most);
    near.min_by_key(|(slips, _)| *slips).map(|(_, name)| name)
}

/// How many letters were replaced, left out, added, or exchanged with the next one.
fn slips(from: &[char], to: &[char]) -> usize {
    let mut table = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            table[i][j] = match (i, j) {
                (0, slips) | (slips, 0) => slips,
                _ => {
                    let replaced = table[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
                    let is_exchanged = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
                    let exchanged = if is_exchanged { table[i - 2][j - 2] + 1 } else { replaced };
                    replaced.min(exchanged).min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
                }
            };
        }
    }
    table[from.len()][to.len()]
}
