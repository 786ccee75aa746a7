//! The messages that are measured.

use binlog::field::{Centi, Chars};
use binlog::{LogMessage, LogSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// ATT, 28 bytes.
#[derive(LogMessage, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned)]
#[log(name = "ATT")]
#[repr(C, packed)]
#[allow(missing_docs, reason = "the labels say it")]
pub struct Attitude {
    pub time_us: u64,
    #[log(unit = "deg")]
    pub des_roll: Centi<i16>,
    #[log(unit = "deg")]
    pub roll: Centi<i16>,
    #[log(unit = "deg")]
    pub des_pitch: Centi<i16>,
    #[log(unit = "deg")]
    pub pitch: Centi<i16>,
    #[log(unit = "degheading")]
    pub des_yaw: Centi<u16>,
    #[log(unit = "degheading")]
    pub yaw: Centi<u16>,
    #[log(label = "ErrRP", unit = "deg")]
    pub error_roll_pitch: Centi<u16>,
    #[log(label = "ErrYaw", unit = "degheading")]
    pub error_yaw: Centi<u16>,
    #[log(label = "AEKF")]
    pub active_ekf: u8,
}

/// ArduSub's CTUN, 51 bytes.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "CTUN")]
#[repr(C, packed)]
#[allow(missing_docs, reason = "the labels say it")]
pub struct ControlTuning {
    pub time_us: u64,
    #[log(label = "ThI")]
    pub throttle_in: f32,
    #[log(label = "ABst")]
    pub angle_boost: f32,
    #[log(label = "ThO")]
    pub throttle_out: f32,
    #[log(label = "ThH")]
    pub throttle_hover: f32,
    #[log(label = "DAlt")]
    pub desired_alt: f32,
    pub alt: f32,
    #[log(label = "BAlt")]
    pub baro_alt: f32,
    #[log(label = "DSAlt")]
    pub desired_rangefinder_alt: Centi<i16>,
    #[log(label = "SAlt")]
    pub rangefinder_alt: Centi<i16>,
    #[log(label = "TAlt")]
    pub terrain_alt: f32,
    #[log(label = "DCRt")]
    pub target_climb_rate: i16,
    #[log(label = "CRt")]
    pub climb_rate: i16,
}

macro_rules! filler {
    ($($(#[$doc:meta])* $name:ident, $label:literal, { $($field:ident: $type:ty),* };)*) => {$(
        $(#[$doc])*
        #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
        #[log(name = $label)]
        #[repr(C, packed)]
        #[allow(missing_docs, reason = "filling")]
        pub struct $name {
            pub time_us: u64,
            $(pub $field: $type,)*
        }

        impl Filler for $name {
            fn fill(time_us: u64) -> Self {
                $name { time_us, $($field: Default::default(),)* }
            }
        }
    )*};
}

/// A record of some length, with a time that changes.
pub trait Filler: LogMessage {
    /// The record of a time.
    fn fill(time_us: u64) -> Self;
}

filler! {
    /// 64 bytes.
    Short, "F064", { a: Chars<16>, b: Chars<16>, c: Chars<16>, d: u32, e: u8 };
    /// 128 bytes.
    Middle, "F128", { a: Chars<64>, b: Chars<16>, c: Chars<16>, d: Chars<16>, e: u32, f: u8 };
    /// 251 bytes.
    Long, "F251", { a: Chars<64>, b: Chars<64>, c: Chars<64>, d: Chars<16>, e: Chars<16>, f: Chars<16> };
}

/// What is measured.
#[derive(LogSchema)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SpeedLog {
    Att(Attitude),
    Ctun(ControlTuning),
    Short(Short),
    Middle(Middle),
    Long(Long),
}
