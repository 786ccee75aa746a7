//! Lines for a writer that gets many of them at a time.

use std::io::{self, Write};

/// Bytes that are gathered before they are written.
const BLOCK: usize = 64 * 1024;

/// Lines that are gathered into blocks of 64 KiB for a writer.
#[derive(Debug)]
pub struct Lines<W> {
    out: W,
    block: Vec<u8>,
}

impl<W: Write> Lines<W> {
    /// Lines for this writer.
    pub fn new(out: W) -> Self {
        Lines { out, block: Vec::with_capacity(BLOCK + BLOCK / 4) }
    }

    /// The lines that aren't written yet, to append to.
    #[inline]
    pub fn text(&mut self) -> &mut Vec<u8> {
        &mut self.block
    }

    /// Writes the lines if they make a block, and returns whether they did. Call it after each line.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    #[inline]
    pub fn write_if_full(&mut self) -> io::Result<bool> {
        let is_full = self.block.len() >= BLOCK;
        if is_full {
            self.out.write_all(&self.block)?;
            self.block.clear();
        }
        Ok(is_full)
    }

    /// Writes the last lines.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(&self.block)
    }
}
