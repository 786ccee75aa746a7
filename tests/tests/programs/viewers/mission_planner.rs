//! Mission Planner, by the source of its log reader, under mono.
//!
//! `BINLOG_MISSION_PLANNER` names a checkout. The rules are those of BinaryLog.cs fc9ef45 and DFLogBuffer.cs 01e01e0.

use super::{every_format, flight, without_half};
use crate::every_format::EveryFormat;
use binlog::{Log, LoggedColumn, LoggedSchema, Record, Value};
use binlog_tests::viewer::{self, LogFile, Printed, Viewer, assert_shows, number, stored};
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The places in its source are functions of `BinaryLog.cs` and `DFLogBuffer.cs`.
struct MissionPlanner {
    /// Whether it reads UNIT and MULT. `setlinecount` of 01e01e0 does so only if it has units already: never.
    has_units: bool,
}

impl Viewer for MissionPlanner {
    /// The unit's name and the multiplier of its plots. `BuildUnitMultiList` doesn't multiply what the format scales.
    fn unit(&self, schema: &LoggedSchema, column: &LoggedColumn<'_>) -> Json {
        let (Some(unit), Some(multiplier)) = (column.unit_id, column.multiplier_id) else {
            return json!({ "name": "", "multiplier": number(1.0) });
        };
        let is_scaled = column.format.is_centi() || column.format == binlog::Format::Coordinate;
        let multiplier = match (is_scaled, self.has_units) {
            (true, _) => 1.0,
            (false, true) => schema.multiplier_value(multiplier).expect("a multiplier of the log"),
            (false, false) => 0.0,
        };
        let name = self.has_units.then(|| ascii(schema.unit_name(unit).unwrap_or_default().as_bytes()));
        json!({ "name": name, "multiplier": number(multiplier) })
    }

    fn value(&self, _schema: &LoggedSchema, record: &Record<'_>, column: &LoggedColumn<'_>) -> Option<Json> {
        Some(match stored(record, column) {
            // `ProcessMessageObjects` gives a mode as text: its name, for which the program asks another part of it.
            Value::Unsigned(mode) if column.format == binlog::Format::FlightMode => json!(mode.to_string()),
            Value::Text(text) => json!(ascii(text.raw())),
            Value::Samples(samples) => json!(samples),
            value => number(value.to_f64().expect("a number")),
        })
    }
}

/// Its texts and units are ASCII: other bytes are question marks. NULs are removed at both ends only.
fn ascii(bytes: &[u8]) -> String {
    let character = |&byte: &u8| if byte.is_ascii() { char::from(byte) } else { '?' };
    bytes.iter().map(character).collect::<String>().trim_matches('\0').to_owned()
}

/// The program, built once; `None` without the source or mono.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let source = viewer::checkout("Mission Planner's log reader", "BINLOG_MISSION_PLANNER")?.join("ExtLibs/Utilities");
    let needs = |program| viewer::has_program(program, "Mission Planner's log reader", "mono-mcs mono-runtime");
    if !needs("mcs") || !needs("mono") {
        return None;
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mission_planner.exe");
    let mut compiler = Command::new("mcs");
    compiler.args(["-langversion:latest", "-warn:0"]).arg(format!("-out:{}", program.display()));
    compiler.args(["mission_planner.cs", "mission_planner_shims.cs"].map(viewer::program));
    compiler.args(["BinaryLog.cs", "DFLog.cs", "DFLogBuffer.cs"].map(|file| source.join(file)));
    let built = viewer::run(&mut compiler);
    assert!(built.status.success(), "{}{}", built.stdout, built.stderr);
    Some(program)
}

/// What it shows of a log, with what it prints.
fn shown(log: &[u8]) -> Option<(Map<String, Json>, Printed)> {
    let program = program()?;
    let file = LogFile::new(log);
    let output = file.folder().join("shown.json");
    let printed = viewer::run(Command::new("mono").arg(program).arg(file.path()).arg(&output));
    let shown = std::fs::read(output).unwrap_or_else(|_| b"{}".to_vec());
    Some((serde_json::from_slice(&shown).expect("JSON"), printed))
}

/// Whether this version shows units at all.
fn rules(shown: &Map<String, Json>) -> MissionPlanner {
    MissionPlanner { has_units: shown["FMT"]["columns"]["Length"]["unit"]["name"] == "B" }
}

#[test]
fn mission_planner_shows_the_simulators_log_as_its_rules_say() {
    let log = flight();
    let Some((shown, printed)) = shown(&log) else { return };
    assert!(printed.status.success(), "{printed:?}");
    assert_shows("Mission Planner", &shown, &Log::from_bytes(&log), &rules(&shown));
}

/// `GetEnumeratorType` finds instances by `[0-9]+`: one below zero would be all of them.
#[test]
fn mission_planner_shows_every_format_but_half_as_its_rules_say() {
    let log = every_format(|message| without_half(message) && !has_instance_below_zero(message));
    let Some((shown, printed)) = shown(&log) else { return };
    assert!(printed.status.success(), "{printed:?}");
    assert_shows("Mission Planner", &shown, &Log::from_bytes(&log), &rules(&shown));
}

fn has_instance_below_zero(message: &EveryFormat) -> bool {
    matches!(message, EveryFormat::Int(integers) if integers.which < 0)
}

/// `ProcessMessageObjects` returns null for a record with `g`, and `setlinecount` looks for the instances in it.
#[test]
fn mission_planner_refuses_half_precision_beside_an_instance() {
    let Some((_, printed)) = shown(&every_format(|_| true)) else { return };
    assert!(!printed.status.success() && printed.stderr.contains("NullReferenceException"), "{printed:?}");
}
