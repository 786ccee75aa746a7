//! PlotJuggler, by the source of its plugin for ArduPilot logs, with Qt 5.
//!
//! `BINLOG_PLOTJUGGLER_APBIN` names a checkout of plotjuggler-apbin-plugins, `BINLOG_PLOTJUGGLER` one of PlotJuggler
//! itself, whose headers the plugin needs. The rules are those of the plugin's commit 12f452b.

use super::{every_format, flight};
use binlog::{Format, Log, LoggedColumn, LoggedSchema, Record, Records, Value};
use binlog_tests::viewer::{self, LogFile, Viewer, assert_shows, number};
use binlog_tests::{left_out, pymavlink};
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The places in its source are functions of `dataload_apbin.cpp`.
struct PlotJuggler;

impl Viewer for PlotJuggler {
    /// `readDataFromFile` takes definitions for itself, and drops texts, parameters and batches of samples. A series
    /// needs a TimeUS, which FILE lacks.
    fn has_message(&self, message: &str) -> bool {
        !["FMT", "FMTU", "UNIT", "MULT", "PARM", "ISBH", "ISBD", "FILE"].contains(&message)
            && !message.starts_with("MSG")
    }

    /// TimeUS is the axis, and the instance is in the name.
    fn has_column(&self, _message: &str, column: &LoggedColumn<'_>) -> bool {
        column.label != "TimeUS" && column.unit_id != Some(b'#')
    }

    /// An instance is an `int8_t` for every format of the column.
    fn instance(&self, message: &str, instance: Value<'_>) -> String {
        format!("{message}/#{}", instance.to_integer().expect("one byte") as i8)
    }

    /// Units are in the name only if the plugin is compiled with `LABEL_WITH_UNIT`, as it is for this test.
    fn unit(&self, schema: &LoggedSchema, column: &LoggedColumn<'_>) -> Json {
        json!(without_slashes(column.unit_id.and_then(|id| schema.unit_name(id)).unwrap_or_default()))
    }

    /// The stored number, multiplied by the log's multiplier, in every format: `c`, `C`, `e`, `E` and `L` are
    /// scaled by it only. NaNs and infinities aren't points (`PlotDataBase::pushBack`).
    fn value(&self, schema: &LoggedSchema, record: &Record<'_>, column: &LoggedColumn<'_>) -> Option<Json> {
        // `handle_message_received` ends at a format that it doesn't know, `g`.
        let columns = record.definition().columns().take_while(|column| column.format != Format::F16);
        let mut last = 0.0;
        for (place, format) in columns.map(|column| (column.offset, column.format)) {
            // Text and arrays show what the column before them has.
            last = raw(record, place, format).unwrap_or(last);
            if place == column.offset {
                let multiplier = column.multiplier_id.and_then(|id| schema.multiplier_value(id));
                let scale = multiplier.filter(|&multiplier| multiplier != 0.0).unwrap_or(1.0);
                return Some(last * scale).filter(|value| value.is_finite()).map(number);
            }
        }
        None
    }
}

/// A stored number, without the scale of its format.
fn raw(record: &Record<'_>, place: usize, format: Format) -> Option<f64> {
    Some(match Value::of(format, &record.payload()[place..place + format.size()])? {
        Value::Signed(value) | Value::Hundredths(value) => value as f64,
        Value::Unsigned(value) => value as f64,
        Value::Coordinate(value) => value.into(),
        Value::Float(value) => value,
        Value::Text(_) | Value::Samples(_) => return None,
    })
}

/// `readDataFromFile` writes "m/s/s" as "m s⁻²", since a slash separates the parts of a name. It removes as many bytes
/// as stand before a slash and one more, so that "deg/s/s" becomes "deg s⁻¹".
fn without_slashes(unit: &str) -> String {
    let mut unit = unit.to_owned();
    let mut below = std::collections::BTreeMap::<char, usize>::new();
    while let Some(slash) = unit.find('/') {
        *below.entry(unit[slash + 1..].chars().next().expect("a unit after the slash")).or_default() += 1;
        unit.drain(slash..unit.len().min(2 * slash + 1));
    }
    let powers = ["¹", "²", "³"];
    below.into_iter().fold(unit, |unit, (below, times)| format!("{unit} {below}⁻{}", powers[times - 1]))
}

/// The program, built once; `None` without the sources or Qt.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let plugin = viewer::checkout("PlotJuggler's plugin", "BINLOG_PLOTJUGGLER_APBIN")?.join("DataLoadAPBin");
    let base = viewer::checkout("PlotJuggler's headers", "BINLOG_PLOTJUGGLER")?.join("plotjuggler_base");
    let qt = |asked: &[&str]| Command::new("pkg-config").args(asked).args(["Qt5Widgets", "Qt5Xml"]).output().ok();
    let Some(flags) = qt(&["--cflags", "--libs"]).filter(|flags| flags.status.success()) else {
        left_out("PlotJuggler's plugin (apt-get install g++ pkg-config qtbase5-dev)");
        return None;
    };
    let tools = Command::new("pkg-config").args(["--variable=host_bins", "Qt5Core"]).output().expect("pkg-config runs");
    let moc = Path::new(String::from_utf8_lossy(&tools.stdout).trim()).join("moc");

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plotjuggler");
    std::fs::create_dir_all(&folder).expect("a folder in the target folder");
    let (meta_objects, program) = (folder.join("moc.cpp"), folder.join("plotjuggler"));
    let include = |folder: &Path| format!("-I{}", folder.display());
    let mut moc = Command::new(moc);
    moc.arg(include(&base.join("include"))).arg(plugin.join("dataload_apbin.h")).arg("-o").arg(&meta_objects);
    let made = viewer::run(&mut moc);
    assert!(made.status.success(), "{}", made.stderr);

    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-fPIC", "-w", "-DLABEL_WITH_UNIT", "-DQT_PLUGIN", "-o"]).arg(&program);
    compiler.arg(include(&base.join("include"))).arg(include(&plugin));
    compiler.arg(viewer::program("plotjuggler.cpp")).arg(plugin.join("dataload_apbin.cpp")).arg(&meta_objects);
    compiler.arg(base.join("src/plotdata.cpp")).args(String::from_utf8_lossy(&flags.stdout).split_whitespace());
    let built = viewer::run(&mut compiler);
    assert!(built.status.success(), "{}", built.stderr);
    Some(program)
}

/// What it shows of a log.
fn shown(log: &[u8]) -> Option<Map<String, Json>> {
    let program = program()?;
    let file = LogFile::new(log);
    let output = file.folder().join("shown.json");
    let mut plotjuggler = Command::new(program);
    plotjuggler.arg(file.path()).arg(&output).env("QT_QPA_PLATFORM", "offscreen");
    let printed = viewer::run(&mut plotjuggler);
    assert!(printed.status.success(), "{printed:?}");
    Some(serde_json::from_slice(&std::fs::read(output).expect("it wrote the file")).expect("JSON"))
}

/// The time of the first point of each series, in seconds since 1970, taken out of what is compared with the rules.
fn take_times(shown: &mut Map<String, Json>) -> Vec<(String, f64)> {
    let mut times = Vec::new();
    for (name, message) in shown.iter_mut() {
        for (label, column) in message["columns"].as_object_mut().expect("columns") {
            if let Some(from) = column.as_object_mut().expect("a column").remove("from") {
                times.push((format!("{name}.{label}"), pymavlink::parse_float(&from)));
            }
        }
    }
    times
}

#[test]
fn plotjuggler_shows_the_simulators_log_as_its_rules_say() {
    let log = flight();
    let Some(mut shown) = shown(&log) else { return };
    let times = take_times(&mut shown);
    let log = Log::from_bytes(&log);
    assert_shows("PlotJuggler", &shown, &log, &PlotJuggler);

    // `apply_timesync` divides GMS by 1000 after `apply_multipliers` did: the seconds of the week count as
    // milliseconds, and all times are too early by a constant.
    let gps = log.rows("GPS").expect("a type of the log");
    let number = |record: &Record<'_>, label| record.value(label).and_then(|value| value.to_f64()).expect("a number");
    let synced = gps.records().find(|record| number(record, "NSats") >= 4.0).expect("a fix");
    let week_seconds = number(&synced, "GMS") / 1000.0;
    let early = week_seconds - week_seconds / 1000.0;
    let boot = log.clock().expect("a GPS").boot_unix_us() as f64 / 1e6 - early;
    assert!(times.len() > 100, "{}", times.len());
    for (name, time) in times {
        let (message, label) = name.split_once('.').expect("a message and a label");
        let (message, instance) = message.split_once("/#").map_or((message, None), |(name, i)| (name, Some(i)));
        let rows = log.rows(message).expect("a type of the log");
        let rows = instance.map_or(rows.clone(), |instance| rows.instance(instance).expect("an instance of it"));
        let column = rows.definitions().next().and_then(|definition| definition.column(label)).expect("a column");
        let schema = log.schema();
        let first = rows.records().find(|record| PlotJuggler.value(&schema, record, &column).is_some());
        let expected = boot + first.and_then(|record| record.time_us()).expect("a point") as f64 / 1e6;
        assert!((time - expected).abs() < 2e-6, "{name}: {time} {expected}");
    }
}

#[test]
fn plotjuggler_shows_every_format_as_its_rules_say() {
    let log = every_format(|_| true);
    let Some(mut shown) = shown(&log) else { return };
    take_times(&mut shown);
    assert_shows("PlotJuggler", &shown, &Log::from_bytes(&log), &PlotJuggler);
    // Columns from a half-precision one on have no points.
    assert!(Records::new(&log).flatten().any(|record| record.name() == "HALF"));
}

/// Earlier versions of the plugin crashed.
#[test]
fn plotjuggler_opens_a_log_with_exactly_one_gps_record() {
    let log = flight();
    let first = Records::new(&log).flatten().find(|record| record.name() == "GPS").expect("a GPS").offset();
    let kept = Records::new(&log).flatten().filter(|record| record.name() != "GPS" || record.offset() == first);
    let log: Vec<u8> = kept.flat_map(|record| &log[record.offset()..record.offset() + record.len()]).copied().collect();
    let Some(mut shown) = shown(&log) else { return };
    take_times(&mut shown);
    assert_shows("PlotJuggler", &shown, &Log::from_bytes(&log), &PlotJuggler);
}

#[test]
fn plotjuggler_shows_converted_blackbox_logs_as_its_rules_say() {
    for (name, log) in binlog_tests::logs::converted() {
        let Some(mut shown) = shown(&log) else { return };
        take_times(&mut shown);
        assert_shows(&format!("PlotJuggler of {name}"), &shown, &Log::from_bytes(&log), &PlotJuggler);
    }
}
