//! What only the types can tell, checked while the user's crate compiles.
//!
//! The derive calls these with the span of the field, so that `#[track_caller]` puts the error there. The numbers are
//! the rules of "what a message definition must satisfy", which AP_Logger checks at boot or a reader relies on.

use crate::text::Text;
use crate::{Column, Definition, Field, Format, Meanings, Multiplier, Unit};

/// What the attributes of a field say; the rest of its column comes from its type.
pub struct Attributes {
    /// The column's label.
    pub label: &'static str,
    /// The doc comment.
    pub description: &'static str,
    /// `unit`, where given.
    pub unit: Option<Unit>,
    /// `mult`, where given.
    pub multiplier: Option<Multiplier>,
    /// `values` or `bits`, where given.
    pub meanings: Option<Meanings>,
    /// Which of the rules apply.
    pub role: Role,
}

/// What a column is for, which decides on the rules that it must satisfy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `TimeUS`.
    Time,
    /// The `#` column.
    Instance,
    /// Any other.
    Value,
    /// Any column of a message that is written as another firmware logs it.
    AsLogged,
}

/// The column of a field of type `T`.
#[track_caller]
pub const fn column<T: Field>(attributes: Attributes) -> Column {
    let Attributes { label, description, unit, multiplier, meanings, role } = attributes;
    let format = T::FORMAT;
    if size_of::<T>() != format.size() {
        let text = about(label, format).str(", of size ").number(format.size()).str(", but the size of its type is ");
        panic!("{}", text.number(size_of::<T>()).as_str());
    }
    let unit = match unit {
        Some(unit) => unit,
        None => T::UNIT,
    };
    let multiplier = match (multiplier, T::MULTIPLIER) {
        (Some(multiplier), _) | (None, Some(multiplier)) => multiplier,
        (None, None) if unit.id() == Unit::NONE.id() => Multiplier::NONE,
        (None, None) => Multiplier::ONE,
    };
    let meanings = match meanings {
        Some(meanings) => meanings,
        None => T::MEANINGS,
    };
    let column = Column { label, format, unit, multiplier, description, meanings };
    match role {
        Role::Time => time(&column),
        Role::Instance => instance(&column),
        Role::Value => scaling(&column),
        Role::AsLogged => {}
    }
    column
}

/// Rule 6.
#[track_caller]
const fn time(column: &Column) {
    if column.format as u8 != Format::U64 as u8 {
        let text = about(column.label, column.format).str("; the time is microseconds in a u64, format `Q`");
        panic!("{}", text.as_str());
    }
    if column.unit.id() != Unit::SECONDS.id() || column.multiplier.id() != Multiplier::MICRO.id() {
        panic!("TimeUS is in seconds with multiplier 1e-6; leave `unit` and `mult` out");
    }
}

/// Rule 7. pymavlink unpacks the instance by the format character, and knows only these two of one byte.
#[track_caller]
const fn instance(column: &Column) {
    if !matches!(column.format, Format::U8 | Format::I8) {
        let text = about(column.label, column.format).str("; an instance is one byte: u8 or i8, `B` or `b`");
        panic!("{}", text.as_str());
    }
}

/// Rule 8, and text, which has neither unit nor multiplier.
#[track_caller]
const fn scaling(column: &Column) {
    let Column { label, format, unit, multiplier, .. } = *column;
    if unit.id() == Unit::INSTANCE.id() {
        panic!("an instance column is marked by `#[log(instance)]`");
    }
    if format.is_centi() && !matches!(multiplier.id(), b'B' | b'-') {
        let text = about(label, format).str(", hundredths already; its multiplier is 1e-2 ('B') or none ('-')");
        panic!("{}", text.as_str());
    }
    if format as u8 == Format::Coordinate as u8
        && !(multiplier.id() == Multiplier::COORDINATE.id() && matches!(unit.id(), b'D' | b'U'))
    {
        let text = about(label, format);
        let text = text.str(": its unit is `deglatitude` or `deglongitude`, its multiplier 1e-7 ('G')");
        panic!("{}", text.as_str());
    }
    if format.is_text() && !(unit.id() == b'-' && multiplier.id() == b'-') {
        let text = about(label, format).str(", text, which has neither unit nor multiplier");
        panic!("{}", text.as_str());
    }
}

/// ``Roll has format `c` ``
const fn about(label: &str, format: Format) -> Text {
    Text::new().str(label).str(" has format `").char(format.character()).str("`")
}

/// Rule 2.
#[track_caller]
pub const fn length(definition: &Definition) {
    let length = definition.length();
    if length > 255 {
        let text = Text::new().str("record ").str(definition.name).str(" is ").number(length);
        let text = text.str(" bytes with its header of 3; the format allows 255");
        panic!("{}", text.as_str());
    }
}

/// The id of a custom unit or multiplier.
#[track_caller]
pub(crate) const fn custom_id(what: &str, id: char) -> u8 {
    if !id.is_ascii_graphic() {
        let text = Text::new().str("the id of a ").str(what).str(" is one printable ASCII character");
        panic!("{}", text.as_str());
    }
    id as u8
}

/// The id of a custom unit or multiplier that ArduPilot's table has already.
#[track_caller]
pub(crate) const fn taken_id(what: &str, id: u8, name: &str) -> ! {
    let text = Text::new().str("'").char(id).str("' is the id of a standard ").str(what);
    let text = if name.is_empty() { text } else { text.str(", `").str(name).str("`") };
    panic!("{}", text.str("; choose another").as_str());
}

/// The name of a custom unit.
#[track_caller]
pub(crate) const fn custom_unit_name(name: &str) {
    if name.is_empty() || name.len() > Format::Chars64.size() {
        let text = Text::new().str("the name of a unit has 1 to 64 bytes, this one ").number(name.len());
        panic!("{}", text.as_str());
    }
    let mut i = 0;
    while i < name.len() {
        if name.as_bytes()[i] == 0 {
            panic!("the name of a unit has no NUL, where readers end it");
        }
        i += 1;
    }
}
