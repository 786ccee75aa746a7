//! Reading logs: the list of them, and all bytes of one.

#[cfg(feature = "exfat")]
use super::NOTHING;
use super::bytes::Block;
use super::directory::{Entry, Item};
use super::{Recorder, Stop};
use crate::recorder::{Damage, Fault, Operation};

/// A place in a log that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    cluster: u32,
    is_contiguous: bool,
    /// Blocks that were read of the cluster.
    blocks: u32,
    /// Bytes that are left.
    pub(crate) left: u32,
    /// Bytes of the log from the next block on that were written; on FAT, all.
    #[cfg(feature = "exfat")]
    valid: u32,
    /// Whether the log continues after them.
    #[cfg(feature = "exfat")]
    goes_on: bool,
}

impl Recorder {
    /// Goes to the beginning of the folder.
    pub(crate) fn begin_list(&mut self) -> Result<(), Stop> {
        self.operation = Operation::List;
        self.give_up();
        self.open_folder()
    }

    /// The next log of the folder, and its number.
    pub(crate) fn next_log(&mut self, block: &Block) -> Result<Option<(u32, Entry)>, Stop> {
        loop {
            match self.next_item(block)? {
                Item::Entry => {
                    let (number, entry) = (self.number_of_item(), self.cursor.entry);
                    if number != 0 && !entry.is_folder() {
                        return Ok(Some((number, entry)));
                    }
                }
                Item::Unused | Item::End => return Ok(None),
                _ => {}
            }
        }
    }

    /// Finds a log by its number.
    pub(crate) fn find_log(&mut self, number: u32, block: &Block) -> Result<Reader, Stop> {
        (self.operation, self.subject) = (Operation::Extract, number);
        while let Some((found, entry)) = self.next_log(block)? {
            if found == number {
                return Ok(Reader {
                    cluster: entry.first,
                    is_contiguous: entry.is_contiguous,
                    blocks: 0,
                    left: entry.bytes,
                    #[cfg(feature = "exfat")]
                    valid: entry.valid,
                    #[cfg(feature = "exfat")]
                    goes_on: self.disk.volume.is_exfat() && entry.bytes == u32::MAX,
                });
            }
        }
        Err(Stop::Fault(Fault::NoLog))
    }

    /// Loads the next block of a log, and returns how many of its bytes are the log's; 0 at the end. The end of a file
    /// that has more bytes than 32 bits count is an error.
    pub(crate) fn read_on(&mut self, reader: &mut Reader, block: &mut Block) -> Result<usize, Stop> {
        if reader.left == 0 {
            #[cfg(feature = "exfat")]
            if reader.goes_on {
                return Err(Stop::Fault(Fault::Beyond4Gib));
            }
            return Ok(0);
        }
        if reader.blocks == self.disk.volume.cluster_blocks() {
            let next = if reader.is_contiguous {
                reader.cluster + 1
            } else {
                self.disk.need_link(reader.cluster)?;
                self.disk.volume.link(block, reader.cluster)
            };
            if !self.disk.volume.has(next) {
                return Err(Stop::damaged(Damage::Short));
            }
            (reader.cluster, reader.blocks) = (next, 0);
        }
        if !self.disk.volume.has(reader.cluster) {
            return Err(Stop::damaged(Damage::Outside));
        }
        self.disk.need(self.disk.volume.block_of(reader.cluster) + reader.blocks)?;
        #[cfg(feature = "exfat")]
        {
            if reader.valid < 512 {
                block[reader.valid as usize..].fill(0);
                self.disk.loaded.at = NOTHING;
            }
            reader.valid = reader.valid.saturating_sub(512);
        }
        let bytes = reader.left.min(512);
        (reader.blocks, reader.left) = (reader.blocks + 1, reader.left - bytes);
        Ok(bytes as usize)
    }
}
