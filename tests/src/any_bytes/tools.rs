//! What must hold for any bytes that are checked, repaired, cut, merged or anonymised: shared by the fuzz target, the
//! test of its corpus, and tests of damaged logs.

use binlog::anonymise::Anonymise;
use binlog::blackbox::BlackboxLog;
use binlog::cut::Cut;
use binlog::merge::{MergeError, merge};
use binlog::repair::{RepairError, Repaired};
use binlog::{Log, Records};

/// The bytes of each record, in order.
pub fn records(log: &[u8]) -> Vec<&[u8]> {
    Records::new(log).flatten().map(|record| &log[record.offset()..record.offset() + record.len()]).collect()
}

/// A repaired log, and the report.
pub fn repaired(log: &[u8]) -> (Vec<u8>, Repaired) {
    let mut out = Vec::new();
    let report = Log::from_bytes(log).repair(&mut out).expect("memory takes all");
    (out, report)
}

/// All tools on any bytes.
pub fn whole_log(bytes: &[u8]) {
    let log = Log::from_bytes(bytes);
    let report = log.check();
    assert!(report.findings().iter().all(|finding| finding.count() > 0 && finding.offset() <= bytes.len()), "{report}");
    assert!(report.findings().is_sorted_by_key(|finding| finding.offset()));
    let _ = BlackboxLog::from_bytes(bytes).check().to_string();
    repair(bytes);
    // A log whose beginning is lost, and any log.
    let (begin, rest) = bytes.split_at(bytes.len() / 2);
    repair_with(rest, bytes);
    repair_with(bytes, begin);
    cut_and_merge(&log);
    anonymise(&log);
}

/// Each byte of a copy is in a record, and its copy has its length.
fn anonymise(log: &Log<'_>) {
    let copy = |log: &Log<'_>| {
        let mut out = Vec::new();
        let report = Anonymise::new().write(log, [1; 16], &mut out).expect("memory takes all");
        (out, report)
    };
    let (first, report) = copy(log);
    let kept = records(&first);
    assert_eq!(kept.len() as u64, report.records());
    assert_eq!(kept.iter().map(|record| record.len()).sum::<usize>(), first.len());
    assert_eq!(copy(&Log::from_bytes(&*first)).0.len(), first.len());
}

/// Repairs any bytes with the definitions of any others. Either they are refused and nothing is written, or each byte
/// of the repaired log is in a record. If no definition was replaced, no record is lost.
fn repair_with(damaged: &[u8], definitions: &[u8]) {
    let mut out = Vec::new();
    let report = match Log::from_bytes(damaged).repair_with(&Log::from_bytes(definitions), &mut out) {
        Ok(report) => report,
        Err(error) => {
            assert!(matches!(error, RepairError::OtherFirmware { .. }), "memory takes all");
            return assert!(out.is_empty());
        }
    };
    let kept = records(&out);
    assert!(kept.len() as u64 >= report.records());
    assert_eq!(kept.iter().map(|record| record.len()).sum::<usize>(), out.len());
    if report.replaced().is_empty() {
        let mut rest = kept.iter();
        assert!(records(damaged).iter().all(|record| rest.any(|kept| kept == record)), "a record is lost");
    }
    assert_eq!(report.is_copy(), out == damaged && report.inserted().is_empty());
    let (again, second) = repaired(&out);
    assert!(again == out && second.is_copy());
}

/// Repairs any bytes: nothing that readers could read is lost, nothing is left that they couldn't.
pub fn repair(damaged: &[u8]) {
    let (out, report) = repaired(damaged);
    let (before, kept) = (records(damaged), records(&out));
    let mut rest = kept.iter();
    assert!(before.iter().all(|record| rest.any(|kept| kept == record)), "a record is lost");
    assert_eq!(report.recovered() + before.len() as u64, report.records());
    // Each definition that was put in front is an FMT, and perhaps its FMTU.
    let (inserted, definitions) = (kept.len() as u64 - report.records(), report.inserted().len() as u64);
    assert!((definitions..=2 * definitions).contains(&inserted), "{inserted} records for {definitions} definitions");
    // Each byte is in a record, or was removed.
    let kept_bytes: usize = kept.iter().map(|record| record.len()).sum();
    assert_eq!(kept_bytes, out.len());
    // Those that readers could read, and those that are readable again.
    let is_kept = |offset: &usize| report.suspects().contains(offset);
    let suspects = Records::new(damaged).flatten().filter(|record| record.is_suspect());
    assert!(suspects.map(|record| record.offset()).all(|offset| is_kept(&offset)));
    let ends: Vec<usize> = report.removed().iter().map(|removed| removed.offset).collect();
    let is_in_front = |offset: usize| ends.iter().any(|end| (offset + 3..=offset + 255).contains(end));
    assert!(report.suspects().iter().all(|&offset| is_in_front(offset)));
    let removed: usize = report.removed().iter().map(|removed| removed.length).sum();
    assert!(removed + kept_bytes >= damaged.len() && (inserted > 0 || removed + kept_bytes == damaged.len()));
    let check = Log::from_bytes(&*out).check();
    assert!(check.findings().iter().all(|finding| !finding.rule().is_damage()), "{check}");
    let (again, second) = repaired(&out);
    assert!(again == out && second.is_copy());
}

/// Parts have the records of the log, and merged parts, too.
fn cut_and_merge(log: &Log<'_>) {
    let part = |cut: &Cut| {
        let mut out = Vec::new();
        let part = cut.write(log, &mut out).expect("memory takes all");
        (out, part)
    };
    let (all, report) = part(&Cut::new());
    let skipped: usize = report.skipped().iter().map(|skipped| skipped.length).sum();
    assert_eq!(all.len() + skipped, log.bytes().len());
    let middle = log.time_range_us().map_or(0, |range| range.start() + (range.end() - range.start()) / 2);
    // The end of a range isn't in it.
    let during = |times: std::ops::Range<u64>| part(&Cut::new().during(std::iter::once(times)));
    let (early, late) = (during(0..middle), during(middle..u64::MAX));
    let chosen = early.1.chosen() + late.1.chosen();
    assert!(chosen <= report.chosen());
    let has_last = log.records().flatten().any(|record| record.time_us() == Some(u64::MAX));
    assert!(chosen == report.chosen() || has_last);
    let parts = [early.0, late.0].map(Log::from_bytes);
    let mut merged = Vec::new();
    match merge(&parts, &mut merged) {
        Ok(report) => {
            let copied: u64 = report.records().iter().sum();
            let read: u64 = parts.iter().map(|part| data_records(part.bytes())).sum();
            assert!(copied + report.duplicates() <= read);
            assert_eq!(data_records(&merged), copied);
        }
        Err(MergeError::Io(error)) => panic!("memory takes all: {error}"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Records that aren't definitions.
fn data_records(log: &[u8]) -> u64 {
    let is_data = |name: &str| !matches!(name, "FMT" | "FMTU" | "UNIT" | "MULT");
    Records::new(log).flatten().filter(|record| is_data(record.name())).count() as u64
}
