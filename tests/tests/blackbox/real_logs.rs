//! Real logs of the shared folder beside the checkout.

use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxLog, Event};
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
fn zz_print() {
    for (name, bytes) in all() {
        let log = BlackboxLog::from_bytes(bytes);
        for i in 0..log.sessions().len() {
            eprintln!("{name} {i} {:?} rate {:?}", counts(&log, i), log.session(i).unwrap().header().rate());
            let session = log.session(i).unwrap();
            let mut frames = session.frames();
            let mut n = 0;
            while let Some(item) = frames.next() {
                if n < 3 || matches!(item, Item::Event { event: Event::End { .. }, .. }) {
                    eprintln!("{item:.0?}");
                }
                n += 1;
            }
        }
    }
}
