//! Flattened fields: structs, tuple structs, newtypes and arrays, in each other and under every layout that has no
//! padding.

use binlog::field::{Centi, Chars, Latitude, Longitude};
use binlog::{Columns, Field, LogMessage, Unit};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

const MICROTESLA: Unit = Unit::custom('T', "uT");

/// A vector in the body's frame.
#[derive(Columns, IntoBytes, Immutable, FromBytes, KnownLayout, Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
struct Vector3 {
    /// Forward.
    x: f32,
    /// To the right.
    y: f32,
    /// Down.
    z: f32,
}

#[derive(Columns, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Pair(u16, #[log(label = "_B")] u16);

/// The columns of a newtype are those of its field.
#[derive(Columns, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
struct Body(#[log(flatten)] Vector3);

#[derive(Columns, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
struct Channels(#[log(flatten, start = 0)] [u16; 3]);

/// A type of each format, packed because it would have padding.
#[derive(Columns, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(C, packed)]
struct Place {
    #[log(label = "Lat")]
    latitude: Latitude,
    #[log(label = "Lng")]
    longitude: Longitude,
    #[log(label = "Ok")]
    valid: bool,
    r#type: Chars<4>,
    phase: Phase,
    #[log(label = "Mag", unit = MICROTESLA, mult = 1e-3)]
    field: i16,
    #[log(flatten, prefix = "V", unit = "m/s")]
    velocity: Body,
    #[log(bits(0 = "Low", 1 = "High"))]
    flags: u8,
}

#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(u8)]
enum Phase {
    Ready = 0,
    Flying = 1,
}

fn labels<M: LogMessage>() -> Vec<&'static str> {
    M::DEFINITION.columns.iter().map(|column| column.label).collect()
}

fn units<M: LogMessage>() -> String {
    M::DEFINITION.columns.iter().map(|column| char::from(column.unit.id())).collect()
}

fn multipliers<M: LogMessage>() -> String {
    M::DEFINITION.columns.iter().map(|column| char::from(column.multiplier.id())).collect()
}

#[test]
fn a_struct_is_a_column_for_each_of_its_fields() {
    #[derive(LogMessage, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned, Clone, Copy, PartialEq, Debug)]
    #[log(name = "IMU")]
    #[repr(C, packed)]
    struct Imu {
        time_us: u64,
        #[log(label = "I", instance)]
        instance: u8,
        /// Rates of rotation.
        #[log(flatten, prefix = "Gyr", unit = "rad/s")]
        gyro: Vector3,
        #[log(flatten, unit = MICROTESLA)]
        mag: Vector3,
    }

    assert_eq!(labels::<Imu>(), ["TimeUS", "I", "GyrX", "GyrY", "GyrZ", "MagX", "MagY", "MagZ"]);
    assert_eq!(units::<Imu>(), "s#EEETTT");
    assert_eq!(multipliers::<Imu>(), "F-000000");
    assert_eq!(Imu::DEFINITION.columns[2].description, "Rates of rotation.");
    assert_eq!(Imu::DEFINITION.columns[5].description, "Forward.");
    let imu = Imu {
        time_us: 2500,
        instance: 1,
        gyro: Vector3 { x: 1.0, y: 2.0, z: 3.0 },
        mag: Vector3 { x: -1.0, y: -2.0, z: -3.0 },
    };
    assert_eq!(Imu::decode(imu.wire()), Ok(imu));
    assert_eq!(Imu::DEFINITION.length(), 3 + 8 + 1 + 24);
}

#[test]
fn arrays_are_numbered_from_1_unless_they_say_otherwise() {
    #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
    #[log(name = "RCIN")]
    #[repr(C, packed)]
    struct Input {
        time_us: u64,
        #[log(flatten, prefix = "C", unit = "us", mult = 1)]
        rc: [u16; 5],
        #[log(flatten, names = "X, Y,Z", unit = "deg")]
        tilt: [Centi<i16>; 3],
        #[log(flatten, prefix = "M", start = 0, bits(0 = "On"))]
        motors: [u8; 2],
        #[log(flatten, names = "Low,High", prefix = "")]
        limits: [f32; 2],
    }

    let expected = ["TimeUS", "C1", "C2", "C3", "C4", "C5", "TiltX", "TiltY", "TiltZ", "M0", "M1", "Low", "High"];
    assert_eq!(labels::<Input>(), expected);
    assert_eq!(units::<Input>(), "sYYYYYddd----");
    assert_eq!(multipliers::<Input>(), "F00000BBB----");
    assert!(matches!(Input::DEFINITION.columns[10].meanings, binlog::Meanings::Bits(_)));
    let input = Input {
        time_us: 1,
        rc: [1, 2, 3, 4, 5],
        tilt: [7, 8, 9].map(Centi::from_raw),
        motors: [3, 4],
        limits: [0.5, 1.0],
    };
    assert_eq!(Input::decode(input.wire()), Ok(input));
}

#[test]
fn fifteen_elements_fill_a_message() {
    #[derive(LogMessage, IntoBytes, Immutable)]
    #[log(name = "RCIN")]
    #[repr(C)]
    struct Full {
        time_us: u64,
        #[log(flatten, prefix = "C")]
        rc: [f64; 15],
    }

    assert_eq!(labels::<Full>().len(), 16);
}

#[test]
fn structs_may_be_flattened_in_flattened_structs() {
    #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
    #[log(name = "HOME")]
    #[repr(C, packed)]
    struct Home {
        time_us: u64,
        #[log(flatten, prefix = "")]
        place: Place,
        #[log(flatten, prefix = "P", mult = 1e-3, unit = "V")]
        pair: Pair,
        #[log(flatten, prefix = "C")]
        channels: Channels,
    }

    let expected = [
        "TimeUS", "Lat", "Lng", "Ok", "Type", "Phase", "Mag", "VX", "VY", "VZ", "Flags", "P1", "P_B", "C0", "C1", "C2",
    ];
    assert_eq!(labels::<Home>(), expected);
    assert_eq!(units::<Home>(), "sDU---Tnnn-vv---");
    assert_eq!(multipliers::<Home>(), "FGG---C000-CC---");
    let place = Place {
        latitude: Latitude::from_e7(1),
        longitude: Longitude::from_e7(2),
        valid: true,
        r#type: Chars::literal("GPS"),
        phase: Phase::Flying,
        field: -3,
        velocity: Body(Vector3 { x: 0.5, y: 0.25, z: 0.125 }),
        flags: 3,
    };
    let home = Home { time_us: 9, place, pair: Pair(1, 2), channels: Channels([4, 5, 6]) };
    assert_eq!(Home::decode(home.wire()), Ok(home));

    // The error names the column inside.
    let mut bytes = home.wire().to_vec();
    bytes[8 + 8] = 2;
    assert_eq!(Home::decode(&bytes), Err(binlog::DecodeError::Value { message: "HOME", label: "Ok" }));
    bytes[8 + 8] = 0;
    bytes[8 + 13] = 7;
    assert_eq!(Home::decode(&bytes), Err(binlog::DecodeError::Value { message: "HOME", label: "Phase" }));
    assert!(matches!(Home::decode(&bytes[1..]), Err(binlog::DecodeError::Length { .. })));
    assert_eq!(Phase::Ready as u8, 0);
}

macro_rules! logged {
    ($name:ident, $text:literal, $field:ident: $type:ty, $element:ty) => {
        #[derive(LogMessage, IntoBytes, Immutable)]
        #[log(name = $text)]
        #[repr(C, packed)]
        struct $name {
            time_us: u64,
            #[log(flatten)]
            $field: $type,
            #[log(flatten)]
            array: [$element; 2],
        }
    };
}

logged!(FromMacro, "MACR", vector: Vector3, u8);

#[test]
fn a_macro_may_give_the_types() {
    assert_eq!(labels::<FromMacro>(), ["TimeUS", "VectorX", "VectorY", "VectorZ", "Array1", "Array2"]);
}

#[test]
fn a_message_of_another_firmware_may_have_flattened_fields() {
    #[derive(LogMessage, IntoBytes, Immutable)]
    #[log(name = "Vec", as_logged)]
    #[repr(C, packed)]
    struct Other {
        #[log(flatten, prefix = "a b", mult = 1e-2)]
        vector: Vector3,
    }

    assert_eq!(labels::<Other>(), ["a bX", "a bY", "a bZ"]);
}

#[test]
fn lints_of_flattened_fields_can_be_allowed() {
    #[derive(Columns, IntoBytes, Immutable)]
    #[log(allow(float_multiplier))]
    #[repr(C)]
    struct Scaled {
        #[log(unit = "m", mult = 1e-3)]
        near: f32,
        #[log(flatten, unit = "m", mult = 1e-3)]
        far: Vector3,
    }

    #[derive(LogMessage, IntoBytes, Immutable)]
    #[log(name = "DIST")]
    #[repr(C, packed)]
    struct Distances {
        time_us: u64,
        #[log(flatten, prefix = "")]
        scaled: Scaled,
        #[log(flatten, unit = "m", mult = 1e-3, prefix = "V", allow(float_multiplier))]
        vector: Vector3,
        // No float, hence no lint.
        #[log(flatten, prefix = "P", unit = "m", mult = 1e-3)]
        pair: Pair,
    }

    assert_eq!(multipliers::<Distances>(), "FCCCCCCCCC");
}
