//! What `repair` keeps and removes.

use crate::contents::contents;
use binlog::check::Rule;
use binlog::log::Rows;
use binlog::repair::{RepairError, Repaired};
use binlog::{Log, Records};
use binlog_tests::any_bytes::tools::{self, records, repaired};
use binlog_tests::raw_log::RawLog;
use binlog_tests::{logs, payload, pymavlink};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
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
        assert!(out == *log && report.is_copy() && report.to_string().is_empty());
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
        tools::whole_log(&damaged);
    }

    #[test]
    fn any_bytes_can_be_repaired(bytes in prop::collection::vec(any_byte(), 0..2000)) {
        tools::whole_log(&bytes);
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
        tools::whole_log(&log.bytes);
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

/// A log, and each type that has records, with the place of its FMT.
type Defined = (Vec<u8>, Vec<(String, usize)>);

/// A simulated flight.
static DEFINED: LazyLock<Defined> = LazyLock::new(|| {
    let log = simulator::log_of(simulator::Simulation::new(1, 10));
    let used: Vec<u8> = Records::new(&log).flatten().map(|record| record.id()).collect();
    let fmts = Records::new(&log).flatten().filter(|record| record.name() == "FMT");
    let defined = fmts.filter(|fmt| used.contains(&fmt.payload()[0])).map(|fmt| {
        let name = String::from_utf8_lossy(&fmt.payload()[2..6]).trim_end_matches('\0').to_owned();
        (name, fmt.offset())
    });
    let defined = defined.collect();
    (log, defined)
});

/// The ids of units and multipliers of all columns.
fn units(rows: &Rows<'_>) -> Vec<(Option<u8>, Option<u8>)> {
    rows.definitions()
        .flat_map(|definition| definition.columns())
        .map(|column| (column.unit_id, column.multiplier_id))
        .collect()
}

/// A log that was repaired with the definitions of another one, and the report.
fn repaired_with(damaged: &[u8], definitions: &[u8]) -> (Vec<u8>, Repaired) {
    let mut out = Vec::new();
    let report = Log::from_bytes(damaged).repair_with(&Log::from_bytes(definitions), &mut out);
    (out, report.expect("definitions of the same firmware"))
}

#[test]
fn a_definition_that_contradicts_itself_is_replaced() {
    let (log, defined) = &*DEFINED;
    for (name, offset) in defined {
        // Length, name, format characters, labels.
        for (at, byte) in [(4, 1), (4, 250), (5, 0xFF), (9, b'?'), (10, b'\0'), (25, 0xC0), (26, b','), (27, b' ')] {
            let mut damaged = log.clone();
            damaged[offset + at] = byte;
            let (out, report) = repaired_with(&damaged, log);
            assert!(out == *log, "{name}, byte {at}: {report}");
            let [replaced] = report.replaced() else { panic!("{name}, byte {at}: {report}") };
            assert_eq!((&replaced.name, replaced.offset), (name, *offset));
            assert!(!report.is_copy() && report.to_string().contains(&replaced.problem));
            assert_eq!(report.records(), records(log).len() as u64);
            // Records that readers read by the damaged definition count as those that they skip.
            let its = Records::new(log).flatten().filter(|record| record.name() == name).count() as u64;
            assert!(name == "FMT" || report.recovered() >= its, "{name}, byte {at}: {} of {its}", report.recovered());
        }
    }
}

#[test]
fn a_definition_with_a_damaged_id_is_replaced() {
    let (log, defined) = &*DEFINED;
    let places: Vec<usize> = defined.iter().map(|(_, offset)| *offset).collect();
    for (i, offset) in places.iter().enumerate().filter(|(i, _)| defined[*i].0 != "FMT") {
        // An id of no record, and another type's.
        for id in [5, log[places[(i + 1) % places.len()] + 3]] {
            let mut damaged = log.clone();
            damaged[offset + 3] = id;
            let (out, report) = repaired_with(&damaged, log);
            assert!(out == *log, "{}, id {id}: {report}", defined[i].0);
        }
    }
}

#[test]
fn a_definition_that_is_lost_is_inserted() {
    let (log, defined) = &*DEFINED;
    for (name, offset) in defined {
        let mut damaged = log.clone();
        damaged[*offset..offset + 89].fill(0xFF);
        let (out, report) = repaired_with(&damaged, log);
        assert_eq!(contents(&out), contents(log), "{name}: {report}");
        // FMT is known to all readers.
        if name != "FMT" {
            let first = report.inserted().iter().find(|inserted| inserted.name == *name).expect("it is inserted");
            assert!(first.is_from_other_log && first.defined_at == *offset, "{report}");
            assert!(report.recovered() > 0);
        }
        let (sound, read) = (Log::from_bytes(&**log), Log::from_bytes(&*out));
        for rows in sound.types() {
            let same = read.rows(rows.name()).expect("a type");
            assert!(rows.is_empty() || units(&same) == units(&rows), "{name}: {}", rows.name());
        }
    }
}

#[test]
fn a_log_without_its_beginning_gets_definitions_and_units() {
    let (log, _) = &*DEFINED;
    let data = Records::new(log).flatten().filter(|record| !is_definition(record.name()));
    let middle = data.map(|record| record.offset()).nth(1000).expect("a long log");
    let (out, report) = repaired_with(&log[middle..], log);
    let expected: Vec<&[u8]> =
        records(log).into_iter().filter(|record| record.as_ptr() >= log[middle..].as_ptr()).collect();
    assert_eq!(report.records(), expected.len() as u64);
    assert_eq!(report.recovered(), report.records());
    let kept = records(&out);
    assert!(expected.iter().all(|record| kept.contains(record)));
    let (sound, read) = (Log::from_bytes(&**log), Log::from_bytes(&*out));
    for name in ["ATT.Roll", "GPS.Lat", "BARO.Alt"] {
        let unit = |log: &Log<'_>| log.column(name).map(|column| (column.unit().to_owned(), column.multiplier()));
        assert!(!unit(&sound).expect("a column").0.is_empty());
        assert_eq!(unit(&read), unit(&sound), "{name}");
    }
}

#[test]
fn definitions_that_all_come_from_another_log_break_no_rule() {
    let (sound, _) = &*DEFINED;
    let data = Records::new(sound).flatten().filter(|record| !is_definition(record.name()));
    let lost: Vec<u8> =
        data.flat_map(|record| sound[record.offset()..record.offset() + record.len()].to_vec()).collect();
    let (repaired, report) = repaired_with(&lost, sound);
    let [before, after] = [sound, &repaired].map(|log| Log::from_bytes(&**log).check());
    let rules = |report: &binlog::check::Report| -> BTreeSet<Rule> {
        report.findings().iter().map(|finding| finding.rule()).collect()
    };
    assert_eq!(rules(&after), rules(&before), "{after}{report}");
    assert_eq!(Log::from_bytes(&*repaired).boots().count(), 1);
}

#[test]
fn a_definition_that_differs_and_stays_is_named() {
    let (log, defined) = &*DEFINED;
    let (name, offset) = defined.iter().find(|(name, _)| name == "ATT").expect("a flight has attitudes");
    let mut damaged = log.clone();
    // A byte of a label.
    damaged[offset + 30] ^= 1;
    let (out, report) = repaired_with(&damaged, log);
    assert!(out == damaged && report.is_copy(), "{report}");
    assert_eq!(report.differing(), std::slice::from_ref(name));
    assert_eq!(report.to_string(), "kept the definition of ATT, which differs from the other log's\n");
    // A replaced definition isn't listed.
    damaged[offset + 4] = 1;
    let (out, report) = repaired_with(&damaged, log);
    assert!(out == *log && report.differing().is_empty(), "{report}");
    let lost = records(log).len() - records(&damaged).len();
    assert!(lost > 0 && report.recovered() == lost as u64, "{report}");
    // Another one is.
    let (_, other) = defined.iter().find(|(name, _)| name == "BARO").expect("a flight has heights");
    damaged[other + 30] ^= 1;
    let (_, report) = repaired_with(&damaged, log);
    assert_eq!(report.differing(), ["BARO"]);
    // Types that only this log defines aren't listed.
    let (_, report) = repaired_with(log, &log[..offset + 89]);
    assert!(report.is_copy() && report.differing().is_empty(), "{report}");
}

#[test]
fn a_record_in_front_of_damage_is_kept_and_named() {
    let (log, _) = &*DEFINED;
    let records: Vec<(usize, usize)> =
        Records::new(log).flatten().map(|record| (record.offset(), record.len())).collect();
    let middle = records.len() / 2;
    let (kept, (hit, length)) = (records[middle - 1].0, records[middle]);
    let mut damaged = log.clone();
    damaged[hit] = 0;
    let (out, report) = repaired(&damaged);
    assert_eq!(out, [&log[..hit], &log[hit + length..]].concat());
    assert_eq!(report.suspects(), [kept]);
    let line = format!("offset {kept}: kept a record whose end may be damaged: no header follows it\n");
    assert!(report.to_string().contains(&line), "{report}");
}

/// A log of definitions: id, name, labels.
fn defining(types: &[(u8, &str, &str)]) -> RawLog {
    let mut log = RawLog::new();
    types.iter().for_each(|(id, name, labels)| {
        log.fmt(*id, name, "QB", labels);
    });
    log
}

#[test]
fn definitions_of_other_firmware_are_refused() {
    let damaged = defining(&[(30, "A", "TimeUS,X"), (31, "B", "TimeUS,X"), (32, "C", "TimeUS,X")]);
    let other = defining(&[(30, "A", "TimeUS,Y"), (31, "B", "TimeUS,Y"), (32, "C", "TimeUS,X"), (33, "D", "TimeUS,X")]);
    let (damaged, other) = (Log::from_bytes(&*damaged.bytes), Log::from_bytes(&*other.bytes));
    let mut out = Vec::new();
    let refused = damaged.repair_with(&other, &mut out).expect_err("other firmware");
    let text = "2 of the 3 ids that both logs define mean something else, A for instance; choose a log of the same";
    assert!(matches!(refused, RepairError::OtherFirmware { .. }) && refused.to_string().contains(text), "{refused}");
    assert!(out.is_empty());
}

#[test]
fn an_error_of_the_writer_is_one() {
    struct Refuses;
    impl Write for Refuses {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::InvalidInput.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (log, _) = &*DEFINED;
    for damaged in [&log[..], &log[1..]] {
        let refused = Log::from_bytes(damaged).repair_with(&Log::from_bytes(&**log), Refuses).expect_err("a refusal");
        assert!(matches!(refused, RepairError::Io(error) if error.kind() == io::ErrorKind::InvalidInput));
    }
}

#[test]
fn a_few_types_that_differ_are_options_of_the_firmware() {
    let mut damaged = defining(&[(30, "A", "TimeUS,X"), (31, "B", "TimeUS,X"), (32, "C", "TimeUS,X")]);
    damaged.record(34, &payload![2_u64, 2_u8]);
    let other = defining(&[(30, "A", "TimeUS,Y"), (31, "B", "TimeUS,X"), (34, "D", "TimeUS,X")]);
    let (_, report) = repaired_with(&damaged.bytes, &other.bytes);
    assert_eq!((report.inserted().len(), report.recovered(), report.removed()), (1, 1, &[][..]));
    assert_eq!(report.differing(), ["A"]);
}

#[test]
fn a_type_with_another_id_in_the_other_log_keeps_its_id() {
    let mut log = defining(&[(30, "C", "TimeUS,X"), (254, "A", "TimeUS,Y")]);
    (0..3_u8).for_each(|i| {
        log.record(254, &payload![u64::from(i), i]);
    });
    let other = defining(&[(30, "C", "TimeUS,X"), (254, "B", "TimeUS,Z"), (253, "A", "TimeUS,Y")]);
    let (out, report) = repaired_with(&log.bytes, &other.bytes);
    assert!(out == log.bytes && report.is_copy() && report.differing().is_empty(), "{report}");
    // Records of an id that the log doesn't define aren't those of a type that it has.
    let sound = log.bytes.clone();
    log.record(253, &payload![9_u64, 9_u8]);
    let (out, report) = repaired_with(&log.bytes, &other.bytes);
    assert!(out == sound && report.inserted().is_empty(), "{report}");
    // Its definition isn't the one of its id, also if it is damaged.
    let place = Records::new(&sound).flatten().filter(|record| record.name() == "FMT").last().expect("A's").offset();
    let mut damaged = sound.clone();
    damaged[place + 4] = 200;
    let (_, report) = repaired_with(&damaged, &other.bytes);
    assert_eq!((report.replaced(), report.differing()), (&[][..], &["A".to_owned()][..]), "{report}");
}

#[test]
fn a_late_definition_of_the_log_takes_precedence() {
    let mut log = defining(&[(30, "C", "TimeUS,X"), (31, "D", "TimeUS,X")]);
    (0..3_u8).for_each(|i| {
        log.record(40, &payload![u64::from(i), i]);
    });
    log.fmt(40, "EV", "QB", "TimeUS,Id");
    let mut other = defining(&[(30, "C", "TimeUS,X"), (31, "D", "TimeUS,X")]);
    other.fmt(40, "EV", "QBQ", "TimeUS,Id,More");
    let (out, report) = repaired_with(&log.bytes, &other.bytes);
    assert_eq!(out, repaired(&log.bytes).0);
    assert_eq!((report.recovered(), report.inserted()[0].is_from_other_log), (3, false));
    assert_eq!(report.differing(), ["EV"]);
}

#[test]
fn contradictory_fmt_is_replaced_by_one_of_real_firmware() {
    // A label that begins with a digit is one that Python can't name; firmware has such.
    let other = defining(&[(30, "C", "TimeUS,X"), (31, "A", "TimeUS,1")]);
    let mut damaged = defining(&[(30, "C", "TimeUS,X")]);
    let place = damaged.bytes.len();
    damaged.fmt_of_length(31, 200, "A", "QB", "TimeUS,1");
    let (out, report) = repaired_with(&damaged.bytes, &other.bytes);
    assert!(out == other.bytes && report.differing().is_empty(), "{report}");
    assert_eq!(report.replaced().iter().map(|replaced| replaced.offset).collect::<Vec<_>>(), [place]);
    // One that fits its records stays, unless the other one fits them, too.
    let damaged = defining(&[(30, "C", "TimeUS,X"), (31, "A", "TimeUS,1")]);
    let mut other = defining(&[(30, "C", "TimeUS,X")]);
    other.fmt(31, "A", "QH", "TimeUS,X");
    let (out, report) = repaired_with(&damaged.bytes, &other.bytes);
    assert!(out == damaged.bytes, "{report}");
    assert_eq!(report.differing(), ["A"]);
}

#[test]
fn an_fmt_that_took_the_id_of_another_type_costs_no_record() {
    let mut sound = defining(&[(30, "C", "TimeUS,X"), (64, "P", "TimeUS,X"), (65, "R", "TimeUS,Y")]);
    let places: Vec<usize> = Records::new(&sound.bytes).flatten().map(|record| record.offset()).collect();
    let [.., c, p, r] = places[..] else { panic!("three types") };
    (0..5_u8).for_each(|i| {
        sound.record(64, &payload![u64::from(i), i]).record(30, &payload![u64::from(i), i]);
    });
    let other = &sound.bytes;
    let with = |changes: &[(usize, u8)]| {
        let mut damaged = other.clone();
        changes.iter().for_each(|&(at, byte)| damaged[at] = byte);
        repaired_with(&damaged, other)
    };
    // The id; with it, the name, a format character, the length.
    for changes in [&[(r + 3, 64)][..], &[(r + 3, 64), (r + 10, b'H')], &[(r + 3, 64), (r + 4, 99)], &[(c + 3, 64)]] {
        let (out, report) = with(changes);
        assert!(out == *other, "{changes:?}: {report}");
    }
    // Whose it was can't be told any more: P's own definition takes its place.
    let (out, report) = with(&[(r + 3, 64), (r + 5, b'Q')]);
    assert_eq!(contents(&out), contents(other), "{report}");
    assert!(report.to_string().contains("its id is 64, which is P's"), "{report}");
    // The name of another type.
    let (out, report) = with(&[(p + 5, b'C')]);
    assert!(out == *other && report.to_string().contains("its name is that of another type"), "{report}");
}

#[test]
fn an_id_that_has_another_meaning_after_a_reboot_keeps_it() {
    let boot = |types: &[(u8, &str, &str)]| {
        let mut log = defining(types);
        log.record(254, &payload![1_u64, 1_u8]);
        log.bytes
    };
    let log = [
        boot(&[(30, "C", "TimeUS,X"), (254, "A", "TimeUS,Y")]),
        boot(&[(30, "C", "TimeUS,X"), (254, "B", "TimeUS,Z")]),
    ]
    .concat();
    let other = boot(&[(30, "C", "TimeUS,X"), (254, "B", "TimeUS,Z"), (253, "A", "TimeUS,Y")]);
    let (out, report) = repaired_with(&log, &other);
    assert!(out == log && report.is_copy(), "{report}");
}

#[test]
fn units_that_the_log_lacks_come_with_a_definition() {
    let mut other = RawLog::with_units();
    other.unit('s', "s").unit('d', "deg").mult('F', 1e-6).mult('B', 1e-2);
    other.fmt(40, "A", "QB", "TimeUS,X").fmtu(40, "sd", "FB");
    let mut damaged = RawLog::with_units();
    damaged.unit('s', "s").mult('F', 1e-6).record(40, &payload![7_u64, 7_u8]);
    let (out, report) = repaired_with(&damaged.bytes, &other.bytes);
    assert_eq!(report.recovered(), 1);
    let names = |name: &str| Records::new(&out).flatten().filter(|record| record.name() == name).count();
    assert_eq!((names("UNIT"), names("MULT")), (2, 2), "each once");
    let read = Log::from_bytes(&*out);
    let column = read.column("A.X").expect("a column");
    assert_eq!((column.unit(), column.multiplier()), ("deg", Some(1e-2)));
}

#[test]
fn units_are_left_out_if_their_id_means_something_else() {
    let mut other = RawLog::with_units();
    other.unit('d', "deg").fmt(30, "C", "QB", "TimeUS,X").fmt(31, "D", "QB", "TimeUS,X");
    other.fmt(40, "A", "QB", "TimeUS,X");
    let unit = Records::new(&other.bytes).flatten().find(|record| record.name() == "UNIT").expect("a unit").id();
    let mut damaged = defining(&[(30, "C", "TimeUS,X"), (31, "D", "TimeUS,X"), (unit, "OWN", "TimeUS,Y")]);
    damaged.record(unit, &payload![1_u64, 1_u8]).record(40, &payload![7_u64, 7_u8]);
    let (out, report) = repaired_with(&damaged.bytes, &other.bytes);
    assert_eq!((report.recovered(), report.removed()), (1, &[][..]), "{report}");
    assert_eq!(contents(&out).values().sum::<usize>(), 2);
    assert!(repaired(&out).1.is_copy());
}

#[test]
fn units_that_are_lost_come_from_the_other_log() {
    let (log, defined) = &*DEFINED;
    let sound = Log::from_bytes(&**log);
    let fmtus: Vec<_> = Records::new(log).flatten().filter(|record| record.name() == "FMTU").collect();
    for (name, offset) in defined.iter().filter(|(name, _)| !is_definition(name)) {
        let id = log[offset + 3];
        let Some(fmtu) = fmtus.iter().find(|fmtu| fmtu.payload()[8] == id) else { continue };
        let mut damaged = log.clone();
        damaged[fmtu.offset()..fmtu.offset() + fmtu.len()].fill(0xFF);
        let (out, report) = repaired_with(&damaged, log);
        let [of] = report.units() else { panic!("{name}: {report}") };
        assert_eq!((&of.name, of.id, report.rows()), (name, id, 0));
        assert!(report.to_string().contains(&format!("inserted the FMTU of {name}")) && !report.is_copy(), "{report}");
        assert_eq!(contents(&out), contents(log), "{name}");
        let read = Log::from_bytes(&*out);
        assert_eq!(units(&read.rows(name).expect("a type")), units(&sound.rows(name).expect("a type")), "{name}");
    }
}

#[test]
fn rows_of_units_that_are_lost_come_from_the_other_log() {
    let (log, _) = &*DEFINED;
    let rows: Vec<_> = Records::new(log).flatten().filter(|record| ["UNIT", "MULT"].contains(&record.name())).collect();
    assert!(rows.len() > 10);
    for row in rows {
        let mut damaged = log.clone();
        damaged[row.offset()..row.offset() + row.len()].fill(0xFF);
        let (out, report) = repaired_with(&damaged, log);
        assert_eq!((report.rows(), report.units()), (1, &[][..]), "{report}");
        assert_eq!(contents(&out), contents(log));
    }
}

#[test]
fn a_type_that_never_had_units_and_one_that_differs_get_none() {
    let mut other = RawLog::with_units();
    other.unit('d', "deg").fmt(40, "A", "QB", "TimeUS,X").fmtu(40, "-d", "--");
    other.fmt(41, "B", "QB", "TimeUS,X").fmt(42, "C", "QB", "TimeUS,X").fmtu(42, "-d", "--");
    let mut damaged = RawLog::with_units();
    damaged.unit('d', "deg").fmt(40, "A", "QB", "TimeUS,Y").fmt(41, "B", "QB", "TimeUS,X");
    damaged.fmt(42, "C", "QB", "TimeUS,X").fmtu(42, "--", "--");
    for id in 40..43 {
        damaged.record(id, &payload![7_u64, 7_u8]);
    }
    damaged.bytes.extend([0xFF; 5]);
    let (out, report) = repaired_with(&damaged.bytes, &other.bytes);
    assert_eq!((report.units(), report.rows()), (&[][..], 0), "{report}");
    assert!(out == damaged.bytes[..damaged.bytes.len() - 5]);
}

fn is_definition(name: &str) -> bool {
    matches!(name, "FMT" | "FMTU" | "UNIT" | "MULT")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn damaged_definitions_cost_no_record_if_another_log_has_them(
        damages in prop::collection::vec((any::<prop::sample::Index>(), 0..89_usize, prop::collection::vec(any::<u8>(), 1..60)), 1..8)
    ) {
        let (log, defined) = &*DEFINED;
        let mut damaged = log.clone();
        let last = defined.iter().map(|(_, offset)| offset + 89).max().unwrap_or(0);
        // At most one damage begins in a definition: two could give it another valid form.
        let damages: BTreeMap<usize, _> =
            damages.into_iter().map(|(which, at, bytes)| (defined[which.index(defined.len())].1, (at, bytes))).collect();
        for (offset, (at, bytes)) in &damages {
            let at = offset + at;
            let end = (at + bytes.len()).min(last);
            damaged[at..end].copy_from_slice(&bytes[..end - at]);
        }
        let (out, report) = repaired_with(&damaged, log);
        // A damaged name that is still valid stays.
        let definitions: Vec<u8> =
            Records::new(log).flatten().filter(|record| is_definition(record.name())).map(|record| record.id()).collect();
        let data =
            |log| -> Vec<_> { records(log).into_iter().filter(|record| !definitions.contains(&record[2])).collect() };
        let (kept, expected) = (data(&out), data(log));
        let mut rest = kept.iter();
        prop_assert!(expected.iter().all(|record| rest.any(|kept| kept == record)), "{report}");
        // An FMT whose header is damaged may read as a record of another type.
        prop_assert!(kept.len() <= expected.len() + damages.len(), "{report}");
    }
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
