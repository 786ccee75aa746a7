//! Definitions that change, are repeated, come late, or contradict themselves.

use super::assert_as_pymavlink;
use binlog::log::{Rows, SelectError};
use binlog::{Log, Reason, Records, Scaling};
use binlog_tests::against;
use binlog_tests::payload;
use binlog_tests::raw_log::{FMTU, RawLog};

fn redefined(name: &str, label: &str) -> SelectError {
    SelectError::Redefined { name: name.into(), label: label.into() }
}

/// The values of a column under all its definitions.
fn integers(rows: &Rows<'_>, label: &str) -> Vec<Option<i128>> {
    rows.records().map(|record| record.value(label).and_then(|value| value.to_integer())).collect()
}

#[test]
fn a_type_may_get_other_columns() {
    let mut log = RawLog::new();
    log.fmt(1, "ABC", "QBh", "TimeUS,A,B").record(1, &payload![1_u64, 10_u8, -1_i16]);
    log.fmt(1, "ABC", "QHB", "TimeUS,B,A").record(1, &payload![2_u64, 300_u16, 20_u8]);
    log.record(1, &payload![3_u64, 400_u16, 30_u8]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.skipped(), []);
    let abc = log.rows("ABC").expect("the log has it");
    assert_eq!((abc.len(), abc.times_us(), abc.labels()), (3, vec![1, 2, 3], vec!["TimeUS", "A", "B"]));
    assert_eq!(abc.definitions().map(|definition| definition.format()).collect::<Vec<_>>(), ["QBh", "QHB"]);
    assert_eq!(integers(&abc, "A"), [Some(10), Some(20), Some(30)]);
    assert_eq!(integers(&abc, "B"), [Some(-1), Some(300), Some(400)]);
    // A is the same in both except for its place; B is not.
    assert_eq!(log.numbers("ABC.A", Scaling::Shown), Ok(vec![10.0, 20.0, 30.0]));
    assert_eq!(log.column("ABC.B").map(|column| column.len()), Err(redefined("ABC", "B")));
    let by_definition: Vec<_> = abc.by_definition().collect();
    assert_eq!(by_definition.iter().map(Rows::len).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(by_definition[0].numbers("B", Scaling::Shown), Ok(vec![-1.0]));
    assert_eq!(by_definition[1].numbers("B", Scaling::Shown), Ok(vec![300.0, 400.0]));
    let tables = log.tables();
    assert_eq!(
        tables.iter().map(|table| (table.name(), table.len())).collect::<Vec<_>>()[1..],
        [("ABC", 1), ("ABC", 2)]
    );
    assert_eq!(tables[2].column("B").and_then(|column| column.number(1, Scaling::Stored)), Some(400.0));
}

#[test]
fn a_column_that_one_definition_lacks_is_reported_as_redefined() {
    let mut log = RawLog::new();
    log.fmt(1, "ABC", "QB", "TimeUS,A").record(1, &payload![1_u64, 10_u8]);
    log.fmt(1, "ABC", "QBB", "TimeUS,A,B").record(1, &payload![2_u64, 20_u8, 21_u8]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.numbers("ABC.B", Scaling::Shown), Err(redefined("ABC", "B")));
    assert!(matches!(log.numbers("ABC.C", Scaling::Shown), Err(SelectError::NoColumn { .. })));
    let with_it = log.rows("ABC").expect("the log has it").by_definition().last().expect("two definitions");
    assert_eq!(with_it.numbers("B", Scaling::Shown), Ok(vec![21.0]));
}

#[test]
fn a_definition_without_records_does_not_affect_a_column() {
    let mut log = RawLog::new();
    log.fmt(1, "ABC", "Qh", "TimeUS,A").fmt(1, "ABC", "QB", "TimeUS,A").record(1, &payload![1_u64, 200_u8]);
    log.fmt(2, "NONE", "QB", "TimeUS,A");
    let log = Log::from_bytes(&log.bytes);
    for _ in 0..2 {
        assert_eq!(log.numbers("ABC.A", Scaling::Shown), Ok(vec![200.0]));
        assert_eq!(log.numbers("NONE.A", Scaling::Shown), Ok(vec![]));
    }
    assert_eq!(log.types().map(|rows| rows.name().to_owned()).collect::<Vec<_>>(), ["FMT", "ABC"]);
    assert_eq!(log.rows("NONE").map(|rows| rows.len()), Ok(0));
}

#[test]
fn a_type_may_change_there_and_back() {
    let (one, other) = (("QBh", "TimeUS,A,B"), ("QhB", "TimeUS,B,A"));
    let mut log = RawLog::new();
    let mut expected = Vec::new();
    for i in 0..20_u8 {
        let (format, labels) = if i % 2 == 0 { one } else { other };
        log.fmt(1, "ABC", format, labels);
        for j in 0..i % 3 {
            expected.push(Some(i128::from(i * 10 + j)));
            let (time, a, b) = (payload![u64::from(i)], payload![i * 10 + j], payload![7_i16]);
            log.record(1, &if i % 2 == 0 { [time, a, b] } else { [time, b, a] }.concat());
        }
    }
    let log = Log::from_bytes(&log.bytes);
    let abc = log.rows("ABC").expect("the log has it");
    // Not one a change, and in the order of the log.
    assert_eq!(abc.definitions().map(|definition| definition.format()).collect::<Vec<_>>(), ["QBh", "QhB"]);
    assert_eq!(integers(&abc, "A"), expected);
    assert!(abc.times_us().is_sorted());
    let numbers: Vec<_> = expected.iter().map(|value| value.expect("a number") as f64).collect();
    assert_eq!(log.numbers("ABC.A", Scaling::Shown), Ok(numbers));
    let (tables, lengths) = (log.tables(), abc.by_definition().map(|rows| rows.len()).collect::<Vec<_>>());
    assert_eq!(tables[1..].iter().map(|table| table.len()).collect::<Vec<_>>(), lengths);
}

#[test]
fn units_may_change_alone() {
    let mut log = RawLog::with_units();
    log.fmt(1, "ABC", "QB", "TimeUS,A").record(1, &payload![1_u64, 1_u8]);
    log.fmtu(1, "sm", "F0").record(1, &payload![2_u64, 2_u8]);
    log.fmtu(1, "sd", "F0").record(1, &payload![3_u64, 3_u8]);
    log.fmtu(1, "sm", "F0").record(1, &payload![4_u64, 4_u8]);
    let log = Log::from_bytes(&log.bytes);
    let abc = log.rows("ABC").expect("the log has it");
    assert_eq!(abc.times_us(), [1, 2, 3, 4]);
    // The first units are also those of the records before them, and come back as the same definition.
    let units: Vec<_> = abc.definitions().map(|definition| definition.unit_ids()).collect();
    assert_eq!(units, [Some("sm"), Some("sd")]);
    assert_eq!(log.column("ABC.A").map(|column| column.len()), Err(redefined("ABC", "A")));
    assert_eq!(log.numbers("ABC.TimeUS", Scaling::Stored), Ok(vec![1.0, 2.0, 3.0, 4.0]));
    let tables: Vec<_> = log.tables().into_iter().filter(|table| table.name() == "ABC").collect();
    let columns: Vec<_> = tables.iter().filter_map(|table| table.column("A")).collect();
    let shown: Vec<_> =
        columns.iter().map(|a| (a.shown_unit(), a.to_f64(Scaling::Shown).unwrap_or_default())).collect();
    assert_eq!(shown, [("m", vec![1.0, 2.0, 4.0]), ("deg", vec![3.0])]);
}

#[test]
fn a_repeated_definition_changes_nothing() {
    let mut log = RawLog::with_units();
    log.unit('s', "s").unit('#', "instance").mult('F', 1e-6);
    for i in 0..3_u8 {
        log.fmt(1, "ABC", "QB", "TimeUS,A");
        if i == 0 {
            log.fmtu(1, "s#", "F-");
        }
        log.record(1, &payload![u64::from(i), i]);
    }
    assert_as_pymavlink(&log);
    let log = Log::from_bytes(&log.bytes);
    let abc = log.rows("ABC").expect("the log has it");
    assert_eq!(abc.definitions().map(|definition| definition.unit_ids()).collect::<Vec<_>>(), [Some("s#")]);
    assert_eq!(abc.instances().len(), 3);
}

#[test]
fn two_ids_may_have_one_definition() {
    let mut log = RawLog::new();
    log.fmt(1, "ABC", "QB", "TimeUS,A").fmt(2, "ABC", "QB", "TimeUS,A");
    for i in 0..6_u8 {
        log.record(1 + i % 2, &payload![u64::from(i), i]);
    }
    assert_as_pymavlink(&log);
    let log = Log::from_bytes(&log.bytes);
    let abc = log.rows("ABC").expect("the log has it");
    assert_eq!((abc.definitions().count(), abc.times_us()), (1, vec![0, 1, 2, 3, 4, 5]));
    assert_eq!(abc.records().map(|record| record.id()).collect::<Vec<_>>(), [1, 2, 1, 2, 1, 2]);
    assert_eq!(log.tables()[1].column("A").and_then(|a| a.to_f64(Scaling::Stored)).map(|a| a.len()), Some(6));
}

#[test]
fn one_name_may_have_two_layouts_at_a_time() {
    let mut log = RawLog::new();
    log.fmt(1, "ABC", "QB", "TimeUS,A").fmt(2, "ABC", "QhN", "TimeUS,B,C");
    for i in 0..6_u8 {
        match i % 2 {
            0 => log.record(1, &payload![u64::from(i), i]),
            _ => log.record(2, &payload![u64::from(i), -1_i16, *b"text\0\0\0\0\0\0\0\0\0\0\0\0"]),
        };
    }
    if let Some(read) = against::Read::new("two layouts", &log.bytes) {
        read.assert_types();
        read.assert_records();
        read.assert_times();
    }
    let log = Log::from_bytes(&log.bytes);
    let abc = log.rows("ABC").expect("the log has it");
    assert_eq!((abc.definitions().count(), abc.times_us()), (2, vec![0, 1, 2, 3, 4, 5]));
    assert_eq!(integers(&abc, "A"), [Some(0), None, Some(2), None, Some(4), None]);
}

#[test]
fn the_first_of_two_columns_with_one_label_is_read() {
    let mut log = RawLog::new();
    log.fmt(1, "ABC", "QBB", "TimeUS,A,A").record(1, &payload![1_u64, 1_u8, 2_u8]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.numbers("ABC.A", Scaling::Stored), Ok(vec![1.0]));
    let table = &log.tables()[1];
    assert_eq!(table.columns().iter().map(|column| column.label()).collect::<Vec<_>>(), ["TimeUS", "A", "A"]);
    assert_eq!(table.columns()[2].number(0, Scaling::Stored), Some(2.0));
}

#[test]
fn a_log_may_have_254_types_besides_fmt() {
    let mut log = RawLog::with_units();
    let ids = || (0..=254).filter(|id| ![128, 129, 130, 131].contains(id));
    for id in ids() {
        log.fmt(id, &format!("T{id:03}"), "QB", "TimeUS,Id");
        // pymavlink takes FMTU's TimeUS for an id, too.
        log.record(FMTU, &payload![256_u64, id, *b"s-\0\0\0\0\0\0\0\0\0\0\0\0\0\0", [0_u8; 16]]);
    }
    for id in ids() {
        log.record(id, &payload![u64::from(id), id]).record(id, &payload![1000_u64, id]);
    }
    if let Some(read) = against::Read::new("254 types", &log.bytes) {
        read.assert_types();
        read.assert_records();
        read.assert_columns();
        read.assert_times();
    }
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.types().count(), ids().count() + 2);
    for id in ids() {
        let numbers = log.numbers(&format!("T{id:03}.Id"), Scaling::Shown);
        assert_eq!(numbers, Ok(vec![f64::from(id); 2]));
    }
}

/// pymavlink doesn't open such a log.
#[test]
fn an_unknown_format_character_costs_the_columns_from_there_on() {
    let mut log = RawLog::new();
    log.fmt_of_length(1, 3 + 11, "ABC", "QBXB", "TimeUS,A,B,C").record(1, &payload![1_u64, 10_u8, 20_u8, 30_u8]);
    log.fmt(2, "EV", "QB", "TimeUS,Id").record(2, &payload![2_u64, 10_u8]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.skipped(), []);
    let abc = log.rows("ABC").expect("the log has it");
    assert_eq!((abc.labels(), abc.times_us()), (vec!["TimeUS", "A"], vec![1]));
    assert_eq!(log.numbers("ABC.A", Scaling::Stored), Ok(vec![10.0]));
    assert!(matches!(log.numbers("ABC.C", Scaling::Stored), Err(SelectError::NoColumn { .. })));
    assert_eq!(log.rows("EV").map(|ev| ev.len()), Ok(1));
}

#[test]
fn a_length_beyond_the_columns_is_accepted() {
    let mut log = RawLog::new();
    log.fmt_of_length(1, 3 + 20, "ABC", "QB", "TimeUS,A").record(1, &payload![1_u64, 10_u8, [0xA3_u8; 11]]);
    log.record(1, &payload![2_u64, 20_u8, [0x95_u8; 11]]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!((log.skipped(), log.suspects()), (&[][..], &[][..]));
    assert_eq!(log.numbers("ABC.A", Scaling::Stored), Ok(vec![10.0, 20.0]));
    let record = log.rows("ABC").expect("the log has it").records().next().expect("two records");
    assert_eq!((record.len(), record.values().count()), (23, 2));
}

#[test]
fn columns_beyond_the_length_are_left_out() {
    let mut log = RawLog::new();
    log.fmt_of_length(1, 3 + 9, "ABC", "QBf", "TimeUS,A,B").record(1, &payload![1_u64, 10_u8]);
    log.record(1, &payload![2_u64, 20_u8]);
    // Not even the time.
    log.fmt_of_length(2, 3 + 7, "ABD", "QB", "TimeUS,A").record(2, &[9; 7]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!((log.skipped(), log.suspects()), (&[][..], &[][..]));
    assert_eq!(log.rows("ABC").map(|abc| (abc.labels(), abc.times_us())), Ok((vec!["TimeUS", "A"], vec![1, 2])));
    assert_eq!(log.rows("ABD").map(|abd| (abd.labels(), abd.times_us())), Ok((vec![], vec![2])));
    assert_eq!(log.tables().iter().map(|table| table.columns().len()).collect::<Vec<_>>(), [5, 2, 0]);
}

#[test]
fn labels_and_formats_are_paired_up_to_the_end_of_either() {
    let mut log = RawLog::new();
    log.fmt(1, "FEW", "QBB", "TimeUS,A").record(1, &payload![1_u64, 10_u8, 20_u8]);
    log.fmt_of_length(2, 3 + 9, "MANY", "QB", "TimeUS,A,B,C").record(2, &payload![2_u64, 10_u8]);
    log.fmt(3, "NONE", "QB", "").record(3, &payload![3_u64, 10_u8]);
    log.fmt(4, "GAP", "QBB", "TimeUS,,B").record(4, &payload![4_u64, 10_u8, 20_u8]);
    let log = Log::from_bytes(&log.bytes);
    let labels = |name: &str| log.rows(name).expect("the log has it").labels();
    assert_eq!(labels("FEW"), ["TimeUS", "A"]);
    assert_eq!(labels("MANY"), ["TimeUS", "A"]);
    assert!(labels("NONE").is_empty());
    assert_eq!(labels("GAP"), ["TimeUS", "", "B"]);
    assert_eq!(log.numbers("GAP.", Scaling::Stored), Ok(vec![10.0]));
}

#[test]
fn columns_with_the_same_label_are_found_by_their_place() {
    let mut log = RawLog::new();
    log.fmt(1, "DUP", "QBh", "TimeUS,A,A").record(1, &payload![1_u64, 10_u8, -20_i16]);
    log.fmt(1, "DUP", "QBf", "TimeUS,A,A").record(1, &payload![2_u64, 11_u8, 0.5_f32]);
    let log = Log::from_bytes(&log.bytes);
    let dup = log.rows("DUP").expect("the log has it");
    let numbers = |rows: &Rows<'_>, place| rows.column_at(place).map(|column| column.to_f64(Scaling::Stored));
    assert_eq!(numbers(&dup, 1), Ok(Some(vec![10.0, 11.0])));
    assert_eq!(numbers(&dup, 2), Err(redefined("DUP", "A")));
    assert!(matches!(numbers(&dup, 3), Err(SelectError::NoColumn { .. })));
    let seconds: Vec<_> = dup.by_definition().map(|rows| numbers(&rows, 2)).collect();
    assert_eq!(seconds, [Ok(Some(vec![-20.0])), Ok(Some(vec![0.5]))]);
}

#[test]
fn a_definition_shorter_than_a_header_defines_nothing() {
    for length in 0..3 {
        let mut log = RawLog::new();
        log.fmt_of_length(1, length, "ABC", "", "").fmt(2, "EV", "QB", "TimeUS,Id");
        log.record(1, &payload![1_u64, 1_u8]).record(2, &payload![2_u64, 10_u8]).record(2, &payload![3_u64, 10_u8]);
        // One that is defined stays what it is.
        log.fmt_of_length(2, length, "EV", "", "").record(2, &payload![4_u64, 10_u8]);
        let log = Log::from_bytes(&log.bytes);
        assert_eq!(log.skipped().iter().map(|skipped| skipped.reason).collect::<Vec<_>>(), [Reason::UnknownId(1)]);
        assert!(log.rows("ABC").is_err());
        assert_eq!(log.rows("EV").map(|ev| ev.times_us()), Ok(vec![2, 3, 4]));
    }
}

#[test]
fn a_record_may_be_nothing_but_its_header() {
    let mut log = RawLog::new();
    log.fmt(1, "NULL", "", "").fmt(2, "EV", "QB", "TimeUS,Id").record(1, &[]).record(2, &payload![5_u64, 10_u8]);
    log.record(1, &[]).record(1, &[]);
    let log = Log::from_bytes(&log.bytes);
    let null = log.rows("NULL").expect("the log has it");
    assert_eq!((null.len(), null.times_us(), null.labels().len()), (3, vec![5, 5, 5], 0));
    assert!(null.records().all(|record| record.payload().is_empty() && record.len() == 3));
    let table = &log.tables()[1];
    assert_eq!((table.name(), table.len(), table.columns().len()), ("NULL", 3, 0));
}

#[test]
fn fmt_may_be_redefined_except_for_its_length() {
    let mut log = RawLog::new();
    log.fmt(128, "FMT", "BBnNZ", "Id,Bytes,Name,Format,Labels").fmt_of_length(128, 60, "FMT", "BBnN", "a,b,c,d");
    log.fmt(1, "EV", "QB", "TimeUS,Id").record(1, &payload![5_u64, 10_u8]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.skipped(), []);
    assert_eq!(log.rows("EV").map(|ev| ev.times_us()), Ok(vec![5]));
    let fmt = log.rows("FMT").expect("the log has it");
    let labels: Vec<_> = fmt.records().map(|record| record.definition().labels()).collect();
    let (first, second) = ("Type,Length,Name,Format,Columns", "Id,Bytes,Name,Format,Labels");
    // What defines FMT is read by itself.
    assert_eq!(labels, [first, second, second, second]);
    let labels: Vec<_> = Records::new(log.bytes()).flatten().map(|record| record.definition().labels()).collect();
    assert_eq!(labels[..4], [first, second, second, second]);
}

#[test]
fn fmtu_may_get_units_and_be_redefined() {
    let mut log = RawLog::with_units();
    log.fmtu(FMTU, "s---", "F---").fmt(1, "ABC", "QB", "TimeUS,A").fmtu(1, "sm", "F0");
    // Under another id: both are FMTU, but only the last one defined is believed.
    log.fmt(9, "FMTU", "QBNN", "TimeUS,FmtType,UnitIds,MultIds");
    log.record(9, &payload![0_u64, 1_u8, *b"sd\0\0\0\0\0\0\0\0\0\0\0\0\0\0", *b"F0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"]);
    log.record(1, &payload![1_u64, 1_u8]).fmtu(1, "sr", "F0").record(1, &payload![2_u64, 2_u8]);
    let log = Log::from_bytes(&log.bytes);
    let fmtu = log.rows("FMTU").expect("the log has it");
    assert_eq!(fmtu.len(), 4);
    let abc = log.rows("ABC").expect("the log has it");
    let units: Vec<_> = abc.records().map(|record| record.definition().unit_ids()).collect();
    assert_eq!(units, [Some("sd"), Some("sd")]);
}

#[test]
fn records_before_their_definition_are_skipped() {
    let mut log = RawLog::empty();
    log.record(1, &payload![1_u64, 10_u8]).fmt(128, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns");
    log.record(1, &payload![2_u64, 10_u8]).fmt(1, "EV", "QB", "TimeUS,Id").record(1, &payload![3_u64, 10_u8]);
    let log = Log::from_bytes(&log.bytes);
    let skipped: Vec<_> = log.skipped().iter().map(|s| (s.offset, s.length, s.reason)).collect();
    assert_eq!(skipped, [(0, 12, Reason::UnknownId(1)), (12 + 89, 12, Reason::UnknownId(1))]);
    assert_eq!(log.rows("EV").map(|ev| ev.times_us()), Ok(vec![3]));
}

#[test]
fn names_that_are_not_text_are_empty() {
    let mut log = RawLog::new();
    let labels = binlog::field::Chars::<64>::cut("TimeUS,A");
    log.record(128, &payload![1_u8, 12_u8, *b"\xFF\xFE\0\0", *b"QB\0\0\0\0\0\0\0\0\0\0\0\0\0\0", labels]);
    log.record(128, &payload![2_u8, 12_u8, *b"EV\0\0", *b"QB\0\0\0\0\0\0\0\0\0\0\0\0\0\0", [0xFF_u8; 64]]);
    log.record(1, &payload![1_u64, 10_u8]).record(2, &payload![2_u64, 10_u8]);
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.rows("").map(|rows| rows.times_us()), Ok(vec![1]));
    assert_eq!(log.numbers(".A", Scaling::Stored), Ok(vec![10.0]));
    // Its columns are there, without the labels that aren't text.
    assert_eq!(log.rows("EV").map(|ev| ev.labels()), Ok(vec![""]));
}

/// One byte that isn't text costs the label that it is in, and no unit.
#[test]
fn a_label_that_is_not_text_leaves_the_others() {
    let mut log = RawLog::with_units();
    let labels = *b"TimeUS,T\xB0,Alt";
    let mut slot = [0; 64];
    slot[..labels.len()].copy_from_slice(&labels);
    log.record(128, &payload![1_u8, 19_u8, *b"BARO", *b"Qff\0\0\0\0\0\0\0\0\0\0\0\0\0", slot]);
    log.record(FMTU, &payload![0_u64, 1_u8, *b"s\xB0m\0\0\0\0\0\0\0\0\0\0\0\0\0", *b"F-0\0\0\0\0\0\0\0\0\0\0\0\0\0"]);
    log.record(1, &payload![5_u64, 1.5_f32, 2.5_f32]);
    let log = Log::from_bytes(&log.bytes);
    let altitude = log.column("BARO.Alt").expect("a column");
    assert_eq!((altitude.to_f64(Scaling::Shown), altitude.shown_unit()), (Some(vec![2.5]), "m"));
    assert_eq!(log.rows("BARO").map(|rows| rows.times_us()), Ok(vec![5]));
}

/// ArduPilot repeats FMTs, with their FMTU or without.
#[test]
fn a_definition_that_is_repeated_later_is_what_it_was() {
    let mut log = RawLog::with_units();
    log.fmt(1, "ATT", "Qf", "TimeUS,Roll").fmtu(1, "sd", "F0");
    log.fmt(2, "ATT", "Qf", "TimeUS,Roll").fmtu(2, "sd", "F0");
    log.record(1, &payload![1_u64, 1.0_f32]).record(2, &payload![2_u64, 2.0_f32]);
    log.fmt(2, "ATT", "Qf", "TimeUS,Roll").record(2, &payload![3_u64, 3.0_f32]);
    log.fmt(1, "EV", "QB", "TimeUS,Id").record(1, &payload![4_u64, 10_u8]);
    log.fmt(1, "ATT", "Qf", "TimeUS,Roll").record(1, &payload![5_u64, 5.0_f32]);
    let log = Log::from_bytes(&log.bytes);
    let roll = log.column("ATT.Roll").expect("one definition");
    assert_eq!((roll.to_f64(Scaling::Shown), roll.shown_unit()), (Some(vec![1.0, 2.0, 3.0, 5.0]), "deg"));
}
