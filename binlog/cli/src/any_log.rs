//! A log of either format, as sessions with one clock each.

mod converted_times;

use crate::intervals::Intervals;
use binlog::blackbox;
use binlog::blackbox::log::Tables;
use binlog::{AnyLog, Log};
use converted_times::ConvertedTimes;
use jiff::Timestamp;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::OnceLock;

/// A part of a log with one clock: a boot of an ArduPilot log, a session of a Blackbox log.
///
/// Times are microseconds of that clock, which as a rule began at boot.
pub struct Session<'a> {
    number: usize,
    range: Range<usize>,
    log: SessionLog<'a>,
    tables: OnceLock<Tables>,
    /// A Blackbox session as an ArduPilot log, which has modes and the calendar.
    converted: OnceLock<Option<(Log<'static>, ConvertedTimes)>>,
}

/// The log of a session.
pub enum SessionLog<'a> {
    /// A boot of an ArduPilot log, borrowed if it is the only one.
    ArduPilot(BootLog<'a>),
    /// A session of a Blackbox log.
    Blackbox(blackbox::log::Session<'a>),
}

/// The log of one boot.
pub enum BootLog<'a> {
    /// The whole log, with its index.
    Whole(&'a Log<'a>),
    /// A part of it.
    Part(Box<Log<'a>>),
}

/// A flight mode, and when it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mode {
    /// Start and end, in microseconds of the session's clock.
    pub time_us: Range<u64>,
    /// Its name, or its number if nobody knows the name.
    pub name: String,
    /// Its number, if the log has it.
    pub number: Option<u8>,
}

/// The boots or sessions of a log, in the order of the log; of an ArduPilot log, at least one.
pub fn sessions<'l>(log: &'l AnyLog<'_>) -> Vec<Session<'l>> {
    match log {
        AnyLog::ArduPilot(log) if log.boots().len() == 1 => {
            vec![Session::new(0, 0..log.bytes().len(), SessionLog::ArduPilot(BootLog::Whole(log)))]
        }
        AnyLog::ArduPilot(log) => {
            let boots =
                log.boots().map(|boot| (boot.range(), SessionLog::ArduPilot(BootLog::Part(Box::new(boot.log())))));
            boots.enumerate().map(|(i, (range, log))| Session::new(i, range, log)).collect()
        }
        AnyLog::Blackbox(log) => {
            let range =
                |session: &blackbox::log::Session<'_>| session.offset()..session.offset() + session.bytes().len();
            let sessions = log.sessions().map(|session| (range(&session), SessionLog::Blackbox(session)));
            sessions.enumerate().map(|(i, (range, log))| Session::new(i, range, log)).collect()
        }
    }
}

impl<'a> Session<'a> {
    fn new(index: usize, range: Range<usize>, log: SessionLog<'a>) -> Self {
        Session { number: index + 1, range, log, tables: OnceLock::new(), converted: OnceLock::new() }
    }

    /// Its number in the log, from 1 on.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Its range in the log, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The log itself, for what only one of the formats has.
    pub fn log(&self) -> &SessionLog<'a> {
        &self.log
    }

    /// The ArduPilot log; `None` if it is a Blackbox session.
    pub fn ardupilot(&self) -> Option<&Log<'a>> {
        match &self.log {
            SessionLog::ArduPilot(BootLog::Whole(log)) => Some(log),
            SessionLog::ArduPilot(BootLog::Part(log)) => Some(log),
            SessionLog::Blackbox(_) => None,
        }
    }

    /// The Blackbox session with its decoded frames; `None` if it is a boot of an ArduPilot log. All frames are decoded
    /// when this is called for the first time.
    pub fn blackbox(&self) -> Option<(&blackbox::log::Session<'a>, &Tables)> {
        match &self.log {
            SessionLog::ArduPilot(_) => None,
            SessionLog::Blackbox(session) => Some((session, self.tables.get_or_init(|| session.tables()))),
        }
    }

    /// The earliest and the latest time, both inclusive, in microseconds; `None` if nothing has a time. Damaged times
    /// don't count, by the rule of [`TimeRange`](binlog::log::TimeRange) or of Blackbox's decoder.
    pub fn time_range_us(&self) -> Option<RangeInclusive<u64>> {
        match self.ardupilot() {
            Some(log) => log.time_range_us(),
            None => self.blackbox()?.1.time_range_us(),
        }
    }

    /// Whether records have times. Those of a log without any are in no part of the flight.
    pub fn has_times(&self) -> bool {
        self.ardupilot().is_none_or(|log| log.time_range_us().is_some())
    }

    /// The flight modes, in the order of the log. Those of a Blackbox log are the nearest ones of ArduCopter.
    pub fn modes(&self) -> Vec<Mode> {
        let Some(log) = self.as_ardupilot() else { return Vec::new() };
        let modes = log.modes();
        let is_only = modes.len() == 1;
        let modes = modes.into_iter().flat_map(|mode| {
            let name = mode.name.or_else(|| mode.number.map(|number| number.to_string())).unwrap_or_default();
            let logged = self.logged(mode.time_us, is_only);
            logged.into_iter().map(move |time_us| Mode { time_us, name: name.clone(), number: mode.number })
        });
        modes.collect()
    }

    /// The times of this session in a range of those of [`as_ardupilot`](Self::as_ardupilot).
    fn logged(&self, time_us: Range<u64>, is_only: bool) -> Vec<Range<u64>> {
        match self.conversion() {
            Some((_, times)) => times.logged(&time_us, is_only).ranges().to_vec(),
            None => vec![time_us],
        }
    }

    /// Chosen times as those of [`as_ardupilot`](Self::as_ardupilot).
    pub fn in_ardupilot(&self, chosen: &Intervals) -> Intervals {
        match self.conversion() {
            Some((_, times)) => times.converted(chosen),
            None => chosen.clone(),
        }
    }

    /// When the vehicle was armed, in microseconds. Flags of a Blackbox session say it; one without them is armed
    /// throughout, since that is what it records.
    pub fn armed(&self) -> Vec<Range<u64>> {
        let Some(log) = self.as_ardupilot() else { return Vec::new() };
        let is_said = self.ardupilot().is_some() || log.rows("EV").is_ok_and(|events| !events.is_empty());
        if is_said {
            let armed = log.armed();
            let is_only = armed.len() == 1;
            let armed = armed.into_iter().flat_map(|interval| self.logged(interval.time_us, is_only));
            return Intervals::new(armed).ranges().to_vec();
        }
        self.time_range_us().map(|times| *times.start()..times.end().saturating_add(1)).into_iter().collect()
    }

    /// When time 0 of the clock was, in microseconds since 1970; `None` if the log doesn't say it.
    pub fn clock_unix_us(&self) -> Option<i64> {
        Some(self.as_ardupilot()?.clock()?.boot_unix_us())
    }

    /// The moment of a time of the clock; `None` if the log doesn't say it.
    pub fn timestamp(&self, time_us: u64) -> Option<Timestamp> {
        let clock = self.clock_unix_us()?;
        Timestamp::from_microsecond(clock.checked_add_unsigned(time_us)?).ok()
    }

    /// The ArduPilot log, or the Blackbox session converted to one; `None` if that has no frames.
    pub fn as_ardupilot(&self) -> Option<&Log<'a>> {
        self.ardupilot().or_else(|| self.conversion().map(|(log, _)| log))
    }

    /// A Blackbox session as an ArduPilot log, and the times of that; `None` if it has no frames, and for a boot of an
    /// ArduPilot log. The session is converted when this is called for the first time.
    fn conversion(&self) -> Option<&(Log<'static>, ConvertedTimes)> {
        let SessionLog::Blackbox(session) = &self.log else { return None };
        let convert = || {
            let mut log = Vec::new();
            let converted = binlog::convert::to_ardupilot(session, &mut log).ok()?;
            let times = match converted.times_back {
                0 => ConvertedTimes::SAME,
                _ => ConvertedTimes::of(self.blackbox()?.1.main().times_us()),
            };
            Some((Log::from_bytes(log), times))
        };
        self.converted.get_or_init(convert).as_ref()
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("number", &self.number).finish_non_exhaustive()
    }
}
