//! The chosen records of one type as columns, of both formats: what CSV and Parquet take.
//!
//! A [`columns::Table`](crate::columns::Table), which commands for people look at, borrows all rows of a session and
//! scales numbers on request. Here only the chosen rows are left; values are owned, because Parquet takes them as they
//! are, and keep their stored type with an exact [`Scale`], because CSV has the shortest text: 50.397491, not
//! 50.397490999999995. Events are tables, too.

use crate::columns::names;
use crate::intervals::Intervals;
use crate::texts::Part;
use binlog::blackbox::Quantity;
use binlog::field::Chars;
use binlog::log::{Buffer, Column, ColumnSchema, Kind, Numbers, Rows, TableSchema, ValueNames, Values};
use binlog::{Format, LoggedColumn, LoggedDefinition};
use std::fmt::Write as _;

/// The records of one type in one [part](super::tables) of a log.
#[derive(Clone, Debug)]
pub struct ChosenTable {
    /// The type's name: `ATT`, or of Blackbox `main`, `slow`, `gps`, `home`, `events`.
    pub name: String,
    /// What the type is about; empty if the log doesn't say.
    pub description: String,
    /// The time of each record, in microseconds since boot.
    pub times_us: Vec<u64>,
    /// The columns, in the order of the record, without TimeUS. All are as long as `times_us`, and their labels differ.
    pub columns: Vec<ChosenColumn>,
    /// The place in `columns` of the one that separates instances.
    pub instance: Option<usize>,
}

/// The values of one column, in the type that stores them.
#[derive(Clone, Debug)]
pub struct ChosenColumn {
    /// The label: `Roll`, `gyroADC[0]`.
    pub label: String,
    /// The unit of the shown numbers: `deg`, `µs`. Empty for no unit.
    pub unit: String,
    /// What it is; empty if the log doesn't say.
    pub description: String,
    /// The values as stored.
    pub cells: Cells,
    /// How a stored number is shown.
    pub scale: Scale,
    /// What the log calls the values or bits; `None` if it doesn't say.
    pub names: Option<ValueNames>,
    /// In which records it is chosen; `None` for all. In the others it is missing: they are of another instance.
    pub is_chosen: Option<Vec<bool>>,
}

/// Values as stored.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers, text of a fixed width, or arrays.
    Logged(Values),
    /// Text of a fixed width that isn't text but raw data: `FILE.Data`.
    Raw(Buffer<Chars<64>>),
    /// Text of any length.
    Text(Vec<String>),
}

/// How a stored number becomes the one that is shown: by pymavlink for ArduPilot's logs, in units for Blackbox.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// As it is.
    One,
    /// An integer divided by ten to this power, at most 7: 2 for hundredths, 7 for coordinates.
    Decimals(u32),
    /// An integer in its unit.
    Linear(Quantity),
}

/// Powers of ten, which an `f64` has exactly.
const POWERS: [f64; 8] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];

impl Scale {
    /// How pymavlink shows a format: hundredths divided by 100, coordinates by 1e7.
    pub fn of(format: Format) -> Self {
        match format {
            Format::Coordinate => Scale::Decimals(7),
            format if format.is_centi() => Scale::Decimals(2),
            _ => Scale::One,
        }
    }

    /// The shown number. A division by a power of ten is exact, as in pymavlink.
    pub fn shown(self, stored: f64) -> f64 {
        match self {
            Scale::One => stored,
            Scale::Decimals(decimals) => stored / POWERS[decimals as usize % POWERS.len()],
            Scale::Linear(quantity) => quantity.value(stored as i64),
        }
    }
}

/// The label of the times of a table.
pub const TIME: &str = "TimeUS";

/// What a log says about a type and its columns.
pub trait Describe {
    /// What the type is about.
    fn of_type(&self, name: &str) -> String;
    /// What the column is.
    fn of_column(&self, name: &str, label: &str) -> String;
}

impl ChosenTable {
    /// The records of an ArduPilot log that have one definition. `wanted` chooses columns by label.
    ///
    /// Columns have the same label only in a damaged definition. The second one gets `_2` at the end, the third `_3`,
    /// in all formats: `A`, `A_2`, `A_3`. A number that is the label of another column is left out.
    pub fn of_rows(rows: &Rows<'_>, describe: &impl Describe, wanted: impl Fn(&str) -> bool) -> Self {
        // Rows of an instance have its number in their name.
        let name = rows.definitions().next().map_or("", |definition| definition.name()).to_owned();
        let separates = |definition: LoggedDefinition<'_>| {
            let instance = definition.instance_column()?;
            definition.columns().position(|column| column.offset == instance.offset)
        };
        let separates = rows.definitions().find_map(separates);
        let labels = rows.definitions().next().map(|definition| definition.distinct_labels()).unwrap_or_default();
        let mut names = labels.clone();
        let is_time = |column: &LoggedColumn<'_>| column.label == TIME;
        let time = rows.definitions().next().and_then(|definition| {
            let place = definition.columns().position(|column| is_time(&column))?;
            definition.columns().nth(place).map(|column| (place, column.format))
        });
        // Of other formats, the times may lack something: what is between two microseconds, or text.
        let time = time.filter(|&(place, format)| {
            format.is_integer() && !(format == Format::I64 && has_negative_times(rows, place))
        });
        if time.is_none() {
            names = names::apart_from(&[TIME], names);
        }
        // Without the instance nobody could tell the sensors apart.
        let is_wanted = |(place, label): &(usize, String)| {
            time.is_none_or(|(time, _)| time != *place) && (wanted(label) || separates == Some(*place))
        };
        let chosen: Vec<(usize, String)> = names.into_iter().enumerate().filter(is_wanted).collect();
        // Such times are the values of their column, which is read with the others.
        let times = (time == Some((0, Format::U64))).then_some(0);
        let places = times.into_iter().chain(chosen.iter().map(|(place, _)| *place));
        let read: Vec<&String> = places.filter_map(|place| labels.get(place)).collect();
        let mut read = rows.columns(&read, Numbers::Native).unwrap_or_default().into_iter();
        let times_us = match times.and_then(|_| read.next()).map(Column::into_values) {
            Some(Values::U64(times_us)) => times_us.into_owned(),
            _ => rows.times_us(),
        };
        let (mut columns, mut instance) = (Vec::new(), None);
        for ((place, label), column) in chosen.into_iter().zip(read) {
            if separates == Some(place) {
                instance = Some(columns.len());
            }
            columns.push(ChosenColumn {
                unit: column.shown_unit().into(),
                description: describe.of_column(&name, &labels[place]),
                scale: Scale::of(column.format()),
                names: column.value_names().cloned(),
                cells: match column.into_values() {
                    Values::Chars64(data) if is_raw(&name, &label) => Cells::Raw(data),
                    values => Cells::Logged(values),
                },
                is_chosen: None,
                label,
            });
        }
        ChosenTable { description: describe.of_type(&name), name, times_us, columns, instance }
    }

    /// What its columns are, as they are shown.
    pub fn schema(&self) -> TableSchema {
        let mut schema = TableSchema::new(&*self.name);
        schema.description.clone_from(&self.description);
        schema.columns = self.columns.iter().map(ChosenColumn::schema).collect();
        schema
    }

    /// Drops the texts that its [`schema`](Self::schema) has.
    #[cfg(feature = "parquet")]
    pub(super) fn forget_descriptions(&mut self) {
        self.description = String::new();
        for column in &mut self.columns {
            (column.unit, column.description, column.names) = (String::new(), String::new(), None);
        }
    }

    /// About how many bytes it has in memory.
    #[cfg(feature = "parquet")]
    pub(super) fn memory(&self) -> usize {
        let of_column = |column: &ChosenColumn| {
            let is_chosen = column.is_chosen.as_ref().map_or(0, Vec::len);
            size_of_val(column) + column.label.len() + column.cells.memory() + is_chosen
        };
        size_of_val(self) + size_of_val(&*self.times_us) + self.columns.iter().map(of_column).sum::<usize>()
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.times_us.len()
    }

    /// Whether it has no records.
    pub fn is_empty(&self) -> bool {
        self.times_us.is_empty()
    }

    /// The column with this label.
    pub fn column(&self, label: &str) -> Option<&ChosenColumn> {
        self.columns.iter().find(|column| column.label == label)
    }

    /// Keeps the records whose place is accepted.
    pub fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        let kept: Vec<usize> = (0..self.len()).filter(|&i| is_kept(i)).collect();
        if kept.len() < self.len() {
            self.times_us = kept.iter().map(|&i| self.times_us[i]).collect();
            for column in &mut self.columns {
                column.cells = column.cells.at(&kept);
                let is_chosen = |is_chosen: Vec<bool>| kept.iter().filter_map(|&i| is_chosen.get(i).copied()).collect();
                column.is_chosen =
                    column.is_chosen.take().map(is_chosen).filter(|is_chosen: &Vec<bool>| is_chosen.contains(&false));
            }
        }
    }

    /// Shows texts of several records whole, in the place of the first one. `parts` has what stands in the place of
    /// each record.
    pub fn join_texts(&mut self, parts: &[Part<'_>]) {
        if parts.iter().all(|part| *part == Part::Record) {
            return;
        }
        for column in self.columns.iter_mut().filter(|column| column.label == "Message") {
            let text = |(i, part): (usize, &Part<'_>)| match part {
                Part::Whole(text) => (*text).to_owned(),
                Part::Record | Part::Nothing => column.text(i).unwrap_or_default(),
            };
            column.cells = Cells::Text(parts.iter().enumerate().map(text).collect());
        }
        self.keep(|i| parts.get(i) != Some(&Part::Nothing));
    }

    /// Replaces stored values by their names, where the log has one.
    pub fn name_values(&mut self) {
        for column in &mut self.columns {
            let Some(names) = column.names.take() else { continue };
            let name = |integer: i128| names.of(integer).map_or_else(|| integer.to_string(), |name| name.into_owned());
            if let Some(integers) = column.cells.integers() {
                column.cells = Cells::Text(integers.into_iter().map(name).collect());
            }
        }
    }

    /// Keeps the records in these intervals.
    pub fn keep_intervals(&mut self, intervals: &Intervals) {
        if !intervals.is_everything() {
            let is_kept: Vec<bool> = self.times_us.iter().map(|&time_us| intervals.contains(time_us)).collect();
            self.keep(|i| is_kept.get(i).copied().unwrap_or(false));
        }
    }

    /// The instance of a record: a number, or a name.
    pub fn instance_of(&self, i: usize) -> Option<String> {
        let column = self.columns.get(self.instance?)?;
        column.number(i).map(|number| number.to_string()).or_else(|| column.text(i))
    }
}

impl ChosenColumn {
    fn schema(&self) -> ColumnSchema {
        let kind = match &self.cells {
            Cells::Logged(values) if values.kind().is_number() && self.scale != Scale::One => Kind::F64,
            Cells::Logged(values) => values.kind(),
            Cells::Raw(_) => Kind::Bytes,
            Cells::Text(_) => Kind::Text,
        };
        let mut schema = ColumnSchema::new(&*self.label, kind);
        schema.is_converted = matches!(self.scale, Scale::Linear { .. });
        schema.unit.clone_from(&self.unit);
        schema.description.clone_from(&self.description);
        if let Some(names) = &self.names {
            [schema.values, schema.bits] = names.by_number();
        }
        schema
    }

    /// Whether it is chosen in a record.
    #[inline]
    pub fn is_chosen_in(&self, i: usize) -> bool {
        self.is_chosen.as_ref().is_none_or(|is_chosen| is_chosen.get(i) == Some(&true))
    }

    /// The shown number of a record; `None` for text and arrays, beyond the end, and where the column isn't chosen.
    pub fn number(&self, i: usize) -> Option<f64> {
        if !self.is_chosen_in(i) {
            return None;
        }
        self.cells.number(i).map(|stored| self.scale.shown(stored))
    }

    /// The shown numbers of all records, chosen or not; `None` for text and arrays.
    #[cfg(feature = "parquet")]
    pub(super) fn numbers(&self) -> Option<Vec<f64>> {
        // A loop for each type, so that the processor converts several numbers at once.
        macro_rules! numbers {
            ($($variant:ident)*) => {
                match &self.cells {
                    $(Cells::Logged(Values::$variant(values)) => {
                        Some(values.iter().map(|&value| self.scale.shown(value as f64)).collect())
                    })*
                    _ => None,
                }
            };
        }
        numbers!(I8 U8 I16 U16 I32 U32 I64 U64 F32 F64)
    }

    /// The text of a record; `None` for numbers, and where the column isn't chosen. Raw data is in hexadecimal, an
    /// array as a list: `[1,2]`.
    pub fn text(&self, i: usize) -> Option<String> {
        if !self.is_chosen_in(i) {
            return None;
        }
        match &self.cells {
            Cells::Text(texts) => texts.get(i).cloned(),
            Cells::Raw(data) => data.get(i).map(|data| hexadecimal(data.raw())),
            Cells::Logged(Values::Chars4(texts)) => texts.get(i).map(Chars::to_string),
            Cells::Logged(Values::Chars16(texts)) => texts.get(i).map(Chars::to_string),
            Cells::Logged(Values::Chars64(texts)) => texts.get(i).map(Chars::to_string),
            Cells::Logged(Values::I16x32(arrays)) => {
                let numbers = arrays.get(i)?.map(|number| number.to_string());
                Some(format!("[{}]", numbers.join(",")))
            }
            Cells::Logged(_) => None,
        }
    }
}

/// Whether a column of times of 64 bits has values below 0, which aren't times.
fn has_negative_times(rows: &Rows<'_>, place: usize) -> bool {
    match rows.column_at(place).map(Column::into_values) {
        Ok(Values::I64(times)) => times.iter().any(|&time_us| time_us < 0),
        _ => false,
    }
}

/// Whether a text of 64 bytes isn't text but raw data: a piece of a file.
pub(super) fn is_raw(name: &str, label: &str) -> bool {
    (name, label) == ("FILE", "Data")
}

/// All bytes in hexadecimal. Zeros at the end stay, since they may be data.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A String takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Cells {
    #[cfg(feature = "parquet")]
    fn memory(&self) -> usize {
        match self {
            Cells::Logged(values) => values.as_bytes().len(),
            Cells::Raw(data) => size_of_val(&**data),
            Cells::Text(texts) => size_of_val(&**texts) + texts.iter().map(String::len).sum::<usize>(),
        }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        match self {
            Cells::Logged(values) => values.len(),
            Cells::Raw(data) => data.len(),
            Cells::Text(texts) => texts.len(),
        }
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The stored number of a record; `None` for text and arrays, and beyond the end. Integers beyond 2^53 are rounded.
    pub fn number(&self, i: usize) -> Option<f64> {
        match self {
            Cells::Logged(values) => values.number(i),
            Cells::Raw(_) | Cells::Text(_) => None,
        }
    }

    /// The values, if they are stored as integers.
    fn integers(&self) -> Option<Vec<i128>> {
        macro_rules! integers {
            ($values:ident, $($variant:ident)*) => {
                match $values {
                    $(Values::$variant(values) => Some(values.iter().map(|value| (*value).into()).collect()),)*
                    _ => None,
                }
            };
        }
        match self {
            Cells::Logged(values) => integers!(values, I8 U8 I16 U16 I32 U32 I64 U64),
            Cells::Raw(_) | Cells::Text(_) => None,
        }
    }

    /// The values at these places, which are in range.
    fn at(&self, places: &[usize]) -> Cells {
        fn at<T: Clone>(values: &[T], places: &[usize]) -> Vec<T> {
            places.iter().filter_map(|&i| values.get(i).cloned()).collect()
        }
        match self {
            Cells::Raw(data) => Cells::Raw(at(data, places).into()),
            Cells::Text(texts) => Cells::Text(at(texts, places)),
            Cells::Logged(values) => Cells::Logged(values.at(places)),
        }
    }
}
