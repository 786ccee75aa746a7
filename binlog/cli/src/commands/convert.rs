//! `binlog convert`: Blackbox logs as ArduPilot logs.

use super::written::check_destination;
use crate::arguments::Context;
use crate::flight::SessionLog;
use crate::input::{Input, shown};
use crate::json;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, Output, is_same_file, is_stdout, is_stream};
use crate::progress::Progress;
use binlog::blackbox::convert::ConvertError;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Converts a Blackbox log to ArduPilot logs, which UAV Log Viewer, MAVExplorer and PlotJuggler open.
///
/// Each session becomes a log: flight.bin, flight-2.bin, flight-3.bin. For each log, prints how much was converted.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A Blackbox log; `-` is standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The file for the converted log; by default, the log's name with the extension .bin. Standard output (`-`), a pipe
    /// or a device gets the logs of all sessions, one after the other.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,
}

#[derive(Serialize)]
struct Row {
    file: String,
    session: usize,
    records: u64,
    bytes: u64,
    main_frames: u64,
    lost_bytes: u64,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    if let Some(output) = &arguments.output {
        check_destination(output, context)?;
    }
    let input = Input::open_path(&arguments.log)?;
    let sessions = input.flight.sessions();
    if sessions.iter().any(|session| session.ardupilot().is_some()) {
        return Err(Failure::new(format_args!("{} is an ArduPilot log already", input.name)));
    }
    let to = match (&arguments.output, &input.path) {
        (Some(output), _) => output.clone(),
        (None, Some(path)) => path.with_extension("bin"),
        (None, None) => return Err(Failure::new("name the converted log: binlog convert - -o flight.bin")),
    };
    // All names are checked before anything is written: each of them may be the log itself.
    // Standard output, a pipe or a device gets all sessions.
    let is_stdout = is_stdout(&to);
    let is_stream = is_stdout || is_stream(&to);
    let path = |number| if is_stream { to.clone() } else { numbered(&to, number) };
    let paths: Vec<PathBuf> = (1..=sessions.len()).map(path).collect();
    if let Some(path) = paths.iter().find(|path| input.path.as_ref().is_some_and(|log| is_same_file(log, path))) {
        let text = "is the log itself; name another file for the converted one";
        return Err(Failure::new(format_args!("{} {text}", shown(path))));
    }
    let create = |path: &Path| Output::create(Some(path), input.path.as_deref(), arguments.existing);
    let mut stream = None;
    match is_stream {
        true => stream = Some(create(&to)?),
        false => paths.iter().try_for_each(|path| arguments.existing.check(path))?,
    }
    let mut progress = Progress::bytes(&input.name, input.flight.bytes().len() as u64);
    let (mut report, mut lost, mut is_converted) = ((!is_stdout).then(Output::stdout), false, false);
    for (session, path) in sessions.iter().zip(&paths) {
        let SessionLog::Blackbox(frames) = session.log() else { continue };
        // Nothing is created before the session is known to have frames: a log without any is left out.
        if !frames.has_main_frames() {
            let (number, offset) = (session.number() + 1, frames.offset());
            warn(format_args!("{}: session {number} at offset {offset} has no sound frame, left out", input.name));
            lost = true;
            continue;
        }
        let mut file = None;
        let output = match &mut stream {
            Some(stream) => stream,
            None => file.insert(create(path)?),
        };
        let converted = frames.to_ardupilot(output).map_err(|error| match error {
            // It names the file.
            ConvertError::Io(error) => error.into(),
            error => Failure::of(format_args!("{}: can't convert it", input.name), &error),
        })?;
        file.map_or(Ok(()), Output::finish)?;
        (is_converted, lost) = (true, lost || converted.lost_bytes > 0);
        progress.set(session.range().end as u64);
        let Some(report) = &mut report else { continue };
        let row = Row {
            file: shown(path),
            session: session.number() + 1,
            records: converted.records,
            bytes: converted.bytes,
            main_frames: converted.main_frames,
            lost_bytes: converted.lost_bytes,
        };
        match context.json {
            true => json::line(report, &row)?,
            false => writeln!(report, "{}\t{converted}", row.file)?,
        }
    }
    stream.map_or(Ok(()), Output::finish)?;
    let says_loss = report.is_some();
    report.map_or(Ok(()), Output::finish)?;
    match is_converted {
        true if says_loss => {
            input.says_loss(lost);
            Ok(input.outcome())
        }
        true => Ok(input.outcome().max(Outcome::lost_if(lost))),
        false => Err(Failure::new(format_args!("{}: no session has frames", input.name))),
    }
}

/// `flight.bin` for the first session, `flight-2.bin` for the second.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
