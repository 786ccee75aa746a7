//! What the table of logs says about a log.

use crate::any_log::Session;
use crate::firmware::firmware;
use binlog::AnyLog;
use binlog::{Log, LoggedSchema};
use twox_hash::XxHash3_128;

/// The id of a log: a hash of its bytes (XXH3, 128 bits), in hexadecimal.
pub fn log_id(log: &[u8]) -> String {
    format!("{:032x}", XxHash3_128::oneshot(log))
}

/// What the table says about a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The hash of the log's bytes.
    pub log_id: String,
    /// The log's name when it was added.
    pub name: String,
    /// `ArduPilot` or `Blackbox`.
    pub format: String,
    /// The vehicle, or of Blackbox the craft's name.
    pub vehicle: Option<String>,
    /// The firmware's name and version.
    pub firmware: Option<String>,
    /// When the log begins, in microseconds since 1970; `None` if the log doesn't say it.
    pub start_unix_us: Option<i64>,
    /// From the first time to the last, in seconds, of all boots or sessions together.
    pub duration_s: Option<f64>,
    /// The number of boots or sessions.
    pub sessions: u32,
    /// The number of records or frames, those that weren't chosen included.
    pub records: u64,
    /// The length of the log.
    pub bytes: u64,
    /// Bytes that yield no record.
    pub skipped_bytes: u64,
    /// Stretches of such bytes.
    pub skipped: u32,
    /// Records whose end may be damaged.
    pub suspects: u32,
    /// A hash of the definitions: logs with the same one have the same types and columns.
    pub schema: String,
}

impl Facts {
    /// The facts of a log with this id.
    pub fn of(name: &str, log: &AnyLog<'_>, sessions: &[Session<'_>], log_id: String) -> Self {
        let durations = sessions.iter().filter_map(Session::time_range_us);
        let seconds = durations.map(|range| (range.end() - range.start()) as f64 / 1e6);
        let start = sessions
            .iter()
            .find_map(|session| session.clock_unix_us()?.checked_add_unsigned(*session.time_range_us()?.start()));
        let facts = Facts {
            log_id,
            name: name.into(),
            start_unix_us: start,
            duration_s: seconds.reduce(|sum, seconds| sum + seconds),
            sessions: sessions.len() as u32,
            bytes: log.bytes().len() as u64,
            ..Facts::default()
        };
        match log {
            AnyLog::ArduPilot(log) => facts.of_ardupilot(log),
            AnyLog::Blackbox(_) => facts.of_blackbox(sessions),
        }
    }

    fn of_ardupilot(self, log: &Log<'_>) -> Self {
        let skipped = log.skipped().iter().filter(|skipped| !skipped.is_padding(log.bytes()));
        let skipped = skipped.map(|skipped| skipped.length as u64);
        let lines = log.damaged_lines().unwrap_or_default().iter().filter(|line| !line.fault.has_record());
        let skipped = skipped.chain(lines.map(|line| line.length as u64));
        Facts {
            format: "ArduPilot".into(),
            vehicle: log.vehicle().map(|vehicle| vehicle.to_string()),
            firmware: firmware(log),
            records: log.types().map(|rows| rows.len() as u64).sum(),
            skipped_bytes: skipped.clone().sum(),
            skipped: skipped.count() as u32,
            suspects: log.suspects().len() as u32,
            schema: schema_hash(&log.schema()),
            ..self
        }
    }

    fn of_blackbox(self, sessions: &[Session<'_>]) -> Self {
        let decoded = || sessions.iter().filter_map(Session::blackbox);
        let line = |name| decoded().find_map(|(session, _)| session.header().value(name).map(str::to_owned));
        let lost = || decoded().flat_map(|(_, tables)| tables.lost());
        let mut fields = String::new();
        for line in decoded().flat_map(|(session, _)| session.header().lines()) {
            if line.name().starts_with("Field ") {
                fields.push_str(&format!("{}:{}\n", line.name(), line.value()));
            }
        }
        Facts {
            format: "Blackbox".into(),
            vehicle: line("Craft name").filter(|name| !name.is_empty()),
            firmware: line("Firmware revision"),
            records: decoded().flat_map(|(_, tables)| tables.tables()).map(|table| table.len() as u64).sum(),
            skipped_bytes: lost().map(|lost| lost.length as u64).sum(),
            skipped: lost().count() as u32,
            schema: log_id(fields.as_bytes()),
            ..self
        }
    }
}

/// A hash of names, formats, labels, units and multipliers; ids and the order of definitions don't matter.
fn schema_hash(schema: &LoggedSchema) -> String {
    let definition = |message: binlog::LoggedDefinition<'_>| {
        let units = message.unit_ids().unwrap_or_default().bytes().map(|id| schema.unit_name(id).unwrap_or_default());
        let units: Vec<&str> = units.collect();
        let multipliers = message.multiplier_ids().unwrap_or_default().bytes();
        let multipliers: Vec<String> =
            multipliers.map(|id| schema.multiplier_value(id).unwrap_or_default().to_string()).collect();
        let (name, format, labels) = (message.name(), message.format(), message.labels());
        format!("{name} {format} {labels} {} {}\n", units.join(","), multipliers.join(","))
    };
    let mut definitions: Vec<String> = schema.messages().map(definition).collect();
    definitions.sort_unstable();
    definitions.dedup();
    log_id(definitions.concat().as_bytes())
}
