//! Builds columns and checks what depends on the fields' types, while the user's crate compiles.
//!
//! The derive calls these functions with the span of the field, so that `#[track_caller]` puts the error there.

use crate::declare::rules;
use crate::format::{ColumnDefinition, Definition, Field, Format, Meanings, Multiplier, Unit};
use crate::wording::const_text::ConstText;

/// What a field's type brings to its column. One constant a type, however many fields have it.
pub struct OfType<T>(core::marker::PhantomData<T>);

/// The constants of a field's type: those of [`Field`], and its size.
#[allow(missing_docs, reason = "they have the names of the constants")]
pub struct FieldType {
    pub format: Format,
    size: usize,
    pub unit: Unit,
    pub multiplier: Option<Multiplier>,
    pub meanings: Meanings,
    pub is_closed: bool,
}

impl<T: Field> OfType<T> {
    /// Whether the type isn't a field: 1 or 0.
    pub const MISSING: usize = 0;

    /// What the type brings.
    pub const FIELD: FieldType = FieldType {
        format: T::FORMAT,
        size: size_of::<T>(),
        unit: T::UNIT,
        multiplier: T::MULTIPLIER,
        meanings: T::MEANINGS,
        is_closed: T::IS_CLOSED,
    };

    /// As [`Field::decode`].
    #[inline(always)]
    pub fn decode(bytes: &[u8]) -> Option<T> {
        T::decode(bytes)
    }
}

/// Stands in for the type of a column that is not a field, where the derive has reported it already.
///
/// `OfType::<String>::FIELD` is the constant of [`OfType`] if the type is a [`Field`], or else the one here.
pub trait NoField<T> {
    /// As [`OfType::MISSING`].
    const MISSING: usize = 1;

    /// No rule applies to it.
    const FIELD: FieldType = FieldType {
        format: Format::U8,
        size: NO_SIZE,
        unit: Unit::NONE,
        multiplier: None,
        meanings: Meanings::None,
        is_closed: false,
    };

    /// Never called.
    fn decode(_: &[u8]) -> Option<T> {
        None
    }
}

impl<T> NoField<T> for OfType<T> {}

/// Whether one of the types isn't a field: 1 or 0.
pub const fn missing(each: &[usize]) -> usize {
    let mut i = 0;
    while i < each.len() {
        if each[i] > 0 {
            return 1;
        }
        i += 1;
    }
    0
}

/// The purpose of a column, which determines its rules.
pub enum Role {
    /// `TimeUS`.
    Time,
    /// The `#` column.
    Instance,
    /// Any other column.
    Value,
    /// Any column of a message of another firmware.
    AsLogged,
}

/// A column whose type has the name of one that isn't a field. As [`time`], [`instance`], [`value`] or [`as_logged`],
/// if the type is a field.
#[track_caller]
pub const fn doubted(
    field: &FieldType,
    role: Role,
    label: &'static str,
    description: &'static str,
    unit: u8,
    multiplier: u8,
) -> ColumnDefinition {
    if field.size == NO_SIZE {
        return ColumnDefinition::new(label, field.format, field.unit, Multiplier::NONE);
    }
    let (unit_of_role, multiplier_of_role) = match role {
        Role::Time => (Unit::SECONDS.id(), Multiplier::MICRO.id()),
        Role::Instance => (Unit::INSTANCE.id(), Multiplier::NONE.id()),
        Role::Value | Role::AsLogged => (BY_TYPE, BY_TYPE),
    };
    let unit = if unit == BY_TYPE { unit_of_role } else { unit };
    let multiplier = if multiplier == BY_TYPE { multiplier_of_role } else { multiplier };
    let column = standard(field, label, description, unit, multiplier);
    match role {
        Role::Time => rules::time_rules(&column),
        Role::Instance => rules::instance_rules(&column),
        Role::Value => rules::value_rules(&column, field.unit.id()),
        Role::AsLogged => {}
    }
    column
}

/// The size of a type that isn't a field.
const NO_SIZE: usize = usize::MAX;

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
    rules::time_rules(&column);
    column
}

/// The `#` column.
#[track_caller]
pub const fn instance<T: Field>(label: &'static str, description: &'static str) -> ColumnDefinition {
    let column = standard(&OfType::<T>::FIELD, label, description, Unit::INSTANCE.id(), Multiplier::NONE.id());
    rules::instance_rules(&column);
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
    let field = &OfType::<T>::FIELD;
    let column = standard(field, label, description, unit, multiplier);
    rules::value_rules(&column, field.unit.id());
    column
}

/// A column without the rules of values: of a message as another firmware logs it, or one that `custom` completes.
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
pub const fn custom<T: Field>(
    column: ColumnDefinition,
    unit: Option<Unit>,
    multiplier: Option<Multiplier>,
    checked: bool,
) -> ColumnDefinition {
    doubted_custom(&OfType::<T>::FIELD, column, unit, multiplier, checked)
}

/// The same for a column whose type may be no field.
#[track_caller]
pub const fn doubted_custom(
    field: &FieldType,
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
    if checked && field.size != NO_SIZE {
        rules::value_rules(&column, field.unit.id());
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
    let unit = if unit == BY_TYPE { field.unit } else { Unit::with_id(unit) };
    let multiplier = match field.multiplier {
        _ if multiplier != BY_TYPE => Multiplier::with_id(multiplier),
        Some(multiplier) => multiplier,
        None if unit.id() == Unit::NONE.id() => Multiplier::NONE,
        None => Multiplier::ONE,
    };
    let column = ColumnDefinition {
        description,
        meanings: field.meanings,
        is_closed: field.is_closed,
        ..ColumnDefinition::new(label, format, unit, multiplier)
    };
    if size != format.size() {
        let text = rules::about(&column).str(", of size ").number(format.size() as u64);
        panic!("{}", text.str(", but the size of its type is ").number(size as u64).as_str());
    }
    if !matches!(field.meanings, Meanings::None) {
        meaning_rules(&column, &field.meanings);
    }
    column
}

/// Named values and bits must fit into the column.
#[track_caller]
const fn meaning_rules(column: &ColumnDefinition, meanings: &Meanings) {
    let bits = 8 * column.format.size() as u32;
    let (what, meanings, least, most) = match (meanings, column.format) {
        (Meanings::None, _) => return,
        (Meanings::Bits(bits_named), format) if format.is_integer() => ("bit", *bits_named, 0, bits as i128 - 1),
        (Meanings::Values(values), format) if format.is_signed_integer() => {
            ("value", *values, i128::MIN >> (128 - bits), i128::MAX >> (128 - bits))
        }
        (Meanings::Values(values), format) if format.is_integer() => ("value", *values, 0, (1 << bits) - 1),
        _ => {
            let text = rules::about(column).str("; only an integer's values and bits have names");
            panic!("{}", text.as_str());
        }
    };
    let mut i = 0;
    while i < meanings.len() {
        let value = meanings[i].value;
        if value < least || value > most {
            let text = rules::about(column).str(", which has no ").str(what).str(" ");
            let text = if value < 0 { text.str("-") } else { text };
            panic!("{}", text.number(value.unsigned_abs() as u64).as_str());
        }
        i += 1;
    }
}

/// A definition whose records have a length that the format allows.
#[track_caller]
pub const fn definition(definition: Definition) -> Definition {
    rules::length_rules(definition.name, definition.length());
    definition
}

/// The number of padding bytes, which must be 0.
#[track_caller]
pub const fn padding<M>(name: &str, fields: usize) -> usize {
    let padding = size_of::<M>() - fields;
    if padding > 0 {
        let text = ConstText::new().str("`").str(name).str("` has ").number(padding as u64);
        let text = text.str(if padding == 1 { " byte" } else { " bytes" });
        panic!("{}", text.str(" of padding, but a record has none; write `#[repr(C, packed)]`").as_str());
    }
    padding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Format, Meaning};
    use std::panic::catch_unwind;

    #[test]
    fn named_values_and_bits_fit_their_column() {
        let values: fn(&'static [Meaning]) -> Meanings = Meanings::Values;
        for (format, of, fitting, too_small, too_large) in [
            (Format::I8, values, [-128, 127], -129, 128),
            (Format::U8, values, [0, 255], -1, 256),
            (Format::I64, values, [i64::MIN.into(), i64::MAX.into()], i128::from(i64::MIN) - 1, 1 << 63),
            (Format::U64, values, [0, u64::MAX.into()], -1, 1 << 64),
            (Format::U16, Meanings::Bits, [0, 15], -1, 16),
        ] {
            let names = |value| {
                let meanings =
                    Box::leak(Box::new([0, value].map(|value| Meaning { value, name: "a", description: "" })));
                let column = ColumnDefinition::new("State", format, Unit::NONE, Multiplier::NONE);
                catch_unwind(|| meaning(column, of(meanings)))
            };
            for value in fitting {
                assert!(names(value).is_ok(), "{format:?} {value}");
            }
            for value in [too_small, too_large] {
                let panic = names(value).expect_err("it doesn't fit");
                let text = panic.downcast_ref::<String>().expect("a text");
                // An enum has no value beyond 64 bits.
                let is_named = i64::try_from(value).is_err() || text.ends_with(&format!(" {value}"));
                assert!(text.starts_with("State ") && is_named, "{text}");
            }
        }
    }
}
