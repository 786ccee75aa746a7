// Held by tests/tests/tools/checked.rs, tests/tests/tools/checked_blackbox.rs.

//! Checks logs: everything that a log must satisfy so that each reader reads it whole and right.
//!
//! [`Log::check`] and [`BlackboxLog::check`](crate::blackbox::BlackboxLog::check) return a [`Report`] with a
//! [`Finding`] for each rule that the log breaks and each thing that breaks it, with the number of times. The rules are
//! those that AP_Logger checks at boot or that a reader relies on; the advice of each [`Rule`] names the reader.
//!
//! ```
//! use binlog::check::{Rule, Severity};
//! use binlog::{Log, LogSchema, LogWriter, messages};
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Ev(messages::Ev),
//! }
//!
//! let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
//! writer.write(&messages::Ev { time_us: 2_000, id: 10 })?;
//! writer.write(&messages::Ev { time_us: 1_000, id: 11 })?;
//! let log = Log::from_bytes(writer.finish()?);
//!
//! let report = log.check();
//! let rules: Vec<Rule> = report.findings().iter().map(|finding| finding.rule()).collect();
//! assert_eq!(rules, [Rule::NoParameters, Rule::NoVehicle, Rule::TimeBackwards]);
//! assert_eq!(report.worst(), Some(Severity::Warning));
//! println!("{report}"); // a line for each finding
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Logs of real firmware break rules: that is why the rules exist. A sound log of this crate breaks none, if it logs
//! PARM and a MSG that names the vehicle.

#[cfg(feature = "blackbox")]
mod blackbox;
mod contents;
mod declarations;
pub(crate) mod definition;
mod findings;
mod rule;
mod times;
mod zeros;

pub use findings::{Finding, Report};
pub use rule::{Rule, Severity};

use crate::format::header::FMT_ID;
use crate::read::catalogue::units::TableRow;
use crate::read::learner::Learner;
use crate::read::{Log, Reason, Record, Skipped};
use crate::wording::plural::Plural;
use contents::Contents;
use declarations::Declarations;
use findings::Findings;
use std::collections::BTreeMap;

impl Log<'_> {
    /// Checks the log: its bytes, definitions, units, times and texts. It is one pass over the bytes, without the
    /// index.
    ///
    /// ```no_run
    /// let log = binlog::Log::open("flight.bin")?;
    /// for finding in log.check().findings() {
    ///     println!("{finding}");
    ///     println!("    {}", finding.rule().advice());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self) -> Report {
        let mut check = Check::new(self);
        for item in self.records() {
            match item {
                Ok(record) => check.record(&record),
                Err(skipped) => check.skipped(&skipped),
            }
        }
        check.finish(self.bytes().len())
    }
}

/// A check of a log that has been read so far.
struct Check<'a> {
    log: &'a Log<'a>,
    learner: Learner,
    declarations: Declarations<'a>,
    contents: Contents<'a>,
    findings: Findings,
    /// Records of ids that no FMT before them defines.
    undefined: BTreeMap<u8, Stretches>,
    records: u64,
}

/// Stretches of a log: the first offset, how many they are, and how many bytes.
struct Stretches {
    offset: usize,
    count: u64,
    bytes: u64,
}

impl<'a> Check<'a> {
    fn new(log: &'a Log<'a>) -> Self {
        Check {
            log,
            learner: Learner::new(),
            declarations: Declarations::new(),
            contents: Contents::new(),
            findings: Findings::default(),
            undefined: BTreeMap::new(),
            records: 0,
        }
    }

    fn record(&mut self, record: &Record<'a>) {
        let (id, offset) = (record.id(), record.offset());
        self.records += 1;
        let definition = record.definition();
        if record.is_suspect() && self.log.suspects().binary_search(&offset).is_ok() {
            let text = || "no header follows the record".into();
            self.findings.add(Rule::SuspectRecord, &definition.shown_name(), offset, text);
        }
        // An FMTU that gives FMTU its units is read without them.
        self.declarations.has_record(&definition, offset);
        match self.learner.learn(id, record.payload()) {
            Some(declaration) => {
                if declaration.is_of_fmt() {
                    self.contents.begin(offset, &mut self.findings);
                }
                self.defined(declaration.id());
                self.declarations.declare(declaration, record, &mut self.findings);
                self.contents.redefined(declaration.id());
            }
            None if id == FMT_ID => Declarations::impossible(record, &mut self.findings),
            None if TableRow::are_records_of(&definition) => self.declarations.row(record, &mut self.findings),
            None => self.contents.data(),
        }
        self.contents.record(record, &mut self.findings);
    }

    /// An FMT for an id: records of the id before it could be read if it were in front of them.
    fn defined(&mut self, id: u8) {
        if let Some(stretches) = self.undefined.remove(&id) {
            let text = || format!("the FMT of id {id} follows the records");
            self.findings.add_stretches(Rule::LateDefinition, &format!("id {id}"), &stretches, text);
        }
    }

    fn skipped(&mut self, skipped: &Skipped) {
        let Skipped { offset, length, reason } = *skipped;
        if skipped.is_padding(self.log.bytes()) {
            return;
        }
        let (rule, subject, text) = match reason {
            Reason::NoHeader => (Rule::NoHeader, String::new(), "there is no record header (A3 95)"),
            Reason::UnknownId(id) => {
                let new = Stretches { offset, count: 0, bytes: 0 };
                let stretches = self.undefined.entry(id).or_insert(new);
                stretches.count += 1;
                stretches.bytes += length as u64;
                return;
            }
            Reason::Broken(id) => {
                (Rule::BrokenRecord, self.declarations.name(id), "another record begins inside the record")
            }
            Reason::Truncated(Some(id)) => {
                (Rule::TruncatedEnd, self.declarations.name(id), "the log ends inside the record")
            }
            Reason::Truncated(None) => (Rule::TruncatedEnd, String::new(), "the log ends inside a record's header"),
        };
        let stretch = Stretches { offset, count: 1, bytes: length as u64 };
        self.findings.add_stretches(rule, &subject, &stretch, || text.into());
    }

    fn finish(self, bytes: usize) -> Report {
        let Check { log, declarations, contents, mut findings, undefined, records, .. } = self;
        for (id, stretches) in undefined {
            let text = || "no FMT defines the id".into();
            findings.add_stretches(Rule::UnknownId, &format!("id {id}"), &stretches, text);
        }
        if records == 0 {
            findings.add(Rule::NotALog, "", 0, || format!("no record is in the log of {}", Plural(bytes, "byte")));
        } else {
            contents.finish(|id| declarations.name(id), &mut findings);
            declarations.finish(&mut findings);
        }
        for line in log.damaged_lines().unwrap_or_default() {
            let stretch = Stretches { offset: line.place, count: 1, bytes: line.length as u64 };
            let text = || format!("line {}: {}", line.line, line.fault);
            findings.add_stretches(Rule::DamagedLine, &line.name, &stretch, text);
        }
        findings.into_report()
    }
}
