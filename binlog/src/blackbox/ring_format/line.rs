//! Header lines with values of run time.

use crate::blackbox::{InvalidHeader, References, preamble};
use core::fmt::{self, Display, Write};

/// A header line of a session, in the prologue of a logger's drain: `H vbatref:4095`.
///
/// ```
/// use binlog::blackbox::HeaderLine;
///
/// let line = HeaderLine::new("vbatref", 4095)?;
/// assert_eq!(line.bytes(), b"H vbatref:4095\n");
/// # Ok::<(), binlog::blackbox::InvalidLine>(())
/// ```
#[derive(Clone)]
pub struct HeaderLine {
    bytes: [u8; HeaderLine::LONGEST],
    /// Where the value begins.
    value: usize,
    length: usize,
}

impl HeaderLine {
    /// The most bytes of a line, its end included.
    pub const LONGEST: usize = 255;

    /// Formats a line.
    ///
    /// If the schema's header has a line of this name, this one takes its place. Predictors refer to `minthrottle`,
    /// `vbatref` and `motorOutput`; a `minthrottle` that would follow `motorOutput` is left out, because decoders take
    /// it for the lower number of that, too.
    ///
    /// # Errors
    ///
    /// If the line is too long, or can't be in a header.
    pub fn new(name: &str, value: impl Display) -> Result<Self, InvalidLine> {
        let mut line = HeaderLine { bytes: [0; Self::LONGEST], value: 0, length: 0 };
        let written = write!(line, "H {name}:").and_then(|()| {
            line.value = line.length;
            writeln!(line, "{value}")
        });
        written.map_err(|_| InvalidLine::TooLong)?;
        // Only whole texts were written, so it is UTF-8.
        let value = core::str::from_utf8(line.value()).unwrap_or_default();
        preamble::check("", References::NEW, &[(name, value)]).map_err(InvalidLine::Header)?;
        Ok(line)
    }

    /// The line, with its end.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(super) fn name(&self) -> &[u8] {
        self.bytes.get(2..self.value.saturating_sub(1)).unwrap_or_default()
    }

    pub(super) fn value(&self) -> &[u8] {
        self.bytes.get(self.value..self.length.saturating_sub(1)).unwrap_or_default()
    }
}

impl Write for HeaderLine {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// Why a text is not a header line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidLine {
    /// It has more than 255 bytes, or its value can't be formatted.
    TooLong,
    /// It can't be in a header.
    Header(InvalidHeader),
}

impl Display for InvalidLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidLine::TooLong => write!(f, "the header line is longer than {} bytes", HeaderLine::LONGEST),
            InvalidLine::Header(invalid) => invalid.fmt(f),
        }
    }
}

impl core::error::Error for InvalidLine {}
