//! Facts of the flight: firmware, parameters, texts, modes, arming, files and batches of samples.

mod armed;
mod batches;
mod files;
mod modes;
mod parameters;
mod texts;
mod vehicle;

pub use armed::ArmedInterval;
pub(crate) use armed::{EVENT_ARMED, EVENT_DISARMED};
pub use batches::{Batch, BatchSensor};
pub use files::{EmbeddedFile, MissingPieces};
pub use modes::ModeInterval;
pub use parameters::{Parameter, ParameterValue};
pub use texts::TextMessage;
pub use vehicle::Vehicle;

use crate::Log;
use crate::log::clock::carried_times;
use crate::records::Record;
use crate::value::Value;

impl Log<'_> {
    /// The time of a record that changes something, in a boot: its own, or, if that is damaged, the last one before it.
    fn time_of_change(&self, boot: usize, offset: usize, time_us: u64) -> u64 {
        let Some(range) = &self.spans()[boot].time_us else { return time_us };
        if range.contains(&time_us) {
            return time_us;
        }
        let before = carried_times(self.bytes(), std::iter::once(offset.saturating_sub(1)));
        before.first().map_or(time_us, |&before_us| before_us.clamp(*range.start(), *range.end()))
    }
}

/// The integer in a column.
fn integer<T: TryFrom<i128>>(record: &Record<'_>, label: &str) -> Option<T> {
    record.value(label)?.to_integer().and_then(|integer| T::try_from(integer).ok())
}

/// The number in a column, as pymavlink shows it.
fn number(record: &Record<'_>, label: &str) -> Option<f64> {
    record.value(label)?.to_f64()
}

/// The text in a column.
fn text(record: &Record<'_>, label: &str) -> Option<String> {
    match record.value(label)? {
        Value::Text(text) => Some(text.to_string()),
        _ => None,
    }
}
