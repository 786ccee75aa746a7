//! Times commands of the program beside what they are measured by: `program BINLOG [--size MB] [--check]`.
//!
//! Prints a row each with the goal. Fails if a size is above its bound; with `--check` it measures nothing else. What
//! is missing is left out with a line on stderr.

#[path = "../../../src/text_log.rs"]
mod text_log;

use binlog::{Log, Scaling};
use binlog_performance::timing::{median, time};
use simulator::Simulation;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

const ROUNDS: usize = 7;

/// Columns of the simulator's flight, for one page.
const COLUMNS: [&str; 10] = [
    "ATT.Roll",
    "ATT.Pitch",
    "ATT.Yaw",
    "ATT.DesRoll",
    "ATT.DesPitch",
    "ATT.DesYaw",
    "RATE.R",
    "RATE.P",
    "RATE.Y",
    "RATE.RDes",
];

/// The most bytes of the program, of a page with the ten columns, and of a report.
const MAX_PROGRAM_BYTES: u64 = 16_000_000;
const MAX_PAGE_BYTES: u64 = 1_000_000;
const MAX_REPORT_BYTES: u64 = 800_000;

/// Reads all values of a text log with pymavlink, which converts them when they are asked for.
const READ_TEXT: &str = "
import sys
from pymavlink import DFReader
log = DFReader.DFReader_text(sys.argv[1])
while (record := log.recv_msg()) is not None:
    record.to_dict()
";

struct Arguments {
    program: PathBuf,
    log_bytes: usize,
    check: bool,
}

fn arguments() -> Option<Arguments> {
    let mut words = std::env::args().skip(1);
    let mut arguments = Arguments { program: words.next()?.into(), log_bytes: 20_000_000, check: false };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--check" => arguments.check = true,
            "--size" => {
                let megabytes: f64 = words.next()?.parse().ok()?;
                arguments.log_bytes = (megabytes > 0.0).then_some((megabytes * 1e6) as usize)?;
            }
            _ => return None,
        }
    }
    Some(arguments)
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("binlog-program-{}", std::process::id()));
        fs::create_dir_all(&folder).map(|()| Folder(folder))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that can't be removed is the system's to remove.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A flight of the simulator that is about this long.
fn flight(bytes: usize) -> Vec<u8> {
    const SECONDS: u32 = 20;
    let few = simulator::log_of(Simulation::new(1, SECONDS)).len();
    let seconds = (bytes as f64 / few as f64 * f64::from(SECONDS)).ceil();
    // The battery lasts an hour.
    simulator::log_of(Simulation::new(1, seconds.clamp(1.0, 3600.0) as u32))
}

/// The time of a command, whose output goes nowhere.
fn run(command: &mut Command) -> Result<Duration, Box<dyn Error>> {
    let mut status = None;
    let elapsed = time(|| status = Some(command.stdout(Stdio::null()).status()));
    match status.transpose()? {
        Some(status) if status.success() => Ok(elapsed),
        Some(status) => Err(format!("{command:?}: {status}").into()),
        None => Err(format!("{command:?} wasn't run").into()),
    }
}

/// The medians of two works that are measured in turn.
fn in_turn(
    mut one: impl FnMut() -> Result<Duration, Box<dyn Error>>,
    mut other: impl FnMut() -> Result<Duration, Box<dyn Error>>,
) -> Result<(f64, f64), Box<dyn Error>> {
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ones.push(one()?);
        others.push(other()?);
    }
    Ok((median(ones).as_secs_f64(), median(others).as_secs_f64()))
}

/// Python, and the script `mavlogdump.py`, if it has pymavlink.
fn pymavlink() -> Option<(OsString, PathBuf)> {
    let python = std::env::var_os("BINLOG_PYTHON").unwrap_or_else(|| "python3".into());
    let script = "import pymavlink, sysconfig; print(sysconfig.get_path('scripts'))";
    let output = Command::new(&python).args(["-c", script]).stderr(Stdio::null()).output().ok()?;
    let scripts = String::from_utf8(output.stdout).ok()?;
    let script = Path::new(scripts.trim_end()).join("mavlogdump.py");
    script.is_file().then_some((python, script))
}

/// Prints a row each for a log, and for the same log as text.
fn beside_pymavlink(binlog: impl Fn() -> Command, log: &Path, text: &Path) -> Result<(), Box<dyn Error>> {
    let Some((python, mavlogdump)) = pymavlink() else {
        eprintln!("left out: dump beside pymavlink (pip install pymavlink, or name a Python in BINLOG_PYTHON)");
        return Ok(());
    };
    let rows = [
        (log, "dump", "mavlogdump.py", vec![mavlogdump.into_os_string()], "at least 50 x as fast"),
        (text, "dump of text", "DFReader_text", vec!["-c".into(), READ_TEXT.into()], "at least 20 x as fast"),
    ];
    for (log, what, reader, script, goal) in rows {
        let bytes = fs::metadata(log)?.len() as f64;
        let rate = |seconds: f64| format!("{:.1} MB/s", bytes / 1e6 / seconds);
        // Once: it takes a second for 2 to 5 MB.
        let theirs = run(Command::new(&python).args(script).arg(log).env("MAVLINK20", "1"))?.as_secs_f64();
        let (ours, _) = in_turn(|| run(binlog().arg("dump").arg(log)), || Ok(Duration::ZERO))?;
        let beside = format!("{reader} {}, {}", milliseconds(theirs), rate(theirs));
        let what = format!("{what}, {}", rate(ours));
        row(&what, &milliseconds(ours), &beside, &format!("{:.1} x", theirs / ours), goal);
    }
    Ok(())
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1e3)
}

fn row(what: &str, ours: &str, beside: &str, compared: &str, goal: &str) {
    println!("{what:<34} {ours:>12}   {beside:<38} {compared:>9}   {goal}");
}

/// The command that draws the page.
fn plot(program: &Path, log: &Path, page: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("plot").arg(log).args(COLUMNS).args(["--force", "-o"]).arg(page);
    command
}

/// The command that writes the report.
fn report(program: &Path, log: &Path, page: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("report").arg(log).args(["--force", "-o"]).arg(page);
    command
}

fn times(program: &Path, folder: &Folder, log: &Path, page: &Path) -> Result<(), Box<dyn Error>> {
    let binlog = || Command::new(program);
    let text = folder.file("flight.log");
    fs::write(&text, text_log::as_text(&fs::read(log)?))?;
    beside_pymavlink(binlog, log, &text)?;
    let plot = || run(&mut plot(program, log, page));
    let read = || {
        let read_columns = || -> Result<Vec<_>, Box<dyn Error>> {
            let log = Log::open(log)?;
            let column = |name: &str| {
                let (rows, label) = log.select(name)?;
                Ok((rows.times_us(), rows.numbers(label, Scaling::Units)?))
            };
            COLUMNS.into_iter().map(column).collect()
        };
        read_columns()?;
        Ok(time(read_columns))
    };
    let (ours, theirs) = in_turn(plot, read)?;
    let beside = format!("reading the columns {}", milliseconds(theirs));
    row(
        "plot of ten columns, HTML",
        &milliseconds(ours),
        &beside,
        &format!("{:.2} x", ours / theirs),
        "at most 3 x for 100 MB",
    );
    let index = || {
        let build = || Log::open(log).map(|log| log.types().count());
        build()?;
        Ok(time(build))
    };
    let (ours, theirs) = in_turn(|| run(binlog().arg("info").arg(log)), index)?;
    let beside = format!("building the index {}", milliseconds(theirs));
    row("info", &milliseconds(ours), &beside, &format!("{:.2} x", ours / theirs), "at most 1.5 x");
    let copy = |command: &str| {
        let mut copy = binlog();
        copy.arg(command).arg(log).args(["--force", "-o"]).arg(folder.file("copy.bin"));
        copy
    };
    let (ours, theirs) = in_turn(|| run(&mut copy("anonymise")), || run(copy("cut").args(["--from", "0"])))?;
    let beside = format!("cut of everything {}", milliseconds(theirs));
    row("anonymise", &milliseconds(ours), &beside, &format!("{:.2} x", ours / theirs), "at most 3 x");
    let (ours, theirs) = in_turn(
        || run(&mut report(program, log, &folder.file("report.html"))),
        || run(binlog().arg("stats").arg(log)),
    )?;
    let beside = format!("stats {}", milliseconds(theirs));
    row("report", &milliseconds(ours), &beside, &format!("{:.2} x", ours / theirs), "at most 3 x");
    let (ours, theirs) = in_turn(|| run(binlog().arg("--version")), || run(&mut Command::new("true")))?;
    row("start", &milliseconds(ours), &format!("true {}", milliseconds(theirs)), "", "at most 10 ms");
    Ok(())
}

/// Prints a size. Returns whether it is within its bound.
fn size(what: &str, file: &Path, bound: u64) -> Result<bool, Box<dyn Error>> {
    let bytes = fs::metadata(file)?.len();
    let megabytes = |bytes: u64| format!("{:.2} MB", bytes as f64 / 1e6);
    row(what, &megabytes(bytes), "", "", &format!("at most {}", megabytes(bound)));
    Ok(bytes <= bound)
}

fn measure(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let folder = Folder::new()?;
    let (log, page) = (folder.file("flight.bin"), folder.file("flight.html"));
    let bytes = flight(arguments.log_bytes);
    fs::write(&log, &bytes)?;
    println!(
        "a simulated flight of {:.1} MB; times are medians of {ROUNDS}, pymavlink's of one",
        bytes.len() as f64 / 1e6
    );
    drop(bytes);
    let reported = folder.file("report.html");
    run(&mut plot(&arguments.program, &log, &page))?;
    run(&mut report(&arguments.program, &log, &reported))?;
    if !arguments.check {
        times(&arguments.program, &folder, &log, &page)?;
    }
    let sizes = [
        size("the program, stripped", &arguments.program, MAX_PROGRAM_BYTES)?,
        size("the page with ten columns", &page, MAX_PAGE_BYTES)?,
        size("the report", &reported, MAX_REPORT_BYTES)?,
    ];
    Ok(sizes.into_iter().all(|is_small| is_small))
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("usage: tests/performance/program [--size MB] [--check]");
        return ExitCode::from(2);
    };
    match measure(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("program: a size is above its bound");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("program: {error}");
            ExitCode::FAILURE
        }
    }
}
