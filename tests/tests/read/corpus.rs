//! Runs the corpus of the fuzz targets, on any toolchain.

use binlog_tests::any_bytes;
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
    replay("records", any_bytes::log::records);
}

#[test]
fn a_log_reads_the_corpus() {
    replay("log", any_bytes::log::log);
}

#[test]
fn a_schema_reads_the_corpus() {
    replay("schema", any_bytes::log::schema);
}

#[test]
fn descriptions_read_the_corpus() {
    replay("descriptions", any_bytes::descriptions::descriptions);
}

#[test]
fn blackbox_logs_read_the_corpus() {
    replay("blackbox", any_bytes::blackbox::log);
}

#[test]
fn blackbox_encoders_take_the_corpus() {
    replay("blackbox_encoders", any_bytes::blackbox_encoders::frames);
}

#[test]
fn whole_logs_are_checked_repaired_cut_and_merged() {
    replay("tools", any_bytes::tools::whole_log);
}

#[test]
fn streams_and_servers_take_the_corpus() {
    replay("mavlink", any_bytes::mavlink::mavlink);
}
