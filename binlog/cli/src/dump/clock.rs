//! The clock by which pymavlink dates records: `DFReaderClock_usec` and `DFReaderClock_msec` of its `DFReader.py`.
//!
//! The sums are pymavlink's, in its order: another order gives other last bits, and now and then another hundredth of a
//! second.

use super::plan::{Plan, Time};
use binlog::{Record, Records};

/// Dates the records of a log, one after the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Clock {
    unit: Unit,
    /// The time of boot in seconds since 1970, or 0 if the log doesn't say it.
    base: f64,
    /// The time of the last record in seconds, which one without a time has, too.
    last: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    Microseconds,
    Milliseconds,
}

/// 6 January 1980, the first day of GPS time, in seconds since 1970.
const GPS_EPOCH: i128 = 315_964_800;

impl Clock {
    /// The clock of a log: by its first GPS or GPS2 record with a week.
    pub(super) fn of(log: &[u8]) -> Self {
        let mut first_us = None;
        let mut first_ms = None;
        let mut modern = None;
        let integer = |record: &Record<'_>, label: &str| record.value(label).and_then(|value| value.to_integer());
        for record in Records::new(log).flatten() {
            let is_gps = matches!(record.name(), "GPS" | "GPS2");
            first_us = first_us.or_else(|| integer(&record, "TimeUS"));
            if !is_gps && first_us.is_none() {
                first_ms = first_ms.or_else(|| integer(&record, "TimeMS"));
            }
            if !is_gps {
                continue;
            }
            let [time_us, week, ms] = ["TimeUS", "GWk", "GMS"].map(|label| integer(&record, label));
            if let (Some(time_us), Some(week), Some(ms)) = (time_us, week, ms) {
                modern = Some(week);
                if week > 0 {
                    let base = gps_time(week, ms) - time_us as f64 * 0.000001;
                    let last = base + first_us.unwrap_or(time_us) as f64 * 0.000001;
                    return Clock { unit: Unit::Microseconds, base, last };
                }
            } else if modern.is_none()
                && let [Some(week), Some(ms), Some(since_boot)] =
                    ["Week", "TimeMS", "T"].map(|label| integer(&record, label).filter(|number| *number != 0))
            {
                let base = gps_time(week, ms) - since_boot as f64 * 0.001;
                let last = base + first_ms.unwrap_or(since_boot) as f64 * 0.001;
                return Clock { unit: Unit::Milliseconds, base, last };
            }
        }
        let unit = if first_us.is_none() && first_ms.is_some() { Unit::Milliseconds } else { Unit::Microseconds };
        Clock { unit, base: 0.0, last: 0.0 }
    }

    /// The time of a record in seconds since 1970, or since boot if the log doesn't say when that was.
    #[inline]
    pub(super) fn date(&mut self, plan: &Plan, payload: &[u8]) -> f64 {
        let time = match (self.unit, plan.time) {
            (Unit::Microseconds, Time::Microseconds(at)) => {
                read(payload, at).map(|bytes| self.base + u64::from_le_bytes(bytes) as f64 * 0.000001)
            }
            (_, Time::Milliseconds(at)) => self.milliseconds(plan, payload, at),
            (Unit::Milliseconds, _) if matches!(plan.name.as_str(), "GPS" | "GPS2") => plan
                .columns
                .iter()
                .find(|(label, _)| label == "T")
                .and_then(|(_, cell)| read(payload, cell.at))
                .map(|bytes| self.base + f64::from(u32::from_le_bytes(bytes)) * 0.001),
            _ => None,
        };
        self.last = time.unwrap_or(self.last);
        self.last
    }

    fn milliseconds(&self, plan: &Plan, payload: &[u8], at: usize) -> Option<f64> {
        let time = self.base + f64::from(u32::from_le_bytes(read(payload, at)?)) * 0.001;
        let is_own_clock = !plan.name.starts_with("ACC") && !plan.name.starts_with("GYR") && time >= self.last;
        (self.unit == Unit::Milliseconds || is_own_clock).then_some(time)
    }
}

fn read<const N: usize>(payload: &[u8], at: usize) -> Option<[u8; N]> {
    payload.get(at..)?.first_chunk().copied()
}

/// Seconds since 1970, by the leap seconds in force since 2017.
fn gps_time(week: i128, ms: i128) -> f64 {
    (GPS_EPOCH + 86_400 * 7 * week) as f64 + ms as f64 * 0.001 - 18.0
}
