// Held by tests/tests/tools/repaired.rs.

//! Repairs logs: what readers can't use is removed, what they could use is kept.
//!
//! [`Log::repair`] writes a log with the same records, in which each byte belongs to a record:
//!
//! - Stretches without records are removed, and so is a last record that is cut off.
//! - Records in front of the FMT of their id become readable: their FMT, and FMTU if there is one, is written in front
//!   of the first of them.
//! - Everything else is copied as it is. A log in which each byte belongs to a record stays the same, byte for byte.
//!
//! Records have no checksum, so wrong values stay. [`Repaired::suspects`] lists the records whose end may be damaged,
//! because the bytes after them are not a header. Definitions that break rules stay as well; pymavlink refuses a log
//! with an invalid format character in an FMT. [`Log::check`] finds them.
//!
//! # Definitions of another log
//!
//! Without its FMT, a record can't be read. [`Log::repair_with`] uses definitions of another log of the same firmware:
//!
//! - It inserts FMT and FMTU of the types that the log doesn't define, in front of the first record of each.
//! - It inserts the FMTU of a type whose FMT is there and whose FMTU is lost, if the other log has the same FMT, and
//!   the rows of UNIT and MULT that the log lacks.
//! - It replaces an FMT whose length, format characters and labels disagree, whose name or labels break a rule, or that
//!   has another type's id or name because of damage.
//!
//! All other definitions stay, and [`Repaired::differing`] lists those that differ.
//!
//! Types are matched by id. ArduPilot numbers the types of scripts and of `Logger.Write` in the order of their first
//! use, so their ids may differ between flights: check in [`Repaired::inserted`] that the inserted types are plausible.
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
//!
//! # Blackbox logs
//!
//! [`BlackboxLog::repair`](crate::blackbox::BlackboxLog::repair) writes the sessions of a Blackbox log with the frames
//! and events that the reader accepts. It copies them byte for byte, and removes everything else:
//!
//! - damaged frames, frames that have lost what they refer to, and frames of another session, such as the old contents
//!   of a card or a chip after a power cut,
//! - padding, what follows a session's End event, and what precedes the first session,
//! - bytes in a header that are not a line, and lines that readers don't use because of what is wrong in them,
//! - sessions whose header doesn't say how main frames are decoded.
//!
//! It inserts the first line of a header, `H Product:`, if that is damaged: it is the same in all logs. It inserts a
//! Resume event in front of an I frame that readers would take for damaged because of the iterations that are missing
//! before it. A log without damage stays the same, byte for byte.
//!
//! [`BlackboxLog::repair_with`](crate::blackbox::BlackboxLog::repair_with) takes header lines of another log of the
//! same firmware. It needs no header at all in the damaged one:
//!
//! - It inserts the lines that a session lacks, except `Log start datetime`, the time of a flight.
//! - It replaces the lines that define frames if more main frames can be read by those of the other log.
//! - Frames in front of the first session become a session.
//!
//! All other lines stay, and [`RepairedBlackbox::differing`] lists those that decide what values mean and differ.
//! Settings that were inserted are those of the other flight. They may have been changed between the flights.

#[cfg(feature = "blackbox")]
pub(in crate::tools) mod blackbox;
mod copier;
mod definition_scan;
mod other_log;
mod replacement;
mod report;

#[cfg(feature = "blackbox")]
pub use blackbox::{InsertedLine, Removal, Removed, RepairedBlackbox};
pub use report::{InsertedDefinition, InsertedUnits, RepairError, Repaired, ReplacedDefinition};

use crate::read::Log;
use copier::repair;
use definition_scan::DefinitionScan;
use other_log::OtherLog;
use replacement::newly_read;
use std::io::{self, Write};

impl Log<'_> {
    /// Writes a clean log with all records of this one: see [the module](crate::repair).
    ///
    /// It is two passes over the log, and takes memory for the list of changes only.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn repair(&self, out: impl Write) -> io::Result<Repaired> {
        repair(self.bytes(), DefinitionScan::of(self.bytes()), None, out)
    }

    /// As [`repair`](Log::repair), with definitions of another log of the same firmware where this one lacks them or
    /// has damaged ones: see [the module](crate::repair#definitions-of-another-log).
    ///
    /// It reads each log a few times. If an FMT is replaced, it takes the memory of the log.
    ///
    /// # Errors
    ///
    /// [`OtherFirmware`](RepairError::OtherFirmware), if the definitions of the other log mostly differ from those of
    /// this one; then nothing is written. A log without sound definitions can't be compared, so any other log is
    /// accepted. Errors of the writer.
    pub fn repair_with(&self, definitions: &Log<'_>, out: impl Write) -> Result<Repaired, RepairError> {
        let scan = DefinitionScan::of(self.bytes());
        let other = OtherLog::new(definitions.bytes(), &scan)?;
        let differing = other.differing(&scan);
        let Some((bytes, replaced)) = other.replace(self.bytes(), &scan) else {
            return Ok(Repaired { differing, ..repair(self.bytes(), scan, Some(other), out)? });
        };
        let repaired = repair(&bytes, DefinitionScan::of(&bytes), Some(other), out)?;
        let recovered = repaired.recovered + newly_read(self.bytes(), &bytes);
        Ok(Repaired { recovered, replaced, differing, ..repaired })
    }
}
