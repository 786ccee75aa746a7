//! The values of a line as the payload of a record.

use super::damage::LineFault;
use super::definition::TextType;
use super::number::{self, Stored};
use crate::format::Format;
use memchr::{memchr, memrchr};

/// Appends the payload of a record whose values follow the name and a comma; `None` if there is no comma. What is
/// appended before an error is for the caller to remove. A fault that isn't an error leaves the record usable.
pub(super) fn encode(
    of: &TextType,
    values: Option<&[u8]>,
    payload: &mut Vec<u8>,
) -> Result<Option<LineFault>, LineFault> {
    let is_spaced = values.is_some_and(|values| values.starts_with(b" "));
    let columns = of.formats.len();
    let too_few = || {
        let count = values.map_or(0, |values| values.split(|byte| *byte == b',').count());
        LineFault::TooFewValues { values: count, columns }
    };
    let (mut rest, mut fault) = (values, None);
    for (column, format) in of.formats.iter().copied().enumerate() {
        let text = rest.ok_or_else(too_few)?;
        if let Some(after) = number::encode_usual(format, text, is_spaced, payload) {
            rest = after;
            continue;
        }
        let (value, after) = match of.longest_text {
            Some(longest) if longest == column => long_text(text, columns - 1 - column).ok_or_else(too_few)?,
            _ => split(text, format, is_spaced),
        };
        rest = after;
        if format.is_text() {
            let value = value.strip_prefix(b" ").filter(|_| is_spaced).unwrap_or(value);
            let room = format.size();
            let kept = &value[..whole_characters(value, room)];
            payload.extend(kept);
            payload.resize(payload.len() + room - kept.len(), 0);
            if kept.len() < value.len() {
                fault = Some(LineFault::LongText { label: of.label(column), room });
            }
            continue;
        }
        let value = value.trim_ascii();
        match number::encode(format, value, payload) {
            Some(Stored::Exactly) => {}
            Some(Stored::Rounded) => fault = Some(LineFault::Rounded { label: of.label(column), format }),
            None => {
                let value = String::from_utf8_lossy(&value[..value.len().min(24)]).into_owned();
                return Err(LineFault::WrongValue { label: of.label(column), format, value });
            }
        }
    }
    let is_blank = |byte: &u8| *byte == b',' || byte.is_ascii_whitespace();
    match rest {
        Some(more) if !more.iter().all(is_blank) => Ok(Some(LineFault::SurplusValues { columns })),
        _ => Ok(fault),
    }
}

/// The text up to the comma before the last `after` values, and what follows the comma.
fn long_text(text: &[u8], after: usize) -> Option<(&[u8], Option<&[u8]>)> {
    let mut end = text.len();
    for _ in 0..after {
        end = memrchr(b',', &text[..end])?;
    }
    Some((&text[..end], text.get(end + 1..).filter(|_| after > 0)))
}

/// The value up to the next comma, and what follows the comma.
fn split(text: &[u8], format: Format, is_spaced: bool) -> (&[u8], Option<&[u8]>) {
    if format == Format::I16x32
        && let Some(end) = memchr(b']', text)
    {
        let (samples, after) = text.split_at(end + 1);
        return (samples, memchr(b',', after).map(|comma| &after[comma + 1..]));
    }
    let Some(mut comma) = memchr(b',', text) else { return (text, None) };
    if is_spaced && number::is_decimal_comma(format, text, comma) {
        match memchr(b',', &text[comma + 1..]) {
            Some(length) => comma += 1 + length,
            None => return (text, None),
        }
    }
    (&text[..comma], Some(&text[comma + 1..]))
}

/// How many of the bytes fit, without cutting a character of UTF-8.
fn whole_characters(text: &[u8], room: usize) -> usize {
    if text.len() <= room {
        return text.len();
    }
    let is_continued = |at: usize| text[at] & 0xC0 == 0x80;
    (room.saturating_sub(3)..=room).rev().find(|at| !is_continued(*at)).unwrap_or(room)
}
