//! How many records of each type a log has, and what of it is no record: `counts FILE`, `-` for standard input.
//!
//! The log streams by, so that its length doesn't matter.

use binlog::RecordStream;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path] = &arguments[..] else {
        eprintln!("usage: counts FILE (- for standard input)");
        return ExitCode::FAILURE;
    };
    match counts(path) {
        Ok(()) => ExitCode::SUCCESS,
        // Who reads our output may stop.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("counts: {path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn counts(path: &str) -> io::Result<()> {
    let mut log: Box<dyn Read> = if path == "-" { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let mut stream = Box::new(RecordStream::<65536>::new());
    let mut records = BTreeMap::<String, u64>::new();
    let mut odd = Vec::new();
    loop {
        let read = log.read(stream.space())?;
        stream.filled(read);
        if read == 0 {
            stream.finish();
        }
        while let Some(item) = stream.next() {
            match item {
                Ok(record) => {
                    if record.is_suspect() {
                        odd.push(format!(
                            "suspect {} at offset {}: no header follows it",
                            record.name(),
                            record.offset()
                        ));
                    }
                    match records.get_mut(record.name()) {
                        Some(count) => *count += 1,
                        None => drop(records.insert(record.name().to_owned(), 1)),
                    }
                }
                Err(skipped) => odd.push(skipped.to_string()),
            }
        }
        if read == 0 {
            break;
        }
    }
    if records.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no record: this is no ArduPilot binary log (.bin)"));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for (name, count) in records {
        writeln!(out, "{name}\t{count}")?;
    }
    for line in odd {
        writeln!(out, "{line}")?;
    }
    out.flush()
}
