//! Lines for a writer that gets many of them at a time.

use std::io::{self, Write};

/// Bytes that are gathered before they are written. Few enough to stay in the processor's cache, and enough that the
/// writer's calls cost nothing.
const BLOCK: usize = 64 * 1024;

/// The last line of a block ends beyond it, so there is room for a long one: the block isn't copied in order to grow.
const CAPACITY: usize = BLOCK + BLOCK / 4;

/// Lines that are gathered into blocks of 64 KiB for a writer.
#[derive(Debug)]
pub struct LineBuffer<W> {
    out: W,
    block: Vec<u8>,
}

impl<W: Write> LineBuffer<W> {
    /// Lines for this writer.
    pub fn new(out: W) -> Self {
        LineBuffer { out, block: Vec::with_capacity(CAPACITY) }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The lengths of the writes, and all bytes.
    #[derive(Default)]
    struct Writes(Vec<usize>, Vec<u8>);

    impl Write for &mut Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.len());
            self.1.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_written_in_blocks_and_none_is_lost() {
        let line = [b'x'; 999];
        let (mut writes, mut expected) = (Writes::default(), Vec::new());
        let mut lines = LineBuffer::new(&mut writes);
        for _ in 0..200 {
            lines.text().extend_from_slice(&line);
            expected.extend_from_slice(&line);
            lines.write_if_full().expect("room");
            assert!(lines.text().capacity() == CAPACITY && lines.text().len() < BLOCK);
        }
        lines.finish().expect("room");
        assert_eq!(writes.0, [66 * 999, 66 * 999, 66 * 999, 2 * 999]);
        assert!(writes.1 == expected);
    }
}
