//! The code of the derives needs nothing from the prelude.

#![no_implicit_prelude]

#[derive(::binlog::Field, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[repr(u8)]
enum State {
    Off,
    On,
}

#[derive(::binlog::Field, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[log(unit = "V", mult = 1e-3, values(0 = "empty"))]
#[repr(transparent)]
struct Millivolts(u16);

#[derive(::binlog::LogMessage, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[log(name = "BAT")]
#[repr(C, packed)]
struct Battery {
    time_us: u64,
    #[log(instance)]
    i: u8,
    state: State,
    volt: Millivolts,
    #[log(unit = "A", mult = 1e-3)]
    curr: i16,
    #[log(bits(0 = "charging"))]
    flags: u8,
}

#[derive(::binlog::Columns, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[repr(C)]
struct Pair(i16, #[log(flatten)] [i16; 2]);

#[derive(::binlog::Columns, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[repr(transparent)]
struct Pairs {
    #[log(flatten, prefix = "", unit = "V", mult = 1e-3)]
    pair: Pair,
}

#[derive(::binlog::LogMessage, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[log(name = "PAIR")]
#[repr(C, packed)]
struct Nested {
    time_us: u64,
    /// Cells.
    #[log(flatten, prefix = "C")]
    cells: Pairs,
}

#[derive(::binlog::LogSchema)]
#[log(sink = FlightSink)]
enum FlightLog {
    #[log(id = 7)]
    Battery(Battery),
    Nested(Nested),
    Msg(::binlog::messages::Msg),
}

fn application(log: &dyn FlightSink) -> bool {
    ::binlog::Sink::log(log, &Nested { time_us: 0, cells: Pairs { pair: Pair(0, [0, 0]) } })
}

#[::core::prelude::v1::test]
fn it_compiles() {
    let _ = application;
    let _ = (State::Off, State::On);
    ::core::assert_eq!(<FlightLog as ::binlog::LogSchema>::MESSAGES[0].id, 7);
}
