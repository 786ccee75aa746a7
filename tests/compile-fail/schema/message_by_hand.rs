use binlog::{ColumnDefinition, DecodeError, Definition, LogMessage, LogSchema};

struct Long;

impl LogMessage for Long {
    const DEFINITION: Definition =
        Definition { name: "LONGNAME", description: "", columns: &[] as &[ColumnDefinition], default_id: None };

    fn wire(&self) -> &[u8] {
        &[0; 300]
    }

    fn decode(_: &[u8]) -> Result<Self, DecodeError> {
        Ok(Long)
    }
}

#[derive(LogSchema)]
enum FlightLog {
    Long(Long),
}

fn main() {}
