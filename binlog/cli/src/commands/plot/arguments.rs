//! The arguments of `binlog plot`.

use crate::input::{is_log_file, looks_like_log};
use crate::outcome::Failure;
use crate::output::{Existing, is_stdout};
use crate::plot::expression::{Expression, functions};
use crate::plot::groups::By;
use crate::plot::presets::{Kind, Preset};
use crate::selection::Selection;
use clap::ValueEnum;
use std::ffi::OsString;
use std::path::{Path, PathBuf, is_separator};
use std::str::FromStr;

/// Plots columns and expressions of one or more logs.
///
/// Without -o, the plot is drawn in the terminal. With -o, it is an image (.png, .svg), or a web page that can be
/// zoomed (.html). Each unit has its own axis. Flight modes are shaded, and messages are marked. Several logs are
/// plotted over one another, aligned at the time of arming.
#[derive(clap::Args, Debug)]
#[command(after_long_help = after_help())]
pub struct Arguments {
    /// Logs or folders of logs, then what to plot: columns, such as `ATT.Roll`, `IMU[0].GyrX` or `gyroADC[0]`, and
    /// expressions, such as `ATT.DesRoll-ATT.Roll`. Add `:2` to an expression to plot it on the right axis. If a log
    /// has the name of a column, `(ATT.Roll)` is the column and `./ATT.Roll` the log. An expression that begins with a
    /// minus goes in parentheses: `(-ATT.Roll)`.
    #[arg(required_unless_present = "list_presets", value_name = "LOG… EXPRESSION")]
    pub logs_and_expressions: Vec<OsString>,

    /// The file to write: .png, .svg or .html; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub(super) existing: Existing,

    /// The format; by default, the extension of -o chooses it.
    #[arg(long, value_enum)]
    pub format: Option<Format>,

    /// Plots this expression on the right axis; may be given several times.
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub right: Vec<String>,

    /// Plots a preset: a list of expressions that has a name.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// Reads more presets from a file in the format of ArduPilot's mavgraphs.xml, or from a folder of such files.
    #[arg(long, value_name = "PATH")]
    pub presets: Vec<PathBuf>,

    /// Lists the presets and exits.
    #[arg(long)]
    pub list_presets: bool,

    /// Plots the amplitude at each frequency. Without an expression, the signals are the batch samples (ISBH and ISBD),
    /// or the gyroscopes if the log has none.
    #[arg(long, conflicts_with = "spectrogram")]
    pub spectrum: bool,

    /// Plots the amplitude at each time and frequency as a colour. The signals are those of --spectrum.
    #[arg(long)]
    pub spectrogram: bool,

    /// Plots the response to a step: of each two expressions, how the second one follows the first one, such as
    /// RATE.RDes RATE.R. Without an expression, how the angular rates follow what was wanted.
    #[arg(long, conflicts_with_all = ["spectrum", "spectrogram", "right"])]
    pub step_response: bool,

    /// Plots by how much the second of each two expressions is later than the first one. Without an expression, by how
    /// much the filters delay the gyroscopes.
    #[arg(long, conflicts_with_all = ["spectrum", "spectrogram", "step_response", "right"])]
    pub filter_delay: bool,

    /// Plots --step-response for each `mode`, or for four ranges of the `throttle` or of an expression; plots
    /// --spectrogram over the throttle or an expression instead of over time.
    #[arg(long, value_name = "mode|throttle|EXPRESSION", allow_hyphen_values = true)]
    pub by: Option<By>,

    /// Plots the second expression over the first one instead of over time, such as POS.Lng POS.Lat. A map also shows
    /// the mission, the fence and the rally points.
    #[arg(long, conflicts_with_all = ["spectrum", "spectrogram", "step_response", "filter_delay", "preset", "right"])]
    pub xy: bool,

    /// The title; by default, the log's name.
    #[arg(long)]
    pub title: Option<String>,

    /// The size of an image in pixels, such as 1200x500.
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    pub size: Option<Size>,

    #[command(flatten)]
    pub(super) selection: Selection,
}

fn after_help() -> String {
    let names: Vec<&str> = functions().collect();
    format!(
        "Expressions have the operators of Python: + - * / // % ** < <= > >= == != and or not if else & | ^ ~ << >>. \
         EXPRESSION{{CONDITION}} keeps only samples that meet the condition.\n\nFunctions: {}\n\nFilters take a key, which \
         may be any number: average(x, key, samples), delta(x, key), diff(x, key), integral(x, key), sum(x, key), \
         lowpass(x, key, share of the value before), lowpassHz(x, key, sample rate, cutoff).",
        names.join(" ")
    )
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Image of pixels.
    Png,
    /// Vector image.
    Svg,
    /// Web page with zoom, legend and cursor, in one file.
    Html,
    /// Text of braille characters, for terminals.
    Text,
}

/// Width and height in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size(pub (u32, u32));

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let size = text.split_once(['x', 'X', '×']).and_then(|(width, height)| {
            let size: (u32, u32) = (width.trim().parse().ok()?, height.trim().parse().ok()?);
            Some(size).filter(|(width, height)| (200..=10_000).contains(width) && (150..=10_000).contains(height))
        });
        size.map(Size).ok_or_else(|| "write width and height, from 200x150 to 10000x10000".into())
    }
}

/// The logs and the expressions of a command line.
pub(super) struct Given {
    pub(super) logs: Vec<PathBuf>,
    pub(super) expressions: Vec<Expression>,
}

/// Whether an argument is a log or a folder. A name that logs have is one, even if the file doesn't exist. A file with
/// the name of a column is one only if it is a log: an export may have left `ATT.Roll` here.
fn is_log(argument: &OsString) -> bool {
    let path = Path::new(argument);
    if path == Path::new("-") || looks_like_log(path) {
        return true;
    }
    let Ok(metadata) = path.metadata() else { return false };
    let text = argument.to_string_lossy();
    let may_be_column = metadata.is_file() && !text.contains(is_separator) && Expression::parse(&text).is_ok();
    !may_be_column || is_log_file(path).unwrap_or(true)
}

/// Whether an argument is an expression and no path: it names the type of a column.
fn names_type(argument: &OsString) -> bool {
    let text = argument.to_string_lossy();
    let names_type = |expression: Expression| expression.columns().into_iter().any(|name| name.table.is_some());
    !text.contains(is_separator) && Expression::parse(&text).is_ok_and(names_type)
}

impl Arguments {
    /// Separates the logs, by [`is_log`], from the expressions.
    ///
    /// # Errors
    ///
    /// If no argument is a log, or if an expression can't be parsed.
    pub(super) fn given(&self) -> Result<Given, Failure> {
        let (logs, expressions): (Vec<&OsString>, Vec<&OsString>) =
            self.logs_and_expressions.iter().partition(|argument| is_log(argument));
        if logs.is_empty() {
            let first = crate::one_line::shown(Path::new(expressions.first().map_or(Path::new(""), |e| Path::new(e))));
            if expressions.first().is_some_and(|first| Path::new(first).exists()) {
                return Err(Failure::new(format_args!("{first}: it is neither an ArduPilot log nor a Blackbox log")));
            }
            if expressions.first().is_some_and(|first| names_type(first)) {
                return Err(Failure::new(format_args!("no log is named: binlog plot flight.bin {first}")));
            }
            return Err(Failure::new(format_args!(
                "there is no log `{first}`; write the logs first, then the expressions: binlog plot flight.bin ATT.Roll"
            )));
        }
        let logs = logs.into_iter().map(PathBuf::from).collect();
        let mut parsed = Vec::new();
        for text in expressions {
            let text = text.to_string_lossy();
            parsed.push(Expression::parse(&text).map_err(Failure::new)?);
        }
        for text in &self.right {
            parsed.push(Expression::parse(text).map_err(Failure::new)?.on_the_right());
        }
        Ok(Given { logs, expressions: parsed })
    }

    /// What is plotted, by the options or by the preset.
    ///
    /// # Errors
    ///
    /// If the two contradict each other, or if `--by` divides what it can't.
    pub(super) fn kind(&self, preset: Option<&Preset>) -> Result<Kind, Failure> {
        let asked = match () {
            () if self.step_response => Some(Kind::StepResponse),
            () if self.filter_delay => Some(Kind::FilterDelay),
            () if self.spectrogram && self.by.is_some() => Some(Kind::Noise),
            () => None,
        };
        let is_spectrum = self.spectrum || (self.spectrogram && self.by.is_none());
        let kind = match preset {
            Some(preset) if preset.kind != Kind::Curves => {
                if is_spectrum || asked.is_some_and(|asked| asked != preset.kind) {
                    let name = &preset.name;
                    return Err(Failure::new(format_args!(
                        "the preset `{name}` has a picture of its own; leave out --spectrum, --spectrogram, \
                         --step-response and --filter-delay"
                    )));
                }
                preset.kind
            }
            _ => asked.unwrap_or_default(),
        };
        match (&self.by, kind) {
            (Some(_), Kind::Curves | Kind::FilterDelay) => {
                Err(Failure::new("--by divides a step response or a spectrogram: add --step-response or --spectrogram"))
            }
            (Some(By::Mode), Kind::Noise) => Err(Failure::new(
                "a spectrogram has numbers on its axis: choose modes with --mode, or write --by throttle",
            )),
            _ => Ok(kind),
        }
    }

    /// Requires that no picture is asked for beside `--json`, which prints the points.
    pub(super) fn require_points(&self) -> Result<(), Failure> {
        let is_picture = self.output.as_deref().is_some_and(|output| {
            let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            ["png", "svg", "html", "htm"].iter().any(|picture| extension.eq_ignore_ascii_case(picture))
        });
        if self.format.is_some() || is_picture {
            let text = "--json prints the points of the curves, not a picture: leave --json out, or name a .json file";
            return Err(Failure::new(text));
        }
        Ok(())
    }

    /// The format by `--format`, or by the extension of the output.
    pub(super) fn output_format(&self) -> Result<Format, Failure> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let Some(output) = self.output.as_deref().filter(|output| !is_stdout(output)) else {
            return Ok(Format::Text);
        };
        let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "png" => Ok(Format::Png),
            "svg" => Ok(Format::Svg),
            "html" | "htm" => Ok(Format::Html),
            "txt" => Ok(Format::Text),
            _ => Err(Failure::new(format_args!(
                "{}: the name doesn't say the format; end it with .png, .svg or .html, or give --format",
                crate::one_line::shown(output)
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_width_and_height() {
        assert_eq!("1200x500".parse(), Ok(Size((1200, 500))));
        for wrong in ["", "1200", "0x5", "-1x200", "99999x99999"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
