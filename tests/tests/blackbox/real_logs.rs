//! Real logs of the shared folder beside the checkout.

use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::Item;
use binlog_tests::shared;
use std::collections::BTreeMap;

/// The real logs, by name. Empty without the folder; stderr then says so.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    ["bblog_error-recovery.bbl", "fcbb_LOG00037.BFL", "fcbb_btfl_001.bbl"]
        .into_iter()
        .filter_map(|name| {
            Some((name, std::fs::read(shared(&format!("blackbox-logs/{name}"))?).expect("a readable log")))
        })
        .collect()
}

/// How many frames of each letter a session has, and its lost stretches.
fn counts(log: &BlackboxLog<'_>, session: usize) -> (BTreeMap<char, usize>, Vec<String>) {
    let session = log.session(session).expect("a session");
    assert_eq!(session.header().problems(), []);
    let (mut counts, mut lost) = (BTreeMap::new(), Vec::new());
    let mut frames = session.frames();
    while let Some(item) = frames.next() {
        match item {
            Item::Frame(frame) => *counts.entry(frame.letter().into()).or_default() += 1,
            Item::Event { .. } => *counts.entry('E').or_default() += 1,
            Item::Lost(stretch) => lost.push(stretch.to_string()),
        }
    }
    (counts, lost)
}

#[test]
fn sound_logs_have_all_their_frames() {
    let counted = |letters: &str, numbers: &[usize]| letters.chars().zip(numbers.iter().copied()).collect();
    for (name, bytes) in all() {
        let log = BlackboxLog::from_bytes(bytes);
        let counts: Vec<_> = (0..log.sessions().len()).map(|session| counts(&log, session)).collect();
        let expected: Vec<BTreeMap<char, usize>> = match name {
            "fcbb_LOG00037.BFL" => vec![counted("EGHIPS", &[3, 86, 1, 525, 16249, 3])],
            "fcbb_btfl_001.bbl" => {
                vec![counted("EIPS", &[4, 7, 91, 2]), counted("EIPS", &[4, 1556, 23337, 8])]
            }
            _ => continue,
        };
        assert_eq!(counts, expected.into_iter().map(|counts| (counts, vec![])).collect::<Vec<_>>(), "{name}");
    }
}
