//! Where a record has its time.

use crate::format::{Format, Value};
use crate::read::{LoggedColumn, LoggedDefinition};

/// The column of a message that contains the time since boot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimeSource {
    /// TimeUS. Of PX4's TIME, the column StartTime.
    Micros { format: Format, offset: usize },
    /// The first column is TimeMS. For a GPS whose TimeMS is the time of the week, the column T.
    Millis { format: Format, offset: usize },
    /// The message has no time.
    None,
}

impl TimeSource {
    #[inline]
    pub(crate) fn of(definition: &LoggedDefinition<'_>) -> Self {
        match definition.begins_with_time() {
            true => TimeSource::Micros { format: Format::U64, offset: 0 },
            false => TimeSource::searched(definition),
        }
    }

    fn searched(definition: &LoggedDefinition<'_>) -> Self {
        let definition = definition.without_units();
        let micros = |LoggedColumn { format, offset, .. }| TimeSource::Micros { format, offset };
        let millis = |LoggedColumn { format, offset, .. }| TimeSource::Millis { format, offset };
        let in_any_place = || definition.column("TimeUS").map(micros);
        let by_name = || match definition.name() {
            name if LoggedDefinition::RECEIVERS.contains(&name) => definition.column("T").map(millis),
            "TIME" => definition.column("StartTime").map(micros),
            _ => None,
        };
        match definition.columns().next() {
            Some(first) if first.label == "TimeUS" => micros(first),
            Some(first) if first.label == "TimeMS" => millis(first),
            _ => in_any_place().or_else(by_name).unwrap_or(TimeSource::None),
        }
    }

    /// Whether the times wrap after 71.6 minutes.
    pub(crate) fn is_narrow(self) -> bool {
        matches!(self, TimeSource::Micros { format: Format::U32 | Format::I32, .. })
    }

    /// The lower 32 bits of a time that wraps.
    pub(super) fn low(self, payload: &[u8]) -> Option<u32> {
        match self {
            TimeSource::Micros { format: Format::U32 | Format::I32, offset } => {
                payload.get(offset..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
            }
            _ => None,
        }
    }

    /// The time in a payload, in microseconds. `wraps` says how often times of 32 bits have wrapped before. A counter
    /// of the firmware has no sign, so 32 bits or fewer have none, even in a signed format.
    pub(crate) fn time_us(self, payload: &[u8], wraps: u32) -> Option<u64> {
        let (format, offset, factor) = match self {
            TimeSource::Micros { format, offset } => (format, offset, 1),
            TimeSource::Millis { format, offset } => (format, offset, 1000),
            TimeSource::None => return None,
        };
        if let (Format::U64, 1) = (format, factor) {
            return payload.get(offset..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        }
        if let Some(low) = self.low(payload) {
            return Some(u64::from(wraps) << 32 | u64::from(low));
        }
        let time = match (Value::of(format, payload.get(offset..)?)?.to_integer()?, format) {
            (time, Format::I8) => (time as u8).into(),
            (time, Format::I16) => (time as u16).into(),
            (time, _) => time,
        };
        u64::try_from(time * factor).ok()
    }
}

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::*;
    use crate::read::catalogue::definition::CopiedDefinition;

    #[test]
    fn the_usual_time_is_what_the_search_finds() {
        let labels = ["TimeUS", "TimeUS,A", "TimeU,A", "TimeUSX,A", "TimeUS ,A", "A,TimeUS", "TimeMS,A", ""];
        for (labels, format) in
            labels.iter().flat_map(|labels| ["Q", "QI", "q", "I", "IQ", "d", ""].map(|it| (labels, it)))
        {
            for length in [0, 3, 10, 11, 15, 255] {
                let copy = CopiedDefinition::new(1, length, "ATT", format, labels, None);
                let definition = copy.definition();
                assert_eq!(TimeSource::of(&definition), TimeSource::searched(&definition), "{definition:?}");
            }
        }
    }
}
