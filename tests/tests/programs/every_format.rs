//! A schema with every format character, every standard unit and multiplier, and every message of the crate, with
//! random values.

use binlog::field::{Centi, Chars, FlightMode, Latitude, Longitude};
use binlog::messages::{self, Arm, Dsf, Err, Ev, File, Gps, GpsStatus, Mode, Msg, Parm, VehicleType, Ver};
use binlog::{Field, LogMessage, LogSchema, Multiplier, Unit};
use proptest::prelude::*;
use zerocopy::{Immutable, IntoBytes};

/// Integers.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "INT", allow(misleading_multiplier))]
#[repr(C, packed)]
pub(crate) struct Integers {
    pub(crate) time_us: u64,
    #[log(instance)]
    pub(crate) which: i8,
    #[log(unit = "m", mult = 1e-1)]
    pub(crate) i1: i8,
    #[log(unit = "m", mult = 1e-2)]
    pub(crate) u1: u8,
    #[log(unit = "m/s", mult = 1e-3)]
    pub(crate) i2: i16,
    #[log(unit = "m/s/s", mult = 1e-4)]
    pub(crate) u2: u16,
    #[log(unit = "Pa", mult = 1e-5)]
    pub(crate) i4: i32,
    #[log(unit = "s", mult = 1e-6)]
    pub(crate) u4: u32,
    #[log(unit = "deg", mult = 1e-7)]
    pub(crate) i8: i64,
    #[log(unit = "Hz", mult = 1e-9)]
    pub(crate) u8: u64,
    pub(crate) flag: bool,
    pub(crate) colour: Colour,
    pub(crate) flight_mode: FlightMode,
}

/// An enum as a column.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(i16)]
pub(crate) enum Colour {
    /// As the sky.
    Blue = -300,
    /// As grass.
    Green = 7,
}

/// Floats and scaled integers.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "NUM", allow(float_multiplier, misleading_multiplier))]
#[repr(C, packed)]
pub(crate) struct Numbers {
    pub(crate) time_us: u64,
    #[log(instance)]
    pub(crate) which: bool,
    #[log(unit = "A", mult = 10)]
    pub(crate) f4: f32,
    #[log(unit = "Ah", mult = 3600)]
    pub(crate) f8: f64,
    #[log(unit = "m/s", mult = 3.6)]
    pub(crate) kmh: f32,
    #[log(unit = TESLA, mult = DOZEN)]
    pub(crate) field: u16,
    #[log(unit = "deg")]
    pub(crate) c2: Centi<i16>,
    #[log(unit = "degheading", mult = '-')]
    pub(crate) u2: Centi<u16>,
    #[log(unit = "m")]
    pub(crate) c4: Centi<i32>,
    pub(crate) u4: Centi<u32>,
    pub(crate) lat: Latitude,
    pub(crate) lng: Longitude,
    #[log(unit = "UNKNOWN")]
    pub(crate) unk: f32,
    #[log(mult = '?')]
    pub(crate) bare: f32,
}

/// Half-precision floats: a message of their own, because some viewers don't know the format.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "HALF", allow(float_multiplier, half_precision))]
#[repr(C, packed)]
pub(crate) struct Halves {
    pub(crate) time_us: u64,
    #[log(instance)]
    pub(crate) which: bool,
    #[log(unit = "V", mult = 100)]
    pub(crate) f2: half::f16,
    pub(crate) after: u8,
}

const TESLA: Unit = Unit::custom('T', "µT");
const DOZEN: Multiplier = Multiplier::custom('z', 12.0);

/// Text and arrays.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "TEXT")]
#[repr(C, packed)]
pub(crate) struct Texts {
    pub(crate) time_us: u64,
    pub(crate) four: Chars<4>,
    pub(crate) sixteen: Chars<16>,
    pub(crate) sixty_four: Chars<64>,
    #[log(unit = "rad/s")]
    pub(crate) samples: [i16; 32],
}

/// The other units, one column each.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "UNI1")]
#[repr(C, packed)]
pub(crate) struct Units {
    pub(crate) time_us: u64,
    #[log(unit = "B")]
    pub(crate) u1: u8,
    #[log(unit = "B/s")]
    pub(crate) u2: u8,
    #[log(unit = "deg/s")]
    pub(crate) u3: u8,
    #[log(unit = "deg/s/s")]
    pub(crate) u4: u8,
    #[log(unit = "rad/s/s")]
    pub(crate) u5: u8,
    #[log(unit = "Gauss")]
    pub(crate) u6: u8,
    #[log(unit = "A.s")]
    pub(crate) u7: u8,
    #[log(unit = "W.s")]
    pub(crate) u8: u8,
    #[log(unit = "l")]
    pub(crate) u9: u8,
    #[log(unit = "l/s")]
    pub(crate) u10: u8,
    #[log(unit = "degC")]
    pub(crate) u11: u8,
    #[log(unit = "%")]
    pub(crate) u12: u8,
    #[log(unit = "satellites")]
    pub(crate) u13: u8,
    #[log(unit = "N.m")]
    pub(crate) u14: u8,
    #[log(unit = "rpm")]
    pub(crate) u15: u8,
}

/// More of them.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "UNI2")]
#[repr(C, packed)]
pub(crate) struct MoreUnits {
    pub(crate) time_us: u64,
    #[log(unit = "rad")]
    pub(crate) u16: u8,
    #[log(unit = "ppm")]
    pub(crate) u17: u8,
    #[log(unit = "Ohm")]
    pub(crate) u18: u8,
    #[log(unit = "Watt")]
    pub(crate) u19: u8,
    #[log(unit = "W.h")]
    pub(crate) u20: u8,
    #[log(unit = "us")]
    pub(crate) u21: u8,
}

#[derive(LogSchema, Clone, Copy)]
pub(crate) enum EveryFormat {
    Int(Integers),
    Num(Numbers),
    Half(Halves),
    Text(Texts),
    Uni1(Units),
    Uni2(MoreUnits),
    Parm(Parm),
    Msg(Msg),
    Ver(Ver),
    Mode(Mode),
    Ev(Ev),
    Err(Err),
    Dsf(Dsf),
    File(File),
    Arm(Arm),
    Gps(Gps),
    Drop(messages::Dropped),
    Ring(messages::Ring),
}

/// Any text: UTF-8 of any kind, or bytes that aren't UTF-8.
fn chars<const N: usize>() -> impl Strategy<Value = Chars<N>> {
    prop_oneof![
        3 => any::<String>().prop_map(|text| Chars::cut(&text)),
        3 => "[ -~]{0,64}".prop_map(|text| Chars::cut(&text)),
        1 => proptest::collection::vec(any::<u8>(), N).prop_map(|bytes| {
            Chars::from_raw(bytes.try_into().expect("N bytes"))
        }),
    ]
}

/// Replaces random bytes that are invalid for a `bool`, an enum or a mode by valid ones.
fn message<M: LogMessage>(payload: [u8; 252], repair: impl Fn(&mut [u8])) -> M {
    let mut payload = payload;
    let payload = &mut payload[..M::DEFINITION.length() - 3];
    repair(payload);
    M::decode(payload).expect("a payload of the message")
}

impl Arbitrary for EveryFormat {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> BoxedStrategy<Self> {
        let payload = || {
            proptest::collection::vec(any::<u8>(), 252)
                .prop_map(|bytes| <[u8; 252]>::try_from(bytes).expect("252 bytes"))
        };
        let mode_below_128 = |at: usize| move |payload: &mut [u8]| payload[at] &= 127;
        prop_oneof![
            (payload(), any::<bool>(), any::<bool>(), 0..128u8).prop_map(|(payload, flag, green, mode)| {
                EveryFormat::Int(message(payload, |bytes| {
                    let colour = if green { Colour::Green } else { Colour::Blue };
                    let end = bytes.len();
                    bytes[end - 4] = flag.into();
                    bytes[end - 3..end - 1].copy_from_slice(&(colour as i16).to_le_bytes());
                    bytes[end - 1] = mode;
                }))
            }),
            payload().prop_map(|payload| EveryFormat::Num(message(payload, |bytes| bytes[8] &= 1))),
            payload().prop_map(|payload| EveryFormat::Half(message(payload, |bytes| bytes[8] &= 1))),
            (any::<u64>(), chars(), chars(), chars(), any::<[i16; 32]>()).prop_map(
                |(time_us, four, sixteen, sixty_four, samples)| {
                    EveryFormat::Text(Texts { time_us, four, sixteen, sixty_four, samples })
                }
            ),
            payload().prop_map(|payload| EveryFormat::Uni1(message(payload, |_| {}))),
            payload().prop_map(|payload| EveryFormat::Uni2(message(payload, |_| {}))),
            (any::<u64>(), chars(), any::<f32>(), any::<f32>()).prop_map(|(time_us, name, value, default)| {
                EveryFormat::Parm(Parm { time_us, name, value, default })
            }),
            (any::<u64>(), any::<u8>(), any::<u8>(), chars())
                .prop_map(|(time_us, id, seq, message)| { EveryFormat::Msg(Msg { time_us, id, seq, message }) }),
            (payload(), chars::<64>()).prop_map(|(payload, firmware)| {
                let ver: Ver = message(payload, |_| {});
                EveryFormat::Ver(Ver { firmware, vehicle: VehicleType(2), ..ver })
            }),
            payload().prop_map(move |payload| EveryFormat::Mode(message(payload, mode_below_128(8)))),
            payload().prop_map(|payload| EveryFormat::Ev(message(payload, |_| {}))),
            payload().prop_map(|payload| EveryFormat::Err(message(payload, |_| {}))),
            payload().prop_map(|payload| EveryFormat::Dsf(message(payload, |_| {}))),
            (payload(), chars::<16>()).prop_map(|(payload, file_name)| {
                let file: File = message(payload, |_| {});
                EveryFormat::File(File { file_name, ..file })
            }),
            payload().prop_map(|payload| EveryFormat::Drop(message(payload, |_| {}))),
            payload().prop_map(|payload| EveryFormat::Ring(message(payload, |_| {}))),
            payload().prop_map(|payload| EveryFormat::Arm(message(payload, |_| {}))),
            payload().prop_map(|payload| {
                let gps: Gps = message(payload, |_| {});
                EveryFormat::Gps(Gps { status: GpsStatus(3), ..gps })
            }),
        ]
        .boxed()
    }
}

impl std::fmt::Debug for EveryFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (id, payload) = self.record();
        write!(f, "id {id}: {payload:02x?}")
    }
}
