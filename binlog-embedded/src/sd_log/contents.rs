//! The contents of the open log: gathered in the buffer, and sent to the card as blocks in ascending order.

use super::transfer::Io;
use super::{Dates, SdLog, Slot};
use crate::recorder::{Goal, Stop};
use crate::sd_log::{Fault, Operation};

/// Where the log's bytes are.
// The alignment is that of the other fields of `SdLog`: with a smaller one, the compiler places it after the buffers.
#[repr(align(8))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Contents {
    /// The byte of the log that the buffer begins with: a multiple of 512.
    start: u32,
    /// Bytes in the buffer.
    filled: u32,
    /// All bytes before this one are on the card.
    sent: u32,
    /// Blocks that are on their way to the card.
    on_the_way: u32,
    /// Whether an error ended the log before all of it was flushed.
    pub(super) is_lost: bool,
    /// Bytes at the end of the log that are the beginning of a record, whose rest follows; 255 for more.
    begun: u8,
    /// Whether the log gets no more clusters. The record that was begun may use the last [`REST`] bytes.
    is_closed: bool,
}

/// Bytes at the end of a run that only the last record of a log may use, so that it is whole. Its rest has at most 255
/// bytes.
const REST: u32 = 256;

impl Contents {
    pub(super) const EMPTY: Contents =
        Contents { start: 0, filled: 0, sent: 0, on_the_way: 0, begun: 0, is_lost: false, is_closed: false };

    /// The length of the log.
    pub(super) fn bytes(&self) -> u32 {
        self.start + self.filled
    }

    /// Notes how many of the last bytes are the beginning of a record.
    pub(super) fn note_begun(&mut self, bytes: usize) {
        self.begun = bytes.min(255) as u8;
    }

    /// The log gets no more clusters.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }
}

impl<C: Slot, D: Dates, const BLOCKS: usize> SdLog<C, D, BLOCKS> {
    /// Room in the buffer.
    const ROOM: u32 = BLOCKS as u32 * 512;

    /// Makes room in the buffer for at least a byte, and on the card for what it takes.
    pub(super) fn make_writable(&mut self) -> Result<(), Stop> {
        if self.recorder.log.is_none() {
            self.recorder.operation = Operation::Write;
            return Err(Stop::Fault(Fault::Closed));
        }
        self.drop_sent();
        let bytes = self.contents.bytes();
        if bytes > u32::MAX - Self::ROOM - REST {
            return Err(Stop::Fault(Fault::TooLong));
        }
        let is_extending = self.recorder.goal() == Goal::Extend || self.recorder.is_marking_due(bytes, 0);
        if self.left(false) == 0 && !is_extending && !self.contents.is_closed {
            // The next run's note replaces this run's. After this flush, which ends with a whole record, the file's
            // size covers every cluster of this run, so none is lost with its note: a cluster has 512 bytes or more.
            self.flush_to(bytes - u32::from(self.contents.begun))?;
            self.work(Goal::Extend)?;
        }
        if self.contents.filled == Self::ROOM {
            return Err(self.send(BLOCKS as u32));
        }
        if is_extending { self.work(Goal::Extend) } else { Ok(()) }
    }

    /// Prepares clusters that the log will need. Returns whether there was something to do.
    pub(super) fn prepare_clusters(&mut self) -> Result<bool, Stop> {
        let bytes = self.contents.bytes();
        let goal = match self.recorder.goal() {
            goal @ (Goal::Extend | Goal::Prepare) => goal,
            _ if self.recorder.is_marking_due(bytes, 1) => Goal::Extend,
            _ if self.recorder.is_preparation_due(bytes) => Goal::Prepare,
            _ => return Ok(false),
        };
        self.work(goal)?;
        Ok(true)
    }

    /// Bytes for which the log's clusters have room, with or without the last [`REST`].
    #[inline(never)]
    fn left(&self, with_rest: bool) -> u32 {
        let room = self.recorder.room() - if with_rest { 0 } else { REST };
        room.saturating_sub(self.contents.bytes())
    }

    /// Copies at most `limit` bytes into the buffer, after [`make_writable`](SdLog::make_writable). Returns how many.
    pub(super) fn gather(&mut self, bytes: &[u8], limit: usize) -> usize {
        let room = (Self::ROOM - self.contents.filled).min(self.left(self.contents.is_closed));
        let count = bytes.len().min(room as usize).min(limit);
        let mut from = &bytes[..count];
        while !from.is_empty() {
            let (block, offset) = (self.contents.filled as usize / 512, self.contents.filled as usize % 512);
            let part = from.len().min(512 - offset);
            let Some(block) = self.buffer.get_mut(block) else { break };
            block[offset..offset + part].copy_from_slice(&from[..part]);
            self.contents.filled += part as u32;
            from = &from[part..];
        }
        count
    }

    /// Flushes the log's first `bytes` bytes.
    pub(super) fn flush_to(&mut self, bytes: u32) -> Result<(), Stop> {
        self.drop_sent();
        if bytes > self.contents.sent {
            return Err(self.send((bytes - self.contents.start).div_ceil(512)));
        }
        match self.recorder.log {
            Some(log) if log.bytes < bytes => self.work(Goal::Sync(bytes)),
            _ => Ok(()),
        }
    }

    /// Sends the first blocks of the buffer to the card.
    fn send(&mut self, blocks: u32) -> Stop {
        // The next run may begin elsewhere on the card.
        let (_, contiguous) = self.recorder.block_at(self.contents.start);
        let blocks = blocks.min(contiguous);
        // The last block may not be full. What it held before is not part of the log.
        let end = self.contents.filled as usize;
        if end < blocks as usize * 512
            && let Some(last) = self.buffer.get_mut(end / 512)
        {
            last[end % 512..].fill(0);
        }
        self.contents.on_the_way = blocks;
        Stop::Data
    }

    /// The transfer of the blocks that are on their way.
    pub(super) fn contents_on_the_way(&self) -> Io {
        let (at, _) = self.recorder.block_at(self.contents.start);
        Io::Data { at, count: self.contents.on_the_way as usize }
    }

    /// After a transfer: drops the blocks from the buffer that the card has. One that isn't full stays, and is sent
    /// again with more in it.
    fn drop_sent(&mut self) {
        let contents = &mut self.contents;
        let blocks = core::mem::take(&mut contents.on_the_way);
        if blocks == 0 {
            return;
        }
        contents.sent = contents.start + (blocks * 512).min(contents.filled);
        let full = blocks.min(contents.filled / 512);
        contents.start += full * 512;
        contents.filled -= full * 512;
        if full > 0 {
            for i in 0..contents.filled.div_ceil(512) as usize {
                if let Ok([to, from]) = self.buffer.get_disjoint_mut([i, i + full as usize]) {
                    to.copy_from_slice(&from[..]);
                }
            }
        }
    }
}
