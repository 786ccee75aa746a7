//! A crate that re-exports binlog names its path.

mod facade {
    pub(super) use binlog as flight_log;
}

use facade::flight_log::{Field, LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable)]
#[log(crate = "facade::flight_log", unit = "V")]
#[repr(transparent)]
struct Volts(f32);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BAT", crate = "facade::flight_log")]
#[repr(C, packed)]
struct Battery {
    time_us: u64,
    volt: Volts,
}

#[derive(LogSchema)]
#[log(crate = "crate::compile_pass::re_exported::facade::flight_log")]
enum FlightLog {
    Battery(Battery),
}

#[test]
fn the_path_is_used() {
    assert_eq!(FlightLog::MESSAGES[0].definition.columns[1].unit.name(), "V");
}
