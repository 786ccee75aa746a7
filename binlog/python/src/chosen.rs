//! The records of one type in the logs of a fleet, and the columns of all.

use crate::errors::{FleetError, OnError, Skipped};
use crate::known::{self, Schemas};
use crate::members::Member;
use crate::signals::Signals;
use crate::table::{Rows, Source};
use crate::threads;
use binlog::log::{
    ConflictCause, Numbers, OpenError, OwnedRows, SchemaConflict, SchemaUnion, SelectError, TableSchema,
};
use binlog::{AnyLog, Log, LogFormat, Scaling};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

/// The type, its columns, and how numbers are decoded.
#[derive(Clone)]
pub struct Chosen {
    /// The type's name.
    pub name: Arc<str>,
    /// The names of the columns; `None` for all.
    pub columns: Option<Vec<String>>,
    /// How numbers are decoded.
    pub numbers: Numbers,
    /// The columns that stand before those of the log.
    pub own: &'static [&'static str],
}

/// Records of a log that have the same columns, one clock, and at least one record.
pub struct Part {
    /// The records.
    pub rows: Rows,
    /// The number of the boot or session, from 1; of a whole ArduPilot log 1.
    pub session: i32,
}

impl Part {
    /// The times of the records in microseconds; `None` if no record of the log has one.
    pub fn times_us(&self) -> Option<&[u64]> {
        let times = self.rows.times_us();
        // Finding the range reads the time of each record of the log.
        let has_times = || self.rows.records().is_none_or(|rows| rows.log().time_range_us().is_some());
        (times.iter().any(|&time_us| time_us > 0) || has_times()).then_some(times)
    }
}

/// The most bytes that logs have together which are read at the same time, unless one has more.
const MEMORY_BYTES: u64 = 256 << 20;

/// A log of no more bytes is read as a whole, into memory that another log had before: nothing is faster. Of a larger
/// one, only the records of the type are kept, since new memory costs more than reading.
const WHOLE_BYTES: u64 = 4 << 20;

/// How much of a file shows its format, unless the log is damaged.
const BEGINNING: u64 = 64 << 10;

impl Chosen {
    /// The records of the type in a log: one part for each definition, and for each session of Blackbox. With `by_boot`
    /// one for each boot, too.
    pub fn parts(&self, log: &Member, by_boot: bool) -> Result<Vec<Part>, FleetError> {
        let mut found = Vec::new();
        match self.opened(log)? {
            AnyLog::ArduPilot(all) => {
                let boots = if by_boot { all.boot_count() } else { 1 };
                let in_log = |error| FleetError::in_log(&log.id, error);
                let rows = match OwnedRows::new(Arc::new(all), |all| all.rows(&self.name)) {
                    Ok(rows) => rows,
                    Err(SelectError::NoType { .. } | SelectError::NoInstance { .. }) => return Ok(found),
                    Err(error) => return Err(in_log(error)),
                };
                for (boot, session) in (0..boots).zip(1..) {
                    let rows = match boots {
                        1 => rows.clone(),
                        _ => rows.select(|rows| Ok(rows.of_boot(boot))).map_err(in_log)?,
                    };
                    let parts = Rows::of_definitions(rows, self.numbers).map_err(in_log)?;
                    found.extend(parts.into_iter().map(|rows| Part { rows, session }));
                }
            }
            AnyLog::Blackbox(all) => {
                for ((tables, session), number) in all.tables().into_iter().zip(all.sessions()).zip(1..) {
                    let tables = Arc::new(tables);
                    let of_name = tables.tables().iter().position(|table| table.name() == *self.name);
                    let Some(place) = of_name else { continue };
                    let schema = session.schema(tables.tables()[place].letter(), self.numbers);
                    let rows = Rows::of(Source::Blackbox(tables, place), self.numbers, schema);
                    found.push(Part { rows, session: number });
                }
            }
        }
        found.retain(|part| part.rows.len() > 0);
        Ok(found)
    }

    /// A log with the records of the type, or with all.
    fn opened(&self, log: &Member) -> Result<AnyLog<'static>, OpenError> {
        let path = &log.path;
        if log.bytes <= WHOLE_BYTES {
            return AnyLog::open(path);
        }
        let mut beginning = Vec::new();
        let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
        match read.ok().and_then(|_| LogFormat::of(&beginning)) {
            Some(LogFormat::ArduPilot) => Ok(AnyLog::ArduPilot(Log::open_types(path, &[&self.name])?.0)),
            _ => AnyLog::open(path),
        }
    }

    /// The columns that any of the logs has. Logs that are left out are removed from `logs`.
    pub fn union(
        &self,
        logs: &mut Vec<Member>,
        on_error: OnError,
        skipped: &mut Skipped,
    ) -> Result<TableSchema, FleetError> {
        let (mut union, mut labels, mut joined) = (None, Vec::new(), Vec::<Schemas>::new());
        let mut left = std::mem::take(logs).into_iter().peekable();
        let mut signals = Signals::new();
        while left.peek().is_some() {
            let mut bytes = 0;
            let mut together = Vec::new();
            while let Some(log) = left.next_if(|log| together.is_empty() || bytes + log.bytes <= MEMORY_BYTES) {
                bytes += log.bytes;
                together.push(log);
            }
            let found =
                threads::each(&together, |log| self.schemas(log), || signals.check().map_err(FleetError::Raised))?;
            for (log, found) in together.into_iter().zip(found) {
                let with_log = found.and_then(|schemas| {
                    // Nearly all logs of a fleet have the columns of others.
                    if !joined.iter().any(|known| Arc::ptr_eq(known, &schemas)) {
                        union = self.joined(union.clone(), &log, schemas.to_vec(), &mut labels)?;
                        joined.push(schemas);
                    }
                    Ok(())
                });
                match with_log {
                    Ok(()) => logs.push(log),
                    Err(error) => {
                        let on_error = log.on_error(on_error, &error);
                        skipped.add(log.id, error, on_error)?;
                    }
                }
            }
        }
        let Some(union) = union else {
            if logs.is_empty() {
                return Err(FleetError::NoLog(format!("no log can be read{}", skipped.listed())));
            }
            let types = threads::each(logs, types, || signals.check().map_err(FleetError::Raised))?
                .into_iter()
                .flatten()
                .collect();
            return Err(FleetError::no_name(format_args!("a record of {}", self.name), &self.name, types));
        };
        let is_there = |name: &String| self.own.contains(&&**name) || union.schema().column(name).is_some();
        if let Some(missing) = self.columns.iter().flatten().find(|name| !is_there(name)) {
            labels.extend(self.own.iter().map(|&own| own.to_owned()));
            return Err(FleetError::no_name(format_args!("a column `{missing}` in {}", self.name), missing, labels));
        }
        Ok(union.schema().clone())
    }

    /// The columns of the type in a log.
    fn schemas(&self, log: &Member) -> Result<Schemas, FleetError> {
        if let Some(schemas) = known::get(&self.name, self.numbers, log) {
            return Ok(schemas);
        }
        let schemas = self.parts(log, false)?.into_iter().map(|part| part.rows.schema).collect();
        Ok(known::keep(&self.name, self.numbers, log, schemas))
    }

    /// The union with the columns of a log. `labels` gets all names, those that aren't chosen included.
    fn joined(
        &self,
        mut union: Option<SchemaUnion>,
        log: &Member,
        schemas: Vec<TableSchema>,
        labels: &mut Vec<String>,
    ) -> Result<Option<SchemaUnion>, FleetError> {
        for mut schema in schemas {
            schema.columns.retain_mut(|column| {
                if self.is_own_time(&column.label) {
                    return false;
                }
                column.label = self.name_of(&column.label);
                // Firmware may name a value differently over the years.
                (column.values, column.bits) = Default::default();
                if !labels.contains(&column.label) {
                    labels.push(column.label.clone());
                }
                self.columns.as_ref().is_none_or(|columns| columns.contains(&column.label))
            });
            match &mut union {
                None => union = Some(SchemaUnion::new(&log.id, schema)),
                Some(union) => {
                    union.add(&log.id, &schema).map_err(|error| self.conflict(&error))?;
                }
            }
        }
        Ok(union)
    }

    fn conflict(&self, error: &SchemaConflict) -> FleetError {
        let are_converted = self.numbers == Numbers::Scaled(Scaling::Units);
        FleetError::Value(match error.cause {
            ConflictCause::Units(_) if !are_converted => {
                format!("{error}; scaling=\"units\" converts what differs by a multiplier")
            }
            _ => error.to_string(),
        })
    }

    /// Whether a column of the log is the one of times that stands before them.
    fn is_own_time(&self, label: &str) -> bool {
        label == TIME && self.own.contains(&TIME)
    }

    /// The name of a label of the log: with a `_` at the end if it is one of ours, in upper or lower case. A label that
    /// ends so already gets another one.
    fn name_of(&self, label: &str) -> String {
        let base = label.trim_end_matches('_');
        match self.own.iter().any(|own| own.eq_ignore_ascii_case(base)) {
            true => format!("{label}_"),
            false => label.to_owned(),
        }
    }

    /// The place of the column with this name in a part.
    pub fn place(&self, rows: &Rows, name: &str) -> Option<usize> {
        self.position(rows, |of_label| of_label == name)
    }

    /// The same, in upper or lower case if no other name fits.
    pub fn place_in_any_case(&self, rows: &Rows, name: &str) -> Option<usize> {
        self.place(rows, name).or_else(|| self.position(rows, |of_label| of_label.eq_ignore_ascii_case(name)))
    }

    fn position(&self, rows: &Rows, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        let mut columns = rows.schema.columns.iter();
        columns.position(|column| !self.is_own_time(&column.label) && is_it(&self.name_of(&column.label)))
    }
}

/// The types of a log; none if it can't be read.
fn types(log: &Member) -> BTreeSet<String> {
    match AnyLog::open(&log.path) {
        Ok(AnyLog::ArduPilot(log)) => log.types().map(|rows| rows.name().to_owned()).collect(),
        Ok(AnyLog::Blackbox(log)) => {
            let name = |table: &binlog::blackbox::log::Table| table.name().to_owned();
            log.tables().iter().flat_map(|tables| tables.tables().iter().map(name)).collect()
        }
        Err(_) => BTreeSet::new(),
    }
}

/// The label of the times of records.
pub const TIME: &str = "TimeUS";
