//! Repairs logs: what readers can't use is removed, what they could use is kept.
//!
//! [`Log::repair`] writes a log with the same records, in which each byte belongs to a record:
//!
//! - Stretches without records are removed, and so is a last record that is cut off.
//! - Records in front of the FMT of their id become readable: their FMT, and FMTU if there is one, is written in front of
//!   the first of them.
//! - Everything else is copied as it is. A sound log stays the same, byte for byte.
//!
//! Records have no checksum, so wrong values inside of records stay. Definitions that break rules stay, too, also because
//! of damage: pymavlink opens no log in which the format characters of an FMT are damaged. [`Log::check`] finds them.
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

use crate::Log;
use crate::catalogue::declaration::{Declaration, Learner};
use crate::catalogue::definition::{FMT_ID, LoggedDefinition};
use crate::counted::Counted;
use crate::framing::{Framing, Reason, Skipped, Step, payload};
use crate::records::{Record, Records};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

/// What [`Log::repair`] has done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Repaired {
    records: u64,
    recovered: u64,
    removed: Vec<Skipped>,
    inserted: Vec<InsertedDefinition>,
}

/// A definition that was written in front of the first record of its id, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InsertedDefinition {
    /// The offset of the first record of the id in the damaged log.
    pub offset: usize,
    /// The offset of the FMT in the damaged log.
    pub defined_at: usize,
    /// The id.
    pub id: u8,
    /// The type's name; `""` if it isn't UTF-8.
    pub name: String,
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

    /// Whether the log was sound: the repaired one is a copy.
    pub fn was_sound(&self) -> bool {
        self.removed.is_empty() && self.inserted.is_empty()
    }
}

/// A line for each change, with offsets in the damaged log.
impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Skipped { offset, length, reason } in &self.removed {
            writeln!(f, "offset {offset}: removed {}: {reason}", Counted(*length, "byte"))?;
        }
        for InsertedDefinition { offset, defined_at, id, name } in &self.inserted {
            let name = name.escape_debug();
            writeln!(f, "offset {offset}: inserted the FMT of {name} (id {id}), which was at offset {defined_at}")?;
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
    pub fn repair(&self, mut out: impl Write) -> io::Result<Repaired> {
        let bytes = self.bytes();
        let survey = Survey::of(self.records());
        if !survey.is_damaged {
            out.write_all(bytes)?;
            return Ok(Repaired { records: survey.records, ..Repaired::default() });
        }
        let mut copy = Copy {
            bytes,
            out,
            whole: 0..0,
            survey,
            learner: Learner::new(),
            repaired: Repaired::default(),
            is_inserted: [false; 256],
        };
        let mut records = self.records();
        while let Some(item) = records.next() {
            match item {
                Ok(record) => copy.record(record.offset(), record.len())?,
                Err(skipped) => copy.skipped(skipped, &records)?,
            }
        }
        copy.finish()
    }
}

/// The first definitions in a log, and whether it is damaged.
#[derive(Default)]
struct Survey<'a> {
    is_damaged: bool,
    records: u64,
    /// By id.
    first: BTreeMap<u8, First<'a>>,
}

/// The first definition of an id.
struct First<'a> {
    definition: LoggedDefinition<'a>,
    fmt: Range<usize>,
    /// Its FMTU, as long as nothing else defines the id.
    fmtu: Option<Range<usize>>,
    is_replaced: bool,
}

impl<'a> Survey<'a> {
    fn of(records: Records<'a>) -> Self {
        let mut survey = Survey::default();
        let mut learner = Learner::new();
        for item in records {
            match item {
                Ok(record) => {
                    survey.records += 1;
                    if let Some(declaration) = learner.learn(record.id(), record.payload()) {
                        survey.declare(declaration, &record);
                    }
                }
                Err(_) => survey.is_damaged = true,
            }
        }
        survey
    }

    fn declare(&mut self, declaration: Declaration<'a>, record: &Record<'a>) {
        let place = record.offset()..record.offset() + record.len();
        match (declaration, self.first.get_mut(&declaration.id())) {
            (Declaration::Fmt(fmt), None) => {
                let definition = LoggedDefinition::new(fmt, None);
                let first = First { definition, fmt: place, fmtu: None, is_replaced: false };
                self.first.insert(declaration.id(), first);
            }
            (Declaration::Fmt(fmt), Some(first)) => {
                first.is_replaced |= first.definition.fmt_content() != LoggedDefinition::new(fmt, None).fmt_content();
            }
            (Declaration::Fmtu(_), Some(first)) if first.fmtu.is_none() && !first.is_replaced => {
                first.fmtu = Some(place);
            }
            (Declaration::Fmtu(_), _) => {}
        }
    }
}

/// Copies records to a writer.
struct Copy<'a, W> {
    bytes: &'a [u8],
    out: W,
    /// Records that are next to one another in the log, to be written at once.
    whole: Range<usize>,
    survey: Survey<'a>,
    /// Knows what the records written so far define.
    learner: Learner,
    repaired: Repaired,
    is_inserted: [bool; 256],
}

impl<W: Write> Copy<'_, W> {
    fn record(&mut self, offset: usize, length: usize) -> io::Result<()> {
        self.repaired.records += 1;
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
                Step::Record { id, end, .. } if id != FMT_ID => {
                    self.insert(id, at)?;
                    self.record(at, end - at)?;
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

    /// The lengths of records by id, including ids that are defined only later in the log. `None` if there are no such
    /// ids.
    fn framing(&self, records: &Records<'_>, offset: usize) -> Option<Framing> {
        let is_late = |(id, first): &(&u8, &First<'_>)| first.fmt.start > offset && records.definition(**id).is_none();
        let mut late = self.survey.first.iter().filter(is_late).peekable();
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
        let Some(first) = self.survey.first.get(&id).filter(|first| first.fmt.start > offset) else { return Ok(()) };
        let inserted =
            InsertedDefinition { offset, defined_at: first.fmt.start, id, name: first.definition.name().into() };
        let (fmt, fmtu) = (first.fmt.clone(), first.fmtu.clone());
        self.repaired.inserted.push(inserted);
        self.copy(fmt)?;
        match fmtu {
            // Without a definition of FMTU so far, the FMTU in its own place gives the units.
            Some(fmtu) if self.bytes.get(fmtu.start + 2).is_some_and(|&id| self.learner.is_fmtu(id)) => self.copy(fmtu),
            _ => Ok(()),
        }
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
