//! The command line.

use crate::commands;
use crate::context::{Context, When};
use crate::outcome::CommandResult;
use clap::{CommandFactory, Parser, Subcommand};

/// Inspects, checks, converts and plots flight logs of ArduPilot (.bin, or .log as text) and Blackbox (.bbl).
///
/// Exit codes: 0 fine; 1 `check`, `diff` or `lock` found something, or `find` found nothing; 2 wrong use, or a log
/// can't be read or an output can't be written; 3 done, but data is lost: a log is damaged, or a folder has an empty
/// log or can't be read.
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
    Anonymise(commands::anonymise::Arguments),
    Check(commands::check::Arguments),
    Completions(commands::completions::Arguments),
    Convert(commands::convert::Arguments),
    Cut(commands::cut::Arguments),
    Diff(commands::diff::Arguments),
    Download(commands::download::Arguments),
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
    Record(commands::record::Arguments),
    Repair(commands::repair::Arguments),
    Report(commands::report::Arguments),
    Schema(commands::schema::Arguments),
    Stats(commands::stats::Arguments),
    Texts(commands::texts::Arguments),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(&self, context: &Context) -> CommandResult {
        match self {
            Command::Anonymise(arguments) => commands::anonymise::run(arguments, context),
            Command::Check(arguments) => commands::check::run(arguments, context),
            Command::Completions(arguments) => commands::completions::run(arguments, context, Arguments::command()),
            Command::Convert(arguments) => commands::convert::run(arguments, context),
            Command::Cut(arguments) => commands::cut::run(arguments, context),
            Command::Diff(arguments) => commands::diff::run(arguments, context),
            Command::Download(arguments) => commands::download::run(arguments, context),
            Command::Dump(arguments) => commands::dump::run(arguments, context),
            Command::Export(arguments) => commands::export::run(arguments, context),
            Command::Extract(arguments) => commands::extract::run(arguments, context),
            Command::Find(arguments) => commands::find::run(arguments, context),
            Command::Info(arguments) => commands::info::run(arguments, context),
            Command::Lock(arguments) => commands::lock::run(arguments, context),
            Command::Manual(arguments) => commands::manual::run(arguments, context, Arguments::command()),
            Command::Merge(arguments) => commands::merge::run(arguments, context),
            Command::Params(arguments) => commands::params::run(arguments, context),
            Command::Plot(arguments) => commands::plot::run(arguments, context),
            Command::Record(arguments) => commands::record::run(arguments, context),
            Command::Repair(arguments) => commands::repair::run(arguments, context),
            Command::Report(arguments) => commands::report::run(arguments, context),
            Command::Schema(arguments) => commands::schema::run(arguments, context),
            Command::Stats(arguments) => commands::stats::run(arguments, context),
            Command::Texts(arguments) => commands::texts::run(arguments, context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        Arguments::command().debug_assert();
    }
}
