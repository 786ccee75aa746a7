//! The header of a session: the lines that the schema knows, made at compile time, and those of run time.

use super::limits::MAX_LINE_BYTES;
use super::{FieldDefinition, FrameKind, Intervals, References};
use core::fmt;
use core::ops::Range;

/// Lines whose order matters.
const MIN_THROTTLE: &str = "minthrottle";
pub(crate) const MOTOR_OUTPUT: &str = "motorOutput";

/// The beginning of the first line of a session.
const SESSION: &str = "H Product:Blackbox flight data recorder";

/// Lines that every header has, unless the schema or the program gives them another value. `blackbox-log` reads no log
/// without a revision of a firmware that it knows and without `motor_pwm_protocol`, `fc-blackbox` none without
/// `gyro_scale`, which is the bits of an `f32`, in degrees per second.
const USUAL_LINES: [(&str, &str); 4] = [
    ("Firmware type", "Cleanflight"),
    ("Firmware revision", "Betaflight 4.5.0 (binlog) HOST"),
    ("gyro_scale", "0x3f800000"),
    ("motor_pwm_protocol", "0"),
];

/// The slow frame in the header of a schema that has none: Betaflight's. `blackbox-log` wants one.
const USUAL_SLOW: &[&str; 4] = &[
    "H Field S name:flightModeFlags,stateFlags,failsafePhase,rxSignalReceived,rxFlightChannelsValid\n",
    "H Field S signed:0,0,0,0,0\n",
    "H Field S predictor:0,0,0,0,0\n",
    "H Field S encoding:1,1,7,7,7\n",
];

/// What a header is made of at compile time.
pub struct Preamble {
    /// The fields of the main frame.
    pub main: &'static [FieldDefinition],
    /// The fields of the slow frame; empty if the schema has no such frame.
    pub slow: &'static [FieldDefinition],
    /// The fields of the GPS frame; empty if the schema has no such frame.
    pub gps: &'static [FieldDefinition],
    /// The fields of the home frame; empty if the schema has no such frame.
    pub home: &'static [FieldDefinition],
    /// Which iterations are logged.
    pub intervals: Intervals,
    /// Further lines: names and values.
    pub lines: &'static [(&'static str, &'static str)],
}

impl Preamble {
    /// The length of the header.
    pub const fn length(&self) -> usize {
        self.write(Text::<0>::new()).length
    }

    /// The header, of the length that [`length`](Preamble::length) says.
    pub const fn bytes<const N: usize>(&self) -> [u8; N] {
        self.write(Text::<N>::new()).bytes
    }

    /// What the lines give to predictors. Their values are valid: the derive has checked them.
    pub const fn references(&self) -> References {
        let mut references = References::NEW;
        let mut i = 0;
        while i < self.lines.len() {
            let (name, value) = self.lines[i];
            if references.take(name.as_bytes(), value.as_bytes()).is_none() {
                panic!("a header line that a predictor refers to is a number of 0 to 65535, motorOutput two of them");
            }
            i += 1;
        }
        references
    }

    const fn write<const N: usize>(&self, text: Text<N>) -> Text<N> {
        let text = text.str(SESSION).str(" by Nicholas Sherlock\nH Data version:2\n");
        let mut text = text.fields(FrameKind::Intra, self.main);
        text = text.list("P predictor", self.main, Of::Predictor(FrameKind::Inter));
        text = text.list("P encoding", self.main, Of::Encoding(FrameKind::Inter));
        text = text.fields(FrameKind::Home, self.home).fields(FrameKind::Gps, self.gps);
        if self.slow.is_empty() {
            let mut i = 0;
            while i < USUAL_SLOW.len() {
                text = text.str(USUAL_SLOW[i]);
                i += 1;
            }
        } else {
            text = text.fields(FrameKind::Slow, self.slow);
        }
        let (numerator, denominator) = self.intervals.p_rate();
        text = text.str("H I interval:").number(self.intervals.i_interval()).str("\nH P interval:");
        text = text.number(numerator).str("/").number(denominator).str("\n");
        let mut i = 0;
        while i < USUAL_LINES.len() {
            if !self.gives(USUAL_LINES[i].0) {
                text = text.line(USUAL_LINES[i]);
            }
            i += 1;
        }
        // Decoders take `minthrottle` for the lower of `motorOutput`, too, unless that comes after it.
        text.lines(self.lines, true).lines(self.lines, false)
    }

    /// Whether the lines have one of this name.
    pub const fn gives(&self, name: &str) -> bool {
        let mut i = 0;
        while i < self.lines.len() {
            if crate::wording::const_text::same(self.lines[i].0, name) {
                return true;
            }
            i += 1;
        }
        false
    }
}

/// What a header line lists of each field.
#[derive(Clone, Copy)]
enum Of {
    Name,
    Signed,
    Predictor(FrameKind),
    Encoding(FrameKind),
}

/// A text that is written, or only measured if its capacity is 0.
struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Text<N> {
    const fn new() -> Self {
        Text { bytes: [0; N], length: 0 }
    }

    const fn byte(mut self, byte: u8) -> Self {
        if self.length < N {
            self.bytes[self.length] = byte;
        }
        self.length += 1;
        self
    }

    const fn str(mut self, text: &str) -> Self {
        let mut i = 0;
        while i < text.len() {
            self = self.byte(text.as_bytes()[i]);
            i += 1;
        }
        self
    }

    const fn number(self, number: u32) -> Self {
        if number < 10 { self } else { self.number(number / 10) }.byte(b'0' + (number % 10) as u8)
    }

    const fn line(self, (name, value): (&str, &str)) -> Self {
        self.str("H ").str(name).str(":").str(value).str("\n")
    }

    /// Those of the lines that are `minthrottle`, or those that aren't.
    const fn lines(mut self, lines: &[(&str, &str)], are_min_throttle: bool) -> Self {
        let mut i = 0;
        while i < lines.len() {
            if crate::wording::const_text::same(lines[i].0, MIN_THROTTLE) == are_min_throttle {
                self = self.line(lines[i]);
            }
            i += 1;
        }
        self
    }

    /// The four lines of a kind of frame, none without fields.
    const fn fields(self, kind: FrameKind, fields: &[FieldDefinition]) -> Self {
        let lists = match kind {
            _ if fields.is_empty() => return self,
            FrameKind::Intra => ["I name", "I signed", "I predictor", "I encoding"],
            FrameKind::Slow => ["S name", "S signed", "S predictor", "S encoding"],
            FrameKind::Gps => ["G name", "G signed", "G predictor", "G encoding"],
            _ => ["H name", "H signed", "H predictor", "H encoding"],
        };
        self.list(lists[0], fields, Of::Name)
            .list(lists[1], fields, Of::Signed)
            .list(lists[2], fields, Of::Predictor(kind))
            .list(lists[3], fields, Of::Encoding(kind))
    }

    /// `H Field I name:loopIteration,time`.
    const fn list(mut self, name: &str, fields: &[FieldDefinition], of: Of) -> Self {
        self = self.str("H Field ").str(name);
        let mut i = 0;
        while i < fields.len() {
            self = self.byte(if i == 0 { b':' } else { b',' });
            let field = &fields[i];
            self = match of {
                Of::Name => self.str(field.name),
                Of::Signed => self.number(field.signed as u32),
                Of::Predictor(kind) => self.number(field.coding(kind).predictor.number() as u32),
                Of::Encoding(kind) => self.number(field.coding(kind).encoding.number() as u32),
            };
            i += 1;
        }
        self.byte(b'\n')
    }
}

/// The header as a text. It is ASCII, as all names and lines are.
pub const fn ascii(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a header line is ASCII"),
    }
}

/// The header of a session in pieces: the lines of the schema, then those of `headers`, names and values. A line of
/// `headers` takes the place of the schema's line of that name.
pub(crate) fn pieces<'h>(
    schema: &'static str,
    headers: &'h [(&'h str, &'h str)],
) -> impl Iterator<Item = &'h str> + Clone {
    let of_schema = schema.split_inclusive('\n').flat_map(|line| {
        let given = headers.iter().find(|&&(name, _)| line_name(line) == Some(name));
        given.map_or([line, "", "", "", ""], pieces_of_line)
    });
    let others = headers.iter().filter(|(name, _)| line_of(schema, name.as_bytes()).is_none()).flat_map(pieces_of_line);
    of_schema.chain(others).filter(|piece| !piece.is_empty())
}

fn pieces_of_line<'h>(&(name, value): &(&'h str, &'h str)) -> [&'h str; 5] {
    ["H ", name, ":", value, "\n"]
}

fn line_name(line: &str) -> Option<&str> {
    Some(line.strip_prefix("H ")?.split_once(':')?.0)
}

/// Where a schema's header has the line of this name, its end included.
// By bytes, because the search for a character of a text takes a microcontroller 1 KB of flash.
pub(crate) fn line_of(schema: &str, name: &[u8]) -> Option<Range<usize>> {
    let mut end = 0;
    schema.as_bytes().split_inclusive(|&byte| byte == b'\n').find_map(|line| {
        let start = end;
        end += line.len();
        let after = line.strip_prefix(b"H ")?.strip_prefix(name)?;
        (after.first() == Some(&b':')).then_some(start..end)
    })
}

/// Whether a line is the `minthrottle` that decoders would take for the lower of a `motorOutput` before it: of the
/// schema, or of another line of run time (`follows_motor_output`).
pub(crate) fn hides_motor_output(schema: &str, name: &[u8], follows_motor_output: bool) -> bool {
    let has_line = |name: &str| line_of(schema, name.as_bytes()).is_some();
    name == MIN_THROTTLE.as_bytes() && !has_line(MIN_THROTTLE) && (follows_motor_output || has_line(MOTOR_OUTPUT))
}

/// Checks the header lines of run time, which follow `schema`, and returns what predictors refer to.
pub(crate) fn check(
    schema: &str,
    mut references: References,
    headers: &[(&str, &str)],
) -> Result<References, InvalidHeader> {
    for (index, &(name, value)) in headers.iter().enumerate() {
        let invalid = |reason| Err(InvalidHeader { index, reason });
        if is_of_schema(name) {
            return invalid(Reason::OfSchema);
        }
        let has_spaces_around = name.starts_with(' ') || name.ends_with(' ');
        if name.is_empty() || has_spaces_around || !name.bytes().all(is_printable) || name.contains(':') {
            return invalid(Reason::Name);
        }
        if !value.bytes().all(is_printable) {
            return invalid(Reason::Value);
        }
        if begins_a_session(name, value) {
            return invalid(Reason::Session);
        }
        if "H :".len() + name.len() + value.len() > MAX_LINE_BYTES {
            return invalid(Reason::Length);
        }
        let follows = |other| headers[..index].iter().any(|&(before, _)| before == other);
        if follows(name) {
            return invalid(Reason::Twice);
        }
        if hides_motor_output(schema, name.as_bytes(), follows(MOTOR_OUTPUT)) {
            return invalid(Reason::Order);
        }
        if references.take(name.as_bytes(), value.as_bytes()).is_none() {
            return invalid(Reason::Number);
        }
    }
    Ok(references)
}

/// Whether the line describes the frames, which only the schema may do.
fn is_of_schema(name: &str) -> bool {
    name.starts_with("Field ") || ["Product", "Data version", "I interval", "P interval", "P ratio"].contains(&name)
}

/// Whether the line contains the one that begins a session: readers look for it anywhere in the file.
fn begins_a_session(name: &str, value: &str) -> bool {
    let is_in_value = value.as_bytes().windows(SESSION.len()).any(|bytes| bytes == SESSION.as_bytes());
    is_in_value || SESSION.split_once(':').is_some_and(|(of, to)| name.ends_with(of) && value.starts_with(to))
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// A header line that can't be in a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidHeader {
    index: usize,
    reason: Reason,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    OfSchema,
    Name,
    Value,
    Session,
    Length,
    Twice,
    Order,
    Late,
    Number,
}

impl InvalidHeader {
    /// A line that comes after the session's first main frame.
    pub(crate) const LATE: Self = InvalidHeader { index: 0, reason: Reason::Late };

    /// A `minthrottle` that comes after `motorOutput`.
    pub(crate) const ORDER: Self = InvalidHeader { index: 0, reason: Reason::Order };

    /// The index of the line in those that were given.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The error in words, with the line of `headers` that it is about.
    #[cfg(all(feature = "derive", feature = "std"))]
    pub(crate) fn about(&self, headers: &[(&str, &str)]) -> String {
        let Some((name, value)) = headers.get(self.index) else { return self.to_string() };
        match (self.reason, *name) {
            (Reason::Number, MOTOR_OUTPUT) => format!(
                "the header line `{name}` is `{value}`; it must be two numbers of 0 to 65535 (`158,2047`), because \
                 predictors refer to it"
            ),
            (Reason::Number, _) => format!(
                "the header line `{name}` is `{value}`; it must be a number of 0 to 65535, because predictors refer to it"
            ),
            _ => format!("the header line `{}` {}", name.escape_debug(), self.reason.why()),
        }
    }
}

impl Reason {
    /// What follows the line's name or number.
    fn why(self) -> &'static str {
        match self {
            Reason::OfSchema => "is one that the schema writes; leave it out",
            Reason::Name => {
                "has a name that is empty, begins or ends with a space, or contains a `:` or something else than printable \
                 ASCII"
            }
            Reason::Value => "has a value that contains something else than printable ASCII",
            Reason::Session => "contains `H Product:Blackbox flight data recorder`, with which readers begin a session",
            Reason::Length => "is longer than 1020 bytes, the most that decoders read",
            Reason::Twice => "has the name of a line before it",
            Reason::Order => {
                "comes after `motorOutput`, whose lower number decoders then replace by this `minthrottle`; give it before \
                 `motorOutput`, in the schema if that has `motorOutput`"
            }
            Reason::Late => "comes after the session's first main frame; give it before",
            Reason::Number => {
                "must be a number of 0 to 65535, because predictors refer to it (motorOutput two of them, `158,2047`)"
            }
        }
    }
}

impl fmt::Display for InvalidHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "header line {} {}", self.index + 1, self.reason.why())
    }
}

impl core::error::Error for InvalidHeader {}
