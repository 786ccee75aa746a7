//! The logs on a card's image: each is read on its own, up to the first cluster that can't be followed.

use super::file_system;
use super::words;
use super::{Block, CardImage};
use binlog_embedded::SdLog;
use binlog_embedded::card::{Card, Slot};
use binlog_embedded::sd_log::{Cause, Fault, Flaw, LogFile, Options, Undated, Unusable};
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
    partition: u8,
}

/// Why not all logs of a card can be listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unlisted {
    /// The reason.
    pub why: String,
    /// What is in place of the logs.
    pub found: Found,
}

/// What a card has in the place where logs are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// No partition.
    Nothing,
    /// A partition, or the whole card, that isn't read here.
    Unread,
    /// A file system that is read here. It is damaged, or the image is cut off.
    FileSystem,
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
        Ok(CardLogs { card: SdLog::new(card, Undated, options), last_read, partition: options.partition })
    }

    /// The logs, in the order of their directory entries, and why there may be more if the directory can't be read to
    /// its end.
    pub fn list(&mut self) -> (Vec<LogFile>, Option<Unlisted>) {
        let mut logs = Vec::new();
        let listed = self.card.list(|log| {
            logs.push(log);
            ControlFlow::Continue(())
        });
        let Err(error) = listed else { return (logs, None) };
        let Cause::Fault(Fault::Unusable(unusable)) = error.cause else {
            return (logs, words::of_list(&error).map(|why| Unlisted { why, found: Found::FileSystem }));
        };
        let (why, found) = match (self.file_system(unusable), unusable) {
            (Some(name), _) => (file_system::instead(name), Found::Unread),
            (None, Unusable::NoPartition { .. }) => (words::of_unusable(unusable), Found::Nothing),
            (None, _) => (words::of_unusable(unusable), Found::Unread),
        };
        (logs, Some(Unlisted { why: format!("can't use the card: {why}"), found }))
    }

    /// The name of a file system that isn't read here.
    fn file_system(&mut self, unusable: Unusable) -> Option<&'static str> {
        let first = match unusable {
            Unusable::NotFat(Flaw::Fat12) => return Some("FAT12"),
            Unusable::PartitionType { .. } => {
                let row = 446 + 16 * usize::from(self.partition);
                let table = self.block(0)?;
                u32::from_le_bytes(*table[row..].get(8..)?.first_chunk()?)
            }
            // The file system may be that of the whole card.
            Unusable::NoPartition { .. } => 0,
            // The recorder has just read the first block of the partition.
            Unusable::NotFat(_) => self.last_read.get(),
            _ => return None,
        };
        file_system::name(|number| self.block(first.checked_add(number)?))
    }

    fn block(&mut self, number: u32) -> Option<[u8; 512]> {
        let mut block = [CardImage::<I>::ZERO];
        self.card.with_card(|card| card.read(number, &mut block)).ok()?;
        let [Block(bytes)] = block;
        Some(bytes)
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

/// The first partition of a card's image that has a file system which is read here.
///
/// # Errors
///
/// If no partition has logs: why the first one can't be used, or its logs not be listed.
pub fn readable_partition(mut image: impl Read + Seek) -> Result<u8, String> {
    let mut first = None;
    for partition in 0..4 {
        let options = Options { partition, ..Options::default() };
        let mut card = CardLogs::new(&mut image, options).map_err(|error| error.to_string())?;
        match card.list() {
            (_, Some(Unlisted { found: Found::Nothing, .. })) => {}
            (logs, Some(Unlisted { why, .. })) if logs.is_empty() => first = first.or(Some(why)),
            _ => return Ok(partition),
        }
    }
    Err(first.unwrap_or_else(words::no_partition))
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
    fn repeated_block_is_found_with_a_range_for_each_fragment() {
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
