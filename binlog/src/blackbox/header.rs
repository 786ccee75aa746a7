//! The header of a session: what its lines say about the frames.

mod altitudes;
mod definition;
mod intervals;
mod lines;
mod unnamed;

pub(crate) use definition::Number;
pub use definition::{LoggedField, LoggedFrame};
pub use lines::LoggedLine;
pub(super) use lines::{end, start};

use super::Intervals;
use super::decode::{Given, Unusable};
use crate::wording::plural::Plural;
use std::fmt;
use std::ops::RangeInclusive;

/// The line that a session begins with. It is the same for all firmware.
pub(crate) const FIRST_LINE: &[u8] = b"H Product:Blackbox flight data recorder by Nicholas Sherlock";

/// The header of a session.
///
/// A log of any firmware is read by what its header says. Lines that a reader doesn't need are kept as text.
#[derive(Clone, Debug)]
pub struct Header<'log> {
    lines: Vec<LoggedLine<'log>>,
    frames: Vec<LoggedFrame>,
    problems: Vec<HeaderProblem>,
    data_version: u32,
    intervals: Intervals,
}

/// Something in a header that is damaged or contradicts itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderProblem {
    /// Where it is, in bytes from the start of the log.
    pub offset: usize,
    /// What it is.
    pub kind: HeaderProblemKind,
}

/// What is wrong in a header.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HeaderProblemKind {
    /// The first line, `H Product:`, is damaged.
    FirstLine,
    /// Bytes between the lines are not a header line.
    NotALine {
        /// How many.
        length: usize,
    },
    /// The value of a line that the reader needs is not of its form, or beyond its range.
    Value {
        /// The name of the line.
        name: String,
        /// Its value.
        value: String,
    },
    /// Frames of a letter can't be decoded. They are skipped.
    Frame {
        /// The letter.
        letter: u8,
        /// Why.
        reason: Unusable,
    },
    /// Main frames have more fields than the header names.
    UnnamedFields {
        /// How many more.
        count: usize,
        /// The field after which they are, if the firmware says it: `servo[15]`. They are then read as the next
        /// elements of its array. Otherwise the main frames can't be read.
        after: Option<String>,
    },
    /// The header doesn't define main frames: lines `Field I name`, `Field I predictor` and so on are missing.
    NoMainFrames,
}

impl<'log> Header<'log> {
    /// Reads the header lines at the start of a session. `at` is its offset in the log. Also returns where the frames
    /// begin, in bytes from the start of the session.
    pub(super) fn parse(session: &'log [u8], at: usize) -> (Self, usize) {
        let (lines, mut problems, length) = lines::lines(session, at);
        if !session.starts_with(FIRST_LINE) {
            problems.insert(0, HeaderProblem { offset: at, kind: HeaderProblemKind::FirstLine });
        }
        let mut values = Values { lines: &lines, problems: &mut problems };
        let data_version = values.number_in("Data version", 1..=2).unwrap_or(2);
        let intervals = intervals::intervals(&mut values);
        // The values in use without these lines are those of Cleanflight's decoder, which defines the meaning of such a
        // log. Firmware with motorOutput writes it for predictor 11; minthrottle takes its place in older logs.
        let min_throttle = values.number("minthrottle").unwrap_or(1150);
        let min_motor = values.numbers("motorOutput").and_then(|range| range.first().copied()).unwrap_or(min_throttle);
        let vbat_ref = values.number("vbatref").unwrap_or(4095);
        let motor_0 = definition::names(&lines, b'I').iter().position(|name| *name == "motor[0]");
        let given = Given { min_throttle, min_motor, vbat_ref, motor_0 };
        let frames = definition::frames(&lines, data_version, &given);
        let defined_at =
            |letter: u8| lines.iter().find(|line| line.defines() == Some(letter)).map_or(at, |line| line.offset);
        for frame in &frames {
            if let Err(reason) = frame.plan() {
                let kind = HeaderProblemKind::Frame { letter: frame.letter(), reason: *reason };
                problems.push(HeaderProblem { offset: defined_at(frame.letter()), kind });
            }
        }
        if !frames.iter().any(|frame| frame.letter() == b'I') {
            problems.push(HeaderProblem { offset: at, kind: HeaderProblemKind::NoMainFrames });
        }
        let mut header = Header { lines, frames, problems, data_version, intervals };
        header.sign_altitudes();
        (header, length)
    }

    /// All lines, in the order of the log.
    pub fn lines(&self) -> &[LoggedLine<'log>] {
        &self.lines
    }

    /// The value of the last line with this name, such as `looptime`.
    pub fn value(&self, name: &str) -> Option<&str> {
        lines::value(&self.lines, name).map(LoggedLine::value)
    }

    /// The numbers in the value of a line, separated by commas. Hexadecimal ones begin with `0x`. `None` if there is no
    /// such line, or if its value is not numbers.
    pub fn numbers(&self, name: &str) -> Option<Vec<i64>> {
        lines::numbers(self.value(name)?)
    }

    /// The first number in the value of a line.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.numbers(name)?.first().copied()
    }

    /// A float in the value of a line: as decimal number, or as the bits of an `f32` in hexadecimal (`0x3f800000`).
    pub fn float(&self, name: &str) -> Option<f64> {
        lines::float(self.value(name)?)
    }

    /// The version of the format: 1 or 2. It decides how `TAG8_4S16` is read.
    pub fn data_version(&self) -> u32 {
        self.data_version
    }

    /// Which iterations of the control loop are logged: as I frame, those divisible by the I interval; as P frame, a
    /// fraction of the others.
    pub fn intervals(&self) -> Intervals {
        self.intervals
    }

    /// The frames that the header defines, in the order of the lines. P frames have the names of I frames.
    pub fn frames(&self) -> &[LoggedFrame] {
        &self.frames
    }

    /// The frame with this letter.
    pub fn frame(&self, letter: u8) -> Option<&LoggedFrame> {
        self.frames.iter().find(|frame| frame.letter() == letter)
    }

    /// The fields of frames with this letter; none if the header doesn't define them.
    pub fn fields(&self, letter: u8) -> &[LoggedField] {
        self.frame(letter).map_or(&[], LoggedFrame::fields)
    }

    /// What is damaged or contradicts itself.
    pub fn problems(&self) -> &[HeaderProblem] {
        &self.problems
    }
}

/// Values that the reader needs. A value that is not of its form is a problem.
struct Values<'v, 'log> {
    lines: &'v [LoggedLine<'log>],
    problems: &'v mut Vec<HeaderProblem>,
}

impl<'log> Values<'_, 'log> {
    fn line(&self, name: &str) -> Option<&LoggedLine<'log>> {
        lines::value(self.lines, name)
    }

    fn numbers(&mut self, name: &str) -> Option<Vec<u32>> {
        let line = self.line(name)?;
        // Negative numbers are the same number modulo 2^32.
        let numbers = lines::numbers(line.value()).map(|numbers| numbers.iter().map(|number| *number as u32).collect());
        if numbers.is_none() {
            self.reject(name);
        }
        numbers
    }

    fn number(&mut self, name: &str) -> Option<u32> {
        self.numbers(name)?.first().copied()
    }

    /// The first number of a line, if it is in a range.
    fn number_in(&mut self, name: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let line = self.line(name)?;
        let number = lines::numbers(line.value()).and_then(|numbers| u32::try_from(*numbers.first()?).ok());
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            self.reject(name);
        }
        number
    }

    fn reject(&mut self, name: &str) {
        let Some(line) = self.line(name) else { return };
        let kind = HeaderProblemKind::Value { name: name.into(), value: line.value().into() };
        let offset = line.offset;
        self.problems.push(HeaderProblem { offset, kind });
    }
}

impl fmt::Display for HeaderProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "header at offset {}: {}", self.offset, self.kind)
    }
}

impl fmt::Display for HeaderProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderProblemKind::FirstLine => f.write_str("the first line, `H Product:`, is damaged"),
            HeaderProblemKind::NotALine { length } => {
                write!(f, "skipped {} without a header line", Plural(*length, "byte"))
            }
            HeaderProblemKind::Value { name, value } => {
                write!(f, "the value of `{name}` is `{value}`, not a number in its range; the default is used")
            }
            HeaderProblemKind::Frame { letter, reason } => {
                write!(f, "{} frames can't be decoded: {reason}", letter.escape_ascii())
            }
            HeaderProblemKind::UnnamedFields { count, after: Some(after) } => write!(
                f,
                "main frames have {} more than the header names: they are read as those after `{after}`",
                Plural(*count, "field")
            ),
            HeaderProblemKind::UnnamedFields { count, after: None } => write!(
                f,
                "main frames have {} more than the header names; they can't be read, since nothing says where these are",
                Plural(*count, "field")
            ),
            HeaderProblemKind::NoMainFrames => {
                f.write_str("no main frames are defined (`H Field I name:`); the session has events only")
            }
        }
    }
}

impl std::error::Error for HeaderProblem {}
