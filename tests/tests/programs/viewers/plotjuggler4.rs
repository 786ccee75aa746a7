//! PlotJuggler 4, by the loader of its SDK: a host of ours opens logs with our plugin.
//!
//! `BINLOG_PLOTJUGGLER_SDK` names a checkout of plotjuggler_sdk; tested with its version 0.23. The host is compiled
//! with the address sanitizer, which also finds what the plugin doesn't release.

use super::{every_format, flight};
use binlog::blackbox::BlackboxLog;
use binlog::log::{Kind, Numbers, Rows, Values};
use binlog::messages::{Ev, Mode, Msg};
use binlog::{Log, LogSchema, LogWriter, LoggedDefinition, Scaling};
use binlog_tests::raw_log::RawLog;
use binlog_tests::viewer::{self, Printed};
use binlog_tests::{logs, payload, shared};
use serde_json::{Map, Value as Json, json};
use simulator::{Simulation, blackbox};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The host and the plugin, built once; `None` without the SDK.
fn programs() -> Option<&'static [PathBuf; 2]> {
    static PROGRAMS: OnceLock<Option<[PathBuf; 2]>> = OnceLock::new();
    PROGRAMS.get_or_init(|| Some([host()?, plugin()])).as_ref()
}

fn host() -> Option<PathBuf> {
    let sdk = viewer::checkout("PlotJuggler 4's loader", "BINLOG_PLOTJUGGLER_SDK")?;
    if !viewer::has_program("g++", "PlotJuggler 4's loader", "g++") {
        return None;
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plotjuggler4");
    let mut compiler = Command::new("g++");
    compiler.args([
        "-std=c++20",
        "-g1",
        "-Wall",
        "-Werror",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
    ]);
    for folder in ["pj_base/include", "pj_plugins/include", "pj_plugins/dialog_protocol/include", "pj_plugins/src"] {
        compiler.arg("-isystem").arg(sdk.join(folder));
    }
    compiler.arg(viewer::program("plotjuggler4.cpp"));
    let sources = ["pj_plugins/src/data_source_library.cpp", "pj_plugins/src/detail/vtable_validation.cpp"];
    for source in sources.into_iter().chain(["pj_base/src/data_source_host_views.cpp"]) {
        compiler.arg(sdk.join(source));
    }
    let built = viewer::run(compiler.arg("-o").arg(&program).arg("-ldl"));
    assert!(built.status.success(), "{}", built.stderr);
    Some(program)
}

/// The plugin, built in the profile of the tests.
fn plugin() -> PathBuf {
    let tests = std::env::current_exe().expect("the tests' program");
    let profile = tests.parent().and_then(Path::parent).expect("a target folder");
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../binlog/plotjuggler/Cargo.toml");
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--locked", "--manifest-path"]).arg(manifest);
    build.arg("--target-dir").arg(profile.parent().expect("a target folder"));
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    assert!(build.status().expect("cargo runs").success());
    let name = format!("{}binlog_plotjuggler{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    profile.join(name)
}

/// What the host got of a file.
fn opened(file: &Path, fault: &str) -> Option<Map<String, Json>> {
    let [host, plugin] = programs()?;
    let printed: Printed = viewer::run(Command::new(host).arg(plugin).arg(file).arg(fault));
    Some(printed.shown())
}

/// What the host got of a log.
fn opened_log(log: &[u8], fault: &str) -> Option<Map<String, Json>> {
    let file = viewer::LogFile::new(log);
    opened(&file.path(), fault)
}

/// As the host: FNV-1a.
struct Hash(u64);

impl Hash {
    fn of(parts: impl IntoIterator<Item = Vec<u8>>) -> String {
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        for byte in parts.into_iter().flatten() {
            hash.0 = (hash.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        format!("{:x}", hash.0)
    }

    fn of_numbers(numbers: impl IntoIterator<Item = f64>) -> String {
        // Which NaN it is doesn't matter.
        let number = |number: f64| if number.is_nan() { f64::NAN } else { number };
        Hash::of(numbers.into_iter().map(|each| number(each).to_ne_bytes().to_vec()))
    }

    fn of_texts(texts: impl IntoIterator<Item = Option<String>>) -> String {
        let text = |text: Option<String>| {
            let is_there = u8::from(text.is_some());
            [&[is_there], text.unwrap_or_default().as_bytes(), &[0]].concat()
        };
        Hash::of(texts.into_iter().map(text))
    }
}

fn column(format: &str, unit: &str, count: usize, hash: String) -> Json {
    json!({ "format": format, "unit": unit, "count": count, "hash": hash })
}

fn format_of(kind: Kind) -> &'static str {
    match kind {
        Kind::I8 => "c",
        Kind::U8 => "C",
        Kind::I16 | Kind::Samples => "s",
        Kind::U16 => "S",
        Kind::I32 => "i",
        Kind::U32 => "I",
        Kind::I64 => "l",
        Kind::U64 => "L",
        Kind::F32 => "f",
        Kind::F64 => "g",
        Kind::Text => "u",
        Kind::Bytes => unreachable!("it isn't shown"),
    }
}

fn named(label: &str, unit: &str) -> String {
    if unit.is_empty() { label.to_owned() } else { format!("{label} [{}]", unit.replace('/', "∕")) }
}

/// Nanoseconds since 1970 as the host hashes them.
fn times(times_us: impl IntoIterator<Item = u64>, boot_unix_us: i64) -> String {
    Hash::of_numbers(times_us.into_iter().map(|time_us| ((boot_unix_us + time_us as i64) * 1000) as f64))
}

/// The topic of records with one schema, from the log's own columns.
fn topic(log: &Log<'_>, rows: &Rows<'_>) -> Json {
    let boot_unix_us = log.clock().map_or(0, |clock| clock.boot_unix_us());
    let all = rows.times_us();
    let counted = log.time_range_us();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    if let Some(counted) = &counted {
        order.retain(|&row| counted.contains(&all[row]));
        order.sort_by_key(|&row| all[row]);
    }
    let mut columns = Map::new();
    if counted.is_some() {
        let hash = times(order.iter().map(|&row| all[row]), boot_unix_us);
        columns.insert("time since 1970".into(), column("l", "", order.len(), hash));
    }
    for schema in rows.schema(Numbers::Scaled(Scaling::Shown)).expect("one schema").columns {
        let native = rows.column(&schema.label).expect("a column of the schema");
        let (label, unit, count) = (&schema.label, native.shown_unit(), order.len());
        let shown = named(label, if schema.is_instance { "" } else { unit });
        match (schema.kind, native.values()) {
            (Kind::Bytes, _) => {}
            (Kind::Text, _) => {
                let texts = order.iter().map(|&row| native.get(row).map(|text| text.to_string()));
                columns.insert(shown, column("u", unit, count, Hash::of_texts(texts)));
            }
            (Kind::Samples, Values::I16x32(arrays)) => {
                columns.extend((0..32).map(|sample| {
                    let hash = Hash::of_numbers(order.iter().map(|&row| arrays[row][sample].into()));
                    (named(&format!("{label}[{sample}]"), unit), column("s", unit, count, hash))
                }));
            }
            (kind, _) => {
                let numbers = native.to_f64(Scaling::Shown).expect("numbers");
                let hash = Hash::of_numbers(order.iter().map(|&row| numbers[row]));
                columns.insert(shown, column(format_of(kind), unit, count, hash));
            }
        }
        if native.value_names().is_some() {
            let names = order.iter().map(|&row| native.value_name(row).map(|name| name.into_owned()));
            columns.insert(format!("{label} name"), column("u", "", count, Hash::of_texts(names)));
        }
    }
    json!({ "time": if counted.is_some() { "time since 1970" } else { "" }, "columns": columns })
}

/// The topics of an ArduPilot log that was written by one boot and redefines nothing.
fn topics(log: &Log<'_>) -> Map<String, Json> {
    let mut topics = Map::new();
    for rows in log.types().filter(|rows| !LoggedDefinition::DEFINING.contains(&rows.name())) {
        let instances: Vec<_> = rows.by_instance().collect();
        for (instance, part) in &instances {
            topics.insert(format!("{}[{instance}]", rows.name()), topic(log, part));
        }
        if instances.is_empty() {
            topics.insert(rows.name().to_owned(), topic(log, &rows));
        }
    }
    topics
}

fn assert_topics(name: &str, opened: &Map<String, Json>, expected: &Map<String, Json>) {
    assert_eq!(opened["started"], "", "{name}");
    let topics = opened["topics"].as_object().expect("topics");
    assert_eq!(topics.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{name}");
    for (topic, expected) in expected {
        assert_eq!(&topics[topic], expected, "{name}: {topic}");
    }
}

#[test]
fn plotjuggler_4_has_all_values_of_ardupilot_logs() {
    let logs = logs::all().into_iter().chain([
        ("10 seconds of the simulator's".to_owned(), flight()),
        ("every format".to_owned(), every_format(|_| true)),
    ]);
    for (name, bytes) in logs {
        let Some(opened) = opened_log(&bytes, "") else { return };
        let log = Log::from_bytes(&bytes);
        let expected = topics(&log);
        if expected.is_empty() {
            // It has definitions only.
            assert!(
                opened["started"].as_str().is_some_and(|error| error.ends_with("has no records to show")),
                "{name}"
            );
            continue;
        }
        assert_topics(&name, &opened, &expected);
    }
}

#[test]
fn plotjuggler_4_has_dates_instances_units_and_modes() {
    let log = flight();
    let Some(opened) = opened_log(&log, "") else { return };
    let topics = &opened["topics"];
    assert_eq!(topics["IMU[1]"]["columns"]["GyrX [rad∕s]"]["unit"], "rad/s");
    assert_eq!(topics["MODE"]["columns"]["ModeNum name"]["format"], "u");
    let log = Log::from_bytes(log);
    let modes: Vec<_> = log.modes().into_iter().map(|mode| mode.name).collect();
    assert_eq!(topics["MODE"]["columns"]["ModeNum name"]["hash"], Hash::of_texts(modes));
    let message = opened["messages"][0].as_str().expect("a text");
    assert!(message.starts_with("0 ") && message.ends_with("; times are UTC"), "{message}");
    assert_eq!((&opened["states"], &opened["stops"]), (&json!([2, 6]), &json!(["6 the log is read"])));
    assert_eq!((&opened["capabilities"], &opened["has_dialog"]), (&json!(5), &json!(false)));
    let progress = opened["progress"].as_array().expect("a list");
    assert_eq!((&progress[0], &progress[2]), (&json!("Reading 00000001.BIN"), &json!(true)));
    assert_eq!(progress.last(), Some(&progress[1]), "it ends at its last step");
    assert_eq!((&opened["started_progress"], &opened["finished_progress"]), (&json!(1), &json!(1)));
    assert!(opened["saved"].as_str().is_some_and(|saved| saved.ends_with(r#""other":1}"#)));
}

/// The topics of the frames of a session.
fn frames(log: &BlackboxLog<'_>, number: usize, boot_unix_us: i64) -> Map<String, Json> {
    let session = log.session(number).expect("a session");
    let mut topics = Map::new();
    for table in session.tables().tables().iter().filter(|table| !table.is_empty()) {
        let mut order: Vec<usize> = (0..table.len()).collect();
        order.sort_by_key(|&row| table.times_us()[row]);
        let hash = times(order.iter().map(|&row| table.times_us()[row]), boot_unix_us);
        let mut columns = Map::from_iter([("time since 1970".into(), column("l", "", table.len(), hash))]);
        let schema = session.schema(table.letter(), Numbers::Scaled(Scaling::Shown));
        for (schema, values) in schema.columns.iter().zip(table.columns()) {
            let numbers = values.to_f64(Scaling::Units);
            let hash = Hash::of_numbers(order.iter().map(|&row| numbers[row]));
            let shown = named(values.name(), values.unit());
            columns.insert(shown, column(format_of(schema.kind), values.unit(), table.len(), hash));
        }
        let prefix = if number == 0 { String::new() } else { format!("{}/", number + 1) };
        topics.insert(prefix + &table.name(), json!({ "time": "time since 1970", "columns": columns }));
    }
    topics
}

#[test]
fn plotjuggler_4_has_all_values_of_blackbox_logs() {
    let mut logs = vec![("the simulator's".to_owned(), blackbox::log_of(Simulation::new(5, 5)))];
    // Two sessions.
    logs.push(("the simulator's, twice".into(), logs[0].1.repeat(2)));
    for folder in ["blackbox-logs", "cases"] {
        let entries = shared(folder).into_iter().flat_map(|folder| folder.read_dir().expect("a readable folder"));
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let is_log = |path: &PathBuf| path.extension().is_some_and(|is| is.eq_ignore_ascii_case("bbl") || is == "BFL");
        let read = |path: PathBuf| (path.display().to_string(), std::fs::read(path).expect("a readable file"));
        logs.extend(paths.filter(is_log).map(read));
    }
    for (name, bytes) in logs {
        let Some(mut opened) = opened_log(&bytes, "") else { return };
        let log = BlackboxLog::from_bytes(&bytes);
        let message = opened["messages"].as_array().and_then(|all| all.last()).and_then(Json::as_str).expect("a text");
        let is_dated = message.ends_with("; times are UTC");
        let mut expected = Map::new();
        let mut lost = 0;
        for (number, session) in log.sessions().enumerate() {
            let mut converted = Vec::new();
            let boot_unix_us = binlog::convert::to_ardupilot(&session, &mut converted).ok().and_then(|_| {
                let clock = Log::from_bytes(&converted).clock();
                clock.map(|clock| clock.boot_unix_us()).filter(|_| is_dated)
            });
            expected.extend(frames(&log, number, boot_unix_us.unwrap_or(0)));
            lost += session.tables().lost().iter().map(|lost| lost.length).sum::<usize>();
        }
        let is_told =
            |message: &Json| message.as_str().is_some_and(|text| text.contains(&format!(" {lost} damaged byte")));
        let messages = opened["messages"].as_array().expect("messages");
        assert_eq!(messages.iter().any(is_told), lost > 0, "{name}: {messages:?}");
        let topics = opened["topics"].as_object_mut().expect("topics");
        let modes: Vec<Json> =
            topics.iter().filter(|(name, _)| name.ends_with("MODE")).map(|(_, mode)| mode.clone()).collect();
        assert!(modes.iter().all(|mode| mode["columns"]["ModeNum name"]["count"].as_u64() > Some(0)), "{name}");
        topics.retain(|name, _| !name.ends_with("MODE"));
        assert_topics(&name, &opened, &expected);
    }
}

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
    Mode(Mode),
    Msg(Msg),
}

fn events(times: &[u64]) -> Vec<u8> {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
    for (id, &time_us) in times.iter().enumerate() {
        log.write(&Ev { time_us, id: id as u8 }).expect("memory takes all");
    }
    log.finish().expect("memory takes all")
}

#[test]
fn plotjuggler_4_gets_rows_in_the_order_of_time() {
    let Some(opened) = opened_log(&events(&[4_000_000, 5_000_000, 2_000_000, 6_000_000]), "") else { return };
    assert_eq!(opened["topics"]["EV"]["columns"]["Id"]["hash"], Hash::of_numbers([2.0, 0.0, 1.0, 3.0]));
    let hour = 3_600_000_000;
    // The second one is long after all others, as one after damage may be.
    let bytes = events(&[4_000_000, 1000 * hour, 5_000_000, 2_000_000, 2_000_000, 6_000_000]);
    let Some(opened) = opened_log(&bytes, "") else { return };
    assert_topics("events", &opened, &topics(&Log::from_bytes(&bytes)));
    let ids = Hash::of_numbers([3.0, 4.0, 0.0, 2.0, 5.0]);
    assert_eq!(opened["topics"]["EV"]["columns"]["Id"]["hash"], ids);
    let warning = "1 00000001.BIN: left out: 1 record, whose time is damaged";
    assert_eq!(opened["messages"][0], warning);
}

#[test]
fn plotjuggler_4_has_a_topic_for_each_boot() {
    let bytes = [events(&[5_000_000, 6_000_000]), events(&[1_000_000])].concat();
    let Some(opened) = opened_log(&bytes, "") else { return };
    let topics = &opened["topics"];
    let time = |topic: &str| &topics[topic]["columns"]["time since 1970"]["hash"];
    assert_eq!(time("EV"), &times([5_000_000, 6_000_000], 0));
    assert_eq!(time("2/EV"), &times([1_000_000], 0));
    let end = "3 records in 2 topics; times count from boot, since the log has no date";
    assert!(opened["messages"][0].as_str().is_some_and(|message| message.ends_with(end)));
}

#[test]
fn plotjuggler_4_has_records_of_odd_definitions() {
    let mut log = RawLog::with_units();
    log.fmt(1, "RED", "QB", "TimeUS,A").record(1, &payload![1_u64, 7_u8]);
    log.fmt(1, "RED", "Qf", "TimeUS,A").record(1, &payload![2_u64, 0.5_f32]);
    // Instances in one of the definitions only.
    log.fmt(2, "INS", "QB", "TimeUS,I").fmtu(2, "s#", "F-");
    log.record(2, &payload![3_u64, 0_u8]).record(2, &payload![4_u64, 1_u8]);
    log.fmt(2, "INS", "QBB", "TimeUS,I,B").record(2, &payload![5_u64, 1_u8, 2_u8]);
    log.fmt(3, "DUP", "QBBB", "TimeUS,A,A,time since 1970").record(3, &payload![6_u64, 1_u8, 2_u8, 3_u8]);
    // Arrays are columns; raw data isn't shown.
    log.fmt(4, "ARR", "Qa", "TimeUS,x").record(4, &payload![7_u64, [5_i16; 32]]);
    log.descriptions("");
    let Some(opened) = opened_log(&log.bytes, "") else { return };
    assert_eq!(opened["started"], "");
    let columns = |topic: &str| {
        let columns = opened["topics"][topic]["columns"].as_object();
        columns.unwrap_or_else(|| panic!("{topic}: {:?}", opened["topics"])).keys().cloned().collect::<Vec<_>>()
    };
    let number = |topic: &str, label: &str, number: f64| {
        assert_eq!(opened["topics"][topic]["columns"][label]["hash"], Hash::of_numbers([number]), "{topic}.{label}");
    };
    number("RED", "A", 7.0);
    number("RED_2", "A", 0.5);
    number("INS[0]", "I", 0.0);
    number("INS[1]", "I", 1.0);
    number("INS", "B", 2.0);
    number("DUP", "A_2", 2.0);
    number("DUP", "time since 1970", 6000.0);
    number("DUP", "time since 1970_2", 3.0);
    number("ARR", "x[31]", 5.0);
    assert_eq!(columns("ARR").len(), 34);
    assert_eq!(columns("INS"), ["B", "I", "TimeUS", "time since 1970"]);
    assert_eq!(columns("FILE"), ["FileName", "Length", "Offset", "time since 1970"]);
}

#[test]
fn plotjuggler_4_numbers_the_rows_of_a_log_without_times() {
    let mut log = RawLog::new();
    log.fmt(1, "ABC", "B", "A").record(1, &payload![3_u8]).record(1, &payload![2_u8]);
    let Some(opened) = opened_log(&log.bytes, "") else { return };
    assert_topics("without times", &opened, &topics(&Log::from_bytes(&log.bytes)));
    assert_eq!(opened["topics"]["ABC"]["time"], "");
    let message = "0 00000001.BIN: 2 records in 1 topic; rows are numbered, since the log has no times";
    assert_eq!(opened["messages"][0], message);
}

#[test]
fn plotjuggler_4_has_the_records_of_a_damaged_log() {
    let whole = flight();
    // A hole in the middle, and the end is lost.
    let mut bytes = whole[..whole.len() - 7].to_vec();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 5000].fill(0x55);
    let Some(opened) = opened_log(&bytes, "") else { return };
    let log = Log::from_bytes(&bytes);
    assert_topics("damaged", &opened, &topics(&log));
    let bytes: usize = log.skipped().iter().map(|skipped| skipped.length).sum();
    let warning = format!(": left out: {bytes} damaged bytes in {} places", log.skipped().len());
    assert!(opened["messages"][0].as_str().is_some_and(|message| message.ends_with(&warning)), "{warning}");
}

#[test]
fn plotjuggler_4_is_told_why_a_file_is_not_opened() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("room for the file");
        path
    };
    let long = format!("{}.bin", "ö".repeat(100));
    for (path, text) in [
        (folder.path().join("none.bin"), "No such file"),
        (folder.path().to_owned(), "can't open"),
        (file("empty.bin", b""), "the log is empty"),
        (file("text.bin", b"TimeUS,Roll\n1,2\n"), "neither an ArduPilot log (.bin) nor a Blackbox log (.bbl)"),
        (file("begun.bin", &events(&[])), "has no records to show"),
        (
            file("begun.bbl", b"H Product:Blackbox flight data recorder by Nicholas Sherlock\n"),
            "has no records to show",
        ),
        (file(&long, b"text"), "öö"),
    ] {
        let Some(opened) = opened(&path, "") else { return };
        let error = opened["started"].as_str().expect("a text");
        assert!(error.contains(text), "{}: {error}", path.display());
        assert_eq!((&opened["states"], &opened["state"]), (&json!([2, 7]), &json!(7)), "{}", path.display());
        assert_eq!((&opened["stops"], &opened["topics"]), (&json!([]), &json!({})), "{}", path.display());
        // What has no room in the error is a message.
        let messages = opened["messages"].as_array().expect("messages");
        let is_whole = |message: &Json| message.as_str().is_some_and(|text| text.contains("neither an ArduPilot log"));
        assert_eq!(messages.iter().any(is_whole), path.ends_with(&long), "{messages:?}");
    }
}

#[test]
fn plotjuggler_4_cancels_and_fails_cleanly() {
    let bytes = flight();
    for (fault, error, topics) in [
        ("cancel", "import cancelled", Some(2)),
        ("stop", "import cancelled", Some(2)),
        ("refuse-topic", "PlotJuggler refuses ATT: no topics today", Some(0)),
        ("refuse-stream", ": no streams today", Some(1)),
        ("refuse-taken", ": the disk is full", Some(1)),
        ("no-runtime", "the plugin isn't bound to a host", Some(0)),
        ("old-host", "the plugin isn't bound to a host", Some(0)),
        ("no-file", "it lacks \"filepath\"", Some(0)),
        ("no-json", "it lacks \"filepath\"", Some(0)),
        ("no-progress", "", None),
        ("move", "", None),
    ] {
        let Some(opened) = opened_log(&bytes, fault) else { return };
        let started = opened["started"].as_str().expect("a text");
        // Which type comes first is the simulator's business.
        let error = error.split_once("ATT").map_or(error, |(_, error)| error);
        assert!(started.ends_with(error) && started.is_empty() == error.is_empty(), "{fault}: {started}");
        let got = opened["topics"].as_object().expect("topics").len();
        assert!(topics.map_or(got > 10, |topics| topics == got), "{fault}: {got}");
        let is_refused = |text: &str| opened["bound"].as_str().is_some_and(|bound| bound.contains(text));
        assert_eq!(is_refused("doesn't offer pj.runtime.v1: unknown service name"), fault == "no-runtime");
        assert_eq!(is_refused("PlotJuggler is too old"), fault == "old-host");
        assert_eq!(opened["loaded"].as_str().is_some_and(|text| text.contains("configuration")), fault == "no-json");
    }
}
