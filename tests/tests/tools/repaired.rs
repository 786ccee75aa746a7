//! What `repair` keeps and removes.

use crate::contents::contents;
use binlog::check::Rule;
use binlog::{Log, Records};
use binlog_tests::exercise_tools::{self, records, repaired};
use binlog_tests::raw_log::RawLog;
use binlog_tests::{logs, payload, pymavlink};
use proptest::prelude::*;
use std::sync::LazyLock;

/// The parts of real logs that are quick to repair again and again.
static SOUND: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let whole = logs::all().into_iter().map(|(_, log)| log);
    let sound = whole.map(|log| {
        // The last record of some is cut off.
        let end = Records::new(&log).flatten().take(4000).last().map_or(0, |record| record.offset() + record.len());
        log[..end].to_vec()
    });
    sound.collect()
});

#[test]
fn a_sound_log_stays_the_same() {
    for log in SOUND.iter() {
        let (out, report) = repaired(log);
        assert!(out == *log && report.was_sound() && report.to_string().is_empty());
        assert_eq!(report.records(), records(log).len() as u64);
    }
}

#[test]
fn a_log_that_ends_inside_a_record_loses_only_that() {
    for (name, log) in logs::all() {
        let (out, report) = repaired(&log);
        let removed: usize = report.removed().iter().map(|removed| removed.length).sum();
        assert_eq!(out, log[..log.len() - removed], "{name}");
        assert!(removed < 255, "{name}: {report}");
    }
}

#[derive(Clone, Debug)]
enum Damage {
    Overwrite(Vec<u8>),
    Remove(usize),
    Insert(Vec<u8>),
    Cut,
}

fn damage() -> impl Strategy<Value = (prop::sample::Index, Damage)> {
    let bytes = || prop::collection::vec(any::<u8>(), 1..300);
    let damage = prop_oneof![
        bytes().prop_map(Damage::Overwrite),
        (1..400_usize).prop_map(Damage::Remove),
        bytes().prop_map(Damage::Insert),
        Just(Damage::Insert([0xA3, 0x95, 250].repeat(20))),
        Just(Damage::Cut),
    ];
    (any::<prop::sample::Index>(), damage)
}

/// Often one of a header.
fn any_byte() -> impl Strategy<Value = u8> {
    prop_oneof![Just(0xA3_u8), Just(0x95), Just(128), any::<u8>()]
}

fn apply(log: &mut Vec<u8>, at: usize, damage: &Damage) {
    match damage {
        Damage::Overwrite(bytes) => {
            let end = (at + bytes.len()).min(log.len());
            log[at..end].copy_from_slice(&bytes[..end - at]);
        }
        Damage::Remove(count) => {
            log.drain(at..(at + count).min(log.len()));
        }
        Damage::Insert(bytes) => {
            log.splice(at..at, bytes.iter().copied());
        }
        Damage::Cut => log.truncate(at),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_damaged_log_keeps_what_readers_could_read(
        log in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..8)
    ) {
        let mut damaged = log.get(&SOUND).clone();
        for (at, damage) in &damages {
            if !damaged.is_empty() {
                let at = at.index(damaged.len());
                apply(&mut damaged, at, damage);
            }
        }
        exercise_tools::whole_log(&damaged);
    }

    #[test]
    fn any_bytes_can_be_repaired(bytes in prop::collection::vec(any_byte(), 0..2000)) {
        exercise_tools::whole_log(&bytes);
    }

    #[test]
    fn definitions_that_come_late_are_put_in_front(order in Just((0..30_u8).collect::<Vec<_>>()).prop_shuffle()) {
        // Records and definitions of ten types in any order: 0 to 9 are the FMTs of the ids 30 to 39.
        let mut log = RawLog::new();
        let mut is_defined = [false; 10];
        for i in &order {
            let id = 30 + i % 10;
            if i / 10 == 0 {
                log.fmt(id, &format!("T{}", i % 10), "QB", "TimeUS,X");
                is_defined[usize::from(i % 10)] = true;
            } else {
                log.record(id, &payload![u64::from(*i), *i]);
            }
        }
        let (out, report) = repaired(&log.bytes);
        // No byte is damaged, so no record is lost.
        prop_assert_eq!(report.removed(), []);
        prop_assert_eq!(contents(&out).values().sum::<usize>(), 20);
        exercise_tools::whole_log(&log.bytes);
    }
}

#[test]
fn a_definition_after_its_records_brings_its_units_along() {
    let mut log = RawLog::with_units();
    log.unit('s', "s").mult('F', 1e-6);
    let first = log.bytes.len();
    (0..5_u8).for_each(|i| {
        log.record(40, &payload![u64::from(i), i]);
    });
    let defined_at = log.bytes.len();
    log.fmt(40, "EV", "QB", "TimeUS,Id").fmtu(40, "s-", "F-").record(40, &payload![9_u64, 9_u8]);
    let late = Log::from_bytes(&*log.bytes).check();
    assert!(late.findings().iter().any(|finding| finding.rule() == Rule::LateDefinition), "{late}");
    let (out, report) = repaired(&log.bytes);
    assert_eq!((report.recovered(), report.inserted().len()), (5, 1));
    let inserted = &report.inserted()[0];
    assert_eq!((inserted.offset, inserted.defined_at, inserted.id, &*inserted.name), (first, defined_at, 40, "EV"));
    let read = Log::from_bytes(&*out);
    assert_eq!(read.rows("EV").expect("a type").times_us(), [0, 1, 2, 3, 4, 9]);
    assert!(
        Records::new(&out)
            .flatten()
            .filter(|record| record.name() == "EV")
            .all(|record| { record.definition().unit_ids() == Some("s-") })
    );
}

fn is_definition(name: &str) -> bool {
    matches!(name, "FMT" | "FMTU" | "UNIT" | "MULT")
}

#[test]
fn pymavlink_reads_a_repaired_log_with_the_same_records() {
    for log in SOUND.iter() {
        let mut damaged = log.clone();
        // Not inside of definitions: pymavlink opens no log with a damaged FMT.
        let data = Records::new(log).flatten().filter(|record| !is_definition(record.name()));
        let places: Vec<usize> = data.map(|record| record.offset()).collect();
        if places.len() < 100 {
            continue;
        }
        // Unknown ids end pymavlink's index; garbage makes it skip.
        for part in [9, 7, 5] {
            let at = places[places.len() * part / 10];
            damaged.splice(at..at, [0xA3, 0x95, 250, 1, 2, 3, 4]);
            let at = places[places.len() * (part - 1) / 10] + 5;
            damaged.splice(at..at + 3, [0xFF; 40]);
        }
        let (out, report) = repaired(&damaged);
        assert!(report.removed().len() >= 3, "{report}");
        let Some(read) = pymavlink::dump(&out) else { return };
        let theirs: Vec<&str> = read.iter().filter_map(|record| record["type"].as_str()).collect();
        let ours: Vec<&str> = Records::new(&out).flatten().map(|record| record.name()).collect();
        assert_eq!(ours, theirs);
    }
}
