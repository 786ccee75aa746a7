//! An error in a lock file.

use crate::wording::debug_text::debug_is_text;
use std::fmt;

/// Why a text isn't a lock file.
#[derive(Clone, PartialEq, Eq)]
pub struct LockError {
    line: usize,
    what: String,
}

impl LockError {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Self {
        LockError { line, what: what.into() }
    }

    /// The line with the mistake, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

debug_is_text!(LockError);

impl std::error::Error for LockError {}
