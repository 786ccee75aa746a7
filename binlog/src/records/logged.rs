//! Definitions as a log gives them.

use crate::field::Chars;
use crate::{Definition, Difference, Mismatch};
use core::fmt;

/// Payload of an FMT record: type, length, name, format characters, labels.
type Fmt = [u8; 86];
/// Payload of an FMTU record: time, type, unit ids, multiplier ids.
type Fmtu = [u8; 41];

const FMT_ID: u8 = 128;

/// What every log begins with, for one that doesn't.
const FMT_OF_FMT: Fmt = {
    let mut fmt = [0; 86];
    fmt.split_at_mut(14).0.copy_from_slice(b"\x80\x59FMT\0BBnNZ\0\0\0");
    fmt.split_at_mut(22).1.split_at_mut(31).0.copy_from_slice(b"Type,Length,Name,Format,Columns");
    fmt
};

/// A message's definition in a log: its FMT record and, once it came, its FMTU record.
#[derive(Clone, Copy)]
pub struct LoggedDefinition<'a> {
    fmt: &'a Fmt,
    fmtu: Option<&'a Fmtu>,
}

impl<'a> LoggedDefinition<'a> {
    /// Bytes of a record, header included: 3 to 255.
    pub fn length(&self) -> u8 {
        self.fmt[1]
    }

    /// The message's name; `""` if it isn't UTF-8.
    pub fn name(&self) -> &'a str {
        text(&self.fmt[2..6])
    }

    /// The format characters, one a column; `""` if they aren't UTF-8.
    pub fn format(&self) -> &'a str {
        text(&self.fmt[6..22])
    }

    /// The labels, joined by commas; `""` if they aren't UTF-8.
    pub fn labels(&self) -> &'a str {
        text(&self.fmt[22..86])
    }

    /// The unit's id of each column, if the log has an FMTU for the message; `""` if they aren't UTF-8.
    pub fn unit_ids(&self) -> Option<&'a str> {
        self.fmtu.map(|fmtu| text(&fmtu[9..25]))
    }

    /// The multiplier's id of each column, if the log has an FMTU for the message; `""` if they aren't UTF-8.
    pub fn multiplier_ids(&self) -> Option<&'a str> {
        self.fmtu.map(|fmtu| text(&fmtu[25..41]))
    }

    /// Whether it is the very definition that another record was read by.
    pub(super) fn is(&self, other: &LoggedDefinition<'_>) -> bool {
        core::ptr::eq(self.fmt, other.fmt)
            && self.fmtu.map(|fmtu| fmtu.as_ptr()) == other.fmtu.map(|fmtu| fmtu.as_ptr())
    }

    /// Whether the log means what the program means: name, columns and their formats; units and multipliers too, if the
    /// log has them, by their ids (what the log calls a custom id isn't compared).
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn check(&self, definition: &Definition) -> Result<(), Mismatch> {
        let differs = |difference| Err(Mismatch { message: definition.name, difference });
        if self.name() != definition.name {
            return differs(Difference::Name { found: Chars::cut(self.name()) });
        }
        let formats = self.format().as_bytes();
        let labels = Some(self.labels()).filter(|labels| !labels.is_empty());
        let mut labels = labels.into_iter().flat_map(|labels| labels.split(','));
        for (i, column) in definition.columns.iter().enumerate() {
            let Some(label) = labels.next() else {
                return differs(Difference::Columns { expected: definition.columns.len(), found: i });
            };
            if label != column.label {
                return differs(Difference::Label { expected: column.label, found: Chars::cut(label) });
            }
            let found = formats.get(i).copied().unwrap_or(0);
            if found != column.format.character() {
                return differs(Difference::Format { label: column.label, expected: column.format, found });
            }
        }
        let more = labels.count().max(formats.len().saturating_sub(definition.columns.len()));
        if more > 0 {
            let expected = definition.columns.len();
            return differs(Difference::Columns { expected, found: expected + more });
        }
        if usize::from(self.length()) != definition.length() {
            return differs(Difference::Length { expected: definition.length(), found: self.length() });
        }
        let (Some(units), Some(multipliers)) = (self.unit_ids(), self.multiplier_ids()) else {
            return Ok(());
        };
        for (i, column) in definition.columns.iter().enumerate() {
            if let Some(&found) = units.as_bytes().get(i)
                && found != column.unit.id()
            {
                return differs(Difference::Unit { label: column.label, expected: column.unit.id(), found });
            }
            if let Some(&found) = multipliers.as_bytes().get(i)
                && found != column.multiplier.id()
            {
                return differs(Difference::Multiplier {
                    label: column.label,
                    expected: column.multiplier.id(),
                    found,
                });
            }
        }
        Ok(())
    }
}

impl fmt::Debug for LoggedDefinition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggedDefinition")
            .field("name", &self.name())
            .field("length", &self.length())
            .field("format", &self.format())
            .field("labels", &self.labels())
            .field("unit_ids", &self.unit_ids())
            .field("multiplier_ids", &self.multiplier_ids())
            .finish()
    }
}

/// Text up to the first NUL.
fn text(bytes: &[u8]) -> &str {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    core::str::from_utf8(&bytes[..end]).unwrap_or("")
}

/// The definitions that a log has given so far.
#[derive(Clone)]
pub(super) struct Definitions<'a> {
    by_id: [Option<LoggedDefinition<'a>>; 256],
    fmtu_id: Option<u8>,
}

impl<'a> Definitions<'a> {
    pub(super) fn new() -> Self {
        let mut by_id = [None; 256];
        by_id[usize::from(FMT_ID)] = Some(LoggedDefinition { fmt: &FMT_OF_FMT, fmtu: None });
        Definitions { by_id, fmtu_id: None }
    }

    pub(super) fn get(&self, id: u8) -> Option<LoggedDefinition<'a>> {
        self.by_id[usize::from(id)]
    }

    pub(super) fn length(&self, id: u8) -> Option<usize> {
        self.get(id).map(|definition| usize::from(definition.length()))
    }

    /// Takes a record's payload to heart, if it defines something.
    pub(super) fn learn(&mut self, id: u8, payload: &'a [u8]) {
        if id == FMT_ID {
            if let Some(fmt) = payload.first_chunk() {
                self.learn_fmt(fmt);
            }
        } else if Some(id) == self.fmtu_id
            && let Some(fmtu) = payload.first_chunk::<41>()
            && let Some(definition) = &mut self.by_id[usize::from(fmtu[8])]
        {
            definition.fmtu = Some(fmtu);
        }
    }

    fn learn_fmt(&mut self, fmt: &'a Fmt) {
        let [id, length, ..] = *fmt;
        // A record is no shorter than its header, and FMT's own length is what this definition was read by.
        if usize::from(length) < Definition::HEADER_LENGTH || (id == FMT_ID && usize::from(length) != 3 + fmt.len()) {
            return;
        }
        let slot = &mut self.by_id[usize::from(id)];
        // ArduPilot repeats identical FMTs without their FMTU.
        let fmtu = slot.filter(|old| old.fmt == fmt).and_then(|old| old.fmtu);
        *slot = Some(LoggedDefinition { fmt, fmtu });
        if text(&fmt[2..6]) == "FMTU" && text(&fmt[6..22]) == "QBNN" {
            self.fmtu_id = Some(id);
        } else if self.fmtu_id == Some(id) {
            self.fmtu_id = None;
        }
    }
}
