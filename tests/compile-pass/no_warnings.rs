//! Items that only the log uses are not dead code: fields that are never read, values and variants that are never made.

#![deny(warnings, unused_qualifications)]
#![forbid(unsafe_code)]

use binlog::{Field, LogMessage, LogSchema, LogWriter};
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable)]
#[repr(u8)]
enum State {
    Off,
    On,
}

#[derive(Field, IntoBytes, Immutable)]
#[repr(transparent)]
struct Volts(f32);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BAT")]
#[repr(C, packed)]
struct Battery {
    time_us: u64,
    state: State,
    volt: Volts,
}

/// The derive's code may use a deprecated item of the user's.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "OLD")]
#[repr(C, packed)]
struct Old {
    time_us: u64,
    #[deprecated]
    count: u8,
    #[deprecated]
    mode: OldMode,
}

#[derive(Field, IntoBytes, Immutable)]
#[repr(u8)]
enum OldMode {
    #[deprecated]
    Manual,
    Auto,
}

/// Without padding it need not be packed.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TICK")]
#[repr(C)]
struct Tick {
    time_us: u64,
    count: u64,
}

#[derive(LogSchema)]
enum FlightLog {
    Battery(Battery),
    Tick(Tick),
    #[deprecated]
    Old(Old),
}

#[test]
fn a_private_schema_writes() {
    let log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    assert_eq!(log.finish().unwrap(), FlightLog::PREAMBLE);
}
