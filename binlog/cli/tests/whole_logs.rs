//! `check`, `repair`, `cut`, `merge` and `anonymise`, as typed.

use assert_cmd::Command;
use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::Item;
use binlog::{Log, Records};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// A flight of 10 s.
static FLIGHT: LazyLock<Vec<u8>> = LazyLock::new(|| simulator::log_of(simulator::Simulation::new(1, 10)));

/// A flight of 5 s as a Blackbox log.
static BLACKBOX: LazyLock<Vec<u8>> = LazyLock::new(|| simulator::blackbox::log_of(simulator::Simulation::new(1, 5)));

/// A folder with `flight.bin`, and with `damaged.bin`, which has garbage in its middle and ends inside a record.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("flight.bin"), &*FLIGHT).expect("room");
    let mut damaged = FLIGHT.clone();
    damaged.pop();
    let places: Vec<usize> = Records::new(&FLIGHT).flatten().map(|record| record.offset()).collect();
    let middle = places[places.len() / 2];
    damaged.splice(middle..middle, [0xFF; 100]);
    std::fs::write(folder.path().join("damaged.bin"), damaged).expect("room");
    folder
}

/// Runs `binlog` with these words in a folder. Returns the exit code, standard output and standard error.
fn binlog(folder: &Path, line: &str, stdin: &[u8]) -> (i32, Vec<u8>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_binlog"));
    let output = command.current_dir(folder).args(line.split(' ')).write_stdin(stdin).output().expect("it runs");
    let stderr = String::from_utf8(output.stderr).expect("text");
    (output.status.code().expect("an exit code"), output.stdout, stderr)
}

/// As [`binlog`], for text on standard output.
fn text(folder: &Path, line: &str) -> (i32, String, String) {
    let (code, stdout, stderr) = binlog(folder, line, b"");
    (code, String::from_utf8(stdout).expect("text"), stderr)
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).expect("a file")
}

fn count(log: &[u8], name: &str) -> usize {
    Records::new(log).flatten().filter(|record| record.name() == name).count()
}

#[test]
fn check_ends_with_1_if_something_is_found() {
    let folder = folder();
    let folder = folder.path();
    let (code, stdout, stderr) = text(folder, "check flight.bin --errors");
    assert_eq!((code, &*stdout, &*stderr), (0, "flight.bin: nothing found\n", ""));
    let (code, stdout, _) = text(folder, "check damaged.bin");
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("error no_header: there is no record header (A3 95) (100 bytes)"), "{stdout}");
    assert!(stdout.contains("error truncated_end: "), "{stdout}");
    assert!(stdout.contains("`repair` removes them"), "{stdout}");
    // All logs of a folder, both formats.
    simulator_blackbox(&folder.join("flight.bbl"));
    let (code, stdout, _) = text(folder, "check .");
    assert_eq!(code, 1);
    assert!(["damaged.bin: ", "flight.bin: ", "flight.bbl: "].iter().all(|name| stdout.contains(name)), "{stdout}");
}

/// A Blackbox log without a session's end.
fn simulator_blackbox(path: &Path) {
    let log = "H Product:Blackbox flight data recorder by Nicholas Sherlock\nH Data version:2\nH I interval:32\n\
               H Field I name:loopIteration,time\nH Field I signed:0,0\nH Field I predictor:0,0\n\
               H Field I encoding:1,1\nH Field P predictor:6,2\nH Field P encoding:9,0\nI\x00\x01";
    std::fs::write(path, log).expect("room");
}

#[test]
fn check_prints_a_json_value_a_line() {
    let folder = folder();
    let (code, stdout, _) = text(folder.path(), "check damaged.bin --json --errors");
    assert_eq!(code, 1);
    let findings: Vec<serde_json::Value> =
        stdout.lines().map(|line| serde_json::from_str(line).expect("a JSON value")).collect();
    assert!(findings.iter().all(|finding| finding["severity"] == "error" && finding["is_damage"] == true));
    let garbage = findings.iter().find(|finding| finding["rule"] == "no_header").expect("a finding");
    assert_eq!(
        (&garbage["bytes"], &garbage["count"], &garbage["log"]),
        (&100.into(), &1.into(), &"damaged.bin".into())
    );
}

#[test]
fn repair_ends_with_3_if_something_was_removed() {
    let folder = folder();
    let folder = folder.path();
    let (code, stdout, stderr) = text(folder, "repair damaged.bin -o repaired.bin");
    assert_eq!((code, &*stdout), (3, ""), "{stderr}");
    assert!(stderr.contains(": removed 100 bytes: there is no record header (A3 95)"), "{stderr}");
    let repaired = read(folder, "repaired.bin");
    assert!(FLIGHT.starts_with(&repaired) && repaired.len() > FLIGHT.len() - 255);
    assert_eq!(text(folder, "check repaired.bin --errors").0, 0);
    // A sound log stays the same.
    let (code, _, stderr) = text(folder, "repair flight.bin -o same.bin");
    let said = "binlog: each byte of flight.bin belongs to a record: the output is a copy; `binlog check` finds wrong values\n";
    assert_eq!((code, &*stderr), (0, said));
    assert!(read(folder, "same.bin") == *FLIGHT);
    let (code, stdout, _) = text(folder, "repair damaged.bin -o again.bin --json");
    let report: serde_json::Value = serde_json::from_str(&stdout).expect("a JSON value");
    assert_eq!((code, report["removed"].as_array().map(Vec::len)), (3, Some(2)));
}

#[test]
fn repair_takes_definitions_of_another_log() {
    let folder = folder();
    let folder = folder.path();
    let place = |name: &str| {
        let mut fmts = Records::new(&FLIGHT).flatten().filter(|record| record.name() == "FMT");
        fmts.find(|fmt| fmt.payload()[2..].starts_with(name.as_bytes())).expect("a definition").offset()
    };
    let mut damaged = FLIGHT.clone();
    damaged[place("ATT\0")..][..89].fill(0xFF);
    damaged[place("GPS\0") + 9] = b'?';
    std::fs::write(folder.join("lost.bin"), &damaged).expect("room");
    let (code, _, stderr) = text(folder, "repair lost.bin -o poor.bin");
    assert_eq!((code, count(&read(folder, "poor.bin"), "ATT")), (3, 0));
    // A line for each of its records would be thousands.
    assert!(
        stderr.lines().count() <= 23
            && stderr.contains("`--definitions OTHER` takes them")
            && stderr.contains(" lines more; `--json` prints all\n"),
        "{stderr}"
    );
    let (code, stdout, stderr) = text(folder, "repair lost.bin -o whole.bin --definitions flight.bin");
    // The bytes in place of the FMT are removed.
    assert_eq!((code, &*stdout), (3, ""), "{stderr}");
    for said in [": removed 89 bytes: ", ": replaced the FMT of GPS (id ", ": inserted the FMT of ATT (id "] {
        assert!(stderr.contains(said), "{stderr}");
    }
    for name in ["ATT", "GPS"] {
        assert_eq!(count(&read(folder, "whole.bin"), name), count(&FLIGHT, name));
    }
    assert_eq!(text(folder, "check whole.bin --errors").0, 0);
    // Nothing is removed, so nothing is lost.
    std::fs::write(folder.join("headless.bin"), &FLIGHT[place("ATT\0") + 89..]).expect("room");
    let (code, _, stderr) = text(folder, "repair headless.bin -o whole.bin --force --definitions flight.bin");
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, _) = text(folder, "repair lost.bin -o json.bin --definitions flight.bin --json");
    let report: serde_json::Value = serde_json::from_str(&stdout).expect("a JSON value");
    assert_eq!(
        (code, &report["replaced"][0]["name"], &report["inserted"][0]["is_from_other_log"]),
        (3, &"GPS".into(), &true.into())
    );
    // A definition that may be damaged is named.
    let mut other = FLIGHT.clone();
    other[place("ATT\0") + 30] ^= 1;
    std::fs::write(folder.join("other.bin"), other).expect("room");
    let (code, _, stderr) = text(folder, "repair other.bin -o whole.bin --force --definitions flight.bin");
    assert!(code == 0 && stderr.contains("kept the definition of ATT, which differs"), "{stderr}");
    // The other log is not an output, and has to be an ArduPilot log of the same firmware.
    let (code, _, stderr) = text(folder, "repair lost.bin -o flight.bin --force --definitions flight.bin");
    assert!(code == 2 && stderr.contains("is the input itself") && read(folder, "flight.bin") == *FLIGHT, "{stderr}");
    simulator_blackbox(&folder.join("flight.bbl"));
    let (code, _, stderr) = text(folder, "repair lost.bin -o out.bin --definitions flight.bbl");
    let expected = "binlog: lost.bin: it is an ArduPilot log, and flight.bbl, whose definitions are to be used, is a \
                    Blackbox log; name an ArduPilot log\n";
    assert_eq!((code, &*stderr), (2, expected));
    let mut other = FLIGHT.clone();
    let places: Vec<_> =
        FLIGHT.windows(7).enumerate().filter(|(_, bytes)| bytes == b"TimeUS,").map(|(at, _)| at).collect();
    places.iter().for_each(|at| other[at + 4..at + 6].copy_from_slice(b"MS"));
    std::fs::write(folder.join("other.bin"), other).expect("room");
    let (code, _, stderr) = text(folder, "repair lost.bin -o out.bin --definitions other.bin");
    assert!(code == 2 && stderr.starts_with("binlog: other.bin: the definitions are of other firmware: "), "{stderr}");
    assert!(!folder.join("out.bin").exists());
}

#[test]
fn a_log_is_never_replaced_by_its_repair() {
    let folder = folder();
    let before = read(folder.path(), "damaged.bin");
    let (code, _, stderr) = text(folder.path(), "repair damaged.bin -o ./damaged.bin");
    assert_eq!(code, 2);
    assert!(stderr.contains("is the input itself"), "{stderr}");
    assert!(read(folder.path(), "damaged.bin") == before);
}

#[test]
fn repair_reads_and_writes_pipes() {
    let folder = folder();
    let damaged = read(folder.path(), "damaged.bin");
    let (code, stdout, _) = binlog(folder.path(), "repair - -o -", &damaged);
    assert_eq!(code, 3);
    assert!(FLIGHT.starts_with(&stdout) && stdout.len() > FLIGHT.len() - 255);
    let (code, _, stderr) = binlog(folder.path(), "repair - -o - --json", &damaged);
    assert_eq!(code, 2, "{stderr}");
}

#[test]
fn cut_takes_a_part_of_time_and_types() {
    let folder = folder();
    let folder = folder.path();
    let (code, stdout, stderr) = text(folder, "cut flight.bin -o part.bin --from 2 --to 4 --types ATT");
    assert_eq!((code, &*stdout, &*stderr), (0, "", ""));
    let part = Log::from_bytes(read(folder, "part.bin"));
    let attitudes = part.rows("ATT").expect("a type").times_us();
    let first = Log::from_bytes(&*FLIGHT).time_range_us().map_or(0, |range| *range.start());
    assert!(!attitudes.is_empty());
    assert!(attitudes.iter().all(|time_us| (first + 2_000_000..first + 4_000_000).contains(time_us)), "{attitudes:?}");
    assert_eq!(part.parameters(), Log::from_bytes(&*FLIGHT).parameters());
    assert!(part.rows("IMU").map_or(0, |rows| rows.len()) == 0);
    let (code, _, stderr) = text(folder, "cut flight.bin -o part.bin --types ATTT");
    assert_eq!(code, 2);
    assert!(stderr.contains("no type `ATTT`") && stderr.contains("`ATT`"), "{stderr}");
}

#[test]
fn merged_parts_are_the_flight() {
    let folder = folder();
    let folder = folder.path();
    assert_eq!(text(folder, "cut flight.bin -o a.bin --to 5").0, 0);
    assert_eq!(text(folder, "cut flight.bin -o b.bin --from 5").0, 0);
    let (code, stdout, stderr) = text(folder, "merge b.bin a.bin -o merged.bin");
    assert_eq!((code, &*stdout, &*stderr), (0, "", ""));
    let merged = read(folder, "merged.bin");
    for rows in Log::from_bytes(&*FLIGHT).types() {
        if !matches!(rows.name(), "FMT" | "FMTU" | "UNIT" | "MULT") {
            assert_eq!(count(&merged, rows.name()), rows.len(), "{}", rows.name());
        }
    }
    // Damage is said.
    let (code, _, stderr) = text(folder, "merge damaged.bin flight.bin -o both.bin");
    assert_eq!(code, 3);
    assert!(stderr.contains("damaged.bin: the log is damaged; the merged log lacks"), "{stderr}");
}

#[test]
fn the_same_log_is_merged_once() {
    let folder = folder();
    let folder = folder.path();
    std::fs::copy(folder.join("flight.bin"), folder.join("copy.bin")).expect("room");
    text(folder, "cut flight.bin -t PARM -o parameters.bin");
    for (line, said) in [
        ("merge flight.bin ./flight.bin -o merged.bin", "flight.bin and ./flight.bin are the same file; leave one out"),
        // Two logs that have the same parameters aren't the same log, but a file is the same as itself.
        ("merge parameters.bin parameters.bin -o merged.bin", "parameters.bin is given twice; leave one out"),
        (
            "merge damaged.bin flight.bin copy.bin -o merged.bin",
            "flight.bin and copy.bin are the same log, byte for byte; leave one out",
        ),
    ] {
        let (code, _, stderr) = text(folder, line);
        assert_eq!((code, &*stderr), (2, &*format!("binlog: {said}\n")));
        assert!(!folder.join("merged.bin").exists());
    }
}

#[test]
fn logs_of_different_boots_are_merged_with_a_warning() {
    let folder = folder();
    let folder = folder.path();
    let mut other = FLIGHT.clone();
    let week = |record: &binlog::Record<'_>| record.name() == "GPS";
    let places: Vec<_> = Records::new(&FLIGHT).flatten().filter(week).map(|record| record.offset()).collect();
    let definition = Records::new(&FLIGHT).flatten().find(week).expect("a record").definition();
    let at = definition.columns().find(|column| column.label == "GWk").expect("a week").offset;
    assert!(!places.is_empty());
    // A week later.
    places.iter().for_each(|place| other[place + 3 + at] += 1);
    std::fs::write(folder.join("other.bin"), other).expect("room");
    let (code, _, stderr) = text(folder, "merge flight.bin other.bin -o merged.bin");
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.starts_with("binlog: flight.bin and other.bin are of different boots, by GPS at 20"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn a_conflict_names_the_type_and_the_logs() {
    let folder = folder();
    let folder = folder.path();
    let mut other = FLIGHT.clone();
    let at = other.windows(13).position(|bytes| bytes == b"TimeUS,DesRol").expect("labels");
    other[at..at + 13].copy_from_slice(b"TimeUS,OldRol");
    std::fs::write(folder.join("other.bin"), other).expect("room");
    let (code, _, stderr) = text(folder, "merge flight.bin other.bin -o merged.bin");
    assert_eq!(code, 2);
    assert!(stderr.contains("ATT has the labels `TimeUS,DesRoll"), "{stderr}");
    assert!(stderr.contains("(log 1 is flight.bin, log 2 is other.bin)"), "{stderr}");
    assert!(!folder.join("merged.bin").exists());
}

#[test]
fn blackbox_logs_are_checked_and_not_merged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    simulator_blackbox(&folder.path().join("flight.bbl"));
    let (code, stdout, _) = text(folder.path(), "check flight.bbl");
    assert_eq!(code, 1);
    assert!(stdout.contains("warning no_end: there is no End event"), "{stdout}");
    let (code, _, stderr) = text(folder.path(), "merge flight.bbl -o out.bin");
    assert!(code == 2 && stderr.contains("it is a Blackbox log"), "{stderr}");
}

/// Letter and time of each frame of a Blackbox log, of which nothing is lost.
fn frames(log: &[u8]) -> Vec<(u8, u64)> {
    let log = BlackboxLog::from_bytes(log);
    let mut all = Vec::new();
    for session in log.sessions() {
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            match item {
                Item::Frame(frame) => all.push((frame.letter(), frame.time_us())),
                Item::Event { .. } => {}
                Item::Lost(lost) => panic!("{lost}"),
            }
        }
    }
    all
}

#[test]
fn repair_removes_damage_from_blackbox_logs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    std::fs::write(folder.join("flight.bbl"), &*BLACKBOX).expect("room");
    let sound = BLACKBOX.clone();
    let (code, stdout, stderr) = text(folder, "repair flight.bbl -o same.bbl");
    assert_eq!((code, &*stdout), (0, ""), "{stderr}");
    assert!(stderr.contains("the output is a copy") && read(folder, "same.bbl") == sound, "{stderr}");
    // Padding isn't damage.
    std::fs::write(folder.join("padded.bbl"), [&*sound, &[0xFF; 4096]].concat()).expect("room");
    let (code, _, stderr) = text(folder, "repair padded.bbl -o same.bbl --force");
    assert_eq!((code, read(folder, "same.bbl")), (0, sound.clone()), "{stderr}");
    let expected = format!("offset {}: removed 4096 bytes: padding at the end of a session\n", sound.len());
    assert!(stderr.starts_with(&expected), "{stderr}");
    let mut damaged = sound.clone();
    let middle = sound.len() / 2;
    damaged.splice(middle..middle, [0xFF; 100]);
    std::fs::write(folder.join("damaged.bbl"), damaged).expect("room");
    let (code, stdout, stderr) = text(folder, "repair damaged.bbl -o repaired.bbl");
    assert_eq!((code, &*stdout), (3, ""), "{stderr}");
    assert!(stderr.contains(" frames kept\n"), "{stderr}");
    let kept = frames(&read(folder, "repaired.bbl"));
    assert!(kept.len() + 40 > frames(&sound).len(), "{} frames", kept.len());
    assert_eq!(text(folder, "check repaired.bbl --errors").0, 0);
    let (code, stdout, _) = text(folder, "repair damaged.bbl -o again.bbl --json");
    assert!(code == 3 && stdout.starts_with(r#"{"log":"damaged.bbl","sessions":1,"frames":"#), "{stdout}");
    // Pipes.
    let (code, stdout, _) = binlog(folder, "repair - -o -", &[&*sound, &[0; 99]].concat());
    assert_eq!((code, stdout), (0, sound));
}

#[test]
fn repair_takes_a_blackbox_header_of_another_log() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    std::fs::write(folder.join("flight.bbl"), &*BLACKBOX).expect("room");
    let sound = BLACKBOX.clone();
    let header = BlackboxLog::from_bytes(&*sound).session(0).expect("a session").frames_offset();
    std::fs::write(folder.join("headless.bbl"), &sound[header..]).expect("room");
    assert_eq!(text(folder, "repair headless.bbl -o whole.bbl").0, 2);
    let (code, _, stderr) = text(folder, "repair headless.bbl -o whole.bbl --definitions flight.bbl");
    assert_eq!((code, read(folder, "whole.bbl")), (0, sound.clone()), "{stderr}");
    assert!(
        stderr.starts_with("offset 0: inserted the header line `Product`\noffset 0: inserted the header line `"),
        "{stderr}"
    );
    // The definition of main frames.
    let at = sound.windows(12).position(|bytes| bytes == b"Field I name").expect("a line");
    let mut damaged = sound.clone();
    damaged[at + 3] = b'!';
    std::fs::write(folder.join("damaged.bbl"), &damaged).expect("room");
    let (code, _, stderr) = text(folder, "repair damaged.bbl -o out.bbl");
    assert!(code == 2 && stderr.contains("it has no frame that can be read"), "{stderr}");
    assert!(stderr.contains("`--definitions OTHER` takes the header from"), "{stderr}");
    let (code, _, stderr) = text(folder, "repair damaged.bbl -o out.bbl --definitions flight.bbl");
    assert_eq!((code, frames(&read(folder, "out.bbl"))), (3, frames(&sound)), "{stderr}");
    // Other formats, other fields.
    std::fs::write(folder.join("flight.bin"), &*FLIGHT).expect("room");
    let (code, _, stderr) = text(folder, "repair damaged.bbl -o no.bbl --definitions flight.bin");
    let expected = "binlog: damaged.bbl: it is a Blackbox log, and flight.bin, whose definitions are to be used, is an \
                    ArduPilot log; name a Blackbox log\n";
    assert_eq!((code, &*stderr), (2, expected));
    let (code, _, stderr) = text(folder, "repair flight.bin -o no.bin --definitions flight.bbl");
    assert!(code == 2 && stderr.contains("flight.bin: it is an ArduPilot log"), "{stderr}");
    simulator_blackbox(&folder.join("other.bbl"));
    let (code, _, stderr) = text(folder, "repair flight.bbl -o no.bbl --definitions other.bbl");
    assert!(code == 2 && stderr.starts_with("binlog: other.bbl: its main frames have other fields: "), "{stderr}");
    std::fs::write(folder.join("text.txt"), "TimeUS,Roll\n1,2\n").expect("room");
    let (code, _, stderr) = text(folder, "repair text.txt -o no.bbl --definitions flight.bbl");
    assert!(code == 2 && stderr.contains("none of its frames can be read with the header of flight.bbl"), "{stderr}");
    assert!(!folder.join("no.bbl").exists() && !folder.join("no.bin").exists());
}

#[test]
fn cut_takes_a_part_of_a_blackbox_log() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let one = &*BLACKBOX;
    std::fs::write(folder.join("flight.bbl"), one.repeat(2)).expect("room");
    let all = frames(one);
    let (first, last) = (all[0].1, all[all.len() - 1].1);
    let length = (last - first) as f64 / 1e6;
    let (from, to) = (length / 4.0, length / 2.0);
    let line = format!("cut flight.bbl -o part.bbl --session 2 --from {from} --to {to}");
    let (code, stdout, stderr) = text(folder, &line);
    assert_eq!((code, &*stdout, &*stderr), (0, "", ""));
    let part = frames(&read(folder, "part.bbl"));
    let micros = |seconds: f64| first + (seconds * 1e6).round() as u64;
    let is_in = |frame: &&(u8, u64)| (micros(from)..micros(to)).contains(&frame.1);
    let main = |frame: &&(u8, u64)| b"IP".contains(&frame.0);
    let chosen: Vec<_> = all.iter().filter(is_in).filter(main).collect();
    assert_eq!(part.iter().filter(is_in).filter(main).collect::<Vec<_>>(), chosen);
    assert!(chosen.len() > 10 && part.len() < all.len() / 2);
    assert_eq!(text(folder, "check part.bbl").1.lines().filter(|line| line.contains("error")).count(), 0);
    let (code, stdout, _) = text(folder, "cut flight.bbl -o json.bbl --session 1 --json");
    assert!(code == 0 && stdout.starts_with(r#"{"log":"flight.bbl","sessions":1,"frames":"#), "{stdout}");
    assert_eq!(read(folder, "json.bbl"), *one);
    for option in ["--types main", "--without gps"] {
        let (code, _, stderr) = text(folder, &format!("cut flight.bbl -o no.bbl {option}"));
        let name = option.split(' ').next().expect("an option");
        let expected = format!(
            "binlog: flight.bbl: {name} doesn't apply: it is a Blackbox log, whose frames refer to one another, so it \
             can be cut by time and session only\n"
        );
        assert_eq!((code, stderr), (2, expected));
    }
    let (code, _, stderr) = text(folder, "cut flight.bbl -o no.bbl --session 3");
    assert!(code == 2 && stderr.contains("the log has no session 3; it has 2"), "{stderr}");
    assert!(!folder.join("no.bbl").exists());
}

#[test]
fn merge_warns_of_logs_that_nothing_connects() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let event = |name: &str, second: u64| {
        let mut log = binlog_tests::raw_log::RawLog::new();
        log.fmt(1, name, "QB", "TimeUS,Id");
        for second in [second, second + 2] {
            log.record(1, &binlog_tests::payload![1_000_000 * second, second as u8]);
        }
        std::fs::write(folder.path().join(name), log.bytes).expect("room");
    };
    event("EV", 1);
    event("ERR", 2);
    event("EV2", 3);
    let warning = |line: &str| {
        let (code, _, stderr) = text(folder.path(), line);
        assert_eq!(code, 0, "{stderr}");
        stderr
    };
    let shows_nothing = "neither a GPS time nor a record in common with the other logs shows that they are of one boot";
    let said = warning("merge EV ERR -o all.bin");
    assert!(said.contains(&format!("EV, ERR: {shows_nothing}")), "{said}");
    // Parts of one log have equal records, and so has a log with them.
    assert_eq!(warning("merge all.bin EV -o again.bin"), "");
    assert!(warning("merge all.bin EV2 -o more.bin").contains(shows_nothing));
    // The third of them, too.
    for order in ["all.bin EV EV2", "EV2 all.bin EV", "EV EV2 all.bin"] {
        let said = warning(&format!("merge --force {order} -o three.bin"));
        assert!(said.starts_with(&format!("binlog: EV2: {shows_nothing}")), "{said}");
    }
    let said = warning("merge EV ERR EV2 -o none.bin");
    assert!(said.starts_with(&format!("binlog: EV, ERR, EV2: {shows_nothing}")), "{said}");
}

#[test]
fn merge_says_which_descriptions_it_leaves_out() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, second) in [("EV", 1_u64), ("ERR", 2), ("ARM", 3)] {
        let mut log = binlog_tests::raw_log::RawLog::new();
        log.descriptions(&format!(
            "<logformat name=\"{name}\"><description>{}</description></logformat>",
            name.repeat(30)
        ));
        log.fmt(1, name, "QB", "TimeUS,Id").record(1, &binlog_tests::payload![1_000_000 * second, 1_u8]);
        std::fs::write(folder.path().join(name), log.bytes).expect("room");
    }
    let (code, _, stderr) = text(folder.path(), "merge EV ERR ARM -o all.bin");
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("ERR, ARM: other embedded descriptions (LogMessages.xml) than those of an earlier log"),
        "{stderr}"
    );
    let (_, stdout, _) = text(folder.path(), "merge EV ERR ARM --json --force -o all.bin");
    let json: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(json["other_descriptions"], serde_json::json!(["ERR", "ARM"]));
    assert_eq!(json["in_common"], serde_json::json!([]));
    let (_, stdout, _) = text(folder.path(), "merge all.bin ERR --json -o both.bin");
    let json: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(json["in_common"], serde_json::json!([["all.bin", "ERR"]]));
    let descriptions = Log::open(folder.path().join("all.bin")).expect("the merged log").descriptions();
    assert_eq!(descriptions.iter().map(|message| &*message.name).collect::<Vec<_>>(), ["EV"]);
}

/// The first position that a log's GPS has.
fn first_position(log: &[u8]) -> [f64; 2] {
    let log = Log::from_bytes(log);
    let gps = log.rows("GPS").expect("a type");
    let first = |label| {
        let numbers = gps.numbers(label, binlog::Scaling::Shown).expect("numbers");
        numbers.into_iter().find(|degrees| *degrees != 0.0).expect("a fix")
    };
    ["Lat", "Lng"].map(first)
}

#[test]
fn anonymise_moves_each_copy_elsewhere() {
    let folder = folder();
    let folder = folder.path();
    let (code, stdout, stderr) = text(folder, "anonymise flight.bin -o shared.bin");
    assert_eq!((code, &*stdout), (0, ""), "{stderr}");
    assert!(stderr.starts_with("binlog: flight.bin: ") && stderr.contains(" positions moved; records removed: "));
    let (code, stdout, stderr) = text(folder, "anonymise flight.bin -o again.bin --json");
    let report: serde_json::Value = serde_json::from_str(&stdout).expect("a JSON value");
    assert_eq!((code, &*stderr, &report["elsewhere"]), (0, "", &0.into()));
    assert!(report["positions"].as_u64() > Some(10) && report["removed"]["texts"].as_u64() > Some(0), "{report}");
    let all = ["flight.bin", "shared.bin", "again.bin"].map(|name| first_position(&read(folder, name)));
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        assert!((all[a][1] - all[b][1]).abs() > 1e-3, "{all:?}");
    }
    assert_eq!(text(folder, "check shared.bin --errors").0, 0);
    // Nothing is drawn from what a user gives.
    let (code, _, stderr) = text(folder, "anonymise flight.bin -o third.bin --seed 5");
    assert!(code == 2 && stderr.contains("--seed"), "{stderr}");
}

#[test]
fn anonymise_reads_damage_pipes_and_text() {
    let folder = folder();
    let folder = folder.path();
    let (code, _, stderr) = text(folder, "anonymise damaged.bin -o shared.bin");
    assert_eq!(code, 3);
    assert!(stderr.contains("damaged.bin: the log is damaged; the copy lacks "), "{stderr}");
    let (code, stdout, _) = binlog(folder, "anonymise - -o -", &FLIGHT);
    assert_eq!((code, count(&stdout, "GPS")), (0, count(&FLIGHT, "GPS")));
    let (code, _, stderr) = binlog(folder, "anonymise - -o - --json", &FLIGHT);
    assert_eq!(code, 2, "{stderr}");
    std::fs::write(folder.join("flight.log"), binlog_tests::text_log::as_text(&FLIGHT)).expect("room");
    let (code, _, stderr) = text(folder, "anonymise flight.log -o text.bin");
    assert_eq!(code, 0, "{stderr}");
    assert!((first_position(&read(folder, "text.bin"))[1] - first_position(&FLIGHT)[1]).abs() > 1e-3);
    // Never over the log.
    let (code, _, stderr) = text(folder, "anonymise flight.bin -o flight.bin --force");
    assert!(code == 2 && stderr.contains("is the input itself") && read(folder, "flight.bin") == *FLIGHT, "{stderr}");
}

#[test]
fn anonymise_keeps_and_drops_what_is_named() {
    let folder = folder();
    let folder = folder.path();
    let (code, _, stderr) = text(folder, "anonymise flight.bin -o some.bin --keep texts --drop IMU,dates");
    assert_eq!(code, 0, "{stderr}");
    let some = read(folder, "some.bin");
    assert_eq!((count(&some, "MSG"), count(&some, "IMU")), (count(&FLIGHT, "MSG"), 0));
    assert!(Log::from_bytes(&*some).clock().is_none() && Log::from_bytes(&*FLIGHT).clock().is_some());
    for (line, said) in [
        ("anonymise flight.bin -o other.bin --keep textss", "did you mean `texts`?"),
        ("anonymise flight.bin -o other.bin --keep IMU,texts --drop texts", "--keep and --drop both name texts"),
        ("anonymise flight.bin -o other.bin --keep IMU --drop I*", "--keep and --drop both name IMU"),
        ("anonymise flight.bin -o other.bin --drop ATTT", "the log has no type `ATTT`"),
    ] {
        let (code, _, stderr) = text(folder, line);
        assert!(code == 2 && stderr.contains(said) && !folder.join("other.bin").exists(), "{stderr}");
    }
}

#[test]
fn anonymise_says_which_values_it_removes() {
    let mut log = binlog_tests::raw_log::RawLog::with_units();
    log.fmt(1, "GPS", "QLL", "TimeUS,Lat,Lng").fmt(2, "NAV", "Qff", "TimeUS,Lat,Lng").unit('m', "m");
    log.fmtu(2, "-mm", "---").record(1, &binlog_tests::payload![0_u64, 470_000_000_i32, 80_000_000_i32]);
    log.record(2, &binlog_tests::payload![0_u64, 12.5_f32, 0.0_f32]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("flight.bin"), &log.bytes).expect("room");
    for (keep, said) in [("", "; values removed: 1 of coordinates\n"), (" --keep coordinates", "removed: none\n")] {
        let (code, _, stderr) = text(folder.path(), &format!("anonymise flight.bin -o shared.bin --force{keep}"));
        assert!(code == 0 && stderr.contains("1 position moved; records removed: none"), "{stderr}");
        assert!(stderr.ends_with(said), "{stderr}");
    }
}

#[test]
fn anonymise_copies_blackbox_logs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    std::fs::write(folder.join("flight.bbl"), &*BLACKBOX).expect("room");
    let (code, stdout, stderr) = text(folder, "anonymise flight.bbl -o shared.bbl --json");
    let report: serde_json::Value = serde_json::from_str(&stdout).expect("a JSON value");
    assert_eq!((code, &report["lost_bytes"], &report["unknown"]), (0, &0.into(), &0.into()), "{stderr}");
    assert_eq!(frames(&read(folder, "shared.bbl")), frames(&BLACKBOX));
    let (code, _, stderr) = text(folder, "anonymise flight.bbl -o other.bbl --drop MAG");
    assert!(code == 2 && stderr.contains("--drop MAG doesn't apply: it is a Blackbox log"), "{stderr}");
}
