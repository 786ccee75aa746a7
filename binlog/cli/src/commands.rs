//! The commands, each in its file: it parses, calls, prints.

pub mod check;
pub mod completions;
pub mod convert;
pub mod cut;
pub mod diff;
pub mod dump;
pub mod export;
pub mod extract;
pub mod find;
pub mod info;
pub mod lock;
pub mod manual;
pub mod merge;
pub mod params;
pub mod plot;
pub mod repair;
pub mod schema;
pub mod stats;
pub mod texts;
mod written;

use crate::arguments::{Command, Context};
use crate::outcome::CommandResult;

/// Runs a command.
pub(crate) fn run(command: &Command, context: &Context) -> CommandResult {
    match command {
        Command::Check(arguments) => check::run(arguments, context),
        Command::Completions(arguments) => completions::run(arguments, context),
        Command::Convert(arguments) => convert::run(arguments, context),
        Command::Cut(arguments) => cut::run(arguments, context),
        Command::Diff(arguments) => diff::run(arguments, context),
        Command::Dump(arguments) => dump::run(arguments, context),
        Command::Export(arguments) => export::run(arguments, context),
        Command::Extract(arguments) => extract::run(arguments, context),
        Command::Find(arguments) => find::run(arguments, context),
        Command::Info(arguments) => info::run(arguments, context),
        Command::Lock(arguments) => lock::run(arguments, context),
        Command::Manual(arguments) => manual::run(arguments, context),
        Command::Merge(arguments) => merge::run(arguments, context),
        Command::Params(arguments) => params::run(arguments, context),
        Command::Plot(arguments) => plot::run(arguments, context),
        Command::Repair(arguments) => repair::run(arguments, context),
        Command::Schema(arguments) => schema::run(arguments, context),
        Command::Stats(arguments) => stats::run(arguments, context),
        Command::Texts(arguments) => texts::run(arguments, context),
    }
}
