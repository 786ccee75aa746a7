//! What commands share of the command line: the logs, names, and what `--json` and `--color` say.

use crate::input::Sources;
use crate::outcome::Failure;
use binlog::compatibility::Level;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

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

    /// What `--json` and `--color` mean here.
    pub(crate) fn new(json: bool, color: When) -> Self {
        let color = match color {
            When::Always => true,
            When::Never => false,
            // https://no-color.org
            When::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && io::stdout().is_terminal()
            }
        };
        Context { json, color: color && !json }
    }
}
