//! Texts: whole, with level and time; and what a log's own records don't do to exports and statistics.

use crate::{binlog, fine, json, log, words};
use binlog::messages::{Arm, File, Msg, Parm};
use binlog::{LogMessage, LogSchema, LogWriter};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ALT")]
#[repr(C, packed)]
struct Altitude {
    time_us: u64,
    alt: f32,
}

#[derive(LogSchema)]
enum FlightLog {
    Alt(Altitude),
    Msg(Msg),
    Parm(Parm),
    File(File),
    Arm(Arm),
}

/// Longer than two records of MSG, with characters of several bytes and of CSV.
const LONG: &str = "WARN battery: sagging, \"again\": ü — the cells of pack 2 are below their limit of 3.3 V, which is the \
                    third time since take-off, and the reserve lasts for a minute";

/// A log with a long text between short ones.
fn talking() -> (TempDir, PathBuf) {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
    log.text(1_000_000, "Falcon V1.0").expect("memory takes all");
    log.parameter(1_000_000, "GAIN", 2.0, None).expect("memory takes all");
    log.file("notes.txt", b"of the pilot").expect("memory takes all");
    log.write(&Altitude { time_us: 1_500_000, alt: 1.0 }).expect("memory takes all");
    log.text(2_000_000, LONG).expect("memory takes all");
    log.write(&Altitude { time_us: 2_500_000, alt: 2.0 }).expect("memory takes all");
    log.text(3_000_000, "ERROR in\tthe gyro").expect("memory takes all");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("talking.bin");
    std::fs::write(&path, log.finish().expect("memory takes all")).expect("room");
    (folder, path)
}

#[test]
fn texts_are_whole_with_level_and_time() {
    let (_folder, log) = talking();
    let text = fine("texts LOG", &log);
    assert_eq!(text, format!("    1.000000 Falcon V1.0\n    2.000000 {LONG}\n    3.000000 ERROR in\\tthe gyro\n"));
    let rows = json("texts --json LOG", &log);
    assert_eq!(rows.len(), 3);
    assert_eq!((&rows[1]["text"], &rows[1]["level"]), (&LONG.into(), &"WARN".into()));
    assert_eq!((&rows[1]["time_s"], &rows[1]["is_complete"]), (&2.0.into(), &true.into()));
    assert!(rows[0].get("level").is_none() && rows[2].get("level").is_none());
    assert_eq!(fine("texts --from 0.5 --to 1.5 LOG", &log).lines().count(), 1);
}

#[test]
fn info_counts_texts() {
    let (_folder, log) = talking();
    assert!(fine("info LOG", &log).contains("  texts      3; `binlog texts` prints them\n"));
    assert_eq!(json("info --json LOG", &log)[0]["sessions"][0]["texts"], 3);
}

#[test]
fn a_text_that_lost_a_part_says_so() {
    let (_folder, path) = talking();
    let whole = std::fs::read(&path).expect("the log");
    let part = |seq: i128| {
        let is_part = |record: &binlog::Record<'_>| {
            record.name() == "MSG" && record.value("Seq").and_then(|value| value.to_integer()) == Some(seq)
        };
        let record = binlog::Records::new(&whole).flatten().find(is_part).expect("a part");
        record.offset()..record.offset() + record.len()
    };
    let mut cut = whole.clone();
    cut.drain(part(1));
    std::fs::write(&path, cut).expect("room");
    assert!(fine("texts LOG", &path).contains(" (a part is missing)\n"));
    assert_eq!(json("texts --json LOG", &path)[1]["is_complete"], false);
}

#[test]
fn exports_have_long_texts_whole_and_once() {
    let (folder, log) = talking();
    let messages = |line: &str| -> Vec<String> {
        let texts = json(line, &log).into_iter().map(|object| {
            let text = object.get("data").unwrap_or(&object)["Message"].clone();
            text.as_str().expect("a text").to_owned()
        });
        texts.collect()
    };
    let expected = ["Falcon V1.0", LONG, "ERROR in\tthe gyro"];
    assert_eq!(messages("dump --json -t MSG LOG"), expected);
    assert_eq!(messages("export --format jsonl -t MSG LOG"), expected);
    let csv = fine("export --format csv -t MSG.Message LOG", &log);
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.contains(&format!("2000000,\"{}\"\n", LONG.replace('"', "\"\""))), "{csv}");
    // The text of mavlogdump.py stays.
    assert_eq!(fine("dump -t MSG LOG", &log).lines().count(), 5);
    let out = folder.path().join("a.mcap");
    fine(&format!("export -t MSG -o {} LOG", out.display()), &log);
    let file = std::fs::read(&out).expect("the file");
    let logged = mcap::MessageStream::new(&file).expect("an MCAP file").map(|message| message.expect("a message"));
    let logged: Vec<serde_json::Value> = logged
        .filter(|message| message.channel.topic == "/log")
        .map(|message| serde_json::from_slice(&message.data).expect("JSON"))
        .collect();
    let found: Vec<_> =
        logged.iter().map(|log| (log["message"].as_str().expect("a text"), log["level"].as_u64())).collect();
    assert_eq!(found, [(expected[0], Some(2)), (LONG, Some(3)), (expected[2], Some(2))]);
}

#[test]
fn lines_of_a_wide_file_carry_no_texts_files_and_parameters() {
    let (_folder, log) = talking();
    let wide = fine("export --wide ALT LOG", &log);
    assert_eq!(wide, "TimeUS,ALT.Alt\n1500000,1.0\n2500000,2.0\n");
    assert_eq!(fine("export --rate 1 LOG", &log), "TimeUS,ALT.Alt\n1000000,\n2000000,1.0\n3000000,2.0\n");
    // Those that are chosen are there, and the type whose records the lines are.
    let chosen = fine("export --wide ALT -t ALT,PARM.Value LOG", &log);
    assert_eq!(chosen, "TimeUS,ALT.Alt,PARM.Value\n1500000,1.0,2.0\n2500000,2.0,2.0\n");
    assert!(fine("export --wide MSG LOG", &log).starts_with("TimeUS,ALT.Alt,MSG.ID,MSG.Seq,MSG.Message\n"));
}

#[test]
fn stats_begins_with_the_flight() {
    let columns = |line: &str| -> Vec<String> {
        let rows = json(line, &log("flight.bin")).into_iter();
        rows.map(|row| row["column"].as_str().expect("a name").to_owned()).collect()
    };
    let is_of_definition = |name: &String| ["FMT.", "FMTU.", "UNIT.", "MULT."].iter().any(|of| name.starts_with(of));
    assert!(!columns("stats --json LOG").iter().any(is_of_definition));
    assert!(columns("stats --json -t FMT,MULT LOG").iter().all(is_of_definition));
}

#[test]
fn a_log_without_a_gps_shows_the_date_that_it_was_given() {
    #[derive(LogSchema)]
    enum Dated {
        Alt(Altitude),
        Gps(binlog::messages::Gps),
    }
    let mut log = LogWriter::<Dated, _>::new(Vec::new()).expect("memory takes all");
    log.write(&binlog::messages::Gps::date(5_000_000, Duration::from_secs(1_714_564_800))).expect("memory takes all");
    log.write(&Altitude { time_us: 6_000_000, alt: 1.0 }).expect("memory takes all");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("dated.bin");
    std::fs::write(&path, log.finish().expect("memory takes all")).expect("room");
    assert!(fine("info LOG", &path).contains("  date       2024-05-01T12:00:00Z\n"));
    assert!(fine("dump -t ALT LOG", &path).starts_with("2024-05-01 12:00:01.00: ALT"));
}

#[test]
fn a_blackbox_log_has_no_texts() {
    let ran = binlog(words("texts LOG", &log("flight.bbl")));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("a Blackbox log has no texts; `binlog dump --json -t events`"), "{}", ran.stderr);
}

#[test]
fn a_choice_without_texts_is_said() {
    let (folder, log) = talking();
    for (line, part) in [
        ("texts --from 1.6 LOG", ""),
        ("texts --json --from 1.6 LOG", ""),
        ("texts --from 0.6 --to 0.8 LOG", "chosen part"),
    ] {
        let ran = binlog(words(line, &log));
        assert_eq!(ran.code, Some(0), "{line}");
        let said = format!("binlog: {}: the chosen part has no texts\n", log.display());
        assert_eq!(ran.stderr, if part.is_empty() { "" } else { &said }, "{line}");
    }
    let mut silent = binlog_tests::raw_log::RawLog::new();
    silent.fmt(1, "EV", "QB", "TimeUS,Id").record(1, &binlog_tests::payload![1_u64, 10_u8]);
    let path = folder.path().join("silent.bin");
    std::fs::write(&path, silent.bytes).expect("room");
    let ran = binlog(words("texts LOG", &path));
    assert_eq!((ran.code, &*ran.stdout), (Some(0), ""));
    assert_eq!(ran.stderr, format!("binlog: {}: the log has no texts\n", path.display()));
}
