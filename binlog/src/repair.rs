//! Repairs logs: what readers can't use is removed, what they could use is kept.
//!
//! [`Log::repair`] writes a log with the same records, in which each byte belongs to a record:
//!
//! - Stretches without records are removed, and so is a last record that is cut off.
//! - Records in front of the FMT of their id become readable: their FMT, and FMTU if there is one, is written in front of
//!   the first of them.
//! - Everything else is copied as it is. A log in which each byte belongs to a record stays the same, byte for byte.
//!
//! Records have no checksum, so wrong values inside of records stay. A record in front of a stretch that was removed is
//! kept, though its end may be damaged: [`Repaired::suspects`] lists them. Definitions that break rules stay, too, also
//! because of damage: pymavlink opens no log in which the format characters of an FMT are damaged. [`Log::check`] finds
//! them.
//!
//! # Definitions of another log
//!
//! A record whose FMT is damaged can't be read: nobody knows what it means. Another log of the same firmware does.
//! [`Log::repair_with`] takes from it, and reports as borrowed or replaced:
//!
//! - the definitions that the log lacks, in front of the first record of each, with the tables of units and multipliers if
//!   the log has none;
//! - the definition of an id whose FMT contradicts itself, or whose name or labels no reader takes, and of one whose FMT is
//!   the same but for the id.
//!
//! Other definitions that differ stay: [`Repaired::differing`] names their types.
//!
//! ```
//! use binlog::{Log, LogSchema, LogWriter, messages::Ev};
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Ev(Ev),
//! }
//!
//! let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
//! for id in 0..10 {
//!     writer.write(&Ev { time_us: u64::from(id), id })?;
//! }
//! let mut bytes = writer.finish()?;
//! let damaged = FlightLog::PREAMBLE.len() + 3 * 12;
//! bytes[damaged..damaged + 12].fill(0xFF); // the fourth record
//!
//! let mut repaired = Vec::new();
//! let report = Log::from_bytes(&bytes).repair(&mut repaired)?;
//! assert_eq!(report.removed().len(), 1);
//! assert_eq!(report.removed()[0].offset, damaged);
//! assert_eq!(repaired.len(), bytes.len() - 12);
//! println!("{report}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod lender;
mod survey;

use crate::Log;
use crate::catalogue::declaration::Learner;
use crate::catalogue::definition::FMT_ID;
use crate::counted::Counted;
use crate::framing::{Framing, Reason, Skipped, Step, payload};
use crate::records::Records;
use lender::Lender;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use survey::Survey;

/// What [`Log::repair`] has done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Repaired {
    records: u64,
    recovered: u64,
    removed: Vec<Skipped>,
    inserted: Vec<InsertedDefinition>,
    replaced: Vec<ReplacedDefinition>,
    suspects: Vec<usize>,
    differing: Vec<String>,
}

/// A definition that was written in front of the first record of its id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InsertedDefinition {
    /// The offset of the first record of the id in the damaged log.
    pub offset: usize,
    /// The offset of the FMT, which stays there, in the damaged log; in the other log, if it is borrowed.
    pub defined_at: usize,
    /// The id.
    pub id: u8,
    /// The type's name; `""` if it isn't UTF-8.
    pub name: String,
    /// Whether the definition is one of the other log, because the damaged one has none.
    pub is_borrowed: bool,
}

/// A damaged definition, in whose place the one of the other log was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplacedDefinition {
    /// The offset of the damaged FMT.
    pub offset: usize,
    /// The id.
    pub id: u8,
    /// The type's name in the other log.
    pub name: String,
    /// What is wrong with the damaged FMT.
    pub problem: String,
}

impl Repaired {
    /// The records of the repaired log, without inserted definitions.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Those of them that readers skip in the damaged log.
    pub fn recovered(&self) -> u64 {
        self.recovered
    }

    /// The stretches that were removed, with their places in the damaged log.
    pub fn removed(&self) -> &[Skipped] {
        &self.removed
    }

    /// The definitions that were inserted.
    pub fn inserted(&self) -> &[InsertedDefinition] {
        &self.inserted
    }

    /// The definitions that were replaced by those of another log.
    pub fn replaced(&self) -> &[ReplacedDefinition] {
        &self.replaced
    }

    /// The offsets, in the damaged log, of records that were kept though their end may be damaged: bytes other than a header
    /// follow them. In the repaired log they no longer stand out.
    pub fn suspects(&self) -> &[usize] {
        &self.suspects
    }

    /// Names of the types that the other log defines otherwise, and whose definitions stay as they are in this log. They
    /// may be damaged.
    pub fn differing(&self) -> &[String] {
        &self.differing
    }

    /// Whether each byte of the log was in a record that readers read: the repaired log is a copy. Values may be wrong all
    /// the same.
    pub fn was_sound(&self) -> bool {
        self.removed.is_empty() && self.inserted.is_empty() && self.replaced.is_empty()
    }
}

/// A line for each change, and for what was kept and may be damaged, with offsets in the damaged log.
impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Skipped { offset, length, reason } in &self.removed {
            writeln!(f, "offset {offset}: removed {}: {reason}", Counted(*length, "byte"))?;
        }
        for offset in &self.suspects {
            writeln!(f, "offset {offset}: kept a record whose end may be damaged: no header follows it")?;
        }
        for ReplacedDefinition { offset, id, name, problem } in &self.replaced {
            let name = name.escape_debug();
            writeln!(f, "offset {offset}: replaced the FMT of {name} (id {id}) by that of the other log: {problem}")?;
        }
        for InsertedDefinition { offset, defined_at, id, name, is_borrowed } in &self.inserted {
            let name = name.escape_debug();
            let place = if *is_borrowed { "is in the other log," } else { "was" };
            writeln!(f, "offset {offset}: inserted the FMT of {name} (id {id}), which {place} at offset {defined_at}")?;
        }
        for name in &self.differing {
            let name = name.escape_debug();
            writeln!(f, "kept the definition of {name}, though the other log defines it otherwise")?;
        }
        Ok(())
    }
}

impl Log<'_> {
    /// Writes a clean log with all records of this one: see [the module](crate::repair).
    ///
    /// It is two passes over the log, and takes memory for the list of changes only.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn repair(&self, out: impl Write) -> io::Result<Repaired> {
        repair(self.bytes(), Survey::of(self.bytes()), None, out)
    }

    /// As [`repair`](Log::repair), with definitions of another log of the same firmware where this one lacks them or has
    /// damaged ones: see [the module](crate::repair#definitions-of-another-log).
    ///
    /// Where an FMT is damaged, it takes the memory of the log.
    ///
    /// # Errors
    ///
    /// [`InvalidInput`](io::ErrorKind::InvalidInput), if most types that both logs define differ, so that the other log is
    /// of other firmware. Errors of the writer.
    pub fn repair_with(&self, definitions: &Log<'_>, out: impl Write) -> io::Result<Repaired> {
        let survey = Survey::of(self.bytes());
        let mut lender = Lender::new(definitions.bytes(), &survey)?;
        let differing = std::mem::take(&mut lender.differing);
        let Some((bytes, replaced)) = lender.replace(self.bytes(), &survey) else {
            return Ok(Repaired { differing, ..repair(self.bytes(), survey, Some(lender), out)? });
        };
        let repaired = repair(&bytes, Survey::of(&bytes), Some(lender), out)?;
        let recovered = repaired.records.saturating_sub(survey.records);
        Ok(Repaired { recovered, replaced, differing, ..repaired })
    }
}

fn repair(bytes: &[u8], survey: Survey<'_>, lender: Option<Lender<'_>>, mut out: impl Write) -> io::Result<Repaired> {
    if !survey.is_damaged {
        out.write_all(bytes)?;
        return Ok(Repaired { records: survey.records, ..Repaired::default() });
    }
    let mut copy = Copy {
        bytes,
        out,
        whole: 0..0,
        survey,
        lender,
        learner: Learner::new(),
        repaired: Repaired::default(),
        is_inserted: [false; 256],
    };
    let mut records = Records::new(bytes);
    while let Some(item) = records.next() {
        match item {
            Ok(record) => copy.record(record.offset(), record.len(), record.is_suspect())?,
            Err(skipped) => copy.skipped(skipped, &records)?,
        }
    }
    copy.finish()
}

/// Copies records to a writer.
struct Copy<'a, W> {
    bytes: &'a [u8],
    out: W,
    /// Records that are next to one another in the log, to be written at once.
    whole: Range<usize>,
    survey: Survey<'a>,
    lender: Option<Lender<'a>>,
    /// Knows what the records written so far define.
    learner: Learner,
    repaired: Repaired,
    is_inserted: [bool; 256],
}

impl<W: Write> Copy<'_, W> {
    fn record(&mut self, offset: usize, length: usize, is_suspect: bool) -> io::Result<()> {
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
        if self.whole.end != record.start {
            self.flush()?;
            self.whole.start = record.start;
        }
        self.whole.end = record.end;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let whole = std::mem::replace(&mut self.whole, 0..0);
        self.out.write_all(self.bytes.get(whole).unwrap_or_default())
    }

    /// Copies the records in a skipped stretch that definitions after it make readable, and notes the rest as removed.
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
                Step::Skip { end, reason, .. } => self.remove(at, end, reason),
                Step::More => self.remove(at, end, skipped.reason),
            };
        }
        Ok(())
    }

    /// The lengths of records by id, including ids that are defined only later in the log, or in the other log. `None` if
    /// there are no such ids.
    fn framing(&self, records: &Records<'_>, offset: usize) -> Option<Framing> {
        let is_unknown = |id: u8| records.definition(id).is_none();
        let own = self.survey.first.iter().filter(|(_, first)| first.fmt.start > offset);
        let all = own.chain(self.lender.iter().flat_map(Lender::definitions));
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
        let Some(first) = self.survey.first.get(&id) else { return self.borrow(id, offset) };
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

    /// Writes the other log's definition of an id in front of its first record, at `offset`.
    fn borrow(&mut self, id: u8, offset: usize) -> io::Result<()> {
        let Some((lender, first)) = self.lender.as_ref().and_then(|lender| Some((lender, lender.definition(id)?)))
        else {
            return Ok(());
        };
        let (fmt, fmtu) = (lender.record(&first.fmt), first.fmtu.as_ref().map(|fmtu| lender.record(fmtu)));
        let tables = if self.survey.has_tables { Vec::new() } else { lender.tables() };
        self.repaired.inserted.push(first.inserted(offset, true));
        self.write_other(fmt)?;
        // Once.
        self.survey.has_tables = true;
        for table in tables {
            self.insert(table[2], offset)?;
            self.write_other(table)?;
        }
        if let Some(fmtu) = fmtu {
            self.insert(fmtu[2], offset)?;
            if self.learner.is_fmtu(fmtu[2]) {
                self.write_other(fmtu)?;
            }
        }
        Ok(())
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
