//! Definitions as a log gives them.

use crate::field::Chars;
use crate::{Definition, Format, LogSchema, Mismatch, MismatchKind};
use core::fmt;
use core::ops::Range;

/// Payload of an FMT record: type, length, name, format characters, labels.
pub(crate) type Fmt = [u8; 86];
/// Payload of an FMTU record: time, type, unit ids, multiplier ids.
pub(crate) type Fmtu = [u8; 41];

/// The one id that every log agrees on.
pub(crate) const FMT_ID: u8 = 128;

/// What every log begins with, for one that doesn't.
pub(crate) const FMT_OF_FMT: Fmt = {
    let mut fmt = [0; 86];
    fmt.split_at_mut(14).0.copy_from_slice(b"\x80\x59FMT\0BBnNZ\0\0\0");
    fmt.split_at_mut(22).1.split_at_mut(31).0.copy_from_slice(b"Type,Length,Name,Format,Columns");
    fmt
};

/// A message's definition in a log: its FMT record and, once it came, its FMTU record.
///
/// Definitions that contradict themselves are taken as far as they hold: see [`columns`](LoggedDefinition::columns).
#[derive(Clone, Copy)]
pub struct LoggedDefinition<'a> {
    fmt: &'a Fmt,
    fmtu: Option<&'a Fmtu>,
}

/// A column of a message as a log defines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoggedColumn<'a> {
    /// Its label; may be empty, or equal another one's, in a log that breaks the rules. `""` if it isn't UTF-8.
    pub label: &'a str,
    /// How it is stored.
    pub format: Format,
    /// Where it begins, in bytes from the payload's start. All of it is inside the payload.
    pub offset: usize,
    /// The unit's id, where the log has an FMTU for the message.
    pub unit_id: Option<u8>,
    /// The multiplier's id, where the log has an FMTU for the message.
    pub multiplier_id: Option<u8>,
}

/// The columns of a definition, in the order of the record.
#[derive(Clone, Debug)]
pub struct LoggedColumns<'a> {
    /// What is left of them.
    labels: Option<&'a [u8]>,
    formats: &'a [u8],
    unit_ids: &'a [u8],
    multiplier_ids: &'a [u8],
    offset: usize,
    payload: usize,
}

impl<'a> Iterator for LoggedColumns<'a> {
    type Item = LoggedColumn<'a>;

    fn next(&mut self) -> Option<LoggedColumn<'a>> {
        fn first(ids: &mut &[u8]) -> Option<u8> {
            ids.split_off_first().copied()
        }
        let labels = self.labels?;
        let (label, rest) = match labels.iter().position(|&byte| byte == b',') {
            Some(comma) => (&labels[..comma], Some(&labels[comma + 1..])),
            None => (labels, None),
        };
        let format = first(&mut self.formats).and_then(Format::from_character);
        let Some(format) = format.filter(|format| self.offset + format.size() <= self.payload) else {
            self.labels = None;
            return None;
        };
        self.labels = rest;
        let offset = self.offset;
        self.offset += format.size();
        Some(LoggedColumn {
            label: core::str::from_utf8(label).unwrap_or(""),
            format,
            offset,
            unit_id: first(&mut self.unit_ids),
            multiplier_id: first(&mut self.multiplier_ids),
        })
    }
}

impl core::iter::FusedIterator for LoggedColumns<'_> {}

impl<'a> LoggedDefinition<'a> {
    pub(crate) fn new(fmt: &'a Fmt, fmtu: Option<&'a Fmtu>) -> Self {
        LoggedDefinition { fmt, fmtu }
    }

    /// The id that the definition is for.
    pub fn id(&self) -> u8 {
        self.fmt[0]
    }

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

    /// The columns: as many as have both a label and a format character.
    ///
    /// They end before the first character that is no [`Format`], since where the next column begins is unknown then,
    /// and before the first column that the record is too short for. The FMT of old firmware has five characters and
    /// four labels, so its fifth column is left out; a record that is longer than its columns is no fault.
    pub fn columns(&self) -> LoggedColumns<'a> {
        let fmtu = |range: Range<usize>| self.fmtu.map_or(&[][..], |fmtu| up_to_nul(&fmtu[range]));
        LoggedColumns {
            labels: Some(up_to_nul(&self.fmt[22..86])).filter(|labels| !labels.is_empty()),
            formats: up_to_nul(&self.fmt[6..22]),
            unit_ids: fmtu(9..25),
            multiplier_ids: fmtu(25..41),
            offset: 0,
            payload: usize::from(self.length()).saturating_sub(Definition::HEADER_LENGTH),
        }
    }

    /// The first column with a label.
    pub fn column(&self, label: &str) -> Option<LoggedColumn<'a>> {
        self.columns().find(|column| column.label == label)
    }

    /// The column that tells instances of the message apart: the first one whose unit is `#`.
    pub fn instance_column(&self) -> Option<LoggedColumn<'a>> {
        self.columns().find(|column| column.unit_id == Some(b'#'))
    }

    /// The place in a schema of the message that the log calls by this name.
    pub(crate) fn place_in<S: LogSchema>(&self) -> Option<usize> {
        S::MESSAGES.iter().position(|message| message.definition.name == self.name())
    }

    pub(super) fn with(self, fmtu: &'a Fmtu) -> Self {
        LoggedDefinition { fmtu: Some(fmtu), ..self }
    }

    /// Whether an FMT says the same, for whichever id.
    pub(crate) fn is_defined_by(&self, fmt: &Fmt) -> bool {
        self.fmt[1..] == fmt[1..]
    }

    /// What it says but for ids and time: all of FMT behind the id, and the units and multipliers of FMTU.
    #[cfg(feature = "std")]
    pub(crate) fn without_ids(&self) -> ([u8; 85], Option<[u8; 32]>) {
        let (_, fmt) = self.fmt.split_first_chunk::<1>().unwrap_or((&[0], &[]));
        let fmtu = self.fmtu.and_then(|fmtu| fmtu.last_chunk().copied());
        (fmt.first_chunk().copied().unwrap_or([0; 85]), fmtu)
    }

    /// A number that two definitions share when they say the same, and by chance once in 2^64 otherwise.
    pub(crate) fn fingerprint(&self) -> u64 {
        // FNV-1a.
        let bytes = self.fmt.iter().chain(self.fmtu.into_iter().flat_map(|fmtu| &fmtu[8..]));
        bytes.fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
    }

    /// Whether the log means what the program means: name, columns and their formats; units and multipliers too, if the
    /// log has them, by their ids (what the log calls a custom id isn't compared).
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn check(&self, definition: &Definition) -> Result<(), Mismatch> {
        let differs = |kind| Err(Mismatch { message: definition.name, kind });
        if self.name() != definition.name {
            return differs(MismatchKind::Name { found: Chars::cut(self.name()) });
        }
        let formats = self.format().as_bytes();
        let labels = Some(self.labels()).filter(|labels| !labels.is_empty());
        let mut labels = labels.into_iter().flat_map(|labels| labels.split(','));
        for (i, column) in definition.columns.iter().enumerate() {
            let Some(label) = labels.next() else {
                return differs(MismatchKind::Columns { expected: definition.columns.len(), found: i });
            };
            if label != column.label {
                return differs(MismatchKind::Label { expected: column.label, found: Chars::cut(label) });
            }
            let found = formats.get(i).copied().unwrap_or(0);
            if found != column.format.character() {
                return differs(MismatchKind::Format { label: column.label, expected: column.format, found });
            }
        }
        let more = labels.count().max(formats.len().saturating_sub(definition.columns.len()));
        if more > 0 {
            let expected = definition.columns.len();
            return differs(MismatchKind::Columns { expected, found: expected + more });
        }
        if usize::from(self.length()) != definition.length() {
            return differs(MismatchKind::Length { expected: definition.length(), found: self.length() });
        }
        let (Some(units), Some(multipliers)) = (self.unit_ids(), self.multiplier_ids()) else {
            return Ok(());
        };
        for (i, column) in definition.columns.iter().enumerate() {
            if let Some(&found) = units.as_bytes().get(i)
                && found != column.unit.id()
            {
                return differs(MismatchKind::Unit { label: column.label, expected: column.unit.id(), found });
            }
            if let Some(&found) = multipliers.as_bytes().get(i)
                && found != column.multiplier.id()
            {
                return differs(MismatchKind::Multiplier {
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

/// Text up to the first NUL; `""` if it isn't UTF-8.
pub(super) fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(up_to_nul(bytes)).unwrap_or("")
}

fn up_to_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}
