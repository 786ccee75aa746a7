//! Builds columns and checks what depends on the fields' types, while the user's crate compiles.
//!
//! The derive calls these functions with the span of the field, so that `#[track_caller]` puts the error there.

use crate::const_text::ConstText;
use crate::{ColumnDefinition, Definition, Field, Format, Meanings, Multiplier, Unit, rules};

/// What a field's type brings to its column. One constant a type, however many fields have it.
struct OfType<T>(core::marker::PhantomData<T>);

struct FieldType {
    format: Format,
    size: usize,
    unit: Unit,
    multiplier: Option<Multiplier>,
    meanings: Meanings,
    is_closed: bool,
}

impl<T: Field> OfType<T> {
    const FIELD: FieldType = FieldType {
        format: T::FORMAT,
        size: size_of::<T>(),
        unit: T::UNIT,
        multiplier: T::MULTIPLIER,
        meanings: T::MEANINGS,
        is_closed: T::IS_CLOSED,
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
    let mut column = column;
    if let Some(unit) = unit {
        column.unit = unit;
    }
    if let Some(multiplier) = multiplier {
        column.multiplier = multiplier;
    }
    if checked {
        rules::value_rules(&column, OfType::<T>::FIELD.unit.id());
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
    use crate::definition::Meaning;
    use crate::format::Format;
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
