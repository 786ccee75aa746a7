//! What README and the guide say of the program: their commands run as they are typed, on the simulator's logs, and the
//! table of inputs is right.

use crate::{command, images, ran};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use binlog_tests::text_log::as_text;
use clap::CommandFactory;
use simulator::{Fault, Simulation};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};
use tempfile::TempDir;

const CHAPTER: &str = include_str!("../../../src/guide/program.md");

const PAGES: [(&str, &str); 12] = [
    ("README.md", include_str!("../../../../README.md")),
    ("program.md", CHAPTER),
    ("plots.md", include_str!("../../../src/guide/plots.md")),
    ("report.md", include_str!("../../../src/guide/report.md")),
    ("export/guide.md", include_str!("../../src/export/guide.md")),
    ("reading.md", include_str!("../../../src/guide/reading.md")),
    ("simulators.md", include_str!("../../../src/guide/simulators.md")),
    ("replay.md", include_str!("../../../src/guide/replay.md")),
    ("blackbox.md", include_str!("../../../src/guide/blackbox.md")),
    ("unknown_firmware.md", include_str!("../../../src/guide/unknown_firmware.md")),
    ("formats_over_years.md", include_str!("../../../src/guide/formats_over_years.md")),
    ("whole_logs.md", include_str!("../../../src/guide/whole_logs.md")),
];

/// What the commands of `cargo run -p simulator` write.
static FLIGHT: LazyLock<[Vec<u8>; 2]> =
    LazyLock::new(|| [simulator::log_of(Simulation::new(1, 60)), simulator::blackbox::log_of(Simulation::new(1, 60))]);

/// The commands of the program on a page, without prompts and comments.
/// Without `record`, which runs until it is interrupted.
fn commands(page: &str) -> Vec<&str> {
    let lines =
        page.lines().filter_map(|line| line.strip_prefix("$ binlog ")).filter(|line| !line.starts_with("record "));
    lines.map(|line| line.split_once(" #").map_or(line, |(line, _)| line).trim()).collect()
}

/// The log of the chapter about simulators.
fn rocket() -> Vec<u8> {
    let mut log = RawLog::with_units();
    log.descriptions(
        "<logformat name=\"PHAS\"><fields><field name=\"Phase\"><enum><element name=\"Pad\"><value>0</value></element>\
         <element name=\"Boost\"><value>3</value></element></enum></field></fields></logformat>",
    );
    log.fmt(30, "PHAS", "QBH", "TimeUS,Phase,Faults").fmtu(30, "s--", "F--");
    log.record(30, &payload![0_u64, 0_u8, 0_u16]).record(30, &payload![2_000_000_u64, 3_u8, 5_u16]);
    log.bytes
}

/// A log with a mission of two items and a fence.
fn with_mission() -> Vec<u8> {
    let mut log = RawLog::new();
    log.fmt(30, "CMD", "QHHHfLLf", "TimeUS,CTot,CNum,CId,Prm1,Lat,Lng,Alt");
    log.fmt(31, "FNCE", "QBBBLLBf", "TimeUS,Tot,Seq,Type,Lat,Lng,Count,Radius");
    for number in 0..2_u16 {
        log.record(30, &payload![1_u64, 2_u16, number, 16_u16, 0_f32, 485_000_000_i32, 112_000_000_i32, 20_f32]);
    }
    log.record(31, &payload![1_u64, 1_u8, 0_u8, 92_u8, 485_000_000_i32, 112_000_000_i32, 0_u8, 50_f32]);
    log.bytes
}

/// A folder with the simulator's logs, and with what a reader has of his own.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("room");
        fs::write(path, bytes).expect("room");
    };
    let [flight, blackbox] = &*FLIGHT;
    ["flight.bin", "before.bin", "after.bin", "new.bin"].iter().for_each(|name| write(name, flight));
    write("flight.bbl", blackbox);
    write("flights.bbl", &blackbox.repeat(2));
    write("damaged.bbl", &[&blackbox[..100_000], &blackbox[100_020..]].concat());
    write("headless.bbl", &blackbox[2000..]);
    write("old-flight.log", &as_text(flight));
    write("rocket.bin", &rocket());
    write("shaken.bin", &simulator::log_of(Simulation::new(1, 30).with_fault(Fault::Vibration)));
    let desync = Simulation::new(1, 30).with_fault(Fault::Desync);
    write("desync.bbl", &simulator::blackbox::log_of(desync));
    write("limits.txt", b"vibration.threshold = 15 # softer\n");
    write("mission.bin", &with_mission());
    write("chip.img", &images::chip(8 << 20, &[flight]));
    let lock = "examples/simulator/flightlog.lock";
    write(lock, &fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(lock)).expect("the lock"));
    let graph = "<graphs><graph name='Attitude Control'><expression>ATT.Roll</expression></graph></graphs>";
    write("mavgraphs.xml", graph.as_bytes());
    folder
}

#[cfg(unix)]
#[test]
fn commands_of_the_guide_run_as_they_are_typed() {
    let program = Path::new(env!("CARGO_BIN_EXE_binlog")).parent().expect("a folder");
    let paths = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([program.to_owned()].into_iter().chain(env::split_paths(&paths))).expect("paths");
    for (name, page) in PAGES {
        let folder = folder();
        let commands = commands(page);
        assert!(!commands.is_empty(), "{name}");
        for line in commands {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("binlog {line}")]).current_dir(folder.path()).env("PATH", &path);
            let ran = ran(&shell.output().expect("sh runs"));
            let has_findings = line.starts_with("check ") && ran.code == Some(1);
            // It says what it removes.
            let says = ["repair ", "anonymise "].iter().any(|name| line.starts_with(name));
            if says && matches!(ran.code, Some(0 | 3)) && !ran.stderr.is_empty() {
                continue;
            }
            assert!(ran.code == Some(0) || has_findings, "{name}: binlog {line}: {:?}, {}", ran.code, ran.stderr);
            let is_of_the_readme = name == "README.md" && has_findings;
            assert!(!is_of_the_readme || ran.stdout.contains(": 0 errors, 3 warnings\n"), "{}", ran.stdout);
            let is_same = line.starts_with("params --diff ") && ran.stderr.contains(": no parameter differs from ");
            assert!(ran.stderr.is_empty() || is_same, "{name}: binlog {line}: {}", ran.stderr);
        }
    }
}

/// The rows of the chapter's table: command, number of logs, folders, Blackbox, part of the flight.
fn rows() -> Vec<[&'static str; 5]> {
    let table = CHAPTER.lines().skip_while(|line| !line.starts_with("| command |")).skip(2);
    let rows = table.take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        cells.try_into().expect("five cells")
    });
    rows.collect()
}

#[test]
fn the_table_of_inputs_is_right() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    fs::create_dir(path("logs")).expect("room");
    fs::copy(crate::log("flight.bin"), path("a.bin")).expect("room");
    for (option, name) in [("--to", "logs/first.bin"), ("--from", "logs/rest.bin")] {
        let ran =
            ran(&command(["cut", "a.bin", option, "5", "-o", name]).current_dir(folder.path()).output().expect("ran"));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    fs::copy(crate::log("flight.bbl"), path("b.bbl")).expect("room");
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/simulator/flightlog.lock");
    fs::copy(lock, path("flightlog.lock")).expect("room");
    let program = binlog_cli::arguments::Arguments::command();
    for [name, logs, folders, blackbox, part] in rows() {
        let runs = |logs: &str| {
            let line = match name {
                "anonymise" | "cut" | "repair" => format!("{name} {logs} -o out --force"),
                "merge" => format!("merge {logs} -o out --force"),
                "convert" => format!("convert {logs} --force"),
                "export" => format!("export {logs} --format jsonl -o exported --force"),
                "find" => format!("find a {logs}"),
                "lock" => format!("lock flightlog.lock {logs}"),
                "plot" if logs.ends_with("bbl") => format!("plot {logs} gyroADC[0]"),
                "plot" => format!("plot {logs} ATT.Roll"),
                _ => format!("{name} {logs}"),
            };
            let ran = ran(&command(line.split(' ')).current_dir(folder.path()).output().expect("the program runs"));
            // A file of one log, a folder of several.
            let _ = fs::remove_dir_all(path("exported")).or_else(|_| fs::remove_file(path("exported")));
            // 1 is a finding.
            matches!(ran.code, Some(0 | 1 | 3))
        };
        let yes = |cell: &str| match cell {
            "yes" | "only" => true,
            "no" => false,
            cell => panic!("{name}: {cell}"),
        };
        let one = match (name, blackbox) {
            (_, "only") => "b.bbl",
            _ => "a.bin",
        };
        let most = match logs {
            "one" => 1,
            "two" => 2,
            "several" => 3,
            logs => panic!("{name}: {logs}"),
        };
        let several = [one, "logs/first.bin", "logs/rest.bin"];
        for count in 1..=3 {
            let accepted = if logs == "two" { count == 2 } else { count <= most };
            assert_eq!(runs(&several[..count].join(" ")), accepted, "{name} of {count} logs");
        }
        let of_folder = if logs == "two" { "a.bin logs" } else { "logs" };
        assert_eq!(runs(of_folder), yes(folders), "{name} of a folder");
        let of_blackbox = if logs == "two" { "a.bin b.bbl" } else { "b.bbl" };
        assert_eq!(runs(of_blackbox), yes(blackbox), "{name} of a Blackbox log");
        let arguments = program.find_subcommand(name).expect("a command").get_arguments();
        let options: Vec<&str> = arguments.filter_map(|argument| argument.get_long()).collect();
        for option in ["from", "to", "mode", "armed", "session"] {
            assert_eq!(options.contains(&option), yes(part), "{name} --{option}");
        }
    }
    let named: Vec<&str> = rows().iter().map(|row| row[0]).collect();
    let others = ["completions", "download", "extract", "manual", "record", "help"];
    for of in program.get_subcommands().map(clap::Command::get_name) {
        assert!(named.contains(&of) || others.contains(&of), "{of} is in the table");
    }
}
