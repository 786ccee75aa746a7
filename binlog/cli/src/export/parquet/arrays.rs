//! The values of a table in the types of a file.

use super::schema::{SAMPLES, data_type, in_file, item};
use crate::export::chosen_table::{Cells, ChosenColumn, ChosenTable, Scale};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float64Array, Int16Array, Int32Array, Int64Array,
    RecordBatch, StringArray, TimestampMicrosecondArray, make_array, new_null_array,
};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use binlog::log::{Kind, TableSchema, Values};
use std::sync::Arc;

/// What the records of a table have in common.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) log_id: Arc<str>,
    pub(super) session: i32,
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
    columns: &TableSchema,
    owner: Owner,
    mut table: ChosenTable,
) -> Result<RecordBatch, ArrowError> {
    let count = table.len();
    let instance = |i| table.columns.get(table.instance?)?.number(i).map(|number| number as i32);
    let known = |time_us: u64| Some(time_us).filter(|_| owner.has_times);
    let time = |&time_us: &u64| i64::try_from(known(time_us)?).ok();
    let unix = |&time_us: &u64| owner.boot_unix_us?.checked_add_unsigned(known(time_us)?);
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(StringArray::new_repeated(&*owner.log_id, count)),
        Arc::new(Int32Array::from(vec![owner.session; count])),
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
            Some(here) => array(table.columns.swap_remove(here), column.kind)?,
            None => new_null_array(&data_type(column.kind), count),
        });
    }
    RecordBatch::try_new(schema.clone(), arrays)
}

/// The shown values of a column, in a kind that holds them. Where it isn't chosen, it is null.
fn array(mut column: ChosenColumn, kind: Kind) -> Result<ArrayRef, ArrowError> {
    let Some(is_chosen) = column.is_chosen.take() else { return all_values(column, kind) };
    let array = all_values(column, kind)?;
    let is_valid = is_chosen.iter().enumerate().map(|(i, is_chosen)| *is_chosen && array.is_valid(i));
    let is_valid = BooleanArray::from(is_valid.collect::<Vec<bool>>());
    Ok(make_array(array.to_data().into_builder().nulls(Some(is_valid.values().clone().into())).build()?))
}

fn all_values(column: ChosenColumn, kind: Kind) -> Result<ArrayRef, ArrowError> {
    if !kind.is_number() {
        return Ok(match column.cells {
            Cells::Raw(data) if kind == Kind::Bytes => {
                Arc::new(BinaryArray::from_iter_values(data.iter().map(|data| data.raw())))
            }
            Cells::Logged(Values::I16x32(arrays)) if kind == Kind::Samples => {
                let samples = Arc::new(Int16Array::from(arrays.into_owned().into_flattened()));
                Arc::new(FixedSizeListArray::try_new(item(), SAMPLES, samples, None)?)
            }
            _ => Arc::new(StringArray::from_iter((0..column.cells.len()).map(|i| column.text(i)))),
        });
    }
    let shown = match column {
        ChosenColumn { cells: Cells::Logged(values), scale: Scale::One, .. } => values,
        column => Values::F64(column.numbers().unwrap_or_else(|| vec![f64::NAN; column.cells.len()]).into()),
    };
    let kind = in_file(kind);
    if let (Values::U64(values), Kind::I64) = (&shown, kind) {
        return Ok(Arc::new(Int64Array::from_iter(values.iter().map(|&value| i64::try_from(value).ok()))));
    }
    // The union of the logs has a kind that holds those of each log.
    let refused = |values: Values| ArrowError::CastError(format!("{:?} to {kind:?}", values.kind()));
    Ok(match shown.widened(kind).map_err(refused)? {
        Values::I64(values) => Arc::new(Int64Array::from(values.into_owned())),
        Values::F64(values) => doubles(values.into_owned()),
        values => return Err(refused(values)),
    })
}

/// Numbers, of which NaN is null.
fn doubles(values: Vec<f64>) -> ArrayRef {
    let is_known = |value: &f64| !value.is_nan();
    let nulls = (!values.iter().all(is_known)).then(|| values.iter().map(is_known).collect());
    Arc::new(Float64Array::new(values.into(), nulls))
}
