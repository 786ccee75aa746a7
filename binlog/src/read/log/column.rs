//! One column of a log.

use super::gather::{Cells, Scale};
use super::value_names::ValueNames;
use crate::format::{Format, Scaling, Value};
use crate::read::LoggedColumn;
use crate::read::catalogue::column::ResolvedColumn;
use crate::read::catalogue::units::Units;
use crate::source::{Numbers, Values};
use std::borrow::Cow;

/// A column: the values of all records of a type, in the order of the log.
///
/// The numbers are kept as stored and are scaled when you ask for them.
///
/// ```
/// # use binlog::{LogSchema, LogWriter, messages::Mode};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Mode(Mode) }
/// # let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
/// # writer.mode(1_500_000, 5, 0)?;
/// # writer.mode(2_500_000, 6, 0)?;
/// # let bytes = writer.finish()?;
/// use binlog::{Log, Scaling, log::Values};
///
/// let log = Log::from_bytes(bytes);
/// let time = log.column("MODE.TimeUS")?;
/// assert_eq!(time.values(), &Values::U64(vec![1_500_000, 2_500_000].into()));
/// assert_eq!(time.to_f64(Scaling::Units), Some(vec![1.5, 2.5]));
/// assert_eq!((time.shown_unit(), time.unit()), ("µs", "s"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    label: String,
    quantity: Quantity,
    values: Values,
    /// The scaling of the values, if they were scaled when they were read.
    scaled: Scaling,
    names: Option<ValueNames>,
}

/// The unit and the factor of a column's numbers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Quantity {
    pub(super) format: Format,
    shown_unit: String,
    unit: String,
    multiplier: Option<f64>,
    /// The factor that remains after the format's own scaling.
    factor: Option<f64>,
}

impl Quantity {
    /// The quantity of a column, with the units in force at `defined_at`, the offset of its definition.
    pub(super) fn new(column: &LoggedColumn<'_>, defined_at: usize, units: &Units) -> Self {
        let meanings = units.at(defined_at);
        let resolved = ResolvedColumn::of_log(column, meanings);
        let mut quantity = Quantity {
            format: column.format,
            shown_unit: resolved.shown_unit(),
            unit: resolved.unit.into(),
            multiplier: resolved.stated_multiplier(),
            factor: resolved.factor(),
        };
        // Old firmware has no FMTU; the labels imply the units of times.
        let multiplier = match (column.label, column.offset) {
            ("TimeUS", _) => Some(1e-6),
            ("TimeMS", 0) => Some(1e-3),
            _ => None,
        };
        if multiplier.is_some() && column.unit_id.is_none() {
            quantity.unit = "s".into();
            (quantity.multiplier, quantity.factor) = (multiplier, multiplier);
        }
        quantity
    }

    /// The unit of numbers that are decoded in this way, and what they are multiplied by to be in it.
    pub(super) fn unit_and_scale(&self, numbers: Numbers) -> (String, f64) {
        match numbers.asked() {
            Scaling::Stored => (self.shown_unit.clone(), self.format.divisor().map_or(1.0, f64::recip)),
            Scaling::Shown => (self.shown_unit.clone(), 1.0),
            Scaling::Units => (self.unit.clone(), 1.0),
        }
    }

    /// Whether the numbers are converted to the unit by more than the format.
    pub(super) fn is_converted(&self, numbers: Numbers) -> bool {
        numbers.asked() == Scaling::Units && self.factor.is_some_and(|factor| factor != 1.0)
    }

    /// How it is decoded.
    pub(super) fn cells(&self, numbers: Numbers) -> Cells {
        numbers.cells(self.format, |scaling| self.scale(scaling))
    }

    /// The log's multiplier; `None` if it has none or if it is 0.
    pub(super) fn multiplier(&self) -> Option<f64> {
        self.multiplier
    }

    /// How its stored numbers are scaled.
    pub(super) fn scale(&self, scaling: Scaling) -> Scale {
        Scale::of(self.format, self.factor, scaling)
    }
}

impl Column {
    pub(super) fn new(
        label: &str,
        quantity: Quantity,
        values: Values,
        scaled: Scaling,
        names: Option<ValueNames>,
    ) -> Self {
        Column { label: label.into(), quantity, values, scaled, names }
    }

    /// Its label.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// How the log stores it.
    pub fn format(&self) -> Format {
        self.quantity.format
    }

    /// The unit of its [shown](Scaling::Shown) numbers, with pymavlink's name: `µs`, `cm`, `100 m`. Empty for no unit.
    pub fn shown_unit(&self) -> &str {
        &self.quantity.shown_unit
    }

    /// The unit of its numbers [in units](Scaling::Units): `s`, `m`. Empty for no unit.
    pub fn unit(&self) -> &str {
        &self.quantity.unit
    }

    /// The log's multiplier, rounded to seven digits; `None` if it has none or if it is 0.
    pub fn multiplier(&self) -> Option<f64> {
        self.quantity.multiplier
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the log has no records of the type.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All values, as stored, or scaled as in [`Log::tables_f64`](crate::Log::tables_f64).
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// All values, without the column's label and units.
    pub fn into_values(self) -> Values {
        self.values
    }

    /// The value of one record.
    pub fn get(&self, i: usize) -> Option<Value<'_>> {
        self.values.get(i, self.quantity.format)
    }

    /// What the log calls the value of one record: the name of the value, or those of the bits that are set. `None` if
    /// it has no name, beyond the end, and in a table with [another scaling](crate::Log::tables_f64). In a log of
    /// several boots, [a value has a name if the boots agree on it](crate::Log::value_names).
    pub fn value_name(&self, i: usize) -> Option<Cow<'_, str>> {
        let value = self.get(i)?.to_integer()?;
        self.names.as_ref()?.of(value)
    }

    /// The names of its values or bits; `None` if the log has none.
    pub fn value_names(&self) -> Option<&ValueNames> {
        self.names.as_ref()
    }

    /// The number of one record. `None` for text and arrays, beyond the end, and in a table with [another
    /// scaling](crate::Log::tables_f64).
    #[inline]
    pub fn number(&self, i: usize, scaling: Scaling) -> Option<f64> {
        let number = self.values.number(i)?;
        Some(self.scale(scaling)?.apply(number))
    }

    /// All numbers; `None` for text and arrays, and in a table with [another scaling](crate::Log::tables_f64). Integers
    /// beyond 2^53 are rounded; [`values`](Column::values) has them exactly.
    pub fn to_f64(&self, scaling: Scaling) -> Option<Vec<f64>> {
        let scale = self.scale(scaling)?;
        (0..self.len()).map(|i| self.values.number(i).map(|number| scale.apply(number))).collect()
    }

    fn scale(&self, scaling: Scaling) -> Option<Scale> {
        match self.scaled {
            Scaling::Stored => Some(self.quantity.scale(scaling)),
            scaled => (scaled == scaling).then_some(Scale::None),
        }
    }
}
