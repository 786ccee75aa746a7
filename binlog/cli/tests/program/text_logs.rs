//! Text logs: every command reads them as the binary logs that they were made from.

use crate::{binlog, fine, json, log, with_input, words};
use binlog_tests::text_log::as_text;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A flight of the simulator as binary log and as text.
fn flight() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (binary, text) = (folder.path().join("qqb.bin"), folder.path().join("qqt.log"));
    let bytes = fs::read(log("flight.bin")).expect("a log");
    fs::write(&text, as_text(&bytes)).expect("room");
    fs::write(&binary, bytes).expect("room");
    (folder, binary, text)
}

/// An old log, one line of which can't be read.
fn damaged(folder: &Path) -> PathBuf {
    let path = folder.join("damaged.log");
    let text = "1\n\nArduCopter V3.0.1\nFMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format\n\
        FMT, 1, 11, ATT, Icc, TimeMS,Roll,Pitch\nFMT, 2, 67, MSG, Z, Message\nFMT, 129, 23, PARM, Nf, Name,Value\n\
        PARM, RC_SPEED, 490\nMSG, ArduCopter V3.0.1\nATT, 100, 1.25, 0\nXKF1, 1, 2\nATT, 200, 2.5, 0\n";
    fs::write(&path, text).expect("room");
    path
}

#[test]
fn commands_say_of_a_text_log_what_they_say_of_the_binary_one() {
    let (folder, binary, text) = flight();
    for line in [
        "dump --types ATT,GPS,IMU,MODE,MSG,PARM,FMT LOG",
        "dump --json --types ATT,MODE,MSG,EV LOG",
        "dump --types ATT --from 5 --to 6 LOG",
        "stats LOG",
        "stats -t ATT.Roll --mode AUTO LOG",
        "params LOG",
        "texts LOG",
        "find roll LOG",
        "schema --rust LOG",
        "export --format jsonl --types ATT,BARO LOG",
        "export --format csv --types ATT --rate 10 LOG",
        "export --format gpx LOG",
    ] {
        let of = |path: &Path| {
            fine(line, path).replace(path.file_stem().and_then(|stem| stem.to_str()).expect("ASCII"), "LOG")
        };
        assert_eq!(of(&text).replace("LOG.log", "LOG.bin"), of(&binary), "{line}");
    }
    fine(&format!("diff LOG {}", text.display()), &binary);
    let (info, of_text) = (&json("info --json LOG", &binary)[0], &json("info --json LOG", &text)[0]);
    for key in ["types", "modes", "firmware", "date", "parameters"] {
        assert_eq!(info["sessions"][0][key], of_text["sessions"][0][key], "{key}");
    }
    assert_eq!((&info["text"], &of_text["text"]["damage_count"]), (&serde_json::Value::Null, &0.into()));
    assert!(fine("info LOG", &text).contains("qqt.log: ArduPilot text log, as a .bin "));
    let part = folder.path().join("part.bin");
    fine(&format!("cut --types ATT LOG -o {}", part.display()), &text);
    assert_eq!(fine("stats -t ATT LOG", &part), fine("stats -t ATT LOG", &text));
    let picture = folder.path().join("roll.png");
    fine(&format!("plot LOG ATT.Roll -o {}", picture.display()), &text);
    let ran = with_input("stats -t ATT -", &fs::read(&text).expect("a log"));
    assert_eq!((ran.code, ran.stdout), (Some(0), fine("stats -t ATT LOG", &text)));
    // Beside logs of the other format, in a folder.
    let listed = fine(&format!("info {}", folder.path().display()), &text);
    assert_eq!(listed.matches("ArduPilot text log").count(), 1);
}

#[test]
fn convert_writes_the_binary_log_that_all_commands_read() {
    let (folder, binary, text) = flight();
    let said = fine("convert LOG", &text);
    let converted = folder.path().join("qqt.bin");
    assert!(said.starts_with(&format!("{}\t", converted.display())) && said.contains(" records, "), "{said}");
    for line in ["dump --types ATT,MODE,PARM LOG", "stats LOG", "schema LOG"] {
        assert_eq!(fine(line, &converted), fine(line, &text), "{line}");
    }
    let again = binlog(words("convert LOG", &text));
    assert!(again.code == Some(2) && again.stderr.contains("--force"), "{}", again.stderr);
    let piped = crate::command(words("convert LOG -o -", &text)).output().expect("the program runs");
    assert!(piped.stdout == fs::read(&converted).expect("a log") && piped.status.success());
    let row = &json(&format!("convert --json LOG -o {}", folder.path().join("2.bin").display()), &text)[0];
    assert_eq!((row["bytes"].as_u64(), row["damaged_lines"].as_u64()), (Some(piped.stdout.len() as u64), Some(0)));
    let ran = binlog(words("convert LOG", &binary));
    assert!(ran.code == Some(2) && ran.stderr.contains("is an ArduPilot log already"), "{}", ran.stderr);
}

#[test]
fn each_command_reports_damage_of_a_text_log_with_its_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = damaged(folder.path());
    let fault = "line 11: XKF1: no FMT line before it defines the type";
    let out = |name: &str| folder.path().join(name).display().to_string();
    for line in [
        "dump LOG",
        "stats LOG",
        "params LOG",
        "texts LOG",
        "find roll LOG",
        "export --format jsonl LOG",
        &format!("cut -t ATT LOG -o {}", out("part.bin")),
        &format!("merge LOG -o {}", out("merged.bin")),
        &format!("repair LOG -o {}", out("repaired.bin")),
        &format!("convert LOG -o {}", out("converted.bin")),
        &format!("plot LOG ATT.Roll -o {}", out("roll.svg")),
        "schema LOG",
    ] {
        let ran = binlog(words(line, &path));
        let said = format!("binlog: {}: the log is damaged: {fault}; `binlog check {0}` says more\n", path.display());
        assert_eq!(ran.code, Some(3), "{line}: {}", ran.stderr);
        assert!(ran.stderr.ends_with(&said) && ran.stderr.matches(fault).count() == 1, "{line}: {}", ran.stderr);
    }
    for written in ["merged.bin", "repaired.bin", "converted.bin"] {
        assert_eq!(json("stats --json -t ATT.Roll LOG", Path::new(&out(written)))[0]["count"], 2, "{written}");
    }
    let check = binlog(words("check --errors LOG", &path));
    let found = "error damaged_line: XKF1: line 11: no FMT line before it defines the type (10 bytes)";
    assert!(check.stdout.contains(found) && check.stdout.contains("correct the line"), "{}", check.stdout);
    assert_eq!((check.code, check.stderr.as_str()), (Some(1), ""));
    let info = binlog(words("info LOG", &path));
    assert!(info.stdout.contains(&format!("  damage     {fault}\n")), "{}", info.stdout);
    assert_eq!((info.code, info.stderr.as_str()), (Some(3), ""));
    // Many lines are counted.
    let many = fs::read_to_string(&path).expect("a text") + &"XKF1, 1, 2\n".repeat(8);
    fs::write(&path, many).expect("room");
    let ran = binlog(words("stats LOG", &path));
    let said = format!("the log is damaged: 9 of its lines can't be read, or not as a whole; first, {fault}; ");
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    assert!(binlog(words("info LOG", &path)).stdout.contains("and 4 more lines"));
}

#[test]
fn each_command_names_a_telemetry_log_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("flight.tlog");
    let frame = [&1_714_566_896_000_000_u64.to_be_bytes()[..], &[0xFE, 9, 0, 1, 1, 0], &[0; 11]].concat();
    fs::write(&path, frame.repeat(40)).expect("room");
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/simulator/flightlog.lock");
    for line in [
        "check LOG",
        "convert LOG -o no.bin",
        "cut -t ATT LOG -o no.bin",
        "diff LOG LOG",
        "dump LOG",
        "export --format csv LOG -o no",
        "extract LOG",
        "find roll LOG",
        "info LOG",
        &format!("lock {lock} LOG"),
        "merge LOG -o no.bin",
        "params LOG",
        "plot LOG ATT.Roll -o no.svg",
        "repair LOG -o no.bin",
        "schema LOG",
        "stats LOG",
        "texts LOG",
    ] {
        let ran = binlog(words(line, &path));
        let said = "it looks like a MAVLink telemetry log (.tlog), which binlog doesn't read: use the log that the \
                    vehicle wrote (.bin), from its card or by `binlog download`\n";
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{line}: {}", ran.stderr);
        assert!(ran.stderr.ends_with(said), "{line}: {}", ran.stderr);
    }
}

#[test]
fn text_without_definitions_is_told_what_it_lacks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("old.log");
    fs::write(&path, "ATT, 0, 12, 3\n".repeat(9)).expect("room");
    let ran = binlog(words("info LOG", &path));
    let said = "it is an ArduPilot log as text whose FMT lines, the definitions of its records, are missing: put those \
                of a log of the same firmware in front of it, or use the .bin\n";
    assert!(ran.code == Some(2) && ran.stderr.ends_with(said), "{}", ran.stderr);
}
