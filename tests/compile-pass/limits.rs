//! The largest message of each kind; one more is a compile-fail case.

use binlog::field::Chars;
use binlog::{LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BIG")]
#[repr(C, packed)]
struct LongestRecord {
    time_us: u64,
    a: Chars<64>,
    b: Chars<64>,
    c: Chars<64>,
    d: Chars<16>,
    e: Chars<16>,
    f: u64,
    g: u64,
    h: u32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "WIDE")]
#[repr(C, packed)]
struct MaxColumns {
    time_us: u64,
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
    j: u8,
    k: u8,
    l: u8,
    m: u8,
    n: u8,
    o: u8,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "_9")]
#[repr(C, packed)]
struct LongestLabels {
    time_us: u64,
    temperature_of_the_left_motor_coil: u8,
    temperature_of_the_top_motor_fan: u8,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TIME")]
#[repr(C)]
struct OnlyTheTime {
    time_us: u64,
}

#[derive(LogSchema)]
#[allow(clippy::large_enum_variant, reason = "the longest record beside short ones")]
enum Log {
    #[log(id = 0)]
    LongestRecord(LongestRecord),
    #[log(id = 254)]
    MaxColumns(MaxColumns),
    LongestLabels(LongestLabels),
    OnlyTheTime(OnlyTheTime),
}

#[test]
fn each_limit_is_met() {
    assert_eq!(LongestRecord::DEFINITION.length(), 255);
    assert_eq!(MaxColumns::DEFINITION.columns.len(), 16);
    let labels: Vec<_> = LongestLabels::DEFINITION.columns.iter().map(|column| column.label).collect();
    assert_eq!(labels.join(",").len(), 64);
    assert_eq!(Log::MESSAGES.iter().map(|message| message.id).collect::<Vec<_>>(), [0, 254, 1, 2]);
}
