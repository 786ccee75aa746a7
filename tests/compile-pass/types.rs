//! A column's format comes from its type, not from the type's name: aliases, newtypes, associated types, a `Field` by
//! hand.

use binlog::field::{Centi, Chars};
use binlog::{Field, Format, LogMessage, Multiplier, Unit};
use zerocopy::{Immutable, IntoBytes, little_endian};

type Time = u64;
type Angle = Centi<i16>;

#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(unit = "rad/s")]
#[repr(transparent)]
struct Rate(f32);

/// A newtype of a newtype keeps the unit.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
struct Roll {
    rate: Rate,
}

#[derive(Field, IntoBytes, Immutable, Clone, Copy)]
#[repr(transparent)]
struct Name(Chars<16>);

/// Values that don't fit into an `i64`.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(u64)]
enum Mask {
    Nothing = 0,
    Everything = u64::MAX,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "MASK")]
#[repr(C, packed)]
struct Masked {
    time_us: u64,
    mask: Mask,
}

#[test]
fn an_enum_may_be_of_any_integer() {
    let message = Masked { time_us: 0, mask: Mask::Everything };
    assert_eq!(Masked::decode(message.wire()).map(|message| message.mask), Ok(Mask::Everything));
    assert_ne!(Mask::Nothing, Mask::Everything);
    let binlog::Meanings::Values(values) = Mask::MEANINGS else { panic!("no values") };
    assert_eq!(values[1].value, u64::MAX.into());
    let page = Masked::DEFINITION.to_string();
    assert!(page.contains("| 0: Nothing, 18446744073709551615: Everything |"), "{page}");
}

#[test]
fn values_of_an_integer_may_be_its_largest() {
    #[derive(LogMessage, IntoBytes, Immutable)]
    #[log(name = "BITS")]
    #[repr(C, packed)]
    struct Bits {
        time_us: u64,
        #[log(values(18446744073709551615 = "never", 0 = "now"))]
        until: u64,
        #[log(values(9223372036854775807 = "most", -9223372036854775808 = "least"))]
        signed: i64,
    }

    let page = Bits::DEFINITION.to_string();
    assert!(page.contains("| 18446744073709551615: never, 0: now |"), "{page}");
    assert!(page.contains("| 9223372036854775807: most, -9223372036854775808: least |"), "{page}");
}

/// `Self` in a field's type.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "SELF")]
#[repr(C, packed)]
struct Samples {
    time_us: u64,
    samples: [i16; Self::COUNT],
    raw: <Self as Sensor>::Raw,
}

impl Samples {
    const COUNT: usize = 32;
}

impl Sensor for Samples {
    type Raw = u16;
}

#[test]
fn self_is_the_message() {
    assert_eq!(Samples::DEFINITION.columns[1].format, Format::I16x32);
    assert_eq!(Samples::DEFINITION.columns[2].format, Format::U16);
}

trait Sensor {
    type Raw;
}
struct Barometer;
impl Sensor for Barometer {
    type Raw = i32;
}

/// Millivolts, by hand.
#[derive(IntoBytes, Immutable, Clone, Copy)]
#[repr(transparent)]
struct Millivolts(little_endian::U16);

impl Field for Millivolts {
    const FORMAT: Format = Format::U16;
    const UNIT: Unit = match Unit::STANDARD[29] {
        volt if volt.id() == b'v' => volt,
        _ => panic!("volts are elsewhere"),
    };
    const MULTIPLIER: Option<Multiplier> = Some(Multiplier::STANDARD[7]);

    fn decode(bytes: &[u8]) -> Option<Self> {
        Field::decode(bytes).map(Millivolts)
    }
}

#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(i16)]
enum Direction {
    Back = -1,
    Still,
    r#In = 300,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ALL")]
#[repr(C, packed)]
struct All {
    time_us: Time,
    #[log(unit = "deg")]
    angle: Angle,
    roll: Roll,
    #[log(unit = "deg/s")]
    yaw: Roll,
    name: Name,
    raw: <Barometer as Sensor>::Raw,
    volt: Millivolts,
    direction: Direction,
    on: bool,
}

#[test]
fn formats_units_and_multipliers_are_the_types() {
    let columns = All::DEFINITION.columns;
    let all = |id: fn(&binlog::ColumnDefinition) -> u8| String::from_utf8(columns.iter().map(id).collect()).unwrap();
    assert_eq!(all(|column| column.format.character()), "QcffNiHhB");
    assert_eq!(all(|column| column.unit.id()), "sdEk--v--");
    assert_eq!(all(|column| column.multiplier.id()), "FB00--C--");
}

#[test]
fn the_values_of_an_enum_are_named() {
    let binlog::Meanings::Values(values) = Direction::MEANINGS else { panic!("no values") };
    let values: Vec<_> = values.iter().map(|value| (value.value, value.name)).collect();
    assert_eq!(values, [(-1, "Back"), (0, "Still"), (300, "In")]);
    assert_eq!(Direction::decode(&[0xFF, 0xFF]), Some(Direction::Back));
    assert_eq!(Direction::decode(&[1, 0]), None);
    assert_eq!([Direction::Still, Direction::r#In].map(|value| value as i16), [0, 300]);
}
