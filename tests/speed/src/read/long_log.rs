//! A log as long as one likes.

use binlog::{LogWriter, Records};
use simulator::Simulation;

/// A log of at least so many bytes: a real one's definitions, then its other records again and again.
///
/// Where the folder of real logs isn't beside the checkout, which stderr is told, it is a simulated flight's instead.
pub fn long_log(bytes: usize) -> Vec<u8> {
    const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/ardupilot-logs/ardusub_small.BIN");
    let source = std::fs::read(REAL).unwrap_or_else(|error| {
        eprintln!("{REAL}: {error}; a simulated flight takes its place");
        flight()
    });
    let (mut log, mut lap) = (Vec::with_capacity(bytes + source.len()), Vec::new());
    for record in Records::new(&source).flatten() {
        let end = record.offset() + usize::from(record.definition().length());
        let part = if matches!(record.name(), "FMT" | "FMTU" | "UNIT" | "MULT") { &mut log } else { &mut lap };
        part.extend_from_slice(&source[record.offset()..end]);
    }
    assert!(!lap.is_empty(), "{REAL} has no records");
    while log.len() < bytes {
        log.extend_from_slice(&lap);
    }
    log
}

fn flight() -> Vec<u8> {
    let mut log = LogWriter::new(Vec::new()).expect("memory takes all");
    simulator::fly(Simulation::new(1, 20), &mut log, |_| {}).expect("memory takes all");
    log.finish().expect("memory takes all")
}
