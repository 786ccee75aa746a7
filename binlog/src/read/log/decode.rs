//! Decodes columns of many records in one pass: block by block, by several threads.

use super::gather::{Cells, Group};
use super::offsets::{OffsetPart, Offsets};
use crate::format::{Definition, Format};
use crate::source::Values;
use crate::source::column_memory::ColumnMemory;
use crate::source::threads::{self, in_threads};
use crate::source::values::Room;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, binary_heap::PeekMut};
use std::num::NonZero;
use std::sync::Mutex;
use std::{hint, iter};

/// Columns are decoded in blocks of this many bytes of the log. A block stays in the second-level cache while all
/// columns of all types are read from it.
const BLOCK: usize = 512 * 1024;

/// Records of a single type are decoded this many at a time. They stay in the second-level cache, too.
const RECORDS: usize = 1024;

/// As many threads as there are processors; each decodes more bytes than it could in the time that it takes to start.
pub(super) fn threads(bytes: usize) -> NonZero<usize> {
    threads::threads_for(bytes, 2 * 1024 * 1024)
}

/// The columns of one kind of records to decode.
pub(super) struct Plan<'o> {
    pub(super) offsets: &'o Offsets,
    pub(super) columns: Vec<PlannedColumn>,
}

/// A column to decode.
pub(super) struct PlannedColumn {
    /// Its offset in the payload.
    pub(super) at: usize,
    pub(super) format: Format,
    pub(super) cells: Cells,
    /// The number of records, or 0 for a column that isn't decoded.
    pub(super) count: usize,
}

/// The memory of planned columns.
pub(super) fn memory(columns: &[PlannedColumn]) -> ColumnMemory {
    ColumnMemory::new(columns.iter().map(|column| (Values::none_of(column.format, column.cells), column.count)))
}

/// Decodes the columns of all plans by a number of threads. Returns the values of each plan's columns.
pub(super) fn decode(log: &[u8], plans: &[Plan<'_>], threads: NonZero<usize>) -> Vec<Vec<Values>> {
    let mut memories: Vec<ColumnMemory> = plans.iter().map(|plan| memory(&plan.columns)).collect();
    let shares = shares(log, plans, &mut memories, threads);
    let threads = threads.min(NonZero::new(shares.len()).unwrap_or(threads));
    let shares = Mutex::new(shares.into_iter());
    in_threads(threads, || iter::from_fn(|| threads::next(&shares)).for_each(Share::decode));
    drop(shares);
    memories.into_iter().map(ColumnMemory::into_values).collect()
}

/// The part of the log that one thread decodes, with the room for its values.
struct Share<'p> {
    log: &'p [u8],
    stretches: Vec<Stretch<'p>>,
}

/// The records of one part of one kind within a share.
pub(super) struct Stretch<'p> {
    base: usize,
    offsets: &'p [u32],
    groups: Vec<Group<'p>>,
}

/// Adds a column at an offset in the payload to those that are gathered in the same way.
pub(super) fn add_to<'v>(groups: &mut Vec<Group<'v>>, format: Format, cells: Cells, at: usize, room: Room<'v>) {
    // A column ends inside the record, which has at most 255 bytes.
    let column = ((Definition::HEADER_LENGTH + at) as u8, room);
    match groups.iter_mut().find(|group| (group.format, group.cells) == (format, cells)) {
        Some(group) => group.columns.push(column),
        None => groups.push(Group { format, cells, columns: vec![column] }),
    }
}

/// Splits the log into one share for each thread.
fn shares<'p>(
    log: &'p [u8],
    plans: &'p [Plan<'_>],
    memories: &'p mut [ColumnMemory],
    threads: NonZero<usize>,
) -> Vec<Share<'p>> {
    // Each thread decodes at least one block.
    let threads = threads.get().min(log.len().div_ceil(BLOCK)).max(1);
    let share = log.len().div_ceil(threads).max(1);
    let mut shares: Vec<Share<'p>> = (0..threads).map(|_| Share { log, stretches: Vec::new() }).collect();
    for (plan, memory) in plans.iter().zip(memories) {
        let mut groups: Vec<Group<'p>> = Vec::new();
        let decoded = plan.columns.iter().zip(memory.rooms()).filter(|(column, _)| column.count > 0);
        for (column, room) in decoded {
            add_to(&mut groups, column.format, column.cells, column.at, room);
        }
        for OffsetPart { base, offsets } in plan.offsets.parts() {
            let mut offsets = &offsets[..];
            for (i, of_thread) in shares.iter_mut().enumerate() {
                let end = (i + 1) * share;
                let (here, rest) = offsets.split_at(offsets.partition_point(|&offset| base + (offset as usize) < end));
                offsets = rest;
                if !here.is_empty() {
                    let groups = groups.iter_mut().map(|group| group.split_off(here.len())).collect();
                    of_thread.stretches.push(Stretch::new(*base, here, groups));
                }
            }
        }
    }
    shares
}

impl Share<'_> {
    /// Decodes block by block, so that the records of a block are in the cache for all columns.
    fn decode(mut self) {
        if let [alone] = &mut self.stretches[..] {
            return alone.decode_all(self.log);
        }
        // A heap by the offset of the next record, so that a block costs nothing for stretches without records in it.
        let start = |(i, stretch): (usize, &Stretch<'_>)| Some(Reverse((stretch.start()?, i)));
        let mut next: BinaryHeap<_> = self.stretches.iter().enumerate().filter_map(start).collect();
        while let Some(&Reverse((start, _))) = next.peek() {
            let end = start + BLOCK;
            while let Some(mut first) = next.peek_mut()
                && first.0.0 < end
            {
                let stretch = &mut self.stretches[first.0.1];
                stretch.decode(self.log, end);
                match stretch.start() {
                    Some(start) => first.0.0 = start,
                    None => drop(PeekMut::pop(first)),
                }
            }
        }
    }
}

impl<'p> Stretch<'p> {
    pub(super) fn new(base: usize, offsets: &'p [u32], groups: Vec<Group<'p>>) -> Self {
        Stretch { base, offsets, groups }
    }

    /// Decodes all its records. Other records stand between them, so that the processor doesn't foresee where the next
    /// one is: reading a byte at both ends of its columns ahead of time loads many records at once.
    pub(super) fn decode_all(&mut self, log: &[u8]) {
        let log_from_base = log.get(self.base..).unwrap_or_default();
        let columns = || self.groups.iter().flat_map(|group| group.columns.iter().map(|(at, _)| (*at, group.format)));
        let first = columns().map(|(at, _)| at.into()).min().unwrap_or(0);
        let last = columns().map(|(at, format)| usize::from(at) + format.size() - 1).max().unwrap_or(0);
        while !self.offsets.is_empty() {
            let mut ahead = 0;
            for &offset in self.offsets.iter().take(RECORDS) {
                for at in [first, last] {
                    ahead ^= log_from_base.get(offset as usize + at).copied().unwrap_or(0);
                }
            }
            hint::black_box(ahead);
            let end = self.offsets.get(RECORDS).map_or(usize::MAX, |&offset| self.base + offset as usize);
            self.decode(log, end);
        }
    }

    /// The offset of its next record.
    fn start(&self) -> Option<usize> {
        self.offsets.first().map(|&offset| self.base + offset as usize)
    }

    /// Decodes the records before `end`.
    fn decode(&mut self, log: &[u8], end: usize) {
        let count = self.offsets.iter().take_while(|&&offset| self.base + (offset as usize) < end).count();
        let (here, rest) = self.offsets.split_at(count);
        self.offsets = rest;
        let log = log.get(self.base..).unwrap_or_default();
        for group in &mut self.groups {
            group.gather(log, here);
        }
    }
}
