//! Prints the number of records of each type, then the skipped bytes: `counts FILE`; `-` is standard input.
//!
//! The log streams through constant memory, so it may have any length.

use binlog::RecordStream;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

/// The most damaged stretches that are listed one by one.
const LISTED: usize = 10_000;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [path] = &arguments[..] else {
        eprintln!("usage: counts FILE (- for standard input)");
        return ExitCode::FAILURE;
    };
    match counts(path) {
        Ok(()) => ExitCode::SUCCESS,
        // The program that reads our output may stop early.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("counts: {}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

fn counts(path: &OsStr) -> io::Result<()> {
    let mut log: Box<dyn Read> = if path == "-" { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let mut stream = Box::new(RecordStream::<65536>::new());
    let mut records = BTreeMap::<String, u64>::new();
    let (mut odd, mut unlisted) = (Vec::new(), 0_u64);
    // The list is bounded: a log longer than memory may be damaged everywhere.
    let mut note = |line: &dyn Display| match odd.len() {
        0..LISTED => odd.push(line.to_string()),
        _ => unlisted += 1,
    };
    loop {
        let read = match log.read(stream.space()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        stream.filled(read);
        if read == 0 {
            stream.finish();
        }
        while let Some(item) = stream.next() {
            match item {
                Ok(record) => {
                    if record.is_suspect() {
                        let (name, offset) = (record.name(), record.offset());
                        note(&format_args!("suspect {name} at offset {offset}: no header follows it"));
                    }
                    match records.get_mut(record.name()) {
                        Some(count) => *count += 1,
                        None => drop(records.insert(record.name().to_owned(), 1)),
                    }
                }
                Err(skipped) => note(&skipped),
            }
        }
        if read == 0 {
            break;
        }
    }
    if records.is_empty() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "no record: this is not an ArduPilot binary log (.bin)",
        ));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for (name, count) in records {
        writeln!(out, "{name}\t{count}")?;
    }
    for line in odd {
        writeln!(out, "{line}")?;
    }
    if unlisted > 0 {
        writeln!(out, "and {unlisted} more stretches that are damaged")?;
    }
    out.flush()
}
