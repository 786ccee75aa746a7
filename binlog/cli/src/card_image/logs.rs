//! The logs on a card's image: each is read on its own, as far as its clusters can be followed.

use super::CardImage;
use super::words;
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{LogFile, Options, Undated};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek};
use std::ops::ControlFlow;
use std::rc::Rc;

/// The logs with one extension in one folder of a card.
pub struct CardLogs<I> {
    card: SdLog<CardImage<I>, Undated>,
    /// The block that was read last.
    last_read: Rc<Cell<u32>>,
}

/// What was read of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extracted {
    /// Bytes from the log's beginning that were passed.
    pub bytes: u32,
    /// Why the bytes after them can't be read; `None` if none are left.
    pub damage: Option<String>,
}

/// The blocks that a log had so far, as ranges of those that follow each other: one for each fragment of the log.
#[derive(Default)]
struct Blocks(BTreeMap<u32, u32>);

impl<I: Read + Seek> CardLogs<I> {
    /// The logs on the card of an image. Folder, extension and partition are those of the options.
    ///
    /// # Errors
    ///
    /// If the image's length can't be read.
    pub fn new(image: I, options: Options) -> io::Result<Self> {
        let card = CardImage::new(image)?;
        let last_read = card.last_read();
        Ok(CardLogs { card: SdLog::new(card, Undated, options), last_read })
    }

    /// The logs, in the order of their directory entries, and why there may be more if the directory can't be read to
    /// its end.
    pub fn list(&mut self) -> (Vec<LogFile>, Option<String>) {
        let mut logs = Vec::new();
        let listed = self.card.list(|log| {
            logs.push(log);
            ControlFlow::Continue(())
        });
        (logs, listed.err().and_then(|error| words::of_list(&error)))
    }

    /// Passes the bytes of a log to `take`, from the beginning on, until it breaks or the log's clusters can't be
    /// followed any more. A cluster that the log had before is damage: no file has one twice.
    pub fn extract(&mut self, number: u32, mut take: impl FnMut(&[u8]) -> ControlFlow<()>) -> Extracted {
        let (mut bytes, mut blocks, mut is_again) = (0, Blocks::default(), false);
        let passed = self.card.extract(number, |piece| {
            // The recorder has just read the block of this piece.
            if !blocks.add(self.last_read.get()) {
                is_again = true;
                return ControlFlow::Break(());
            }
            bytes += piece.len() as u32;
            take(piece)
        });
        let damage = match passed {
            _ if is_again => Some(words::LEADS_BACK.to_owned()),
            passed => passed.err().map(|error| words::of_log(&error)),
        };
        Extracted { bytes, damage }
    }
}

impl Blocks {
    /// Adds a block. Returns whether it is new.
    fn add(&mut self, block: u32) -> bool {
        match self.0.range_mut(..=block).next_back() {
            Some((_, end)) if block < *end => return false,
            Some((_, end)) if block == *end => *end += 1,
            _ => {
                self.0.insert(block, block + 1);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_comes_again_is_found_with_a_range_for_each_fragment() {
        let mut blocks = Blocks::default();
        for block in (100..200).chain(50..100).chain(300..301) {
            assert!(blocks.add(block), "{block}");
        }
        assert_eq!(blocks.0.len(), 3);
        for block in [50, 99, 100, 150, 199, 300] {
            assert!(!blocks.add(block), "{block}");
        }
        assert!([49, 200, 299, 301].into_iter().all(|block| blocks.add(block)));
    }
}
