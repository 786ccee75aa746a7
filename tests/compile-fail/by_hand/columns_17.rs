use binlog::{ColumnDefinition, DecodeError, Definition, Format, LogMessage, LogSchema, Multiplier, RuleSet, Unit};

const fn column(label: &'static str, format: Format, unit: Unit, multiplier: Multiplier) -> ColumnDefinition {
    ColumnDefinition::new(label, format, unit, multiplier)
}

const TIME: ColumnDefinition = column("TimeUS", Format::U64, Unit::SECONDS, Multiplier::MICRO);

struct Message;

impl LogMessage for Message {
    const DEFINITION: Definition = Definition {
        name: "ATT",
        description: "",
        columns: &[TIME; 17],
        default_id: None, aliases: &[],
        rules: RuleSet::All,
    };

    fn wire(&self) -> &[u8] {
        &[0; 8]
    }

    fn decode(_: &[u8]) -> Result<Self, DecodeError> {
        Ok(Message)
    }
}

#[derive(LogSchema)]
enum FlightLog {
    Message(Message),
}

fn main() {}
