//! CSV of one type: a header of labels, a line a record.
//!
//! Text that contains a comma, a quote or a line break is quoted, as RFC 4180 has it. NaN is an empty cell, which
//! pandas and DuckDB read as missing.

use super::chosen_table::{Cells, ChosenColumn, ChosenTable, Scale, TIME};
use super::time::Times;
use crate::columns::names;
use crate::{number, parallel_text};
use binlog::log::Values;
use std::io::{self, Write};

/// Writes a line of labels: the time, the session's number if the log has several, and those of the columns. A
/// column that has the label of one of the first gets a `_` at the end.
///
/// # Errors
///
/// Errors of the writer.
pub fn header<'l>(
    out: &mut impl Write,
    times: &Times,
    part: Option<&'l str>,
    labels: impl IntoIterator<Item = &'l str>,
) -> io::Result<()> {
    let mut line = Vec::new();
    text(&mut line, TIME);
    let own: Vec<&str> = [TIME].into_iter().chain(times.label()).chain(part).collect();
    let labels = names::apart_from(&own, labels.into_iter().map(str::to_owned).collect());
    for label in own.iter().skip(1).copied().chain(labels.iter().map(String::as_str)) {
        line.push(b',');
        text(&mut line, label);
    }
    line.push(b'\n');
    out.write_all(&line)
}

/// Writes a line for each record of a table. `labels` are those of the header; a column that the table lacks is empty.
///
/// # Errors
///
/// Errors of the writer.
pub fn rows<'l>(
    out: &mut impl Write,
    times: &Times,
    part: Option<usize>,
    labels: impl IntoIterator<Item = &'l str>,
    table: &ChosenTable,
) -> io::Result<()> {
    let columns: Vec<Option<&ChosenColumn>> = labels.into_iter().map(|label| table.column(label)).collect();
    lines(out, times, part, &table.times_us, &columns, |line, column, i| cell(line, column, i))
}

/// Writes a line for each row, of which there is a time in microseconds. `print` appends the cell of a column in a row.
/// A column that is `None` has empty cells.
pub(super) fn lines<C: Sync>(
    out: &mut impl Write,
    times: &Times,
    part: Option<usize>,
    times_us: &[u64],
    columns: &[Option<C>],
    print: impl Fn(&mut Vec<u8>, &C, usize) + Sync,
) -> io::Result<()> {
    parallel_text::write(out, times_us.len(), |text, rows| {
        for row in rows {
            let Some(&time_us) = times_us.get(row) else { return };
            times.cells(text, time_us);
            if let Some(part) = part {
                text.push(b',');
                number::integer(text, part);
            }
            for column in columns {
                text.push(b',');
                if let Some(column) = column {
                    print(text, column, row);
                }
            }
            text.push(b'\n');
        }
    })
}

/// Appends the shown value of a record.
#[inline]
pub fn cell(out: &mut Vec<u8>, column: &ChosenColumn, i: usize) {
    if !column.is_chosen_in(i) {
        return;
    }
    macro_rules! integer {
        ($values:ident) => {{
            let Some(&value) = $values.get(i) else { return };
            match column.scale {
                Scale::One => number::integer(out, value),
                Scale::Decimals(decimals) => number::decimal(out, value as i64, decimals),
                Scale::Linear(_) => number::shortest(out, column.scale.shown(value as f64)),
            }
        }};
    }
    match &column.cells {
        Cells::Logged(Values::F32(values)) => values.get(i).into_iter().for_each(|&value| number::shortest(out, value)),
        Cells::Logged(Values::F64(values)) => values.get(i).into_iter().for_each(|&value| number::shortest(out, value)),
        Cells::Logged(Values::U8(values)) => integer!(values),
        Cells::Logged(Values::I16(values)) => integer!(values),
        Cells::Logged(Values::U16(values)) => integer!(values),
        Cells::Logged(Values::I32(values)) => integer!(values),
        Cells::Logged(Values::U32(values)) => integer!(values),
        Cells::Logged(Values::I8(values)) => integer!(values),
        Cells::Logged(Values::U64(values)) => integer!(values),
        Cells::Logged(Values::I64(values)) => integer!(values),
        _ => column.text(i).into_iter().for_each(|value| text(out, &value)),
    }
}

/// Appends text, quoted if it must be.
pub fn text(out: &mut Vec<u8>, text: &str) {
    if !text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
