//! The tables of a session of a Blackbox log: one for each kind of frame, and the flight modes.

use crate::ardupilot::{self, NUMBERS};
use crate::topic::Table;
use binlog::Log;
use binlog::blackbox::log::{Session, Tables};
use binlog::convert::to_ardupilot;
use std::ops::RangeInclusive;

/// All times of frames count: the decoder leaves out frames whose time jumps.
const COUNTED: RangeInclusive<u64> = 0..=u64::MAX;

/// The tables with frames.
pub fn tables(session: &Session<'_>, frames: &Tables) -> Vec<Table> {
    let with_frames = frames.tables().iter().filter(|table| !table.is_empty() && !table.columns().is_empty());
    let table = |table: &binlog::blackbox::log::Table| {
        let schema = session.schema(table.letter(), NUMBERS);
        let values = table.columns().iter().map(|column| column.to_values(NUMBERS));
        Table {
            name: table.name(),
            times_us: Some(table.times_us().to_vec()),
            counted: COUNTED,
            columns: schema.columns.into_iter().zip(values).collect(),
            names: Vec::new(),
        }
    };
    with_frames.map(table).collect()
}

/// What a conversion to an ArduPilot log finds out.
pub struct Converted {
    /// When time 0 of the session's clock was, in microseconds since 1970.
    pub boot_unix_us: Option<i64>,
    /// The flight modes, as the nearest ones of ArduCopter.
    pub modes: Option<Table>,
}

/// The flight modes and the date of a session, if it has frames.
pub fn converted(session: &Session<'_>) -> Option<Converted> {
    let mut log = Vec::new();
    let converted = to_ardupilot(session, &mut log).ok()?;
    let log = Log::from_bytes(log);
    // The conversion moves times that go back, and what comes after them.
    let rows = log.rows("MODE").ok().filter(|rows| converted.times_back == 0 && !rows.is_empty());
    let modes = rows.and_then(|rows| ardupilot::table(&rows, Some(COUNTED)).ok());
    Some(Converted { boot_unix_us: log.clock().map(|clock| clock.boot_unix_us()), modes })
}
