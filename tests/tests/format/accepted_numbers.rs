//! Types that refuse some numbers, `bool` and enums, in place of one another.

use binlog::compatibility::{ChangeKind, Level, Report};
use binlog::compatibility::{can_be_read_by, can_read};
use binlog::lock::Lock;
use binlog::{Field, LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

/// A schema of one message, whose column `On` has this type.
macro_rules! schema {
    ($module:ident: $(#[$of_field:meta])* $type:ty $(, { $($values:tt)* })?) => {
        mod $module {
            use super::*;

            $(
                #[derive(Field, IntoBytes, Immutable)]
                #[repr(u8)]
                pub(crate) enum State { $($values)* }
            )?

            #[derive(LogMessage, IntoBytes, Immutable)]
            #[log(name = "HEAT")]
            #[repr(C, packed)]
            pub(crate) struct Heater {
                time_us: u64,
                $(#[$of_field])*
                on: $type,
            }

            #[derive(LogSchema)]
            pub(crate) enum Schema { Heat(Heater) }
        }
    };
}

schema!(boolean: bool);
schema!(named_boolean: #[log(values(1 = "On"))] bool);
schema!(off_and_on: State, { Off = 0, On = 1 });
schema!(more: State, { Off = 0, On = 1, Auto = 2 });
schema!(without_0: State, { On = 1, Auto = 2 });

/// The lock of a release, as a test reads it.
fn released<S: LogSchema>() -> Lock {
    let mut lock = Lock::of::<S>();
    lock.release("1.0").expect("a name");
    lock.to_string().parse().expect("what was printed")
}

fn kinds(report: &Report) -> Vec<ChangeKind> {
    report.changes().iter().map(|change| change.kind).collect()
}

/// The rules because of which programs of one type don't read logs of another: new programs, then old ones.
fn between<Old: LogSchema, New: LogSchema>() -> [Vec<ChangeKind>; 2] {
    let old = released::<Old>();
    [can_read::<New>(&old), can_be_read_by::<New>(&old)].map(|report| kinds(&report))
}

#[test]
fn an_enum_that_lacks_0_or_1_does_not_read_logs_of_a_bool() {
    use ChangeKind::AcceptedValues;
    assert_eq!(between::<boolean::Schema, off_and_on::Schema>(), [vec![], vec![]]);
    // 2 is in new logs only.
    assert_eq!(between::<boolean::Schema, more::Schema>(), [vec![], vec![AcceptedValues]]);
    assert_eq!(between::<boolean::Schema, without_0::Schema>(), [vec![AcceptedValues], vec![AcceptedValues]]);
    assert_eq!(between::<named_boolean::Schema, without_0::Schema>()[0], [AcceptedValues]);
    assert_eq!(between::<boolean::Schema, named_boolean::Schema>(), [vec![], vec![]]);
    assert_eq!(between::<named_boolean::Schema, boolean::Schema>()[1], []);

    let text = can_read::<without_0::Schema>(&released::<boolean::Schema>()).to_string();
    assert!(text.contains("accepted-values: HEAT.On: accepts 0, 1 → 1, 2\n"), "{text}");
}

#[test]
fn a_bool_does_not_read_the_other_values_of_an_enum() {
    use ChangeKind::{AcceptedValues, ValueRemoved};
    assert_eq!(between::<more::Schema, boolean::Schema>(), [vec![ValueRemoved; 3], vec![]]);
    // The bool logs 0.
    let [of_new, of_old] = between::<without_0::Schema, boolean::Schema>();
    assert_eq!((of_new, of_old), (vec![ValueRemoved; 2], vec![AcceptedValues]));
}

#[test]
fn the_lock_tells_it_at_the_level_of_reading_old_logs() {
    let said = Level::ALL.map(|level| {
        let mut lock = released::<boolean::Schema>();
        lock.set_level(level);
        let check = lock.check::<without_0::Schema>();
        check.violations().iter().map(|violation| violation.change.kind).collect::<Vec<_>>()
    });
    assert_eq!(said, [vec![], vec![ChangeKind::AcceptedValues], vec![ChangeKind::AcceptedValues]]);
    let harmless = Level::ALL.map(|level| {
        let mut lock = released::<boolean::Schema>();
        lock.set_level(level);
        lock.check::<off_and_on::Schema>().violations().len()
    });
    assert_eq!(harmless, [0; 3]);
}
