//! The commands that answer questions: each on each log, as text and as JSON.

use crate::{LOGS, binlog, fine, json, log, only_says, real_logs, with_input, words};
use binlog::{Log, Records, Scaling, blackbox::BlackboxLog};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::collections::BTreeSet;
use std::path::Path;

/// Asserts that a JSON number is this one. serde_json's reader, unlike its writer, may miss the last bit.
fn assert_close(value: &serde_json::Value, expected: f64) {
    let number = value.as_f64().expect("a number");
    assert!((number - expected).abs() <= expected.abs() * 1e-9, "{number} {expected}");
}

#[test]
fn every_command_reads_every_log() {
    for path in real_logs().into_iter().chain(["flight.bin", "damaged.bin", "flight.bbl"].map(log)) {
        for command in ["info", "params", "stats", "dump"] {
            let text = binlog(words(&format!("{command} LOG"), &path));
            // A log of definitions has no parameters.
            let has_none = text.code == Some(2) && text.stderr.contains("no parameters");
            assert!(matches!(text.code, Some(0 | 3)) || has_none, "{command} {}: {}", path.display(), text.stderr);
            let json = binlog(words(&format!("{command} --json LOG"), &path));
            assert_eq!(json.code, text.code, "{command} {}", path.display());
            for line in json.stdout.lines() {
                serde_json::from_str::<serde_json::Value>(line).expect(line);
            }
        }
    }
}

#[test]
fn info_says_what_the_simulators_log_has() {
    let path = log("flight.bin");
    let info = &json("info --json LOG", &path)[0];
    let session = &info["sessions"][0];
    assert_eq!(info["format"], "ardupilot");
    assert_eq!(session["vehicle"], "Copter");
    assert_eq!(session["damage_count"], 0);
    let log = Log::open(&path).expect("the log");
    let range = log.time_range_us().expect("times");
    assert_close(&session["duration_s"], (range.end() - range.start()) as f64 / 1e6);
    let types = session["types"].as_array().expect("types");
    assert_eq!(types.len(), log.types().count());
    for of_type in types {
        let rows = log.rows(of_type["name"].as_str().expect("a name")).expect("a type");
        assert_eq!(of_type["records"], rows.len(), "{of_type}");
    }
    let text = fine("info LOG", &path);
    for expected in ["ArduPilot log", "Copter", "duration", "armed", "modes", "ATT"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn info_counts_damaged_times() {
    let mut bytes = std::fs::read(log("flight.bin")).expect("the log");
    let times: Vec<usize> = Records::new(&bytes)
        .flatten()
        .filter(|record| record.name() == "ATT")
        .map(|record| record.offset() + 3)
        .collect();
    for &time in &times[10..13] {
        bytes[time + 6] ^= 4;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("damaged.bin");
    std::fs::write(&path, &bytes).expect("room");
    assert!(fine("info LOG", &path).contains("3 records with a time more than an hour from those around"));
    assert_eq!(json("info --json LOG", &path)[0]["sessions"][0]["damaged_times"], 3);
    assert_eq!(json("info --json LOG", &log("flight.bin"))[0]["sessions"][0]["damaged_times"], 0);
}

#[test]
fn info_counts_each_dropped_record_once() {
    const DSF: u8 = 138;
    const DROP: u8 = 142;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("dropped.bin");
    let dropped = |log: &RawLog| {
        std::fs::write(&path, &log.bytes).expect("room");
        let sessions = json("info --json LOG", &path)[0]["sessions"].clone();
        let sessions: Vec<_> =
            sessions.as_array().expect("sessions").iter().map(|one| one["dropped"].as_u64()).collect();
        sessions.into_iter().map(|dropped| dropped.expect("a number")).collect::<Vec<_>>()
    };
    // Both count since boot: DSF all records, DROP those of an id.
    let boot = |records: &[(u8, u8, u32)]| {
        let mut log = RawLog::new();
        log.fmt(DSF, "DSF", "QI", "TimeUS,Dp").fmt(DROP, "DROP", "QBII", "TimeUS,Id,Dropped,Decim");
        for (time_us, &(kind, id, number)) in (1_u64..).zip(records) {
            match kind {
                DSF => log.record(DSF, &payload![time_us, number]),
                _ => log.record(DROP, &payload![time_us, id, number, 7_u32]),
            };
        }
        log
    };
    let both = boot(&[(DSF, 0, 10), (DROP, 30, 10), (DSF, 0, 15), (DROP, 30, 15)]);
    assert_eq!(dropped(&both), [15]);
    assert!(fine("info LOG", &path).contains("15 records, as the logger says"));
    let by_id = boot(&[(DROP, 30, 4), (DROP, 31, 6), (DROP, 30, 5), (DROP, 31, 10), (DROP, 31, 10)]);
    assert_eq!(dropped(&by_id), [15]);
    // DROP comes after DSF, and the log may end between them.
    assert_eq!(dropped(&boot(&[(DROP, 30, 10), (DSF, 0, 15)])), [15]);
    assert_eq!(dropped(&boot(&[(DSF, 0, 10), (DROP, 30, 8), (DROP, 31, 4)])), [12]);
    // Another boot counts from 0.
    let mut two = boot(&[(DSF, 0, 10), (DROP, 30, 10)]);
    two.raw(&boot(&[(DROP, 30, 3)]).bytes);
    assert_eq!(dropped(&two), [10, 3]);
}

#[test]
fn info_names_the_sensor_that_dropped_out() {
    let whole = std::fs::read(log("flight.bin")).expect("the log");
    let mut kept = Vec::new();
    for record in Records::new(&whole).flatten() {
        let instance = record.value("I").and_then(|value| value.to_integer());
        let is_lost = match (record.name(), record.time_us(), instance) {
            ("BARO", Some(time_us), _) => time_us > 8_000_000,
            ("IMU", Some(time_us), Some(1)) => (5_000_000..9_000_000).contains(&time_us),
            _ => false,
        };
        if !is_lost {
            kept.extend_from_slice(&whole[record.offset()..record.offset() + record.len()]);
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("dropped.bin");
    std::fs::write(&path, kept).expect("room");
    let text = fine("info LOG", &path);
    for silent in ["no record of IMU[1] from 4.99", "no record of BARO[0] from 8.000 s to the end"] {
        assert!(text.contains(silent), "{silent}: {text}");
    }
    assert!(!fine("info LOG", &log("flight.bin")).contains("silent"));
    let silences = json("info --json LOG", &path)[0]["sessions"][0]["silences"].clone();
    assert_eq!(silences.as_array().map(Vec::len), Some(2), "{silences}");
}

#[test]
fn info_says_what_is_damaged() {
    let info = binlog(words("info LOG", &log("damaged.bin")));
    assert_eq!(info.code, Some(3));
    assert!(info.stdout.contains("  damage     skipped "), "{}", info.stdout);
}

#[test]
fn info_says_what_a_blackbox_log_has() {
    let path = log("flight.bbl");
    let session = &json("info --json LOG", &path)[0]["sessions"][0];
    let blackbox = BlackboxLog::open(&path).expect("the log");
    let tables = blackbox.session(0).expect("a session").tables();
    assert_eq!(session["types"][0]["name"], "main");
    assert_eq!(session["types"][0]["records"], tables.main().len());
    assert_eq!(session["damage_count"], 0);
}

/// The flags of a Blackbox log say when the vehicle was armed, as do the records of the same flight in the other
/// format.
#[test]
fn a_blackbox_log_is_armed_when_its_flags_say_so() {
    let seconds = |name: &str| {
        let info = json("info --json LOG", &log(name));
        info[0]["sessions"][0]["armed_s"].as_f64().expect("a number")
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let converted = folder.path().join("converted.bin");
    fine(&format!("convert LOG -o {}", converted.display()), &log("flight.bbl"));
    let duration = json("info --json LOG", &log("flight.bbl"))[0]["sessions"][0]["duration_s"].as_f64();
    let armed = seconds("flight.bbl");
    assert!(armed > 1.0 && armed < duration.expect("a number") - 1.0, "{armed} of {duration:?}");
    let of_converted = json("info --json LOG", &converted)[0]["sessions"][0]["armed_s"].as_f64().expect("a number");
    assert!((of_converted - armed).abs() < 1e-3, "{of_converted} {armed}");
    let count = |line: &str| json(line, &log("flight.bbl"))[0]["count"].as_u64().expect("a count");
    let [all, chosen] = ["stats --json -t main.time LOG", "stats --json --armed -t main.time LOG"].map(count);
    assert!(chosen < all && chosen > 100, "{chosen} of {all}");
    assert_eq!(Log::open(&converted).expect("a log").armed().len(), 1, "no interval is empty");
}

#[test]
fn events_are_objects_that_programs_read() {
    for event in json("dump --json -t events LOG", &log("flight.bbl")) {
        let data = event["data"].as_object().expect("an object");
        assert!(data["Event"].as_str().is_some_and(|name| name.chars().all(char::is_alphabetic)), "{data:?}");
        assert!(data["Detail"].is_string(), "{data:?}");
    }
}

#[test]
fn params_prints_values_and_writes_files_of_ground_stations() {
    let path = log("flight.bin");
    let parameters = Log::open(&path).expect("the log").parameters();
    let rows = json("params --json LOG", &path);
    assert_eq!(rows.len(), parameters.len());
    for row in &rows {
        let parameter = &parameters[row["name"].as_str().expect("a name")];
        assert_close(&row["value"], parameter.last());
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("flight.param");
    fine(&format!("params --param -o {} LOG", file.display()), &path);
    assert_eq!(std::fs::read_to_string(&file).expect("the file").lines().count(), parameters.len());
    let said = format!("no parameter differs from {}", file.display());
    only_says(&format!("params --diff {} LOG", file.display()), &path, &said);
    let name = parameters.keys().next().expect("a parameter");
    std::fs::write(&file, format!("{name},12345.5\n")).expect("room");
    let difference = fine(&format!("params --name {name} --diff {} LOG", file.display()), &path);
    assert!(difference.contains("there 12345.5"), "{difference}");
    only_says("params --changed LOG", &path, "no parameter changed in flight");
    only_says(&format!("params --changed --json --name {name} LOG"), &path, "no parameter of --name changed in flight");
}

#[test]
fn params_are_those_that_hold_in_the_chosen_part() {
    let mut bytes = std::fs::read(log("flight.bin")).expect("the log");
    let parameter = Records::new(&bytes).flatten().find(|record| record.name() == "PARM").expect("a parameter");
    let (start, length) = (parameter.offset(), parameter.len());
    let name = parameter.value("Name").expect("a name").to_string();
    let end_s = json("info --json LOG", &log("flight.bin"))[0]["sessions"][0]["to_s"].as_f64().expect("seconds");
    for (before_s, value) in [(15, 101.0f32), (10, 102.0), (5, 102.0)] {
        let mut record = bytes[start..start + length].to_vec();
        let time_us = (end_s * 1e6) as u64 - before_s * 1_000_000;
        record[3..11].copy_from_slice(&time_us.to_le_bytes());
        record[27..31].copy_from_slice(&value.to_le_bytes());
        bytes.extend(record);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("changed.bin");
    std::fs::write(&path, bytes).expect("room");
    let values = |part: &str| -> Vec<f64> {
        let row = &json(format!("params --json --name {name} LOG {part}").trim_end(), &path)[0];
        let changes = row["changes"].as_array().expect("changes").iter();
        changes.map(|change| change["value"].as_f64().expect("a number")).collect()
    };
    assert_eq!((values("").len(), values("--from=-16s").len()), (3, 3));
    assert_eq!(values("--from=-12s"), [101.0, 102.0]);
    assert_eq!(values("--from=-8s"), [102.0]);
    assert_eq!(values("--from=-14s --to=-12s"), [101.0]);
    only_says("params --changed --from=-8s LOG", &path, "no parameter changed in the chosen part");
}

#[test]
fn sessions_of_a_blackbox_log_count_together() {
    let one = std::fs::read(log("flight.bbl")).expect("the log");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("two.bbl");
    std::fs::write(&path, one.repeat(2)).expect("room");
    only_says("params --changed LOG", &path, "no parameter changed in flight");
    let stats = fine("stats -t main.time LOG", &path);
    assert!(stats.contains("session 1\n") && stats.contains("session 2\n"), "{stats}");
    let count = |path: &Path| json("find --json gyroADC[0] LOG", path)[0]["columns"][0]["records"].as_u64();
    assert_eq!(count(&path), count(&log("flight.bbl")).map(|records| 2 * records));
    let parameters = json("params --json LOG", &log("flight.bbl")).len();
    assert_eq!(json("info --json LOG", &path)[0]["sessions"][1]["parameters"], parameters);
}

#[test]
fn params_are_compared_with_those_of_a_pipe_or_a_damaged_log() {
    let path = log("flight.bin");
    let saved = fine("params --param LOG", &path);
    let ran = with_input(&format!("params {} --diff -", path.display()), saved.as_bytes());
    let said = format!("binlog: {}: no parameter differs from standard input\n", path.display());
    assert_eq!((ran.code, &*ran.stdout, ran.stderr), (Some(0), "", said));
    let ran = binlog(words(&format!("params LOG --diff {}", log("damaged.bin").display()), &path));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("damaged.bin: the log is damaged"), "{}", ran.stderr);
}

#[test]
fn what_a_log_says_is_shown_on_one_line() {
    let mut bytes = std::fs::read(log("flight.bbl")).expect("the log");
    let name = bytes.windows(13).position(|bytes| bytes == b"\nH Craft name").expect("the line") + 1;
    bytes.splice(name..name, *b"H Firmware revision:red \tfox\n");
    bytes.splice(name..name, *b"H Log start datetime:2026-\x7f\n");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("red.bbl");
    std::fs::write(&path, bytes).expect("room");
    let info = binlog(words("info LOG", &path)).stdout;
    assert!(info.lines().all(|line| !line.contains(char::is_control)), "{info}");
}

#[test]
fn stats_are_those_of_the_column() {
    let path = log("flight.bin");
    let roll = Log::open(&path).expect("the log").numbers("ATT.Roll", Scaling::Units).expect("numbers");
    let rows = json("stats --json -t ATT LOG", &path);
    let row = rows.iter().find(|row| row["column"] == "ATT.Roll").expect("a row");
    assert_eq!(row["count"], roll.len());
    assert_close(&row["minimum"], roll.iter().copied().reduce(f64::min).expect("numbers"));
    assert_close(&row["maximum"], roll.iter().copied().reduce(f64::max).expect("numbers"));
    let mean = roll.iter().sum::<f64>() / roll.len() as f64;
    assert_close(&row["mean"], mean);
    assert_eq!(row["unit"], "deg");
}

#[test]
fn stats_of_columns_and_instances() {
    let columns = |line: &str, name: &str| -> Vec<String> {
        let rows = json(&format!("stats --json -t {line} LOG"), &log(name));
        rows.iter().map(|row| row["column"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(columns("ATT.Roll,BARO[0].Alt", "flight.bin"), ["ATT.Roll", "BARO[0].Alt"]);
    assert_eq!(columns("IMU.GyrX", "flight.bin"), ["IMU[0].GyrX", "IMU[1].GyrX"]);
    assert_eq!(columns("main.gyroADC[0]", "flight.bbl"), ["main.gyroADC[0]"]);
    assert!(columns("XK*", "flight.bin").iter().any(|column| column.starts_with("XKF1[0].")));
    for (line, expected) in [
        ("stats LOG ATT.Roll", "there is no log `ATT.Roll`; a column is named with -t: binlog stats -t ATT.Roll"),
        ("stats -t ATT.Rol LOG", "ATT has no column `Rol`; did you mean `Roll`?"),
        ("stats -t IMU[7].GyrX LOG", "IMU has no instance `7`"),
    ] {
        let ran = binlog(words(line, &log("flight.bin")));
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.stderr.contains(expected), "{line}: {}", ran.stderr);
    }
}

#[test]
fn find_finds_labels_and_units() {
    let path = log("flight.bin");
    let found = fine("find roll LOG", &path);
    assert!(found.contains("ATT.Roll "), "{found}");
    assert!(fine("find gyroADC LOG", &log("flight.bbl")).contains("main.gyroADC[0]"));
    // The numbers of exports and plots may be in another unit than the log's.
    let found = fine("find magx LOG", &path);
    assert!(found.contains("MAG.MagX  Gauss, shown in mGauss"), "{found}");
    assert!(fine("find mGauss LOG", &path).contains("MAG.MagX"));
    assert!(fine("find imu[1].gyrx LOG", &path).contains("IMU[1].GyrX"));
    let columns = &json("find --json deg LOG", &path)[0]["columns"];
    assert!(columns.as_array().is_some_and(|columns| columns.iter().any(|column| column["unit"] == "deg")));
    assert_eq!(binlog(words("find roll LOG", &log("damaged.bin"))).code, Some(3), "records are lost");
    let missed = binlog(words("find Rolll LOG", &path));
    assert_eq!(missed.code, Some(1));
    assert!(missed.stderr.contains("did you mean `Roll`?"), "{}", missed.stderr);
}

#[test]
fn find_takes_wildcards() {
    let path = log("flight.bin");
    let columns = |line: &str| -> Vec<String> {
        let found = json(line, &path)[0]["columns"].as_array().expect("an array").clone();
        found.iter().map(|column| column["column"].as_str().expect("a name").to_owned()).collect()
    };
    let rolls = columns("find --json *.roll LOG");
    assert!(rolls.contains(&"ATT.Roll".to_owned()) && rolls.iter().all(|name| name.ends_with(".Roll")), "{rolls:?}");
    let attitudes = columns("find --json AT? LOG");
    assert!(attitudes.len() > 2 && attitudes.iter().all(|name| name.starts_with("ATT.")), "{attitudes:?}");
    assert_eq!(columns("find --json des* LOG").len(), columns("find --json *.Des* LOG").len());
    let missed = binlog(words("find XYZ* LOG", &path));
    assert_eq!((missed.code, &*missed.stderr), (Some(1), "binlog: no type, label or column matches `XYZ*`\n"));
}

#[test]
fn find_takes_instances() {
    let path = log("flight.bin");
    let found = json("find --json IMU[1].GyrX LOG", &path)[0]["columns"].as_array().expect("an array").clone();
    let [column] = &*found else { panic!("{found:?}") };
    let all = &json("find --json IMU.GyrX LOG", &path)[0]["columns"][0];
    assert_eq!((&column["column"], &column["unit"]), (&"IMU[1].GyrX".into(), &all["unit"]));
    let records = |column: &serde_json::Value| column["records"].as_u64().expect("a number");
    assert!(0 < records(column) && records(column) < records(all), "{column} {all}");
    assert!(fine("find IMU[1] LOG", &path).contains("IMU[1].AccZ"));
    for missing in ["IMU[9].GyrX", "IMU[1].GyrW", "IMU[", "IMU[1].GyrX[0]", "ATT[0].Roll"] {
        assert_eq!(binlog(["find", missing, path.to_str().expect("UTF-8")]).code, Some(1), "{missing}");
    }
}

#[test]
fn find_answers_once_for_all_logs() {
    let missed = binlog(words("find Rolll LOG", LOGS.path()));
    assert_eq!((missed.code, missed.stdout.as_str()), (Some(1), ""));
    let said = "binlog: no type, label, unit, description or state has `Rolll`; did you mean `Roll`?\n";
    assert_eq!(missed.stderr.matches(said).count(), 1, "{}", missed.stderr);
    // Blackbox logs have the word, ArduPilot's don't.
    let some = binlog(words("find gyroADC LOG", LOGS.path()));
    assert_eq!((some.code, some.stderr.lines().count()), (Some(3), 1), "one of the logs is damaged: {}", some.stderr);
    assert!(some.stdout.contains("flight.bbl") && !some.stdout.contains("flight.bin"), "{}", some.stdout);
    let logs = json("find --json gyroADC LOG", LOGS.path());
    let counts: Vec<_> = logs.iter().map(|log| log["columns"].as_array().map(Vec::len)).collect();
    assert_eq!((counts[0], counts.len()), (Some(0), 3), "{counts:?}");
}

#[test]
fn manual_and_completions_name_every_command() {
    let manual = fine("manual", &log("flight.bin"));
    let bash = fine("completions bash", &log("flight.bin"));
    for command in ["info", "params", "stats", "find", "dump", "schema", "diff", "lock", "convert", "extract"] {
        assert!(manual.contains(&format!("binlog\\-{command}(1)")), "{command}: {manual}");
        assert!(bash.contains(command));
    }
}

#[test]
fn modes_may_be_separated_by_commas() {
    let path = log("flight.bin");
    let session = &json("info --json LOG", &path)[0]["sessions"][0];
    let modes: BTreeSet<&str> =
        session["modes"].as_array().expect("modes").iter().filter_map(|mode| mode["name"].as_str()).collect();
    let modes: Vec<&str> = modes.into_iter().take(2).collect();
    let [one, other] = modes[..] else { panic!("{session}") };
    let dumped = |modes: &str| fine(&format!("dump -t ATT {modes} LOG"), &path);
    let both = dumped(&format!("--mode {one},{other}"));
    assert_eq!(both, dumped(&format!("--mode {one} --mode {other}")));
    assert!(both.len() > dumped(&format!("--mode {one}")).len());
}
