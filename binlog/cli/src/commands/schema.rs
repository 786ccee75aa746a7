//! `binlog schema`: the definitions of a log.

use crate::context::Context;
use crate::definitions::{self, Definitions};
use crate::one_line::on_one_line;
use crate::outcome::{CommandResult, warn};
use crate::output::{Existing, Output};
use std::io::Write;
use std::path::PathBuf;

/// Prints the definitions and descriptions of a log's messages: as Markdown, Rust source for binlog, JSON, or XML for
/// pymavlink.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// An ArduPilot log, or the JSON of its definitions; `-` is standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// Prints Rust source: structs and a schema that read and write such logs.
    #[arg(long, conflicts_with = "json")]
    rust: bool,

    /// Prints XML: ~/.pymavlink/LogMessages/Copter.xml, or with the name of another vehicle, for mavlogdump.py
    /// --verbose and MAVExplorer.
    #[arg(long, conflicts_with_all = ["json", "rust"])]
    xml: bool,

    /// Prints Markdown, which is the default.
    #[arg(long, conflicts_with_all = ["json", "rust", "xml"])]
    markdown: bool,

    /// Writes to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let Definitions { schema, described_differently, outcome } = definitions::read(&arguments.log)?;
    if !described_differently.is_empty() {
        let columns = on_one_line(&described_differently.join(", "));
        let text = "the boots of the log describe them differently; what the last of them says is printed";
        warn(format_args!("{columns}: {text}"));
    }
    let text = match (context.json, arguments.rust) {
        (true, _) => schema.to_json(),
        (false, false) if arguments.xml => schema.log_messages_xml().to_string(),
        (false, false) => schema.to_string(),
        (false, true) => {
            let rust = schema.to_rust();
            rust.left_out.iter().for_each(|message| warn(format_args!("left out: {message}")));
            rust.source
        }
    };
    let mut out = Output::create(arguments.output.as_deref(), [arguments.log.as_path()], arguments.existing)?;
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.finish()?;
    Ok(outcome)
}
