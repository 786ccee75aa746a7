//! Logs built record by record, valid or not: for contents that a correct program never writes.

use binlog::field::Chars;

/// A log that accepts any definition and any record.
#[derive(Clone, Debug)]
pub struct RawLog {
    /// The bytes so far.
    pub bytes: Vec<u8>,
}

/// The value of a column.
pub trait Cell {
    /// Appends its bytes.
    fn put(&self, payload: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($type:ty)*) => {
        $(impl Cell for $type {
            fn put(&self, payload: &mut Vec<u8>) {
                payload.extend(self.to_le_bytes());
            }
        })*
    };
}

numbers!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

impl<const N: usize> Cell for Chars<N> {
    fn put(&self, payload: &mut Vec<u8>) {
        payload.extend(self.raw());
    }
}

impl<const N: usize> Cell for [u8; N] {
    fn put(&self, payload: &mut Vec<u8>) {
        payload.extend(self);
    }
}

impl Cell for [i16; 32] {
    fn put(&self, payload: &mut Vec<u8>) {
        self.iter().for_each(|sample| sample.put(payload));
    }
}

/// The bytes of columns, one after the other.
#[macro_export]
macro_rules! payload {
    ($($cell:expr),* $(,)?) => {{
        let mut payload: Vec<u8> = Vec::new();
        $($crate::raw_log::Cell::put(&$cell, &mut payload);)*
        payload
    }};
}

/// Ids that [`RawLog::with_units`] gives to what defines units.
pub const UNIT: u8 = 129;
/// As [`UNIT`].
pub const MULT: u8 = 130;
/// As [`UNIT`].
pub const FMTU: u8 = 131;
/// The id that [`RawLog::descriptions`] gives to embedded files.
pub const FILE: u8 = 132;

impl Default for RawLog {
    fn default() -> Self {
        Self::new()
    }
}

impl RawLog {
    /// A log without anything.
    pub fn empty() -> Self {
        RawLog { bytes: Vec::new() }
    }

    /// A log with the definition of FMT.
    pub fn new() -> Self {
        let mut log = Self::empty();
        log.fmt(128, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns");
        log
    }

    /// A log with the definitions of FMT, UNIT, MULT and FMTU.
    pub fn with_units() -> Self {
        let mut log = Self::new();
        log.fmt(UNIT, "UNIT", "QbZ", "TimeUS,Id,Label");
        log.fmt(MULT, "MULT", "Qbd", "TimeUS,Id,Mult");
        log.fmt(FMTU, "FMTU", "QBNN", "TimeUS,FmtType,UnitIds,MultIds");
        log
    }

    /// A definition whose length is that of its columns. Unknown format characters have no length.
    pub fn fmt(&mut self, id: u8, name: &str, format: &str, labels: &str) -> &mut Self {
        let sizes = format.bytes().filter_map(binlog::Format::from_character).map(binlog::Format::size);
        let length = binlog::Definition::HEADER_LENGTH + sizes.sum::<usize>();
        self.fmt_of_length(id, u8::try_from(length).expect("a record of at most 255 bytes"), name, format, labels)
    }

    /// A definition of any length.
    pub fn fmt_of_length(&mut self, id: u8, length: u8, name: &str, format: &str, labels: &str) -> &mut Self {
        let (name, format, labels) = (Chars::<4>::cut(name), Chars::<16>::cut(format), Chars::<64>::cut(labels));
        self.record(128, &payload![id, length, name, format, labels])
    }

    /// Units and multipliers of a type.
    pub fn fmtu(&mut self, id: u8, units: &str, multipliers: &str) -> &mut Self {
        let (units, multipliers) = (Chars::<16>::cut(units), Chars::<16>::cut(multipliers));
        self.record(FMTU, &payload![0_u64, id, units, multipliers])
    }

    /// The name of a unit.
    pub fn unit(&mut self, id: char, name: &str) -> &mut Self {
        self.record(UNIT, &payload![0_u64, id as u8, Chars::<64>::cut(name)])
    }

    /// The value of a multiplier.
    pub fn mult(&mut self, id: char, value: f64) -> &mut Self {
        self.record(MULT, &payload![0_u64, id as u8, value])
    }

    /// The embedded file `LogMessages.xml` with these messages: what a log says about itself.
    pub fn descriptions(&mut self, messages: &str) -> &mut Self {
        self.fmt(FILE, "FILE", "NIBZ", "FileName,Offset,Length,Data");
        let xml = format!("<loggermessagefile>{messages}</loggermessagefile>");
        for (i, piece) in xml.as_bytes().chunks(64).enumerate() {
            self.piece("LogMessages.xml", 64 * i as u32, piece.len() as u8, piece);
        }
        self
    }

    /// A piece of an embedded file, of at most 64 bytes, with any length. [`descriptions`](Self::descriptions) defines
    /// its type.
    pub fn piece(&mut self, name: &str, offset: u32, length: u8, bytes: &[u8]) -> &mut Self {
        let mut data = [0; 64];
        data[..bytes.len()].copy_from_slice(bytes);
        self.record(FILE, &payload![Chars::<16>::cut(name), offset, length, data])
    }

    /// A record of any length.
    pub fn record(&mut self, id: u8, payload: &[u8]) -> &mut Self {
        self.bytes.extend([0xA3, 0x95, id]);
        self.raw(payload)
    }

    /// Bytes that need not be a record.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend(bytes);
        self
    }
}
