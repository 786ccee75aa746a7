//! The lock, with each kind of change that people make: who says what, the lock or nothing. What the compiler says is
//! in `compile-fail/older`.

use binlog::compatibility::can_read;
use binlog::compatibility::{Breaks, ChangeKind, Level};
use binlog::lock::{Check, Lock};
use binlog::{Field, Log, LogMessage, LogSchema, LogWriter, LoggedSchema, Logs, messages};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};
use zerocopy::{Immutable, IntoBytes};

/// A schema of one message, the texts and the descriptions.
macro_rules! schema {
    ($module:ident: $(#[$of_message:meta])* {$($fields:tt)*} {$($state:tt)*} $(#[$of_variant:meta])*) => {
        mod $module {
            use super::*;

            #[derive(Field, IntoBytes, Immutable, Clone, Copy)]
            #[repr(u8)]
            pub(crate) enum State { $($state)* }

            #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
            $(#[$of_message])*
            #[repr(C, packed)]
            pub(crate) struct Engine { pub(crate) time_us: u64, $($fields)* }

            #[derive(LogSchema)]
            pub(crate) enum FlightLog {
                $(#[$of_variant])*
                Eng(Engine),
                Msg(messages::Msg),
                File(messages::File),
            }
        }
    };
}

schema!(released: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(added: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
        pub(crate) torque: f32,
    }
    { Idle = 0, Running = 1 });
schema!(added_with_default: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
        #[log(default)]
        pub(crate) torque: f32,
    }
    { Idle = 0, Running = 1 });
schema!(removed: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(renamed: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) rev: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(renamed_with_alias: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        #[log(alias = "Turns")]
        pub(crate) rev: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(other_unit: #[log(name = "ENG")]
    {
        #[log(unit = "degC", mult = 1e-1, allow(float_multiplier))]
        pub(crate) temp: f32,
        #[log(unit = "rpm")]
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(renumbered: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Running = 0, Idle = 1 });
schema!(more_values: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel", 2 = "Air"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1, Stopping = 2 });
schema!(wider: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f64,
        pub(crate) turns: u32,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(narrower: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u8,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(moved: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 5 });
schema!(renamed_with_default: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
        #[log(default)]
        pub(crate) rev: u32,
    }
    { Idle = 0, Running = 1 });
schema!(closed: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: bool,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(other_id: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 }
    #[log(id = 7)]);
schema!(other_order: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) turns: u16,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(other_name: #[log(name = "MOT", alias = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(other_rate: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 }
    #[log(rate = 10)]);
schema!(described:
    /// The engine.
    #[log(name = "ENG")]
    {
        /// Of the oil.
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });

schema!(renamed_in_place_with_default: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        #[log(default)]
        pub(crate) rev: u16,
        #[log(bits(0 = "Oil", 1 = "Fuel"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });
schema!(fewer_values: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        #[log(bits(0 = "Oil"))]
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0 });

schema!(unnamed_bits: #[log(name = "ENG")]
    {
        #[log(unit = "degC")]
        pub(crate) temp: f32,
        pub(crate) turns: u16,
        pub(crate) warnings: u8,
        pub(crate) state: State,
    }
    { Idle = 0, Running = 1 });

/// Without the engine.
mod texts {
    use super::*;

    #[derive(LogSchema)]
    pub(crate) enum FlightLog {
        Msg(messages::Msg),
        File(messages::File),
    }
}

/// With events, too.
mod events {
    use super::*;

    #[derive(LogSchema)]
    pub(crate) enum FlightLog {
        Eng(released::Engine),
        Msg(messages::Msg),
        File(messages::File),
        Ev(messages::Ev),
    }
}

/// The lock of the released schema.
fn lock(level: Level) -> Lock {
    let mut lock = Lock::of::<released::FlightLog>();
    lock.set_level(level);
    lock.release("1.3").expect("a name");
    // As a test reads it.
    lock.to_string().parse().expect("what was printed")
}

/// What the lock says at each level: the rules that are broken, and how many changes break nothing but aren't entered.
fn said<S: LogSchema>() -> [(Vec<ChangeKind>, usize); 3] {
    Level::ALL.map(|level| {
        let check = lock(level).check::<S>();
        assert!(check.to_string().lines().count() == 0 || !check.is_ok(), "{check}");
        assert_explained(&check);
        (check.violations().iter().map(|broken| broken.change.kind).collect(), check.unaccepted().len())
    })
}

/// Each violation is explained in five lines at most, with both places.
fn assert_explained(check: &Check) {
    let printed = check.to_string();
    for violation in check.violations() {
        let change = &violation.change;
        let first = format!("{}: {}", change.kind, change.summary());
        let lines: Vec<&str> = printed.lines().skip_while(|line| *line != first).take(5).collect();
        assert_eq!(lines.len(), 5, "{printed}");
        let line = change.line.expect("the lock was read");
        assert!(lines[1].ends_with(&format!("line {line} of the lock, release 1.3")), "{}", lines[1]);
        if let Some(place) = change.place {
            assert!(lines[1].starts_with(&format!("  at {}:{}:", file!(), place.line())), "{}", lines[1]);
        }
        assert!(lines[2].ends_with('.') && lines[3].ends_with('.'), "{printed}");
        assert_eq!(lines[4], format!("  Or allow it, with a reason: {}", violation.exception));
    }
}

fn nothing() -> [(Vec<ChangeKind>, usize); 3] {
    Level::ALL.map(|_| (vec![], 0))
}

#[test]
fn each_change_is_told_at_its_level() {
    use ChangeKind::*;
    assert_eq!(said::<released::FlightLog>(), nothing());
    assert_eq!(said::<described::FlightLog>(), nothing());
    // New columns and values are entered into the lock. Today's struct doesn't read the logs of 1.3.
    assert_eq!(said::<added::FlightLog>(), [(vec![], 1), (vec![ColumnAdded], 0), (vec![ColumnAdded], 0)]);
    assert_eq!(said::<added_with_default::FlightLog>(), [(vec![], 1), (vec![], 1), (vec![ColumnAdded], 0)]);
    assert_eq!(said::<more_values::FlightLog>(), Level::ALL.map(|_| (vec![], 2)));
    // Queries and plots notice.
    assert_eq!(said::<removed::FlightLog>(), Level::ALL.map(|_| (vec![ColumnRemoved], 0)));
    assert_eq!(said::<renamed::FlightLog>(), Level::ALL.map(|_| (vec![ColumnRenamed], 0)));
    assert_eq!(said::<renamed_with_alias::FlightLog>(), Level::ALL.map(|_| (vec![ColumnRenamed], 0)));
    let unit = [(vec![Multiplier], 2), (vec![Multiplier], 2), (vec![Multiplier, Unit, Multiplier], 0)];
    assert_eq!(said::<other_unit::FlightLog>(), unit);
    let renumbered = vec![BitRenamed, BitRenumbered, ValueRenamed, ValueRenamed];
    assert_eq!(said::<renumbered::FlightLog>(), Level::ALL.map(|_| (renumbered.clone(), 0)));
    assert_eq!(said::<other_name::FlightLog>(), Level::ALL.map(|_| (vec![MessageRenamed], 0)));
    // A name that moved to a free number is one change.
    let moved = vec![ValueRenumbered];
    assert_eq!(said::<moved::FlightLog>(), Level::ALL.map(|_| (moved.clone(), 0)));
    let check = lock(Level::Names).check::<moved::FlightLog>();
    assert!(check.to_string().contains("value 1 \"Running\" → 5 \"Running\""), "{check}");
    // With a default and without an alias, old values are no longer read.
    for level in Level::ALL {
        let check = lock(level).check::<renamed_with_default::FlightLog>();
        let removed = &check.violations()[0].change;
        assert_eq!((removed.kind, removed.reads_default), (ColumnRemoved, true));
        assert!(check.to_string().contains("If it was renamed, `#[log(alias"), "{check}");
    }
    let check = lock(Level::Names).check::<renamed_in_place_with_default::FlightLog>();
    let renamed = &check.violations()[0].change;
    assert_eq!((renamed.kind, renamed.reads_default, renamed.breaks.old_logs), (ColumnRenamed, true, false));
    assert!(check.to_string().contains("today's struct reads the default of old ones"), "{check}");
    // Formats: a wider one reads old logs.
    assert_eq!(said::<wider::FlightLog>(), [(vec![], 2), (vec![], 2), (vec![Format, Format], 0)]);
    assert_eq!(said::<narrower::FlightLog>(), [(vec![], 1), (vec![Format], 0), (vec![Format], 0)]);
    // A type that refuses numbers: records of old logs that have them are errors.
    let closed = [(vec![], 1), (vec![AcceptedValues], 0), (vec![AcceptedValues], 0)];
    assert_eq!(said::<closed::FlightLog>(), closed);
    assert!(!can_read::<closed::FlightLog>(&lock(Level::Names)).is_ok());
    let mut of_closed = Lock::of::<closed::FlightLog>();
    assert!(can_read::<closed::FlightLog>(&of_closed).is_ok());
    of_closed.release("1.3").expect("a name");
    of_closed.set_level(Level::Typed);
    assert!(of_closed.check::<released::FlightLog>().violations().is_empty(), "a number reads old logs");
    // What matters to the layout only.
    assert_eq!(said::<other_id::FlightLog>(), [(vec![], 1), (vec![], 1), (vec![Id], 0)]);
    assert_eq!(said::<other_order::FlightLog>(), [(vec![], 1), (vec![], 1), (vec![ColumnMoved], 0)]);
    // A rate breaks nothing, and is entered.
    assert_eq!(said::<other_rate::FlightLog>(), Level::ALL.map(|_| (vec![], 1)));
}

#[test]
fn a_column_without_a_default_is_told_to_refuse_older_logs() {
    let told = "  Today's structs refuse the logs of release 1.3; with `level typed`, the lock forbids that\n";
    let added = lock(Level::Names).check::<added::FlightLog>();
    assert!(added.violations().is_empty() && added.to_string().ends_with(told), "{added}");
    let with_default = lock(Level::Names).check::<added_with_default::FlightLog>();
    assert!(!with_default.to_string().contains("refuse"), "{with_default}");
    let typed = lock(Level::Typed).check::<added::FlightLog>();
    assert!(!typed.violations().is_empty() && !typed.to_string().contains(told), "{typed}");
}

/// The changes from the released schema: about what, the rule, and who is affected.
fn affected<S: LogSchema>() -> Vec<String> {
    let check = lock(Level::Layout).check::<S>();
    let all = check.violations().iter().map(|violation| &violation.change).chain(check.unaccepted());
    let mut all: Vec<String> = all
        .map(|change| {
            let of = change
                .column
                .as_ref()
                .map_or_else(|| change.message.clone(), |label| format!("{}.{label}", change.message));
            let Breaks { queries, old_logs, old_programs, layout } = change.breaks;
            let who = [(queries, 'q'), (old_logs, 'o'), (old_programs, 'p'), (layout, 'l')];
            let who: String = who.iter().filter(|(is, _)| *is).map(|(_, letter)| *letter).collect();
            let number = change.number.map_or_else(String::new, |number| format!(" {number}"));
            format!("{of}{number} {} {who}", change.kind)
        })
        .collect();
    all.sort();
    all
}

#[test]
fn each_change_says_who_is_affected() {
    // Queries, old logs in today's structs, older programs, the layout.
    assert_eq!(affected::<added::FlightLog>(), ["ENG.Torque column-added ol"]);
    assert_eq!(affected::<added_with_default::FlightLog>(), ["ENG.Torque column-added l"]);
    assert_eq!(affected::<more_values::FlightLog>(), ["ENG.State 2 value-added p", "ENG.Warnings 2 bit-added "]);
    assert_eq!(affected::<fewer_values::FlightLog>(), ["ENG.State 1 value-removed qo", "ENG.Warnings 1 bit-removed q"]);
    assert_eq!(affected::<removed::FlightLog>(), ["ENG.Turns column-removed qpl"]);
    assert_eq!(affected::<renamed::FlightLog>(), ["ENG.Turns column-renamed qopl"]);
    assert_eq!(affected::<renamed_with_alias::FlightLog>(), ["ENG.Turns column-renamed qpl"]);
    let renamed = ["ENG.Rev column-added l", "ENG.Turns column-removed qpl"];
    assert_eq!(affected::<renamed_with_default::FlightLog>(), renamed);
    let other_unit = ["ENG.Temp multiplier qopl", "ENG.Turns multiplier l", "ENG.Turns unit l"];
    assert_eq!(affected::<other_unit::FlightLog>(), other_unit);
    let renumbered = [
        "ENG.State 0 value-renamed qop",
        "ENG.State 1 value-renamed qop",
        "ENG.Warnings 0 bit-renamed qop",
        "ENG.Warnings 1 bit-renumbered qop",
    ];
    assert_eq!(affected::<renumbered::FlightLog>(), renumbered);
    assert_eq!(affected::<moved::FlightLog>(), ["ENG.State 1 value-renumbered qop"]);
    assert_eq!(affected::<other_name::FlightLog>(), ["ENG message-renamed qpl"]);
    assert_eq!(affected::<wider::FlightLog>(), ["ENG.Temp format pl", "ENG.Turns format pl"]);
    assert_eq!(affected::<narrower::FlightLog>(), ["ENG.Turns format ol"]);
    assert_eq!(affected::<closed::FlightLog>(), ["ENG.Warnings accepted-values o"]);
    assert_eq!(affected::<other_id::FlightLog>(), ["ENG id l"]);
    assert_eq!(affected::<other_order::FlightLog>(), ["ENG.Warnings column-moved l"]);
    assert_eq!(affected::<other_rate::FlightLog>(), ["ENG rate "]);
    assert_eq!(affected::<texts::FlightLog>(), ["ENG message-removed qpl"]);
    assert_eq!(affected::<events::FlightLog>(), ["EV message-added "]);
}

#[test]
fn a_removed_column_is_explained_in_full() {
    let check = lock(Level::Names).check::<removed::FlightLog>();
    let place = check.violations()[0].change.place.expect("the message's");
    let expected = format!(
        "1 change from what was released, at level `names`:\n\n\
         column-removed: ENG.Turns: removed: format H, unit none ('-'), multiplier none ('-') → nothing\n  \
         at {}:{}:{}, line 8 of the lock, release 1.3\n  \
         Queries, plots and older programs find no such column in new logs.\n  \
         Keep the column; a fixed value is fine.\n  \
         Or allow it, with a reason: 1.3..next allow ENG.Turns column-removed \"why\"\n",
        place.file(),
        place.line(),
        place.column()
    );
    assert_eq!(check.to_string(), expected);
}

#[test]
fn the_check_is_against_all_releases() {
    let mut lock = Lock::of::<released::FlightLog>();
    for (release, accept) in
        [("1.3", Lock::accept::<released::FlightLog> as fn(&mut Lock)), ("1.4", Lock::accept::<added::FlightLog>)]
    {
        accept(&mut lock);
        lock.release(release).expect("a name");
    }
    lock.accept::<wider::FlightLog>();
    lock.release("1.5").expect("a name");
    let releases = |check: &Check| -> Vec<(String, Vec<String>)> {
        check.violations().iter().map(|broken| (broken.change.subject(), broken.releases.clone())).collect()
    };
    let of = |releases: &[&str]| releases.iter().map(ToString::to_string).collect::<Vec<_>>();
    let check = lock.check::<wider::FlightLog>();
    assert_eq!(releases(&check), [("ENG.Torque".into(), of(&["1.4"]))]);
    assert!(check.to_string().contains("1.4..1.5 allow ENG.Torque column-removed"), "{check}");
    lock.set_level(Level::Typed);
    let narrower = releases(&lock.check::<narrower::FlightLog>());
    let expected = [
        ("ENG.Turns".into(), of(&["1.3", "1.4"])),
        ("ENG.Torque".into(), of(&["1.4"])),
        ("ENG.Temp".into(), of(&["1.5"])),
        ("ENG.Turns".into(), of(&["1.5"])),
    ];
    assert_eq!(narrower, expected);
}

#[test]
fn an_exception_allows_one_change_from_some_releases() {
    let of = |exception: &str| -> Lock {
        let text = lock(Level::Names).to_string();
        text.replacen("\n\n", &format!("\n\n{exception}\n\n"), 1).parse().expect("a lock")
    };
    let check = |exception: &str| of(exception).check::<removed::FlightLog>();
    assert!(check("1.3..next allow ENG.Turns column-removed \"no sensor\"").violations().is_empty());
    let whole = check("1.3.. allow ENG.Turns column-removed \"no sensor\"");
    assert!(whole.violations().is_empty() && whole.unused_exceptions().is_empty());
    for other in
        ["next.. allow ENG.Turns column-removed", "1.3.. allow ENG.Turns unit", "1.3.. allow ENG column-removed"]
    {
        let check = check(&format!("{other} \"no sensor\""));
        assert_eq!((check.violations().len(), check.unused_exceptions()), (1, &[other.to_owned()][..]));
    }
    // It stays when the lock is brought up to date.
    let mut allowed = of("1.3..next allow ENG.Turns column-removed \"no sensor\"");
    allowed.accept::<removed::FlightLog>();
    allowed.release("1.4").expect("a name");
    assert!(allowed.to_string().contains("\n1.3..1.4 allow ENG.Turns column-removed \"no sensor\"\n"), "{allowed}");
    assert!(allowed.check::<removed::FlightLog>().is_ok());
}

#[test]
fn exceptions_of_another_lock_count_and_its_facts_do_not() {
    let main = lock(Level::Names);
    let log = LoggedSchema::of::<removed::FlightLog>();
    assert_eq!(main.check_log(&log).violations().len(), 1);
    let line = "1.3..next allow ENG.Turns column-removed \"no sensor\"";
    let with = |line: &str, head: &str| -> Lock {
        let text = main.to_string().replacen("\n\n", &format!("\n\n{line}\n\n"), 1);
        text.replacen("release 1.3\n", head, 1).parse().expect("a lock")
    };
    let mut proposed = with(line, "release 1.3\n");
    proposed.accept::<removed::FlightLog>();
    let check = main.check_log_with(&log, &proposed);
    assert!(check.violations().is_empty(), "{check}");
    assert_eq!(check.allowed_by_other(), [line]);
    // Released by the pull request, too.
    proposed.release("1.4").expect("a new name");
    let line = line.replace("next", "1.4");
    assert_eq!(main.check_log_with(&log, &proposed).allowed_by_other(), [line.as_str()]);
    // One that isn't needed isn't listed, and one for another change, or for another release, allows nothing.
    let same = main.check_log_with(&LoggedSchema::of::<released::FlightLog>(), &proposed);
    assert!(same.is_ok() && same.allowed_by_other().is_empty(), "{same}");
    let older = "release 1.2\nrelease 1.3\n";
    for (line, head) in [
        ("1.3.. allow ENG.Temp unit \"no\"", "release 1.3\n"),
        ("1.2..1.3 allow ENG.Turns column-removed \"no\"", older),
    ] {
        let check = main.check_log_with(&log, &with(line, head));
        assert_eq!((check.violations().len(), check.allowed_by_other().len()), (1, 0), "{line}: {check}");
    }
    // A lock that was made again as if nothing had been released.
    let made_again = Lock::of::<removed::FlightLog>();
    assert_eq!(main.check_log_with(&log, &made_again).violations().len(), 1);
}

/// The definitions of a log that carries its descriptions.
fn described<S: LogSchema + Logs<messages::File>>() -> LoggedSchema {
    let mut log = LogWriter::<S, _>::new(Vec::new()).expect("memory");
    log.descriptions().expect("memory");
    Log::from_bytes(log.finish().expect("memory")).schema()
}

#[test]
fn names_of_values_are_compared_where_the_log_has_them() {
    use ChangeKind::*;
    let lock = lock(Level::Names);
    let broken = |log: &LoggedSchema| -> Vec<ChangeKind> {
        lock.check_log(log).violations().iter().map(|broken| broken.change.kind).collect()
    };
    let same = lock.check_log(&described::<released::FlightLog>());
    assert!(same.is_ok(), "{same}");
    assert_eq!(same.not_compared(), ["types that refuse numbers"]);
    assert_eq!(broken(&described::<moved::FlightLog>()), [ValueRenumbered]);
    let renumbered = [BitRenamed, BitRenumbered, ValueRenamed, ValueRenamed];
    assert_eq!(broken(&described::<renumbered::FlightLog>()), renumbered);
    assert_eq!(broken(&described::<fewer_values::FlightLog>()), [BitRemoved, ValueRemoved]);
    let more = lock.check_log(&described::<more_values::FlightLog>());
    let added: Vec<_> = more.unaccepted().iter().map(|change| change.kind).collect();
    assert_eq!((more.violations().len(), added), (0, vec![BitAdded, ValueAdded]));
    // What the log lacks isn't compared, and that is said.
    let silent = LoggedSchema::of::<moved::FlightLog>();
    assert_eq!(broken(&silent), []);
    let names = "names of values and bits";
    assert_eq!(lock.check_log(&silent).not_compared(), [names, "types that refuse numbers"]);
    let partly = lock.check_log(&described::<unnamed_bits::FlightLog>());
    assert!(partly.is_ok(), "{partly}");
    assert_eq!(partly.not_compared()[0], format!("{names} of ENG.Warnings"));
    let rates = Lock::of::<other_rate::FlightLog>().check_log(&silent).not_compared().to_vec();
    assert_eq!(rates, ["rates", names, "types that refuse numbers"]);
    assert!(lock.check::<moved::FlightLog>().not_compared().is_empty());
}

#[test]
fn names_of_values_are_compared_if_both_logs_have_them() {
    let (old, new) = (described::<released::FlightLog>(), described::<moved::FlightLog>());
    assert!(old.difference(&old).is_empty() && old.difference(&old).named_in_one().is_empty());
    let expected = "ENG.State: value 1 \"Running\" → 5 \"Running\" (breaks names)\n";
    assert_eq!(old.difference(&new).to_string(), expected);
    let silent = LoggedSchema::of::<moved::FlightLog>();
    for difference in [old.difference(&silent), silent.difference(&old)] {
        assert!(difference.is_empty());
        assert!(difference.named_in_one().contains(&"ENG.State".to_owned()), "{:?}", difference.named_in_one());
        assert!(difference.named_in_one().contains(&"ENG.Warnings".to_owned()), "{:?}", difference.named_in_one());
    }
    assert!(silent.difference(&silent).named_in_one().is_empty());
    // A lock that is made of a log takes the names, and notices when they change.
    let mut of_log = Lock::of_log(&old);
    assert!(of_log.to_string().contains("next.. ENG.State = 1 \"Running\"\n"), "{of_log}");
    assert!(of_log.check_log(&old).is_ok());
    of_log.release("1.0").expect("a name");
    let read: Lock = of_log.to_string().parse().expect("a lock");
    assert_eq!(read.check_log(&new).violations()[0].change.kind, ChangeKind::ValueRenumbered);
}

#[test]
fn what_breaks_nothing_is_annotated_with_what_to_do() {
    let [added] = &lock(Level::Names).check::<events::FlightLog>().annotations(None)[..] else {
        panic!("a message was added")
    };
    assert!(added.starts_with("::error") && added.contains("::message-added: EV: added:"), "{added}");
    assert!(added.ends_with("%0A  Enter it into the lock, after a review: BINLOG_LOCK=accept cargo test"), "{added}");
    assert!(!added.contains("Nothing"), "{added}");
    // A step that compares a log fails because of what is broken, and because of nothing else.
    let lock = lock(Level::Names);
    assert_eq!(lock.check::<other_unit::FlightLog>().annotations(None).len(), 3);
    let of_log = lock.check_log(&LoggedSchema::of::<other_unit::FlightLog>()).annotations(None);
    assert!(of_log.len() == 1 && of_log[0].starts_with("::error::multiplier: ENG.Temp"), "{of_log:?}");
    assert_eq!(lock.check_log(&LoggedSchema::of::<added::FlightLog>()).annotations(None), [""; 0]);
}

#[test]
fn how_to_keep_ids_and_labels_is_said() {
    let ids = lock(Level::Names).check::<other_id::FlightLog>().to_string();
    assert!(ids.starts_with("1 change that the lock allows:\n  id: ENG: id "), "{ids}");
    assert_eq!(ids.matches("Give the message its old id: `#[log(id = …)]`").count(), 1, "{ids}");
    // An alias is for today's struct; queries don't know it.
    for check in [
        lock(Level::Names).check::<renamed::FlightLog>(),
        lock(Level::Names).check::<renamed_with_default::FlightLog>(),
        lock(Level::Names).check::<renamed_in_place_with_default::FlightLog>(),
    ] {
        let advice = check.violations()[0].change.advice();
        assert!(
            advice.contains("`#[log(alias = \"…\")]`") && advice.ends_with("and the lock an exception."),
            "{advice}"
        );
    }
}

#[test]
fn an_exception_for_a_value_allows_that_value_only() {
    let text = lock(Level::Names).to_string();
    let allowed = "1.3.. allow ENG.State=1 value-renamed \"a typing error\"";
    let lock: Lock = text.replacen("\n\n", &format!("\n\n{allowed}\n\n"), 1).parse().expect("a lock");
    let check = lock.check::<renumbered::FlightLog>();
    let left: Vec<_> = check.violations().iter().map(|broken| (broken.change.kind, broken.change.number)).collect();
    let expected =
        [(ChangeKind::BitRenamed, Some(0)), (ChangeKind::BitRenumbered, Some(1)), (ChangeKind::ValueRenamed, Some(0))];
    assert_eq!(left, expected);
    assert!(check.to_string().contains("allow ENG.Warnings&1 bit-renumbered \"why\"\n"), "{check}");
    // One that matches nothing is told.
    assert_eq!(lock.check::<released::FlightLog>().unused_exceptions(), ["1.3.. allow ENG.State=1 value-renamed"]);
}

#[test]
fn a_change_closes_one_line_and_adds_one() {
    let before = lock(Level::Names);
    let mut after = before.clone();
    after.accept::<other_unit::FlightLog>();
    let (before, after) = (before.to_string(), after.to_string());
    let is_in = |text: &str, line: &str| text.lines().any(|other| other == line);
    let gone: Vec<&str> = before.lines().filter(|line| !is_in(&after, line)).collect();
    let new: Vec<&str> = after.lines().filter(|line| !is_in(&before, line)).collect();
    assert_eq!(gone, ["1.3.. ENG.Temp f degC 1", "1.3.. ENG.Turns H - -"]);
    let expected = [
        "1.3..next ENG.Temp f degC 1",
        "next.. ENG.Temp f degC 0.1",
        "1.3..next ENG.Turns H - -",
        "next.. ENG.Turns H rpm 1",
    ];
    assert_eq!(new, expected);
    // A new column stands at its place in the schema.
    let mut added = lock(Level::Names);
    added.accept::<added::FlightLog>();
    let lines: Vec<String> = added.to_string().lines().map(str::to_owned).collect();
    let at = |line: &str| lines.iter().position(|other| other == line).unwrap_or_else(|| panic!("{line} in {added}"));
    assert_eq!(at("next.. ENG.Torque f - -"), at("1.3.. ENG.State = 1 \"Running\"") + 1);
}

/// What a schema does with a lock: it is accepted, and it is checked.
type Schema = (fn(&mut Lock), fn(&Lock) -> Check);

const SCHEMAS: [Schema; 8] = [
    (Lock::accept::<released::FlightLog>, Lock::check::<released::FlightLog>),
    (Lock::accept::<added::FlightLog>, Lock::check::<added::FlightLog>),
    (Lock::accept::<removed::FlightLog>, Lock::check::<removed::FlightLog>),
    (Lock::accept::<other_unit::FlightLog>, Lock::check::<other_unit::FlightLog>),
    (Lock::accept::<renumbered::FlightLog>, Lock::check::<renumbered::FlightLog>),
    (Lock::accept::<wider::FlightLog>, Lock::check::<wider::FlightLog>),
    (Lock::accept::<other_name::FlightLog>, Lock::check::<other_name::FlightLog>),
    (Lock::accept::<other_rate::FlightLog>, Lock::check::<other_rate::FlightLog>),
];

proptest! {
    /// The lock keeps each release as it was, for any order of accepted changes and releases.
    #[test]
    fn each_release_is_kept(steps in proptest::collection::vec((0..SCHEMAS.len(), any::<bool>()), 1..12)) {
        let mut lock = Lock::default();
        lock.set_level(Level::Layout);
        let mut releases: Vec<(String, usize)> = Vec::new();
        for (i, (schema, is_release)) in steps.into_iter().enumerate() {
            let (accept, check) = SCHEMAS[schema];
            accept(&mut lock);
            if is_release {
                releases.push((format!("1.{i}"), schema));
                lock.release(&format!("1.{i}")).expect("a new name");
            }
            let text = lock.to_string();
            let read: Lock = text.parse().map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(&read, &lock);
            prop_assert!(check(&lock).unaccepted().is_empty(), "{}", text);
            let mut again = lock.clone();
            accept(&mut again);
            prop_assert_eq!(&again, &lock);
            for (release, schema) in &releases {
                let check = SCHEMAS[*schema].1(&lock);
                let broken = check.violations().iter().find(|broken| broken.releases.contains(release));
                prop_assert!(broken.is_none(), "{}: {:?}\n{}", release, broken, text);
            }
        }
    }
}

/// Only in a process that the tests below start.
#[test]
fn a_scratch_project_asserts_its_lock() {
    if let Some(file) = env::var_os("BINLOG_SCRATCH_RELEASED") {
        binlog::lock::assert::<released::FlightLog>(file);
    }
    if let Some(file) = env::var_os("BINLOG_SCRATCH_REMOVED") {
        binlog::lock::assert::<removed::FlightLog>(file);
    }
    if let Some(file) = env::var_os("BINLOG_SCRATCH_ADDED") {
        binlog::lock::assert::<added::FlightLog>(file);
    }
}

/// Runs the test above as cargo does, with these variables and without those of this process.
fn scratch(variables: &[(&str, &Path)]) -> (bool, String) {
    let Output { status, stdout, stderr } = Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "lock::a_scratch_project_asserts_its_lock"])
        .env_remove("CI")
        .env_remove("BINLOG_LOCK")
        .env_remove("GITHUB_ACTIONS")
        .envs(variables.iter().map(|(name, value)| (name, value.as_os_str())))
        .output()
        .expect("this test runs");
    (status.success(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

#[test]
fn the_environment_of_a_test_decides() {
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join("flightlog.lock");
    let [released, removed, added] = ["BINLOG_SCRATCH_RELEASED", "BINLOG_SCRATCH_REMOVED", "BINLOG_SCRATCH_ADDED"]
        .map(|name| (name, file.as_path()));
    let (ci, accept, release) =
        (("CI", Path::new("true")), ("BINLOG_LOCK", Path::new("accept")), ("BINLOG_LOCK", Path::new("release:1.0")));
    let passes = |variables: &[(&str, &Path)], expected: &str| {
        let (passed, said) = scratch(variables);
        assert!(passed && said.contains(expected), "{said}");
    };
    let fails = |variables: &[(&str, &Path)], expected: &str| {
        let (passed, said) = scratch(variables);
        assert!(!passed && said.contains(expected), "{said}");
    };
    fails(&[ci, released], "the file is missing");
    // A test that passes says so, too.
    passes(&[released], "made the lock of ");
    passes(&[ci, released], "");
    passes(&[release, released], "1.0 is a release now");
    let text = fs::read_to_string(&file).expect("a file");
    fails(&[removed], "column-removed: ENG.Turns");
    fails(&[accept, removed], "column-removed: ENG.Turns");
    fails(&[ci, added], "BINLOG_LOCK=accept cargo test");
    fails(&[ci, accept, added], "BINLOG_LOCK changes nothing under CI");
    fails(&[("BINLOG_LOCK", Path::new("yes")), added], "BINLOG_LOCK=yes is neither `accept` nor `release:NAME`");
    assert_eq!(fs::read_to_string(&file).expect("a file"), text);
    // GitHub shows each difference at the code, or at the lock.
    let github = ("GITHUB_ACTIONS", Path::new("true"));
    let repository = ("GITHUB_WORKSPACE", Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository"));
    fails(&[ci, github, repository, removed], "\n::error file=tests/tests/format/lock.rs,line=");
    fails(&[ci, github, repository, removed], "::column-removed: ENG.Turns: ");
    fails(&[ci, github, repository, added], "\n::error file=tests/tests/format/lock.rs,line=");
    fails(
        &[ci, github, repository, ("BINLOG_SCRATCH_RELEASED", Path::new("absent.lock"))],
        "::error file=tests/absent.lock::",
    );
    let (_, said) = scratch(&[ci, removed]);
    assert!(!said.contains("::error"), "{said}");
    passes(&[accept, added], "are entered");
    passes(&[ci, added], "");
}

#[test]
fn a_relative_path_starts_at_the_package() {
    let absent = std::panic::catch_unwind(|| {
        // Reading the folder fails, wherever the test runs.
        binlog::lock::assert::<released::FlightLog>("tests");
    });
    let said = absent.expect_err("a folder is not a file");
    let said = said.downcast_ref::<String>().expect("a text");
    assert!(said.starts_with("tests: can't be read: "), "{said}");
}
