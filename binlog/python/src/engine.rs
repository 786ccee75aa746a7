//! What `binlog.spark` asks for: the logs, the columns of all, and the records of some in those columns.

use crate::capsules;
use crate::chosen::{Chosen, Part, TIME};
use crate::errors::{FleetError, OnError};
use crate::log::numbers_of;
use crate::members::{self, Member};
use crate::stream::{self, SharedSkipped};
use crate::table::Rows;
use binlog::arrow::ArrowColumn;
use binlog::log::{Buffer, ColumnSchema, Kind, TableSchema, Values};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

const LOG_ID: &str = "log_id";
const SESSION: &str = "session";
const INSTANCE: &str = "instance";

/// The columns that every type has, as in a data set of Parquet.
const OWN: [&str; 4] = [LOG_ID, SESSION, INSTANCE, TIME];

/// Kinds without those that have no sign, which engines lack.
const KINDS: [Kind; 9] =
    [Kind::I8, Kind::I16, Kind::I32, Kind::I64, Kind::F32, Kind::F64, Kind::Text, Kind::Bytes, Kind::Samples];

fn kind_of(name: &str) -> PyResult<Kind> {
    let kind = KINDS.into_iter().find(|kind| format!("{kind:?}") == name);
    kind.ok_or_else(|| PyValueError::new_err(format!("no kind of values is `{name}`")))
}

fn chosen(message: String, columns: Option<Vec<String>>, scaling: &str) -> PyResult<Chosen> {
    Ok(Chosen { name: message.into(), columns, numbers: numbers_of(scaling)?, own: &OWN })
}

/// Logs, as (id, path, bytes, whether its name says that it is a log), and the reasons why others are left out.
type Logs = (Vec<(String, PathBuf, u64, bool)>, BTreeMap<String, String>);

/// The logs of files and folders.
#[pyfunction]
pub fn engine_logs(py: Python<'_>, paths: Vec<PathBuf>, on_error: &str) -> PyResult<Logs> {
    let on_error = OnError::of(on_error)?;
    let (logs, skipped) = py.detach(|| members::find(&paths, on_error))?;
    let logs = logs.into_iter().map(|log| (log.id, log.path, log.bytes, log.is_named_as_log));
    Ok((logs.collect(), skipped.by_log().clone()))
}

/// Columns, as (name, kind, unit, description), and the reasons why logs are left out.
type Columns = (Vec<(String, String, String, String)>, BTreeMap<String, String>);

/// The columns of all logs, those that every type has first.
#[pyfunction]
pub fn engine_columns(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    message: String,
    columns: Option<Vec<String>>,
    scaling: &str,
    on_error: &str,
) -> PyResult<Columns> {
    let (chosen, on_error) = (chosen(message, columns, scaling)?, OnError::of(on_error)?);
    let (schema, skipped) = py.detach(|| {
        let (mut logs, mut skipped) = members::find(&paths, on_error)?;
        let schema = chosen.union(&mut logs, on_error, &mut skipped)?;
        Ok::<_, FleetError>((schema, skipped))
    })?;
    let own = [
        (LOG_ID, Kind::Text, "", "path of the log"),
        (SESSION, Kind::I32, "", "number of the boot or session in the log, from 1"),
        (INSTANCE, Kind::I32, "", "number of the sensor or other instance"),
        (TIME, Kind::I64, "µs", "time since boot"),
    ];
    let own = own.map(|(name, kind, unit, about)| (name.into(), format!("{kind:?}"), unit.into(), about.into()));
    let of_logs = schema
        .columns
        .into_iter()
        .map(|column| (column.label, format!("{:?}", column.kind.signed()), column.unit, column.description));
    Ok((own.into_iter().chain(of_logs).collect(), skipped.by_log().clone()))
}

/// The records of logs, given as [`engine_logs`] returns them, in columns, given as (name, kind). A column that a log
/// lacks is null. Engines don't tell names apart by upper and lower case.
///
/// `filters` has ranges of the columns `session`, `instance` and `TimeUS`, both ends included: a record is there if
/// each filter has a range with its value.
#[pyfunction]
pub fn engine_read(
    logs: Vec<(String, PathBuf, u64, bool)>,
    message: String,
    columns: Vec<(String, String)>,
    scaling: &str,
    filters: Vec<(String, Vec<(i64, i64)>)>,
    on_error: &str,
) -> PyResult<Batches> {
    let mut schema = TableSchema::new(&*message);
    for (name, kind) in &columns {
        schema.columns.push(ColumnSchema::new(name, kind_of(kind)?));
    }
    let member = |(id, path, bytes, is_named_as_log)| Member { id, path, bytes, changed: None, is_named_as_log };
    let core = Core {
        logs: logs.into_iter().map(member).collect(),
        chosen: chosen(message, None, scaling)?,
        filters: filters.into_iter().map(|(column, ranges)| Filter { column, ranges }).collect(),
        on_error: OnError::of(on_error)?,
        schema,
    };
    Ok(Batches { core: Arc::new(core), skipped: SharedSkipped::default() })
}

/// Records of some logs for an engine, as a stream of batches.
#[pyclass(frozen, module = "binlog")]
pub struct Batches {
    core: Arc<Core>,
    skipped: SharedSkipped,
}

#[pymethods]
impl Batches {
    /// The logs that the stream left out, with the reason.
    #[getter]
    fn skipped(&self) -> BTreeMap<String, String> {
        self.skipped.by_log()
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        if requested_schema.is_some() {
            return Err(PyTypeError::new_err("the columns are those of `engine_read`"));
        }
        let core = self.core.clone();
        let of_log = move |log: &Member| core.batches(log);
        let batches = stream::batches(self.core.logs.clone(), self.core.on_error, self.skipped.clone(), of_log);
        capsules::stream(py, self.core.schema.clone(), batches)
    }
}

/// What the streams share.
struct Core {
    logs: Arc<[Member]>,
    chosen: Chosen,
    schema: TableSchema,
    filters: Vec<Filter>,
    on_error: OnError,
}

/// The values of a column that are wanted.
struct Filter {
    column: String,
    ranges: Vec<(i64, i64)>,
}

impl Filter {
    fn accepts(&self, number: Option<i64>) -> bool {
        number.is_some_and(|number| self.ranges.iter().any(|&(low, high)| (low..=high).contains(&number)))
    }
}

impl Core {
    fn batches(&self, log: &Member) -> Result<Vec<Vec<ArrowColumn>>, FleetError> {
        let parts = self.chosen.parts(log, true)?;
        let mut batches = Vec::with_capacity(parts.len());
        for part in parts {
            batches.extend(self.batch(log, part)?);
        }
        Ok(batches)
    }

    /// The columns of the records that the filters accept; `None` if there are none.
    fn batch(&self, log: &Member, mut part: Part) -> Result<Option<Vec<ArrowColumn>>, FleetError> {
        let in_log = |error: &dyn std::fmt::Display| FleetError::in_log(&log.id, error);
        let mut places = self.accepted(&part).map_err(|error| in_log(&error))?;
        if let Some(accepted) = &mut places {
            let (Some(&first), Some(&last)) = (accepted.first(), accepted.last()) else { return Ok(None) };
            // Of records in a row, the others aren't decoded.
            if let Some(records) = part.rows.records() {
                let range = first..last + 1;
                let sliced = records.select(|rows| Ok(rows.slice(range)));
                let sliced = sliced.and_then(|rows| Rows::new(rows, self.chosen.numbers));
                part.rows = sliced.map_err(|error| in_log(&error))?;
                accepted.iter_mut().for_each(|place| *place -= first);
            }
            if accepted.len() == part.rows.len() {
                places = None;
            }
        }
        let Part { rows, session } = &part;
        let count = places.as_ref().map_or(rows.len(), Vec::len);
        let of_log: Vec<Option<usize>> =
            self.schema.columns.iter().map(|column| self.chosen.place_in_any_case(rows, &column.label)).collect();
        let wanted: Vec<usize> = of_log.iter().copied().flatten().collect();
        let mut values = rows.columns(&wanted).map_err(|error| in_log(&error))?.into_iter();
        let taken = |values: &Values| places.as_ref().map(|places| Arc::new(values.at(places)));
        let mut batch = Vec::with_capacity(of_log.len());
        for (column, place) in self.schema.columns.iter().zip(of_log) {
            let own = OWN.into_iter().find(|own| own.eq_ignore_ascii_case(&column.label));
            let values = match own.unwrap_or_default() {
                LOG_ID if column.kind == Kind::Text => {
                    batch.push(ArrowColumn::one_text(&log.id, count).map_err(|error| in_log(&error))?);
                    continue;
                }
                // As values of a kind that isn't asked for, it is an error below.
                LOG_ID => Some(Arc::new(Values::Chars4(Buffer::default()))),
                SESSION => Some(Arc::new(Values::I32(vec![*session; count].into()))),
                INSTANCE => {
                    let instances =
                        instances(rows).map_err(|error| in_log(&error))?.map(|instances| Values::I32(instances.into()));
                    instances.map(|instances| taken(&instances).unwrap_or_else(|| Arc::new(instances)))
                }
                TIME => part.times_us().map(|times| {
                    let times = Values::U64(times.to_vec().into());
                    taken(&times).unwrap_or_else(|| Arc::new(times))
                }),
                _ => place.and_then(|_| values.next()).map(|values| taken(&values).unwrap_or(values)),
            };
            let Some(values) = values else {
                batch.push(ArrowColumn::nulls(column.kind, count));
                continue;
            };
            let here = match values.kind() {
                Kind::Text if column.kind == Kind::Bytes => Kind::Bytes,
                here => here.signed(),
            };
            let refused = |_| {
                let name = format!("{}.{}", self.chosen.name, column.label);
                in_log(&format_args!(
                    "{name} has values of type {here:?}, which the column's {:?} doesn't hold",
                    column.kind
                ))
            };
            batch.push(ArrowColumn::new(column.kind, values).map_err(refused)?);
        }
        Ok(Some(batch))
    }

    /// The places of the records that the filters accept; `None` for all.
    fn accepted(&self, part: &Part) -> Result<Option<Vec<usize>>, binlog::log::SelectError> {
        if self.filters.is_empty() {
            return Ok(None);
        }
        let of = |column: &'static str| self.filters.iter().filter(move |filter| filter.column == column);
        if !of(SESSION).all(|filter| filter.accepts(Some(part.session.into()))) {
            return Ok(Some(Vec::new()));
        }
        let instances = match of(INSTANCE).next() {
            Some(_) => instances(&part.rows)?,
            None => None,
        };
        let times = match of(TIME).next() {
            Some(_) => part.times_us(),
            None => None,
        };
        let instance = |place: usize| Some(i64::from(*instances.as_ref()?.get(place)?));
        let time = |place: usize| i64::try_from(*times?.get(place)?).ok();
        let is_accepted = |place: &usize| {
            of(INSTANCE).all(|filter| filter.accepts(instance(*place)))
                && of(TIME).all(|filter| filter.accepts(time(*place)))
        };
        Ok(Some((0..part.rows.len()).filter(is_accepted).collect()))
    }
}

/// The instance of each record; `None` if the type has none, or if it has names.
fn instances(rows: &Rows) -> Result<Option<Vec<i32>>, binlog::log::SelectError> {
    let Some(place) = rows.schema.columns.iter().position(|column| column.is_instance) else { return Ok(None) };
    let values = &rows.columns(&[place])?[0];
    Ok((0..values.len()).map(|row| values.number(row).map(|number| number as i32)).collect())
}
