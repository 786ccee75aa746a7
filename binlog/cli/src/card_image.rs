//! The image of an SD card, read as the recorder of `binlog-embedded` reads a card.
//!
//! What the recorder writes, when it completes an interrupted removal for instance, stays in memory: the image is
//! evidence, and isn't changed.

use binlog_embedded::card::{Card, Slot};
use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::{Deref, DerefMut};

/// The image of a card, in a file or in memory.
#[derive(Debug)]
pub struct CardImage<I> {
    image: I,
    blocks: u32,
    written: HashMap<u32, Block>,
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
        let blocks = u32::try_from(bytes / BLOCK_BYTES as u64).unwrap_or(u32::MAX);
        Ok(CardImage { image, blocks, written: HashMap::new() })
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
            match self.written.get(&number) {
                Some(written) => *block = *written,
                None => {
                    self.image.seek(SeekFrom::Start(u64::from(number) * BLOCK_BYTES as u64))?;
                    self.image.read_exact(&mut block.0)?;
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, at: u32, blocks: &[Block]) -> io::Result<()> {
        self.written.extend((at..).zip(blocks.iter().copied()));
        Ok(())
    }

    fn block_count(&mut self) -> io::Result<u32> {
        Ok(self.blocks)
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
        assert_eq!(card.block_count().expect("a size"), 4);
        card.write(2, &[Block([9; BLOCK_BYTES])]).expect("memory");
        let mut blocks = [Block([0; BLOCK_BYTES]); 2];
        card.read(2, &mut blocks).expect("blocks of the image");
        assert_eq!(blocks.map(|block| block[0]), [9, 7]);
        assert!(card.read(4, &mut blocks[..1]).is_err(), "beyond the end");
        assert!(bytes == before);
    }

    #[test]
    fn a_log_is_no_card() {
        assert!(!is_card(&[0xA3, 0x95, 0x80]));
        assert!(!is_card(&[0; BLOCK_BYTES]));
    }
}
