//! All frames of a session as columns.

use super::frames::{Frame, Item};
use super::lost::Lost;
use super::session::Session;
use crate::blackbox::event::Event;
use crate::blackbox::header::{LoggedField, Number};
use crate::blackbox::quantity::Quantity;
use crate::format::Scaling;
use crate::source::Values;
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

impl Table {
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
        (0..self.len()).filter_map(|i| self.number(i, scaling)).collect()
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
                Number::Unsigned => Values::U32(values),
            },
        };
        let columns = session.columns(self.letter).iter().zip(self.columns).map(column).collect();
        Table { letter: self.letter, times_us: self.times_us, columns }
    }
}
