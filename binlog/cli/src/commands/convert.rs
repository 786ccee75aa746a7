//! `binlog convert`: Blackbox logs and text logs as ArduPilot logs.

use super::written::check_destination;
use crate::any_log::SessionLog;
use crate::context::Context;
use crate::counted::counted;
use crate::input::Input;
use crate::json;
use crate::one_line::shown;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, Output, is_same_file, is_stdout, is_stream};
use crate::progress::Progress;
use binlog::blackbox::log::Session;
use binlog::convert::{ConvertError, Converted, to_ardupilot};
use binlog::{AnyLog, Log};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Converts a Blackbox log, or an ArduPilot log that is text, to ArduPilot logs (.bin), which UAV Log Viewer,
/// MAVExplorer and PlotJuggler open.
///
/// Each session of a Blackbox log becomes a log: flight.bin, flight-2.bin, flight-3.bin. A text log (.log, as Mission
/// Planner writes it) becomes one log; lines that can't be read are left out and reported. For each log, prints how
/// much was converted.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A Blackbox log, or a text log; `-` is standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The file for the converted log; by default, the log's name with the extension .bin. Standard output (`-`), a
    /// pipe or a device gets the logs of all sessions, one after the other.
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

/// What became of a text log.
#[derive(Serialize)]
struct TextRow {
    file: String,
    records: usize,
    bytes: usize,
    damaged_lines: usize,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    if let Some(output) = &arguments.output {
        check_destination(output, context)?;
    }
    let input = Input::open_path(&arguments.log)?;
    let to = match (&arguments.output, &input.path) {
        (Some(output), _) => output.clone(),
        (None, Some(path)) => path.with_extension("bin"),
        (None, None) => return Err(Failure::new("name the converted log: binlog convert - -o flight.bin")),
    };
    match &input.log {
        AnyLog::ArduPilot(log) => match log.damaged_lines() {
            Some(damaged) => return text(&input, log, damaged.len(), &to, arguments, context),
            None => return Err(Failure::new(format_args!("{} is an ArduPilot log already", input.name))),
        },
        AnyLog::Blackbox(_) => {}
    }
    let sessions = input.sessions();
    let mut destination = Destination::of(&to, &input, sessions.len(), arguments.existing)?;
    let mut report = (!is_stdout(&to)).then(Output::stdout);
    let mut progress = Progress::bytes(&input.name, input.log.bytes().len() as u64);
    let (mut is_converted, mut lost) = (false, false);
    for session in &sessions {
        let SessionLog::Blackbox(frames) = session.log() else { continue };
        let number = session.number();
        // Nothing is created before the session is known to have frames: a log without any is left out.
        if !frames.has_main_frames() {
            let offset = frames.offset();
            warn(format_args!("{}: session {number} at offset {offset} has no sound frame, left out", input.name));
            lost = true;
            continue;
        }
        let (file, converted) = destination.write(number, frames)?;
        (is_converted, lost) = (true, lost || converted.lost_bytes > 0);
        progress.set(session.range().end as u64);
        if let Some(report) = &mut report {
            print(report, file, number, &converted, context)?;
        }
    }
    destination.finish()?;
    let says_loss = report.is_some();
    report.map_or(Ok(()), Output::finish)?;
    match is_converted {
        true if says_loss => {
            input.note_reported(lost);
            Ok(input.warn_of_loss())
        }
        true => Ok(input.warn_of_loss().max(Outcome::lost_if(lost))),
        false => Err(Failure::new(format_args!("{}: no session has frames", input.name))),
    }
}

/// Writes the binary log that a text log is read as.
fn text(
    input: &Input,
    log: &Log<'_>,
    damaged_lines: usize,
    to: &Path,
    arguments: &Arguments,
    context: &Context,
) -> CommandResult {
    let mut out = Output::create(Some(to), input.path.as_deref(), arguments.existing)?;
    out.write_all(log.bytes())?;
    out.finish()?;
    if !is_stdout(to) {
        let (file, records, bytes) = (shown(to), log.records().flatten().count(), log.bytes().len());
        let mut report = Output::stdout();
        match context.json {
            true => json::line(&mut report, &TextRow { file, records, bytes, damaged_lines })?,
            false => writeln!(report, "{file}\t{}, {}", counted(records, "record"), counted(bytes, "byte"))?,
        }
        report.finish()?;
    }
    Ok(input.warn_of_loss())
}

fn print(
    report: &mut Output,
    file: String,
    session: usize,
    converted: &Converted,
    context: &Context,
) -> Result<(), Failure> {
    if !context.json {
        return Ok(writeln!(report, "{file}\t{converted}")?);
    }
    let &Converted { records, bytes, main_frames, lost_bytes, .. } = converted;
    json::line(report, &Row { file, session, records, bytes, main_frames, lost_bytes })
}

/// Where the converted logs go.
struct Destination<'i> {
    input: &'i Input,
    existing: Existing,
    /// A file for each session; one path for all that go to a stream.
    paths: Vec<PathBuf>,
    /// Standard output, a pipe or a device: it gets all sessions.
    stream: Option<Output>,
}

impl<'i> Destination<'i> {
    /// All names are checked before anything is written: each of them may be the log itself.
    fn of(to: &Path, input: &'i Input, sessions: usize, existing: Existing) -> Result<Self, Failure> {
        if is_stdout(to) || is_stream(to) {
            let stream = Output::create(Some(to), input.path.as_deref(), existing)?;
            return Ok(Destination { input, existing, paths: vec![to.to_owned(); sessions], stream: Some(stream) });
        }
        let paths: Vec<PathBuf> = (1..=sessions).map(|number| numbered(to, number)).collect();
        if let Some(path) = paths.iter().find(|path| input.path.as_ref().is_some_and(|log| is_same_file(log, path))) {
            let text = "is the log itself; name another file for the converted one";
            return Err(Failure::new(format_args!("{} {text}", shown(path))));
        }
        paths.iter().try_for_each(|path| existing.check(path))?;
        Ok(Destination { input, existing, paths, stream: None })
    }

    /// Converts a session, counted from 1. Returns the name of its file, too.
    fn write(&mut self, number: usize, frames: &Session<'_>) -> Result<(String, Converted), Failure> {
        let path = &self.paths[number - 1];
        let convert = |output: &mut Output| {
            to_ardupilot(frames, output).map_err(|error| match error {
                // It names the file.
                ConvertError::Io(error) => error.into(),
                error => Failure::of(format_args!("{}: can't convert it", self.input.name), &error),
            })
        };
        let converted = match &mut self.stream {
            Some(stream) => convert(stream)?,
            None => {
                let mut file = Output::create(Some(path), self.input.path.as_deref(), self.existing)?;
                let converted = convert(&mut file)?;
                file.finish()?;
                converted
            }
        };
        Ok((shown(path), converted))
    }

    fn finish(self) -> Result<(), Failure> {
        self.stream.map_or(Ok(()), Output::finish)
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
