//! Viewers: their own parsers read our logs and show what `Log` reads, except where a rule says how they differ.

mod mavdataflash;
mod mission_planner;
mod plotjuggler;
mod plotjuggler4;
mod pymavlink_tools;
mod uav_log_viewer;
mod web_tools;

use crate::every_format::EveryFormat;
use binlog::{LogWriter, Records};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The simulator's log.
fn flight() -> Vec<u8> {
    simulator::log_of(simulator::Simulation::new(3, 10))
}

/// Every format, unit and multiplier, every message of the crate, several instances and random values; the times
/// ascend. `HALF` has half-precision floats, which only some viewers know.
fn every_format(has: impl Fn(&EveryFormat) -> bool) -> Vec<u8> {
    let messages = proptest::collection::vec(any::<EveryFormat>(), 1000);
    let messages = messages.new_tree(&mut TestRunner::deterministic()).expect("no filter").current();
    let mut log = LogWriter::<EveryFormat, _>::new(Vec::new()).expect("memory takes all");
    for message in messages.iter().filter(|message| has(message)) {
        log.write_any(message).expect("memory takes all");
    }
    let mut log = log.finish().expect("memory takes all");
    let is_timed = |record: &binlog::Record<'_>| {
        !["FMT", "UNIT", "MULT", "FMTU"].contains(&record.name()) && record.value("TimeUS").is_some()
    };
    let timed: Vec<usize> = Records::new(&log)
        .flatten()
        .filter(is_timed)
        .map(|record| record.offset() + binlog::Definition::HEADER_LENGTH)
        .collect();
    for (i, at) in timed.into_iter().enumerate() {
        let time_us = 1_000_000 + 2500 * i as u64;
        log[at..at + 8].copy_from_slice(&time_us.to_le_bytes());
    }
    log
}

/// Without the format that several viewers don't know.
fn without_half(message: &EveryFormat) -> bool {
    !matches!(message, EveryFormat::Half(_))
}
