//! Names of values and bits, which a log carries: every command shows them, and a log without them is shown as ever.

use crate::{binlog, fine, json, words};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PHAS: u8 = 30;
const ESC: u8 = 31;
const MODE: u8 = 32;

/// Names that need quotes, escapes and commas.
const DESCRIPTIONS: &str = "<logformat name=\"PHAS\"><description>Progress of the &lt;staged&gt; flight.</description>\
     <fields><field name=\"Phase\"><description>What it does.</description><enum>\
     <element name=\"Pad\"><value>0</value></element>\
     <element name=\"Boost, &quot;hot&quot; &lt;b&gt;\"><value>1</value></element>\
     <element name=\"Coast\"><value>2</value></element></enum></field>\
     <field name=\"Bad\"><bitmask><bit name=\"Battery\"><value>1</value></bit>\
     <bit name=\"Compass\"><value>4</value></bit></bitmask></field></fields></logformat>\
     <logformat name=\"ESC\"><field name=\"State\"><enum><element name=\"Idle\"><value>-1</value></element>\
     <element name=\"Spinning\"><value>1</value></element></enum></field></logformat>\
     <logformat name=\"MODE\"><field name=\"ModeNum\"><enum><element name=\"Ground\"><value>0</value></element>\
     <element name=\"Ascent\"><value>1</value></element></enum></field></logformat>";

/// A flight of a rocket, with descriptions or without.
fn rocket(is_described: bool) -> (TempDir, PathBuf) {
    let mut log = RawLog::with_units();
    if is_described {
        log.descriptions(DESCRIPTIONS);
    }
    log.fmt(PHAS, "PHAS", "QBH", "TimeUS,Phase,Bad").fmtu(PHAS, "s--", "F--");
    log.fmt(ESC, "ESC", "QBb", "TimeUS,I,State").fmtu(ESC, "s#-", "F--");
    log.fmt(MODE, "MODE", "QMBB", "TimeUS,Mode,ModeNum,Rsn").fmtu(MODE, "s---", "F---");
    for (second, (phase, bad)) in [(0_u8, 0_u16), (0, 1), (1, 5), (1, 0x44), (7, 0)].into_iter().enumerate() {
        let time_us = 1_000_000 * second as u64;
        log.record(PHAS, &payload![time_us, phase, bad]);
        log.record(ESC, &payload![time_us, 0_u8, -1_i8]);
        log.record(ESC, &payload![time_us, 1_u8, if second < 2 { -1_i8 } else { 1 }]);
        if second % 2 == 0 {
            let mode = second as u8 / 2;
            log.record(MODE, &payload![time_us, mode, mode, 0_u8]);
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rocket.bin");
    std::fs::write(&path, log.bytes).expect("room");
    (folder, path)
}

fn described() -> (TempDir, PathBuf) {
    rocket(true)
}

fn fails(line: &str, log: &Path, text: &str) {
    let ran = binlog(words(line, log));
    assert_eq!(ran.code, Some(2), "{line}");
    assert!(ran.stderr.contains(text), "{line}: {}", ran.stderr);
}

#[test]
fn dump_prints_names_if_it_is_asked_to() {
    let (_folder, log) = described();
    let plain = fine("dump -t PHAS LOG", &log);
    assert!(plain.contains("PHAS {TimeUS : 2000000, Phase : 1, Bad : 5}"), "{plain}");
    let named = fine("dump --value-names -t PHAS,ESC,MODE LOG", &log);
    for line in [
        "PHAS {TimeUS : 0, Phase : Pad, Bad : 0}",
        "PHAS {TimeUS : 2000000, Phase : Boost, \"hot\" <b>, Bad : Battery | Compass}",
        "PHAS {TimeUS : 3000000, Phase : Boost, \"hot\" <b>, Bad : Compass | 0x40}",
        "PHAS {TimeUS : 4000000, Phase : 7, Bad : 0}",
        "ESC {TimeUS : 2000000, I : 0, State : Idle}",
        "ESC {TimeUS : 2000000, I : 1, State : Spinning}",
        "MODE {TimeUS : 2000000, Mode : Ascent, ModeNum : Ascent, Rsn : 0}",
        "MODE {TimeUS : 4000000, Mode : 2, ModeNum : 2, Rsn : 0}",
    ] {
        assert!(named.contains(line), "{line}: {named}");
    }
    let objects = json("dump --json --value-names -t PHAS LOG", &log);
    assert_eq!(objects[2]["data"]["Phase"], "Boost, \"hot\" <b>");
    assert_eq!(objects[4]["data"]["Phase"], 7);
}

#[test]
fn export_writes_names_if_it_is_asked_to() {
    let (folder, log) = described();
    assert!(fine("export --format csv -t PHAS LOG", &log).contains("\n2000000,1,5\n"));
    let csv = fine("export --format csv --value-names -t PHAS LOG", &log);
    assert!(csv.contains("\n2000000,\"Boost, \"\"hot\"\" <b>\",Battery | Compass\n"), "{csv}");
    assert!(csv.contains("\n4000000,7,0\n"), "{csv}");
    let wide = fine("export --wide PHAS --value-names -t PHAS,ESC LOG", &log);
    assert!(wide.starts_with("TimeUS,PHAS.Phase,PHAS.Bad,ESC[0].State,ESC[1].State\n"), "{wide}");
    assert!(wide.contains("\n0,Pad,0,Idle,Idle\n"), "{wide}");
    let objects = json("export --format jsonl --value-names -t PHAS,MODE LOG", &log);
    let phases: Vec<_> = objects.iter().filter(|object| object["mavpackettype"] == "PHAS").collect();
    assert_eq!((&phases[3]["Phase"], &phases[3]["Bad"]), (&"Boost, \"hot\" <b>".into(), &"Compass | 0x40".into()));
    assert_eq!(phases[4]["Phase"], 7);
    assert!(objects.iter().any(|object| object["ModeNum"] == "Ascent"));
    let parquet = format!("export --value-names --format parquet -o {} LOG", folder.path().join("data").display());
    fails(&parquet, &log, "--value-names is for --format csv and jsonl");
}

#[test]
fn stats_counts_states() {
    let (_folder, log) = described();
    let rows = json("stats --json LOG", &log);
    let states = |column: &str| rows.iter().find(|row| row["column"] == column).expect(column)["states"].clone();
    assert_eq!(
        states("PHAS.Phase"),
        serde_json::json!([
            { "name": "Pad", "value": 0, "count": 2 },
            { "name": "Boost, \"hot\" <b>", "value": 1, "count": 2 },
        ])
    );
    assert_eq!(
        states("PHAS.Bad"),
        serde_json::json!([
            { "name": "Battery", "value": 0, "count": 2 },
            { "name": "Compass", "value": 2, "count": 2 },
        ])
    );
    assert_eq!(states("ESC[0].State"), serde_json::json!([{ "name": "Idle", "value": -1, "count": 5 }]));
    assert_eq!(states("PHAS.TimeUS"), serde_json::Value::Null);
    let text = fine("stats -t PHAS.Phase LOG", &log);
    assert!(text.contains("\n  Pad                           2\n"), "{text}");
}

#[test]
fn info_lists_states_with_their_durations() {
    let (_folder, log) = described();
    let text = fine("info LOG", &log);
    for line in [
        "  modes      Ground 2.00 s, Ascent 2.00 s, 2 0.00 s\n",
        "  states     PHAS.Phase: Pad 2.00 s, Boost, \"hot\" <b> 2.00 s, 7 0.00 s\n",
        "             ESC[1].State: Idle 2.00 s, Spinning 2.00 s\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let states = json("info --json LOG", &log)[0]["sessions"][0]["states"].clone();
    assert_eq!(states[0]["column"], "PHAS.Phase");
    assert_eq!(states[0]["states"][1]["name"], "Boost, \"hot\" <b>");
    assert_eq!(states[0]["states"][1]["duration_s"], 2.0);
    assert_eq!(states[1]["states"][2]["name"], "Battery | Compass");
}

#[test]
fn find_finds_names_and_descriptions_of_types() {
    let (_folder, log) = described();
    let found = fine("find boost LOG", &log);
    assert!(found.contains("PHAS.Phase") && found.contains("What it does. Pad, Boost, \"hot\" <b>, Coast"), "{found}");
    let found = fine("find staged LOG", &log);
    assert!(found.contains("  PHAS ") && found.contains("Progress of the <staged> flight."), "{found}");
    let columns = json("find --json boost LOG", &log)[0]["columns"].clone();
    assert_eq!(columns.as_array().map(Vec::len), Some(1));
    assert_eq!(columns[0]["names"][1], "Boost, \"hot\" <b>");
    // The type is listed for its description, not for its name.
    assert!(!fine("find PHAS LOG", &log).contains("staged"));
    assert_eq!(binlog(words("find '*staged*' LOG", &log)).code, Some(1));
}

#[test]
fn schema_prints_descriptions_and_the_file_of_pymavlink() {
    let (_folder, log) = described();
    assert!(fine("schema LOG", &log).contains("What it does. 0: Pad, 1: Boost, \"hot\" <b>, 2: Coast |"));
    let xml = fine("schema --xml LOG", &log);
    assert!(xml.contains("<element name=\"Boost, &quot;hot&quot; &lt;b&gt;\">"), "{xml}");
    let rust = fine("schema --rust LOG", &log);
    assert!(rust.contains("values(0 = \"Pad\", 1 = \"Boost, \\\"hot\\\" <b>\", 2 = \"Coast\")"), "{rust}");
    let schema = json_text(&fine("schema --json LOG", &log));
    let columns = schema["messages"].as_array().expect("a list").iter().find(|message| message["name"] == "PHAS");
    assert_eq!(columns.expect("the type")["columns"][1]["values"][2]["name"], "Coast");
    assert_eq!(binlog(words("schema --xml --rust LOG", &log)).code, Some(2));
}

fn json_text(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect(text)
}

#[test]
fn modes_are_chosen_by_the_names_in_the_log() {
    let (_folder, log) = described();
    assert_eq!(fine("dump -t PHAS --mode Ascent LOG", &log).lines().count(), 2);
}

#[test]
fn each_boot_has_its_own_names() {
    let (folder, first) = described();
    let mut log = std::fs::read(&first).expect("a log");
    let mut other = RawLog::with_units();
    other
        .descriptions(&DESCRIPTIONS.replace("Coast", "Descent").replace("\"Pad\"", "\"Rail\"").replace("Ascent", "Up"));
    other.fmt(PHAS, "PHAS", "QBH", "TimeUS,Phase,Bad").fmtu(PHAS, "s--", "F--");
    other.fmt(MODE, "MODE", "QMBB", "TimeUS,Mode,ModeNum,Rsn").fmtu(MODE, "s---", "F---");
    other.record(PHAS, &payload![9_000_000_u64, 0_u8, 4_u16]).record(MODE, &payload![9_000_000_u64, 1_u8, 1_u8, 0_u8]);
    log.extend(other.bytes);
    let path = folder.path().join("two.bin");
    std::fs::write(&path, log).expect("room");
    for command in ["dump --value-names -t PHAS,MODE LOG", "dump --value-names -t PHAS,MODE --from 0 LOG"] {
        let dumped = fine(command, &path);
        for line in [
            "PHAS {TimeUS : 0, Phase : Pad, Bad : 0}",
            "PHAS {TimeUS : 9000000, Phase : Rail, Bad : Compass}",
            "MODE {TimeUS : 2000000, Mode : Ascent, ModeNum : Ascent, Rsn : 0}",
            "MODE {TimeUS : 9000000, Mode : Up, ModeNum : Up, Rsn : 0}",
        ] {
            assert!(dumped.contains(line), "{line}: {dumped}");
        }
    }
    let objects = json("export --format jsonl --value-names -t PHAS LOG", &path);
    assert_eq!((&objects[0]["Phase"], &objects[5]["Phase"]), (&"Pad".into(), &"Rail".into()));
    // The schema has those of the last boot, and says so.
    let ran = binlog(words("schema --xml LOG", &path));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("\"Rail\"") && !ran.stdout.contains("\"Pad\""), "{}", ran.stdout);
    // The second boot defines no ESC.
    assert!(ran.stdout.contains("\"Spinning\""), "{}", ran.stdout);
    let warned = "MODE.ModeNum, PHAS.Phase: the boots of the log describe them differently";
    assert!(ran.stderr.contains(warned), "{}", ran.stderr);
    assert_eq!(binlog(words("schema --xml LOG", &first)).stderr, "");
}

#[test]
fn check_says_what_the_descriptions_lack() {
    let (folder, whole) = described();
    let log = std::fs::read(&whole).expect("a log");
    let third = log.windows(20).position(|bytes| bytes.starts_with(b"LogMessages.xml\0\x80\0\0\0")).expect("a piece");
    let damaged = [&log[..third - 3], &log[third + 85..]].concat();
    let path = folder.path().join("damaged.bin");
    std::fs::write(&path, damaged).expect("room");
    let ran = binlog(words("check LOG", &path));
    let line = "incomplete_descriptions: FILE: the log lacks the bytes 128 to 192 of LogMessages.xml";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    assert!(!binlog(words("check LOG", &whole)).stdout.contains("incomplete_descriptions"));
}

#[test]
fn a_log_without_names_is_shown_as_ever() {
    let (_folder, log) = rocket(false);
    for command in ["dump", "dump --json", "export --format jsonl", "export --wide PHAS"] {
        assert_eq!(fine(&format!("{command} --value-names LOG"), &log), fine(&format!("{command} LOG"), &log));
    }
    for (command, word) in [("info", "states"), ("stats --json", "states"), ("find --json PHAS", "names")] {
        let text = fine(&format!("{command} LOG"), &log);
        assert!(!text.contains(word), "{command}: {text}");
    }
    assert!(fine("info LOG", &log).contains("modes      0 2.00 s"));
}

#[test]
fn find_lists_no_empty_names() {
    let mut log = RawLog::with_units();
    let element = |(value, name): (usize, &str)| format!("<element name=\"{name}\"><value>{value}</value></element>");
    let values: String = ["Pad", "", "Coast"].into_iter().enumerate().map(element).collect();
    log.descriptions(&format!(
        "<logformat name=\"PHAS\"><field name=\"Phase\"><enum>{values}</enum></field></logformat>"
    ));
    log.fmt(30, "PHAS", "QB", "TimeUS,Phase").fmtu(30, "s-", "F-").record(30, &payload![1_u64, 0_u8]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rocket.bin");
    std::fs::write(&path, log.bytes).expect("room");
    let text = fine("find Phase LOG", &path);
    assert!(text.trim_end().ends_with("Pad, Coast"), "{text}");
    let columns = &json("find --json Phase LOG", &path)[0]["columns"];
    assert_eq!(columns[0]["names"], serde_json::json!(["Pad", "Coast"]));
}

#[test]
fn find_says_how_times_without_an_fmtu_are_shown() {
    let mut log = RawLog::with_units();
    log.fmt(30, "PHAS", "QB", "TimeUS,Phase").record(30, &payload![1_u64, 0_u8]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rocket.bin");
    std::fs::write(&path, log.bytes).expect("room");
    let text = fine("find PHAS.TimeUS LOG", &path);
    assert!(text.contains("PHAS.TimeUS  s, shown as logged"), "{text}");
}
