//! The real logs beside the checkout: read whole, counted as pymavlink counts them, and cut anywhere.

use binlog::Records;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn logs() -> Vec<(PathBuf, Vec<u8>)> {
    let Some(folder) = binlog_tests::shared("ardupilot-logs") else { return Vec::new() };
    let files = std::fs::read_dir(&folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bin"));
    let logs: Vec<_> =
        files.filter(is_log).map(|path| (path.clone(), std::fs::read(path).expect("a readable log"))).collect();
    assert!(!logs.is_empty(), "{} has no logs", folder.display());
    logs
}

#[test]
fn records_counts_real_logs_as_pymavlink_does() {
    for (path, log) in logs() {
        let Some(read) = binlog_tests::pymavlink::dump(&log) else { return };
        let mut theirs: BTreeMap<String, usize> = BTreeMap::new();
        for record in &read {
            *theirs.entry(record["type"].as_str().expect("a name").to_owned()).or_default() += 1;
        }
        let mut ours: BTreeMap<String, usize> = BTreeMap::new();
        for record in Records::new(&log).flatten() {
            *ours.entry(record.name().to_owned()).or_default() += 1;
        }
        assert_eq!(ours, theirs, "{}", path.display());
    }
}

#[test]
fn a_real_log_cut_anywhere_in_its_last_4_kib_loses_its_last_record_at_most() {
    for (path, log) in logs() {
        let whole: Vec<usize> = Records::new(&log).flatten().map(|record| record.offset()).collect();
        for length in log.len().saturating_sub(4096)..log.len() {
            let cut = Records::new(&log[..length]).flatten();
            let ends = cut.map(|record| record.offset()).collect::<Vec<_>>();
            let complete = whole.iter().filter(|&&offset| offset < length).count();
            assert!(ends.len() + 1 >= complete, "{} cut at {length}", path.display());
            assert!(whole.starts_with(&ends), "{} cut at {length}", path.display());
        }
    }
}
