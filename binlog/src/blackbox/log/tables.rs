//! All frames of a session as columns.

use super::frames::{Frame, Item};
use super::lost::Lost;
use super::session::Session;
use crate::blackbox::event::Event;
use crate::blackbox::header::{LoggedField, Number};
use crate::blackbox::quantity::Quantity;
use crate::format::Scaling;
use crate::source::{ColumnSchema, Kind, Numbers, TableSchema, Values, distinct_labels};
use std::ops::{Range, RangeInclusive};

/// The columns of a session's frames, and its events and lost stretches: returned by [`Session::tables`].
///
/// ```no_run
/// use binlog::{Scaling, blackbox::BlackboxLog};
///
/// let log = BlackboxLog::open("flight.bbl")?;
/// for session in log.sessions() {
///     let tables = session.tables();
///     let roll_rate = tables.main().column("gyroADC[0]").map(|gyro| gyro.to_f64(Scaling::Units));
///     for lost in tables.lost() {
///         eprintln!("{lost}");
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Tables {
    /// The first one is that of the main frames.
    tables: Vec<Table>,
    events: Vec<LoggedEvent>,
    lost: Vec<Lost>,
    foreign: Range<usize>,
}

/// An event, and when it was.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LoggedEvent {
    /// Where it is, in bytes from the start of the log.
    pub offset: usize,
    /// The time of the main frame before it, in microseconds. An event before the first main frame has the time of that
    /// frame, and 0 if the session has no main frame.
    pub time_us: u64,
    /// The event.
    pub event: Event,
}

/// The columns of the frames of one letter. I and P frames are one table.
///
/// A table of a letter that only the session's header defines has no columns if that doesn't say how its frames are
/// decoded. It then counts them.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    letter: u8,
    times_us: Vec<u64>,
    columns: Vec<Column>,
}

/// A column: the values of one field.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    name: String,
    quantity: Option<Quantity>,
    values: Values,
}

impl Tables {
    pub(super) fn new(session: &Session<'_>) -> Self {
        let header = session.header();
        let letters = header.frames().iter().map(|frame| frame.letter()).filter(|letter| !b"IP".contains(letter));
        let mut growing: Vec<Growing> =
            [b'I'].into_iter().chain(letters).map(|letter| Growing::new(session, letter)).collect();
        let (mut events, mut lost) = (Vec::new(), Vec::new());
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            match item {
                Item::Frame(frame) => {
                    let letter = if frame.letter() == b'P' { b'I' } else { frame.letter() };
                    if let Some(table) = growing.iter_mut().find(|table| table.letter == letter) {
                        table.push(&frame);
                    }
                }
                Item::Event { offset, time_us, event } => events.push(LoggedEvent { offset, time_us, event }),
                Item::Lost(stretch) => lost.push(stretch),
            }
        }
        let foreign = frames.offset()..session.end();
        Tables { tables: growing.into_iter().map(|table| table.grown(session)).collect(), events, lost, foreign }
    }

    /// The main frames: I and P frames.
    pub fn main(&self) -> &Table {
        &self.tables[0]
    }

    /// The frames with this letter: `S`, `G`, `H`, or one that only the session's header defines. `None` if the header
    /// doesn't define them.
    pub fn table(&self, letter: u8) -> Option<&Table> {
        let letter = if letter == b'P' { b'I' } else { letter };
        self.tables.iter().find(|table| table.letter == letter)
    }

    /// All tables, that of the main frames first.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The first column with this name, in the main frames or else in others.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.tables.iter().find_map(|table| table.column(name))
    }

    /// The events, in the order of the log.
    pub fn events(&self) -> &[LoggedEvent] {
        &self.events
    }

    /// The stretches without frames, in the order of the log.
    pub fn lost(&self) -> &[Lost] {
        &self.lost
    }

    /// The bytes after the session's End event, which belong to something else: their place in the log.
    pub fn foreign(&self) -> Range<usize> {
        self.foreign.clone()
    }

    /// The earliest and the latest time of a main frame, both inclusive, in microseconds; `None` without main frames.
    /// They are those of the first and the last one, unless the log is damaged.
    pub fn time_range_us(&self) -> Option<RangeInclusive<u64>> {
        let times = self.main().times_us();
        Some(*times.iter().min()?..=*times.iter().max()?)
    }
}

/// The names of the frames that every firmware has, by letter.
const FRAMES: [(u8, &str); 4] = [(b'I', "main"), (b'S', "slow"), (b'G', "gps"), (b'H', "home")];

/// The name of the table of frames with a letter: `main` for I and P, `slow`, `gps`, `home`, or else the letter.
pub fn table_name(letter: u8) -> String {
    let letter = if letter == b'P' { b'I' } else { letter };
    let name = FRAMES.into_iter().find(|(of, _)| *of == letter);
    name.map_or_else(|| char::from(letter).to_string(), |(_, name)| name.to_owned())
}

impl Session<'_> {
    /// What the columns of the frames with this letter are, without decoding a frame: those of [`Column::to_values`]
    /// with these `numbers`.
    pub fn schema(&self, letter: u8, numbers: Numbers) -> TableSchema {
        let mut schema = TableSchema::new(table_name(letter));
        let fields = self.columns(if letter == b'P' { b'I' } else { letter });
        let labels = distinct_labels(fields.iter().map(LoggedField::name));
        let column = |(field, label): (&LoggedField, String)| {
            let quantity = Quantity::of(self.header(), field.name());
            let stored = match field.number() {
                Number::Signed | Number::Signed16 => Kind::I32,
                Number::Unsigned => Kind::U32,
            };
            let is_converted = factor_of(quantity, numbers).is_some();
            let is_float = is_converted || matches!(numbers, Numbers::F64(_));
            let mut column = ColumnSchema::new(label, if is_float { Kind::F64 } else { stored });
            column.is_converted = is_converted;
            if let Some(Quantity { unit, zero, factor }) = quantity {
                let is_scaled = numbers.asked() != Scaling::Stored;
                // A number in its unit is a product only if it counts from 0.
                if is_scaled || zero == 0.0 {
                    column.unit = unit.name().into();
                    column.scale = if is_scaled { 1.0 } else { factor };
                }
            }
            column
        };
        schema.columns = fields.iter().zip(labels).map(column).collect();
        schema
    }
}

/// How numbers are scaled; `None` if they stay what they are.
fn factor_of(quantity: Option<Quantity>, numbers: Numbers) -> Option<Quantity> {
    quantity.filter(|quantity| numbers.asked() != Scaling::Stored && (quantity.zero, quantity.factor) != (0.0, 1.0))
}

impl Table {
    /// Its name: `main`, `slow`, `gps`, `home`, or the letter.
    pub fn name(&self) -> String {
        table_name(self.letter)
    }

    /// The columns, without the table.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// The letter of the frames; I for main frames.
    pub fn letter(&self) -> u8 {
        self.letter
    }

    /// The number of frames.
    pub fn len(&self) -> usize {
        self.times_us.len()
    }

    /// Whether the session has no such frames.
    pub fn is_empty(&self) -> bool {
        self.times_us.is_empty()
    }

    /// The times of the frames in microseconds, extended beyond the 32 bits of the field `time`. For frames without
    /// that field, the time of the main frame before.
    pub fn times_us(&self) -> &[u64] {
        &self.times_us
    }

    /// The columns, in the order of the fields.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column with this name: `gyroADC[0]`.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl Column {
    /// The name of the field: `gyroADC[0]`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The unit of its numbers in units: `deg/s`, `m`. Empty if the number has none or if the header doesn't say it.
    pub fn unit(&self) -> &str {
        self.quantity.as_ref().map_or("", |quantity| quantity.unit.name())
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values as logged: [`Values::I32`] or [`Values::U32`].
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The values as logged, without the column's name and unit.
    pub fn into_values(self) -> Values {
        self.values
    }

    /// All values in this type: of `F64` and `Scaled`, the numbers of [`to_f64`](Self::to_f64).
    pub fn to_values(&self, numbers: Numbers) -> Values {
        match numbers {
            Numbers::F64(scaling) => Values::F64(self.to_f64(scaling).into()),
            Numbers::Scaled(scaling) if factor_of(self.quantity, numbers).is_some() => {
                Values::F64(self.to_f64(scaling).into())
            }
            Numbers::Native | Numbers::Scaled(_) => self.values.clone(),
        }
    }

    /// One value as logged.
    pub fn get(&self, i: usize) -> Option<i64> {
        match &self.values {
            Values::I32(values) => values.get(i).map(|&value| value.into()),
            Values::U32(values) => values.get(i).map(|&value| value.into()),
            _ => None,
        }
    }

    /// One value as logged ([`Scaling::Stored`]), or in its [`unit`](Self::unit).
    pub fn number(&self, i: usize, scaling: Scaling) -> Option<f64> {
        let logged = self.get(i)?;
        let in_unit = self.quantity.filter(|_| scaling != Scaling::Stored);
        Some(in_unit.map_or(logged as f64, |quantity| quantity.value(logged)))
    }

    /// All values as logged ([`Scaling::Stored`]), or in their [`unit`](Self::unit).
    pub fn to_f64(&self, scaling: Scaling) -> Vec<f64> {
        let logged = (0..self.len()).filter_map(|i| self.get(i));
        match self.quantity.filter(|_| scaling != Scaling::Stored) {
            Some(quantity) => {
                let divisor = quantity.divisor();
                logged.map(|logged| quantity.value_by(divisor, logged)).collect()
            }
            None => logged.map(|logged| logged as f64).collect(),
        }
    }
}

/// Frames are gathered row by row in a block that stays in the cache, and moved to the columns block by block.
const BLOCK: usize = 128;

/// A table that gets rows.
struct Growing {
    letter: u8,
    times_us: Vec<u64>,
    width: usize,
    block: Vec<u32>,
    columns: Vec<Vec<u32>>,
    /// The first byte of the frames, and the end of the session.
    bytes: Range<usize>,
}

impl Growing {
    fn new(session: &Session<'_>, letter: u8) -> Self {
        let width = session.columns(letter).len();
        Growing {
            letter,
            times_us: Vec::new(),
            width,
            block: Vec::with_capacity(BLOCK * width),
            columns: vec![Vec::new(); width],
            bytes: session.frames_offset()..session.end(),
        }
    }

    #[inline]
    fn push(&mut self, frame: &Frame<'_>) {
        self.times_us.push(frame.time_us());
        self.block.extend_from_slice(frame.values());
        if self.times_us.len().is_multiple_of(BLOCK) {
            self.reserve(frame.offset());
            self.flush();
        }
    }

    /// Makes room for all frames that the session has if the rest of it is like the part up to `at`; at most for twice
    /// the number of present frames, since the rest may be anything.
    fn reserve(&mut self, at: usize) {
        let rows = self.times_us.len();
        if self.columns.first().is_none_or(|column| column.capacity() >= rows) {
            return;
        }
        let read = (at - self.bytes.start).max(1) as u64;
        let left = (self.bytes.end - at) as u64;
        // Too many by a sixteenth; a wrong estimate is corrected when it has filled up.
        let more = (rows as u64 * left / read) as usize;
        let more = (more + more / 16 + BLOCK).min(rows);
        self.columns.iter_mut().for_each(|column| column.reserve(more));
        self.times_us.reserve(more);
    }

    fn flush(&mut self) {
        for (i, column) in self.columns.iter_mut().enumerate() {
            column.extend(self.block.chunks_exact(self.width).map(|row| row[i]));
        }
        self.block.clear();
    }

    fn grown(mut self, session: &Session<'_>) -> Table {
        self.flush();
        let header = session.header();
        let column = |(field, values): (&LoggedField, Vec<u32>)| Column {
            name: field.name().to_owned(),
            quantity: Quantity::of(header, field.name()),
            values: match field.number() {
                // The same memory.
                Number::Signed => Values::I32(values.into_iter().map(u32::cast_signed).collect()),
                Number::Signed16 => Values::I32(values.into_iter().map(|bits| field.value(bits) as i32).collect()),
                Number::Unsigned => Values::U32(values.into()),
            },
        };
        let columns = session.columns(self.letter).iter().zip(self.columns).map(column).collect();
        Table { letter: self.letter, times_us: self.times_us, columns }
    }
}

#[cfg(test)]
mod tests {
    use crate::blackbox::BlackboxLog;
    use crate::format::Scaling;
    use crate::source::{Kind, Numbers, Values};

    const LOG: &[u8] = b"H Product:Blackbox flight data recorder by Nicholas Sherlock\nH Data version:2\n\
        H I interval:1\nH P interval:1/1\n\
        H Field I name:loopIteration,time,axisP[0],debug[0]\nH Field I signed:0,0,1,1\n\
        H Field I predictor:0,0,0,0\nH Field I encoding:1,1,0,0\nI\x01\x02\x06\x08";

    #[test]
    fn a_schema_says_what_decoded_columns_are() {
        let log = BlackboxLog::from_bytes(LOG);
        let session = log.session(0).expect("a session");
        let tables = session.tables();
        let main = tables.main();
        assert_eq!((main.name(), main.len()), ("main".into(), 1));
        let axis = |numbers| {
            let schema = session.schema(b'I', numbers);
            let column = schema.column("axisP[0]").expect("a column");
            let values = main.column("axisP[0]").expect("a column").to_values(numbers);
            (column.kind, column.unit.clone(), column.scale, values)
        };
        assert_eq!(axis(Numbers::Native), (Kind::I32, "%".into(), 0.1, Values::I32(vec![3].into())));
        let in_unit = 0.3;
        for numbers in [Numbers::F64(Scaling::Shown), Numbers::Scaled(Scaling::Units)] {
            assert_eq!(axis(numbers), (Kind::F64, "%".into(), 1.0, Values::F64(vec![in_unit].into())));
        }
        let schema = session.schema(b'P', Numbers::Scaled(Scaling::Shown));
        let kinds: Vec<Kind> = schema.columns.iter().map(|column| column.kind).collect();
        assert_eq!(kinds, [Kind::U32, Kind::F64, Kind::F64, Kind::I32]);
    }
}
