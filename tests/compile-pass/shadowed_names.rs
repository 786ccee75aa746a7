//! The program's items may have the names that the derives use.

#![allow(dead_code, non_camel_case_types, unused_macros, reason = "they are there for their names")]

mod binlog {}
mod core {}
mod std {}
mod zerocopy {}
struct Option;
struct Some;
struct None;
struct Result;
struct Ok;
struct Err;
struct u8;
struct i64;
struct Format;
struct Unit;
struct Multiplier;
struct Definition;
trait LogMessage {}
trait LogSchema {}
trait Field {}
macro_rules! offset_of {
    () => {};
}
macro_rules! panic {
    () => {};
}

#[derive(::binlog::Field, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[repr(u8)]
enum State {
    None,
    Some,
}

#[derive(::binlog::Field, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[log(values(0 = "empty"))]
#[repr(transparent)]
struct Raw(::core::primitive::u8);

#[derive(::binlog::LogMessage, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[log(name = "BAT")]
#[repr(C, packed)]
struct Battery {
    time_us: u64,
    #[log(instance)]
    i: ::core::primitive::u8,
    state: State,
    raw: Raw,
    #[log(unit = "V", mult = 1e-3)]
    volt: u16,
}

struct Columns;
struct ColumnPart;
struct Reader;

#[derive(::binlog::Columns, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[repr(C, packed)]
struct Nested {
    state: State,
    #[log(flatten, prefix = "", allow(multiplier_without_unit), mult = 1e-3)]
    raw: Inner,
}

#[derive(::binlog::Columns, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[repr(C, packed)]
struct Inner {
    raw: ::core::primitive::u8,
}

#[derive(::binlog::LogMessage, ::zerocopy::IntoBytes, ::zerocopy::Immutable)]
#[log(name = "NEST")]
#[repr(C, packed)]
struct Nesting {
    time_us: u64,
    #[log(flatten)]
    nested: Nested,
    #[log(flatten)]
    array: [::core::primitive::u8; 2],
}

#[derive(::binlog::LogSchema)]
enum FlightLog {
    Result(Battery),
    Nested(Nesting),
}

#[test]
fn it_compiles() {
    assert_eq!(<FlightLog as ::binlog::LogSchema>::MESSAGES[0].definition.name, "BAT");
}
