//! The types of a text log, by its FMT lines.

use super::number;
use crate::format::Format;
use crate::format::header::{FMT_ID, record_header};

/// What an FMT line says.
pub(super) struct Definition {
    pub(super) id: u8,
    pub(super) name: [u8; 4],
    pub(super) formats: Vec<Format>,
    labels: [u8; 64],
}

/// Bytes of the format characters in FMT.
const FORMATS: usize = 16;
const LABELS: usize = 64;
const HEADER: usize = 3;

impl Definition {
    /// Reads what follows `FMT,`: type, length, name, format characters and labels. The length isn't needed, and wrong
    /// in some logs. The error has the type's name, too.
    pub(super) fn parse(line: &[u8]) -> Result<Self, (String, &'static str)> {
        let mut values = line.splitn(5, |byte| *byte == b',').map(<[u8]>::trim_ascii);
        let mut next = || values.next().unwrap_or_default();
        let (id, length, name, formats, labels) = (next(), next(), next(), next(), next());
        let wrong = |why| (String::from_utf8_lossy(name).into_owned(), why);
        let id = number::integer(id).and_then(|id| u8::try_from(id).ok());
        let id = id.filter(|_| number::integer(length).is_some());
        let id = id.ok_or(wrong("it has type, length, name, format and labels, the first two of which are numbers"))?;
        let name = super::key(name).filter(|_| !name.is_empty()).ok_or(wrong("a name has 1 to 4 characters"))?;
        if formats.len() > FORMATS {
            return Err(wrong("a type has 16 columns at most"));
        }
        let formats = formats.iter().map(|character| Format::from_character(*character)).collect::<Option<_>>();
        let formats = formats.ok_or(wrong("a format character has no meaning"))?;
        // A spreadsheet quotes what has commas, and adds commas to short lines.
        let is_around = |byte: &u8| matches!(byte, b'"' | b',' | b' ');
        let start = labels.iter().position(|byte| !is_around(byte)).unwrap_or(labels.len());
        let end = labels.iter().rposition(|byte| !is_around(byte)).map_or(start, |last| last + 1);
        let given: Vec<u8> = labels[start..end].iter().copied().filter(|byte| *byte != b' ').collect();
        let mut labels = [0; LABELS];
        labels.get_mut(..given.len()).ok_or(wrong("the labels have 64 bytes at most"))?.copy_from_slice(&given);
        Ok(Definition { id, name, formats, labels })
    }

    /// The definition of FMT itself, the same in every log.
    pub(super) fn of_fmt() -> Self {
        let mut labels = [0; LABELS];
        labels[..31].copy_from_slice(b"Type,Length,Name,Format,Columns");
        let formats = vec![Format::U8, Format::U8, Format::Chars4, Format::Chars16, Format::Chars64];
        Definition { id: FMT_ID, name: *b"FMT\0", formats, labels }
    }

    pub(super) fn is_of_fmt(&self) -> bool {
        self.name == *b"FMT\0"
    }

    /// The type's name for messages.
    pub(super) fn shown_name(&self) -> String {
        shown(self.name)
    }

    fn length(&self) -> usize {
        HEADER + self.formats.iter().map(|format| format.size()).sum::<usize>()
    }

    pub(super) fn check_length(&self) -> Result<(), &'static str> {
        if self.length() <= 255 { Ok(()) } else { Err("a record has 255 bytes at most") }
    }

    /// The FMT record that defines the type under an id.
    pub(super) fn record(&self, id: u8) -> Vec<u8> {
        let mut record = record_header(FMT_ID).to_vec();
        record.extend([id, self.length() as u8]);
        record.extend(self.name);
        let mut formats = [0; FORMATS];
        for (character, format) in formats.iter_mut().zip(&self.formats) {
            *character = format.character();
        }
        record.extend(formats);
        record.extend(self.labels);
        record
    }
}

fn shown(name: [u8; 4]) -> String {
    String::from_utf8_lossy(name.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}

/// A type, and how its records are encoded.
pub(super) struct TextType {
    /// Its id in the binary log.
    pub(super) id: u8,
    name: [u8; 4],
    pub(super) formats: Vec<Format>,
    labels: [u8; 64],
    /// The column of text that has the commas of a line with more of them than columns.
    pub(super) longest_text: Option<usize>,
    /// Of FMTU: where its records have the id of the type whose units they are.
    pub(super) defined_id: Option<usize>,
    /// Of FILE: where its records have text and length.
    pub(super) file: Option<FilePlaces>,
}

/// Places in a record of FILE, from its header on.
pub(super) struct FilePlaces {
    pub(super) text: usize,
    pub(super) length: usize,
}

impl TextType {
    pub(super) fn new(definition: Definition, id: u8) -> Self {
        let Definition { name, formats, labels, .. } = definition;
        let text = |wanted: fn(Format) -> bool| formats.iter().rposition(|format| wanted(*format));
        let longest_text = text(|format| format == Format::Chars64).or_else(|| text(Format::is_text));
        let mut of_text = TextType { id, name, formats, labels, longest_text, defined_id: None, file: None };
        let byte =
            |label: &str| of_text.place(label).filter(|(_, format)| *format == Format::U8).map(|(place, _)| place);
        match &name {
            b"FMTU" => of_text.defined_id = byte("FmtType"),
            b"FILE" => {
                let last = of_text.formats.len().saturating_sub(1);
                let is_last = longest_text == Some(last);
                let size = |format: &Format| format.size();
                let text = HEADER + of_text.formats.iter().take(last).map(size).sum::<usize>();
                of_text.file = byte("Length").filter(|_| is_last).map(|length| FilePlaces { text, length });
            }
            _ => {}
        }
        of_text
    }

    pub(super) fn shown_name(&self) -> String {
        shown(self.name)
    }

    /// The label of a column, or its number if it has none.
    pub(super) fn label(&self, column: usize) -> String {
        match self.labels().nth(column) {
            Some(label) if !label.is_empty() => String::from_utf8_lossy(label).into_owned(),
            _ => format!("column {}", column + 1),
        }
    }

    fn labels(&self) -> impl Iterator<Item = &[u8]> {
        let labels = self.labels.split(|byte| *byte == 0).next().unwrap_or_default();
        labels.split(|byte| *byte == b',')
    }

    /// Where a column is in a record, and its format.
    fn place(&self, label: &str) -> Option<(usize, Format)> {
        let column = self.labels().position(|known| known == label.as_bytes())?;
        let before = self.formats.get(..column)?;
        Some((HEADER + before.iter().map(|format| format.size()).sum::<usize>(), *self.formats.get(column)?))
    }
}
