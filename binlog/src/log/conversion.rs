//! A log's records as a program's message where the definitions differ.

use super::units::Units;
use crate::field::Chars;
use crate::{
    ColumnDefinition, Definition, Format, LoggedColumn, LoggedDefinition, MismatchKind, Multiplier, Unit, Value,
    multiplier,
};

/// How a payload of the log becomes one of the program's: column by column, found by label.
#[derive(Debug)]
pub(super) struct Conversion {
    /// `None` when the log's payload is the program's.
    steps: Option<Vec<Step>>,
    /// Bytes of the program's payload.
    length: usize,
}

#[derive(Debug)]
struct Step {
    from: (Format, usize),
    to: (Format, usize),
}

/// The payload of a record, converted or as it is.
pub(super) type Payload = [u8; 255];

impl Conversion {
    /// The conversion from a log's definition, which stands at `defined_at`, to the program's.
    ///
    /// Columns that the program doesn't ask for are left alone, wherever the others stand. A format may become a wider
    /// one of its kind. Units and multipliers are those of the log's own tables; they count where both sides name one.
    ///
    /// # Errors
    ///
    /// All differences that would lose something.
    pub(super) fn new(
        program: &'static Definition,
        logged: &LoggedDefinition<'_>,
        defined_at: usize,
        units: &Units,
    ) -> Result<Self, Vec<MismatchKind>> {
        let mut differences = Vec::new();
        let mut steps = Vec::new();
        let mut to = 0;
        for (i, column) in program.columns.iter().enumerate() {
            // A log that breaks the rules may have a label twice, and a program that reads it too.
            let before = program.columns[..i].iter().filter(|before| before.label == column.label).count();
            match logged.columns().filter(|logged| logged.label == column.label).nth(before) {
                None => differences.push(MismatchKind::Missing { label: column.label }),
                Some(found) => {
                    differences.extend(difference(column, &found, defined_at, units));
                    steps.push(Step { from: (found.format, found.offset), to: (column.format, to) });
                }
            }
            to += column.format.size();
        }
        if !differences.is_empty() {
            return Err(differences);
        }
        let is_same = steps.iter().all(|step| step.from == step.to);
        let length = program.length() - Definition::HEADER_LENGTH;
        let is_whole = usize::from(logged.length()) == program.length();
        Ok(Conversion { steps: Some(steps).filter(|_| !(is_same && is_whole)), length })
    }

    /// The program's payload of a record.
    #[inline]
    pub(super) fn convert<'p>(&self, payload: &'p [u8], room: &'p mut Payload) -> &'p [u8] {
        let Some(steps) = &self.steps else { return payload };
        for Step { from, to } in steps {
            let from = (from.0, payload.get(from.1..).unwrap_or_default());
            if let Some(room) = room.get_mut(to.1..to.1 + to.0.size()) {
                convert(from, to.0, room);
            }
        }
        room.get(..self.length).unwrap_or_default()
    }
}

/// What would be lost, or mistaken, of a column.
fn difference(
    column: &'static ColumnDefinition,
    found: &LoggedColumn<'_>,
    defined_at: usize,
    units: &Units,
) -> Vec<MismatchKind> {
    let label = column.label;
    let mut differences = Vec::new();
    if !widens(found.format, column.format) {
        differences.push(MismatchKind::Format { label, expected: column.format, found: found.format.character() });
    }
    // `-`, `?` and `#` name no unit, and 0 and 1 change no number.
    let named = |name: &&str| !matches!(*name, "" | "UNKNOWN" | "instance");
    let theirs = found.unit_id.and_then(|id| Some((id, units.name(id, defined_at).filter(named)?)));
    if let (Some((found, theirs)), Some(ours)) = (theirs, Some(column.unit.name()).filter(named))
        && ours != theirs
    {
        let is_standard = |id, name| Unit::from_id(id).is_some_and(|unit| unit.name() == name);
        differences.push(match is_standard(found, theirs) && is_standard(column.unit.id(), ours) {
            true => MismatchKind::Unit { label, expected: column.unit.id(), found },
            false => MismatchKind::UnitName { label, expected: ours, found: Chars::cut(theirs) },
        });
    }
    let factor = |multiplier: f64| if multiplier == 0.0 { 1.0 } else { multiplier };
    // A format that scales does so whatever FMTU says, and what becomes a float of it is scaled.
    let scales = |format: Format| format.is_centi() || format == Format::Coordinate;
    let theirs = match found.multiplier_id.filter(|&id| id != b'-') {
        _ if scales(found.format) => Some((Multiplier::ONE.id(), Multiplier::ONE.value())),
        id => id.and_then(|id| Some((id, units.multiplier(id, defined_at)?))),
    };
    if let Some((found, theirs)) = theirs
        && column.multiplier.id() != b'-'
        && !scales(column.format)
        // The log's is rounded.
        && factor(theirs) != factor(multiplier::as_meant(column.multiplier.value()).unwrap_or(1.0))
    {
        let is_standard = |id, value| Multiplier::from_id(id).is_some_and(|known| known.value() == value);
        let (expected, ours) = (column.multiplier.id(), column.multiplier.value());
        let text = |value: f64| Chars::cut(&value.to_string());
        differences.push(match is_standard(found, theirs) && is_standard(expected, ours) {
            true => MismatchKind::Multiplier { label, expected, found },
            false => MismatchKind::MultiplierValue { label, expected: text(ours), found: text(theirs) },
        });
    }
    differences
}

/// Whether each value of one format is a value of the other.
fn widens(from: Format, to: Format) -> bool {
    if from == to {
        return true;
    }
    match (integer(from), integer(to)) {
        (Some(from), Some(to)) => {
            from.scaled == to.scaled
                && match (from.signed, to.signed) {
                    (true, false) => false,
                    (false, true) => from.bits < to.bits,
                    _ => from.bits <= to.bits,
                }
        }
        // Below the bits of their mantissas; hundredths differ from each other as floats with some bits to spare.
        (Some(from), None) => match to {
            Format::F32 => from.bits <= 16,
            Format::F64 => from.bits <= 32,
            _ => false,
        },
        _ => match (from, to) {
            (Format::F16, Format::F32 | Format::F64) | (Format::F32 | Format::Coordinate, Format::F64) => true,
            _ => from.is_text() && to.is_text() && from.size() <= to.size(),
        },
    }
}

struct Integer {
    signed: bool,
    bits: usize,
    /// Hundredths.
    scaled: bool,
}

/// A coordinate is none: no other format is one.
fn integer(format: Format) -> Option<Integer> {
    let bits = 8 * format.size();
    let signed = format.is_signed_integer() || matches!(format, Format::CentiI16 | Format::CentiI32);
    (format.is_integer() || format.is_centi()).then(|| Integer { signed, bits, scaled: format.is_centi() })
}

/// Writes the value at the start of `bytes` as another format, which is wider.
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
        // Those that fit are stored alike, their sign extended.
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

    /// The value of a format whose bits are these.
    fn value(format: Format, bits: u128) -> Value<'static> {
        let bytes: Vec<u8> = bits.to_le_bytes().into_iter().cycle().take(64).collect();
        Value::of(format, bytes.leak()).expect("64 bytes are enough")
    }

    #[test]
    fn what_widens_keeps_every_value() {
        // Extremes, and every bit for itself.
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
                            // What was stored is found again.
                            (Some(before), None) => {
                                let unit = if integer(from).is_none() { 1e7 } else { 100.0 };
                                let scale =
                                    if matches!(from, Format::Coordinate) || from.is_centi() { unit } else { 1.0 };
                                after.to_f64().map(|after| (after * scale).round() as i128) == Some(before)
                            }
                            _ => before.to_f64().map(f64::to_bits) == after.to_f64().map(f64::to_bits),
                        },
                    };
                    assert!(same, "{before:?} as {to:?} is {after:?}");
                }
            }
        }
        // Each as itself, and what the formats' widths allow.
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
