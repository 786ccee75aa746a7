//! Odd Blackbox frames and schemas that are legal: aliases, packed structs, raw identifiers, names of std, every
//! encoding and predictor, the largest of each kind.

use binlog::blackbox::{BlackboxFields, BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

type Percent = u16;
type Micros = u32;
const SPEED: &str = "not a field";

/// Aliases of types, a field without a name of its own, a struct of one field.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Aliased {
    loop_iteration: u32,
    time: Micros,
    r#type: Percent,
    #[blackbox(name = "self")]
    throttle: Percent,
}

/// Fields at odd addresses.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C, packed)]
struct Packed {
    loop_iteration: u32,
    time: u32,
    flag: u8,
    #[blackbox(flatten, prefix = "")]
    nested: Nested,
    #[blackbox(p(encoding = tag8_8svb))]
    many: [i8; 9],
}

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Nested {
    #[blackbox(flatten)]
    inner: Inner,
    #[blackbox(name = "x")]
    x: i16,
}

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Inner {
    y: i16,
}

/// Every encoding and every predictor that a main frame can have.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Everything {
    loop_iteration: u32,
    time: u32,
    #[blackbox(i(predictor = minmotor), p(predictor = average_2, encoding = signed_vb))]
    motor: [u16; 2],
    #[blackbox(i(predictor = motor_0), p(predictor = motor_0, encoding = elias_delta_s32))]
    spread: [u16; 2],
    #[blackbox(i(encoding = elias_delta_u32), p(predictor = zero, encoding = elias_delta_u32))]
    counter: u32,
    #[blackbox(i(predictor = vbatref, encoding = neg_14bit), p(encoding = neg_14bit))]
    vbat: u16,
    #[blackbox(i(predictor = 1500), p(predictor = 1500))]
    servo: u16,
    #[blackbox(i(predictor = minthrottle, encoding = unsigned_vb), p(predictor = minthrottle))]
    throttle: u32,
    #[blackbox(i(encoding = tag8_4s16), p(encoding = tag8_4s16))]
    channel: [i16; 4],
    #[blackbox(i(encoding = tag2_3s32), p(predictor = straight_line, encoding = tag2_3s32))]
    position: [i32; 6],
    #[blackbox(i(encoding = tag8_8svb), p(predictor = inc, encoding = null))]
    tick: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "minthrottle" = "1070"))]
#[blackbox(header("motorOutput" = "158,2047", "vbatref" = "1600"), i_interval = 1)]
enum Log {
    Main(Everything),
}

/// A schema without attributes, of aliases, with what decoders don't read allowed.
#[derive(BlackboxSchema)]
#[blackbox(allow(not_portable))]
enum Bare {
    Main(Aliased),
}

/// The time after another field.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main, allow(not_portable))]
#[repr(C)]
struct NotPortable {
    time: u32,
    loop_iteration: u32,
}

/// What older logs have in place of fields: constants of the program's own, of aliases of types, and of structs.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C, packed)]
struct Evolved {
    #[blackbox(alias = "iteration")]
    loop_iteration: u32,
    time: Micros,
    #[blackbox(alias = "thr", alias = "self", default = Self::HALF)]
    throttle: Percent,
    #[blackbox(alias = "time[0]", default = [-1, if cfg!(test) { 2 } else { 3 }])]
    offset: [i8; 2],
    #[blackbox(flatten, prefix = "", default = NOTHING)]
    nested: Nested,
    #[blackbox(flatten, prefix = "other", default)]
    other: Defaulted,
}

impl Evolved {
    const HALF: Percent = 50;
}

const NOTHING: Nested = Nested { inner: Inner { y: -3 }, x: 4 };

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Defaulted {
    #[blackbox(default = 7)]
    z: u32,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(slow)]
#[repr(C)]
struct OfFields {
    #[blackbox(flatten, prefix = "")]
    defaulted: Defaulted,
}

/// 128 fields.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Widest {
    loop_iteration: u32,
    time: u32,
    #[blackbox(i(encoding = unsigned_vb), p(predictor = zero, encoding = tag8_4s16))]
    a: [u8; 4],
    #[blackbox(name = "b", i(encoding = tag2_3s32), p(predictor = zero, encoding = tag2_3s32))]
    bytes: [i8; 120],
    c: u16,
    d: u16,
}

/// A frame needs neither `Clone` nor `Copy`.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable)]
#[blackbox(main)]
#[repr(C, packed)]
struct NotCopied {
    loop_iteration: u32,
    time: u32,
    flag: u8,
    motor: [u16; 2],
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "motorOutput" = "158,2047"))]
enum LogOfNotCopied {
    Main(NotCopied),
}

/// A macro's structs, with its own names.
macro_rules! frame {
    ($kind:ident $name:ident { $($field:ident: $type:ty),* }) => {
        #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
        #[blackbox($kind)]
        #[repr(C, packed)]
        struct $name {
            $($field: $type),*
        }
    };
}

frame!(main MainOfAMacro { loop_iteration: u32, time: u32, x: i32 });
frame!(slow OfAMacro { flags: [u32; 2] });
frame!(gps GpsOfAMacro { time: u32, gps_coord: [i32; 2] });
frame!(home HomeOfAMacro { gps_home: [i32; 2] });

macro_rules! schema {
    ($log:ident { $($variant:ident($type:ty)),* } $name:literal = $value:literal) => {
        #[derive(BlackboxSchema)]
        #[blackbox(header($name = $value))]
        enum $log {
            $($variant($type)),*
        }
    };
}

schema!(LogOfAMacro { Main(MainOfAMacro), Slow(OfAMacro), Gps(GpsOfAMacro), Home(HomeOfAMacro) } "looptime" = "125");

#[test]
fn odd_frames_have_the_fields_that_they_say() {
    let names = |fields: &[binlog::blackbox::FieldDefinition]| {
        fields.iter().map(|field| field.name).collect::<Vec<_>>().join(",")
    };
    assert_eq!(names(Aliased::FIELDS), "loopIteration,time,type,self");
    let packed =
        "loopIteration,time,flag,InnerY,x,many[0],many[1],many[2],many[3],many[4],many[5],many[6],many[7],many[8]";
    assert_eq!(names(Packed::FIELDS), packed);
    assert_eq!(names(OfAMacro::FIELDS), "flags[0],flags[1]");
    assert_eq!(Widest::FIELDS.len(), 128);
    assert_eq!(NotPortable::FIELDS.len(), 2);
    assert!(Log::HEADER.contains("H vbatref:1600\n") && Bare::HEADER.contains("H I interval:32\n"));
    assert!(!SPEED.is_empty());
    assert_eq!(names(NotCopied::FIELDS), "loopIteration,time,flag,motor[0],motor[1]");
    assert!(LogOfNotCopied::HEADER.contains("H motorOutput:158,2047\n"));
    assert_eq!(names(MainOfAMacro::FIELDS), "loopIteration,time,x");
    assert!(LogOfAMacro::HEADER.contains("H looptime:125\n"));
}

#[test]
fn defaults_are_the_bytes_of_their_values() {
    /// Name, aliases and default of a field.
    type Expected<'a> = (&'a str, &'a [&'a str], Option<&'a [u8]>);
    let all = Evolved::FIELDS.iter().chain(OfFields::FIELDS);
    let older: Vec<_> = all.map(|field| (field.name, field.history.aliases, field.history.default)).collect();
    let expected: [Expected<'_>; 9] = [
        ("loopIteration", &["iteration"], None),
        ("time", &[], None),
        ("throttle", &["thr", "self"], Some(&50_u16.to_ne_bytes())),
        ("offset[0]", &["time[0][0]"], Some(&[0xFF])),
        ("offset[1]", &["time[0][1]"], Some(&[2])),
        ("InnerY", &[], Some(&(-3_i16).to_ne_bytes())),
        ("x", &[], Some(&4_i16.to_ne_bytes())),
        // The default of the whole struct, and that of its field.
        ("otherZ", &[], Some(&[0; 4])),
        ("Z", &[], Some(&7_u32.to_ne_bytes())),
    ];
    assert_eq!(older, expected);
}
