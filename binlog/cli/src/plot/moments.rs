//! The modes, messages and events of a session, for the axis of time.

use super::align::seconds;
use super::figure::{Band, Mark};
use crate::any_log::Session;
use crate::intervals::Intervals;
use binlog::blackbox::Event;

/// The modes, as intervals to shade.
pub fn bands(session: &Session<'_>, zero_us: u64) -> Vec<Band> {
    let band = |mode: crate::any_log::Mode| Band {
        from: seconds(mode.time_us.start, zero_us),
        to: seconds(mode.time_us.end, zero_us),
        name: mode.name,
    };
    session.modes().into_iter().filter(|mode| !mode.name.is_empty()).map(band).collect()
}

/// The messages of an ArduPilot log, and the events of a Blackbox log, in the chosen intervals.
pub fn marks(session: &Session<'_>, zero_us: u64, intervals: &Intervals) -> Vec<Mark> {
    let moments: Vec<(u64, String)> = match (session.ardupilot(), session.blackbox()) {
        (Some(log), _) => log.texts().into_iter().map(|text| (text.time_us, text.text)).collect(),
        (None, Some((_, tables))) => {
            tables.events().iter().map(|event| (event.time_us, event_text(&event.event))).collect()
        }
        (None, None) => Vec::new(),
    };
    let chosen = moments.into_iter().filter(|(time_us, _)| intervals.contains(*time_us));
    let mut marks: Vec<Mark> = chosen.map(|(time_us, text)| Mark { at: seconds(time_us, zero_us), text }).collect();
    marks.sort_by(|a, b| a.at.total_cmp(&b.at));
    marks
}

/// What an event of a Blackbox log says.
pub(crate) fn event_text(event: &Event) -> String {
    match event {
        Event::SyncBeep { .. } => "beep on arming".into(),
        Event::Adjustment { function, value: binlog::blackbox::Adjusted::Integer(value) } => {
            format!("setting {function} is {value}")
        }
        Event::Adjustment { function, value: binlog::blackbox::Adjusted::Float(value) } => {
            format!("setting {function} is {value}")
        }
        Event::Resume { .. } => "logging continues".into(),
        Event::Disarm { reason } => format!("disarmed, reason {reason}"),
        Event::FlightMode { new, .. } => format!("flight modes {new:#x}"),
        Event::ImuFailure { error } => format!("IMU failed, error {error}"),
        Event::End { .. } => "end of the log".into(),
        event => format!("event {}", event.id()),
    }
}
