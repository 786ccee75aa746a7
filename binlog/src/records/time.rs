//! Where a record has its time.

use crate::catalogue::definition::LoggedDefinition;
use crate::format::Format;
use crate::value::Value;

/// The column of a message that contains the time since boot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimeSource {
    /// The first column is TimeUS.
    Micros { format: Format, offset: usize },
    /// The first column is TimeMS. For a GPS whose TimeMS is the time of the week, the column T.
    Millis { format: Format, offset: usize },
    /// The message has no time.
    None,
}

impl TimeSource {
    pub(crate) fn of(definition: &LoggedDefinition<'_>) -> Self {
        let first = definition.columns().next();
        match first {
            Some(column) if column.label == "TimeUS" => {
                TimeSource::Micros { format: column.format, offset: column.offset }
            }
            Some(column) if column.label == "TimeMS" => {
                TimeSource::Millis { format: column.format, offset: column.offset }
            }
            _ if matches!(definition.name(), "GPS" | "GPS2") => match definition.column("T") {
                Some(column) => TimeSource::Millis { format: column.format, offset: column.offset },
                None => TimeSource::None,
            },
            _ => TimeSource::None,
        }
    }

    /// The time in a payload, in microseconds.
    pub(crate) fn time_us(self, payload: &[u8]) -> Option<u64> {
        let (format, offset, factor) = match self {
            TimeSource::Micros { format, offset } => (format, offset, 1),
            TimeSource::Millis { format, offset } => (format, offset, 1000),
            TimeSource::None => return None,
        };
        if let (Format::U64, 1) = (format, factor) {
            return payload.get(offset..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        }
        let time = Value::of(format, payload.get(offset..)?)?.to_integer()?;
        u64::try_from(time * factor).ok()
    }
}
