//! The frames and fields that the lines `Field I name`, `Field I predictor` and so on define.

use super::lines::{self, LoggedLine, entries};
use crate::blackbox::decode::{FramePlan, Given, PlannedField, Unusable};
use crate::blackbox::definition::{Encoding, FrameKind, Predictor};

/// A frame that a header defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedFrame {
    letter: u8,
    fields: Vec<LoggedField>,
    plan: Result<FramePlan, Unusable>,
}

/// A field of a frame, as the header defines it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedField {
    name: String,
    /// As the header says it.
    signed: bool,
    number: Number,
    predictor: u32,
    encoding: u32,
}

/// How the 32 bits of a value are a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    Unsigned,
    Signed,
    /// 16 of the bits.
    Signed16,
}

impl Number {
    fn of(signed: bool) -> Self {
        if signed { Number::Signed } else { Number::Unsigned }
    }

    pub(crate) fn value(self, bits: u32) -> i64 {
        match self {
            Number::Unsigned => bits.into(),
            Number::Signed => bits.cast_signed().into(),
            Number::Signed16 => (bits as u16).cast_signed().into(),
        }
    }
}

impl LoggedFrame {
    /// The letter that the frames begin with.
    pub fn letter(&self) -> u8 {
        self.letter
    }

    /// The kind of the frames; `None` for a letter that only this header defines.
    pub fn kind(&self) -> Option<FrameKind> {
        FrameKind::from_letter(self.letter)
    }

    /// The fields. Empty if the frames can't be decoded because header lines are missing.
    pub fn fields(&self) -> &[LoggedField] {
        &self.fields
    }

    /// Why the frames can't be decoded, if they can't.
    pub fn unusable(&self) -> Option<Unusable> {
        self.plan.as_ref().err().copied()
    }

    pub(in crate::blackbox) fn plan(&self) -> Result<&FramePlan, &Unusable> {
        self.plan.as_ref()
    }

    pub(super) fn fields_mut(&mut self) -> &mut [LoggedField] {
        &mut self.fields
    }

    /// The frame with `more` fields of these names after the field with the index `after`, coded as that one. `None` if
    /// it can't be decoded.
    pub(super) fn with_more(&self, after: usize, more: &[String], data_version: u32) -> Option<Self> {
        let given = *self.plan.as_ref().ok()?.given();
        let motor_0 = given.motor_0.map(|index| if index > after { index + more.len() } else { index });
        let like = self.fields.get(after)?;
        let more = more.iter().map(|name| LoggedField { name: name.clone(), ..like.clone() });
        let mut fields = self.fields.clone();
        fields.splice(after + 1..after + 1, more);
        let plan = plan(data_version, &Given { motor_0, ..given }, &fields);
        plan.is_ok().then_some(LoggedFrame { letter: self.letter, fields, plan })
    }
}

impl LoggedField {
    /// The name, `gyroADC[0]` for an element of an array.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the header says that the 32 bits of a value are a signed number. [`value`](Self::value) takes the
    /// altitude of a GPS frame for one in any case, because firmware logs altitudes below the sea as unsigned numbers.
    pub fn is_signed(&self) -> bool {
        self.signed
    }

    /// Whether a value is the same number for a struct whose field has, or hasn't, a sign, as long as that holds it.
    pub(in crate::blackbox) fn may_be_read_as(&self, signed: bool) -> bool {
        self.signed == signed || self.number == Number::of(signed)
    }

    pub(crate) fn number(&self) -> Number {
        self.number
    }

    pub(super) fn take_for(&mut self, number: Number) {
        self.number = number;
    }

    /// The predictor; `None` if the header's number is not defined.
    pub fn predictor(&self) -> Option<Predictor> {
        Predictor::from_number(self.predictor.try_into().ok()?)
    }

    /// The encoding; `None` if the header's number is not defined.
    pub fn encoding(&self) -> Option<Encoding> {
        Encoding::from_number(self.encoding.try_into().ok()?)
    }

    /// The value of 32 bits in a frame.
    pub fn value(&self, bits: u32) -> i64 {
        self.number.value(bits)
    }
}

/// The names of the fields of frames with this letter.
pub(super) fn names<'l>(lines: &'l [LoggedLine<'_>], letter: u8) -> Vec<&'l str> {
    list(lines, letter, "name").unwrap_or_default()
}

fn list<'l>(lines: &'l [LoggedLine<'_>], letter: u8, what: &str) -> Option<Vec<&'l str>> {
    let line = lines::value(lines, &format!("Field {} {what}", char::from(letter)))?;
    Some(entries(line.value()).collect())
}

fn numbers(lines: &[LoggedLine<'_>], letter: u8, what: &str) -> Vec<Option<u32>> {
    list(lines, letter, what).unwrap_or_default().iter().map(|number| number.parse().ok()).collect()
}

/// All frames that the lines define.
pub(super) fn frames(lines: &[LoggedLine<'_>], data_version: u32, given: &Given) -> Vec<LoggedFrame> {
    let mut frames: Vec<LoggedFrame> = Vec::new();
    for line in lines {
        let Some([letter, b' ', ..]) = line.name().strip_prefix("Field ").map(str::as_bytes) else { continue };
        // An event has no fields, and any other byte would make frames of damaged text.
        if *letter == b'E' || !letter.is_ascii_uppercase() || frames.iter().any(|frame| frame.letter == *letter) {
            continue;
        }
        frames.push(frame(lines, *letter, data_version, given));
    }
    frames
}

fn frame(lines: &[LoggedLine<'_>], letter: u8, data_version: u32, given: &Given) -> LoggedFrame {
    // P frames have the fields of I frames.
    let of_names = if letter == b'P' { b'I' } else { letter };
    let names = names(lines, of_names);
    // Without this line, values are unsigned, as in Cleanflight's decoder.
    let signs = numbers(lines, of_names, "signed");
    let predictors = numbers(lines, letter, "predictor");
    let encodings = numbers(lines, letter, "encoding");
    if names.is_empty() || names.len() != predictors.len() || names.len() != encodings.len() {
        let counts = Unusable::Counts { names: names.len(), predictors: predictors.len(), encodings: encodings.len() };
        return LoggedFrame { letter, fields: Vec::new(), plan: Err(counts) };
    }
    let codings = predictors.into_iter().zip(encodings).enumerate();
    let fields: Vec<_> = names
        .iter()
        .zip(codings)
        .map(|(name, (i, (predictor, encoding)))| {
            let signed = signs.get(i).copied().flatten().is_some_and(|sign| sign != 0);
            LoggedField {
                name: (*name).to_owned(),
                signed,
                number: Number::of(signed),
                // A number that can't be read is not defined.
                predictor: predictor.unwrap_or(u32::MAX),
                encoding: encoding.unwrap_or(u32::MAX),
            }
        })
        .collect();
    let plan = plan(data_version, given, &fields);
    LoggedFrame { letter, fields, plan }
}

fn plan(data_version: u32, given: &Given, fields: &[LoggedField]) -> Result<FramePlan, Unusable> {
    let planned = |field: &LoggedField| PlannedField {
        signed: field.signed,
        predictor: field.predictor,
        encoding: field.encoding,
    };
    FramePlan::new(data_version, given, &fields.iter().map(planned).collect::<Vec<_>>())
}
