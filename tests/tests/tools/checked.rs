//! What `check` finds: a broken log for each rule, and real logs.

use binlog::check::{Rule, Severity};
use binlog::field::Chars;
use binlog::{AnyLog, Log, LogWriter, messages};
use binlog_tests::raw_log::{FMTU, MULT, RawLog, UNIT};
use binlog_tests::{logs, payload, pymavlink, real_logs};
use std::collections::BTreeSet;

const PARM: u8 = 20;
const MSG: u8 = 21;
/// The type that the cases define.
const X: u8 = 40;

/// A log that breaks no rule.
fn sound() -> RawLog {
    let mut log = RawLog::with_units();
    log.unit('s', "s").unit('b', "B").unit('m', "m").mult('F', 1e-6).mult('B', 1e-2);
    log.fmtu(128, "-b---", "-----").fmtu(UNIT, "s--", "F--").fmtu(MULT, "s--", "F--").fmtu(FMTU, "s---", "F---");
    log.fmt(PARM, "PARM", "QNff", "TimeUS,Name,Value,Default").fmtu(PARM, "s---", "F---");
    log.fmt(MSG, "MSG", "QZ", "TimeUS,Message").fmtu(MSG, "s-", "F-");
    parm(&mut log, 1000);
    log.record(MSG, &payload![1000_u64, Chars::<64>::cut("ArduCopter V4.6.0")]);
    log
}

fn parm(log: &mut RawLog, time_us: u64) {
    log.record(PARM, &payload![time_us, Chars::<16>::cut("RATE"), 1.0_f32, 1.0_f32]);
}

/// A type of the case, with a record of zeros.
fn defined(log: &mut RawLog, name: &str, format: &str, labels: &str, units: &str, multipliers: &str) {
    log.fmt(X, name, format, labels).fmtu(X, units, multipliers);
}

/// The findings of a log: rule, subject, offset from the end of the sound part (or from the start, if before it).
fn findings(log: &RawLog, sound: usize) -> Vec<(Rule, String, isize)> {
    let report = Log::from_bytes(&*log.bytes).check();
    let own = |finding: &binlog::check::Finding| {
        let offset = isize::try_from(finding.offset()).expect("a short log");
        (finding.rule(), finding.subject().to_owned(), offset - isize::try_from(sound).expect("a short log"))
    };
    report.findings().iter().map(own).collect()
}

/// A change to the sound log, and what is found then.
type Case = (fn(&mut RawLog), &'static [(Rule, &'static str, isize)]);

/// Bytes of FMT and of the PARM and MSG records of the sound log.
const FMT_BYTES: isize = 89;
const LAST_BYTES: isize = 75;

fn cases() -> Vec<Case> {
    vec![
        (
            |log| {
                log.raw(&[0xFF; 10]);
                (0..3).for_each(|i| parm(log, 2000 + i));
            },
            &[(Rule::SuspectRecord, "MSG", -LAST_BYTES), (Rule::NoHeader, "", 0)],
        ),
        (
            |log| {
                log.record(99, &[1, 2, 3]).record(99, &[1, 2, 3]);
                (0..3).for_each(|i| parm(log, 2000 + i));
            },
            &[(Rule::UnknownId, "id 99", 0)],
        ),
        (
            |log| {
                log.record(X, &payload![2000_u64, 1_u8]);
                (0..3).for_each(|i| parm(log, 2000 + i));
                defined(log, "EV", "QB", "TimeUS,Id", "s-", "F-");
            },
            &[(Rule::LateDefinition, "id 40", 0)],
        ),
        (
            |log| {
                log.raw(&[0xA3, 0x95, PARM, 1, 2]);
                (0..3).for_each(|i| parm(log, 2000 + i));
            },
            &[(Rule::BrokenRecord, "PARM", 0)],
        ),
        (
            |log| {
                log.raw(&[0xA3, 0x95, PARM, 1, 2]);
            },
            &[(Rule::TruncatedEnd, "PARM", 0)],
        ),
        (
            |log| {
                log.raw(&[0xA3, 0x95]);
            },
            &[(Rule::TruncatedEnd, "", 0)],
        ),
        (
            |log| {
                defined(log, "DSF", "QI", "TimeUS,Dp", "s-", "F-");
                log.record(X, &payload![2000_u64, 3_u32]).record(X, &payload![3000_u64, 5_u32]);
            },
            &[(Rule::DroppedRecords, "", FMT_BYTES + 44)],
        ),
        (
            |log| {
                log.fmt_of_length(X, 2, "EV", "QB", "TimeUS,Id");
            },
            &[(Rule::ImpossibleLength, "id 40", 0)],
        ),
        (
            |log| {
                log.fmt(255, "EV", "QB", "TimeUS,Id").fmtu(255, "s-", "F-");
            },
            &[(Rule::ReservedId, "EV", 0)],
        ),
        (
            |log| {
                defined(log, "EV", "QB", "TimeUS,Id", "s-", "F-");
                defined(log, "EV", "QH", "TimeUS,Id", "s-", "F-");
            },
            &[(Rule::RedefinedType, "EV", FMT_BYTES + 44)],
        ),
        (
            |log| {
                defined(log, "EV", "QB", "TimeUS,Id", "s-", "F-");
                log.fmt(X + 1, "EV", "QB", "TimeUS,Id").fmtu(X + 1, "s-", "F-");
            },
            &[(Rule::NameTwice, "EV", FMT_BYTES + 44)],
        ),
        (
            |log| {
                defined(log, "EV", "Qf", "TimeUS,X", "s-", "F-");
                log.fmtu(X, "sm", "F-");
            },
            &[(Rule::RedefinedUnits, "EV", FMT_BYTES + 44)],
        ),
        (
            |log| {
                log.unit('m', "metre");
            },
            &[(Rule::OtherUnit, "unit `m`", 0), (Rule::RedefinedUnit, "unit `m`", 0)],
        ),
        (
            |log| {
                log.mult('B', 0.5);
            },
            &[(Rule::RedefinedMultiplier, "multiplier `B`", 0), (Rule::OtherMultiplier, "multiplier `B`", 0)],
        ),
        (|log| defined(log, "EV", "Qf", "TimeUS,X", "sT", "F-"), &[(Rule::UnknownUnit, "unit `T`", FMT_BYTES)]),
        (
            |log| defined(log, "EV", "Qi", "TimeUS,X", "sv", "FH"),
            &[
                (Rule::UndefinedUnit, "unit `v`", FMT_BYTES),
                (Rule::UnknownMultiplier, "multiplier `H`", FMT_BYTES),
                (Rule::MisleadingMultiplier, "EV", FMT_BYTES),
            ],
        ),
        (
            |log| defined(log, "EV", "Qi", "TimeUS,X", "sm", "FC"),
            &[(Rule::UndefinedMultiplier, "multiplier `C`", FMT_BYTES)],
        ),
        (
            |log| {
                defined(log, "EV", "Qf", "TimeUS,X", "sT", "F-");
                log.unit('T', "uT");
            },
            &[(Rule::LateUnits, "", FMT_BYTES)],
        ),
        (
            |log| {
                log.fmtu(X, "s-", "F-");
            },
            &[(Rule::UnitsWithoutType, "id 40", 0)],
        ),
        (
            |log| {
                log.fmt(X, "EV", "QB", "TimeUS,Id");
                log.record(FMTU, &payload![u64::from(PARM), X, Chars::<16>::cut("s-"), Chars::<16>::cut("F-")]);
            },
            &[(Rule::FmtuTime, "FMTU", FMT_BYTES)],
        ),
        (|log| defined(log, "EV", "QBB", "TimeUS,A,B", "s-", "F-"), &[(Rule::MissingUnits, "EV", FMT_BYTES)]),
        (|log| defined(log, "EV", "QBB", "TimeUS,A,B", "s-m", "F-"), &[(Rule::MissingMultipliers, "EV", FMT_BYTES)]),
        (|log| defined(log, "EV", "QB", "TimeUS,A", "s--", "F-"), &[(Rule::SurplusUnits, "EV", FMT_BYTES)]),
        (
            |log| {
                log.fmt(X, "EV", "QB", "TimeUS,Id").record(X, &payload![2000_u64, 1_u8]);
            },
            &[(Rule::NoUnits, "EV", FMT_BYTES)],
        ),
        (
            |log| {
                log.fmt_of_length(X, 13, "EV", "QB", "TimeUS,Id");
            },
            &[(Rule::LengthDiffers, "EV", 0)],
        ),
        (
            |log| {
                log.fmt_of_length(X, 12, "EV", "Qk", "TimeUS,Id");
            },
            &[(Rule::UnknownFormat, "EV", 0)],
        ),
        (
            |log| {
                log.fmt(X, "EV", "QB", "TimeUS");
            },
            &[(Rule::LabelCount, "EV", 0)],
        ),
        (
            |log| {
                log.fmt(X, "ev", "QB", "TimeUS,Id");
            },
            &[(Rule::NameForm, "ev", 0)],
        ),
        (
            |log| {
                log.fmt(X, "MSGX", "QB", "TimeUS,Id");
            },
            &[(Rule::TakenName, "MSGX", 0)],
        ),
        (
            |log| {
                log.fmt(X, "ISBD", "QB", "TimeUS,N");
            },
            &[(Rule::OwnLayout, "ISBD", 0)],
        ),
        (
            |log| {
                log.fmt(X, "GPS", "QB", "TimeUS,I");
            },
            &[(Rule::GpsWithoutWeek, "GPS", 0)],
        ),
        (
            |log| {
                log.fmt(X, "EV", "QBB", "TimeUS,1,in");
            },
            &[(Rule::LabelForm, "EV", 0), (Rule::TakenLabel, "EV", 0)],
        ),
        (
            |log| {
                log.fmt(X, "EV", "QBB", "TimeUS,A,A");
            },
            &[(Rule::LabelTwice, "EV", 0)],
        ),
        (
            |log| {
                log.fmt(X, "EV", "BQ", "Id,TimeUS");
            },
            &[(Rule::TimeColumn, "EV", 0)],
        ),
        (
            |log| {
                log.fmt(X, "EV", "IB", "TimeUS,Id");
            },
            &[(Rule::TimeFormat, "EV", 0)],
        ),
        (|log| defined(log, "EV", "QB", "TimeUS,Id", "m-", "F-"), &[(Rule::TimeUnit, "EV", FMT_BYTES)]),
        (|log| defined(log, "EV", "QBB", "TimeUS,A,I", "s-#", "F--"), &[(Rule::InstancePlace, "EV", FMT_BYTES)]),
        (|log| defined(log, "EV", "QH", "TimeUS,I", "s#", "F-"), &[(Rule::InstanceFormat, "EV", FMT_BYTES)]),
        (|log| defined(log, "EV", "QZ", "TimeUS,I", "s#", "F-"), &[(Rule::InstanceUnreadable, "EV", FMT_BYTES)]),
        (
            |log| defined(log, "EV", "QBIB", "TimeUS,A,B,I", "s--#", "F---"),
            &[(Rule::InstancePlace, "EV", FMT_BYTES), (Rule::InstanceMisread, "EV", FMT_BYTES)],
        ),
        (|log| defined(log, "EV", "Qc", "TimeUS,X", "sm", "F0"), &[(Rule::ScaledTwice, "EV", FMT_BYTES)]),
        (|log| defined(log, "EV", "QZ", "TimeUS,X", "sm", "F-"), &[(Rule::TextWithUnit, "EV", FMT_BYTES)]),
        (
            |log| {
                log.unit('D', "deglatitude").fmt(X, "EV", "Qd", "TimeUS,Lng").fmtu(X, "sD", "F-");
            },
            &[(Rule::WrongAxis, "EV", FMT_BYTES + 76)],
        ),
        (|log| defined(log, "EV", "Qf", "TimeUS,X", "sm", "FB"), &[(Rule::FloatMultiplier, "EV", FMT_BYTES)]),
        (|log| defined(log, "EV", "Qi", "TimeUS,X", "s-", "FB"), &[(Rule::MultiplierWithoutUnit, "EV", FMT_BYTES)]),
        (
            |log| {
                log.unit('D', "deglatitude").mult('G', 1e-7).fmt(X, "EV", "Qfi", "TimeUS,A,B").fmtu(X, "sDD", "F-G");
            },
            &[(Rule::F32Coordinate, "EV", 185), (Rule::IntegerCoordinate, "EV", 185)],
        ),
        (
            |log| {
                log.fmt(X, "EV", "Qg", "TimeUS,A");
            },
            &[(Rule::HalfPrecision, "EV", 0)],
        ),
        (|log| parm(log, 500), &[(Rule::TimeBackwards, "PARM", 0)]),
        // One time is damaged; the one after it isn't backwards.
        (
            |log| [2000, 1 << 60, 3000].into_iter().for_each(|time_us| parm(log, time_us)),
            &[(Rule::DamagedTime, "PARM", 35)],
        ),
        (
            |log| [2000, 1 << 60, 1 << 50, 1 << 40, 3000].into_iter().for_each(|time_us| parm(log, time_us)),
            &[(Rule::DamagedTime, "PARM", 35)],
        ),
        // The third time after a pause agrees with the first.
        (
            |log| [2000, 2 << 40, 1 << 50, (2 << 40) + 1, 1].into_iter().for_each(|time_us| parm(log, time_us)),
            &[(Rule::DamagedTime, "PARM", 70)],
        ),
        (|log| parm(log, u64::MAX), &[(Rule::DamagedTime, "PARM", 0)]),
        // A pause is not damage.
        (|log| [2000, 1 << 40, (1 << 40) + 1].into_iter().for_each(|time_us| parm(log, time_us)), &[]),
        (
            |log| {
                defined(log, "EV", "IB", "TimeUS,Id", "s-", "F-");
                [u32::MAX - 9, u32::MAX, 7, u32::MAX - 1, 9, 11]
                    .into_iter()
                    .for_each(|time_us| _ = log.record(X, &payload![time_us, 1_u8]));
            },
            &[
                (Rule::TimeFormat, "EV", 0),
                (Rule::TimeBackwards, "EV", FMT_BYTES + 44 + 24),
                (Rule::TimeWraps, "", FMT_BYTES + 44 + 32),
            ],
        ),
        // One damaged time is not a wrap.
        (
            |log| {
                defined(log, "EV", "IB", "TimeUS,Id", "s-", "F-");
                [4_200_000_000_u32, 4_200_000_001, 7, 4_200_000_002]
                    .into_iter()
                    .for_each(|time_us| _ = log.record(X, &payload![time_us, 1_u8]));
            },
            &[(Rule::TimeFormat, "EV", 0), (Rule::TimeBackwards, "EV", FMT_BYTES + 44 + 24)],
        ),
        (
            |log| {
                defined(log, "GPS", "QBIH", "TimeUS,Status,GMS,GWk", "s---", "F---");
                for (time_us, status, ms, week) in
                    [(2000_u64, 1_u8, 0_u32, 0_u16), (3000, 1, 5, 1024), (4000, 2, 5, 1024), (5000, 3, 9, 2310)]
                {
                    log.record(X, &payload![time_us, status, ms, week]);
                }
            },
            &[(Rule::GpsWithoutFix, "", FMT_BYTES + 44 + 18)],
        ),
        (
            |log| {
                defined(log, "GPS", "QBIH", "TimeUS,Status,GMS,GWk", "s---", "F---");
                for (time_us, status, week) in [(2000_u64, 0_u8, 0_u16), (3000, 1, 1024), (4000, 1, 1024)] {
                    log.record(X, &payload![time_us, status, 5_u32, week]);
                }
            },
            &[(Rule::GpsWithoutFix, "", FMT_BYTES + 44 + 18)],
        ),
        (
            |log| {
                defined(log, "GPS", "QBIH", "TimeUS,Status,GMS,GWk", "s---", "F---");
                // Its own calendar, whether it says that it isn't GPS or not.
                log.record(X, &payload![2000_u64, 0_u8, 5_u32, 1024_u16]);
            },
            &[(Rule::GpsWithoutFix, "", FMT_BYTES + 44)],
        ),
        (
            |log| {
                defined(log, "GPS", "QBIH", "TimeUS,Status,GMS,GWk", "s---", "F---");
                for (time_us, week) in [(2000_u64, 65_535_u16), (3000, 2310)] {
                    log.record(X, &payload![time_us, 3_u8, 5_u32, week]);
                }
            },
            &[(Rule::GpsWithoutFix, "", FMT_BYTES + 44)],
        ),
        (
            |log| {
                defined(log, "GPS", "QBIH", "TimeUS,Status,GMS,GWk", "s---", "F---");
                // The date of a simulator.
                log.record(X, &payload![2000_u64, 0_u8, 5_u32, 2310_u16]);
            },
            &[],
        ),
        (
            |log| {
                defined(log, "GPS", "BIH", "Status,TimeMS,Week", "---", "---");
                // Without times, records of a flight have any date of a day.
                log.record(X, &payload![2_u8, 5_u32, 2310_u16]).record(X, &payload![3_u8, 120_000_u32, 2310_u16]);
            },
            &[(Rule::TimeColumn, "GPS", 0), (Rule::GpsWithoutWeek, "GPS", 0)],
        ),
        (
            |log| {
                defined(log, "GPS", "BIH", "Status,TimeMS,Week", "---", "---");
                log.record(X, &payload![1_u8, 5_u32, 1024_u16]).record(X, &payload![3_u8, 120_000_u32, 2310_u16]);
            },
            &[
                (Rule::TimeColumn, "GPS", 0),
                (Rule::GpsWithoutWeek, "GPS", 0),
                (Rule::GpsWithoutFix, "", FMT_BYTES + 44),
            ],
        ),
        (
            |log| {
                log.record(MSG, &payload![2000_u64, Chars::<64>::from_raw(raw_text(b"\xFF"))]);
            },
            &[(Rule::InvalidUtf8, "MSG.Message", 0)],
        ),
        (
            |log| {
                log.record(MSG, &payload![2000_u64, Chars::<64>::from_raw(raw_text(b"ok\0x"))]);
            },
            &[(Rule::UnpaddedText, "MSG.Message", 0)],
        ),
        (
            |log| {
                defined(log, "MODE", "QM", "TimeUS,Mode", "s-", "F-");
                log.record(X, &payload![2000_u64, 200_u8]);
            },
            &[(Rule::NegativeMode, "MODE.Mode", FMT_BYTES + 44)],
        ),
        (
            |log| {
                defined(log, "FILE", "NIBZ", "FileName,Offset,Length,Data", "----", "----");
                log.record(X, &payload![Chars::<16>::cut("LogMessages.xml"), 64_u32, 64_u8, [b' '; 64]]);
            },
            &[(Rule::IncompleteDescriptions, "FILE", FMT_BYTES + 44)],
        ),
        (
            |log| {
                log.fmt(128, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns");
            },
            &[(Rule::SeveralBoots, "", 0)],
        ),
    ]
}

fn raw_text(text: &[u8]) -> [u8; 64] {
    let mut slot = [0; 64];
    slot[..text.len()].copy_from_slice(text);
    slot
}

#[test]
fn a_sound_log_has_no_findings() {
    assert_eq!(Log::from_bytes(sound().bytes).check().to_string(), "");
}

#[test]
fn each_broken_rule_is_found_at_its_place() {
    let sound_bytes = sound().bytes.len();
    let mut found_rules = BTreeSet::new();
    for (break_rule, expected) in cases() {
        let mut log = sound();
        break_rule(&mut log);
        let mut found = findings(&log, sound_bytes);
        assert_eq!(Log::from_bytes(&*log.bytes).check().is_empty(), expected.is_empty());
        let mut expected: Vec<_> =
            expected.iter().map(|(rule, subject, at)| (*rule, (*subject).to_owned(), *at)).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{}", Log::from_bytes(log.bytes).check());
        found_rules.extend(expected.into_iter().map(|(rule, ..)| rule));
    }
    // Rules about what a log lacks.
    let lacking = |log: RawLog| Log::from_bytes(log.bytes).check();
    let mut bare = RawLog::empty();
    bare.fmt(X, "EV", "QB", "TimeUS,Id").record(X, &payload![1_u64, 1_u8]);
    let rules: Vec<Rule> = lacking(bare).findings().iter().map(|finding| finding.rule()).collect();
    assert_eq!(rules, [Rule::UndefinedFmt, Rule::NoUnits, Rule::NoParameters, Rule::NoVehicle]);
    found_rules.extend(rules);
    let mut unit = sound();
    unit.fmt(X, "UNIT", "ZB", "Label,Id");
    found_rules.extend(lacking(unit).findings().iter().map(|finding| finding.rule()));
    for bytes in [&b""[..], b"no log at all", &[0; 5000]] {
        let report = Log::from_bytes(bytes).check();
        assert!(report.findings().iter().any(|finding| finding.rule() == Rule::NotALog), "{report}");
        assert_eq!(report.worst(), Some(Severity::Error));
    }
    found_rules.insert(Rule::NotALog);
    let text = &b"FMT, 1, 12, EV, QB, TimeUS,Id\nEV, 5, 1\nXKF1, 1\nXKF1, 2\n"[..];
    let AnyLog::ArduPilot(text) = AnyLog::from_bytes(text).expect("a text log") else { panic!("not Blackbox") };
    let damaged: Vec<String> =
        text.check().findings().iter().filter(|finding| finding.rule().is_damage()).map(ToString::to_string).collect();
    let line =
        "offset 190: error damaged_line: XKF1: line 3: no FMT line before it defines the type (2 times, 14 bytes)";
    assert_eq!(damaged, [line]);
    found_rules.insert(Rule::DamagedLine);
    let first_of_blackbox = Rule::ALL.iter().position(|rule| *rule == Rule::NoSession).expect("a rule");
    let missing: Vec<_> = Rule::ALL[..first_of_blackbox].iter().filter(|rule| !found_rules.contains(rule)).collect();
    assert!(missing.is_empty(), "no log breaks {missing:?}");
}

#[test]
fn a_finding_counts_what_it_is_about_and_names_the_column() {
    let mut log = sound();
    // Two columns with a unit and a multiplier that no row names, and a label with a space.
    defined(&mut log, "ABC", "QBBB", "TimeUS,Fine,Fine too,", "szz-", "FGG-");
    let report = Log::from_bytes(log.bytes).check();
    let of = |rule: Rule| -> Vec<(u64, String)> {
        let all = report.findings().iter().filter(|finding| finding.rule() == rule);
        all.map(|finding| (finding.count(), finding.text().to_owned())).collect()
    };
    for rule in [Rule::UndefinedUnit, Rule::UndefinedMultiplier] {
        assert_eq!(of(rule).iter().map(|(count, _)| *count).collect::<Vec<_>>(), [2], "{report}");
    }
    let labels = of(Rule::LabelForm);
    assert!(labels.iter().any(|(_, text)| text.starts_with("`Fine too`: ")), "{report}");
}

/// A log's name, and the rules that it breaks: about what, and how often.
type Known = (&'static str, &'static [(Rule, &'static str, u64)]);

#[test]
fn the_text_says_whether_units_or_multipliers_change() {
    let text = |units, multipliers| {
        let mut log = sound();
        defined(&mut log, "EV", "Qf", "TimeUS,X", "s-", "F-");
        log.fmtu(X, units, multipliers);
        let report = Log::from_bytes(&*log.bytes).check();
        let redefined = report.findings().iter().filter(|finding| finding.rule() == Rule::RedefinedUnits);
        redefined.map(|finding| finding.text().to_owned()).collect::<Vec<_>>()
    };
    let units = "the ids of its units were `s-`, and are `sm` from here on";
    let multipliers = "the ids of its multipliers were `F-`, and are `FB` from here on";
    assert_eq!(text("sm", "F-"), [units]);
    assert_eq!(text("s-", "FB"), [multipliers]);
    assert_eq!(text("sm", "FB"), [format!("{units}; {multipliers}")]);
}

#[test]
fn real_firmware_breaks_the_rules_that_it_is_known_to_break() {
    // By the reference of the format: what real definitions contain that the rules forbid.
    let known: [Known; 4] = [
        (
            "amc_80k.bin",
            &[
                (Rule::LabelForm, "SBRH", 6),
                (Rule::ScaledTwice, "BAT", 1),
                (Rule::ScaledTwice, "DSTL", 3),
                (Rule::InstancePlace, "RISI", 1),
                (Rule::InstanceFormat, "SCR", 1),
                (Rule::TruncatedEnd, "", 1),
                (Rule::TakenName, "MAV", 1),
            ],
        ),
        ("ardusub_small.BIN", &[(Rule::DroppedRecords, "", 2), (Rule::LabelForm, "SBRM", 13)]),
        (
            "pymavlink_test.BIN",
            &[(Rule::TruncatedEnd, "AHR2", 1), (Rule::NoUnits, "", 1), (Rule::TimeColumn, "DMS", 1)],
        ),
        (
            "uavreaders_test.bin",
            &[
                (Rule::LengthDiffers, "EFI", 1),
                (Rule::LabelCount, "EFI", 1),
                (Rule::NoParameters, "", 1),
                (Rule::TruncatedEnd, "UNIT", 1),
            ],
        ),
    ];
    for (name, log) in real_logs() {
        let report = Log::from_bytes(log).check();
        let Some((_, known)) = known.iter().find(|(known, _)| *known == name) else { continue };
        for (rule, subject, count) in *known {
            let found = report.findings().iter().find(|found| found.rule() == *rule && found.subject() == *subject);
            assert_eq!(found.map(|found| found.count()), Some(*count), "{name}, {rule} {subject}:\n{report}");
        }
        // Nothing else that loses or misreads data: firmware tests for that.
        let is_known = |found: &&binlog::check::Finding| {
            known.iter().any(|(rule, subject, _)| found.rule() == *rule && found.subject() == *subject)
        };
        let errors = report.findings().iter().filter(|found| found.severity() == Severity::Error);
        let unknown: Vec<String> = errors.filter(|found| !is_known(found)).map(ToString::to_string).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
    }
}

#[test]
fn the_dropped_records_are_those_that_pymavlink_reads_in_dsf() {
    for (name, log) in logs::all() {
        let Some(read) = pymavlink::dump(&log) else { return };
        let place = |record: &serde_json::Value| {
            record["labels"].as_array().and_then(|labels| labels.iter().position(|label| label == "Dp"))
        };
        let statistics = read.iter().filter(|record| record["type"] == "DSF");
        let dropped = statistics.filter_map(|record| record["values"][place(record)?].as_u64());
        let report = Log::from_bytes(&*log).check();
        let found = report.findings().iter().find(|found| found.rule() == Rule::DroppedRecords);
        let expected = dropped.max().filter(|&dropped| dropped > 0);
        if expected.is_some() {
            assert_eq!(found.map(|found| found.count()), expected, "{name}");
        }
    }
}

#[test]
fn a_vehicle_of_ones_own_is_no_finding() {
    #[derive(binlog::LogSchema)]
    enum FlightLog {
        Msg(messages::Msg),
        Parm(messages::Parm),
        Mode(messages::Mode),
    }
    let found = |text: &str, has_mode: bool| {
        let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
        log.parameter(0, "RATE", 1.0, None).expect("memory takes all");
        log.text(0, text).expect("memory takes all");
        if has_mode {
            log.mode(0, 3, 1).expect("memory takes all");
        }
        let bytes = log.finish().expect("memory takes all");
        Log::from_bytes(bytes).check().findings().iter().map(|finding| finding.rule()).collect::<Vec<_>>()
    };
    for text in ["Falcon V1.0", "Falcon 0.3.1", "ArduCopter V4.6.0"] {
        assert_eq!(found(text, true), [], "{text}");
    }
    assert_eq!(found("my airframe", false), []);
    assert_eq!(found("my airframe", true), [Rule::NoVehicle]);
}

#[test]
fn logs_of_this_crate_break_no_rule() {
    #[derive(binlog::LogSchema)]
    enum FlightLog {
        Ev(messages::Ev),
        Parm(messages::Parm),
        Msg(messages::Msg),
        Mode(messages::Mode),
        Gps(messages::Gps),
        Ver(messages::Ver),
        File(messages::File),
        Dsf(messages::Dsf),
        Dropped(messages::Dropped),
    }
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
    log.parameter(0, "RATE", 1.0, None).expect("memory takes all");
    log.text(0, "ArduCopter V4.6.0").expect("memory takes all");
    log.write(&messages::Ev { time_us: 1, id: 10 }).expect("memory takes all");
    let log = log.finish().expect("memory takes all");
    assert_eq!(Log::from_bytes(log).check().to_string(), "");
}
