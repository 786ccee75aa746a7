//! The texts of a log.

use super::integer;
use crate::format::LoggedText;
use crate::read::Log;
use std::collections::HashMap;

/// A text for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextMessage {
    /// When it was logged, in microseconds since boot.
    pub time_us: u64,
    /// The text, with all its parts joined.
    pub text: String,
    /// Whether no part before the last one is missing.
    pub is_complete: bool,
}

/// A text that may have further parts.
struct Open {
    text: usize,
    next: u8,
}

impl Log<'_> {
    /// The texts of the MSG records. A text longer than a record is split into parts with one ID and ascending Seq.
    pub fn texts(&self) -> Vec<TextMessage> {
        self.texts_with_offsets().into_iter().map(|(text, _)| text).collect()
    }

    /// The [texts](Log::texts), each with the offsets of its records in the log: one for each part.
    pub fn texts_with_offsets(&self) -> Vec<(TextMessage, Vec<usize>)> {
        let rows = self.all("MSG");
        let mut texts: Vec<(TextMessage, Vec<u8>, Vec<usize>)> = Vec::new();
        let mut open = HashMap::<u8, Open>::new();
        let mut boot = 0;
        for (record, time_us) in rows.records().zip(rows.times_us()) {
            let Some(part) = record.value("Message").and_then(|value| value.text()) else { continue };
            let last_boot = std::mem::replace(&mut boot, self.boot_at(record.offset()));
            if last_boot != boot {
                open.clear();
            }
            let (id, seq) = (integer(&record, "ID"), integer::<u8>(&record, "Seq"));
            if let (Some(id), Some(seq @ 1..)) = (id, seq)
                && let Some(Open { text, next }) = open.get_mut(&id)
                && *next <= seq
                // IDs wrap after 256 texts, so a part of a text that long ago belongs to another text.
                && texts.len() - *text < 128
            {
                let (text, bytes, offsets) = &mut texts[*text];
                bytes.extend(part.as_bytes());
                offsets.push(record.offset());
                text.is_complete &= *next == seq;
                *next = seq.saturating_add(1);
                continue;
            }
            if let (Some(id), Some(seq)) = (id, seq) {
                open.insert(id, Open { text: texts.len(), next: seq.saturating_add(1) });
            }
            let text = TextMessage { time_us, text: String::new(), is_complete: seq.unwrap_or(0) == 0 };
            texts.push((text, part.as_bytes().to_vec(), vec![record.offset()]));
        }
        // A part may end inside a character, so the text is decoded as a whole.
        let whole = |(text, bytes, offsets): (TextMessage, Vec<u8>, Vec<usize>)| {
            (TextMessage { text: LoggedText::new(&bytes).to_string(), ..text }, offsets)
        };
        texts.into_iter().map(whole).collect()
    }
}
