//! The program: `simulator --seconds 60 -o flight.bin`.

#![forbid(unsafe_code)]

mod summary;

use binlog::{LogWriter, WriteError};
use clap::Parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use simulator::{FlightLog, Simulation, fly};
use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{fmt, fs};
use summary::Summary;

/// A flight that is over sooner needs no progress bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Flies a simulated quadcopter through a mission and logs the flight in ArduPilot's format.
#[derive(Parser)]
#[command(version, after_help = "The same seed and duration give the same log, byte for byte, on the same machine.")]
struct Arguments {
    /// Duration of the flight in seconds, up to the hour that the battery lasts.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: u32,

    /// Seed of wind and sensor noise.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The log; a file that exists is overwritten.
    #[arg(short, long, value_name = "FILE", default_value = "flight.bin")]
    output: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // With stderr closed there is nobody to tell.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let path = &arguments.output;
    let records = write(arguments).map_err(|error| {
        let why = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
        with_advice(&format_args!("{error}{why}"), error.kind())
    })?;

    // A pipe or a device takes the log, but can't be read back.
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    let unreadable = |error: &dyn fmt::Display| format!("{}: can't be read back: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| with_advice(&unreadable(&error), error.kind()))?;
    let summary = Summary::new(&bytes).map_err(|skipped| unreadable(&skipped))?;
    if summary.records() != records {
        return Err(format!(
            "{}: {records} records were written, {} are in the file; does another program write to it?",
            path.display(),
            summary.records()
        )
        .into());
    }
    print(&report(&summary, arguments.seconds, &fs::canonicalize(path).unwrap_or_else(|_| path.clone())))?;
    Ok(())
}

/// Flies and writes the log. Returns the number of its records.
fn write(arguments: &Arguments) -> Result<u64, WriteError> {
    let mut log = LogWriter::<FlightLog, _>::create(&arguments.output)?;
    let simulation = Simulation::new(arguments.seed, arguments.seconds);
    let progress = Progress::new(arguments.seconds);
    let flown = fly(simulation, &mut log, |time_us| progress.update(time_us));
    progress.end();
    flown?;
    let records = log.record_count();
    // Dropping the writer would write the rest too, but could not say whether that worked.
    log.finish()?;
    Ok(records)
}

/// A bar on stderr, if that is a terminal and the flight takes long enough.
struct Progress {
    bar: ProgressBar,
    begun: Instant,
}

impl Progress {
    fn new(seconds: u32) -> Self {
        let bar = ProgressBar::with_draw_target(Some(seconds.into()), ProgressDrawTarget::hidden());
        // The template is a constant; if it were invalid, the bar would have the default style.
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} s flown, {eta} to go") {
            bar.set_style(style);
        }
        Progress { bar, begun: Instant::now() }
    }

    fn update(&self, time_us: u64) {
        if self.bar.is_hidden() && self.begun.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(time_us / 1_000_000);
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// The table, the file, and the programs that open it.
fn report(summary: &Summary, seconds: u32, path: &Path) -> String {
    format!(
        "{}\n\
         {path}\n\n\
         Open it with one of\n  \
         UAV Log Viewer   drop it on https://plot.ardupilot.org\n  \
         MAVExplorer      MAVExplorer.py \"{path}\"\n  \
         Mission Planner  DataFlash Logs > Review a Log\n  \
         PlotJuggler      with the plugin https://github.com/ArduPilot/plotjuggler-apbin-plugins\n",
        summary.table(seconds),
        path = path.display(),
    )
}

/// Prints to stdout. A reader that has seen enough, such as `head`, is no error.
fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    }
}

/// An error about the log's file, with advice.
fn with_advice(error: &impl fmt::Display, kind: ErrorKind) -> String {
    let advice = match kind {
        ErrorKind::NotFound => "create its folder, or choose another with -o FILE",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "choose a place where you may write with -o FILE"
        }
        ErrorKind::IsADirectory => "name a file in it with -o FILE",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "make room, choose another place with -o FILE, or fly for less long with --seconds N"
        }
        _ => "choose another place with -o FILE",
    };
    format!("{error}\n{advice}")
}
