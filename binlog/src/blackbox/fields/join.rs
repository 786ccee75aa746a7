//! Joins the fields of flattened structs with those around them, in constants.
//!
//! A name is a prefix and the name of a struct's field. Both are known to different macros, so constants join them.

use super::{BlackboxFields, coding};
use crate::blackbox::{Encoding, FieldDefinition, Predictor};

/// A part of a frame.
pub enum Part {
    /// One field.
    Field(FieldDefinition),
    /// The fields of a flattened struct: its prefix, the fields, and whether the frame has P frames.
    Group(&'static str, &'static [FieldDefinition], bool),
}

/// A flattened struct.
pub const fn group<T: BlackboxFields>(prefix: &'static str, is_main: bool) -> Part {
    Part::Group(prefix, T::FIELDS, is_main)
}

/// The number of fields.
pub const fn count(parts: &[Part]) -> usize {
    place(parts, parts.len())
}

/// The number of fields in the parts before `index`.
pub(super) const fn place(parts: &[Part], index: usize) -> usize {
    let (mut fields, mut i) = (0, 0);
    while i < index {
        fields += match &parts[i] {
            Part::Field(_) => 1,
            Part::Group(_, group, _) => group.len(),
        };
        i += 1;
    }
    fields
}

/// Bytes of the names that have to be joined.
pub const fn text_length(parts: &[Part]) -> usize {
    let (mut length, mut i) = (0, 0);
    while i < parts.len() {
        if let Part::Group(prefix, group, _) = &parts[i] {
            let mut j = 0;
            while j < group.len() {
                length += prefix.len() + group[j].name.len();
                j += 1;
            }
        }
        i += 1;
    }
    length
}

/// The joined names, one after the other in the order of [`fields`].
pub const fn text<const LENGTH: usize>(parts: &[Part]) -> [u8; LENGTH] {
    let mut text = [0; LENGTH];
    let (mut at, mut i) = (0, 0);
    while i < parts.len() {
        if let Part::Group(prefix, group, _) = &parts[i] {
            let mut j = 0;
            while j < group.len() {
                at = put(&mut text, at, prefix.as_bytes());
                at = put(&mut text, at, group[j].name.as_bytes());
                j += 1;
            }
        }
        i += 1;
    }
    text
}

const fn put(text: &mut [u8], mut at: usize, bytes: &[u8]) -> usize {
    let mut i = 0;
    while i < bytes.len() {
        text[at] = bytes[i];
        at += 1;
        i += 1;
    }
    at
}

/// All fields; `text` is that of [`text`].
pub const fn fields<const COUNT: usize>(parts: &[Part], text: &'static [u8]) -> [FieldDefinition; COUNT] {
    const NONE: FieldDefinition = FieldDefinition {
        name: "",
        signed: false,
        bits: 8,
        intra: coding(Predictor::Zero, Encoding::UnsignedVb),
        inter: None,
    };
    let mut fields = [NONE; COUNT];
    // They are names joined to prefixes.
    let mut text = match core::str::from_utf8(text) {
        Ok(text) => text,
        Err(_) => "",
    };
    let (mut at, mut i) = (0, 0);
    while i < parts.len() {
        match &parts[i] {
            Part::Field(field) => {
                fields[at] = *field;
                at += 1;
            }
            Part::Group(prefix, group, is_main) => {
                let mut j = 0;
                while j < group.len() {
                    let (name, rest) = text.split_at(prefix.len() + group[j].name.len());
                    let inter = if *is_main { group[j].inter } else { None };
                    fields[at] = FieldDefinition { name, inter, ..group[j] };
                    text = rest;
                    at += 1;
                    j += 1;
                }
            }
        }
        i += 1;
    }
    fields
}
