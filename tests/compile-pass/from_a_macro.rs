//! A `macro_rules` macro may declare messages, schemas and fields, with names, types and numbers from its arguments.

#![deny(warnings)]

use binlog::{Field, LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

macro_rules! message {
    ($name:literal, $struct:ident { $($label:literal $field:ident: $type:ty, $unit:expr, $mult:literal;)* }) => {
        #[derive(LogMessage, IntoBytes, Immutable)]
        #[log(name = $name)]
        #[repr(C, packed)]
        struct $struct {
            time_us: u64,
            $(#[log(label = $label, unit = $unit, mult = $mult)] $field: $type,)*
        }
    };
}

message!("VECT", Vector { "X" x: i16, "m/s/s", 1e-3; "Y" y: f32, 'o', 1; });

macro_rules! log {
    ($log:ident, $sink:ident: $($variant:ident($type:ty) = $id:literal,)*) => {
        #[derive(LogSchema)]
        #[log(sink = $sink)]
        enum $log {
            $(#[log(id = $id)] $variant($type),)*
        }
    };
}

log!(FlightLog, FlightSink: Vector(Vector) = 0x40, Msg(binlog::messages::Msg) = 0x41,);

macro_rules! field {
    ($repr:ident $enum:ident { $($value:ident = $number:expr,)* } $newtype:ident($type:ty)) => {
        #[derive(Field, IntoBytes, Immutable)]
        #[repr($repr)]
        enum $enum {
            $($value = $number,)*
        }

        #[derive(Field, IntoBytes, Immutable)]
        #[repr(transparent)]
        struct $newtype($type);
    };
}

field!(u8 State { Off = 0, On = 7, } Volts(f32));

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BAT")]
#[repr(C, packed)]
struct Battery {
    time_us: u64,
    state: State,
    volt: Volts,
}

#[test]
fn it_is_as_if_written_out() {
    let _ = |log: &dyn FlightSink| log.log(&Vector { time_us: 0, x: 0, y: 0.0 });
    let columns = Vector::DEFINITION.columns;
    assert_eq!((columns[1].label, columns[1].unit.id(), columns[1].multiplier.id()), ("X", b'o', b'C'));
    assert_eq!((columns[2].label, columns[2].unit.id(), columns[2].multiplier.id()), ("Y", b'o', b'0'));
    assert_eq!(FlightLog::MESSAGES.iter().map(|message| message.id).collect::<Vec<_>>(), [0x40, 0x41]);
    assert_eq!(Battery::DEFINITION.length(), 16);
}
