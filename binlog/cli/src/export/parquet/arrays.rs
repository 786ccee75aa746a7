//! The values of a table in the types of a file.

use super::schema::{SAMPLES, TypeSchema};
use crate::export::chosen_table::{Cells, ChosenColumn, ChosenTable, Scale};
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, PrimitiveArray, RecordBatch, StringArray, TimestampMicrosecondArray, UInt8Array,
    UInt16Array, UInt32Array, UInt64Array, make_array, new_null_array,
};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use binlog::log::Values;
use std::iter;
use std::sync::Arc;

/// What the records of a table have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner<'l> {
    pub(super) log_id: &'l str,
    pub(super) session: u32,
    /// Whether records have times.
    pub(super) has_times: bool,
    /// The time of boot, in microseconds since 1970.
    pub(super) boot_unix_us: Option<i64>,
}

/// The records of a table for a file with this schema, which holds the table's.
///
/// # Errors
///
/// If an array has another type than the schema says, which is a mistake of this program.
pub(super) fn batch(
    schema: &SchemaRef,
    columns: &TypeSchema,
    owner: Owner<'_>,
    mut table: ChosenTable,
) -> Result<RecordBatch, ArrowError> {
    let count = table.len();
    let instance = |i| table.columns.get(table.instance?)?.number(i).map(|number| number as i32);
    let known = |time_us: u64| Some(time_us).filter(|_| owner.has_times);
    let time = |&time_us: &u64| i64::try_from(known(time_us)?).ok();
    let unix = |&time_us: &u64| owner.boot_unix_us?.checked_add_unsigned(known(time_us)?);
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(iter::repeat_n(owner.log_id, count))),
        Arc::new(UInt32Array::from(vec![owner.session; count])),
        match table.instance {
            Some(_) => Arc::new(Int32Array::from_iter((0..count).map(instance))),
            None => new_null_array(&DataType::Int32, count),
        },
        Arc::new(Int64Array::from_iter(table.times_us.iter().map(time))),
        Arc::new(TimestampMicrosecondArray::from_iter(table.times_us.iter().map(unix)).with_timezone("UTC")),
    ];
    for column in &columns.columns {
        let here = table.columns.iter().position(|here| here.label == column.label);
        arrays.push(match here {
            Some(here) => array(table.columns.swap_remove(here), &column.data_type)?,
            None => new_null_array(&column.data_type, count),
        });
    }
    RecordBatch::try_new(schema.clone(), arrays)
}

/// The shown values of a column, in a type that holds them. Where it isn't chosen, it is null.
fn array(mut column: ChosenColumn, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    let Some(is_chosen) = column.is_chosen.take() else { return all_values(column, data_type) };
    let array = all_values(column, data_type)?;
    let is_valid = is_chosen.iter().enumerate().map(|(i, is_chosen)| *is_chosen && array.is_valid(i));
    let is_valid = BooleanArray::from(is_valid.collect::<Vec<bool>>());
    Ok(make_array(array.to_data().into_builder().nulls(Some(is_valid.values().clone().into())).build()?))
}

fn all_values(column: ChosenColumn, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    let column = match as_stored(column, data_type) {
        Ok(array) => return Ok(array),
        Err(column) => column,
    };
    let shown = (0..column.cells.len()).map(|i| column.number(i));
    /// Integers of up to 32 bits, which an `f64` holds exactly.
    macro_rules! widened {
        ($array:ident, $type:ty) => {
            Arc::new($array::from_iter(shown.map(|number| number.map(|number| number as $type))))
        };
    }
    Ok(match (data_type, &column.cells) {
        (DataType::Float64, _) => {
            Arc::new(Float64Array::from_iter(shown.map(|number| number.filter(|number| !number.is_nan()))))
        }
        (DataType::Float32, _) => widened!(Float32Array, f32),
        (DataType::Int8, _) => widened!(Int8Array, i8),
        (DataType::UInt8, _) => widened!(UInt8Array, u8),
        (DataType::Int16, _) => widened!(Int16Array, i16),
        (DataType::UInt16, _) => widened!(UInt16Array, u16),
        (DataType::Int32, _) => widened!(Int32Array, i32),
        (DataType::UInt32, _) => widened!(UInt32Array, u32),
        (DataType::Int64, _) => widened!(Int64Array, i64),
        (DataType::UInt64, _) => widened!(UInt64Array, u64),
        (DataType::Binary, Cells::Raw(data)) => {
            Arc::new(BinaryArray::from_iter_values(data.iter().map(|data| data.raw())))
        }
        (DataType::FixedSizeList(field, _), Cells::Logged(Values::I16x32(arrays))) => {
            let samples = Int16Array::from(arrays.as_flattened().to_vec());
            Arc::new(FixedSizeListArray::try_new(field.clone(), SAMPLES, Arc::new(samples), None)?)
        }
        _ => Arc::new(StringArray::from_iter((0..column.cells.len()).map(|i| column.text(i)))),
    })
}

/// The stored values, which aren't copied, if they are of the type and shown as they are; or else the column.
fn as_stored(column: ChosenColumn, data_type: &DataType) -> Result<ArrayRef, Box<ChosenColumn>> {
    let ChosenColumn { cells: Cells::Logged(values), scale: Scale::One, .. } = column else {
        return Err(column.into());
    };
    Ok(match (data_type, values) {
        (DataType::Int8, Values::I8(values)) => Arc::new(Int8Array::from(values)),
        (DataType::UInt8, Values::U8(values)) => Arc::new(UInt8Array::from(values)),
        (DataType::Int16, Values::I16(values)) => Arc::new(Int16Array::from(values)),
        (DataType::UInt16, Values::U16(values)) => Arc::new(UInt16Array::from(values)),
        (DataType::Int32, Values::I32(values)) => Arc::new(Int32Array::from(values)),
        (DataType::UInt32, Values::U32(values)) => Arc::new(UInt32Array::from(values)),
        (DataType::Int64, Values::I64(values)) => Arc::new(Int64Array::from(values)),
        (DataType::UInt64, Values::U64(values)) => Arc::new(UInt64Array::from(values)),
        (DataType::Float32, Values::F32(values)) => floats::<Float32Type>(values, f32::is_nan),
        (DataType::Float64, Values::F64(values)) => floats::<Float64Type>(values, f64::is_nan),
        (_, values) => return Err(Box::new(ChosenColumn { cells: Cells::Logged(values), ..column })),
    })
}

/// Floats, of which NaN is null.
fn floats<T: ArrowPrimitiveType>(values: Vec<T::Native>, is_nan: fn(T::Native) -> bool) -> ArrayRef {
    if values.iter().any(|&value| is_nan(value)) {
        let known = |&value: &T::Native| (!is_nan(value)).then_some(value);
        Arc::new(PrimitiveArray::<T>::from_iter(values.iter().map(known)))
    } else {
        Arc::new(PrimitiveArray::<T>::from_iter_values(values))
    }
}
