//! Merges logs by time into one.
//!
//! The logs' times must have the same zero: parts that were cut out of one log, or logs that several loggers wrote in
//! one boot. Nothing in a log names its boot, so `merge` can't check that: logs of different boots, of different
//! programs and parts of a log after a wrap of its 32-bit times are merged by their times, as if they had one zero.
//! [`Log::clock`] tells boots apart, if both logs have GPS times. A record keeps its place among those of its own log;
//! with others it is ordered by time. Payloads are copied as they are, with one exception: the id in a record of DROP.
//!
//! - Definitions are written once, at the start. Equal definitions share an id, whatever their ids were. If two types have
//!   the same id, the type of the later log gets a free one.
//! - Units and multipliers are matched by meaning; an id that means something else in another log gets a free one there.
//! - Records that are equal in several logs, time included, are written once: parts of a log may overlap, and each has its
//!   own copies of PARM, MSG, MODE, VER, ARM and EV, and of the embedded descriptions.
//! - A type that two logs define differently is an error that says how: [`MergeError`].
//! - Merging a log with itself is an error, because somebody meant another log. Only parts without any record of their own
//!   may be equal.
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

use crate::Log;
use crate::catalogue::DEFINITIONS;
use crate::framing::Skipped;
use ids::Ids;
use std::collections::HashMap;
use std::io::{BufWriter, Write};
use streams::Streams;

/// What [`merge`] has written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Merged {
    records: Vec<u64>,
    duplicates: u64,
    skipped: Vec<(usize, Skipped)>,
    renumbered: Vec<Renumbered>,
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
    let mut merged = Merged { records: vec![0; logs.len()], renumbered, ..Merged::default() };
    let mut copies = Copies { emitted: HashMap::new(), logs: logs.len() };
    let (mut copies_of_time, mut time_us) = (Copies { emitted: HashMap::new(), logs: logs.len() }, 0);
    let mut streams = Streams::new(&logs, &ids);
    while let Some((log, record)) = streams.next(|log, skipped| merged.skipped.push((log, skipped))) {
        if record.time_us != time_us {
            time_us = record.time_us;
            copies_of_time.emitted.clear();
        }
        let seen = if record.is_in_each_part { &mut copies } else { &mut copies_of_time };
        if seen.is_copy(log, &record.bytes) {
            merged.duplicates += 1;
            continue;
        }
        merged.records[log] += 1;
        out.write_all(&record.bytes)?;
    }
    out.flush()?;
    Ok(merged)
}

/// Whether a log has records that are written once for each log. Parts that were cut out of one log may all lack them.
fn has_records_of_its_own(log: &Log<'_>) -> bool {
    let mut records = log.records().flatten();
    records.any(|record| !DEFINITIONS.contains(&record.name()) && !streams::is_in_each_part(&record))
}

/// Records that several logs may have.
struct Copies {
    /// How often each was read from each log.
    emitted: HashMap<Vec<u8>, Vec<u32>>,
    logs: usize,
}

impl Copies {
    /// Whether another log has had the record as often as this one so far.
    fn is_copy(&mut self, log: usize, record: &[u8]) -> bool {
        let counts = self.emitted.entry(record.to_vec()).or_insert_with(|| vec![0; self.logs]);
        let most = counts.iter().copied().max().unwrap_or(0);
        counts[log] += 1;
        counts[log] <= most
    }
}
