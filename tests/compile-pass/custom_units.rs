//! Custom units and multipliers are constants, in any module.

use binlog::{LogMessage, LogSchema, Multiplier, Unit};
use zerocopy::{Immutable, IntoBytes};

mod units {
    pub(super) const MICROTESLA: binlog::Unit = binlog::Unit::custom('T', "uT");
}

struct Compass;

impl Compass {
    const HALF: Multiplier = Multiplier::custom('h', 0.5);
}

const ALSO_MICROTESLA: Unit = Unit::custom('T', "uT");

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "MAG")]
#[repr(C, packed)]
struct Field {
    time_us: u64,
    #[log(unit = units::MICROTESLA, mult = Compass::HALF, allow(misleading_multiplier))]
    x: i16,
    #[log(unit = self::ALSO_MICROTESLA, mult = 'C')]
    y: i16,
    #[log(unit = Unit::SECONDS, mult = Multiplier::MICRO)]
    age: u32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "MAG2")]
#[repr(C, packed)]
struct Other {
    time_us: u64,
    #[log(unit = ALSO_MICROTESLA, mult = Compass::HALF, allow(misleading_multiplier))]
    z: i16,
}

#[derive(LogSchema)]
enum FlightLog {
    Field(Field),
    Other(Other),
}

/// Another firmware's log may have a standard name under an id of its own.
const METRE: Unit = Unit::as_logged('M', "m");

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ALT")]
#[repr(C, packed)]
struct Altitude {
    time_us: u64,
    #[log(unit = METRE)]
    alt: f32,
}

/// A constant may be called as a standard unit is.
const V: Unit = Unit::custom('T', "uT");

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "MAG3")]
#[repr(C, packed)]
struct Short {
    time_us: u64,
    #[log(unit = V)]
    x: f32,
}

#[test]
fn a_constant_is_no_standard_unit() {
    assert_eq!(Short { time_us: 0, x: 0.0 }.wire().len(), 12);
    assert_eq!(Short::DEFINITION.columns[1].unit.name(), "uT");
}

#[test]
fn a_standard_name_may_be_as_logged() {
    assert_eq!(Altitude { time_us: 0, alt: 0.0 }.wire().len(), 12);
    let unit = Altitude::DEFINITION.columns[1].unit;
    assert_eq!((unit.id(), unit.name()), (b'M', "m"));
}

#[test]
fn one_id_may_be_one_unit_twice() {
    let columns = FlightLog::MESSAGES[0].definition.columns;
    assert_eq!((columns[1].unit.name(), columns[1].multiplier.value()), ("uT", 0.5));
    assert_eq!(FlightLog::MESSAGES[1].definition.columns[1].unit, columns[2].unit);
}
