//! Why frames can't be read as the program's structs.

use crate::blackbox::{FrameKind, Unusable};
use crate::wording::debug_text::debug_is_text;
use std::fmt;

/// Why a session's frames can't be read as the program's structs.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypedError {
    /// The header doesn't define frames with this letter.
    NoFrames {
        /// The letter; I for main frames.
        letter: char,
    },
    /// The header doesn't say how frames with this letter are decoded.
    Unusable {
        /// The letter; I for main frames.
        letter: char,
        /// Why.
        reason: Unusable,
    },
    /// The log's frames with this letter lack fields of the struct, also by their aliases, and these have no default.
    Missing {
        /// The letter; I for main frames.
        letter: char,
        /// The names of the fields, all that are missing.
        fields: Vec<&'static str>,
    },
}

/// A frame has a value beyond the range of its field's type in the program. Reading continues after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beyond {
    /// The letter of the frame.
    pub letter: char,
    /// Where the frame begins, in bytes from the start of the log.
    pub offset: usize,
    /// The first such field of the struct.
    pub field: &'static str,
    /// Its value in the log.
    pub value: i64,
}

/// What the frames with a letter are.
fn kind(letter: char) -> &'static str {
    match u8::try_from(letter).ok().and_then(FrameKind::from_letter) {
        Some(FrameKind::Intra | FrameKind::Inter) => "main",
        Some(FrameKind::Slow) => "slow",
        Some(FrameKind::Gps) => "GPS",
        Some(FrameKind::Home) => "home",
        Some(FrameKind::Event) | None => "other",
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypedError::NoFrames { letter } => {
                write!(f, "the session has no {} frames: its header lacks `H Field {letter} name:`", kind(*letter))
            }
            TypedError::Unusable { letter, reason } => {
                write!(f, "the session's {} frames can't be decoded: {reason}", kind(*letter))
            }
            TypedError::Missing { letter, fields } => {
                write!(f, "the session's {} frames have no ", kind(*letter))?;
                for (i, field) in fields.iter().enumerate() {
                    write!(f, "{}`{field}`", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(
                    ", and the struct has no `default` for them; give one, or the log's name of a field by \
                     `#[blackbox(alias = \"…\")]`",
                )
            }
        }
    }
}

debug_is_text!(TypedError);

impl std::error::Error for TypedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TypedError::Unusable { reason, .. } => Some(reason),
            TypedError::NoFrames { .. } | TypedError::Missing { .. } => None,
        }
    }
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Beyond { letter, offset, field, value } = self;
        write!(
            f,
            "the {letter} frame at offset {offset}: `{field}` is {value}, beyond the range of the field's type; take a wider \
             one"
        )
    }
}

impl std::error::Error for Beyond {}
