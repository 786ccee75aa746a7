//! The real logs beside the checkout: read whole, with pymavlink's counts, and cut anywhere.

use binlog::Records;
use binlog_tests::real_logs;
use std::collections::BTreeMap;

#[test]
fn records_counts_real_logs_as_pymavlink_does() {
    for (name, log) in real_logs() {
        let Some(read) = binlog_tests::pymavlink::dump(&log) else { return };
        let mut theirs: BTreeMap<String, usize> = BTreeMap::new();
        for record in &read {
            *theirs.entry(record["type"].as_str().expect("a name").to_owned()).or_default() += 1;
        }
        let mut ours: BTreeMap<String, usize> = BTreeMap::new();
        for record in Records::new(&log).flatten() {
            *ours.entry(record.name().to_owned()).or_default() += 1;
        }
        assert_eq!(ours, theirs, "{name}");
    }
}

#[test]
fn real_log_cut_in_its_last_4_kib_loses_one_record_at_most() {
    for (name, log) in real_logs() {
        let whole: Vec<usize> = Records::new(&log).flatten().map(|record| record.offset()).collect();
        for length in log.len().saturating_sub(4096)..log.len() {
            let cut = Records::new(&log[..length]).flatten();
            let ends = cut.map(|record| record.offset()).collect::<Vec<_>>();
            let complete = whole.iter().filter(|&&offset| offset < length).count();
            assert!(ends.len() + 1 >= complete, "{name} cut at {length}");
            assert!(whole.starts_with(&ends), "{name} cut at {length}");
        }
    }
}
