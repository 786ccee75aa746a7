//! Flight modes and their intervals.

use super::{Place, integer, text};
use crate::Log;
use crate::records::Record;
use crate::value::Value;
use std::ops::Range;

/// An interval of the flight in one mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModeInterval {
    /// Start and end, in microseconds since boot. The last interval of a boot ends one microsecond after the latest
    /// time of the boot.
    pub time_us: Range<u64>,
    /// The mode's number in the vehicle's list; `None` if the log contains names only.
    pub number: Option<u8>,
    /// Its name, if the log contains it, or if the vehicle of the boot is known and has such a mode.
    pub name: Option<String>,
    /// The reason for the change, by ArduPilot's `ModeReason`; `None` if the log has none.
    pub reason: Option<u8>,
}

impl Log<'_> {
    /// The modes of the flight, from its MODE records, in the order of boots and times. A record that repeats the mode
    /// doesn't begin a new interval, unless it belongs to another [boot](Log::boots). One whose time is outside of the
    /// boot's range has the time of the last record before it.
    pub fn modes(&self) -> Vec<ModeInterval> {
        let vehicles = self.vehicles();
        let rows = self.all("MODE");
        let mut modes: Vec<ModeInterval> = Vec::new();
        let mut last_boot = None;
        let placed = rows.records().zip(self.places(&rows));
        let mut records: Vec<_> = placed.map(|(record, Place { boot, time_us, .. })| (boot, time_us, record)).collect();
        // Records of several threads needn't be in the order of their times.
        records.sort_by_key(|(boot, time_us, _)| (*boot, *time_us));
        for (boot, time_us, record) in records {
            let is_first = last_boot.replace(boot) != Some(boot);
            let (number, name) = mode(&record);
            let name = name.or_else(|| Some(vehicles[boot]?.mode_name(number?)?.to_owned()));
            let end = self.spans()[boot].end_us();
            match modes.last_mut().filter(|_| !is_first) {
                Some(last) if (last.number, &last.name) == (number, &name) => continue,
                Some(last) => last.time_us.end = time_us,
                None => {}
            }
            let reason = integer(&record, "Rsn");
            modes.push(ModeInterval { time_us: time_us..end.max(time_us), number, name, reason });
        }
        modes
    }
}

/// The number or the name of the mode. Old firmware has no ModeNum, and some has the name as text. That of other vehicles
/// may have both: madflight's has the name in Name.
fn mode(record: &Record<'_>) -> (Option<u8>, Option<String>) {
    match record.value("Mode") {
        Some(Value::Text(_)) => (integer(record, "ModeNum"), text(record, "Mode")),
        _ => {
            let name = text(record, "Name").filter(|name| !name.is_empty());
            (integer(record, "ModeNum").or_else(|| integer(record, "Mode")), name)
        }
    }
}
