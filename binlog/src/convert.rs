// Held by tests/tests/blackbox/converted.rs.

//! Conversion of a Blackbox session to ArduPilot's format, for its viewers.
//!
//! ```no_run
//! use binlog::blackbox::BlackboxLog;
//! use binlog::convert;
//! use std::fs::File;
//! use std::io::BufWriter;
//!
//! let log = BlackboxLog::open("flight.bbl")?;
//! for (i, session) in log.sessions().enumerate() {
//!     let file = BufWriter::new(File::create(format!("flight-{}.bin", i + 1))?);
//!     let converted = convert::to_ardupilot(&session, file)?;
//!     println!("{} records, {} lost bytes", converted.records, converted.lost_bytes);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What becomes of a session
//!
//! | message | from |
//! | --- | --- |
//! | IMU, GYR | `gyroADC`, `accSmooth`; `gyroUnfilt` or INAV's `gyroRaw` |
//! | ATT | INAV's `attitude`, Betaflight's `imuQuaternion` |
//! | RATE, PIDR, PIDP, PIDY | `setpoint` or `axisRate`, `gyroADC`, `axisP`, `axisI`, `axisD`, `axisF` |
//! | RCIN, RCOU, ESC | `rcData` or `rcCommand`; `motor` and `servo`; `eRPM` |
//! | BAT, BARO, MAG | `vbatLatest`, `amperageLatest`; `BaroAlt`; `magADC` |
//! | GPS, POS | GPS frames |
//! | MODE, EV, ERR | `flightModeFlags`, INAV's `activeFlightModeFlags`, `failsafePhase`, events |
//! | PARM, FILE | the header: its numbers, and the whole of it as `header.txt` |
//! | MSG | texts of the header, events, the names of mode flags, lost ranges |
//! | BI00 and so on, BS00, BG00, BH00 | all other fields of main, slow, GPS and home frames, as logged |
//!
//! - Times are those of the session's main frames in microseconds, extended beyond 32 bits. Times never decrease. After
//!   a jump back, they continue from the last time, and a MSG gives the offset.
//! - Other frames and events have the time of the main frame before them, the first ones that of the first main frame.
//!   The time in a GPS frame is in BG00.
//! - Axes are forward, right, down as in ArduPilot: pitch and yaw have the other sign than in the Blackbox log.
//! - MODE has the nearest mode of Copter. The exact flags are in MSG.
//! - RCIN, BAT and BARO have a record for each change, and ten a second between changes. All others have one a frame.
//! - Nothing is lost: each field is in a message of its own, or in one of floats that hold its integers exactly, except
//!   that RCIN, BAT and BARO repeat no value.

mod control;
mod fields;
mod messages;
mod modes;
mod motion;
mod names;
mod output;
mod parameters;
mod remaining;
mod sensors;
mod state;
mod steps;
mod track;

use crate::blackbox::firmware::{self, Family};
use crate::blackbox::header::LoggedFrame;
use crate::blackbox::log::{Frame, Item, Session};
use crate::format::field::{FlightModeError, TextError};
use crate::wording::debug_text::debug_is_text;
use crate::wording::plural::Plural;
use control::Control;
use fields::Fields;
use motion::Motion;
use output::Output;
use remaining::Remaining;
use sensors::Sensors;
use state::State;
use std::fmt;
use std::io::{self, Write};
use track::Track;

/// What a conversion wrote, and what the session had lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// Main frames that were converted.
    pub main_frames: u64,
    /// Slow, GPS and home frames, and those of letters that only this log defines.
    pub other_frames: u64,
    /// Events.
    pub events: u64,
    /// Ranges of the session without frames. Each has a MSG.
    pub lost_ranges: u64,
    /// Their bytes.
    pub lost_bytes: u64,
    /// How often the time of a main frame is before that of the one before. Converted times then continue from there.
    pub times_back: u64,
    /// Parameters.
    pub parameters: usize,
    /// Records of the log, without the definitions that all converted logs have.
    pub records: u64,
    /// Bytes of the log.
    pub bytes: u64,
}

/// Why a session wasn't converted.
#[non_exhaustive]
pub enum ConvertError {
    /// The session has no main frames: its header doesn't define them, or none is sound.
    NoFrames,
    /// The log can't be written.
    Io(io::Error),
    /// The fields need more messages than ArduPilot's format has ids for.
    TooManyMessages,
    /// A text doesn't fit its column. That is a bug of this crate.
    Text(TextError),
    /// A mode's number doesn't fit its column. That is a bug of this crate.
    ModeNumber(FlightModeError),
}

/// Writes a session as an ArduPilot log, which UAV Log Viewer, MAVExplorer, PlotJuggler and others open.
///
/// The [module](self) says what becomes of each field.
///
/// # Errors
///
/// If the session has no main frames, if the writer fails, or if the fields need more messages than a log has ids for.
pub fn to_ardupilot(session: &Session<'_>, writer: impl Write) -> Result<Converted, ConvertError> {
    let start_us = session.first_time_us().ok_or(ConvertError::NoFrames)?;
    let mut output = Output::new(writer)?;
    let (mut conversion, cut) = Conversion::plan(session, start_us, output.free_ids())?;
    conversion.begin(&mut output, session, cut)?;
    let mut frames = session.frames();
    while let Some(item) = frames.next() {
        conversion.item(&mut output, &item)?;
    }
    conversion.end(&mut output)?;
    let converted = Converted { records: output.records, bytes: output.bytes, ..conversion.converted };
    output.finish()?;
    Ok(converted)
}

/// The values of the first slow frame, if it is near the session's beginning, as firmware writes it.
fn first_slow_frame(session: &Session<'_>) -> Option<Vec<u32>> {
    const LOOKED_AT: usize = 2000;
    let mut frames = session.frames();
    for _ in 0..LOOKED_AT {
        if let Item::Frame(frame) = frames.next()?
            && frame.letter() == b'S'
        {
            return Some(frame.values().to_vec());
        }
    }
    None
}

/// The converters of a session's frames.
struct Conversion {
    motion: Motion,
    control: Control,
    sensors: Sensors,
    track: Option<Track>,
    state: State,
    state_flags: Option<fields::ValueSource>,
    /// The messages of the remaining fields of each letter. P frames have those of I frames.
    remaining: Vec<Remaining>,
    /// The time of the last main frame.
    time_us: u64,
    /// How much later it is than logged.
    later_us: u64,
    converted: Converted,
}

impl Conversion {
    /// Plans which message each field becomes a part of. Also returns how long the fields' names may be if they had to
    /// be cut.
    fn plan(session: &Session<'_>, start_us: u64, free_ids: usize) -> Result<(Self, Option<usize>), ConvertError> {
        let header = session.header();
        let mut main = Fields::of(header, b'I');
        let slow = Fields::of(header, b'S');
        let mut gps = Fields::of(header, b'G');
        let home = Fields::of(header, b'H');
        let time = main.raw("time");
        main.convert(&time);
        let motion = Motion::of(&mut main);
        let control = Control::of(&mut main);
        let sensors = Sensors::of(&mut main);
        let track = Track::of(&mut gps, &home, header, start_us);
        // P frames have the fields of I frames.
        let converted = header.frames().iter().filter(|frame| frame.letter() != b'P' && frame.unusable().is_none());
        let others: Vec<(u8, Fields<'_>)> = converted
            .clone()
            .map(LoggedFrame::letter)
            .filter(|letter| !matches!(letter, b'I' | b'G'))
            .map(|letter| (letter, Fields::of(header, letter)))
            .collect();
        let of = |letter: u8| match letter {
            b'I' => Some(&main),
            b'G' => Some(&gps),
            letter => others.iter().find(|(of, _)| *of == letter).map(|(_, fields)| fields),
        };
        let all: Vec<(u8, &Fields<'_>)> =
            converted.filter_map(|frame| Some((frame.letter(), of(frame.letter())?))).collect();
        let (remaining, cut) = remaining::plan(&all, free_ids)?;
        let conversion = Conversion {
            motion,
            control,
            sensors,
            track,
            state: State::of(&slow, Family::of(header)),
            state_flags: slow.raw("stateFlags"),
            remaining,
            time_us: start_us,
            later_us: 0,
            converted: Converted::default(),
        };
        Ok((conversion, cut))
    }

    /// Writes what precedes the frames: parameters, texts, definitions.
    fn begin<W: Write>(
        &mut self,
        output: &mut Output<W>,
        session: &Session<'_>,
        cut: Option<usize>,
    ) -> Result<(), ConvertError> {
        let header = session.header();
        let start_us = self.time_us;
        // Viewers take the vehicle, and with it the names of modes, from the text.
        let vehicle = format!("ArduCopter modes; converted from {}", firmware::name(header));
        output.text(start_us, &vehicle)?;
        self.converted.parameters = parameters::parameters(output, header, start_us)?;
        parameters::texts(output, header, start_us)?;
        parameters::file(output, session)?;
        // pymavlink takes the vehicle from the last text that names one: a craft called Plane would be one.
        output.text(start_us, &vehicle)?;
        for frame in header.frames() {
            if let Some(reason) = frame.unusable() {
                let letter = char::from(frame.letter());
                output.text(start_us, &format!("{letter} frames can't be decoded and are left out: {reason}"))?;
            }
        }
        if let Some(longest) = cut {
            let hint = "header.txt has them in full";
            output.text(start_us, &format!("Names of fields are cut to {longest} characters; {hint}"))?;
        }
        for remaining in &mut self.remaining {
            remaining.define(output)?;
        }
        match first_slow_frame(session) {
            Some(first) => self.state.begin(output, start_us, &first),
            None => Ok(()),
        }
    }

    fn item<W: Write>(&mut self, output: &mut Output<W>, item: &Item<Frame<'_>>) -> Result<(), ConvertError> {
        match item {
            Item::Frame(frame) => {
                // Main frames alone advance the time: that of a GPS frame is one of its fields, and may be damaged.
                if matches!(frame.letter(), b'I' | b'P') {
                    self.advance(output, frame.time_us())?;
                }
                self.frame(output, frame.letter(), self.time_us, frame.values())
            }
            Item::Event { event, .. } => {
                self.converted.events += 1;
                self.state.event(output, self.time_us, event)
            }
            Item::Lost(lost) => {
                self.converted.lost_ranges += 1;
                self.converted.lost_bytes += lost.length as u64;
                output.text(self.time_us, &lost.to_string())
            }
        }
    }

    /// Takes over the time of a main frame. If it is before that of the last one, times continue from there.
    fn advance<W: Write>(&mut self, output: &mut Output<W>, logged_us: u64) -> Result<(), ConvertError> {
        let time_us = logged_us.saturating_add(self.later_us);
        if time_us < self.time_us {
            self.converted.times_back += 1;
            let last_us = self.time_us - self.later_us;
            self.later_us = self.time_us - logged_us;
            let later_us = self.later_us;
            let text = format!(
                "Time goes back from {last_us} to {logged_us} us: from here, TimeUS is {later_us} us more than logged"
            );
            return output.text(self.time_us, &text);
        }
        self.time_us = time_us;
        Ok(())
    }

    fn frame<W: Write>(
        &mut self,
        output: &mut Output<W>,
        letter: u8,
        time_us: u64,
        values: &[u32],
    ) -> Result<(), ConvertError> {
        let letter = match letter {
            b'P' => b'I',
            letter => letter,
        };
        match letter {
            b'I' => {
                self.converted.main_frames += 1;
                self.motion.write(output, time_us, values)?;
                self.control.write(output, time_us, values)?;
                self.sensors.write(output, time_us, values)?;
            }
            _ => self.converted.other_frames += 1,
        }
        match (letter, &mut self.track) {
            (b'S', track) => {
                if let (Some(track), Some(flags)) = (track, self.state_flags) {
                    track.state(flags.raw(values) as u32);
                }
                self.state.slow(output, time_us, values)?;
            }
            (b'H', Some(track)) => track.home(values),
            (b'G', Some(track)) => track.write(output, time_us, values)?,
            _ => {}
        }
        // A frame of a letter that only this log defines has no values if the header doesn't say how to decode them.
        match self.remaining.iter().find(|of| of.letter() == letter && !values.is_empty()) {
            Some(remaining) => remaining.write(output, time_us, values),
            None => Ok(()),
        }
    }

    /// Writes what the whole session lost.
    fn end<W: Write>(&mut self, output: &mut Output<W>) -> Result<(), ConvertError> {
        let Converted { lost_ranges, lost_bytes, .. } = self.converted;
        if lost_ranges == 0 {
            return Ok(());
        }
        output.text(
            self.time_us,
            &format!("The session lost {} in {}", Plural(lost_bytes, "byte"), Plural(lost_ranges, "range")),
        )
    }
}

impl fmt::Display for Converted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Converted { main_frames, other_frames, events, lost_ranges, lost_bytes, records, bytes, .. } = self;
        let (main_frames, events) = (Plural(*main_frames, "main frame"), Plural(*events, "event"));
        let other_frames = Plural(*other_frames, "other");
        let (records, bytes) = (Plural(*records, "record"), Plural(*bytes, "byte"));
        write!(f, "{main_frames}, {other_frames}, {events}: {records}, {bytes}")?;
        let lost_bytes = Plural(*lost_bytes, "damaged byte");
        match lost_ranges {
            0 => Ok(()),
            1 => write!(f, "; the session has {lost_bytes}"),
            _ => write!(f, "; the session has {lost_bytes}, in {lost_ranges} ranges"),
        }
    }
}

impl From<io::Error> for ConvertError {
    fn from(error: io::Error) -> Self {
        ConvertError::Io(error)
    }
}

impl From<TextError> for ConvertError {
    fn from(error: TextError) -> Self {
        ConvertError::Text(error)
    }
}

impl From<FlightModeError> for ConvertError {
    fn from(error: FlightModeError) -> Self {
        ConvertError::ModeNumber(error)
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::NoFrames => f.write_str(
                "the session has no main frame that can be read; if its header has no problem and no range is lost, none was \
                 written",
            ),
            ConvertError::Io(error) => write!(f, "the converted log can't be written: {error}"),
            ConvertError::TooManyMessages => {
                f.write_str("the fields need more messages than a log has ids for: shorten their names")
            }
            ConvertError::Text(error) => write!(f, "a text of the header doesn't fit: {error}"),
            ConvertError::ModeNumber(error) => write!(f, "a flight mode doesn't fit: {error}"),
        }
    }
}

debug_is_text!(ConvertError);

impl std::error::Error for ConvertError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConvertError::Io(error) => Some(error),
            ConvertError::Text(error) => Some(error),
            ConvertError::ModeNumber(error) => Some(error),
            ConvertError::NoFrames | ConvertError::TooManyMessages => None,
        }
    }
}
