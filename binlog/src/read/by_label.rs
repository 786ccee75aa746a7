//! Reads the columns of the program's message by their labels, where the log defines them differently.

use crate::format::MismatchKind;
use crate::format::{Definition, Format, Value};
use crate::read::LoggedDefinition;
use crate::read::catalogue::comparison::by_meaning::widens_time;
use crate::read::catalogue::comparison::lossless::{ColumnSource, lossless};
use crate::read::catalogue::units::UnitsAt;
use crate::read::records::time::TimeSource;

/// Converts payloads of the log to payloads of the program, column by column.
#[derive(Debug)]
pub(crate) struct Conversion {
    /// `None` if the log's payload equals the program's.
    steps: Option<Vec<Step>>,
    /// Bytes of the program's payload.
    length: usize,
    /// Whether it widens a time of 32 bits, so that it needs the number of wraps.
    counts_wraps: bool,
}

/// Fills one column of the program, whose format and offset are `to`.
#[derive(Debug)]
struct Step {
    from: From,
    to: (Format, usize),
}

#[derive(Debug)]
enum From {
    /// A column of the log: its format and its offset.
    Column(Format, usize),
    /// The log's time, for a program's time of 64 bits.
    Time(TimeSource),
    /// The program's default, in the program's format.
    Default(&'static [u8]),
}

/// Room for a converted payload.
pub(crate) type Payload = [u8; 255];

impl Conversion {
    /// The conversion from a log's definition to that of the program. `units` are those in force at the log's
    /// definition.
    ///
    /// # Errors
    ///
    /// All differences that would lose something.
    pub(crate) fn new<'l>(
        program: &'static Definition,
        logged: &LoggedDefinition<'l>,
        units: UnitsAt<'l>,
    ) -> Result<Self, Vec<MismatchKind>> {
        let mut offset = 0;
        let mut steps = Vec::new();
        for (source, column) in lossless(program, logged, units)? {
            let from = match source {
                ColumnSource::Column(found) if widens_time(found.format, (column.label, column.format)) => {
                    From::Time(TimeSource::Micros { format: found.format, offset: found.offset })
                }
                ColumnSource::Column(found) => From::Column(found.format, found.offset),
                ColumnSource::Default(bytes) => From::Default(bytes),
            };
            steps.push(Step { from, to: (column.format, offset) });
            offset += column.format.size();
        }
        let is_same = |step: &Step| matches!(step.from, From::Column(format, offset) if (format, offset) == step.to);
        let is_same = steps.iter().all(is_same);
        let length = program.length() - Definition::HEADER_LENGTH;
        let is_whole = usize::from(logged.length()) == program.length();
        let counts_wraps = steps.iter().any(|step| matches!(step.from, From::Time(source) if source.is_narrow()));
        Ok(Conversion { steps: Some(steps).filter(|_| !(is_same && is_whole)), length, counts_wraps })
    }

    /// Whether [`convert`](Self::convert) needs the number of wraps.
    pub(crate) fn counts_wraps(&self) -> bool {
        self.counts_wraps
    }

    /// Converts the payload of a record. `wraps` says how often times of 32 bits have wrapped before.
    #[inline]
    pub(crate) fn convert<'p>(&self, payload: &'p [u8], wraps: u32, room: &'p mut Payload) -> &'p [u8] {
        let Some(steps) = &self.steps else { return payload };
        for Step { from, to } in steps {
            let Some(room) = room.get_mut(to.1..to.1 + to.0.size()) else { continue };
            match *from {
                From::Column(format, offset) => {
                    convert((format, payload.get(offset..).unwrap_or_default()), to.0, room);
                }
                From::Time(source) => {
                    let time_us = source.time_us(payload, wraps).unwrap_or_default();
                    room.copy_from_slice(&time_us.to_le_bytes()[..room.len()]);
                }
                From::Default(bytes) => room.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from),
            }
        }
        room.get(..self.length).unwrap_or_default()
    }
}

/// Writes the value at the start of `bytes` in another, wider format.
fn convert((from, bytes): (Format, &[u8]), to: Format, room: &mut [u8]) {
    if let (true, Some(bytes)) = (from.size() == to.size(), bytes.get(..room.len())) {
        room.copy_from_slice(bytes);
        return;
    }
    let Some(value) = Value::of(from, bytes) else { return };
    match (value, value.to_integer()) {
        (Value::Text(text), _) => {
            room.fill(0);
            room[..text.raw().len()].copy_from_slice(text.raw());
        }
        // Integers that fit are stored alike, with their sign extended.
        (_, Some(integer)) if !matches!(to, Format::F32 | Format::F64) => {
            room.copy_from_slice(&integer.to_le_bytes()[..room.len()]);
        }
        _ => match (to, value.to_f64()) {
            (Format::F32, Some(number)) => room.copy_from_slice(&(number as f32).to_le_bytes()),
            (Format::F64, Some(number)) => room.copy_from_slice(&number.to_le_bytes()),
            _ => {}
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::catalogue::comparison::by_meaning::widens;

    /// The value with this format and these bits.
    fn value(format: Format, bits: u128) -> Value<'static> {
        let bytes: Vec<u8> = bits.to_le_bytes().into_iter().cycle().take(64).collect();
        Value::of(format, bytes.leak()).expect("64 bytes are enough")
    }

    #[test]
    fn what_widens_keeps_every_value() {
        // Extremes, and each bit alone.
        let patterns = [0, u128::MAX, u128::MAX / 2].into_iter().chain((0..128).map(|bit| 1 << bit));
        let patterns: Vec<u128> = patterns.chain((0..128).map(|bit| !(1 << bit))).collect();
        let mut pairs = 0;
        for from in Format::ALL {
            for to in Format::ALL.into_iter().filter(|&to| widens(from, to)) {
                pairs += 1;
                for &bits in &patterns {
                    let bytes: Vec<u8> = bits.to_le_bytes().into_iter().cycle().take(64).collect();
                    let mut room = vec![0xEE; to.size()];
                    convert((from, &bytes), to, &mut room);
                    let (before, after) = (value(from, bits), Value::of(to, &room).expect("a value"));
                    let same = match (before, after) {
                        (Value::Text(before), Value::Text(after)) => before.as_bytes() == after.as_bytes(),
                        (Value::Samples(before), Value::Samples(after)) => before == after,
                        _ => match (before.to_integer(), after.to_integer()) {
                            (Some(before), Some(after)) => before == after,
                            // The stored value is recovered.
                            (Some(before), None) => {
                                let scale = from.divisor().unwrap_or(1.0);
                                after.to_f64().map(|after| (after * scale).round() as i128) == Some(before)
                            }
                            _ => before.to_f64().map(f64::to_bits) == after.to_f64().map(f64::to_bits),
                        },
                    };
                    assert!(same, "{before:?} as {to:?} is {after:?}");
                }
            }
        }
        // Each format to itself, and the pairs that the widths allow.
        assert_eq!(pairs, 75);
    }

    #[test]
    fn what_would_lose_is_refused() {
        use Format::*;
        for (from, to) in [
            (I16, I8),
            (I8, U16),
            (U16, I16),
            (U32, F32),
            (U64, F64),
            (F64, F32),
            (CentiI16, I16),
            (CentiI32, F32),
            (Coordinate, F32),
            (I16, CentiI16),
            (Coordinate, I32),
            (I32, Coordinate),
            (Chars16, Chars4),
            (I16x32, Chars64),
        ] {
            assert!(!widens(from, to), "{from:?} {to:?}");
        }
    }
}
