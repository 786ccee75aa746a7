//! A log of any length.

use binlog::Records;
use simulator::Simulation;
use std::io::{self, Write};
use std::path::PathBuf;

/// A log of at least `bytes` bytes: the definitions of a real log, then its other records again and again.
///
/// Without real logs (`BINLOG_SHARED`, see CONTRIBUTING.md) it is a simulated flight, and a line on stderr says so.
pub fn long_log(bytes: usize) -> Vec<u8> {
    let mut log = Vec::with_capacity(bytes + bytes / 8);
    write_long_log(bytes, &mut log).expect("memory takes all");
    log
}

/// The same, to any writer, in little memory.
///
/// # Errors
///
/// Those of `out`.
pub fn write_long_log(bytes: usize, out: &mut impl Write) -> io::Result<()> {
    let folder = std::env::var_os("BINLOG_SHARED")
        .map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").into(), PathBuf::from);
    let real = folder.join("ardupilot-logs/ardusub_small.BIN");
    let source = std::fs::read(&real).unwrap_or_else(|error| {
        eprintln!("{}: {error}; a simulated flight takes its place", real.display());
        flight()
    });
    let (mut definitions, mut lap) = (Vec::new(), Vec::new());
    for record in Records::new(&source).flatten() {
        let defines = matches!(record.name(), "FMT" | "FMTU" | "UNIT" | "MULT");
        let part = if defines { &mut definitions } else { &mut lap };
        part.extend_from_slice(&source[record.offset()..record.offset() + record.len()]);
    }
    assert!(!lap.is_empty(), "{} has no records", real.display());
    out.write_all(&definitions)?;
    let laps = bytes.saturating_sub(definitions.len()).div_ceil(lap.len());
    (0..laps).try_for_each(|_| out.write_all(&lap))
}

fn flight() -> Vec<u8> {
    simulator::log_of(Simulation::new(1, 20))
}
