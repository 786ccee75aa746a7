//! What a repair has done, and why one was refused.

use crate::read::Skipped;
use crate::wording::debug_text::debug_is_text;
use crate::wording::plural::Plural;
use std::fmt;
use std::io;

/// What [`Log::repair`](crate::Log::repair) has done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Repaired {
    pub(super) records: u64,
    pub(super) recovered: u64,
    pub(super) removed: Vec<Skipped>,
    pub(super) inserted: Vec<InsertedDefinition>,
    pub(super) units: Vec<InsertedUnits>,
    pub(super) rows: usize,
    pub(super) replaced: Vec<ReplacedDefinition>,
    pub(super) suspects: Vec<usize>,
    pub(super) differing: Vec<String>,
}

/// A definition that was written in front of a record that needs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InsertedDefinition {
    /// The offset, in the damaged log, of the record that it was written in front of.
    pub offset: usize,
    /// The offset of the FMT: in the other log if it is from there, or else in the damaged log, where it stays as well.
    pub defined_at: usize,
    /// The id.
    pub id: u8,
    /// The type's name; `""` if it isn't UTF-8.
    pub name: String,
    /// Whether it is from the other log, because the damaged one has none.
    pub is_from_other_log: bool,
}

/// An FMTU of the other log that was written in front of the first record of a type that the damaged log defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InsertedUnits {
    /// The offset, in the damaged log, of the record that it was written in front of.
    pub offset: usize,
    /// The type's id.
    pub id: u8,
    /// The type's name; `""` if it isn't UTF-8.
    pub name: String,
}

/// A damaged FMT that was replaced by the other log's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplacedDefinition {
    /// The offset of the damaged FMT.
    pub offset: usize,
    /// The id in the other log; the damaged FMT may have another.
    pub id: u8,
    /// The type's name in the other log; `""` if it isn't UTF-8.
    pub name: String,
    /// What is wrong with the damaged FMT.
    pub problem: String,
}

impl Repaired {
    /// Records of the damaged log in the repaired one. What was inserted doesn't count.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many of them readers skip in the damaged log, or read by a damaged definition that was replaced.
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

    /// The types that got their units from the other log, because the damaged one has their FMT, and not their FMTU.
    pub fn units(&self) -> &[InsertedUnits] {
        &self.units
    }

    /// How many rows of UNIT and MULT are from the other log, because the damaged one lacks them.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The definitions that were replaced by those of another log.
    pub fn replaced(&self) -> &[ReplacedDefinition] {
        &self.replaced
    }

    /// The offsets, in the damaged log, of records that were kept though their end may be damaged: bytes other than a
    /// header follow them. In the repaired log they no longer stand out.
    pub fn suspects(&self) -> &[usize] {
        &self.suspects
    }

    /// Names of the types whose definition differs from the other log's and stays. It may be damaged.
    pub fn differing(&self) -> &[String] {
        &self.differing
    }

    /// Whether nothing was changed: the repaired log is a copy of the damaged one. Values may be wrong all the same:
    /// [`Log::check`](crate::Log::check) finds some.
    pub fn is_copy(&self) -> bool {
        let is_complete = self.inserted.is_empty() && self.units.is_empty() && self.rows == 0;
        self.removed.is_empty() && self.replaced.is_empty() && is_complete
    }
}

/// A line for each change, and for what stays and may be damaged, with offsets in the damaged log. Definitions come
/// first.
impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ReplacedDefinition { offset, id, name, problem } in &self.replaced {
            let name = name.escape_debug();
            writeln!(f, "offset {offset}: replaced the FMT of {name} (id {id}) by that of the other log: {problem}")?;
        }
        for InsertedDefinition { offset, defined_at, id, name, is_from_other_log } in &self.inserted {
            let name = name.escape_debug();
            let place = if *is_from_other_log { "is in the other log," } else { "was" };
            writeln!(f, "offset {offset}: inserted the FMT of {name} (id {id}), which {place} at offset {defined_at}")?;
        }
        for InsertedUnits { offset, id, name } in &self.units {
            let name = name.escape_debug();
            writeln!(
                f,
                "offset {offset}: inserted the FMTU of {name} (id {id}), the units of its columns, from the other log"
            )?;
        }
        if self.rows > 0 {
            writeln!(f, "inserted {} of UNIT and MULT from the other log", Plural(self.rows, "row"))?;
        }
        for name in &self.differing {
            writeln!(f, "kept the definition of {}, which differs from the other log's", name.escape_debug())?;
        }
        for Skipped { offset, length, reason } in &self.removed {
            writeln!(f, "offset {offset}: removed {}: {reason}", Plural(*length, "byte"))?;
        }
        for offset in &self.suspects {
            writeln!(f, "offset {offset}: kept a record whose end may be damaged: no header follows it")?;
        }
        Ok(())
    }
}

/// Why [`Log::repair_with`](crate::Log::repair_with), or the same of a Blackbox log, repairs nothing.
#[non_exhaustive]
pub enum RepairError {
    /// The other log is of other firmware: more of the ids that both logs define mean something else than the same.
    OtherFirmware {
        /// How many ids mean something else in the other log.
        different: usize,
        /// How many ids both logs define.
        shared: usize,
        /// The first of the types that differ.
        name: String,
    },
    /// The main frames of the other Blackbox log have other fields: more of the header lines that define them differ
    /// than agree.
    OtherFields {
        /// How many lines differ.
        different: usize,
        /// How many of these lines both logs have.
        shared: usize,
        /// The name of the first line that differs.
        line: String,
    },
    /// The other Blackbox log has no session with a sound header.
    NoHeader,
    /// The repaired log can't be written.
    Io(io::Error),
}

impl fmt::Display for RepairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepairError::OtherFirmware { different, shared, name } => write!(
                f,
                "the definitions are of other firmware: {different} of the {shared} ids that both logs define mean something \
                 else, {} for instance; choose a log of the same firmware",
                name.escape_debug()
            ),
            RepairError::OtherFields { different, shared, line } => write!(
                f,
                "its main frames have other fields: {different} of the {shared} header lines that define them in both \
                 logs differ, `{}` for instance; choose a log of the same firmware and options",
                line.escape_debug()
            ),
            RepairError::NoHeader => {
                f.write_str("it has no session with a sound header; choose another log of the same firmware")
            }
            RepairError::Io(error) => error.fmt(f),
        }
    }
}

debug_is_text!(RepairError);

impl std::error::Error for RepairError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RepairError::OtherFirmware { .. } | RepairError::OtherFields { .. } | RepairError::NoHeader => None,
            RepairError::Io(error) => error.source(),
        }
    }
}

impl From<io::Error> for RepairError {
    fn from(error: io::Error) -> Self {
        RepairError::Io(error)
    }
}
