// Held by tests/compile-fail/by_hand, tests/tests/tools/checked.rs.

//! The rules of binlog-derive's `check.rs` that constants can check: on the columns of every message, and on whole
//! definitions in a schema, since a `LogMessage` may be implemented by hand.
//!
//! A broken rule panics at its caller, because that costs less compile time than returning the error.

#[cfg(feature = "derive")]
use crate::declare::history;
use crate::format::{ColumnDefinition, Format, Multiplier, Unit};
#[cfg(feature = "derive")]
use crate::format::{Definition, RuleSet};
use crate::wording::const_text::ConstText;
#[cfg(any(feature = "derive", feature = "read"))]
use crate::wording::const_text::same;

/// The columns that FMT has room for.
#[cfg(feature = "derive")]
pub const MAX_COLUMNS: usize = 16;
/// The bytes of labels, joined by commas, that FMT has room for.
#[cfg(feature = "derive")]
pub const MAX_LABELS: usize = 64;
/// The bytes of a record that FMT has room for.
const MAX_LENGTH: usize = 255;
/// The bytes of a name that FMT has room for.
#[cfg(feature = "derive")]
pub const MAX_NAME: usize = 4;

/// Names of the format's own messages, whose layout readers take for granted.
#[cfg(any(feature = "derive", feature = "read"))]
pub const OWN_NAMES: [&str; 13] =
    ["FMT", "FMTU", "UNIT", "MULT", "PARM", "MSG", "VER", "MODE", "GPS", "GPS2", "FILE", "ISBH", "ISBD"];

/// Labels by which pymavlink takes a message of that name for one of PX4's.
#[cfg(any(feature = "derive", feature = "read"))]
pub const TAKEN_LABELS: [(&str, &str); 2] = [("TIME", "StartTime"), ("STAT", "MainState")];

/// Labels that are identifiers and yet no attributes of pymavlink's messages: its own, and Python's keywords.
#[cfg(any(feature = "derive", feature = "read"))]
pub const RESERVED_LABELS: &[&str] = &[
    "fmt",
    "to_dict",
    "get_type",
    "get_msgbuf",
    "get_fieldnames",
    "dump_verbose",
    "dump_verbose_bitmask",
    "mavpackettype",
    "_timestamp",
    "_elements",
    "_fieldnames",
    "_parent",
    "_apply_multiplier",
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
];

/// The rules for a definition: none for `Checked`, FMT's limits for `AsLogged`, all rules for `All`.
#[cfg(feature = "derive")]
#[track_caller]
pub(crate) const fn definition_rules(definition: &Definition) {
    if matches!(definition.rules, RuleSet::Checked) {
        return;
    }
    capacity_rules(definition);
    if matches!(definition.rules, RuleSet::AsLogged) {
        return;
    }
    name_rules(definition.name);
    let columns = definition.columns;
    let mut i = 0;
    while i < columns.len() {
        label_rules(definition.name, &columns[i]);
        unique_label_rules(definition, i);
        alias_rules(definition, i);
        if i == 0 {
            time_column_rules(&columns[0]);
        } else if columns[i].unit.id() != Unit::INSTANCE.id() {
            value_rules(&columns[i], Unit::NONE.id());
        } else if i == 1 {
            instance_rules(&columns[i]);
        } else {
            let text = ConstText::new().str("the instance column of ").str(definition.name);
            refuse(text.str(" is not the one directly after `TimeUS`"));
        }
        i += 1;
    }
}

/// Rules 1 and 2: what FMT has room for.
#[cfg(feature = "derive")]
#[track_caller]
const fn capacity_rules(definition: &Definition) {
    let Definition { name, columns, default_id, .. } = *definition;
    if name.is_empty() || name.len() > MAX_NAME || contains(name, 0) {
        let text = ConstText::new().str("the name `").str(name).str("` has ").number(name.len() as u64);
        refuse(text.str(" bytes; a message's has 1 to 4, none of them a NUL"));
    }
    if columns.is_empty() || columns.len() > MAX_COLUMNS {
        let text = ConstText::new().str(name).str(" has ").number(columns.len() as u64);
        refuse(text.str(" columns; a message has 1 to 16"));
    }
    let mut labels = columns.len() - 1;
    let mut i = 0;
    while i < columns.len() {
        let label = columns[i].label;
        if contains(label, b',') || contains(label, 0) {
            let text = ConstText::new().str("the label `").str(label).str("` of ").str(name);
            refuse(text.str(" contains a comma or a NUL, which end a label"));
        }
        history::default_rules(&columns[i]);
        labels += label.len();
        i += 1;
    }
    if labels > MAX_LABELS {
        let text = ConstText::new().str("the labels of ").str(name).str(", joined by commas, take ");
        refuse(text.number(labels as u64).str(" bytes; FMT has room for 64"));
    }
    if matches!(default_id, Some(255)) {
        refuse(ConstText::new().str(name).str(" has the default id 255, which is reserved; ids are 0 to 254"));
    }
    length_rules(definition.name, definition.length());
}

/// Rule 2.
#[track_caller]
pub(crate) const fn length_rules(name: &str, length: usize) {
    if length > MAX_LENGTH {
        let text = ConstText::new().str("record ").str(name).str(" is ").number(length as u64);
        refuse(text.str(" bytes with its header of 3; the format allows 255"));
    }
}

/// Rule 4, for a name of 1 to 4 bytes.
#[cfg(feature = "derive")]
#[track_caller]
const fn name_rules(name: &str) {
    if !is_name(name) {
        let text = ConstText::new().str("the name `").str(name);
        refuse(text.str("` is not 2 to 4 upper-case letters, digits and `_`, the first not a digit"));
    }
    if is_taken_name(name) {
        let text = ConstText::new().str("readers take a message named `").str(name).str("` for the format's own");
        refuse(text.str(", with its layout; choose another name"));
    }
}

/// Whether a name of at most 4 bytes has the form of one.
#[cfg(any(feature = "derive", feature = "read"))]
pub(crate) const fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut sound = bytes.len() >= 2 && !bytes[0].is_ascii_digit();
    let mut i = 0;
    while i < bytes.len() {
        sound &= bytes[i].is_ascii_uppercase() || bytes[i].is_ascii_digit() || bytes[i] == b'_';
        i += 1;
    }
    sound
}

/// Whether readers take messages of this name for others: the format's own, pymavlink's `MAV`, and all that PlotJuggler
/// drops because they begin with `MSG`.
#[cfg(any(feature = "derive", feature = "read"))]
pub(crate) const fn is_taken_name(name: &str) -> bool {
    matches!(name.as_bytes(), [b'M', b'S', b'G', ..] | b"MAV") || is_own_name(name)
}

/// Whether it is the name of one of the format's own messages.
#[cfg(any(feature = "derive", feature = "read"))]
pub(crate) const fn is_own_name(name: &str) -> bool {
    let mut own = false;
    let mut i = 0;
    while i < OWN_NAMES.len() {
        own |= same(OWN_NAMES[i], name);
        i += 1;
    }
    own
}

/// Rule 3, for a column of the message `name`, except for duplicates.
#[cfg(feature = "derive")]
#[track_caller]
pub(crate) const fn label_rules(name: &str, column: &ColumnDefinition) {
    let label = column.label;
    if !is_identifier(label) {
        let text = ConstText::new().str("the label `").str(label).str("` of ").str(name);
        refuse(text.str(" is not an identifier: ASCII letters, digits and `_`, the first not a digit"));
    }
    if is_taken_label(name, label) {
        let text = ConstText::new().str("the label `").str(label).str("` of ").str(name);
        refuse(text.str(" is taken by Python or pymavlink; choose another"));
    }
}

/// Rule 3, duplicates of earlier labels.
#[cfg(feature = "derive")]
#[track_caller]
const fn unique_label_rules(definition: &Definition, index: usize) {
    let Definition { name, columns, .. } = *definition;
    let label = columns[index].label;
    let mut i = 0;
    while i < index {
        if same(columns[i].label, label) {
            refuse(ConstText::new().str(name).str(" has the label `").str(label).str("` twice"));
        }
        i += 1;
    }
}

/// The aliases of a column are labels of no column: a log's column would fill two of the program's.
#[cfg(feature = "derive")]
#[track_caller]
const fn alias_rules(definition: &Definition, index: usize) {
    let aliases = definition.columns[index].history.aliases;
    let mut i = 0;
    while i < aliases.len() {
        alias(definition.columns, aliases[i]);
        i += 1;
    }
}

/// The alias of a column is neither the label of a column nor another alias: a log's column would fill two of the
/// program's. The macro has checked it against what it knows; this is called with the span of the alias.
#[cfg(feature = "derive")]
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
        let aliases = columns[i].history.aliases;
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

/// Whether a label has the form of one.
#[cfg(any(feature = "derive", feature = "read"))]
#[allow(clippy::manual_is_ascii_check, reason = "a call takes rustc's interpreter long")]
pub(crate) const fn is_identifier(label: &str) -> bool {
    let bytes = label.as_bytes();
    let length = bytes.len();
    let mut sound = length > 0 && !matches!(bytes[0], b'0'..=b'9');
    let mut i = 0;
    while i < length {
        sound &= matches!(bytes[i], b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_');
        i += 1;
    }
    sound
}

/// Whether Python or pymavlink has this label, which isn't empty, in use in a message of this name.
#[cfg(any(feature = "derive", feature = "read"))]
pub(crate) const fn is_taken_label(name: &str, label: &str) -> bool {
    let bytes = label.as_bytes();
    let mut taken = matches!(bytes, [b'_', b'_', ..]) && matches!(bytes, [.., b'_', b'_']);
    // Few labels begin as the reserved ones do: in lower case, with `_` or like `None`.
    if matches!(bytes[0], b'a'..=b'z' | b'_' | b'F' | b'N' | b'T') {
        let mut i = 0;
        while i < RESERVED_LABELS.len() {
            taken |= same(RESERVED_LABELS[i], label);
            i += 1;
        }
    }
    let mut i = 0;
    while matches!(bytes[0], b'S' | b'M') && i < TAKEN_LABELS.len() {
        taken |= same(TAKEN_LABELS[i].1, label) && same(TAKEN_LABELS[i].0, name);
        i += 1;
    }
    taken
}

/// Rule 6.
#[cfg(feature = "derive")]
#[track_caller]
const fn time_column_rules(column: &ColumnDefinition) {
    if !same(column.label, "TimeUS") {
        let text = ConstText::new().str("the first column is `TimeUS`, the time in microseconds; this one is `");
        refuse(text.str(column.label).str("`"));
    }
    time_rules(column);
}

/// Rule 6, for a column called `TimeUS`.
#[track_caller]
pub(crate) const fn time_rules(column: &ColumnDefinition) {
    if column.format as u8 != Format::U64 as u8 {
        refuse(about(column).str("; the time is microseconds in a u64, format `Q`"));
    }
    if column.unit.id() != Unit::SECONDS.id() || column.multiplier.id() != Multiplier::MICRO.id() {
        refuse(ConstText::new().str("TimeUS is in seconds with multiplier 1e-6; leave `unit` and `mult` out"));
    }
}

/// Rule 7. pymavlink unpacks the instance by the format character, and knows only these two of one byte.
#[track_caller]
pub(crate) const fn instance_rules(column: &ColumnDefinition) {
    if !is_instance(column.format) {
        refuse(about(column).str("; an instance is one byte: u8 or i8, `B` or `b`"));
    }
}

/// Whether an instance may be stored so.
pub(crate) const fn is_instance(format: Format) -> bool {
    matches!(format, Format::U8 | Format::I8)
}

/// Rule 8, and text, which has neither unit nor multiplier. `brought` is the id of the unit that the field's type
/// brings along, that of none where there is no type.
#[track_caller]
pub(crate) const fn value_rules(column: &ColumnDefinition, brought: u8) {
    let ColumnDefinition { label, format, unit, multiplier, .. } = *column;
    if unit.id() == Unit::INSTANCE.id() {
        panic!("an instance column is marked by `#[log(instance)]`");
    }
    if !is_scale_of(format, unit.id(), multiplier.id()) {
        refuse(about(column).str(match format {
            Format::Coordinate => ": its unit is `deglatitude` or `deglongitude`, its multiplier 1e-7 ('G')",
            format if format.is_text() => ", text, which has neither unit nor multiplier",
            _ => ", hundredths already; its multiplier is 1e-2 ('B') or none ('-')",
        }));
    }
    if matches!(unit.id(), b'D' | b'U') {
        axis_rules(label, unit, brought);
    }
}

/// Whether a column of this format may have this unit and this multiplier, by their ids.
pub(crate) const fn is_scale_of(format: Format, unit: u8, multiplier: u8) -> bool {
    match format {
        Format::Coordinate => matches!(unit, b'D' | b'U') && multiplier == Multiplier::COORDINATE.id(),
        format if format.is_centi() => matches!(multiplier, b'B' | b'-'),
        format if format.is_text() => unit == b'-' && multiplier == b'-',
        _ => true,
    }
}

/// A column in degrees of latitude has neither the name nor the type of a longitude, and vice versa.
#[track_caller]
const fn axis_rules(label: &str, unit: Unit, brought: u8) {
    let (axis, ty, other_axis, other) = if unit.id() == b'D' {
        ("latitude", "Latitude", "longitude", b'U')
    } else {
        ("longitude", "Longitude", "latitude", b'D')
    };
    if brought == other {
        let text = ConstText::new().str("the type of ").str(label).str(" holds a ").str(other_axis);
        let text = text.str(" and brings its unit along; a column of `").str(unit.name()).str("` is a `");
        refuse(text.str(ty).str("`"));
    }
    if !is_axis_of(label, unit.id()) {
        let text =
            ConstText::new().str(label).str(" is the name of a ").str(other_axis).str(", and its unit is that of a ");
        refuse(text.str(axis).str("; give it the other unit or another label"));
    }
}

/// Whether a label may be that of a column in this unit: not that of a latitude in degrees of longitude, nor the other
/// way round.
pub(crate) const fn is_axis_of(label: &str, unit: u8) -> bool {
    !matches!((names_axis(label), unit), (b'D', b'U') | (b'U', b'D'))
}

/// The unit of the axis that a label names, 0 for none.
const fn names_axis(label: &str) -> u8 {
    match label.as_bytes() {
        [b'L' | b'l', b'a' | b'A', b't' | b'T'] => b'D',
        [b'L' | b'l', b'o' | b'O', b'n' | b'N'] | [b'L' | b'l', b'n' | b'N', b'g' | b'G'] => b'U',
        b"Latitude" | b"latitude" => b'D',
        b"Long" | b"long" | b"Longitude" | b"longitude" => b'U',
        _ => 0,
    }
}

/// Panics with this text at the caller.
#[track_caller]
pub(crate) const fn refuse(text: ConstText) -> ! {
    panic!("{}", text.as_str());
}

/// ``Roll has format `c` ``
pub(crate) const fn about(column: &ColumnDefinition) -> ConstText {
    ConstText::new().str(column.label).str(" has format `").char(column.format.character()).str("`")
}

#[cfg(feature = "derive")]
const fn contains(text: &str, byte: u8) -> bool {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == byte {
            return true;
        }
        i += 1;
    }
    false
}
