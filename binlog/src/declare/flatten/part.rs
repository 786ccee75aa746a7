//! Joins the columns of flattened structs with those around them, in constants.

use crate::declare::Columns;
use crate::declare::columns::value;
use crate::format::history::part_of;
use crate::format::{ColumnDefinition, Multiplier, Unit};
use crate::wording::const_text::{JoinedNames, Names};
use core::panic::Location;

/// A field of a struct with flattened fields.
pub enum ColumnPart {
    /// One column.
    Column(ColumnDefinition),
    /// The columns of a flattened struct.
    Group(Group),
}

/// A flattened struct: its columns, and the attributes of the field.
pub struct Group {
    pub(super) columns: &'static [ColumnDefinition],
    /// Bytes of the struct; `None` if its derive has reported errors.
    pub(super) size: Option<usize>,
    /// Whether a derive has checked its labels against each other.
    pub(super) is_derived: bool,
    pub(super) prefix: &'static str,
    description: &'static str,
    pub(super) unit: Option<Unit>,
    pub(super) multiplier: Option<Multiplier>,
    /// The struct's bytes where an older log lacks the columns.
    default: Option<&'static [u8]>,
    /// The field.
    place: &'static Location<'static>,
}

/// A flattened struct, in the field at the caller's place.
#[track_caller]
pub const fn group<T: Columns>(
    prefix: &'static str,
    description: &'static str,
    unit: Option<Unit>,
    multiplier: Option<Multiplier>,
) -> ColumnPart {
    let size = if T::IS_FALLBACK { None } else { Some(size_of::<T>()) };
    ColumnPart::Group(Group {
        columns: T::COLUMNS,
        size,
        is_derived: T::IS_DERIVED,
        prefix,
        description,
        unit,
        multiplier,
        default: None,
        place: Location::caller(),
    })
}

/// A flattened struct with the bytes that it has where an older log lacks its columns.
pub const fn with_default(part: ColumnPart, default: &'static [u8]) -> ColumnPart {
    match part {
        ColumnPart::Group(group) => ColumnPart::Group(Group { default: Some(default), ..group }),
        ColumnPart::Column(_) => part,
    }
}

/// The bytes of an array's element; all of them if the array is shorter, which is an error of the column.
pub const fn element<const SIZE: usize>(bytes: &'static [u8], index: usize) -> &'static [u8] {
    part_of(bytes, index * SIZE, SIZE)
}

/// The number of columns.
pub const fn count(parts: &[ColumnPart]) -> usize {
    place(parts, parts.len()).0
}

/// Bytes of the labels that have to be joined.
pub const fn text_length(parts: &[ColumnPart]) -> usize {
    joined::<0>(parts).length()
}

/// The joined labels, one after the other in the order of [`columns`].
pub const fn text<const LENGTH: usize>(parts: &[ColumnPart]) -> [u8; LENGTH] {
    joined(parts).text()
}

const fn joined<const LENGTH: usize>(parts: &[ColumnPart]) -> JoinedNames<LENGTH> {
    let (mut labels, mut i) = (JoinedNames::new(), 0);
    while i < parts.len() {
        if let ColumnPart::Group(group) = &parts[i] {
            let columns = group.columns.len();
            let mut j = 0;
            while j < columns {
                labels.add(group.prefix, group.columns[j].label);
                j += 1;
            }
        }
        i += 1;
    }
    labels
}

/// All columns; `text` is that of [`text`].
pub const fn columns<const COUNT: usize>(parts: &[ColumnPart], text: &'static [u8]) -> [ColumnDefinition; COUNT] {
    let mut columns = [const { value::<u8>("", "", 0, 0) }; COUNT];
    let mut labels = Names::new(text);
    let (mut at, mut i) = (0, 0);
    while i < parts.len() {
        match &parts[i] {
            ColumnPart::Column(column) => {
                columns[at] = *column;
                at += 1;
            }
            ColumnPart::Group(group) => {
                let count = group.columns.len();
                let (mut offset, mut j) = (0, 0);
                while j < count {
                    let inner = &group.columns[j];
                    let label = labels.take(group.prefix, inner.label);
                    columns[at] = flattened(group, inner, label, offset);
                    offset += inner.format.size();
                    at += 1;
                    j += 1;
                }
            }
        }
        i += 1;
    }
    columns
}

/// Whether a float would have the field's multiplier.
pub const fn has_float(part: &ColumnPart) -> bool {
    matches!(part, ColumnPart::Group(group) if has(group, b"gfd"))
}

/// Whether an `f32` would have the field's unit.
pub const fn has_f32(part: &ColumnPart) -> bool {
    matches!(part, ColumnPart::Group(group) if has(group, b"f"))
}

/// Whether an integer would have the field's multiplier.
pub const fn has_integer(part: &ColumnPart) -> bool {
    matches!(part, ColumnPart::Group(group) if has(group, b"bBhHiIqQ"))
}

const fn has(group: &Group, formats: &[u8]) -> bool {
    let mut i = 0;
    while i < group.columns.len() {
        let mut j = 0;
        while j < formats.len() {
            if group.columns[i].format.character() as u32 == formats[j] as u32 {
                return true;
            }
            j += 1;
        }
        i += 1;
    }
    false
}

/// The places of a field's first column and of the one after its last.
pub(super) const fn place(parts: &[ColumnPart], index: usize) -> (usize, usize) {
    let (mut at, mut i) = (0, 0);
    while i < index {
        at += length(&parts[i]);
        i += 1;
    }
    (at, if index < parts.len() { at + length(&parts[index]) } else { at })
}

const fn length(part: &ColumnPart) -> usize {
    match part {
        ColumnPart::Column(_) => 1,
        ColumnPart::Group(group) => group.columns.len(),
    }
}

/// A column of a flattened struct, at an offset of it, as one of the message.
const fn flattened(group: &Group, inner: &ColumnDefinition, label: &'static str, offset: usize) -> ColumnDefinition {
    let mut column = *inner;
    column.label = label;
    column.flattened_at = Some(group.place);
    if !group.description.is_empty() {
        column.description = group.description;
    }
    if let Some(unit) = group.unit {
        column.unit = unit;
        // As for any column with a unit and without a multiplier.
        if column.multiplier.id() == Multiplier::NONE.id() && !column.format.is_text() {
            column.multiplier = Multiplier::ONE;
        }
    }
    if let Some(multiplier) = group.multiplier {
        column.multiplier = multiplier;
    }
    if let Some(default) = group.default {
        column.history.default = Some(part_of(default, offset, column.format.size()));
    }
    column
}
