//! All columns of a log at once.

use super::column::{Column, Quantity};
use super::gather::{Cells, Group};
use super::index::RecordKind;
use super::offsets::OffsetPart;
use super::rows::Rows;
use crate::format::{Definition, Scaling};
use crate::read::catalogue::units::Units;
use crate::read::{Log, LoggedColumn, LoggedDefinition};
use crate::source::Values;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, binary_heap::PeekMut};
use std::fmt;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// All columns of the records of one definition.
#[derive(Clone)]
pub struct Table<'log> {
    rows: Rows<'log>,
    definition: LoggedDefinition<'log>,
    columns: Vec<Column>,
}

impl<'log> Table<'log> {
    /// The type's name.
    pub fn name(&self) -> &str {
        self.rows.name()
    }

    /// The definition.
    pub fn definition(&self) -> LoggedDefinition<'log> {
        self.definition
    }

    /// The records of the table.
    pub fn rows(&self) -> &Rows<'log> {
        &self.rows
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no records. No table of [`Log::tables`] is empty.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The columns in the order of the record.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns, without the table.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// The first column with this label.
    pub fn column(&self, label: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.label() == label)
    }
}

impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<&str> = self.columns.iter().map(Column::label).collect();
        f.debug_struct("Table")
            .field("name", &self.name())
            .field("len", &self.len())
            .field("labels", &labels)
            .finish_non_exhaustive()
    }
}

/// The log is decoded in blocks of this size. A block stays in the second-level cache while all columns of all types
/// are read from it.
const BLOCK: usize = 512 * 1024;

/// Decoding a shorter log takes less time than starting a thread.
const TOO_SHORT_FOR_THREADS: usize = 4 * 1024 * 1024;

/// The number type of decoded columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Numbers {
    /// As stored, not scaled: [`Log::tables`].
    #[default]
    Native,
    /// `f64`, scaled: [`Log::tables_f64`].
    F64(Scaling),
}

impl Log<'_> {
    /// All columns of all types, in native types: one table for each definition with records, in the order of the
    /// definitions. A type that the log redefines has several tables.
    ///
    /// A long log is decoded by as many threads as there are processors.
    pub fn tables(&self) -> Vec<Table<'_>> {
        self.tables_with(Numbers::Native, threads(self.bytes().len()))
    }

    /// As [`tables`](Log::tables), with all numbers converted to `f64` and scaled. Text and arrays keep their type;
    /// integers beyond 2^53 are rounded.
    pub fn tables_f64(&self, scaling: Scaling) -> Vec<Table<'_>> {
        self.tables_with(Numbers::F64(scaling), threads(self.bytes().len()))
    }

    /// As [`tables`](Log::tables) or [`tables_f64`](Log::tables_f64), decoded by the given number of threads.
    pub fn tables_with(&self, numbers: Numbers, threads: NonZero<usize>) -> Vec<Table<'_>> {
        let (log, units) = (self.bytes(), self.units());
        let kinds = self.index().kinds.iter().filter(|kind| kind.offsets.len() > 0);
        let mut plans: Vec<Plan<'_>> = kinds.map(|kind| Plan::new(log, kind, units, numbers)).collect();
        let shares = shares(log, &mut plans, threads);
        thread::scope(|scope| {
            let mut shares = shares.into_iter();
            let own = shares.next();
            for share in shares {
                let share = Arc::new(Mutex::new(Some(share)));
                let of_thread = share.clone();
                let decode = |share: &Mutex<Option<Share<'_>>>| {
                    let share = share.lock().unwrap_or_else(PoisonError::into_inner).take();
                    share.map(Share::decode)
                };
                // If no thread can be started, this one decodes the share.
                if thread::Builder::new().spawn_scoped(scope, move || decode(&of_thread)).is_err() {
                    decode(&share);
                }
            }
            own.map(Share::decode)
        });
        let scaled = match numbers {
            Numbers::Native => Scaling::Stored,
            Numbers::F64(scaling) => scaling,
        };
        plans.into_iter().map(|plan| plan.table(self, &self.index().units, scaled)).collect()
    }
}

fn threads(bytes: usize) -> NonZero<usize> {
    if bytes < TOO_SHORT_FOR_THREADS {
        NonZero::<usize>::MIN
    } else {
        thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
    }
}

/// The columns of one kind to decode.
struct Plan<'log> {
    kind: &'log RecordKind,
    definition: LoggedDefinition<'log>,
    columns: Vec<PlannedColumn<'log>>,
}

struct PlannedColumn<'log> {
    logged: LoggedColumn<'log>,
    quantity: Quantity,
    cells: Cells,
    values: Values,
}

impl<'log> Plan<'log> {
    fn new(log: &'log [u8], kind: &'log RecordKind, units: &Units, numbers: Numbers) -> Self {
        let definition = kind.definition(log);
        let planned = |logged: LoggedColumn<'log>| {
            let quantity = Quantity::new(&logged, kind.defined_at(), units);
            let cells = match numbers {
                Numbers::Native => Cells::Native,
                Numbers::F64(scaling) => Cells::F64(quantity.scale(scaling)),
            };
            let values = Values::zeroed(logged.format, cells, kind.offsets.len());
            PlannedColumn { logged, quantity, cells, values }
        };
        Plan { kind, definition, columns: definition.columns().map(planned).collect() }
    }

    fn table(self, log: &'log Log<'log>, units: &Arc<Units>, scaled: Scaling) -> Table<'log> {
        let rows = Rows::of_kind(log, self.kind, units.clone());
        let column = |planned: PlannedColumn<'log>| {
            let values = match (rows.widened_times(&[planned.logged.offset]), planned.cells) {
                (None, _) => planned.values,
                (Some(times_us), Cells::Native) => Values::U64(times_us),
                (Some(times_us), Cells::F64(scale)) => {
                    Values::F64(times_us.into_iter().map(|time_us| scale.apply(time_us as f64)).collect())
                }
            };
            let names = match scaled {
                Scaling::Stored => log.value_names(self.definition.name(), &planned.logged),
                _ => None,
            };
            Column::new(planned.logged.label, planned.quantity, values, scaled, names)
        };
        let columns = self.columns.into_iter().map(column).collect();
        Table { rows, definition: self.definition, columns }
    }
}

/// The part of the log that one thread decodes, with the room for its values.
struct Share<'p> {
    log: &'p [u8],
    stretches: Vec<Stretch<'p>>,
}

/// The records of one part of one kind within a share.
struct Stretch<'p> {
    base: usize,
    offsets: &'p [u32],
    groups: Vec<Group<'p>>,
}

/// Splits the log into one share for each thread.
fn shares<'p>(log: &'p [u8], plans: &'p mut [Plan<'_>], threads: NonZero<usize>) -> Vec<Share<'p>> {
    // Each thread decodes at least one block.
    let threads = threads.get().min(log.len().div_ceil(BLOCK)).max(1);
    let share = log.len().div_ceil(threads).max(1);
    let mut shares: Vec<Share<'p>> = (0..threads).map(|_| Share { log, stretches: Vec::new() }).collect();
    for plan in plans {
        let mut groups: Vec<Group<'p>> = Vec::new();
        for PlannedColumn { logged, cells, values, .. } in &mut plan.columns {
            // A column ends inside the record, which has at most 255 bytes.
            let column = ((Definition::HEADER_LENGTH + logged.offset) as u8, values.room());
            match groups.iter_mut().find(|group| (group.format, group.cells) == (logged.format, *cells)) {
                Some(group) => group.columns.push(column),
                None => groups.push(Group { format: logged.format, cells: *cells, columns: vec![column] }),
            }
        }
        for OffsetPart { base, offsets } in plan.kind.offsets.parts() {
            let mut offsets = &offsets[..];
            for (i, of_thread) in shares.iter_mut().enumerate() {
                let end = (i + 1) * share;
                let (here, rest) = offsets.split_at(offsets.partition_point(|&offset| base + (offset as usize) < end));
                offsets = rest;
                if !here.is_empty() {
                    let groups = groups.iter_mut().map(|group| group.split_off(here.len())).collect();
                    of_thread.stretches.push(Stretch { base: *base, offsets: here, groups });
                }
            }
        }
    }
    shares
}

impl Share<'_> {
    /// Decodes block by block, so that the records of a block are in the cache for all columns.
    fn decode(mut self) {
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

impl Stretch<'_> {
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
