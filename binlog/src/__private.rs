//! The items that derived code names. Not for programs; they change without notice.

pub use crate::declare::columns::{
    NoField, OfType, Role, as_logged, custom, definition, doubted, doubted_custom, instance, meaning, missing, padding,
    time, value,
};
pub use crate::declare::history::{with_history, zeros};
pub use crate::declare::lint;
#[cfg(feature = "derive")]
pub use crate::declare::plan::{Plan, Variant, messages, plan, report_fault};
#[cfg(feature = "derive")]
pub use crate::declare::preamble::preamble;
pub use crate::format::counts::{CountersOf, Rate};
pub use crate::format::field::not_a_field::{
    Boxed, Clock, Date, Element, Half, Hundredths, Length, List, Number, Optional, Text, Time, Unflattened,
    WithoutFlatten,
};
pub use crate::format::message::{
    Bytes, NoBytes, Padding, Parts, decode_1, decode_2, decode_3, decode_4, decode_5, decode_6, decode_7, decode_8,
    decode_9, decode_10, decode_11, decode_12, decode_13, decode_14, decode_15, decode_16, no_padding,
};
pub use crate::format::ring_format::{ArduPilot, Schema, packed, packed_length};
pub use crate::format::schema::Nothing;
pub use crate::format::{
    ColumnDefinition, DecodeError, Definition, Field, Format, LogMessage, LogSchema, Logs, Meaning, Meanings,
    Multiplier, RuleSet, SchemaMessage, Unit,
};
// For binlog-embedded's own compile-time errors, too.
pub use crate::wording::const_text::{ConstText, same};
// For binlog-embedded's texts.
pub use crate::wording::plural::Plural;
pub use core::mem::size_of;
pub use core::ops::Fn;
pub use core::option::Option::{self, None, Some};
pub use core::primitive::{bool, i128, str, u8, usize};
pub use core::result::Result::{self, Err, Ok};
pub use zerocopy::transmute;

/// The unit of an id in the standard table.
pub const fn unit(id: u8) -> Unit {
    Unit::with_id(id)
}

/// The multiplier of an id in the standard table.
pub const fn multiplier(id: u8) -> Multiplier {
    Multiplier::with_id(id)
}

/// For the partition tables that binlog-embedded reads.
pub mod crc {
    pub use crate::flash::crc::{START, update};
}

/// Flattened fields.
#[cfg(feature = "derive")]
pub mod flatten {
    pub use crate::declare::Columns;
    pub use crate::declare::flatten::check::{is_broken, locate, of_columns, of_message};
    pub use crate::declare::flatten::part::{
        ColumnPart, columns, count, element, group, has_f32, has_float, has_integer, text, text_length, with_default,
    };
    pub use crate::declare::flatten::{NoReader, Read, Reader, decode};
    pub use crate::declare::rules::alias;
}

/// Lists and limits of which binlog-derive has a copy, since a macro doesn't link the crate that it expands for. Tests
/// of binlog-derive compare them.
#[cfg(any(feature = "derive", feature = "read"))]
pub mod rules {
    #[cfg(feature = "derive")]
    pub use crate::declare::rules::{MAX_COLUMNS, MAX_LABELS, MAX_NAME};
    pub use crate::declare::rules::{OWN_NAMES, RESERVED_LABELS, TAKEN_LABELS};
}

/// Blackbox logs.
#[cfg(all(feature = "blackbox", feature = "derive"))]
pub mod blackbox {
    pub use crate::__blackbox_reading as reading;
    pub use crate::blackbox::fields::check::{alias, fields_until, part};
    pub use crate::blackbox::fields::join::{FieldPart, count, fields, group, group_with_history, text, text_length};
    pub use crate::blackbox::fields::{Fields, NoFields, field, main_field, padding, with_history};
    pub use crate::blackbox::frame::derived::{NoStruct, NoVariant, Padding, Struct, Variant};
    pub use crate::blackbox::lint;
    pub use crate::blackbox::preamble::{Preamble, ascii};
    #[cfg(feature = "read")]
    pub use crate::blackbox::read::FieldValues;
    pub use crate::blackbox::schema::check::{sizes, variant};
    pub use crate::blackbox::value::{NoValue, Value};
    pub use crate::blackbox::{
        Absent, BlackboxFields, BlackboxFrame, BlackboxSchema, Encoding, FieldDefinition, FieldWriter, FrameBuffer,
        FrameKind, HomeFrame, Intervals, LogsFrame, MainFrame, Predictor, ReadFields, References, zigzag,
    };
    #[cfg(feature = "read")]
    pub use crate::blackbox::{FieldPredictor, FieldReader};
    pub use core::primitive::{i32, u32};
}

/// Descriptions that contain macros.
pub mod description {
    pub use crate::format::description::{bytes, length, text};
}
