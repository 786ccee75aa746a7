//! Why a log can't be replayed.

use crate::blackbox::log::{Beyond, TypedError};
use crate::format::{DecodeError, Mismatch};
use crate::read::log::SelectError;
use crate::wording::debug_text::debug_is_text;
use std::{fmt, io};

/// Why a log can't be replayed, or an input of it.
#[non_exhaustive]
pub enum ReplayError {
    /// The log can't be read to its end. Nothing follows this error.
    Read(io::Error),
    /// The log has the other format, or isn't one. Nothing follows this error.
    Format {
        /// What has been asked for.
        asked: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The log has none of the inputs. Nothing follows this error.
    NoInputs {
        /// Those that have been asked for.
        asked: Vec<String>,
        /// The types with records in the log.
        has: Vec<String>,
    },
    /// The log has no such column.
    Select(SelectError),
    /// No session of the log has main frames with these fields, which the source names.
    NoField {
        /// The number of the session, from 1.
        session: usize,
        /// The field.
        name: String,
        /// The fields that the session has.
        has: Vec<String>,
    },
    /// The log defines messages differently from the program, and reading them would lose something. Their records
    /// are left out.
    Differs(Vec<Mismatch>),
    /// The log has several instances of a message, and the program's message lacks the column that tells them apart, so
    /// their inputs are mixed. It comes once, instead of the first input of the second instance.
    Instances {
        /// The name of the message in the log.
        name: String,
        /// Its name in the program, of which the log's may be an alias.
        message: &'static str,
        /// The label of the column.
        label: String,
    },
    /// A record can't be decoded; the source says why. The replay continues after it.
    Decode {
        /// Where the record begins, in bytes from the start of the log.
        offset: usize,
        /// Why.
        source: DecodeError,
    },
    /// A session can't be read as the program's frames; the source says why. The replay continues with the next one.
    Session {
        /// The number of the session, from 1.
        number: usize,
        /// Why.
        source: TypedError,
    },
    /// A frame has a value beyond the range of its field's type. The replay continues after it.
    Beyond(Beyond),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Read(_) => f.write_str("can't read the log"),
            ReplayError::Format { asked, found } => write!(f, "{asked} can't be replayed from {found}"),
            ReplayError::NoInputs { asked, has } => {
                write!(f, "the log has no {}; ", asked.join(", no "))?;
                match has.as_slice() {
                    [] => f.write_str("it has no records"),
                    has => write!(f, "it has {}", has.join(", ")),
                }
            }
            ReplayError::Select(_) => f.write_str("can't replay this column"),
            ReplayError::NoField { session, name, has } => {
                write!(f, "session {session} has no field `{name}`; ")?;
                let is_meant = |has: &&String| {
                    let label = name.split_once('.').map_or(name.as_str(), |(_, label)| label);
                    has.split_once('[').is_some_and(|(of_several, _)| of_several.eq_ignore_ascii_case(label))
                };
                let meant = has.iter().find(|has| has.eq_ignore_ascii_case(name));
                match meant.or_else(|| has.iter().find(is_meant)) {
                    Some(meant) => write!(f, "did you mean `{meant}`?"),
                    None if has.is_empty() => f.write_str("it has no frames that can be read"),
                    None => write!(f, "it has {}", has.join(", ")),
                }
            }
            ReplayError::Differs(mismatches) => {
                for (i, mismatch) in mismatches.iter().enumerate() {
                    write!(f, "{}{mismatch}", if i == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
            ReplayError::Instances { name, message, label } => write!(
                f,
                "the log has several instances of {name}, and the program's {message} lacks their column: add a field with \
                 #[log(label = \"{label}\", instance)]"
            ),
            ReplayError::Decode { offset, .. } => write!(f, "the record at offset {offset}"),
            ReplayError::Session { number, .. } => write!(f, "session {number}"),
            ReplayError::Beyond(beyond) => beyond.fmt(f),
        }
    }
}

debug_is_text!(ReplayError);

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReplayError::Read(error) => Some(error),
            ReplayError::Select(error) => Some(error),
            ReplayError::Decode { source, .. } => Some(source),
            ReplayError::Session { source, .. } => Some(source),
            ReplayError::Format { .. }
            | ReplayError::NoInputs { .. }
            | ReplayError::NoField { .. }
            | ReplayError::Differs(_)
            | ReplayError::Instances { .. }
            | ReplayError::Beyond(_) => None,
        }
    }
}
