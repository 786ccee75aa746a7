//! What only the types can tell, checked while the user's crate compiles.
//!
//! The derive calls these with the span of the field, so that `#[track_caller]` puts the error there. The numbers are
//! those of the rules in binlog-derive's `check.rs`.

use crate::const_text::ConstText;
use crate::{ColumnDefinition, Definition, Field, Format, Meanings, Multiplier, Unit};

/// What a field's type brings to its column. One constant a type, however many fields have it.
struct OfType<T>(core::marker::PhantomData<T>);

struct FieldType {
    format: Format,
    size: usize,
    unit: Unit,
    multiplier: Option<Multiplier>,
    meanings: Meanings,
}

impl<T: Field> OfType<T> {
    const FIELD: FieldType = FieldType {
        format: T::FORMAT,
        size: size_of::<T>(),
        unit: T::UNIT,
        multiplier: T::MULTIPLIER,
        meanings: T::MEANINGS,
    };
}

/// The id that stands for a unit or multiplier that no attribute gives.
const BY_TYPE: u8 = 0;

/// `TimeUS`.
#[track_caller]
pub const fn time<T: Field>(
    label: &'static str,
    description: &'static str,
    unit: u8,
    multiplier: u8,
) -> ColumnDefinition {
    let unit = if unit == BY_TYPE { Unit::SECONDS.id() } else { unit };
    let multiplier = if multiplier == BY_TYPE { Multiplier::MICRO.id() } else { multiplier };
    let column = standard(&OfType::<T>::FIELD, label, description, unit, multiplier);
    time_rules(&column);
    column
}

/// The `#` column.
#[track_caller]
pub const fn instance<T: Field>(label: &'static str, description: &'static str) -> ColumnDefinition {
    let column = standard(&OfType::<T>::FIELD, label, description, Unit::INSTANCE.id(), Multiplier::NONE.id());
    instance_rules(&column);
    column
}

/// Any other column. Unit and multiplier are ids of the standard tables, 0 where no attribute gives one.
#[track_caller]
pub const fn value<T: Field>(
    label: &'static str,
    description: &'static str,
    unit: u8,
    multiplier: u8,
) -> ColumnDefinition {
    let column = standard(&OfType::<T>::FIELD, label, description, unit, multiplier);
    value_rules(&column);
    column
}

/// A column of a message that is written as another firmware logs it.
#[track_caller]
pub const fn as_logged<T: Field>(
    label: &'static str,
    description: &'static str,
    unit: u8,
    multiplier: u8,
) -> ColumnDefinition {
    standard(&OfType::<T>::FIELD, label, description, unit, multiplier)
}

/// A column with constants of the program's in place of the unit or multiplier that it has.
#[track_caller]
pub const fn custom(
    column: ColumnDefinition,
    unit: Option<Unit>,
    multiplier: Option<Multiplier>,
    checked: bool,
) -> ColumnDefinition {
    let mut column = column;
    if let Some(unit) = unit {
        column.unit = unit;
    }
    if let Some(multiplier) = multiplier {
        column.multiplier = multiplier;
    }
    if checked {
        value_rules(&column);
    }
    column
}

/// A column with what its values or bits stand for.
#[track_caller]
pub const fn meaning(column: ColumnDefinition, meanings: Meanings) -> ColumnDefinition {
    let mut column = column;
    meaning_rules(&column, &meanings);
    column.meanings = meanings;
    column
}

/// A column whose unit and multiplier are of the standard tables, by their ids.
#[track_caller]
const fn standard(
    field: &FieldType,
    label: &'static str,
    description: &'static str,
    unit: u8,
    multiplier: u8,
) -> ColumnDefinition {
    let FieldType { format, size, .. } = *field;
    if size != format.size() {
        let text =
            about(label, format).str(", of size ").number(format.size() as u64).str(", but the size of its type is ");
        panic!("{}", text.number(size as u64).as_str());
    }
    let unit = if unit == BY_TYPE { field.unit } else { Unit::with_id(unit) };
    let multiplier = match field.multiplier {
        _ if multiplier != BY_TYPE => Multiplier::with_id(multiplier),
        Some(multiplier) => multiplier,
        None if unit.id() == Unit::NONE.id() => Multiplier::NONE,
        None => Multiplier::ONE,
    };
    let column = ColumnDefinition { label, format, unit, multiplier, description, meanings: field.meanings };
    if !matches!(field.meanings, Meanings::None) {
        meaning_rules(&column, &field.meanings);
    }
    column
}

/// What values and bits are named must fit into the column.
#[track_caller]
const fn meaning_rules(column: &ColumnDefinition, meanings: &Meanings) {
    let ColumnDefinition { label, format, .. } = *column;
    let bits = 8 * format.size();
    let (what, meanings, least, most) = match (meanings, format) {
        (Meanings::None, _) => return,
        (Meanings::Bits(bits_named), _) if format.is_integer() => ("bit", *bits_named, 0, bits as i64 - 1),
        (Meanings::Values(values), _) if format.is_signed_integer() => {
            ("value", *values, i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))
        }
        // A value of a u64 may be beyond an i64, where it is negative.
        (Meanings::Values(_), Format::U64) => return,
        (Meanings::Values(values), _) if format.is_integer() => ("value", *values, 0, (1 << bits) - 1),
        _ => {
            let text = about(label, format).str("; only an integer's values and bits have names");
            panic!("{}", text.as_str());
        }
    };
    let mut i = 0;
    while i < meanings.len() {
        let value = meanings[i].value;
        if value < least || value > most {
            let text = about(label, format).str(", which has no ").str(what).str(" ");
            let text = if value < 0 { text.str("-") } else { text };
            panic!("{}", text.number(value.unsigned_abs()).as_str());
        }
        i += 1;
    }
}

/// Rule 6.
#[track_caller]
const fn time_rules(column: &ColumnDefinition) {
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
const fn instance_rules(column: &ColumnDefinition) {
    if !matches!(column.format, Format::U8 | Format::I8) {
        let text = about(column.label, column.format).str("; an instance is one byte: u8 or i8, `B` or `b`");
        panic!("{}", text.as_str());
    }
}

/// Rule 8, and text, which has neither unit nor multiplier.
#[track_caller]
const fn value_rules(column: &ColumnDefinition) {
    let ColumnDefinition { label, format, unit, multiplier, .. } = *column;
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
const fn about(label: &str, format: Format) -> ConstText {
    ConstText::new().str(label).str(" has format `").char(format.character()).str("`")
}

/// Rule 2.
#[track_caller]
pub const fn length(definition: &Definition) {
    let length = definition.length();
    if length > 255 {
        let text = ConstText::new().str("record ").str(definition.name).str(" is ").number(length as u64);
        let text = text.str(" bytes with its header of 3; the format allows 255");
        panic!("{}", text.as_str());
    }
}
