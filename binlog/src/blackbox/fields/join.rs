//! Joins the fields of flattened structs with those around them, in constants.

use super::{BlackboxFields, coding};
use crate::blackbox::{Encoding, FieldDefinition, Predictor};
use crate::format::FieldHistory;
use crate::format::history::part_of;
use crate::wording::const_text::{JoinedNames, Names};

/// A part of a frame.
pub enum FieldPart {
    /// One field.
    Field(FieldDefinition),
    /// The fields of a flattened struct.
    Group(Group),
}

/// A flattened struct, and the attributes of the field.
pub struct Group {
    prefix: &'static str,
    fields: &'static [FieldDefinition],
    /// Whether the frame has P frames.
    is_main: bool,
    /// The struct's bytes where an older log lacks the fields.
    default: Option<&'static [u8]>,
}

/// A flattened struct.
pub const fn group<T: BlackboxFields>(prefix: &'static str, is_main: bool) -> FieldPart {
    FieldPart::Group(Group { prefix, fields: T::FIELDS, is_main, default: None })
}

/// A flattened struct with the bytes that it has where an older log lacks its fields.
pub const fn group_with_history(part: FieldPart, default: Option<&'static [u8]>) -> FieldPart {
    match part {
        FieldPart::Group(group) => FieldPart::Group(Group { default, ..group }),
        FieldPart::Field(_) => part,
    }
}

/// The number of fields.
pub const fn count(parts: &[FieldPart]) -> usize {
    place(parts, parts.len())
}

/// The number of fields in the parts before `index`.
pub(super) const fn place(parts: &[FieldPart], index: usize) -> usize {
    let (mut fields, mut i) = (0, 0);
    while i < index {
        fields += match &parts[i] {
            FieldPart::Field(_) => 1,
            FieldPart::Group(group) => group.fields.len(),
        };
        i += 1;
    }
    fields
}

/// Bytes of the names that have to be joined.
pub const fn text_length(parts: &[FieldPart]) -> usize {
    joined::<0>(parts).length()
}

/// The joined names, one after the other in the order of [`fields`].
pub const fn text<const LENGTH: usize>(parts: &[FieldPart]) -> [u8; LENGTH] {
    joined(parts).text()
}

const fn joined<const LENGTH: usize>(parts: &[FieldPart]) -> JoinedNames<LENGTH> {
    let (mut names, mut i) = (JoinedNames::new(), 0);
    while i < parts.len() {
        if let FieldPart::Group(Group { prefix, fields, .. }) = &parts[i] {
            let mut j = 0;
            while j < fields.len() {
                names.add(prefix, fields[j].name);
                j += 1;
            }
        }
        i += 1;
    }
    names
}

/// All fields; `text` is that of [`text`].
pub const fn fields<const COUNT: usize>(parts: &[FieldPart], text: &'static [u8]) -> [FieldDefinition; COUNT] {
    const NONE: FieldDefinition = FieldDefinition {
        name: "",
        signed: false,
        bits: 8,
        intra: coding(Predictor::Zero, Encoding::UnsignedVb),
        inter: None,
        history: FieldHistory::NONE,
    };
    let mut fields = [NONE; COUNT];
    let mut names = Names::new(text);
    let (mut at, mut i) = (0, 0);
    while i < parts.len() {
        match &parts[i] {
            FieldPart::Field(field) => {
                fields[at] = *field;
                at += 1;
            }
            FieldPart::Group(group) => {
                let (mut j, mut byte) = (0, 0);
                while j < group.fields.len() {
                    let field = group.fields[j];
                    let name = names.take(group.prefix, field.name);
                    let inter = if group.is_main { field.inter } else { None };
                    let size = field.bits as usize / 8;
                    let history = match group.default {
                        Some(bytes) => FieldHistory { default: Some(part_of(bytes, byte, size)), ..field.history },
                        None => field.history,
                    };
                    fields[at] = FieldDefinition { name, inter, history, ..field };
                    byte += size;
                    at += 1;
                    j += 1;
                }
            }
        }
        i += 1;
    }
    fields
}
