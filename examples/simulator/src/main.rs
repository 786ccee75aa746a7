//! The program: `simulator --seconds 60 -o flight.bin`.

#![forbid(unsafe_code)]

mod flight;
mod progress;
mod replayed;
mod summary;

use binlog::{LogFolder, WriteError};
use clap::error::ErrorKind as ArgumentError;
use clap::{CommandFactory, Parser, ValueEnum};
use flight::{Flight, Flown};
use simulator::mavlink::{Telemetry, Vehicle};
use simulator::replay;
use simulator::{Fault, Format};
use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{fmt, fs, thread};
use summary::Summary;

/// Flies a simulated quadcopter through a mission and logs the flight, in ArduPilot's format or in Blackbox's.
#[derive(Parser)]
#[command(
    version,
    after_help = "The same seed and duration give the same log, byte for byte, on the same machine. In real time the log \
                  has statistics of the logger, which differ."
)]
struct Arguments {
    /// Duration of the flight in seconds, up to the hour that the battery lasts.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: u32,

    /// Seed of wind and sensor noise; further vehicles have the numbers after it.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The log, flight.bin or flight.bbl if it isn't given; a file that exists is overwritten.
    #[arg(short, long, value_name = "FILE", conflicts_with = "logs")]
    output: Option<PathBuf>,

    /// Format of the log.
    #[arg(long, value_enum, default_value_t = Format::Bin)]
    format: Format,

    /// Puts a fault into the flight, which `binlog report` finds by the rule of the same name.
    #[arg(long, value_enum, value_name = "NAME")]
    fault: Option<Fault>,

    /// Flies in real time. The loop never waits for the disk: what the disk is too slow for is dropped and counted.
    #[arg(long)]
    realtime: bool,

    /// Flies several vehicles at once, each with a folder of its own for its logs: logs/1, logs/2, …
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=100))]
    vehicles: u8,

    /// Logs into a folder, with ArduPilot's numbers: 00000001.BIN, … No log is overwritten.
    #[arg(long, value_name = "FOLDER")]
    logs: Option<PathBuf>,

    /// Sends heartbeats to the ground station at this address, streams the log to it while flying, and serves the logs
    /// in the folder: udp:127.0.0.1:14550. Logs into a folder.
    #[arg(long, value_name = "udp:HOST:PORT", requires = "realtime", conflicts_with = "output", value_parser = address)]
    mavlink: Option<String>,

    /// System id on the MAVLink link; further vehicles have the numbers after it.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "mavlink", value_parser = clap::value_parser!(u8).range(1..=150))]
    system: u8,

    /// Seconds for which the logs are served after the flight; until Ctrl-C if it isn't given.
    #[arg(long, value_name = "N", requires = "mavlink")]
    ground: Option<u32>,

    /// Doesn't fly: runs the rate controller on the gyroscope and set points of this log, and compares its outputs with
    /// the logged ones. -o FILE is the log of the replay.
    #[arg(long, value_name = "LOG", conflicts_with_all = ["seconds", "seed", "format", "realtime", "vehicles", "logs"])]
    replay: Option<PathBuf>,

    /// A parameter of the rate controller that has another value in the replay; repeat it for several.
    #[arg(long, value_name = "NAME=VALUE", requires = "replay", value_parser = replay::parameter)]
    param: Vec<replay::Changed>,
}

/// What follows `udp:`.
fn address(link: &str) -> Result<String, String> {
    link.strip_prefix("udp:").map(str::to_owned).ok_or_else(|| "a link is udp:HOST:PORT".to_owned())
}

/// The file's name if none is given.
fn default_file(format: Format) -> &'static Path {
    Path::new(match format {
        Format::Bin => "flight.bin",
        Format::Blackbox => "flight.bbl",
    })
}

/// A value of an option, as it is typed.
fn typed(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.format == Format::Blackbox
        && (arguments.realtime || arguments.vehicles > 1 || arguments.logs.is_some())
    {
        let text = "--realtime, --vehicles and --logs need --format bin: a Blackbox log is written as fast as possible";
        Arguments::command().error(ArgumentError::ArgumentConflict, text).exit();
    }
    if let Some(fault) = arguments.fault.filter(|fault| !fault.formats().contains(&arguments.format)) {
        let formats: Vec<String> =
            fault.formats().iter().map(|format| format!("--format {}", typed(*format))).collect();
        let text = format!("--fault {} needs {}: other logs don't show it", typed(fault), formats.join(" or "));
        Arguments::command().error(ArgumentError::ArgumentConflict, text).exit();
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // With stderr closed there is nobody to tell.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some(flight) = &arguments.replay {
        return print(&replayed::replayed(flight, &arguments.param, arguments.output.as_deref())?).map_err(Into::into);
    }
    let Arguments { seconds, seed, realtime, fault, .. } = *arguments;
    let flight = |number: u8| Flight { seed: seed.wrapping_add(number.into()), seconds, realtime, fault };
    match &arguments.logs {
        None if arguments.vehicles == 1 && arguments.mavlink.is_none() => {
            let path = arguments.output.as_deref().unwrap_or_else(|| default_file(arguments.format));
            fly_one(flight(0), arguments.format, path)
        }
        logs => {
            let logs = logs.clone().unwrap_or_else(|| "logs".into());
            let folder = |number: u8| match arguments.vehicles {
                1 => logs.clone(),
                _ => logs.join((number + 1).to_string()),
            };
            let flights = (0..arguments.vehicles).map(|number| {
                let logs = LogFolder::new(folder(number));
                let on_link = |_| Vehicle::new(arguments.system + number, logs.clone());
                let vehicle = arguments.mavlink.as_ref().map(on_link);
                Flying { flight: flight(number), folder: folder(number), logs, vehicle }
            });
            let flights: Vec<_> = flights.collect();
            match &arguments.mavlink {
                None => fly_several(&flights),
                Some(address) => fly_on_link(&flights, address, arguments.ground),
            }
        }
    }
}

/// Flies one vehicle, and reads its log back.
fn fly_one(flight: Flight, format: Format, path: &Path) -> Result<(), Box<dyn Error>> {
    let flown = match format {
        Format::Bin => flight.to_file(path),
        Format::Blackbox => flight.to_blackbox(path),
    };
    let flown = flown.map_err(|error| failed(&error, FILE))?;

    // A pipe or a device takes the log, but can't be read back.
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    let unreadable = |error: &dyn fmt::Display| format!("{}: can't be read back: {error}", path.display());
    let mut bytes = fs::read(path).map_err(|error| with_advice(&unreadable(&error), error.kind(), FILE))?;
    let summary = match format {
        Format::Bin => Summary::new(&bytes).map_err(|skipped| unreadable(&skipped))?,
        Format::Blackbox => Summary::of_blackbox(&bytes).map_err(|lost| unreadable(&lost))?,
    };
    if summary.records() != flown.records {
        return Err(format!(
            "{}: {} records were written, {} are in the file; does another program write to it?",
            path.display(),
            flown.records,
            summary.records()
        )
        .into());
    }
    if flight.fault == Some(Fault::LogDamage) {
        Fault::LogDamage.damage(&mut bytes);
        fs::write(path, &bytes).map_err(|error| with_advice(&error, error.kind(), FILE))?;
    }
    let lateness = if flight.realtime { format!("\n{}", flown.in_real_time()) } else { String::new() };
    print(&format!(
        "{}{lateness}\n{}",
        summary.table(flight.seconds),
        viewers(format, &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()))
    ))?;
    Ok(())
}

/// A flight that logs into a folder.
struct Flying {
    flight: Flight,
    folder: PathBuf,
    logs: LogFolder,
    /// The vehicle on the link.
    vehicle: Option<Vehicle>,
}

/// Flies several vehicles at once, each on a thread of its own and into a folder of its own.
fn fly_several(flights: &[Flying]) -> Result<(), Box<dyn Error>> {
    let flown: Vec<Result<Flown, WriteError>> = thread::scope(|scope| {
        let threads: Vec<_> =
            flights.iter().map(|it| scope.spawn(|| it.flight.to_folder(&it.logs, it.vehicle.as_ref()))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a flight doesn't panic")).collect()
    });
    let mut text = String::new();
    for (flown, Flying { flight, folder, .. }) in flown.into_iter().zip(flights) {
        let flown = flown.map_err(|error| failed(&error, FOLDER))?;
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        text += &format!("{}: {} records\n", folder.display(), flown.records);
        if flight.realtime {
            text += &format!("  {}", flown.in_real_time());
        }
    }
    print(&text)?;
    Ok(())
}

/// Flies several vehicles with a MAVLink link to a ground station, and serves their logs after the flight.
fn fly_on_link(flights: &[Flying], address: &str, ground: Option<u32>) -> Result<(), Box<dyn Error>> {
    let failed = |error: io::Error| format!("--mavlink udp:{address}: {error}");
    let vehicles = flights.iter().filter_map(|it| it.vehicle.clone()).collect();
    let telemetry = Telemetry::spawn(address, vehicles).map_err(failed)?;
    fly_several(flights)?;
    let (until, end) = match ground {
        Some(seconds) => (format!("for {seconds} s"), Some(Duration::from_secs(seconds.into()))),
        None => ("until Ctrl-C".to_owned(), None),
    };
    print(&format!("the logs are served over MAVLink {until}\n"))?;
    let landed = Instant::now();
    while telemetry.is_running() && end.is_none_or(|end| landed.elapsed() < end) {
        thread::sleep(Duration::from_millis(50));
    }
    Ok(telemetry.finish().map_err(failed)?)
}

/// The file, and the programs that open it.
fn viewers(format: Format, path: &Path) -> String {
    let path = path.display();
    if format == Format::Blackbox {
        return format!(
            "{path}\n\n\
             Open it with one of\n  \
             Blackbox Explorer  drop it on https://blackbox.betaflight.com\n  \
             PIDtoolbox         https://github.com/bw1129/PIDtoolbox\n",
        );
    }
    format!(
        "{path}\n\n\
         Open it with one of\n  \
         UAV Log Viewer   drop it on https://plot.ardupilot.org\n  \
         MAVExplorer      MAVExplorer.py \"{path}\"\n  \
         Mission Planner  DataFlash Logs > Review a Log\n  \
         PlotJuggler      with the plugin https://github.com/ArduPilot/plotjuggler-apbin-plugins\n",
    )
}

/// An error of a log, with its source and advice.
fn failed(error: &WriteError, option: &str) -> String {
    let why = Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    with_advice(&format_args!("{error}{why}"), error.kind(), option)
}

/// Prints to stdout. A reader that has seen enough, such as `head`, is not an error.
fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    }
}

/// The option that says where one log is.
const FILE: &str = "-o FILE";
/// The option that says where numbered logs are.
const FOLDER: &str = "--logs FOLDER";

/// An error about a log, with advice: `option` chooses its place.
fn with_advice(error: &impl fmt::Display, kind: ErrorKind, option: &str) -> String {
    let advice = match kind {
        ErrorKind::NotFound => format!("create its folder, or choose another with {option}"),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("choose a place where you may write with {option}")
        }
        ErrorKind::IsADirectory => format!("name a file in it with {option}"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            format!("make room, choose another place with {option}, or fly for less long with --seconds N")
        }
        _ => format!("choose another place with {option}"),
    };
    format!("{error}\n{advice}")
}
