//! The log that a session is converted to: messages of [`ConvertedLog`], and messages that are defined while
//! converting.

use super::ConvertError;
use super::messages::ConvertedLog;
use crate::declare::messages::{Fmt, Fmtu, Msg, Mult, Unit as UnitMessage};
use crate::format::field::Chars;
use crate::format::header::record_header;
use crate::format::{Definition, Format, LogMessage, LogSchema, Logs, Multiplier, Unit};
use crate::write::encode;
use std::io::Write;

/// A column of a message that is defined while converting.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Column {
    pub(super) label: String,
    pub(super) format: Format,
    pub(super) unit: Unit,
    pub(super) multiplier: Multiplier,
}

/// Columns of a message, bytes of its labels, and of a record: what FMT has room for.
const MAX_COLUMNS: usize = 16;
const MAX_LABELS: usize = 64;
const MAX_LENGTH: usize = 255;

/// Whether a message with these columns and more of them has room in its definition.
pub(super) fn has_room(columns: &[Column], more: &[Column]) -> bool {
    let all = || columns.iter().chain(more);
    let labels: usize = all().map(|column| column.label.len() + 1).sum();
    let length: usize = all().map(|column| column.format.size()).sum();
    all().count() <= MAX_COLUMNS && labels <= MAX_LABELS + 1 && Definition::HEADER_LENGTH + length <= MAX_LENGTH
}

/// A log in the making.
pub(super) struct Output<W> {
    writer: W,
    /// Ids that neither the schema nor a definition has.
    free_ids: Vec<u8>,
    units: Vec<Unit>,
    multipliers: Vec<Multiplier>,
    next_text: u8,
    pub(super) records: u64,
    pub(super) bytes: u64,
}

impl<W: Write> Output<W> {
    /// Writes the definitions of [`ConvertedLog`].
    pub(super) fn new(writer: W) -> Result<Self, ConvertError> {
        let messages = ConvertedLog::MESSAGES;
        let is_free = |id: &u8| messages.iter().all(|message| message.id != *id);
        let columns = || messages.iter().flat_map(|message| message.definition.columns);
        let mut output = Output {
            writer,
            // In reverse, since ids are taken from the end. 255 is reserved, and 0 would be taken for a time in FMTU.
            free_ids: (1..=254).rev().filter(is_free).collect(),
            units: columns().map(|column| column.unit).collect(),
            multipliers: columns().map(|column| column.multiplier).collect(),
            next_text: 0,
            records: 0,
            bytes: 0,
        };
        output.put(ConvertedLog::PREAMBLE)?;
        Ok(output)
    }

    /// Writes a message.
    pub(super) fn write<M: LogMessage>(&mut self, message: &M) -> Result<(), ConvertError>
    where
        ConvertedLog: Logs<M>,
    {
        let mut record = [0; MAX_LENGTH];
        // All messages are derived, so none is longer than a record.
        let length = encode::<ConvertedLog, M>(message, &mut record).unwrap_or_default();
        self.records += 1;
        self.put(&record[..length])
    }

    /// Writes a text, in parts if it is long.
    pub(super) fn text(&mut self, time_us: u64, text: &str) -> Result<(), ConvertError> {
        // Text of a damaged header may have NULs, where readers would end it, and be longer than any text.
        let text: String = text.chars().filter(|&character| character != '\0').take(4096).collect();
        let id = self.next_text;
        self.next_text = self.next_text.wrapping_add(1);
        for part in Msg::parts(time_us, id, &text).into_iter().flatten() {
            self.write(&part)?;
        }
        Ok(())
    }

    /// How many messages can be defined.
    pub(super) fn free_ids(&self) -> usize {
        self.free_ids.len()
    }

    /// Defines a message, whose columns have room, and returns its id.
    pub(super) fn define(&mut self, name: &str, columns: &[Column]) -> Result<u8, ConvertError> {
        let id = self.free_ids.pop().ok_or(ConvertError::TooManyMessages)?;
        for column in columns {
            if !self.units.contains(&column.unit) {
                self.units.push(column.unit);
                let (id, label) = (column.unit.id().cast_signed(), Chars::cut(column.unit.name()));
                self.write(&UnitMessage { time_us: 0, id, label })?;
            }
            if !self.multipliers.contains(&column.multiplier) {
                self.multipliers.push(column.multiplier);
                let (id, mult) = (column.multiplier.id().cast_signed(), column.multiplier.value());
                self.write(&Mult { time_us: 0, id, mult })?;
            }
        }
        let length: usize = columns.iter().map(|column| column.format.size()).sum();
        let characters =
            |of: fn(&Column) -> u8| -> String { columns.iter().map(|column| char::from(of(column))).collect() };
        let labels: Vec<&str> = columns.iter().map(|column| column.label.as_str()).collect();
        self.write(&Fmt {
            r#type: id,
            length: (Definition::HEADER_LENGTH + length) as u8,
            name: Chars::cut(name),
            format: Chars::cut(&characters(|column| column.format.character())),
            columns: Chars::cut(&labels.join(",")),
        })?;
        self.write(&Fmtu {
            time_us: 0,
            fmt_type: id,
            unit_ids: Chars::cut(&characters(|column| column.unit.id())),
            mult_ids: Chars::cut(&characters(|column| column.multiplier.id())),
        })?;
        Ok(id)
    }

    /// Writes a record of a message that [`define`](Self::define) returned the id of.
    pub(super) fn record(&mut self, id: u8, payload: &[u8]) -> Result<(), ConvertError> {
        let mut record = [0; MAX_LENGTH];
        let end = Definition::HEADER_LENGTH + payload.len();
        record[..Definition::HEADER_LENGTH].copy_from_slice(&record_header(id));
        record[Definition::HEADER_LENGTH..end].copy_from_slice(payload);
        self.records += 1;
        self.put(&record[..end])
    }

    pub(super) fn finish(mut self) -> Result<W, ConvertError> {
        self.writer.flush()?;
        Ok(self.writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), ConvertError> {
        self.bytes += bytes.len() as u64;
        Ok(self.writer.write_all(bytes)?)
    }
}
