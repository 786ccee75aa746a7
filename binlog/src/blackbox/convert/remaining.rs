//! Messages of the fields that no message of ArduPilot's has: `BI00` to `BIZZ` of main frames, `BS00` of slow frames, `BG00`
//! of GPS frames, `BH00` of home frames. Numbers are as logged, so that nothing is lost.

use super::ConvertError;
use super::fields::Fields;
use super::names::Names;
use super::output::{Column, Output, has_room};
use crate::blackbox::quantity::Quantity;
use crate::{Format, Multiplier, Unit};
use std::io::Write;

/// The messages of one kind of frame.
pub(super) struct Remaining {
    messages: Vec<Message>,
}

struct Message {
    id: u8,
    sources: Vec<usize>,
}

impl Remaining {
    /// Defines the messages. Their names have the letter of the frames.
    pub(super) fn define<W: Write>(
        output: &mut Output<W>,
        fields: &Fields<'_>,
        letter: u8,
    ) -> Result<Self, ConvertError> {
        let mut labels = Names::labels();
        let mut all: Vec<(&str, usize, Column)> = Vec::new();
        for (index, field, quantity) in fields.remaining() {
            let label = labels.label(field.name());
            let format = if field.is_signed() { Format::I32 } else { Format::U32 };
            let (unit, multiplier) = scale(quantity);
            all.push((array(field.name()), index, Column { label, format, unit, multiplier }));
        }
        let mut remaining = Remaining { messages: Vec::new() };
        let (mut columns, mut sources) = (vec![time()], Vec::new());
        // The elements of an array are in one message, if one has room for them.
        for elements in all.chunk_by(|(array, ..), (next, ..)| array == next) {
            let of_array: Vec<Column> = elements.iter().map(|(_, _, column)| column.clone()).collect();
            let fits_alone = has_room(&[time()], &of_array);
            for (i, (_, index, column)) in elements.iter().enumerate() {
                let needed = if i == 0 && fits_alone { &of_array[..] } else { std::slice::from_ref(column) };
                if !has_room(&columns, needed) {
                    remaining.add(output, letter, &columns, std::mem::take(&mut sources))?;
                    columns.truncate(1);
                }
                columns.push(column.clone());
                sources.push(*index);
            }
        }
        if !sources.is_empty() {
            remaining.add(output, letter, &columns, sources)?;
        }
        Ok(remaining)
    }

    fn add<W: Write>(
        &mut self,
        output: &mut Output<W>,
        letter: u8,
        columns: &[Column],
        sources: Vec<usize>,
    ) -> Result<(), ConvertError> {
        const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let number = self.messages.len();
        let digit = |place: usize| char::from(DIGITS[place % DIGITS.len()]);
        let name = format!("B{}{}{}", char::from(letter), digit(number / DIGITS.len()), digit(number));
        let id = output.define(&name, columns)?;
        self.messages.push(Message { id, sources });
        Ok(())
    }

    /// Writes the records of a frame.
    pub(super) fn write<W: Write>(
        &self,
        output: &mut Output<W>,
        time_us: u64,
        values: &[u32],
    ) -> Result<(), ConvertError> {
        for message in &self.messages {
            // A time and at most 15 columns of 4 bytes.
            let mut payload = [0; 8 + 4 * 15];
            payload[..8].copy_from_slice(&time_us.to_le_bytes());
            let mut end = 8;
            for &source in &message.sources {
                let bits = values.get(source).copied().unwrap_or_default();
                payload[end..end + 4].copy_from_slice(&bits.to_le_bytes());
                end += 4;
            }
            output.record(message.id, &payload[..end])?;
        }
        Ok(())
    }
}

/// The name of an array from that of an element.
fn array(field: &str) -> &str {
    field.split_once('[').map_or(field, |(array, _)| array)
}

fn time() -> Column {
    Column { label: "TimeUS".into(), format: Format::U64, unit: Unit::SECONDS, multiplier: Multiplier::MICRO }
}

/// Unit and multiplier of a raw number; none if ArduPilot's table lacks the factor.
fn scale(quantity: Option<Quantity>) -> (Unit, Multiplier) {
    let none = (Unit::NONE, Multiplier::NONE);
    let Some(Quantity { unit, factor, .. }) = quantity.filter(|quantity| quantity.zero == 0.0) else { return none };
    // Readers divide degrees by themselves in columns of the format L only.
    let is_coordinate = [Unit::DEG_LATITUDE, Unit::DEG_LONGITUDE].contains(&unit);
    let multiplier = Multiplier::STANDARD.into_iter().filter(|multiplier| multiplier.id() != b'?');
    let multiplier = multiplier.into_iter().find(|multiplier| (multiplier.value() / factor - 1.0).abs() < 1e-9);
    match multiplier {
        Some(multiplier) if !is_coordinate => (unit, multiplier),
        _ => none,
    }
}
