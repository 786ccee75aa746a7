//! Runs the corpus of the fuzz targets, on any toolchain.

use binlog_tests::{exercise, exercise_blackbox, exercise_blackbox_encoders, exercise_descriptions, exercise_tools};
use std::path::Path;

fn replay(target: &str, exercise: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let inputs = std::fs::read_dir(&folder).expect("the corpus is committed");
    let mut count = 0;
    for input in inputs {
        let path = input.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a readable input");
        // Each input, whole and cut.
        (0..=bytes.len()).rev().step_by(61).for_each(|length| exercise(&bytes[..length]));
        count += 1;
    }
    assert!(count >= 3, "{count} inputs in {}", folder.display());
}

#[test]
fn records_read_the_corpus() {
    replay("records", exercise::records);
}

#[test]
fn a_log_reads_the_corpus() {
    replay("log", exercise::log);
}

#[test]
fn a_schema_reads_the_corpus() {
    replay("schema", exercise::schema);
}

#[test]
fn descriptions_read_the_corpus() {
    replay("descriptions", exercise_descriptions::descriptions);
}

#[test]
fn blackbox_logs_read_the_corpus() {
    replay("blackbox", exercise_blackbox::log);
}

#[test]
fn blackbox_encoders_take_the_corpus() {
    replay("blackbox_encoders", exercise_blackbox_encoders::frames);
}

#[test]
fn whole_logs_are_checked_repaired_cut_and_merged() {
    replay("tools", exercise_tools::whole_log);
}
