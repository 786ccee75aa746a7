//! A log that is replayed.

use super::clock::Replay;
use super::error::ReplayError;
use super::frames::Frames;
use super::messages::Messages;
use super::records::Records;
use super::rows::{self, Signal};
use crate::any_log::AnyLog;
use crate::blackbox::BlackboxSchema;
use crate::blackbox::log::Session;
use crate::format::LogSchema;
use std::fmt;
use std::io::Read;

/// The messages of a schema in an ArduPilot log, in the order of time.
///
/// The log is read in pieces, so that it may be longer than the memory; a reader doesn't need a buffer. For a text log
/// or a Blackbox log, see [`Flight`].
///
/// Messages and their columns are matched by name, with what [`Log::typed`](crate::Log::typed) converts: a schema of
/// few columns reads any log that has them. An input without a time has that of the record before it. Definitions
/// aren't inputs.
///
/// ```no_run
/// use binlog::replay::{self, Item};
/// # use binlog::{LogSchema, messages::Ev};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Ev(Ev) }
///
/// for item in replay::messages::<FlightLog>(std::fs::File::open("flight.bin")?) {
///     match item? {
///         Item::Begin { number } => println!("boot {number}"),
///         Item::Input { time_us, input: FlightLog::Ev(event) } => println!("{time_us} µs: event {}", event.id),
///         Item::Gap(gap) => eprintln!("{gap}"),
///         _ => {}
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn messages<'r, S: LogSchema + 'r>(log: impl Read + 'r) -> Replay<'r, S> {
    Replay::new(Records::new(log, Messages::new()))
}

/// A log of either format that is replayed.
pub struct Flight<'log> {
    log: &'log AnyLog<'log>,
    /// Those of a Blackbox log.
    sessions: Vec<Session<'log>>,
}

impl<'log> Flight<'log> {
    /// The flight in a log.
    pub fn of(log: &'log AnyLog<'log>) -> Self {
        let sessions = match log {
            AnyLog::ArduPilot(_) => Vec::new(),
            AnyLog::Blackbox(log) => log.sessions().collect(),
        };
        Flight { log, sessions }
    }

    /// The log.
    pub fn log(&self) -> &'log AnyLog<'log> {
        self.log
    }

    /// The messages of a schema in an ArduPilot log, as [`messages`] yields them.
    pub fn messages<'f, S: LogSchema + 'f>(&'f self) -> Replay<'f, S> {
        match self.log {
            AnyLog::ArduPilot(log) => messages(log.bytes()),
            AnyLog::Blackbox(_) => {
                let error = ReplayError::Format { asked: "messages", found: "a Blackbox log, which has frames" };
                Replay::new(std::iter::once(Err(error)))
            }
        }
    }

    /// The frames of a schema in a Blackbox log, in the order of time. Fields are matched by name, as
    /// [`Session::typed_frames`] does; a session that can't be read so is an error, and left out.
    pub fn frames<'f, S: BlackboxSchema + 'f>(&'f self) -> Replay<'f, S> {
        match self.log {
            AnyLog::Blackbox(_) => Replay::new(Frames::new(&self.sessions)),
            AnyLog::ArduPilot(_) => {
                let error = ReplayError::Format { asked: "frames", found: "an ArduPilot log, which has messages" };
                Replay::new(std::iter::once(Err(error)))
            }
        }
    }

    /// Numbers by their labels, from a log of any firmware: `IMU[0].GyrX` and `RATE.RDes`, or `gyroADC[0]` and
    /// `setpoint[0]`. A name without an instance is that of the type's first instance in the log.
    ///
    /// Each record or frame that has the first signal is a row. The other signals have their last value at or before
    /// the row's time, or are [interpolated](Signal::linear); NaN stands for no value. Numbers are in their columns'
    /// units ([`Scaling::Units`](crate::Scaling::Units)).
    ///
    /// A field of a Blackbox log is one of the main frames, or else of others. The name of the frames may precede it,
    /// as in `gps.GPS_speed`.
    ///
    /// ```no_run
    /// use binlog::AnyLog;
    /// use binlog::replay::{Flight, Item};
    ///
    /// let log = AnyLog::open("flight.bin")?;
    /// for item in Flight::of(&log).rows(["IMU[0].GyrX", "RATE.RDes"])? {
    ///     if let Item::Input { time_us, input: [gyro, setpoint] } = item? {
    ///         println!("{time_us} µs: {:.1}°/s for {setpoint:.1}°/s", gyro.to_degrees());
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the log doesn't have one of the columns, or no number in it; the error says what it has.
    pub fn rows<const N: usize>(&self, signals: [impl Into<Signal>; N]) -> Result<Replay<'_, [f64; N]>, ReplayError> {
        let signals = signals.map(Into::into);
        match self.log {
            AnyLog::ArduPilot(log) => rows::of_records(log, signals).map(Replay::new),
            AnyLog::Blackbox(_) => rows::of_frames(&self.sessions, signals).map(Replay::new),
        }
    }
}

impl fmt::Debug for Flight<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flight").field("log", self.log).finish_non_exhaustive()
    }
}
