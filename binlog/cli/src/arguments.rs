//! The command line.

use crate::commands;
use crate::input::Sources;
use crate::outcome::Failure;
use binlog::compatibility::Level;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// Inspects, checks, converts and plots flight logs of ArduPilot (.bin) and Blackbox (.bbl).
///
/// Exit codes: 0 fine; 1 `check`, `diff` or `lock` found something, or `find` found nothing; 2 wrong use, or a log
/// can't be read or an output can't be written; 3 done, but data is lost: a log is damaged, or a folder has an empty log
/// or can't be read.
#[derive(Parser, Debug)]
#[command(
    name = "binlog",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Prints JSON instead of text.
    #[arg(long, global = true, help_heading = "Output")]
    pub json: bool,

    /// When to colour the output.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = When::Auto, help_heading = "Output")]
    pub color: When,
}

/// The commands. Each one's help is the text of its arguments.
#[derive(Subcommand, Debug)]
#[expect(missing_docs, reason = "the documentation of a variant would replace the command's help")]
pub enum Command {
    Check(commands::check::Arguments),
    Completions(commands::completions::Arguments),
    Convert(commands::convert::Arguments),
    Cut(commands::cut::Arguments),
    Diff(commands::diff::Arguments),
    Dump(commands::dump::Arguments),
    Export(commands::export::Arguments),
    Extract(commands::extract::Arguments),
    Find(commands::find::Arguments),
    Info(commands::info::Arguments),
    Lock(commands::lock::Arguments),
    Manual(commands::manual::Arguments),
    Merge(commands::merge::Arguments),
    Params(commands::params::Arguments),
    Plot(commands::plot::Arguments),
    Repair(commands::repair::Arguments),
    Schema(commands::schema::Arguments),
    Stats(commands::stats::Arguments),
    Texts(commands::texts::Arguments),
}

/// When the output has colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum When {
    /// On a terminal, unless the environment has NO_COLOR.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The logs that a command reads.
#[derive(Args, Clone, Debug)]
pub struct Logs {
    /// Logs, or folders of logs; `-` is standard input.
    #[arg(required = true, value_name = "LOG")]
    pub logs: Vec<PathBuf>,
}

impl Logs {
    /// Finds the logs.
    ///
    /// # Errors
    ///
    /// As [`Sources::of`].
    pub(crate) fn sources(&self) -> Result<Sources, Failure> {
        Sources::of(&self.logs)
    }
}

/// A parser for `--level`.
pub fn level() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(Level::ALL.map(Level::name)).try_map(|name| name.parse::<Level>())
}

/// Reads a name in a list with commas.
///
/// # Errors
///
/// If it is empty, as after a comma at the end.
pub fn name(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a name is empty; is there a comma too many?".into()),
        name => Ok(name.to_owned()),
    }
}

/// What all commands know of the command line.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Whether the output is JSON.
    pub json: bool,
    /// Whether standard output has colours.
    pub color: bool,
}

impl Context {
    /// Checks that `--json` isn't given: for commands whose output has one form only.
    ///
    /// # Errors
    ///
    /// If it is given. `what` is the output.
    pub(crate) fn refuse_json(&self, what: &str) -> Result<(), Failure> {
        let text = format_args!("{what} can't be printed as JSON; leave --json out");
        if self.json { Err(Failure::new(text)) } else { Ok(()) }
    }

    pub(crate) fn of(arguments: &Arguments) -> Self {
        let color = match arguments.color {
            When::Always => true,
            When::Never => false,
            // https://no-color.org
            When::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && io::stdout().is_terminal()
            }
        };
        Context { json: arguments.json, color: color && !arguments.json }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        Arguments::command().debug_assert();
    }
}
