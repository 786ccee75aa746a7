//! Messages of the fields that no message of ArduPilot's has: `BI00` to `BIZZ` of main frames, `BS00` of slow frames,
//! `BG00` of GPS frames, `BH00` of home frames. Numbers are as logged, so that nothing is lost.

use super::ConvertError;
use super::fields::Fields;
use super::names::{LONGEST_LABEL, Names};
use super::output::{Column, Output, has_room};
use crate::blackbox::Quantity;
use crate::blackbox::header::Number;
use crate::format::{Format, Multiplier, Unit};
use std::io::Write;

/// The messages of one kind of frame.
pub(super) struct Remaining {
    letter: u8,
    messages: Vec<Message>,
}

#[derive(Default)]
struct Message {
    /// `None` until it is defined.
    id: Option<u8>,
    /// Those beside the time.
    columns: Vec<Column>,
    sources: Vec<usize>,
}

/// Lengths of labels, from the longest: the shorter they are, the more of them a message has room for.
const LABEL_LENGTHS: [usize; 6] = [LONGEST_LABEL, 28, 14, 8, 5, 3];

/// The messages of several kinds of frames, and how long their labels may be if they had to be cut.
pub(super) fn plan(
    all: &[(u8, &Fields<'_>)],
    free_ids: usize,
) -> Result<(Vec<Remaining>, Option<usize>), ConvertError> {
    for longest in LABEL_LENGTHS {
        let planned: Vec<Remaining> =
            all.iter().map(|&(letter, fields)| Remaining::of(fields, letter, longest)).collect();
        if planned.iter().map(|remaining| remaining.messages.len()).sum::<usize>() <= free_ids {
            return Ok((planned, (longest < LONGEST_LABEL).then_some(longest)));
        }
    }
    Err(ConvertError::TooManyMessages)
}

impl Remaining {
    fn of(fields: &Fields<'_>, letter: u8, longest_label: usize) -> Self {
        let mut labels = Names::labels(longest_label);
        let mut all: Vec<(&str, usize, Column)> = Vec::new();
        for (index, field, quantity) in fields.remaining() {
            let label = labels.label(field.name());
            let (unit, multiplier) = scale(quantity);
            let format = match (field.number() == Number::Signed, multiplier == Multiplier::CENTI) {
                (true, true) => Format::CentiI32,
                (true, false) => Format::I32,
                (false, true) => Format::CentiU32,
                (false, false) => Format::U32,
            };
            all.push((array(field.name()), index, Column { label, format, unit, multiplier }));
        }
        let (mut messages, mut message) = (Vec::new(), Message::default());
        // The elements of an array are in one message, if one has room for them.
        for elements in all.chunk_by(|(array, ..), (next, ..)| array == next) {
            let of_array: Vec<Column> = elements.iter().map(|(_, _, column)| column.clone()).collect();
            let fits_alone = fits(&[], &of_array);
            for (i, (_, index, column)) in elements.iter().enumerate() {
                let needed = if i == 0 && fits_alone { &of_array[..] } else { std::slice::from_ref(column) };
                if !fits(&message.columns, needed) {
                    messages.push(std::mem::take(&mut message));
                }
                message.columns.push(column.clone());
                message.sources.push(*index);
            }
        }
        if !message.sources.is_empty() {
            messages.push(message);
        }
        Remaining { letter, messages }
    }

    /// The letter of the frames.
    pub(super) fn letter(&self) -> u8 {
        self.letter
    }

    /// Defines the messages. Their names have the letter of the frames.
    pub(super) fn define<W: Write>(&mut self, output: &mut Output<W>) -> Result<(), ConvertError> {
        const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let digit = |place: usize| char::from(DIGITS[place % DIGITS.len()]);
        for (number, message) in self.messages.iter_mut().enumerate() {
            let name = format!("B{}{}{}", char::from(self.letter), digit(number / DIGITS.len()), digit(number));
            let columns: Vec<Column> = std::iter::once(time()).chain(message.columns.drain(..)).collect();
            message.id = Some(output.define(&name, &columns)?);
        }
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
            let Some(id) = message.id else { continue };
            // A time and at most 15 columns of 4 bytes.
            let mut payload = [0; 8 + 4 * 15];
            payload[..8].copy_from_slice(&time_us.to_le_bytes());
            let mut end = 8;
            for &source in &message.sources {
                let bits = values.get(source).copied().unwrap_or_default();
                payload[end..end + 4].copy_from_slice(&bits.to_le_bytes());
                end += 4;
            }
            output.record(id, &payload[..end])?;
        }
        Ok(())
    }
}

/// The name of an array from that of an element.
fn array(field: &str) -> &str {
    field.split_once('[').map_or(field, |(array, _)| array)
}

/// Whether a message with a time and these columns has room for more.
fn fits(columns: &[Column], more: &[Column]) -> bool {
    has_room(&[&[time()], columns].concat(), more)
}

fn time() -> Column {
    Column { label: "TimeUS".into(), format: Format::U64, unit: Unit::SECONDS, multiplier: Multiplier::MICRO }
}

/// Unit and multiplier of a raw number; none if a viewer would show another value.
fn scale(quantity: Option<Quantity>) -> (Unit, Multiplier) {
    // Thousandths and millionths are shown as prefixes; hundredths have formats of their own, which readers divide by
    // 100. UAV Log Viewer shows any other number as if it were in the unit (lint `misleading_multiplier`).
    const SHOWN: [u8; 4] = *b"0BCF";
    let none = (Unit::NONE, Multiplier::NONE);
    let Some(Quantity { unit, factor, .. }) = quantity.filter(|quantity| quantity.zero == 0.0) else { return none };
    // Readers divide degrees by themselves in columns of the format L only.
    let is_coordinate = [Unit::DEG_LATITUDE, Unit::DEG_LONGITUDE].contains(&unit);
    let mut shown = Multiplier::STANDARD.into_iter().filter(|multiplier| SHOWN.contains(&multiplier.id()));
    match shown.find(|multiplier| (multiplier.value() / factor - 1.0).abs() < 1e-9) {
        Some(multiplier) if !is_coordinate => (unit, multiplier),
        _ => none,
    }
}
