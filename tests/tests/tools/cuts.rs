//! What a part of a log has.

use crate::contents::{contents, is_state, sum, without_state};
use binlog::cut::{Cut, Part};
use binlog::field::Chars;
use binlog::merge::merge;
use binlog::{Log, LogSchema, LogWriter, Scaling, messages};
use binlog_tests::raw_log::RawLog;
use binlog_tests::{logs, payload};
use proptest::prelude::*;
use std::ops::Range;
use std::sync::LazyLock;

static LOGS: LazyLock<Vec<Log<'static>>> = LazyLock::new(|| {
    let logs = logs::all().into_iter().map(|(_, log)| Log::from_bytes(log));
    logs.filter(|log| log.time_range_us().is_some()).collect()
});

fn cut(cut: &Cut, log: &Log<'_>) -> (Vec<u8>, Part) {
    let mut out = Vec::new();
    let part = cut.write(log, &mut out).expect("memory takes all");
    (out, part)
}

/// The log's time in pieces, without the ends.
fn pieces(log: &Log<'_>, cuts: &[f64]) -> Vec<Range<u64>> {
    let range = log.time_range_us().expect("times");
    let length = (range.end() - range.start()) as f64;
    let mut at: Vec<u64> = cuts.iter().map(|cut| range.start() + (length * cut) as u64).collect();
    at.extend([0, u64::MAX]);
    at.sort_unstable();
    at.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

#[test]
fn a_cut_of_everything_is_the_log() {
    for log in LOGS.iter() {
        let (out, part) = cut(&Cut::new(), log);
        let skipped: usize = part.skipped().iter().map(|skipped| skipped.length).sum();
        assert_eq!(out, log.bytes()[..log.bytes().len() - skipped]);
        assert_eq!(part.carried(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_part_and_the_rest_are_all(log in any::<prop::sample::Index>(), cuts in prop::collection::vec(0.0..1.0, 1..6)) {
        let log = log.get(&LOGS);
        let pieces = pieces(log, &cuts);
        let (even, odd): (Vec<_>, Vec<_>) = pieces.into_iter().enumerate().partition(|(i, _)| i % 2 == 0);
        let of = |pieces: Vec<(usize, Range<u64>)>| {
            cut(&Cut::new().during(pieces.into_iter().map(|(_, piece)| piece)), log)
        };
        let ((part, counts), (rest, rest_counts)) = (of(even), of(odd));
        let whole = contents(log.bytes());
        prop_assert_eq!(
            sum(without_state(contents(&part)), without_state(contents(&rest))), without_state(whole.clone())
        );
        // What says what applies is in both.
        let all = whole.values().sum::<usize>() as u64;
        prop_assert_eq!(counts.chosen() + rest_counts.chosen(), all);
        prop_assert!(contents(&part).keys().all(|record| whole.contains_key(record)));
        prop_assert_eq!(contents(&part).values().sum::<usize>() as u64, counts.chosen() + counts.carried());
    }

    #[test]
    fn merged_parts_are_the_log(log in any::<prop::sample::Index>(), cuts in prop::collection::vec(0.0..1.0, 1..5)) {
        let log = log.get(&LOGS);
        let parts = pieces(log, &cuts).into_iter().map(|piece| cut(&Cut::new().during([piece]), log).0);
        let parts: Vec<Log<'_>> = parts.map(Log::from_bytes).collect();
        let mut merged = Vec::new();
        let report = merge(&parts, &mut merged).expect("parts of one log");
        prop_assert_eq!(contents(&merged), contents(log.bytes()));
        prop_assert!(report.renumbered().is_empty());
        let check = Log::from_bytes(&*merged).check();
        prop_assert!(check.findings().iter().all(|finding| !finding.rule().is_damage()), "{}", check);
    }

    #[test]
    fn types_and_the_other_types_are_all(log in any::<prop::sample::Index>(), chosen: u32) {
        let log = log.get(&LOGS);
        let names = log.types().map(|rows| rows.name().to_owned()).enumerate();
        let names: Vec<String> = names.filter(|(i, _)| chosen >> (i % 32) & 1 == 1).map(|(_, name)| name).collect();
        let (part, _) = cut(&Cut::new().types(names.clone()), log);
        let (rest, _) = cut(&Cut::new().without(names.clone()), log);
        let both = sum(without_state(contents(&part)), without_state(contents(&rest)));
        prop_assert_eq!(both, without_state(contents(log.bytes())));
        let is_asked = |name: &String| names.contains(name) || is_state(name);
        prop_assert!(contents(&part).keys().all(|(name, _)| is_asked(name)));
    }
}

#[test]
fn what_applies_comes_before_a_new_definition_of_its_id() {
    let mut log = RawLog::with_units();
    log.fmt(1, "MODE", "QB", "TimeUS,Mode").fmt(2, "VER", "QB", "TimeUS,BT").fmt(3, "EV", "QB", "TimeUS,Id");
    log.record(1, &payload![1_u64, 7_u8]).record(2, &payload![2_u64, 8_u8]);
    log.fmt(1, "MODE", "QBB", "TimeUS,Mode,Rsn");
    log.record(3, &payload![10_u64, 9_u8]);
    let late = 5..20;
    let (out, part) = cut(&Cut::new().during([late]), &Log::from_bytes(&*log.bytes));
    assert_eq!((part.carried(), part.chosen()), (2, 1));
    assert_eq!(contents(&out), contents(&log.bytes));
}

#[test]
fn a_part_of_an_armed_flight_is_armed() {
    for arming in ["ARM", "EV"] {
        let mut log = RawLog::with_units();
        log.fmt(1, "ARM", "QB", "TimeUS,ArmState").fmt(2, "EV", "QB", "TimeUS,Id").fmt(3, "ATT", "QB", "TimeUS,I");
        for second in 0..10_u8 {
            let time_us = u64::from(second) * 1_000_000;
            match (arming, second) {
                ("ARM", 2 | 8) => log.record(1, &payload![time_us, u8::from(second == 2)]),
                ("EV", 2 | 8) => log.record(2, &payload![time_us, if second == 2 { 10_u8 } else { 11_u8 }]),
                // Another event: LANDED.
                _ => log.record(2, &payload![time_us, 18_u8]),
            };
            log.record(3, &payload![time_us, second]);
        }
        let log = Log::from_bytes(log.bytes);
        for (part, is_armed) in [(0..2_000_000, false), (4_000_000..6_000_000, true), (9_000_000..9_500_000, false)] {
            let (out, _) = cut(&Cut::new().during([part.clone()]).types(["ATT"]), &log);
            let out = Log::from_bytes(out);
            let is_now = |at| out.armed().iter().any(|armed| armed.time_us.contains(&at));
            assert_eq!(is_now(part.start + 1), is_armed, "{arming} {part:?}: {:?}", out.armed());
            assert_eq!(out.rows("EV").map_or(0, |rows| rows.len()), usize::from(arming == "EV" && part.start > 0));
        }
    }
}

#[test]
fn record_without_a_time_has_the_time_before_or_its_boots_first() {
    let mut log = RawLog::empty();
    for boot in 0..2_u8 {
        log.raw(&RawLog::with_units().bytes)
            .fmt(30, "NOT", "B", "X")
            .fmt(31, "ATT", "QB", "TimeUS,I")
            .fmtu(31, "s-", "F-");
        log.record(30, &payload![boot]).record(31, &payload![100_u64, boot]);
        log.record(31, &payload![200_u64, boot]).record(30, &payload![10 + boot]);
    }
    let log = Log::from_bytes(log.bytes);
    let during = |times: Range<u64>| {
        let (out, _) = cut(&Cut::new().during([times]), &log);
        Log::from_bytes(out)
            .rows("NOT")
            .map_or_else(|_| Vec::new(), |rows| rows.numbers("X", Scaling::Stored).expect("numbers"))
    };
    assert_eq!(during(100..150), [0.0, 1.0]);
    assert_eq!(during(150..250), [10.0, 11.0]);
    assert!(during(0..100).is_empty());
}

#[test]
fn a_boot_without_an_interval_is_left_out_with_its_definitions() {
    let mut log = RawLog::empty();
    for boot in 0..3_u8 {
        log.raw(&RawLog::with_units().bytes).fmt(31, "ATT", "QB", "TimeUS,I").fmtu(31, "s-", "F-");
        if boot == 0 {
            log.fmt(32, "ONCE", "QB", "TimeUS,I").fmt(32, "ONCE", "QH", "TimeUS,J").fmtu(32, "s-", "F-");
        }
        log.record(31, &payload![100_u64, boot]).record(32, &payload![200_u64, u16::from(boot)]);
    }
    let log = Log::from_bytes(log.bytes);
    assert_eq!(log.boots().count(), 3);
    let of_boot = |boot: usize| log.bytes()[log.boots().nth(boot).expect("three").range()].to_vec();
    let all = || Vec::from_iter(std::iter::once(0..u64::MAX));
    let (first, _) = cut(&Cut::new().during_boots([all()]), &log);
    assert_eq!(first, of_boot(0));
    // The second boot relies on a definition of the first.
    let (second, part) = cut(&Cut::new().during_boots([vec![], all(), vec![]]), &log);
    let expected = of_boot(1);
    assert_eq!(part.definitions() as usize, 2 + binlog::Records::new(&expected).flatten().count() - 1);
    let second = Log::from_bytes(second);
    assert_eq!((second.boots().count(), second.check().lost_data()), (1, false));
    assert_eq!(second.numbers("ATT.I", Scaling::Stored).expect("numbers"), [1.0]);
    assert_eq!(second.numbers("ONCE.J", Scaling::Stored).expect("numbers"), [1.0]);
    let (both, _) = cut(&Cut::new().during_boots([all(), vec![], all()]), &log);
    assert_eq!(both, [of_boot(0), of_boot(2)].concat());
    // If no boot has an interval, a log without records is left.
    let (none, part) = cut(&Cut::new().during_boots([vec![], vec![]]), &log);
    assert_eq!((part.chosen(), Log::from_bytes(none).rows("ATT").map(|rows| rows.len()).ok()), (0, Some(0)));
}

#[derive(LogSchema)]
enum FlightLog {
    Ev(messages::Ev),
    Parm(messages::Parm),
    Mode(messages::Mode),
    Msg(messages::Msg),
}

#[test]
fn a_part_knows_what_applies_at_its_beginning() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
    let mut write = |second: u64| {
        let time_us = second * 1_000_000;
        log.parameter(time_us, "RATE", second as f32, None)?;
        log.parameter(time_us, &format!("P{second}"), 1.0, None)?;
        log.mode(time_us, second as u8, 0)?;
        log.text(time_us, if second == 0 { "ArduCopter V4.6.0" } else { "text" })?;
        log.write(&messages::Ev { time_us, id: second as u8 })
    };
    (0..10).try_for_each(&mut write).expect("memory takes all");
    let log = Log::from_bytes(log.finish().expect("memory takes all"));
    let (out, part) = cut(&Cut::new().during([2_500_000..3_500_000, 7_000_000..8_000_000]).types(["EV"]), &log);
    let out = Log::from_bytes(out);
    let parameters = out.parameters();
    let rate: Vec<f64> = parameters["RATE"].values.iter().map(|value| value.value).collect();
    assert_eq!(rate, [2.0, 3.0, 6.0, 7.0]);
    assert_eq!(parameters.keys().collect::<Vec<_>>(), ["P0", "P1", "P2", "P3", "P4", "P5", "P6", "P7", "RATE"]);
    assert_eq!(out.numbers("MODE.ModeNum", Scaling::Shown).expect("modes"), [2.0, 3.0, 6.0, 7.0]);
    assert_eq!(out.texts().iter().map(|text| &*text.text).collect::<Vec<_>>(), ["ArduCopter V4.6.0"]);
    assert_eq!(out.numbers("EV.Id", Scaling::Shown).expect("events"), [3.0, 7.0]);
    // RATE, P0 to P2, MODE and MSG; RATE, P4 to P6 and MODE.
    assert_eq!((part.carried(), part.chosen()), (11, 8));
    assert_eq!(out.vehicle(), Some(binlog::log::Vehicle::Copter));
}

/// A log with the text as its first one, an embedded file of descriptions, and a record a second.
fn described(first: &str, later: &str) -> RawLog {
    const FILE: u8 = 1;
    const MSG: u8 = 2;
    const EV: u8 = 3;
    let mut log = RawLog::new();
    log.fmt(FILE, "FILE", "NIBZ", "FileName,Offset,Length,Data").fmt(MSG, "MSG", "QZ", "TimeUS,Message");
    log.fmt(EV, "EV", "QB", "TimeUS,Id");
    log.record(MSG, &payload![500_u64, Chars::<64>::cut(first)]);
    let xml = "<loggermessagefile><logformat name=\"EV\"><description>What happens</description></logformat>\
               </loggermessagefile>";
    for (name, contents) in [("LogMessages.xml", xml), ("@SYS/uarts.txt", "nothing")] {
        for (i, piece) in contents.as_bytes().chunks(64).enumerate() {
            let data: [u8; 64] = std::array::from_fn(|i| piece.get(i).copied().unwrap_or(0));
            log.record(FILE, &payload![Chars::<16>::cut(name), 64 * i as u32, piece.len() as u8, data]);
        }
    }
    for second in 0..10_u64 {
        log.record(EV, &payload![second * 1_000_000, 20_u8 + second as u8]);
        if second == 2 {
            log.record(MSG, &payload![2_500_000_u64, Chars::<64>::cut(later)]);
        }
    }
    log
}

#[test]
fn a_part_has_the_name_of_any_firmware() {
    for (first, later, is_kept) in [
        ("Falcon", "GPS lost", false),
        ("madflight v2.3.0", "Falcon V1.0", true),
        ("binlog simulator", "APM:Copter", true),
        ("My own quad, build 12", "very V long", false),
    ] {
        let log = described(first, later);
        let log = Log::from_bytes(&log.bytes);
        for choice in [Cut::new(), Cut::new().types(["EV"]), Cut::new().without(["MSG"])] {
            let (part, counts) = cut(&choice.during(std::iter::once(5_000_000..7_000_000)), &log);
            let part = Log::from_bytes(part);
            let texts: Vec<String> = part.texts().into_iter().map(|text| text.text).collect();
            let expected = if is_kept { vec![first, later] } else { vec![first] };
            assert_eq!(texts, expected);
            assert_eq!((part.rows("EV").map(|rows| rows.len()), counts.chosen()), (Ok(2), 2));
        }
    }
}

#[test]
fn a_part_has_the_embedded_descriptions_and_no_other_file() {
    let log = described("Falcon", "GPS lost");
    let log = Log::from_bytes(&log.bytes);
    for choice in [Cut::new(), Cut::new().types(["EV"]), Cut::new().without(["FILE"])] {
        let (part, _) = cut(&choice.during(std::iter::once(5_000_000..7_000_000)), &log);
        let part = Log::from_bytes(part);
        assert_eq!((part.descriptions(), part.files().len()), (log.descriptions(), 1));
        assert_eq!(part.descriptions()[0].description, "What happens");
    }
    // Two parts have it once together.
    let parts = [1_000_000..3_000_000, 5_000_000..7_000_000].map(|range| cut(&Cut::new().during([range]), &log).0);
    let parts = parts.map(Log::from_bytes);
    let mut merged = Vec::new();
    merge(&parts, &mut merged).expect("parts of one log");
    let merged = Log::from_bytes(merged);
    assert_eq!((merged.descriptions(), merged.files().len()), (log.descriptions(), 1));
    assert_eq!(merged.rows("FILE").map(|rows| rows.len()), part_files(&parts[0]));
}

fn part_files(part: &Log<'_>) -> Result<usize, binlog::log::SelectError> {
    part.rows("FILE").map(|rows| rows.len())
}

/// A log of 32-bit times with records of two types and of 64-bit times, with the true times of the numbers in `V`.
/// `lag_us` is how late a record of the second type is logged.
fn narrow(step_us: u64, end_us: u64, lag_us: u64) -> (RawLog, Vec<u64>) {
    let mut log = RawLog::new();
    log.fmt(1, "AAA", "II", "TimeUS,V").fmt(2, "BBB", "iI", "TimeUS,V").fmt(3, "WIDE", "QI", "TimeUS,V");
    log.fmt(4, "MSG", "IZ", "TimeUS,Message").fmt(5, "RARE", "IB", "TimeUS,Id").fmt(6, "MODE", "IB", "TimeUS,Mode");
    log.record(4, &payload![1_000_u32, Chars::<64>::cut("Falcon V1.0")]).record(6, &payload![1_500_u32, 0_u8]);
    let mut times = Vec::new();
    for time_us in (2_000..end_us).step_by(step_us as usize) {
        for (id, time_us) in [(1, time_us), (2, time_us.saturating_sub(lag_us).max(2_000)), (3, time_us)] {
            let number = times.len() as u32;
            match id {
                3 if number % 40 != 2 => continue,
                3 => log.record(id, &payload![time_us, number]),
                _ => log.record(id, &payload![time_us as u32, number]),
            };
            times.push(time_us);
        }
        if times.len() % 100 < 2 {
            log.record(6, &payload![time_us as u32, (times.len() % 7) as u8]);
        }
    }
    (log, times)
}

const WRAP: u64 = 1 << 32;

/// Whether each record with a number has the time that it had.
fn has_times(log: &Log<'_>, times: &[u64]) -> Result<usize, String> {
    let mut count = 0;
    for record in log.records().flatten() {
        let Some(number) = record.value("V").and_then(|value| value.to_integer()) else { continue };
        count += 1;
        if record.time_us() != Some(times[number as usize]) {
            return Err(format!("{} at {:?}, not {}", record.name(), record.time_us(), times[number as usize]));
        }
    }
    Ok(count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_part_has_the_32_bit_times_of_the_log(
        step_s in 10..400_u64,
        lag_ms in 0..9_000_u64,
        wraps in 1..4_u64,
        cuts in prop::collection::vec(0.0..1.0, 1..6),
        without in prop::sample::select(vec![&[][..], &["AAA"], &["BBB"], &["WIDE"], &["WIDE", "BBB"]]),
    ) {
        let (bytes, times) = narrow(step_s * 1_000_000, wraps * WRAP + WRAP / 3, lag_ms * 1_000);
        let log = Log::from_bytes(&*bytes.bytes);
        prop_assert!(has_times(&log, &times).is_ok());
        let pieces = pieces(&log, &cuts);
        let mut parts = Vec::new();
        for piece in &pieces {
            let (out, part) = cut(&Cut::new().during([piece.clone()]).without(without.iter().copied()), &log);
            let read = Log::from_bytes(out);
            prop_assert_eq!(part.misread_times(), 0);
            prop_assert_eq!(has_times(&read, &times).err(), None);
            let is_left_out = |name: &str| without.contains(&name);
            prop_assert!(read.types().all(|rows| !is_left_out(rows.name())), "a part has a type that is left out");
            parts.push(read);
        }
        let (even, _) = cut(&Cut::new().during(pieces.into_iter().step_by(2)), &log);
        prop_assert_eq!(has_times(&Log::from_bytes(even), &times).err(), None);
        let mut merged = Vec::new();
        merge(&parts, &mut merged).expect("parts of one log");
        let (all, _) = cut(&Cut::new().without(without.iter().copied()), &log);
        prop_assert_eq!(contents(&merged), contents(&all));
        prop_assert!(has_times(&Log::from_bytes(merged), &times).is_ok());
    }
}

#[test]
fn wrapped_times_that_no_chosen_record_shows_are_counted() {
    let mut log = RawLog::new();
    log.fmt(1, "AAA", "II", "TimeUS,V").fmt(5, "RARE", "IB", "TimeUS,Id");
    for second in 0..5_600_u32 {
        let time_us = (u64::from(second) * 1_000_000) as u32;
        log.record(1, &payload![time_us, second]);
        if second == 20 {
            log.record(5, &payload![time_us, 7_u8]);
        }
    }
    log.record(5, &payload![(WRAP + 1_200_000_000) as u32, 7_u8]);
    let log = Log::from_bytes(&*log.bytes);
    let late = WRAP + 1_000_000_000..u64::MAX;
    let late = || [late.clone()];
    let (_, part) = cut(&Cut::new().during(late()).types(["RARE"]), &log);
    assert_eq!((part.chosen(), part.misread_times()), (1, 1));
    let (out, part) = cut(&Cut::new().during(late()).types(["RARE", "AAA"]), &log);
    assert_eq!(part.misread_times(), 0);
    // What the part carries is counted, too.
    let mut moded = RawLog::new();
    moded.fmt(6, "MODE", "IB", "TimeUS,Id").fmt(1, "AAA", "II", "TimeUS,V").fmt(5, "RARE", "IB", "TimeUS,Id");
    moded.record(6, &payload![20_000_000_u32, 1_u8]);
    (0..4_500_u64).for_each(|s| _ = moded.record(1, &payload![(s * 1_000_000) as u32, s as u32]));
    moded.record(6, &payload![(WRAP + 300_000_000) as u32, 2_u8]);
    moded.record(5, &payload![(WRAP + 1_200_000_000) as u32, 7_u8]);
    let (_, moded) = cut(&Cut::new().during(late()).types(["RARE"]), &Log::from_bytes(moded.bytes));
    assert_eq!((moded.chosen(), moded.misread_times()), (1, 2));
    assert_eq!(Log::from_bytes(out).rows("RARE").expect("RARE").times_us(), [WRAP + 1_200_000_000]);
}

#[test]
fn a_later_boot_has_its_own_wraps() {
    let (first, times) = narrow(10_000_000, WRAP + 900_000_000, 0);
    let bytes = [&first.bytes[..], &first.bytes].concat();
    let log = Log::from_bytes(bytes);
    let late = WRAP + 500_000_000..u64::MAX;
    let late = vec![late];
    for boots in [vec![vec![], late.clone()], vec![late.clone(), vec![]], vec![late.clone(), late]] {
        let (out, part) = cut(&Cut::new().during_boots(boots), &log);
        assert_eq!(part.misread_times(), 0);
        assert!(has_times(&Log::from_bytes(out), &times).expect("times") > 50);
    }
}

#[test]
fn a_part_before_the_wrap_has_nothing_beside_it() {
    let (bytes, times) = narrow(10_000_000, WRAP + 900_000_000, 0);
    let log = Log::from_bytes(&*bytes.bytes);
    let early = 2_000_000_000..3_000_000_000;
    let (out, part) = cut(&Cut::new().during([early]).types(["AAA"]), &log);
    // The text and the mode.
    assert_eq!((part.carried(), part.misread_times()), (2, 0));
    let part = Log::from_bytes(out);
    assert_eq!(part.rows("AAA").map(|rows| rows.len()), Ok(100));
    assert!(has_times(&part, &times).is_ok());
}

#[test]
fn records_beside_a_wrap_are_not_read_by_a_later_definition() {
    let mut log = RawLog::new();
    log.fmt(1, "AAA", "II", "TimeUS,V").fmt(2, "BBB", "IB", "TimeUS,X");
    for second in 0..5_000_u32 {
        let time_us = (u64::from(second) * 1_000_000) as u32;
        log.record(1, &payload![time_us, second]).record(2, &payload![time_us, 7_u8]);
    }
    log.fmt(1, "AAA", "If", "TimeUS,V");
    log.record(1, &payload![(5_000_000_000 - WRAP) as u32, 0.5_f32]);
    let log = Log::from_bytes(&*log.bytes);
    let late = 4_999_500_000..u64::MAX;
    let (out, part) = cut(&Cut::new().during([late]), &log);
    let part_log = Log::from_bytes(out);
    assert_eq!((part.misread_times(), part_log.rows("AAA").expect("AAA").len()), (0, 1));
    assert_eq!(part_log.rows("AAA").expect("AAA").times_us(), [5_000_000_000]);
}
