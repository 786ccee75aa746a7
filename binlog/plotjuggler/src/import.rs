//! Brings a log to the host, one table after the other.

use crate::abi::Level;
use crate::host::Host;
use crate::topic::{Table, Topic};
use crate::{ardupilot, blackbox};
use binlog::arrow::ArrowError;
use binlog::blackbox::BlackboxLog;
use binlog::log::{OpenError, SelectError};
use binlog::{AnyLog, Log};
use std::collections::HashSet;
use std::fmt;
use std::path::Path;

/// Why a log isn't imported, or not to its end.
pub enum ImportError {
    Open(OpenError),
    /// The log has no tables.
    Nothing(String),
    /// A table can't be read.
    Table(SelectError),
    /// The columns of a table can't be exported.
    Columns(String, ArrowError),
    /// The host refuses a topic.
    Host(String, String),
    Cancelled,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Open(error) => error.fmt(f),
            ImportError::Nothing(path) => write!(f, "{path} has no records to show"),
            ImportError::Table(error) => error.fmt(f),
            ImportError::Columns(topic, error) => write!(f, "{topic}: {error}"),
            ImportError::Host(topic, error) => write!(f, "PlotJuggler refuses {topic}: {error}"),
            ImportError::Cancelled => f.write_str("import cancelled"),
        }
    }
}

impl From<SelectError> for ImportError {
    fn from(error: SelectError) -> Self {
        ImportError::Table(error)
    }
}

/// Imports a log of either format.
pub fn import(host: &Host, path: &Path) -> Result<(), ImportError> {
    let log = AnyLog::open(path).map_err(ImportError::Open)?;
    let steps = match &log {
        AnyLog::ArduPilot(log) => ardupilot::types(log).map(|rows| rows.len() as u64).sum(),
        AnyLog::Blackbox(log) => log.sessions().map(|session| session.bytes().len() as u64).sum(),
    };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let shows_progress = host.progress_start(&format!("Reading {name}"), steps);
    let mut import = Import { host, shows_progress, step: 0, names: HashSet::new(), rows: 0, left_out: 0 };
    let (clock, damage) = match &log {
        AnyLog::ArduPilot(log) => import.ardupilot(log)?,
        AnyLog::Blackbox(log) => import.blackbox(log)?,
    };
    if import.names.is_empty() {
        return Err(ImportError::Nothing(path.display().to_string()));
    }
    if import.left_out > 0 {
        host.report(
            Level::Warning,
            &format!("{name}: left out: {}, whose time is damaged", count(import.left_out, "record")),
        );
    }
    if let Some(Damage { stretches, bytes }) = damage {
        host.report(
            Level::Warning,
            &format!("{name}: left out: {} in {}", count(bytes, "damaged byte"), count(stretches, "place")),
        );
    }
    host.report(
        Level::Info,
        &format!("{name}: {} in {}; {clock}", count(import.rows, "record"), count(import.names.len(), "topic")),
    );
    Ok(())
}

/// What the times of a log with or without a date are.
fn clock(is_dated: bool) -> &'static str {
    if is_dated { "times are UTC" } else { "times count from boot, since the log has no date" }
}

/// `1 record`, `2 records`.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The bytes of a log that aren't in a record.
struct Damage {
    stretches: usize,
    bytes: usize,
}

impl Damage {
    fn of(lengths: impl Iterator<Item = usize>) -> Option<Self> {
        let (stretches, bytes) = lengths.fold((0, 0), |(stretches, bytes), length| (stretches + 1, bytes + length));
        (stretches > 0).then_some(Damage { stretches, bytes })
    }
}

/// An import that is under way.
struct Import<'h> {
    host: &'h Host,
    shows_progress: bool,
    step: u64,
    /// The topics so far.
    names: HashSet<String>,
    rows: usize,
    /// Rows with damaged times.
    left_out: usize,
}

impl Import<'_> {
    /// What the times are, and the damage.
    fn ardupilot(&mut self, log: &Log<'_>) -> Result<(&'static str, Option<Damage>), ImportError> {
        let boots: Vec<Log<'_>> = match log.boots().len() {
            1 => Vec::new(),
            _ => log.boots().map(|boot| boot.log()).collect(),
        };
        let boots: Vec<&Log<'_>> = if boots.is_empty() { vec![log] } else { boots.iter().collect() };
        let clocks: Option<Vec<i64>> = boots.iter().map(|boot| Some(boot.clock()?.boot_unix_us())).collect();
        for (number, boot) in boots.iter().enumerate() {
            let boot_unix_us = clocks.as_ref().map_or(0, |clocks| clocks[number]);
            for rows in ardupilot::types(boot) {
                for part in ardupilot::parts(&rows) {
                    self.add(number, ardupilot::table(&part, boot.time_range_us())?, boot_unix_us)?;
                    self.advance(part.len() as u64)?;
                }
            }
        }
        let lost = log.skipped().iter().filter(|skipped| !skipped.is_padding(log.bytes()));
        let clock = match log.time_range_us() {
            Some(_) => clock(clocks.is_some()),
            None => "rows are numbered, since the log has no times",
        };
        Ok((clock, Damage::of(lost.map(|skipped| skipped.length))))
    }

    /// As [`ardupilot`](Self::ardupilot).
    fn blackbox(&mut self, log: &BlackboxLog<'_>) -> Result<(&'static str, Option<Damage>), ImportError> {
        let converted: Vec<_> = log.sessions().map(|session| blackbox::converted(&session)).collect();
        let clocks: Option<Vec<i64>> = converted.iter().flatten().map(|converted| converted.boot_unix_us).collect();
        let clocks = clocks.filter(|clocks| !clocks.is_empty());
        let mut lost = Vec::new();
        for (number, (session, converted)) in log.sessions().zip(converted).enumerate() {
            let frames = session.tables();
            lost.extend(frames.lost().iter().map(|lost| lost.length));
            let boot_unix_us = converted.as_ref().and_then(|converted| converted.boot_unix_us);
            let boot_unix_us = boot_unix_us.filter(|_| clocks.is_some()).unwrap_or(0);
            let modes = converted.and_then(|converted| converted.modes);
            for table in blackbox::tables(&session, &frames).into_iter().chain(modes) {
                self.add(number, table, boot_unix_us)?;
            }
            self.advance(session.bytes().len() as u64)?;
        }
        Ok((clock(clocks.is_some()), Damage::of(lost.into_iter())))
    }

    /// Adds a table of a boot or session, counted from 0. The names of later ones begin with their number: `2/ATT`.
    fn add(&mut self, number: usize, mut table: Table, boot_unix_us: i64) -> Result<(), ImportError> {
        if self.host.is_stop_requested() {
            return Err(ImportError::Cancelled);
        }
        if number > 0 {
            table.name = format!("{}/{}", number + 1, table.name);
        }
        // A type that the log redefines is several topics.
        let base = table.name.clone();
        let mut others = 2..;
        while !self.names.insert(table.name.clone()) {
            table.name = format!("{base}_{}", others.next().unwrap_or(u32::MAX));
        }
        let name = table.name.clone();
        let columns = |error| ImportError::Columns(name.clone(), error);
        let host = |error| ImportError::Host(name.clone(), error);
        let Topic { stream, time, rows, left_out } = Topic::new(table, boot_unix_us).map_err(columns)?;
        let topic = self.host.topic(&name).map_err(host)?;
        self.host.append(topic, stream, time).map_err(host)?;
        self.rows += rows;
        self.left_out += left_out;
        Ok(())
    }

    fn advance(&mut self, steps: u64) -> Result<(), ImportError> {
        self.step += steps;
        match !self.shows_progress || self.host.progress_update(self.step) {
            true => Ok(()),
            false => Err(ImportError::Cancelled),
        }
    }
}
