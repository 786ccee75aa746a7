//! What a log is and has, of either format: vehicle, firmware, times, modes, types, gaps and damage.

mod ardupilot;
mod blackbox;

use crate::any_log::Session;
use crate::input::Input;
use crate::log_summary::LISTED;
use crate::progress::Progress;
use binlog::AnyLog;
use serde::Serialize;

/// What a log is.
#[derive(Serialize, Debug)]
pub(crate) struct Info {
    pub(crate) log: String,
    /// `ardupilot` or `blackbox`.
    pub(crate) format: &'static str,
    /// Its bytes; of a text log, those of the binary log that it is read as.
    pub(crate) bytes: usize,
    /// What only a text log has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<TextInfo>,
    pub(crate) sessions: Vec<SessionInfo>,
}

/// What only a text log has.
#[derive(Serialize, Debug)]
pub(crate) struct TextInfo {
    /// The first of its lines that can't be read, or not as a whole.
    pub(crate) damage: Vec<LineInfo>,
    pub(crate) damage_count: usize,
}

/// A line of a text log that can't be read, or not as a whole.
#[derive(Serialize, Debug)]
pub(crate) struct LineInfo {
    pub(crate) line: u64,
    pub(crate) what: String,
}

/// A boot, or a session of a Blackbox log.
#[derive(Serialize, Default, Debug)]
pub(crate) struct SessionInfo {
    pub(crate) vehicle: Option<String>,
    pub(crate) firmware: Option<String>,
    pub(crate) board: Option<String>,
    /// The date of its first record, UTC.
    pub(crate) date: Option<String>,
    /// The first and the last time, in seconds of the session's clock.
    pub(crate) from_s: Option<f64>,
    pub(crate) to_s: Option<f64>,
    pub(crate) duration_s: Option<f64>,
    pub(crate) armed_s: Option<f64>,
    pub(crate) modes: Vec<ModeInfo>,
    /// The columns whose values have names in the log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) states: Vec<StatesInfo>,
    pub(crate) parameters: usize,
    /// Texts, each of which may take several records; `binlog texts` prints them.
    pub(crate) texts: usize,
    pub(crate) types: Vec<TypeInfo>,
    /// Records that the logger dropped, as it says.
    pub(crate) dropped: u64,
    /// Records whose time is more than an hour from those around it.
    pub(crate) damaged_times: u64,
    pub(crate) gaps: Vec<GapInfo>,
    pub(crate) gap_count: u64,
    /// Times in which a type or an instance logged nothing although it logged regularly before.
    pub(crate) silences: Vec<SilenceInfo>,
    pub(crate) damage: Vec<DamageInfo>,
    pub(crate) damage_count: u64,
    pub(crate) damaged_bytes: u64,
}

#[derive(Serialize, Debug)]
pub(crate) struct ModeInfo {
    pub(crate) name: String,
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
}

/// A column whose values or bits have names.
#[derive(Serialize, Debug)]
pub(crate) struct StatesInfo {
    pub(crate) column: String,
    pub(crate) states: Vec<StateInfo>,
}

#[derive(Serialize, Debug)]
pub(crate) struct StateInfo {
    pub(crate) name: String,
    pub(crate) value: i128,
    /// How often it begins.
    pub(crate) count: u64,
    pub(crate) duration_s: f64,
}

#[derive(Serialize, Debug)]
pub(crate) struct TypeInfo {
    pub(crate) name: String,
    pub(crate) records: u64,
    pub(crate) bytes: u64,
    /// Records a second, of one instance.
    pub(crate) rate: Option<f64>,
    pub(crate) instances: usize,
}

/// A time without any record.
#[derive(Serialize, Debug)]
pub(crate) struct GapInfo {
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
}

/// A time in which a type or an instance logs nothing.
#[derive(Serialize, Debug)]
pub(crate) struct SilenceInfo {
    /// `BARO`, `IMU[1]`.
    pub(crate) source: String,
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
    /// Whether it lasts to the end.
    pub(crate) is_open: bool,
}

/// Bytes without records.
#[derive(Serialize, Debug)]
pub(crate) struct DamageInfo {
    pub(crate) offset: usize,
    pub(crate) length: usize,
    pub(crate) what: String,
}

impl Info {
    /// What a log is and has, read in one pass.
    pub(crate) fn of(input: &Input) -> Self {
        match &input.log {
            // Sessions of an ArduPilot log take an index of it.
            AnyLog::ArduPilot(_) => Info::of_sessions(input, &[]),
            AnyLog::Blackbox(_) => Info::of_sessions(input, &input.sessions()),
        }
    }

    /// The same of a log whose sessions are known: those of a Blackbox log are decoded once.
    pub(crate) fn of_sessions(input: &Input, sessions: &[Session<'_>]) -> Self {
        let mut progress = Progress::bytes(&input.name, input.log.bytes().len() as u64);
        let (format, sessions) = match &input.log {
            AnyLog::ArduPilot(log) => ("ardupilot", ardupilot::sessions(log.bytes(), &mut progress)),
            AnyLog::Blackbox(_) => ("blackbox", blackbox::sessions(sessions, &mut progress)),
        };
        let text = input.damaged_lines().map(|lines| TextInfo {
            damage: lines
                .iter()
                .take(LISTED)
                .map(|line| LineInfo { line: line.line, what: line.to_string() })
                .collect(),
            damage_count: lines.len(),
        });
        Info { log: input.name.clone(), format, bytes: input.log.bytes().len(), text, sessions }
    }
}

fn seconds(time_us: u64) -> f64 {
    time_us as f64 / 1e6
}
