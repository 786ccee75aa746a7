//! Checks that need only the tokens, rule by rule. `binlog::declare::columns` checks what depends on types, by the
//! rules in `binlog::declare::rules`. Those also check definitions and labels that are written by hand.
//!
//! The rules for a message definition, and the readers that rely on them:
//!
//! 1. A name of at most 4 bytes, at most 16 fields, and at most 64 bytes of labels with their commas: FMT has no room
//!    for more.
//! 2. A record of at most 255 bytes, header included, equal to the sum of the fields: FMT.Length is one byte.
//! 3. Labels are identifiers without duplicates: pymavlink makes attributes of them.
//! 4. The name is in upper case, `[A-Z_][A-Z0-9_]{1,3}`: MAVExplorer finds types by that pattern. It is not a name
//!    whose layout a reader relies on.
//! 5. Units and multipliers are in the tables or declared as custom: AP_Logger checks it at boot.
//! 6. `TimeUS` is first, a `Q` in seconds with multiplier 1e-6: pymavlink ignores it elsewhere.
//! 7. At most one instance column, of one byte, directly after `TimeUS`: elsewhere pymavlink computes a wrong offset.
//! 8. `c`, `C`, `e` and `E` scale by themselves, so their multiplier is 1e-2 or none; `L` is 1e-7 degrees of latitude
//!    or longitude.
//!
//! What AP_Logger accepts but viewers show wrongly is a lint: see `lint`.

mod history;

pub(crate) use history::check_group;

use crate::ast::{Column, FieldKind, FieldType, Message, Schema, Variant};
use crate::attr::{Meanings, Multiplier, Scale, Unit};
use crate::errors::Errors;
use crate::label;
use crate::repr::Hint;
use quote::ToTokens;

/// The number of format characters that fit into FMT.
const MAX_COLUMNS: usize = 16;
/// The bytes of labels that fit into FMT.
const MAX_LABELS: usize = 64;
/// The bytes of a name that fit into FMT.
const MAX_NAME: usize = 4;

/// Messages whose layout readers rely on, and the crate's structs for them.
const FIXED_LAYOUTS: [(&str, Option<&str>); 13] = [
    ("FMT", Some("Fmt")),
    ("FMTU", Some("Fmtu")),
    ("UNIT", Some("Unit")),
    ("MULT", Some("Mult")),
    ("PARM", Some("Parm")),
    ("MSG", Some("Msg")),
    ("VER", Some("Ver")),
    ("MODE", Some("Mode")),
    ("GPS", Some("Gps")),
    // The second receiver, before messages had instances.
    ("GPS2", Some("Gps")),
    ("FILE", Some("File")),
    ("ISBH", None),
    ("ISBD", None),
];

/// Labels by which pymavlink takes a message for one of PX4 and reads times or modes from it (`DFReader.py`,
/// `init_clock` and `_add_msg`).
const TAKEN_LABELS: [(&str, &str); 2] = [("TIME", "StartTime"), ("STAT", "MainState")];

pub(crate) fn message(message: &Message<'_>, errors: &mut Errors) {
    name(message, errors);
    history::check_message(message, errors);
    struct_repr(message, errors);
    types(message.columns.iter().filter(|column| !is_time_of(message, column)), errors);
    columns(message, errors);
    history::check_columns(message, errors);
    if !message.attributes.as_logged {
        labels(message, errors);
        time(message, errors);
        instance(message, errors);
    }
}

/// Rules 1 and 4.
fn name(message: &Message<'_>, errors: &mut Errors) {
    let Some(literal) = &message.attributes.name else {
        if !message.attributes.named {
            let text = format!("`{}` has no name; add `#[log(name = \"…\")]`", message.original.ident);
            errors.at(message.original.ident.span(), text);
        }
        return;
    };
    let name = literal.value();
    let fault = name_size_fault(&name).or_else(|| name_fault(&name).filter(|_| !message.attributes.as_logged));
    if let Some(text) = fault {
        errors.at(literal.span(), text);
    }
}

/// Rule 1 for a name.
pub(crate) fn name_size_fault(name: &str) -> Option<String> {
    if name.len() > MAX_NAME {
        Some(format!("the name `{name}` has {} bytes; a message's has at most {MAX_NAME}", name.len()))
    } else if name.is_empty() || name.contains('\0') {
        Some("a message's name is 2 to 4 upper-case letters, digits and `_`".into())
    } else {
        None
    }
}

/// Rule 4 for a name of 1 to 4 bytes.
fn name_fault(name: &str) -> Option<String> {
    name_form_fault(name, taken_fault).or_else(|| taken_fault(name))
}

/// Rule 4 for a name that readers take for another message's.
fn taken_fault(name: &str) -> Option<String> {
    if let Some((_, ours)) = FIXED_LAYOUTS.iter().find(|fixed| fixed.0 == name) {
        return Some(match ours {
            Some(ours) => format!("readers take `{name}` for the format's own; use `binlog::messages::{ours}`"),
            None => format!("readers take `{name}` for ArduPilot's batch samples; choose another name"),
        });
    }
    if name == "MAV" {
        return Some("the name `MAV` is taken by pymavlink; choose another".into());
    }
    if name.starts_with("MSG") {
        return Some(format!("PlotJuggler drops `{name}`, as every name that begins with MSG; choose another"));
    }
    None
}

/// Rule 4 for the characters of a name of 1 to 4 bytes. `fault_of_upper` is asked about the name that would be proposed
/// for one in lower case.
pub(crate) fn name_form_fault(name: &str, fault_of_upper: impl Fn(&str) -> Option<String>) -> Option<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if let Some(wrong) = name.chars().find(|&c| !allowed(c)) {
        return Some(format!("the name `{name}` contains {wrong:?}; names are upper-case letters, digits and `_`"));
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(format!("the name `{name}` begins with a digit, so MAVExplorer can't graph it"));
    }
    if name.len() < 2 {
        return Some(format!("the name `{name}` has one letter, so MAVExplorer can't graph it; take 2 to 4"));
    }
    let upper = name.to_ascii_uppercase();
    if name != upper {
        let text = format!("the name `{name}` is not upper case, so MAVExplorer can't graph it; write `{upper}`");
        return Some(fault_of_upper(&upper).unwrap_or(text));
    }
    None
}

/// The fields have an order and no padding.
fn struct_repr(message: &Message<'_>, errors: &mut Errors) {
    for Hint { name, span, argument } in &message.repr {
        match (name.as_str(), argument.as_deref()) {
            ("C", None) | ("packed", None | Some("1")) => {}
            ("packed", _) => errors.at(*span, "this leaves padding in the record; write `#[repr(C, packed)]`"),
            ("align", _) => errors.at(*span, "an aligned record may end with padding; write `#[repr(C, packed)]`"),
            _ => errors.at(*span, format!("`{name}` is not the layout of a record; write `#[repr(C, packed)]`")),
        }
    }
    // Any other hint has its own error; one error is enough.
    if message.repr.iter().all(|hint| hint.name == "packed") {
        let ident = &message.original.ident;
        let text = format!(
            "`{ident}` needs `#[repr(C, packed)]`: without it Rust may reorder the fields, and the record would \
             contradict its definition",
        );
        errors.at(ident.span(), text);
    }
}

/// Types that no program can make a field.
pub(crate) fn types<'a>(columns: impl IntoIterator<Item = &'a Column>, errors: &mut Errors) {
    for refusal in columns.into_iter().filter_map(|column| column.refusal.as_ref()) {
        errors.push(refusal.clone());
    }
}

/// Whether rule 6 is about the type of this column.
fn is_time_of(message: &Message<'_>, column: &Column) -> bool {
    !message.attributes.as_logged && column.is_time()
}

/// Rule 1 for columns and labels.
fn columns(message: &Message<'_>, errors: &mut Errors) {
    if message.columns.is_empty() {
        errors.at(message.original.ident.span(), "a message has fields, `time_us: u64` at least");
    }
    // The columns of flattened structs are counted by constants.
    let labels: Vec<(&Column, &String)> = message.columns.iter().flat_map(Column::with_labels).collect();
    if let Some((column, _)) = labels.get(MAX_COLUMNS) {
        let text = match column.is_flattened() {
            true => format!("with this array a message has {} columns; it has at most {MAX_COLUMNS}", labels.len()),
            false => format!("this is column {}; a message has at most {MAX_COLUMNS}", MAX_COLUMNS + 1),
        };
        errors.at(column.span(), text);
    }
    let mut length = 0;
    for (i, (column, label)) in labels.iter().take(MAX_COLUMNS).enumerate() {
        length += label.len() + usize::from(i > 0);
        if length > MAX_LABELS {
            let all: usize = labels.iter().map(|(_, label)| label.len() + 1).sum::<usize>() - 1;
            let text = format!(
                "up to here the labels, joined by commas, take {length} bytes; FMT has room for {MAX_LABELS} (all \
                 labels take {all}); shorten some with `#[log(label = \"…\")]`"
            );
            errors.at(column.label_span, text);
            break;
        }
    }
    if message.attributes.as_logged {
        for (column, label) in labels {
            if label.contains([',', '\0']) {
                errors.at(column.label_span, "a label contains neither a comma nor a NUL, which end it");
            }
        }
    }
}

/// Rule 3.
fn labels(message: &Message<'_>, errors: &mut Errors) {
    let name = message.name();
    let mut before: Vec<(&str, &Column)> = Vec::new();
    for column in &message.columns {
        let fault = column.labels().iter().find_map(|label| {
            let other = before.iter().find(|(other, _)| other == label).copied();
            before.push((label, column));
            if let Some(text) = label::fault(label) {
                return Some(text);
            }
            if TAKEN_LABELS.contains(&(&name, label)) {
                return Some(format!("pymavlink takes a message with the label `{label}` for one of PX4's"));
            }
            other.map(|(_, other)| {
                format!("the label `{label}` is already used by `{}`", other.member.to_token_stream())
            })
        });
        if let Some(text) = fault {
            errors.at(column.label_span, text);
        }
    }
}

/// Rule 6, except for a type whose name doesn't tell what it is.
fn time(message: &Message<'_>, errors: &mut Errors) {
    let Some(first) = message.columns.first() else { return };
    match message.columns.iter().skip(1).find(|column| column.is_time()) {
        Some(column) if first.label != label::TIME => {
            errors.at(column.label_span, "`TimeUS` is the first column: pymavlink ignores it elsewhere");
        }
        _ => {
            if first.is_flattened() {
                errors
                    .at(first.span(), "the first column is `TimeUS` (`time_us: u64`); flattened fields come after it");
            } else if let Some(text) = label::first_fault(&first.label) {
                errors.at(first.label_span, text);
            }
            if first.is_time()
                && let Some(text) = time_type_fault(first)
            {
                errors.on(&first.ty, text);
            }
            let Scale { unit, multiplier } = &first.attributes.scale;
            let unit = unit.as_ref().filter(|unit| matches!(unit.value, Unit::Custom(_)));
            let multiplier = multiplier.as_ref().filter(|mult| matches!(mult.value, Multiplier::Custom(_)));
            for span in [unit.map(|unit| unit.span), multiplier.map(|mult| mult.span)].into_iter().flatten() {
                errors.at(span, "TimeUS is in seconds with multiplier 1e-6; leave `unit` and `mult` out");
            }
        }
    }
}

/// Rule 6 for the type of the time.
fn time_type_fault(time: &Column) -> Option<&'static str> {
    match time.number {
        Some("u64") => None,
        Some("u32") => Some("`TimeUS` is a `u64`, the time in microseconds; a `u32` wraps after 71 minutes"),
        _ if time.number.is_some() || time.refusal.is_some() => Some("`TimeUS` is a `u64`, the time in microseconds"),
        _ => None,
    }
}

/// Rule 7, except for a type whose name doesn't tell what it is.
fn instance(message: &Message<'_>, errors: &mut Errors) {
    let mut seen = false;
    for (i, column) in message.columns.iter().enumerate() {
        let Some(span) = column.attributes.instance else { continue };
        if seen {
            errors.at(span, "a message has at most one instance column");
        } else if i != 1 {
            let text = "the instance column comes directly after `TimeUS`: pymavlink computes a wrong offset elsewhere";
            errors.at(span, text);
        }
        seen = true;
        if let Some(number) = column.number.filter(|number| !["u8", "i8", "bool"].contains(number)) {
            errors.on(&column.ty, format!("an instance is one byte, `u8` or `i8`, not `{number}`"));
        }
        let scale = &column.attributes.scale;
        let spans = [scale.unit.as_ref().map(|unit| unit.span), scale.multiplier.as_ref().map(|mult| mult.span)];
        for span in spans.into_iter().flatten() {
            errors.at(span, "an instance column has neither a unit nor a multiplier of its own");
        }
    }
}

pub(crate) fn schema(schema: &Schema<'_>, errors: &mut Errors) {
    for hint in &schema.repr {
        let text = format!("`repr({})` has no effect on a schema; an id is an attribute: `#[log(id = …)]`", hint.name);
        errors.at(hint.span, text);
    }
    for (i, variant) in schema.variants.iter().enumerate() {
        let before = &schema.variants[..i];
        let tokens = variant.ty.to_token_stream().to_string();
        if let Some(other) = before.iter().find(|other| other.ty.to_token_stream().to_string() == tokens) {
            errors.at(variant.ident.span(), format!("`{tokens}` is listed already, as `{}`", other.ident));
        }
        let Some((id, span)) = variant.attributes.id else { continue };
        let same_id = |other: &&Variant<'_>| other.attributes.id.is_some_and(|other| other.0 == id);
        if let Some(other) = before.iter().find(same_id) {
            errors.at(span, format!("id {id} is already used by `{}`", other.ident));
        }
    }
}

pub(crate) fn field_type(field: &FieldType<'_>, errors: &mut Errors) {
    let ident = &field.original.ident;
    match &field.kind {
        FieldKind::Enum { integer, .. } => {
            if integer.is_none() {
                let text = format!("`{ident}` needs `#[repr(u8)]`, or another integer that is a format");
                errors.at(ident.span(), text);
            }
            if let Some(meanings) = &field.attributes.meanings {
                let key = match meanings.value {
                    Meanings::Values(_) => "values",
                    Meanings::Bits(_) => "bits",
                };
                errors.at(meanings.span, format!("the values of an enum have names already; leave `{key}` out"));
            }
        }
        FieldKind::Newtype { .. } => {
            if !field.repr.iter().any(|hint| hint.name == "transparent") {
                errors.at(ident.span(), format!("`{ident}` needs `#[repr(transparent)]`: its bytes are the column's"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::tests::is_as_logged;
    use binlog::__private::rules;

    #[test]
    fn limits_names_and_labels_are_those_of_the_library() {
        assert_eq!((MAX_COLUMNS, MAX_LABELS, MAX_NAME), (rules::MAX_COLUMNS, rules::MAX_LABELS, rules::MAX_NAME));
        assert_eq!(FIXED_LAYOUTS.map(|fixed| fixed.0), rules::OWN_NAMES);
        assert_eq!(TAKEN_LABELS, rules::TAKEN_LABELS);
    }

    #[test]
    fn both_crates_have_the_same_rules_for_names() {
        let others = ["ATT", "A", "_", "_A", "A1", "1A", "Att", "att", "A-B", "MAV", "MAVC", "MSGX", "GPS3", "Ñ"];
        // FMT, UNIT, MULT and FMTU with a layout other than the crate's can't be written at all.
        let fixed = FIXED_LAYOUTS.into_iter().map(|fixed| fixed.0).skip_while(|&name| name != "PARM");
        for name in fixed.chain(others) {
            assert_eq!(is_as_logged(name, "X"), name_fault(name).is_some(), "{name}");
        }
    }

    #[test]
    fn both_crates_have_the_same_rules_for_labels_of_some_names() {
        for (name, label) in TAKEN_LABELS {
            assert!(is_as_logged(name, label), "{name}.{label}");
            assert!(!is_as_logged("ATT", label), "{name}.{label}");
        }
    }
}
