//! `binlog info`: what a log is, and what it has.

mod ardupilot;
mod blackbox;
mod print;

use crate::context::{Context, Logs};
use crate::input::Input;
use crate::json;
use crate::log_summary::LISTED;
use crate::outcome::{CommandResult, Outcome};
use crate::output::Output;
use crate::progress::Progress;
use binlog::AnyLog;
use serde::Serialize;

/// Says what a log is: vehicle, firmware, date, duration, types with their rates, and what is missing or damaged.
///
/// `gap` is a time without any record, `silent` one in which a sensor that logged regularly before logs nothing. A rate
/// is that of one instance of a type while it was logged. `states` has the columns whose values have names in the log,
/// and the total time of each value.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,
}

/// What a log is.
#[derive(Serialize, Debug)]
struct Info {
    log: String,
    /// `ardupilot` or `blackbox`.
    format: &'static str,
    /// Its bytes; of a text log, those of the binary log that it is read as.
    bytes: usize,
    /// What only a text log has.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<TextInfo>,
    sessions: Vec<SessionInfo>,
}

/// What only a text log has.
#[derive(Serialize, Debug)]
struct TextInfo {
    /// The first of its lines that can't be read, or not as a whole.
    damage: Vec<LineInfo>,
    damage_count: usize,
}

/// A line of a text log that can't be read, or not as a whole.
#[derive(Serialize, Debug)]
struct LineInfo {
    line: u64,
    what: String,
}

/// A boot, or a session of a Blackbox log.
#[derive(Serialize, Default, Debug)]
struct SessionInfo {
    vehicle: Option<String>,
    firmware: Option<String>,
    board: Option<String>,
    /// The date of its first record, UTC.
    date: Option<String>,
    /// The first and the last time, in seconds of the session's clock.
    from_s: Option<f64>,
    to_s: Option<f64>,
    duration_s: Option<f64>,
    armed_s: Option<f64>,
    modes: Vec<ModeInfo>,
    /// The columns whose values have names in the log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<StatesInfo>,
    parameters: usize,
    /// Texts, each of which may take several records; `binlog texts` prints them.
    texts: usize,
    types: Vec<TypeInfo>,
    /// Records that the logger dropped, as it says.
    dropped: u64,
    /// Records whose time is more than an hour from those around it.
    damaged_times: u64,
    gaps: Vec<GapInfo>,
    gap_count: u64,
    /// Times in which a type or an instance logged nothing although it logged regularly before.
    silences: Vec<SilenceInfo>,
    damage: Vec<DamageInfo>,
    damage_count: u64,
    damaged_bytes: u64,
}

#[derive(Serialize, Debug)]
struct ModeInfo {
    name: String,
    from_s: f64,
    to_s: f64,
}

/// A column whose values or bits have names.
#[derive(Serialize, Debug)]
struct StatesInfo {
    column: String,
    states: Vec<StateInfo>,
}

#[derive(Serialize, Debug)]
struct StateInfo {
    name: String,
    value: i128,
    /// How often it begins.
    count: u64,
    duration_s: f64,
}

#[derive(Serialize, Debug)]
struct TypeInfo {
    name: String,
    records: u64,
    bytes: u64,
    /// Records a second, of one instance.
    rate: Option<f64>,
    instances: usize,
}

/// A time without any record.
#[derive(Serialize, Debug)]
struct GapInfo {
    from_s: f64,
    to_s: f64,
}

/// A time in which a type or an instance logs nothing.
#[derive(Serialize, Debug)]
struct SilenceInfo {
    /// `BARO`, `IMU[1]`.
    source: String,
    from_s: f64,
    to_s: f64,
    /// Whether it lasts to the end.
    is_open: bool,
}

/// Bytes without records.
#[derive(Serialize, Debug)]
struct DamageInfo {
    offset: usize,
    length: usize,
    what: String,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let mut out = Output::stdout();
    let outcome = arguments.logs.sources()?.for_each(|input| {
        let info = info(input);
        match context.json {
            true => json::line(&mut out, &info)?,
            false => print::info(&mut out, &info, context.color)?,
        }
        input.note_lines_reported();
        input.note_reported(info.sessions.iter().any(|session| session.damage_count > 0));
        Ok(Outcome::Fine)
    })?;
    out.finish()?;
    Ok(outcome)
}

fn info(input: &Input) -> Info {
    let mut progress = Progress::bytes(&input.name, input.log.bytes().len() as u64);
    let (format, sessions) = match &input.log {
        AnyLog::ArduPilot(log) => ("ardupilot", ardupilot::sessions(log.bytes(), &mut progress)),
        AnyLog::Blackbox(_) => ("blackbox", blackbox::sessions(&input.log, &mut progress)),
    };
    let text = input.damaged_lines().map(|lines| TextInfo {
        damage: lines.iter().take(LISTED).map(|line| LineInfo { line: line.line, what: line.to_string() }).collect(),
        damage_count: lines.len(),
    });
    Info { log: input.name.clone(), format, bytes: input.log.bytes().len(), text, sessions }
}

fn seconds(time_us: u64) -> f64 {
    time_us as f64 / 1e6
}
