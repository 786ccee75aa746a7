//! A writer that takes what a test lets it take.

use embedded_io::{ErrorType, Write};
use std::convert::Infallible;

/// A file that takes few bytes at a time.
#[derive(Default)]
pub(crate) struct File {
    pub(crate) bytes: Vec<u8>,
    /// Bytes that the next calls take.
    pub(crate) takes: Vec<usize>,
}

impl ErrorType for File {
    type Error = Infallible;
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let taken = bytes.len().min(self.takes.pop().unwrap_or(usize::MAX));
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
