//! What merged logs have.

use crate::contents::{contents, sum};
use binlog::merge::{MergeError, Merged, Renumbered, merge};
use binlog::{Log, Scaling};
use binlog_tests::raw_log::{FMTU, RawLog};
use binlog_tests::{payload, pymavlink};
use proptest::prelude::*;

fn merged(logs: &[&RawLog]) -> Result<(Vec<u8>, Merged), MergeError> {
    let logs: Vec<Log<'_>> = logs.iter().map(|log| Log::from_bytes(&*log.bytes)).collect();
    let mut out = Vec::new();
    merge(&logs, &mut out).map(|report| (out, report))
}

/// A log with one type and two records.
fn log(id: u8, name: &str, times_us: [u64; 2]) -> RawLog {
    let mut log = RawLog::with_units();
    log.unit('s', "s").mult('F', 1e-6);
    log.fmt(id, name, "QB", "TimeUS,Id").fmtu(id, "s-", "F-");
    times_us.iter().for_each(|time_us| {
        log.record(id, &payload![*time_us, id]);
    });
    log
}

#[test]
fn records_are_in_the_order_of_their_times() {
    let (out, report) = merged(&[&log(1, "A1", [10, 30]), &log(2, "B1", [20, 25])]).expect("one log");
    let times: Vec<_> = Log::from_bytes(&*out).records().flatten().filter_map(|record| record.time_us()).collect();
    assert_eq!(times[times.len() - 4..], [10, 20, 25, 30]);
    assert_eq!((report.records(), report.duplicates()), (&[2, 2][..], 0));
}

#[test]
fn equal_definitions_share_an_id_and_others_get_a_free_one() {
    let (out, report) =
        merged(&[&log(1, "A1", [1, 2]), &log(1, "B1", [1, 2]), &log(9, "A1", [3, 4])]).expect("one log");
    let renumbered = |log, name: &str, from, to| Renumbered { log, name: name.into(), from, to };
    assert_eq!(report.renumbered(), [renumbered(1, "B1", 1, 2), renumbered(2, "A1", 9, 1)]);
    let out = Log::from_bytes(out);
    assert_eq!(out.rows("A1").expect("a type").times_us(), [1, 2, 3, 4]);
    assert_eq!(out.numbers("B1.Id", Scaling::Shown).expect("a type"), [1.0, 1.0]);
    assert!(out.check().findings().iter().all(|finding| finding.severity() != binlog::check::Severity::Error));
}

#[test]
fn an_id_of_a_unit_that_means_something_else_gets_a_free_one() {
    let with_unit = |id, name: &str, unit: &str, value: f64| {
        let mut log = RawLog::with_units();
        log.unit('s', "s").mult('F', 1e-6).unit('T', unit).mult('x', value);
        log.fmt(id, name, "Qf", "TimeUS,X").fmtu(id, "sT", "Fx").record(id, &payload![1_u64, 2.0_f32]);
        log
    };
    let (one, other) = (with_unit(1, "A1", "uT", 2.5), with_unit(2, "B1", "furlong", 1.5));
    let again = with_unit(3, "C1", "furlong", 2.5);
    let (out, _) = merged(&[&one, &other, &again]).expect("one log");
    let out = Log::from_bytes(out);
    let unit = |column: &str| out.column(column).expect("a column").unit().to_owned();
    assert_eq!([unit("A1.X"), unit("B1.X"), unit("C1.X")], ["uT", "furlong", "furlong"]);
    let scaled = |column| out.numbers(column, Scaling::Units).expect("numbers");
    assert_eq!([scaled("A1.X"), scaled("B1.X"), scaled("C1.X")], [[5.0], [3.0], [5.0]]);
}

#[test]
fn type_defined_differently_by_two_logs_is_an_error_saying_how() {
    let one = log(1, "ATT", [1, 2]);
    let conflict = |other: &RawLog| merged(&[&one, other]).expect_err("a conflict").to_string();
    let mut labels = RawLog::with_units();
    labels.fmt(1, "ATT", "QB", "TimeUS,Yaw");
    assert_eq!(
        conflict(&labels),
        "ATT has the labels `TimeUS,Id` in log 1, and `TimeUS,Yaw` in log 2; leave the type out of one of them before \
         (`cut`)"
    );
    let mut format = RawLog::with_units();
    format.fmt(1, "ATT", "QH", "TimeUS,Id");
    assert!(conflict(&format).starts_with("ATT has the format `QB` in log 1, and `QH` in log 2"));
    let mut units = RawLog::with_units();
    units.unit('m', "m").unit('s', "s").mult('F', 1e-6).fmt(1, "ATT", "QB", "TimeUS,Id").fmtu(1, "sm", "F-");
    assert!(conflict(&units).starts_with("ATT has the units `s-` in log 1, and `sm` in log 2"), "{}", conflict(&units));
    let mut twice = log(1, "ATT", [1, 2]);
    twice.fmt(1, "ATT", "QH", "TimeUS,Id");
    let error = merged(&[&twice]).expect_err("a conflict").to_string();
    assert!(error.starts_with("log 1 defines ATT twice, with the format `QB` and `QH`"), "{error}");
}

#[test]
fn parts_that_overlap_are_merged_without_doubles() {
    let (one, other) = (log(1, "ATT", [1, 5]), log(1, "ATT", [5, 9]));
    let (out, report) = merged(&[&one, &other]).expect("one log");
    assert_eq!(Log::from_bytes(out).rows("ATT").expect("a type").times_us(), [1, 5, 9]);
    assert_eq!((report.records(), report.duplicates()), (&[2, 1][..], 1));
    // What one log has twice, it keeps.
    let (twice, once) = (log(1, "ATT", [5, 5]), log(1, "ATT", [5, 9]));
    let (out, _) = merged(&[&once, &twice]).expect("one log");
    assert_eq!(Log::from_bytes(out).rows("ATT").expect("a type").times_us(), [5, 5, 9]);
}

#[test]
fn the_same_log_twice_is_refused() {
    let (one, other) = (log(1, "ATT", [1, 2]), log(1, "ATT", [1, 3]));
    let error = merged(&[&one, &other, &one]).expect_err("twice");
    assert!(matches!(error, MergeError::Same { logs: [0, 2] }), "{error}");
    assert_eq!(error.to_string(), "logs 1 and 3 are the same, byte for byte; leave one out");
    // Parts of a log that have definitions only, or also what applies at their beginning.
    let mut empty = RawLog::with_units();
    empty.fmt(1, "ATT", "QB", "TimeUS,Id");
    assert!(merged(&[&empty, &empty, &one]).is_ok());
    let carried = log(2, "MODE", [1, 2]);
    let (_, report) = merged(&[&carried, &carried, &one]).expect("parts of a log");
    assert_eq!((report.records(), report.duplicates()), (&[2, 0, 2][..], 2));
}

#[test]
fn logs_of_several_boots_are_refused() {
    let mut two = log(1, "ATT", [1, 2]);
    two.bytes.extend(log(1, "ATT", [1, 2]).bytes);
    let error = merged(&[&log(1, "ATT", [1, 2]), &two]).expect_err("two boots");
    assert!(matches!(error, MergeError::SeveralBoots { log: 1, boots: 2 }), "{error}");
}

#[test]
fn too_many_types_are_an_error_that_names_the_first() {
    let many = |letter: char| {
        let mut log = RawLog::new();
        (0..127_u8).for_each(|id| {
            log.fmt(id, &format!("{letter}{id:02X}"), "QB", "TimeUS,X");
        });
        log
    };
    let error = merged(&[&many('A'), &many('B'), &many('C')]).expect_err("381 types");
    assert!(matches!(&error, MergeError::NoIdLeft { name } if name == "B7F" || name.starts_with('C')), "{error}");
}

#[test]
fn drop_records_count_by_the_new_ids() {
    let mut other = log(1, "B1", [1, 2]);
    other.fmt(50, "DROP", "QBII", "TimeUS,Id,Dropped,Decim").fmtu(50, "s#--", "F---");
    other.record(50, &payload![5_u64, 1_u8, 7_u32, 0_u32]);
    let (out, _) = merged(&[&log(1, "A1", [1, 2]), &other]).expect("one log");
    let report = Log::from_bytes(out).check();
    let dropped = report.findings().iter().find(|finding| finding.rule() == binlog::check::Rule::DroppedRecords);
    assert_eq!(dropped.map(|dropped| (dropped.subject(), dropped.count())), Some(("B1", 7)));
}

#[test]
fn pymavlink_reads_a_merged_log() {
    let (out, _) =
        merged(&[&log(0, "A1", [1, 2]), &log(0, "B1", [1, 2]), &log(FMTU + 1, "C1", [3, 4])]).expect("one log");
    let Some(read) = pymavlink::dump(&out) else { return };
    let count = |name: &str| read.iter().filter(|record| record["type"] == name).count();
    assert_eq!([count("A1"), count("B1"), count("C1")], [2, 2, 2]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_record_is_lost_whatever_the_ids(
        types in prop::collection::vec((0..120_u8, 0..8_u8, prop::collection::vec(0..1000_u64, 0..20)), 1..8)
    ) {
        // No two records are equal.
        let logs: Vec<RawLog> = types.iter().zip(0_u16..).map(|((id, name, times_us), number)| {
            let mut log = RawLog::with_units();
            let mut times_us = times_us.clone();
            times_us.sort_unstable();
            log.fmt(*id, &format!("T{name}"), "QH", "TimeUS,X");
            times_us.iter().zip(100 * number..).for_each(|(time_us, x)| { log.record(*id, &payload![*time_us, x]); });
            log
        }).collect();
        let (out, report) = merged(&logs.iter().collect::<Vec<_>>()).expect("one layout");
        let expected = logs.iter().map(|log| contents(&log.bytes)).fold(Default::default(), sum);
        prop_assert_eq!(contents(&out), expected);
        prop_assert_eq!(report.duplicates(), 0);
        let out = Log::from_bytes(out);
        let own = out.records().flatten().filter(|record| record.name().starts_with('T'));
        prop_assert!(own.filter_map(|record| record.time_us()).is_sorted());
    }
}

#[test]
fn overlapping_unordered_parts_are_merged_without_doubles() {
    let part = |times: &[u64]| {
        let mut log = RawLog::new();
        log.fmt(1, "ATT", "QB", "TimeUS,Id");
        times.iter().for_each(|time_us| _ = log.record(1, &payload![*time_us, 1_u8]));
        log
    };
    let (one, other) = (part(&[1, 40, 30, 50, 45]), part(&[30, 50, 45, 60]));
    let (out, report) = merged(&[&one, &other]).expect("one log");
    let mut times = Log::from_bytes(out).rows("ATT").expect("a type").times_us();
    times.sort_unstable();
    assert_eq!((times, report.duplicates()), (vec![1, 30, 40, 45, 50, 60], 3));
}

#[test]
fn logs_with_an_equal_record_are_paired() {
    let (first, second, third) = (log(1, "A1", [10, 30]), log(1, "A1", [30, 40]), log(2, "B1", [20, 25]));
    let (_, report) = merged(&[&first, &third, &second]).expect("one log");
    assert_eq!(report.in_common().collect::<Vec<_>>(), [[0, 2]]);
    // Equal descriptions are those of one firmware, not of one boot.
    let described = |id, name: &str| {
        let mut log = log(id, name, [u64::from(id), 100 + u64::from(id)]);
        log.descriptions("<logformat name=\"A1\"><description>Of both.</description></logformat>");
        log
    };
    let (out, report) = merged(&[&described(1, "A1"), &described(2, "B1")]).expect("one log");
    assert_eq!((report.in_common().count(), report.other_descriptions().count()), (0, 0));
    assert_eq!(Log::from_bytes(out).descriptions().len(), 1);
}

#[test]
fn common_beginning_of_a_firmwares_flights_is_no_common_boot() {
    let flight = |name: &str, times_us: [u64; 2], mode_us: u64| {
        let mut log = RawLog::with_units();
        log.unit('s', "s").mult('F', 1e-6);
        log.fmt(2, "PARM", "QNf", "TimeUS,Name,Value").fmt(3, "VER", "QB", "TimeUS,BT").fmt(
            4,
            "MODE",
            "QB",
            "TimeUS,Id",
        );
        log.record(2, &payload![0_u64, *b"RATE\0\0\0\0\0\0\0\0\0\0\0\0", 50.0_f32]).record(3, &payload![0_u64, 3_u8]);
        log.fmt(1, name, "QB", "TimeUS,Id").fmtu(1, "s-", "F-");
        log.record(1, &payload![times_us[0], 1_u8]).record(4, &payload![mode_us, 9_u8]);
        log.record(1, &payload![times_us[1], 1_u8]);
        log
    };
    let in_common = |one: &RawLog, other: &RawLog| {
        let (_, report) = merged(&[one, other]).expect("one log");
        (report.in_common().count(), report.duplicates())
    };
    assert_eq!(in_common(&flight("A1", [0, 30], 10), &flight("A1", [5, 40], 11)), (0, 2));
    assert_eq!(in_common(&flight("A1", [5, 30], 10), &flight("B1", [20, 40], 11)), (0, 2));
    // A mode during one of the flights, and a record of another type.
    assert_eq!(in_common(&flight("A1", [5, 30], 10), &flight("B1", [20, 40], 10)), (1, 3));
    assert_eq!(in_common(&flight("A1", [0, 30], 10), &flight("A1", [0, 40], 11)), (1, 3));
}

#[test]
fn other_descriptions_of_a_later_log_are_left_out_and_said() {
    let described = |id, name: &str, about: &str| {
        let mut log = log(id, name, [u64::from(id), 100 + u64::from(id)]);
        let about = about.repeat(20);
        log.descriptions(&format!("<logformat name=\"{name}\"><description>{about}</description></logformat>"));
        log
    };
    let [flight, companion, tracker] =
        [(1, "A1", "Of the flight. "), (2, "B1", "A companion. "), (3, "C1", "Tracked. ")]
            .map(|(id, name, about)| described(id, name, about));
    let (out, report) = merged(&[&flight, &companion, &tracker]).expect("one log");
    assert_eq!(report.other_descriptions().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(report.records()[1..], [2, 2]);
    let out = Log::from_bytes(out);
    assert_eq!(out.descriptions(), Log::from_bytes(&*flight.bytes).descriptions());
    assert_eq!(["A1", "B1", "C1"].map(|name| out.rows(name).map_or(0, |rows| rows.len())), [2; 3]);
    // Of a file whose first piece is repeated, the rest counts, too.
    let mut repeated = log(5, "E1", [5, 105]);
    let about = "Of the flight. ".repeat(19) + "Of another. ";
    repeated.descriptions(&format!("<logformat name=\"A1\"><description>{about}</description></logformat>"));
    let first = "<loggermessagefile><logformat name=\"A1\"><description>Of the flight. ";
    repeated.piece("LogMessages.xml", 0, 64, &first.as_bytes()[..64]);
    let (_, report) = merged(&[&flight, &repeated]).expect("one log");
    assert_eq!(report.other_descriptions().collect::<Vec<_>>(), [1]);
    // Of a log without any, nothing is left out.
    let (_, report) = merged(&[&log(4, "D1", [1, 2]), &companion]).expect("one log");
    assert_eq!(report.other_descriptions().count(), 0);
}
