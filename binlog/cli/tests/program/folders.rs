//! Several logs and folders: what isn't read is said, and what is printed says of which log it is.

use crate::{Ran, binlog, command, fine, json, log, ran, words};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder with a log, and beside it files without data.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("more")).expect("room");
    fs::copy(log("flight.bin"), path("more/a.bin")).expect("room");
    fs::write(path("empty.bin"), "").expect("room");
    fs::write(path("zeros.BBL"), vec![0; 100_000]).expect("room");
    fs::write(path("notes.txt"), "no log").expect("room");
    folder
}

fn run(line: &str, folder: &Path) -> Ran {
    ran(&command(line.split(' ')).current_dir(folder).output().expect("the program runs"))
}

const LEFT_OUT: &str = "binlog: ./empty.bin: left out: it is empty\nbinlog: ./zeros.BBL: left out: it has only zeros\n";

#[test]
fn a_log_of_a_folder_without_data_is_said() {
    let folder = folder();
    for line in [
        "info .",
        "dump -t MODE .",
        "stats -t ATT .",
        "params .",
        "find roll .",
        "plot . ATT.Roll",
        "export . -t MODE --format jsonl -o ../out",
        "merge . -o merged.part",
    ] {
        let out = folder.path().join("out");
        let ran = run(&line.replace("../out", &out.display().to_string()), folder.path());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(3), LEFT_OUT), "{line}");
        let _ = fs::remove_dir_all(out);
    }
    let alone = tempfile::tempdir().expect("a temporary folder");
    fs::write(alone.path().join("empty.bin"), "").expect("room");
    for line in ["info .", "export . --format jsonl -o out", "plot . ATT.Roll", "merge . -o merged.part"] {
        let ran = run(line, alone.path());
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.stderr.contains("empty.bin: left out: it is empty"), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_log_without_data_is_a_finding() {
    let folder = folder();
    let ran = run("check --errors .", folder.path());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    assert!(ran.stdout.contains("./more/a.bin: nothing found"), "{}", ran.stdout);
    assert!(ran.stdout.contains("./empty.bin: 1 error, 0 warnings\nerror not_a_log: it is empty"), "{}", ran.stdout);
    assert!(ran.stdout.contains("error not_a_log: it has only zeros"), "{}", ran.stdout);
    let ran = run("check --errors --json .", folder.path());
    assert_eq!((ran.code, ran.stderr.as_str(), ran.stdout.lines().count()), (Some(1), "", 2), "{}", ran.stdout);
    let finding: serde_json::Value = serde_json::from_str(ran.stdout.lines().nth(1).unwrap_or_default()).expect("JSON");
    assert_eq!((&finding["log"], &finding["bytes"]), (&"./zeros.BBL".into(), &100_000.into()));
}

#[test]
fn a_log_after_zeros_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = [vec![0; 200_000], fs::read(log("flight.bin")).expect("the log")].concat();
    fs::write(folder.path().join("a.bin"), log).expect("room");
    let ran = run("info .", folder.path());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(3), ""));
    assert!(ran.stdout.contains("a.bin: ArduPilot log"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_folder_that_can_not_be_read_is_said() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = folder();
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).expect("room");
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the owner's right");
    set(&locked, 0o000);
    set(folder.path(), 0o755);
    let is_root = fs::read_dir(&locked).is_ok();
    for (line, code) in [("info .", 3), ("check .", 1), ("info locked", 2), ("info more locked", 2)] {
        let mut program = command(line.split(' '));
        if is_root {
            // Nobody, who may not read it.
            program.uid(65534);
        }
        let output = match program.current_dir(folder.path()).output() {
            Ok(output) => output,
            Err(error) => return crate::left_out(&format!("a folder without permission: {error}")),
        };
        let ran = ran(&output);
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("can't read the folder") && ran.stderr.contains("locked"),
            "{line}: {}",
            ran.stderr
        );
        assert!(line.contains("locked") || ran.stdout.contains("more/a.bin"), "{line}: {}", ran.stdout);
    }
    set(&locked, 0o700);
}

#[test]
fn commands_on_one_log_refuse_a_folder() {
    let folder = folder();
    for line in [
        "cut . -o out.part",
        "repair . -o out.part",
        "convert .",
        "schema .",
        "diff . more/a.bin",
        "diff more/a.bin .",
        "extract .",
        "lock .",
    ] {
        let ran = run(line, folder.path());
        assert_eq!(ran.code, Some(2), "{line}");
        let said = ". is a folder, which this command doesn't take; name a file in it\n";
        assert_eq!(ran.stderr, format!("binlog: {said}"), "{line}");
    }
}

#[test]
fn lines_of_several_logs_say_of_which() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["a.bin", "b.bin"] {
        fs::copy(log("flight.bin"), folder.path().join(name)).expect("room");
    }
    fs::copy(log("flight.bbl"), folder.path().join("c.bbl")).expect("room");
    let said = |line: &str| {
        let ran = run(line, folder.path());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{line}");
        ran.stdout
    };
    let alone = |line: &str, name: &str| fine(&line.replace("a.bin", "LOG"), &folder.path().join(name));
    let mode = alone("dump -t MODE a.bin", "a.bin");
    let both = said("dump -t MODE a.bin b.bin");
    assert_eq!(both, format!("==> a.bin <==\n{mode}==> b.bin <==\n{mode}"));
    let frames = alone("dump a.bin", "c.bbl");
    assert_eq!(said("dump c.bbl ./c.bbl"), format!("==> c.bbl <==\n{frames}==> ./c.bbl <==\n{frames}"));
    for line in ["stats -t ATT", "params -n BATT*"] {
        let one = said(&format!("{line} a.bin"));
        assert!(!one.contains("==>"), "{one}");
        assert_eq!(said(&format!("{line} a.bin b.bin")), format!("==> a.bin <==\n{one}==> b.bin <==\n{one}"));
    }
    let one = said("params --param a.bin");
    assert_eq!(said("params --param a.bin b.bin"), format!("# a.bin\n{one}# b.bin\n{one}"));
    assert!(json("dump --json -t MODE LOG", &log("flight.bin")).iter().all(|row| row.get("log").is_none()));
    for (line, name) in [("dump --json -t MODE a.bin b.bin", "b.bin"), ("dump --json a.bin c.bbl", "c.bbl")] {
        let lines = said(line);
        let row: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap_or_default()).expect("JSON");
        assert_eq!(row["log"], name, "{row}");
        assert!(row["meta"]["type"].is_string() && row["data"].is_object(), "{row}");
    }
}

#[test]
fn a_log_that_was_never_armed_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("ground.bin");
    fine(&format!("cut LOG --to 1 -t ATT -o {}", path.display()), &log("flight.bin"));
    let ran = binlog(words(&format!("plot LOG {} ATT.Roll --json", path.display()), &log("flight.bin")));
    let said = "binlog: ground.bin doesn't say when it was armed; its times are those of a flight that is plotted, \
                too, and stay where they are in it\n";
    assert_eq!((ran.code, &*ran.stderr), (Some(0), said));
    // Another flight has other times, however near.
    let mut other = RawLog::with_units();
    other.fmt(1, "ATT", "Qf", "TimeUS,Roll");
    for i in 0..20_u64 {
        other.record(1, &payload![1_000_003 + 10_000 * i, 0.5_f32]);
    }
    fs::write(&path, &other.bytes).expect("room");
    let ran = binlog(words(&format!("plot LOG {} ATT.Roll --json", path.display()), &log("flight.bin")));
    let said = "binlog: ground.bin doesn't say when it was armed; its first time is 0 on the axis\n";
    assert_eq!((ran.code, &*ran.stderr), (Some(0), said));
}

#[test]
fn a_log_without_the_column_is_named() {
    let ran = binlog(words(&format!("plot LOG {} ATT.Roll --json", log("flight.bbl").display()), &log("flight.bin")));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("binlog: flight.bbl has no curve: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

#[test]
fn a_file_named_like_a_column_hides_no_column() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::copy(log("flight.bin"), path("a.bin")).expect("room");
    let curves = |line: &str| {
        let ran = run(line, folder.path());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{line}");
        let figure: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        figure["curves"].as_array().map_or(0, Vec::len)
    };
    // A file that isn't a log.
    fs::write(path("ATT.Roll"), "1,2\n").expect("room");
    assert_eq!(curves("plot --json a.bin ATT.Roll"), 1);
    let ran = run("plot --json a.bin ./ATT.Roll", folder.path());
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("neither an ArduPilot log"), "{}", ran.stderr);
    let ran = run("plot ATT.Roll", folder.path());
    assert!(ran.stderr.contains("ATT.Roll: it is neither an ArduPilot log nor a Blackbox log"), "{}", ran.stderr);
    // A log is a log.
    fs::copy(log("flight.bin"), path("ATT.Roll")).expect("room");
    assert_eq!(curves("plot --json a.bin ATT.Roll (ATT.Roll)"), 2);
    assert_eq!(binlog(words("plot --json LOG ATT.Roll", &path("ATT.Roll"))).code, Some(0));
}

#[test]
fn what_looks_like_a_log_and_is_none_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::copy(log("flight.bin"), folder.path().join("a.bin")).expect("room");
    fs::write(folder.path().join("b.bbl"), [7; 5000]).expect("room");
    fs::write(folder.path().join("c.txt"), "no log").expect("room");
    let said = "binlog: ./b.bbl: left out: it is neither an ArduPilot log nor a Blackbox log\n";
    let ran = run("info .", folder.path());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(3), said));
    let ran = run("check --errors .", folder.path());
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("./b.bbl: 1 error"), "{}", ran.stdout);
}

/// Of several logs, one that lacks what is asked for has nothing to choose. That all lack it is a mistake.
#[test]
fn a_log_that_lacks_what_others_have_is_named_and_no_failure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let short: Vec<u8> = {
        let long = fs::read(log("flight.bin")).expect("the log");
        let end = binlog::Records::new(&long).flatten().take_while(|record| record.time_us() < Some(3_000_000)).last();
        long[..end.expect("records").offset()].to_vec()
    };
    fs::copy(log("flight.bin"), folder.path().join("long.bin")).expect("room");
    fs::write(folder.path().join("short.bin"), short).expect("room");
    for (line, lacks) in [
        ("stats . -t ATT.Roll --from 10", "short.bin: nothing is after --from"),
        ("dump . -t ATT --from 10", "short.bin: nothing is after --from"),
        ("export . -t ATT --from 10 --format jsonl -o out", "short.bin: nothing is after --from"),
        ("plot . ATT.Roll --from 10 -o out/a.svg", "short.bin: nothing is after --from"),
        ("stats . --mode RTL -t ATT.Roll", "short.bin: the log has no mode `RTL`"),
    ] {
        fs::create_dir_all(folder.path().join("out")).expect("room");
        let ran = run(line, folder.path());
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(lacks), "{line}: {}", ran.stderr);
        fs::remove_dir_all(folder.path().join("out")).expect("a folder");
    }
    for line in ["stats . -t ATT --from 1000", "dump . -t NOPE", "plot . ATT.Roll --from 1000"] {
        assert_eq!(run(line, folder.path()).code, Some(2), "{line}");
    }
}

#[test]
fn logs_with_one_name_are_told_apart() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for of in ["one", "two"] {
        fs::create_dir(folder.path().join(of)).expect("room");
        fs::copy(log("flight.bin"), folder.path().join(of).join("1.bin")).expect("room");
    }
    let ran = run("plot --json . ATT.Roll", folder.path());
    assert!(ran.stdout.contains("one/1.bin") && ran.stdout.contains("two/1.bin"), "{:.300}", ran.stdout);
    let ran = run("export . -t ATT --format jsonl -o out", folder.path());
    assert_eq!(ran.stderr, "binlog: ./two/1.bin: exported as 1-2, because another log has that name, too\n");
}
