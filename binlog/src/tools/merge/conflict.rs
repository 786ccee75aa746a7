//! Why logs can't be merged.

use crate::wording::debug_text::debug_is_text;
use std::fmt;
use std::io;

/// Why logs can't be merged. Logs are counted from 0 in the fields, from 1 in the text.
#[non_exhaustive]
pub enum MergeError {
    /// Two logs define a type differently, or one log does so twice.
    Conflict(Conflict),
    /// Two logs are the same, byte for byte.
    Same {
        /// The logs.
        logs: [usize; 2],
    },
    /// A log has several boots, whose times have different zeros.
    SeveralBoots {
        /// The log.
        log: usize,
        /// How many boots.
        boots: usize,
    },
    /// The logs have more types than there are ids.
    NoIdLeft {
        /// The first type without an id.
        name: String,
    },
    /// The logs have more units or multipliers than there are ids.
    NoUnitIdLeft {
        /// The first type with a unit or multiplier that gets no id.
        name: String,
    },
    /// The name of a type is empty or isn't UTF-8.
    NoName {
        /// The log.
        log: usize,
        /// The id.
        id: u8,
    },
    /// The merged log can't be written.
    Io(io::Error),
}

/// A type with two definitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The type.
    pub name: String,
    /// The logs with the definitions, counted from 0; one number twice, if one log has both.
    pub logs: [usize; 2],
    /// What differs, `labels` for instance.
    pub what: &'static str,
    /// It in the two definitions.
    pub values: [String; 2],
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Conflict(conflict) => conflict.fmt(f),
            MergeError::Same { logs: [first, second] } => {
                write!(f, "logs {} and {} are the same, byte for byte; leave one out", first + 1, second + 1)
            }
            MergeError::SeveralBoots { log, boots } => write!(
                f,
                "log {} has {boots} boots, whose times begin again; merge logs of one boot (`Log::boots` separates them)",
                log + 1
            ),
            MergeError::NoIdLeft { name } => {
                write!(f, "no id is left for {name}: a log has 255 types at most; leave types out before")
            }
            MergeError::NoUnitIdLeft { name } => {
                write!(f, "no id is left for a unit or multiplier of {name}; leave types out before")
            }
            MergeError::NoName { log, id } => {
                write!(f, "the type with id {id} of log {} has no name by which it could be matched", log + 1)
            }
            MergeError::Io(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Conflict { name, logs: [first, second], what, values: [one, other] } = self;
        let (first, second) = (first + 1, second + 1);
        match first == second {
            true => write!(f, "log {first} defines {name} twice, with the {what} `{one}` and `{other}`")?,
            false => write!(f, "{name} has the {what} `{one}` in log {first}, and `{other}` in log {second}")?,
        }
        f.write_str("; leave the type out of one of them before (`cut`)")
    }
}

debug_is_text!(MergeError);

impl std::error::Error for MergeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // The text has the error's.
            MergeError::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for MergeError {
    fn from(error: io::Error) -> Self {
        MergeError::Io(error)
    }
}
