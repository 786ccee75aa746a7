//! Prints the messages of a log as Rust source, JSON or Markdown, and the differences between two logs.
//!
//! ```console
//! $ cargo run -p binlog --features json --example schema -- flight.bin --rust > src/messages.rs
//! $ cargo run -p binlog --features json --example schema -- flight.bin --json > format.json
//! $ cargo run -p binlog --features json --example schema -- diff format.json flight.bin
//! ```

use binlog::LoggedSchema;
use binlog::compatibility::Level;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "usage: schema FILE [--rust|--json|--table]\n       schema diff OLD NEW [names|typed|layout]\n\
                     A file is a log, or the JSON of one. diff exits with 1 when a change breaks what the level keeps \
                     working; without a level, names.";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let arguments: Vec<&str> = arguments.iter().map(|argument| &**argument).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprint!("schema: {error}");
            let sources = std::iter::successors(error.source(), |&error| error.source());
            sources.for_each(|source| eprint!(": {source}"));
            eprintln!();
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[&str]) -> Result<ExitCode, Box<dyn Error>> {
    let text = match *arguments {
        ["diff", old, new] => return diff(old, new, Level::default()),
        ["diff", old, new, level] => return diff(old, new, level.parse::<Level>()?),
        [file] | [file, "--table"] if !file.starts_with('-') => read(file)?.to_string(),
        [file, "--json"] => read(file)?.to_json(),
        [file, "--rust"] => {
            let rust = read(file)?.to_rust();
            rust.left_out.iter().for_each(|message| eprintln!("left out: {message}"));
            rust.source
        }
        _ => return Err(USAGE.into()),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn diff(old: &str, new: &str, level: Level) -> Result<ExitCode, Box<dyn Error>> {
    let difference = read(old)?.difference(&read(new)?);
    print(&difference.to_string())?;
    Ok(if difference.breaks(level) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn read(file: &str) -> Result<LoggedSchema, Box<dyn Error>> {
    let bytes = std::fs::read(file).map_err(|error| format!("can't read {file}: {error}"))?;
    if bytes.trim_ascii_start().starts_with(b"{") {
        let json = str::from_utf8(&bytes).map_err(|error| format!("{file} is neither a log nor JSON: {error}"))?;
        return Ok(LoggedSchema::from_json(json).map_err(|error| format!("{file}: {error}"))?);
    }
    let schema = LoggedSchema::from_bytes(&bytes);
    if schema.messages().len() == 0 {
        return Err(format!("{file} defines no messages, so it is no log").into());
    }
    Ok(schema)
}

/// Prints to stdout; a pipe that is closed early, as by `head`, is not an error.
fn print(text: &str) -> std::io::Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
