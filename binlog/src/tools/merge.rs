// Held by tests/tests/tools/merged.rs.

//! Merges logs by time into one.
//!
//! The logs' times must have the same zero: parts that were cut out of one log, or logs that several loggers wrote in
//! one boot. Nothing in a log names its boot, so `merge` can't check that: logs of different boots, of different
//! programs and logs that begin after a wrap of their 32-bit times are merged by their times, as if they had one zero.
//! [`Log::clock`] tells boots apart, if both logs have GPS times; [`Merged::in_common`] says which logs have an equal
//! record. A record keeps its place among those of its own log; with others it is ordered by time. Payloads are copied
//! as they are, with one exception: the id in a record of DROP.
//!
//! - Definitions are written once, at the start. Equal definitions share an id, even if their ids differed. If two
//!   types have the same id, the type of the later log gets a free one.
//! - Units and multipliers are matched by meaning; an id that means something else in another log gets a free one
//!   there.
//! - Records that are equal in several logs, time included, are written once: parts of a log may overlap, and each has
//!   its own copies of PARM, MSG, MODE, VER, ARM and EV, and of the embedded descriptions.
//! - Embedded descriptions that contradict those of an earlier log are left out: [`Merged::other_descriptions`].
//! - A type that two logs define differently is an error that says how: [`MergeError`].
//! - Merging a log with itself is an error (probably a wrong path). Two parts may be equal only if they contain nothing
//!   but copies of definitions, parameters and the like.
//!
//! ```
//! use binlog::{Log, LogSchema, LogWriter, messages};
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Ev(messages::Ev),
//! }
//!
//! #[derive(LogSchema)]
//! enum CompanionLog {
//!     Err(messages::Err),
//! }
//!
//! let mut flight = LogWriter::<FlightLog, _>::new(Vec::new())?;
//! flight.write(&messages::Ev { time_us: 2_000, id: 10 })?;
//! let mut companion = LogWriter::<CompanionLog, _>::new(Vec::new())?;
//! companion.write(&messages::Err { time_us: 1_000, subsystem: 1, code: 2 })?;
//!
//! let logs = [Log::from_bytes(flight.finish()?), Log::from_bytes(companion.finish()?)];
//! let mut merged = Vec::new();
//! let report = binlog::merge::merge(&logs, &mut merged)?;
//! assert_eq!(report.records(), [1, 1]);
//! assert_eq!(Log::from_bytes(merged).rows("ERR")?.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conflict;
mod ids;
mod streams;

pub use conflict::{Conflict, MergeError};

use crate::change::LoggedSchema;
use crate::read::catalogue::DEFINITIONS;
use crate::read::{Log, Skipped};
use ids::Ids;
use std::collections::{BTreeSet, HashMap};
use std::io::{BufWriter, Write};
use streams::{Merging, Streams};

/// What [`merge`] has written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Merged {
    records: Vec<u64>,
    duplicates: u64,
    skipped: Vec<(usize, Skipped)>,
    renumbered: Vec<Renumbered>,
    in_common: BTreeSet<[usize; 2]>,
    other_descriptions: BTreeSet<usize>,
}

/// A type whose id differs from that in its log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renumbered {
    /// The log, counted from 0.
    pub log: usize,
    /// The type.
    pub name: String,
    /// Its id in the log.
    pub from: u8,
    /// Its id in the merged log.
    pub to: u8,
}

impl Merged {
    /// The records that were copied from each log, without definitions and duplicates.
    pub fn records(&self) -> &[u64] {
        &self.records
    }

    /// Records that were left out, because an earlier log has them, too.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Stretches that contain no records, each with the number of its log, counted from 0. The merged log lacks them.
    pub fn skipped(&self) -> &[(usize, Skipped)] {
        &self.skipped
    }

    /// Pairs of logs that have an equal record with a time, counted from 0: parts of one log have, and logs of one boot
    /// may have. Records of PARM, MSG, MODE, VER, ARM and EV count if they are later than the first other record of one
    /// of the logs: those before it may be equal in all flights of a firmware.
    pub fn in_common(&self) -> impl Iterator<Item = [usize; 2]> {
        self.in_common.iter().copied()
    }

    /// The logs whose embedded descriptions contradict those of an earlier log, counted from 0. The merged log lacks
    /// these descriptions.
    pub fn other_descriptions(&self) -> impl Iterator<Item = usize> {
        self.other_descriptions.iter().copied()
    }

    /// The types whose ids have changed.
    pub fn renumbered(&self) -> &[Renumbered] {
        &self.renumbered
    }
}

/// Merges logs by time into one: see [the module](self).
///
/// It is three passes over each log; memory grows with the records that each part of a log has.
///
/// # Errors
///
/// If the logs can't be one log, and errors of the writer. If the logs can't be one, nothing is written.
pub fn merge<'l>(logs: impl IntoIterator<Item = &'l Log<'l>>, out: impl Write) -> Result<Merged, MergeError> {
    let logs: Vec<&Log<'_>> = logs.into_iter().collect();
    for (later, log) in logs.iter().enumerate() {
        let earlier = logs[..later].iter().position(|earlier| earlier.bytes() == log.bytes());
        if let Some(earlier) = earlier.filter(|_| has_records_of_its_own(log)) {
            return Err(MergeError::Same { logs: [earlier, later] });
        }
    }
    for (log, contents) in logs.iter().enumerate() {
        let boots = contents.boots().len();
        if boots > 1 {
            return Err(MergeError::SeveralBoots { log, boots });
        }
    }
    let schemas: Vec<_> = logs.iter().map(|log| log.schema()).collect();
    let (ids, renumbered) = Ids::of(&schemas)?;
    let mut out = BufWriter::new(out);
    out.write_all(&ids.preamble())?;
    let other_descriptions = other_descriptions(&logs);
    let mut merged = Merged { records: vec![0; logs.len()], renumbered, other_descriptions, ..Merged::default() };
    let mut copies = Copies::new(logs.len());
    let mut recent = Recent { now: Copies::new(logs.len()), before: Copies::new(logs.len()), since_us: 0 };
    // Of each log, the time of its first record of another type than those that each part has.
    let mut begun_us: Vec<Option<u64>> = vec![None; logs.len()];
    let mut streams = Streams::new(&logs, &ids);
    while let Some((log, record)) = streams.next(|log, skipped| merged.skipped.push((log, skipped))) {
        if record.is_description && merged.other_descriptions.contains(&log) {
            continue;
        }
        if record.is_timed && !record.is_in_each_part {
            begun_us[log].get_or_insert(record.time_us);
        }
        let other = match record.is_in_each_part {
            true => copies.copied(log, record.bytes.clone()),
            false => recent.copied(log, &record),
        };
        if let Some(other) = other {
            merged.duplicates += 1;
            let is_later = |log: usize| begun_us[log].is_some_and(|begun_us| begun_us < record.time_us);
            if record.is_timed && (!record.is_in_each_part || is_later(log) || is_later(other)) {
                merged.in_common.insert([log.min(other), log.max(other)]);
            }
            continue;
        }
        merged.records[log] += 1;
        out.write_all(&record.bytes)?;
    }
    out.flush()?;
    Ok(merged)
}

/// The definitions of a log that has the messages of all these schemas, as a log begins with them: for programs that
/// write records without structs. [`merge`] begins with those of its logs.
///
/// ```
/// use binlog::{LogSchema, LoggedSchema, Records, merge, messages};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Ev(messages::Ev),
/// }
///
/// #[derive(LogSchema)]
/// enum CompanionLog {
///     Err(messages::Err),
/// }
///
/// let preamble = merge::preamble(&[LoggedSchema::of::<FlightLog>(), LoggedSchema::of::<CompanionLog>()])?;
/// let schema = LoggedSchema::from_bytes(&preamble);
/// assert!(schema.message("EV").is_some() && schema.message("ERR").is_some());
/// # Ok::<(), binlog::merge::MergeError>(())
/// ```
///
/// # Errors
///
/// If two schemas, or one of them twice, define a type differently, and if a type has no name or no id is left.
pub fn preamble(schemas: &[LoggedSchema]) -> Result<Vec<u8>, MergeError> {
    Ok(Ids::of(schemas)?.0.preamble())
}

/// Whether a log has records that are written once for each log. Parts that were cut out of one log may all lack them.
fn has_records_of_its_own(log: &Log<'_>) -> bool {
    let mut records = log.records().flatten();
    records.any(|record| !DEFINITIONS.contains(&record.name()) && !streams::is_in_each_part(&record))
}

/// The logs whose descriptions contradict those of an earlier log that the merged log has.
fn other_descriptions(logs: &[&Log<'_>]) -> BTreeSet<usize> {
    let files: Vec<_> = logs.iter().map(|log| log.description_file()).collect();
    let mut others = BTreeSet::new();
    for (later, file) in files.iter().enumerate() {
        let earlier = (0..later).filter(|earlier| !others.contains(earlier));
        let mut pairs = earlier.filter_map(|earlier| files[earlier].as_ref().zip(file.as_ref()));
        if pairs.any(|(earlier, later)| earlier.contradicts(later)) {
            others.insert(later);
        }
    }
    others
}

/// Records that several logs may have.
struct Copies {
    /// How often each was read from each log.
    emitted: HashMap<Vec<u8>, Vec<u32>>,
    logs: usize,
}

impl Copies {
    fn new(logs: usize) -> Self {
        Copies { emitted: HashMap::new(), logs }
    }

    /// Another log that has had the record as often as this one so far.
    fn copied(&mut self, log: usize, record: Vec<u8>) -> Option<usize> {
        let counts = self.emitted.entry(record).or_insert_with(|| vec![0; self.logs]);
        counts[log] += 1;
        let count = counts[log];
        counts.iter().enumerate().position(|(other, &of_other)| other != log && of_other >= count)
    }
}

/// Records that are copies only if they have the same time: those of a while, because records of several threads are a
/// little out of order.
struct Recent {
    now: Copies,
    /// Those of the while before.
    before: Copies,
    since_us: u64,
}

/// How long such records are remembered at least, in microseconds.
const WHILE_US: u64 = 10_000_000;

impl Recent {
    /// As [`Copies::copied`].
    fn copied(&mut self, log: usize, record: &Merging) -> Option<usize> {
        if record.time_us.abs_diff(self.since_us) > WHILE_US {
            self.since_us = record.time_us;
            std::mem::swap(&mut self.now, &mut self.before);
            self.now.emitted.clear();
        }
        let mut key = record.time_us.to_le_bytes().to_vec();
        key.extend(&record.bytes);
        if let Some((key, counts)) = self.before.emitted.remove_entry(&key) {
            self.now.emitted.insert(key, counts);
        }
        self.now.copied(log, key)
    }
}
