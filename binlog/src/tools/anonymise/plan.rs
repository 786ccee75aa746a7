//! What is done with the records of one definition.

use super::Anonymise;
use super::kind::Kind;
use super::names::{self, Axis, EARTH_FIELD};
use super::place::Place;
use crate::format::{Definition, Format, Value};
use crate::read::catalogue::DEFINITIONS;
use crate::read::catalogue::units::{UnitTables, UnitsAt};
use crate::read::{LoggedColumn, LoggedDefinition};
use std::ops::Range;

/// What is done with the records of one definition. Ranges are those of the payload.
#[derive(Clone, Default)]
pub(super) struct Plan {
    /// Why they are left out.
    pub(super) removed: Option<Kind>,
    /// Whether they are left out because their type is dropped.
    pub(super) is_dropped: bool,
    /// Whether they define others.
    pub(super) is_definition: bool,
    /// Numbers and arrays, which become 0, and why. Bytes without a column need no reason.
    pub(super) zeros: Vec<(Range<usize>, Option<Kind>)>,
    pub(super) texts: Vec<(Range<usize>, Text)>,
    pub(super) positions: Vec<Cells>,
    /// The columns of a parameter.
    pub(super) parameter: Option<Parameter>,
    /// Whether a record without a text has nothing left.
    pub(super) is_text_alone: bool,
}

/// What stays of a text. Bytes after its NUL never do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    All,
    /// The name and the version of a vehicle.
    Firmware,
    Nothing,
}

/// The columns of a position, of which one may be missing.
#[derive(Clone, Default)]
pub(super) struct Cells {
    pub(super) latitude: Option<Cell>,
    pub(super) longitude: Option<Cell>,
}

#[derive(Clone)]
pub(super) struct Parameter {
    pub(super) name: Range<usize>,
    pub(super) name_format: Format,
    /// `None` if a value can't be moved.
    pub(super) values: Option<Vec<Cell>>,
    /// Those of the defaults, which are the same in all vehicles.
    pub(super) defaults: Vec<Cell>,
}

impl Plan {
    /// The plan for the records of a definition.
    pub(super) fn of(definition: &LoggedDefinition<'_>, units: UnitsAt<'_>, options: &Anonymise) -> Self {
        let of_type = definition.name();
        let is_definition = DEFINITIONS.contains(&of_type);
        let mut plan = Plan {
            removed: options.removed_type(of_type),
            is_definition,
            is_dropped: !is_definition && options.drops(of_type),
            is_text_alone: of_type == "MSG",
            ..Plan::default()
        };
        let columns: Vec<LoggedColumn<'_>> = definition.columns().collect();
        let length = usize::from(definition.length()).saturating_sub(Definition::HEADER_LENGTH);
        let end = columns.last().map_or(0, |column| column.offset + column.format.size());
        plan.zeros.extend((end < length).then_some((end..length, None)));
        if of_type == "PARM" {
            let cells = |label: &str| -> Vec<Option<Cell>> {
                let columns = columns.iter().filter(|column| column.label == label && !is_text(column.format));
                columns.map(|column| Cell::of(column, None, 1.0)).collect()
            };
            let name = columns.iter().find(|column| column.label == "Name");
            plan.parameter = name.map(|column| Parameter {
                name: range(column),
                name_format: column.format,
                values: cells("Value").into_iter().collect(),
                defaults: cells("Default").into_iter().flatten().collect(),
            });
        }
        let is_kept = options.keeps_name(of_type);
        let has_earth_field = EARTH_FIELD.iter().all(|label| columns.iter().any(|column| column.label == *label));
        let mut coordinates = Coordinates::default();
        let mut has_coordinates = false;
        for column in &columns {
            if !is_text(column.format) {
                if is_definition {
                    continue;
                }
                let coordinate = coordinates.coordinate(of_type, column, units);
                has_coordinates |= coordinate.is_some();
                let kind = match coordinate {
                    Some((axis, stem, Some(cell))) => {
                        coordinates.found.push((axis, stem, cell));
                        continue;
                    }
                    Some((_, _, None)) => Some(Kind::Coordinates),
                    None => names::removed_column(of_type, column.label, has_earth_field),
                };
                let kind = kind.filter(|kind| options.removes(*kind) && !is_kept);
                plan.zeros.extend(kind.map(|kind| (range(column), Some(kind))));
                continue;
            }
            let text = match () {
                () if is_definition || is_kept || names::is_kept_text(of_type, column.label) => Text::All,
                () if !options.removes(Kind::Texts) => Text::All,
                () if names::names_firmware(of_type, column.label) => Text::Firmware,
                () => Text::Nothing,
            };
            plan.texts.push((range(column), text));
        }
        if has_coordinates && !is_kept && options.removes(Kind::Heights) {
            let heights = columns.iter().filter(|column| names::is_height(column.label) && !is_text(column.format));
            plan.zeros.extend(heights.map(|column| (range(column), Some(Kind::Heights))));
        }
        plan.positions = coordinates.pairs();
        plan
    }

    /// The plan for FMT, which has this layout also where a log says another one.
    pub(super) fn of_fmt() -> Self {
        let texts = [2..6, 6..22, 22..86].map(|range| (range, Text::All)).into();
        Plan { is_definition: true, texts, ..Plan::default() }
    }

    /// Whether the column at this place of the payload is moved or becomes 0.
    pub(super) fn changes(&self, offset: usize) -> bool {
        let moved = self.positions.iter().flat_map(|cells| [&cells.latitude, &cells.longitude]);
        moved.flatten().any(|cell| cell.offset == offset) || self.zeros.iter().any(|(range, _)| range.start == offset)
    }

    /// Also moves these, unless they are moved or become 0 already.
    pub(super) fn add(&mut self, unnamed: &[Cells]) {
        for cells in unnamed {
            let new = |cell: Option<Cell>| cell.filter(|cell| !self.changes(cell.offset));
            let cells = Cells { latitude: new(cells.latitude), longitude: new(cells.longitude) };
            self.positions.extend((cells.latitude.is_some() || cells.longitude.is_some()).then_some(cells));
        }
    }

    /// Whether the records are copied as they are.
    pub(super) fn is_copy(&self) -> bool {
        self.zeros.is_empty() && self.texts.is_empty() && self.positions.is_empty() && self.parameter.is_none()
    }
}

fn is_text(format: Format) -> bool {
    matches!(format, Format::Chars4 | Format::Chars16 | Format::Chars64)
}

fn range(column: &LoggedColumn<'_>) -> Range<usize> {
    column.offset..column.offset + column.format.size()
}

/// The columns of a definition that have coordinates.
#[derive(Default)]
struct Coordinates {
    found: Vec<(Axis, Option<String>, Cell)>,
}

impl Coordinates {
    /// The coordinate in a column: by its unit, or else by its label, or else by its format `L`. Also returns what
    /// follows or precedes the coordinate in the label, and the cell, if the coordinate can be moved.
    fn coordinate(
        &self,
        of_type: &str,
        column: &LoggedColumn<'_>,
        units: UnitsAt<'_>,
    ) -> Option<(Axis, Option<String>, Option<Cell>)> {
        let unit = column.unit_id.and_then(|id| units.unit(id)).unwrap_or_default();
        let stem = names::coordinate(column.label).map(|(_, stem)| stem);
        let multiplier = column.multiplier_id.and_then(|id| units.multiplier(id));
        let cell = |degrees| Cell::of(column, multiplier, degrees);
        match unit {
            "deglatitude" => return Some((Axis::Latitude, stem, cell(1.0))),
            "deglongitude" => return Some((Axis::Longitude, stem, cell(1.0))),
            _ => {}
        }
        let by_label = names::coordinate_column(of_type, column.label);
        if column.format == Format::Coordinate {
            let other = match self.found.last() {
                Some((Axis::Latitude, ..)) => Axis::Longitude,
                _ => Axis::Latitude,
            };
            return Some((by_label.unwrap_or(other), stem, cell(1.0)));
        }
        let degrees = match unit {
            "deg" | "" | "UNKNOWN" => Some(1.0),
            "rad" => Some(1_f64.to_degrees()),
            _ => None,
        };
        by_label.map(|axis| (axis, stem, degrees.and_then(cell)))
    }

    /// Latitudes and longitudes in pairs: by their labels, or else in their order.
    fn pairs(self) -> Vec<Cells> {
        let (mut latitudes, mut longitudes): (Vec<_>, Vec<_>) =
            self.found.into_iter().partition(|(axis, ..)| *axis == Axis::Latitude);
        let mut pairs = Vec::new();
        latitudes.retain(|(_, stem, cell)| {
            let Some(at) = longitudes.iter().position(|(_, other, _)| stem.is_some() && other == stem) else {
                return true;
            };
            let longitude = Some(longitudes.remove(at).2);
            pairs.push(Cells { latitude: Some(*cell), longitude });
            false
        });
        let mut longitudes = longitudes.into_iter().map(|(.., cell)| cell);
        for (.., cell) in latitudes {
            pairs.push(Cells { latitude: Some(cell), longitude: longitudes.next() });
        }
        pairs.extend(longitudes.map(|cell| Cells { latitude: None, longitude: Some(cell) }));
        pairs
    }
}

/// A column with a coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    offset: usize,
    format: Format,
    /// Degrees for each 1 that is stored.
    degrees: f64,
}

/// The steps of most coordinates, in degrees.
const STEP: f64 = 1e-7;

/// Integers in larger steps, in degrees, can't be moved exactly: it is a metre.
const LARGEST_STEP: f64 = 1e-5;

impl Cell {
    /// The cell of a column in a unit of these degrees. `None` if it can't have exact coordinates.
    pub(super) fn of(column: &LoggedColumn<'_>, multiplier: Option<f64>, unit: f64) -> Option<Self> {
        let LoggedColumn { format, offset, .. } = *column;
        let is_wide = format.size() >= Format::I32.size() && !format.is_centi() && format != Format::I16x32;
        let step = match (format, multiplier) {
            (Format::F32 | Format::F64, _) => return Some(Cell { offset, format, degrees: unit }),
            (Format::Coordinate, _) => STEP,
            (_, Some(multiplier)) if multiplier > 0.0 && multiplier < 1.0 => multiplier,
            _ => STEP,
        };
        let degrees = step * unit;
        (is_wide && degrees <= LARGEST_STEP).then_some(Cell { offset, format, degrees })
    }

    /// The degrees in a payload, and degrees for each 1 that is stored. Some floats have steps, too.
    pub(super) fn read(&self, payload: &[u8]) -> Option<(f64, f64)> {
        let value = match Value::of(self.format, payload.get(self.offset..)?)? {
            Value::Float(value) => value,
            value => {
                // Coordinates have a sign, also in columns whose format has none.
                let unused = 128 - 8 * self.format.size() as u32;
                (value.to_integer()? << unused >> unused) as f64
            }
        };
        let is_in_steps = matches!(self.format, Format::F32 | Format::F64) && value.abs() > 360.0;
        let degrees = if is_in_steps { STEP } else { self.degrees };
        Some((value * degrees, degrees))
    }

    /// Writes degrees; 0 if they don't fit the format.
    pub(super) fn write(&self, payload: &mut [u8], degrees: f64, step: f64) {
        let size = self.format.size();
        let Some(bytes) = payload.get_mut(self.offset..self.offset + size) else { return };
        let value = degrees / step;
        match self.format {
            Format::F32 => bytes.copy_from_slice(&(value as f32).to_le_bytes()),
            Format::F64 => bytes.copy_from_slice(&value.to_le_bytes()),
            _ => {
                let limit = 2_f64.powi(8 * size as i32 - 1);
                let value = Some(value.round()).filter(|value| value.abs() < limit).unwrap_or(0.0) as i64;
                bytes.copy_from_slice(value.to_le_bytes().get(..size).unwrap_or_default());
            }
        }
    }
}

impl Cells {
    /// The position in a payload, of which one coordinate may have no column. `None` if all are 0, or not numbers.
    pub(super) fn read(&self, payload: &[u8]) -> Option<[Option<f64>; 2]> {
        let read = |cell: &Option<Cell>| cell.as_ref().and_then(|cell| cell.read(payload)).map(|(degrees, _)| degrees);
        let position = [read(&self.latitude), read(&self.longitude)];
        position.iter().flatten().any(|degrees| *degrees != 0.0).then_some(position)
    }

    /// Moves the position in a payload. Returns whether it was moved: one that isn't of the flight becomes 0, 0. `None`
    /// if there is none.
    pub(super) fn move_in(&self, payload: &mut [u8], place: Option<&Place>) -> Option<bool> {
        let position = self.read(payload)?;
        let moved = place.and_then(|place| match position {
            [Some(latitude), Some(longitude)] => place.moved([latitude, longitude]),
            [latitude, longitude] => place.moved_alone(latitude, longitude),
        });
        for (cell, new) in [(&self.latitude, 0), (&self.longitude, 1)] {
            let Some(cell) = cell else { continue };
            let step = cell.read(payload).map_or(1.0, |(_, step)| step);
            cell.write(payload, moved.map_or(0.0, |moved| moved[new]), step);
        }
        Some(moved.is_some())
    }
}
