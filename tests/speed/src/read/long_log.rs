//! A log as long as one likes.

use binlog::{LogWriter, Records};
use simulator::Simulation;
use std::io::{self, Write};

/// A log of at least so many bytes: a real one's definitions, then its other records again and again.
///
/// Where the folder of real logs isn't beside the checkout, which stderr is told, it is a simulated flight's instead.
pub fn long_log(bytes: usize) -> Vec<u8> {
    let mut log = Vec::with_capacity(bytes + bytes / 8);
    write_long_log(bytes, &mut log).expect("memory takes all");
    log
}

/// The same to anything that takes bytes, in little memory.
///
/// # Errors
///
/// Those of `out`.
pub fn write_long_log(bytes: usize, out: &mut impl Write) -> io::Result<()> {
    const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/ardupilot-logs/ardusub_small.BIN");
    let source = std::fs::read(REAL).unwrap_or_else(|error| {
        eprintln!("{REAL}: {error}; a simulated flight takes its place");
        flight()
    });
    let (mut definitions, mut lap) = (Vec::new(), Vec::new());
    for record in Records::new(&source).flatten() {
        let defines = matches!(record.name(), "FMT" | "FMTU" | "UNIT" | "MULT");
        let part = if defines { &mut definitions } else { &mut lap };
        part.extend_from_slice(&source[record.offset()..record.offset() + record.len()]);
    }
    assert!(!lap.is_empty(), "{REAL} has no records");
    out.write_all(&definitions)?;
    let laps = bytes.saturating_sub(definitions.len()).div_ceil(lap.len());
    (0..laps).try_for_each(|_| out.write_all(&lap))
}

fn flight() -> Vec<u8> {
    let mut log = LogWriter::new(Vec::new()).expect("memory takes all");
    simulator::fly(Simulation::new(1, 20), &mut log, |_| {}).expect("memory takes all");
    log.finish().expect("memory takes all")
}
