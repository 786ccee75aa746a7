//! Coordinates in columns that neither a unit nor a label says to have them: by their values.

use super::place::Position;
use super::plan::{Cell, Cells, Plan};
use crate::format::Format;
use crate::read::log::Rows;

/// Degrees around the first position.
const NEAR: f64 = 0.2;

/// Nearer to the equator or to the meridian of Greenwich, small numbers of any meaning look like coordinates.
const SMALL: f64 = 2.0;

/// The positions in the records of one definition, beside those of its plan: columns that have coordinates near the
/// first position, and nothing else but zeros. In a type without positions, one coordinate alone may be such numbers by
/// chance.
pub(super) fn positions(rows: &Rows<'_>, first: Position, plan: &Plan) -> Vec<Cells> {
    let Some(definition) = rows.definitions().next() else { return Vec::new() };
    let [latitude, longitude] = first;
    // Nobody knows which of both a column has.
    if (latitude - longitude).abs() < 2.0 * NEAR {
        return Vec::new();
    }
    // Floats of 32 bits have such numbers by chance, and so have times.
    let is_wide = |format| matches!(format, Format::I32 | Format::U32 | Format::I64 | Format::U64 | Format::F64);
    let is_time = |label: &str| ["TimeUS", "TimeMS"].contains(&label);
    let columns = definition.columns().filter(|column| is_wide(column.format) && !is_time(column.label));
    let columns = columns.filter(|column| !plan.changes(column.offset));
    let cells: Vec<Cell> = columns.filter_map(|column| Cell::of(&column, None, 1.0)).collect();
    let [latitudes, longitudes] = first.map(|first| near(rows, &cells, first));
    if plan.positions.is_empty() && (latitudes.is_empty() || longitudes.is_empty()) {
        return Vec::new();
    }
    let pairs = latitudes.len().max(longitudes.len());
    let pair = |i| Cells { latitude: latitudes.get(i).copied(), longitude: longitudes.get(i).copied() };
    (0..pairs).map(pair).collect()
}

/// The cells that have this coordinate.
fn near(rows: &Rows<'_>, cells: &[Cell], first: f64) -> Vec<Cell> {
    if first.abs() < SMALL {
        return Vec::new();
    }
    let mut candidates: Vec<(Cell, bool)> = cells.iter().map(|cell| (*cell, false)).collect();
    for record in rows.records() {
        candidates.retain_mut(|(cell, is_found)| {
            let degrees = cell.read(record.payload()).map_or(f64::NAN, |(degrees, _)| degrees);
            let is_near = (degrees - first).abs() < NEAR;
            *is_found |= is_near;
            is_near || degrees == 0.0
        });
        if candidates.is_empty() {
            break;
        }
    }
    candidates.into_iter().filter(|(_, is_found)| *is_found).map(|(cell, _)| cell).collect()
}
