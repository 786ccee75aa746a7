//! What a text log has lost.

use crate::format::Format;
use crate::wording::plural::Plural;
use std::fmt;

/// A line of a text log that can't be read, or not as a whole.
///
/// `Display` says which line it is and what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DamagedLine {
    /// Its number, from 1 on.
    pub line: u64,
    /// Where it begins, in bytes from the start of the text.
    pub offset: usize,
    /// Its length in bytes, without the line end.
    pub length: usize,
    /// The type that it is a record of or defines; empty if it doesn't say one.
    pub name: String,
    /// Where the record is, or would be, in the bytes of the [`Log`](crate::Log), which is binary.
    pub place: usize,
    /// What is wrong.
    pub fault: LineFault,
}

/// What is wrong in a line of a text log.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LineFault {
    /// It isn't a record: a record begins with the name of its type and a comma.
    NotARecord,
    /// No FMT line before it defines its type.
    Undefined,
    /// It says that Mission Planner couldn't convert a record of the binary log.
    Unconverted,
    /// The definition in an FMT line can't be used. It has the reason.
    Definition(&'static str),
    /// It has fewer values than its type has columns.
    TooFewValues {
        /// The number of its values.
        values: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A value isn't one of its column's format.
    WrongValue {
        /// The label of the column.
        label: String,
        /// The column's format.
        format: Format,
        /// The beginning of the value.
        value: String,
    },
    /// It has more values than its type has columns. The record is read without those.
    SurplusValues {
        /// The number of columns.
        columns: usize,
    },
    /// A number has more digits than its column's format. The record has it rounded.
    Rounded {
        /// The label of the column.
        label: String,
        /// The column's format.
        format: Format,
    },
    /// A text is longer than its column. The record has its beginning.
    LongText {
        /// The label of the column.
        label: String,
        /// The column's bytes.
        room: usize,
    },
}

impl LineFault {
    /// Whether the line yields a record all the same, which differs from the text in one value or lacks some.
    pub fn has_record(&self) -> bool {
        matches!(self, LineFault::SurplusValues { .. } | LineFault::Rounded { .. } | LineFault::LongText { .. })
    }
}

impl fmt::Display for DamagedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        if !self.name.is_empty() {
            write!(f, "{}: ", self.name.escape_debug())?;
        }
        self.fault.fmt(f)
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineFault::NotARecord => f.write_str("it isn't a record, which begins with the name of a type and a comma"),
            LineFault::Undefined => f.write_str("no FMT line before it defines the type"),
            LineFault::Unconverted => f.write_str("Mission Planner couldn't convert a record of the binary log"),
            LineFault::Definition(why) => write!(f, "the definition can't be used: {why}"),
            LineFault::TooFewValues { values, columns } => {
                write!(f, "it has {}, and the type has {}", Plural(*values, "value"), Plural(*columns, "column"))
            }
            LineFault::WrongValue { label, format, value } => {
                write!(f, "{} is `{}`, no value of the format `{format}`", label.escape_debug(), value.escape_debug())
            }
            LineFault::SurplusValues { columns } => {
                write!(f, "values beyond the {} of the type aren't read", Plural(*columns, "column"))
            }
            LineFault::Rounded { label, format } => {
                write!(f, "{} is rounded to what the format `{format}` can store", label.escape_debug())
            }
            LineFault::LongText { label, room } => {
                write!(f, "{} is cut to the {} of its column", label.escape_debug(), Plural(*room, "byte"))
            }
        }
    }
}
