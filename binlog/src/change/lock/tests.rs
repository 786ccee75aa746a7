//! The file: what is printed is read back, and no text is more than an error.

use super::fact::{Dated, Fact, Interval};
use super::states::States;
use super::token::Subject;
use super::{Exception, Lock};
use crate::change::LoggedSchema;
use crate::change::compatibility::{ChangeKind, Level};
use crate::declare::messages;
use crate::describe::golden_file::{Environment, Request};
use crate::format::{Format, LogMessage, LogSchema, Multiplier, Unit};
use binlog_derive::LogSchema;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[derive(LogSchema)]
enum TestLog {
    Ev(messages::Ev),
    #[log(rate = 5)]
    Gps(messages::Gps),
}

#[derive(LogSchema)]
enum LessLog {
    Ev(messages::Ev),
}

/// The file in the documentation of the module.
static EXAMPLE: LazyLock<String> = LazyLock::new(|| {
    let lines = include_str!("../lock.rs").lines().skip_while(|line| *line != "//! ```text").skip(1);
    let lines = lines.take_while(|line| *line != "//! ```");
    lines.map(|line| format!("{}\n", line.strip_prefix("//! ").unwrap_or_default())).collect()
});

#[test]
fn what_is_printed_is_what_was_read() {
    let lock: Lock = EXAMPLE.parse().expect("a lock");
    assert_eq!(lock.to_string(), *EXAMPLE);
    assert_eq!((lock.level(), lock.releases().collect::<Vec<_>>()), (Level::Typed, vec!["1.3", "1.4"]));
    assert_eq!(format!("\u{feff}{}", *EXAMPLE).parse(), Ok(lock.clone()));
    // As people edit it.
    let edited =
        EXAMPLE.replace("1.3.. ENG id", "..   ENG  id").replace('\n', "\r\n").replace("level", "# ours\n\nlevel");
    assert_eq!(edited.parse(), Ok(lock));
}

#[test]
fn a_lock_of_a_log_has_what_the_log_says() {
    let log = LoggedSchema::of::<TestLog>();
    let lock = Lock::of_log(&log);
    assert!(lock.check_log(&log).is_ok(), "{}", lock.check_log(&log));
    let read: Lock = lock.to_string().parse().expect("a lock");
    assert_eq!(read, lock);
    let of_schema = Lock::of::<TestLog>().to_string();
    let is_in_logs = |line: &&str| ![" rate ", " = ", " & "].iter().any(|part| line.contains(part));
    let (facts, _) = of_schema.split_once("descriptions\n").expect("descriptions");
    let expected: Vec<&str> = facts.lines().filter(is_in_logs).filter(|line| !line.is_empty()).collect();
    let text = lock.to_string();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, expected);
}

#[test]
fn a_log_is_checked_as_what_is_not_released_yet() {
    let mut lock = Lock::of::<TestLog>();
    lock.release("1.0").expect("the first release");
    let today = lock.check_log(&LoggedSchema::of::<TestLog>());
    assert!(today.is_ok(), "a log doesn't know rates: {today}");
    let less = lock.check_log(&LoggedSchema::of::<LessLog>());
    let removed: Vec<_> = less.violations().iter().map(|violation| violation.change.message.as_str()).collect();
    assert_eq!((removed, less.is_ok()), (vec!["GPS"], false));
    let more = Lock::of::<LessLog>().check_log(&LoggedSchema::of::<TestLog>());
    assert!(more.violations().is_empty());
    assert_eq!(more.unaccepted().iter().map(|change| change.message.as_str()).collect::<Vec<_>>(), ["GPS"]);
    assert!(!more.is_ok());
}

#[test]
fn change_since_several_releases_is_told_once() {
    let mut lock = Lock::of::<LessLog>();
    ["1.0", "1.1"].into_iter().for_each(|release| lock.release(release).expect("a new release"));
    let text = lock.to_string();
    let id = text.lines().find(|line| line.contains(" EV.Id ")).expect("the column").to_owned();
    // Metres in both releases, in formats that differ, so the lock says it twice.
    let metres = ["1.0..1.1 EV.Id H m 1", "1.1..next EV.Id I m 1", &id.replacen("1.0..", "next..", 1)].join("\n");
    let lock: Lock = text.replace(&id, &metres).parse().expect("a lock");
    let check = lock.check::<TestLog>();
    let units: Vec<_> = check.violations().iter().filter(|it| it.change.kind == ChangeKind::Unit).collect();
    assert_eq!(units.iter().map(|unit| &*unit.releases).collect::<Vec<_>>(), [["1.0", "1.1"]], "{check}");
    let added: Vec<_> = check.unaccepted().iter().map(|change| (&*change.message, change.kind)).collect();
    assert_eq!(added, [("GPS", ChangeKind::MessageAdded)], "{check}");
}

#[test]
fn a_mistake_is_an_error_with_its_line() {
    let of = |from: &str, to: &str| {
        assert!(EXAMPLE.contains(from), "{from}");
        EXAMPLE.replacen(from, to, 1).parse::<Lock>().expect_err(to).to_string()
    };
    for (from, to, expected) in [
        ("binlog-lock 1", "binlog-lock 2", "line 1: a lock begins with `binlog-lock 1`, not `binlog-lock 2`"),
        ("level typed", "level types", "line 2: `types` is not a level; the levels are names, typed, layout"),
        ("level typed", "level typed\nlevel names", "line 3: the level is there already"),
        ("release 1.4", "release 1.3", "line 4: the release 1.3 is there already"),
        ("release 1.4", "release next", "line 4: `next` is not a valid release name"),
        ("release 1.4", "release 1..4", "line 4: `1..4` is not a valid release name"),
        ("1.3..1.4 allow", "1.3 allow", "line 6: a line begins with an interval, as `1.3..`"),
        ("1.3..1.4 allow", "1.4..1.3 allow", "line 6: the interval `1.4..1.3` ends before it begins"),
        ("column-removed", "removed", "line 6: `removed` is not a rule; the rules are message-added, message-removed,"),
        ("\"no sensor for it since 1.4\"", "\" \"", "line 6: an exception has a reason"),
        ("\"no sensor for it since 1.4\"", "\"why\"", "line 6: give a reason in place of `why`"),
        (
            "ENG.Turns column-removed",
            "ENG.Turns value-renamed",
            "line 6: an exception for value-renamed names the number: `ENG.Turns=1`",
        ),
        (
            "ENG.Turns column-removed",
            "ENG.Turns&1 value-renamed",
            "line 6: an exception for value-renamed names the number: `ENG.Turns=1`",
        ),
        (
            "ENG.Turns column-removed",
            "ENG.Turns=1 column-removed",
            "line 6: an exception for column-removed names no number: `ENG.Turns`",
        ),
        ("ENG.Turns column-removed", "ENG.Turns=x value-renamed", "line 6: `x` is not the number of a value or bit"),
        ("\"no sensor for it since 1.4\"", "no", "line 6: a text in quotes is missing before `no`"),
        ("since 1.4\"", "since 1.4", "line 6: a text has no closing quote"),
        ("1.3.. ENG id 7", "1.2.. ENG id 7", "line 8: there is no release 1.2"),
        ("ENG id 7", "ENG id 700", "line 8: `700` is not a valid id (0 to 254)"),
        ("ENG id 7", "ENG id 255", "line 8: `255` is not a valid id (0 to 254)"),
        ("ENG id 7", "ENG id 7 8", "line 8: `8` is left over at the end of the line"),
        ("ENG id 7", "ENG", "line 8: the line ends before it says anything"),
        ("ENG id 7", "ENG name 7", "line 8: `name` is nothing that a message has"),
        ("1.3.. ENG id 7\n", "", "line 8: ENG has no `id` in 1.3"),
        ("1.3..1.4 ENG order TimeUS,Turns\n", "", "line 8: ENG has no `order` in 1.3"),
        (
            "1.3..1.4 ENG order TimeUS,Turns",
            "1.3.. ENG order TimeUS,Turns",
            "line 10: this is said of ENG already, by line 9",
        ),
        ("order TimeUS,Turns", "order Turns", "line 11: ENG.TimeUS isn't in the order of ENG in 1.3"),
        ("order TimeUS,Turns", "order TimeUS,Turns,X", "line 9: ENG has no column X in 1.3, which its order names"),
        ("Q s 1e-6", "Qs 1e-6", "line 11: `Qs` is not a format character, `=` or `&`"),
        ("Q s 1e-6", "Q sec 1e-6", "line 11: `sec` is not a known unit"),
        ("Q s 1e-6", "Q s 2e-6", "line 11: 2e-6 isn't in ArduPilot's table; one of your own is `T=2e-6`"),
        ("Q s 1e-6", "Q s -1", "line 11: `-1` is not a valid multiplier"),
        ("Q s 1e-6", "Q s", "line 11: `` is not a valid multiplier"),
        ("1.4.. ENG.State = 0", "1.3.. ENG.State = 0", "line 15: there is no column ENG.State in 1.3"),
        ("ENG.State = 0", "ENG.State = zero", "line 15: `zero` is not a number"),
        ("ENG.State = 1", "ENG.State & 1", "line 16: ENG.State has values and bits in next"),
        ("ENG.State = 1", "ENG.State & 64", "line 16: `64` is not a number from 0 to 63"),
        ("ENG \"The", "ENG The", "line 19: a text in quotes is missing before `The engine.\"`"),
        // Pasted at the end of the file, or with the words before it.
        (
            "ENG \"The",
            "1.3.. allow ENG unit \"The",
            "line 19: after `descriptions` stand descriptions only; exceptions",
        ),
        (
            "ENG \"The",
            "next.. ENG id 7\nENG \"The",
            "line 19: after `descriptions` stand descriptions only; exceptions",
        ),
        (
            "1.3..1.4 allow",
            "Or allow it, with a reason: 1.3..1.4 allow",
            "line 6: a line begins with an interval, as `1.3..`, or with `level` or `release`, not with `Or`; of an \
             exception that was printed, paste what begins with the interval",
        ),
    ] {
        let error = of(from, to);
        assert!(error.starts_with(expected), "{error}\n{expected}");
    }
    assert_eq!("".parse::<Lock>().expect_err("nothing").line(), 1);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z_]{1,4}", "[ -~]{0,6}", any::<String>().prop_map(|text| text.chars().take(8).collect())]
}

prop_compose! {
    fn column()(
        format in proptest::sample::select(&Format::ALL[..]),
        unit in prop_oneof![
            proptest::sample::select(&Unit::STANDARD[..]).prop_map(|unit| (unit.id(), unit.name().to_owned())),
            // As a program's own, which has another id, and another firmware's, which may have the same name.
            (proptest::sample::select(&b"THNM\"=\\~"[..]), text()),
            proptest::sample::select(&Unit::STANDARD[..]).prop_map(|unit| (b'T', unit.name().to_owned())),
        ],
        multiplier in prop_oneof![
            proptest::sample::select(&Multiplier::STANDARD[..]).prop_map(|of| (of.id(), of.value())),
            (proptest::sample::select(&b"THNM\"=\\~"[..]), any::<f64>().prop_map(f64::abs)),
        ],
        is_closed: bool,
    ) -> Fact {
        let multiplier = if multiplier.1.is_normal() || multiplier.0 == b'-' { multiplier } else { (b'T', 0.5) };
        Fact::Column { format, unit, multiplier, is_closed }
    }
}

prop_compose! {
    /// A message of two columns, the second of which changes with each release.
    fn lock()(
        level in proptest::sample::select(&Level::ALL[..]),
        name in text(),
        labels in (text(), text()),
        columns in proptest::collection::vec(column(), 2..5),
        meanings in proptest::collection::btree_map(any::<i64>(), text(), 0..4),
        bits in proptest::collection::btree_map(0..64_i128, text(), 0..4),
        number: i64,
        reason in "[a-z]{1,2}[ -~]{0,9}",
        kind in proptest::sample::select(&ChangeKind::ALL[..]),
        description in text(),
    ) -> Lock {
        let (number, is_numbered) = (i128::from(number), kind.is_of_values() || kind.is_of_bits());
        let mut lock = Lock { level, ..Lock::default() };
        let changes = columns.len() - 1;
        lock.releases = (1..changes).map(|release| format!("1.{release}-rc+x_y")).collect();
        let always = Interval { from: 0, until: None };
        let of_message = Subject { message: name.clone(), column: None };
        let (first, second) = labels;
        let nth = usize::from(first == second);
        let mut add = |interval, subject: &Subject, fact| {
            lock.facts.push(Dated { interval, subject: subject.clone(), fact, line: None });
        };
        add(always, &of_message, Fact::Id(7));
        add(always, &of_message, Fact::Rate(1));
        add(always, &of_message, Fact::Order(vec![first.clone(), second.clone()]));
        let of_first = Subject { message: name.clone(), column: Some((first, 0)) };
        let of_second = Subject { message: name, column: Some((second, nth)) };
        let mut columns = columns.into_iter();
        add(always, &of_first, columns.next().expect("at least two"));
        meanings.into_iter().for_each(|(value, name)| add(always, &of_first, Fact::Value(value.into(), name)));
        for (from, column) in columns.enumerate() {
            let until = Some(from + 1).filter(|until| *until < changes);
            add(Interval { from, until }, &of_second, column);
        }
        bits.into_iter().for_each(|(bit, name)| add(always, &of_second, Fact::Bit(bit, name)));
        lock.exceptions = vec![Exception { interval: always, subject: of_second.clone(), number: is_numbered.then_some(number), kind, reason }];
        lock.descriptions = vec![(of_second, description)];
        lock
    }
}

proptest! {
    #[test]
    fn every_lock_is_read_back(lock in lock()) {
        let text = lock.to_string();
        let read: Lock = text.parse().map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&read.to_string(), &text);
        prop_assert_eq!(read, lock);
    }

    #[test]
    fn an_edited_lock_is_a_lock_or_an_error(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<char>()), 1..6),
        tokens in proptest::collection::vec("(\\.\\.|1\\.3|next|ENG|\\.|#|\"|=|&|,|Turns| |\n|[!-~])", 0..3),
    ) {
        let mut chars: Vec<char> = EXAMPLE.chars().collect();
        for (at, edit, c) in edits {
            let at = at.index(chars.len());
            match edit {
                0 => drop(chars.remove(at)),
                1 => chars[at] = c,
                2 => drop(chars.splice(at..at, tokens.concat().chars())),
                // A line twice.
                _ => {
                    let text: String = chars.iter().collect();
                    let lines: Vec<&str> = text.lines().collect();
                    let line = lines[at % lines.len()];
                    chars = format!("{text}{line}\n").chars().collect();
                }
            }
            if chars.is_empty() {
                chars.push('x');
            }
        }
        let text: String = chars.into_iter().collect();
        match text.parse::<Lock>() {
            Ok(lock) => {
                prop_assert_eq!(lock.to_string().parse::<Lock>(), Ok(lock.clone()));
                drop(lock.check::<TestLog>().to_string());
                let mut accepted = lock;
                accepted.accept::<TestLog>();
                prop_assert_eq!(accepted.to_string().parse::<Lock>(), Ok(accepted.clone()));
                prop_assert!(accepted.check::<TestLog>().unaccepted().is_empty());
            }
            Err(error) => prop_assert!((1..=text.lines().count().max(1)).contains(&error.line()), "{}", error),
        }
    }

    #[test]
    fn any_text_is_a_lock_or_an_error(text: String) {
        drop(text.parse::<Lock>());
        drop(format!("binlog-lock 1\nrelease 1\n{text}").parse::<Lock>());
    }
}

/// 200 messages of ten columns in 20 releases, with a change of 3 % of the columns in each: about 70 KB.
#[test]
fn message_is_compared_once_per_change_not_per_release() {
    let mut lock = Lock { releases: (0..20).map(|release| format!("1.{release}")).collect(), ..Lock::default() };
    let always = Interval { from: 0, until: None };
    for message in 0..200_usize {
        let name = format!("M{message:03}");
        let labels: Vec<String> = (0..10).map(|column| format!("Column{column}")).collect();
        let mut add = |interval, column: Option<&String>, fact| {
            let column = column.map(|label| (label.clone(), 0));
            let subject = Subject { message: name.clone(), column };
            lock.facts.push(Dated { interval, subject, fact, line: None });
        };
        add(always, None, Fact::Id(u8::try_from(message).expect("below 200")));
        add(always, None, Fact::Order(labels.clone()));
        for (i, label) in labels.iter().enumerate() {
            // Two changes of each third column or so: 60 lines a release.
            let changes = if (message + i) % 3 == 0 { vec![(message + i) % 18, 19] } else { vec![] };
            let bounds: Vec<usize> = std::iter::once(0).chain(changes.into_iter().filter(|&at| at > 0)).collect();
            for (at, &from) in bounds.iter().enumerate() {
                let format = if at % 2 == 0 { Format::U8 } else { Format::U16 };
                let interval = Interval { from, until: bounds.get(at + 1).copied() };
                let fact = Fact::Column { format, unit: (b'm', "m".into()), multiplier: (b'0', 1.0), is_closed: false };
                add(interval, Some(label), fact);
            }
        }
    }
    let text = lock.to_string();
    assert!((60_000..200_000).contains(&text.len()), "{} bytes", text.len());
    let read: Lock = text.parse().expect("a lock");
    let check = read.check::<TestLog>();
    assert_eq!((check.violations().len(), read == lock), (200, true));
    let states = States::of(&read).expect("a lock").messages.len();
    assert!(states < 200 * 10, "{states} states are compared; 20 releases of 200 messages would be 4000");
}

/// A fact of each of 20,000 releases, which takes minutes if each is compared with all others.
#[test]
fn a_lock_of_many_releases_is_read() {
    let count = 20_000;
    let mut text = String::from("binlog-lock 1\n");
    (0..count).for_each(|release| text += &format!("release r{release}\n"));
    for release in 0..count {
        let until = if release + 1 < count { format!("r{}", release + 1) } else { String::new() };
        text += &format!("r{release}..{until} ENG id {}\n", release % 250);
    }
    text += "r0.. ENG order TimeUS\nr0.. ENG.TimeUS Q s 1e-6\n";
    let lock: Lock = text.parse().expect("a lock");
    assert_eq!(lock.releases().len(), count);
    let printed: Lock = lock.to_string().parse().expect("a lock");
    assert!(printed == lock);
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("binlog-lock-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for temporary files");
        Folder(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("flight.lock")
    }

    fn files(&self) -> usize {
        fs::read_dir(&self.0).expect("the folder").count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn hold<S: LogSchema>(path: &Path, environment: &Environment) -> Result<Option<String>, String> {
    super::assertion::hold::<S>(path, environment).map_err(|failure| failure.text)
}

fn locally(request: Request) -> Environment {
    Environment { request, is_ci: false }
}

fn in_ci(request: Request) -> Environment {
    Environment { request, is_ci: true }
}

#[test]
fn the_first_run_makes_the_file_and_says_so_but_not_in_ci() {
    let folder = Folder::new("first");
    let missing = hold::<TestLog>(&folder.file(), &in_ci(Request::Check)).expect_err("no file");
    assert!(missing.contains("the file is missing"), "{missing}");
    assert_eq!(folder.files(), 0);
    let made = hold::<TestLog>(&folder.file(), &locally(Request::Check)).expect("a writable folder");
    assert!(made.is_some_and(|made| made.contains("made the lock")));
    for environment in [locally(Request::Check), in_ci(Request::Check), locally(Request::Accept)] {
        assert_eq!(hold::<TestLog>(&folder.file(), &environment), Ok(None));
    }
    assert_eq!(folder.files(), 1);
}

#[test]
fn ci_writes_nothing() {
    let folder = Folder::new("ci");
    fs::write(folder.file(), Lock::of::<LessLog>().to_string()).expect("a writable folder");
    for request in [Request::Accept, Request::Release("1".into())] {
        let refused = hold::<TestLog>(&folder.file(), &in_ci(request)).expect_err("not in CI");
        assert!(refused.contains("changes nothing under CI"), "{refused}");
    }
    assert!(hold::<TestLog>(&folder.file(), &in_ci(Request::Check)).is_err());
    assert_eq!(fs::read_to_string(folder.file()).expect("a file"), Lock::of::<LessLog>().to_string());
}

#[test]
fn additions_are_accepted_and_released() {
    let folder = Folder::new("accept");
    let held = |request| hold::<TestLog>(&folder.file(), &locally(request));
    hold::<LessLog>(&folder.file(), &locally(Request::Release("1.0".into()))).expect("a writable folder");
    let added = held(Request::Check).expect_err("a message more");
    assert!(added.contains("message-added: GPS: added:") && added.contains("BINLOG_LOCK=accept"), "{added}");
    let accepted = held(Request::Accept).expect("nothing breaks");
    assert!(accepted.is_some_and(|accepted| accepted.contains("are entered")));
    assert_eq!(held(Request::Check), Ok(None));
    let text = || fs::read_to_string(folder.file()).expect("a file");
    assert!(text().contains("1.0.. EV id 136\n") && text().contains("next.. GPS rate 5\n"), "{}", text());
    assert!(held(Request::Release("1.1".into())).expect("nothing breaks").is_some());
    // Asked for again, by the next test for instance.
    assert_eq!(held(Request::Release("1.1".into())), Ok(None));
    assert!(text().contains("\nrelease 1.0\nrelease 1.1\n") && text().contains("1.1.. GPS rate 5\n"), "{}", text());
    // What was released and is gone again.
    let removed = hold::<LessLog>(&folder.file(), &locally(Request::Accept)).expect_err("GPS is gone");
    assert!(removed.contains("message-removed: GPS: removed:"), "{removed}");
    assert!(removed.contains("Or allow it, with a reason: 1.1..next allow GPS message-removed \"why\"\n"), "{removed}");
    let allowed = text().replace("\n\n", "\n\n1.1..next allow GPS message-removed \"no receiver\"\n\n");
    fs::write(folder.file(), allowed).expect("a writable folder");
    assert!(hold::<LessLog>(&folder.file(), &locally(Request::Accept)).expect("it is allowed").is_some());
    assert!(text().contains("1.1..next GPS rate 5\n"), "{}", text());
    // Removed since the release, and back before the next one.
    assert!(held(Request::Accept).expect("it was there").is_some());
    assert!(text().contains("1.1.. GPS rate 5\n"), "{}", text());
    assert_eq!((text().contains("allow"), held(Request::Check)), (false, Ok(None)), "{}", text());
    let before = held(Request::Release("1.0.9".into())).expect_err("before 1.1");
    assert!(before.contains("the release 1.0.9 is before 1.1"), "{before}");
}

#[test]
fn accept_removes_an_exception_that_allows_nothing() {
    let folder = Folder::new("idle");
    let held = |request| hold::<TestLog>(&folder.file(), &locally(request));
    held(Request::Release("1.1".into())).expect("a writable folder");
    let text = || fs::read_to_string(folder.file()).expect("a file");
    let released = text();
    let line = "1.1..next allow GPS message-removed \"no receiver\"";
    fs::write(folder.file(), released.replacen("\n\n", &format!("\n\n{line}\n\n"), 1)).expect("a writable folder");
    let idle = held(Request::Check).expect_err("GPS is there");
    assert!(idle.contains("remove the line: 1.1..next allow GPS message-removed\n"), "{idle}");
    assert!(idle.ends_with("Or have it removed, and commit the lock: BINLOG_LOCK=accept cargo test"), "{idle}");
    let early = held(Request::Release("1.2".into())).expect_err("the line is there");
    assert!(early.contains("first: BINLOG_LOCK=accept"), "{early}");
    let removed = held(Request::Accept).expect("nothing breaks").expect("the line is gone");
    assert!(removed.ends_with("removed: 1.1..next allow GPS message-removed"), "{removed}");
    assert_eq!((text(), held(Request::Check)), (released, Ok(None)));
}

#[test]
fn a_damaged_file_is_an_error_and_stays() {
    let folder = Folder::new("damaged");
    fs::write(folder.file(), "binlog-lock 1\n<<<<<<< HEAD\n").expect("a writable folder");
    for request in [Request::Check, Request::Accept, Request::Release("1".into())] {
        let error = hold::<TestLog>(&folder.file(), &locally(request)).expect_err("a conflict");
        assert!(error.starts_with("not a lock: line 2: "), "{error}");
    }
    assert_eq!(fs::read_to_string(folder.file()).expect("a file"), "binlog-lock 1\n<<<<<<< HEAD\n");
    fs::write(folder.file(), b"\xFF").expect("a writable folder");
    let error = hold::<TestLog>(&folder.file(), &locally(Request::Check)).expect_err("no text");
    assert!(error.starts_with("can't be read: "), "{error}");
}

#[test]
fn the_definitions_of_a_lock_are_those_of_the_program() {
    let (lock, log) = (Lock::of::<TestLog>(), LoggedSchema::of::<TestLog>());
    let schema = lock.to_string().parse::<Lock>().and_then(|lock| lock.schema()).expect("a schema");
    let read = |schema: &LoggedSchema, name: &str| {
        let message = schema.message(name).expect("a message");
        (message.id(), message.length(), message.labels().to_owned(), message.format().to_owned())
    };
    assert_eq!(schema.messages().map(|message| message.name().to_owned()).collect::<Vec<_>>(), ["EV", "GPS"]);
    for name in ["EV", "GPS"] {
        assert_eq!(read(&schema, name), read(&log, name));
        let ids = |schema: &LoggedSchema| schema.message(name).and_then(|it| it.unit_ids().map(str::to_owned));
        assert_eq!(ids(&schema), ids(&log));
    }
    assert!(Lock::of_log(&schema).to_string().lines().all(|line| lock.to_string().contains(line)));
    assert_eq!(schema.described("EV").map(|event| &*event.description), Some(messages::Ev::DEFINITION.description));
}

#[test]
fn the_definitions_of_a_lock_are_those_of_the_next_release() {
    let schema = EXAMPLE.parse::<Lock>().expect("a lock").schema().expect("a schema");
    assert_eq!(schema.message("ENG").map(|message| message.labels()), Some("TimeUS,Rev,State"));
    let engine = schema.described("ENG").expect("descriptions");
    let state = engine.column("State").expect("names of values");
    assert_eq!((&*engine.description, state.name_of(1)), ("The engine.", Some("On")));
}

#[test]
fn a_lock_whose_messages_no_log_has_room_for_has_no_definitions() {
    let columns = |count: usize, format: &str| {
        let labels: Vec<String> = (0..count).map(|i| format!("A{i}")).collect();
        let facts: String = labels.iter().map(|label| format!("next.. ENG.{label} {format}\n")).collect();
        format!("next.. ENG id 7\nnext.. ENG order {}\n{facts}", labels.join(","))
    };
    for (facts, error) in [
        (columns(17, "B - -"), "line 3: ENG: 17 bytes of formats, but only 16 fit: \"BBBBBBBBBBBBBBBBB\""),
        (columns(4, "Z - -"), "line 3: ENG: a record has 259 bytes with its header, but only 255 fit"),
        (columns(1, "B - -").replace("A0", &"A".repeat(65)), "line 3: ENG: 65 bytes of labels and commas"),
        (columns(1, "B - -").replace("ENG", "ENGINE"), "line 3: ENGINE: 6 bytes of name, but only 4 fit: \"ENGINE\""),
        (columns(1, "B - -").replace("A0", "\"A,0\""), "line 3: ENG: a comma would end the label \"A,0\""),
        (
            columns(2, "B T=uT -").replace("A1 B T=uT", "A1 B T=mT"),
            "line 5: ENG.A1: `T` is the id of two units, uT and mT",
        ),
        (
            columns(2, "B m T=0.5").replace("A1 B m T=0.5", "A1 B m T=0.25"),
            "line 5: ENG.A1: `T` is the id of two multipliers, 0.5 and 0.25",
        ),
        (columns(1, &format!("B T={} -", "u".repeat(65))), "line 4: ENG.A0: 65 bytes of the name of a unit"),
    ] {
        let lock: Lock = format!("binlog-lock 1\n{facts}").parse().expect("a lock");
        let found = lock.schema().map(drop).expect_err("no room").to_string();
        assert!(found.starts_with(error), "{found}");
    }
}
