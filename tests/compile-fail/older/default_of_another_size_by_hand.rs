use binlog::{
    ColumnDefinition, DecodeError, Definition, FieldHistory, Format, LogMessage, LogSchema, Multiplier, RuleSet, Unit,
};

struct Message;

impl LogMessage for Message {
    const DEFINITION: Definition = Definition {
        name: "ATT",
        description: "",
        columns: &[
            ColumnDefinition::new("TimeUS", Format::U64, Unit::SECONDS, Multiplier::MICRO),
            ColumnDefinition {
                history: FieldHistory { aliases: &[], default: Some(&[0; 4]) },
                ..ColumnDefinition::new("Roll", Format::I16, Unit::NONE, Multiplier::NONE)
            },
        ],
        default_id: None,
        aliases: &[],
        rules: RuleSet::All,
    };

    fn wire(&self) -> &[u8] {
        &[0; 10]
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
