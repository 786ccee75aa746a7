//! Flight modes and their intervals.

use super::{integer, text};
use crate::format::Value;
use crate::read::{Log, Record};
use std::ops::Range;

/// An interval of the flight in one mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModeInterval {
    /// Start and end, in microseconds since boot. The last interval of a boot ends one microsecond after the latest
    /// time of the boot.
    pub time_us: Range<u64>,
    /// The mode's number in the vehicle's list; `None` if the log contains names only.
    pub number: Option<u8>,
    /// Its name: that in the record, or else that of the boot's vehicle, if it is known and has such a mode, or else
    /// that in the boot's [descriptions](Log::descriptions).
    pub name: Option<String>,
    /// The reason for the change, by ArduPilot's `ModeReason`; `None` if the log has none.
    pub reason: Option<u8>,
}

impl Log<'_> {
    /// The modes of the flight, from its MODE records, in the order of boots and times. A record that repeats the mode
    /// doesn't begin a new interval, unless it belongs to another [boot](Log::boots). One whose time is outside of the
    /// boot's range has the time of the last record before it.
    pub fn modes(&self) -> Vec<ModeInterval> {
        let number_and_name = self.numbered_modes();
        let mode = |record: &Record<'_>, boot: usize| {
            let (number, name) = number_and_name(record, boot);
            Some((number, name, integer(record, "Rsn")))
        };
        let is_same = |a: &Mode, b: &Mode| (a.0, &a.1) == (b.0, &b.1);
        let interval = |(time_us, (number, name, reason))| ModeInterval { time_us, number, name, reason };
        self.intervals_of(&self.all("MODE"), mode, is_same).into_iter().map(interval).collect()
    }

    /// The numbers of its modes with their names, in the order of the log. Unlike [`modes`](Self::modes), it doesn't
    /// read the times of all records.
    pub(in crate::read::log) fn mode_names(&self) -> Vec<(u8, Option<String>)> {
        let number_and_name = self.numbered_modes();
        let modes = self.all("MODE");
        let named = |record: Record<'_>| {
            let (number, name) = number_and_name(&record, self.boot_at(record.offset()));
            Some((number?, name))
        };
        modes.records().filter_map(named).collect()
    }

    /// Finds the number and the name of the mode in a record of a boot.
    fn numbered_modes(&self) -> impl Fn(&Record<'_>, usize) -> (Option<u8>, Option<String>) {
        let vehicles = self.vehicles();
        move |record, boot| {
            let (number, name) = mode(record);
            let of_vehicle = || Some(vehicles[boot]?.mode_name(number?)?.to_owned());
            (number, name.or_else(of_vehicle).or_else(|| self.described_mode(boot, number?)))
        }
    }
}

/// Number, name and reason.
type Mode = (Option<u8>, Option<String>, Option<u8>);

/// The number or the name of the mode. Old firmware has no ModeNum, and some has the name as text. That of other
/// vehicles may have both: madflight's has the name in Name.
fn mode(record: &Record<'_>) -> (Option<u8>, Option<String>) {
    match record.value("Mode") {
        Some(Value::Text(_)) => (integer(record, "ModeNum"), text(record, "Mode")),
        _ => {
            let name = text(record, "Name").filter(|name| !name.is_empty());
            (integer(record, "ModeNum").or_else(|| integer(record, "Mode")), name)
        }
    }
}
