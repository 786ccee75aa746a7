//! The image of an SD card, read as the recorder of `binlog-embedded` reads a card.
//!
//! What the recorder writes, when it completes an interrupted removal for instance, stays in memory: the image is
//! evidence, and isn't changed.

mod file_system;
mod logs;
mod words;

pub use file_system::{instead, name as file_system};
pub use logs::{CardLogs, Extracted, Found, Unlisted, readable_partition};

use binlog_embedded::card::{Card, Slot};
use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// The image of a card, in a file or in memory.
#[derive(Debug)]
pub struct CardImage<I> {
    image: I,
    /// The image's length in bytes.
    bytes: u64,
    written: HashMap<u32, Block>,
    last_read: Rc<Cell<u32>>,
}

/// A block of 512 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Block([u8; BLOCK_BYTES]);

const BLOCK_BYTES: usize = 512;

/// Whether an image begins with a partition table or a file system: bytes 55 AA at the end of its first block.
pub fn is_card(image: &[u8]) -> bool {
    image.first_chunk::<BLOCK_BYTES>().is_some_and(|block| block.ends_with(&[0x55, 0xAA]))
}

impl<I: Read + Seek> CardImage<I> {
    /// The card in an image.
    ///
    /// # Errors
    ///
    /// If the image's length can't be read.
    pub fn new(mut image: I) -> io::Result<Self> {
        let bytes = image.seek(SeekFrom::End(0))?;
        Ok(CardImage { image, bytes, written: HashMap::new(), last_read: Rc::default() })
    }

    /// The number of the block that was read last.
    fn last_read(&self) -> Rc<Cell<u32>> {
        Rc::clone(&self.last_read)
    }

    fn read_block(&mut self, number: u32, block: &mut Block) -> io::Result<()> {
        if let Some(written) = self.written.get(&number) {
            *block = *written;
            return Ok(());
        }
        let start = u64::from(number) * BLOCK_BYTES as u64;
        if start + BLOCK_BYTES as u64 > self.bytes {
            let text = format!("the image ends after {} bytes; copy the whole card again", self.bytes);
            return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
        }
        let read = self.image.seek(SeekFrom::Start(start)).and_then(|_| self.image.read_exact(&mut block.0));
        read.map_err(|error| io::Error::new(error.kind(), format!("can't read byte {start} of the image: {error}")))
    }
}

impl<I> Slot for CardImage<I> {
    type Block = Block;
    type Error = io::Error;
    const ZERO: Block = Block([0; BLOCK_BYTES]);

    fn forget(&mut self) {}
}

impl<I: Read + Seek> Card for CardImage<I> {
    fn read(&mut self, at: u32, blocks: &mut [Block]) -> io::Result<()> {
        for (number, block) in (at..).zip(blocks) {
            self.read_block(number, block)?;
            self.last_read.set(number);
        }
        Ok(())
    }

    fn write(&mut self, at: u32, blocks: &[Block]) -> io::Result<()> {
        self.written.extend((at..).zip(blocks.iter().copied()));
        Ok(())
    }

    /// The most: an image may be cut short, and has logs even so. What is beyond its end can't be read.
    fn block_count(&mut self) -> io::Result<u32> {
        Ok(u32::MAX)
    }
}

impl Deref for Block {
    type Target = [u8; BLOCK_BYTES];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Block {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn the_image_stays_as_it_is() {
        let mut bytes = vec![7; 4 * BLOCK_BYTES];
        bytes[510..512].copy_from_slice(&[0x55, 0xAA]);
        assert!(is_card(&bytes));
        let before = bytes.clone();
        let mut card = CardImage::new(Cursor::new(&mut bytes)).expect("memory");
        card.write(2, &[Block([9; BLOCK_BYTES])]).expect("memory");
        let mut blocks = [Block([0; BLOCK_BYTES]); 2];
        card.read(2, &mut blocks).expect("blocks of the image");
        assert_eq!(blocks.map(|block| block[0]), [9, 7]);
        let error = card.read(4, &mut blocks[..1]).expect_err("beyond the end");
        assert_eq!(error.to_string(), "the image ends after 2048 bytes; copy the whole card again");
        assert!(bytes == before);
    }

    #[test]
    fn a_log_is_no_card() {
        assert!(!is_card(&[0xA3, 0x95, 0x80]));
        assert!(!is_card(&[0; BLOCK_BYTES]));
    }
}
