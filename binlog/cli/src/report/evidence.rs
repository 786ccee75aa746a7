//! Places in a log that show what was wrong.

use super::flight::{Flight, Sensor};
use super::spans::Span;
use super::words::fixed;
use serde::Serialize;

/// A place in the log.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct Evidence {
    /// In seconds of the session's clock.
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
    /// The time of the worst value.
    pub(crate) at_s: f64,
    /// The offset in the log of the record with the worst value, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<usize>,
    /// The number of this record among those of its type or instance, or of a frame, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

impl Evidence {
    /// The moment of a row.
    pub(super) fn of_row(flight: &Flight<'_>, sensor: &Sensor<'_>, row: usize) -> Self {
        Evidence::of_span(flight, sensor, Span { first: row, last: row, peak: row })
    }

    /// A span of rows.
    pub(super) fn of_span(flight: &Flight<'_>, sensor: &Sensor<'_>, span: Span) -> Self {
        let time_s = |row: usize| sensor.times_us.get(row).map_or(0.0, |time_us| *time_us as f64 / 1e6);
        Evidence {
            from_s: time_s(span.first),
            to_s: time_s(span.last),
            at_s: time_s(span.peak),
            offset: sensor.offset(span.peak).map(|offset| flight.session.range().start + offset),
            record: Some(span.peak),
            value: None,
            text: None,
        }
    }

    /// A time without a record.
    pub(super) fn of_time(from_s: f64, to_s: f64) -> Self {
        Evidence { from_s, to_s, at_s: from_s, offset: None, record: None, value: None, text: None }
    }

    pub(super) fn with_value(mut self, value: f64) -> Self {
        self.value = Some(value);
        self
    }

    pub(super) fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    pub(super) fn length_s(&self) -> f64 {
        self.to_s - self.from_s
    }

    /// Its time in seconds: of a moment, or from and to.
    pub(super) fn time(&self) -> String {
        match self.length_s() >= 0.05 {
            true => format!("{} – {}", fixed(self.from_s, 2), fixed(self.to_s, 2)),
            false => fixed(self.at_s, 2),
        }
    }
}
