//! How a log's definition of a message differs from the program's.

use crate::format::field::Chars;
use crate::format::{Format, Multiplier, Unit};
use core::fmt;

/// How a log's definition of a message differs from the program's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The program's name of the message.
    pub message: &'static str,
    /// The difference; the first one, if only one is reported.
    pub kind: MismatchKind,
}

/// One difference between a log's definition and the program's (`expected`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MismatchKind {
    /// The record belongs to another message.
    Name {
        /// The log's name.
        found: Chars<4>,
    },
    /// The number of columns.
    Columns {
        /// The program's.
        expected: usize,
        /// The log's.
        found: usize,
    },
    /// The log lacks a column with this label, or with an alias of it, and the program has no default for it.
    Missing {
        /// The program's.
        label: &'static str,
    },
    /// The label of a column.
    Label {
        /// The program's.
        expected: &'static str,
        /// The log's, cut to 16 bytes.
        found: Chars<16>,
    },
    /// The format character of a column.
    Format {
        /// The column.
        label: &'static str,
        /// The program's.
        expected: Format,
        /// The log's, 0 for none.
        found: u8,
    },
    /// The length of the record, although the columns agree.
    Length {
        /// The program's.
        expected: usize,
        /// The log's.
        found: u8,
    },
    /// The unit of a column.
    Unit {
        /// The column.
        label: &'static str,
        /// The program's id.
        expected: u8,
        /// The log's id.
        found: u8,
    },
    /// The unit of a column, if the log or the program uses an id that isn't ArduPilot's.
    UnitName {
        /// The column.
        label: &'static str,
        /// The program's unit.
        expected: &'static str,
        /// The log's name for its unit, cut to 16 bytes.
        found: Chars<16>,
    },
    /// The multiplier of a column, if the log or the program uses an id that isn't ArduPilot's.
    MultiplierValue {
        /// The column.
        label: &'static str,
        /// The value of the program's.
        expected: Chars<16>,
        /// The value of the log's.
        found: Chars<16>,
    },
    /// The multiplier of a column.
    Multiplier {
        /// The column.
        label: &'static str,
        /// The program's id.
        expected: u8,
        /// The log's id.
        found: u8,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message;
        match self.kind {
            MismatchKind::Name { found } => write!(f, "the record is {found}, not {message}"),
            MismatchKind::Columns { expected, found } => {
                write!(f, "{message} has {found} columns in this log, {expected} in the program")
            }
            MismatchKind::Missing { label } => {
                write!(f, "{message} has no column {label} in this log, and its field has no `default`")
            }
            MismatchKind::Label { expected, found } => {
                write!(f, "{message} has the label {found} in this log where the program has {expected}")
            }
            MismatchKind::Format { label, expected, found: 0 } => {
                write!(f, "{message}.{label} has no format in this log, `{expected}` in the program")
            }
            MismatchKind::Format { label, expected, found } => {
                let found = [found];
                let found = found.escape_ascii();
                write!(f, "{message}.{label} has format `{found}` in this log, `{expected}` in the program")
            }
            MismatchKind::Length { expected, found } => {
                write!(f, "{message} has records of {found} bytes in this log, {expected} in the program")
            }
            MismatchKind::Unit { label, expected, found } => {
                write!(f, "{message}.{label} has unit ")?;
                id(f, found, Unit::from_id(found).map(|unit| unit.name()).filter(|name| !name.is_empty()))?;
                f.write_str(" in this log, ")?;
                id(f, expected, Unit::from_id(expected).map(|unit| unit.name()).filter(|name| !name.is_empty()))?;
                f.write_str(" in the program")
            }
            MismatchKind::UnitName { label, expected, found } => {
                write!(f, "{message}.{label} has unit {found} in this log, {expected} in the program")
            }
            MismatchKind::MultiplierValue { label, expected, found } => {
                write!(f, "{message}.{label} has multiplier {found} in this log, {expected} in the program")
            }
            MismatchKind::Multiplier { label, expected, found } => {
                write!(f, "{message}.{label} has multiplier ")?;
                id(f, found, Multiplier::from_id(found).map(|multiplier| multiplier.value()))?;
                f.write_str(" in this log, ")?;
                id(f, expected, Multiplier::from_id(expected).map(|multiplier| multiplier.value()))?;
                f.write_str(" in the program")
            }
        }
    }
}

/// An id, and its meaning in ArduPilot's table.
fn id(f: &mut fmt::Formatter<'_>, id: u8, meaning: Option<impl fmt::Display>) -> fmt::Result {
    let id = [id];
    let id = id.escape_ascii();
    match meaning {
        Some(meaning) => write!(f, "'{id}' ({meaning})"),
        None => write!(f, "'{id}'"),
    }
}

impl core::error::Error for Mismatch {}
