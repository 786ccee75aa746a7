//! `binlog export`: logs in the formats of other programs.

#[cfg(feature = "parquet")]
mod data_set;
mod per_log;
mod per_type;
mod place;

use crate::any_log::Session;
use crate::context::{self, Context, Logs};
use crate::export::choice::{Choice, Unknown};
use crate::export::tables;
use crate::export::time::TimeColumn;
use crate::input::{Input, Source, Sources};
use crate::intervals::Intervals;
use crate::json;
use crate::mission::Kind;
use crate::outcome::{CommandResult, Failure, Outcome, print, warn};
use crate::output::{Existing, Output, is_stdout};
use crate::patterns::matches;
use crate::progress::Progress;
use crate::selection::Selection;
use crate::suggest;
use clap::ValueEnum;
use place::{Needs, Place};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Converts logs to CSV, JSON lines, Parquet, MCAP, KML, GPX or waypoint files.
///
/// The definitions of a log (FMT, FMTU, UNIT and MULT) are in JSON lines; the other formats leave them out unless
/// --types names them. A text that takes several records is exported whole, in place of the first one.
///
/// For CSV, -o is a folder that gets a file for each type; with --wide or --rate, it is one file. For JSON lines, MCAP,
/// KML, GPX and waypoints, -o is a file.
///
/// For Parquet, -o is the folder of a data set, to which the logs are added: a folder for each type, and the folder
/// `logs` with a row for each log, which the column log_id joins. Logs may define a type with different columns, so
/// read the files of a type by name: in DuckDB with `read_parquet('fleet/ATT/*.parquet', union_by_name = true)`.
///
/// To export several logs, name a folder with -o: each log gets a file in it, or for CSV a folder.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,

    /// The format; by default, the extension of -o chooses it, and --wide and --rate choose csv.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,

    /// The file or folder to write to; by default, and with `-`, standard output, if the export is one file.
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Exports only these types, columns and instances, such as ATT,IMU.GyrX,GPS[0].Alt; `XK*` and `XK?` select several
    /// types. A column of one instance, such as IMU[1].GyrX, has no value in records of other instances: its cell is
    /// empty in CSV and null in Parquet.
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',', value_parser = context::name)]
    types: Vec<String>,

    /// CSV: writes one file, with a line for each record of this type and the last values of the other types. FILE,
    /// MSG, PARM, VER, EV, ERR, DSF, DROP, RING, ISBH and ISBD are left out unless --types names them. Records of
    /// several instances share a line if they have the same time.
    #[arg(long, value_name = "TYPE")]
    wide: Option<String>,

    /// CSV: writes one file, with this number of lines a second and the last values of all types.
    #[arg(long, value_name = "HZ", conflicts_with = "wide", allow_negative_numbers = true)]
    rate: Option<f64>,

    /// With --wide and --rate: leaves a cell empty if its last value is older than this.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    max_age: Option<f64>,

    /// CSV: adds a second time column after TimeUS.
    #[arg(long, value_enum, value_name = "TIME")]
    time: Option<TimeColumn>,

    /// CSV and JSON lines: writes the names that the log has for values and bits: Boost for 3, Battery | Compass for 5.
    /// A value without a name stays a number.
    #[arg(long)]
    value_names: bool,

    /// KML and GPX: the type that has the positions; by default, the first of POS, GPS, GPS2, AHR2 and SIM in the log.
    #[arg(long, value_name = "TYPE")]
    track: Option<String>,

    /// Waypoints: which items.
    #[arg(long, value_enum, value_name = "ITEMS", default_value_t = Kind::Mission)]
    items: Kind,

    /// Waypoints: the number of the upload, 1 for the first; by default, the last one of which the log has all items.
    #[arg(long, value_name = "N")]
    upload: Option<NonZeroUsize>,

    #[command(flatten)]
    existing: Existing,

    #[command(flatten)]
    selection: Selection,
}

/// A format to export to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Comma-separated values.
    Csv,
    /// JSON lines.
    #[value(alias = "json", alias = "ndjson")]
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// MCAP.
    Mcap,
    /// Keyhole Markup Language.
    Kml,
    /// GPS Exchange Format.
    Gpx,
    /// A waypoint file for ground stations, QGC WPL 110: the mission, the fence or rally points.
    Waypoints,
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::Parquet => "parquet",
            Format::Mcap => "mcap",
            Format::Kml => "kml",
            Format::Gpx => "gpx",
            Format::Waypoints => "waypoints",
        }
    }
}

/// What `--json` prints at the end.
#[derive(Serialize)]
struct Summary<'s> {
    format: &'s str,
    output: &'s Path,
    /// Logs that were read.
    logs: usize,
    /// Logs that were written; a data set has the others already.
    written: usize,
    damaged: usize,
}

/// A log to export, with what is chosen of it.
struct Chosen<'c> {
    /// The log's name for messages.
    name: &'c str,
    sessions: &'c [Session<'c>],
    intervals: Vec<Intervals>,
    choice: &'c Choice,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let format = format(arguments)?;
    let choice = Choice::of(arguments.types.iter().map(String::as_str));
    let sources = arguments.logs.sources()?;
    check(arguments, format, &choice, context)?;
    let is_one = sources.len() == 1 && !arguments.logs.logs.iter().any(|path| path.is_dir());
    let mut run = ExportRun {
        arguments,
        format,
        choice: &choice,
        is_one,
        exporter: exporter(arguments, format, is_one)?,
        unknown: None,
        worst: sources.warn_of_left_out(),
        counts: Counts::default(),
    };
    let length = |source: &Source| source.path().and_then(|path| path.metadata().ok()).map_or(0, |file| file.len());
    let mut progress = Progress::bytes("exporting", sources.iter().map(length).sum());
    for source in sources.iter() {
        let outcome = sources.open(source).and_then(|input| input.ended(run.one(&input)));
        progress.add(length(source));
        run.note(outcome)?;
    }
    drop(progress);
    run.finish(&sources, context)
}

/// The export of the logs, one after the other.
struct ExportRun<'a> {
    arguments: &'a Arguments,
    format: Format,
    choice: &'a Choice,
    /// Whether it is of one log, whose first error ends it.
    is_one: bool,
    exporter: Box<dyn Exporter + 'a>,
    /// The chosen names that none of the logs has; `None` before the first log.
    unknown: Option<Vec<Unknown>>,
    worst: Outcome,
    counts: Counts,
}

/// Numbers of logs.
#[derive(Default)]
struct Counts {
    exported: usize,
    damaged: usize,
    /// Those that lack what is chosen.
    absent: usize,
}

impl ExportRun<'_> {
    /// Exports a log.
    fn one(&mut self, input: &Input) -> CommandResult {
        let sessions = input.sessions();
        self.require_choice(&sessions).map_err(|failure| failure.context(&input.name))?;
        let selection = &self.arguments.selection;
        let intervals = selection.intervals(&sessions).map_err(|failure| failure.context(&input.name))?;
        let chosen = Chosen { name: &input.name, sessions: &sessions, intervals, choice: self.choice };
        let has_records = self.exporter.export(input, &chosen)?;
        if !has_records && !sessions.is_empty() {
            selection.warn_of_nothing(input, !self.choice.is_everything());
        }
        if has_records {
            warn_without_times(&input.name, &sessions, self.format);
        }
        input.note_sessions(&sessions);
        Ok(Outcome::Fine)
    }

    /// The names that the log doesn't have: of one log they are a mistake, of several those that none of them has.
    fn require_choice(&mut self, sessions: &[Session<'_>]) -> Result<(), Failure> {
        let labels: Vec<_> = sessions.iter().flat_map(tables::labels).collect();
        let of_log = if self.choice.is_everything() { Vec::new() } else { self.choice.unknown(&labels) };
        if self.is_one {
            require(&of_log)?;
            require_instances(self.choice, sessions)?;
        }
        self.unknown = Some(match self.unknown.take() {
            None => of_log,
            Some(unknown) => {
                unknown.into_iter().filter(|name| of_log.iter().any(|other| other.given == name.given)).collect()
            }
        });
        Ok(())
    }

    /// Counts how the export of a log ended.
    fn note(&mut self, outcome: CommandResult) -> Result<(), Failure> {
        let outcome = match outcome {
            Ok(outcome) => {
                self.counts.exported += 1;
                self.counts.damaged += usize::from(outcome == Outcome::Lost);
                outcome
            }
            Err(failure) if self.is_one || failure.is_closed_pipe() => return Err(failure),
            Err(failure) => {
                print(&failure);
                self.counts.absent += usize::from(failure.is_absent());
                if failure.is_absent() { Outcome::Fine } else { Outcome::Failed }
            }
        };
        self.worst = self.worst.max(outcome);
        Ok(())
    }

    /// Ends what belongs to all logs, and says what was exported.
    fn finish(self, sources: &Sources, context: &Context) -> CommandResult {
        let Counts { exported, damaged, absent } = self.counts;
        require(&self.unknown.unwrap_or_default()).map_err(|failure| failure.context("all logs"))?;
        let written = self.exporter.finish()?.unwrap_or(exported);
        if context.json
            && let Some(output) = &self.arguments.output
        {
            let mut out = Output::stdout();
            let format = self.format.ending();
            json::line(&mut out, &Summary { format, output, logs: exported, written, damaged })?;
            out.finish()?;
        }
        Ok(if sources.all_are(absent) { Outcome::Failed } else { self.worst })
    }
}

/// Says what the export has in place of times if no record of a boot has one.
fn warn_without_times(name: &str, sessions: &[Session<'_>], format: Format) {
    let without: Vec<String> =
        sessions.iter().filter(|session| !session.has_times()).map(|session| session.number().to_string()).collect();
    let of = match without.len() {
        0 => return,
        count if count == sessions.len() => String::new(),
        1 => format!(" of session {}", without[0]),
        _ => format!(" of the sessions {}", without.join(", ")),
    };
    let so = match format {
        Format::Csv | Format::Parquet => "TimeUS is empty",
        Format::Jsonl => "the objects have no TimeUS",
        Format::Mcap => "all messages have the same time",
        Format::Kml | Format::Gpx => "the positions have no time",
        Format::Waypoints => return,
    };
    warn(format_args!("{name}: no record{of} has a time; {so}"));
}

/// Writes logs in one format.
trait Exporter {
    /// Writes a log. Returns whether a record of it is chosen.
    fn export(&mut self, input: &Input, chosen: &Chosen<'_>) -> Result<bool, Failure>;

    /// Ends what belongs to all logs. Returns how many were written if that isn't all that were read.
    fn finish(self: Box<Self>) -> Result<Option<usize>, Failure> {
        Ok(None)
    }
}

fn exporter<'a>(arguments: &'a Arguments, format: Format, is_one: bool) -> Result<Box<dyn Exporter + 'a>, Failure> {
    let place = || Place::new(arguments.output.as_deref(), Needs::File, is_one, arguments.existing);
    Ok(match format {
        Format::Csv if arguments.wide.is_none() && arguments.rate.is_none() => {
            Box::new(per_type::PerType::new(arguments, is_one)?)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(data_set::Adding::new(arguments)?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(missing_feature("parquet")),
        #[cfg(not(feature = "mcap"))]
        Format::Mcap => return Err(missing_feature("mcap")),
        format => Box::new(per_log::PerLog::new(arguments, format, place()?)),
    })
}

#[cfg(not(all(feature = "parquet", feature = "mcap")))]
fn missing_feature(feature: &str) -> Failure {
    Failure::new(format_args!(
        "this binlog was built without {feature}; build it with `cargo install --locked --path binlog/cli --features \
         {feature}`"
    ))
}

fn format(arguments: &Arguments) -> Result<Format, Failure> {
    // Only CSV has these.
    let by_option = (arguments.wide.is_some() || arguments.rate.is_some()).then_some(Format::Csv);
    let by_ending = arguments.output.as_deref().and_then(by_ending);
    let text = "choose a format: --format csv, jsonl, parquet, mcap, kml, gpx or waypoints";
    arguments.format.or(by_ending).or(by_option).ok_or_else(|| Failure::new(text))
}

/// The format that the ending of a name says.
fn by_ending(path: &Path) -> Option<Format> {
    Format::from_str(&path.extension()?.to_string_lossy(), true).ok()
}

/// Whether a path has the name of a file of one of the formats.
fn names_file(path: &Path) -> bool {
    by_ending(path).is_some()
}

const NAMES_ELSEWHERE: &str =
    "--value-names is for --format csv and jsonl; MCAP and Parquet have the names beside the columns";

const NOTHING_TO_REPLACE: &str =
    "--force isn't for --format parquet, which adds logs to a data set; to export all again, name another folder";

/// Options of other formats are a mistake.
fn check(arguments: &Arguments, format: Format, choice: &Choice, context: &Context) -> Result<(), Failure> {
    let is_wide = arguments.wide.is_some() || arguments.rate.is_some();
    let is_folder = arguments.output.as_deref().is_some_and(|output| !is_stdout(output));
    let is_track = matches!(format, Format::Kml | Format::Gpx);
    let is_mission = format == Format::Waypoints;
    let has_items = arguments.items != Kind::Mission || arguments.upload.is_some();
    let wrong = [
        (is_wide && format != Format::Csv, "--wide and --rate are for --format csv"),
        (arguments.time.is_some() && format != Format::Csv, "--time is for --format csv"),
        (arguments.value_names && !matches!(format, Format::Csv | Format::Jsonl), NAMES_ELSEWHERE),
        (arguments.max_age.is_some() && !is_wide, "--max-age needs --wide or --rate"),
        (arguments.track.is_some() && !is_track, "--track is for --format kml and gpx"),
        (!choice.is_everything() && is_track, "--types isn't for --format kml and gpx; --track names the type"),
        (has_items && !is_mission, "--items and --upload are for --format waypoints"),
        (!choice.is_everything() && is_mission, "--types isn't for --format waypoints; --items names what is written"),
        (arguments.rate.is_some_and(|rate| !(rate > 0.0 && rate <= 1e6)), "--rate must be above 0 and at most 1000000"),
        (arguments.max_age.is_some_and(|age| age.is_nan() || age < 0.0), "--max-age must not be negative"),
        (format == Format::Parquet && arguments.existing.force, NOTHING_TO_REPLACE),
        (format == Format::Parquet && !is_folder, "--format parquet needs a folder: -o DIR"),
        (
            context.json && !is_folder,
            "--json prints what was exported, so the export can't go to standard output, too; name a file with -o",
        ),
    ];
    wrong.into_iter().find(|(is_wrong, _)| *is_wrong).map_or(Ok(()), |(_, text)| Err(Failure::new(text)))
}

/// An instance that no boot of the log has is a mistake.
pub(super) fn require_instances(choice: &Choice, sessions: &[Session<'_>]) -> Result<(), Failure> {
    for (name, instance) in choice.instances() {
        let types = sessions.iter().filter_map(Session::ardupilot).flat_map(|log| log.types());
        let mut missing = None;
        let is_there = types.filter(|rows| matches(name, rows.name())).any(|rows| match rows.instance(instance) {
            Ok(_) => true,
            Err(error) => {
                missing.get_or_insert(error);
                false
            }
        });
        match missing {
            _ if is_there => {}
            Some(error) => return Err(error.into()),
            None => return Err(Failure::absent(format_args!("{name} has no instances; select {name} itself"))),
        }
    }
    Ok(())
}

/// A type or column that the log doesn't have is a mistake.
pub(super) fn require(unknown: &[Unknown]) -> Result<(), Failure> {
    let Some(Unknown { given, known, column }) = unknown.first() else { return Ok(()) };
    if let Some(column) = column {
        return Err(Failure::absent(format_args!(
            "the log has no type `{given}`; did you mean the column `{column}`?"
        )));
    }
    // Of a column, the label is what somebody mistyped.
    let (what, name) = match given.split_once('.') {
        Some((of, label)) => (format!("{of} has no column `{label}`"), label),
        None => (format!("the log has no type `{given}`"), given.as_str()),
    };
    let hint = suggest::hint(name, "it has", known.iter().map(String::as_str));
    Err(Failure::absent(format_args!("{what}; {hint}")))
}
