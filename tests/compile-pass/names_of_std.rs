//! Fields whose types are called like types of the standard library that can't be fields.

use binlog::{Columns, Field, Format, LogMessage, LogSchema, Unit};
use zerocopy::{Immutable, IntoBytes};

/// Microseconds.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
#[log(unit = "s", mult = 1e-6)]
struct Duration(u32);

/// A number, 255 for none.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
struct Optional(u8);

type Option = Optional;

mod fixed {
    pub(super) type String = binlog::field::Chars<16>;
}

/// Runs of a task.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "TASK")]
#[repr(C, packed)]
struct Task {
    time_us: u64,
    longest: Duration,
    #[log(unit = "s", mult = 1e-6, allow(misleading_multiplier))]
    shortest: Duration,
    queued: Option,
    name: fixed::String,
    count: u16,
}

/// Milliseconds since midnight.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
#[log(unit = "s", mult = 1e-3)]
struct Timestamp(u32);

#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
struct Start(Timestamp);

type Instant = u64;

#[derive(Columns, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Lap {
    from: Timestamp,
    to: Timestamp,
}

const MINUTES: Unit = Unit::custom('M', "min");

/// Laps of a race.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "LAPS")]
#[repr(C, packed)]
struct Laps {
    time_us: Instant,
    start: Start,
    #[log(flatten)]
    lap: Lap,
    #[log(flatten)]
    best: [Timestamp; 2],
    #[log(unit = MINUTES)]
    break_: Timestamp,
}

#[derive(LogSchema)]
enum FlightLog {
    Task(Task),
    Laps(Laps),
}

#[test]
fn a_type_of_the_programs_may_be_called_like_one_of_std() {
    let columns = Task::DEFINITION.columns;
    let formats: Vec<_> = columns.iter().map(|column| column.format).collect();
    assert_eq!(formats, [Format::U64, Format::U32, Format::U32, Format::U8, Format::Chars16, Format::U16]);
    assert_eq!(columns[1].unit.name(), "s");
    let task = Task {
        time_us: 1,
        longest: Duration(2),
        shortest: Duration(3),
        queued: Optional(4),
        name: binlog::field::Chars::literal("imu"),
        count: 5,
    };
    assert_eq!(Task::decode(task.wire()), Ok(task));
    assert_eq!(FlightLog::MESSAGES[0].definition.name, "TASK");
}

#[test]
fn such_a_type_may_be_in_newtypes_flattened_structs_and_arrays() {
    let columns = Laps::DEFINITION.columns;
    let shown: Vec<_> =
        columns.iter().map(|column| (column.label, column.unit.name(), column.multiplier.value())).collect();
    let expected = [
        ("TimeUS", "s", 1e-6),
        ("Start", "s", 1e-3),
        ("LapFrom", "s", 1e-3),
        ("LapTo", "s", 1e-3),
        ("Best1", "s", 1e-3),
        ("Best2", "s", 1e-3),
        ("Break", "min", 1e-3),
    ];
    assert_eq!(shown, expected);
    let laps = Laps {
        time_us: 1,
        start: Start(Timestamp(2)),
        lap: Lap { from: Timestamp(3), to: Timestamp(4) },
        best: [Timestamp(5), Timestamp(6)],
        break_: Timestamp(7),
    };
    assert_eq!(Laps::decode(laps.wire()), Ok(laps));
}
