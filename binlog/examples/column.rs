//! Prints one column of a log: `column FILE ATT.Roll`, or `IMU[1].GyrX`; `-` is standard input. One line for each
//! record: the time since boot in seconds, a tab, the value.

use binlog::Log;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [path, name] = &arguments[..] else {
        eprintln!("usage: column FILE TYPE.LABEL (- for standard input)");
        return ExitCode::FAILURE;
    };
    match column(path, &name.to_string_lossy()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("column: {error}");
            let sources = std::iter::successors(error.source(), |&error| error.source());
            sources.for_each(|source| eprint!(": {source}"));
            eprintln!();
            ExitCode::FAILURE
        }
    }
}

fn column(path: &OsStr, name: &str) -> Result<(), Box<dyn Error>> {
    let log = if path == "-" { Log::from_reader(io::stdin())? } else { Log::open(path)? };
    let (rows, label) = log.select(name)?;
    if rows.is_empty() {
        eprintln!("column: the log defines {} and has no record of it", rows.name());
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let values = rows.records().zip(rows.times_us()).filter_map(|(record, time)| Some((time, record.value(label)?)));
    for (time_us, value) in values {
        // One line for each record, even if a text contains a line break.
        let value = value.to_string().replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
        let line = writeln!(out, "{}.{:06}\t{value}", time_us / 1_000_000, time_us % 1_000_000);
        // The program that reads our output may stop early.
        if line.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return Ok(());
        }
        line?;
    }
    match out.flush() {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        flushed => Ok(flushed?),
    }
}
