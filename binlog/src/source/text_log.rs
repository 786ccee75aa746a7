// Held by tests/tests/read/text_logs.rs, tests/tests/programs/text_logs.rs.

//! DataFlash logs as text, one record a line, as Mission Planner writes them next to a .bin and as APM boards print
//! them: a text log becomes a binary one when it is opened, so all readers read it.
//!
//! Its FMT lines define the types, as in a binary log. What the text has beside records, and what is lost:
//!
//! - Lines before the first FMT line are a heading: the log's number, the firmware, free memory. So is what stands
//!   directly before the FMT line of FMT, where several logs follow one another.
//! - Flight modes are names or numbers. With names, the column becomes text, `N` or `Z` in place of `M`.
//! - Ids of types identify records in a binary log, names do so in text. Where two types have one id, the later one
//!   gets an unused one.
//! - Mission Planner writes the contents of files unescaped: lines that continue the text of a FILE belong to it. It
//!   leaves out white space at the end of a piece, which becomes spaces.
//! - A line that can't be read, or not as a whole, is a [`DamagedLine`].

mod columns;
mod damage;
mod definition;
mod number;

pub use damage::{DamagedLine, LineFault};

use crate::format::Format;
use crate::format::header::{FMT_ID, record_header};
use definition::{Definition, TextType};
use memchr::{memchr, memmem};
use std::collections::HashMap;

/// A text log as a binary one.
pub(crate) struct TextLog {
    pub(crate) bytes: Vec<u8>,
    pub(crate) damaged: Vec<DamagedLine>,
}

/// Editors on Windows begin a text with it.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What a line that defines a type begins with.
const DEFINITION: &[u8] = b"FMT";

/// Where the first definition of a text log begins; `None` if it has none, and so isn't one.
pub(crate) fn first_definition(text: &[u8]) -> Option<usize> {
    memmem::find_iter(text, DEFINITION).find(|&at| {
        let before = text[..at].strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text[..at]);
        let last = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(last, None | Some(b'\n' | b'\r')) && is_definition(&text[at + DEFINITION.len()..])
    })
}

/// Whether a definition follows `FMT`, up to the end of the line.
fn is_definition(text: &[u8]) -> bool {
    let line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    line.trim_ascii_start().strip_prefix(b",").is_some_and(|values| Definition::parse(values).is_ok())
}

/// The binary log of a text log.
pub(crate) fn convert(text: &[u8]) -> TextLog {
    let line_end = if memchr(b'\n', text).is_some() { b'\n' } else { b'\r' };
    let mut converter = Converter {
        text,
        line_end,
        // Numbers take more room as text than as binary.
        bytes: Vec::with_capacity(text.len() / 2),
        types: Vec::new(),
        by_name: HashMap::new(),
        names: [const { None }; 256],
        ids: [None; 256],
        modes: HashMap::new(),
        has_definitions: false,
        open_file: None,
        pending: Vec::new(),
        damaged: Vec::new(),
    };
    let (mut at, mut number) = (if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }, 0);
    while at < text.len() {
        let end = memchr(line_end, &text[at..]).map_or(text.len(), |length| at + length);
        number += 1;
        converter.line(Line { number, offset: at, end });
        at = end + 1;
    }
    converter.finish()
}

/// A line of the text.
#[derive(Clone, Copy)]
struct Line {
    number: u64,
    offset: usize,
    end: usize,
}

struct Converter<'t> {
    text: &'t [u8],
    line_end: u8,
    bytes: Vec<u8>,
    types: Vec<TextType>,
    /// Places in `types`.
    by_name: HashMap<[u8; 4], usize>,
    /// The type that has an id in the binary log.
    names: [Option<[u8; 4]>; 256],
    /// The ids in the binary log, by those in the text.
    ids: [Option<u8>; 256],
    /// The formats of columns of flight modes, by type and column.
    modes: HashMap<([u8; 4], usize), Format>,
    has_definitions: bool,
    open_file: Option<OpenFile>,
    /// Lines that aren't records since the last record. They are a heading if a definition of FMT follows.
    pending: Vec<DamagedLine>,
    damaged: Vec<DamagedLine>,
}

/// The last record, if it is a piece of a file that has less text than its length says.
struct OpenFile {
    /// Where the next byte of its text goes.
    at: usize,
    /// Where its text ends.
    end: usize,
}

/// What Mission Planner writes in place of a record that it can't convert, without a line end.
const UNKNOWN_TYPE: &[u8] = b"UNKW, ";
const UNKNOWN_FORMAT: &[u8] = b"Bad Conversion";

impl Converter<'_> {
    fn line(&mut self, line: Line) {
        let text = self.text;
        let mut record = trimmed(&text[line.offset..line.end]);
        while let Some(rest) = self.after_unconverted(record) {
            self.damage(line, "", LineFault::Unconverted);
            record = rest;
        }
        if record.is_empty() {
            self.continues_file(line);
            return;
        }
        let (name, values) = match memchr(b',', record) {
            Some(comma) => (&record[..comma], Some(&record[comma + 1..])),
            None => (record, None),
        };
        let name = name.trim_ascii_end();
        if name == DEFINITION {
            return self.definition(line, values.unwrap_or_default());
        }
        if let Some(&place) = key(name).and_then(|key| self.by_name.get(&key)) {
            return self.record(line, place, values);
        }
        if self.continues_file(line) {
            return;
        }
        if values.is_some() && is_name(name) {
            self.damage(line, &String::from_utf8_lossy(name), LineFault::Undefined);
        } else {
            let damaged = self.damaged(line, "", LineFault::NotARecord);
            self.pending.push(damaged);
        }
    }

    /// What follows the words of Mission Planner for a record that it couldn't convert.
    fn after_unconverted<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        if let Some(rest) = line.strip_prefix(UNKNOWN_FORMAT) {
            return Some(rest);
        }
        let rest = line.strip_prefix(UNKNOWN_TYPE).filter(|_| !self.by_name.contains_key(b"UNKW"))?;
        Some(&rest[rest.iter().take_while(|byte| byte.is_ascii_digit()).count()..])
    }

    fn definition(&mut self, line: Line, values: &[u8]) {
        let mut definition = match Definition::parse(values) {
            Ok(definition) => definition,
            Err((name, why)) => return self.unusable(line, &name, why),
        };
        if !self.has_definitions || definition.is_of_fmt() {
            self.pending.clear();
        }
        if !self.has_definitions && !definition.is_of_fmt() {
            self.bytes.extend(Definition::of_fmt().record(FMT_ID));
        }
        self.has_definitions = true;
        self.ended();
        if definition.is_of_fmt() {
            // Old firmware leaves Columns out of the labels.
            self.bytes.extend(Definition::of_fmt().record(FMT_ID));
            return;
        }
        for column in 0..definition.formats.len() {
            if definition.formats[column] == Format::FlightMode {
                definition.formats[column] = self.format_of_modes(definition.name, column);
            }
        }
        if let Err(why) = definition.check_length() {
            return self.unusable(line, &definition.shown_name(), why);
        }
        let Some(id) = self.id_for(&definition) else {
            return self.unusable(line, &definition.shown_name(), "all ids of types are taken");
        };
        if let Some(former) = self.names.iter().position(|name| *name == Some(definition.name)) {
            self.names[former] = None;
        }
        self.names[usize::from(id)] = Some(definition.name);
        self.ids[usize::from(definition.id)] = Some(id);
        self.bytes.extend(definition.record(id));
        let place = *self.by_name.entry(definition.name).or_insert(self.types.len());
        let of_text = TextType::new(definition, id);
        match self.types.get_mut(place) {
            Some(known) => *known = of_text,
            None => self.types.push(of_text),
        }
    }

    /// A definition that can't be used. The records after it aren't those of an earlier one.
    fn unusable(&mut self, line: Line, name: &str, why: &'static str) {
        key(name.as_bytes()).and_then(|key| self.by_name.remove(&key));
        self.damage(line, name, LineFault::Definition(why));
    }

    /// The id of a type in the binary log: that in the text, unless it is FMT's or that of another type.
    fn id_for(&self, definition: &Definition) -> Option<u8> {
        let is_free = |id: &u8| *id != FMT_ID && self.names[usize::from(*id)].is_none();
        let is_own = |id: &u8| self.names[usize::from(*id)] == Some(definition.name);
        let own = Some(definition.id).filter(|id| is_free(id) || is_own(id));
        // 255 is reserved, and 0 would be taken for a time in FMTU.
        own.or_else(|| (1..255).rev().find(|id| is_free(id) || is_own(id)))
    }

    /// The format of a column of flight modes: text if one of its values, in all of the log, is a name.
    fn format_of_modes(&mut self, name: [u8; 4], column: usize) -> Format {
        // Each column is looked for in the whole log; vehicles log one or two.
        const MOST: usize = 16;
        if let Some(format) = self.modes.get(&(name, column)) {
            return *format;
        }
        if self.modes.len() == MOST {
            return Format::FlightMode;
        }
        let format = self.find_modes(name, column);
        self.modes.insert((name, column), format);
        format
    }

    fn find_modes(&self, name: [u8; 4], column: usize) -> Format {
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let begin = [&[self.line_end][..], name, b","].concat();
        let finder = memmem::Finder::new(&begin);
        let mut longest = 0;
        for at in finder.find_iter(self.text) {
            let values = &self.text[at + begin.len()..];
            let values = &values[..memchr(self.line_end, values).unwrap_or(values.len())];
            let mode = values.split(|byte| *byte == b',').nth(column).unwrap_or_default().trim_ascii();
            if number::integer(mode).is_none_or(|mode| u8::try_from(mode).is_err()) {
                longest = longest.max(mode.len());
            }
        }
        match longest {
            0 => Format::FlightMode,
            1..=16 => Format::Chars16,
            _ => Format::Chars64,
        }
    }

    fn record(&mut self, line: Line, place: usize, values: Option<&[u8]>) {
        self.ended();
        let of_text = &self.types[place];
        let start = self.bytes.len();
        self.bytes.extend(record_header(of_text.id));
        let encoded = columns::encode(of_text, values, &mut self.bytes);
        if encoded.is_err() {
            self.bytes.truncate(start);
        } else {
            if let Some(of) = of_text.defined_id
                && let Some(id) = self.ids[usize::from(self.bytes[start + of])]
            {
                self.bytes[start + of] = id;
            }
            self.open_file = of_text.file.as_ref().and_then(|file| {
                let (text, end) = (start + file.text, self.bytes.len());
                let length = usize::from(self.bytes[start + file.length]).min(end - text);
                let known = self.bytes[text..end].iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                (known < length).then_some(OpenFile { at: text + known, end: text + length })
            });
        }
        if let Some(fault) = encoded.unwrap_or_else(Some) {
            let name = self.types[place].shown_name();
            self.damage(line, &name, fault);
        }
    }

    /// Whether a line is the text of the last FILE after a line break, which then has it.
    fn continues_file(&mut self, line: Line) -> bool {
        let Some(OpenFile { at, end }) = self.open_file else { return false };
        let text = &self.text[line.offset..line.end];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.len() >= end - at {
            return false;
        }
        self.bytes[at] = b'\n';
        self.bytes[at + 1..at + 1 + text.len()].copy_from_slice(text);
        let next = at + 1 + text.len();
        self.open_file = (next < end).then_some(OpenFile { at: next, end });
        true
    }

    /// A line that can be read: no heading and no text continue across it.
    fn ended(&mut self) {
        if let Some(OpenFile { at, end }) = self.open_file.take() {
            self.bytes[at..end].fill(b' ');
        }
        if !self.pending.is_empty() {
            self.damaged.append(&mut self.pending);
        }
    }

    fn damage(&mut self, line: Line, name: &str, fault: LineFault) {
        self.ended();
        let damaged = self.damaged(line, name, fault);
        self.damaged.push(damaged);
    }

    fn damaged(&self, line: Line, name: &str, fault: LineFault) -> DamagedLine {
        DamagedLine {
            line: line.number,
            offset: line.offset,
            length: line.end - line.offset,
            name: name.into(),
            place: self.bytes.len(),
            fault,
        }
    }

    fn finish(mut self) -> TextLog {
        // A terminal's words after the log aren't part of it.
        let text = self.text;
        self.pending.retain(|line| !is_prose(&text[line.offset..line.offset + line.length]));
        self.ended();
        self.bytes.shrink_to_fit();
        TextLog { bytes: self.bytes, damaged: self.damaged }
    }
}

/// A line without spaces around it, and without the padding of a file that was preallocated.
fn trimmed(line: &[u8]) -> &[u8] {
    let is_padding = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0xFF);
    let end = line.iter().rposition(|byte| !is_padding(byte)).map_or(0, |last| last + 1);
    line[..end].trim_ascii_start()
}

/// A name as definitions have it; `None` if it is longer.
fn key(name: &[u8]) -> Option<[u8; 4]> {
    let mut key = [0; 4];
    key.get_mut(..name.len())?.copy_from_slice(name);
    Some(key)
}

/// Whether it is the name of a type, or of one of a firmware with longer names.
fn is_name(name: &[u8]) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    name.first().is_some_and(u8::is_ascii_uppercase) && name.len() <= 32 && name.iter().all(is_of_name)
}

/// Whether a line is words and not a piece of a record.
fn is_prose(line: &[u8]) -> bool {
    !line.contains(&b',') && line.iter().any(u8::is_ascii_lowercase)
}
