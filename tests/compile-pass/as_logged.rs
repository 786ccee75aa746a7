//! `as_logged` accepts messages of other firmware that break rules 3, 4 and 6 to 8.

#![deny(warnings)]

use binlog::field::{Centi, FlightMode, Latitude};
use binlog::{LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

/// Digits for labels, no time.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "SBRH", as_logged)]
#[repr(C, packed)]
struct Labels {
    #[log(label = "1")]
    first: u64,
    #[log(label = "1")]
    twice: u64,
    #[log(label = "")]
    empty: u8,
}

/// A name that cannot be graphed; the time last, in milliseconds; two instances in wrong columns, of wrong types.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "m", as_logged)]
#[repr(C, packed)]
struct TimeAndInstance {
    #[log(instance)]
    core: u16,
    #[log(instance)]
    mode: FlightMode,
    #[log(unit = "s", mult = 1e-3)]
    time_us: u32,
}

/// Scaled differently from its format, and a float with a multiplier.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "GPS", as_logged, allow(gps_without_week))]
#[repr(C, packed)]
struct Scaling {
    time_us: u64,
    #[log(unit = "A", mult = '?')]
    current: Centi<i16>,
    #[log(unit = "m", mult = 1)]
    lat: Latitude,
    #[log(unit = "m", mult = 1e-2)]
    alt: f32,
}

#[derive(LogSchema)]
enum Log {
    Labels(Labels),
    TimeAndInstance(TimeAndInstance),
    Scaling(Scaling),
}

#[test]
fn it_is_in_the_preamble_as_written() {
    let units = |message: usize| Log::MESSAGES[message].definition.columns.iter().map(|column| column.unit.id());
    assert_eq!(units(1).collect::<Vec<_>>(), b"##s");
    assert_eq!(units(2).collect::<Vec<_>>(), b"sAmm");
}
