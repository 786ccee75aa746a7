//! Fields whose types are called like types of the standard library that are no fields.

use binlog::{Field, Format, LogMessage, LogSchema};
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

#[derive(LogSchema)]
enum FlightLog {
    Task(Task),
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
