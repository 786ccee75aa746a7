//! A schema with records of all sizes, each of which shows whether it is whole.
#![allow(dead_code, missing_docs, unreachable_pub, reason = "shared by several tests")]

use binlog::field::Chars;
use binlog::{LogMessage, LogSchema, Logs, Records, messages};
use binlog_embedded::Logger;
use std::vec::Vec;
use zerocopy::{Immutable, IntoBytes};

macro_rules! sized {
    ($($name:ident $label:literal { $($field:ident: $type:ty = $value:expr),* })*) => {$(
        #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
        #[log(name = $label)]
        #[repr(C, packed)]
        pub struct $name {
            pub time_us: u64,
            $(pub $field: $type,)*
        }

        impl $name {
            /// All columns are computed from the number.
            pub fn numbered(number: u64) -> Self {
                $name { time_us: number, $($field: ($value)(number)),* }
            }
        }
    )*};
}

fn text<const N: usize>(number: u64) -> Chars<N> {
    let mut bytes = [0; N];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = (number as u8).wrapping_mul(31).wrapping_add(i as u8);
    }
    Chars::from_raw(bytes)
}

sized! {
    Tiny "TINY" {}
    Small "SMAL" { a: u8 = |n| n as u8 ^ 0x5A }
    Medium "MEDI" { a: u8 = |n| n as u8 ^ 0xA5, b: u32 = |n| n as u32 ^ 0x0F0F_0F0F, c: Chars<4> = text }
    Large "LARG" { a: Chars<64> = text, b: u16 = |n| n as u16 ^ 0x3C3C, c: Chars<16> = text }
    Giant "GIAN" { a: Chars<64> = text, b: Chars<64> = text, c: Chars<64> = text, d: Chars<16> = text, e: Chars<16> = text,
        f: Chars<16> = text, g: Chars<4> = text }
    Vital "VITA" { a: u8 = |n| n as u8 }
}

#[derive(LogSchema)]
pub enum Flight {
    Tiny(Tiny),
    Small(Small),
    Medium(Medium),
    Large(Large),
    Giant(Giant),
    #[log(critical)]
    Vital(Vital),
    Msg(messages::Msg),
    Dsf(messages::Dsf),
    Drop(messages::Dropped),
    Ring(messages::Ring),
}

/// The kinds that [`log`] knows.
pub const KINDS: usize = 6;

/// Logs a record of a kind.
pub fn log<const N: usize>(logger: &Logger<Flight, N>, kind: usize, number: u64) -> bool {
    match kind {
        0 => logger.log(&Tiny::numbered(number)),
        1 => logger.log(&Small::numbered(number)),
        2 => logger.log(&Medium::numbered(number)),
        3 => logger.log(&Large::numbered(number)),
        4 => logger.log(&Giant::numbered(number)),
        _ => logger.log(&Vital::numbered(number)),
    }
}

/// Bytes of a kind's record.
pub fn length(kind: usize) -> usize {
    Flight::MESSAGES[kind].definition.length()
}

/// Kind and number of each record of a log. Asserts that all are whole.
pub fn numbers(log: &[u8]) -> Vec<(usize, u64)> {
    Records::new(log).filter_map(|record| number_of(&record.unwrap_or_else(|skipped| panic!("{skipped}")))).collect()
}

/// As [`numbers`], of a log that may be damaged.
pub fn numbers_after_damage(log: &[u8]) -> Vec<(usize, u64)> {
    Records::new(log).flatten().filter_map(|record| number_of(&record)).collect()
}

fn number_of(record: &binlog::Record<'_>) -> Option<(usize, u64)> {
    fn number<M: LogMessage + PartialEq + core::fmt::Debug>(
        record: &binlog::Record<'_>,
        numbered: fn(u64) -> M,
    ) -> Option<(usize, u64)>
    where
        Flight: Logs<M>,
    {
        (record.id() == <Flight as Logs<M>>::ID).then(|| {
            let number = u64::from_le_bytes(record.payload()[..8].try_into().unwrap());
            assert_eq!(record.payload(), numbered(number).wire(), "{}", M::DEFINITION.name);
            (<Flight as Logs<M>>::INDEX, number)
        })
    }
    number(record, Tiny::numbered)
        .or_else(|| number(record, Small::numbered))
        .or_else(|| number(record, Medium::numbered))
        .or_else(|| number(record, Large::numbered))
        .or_else(|| number(record, Giant::numbered))
        .or_else(|| number(record, Vital::numbered))
}
