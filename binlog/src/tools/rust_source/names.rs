//! Names in Rust for the names in a log.

use crate::read::LoggedDefinition;
use std::collections::HashSet;

/// The lower-case keywords of all editions: <https://doc.rust-lang.org/reference/keywords.html>.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The keywords that can't be raw identifiers.
const NEVER_RAW: [&str; 3] = ["crate", "self", "super"];

/// The name of a struct and its variant: `Xkf1` for `XKF1`.
pub(super) fn of_type(definition: &LoggedDefinition<'_>, taken: &mut HashSet<String>) -> String {
    let words = definition.name().split(|c: char| !c.is_ascii_alphanumeric());
    let name: String = words.map(capitalised).collect();
    let name = match name.as_str() {
        "" => format!("Message{}", definition.id()),
        "Self" => "SelfMessage".into(),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("Message{name}"),
        _ => name,
    };
    free(name, "", taken)
}

fn capitalised(word: &str) -> String {
    let first = word.chars().take(1).map(|c| c.to_ascii_uppercase());
    first.chain(word.chars().skip(1).map(|c| c.to_ascii_lowercase())).collect()
}

/// The name of a field: `des_roll` for `DesRoll`. `number` counts columns from 1.
pub(super) fn of_field(label: &str, number: usize, taken: &mut HashSet<String>) -> String {
    let name = match snake_case(label) {
        name if name.is_empty() => format!("column_{number}"),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("n{name}"),
        // `self` and `self_` both have the default label `Self`.
        name if NEVER_RAW.contains(&name.as_str()) => format!("{name}_"),
        name => name,
    };
    let name = free(name, "_", taken);
    if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
}

/// The name, with a number appended if it is taken.
fn free(name: String, separator: &str, taken: &mut HashSet<String>) -> String {
    let stem = name.trim_end_matches('_');
    let numbered = (2..).map(|number| format!("{stem}{separator}{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

/// A word begins at a capital after a small letter, and at the last of several capitals before a small letter.
fn snake_case(label: &str) -> String {
    let chars: Vec<char> = label.chars().collect();
    let mut name = String::new();
    let mut in_small = false;
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            continue;
        }
        let small_follows = chars.get(i + 1).is_some_and(char::is_ascii_lowercase);
        let begins = c.is_ascii_uppercase() && (in_small || small_follows);
        if begins && !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        // A digit belongs to the preceding letters.
        if !c.is_ascii_digit() {
            in_small = c.is_ascii_lowercase();
        }
        name.push(c.to_ascii_lowercase());
    }
    name.trim_end_matches('_').to_owned()
}

/// The default label of a field: what binlog-derive makes of its name.
pub(super) fn default_label(field: &str) -> String {
    match field.strip_prefix("r#").unwrap_or(field) {
        "time_us" => "TimeUS".into(),
        field => field
            .split('_')
            .map(|word| word[..word.len().min(1)].to_ascii_uppercase() + word.get(1..).unwrap_or(""))
            .collect(),
    }
}

/// The name of a constant for a unit or multiplier: `UNIT_UT` for `uT`.
pub(super) fn of_constant(prefix: &str, what: &str, id: u8, taken: &mut HashSet<String>) -> String {
    // Names may be long in a log; lines must not be.
    let words = what.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("_").to_ascii_uppercase();
    name.truncate(24);
    let name = match name.trim_end_matches('_') {
        "" => format!("{prefix}_{id}"),
        name => format!("{prefix}_{name}"),
    };
    free(name, "_", taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_snake_case() {
        for (label, field) in [
            ("TimeUS", "time_us"),
            ("DesRoll", "des_roll"),
            ("HDop", "h_dop"),
            ("GWk", "g_wk"),
            ("ErrRP", "err_rp"),
            ("VZ", "vz"),
            ("I2CC", "i2cc"),
            ("IMUMin", "imu_min"),
            ("D45", "d45"),
            ("Dist1Up", "dist1_up"),
            ("GPS2Lat", "gps2_lat"),
            ("msg_flag", "msg_flag"),
            ("GPS_CHK_WAIT", "gps_chk_wait"),
            ("Höhe", "h_he"),
            ("__x", "x"),
            ("type", "r#type"),
            ("Type", "r#type"),
            ("Self", "self_"),
            ("crate", "crate_"),
            ("1", "n1"),
            ("3D", "n3d"),
            ("_", "column_7"),
            ("", "column_7"),
            ("°", "column_7"),
        ] {
            assert_eq!(of_field(label, 7, &mut HashSet::new()), field, "{label}");
        }
    }

    #[test]
    fn a_name_that_is_taken_has_a_number() {
        let mut taken = HashSet::new();
        let fields: Vec<_> = ["a", "A", "a_2", "A"].into_iter().map(|label| of_field(label, 1, &mut taken)).collect();
        assert_eq!(fields, ["a", "a_2", "a_2_2", "a_3"]);
    }

    #[test]
    fn a_label_that_the_derive_makes_by_itself_is_known() {
        for (field, label) in
            [("time_us", "TimeUS"), ("des_roll", "DesRoll"), ("r#type", "Type"), ("self_", "Self"), ("q1", "Q1")]
        {
            assert_eq!(default_label(field), label);
        }
    }
}
