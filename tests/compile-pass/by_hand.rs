//! A message may be implemented by hand, for bytes that no struct has. A schema holds it to the rules; as another
//! firmware logs it, only to what FMT has room for.

use binlog::{ColumnDefinition, DecodeError, Definition, Format, LogMessage, LogSchema, LogWriter};
use binlog::{Multiplier, RuleSet, Unit};

const fn column(label: &'static str, format: Format, unit: Unit, multiplier: Multiplier) -> ColumnDefinition {
    ColumnDefinition::new(label, format, unit, multiplier)
}

const TIME: ColumnDefinition = column("TimeUS", Format::U64, Unit::SECONDS, Multiplier::MICRO);

/// The sum of a buffer.
struct Sum(Vec<u8>);

impl LogMessage for Sum {
    const DEFINITION: Definition = Definition {
        name: "SUM",
        description: "",
        columns: &[
            TIME,
            column("I", Format::U8, Unit::INSTANCE, Multiplier::NONE),
            column("Lat", Format::Coordinate, Unit::DEG_LATITUDE, Multiplier::COORDINATE),
        ],
        default_id: None,
        aliases: &[],
        rules: RuleSet::All,
    };

    fn wire(&self) -> &[u8] {
        &self.0
    }

    fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        Ok(Sum(payload.to_vec()))
    }
}

/// What `as_logged` allows, and no reader likes.
struct Odd;

impl LogMessage for Odd {
    const DEFINITION: Definition = Definition {
        name: "odd",
        columns: &[
            column("1", Format::CentiI16, Unit::SECONDS, Multiplier::MICRO),
            column("1", Format::I16x32, Unit::INSTANCE, Multiplier::NONE),
            column("", Format::U8, Unit::NONE, Multiplier::NONE),
        ],
        rules: RuleSet::AsLogged,
        ..Sum::DEFINITION
    };

    fn wire(&self) -> &[u8] {
        &[0; 67]
    }

    fn decode(_: &[u8]) -> Result<Self, DecodeError> {
        Ok(Odd)
    }
}

#[derive(LogSchema)]
enum FlightLog {
    Sum(Sum),
    Odd(Odd),
}

#[test]
fn it_is_written() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    log.write(&Sum(vec![7; 13])).unwrap();
    log.write(&Odd).unwrap();
    assert_eq!(log.finish().unwrap().len(), FlightLog::PREAMBLE.len() + 16 + 70);
}
