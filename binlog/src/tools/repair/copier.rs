//! Copies the records of a damaged log, with the definitions that they need in front of them.

use super::definition_scan::{DefinitionScan, FirstDefinition};
use super::other_log::OtherLog;
use super::report::{InsertedUnits, Repaired};
use crate::format::header::FMT_ID;
use crate::read::catalogue::DEFINITIONS;
use crate::read::framing::{Framing, Step, payload};
use crate::read::learner::Learner;
use crate::read::{Reason, Records, Skipped};
use std::io::{self, Write};
use std::ops::Range;

/// Writes the repaired log.
pub(super) fn repair(
    bytes: &[u8],
    scan: DefinitionScan<'_>,
    other: Option<OtherLog<'_>>,
    mut out: impl Write,
) -> io::Result<Repaired> {
    if !scan.is_damaged {
        out.write_all(bytes)?;
        return Ok(Repaired { records: scan.records, ..Repaired::default() });
    }
    let mut copier = Copier {
        bytes,
        out,
        pending: 0..0,
        scan,
        other,
        learner: Learner::new(),
        repaired: Repaired::default(),
        is_inserted: [false; 256],
        has_units: [false; 256],
        has_rows: false,
    };
    let mut records = Records::new(bytes);
    while let Some(item) = records.next() {
        match item {
            Ok(record) => copier.record(record.offset(), record.len(), record.is_suspect())?,
            Err(skipped) => copier.skipped(skipped, &records)?,
        }
    }
    copier.finish()
}

/// Copies records to a writer.
struct Copier<'a, W> {
    bytes: &'a [u8],
    out: W,
    /// Records that are next to one another in the log, to be written at once.
    pending: Range<usize>,
    scan: DefinitionScan<'a>,
    other: Option<OtherLog<'a>>,
    /// Knows what the records written so far define.
    learner: Learner,
    repaired: Repaired,
    /// By id, whether a definition was inserted.
    is_inserted: [bool; 256],
    /// By id, whether its FMTU was looked for in the other log.
    has_units: [bool; 256],
    /// Whether the rows of the other log's tables were written.
    has_rows: bool,
}

impl<W: Write> Copier<'_, W> {
    fn record(&mut self, offset: usize, length: usize, is_suspect: bool) -> io::Result<()> {
        self.insert_units(offset)?;
        self.repaired.records += 1;
        if is_suspect {
            self.repaired.suspects.push(offset);
        }
        self.copy(offset..offset + length)
    }

    fn copy(&mut self, record: Range<usize>) -> io::Result<()> {
        if let (Some(&id), Some(payload)) =
            (self.bytes.get(record.start + 2), payload(self.bytes, record.start, record.len()))
        {
            self.learner.learn(id, payload);
        }
        if self.pending.end != record.start {
            self.flush()?;
            self.pending.start = record.start;
        }
        self.pending.end = record.end;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let pending = std::mem::replace(&mut self.pending, 0..0);
        self.out.write_all(self.bytes.get(pending).unwrap_or_default())
    }

    /// Copies the records of a skipped stretch whose definition comes later or is from the other log, and notes the
    /// rest as removed.
    ///
    /// `records` has read up to the end of the stretch, where a record or the end of the log is.
    fn skipped(&mut self, skipped: Skipped, records: &Records<'_>) -> io::Result<()> {
        let end = skipped.offset + skipped.length;
        let framing = self.framing(records, skipped.offset);
        let (Some(framing), Some(stretch)) = (framing, self.bytes.get(..end)) else {
            self.repaired.removed.push(skipped);
            return Ok(());
        };
        let mut at = skipped.offset;
        while at < end {
            at = match framing.step::<true>(stretch, at) {
                // An FMT that readers skip would define something else for the records after it.
                Step::Record { id, end, suspect } if id != FMT_ID => {
                    self.insert(id, at)?;
                    self.record(at, end - at, suspect)?;
                    self.repaired.recovered += 1;
                    end
                }
                Step::Record { id, end, .. } => self.remove(at, end, Reason::Broken(id)),
                // It is the stretch that ends there.
                Step::Skip { end, reason: Reason::Truncated(id), .. } if end < self.bytes.len() => {
                    self.remove(at, end, id.map_or(Reason::NoHeader, Reason::Broken))
                }
                Step::Skip { end, reason, .. } => self.remove(at, end, reason),
                Step::More => self.remove(at, end, skipped.reason),
            };
        }
        Ok(())
    }

    /// The lengths of records by id, including ids that are defined only later in the log, or in the other log. `None`
    /// if there are no such ids.
    fn framing(&self, records: &Records<'_>, offset: usize) -> Option<Framing> {
        let is_unknown = |id: u8| records.definition(id).is_none();
        let own = self.scan.first.iter().filter(|(_, first)| first.fmt.start > offset);
        // The definitions of the log take precedence, early or late.
        let is_lacking = |id: &u8| !self.scan.first.contains_key(id);
        let others = self.other.iter().flat_map(OtherLog::definitions).filter(|(id, _)| is_lacking(id));
        let all = own.chain(others);
        let mut late = all.filter(|(id, _)| is_unknown(**id)).peekable();
        late.peek()?;
        let mut framing = Framing::new();
        late.for_each(|(id, first)| framing.learn(*id, first.definition.length()));
        for id in 0..=255 {
            if let Some(definition) = records.definition(id) {
                framing.learn(id, definition.length());
            }
        }
        Some(framing)
    }

    /// Writes the definition of an id in front of its first record, at `offset`.
    fn insert(&mut self, id: u8, offset: usize) -> io::Result<()> {
        if std::mem::replace(&mut self.is_inserted[usize::from(id)], true) {
            return Ok(());
        }
        let Some(first) = self.scan.first.get(&id) else { return self.insert_other(id, offset) };
        if first.fmt.start <= offset {
            return Ok(());
        }
        let (fmt, fmtu) = (first.fmt.clone(), first.fmtu.clone());
        self.repaired.inserted.push(first.inserted(offset, false));
        self.copy(fmt)?;
        match fmtu {
            // Without a definition of FMTU so far, the FMTU in its own place gives the units.
            Some(fmtu) if self.bytes.get(fmtu.start + 2).is_some_and(|&id| self.learner.is_fmtu(id)) => self.copy(fmtu),
            _ => Ok(()),
        }
    }

    /// Writes the other log's FMT and FMTU of an id at `offset`, and before the first FMTU the rows of its tables that
    /// the log lacks.
    fn insert_other(&mut self, id: u8, offset: usize) -> io::Result<()> {
        // FMT defines itself where a boot begins, and nowhere else.
        let begins = self.repaired.records == 0 && !self.scan.first.contains_key(&FMT_ID);
        let of_fmt = match begins && !std::mem::replace(&mut self.is_inserted[usize::from(FMT_ID)], true) {
            true => self.insert_other_fmt(FMT_ID, offset)?,
            false => None,
        };
        let Some(fmtu) = self.insert_other_fmt(id, offset)? else { return Ok(()) };
        self.insert_rows(offset)?;
        of_fmt.into_iter().chain([fmtu]).try_for_each(|fmtu| self.insert_other_fmtu(fmtu, offset))
    }

    /// Writes what gives a record at `offset` its units, if it is the first one of its type: in front of an FMTU, the
    /// rows of the other log's tables that the log lacks; in front of another record, the other log's FMTU, if the log
    /// defines the type as the other one does and has lost its own.
    fn insert_units(&mut self, offset: usize) -> io::Result<()> {
        let (Some(other), Some(&id)) = (&self.other, self.bytes.get(offset + 2)) else { return Ok(()) };
        if std::mem::replace(&mut self.has_units[usize::from(id)], true) {
            return Ok(());
        }
        if self.learner.is_fmtu(id) {
            return self.insert_rows(offset);
        }
        let lacks_units = |first: &&FirstDefinition<'_>| first.fmtu.is_none() && first.later.is_empty();
        let Some(first) = self.scan.first.get(&id).filter(lacks_units) else { return Ok(()) };
        let of_other = other.definition(id).filter(|of_other| of_other.defines_as(&first.definition));
        let name = first.definition.name();
        // Those of the definitions come with the first type that needs them.
        let Some(fmtu) = of_other.filter(|_| !DEFINITIONS.contains(&name)).and_then(|first| first.fmtu.clone()) else {
            return Ok(());
        };
        self.repaired.units.push(InsertedUnits { offset, id, name: name.into() });
        self.insert_rows(offset)?;
        self.insert_other_fmtu(fmtu, offset)
    }

    /// Writes the rows of the other log's tables that the log lacks, once. The FMTUs of the tables refer to them, too.
    fn insert_rows(&mut self, offset: usize) -> io::Result<()> {
        if std::mem::replace(&mut self.has_rows, true) {
            return Ok(());
        }
        let rows = self.other.as_ref().map(|other| other.rows(&self.scan)).unwrap_or_default();
        let mut fmtus = Vec::new();
        for row in rows {
            if self.scan.first.contains_key(&row.id) {
                self.insert(row.id, offset)?;
            } else if !std::mem::replace(&mut self.is_inserted[usize::from(row.id)], true) {
                fmtus.extend(self.insert_other_fmt(row.id, offset)?);
            }
            self.write_other(row.bytes)?;
            self.repaired.rows += 1;
        }
        fmtus.into_iter().try_for_each(|fmtu| self.insert_other_fmtu(fmtu, offset))
    }

    /// Writes the other log's FMT of an id, and returns the place of its FMTU: an empty range without one. `None` means
    /// that the other log doesn't define the id; nothing is written then.
    fn insert_other_fmt(&mut self, id: u8, offset: usize) -> io::Result<Option<Range<usize>>> {
        let Some((other, first)) = self.other.as_ref().and_then(|other| Some((other, other.definition(id)?))) else {
            return Ok(None);
        };
        let (fmt, fmtu) = (other.record(&first.fmt), first.fmtu.clone().unwrap_or(0..0));
        self.repaired.inserted.push(first.inserted(offset, true));
        self.write_other(fmt)?;
        Ok(Some(fmtu))
    }

    /// Writes an FMTU of the other log, with what defines FMTU.
    fn insert_other_fmtu(&mut self, fmtu: Range<usize>, offset: usize) -> io::Result<()> {
        let fmtu = self.other.as_ref().map(|other| other.record(&fmtu)).unwrap_or_default();
        let Some(&id) = fmtu.get(2) else { return Ok(()) };
        self.insert(id, offset)?;
        if self.learner.is_fmtu(id) { self.write_other(fmtu) } else { Ok(()) }
    }

    /// Writes a record of the other log.
    fn write_other(&mut self, record: &[u8]) -> io::Result<()> {
        self.flush()?;
        if let (Some(&id), Some(payload)) = (record.get(2), payload(record, 0, record.len())) {
            self.learner.learn(id, payload);
        }
        self.out.write_all(record)
    }

    fn remove(&mut self, from: usize, to: usize, reason: Reason) -> usize {
        self.repaired.removed.push(Skipped { offset: from, length: to - from, reason });
        to
    }

    fn finish(mut self) -> io::Result<Repaired> {
        self.flush()?;
        Ok(self.repaired)
    }
}
