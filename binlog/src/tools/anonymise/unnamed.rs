//! Coordinates in columns that neither a unit nor a label says to have them: by their values.

use super::place::Position;
use super::plan::{Cell, Cells};
use crate::format::Format;
use crate::read::log::Rows;

/// Degrees around the first position.
const NEAR: f64 = 0.2;

/// Nearer to the equator or to the meridian of Greenwich, small numbers of any meaning look like coordinates.
const SMALL: f64 = 2.0;

/// The positions in the records of one definition: columns that have coordinates near the first position, and nothing
/// else but zeros. One column alone may have such numbers by chance.
pub(super) fn positions(rows: &Rows<'_>, first: Position) -> Vec<Cells> {
    let [latitude, longitude] = first;
    let is_ambiguous = latitude.abs() < SMALL || longitude.abs() < SMALL || (latitude - longitude).abs() < 2.0 * NEAR;
    let Some(definition) = rows.definitions().next().filter(|_| !is_ambiguous) else { return Vec::new() };
    // Floats of 32 bits have such numbers by chance.
    let is_wide = |format| matches!(format, Format::I32 | Format::U32 | Format::I64 | Format::U64 | Format::F64);
    let columns = definition.columns().filter(|column| is_wide(column.format));
    let cells: Vec<Cell> = columns.filter_map(|column| Cell::of(&column, None)).collect();
    let [latitudes, longitudes] = first.map(|first| near(rows, &cells, first));
    let pair = |(latitude, longitude)| Cells { latitude: Some(latitude), longitude: Some(longitude) };
    latitudes.into_iter().zip(longitudes).map(pair).collect()
}

/// The cells that have this coordinate.
fn near(rows: &Rows<'_>, cells: &[Cell], first: f64) -> Vec<Cell> {
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
