//! Values that Python gives, copied: of buffers, of Arrow, of our own columns, of lists.

use crate::column::Column;
use crate::encode::{Given, Number, Text};
use binlog::Format;
use binlog::arrow::{ImportError, ImportedColumn, ImportedValues, import_array, import_stream};
use binlog::log::Values;
use pyo3::exceptions::{PyImportError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyFloat, PyInt, PyMemoryView, PyString};

/// The samples of an array.
const SAMPLES: usize = 32;

/// The values of a column of a format. `name` is how errors call it.
pub fn column(values: &Bound<'_, PyAny>, format: Format, name: &str) -> PyResult<Given> {
    if let Ok(column) = values.cast::<Column>() {
        return Ok(Given::Values(column.get().shared()));
    }
    if values.is_instance_of::<PyString>() || values.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!("{name}: one text isn't a column; `write` writes a record")));
    }
    // A buffer has the values under the mask, too.
    if values.hasattr("filled")?
        && values.hasattr("mask")?
        && values.getattr("mask")?.call_method0("any")?.is_truthy()?
    {
        return Err(PyValueError::new_err(format!(
            "{name}: masked values; write array.filled(…), or leave the rows out"
        )));
    }
    if let Some(given) = buffer(values, format, name)? {
        return Ok(given);
    }
    match arrow(values) {
        Some(Ok(mut columns)) if columns.len() == 1 => return Ok(imported(columns.remove(0))),
        Some(Ok(_)) => return Err(PyTypeError::new_err(format!("{name}: a table isn't a column"))),
        // Lists of any length, which may have 32 items.
        Some(Err(Refused::Data(ImportError::Type { .. }))) if format == Format::I16x32 => {}
        Some(Err(Refused::Data(error))) => return Err(import_error(error, |_| name.to_owned())),
        // pandas needs pyarrow for it, but not for what follows.
        Some(Err(Refused::Python(error))) if error.is_instance_of::<PyImportError>(values.py()) => {}
        Some(Err(Refused::Python(error))) => return Err(error),
        None => {}
    }
    if values.hasattr("__array__")? {
        let array = values.call_method0("__array__")?;
        if let Some(given) = buffer(&array, format, name)? {
            return Ok(given);
        }
    }
    list(values, format, name)
}

/// The columns of a table that exports itself by Arrow; `None` if it doesn't.
pub fn table(values: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Vec<(String, Given)>>> {
    match arrow(values) {
        None => Ok(None),
        Some(Ok(columns)) => {
            Ok(Some(columns.into_iter().map(|column| (column.label.clone(), imported(column))).collect()))
        }
        Some(Err(Refused::Python(error))) => Err(error),
        Some(Err(Refused::Data(error))) => Err(import_error(error, |column| format!("{name}.{column}"))),
    }
}

/// Why nothing was imported.
enum Refused {
    Python(PyErr),
    Data(ImportError),
}

/// What a table or a column exports by Arrow; `None` if it exports nothing.
fn arrow(values: &Bound<'_, PyAny>) -> Option<Result<Vec<ImportedColumn>, Refused>> {
    let has = |method: &str| values.hasattr(method).unwrap_or_default();
    if has("__arrow_c_stream__") {
        return Some(stream(values));
    }
    has("__arrow_c_array__").then(|| array(values))
}

fn stream(values: &Bound<'_, PyAny>) -> Result<Vec<ImportedColumn>, Refused> {
    let capsule = || {
        let capsule = values.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
        Ok((capsule, stream))
    };
    let (_capsule, stream) = capsule().map_err(Refused::Python)?;
    // SAFETY: by Arrow's PyCapsule interface, a capsule with this name has a stream, which lives as long as it does. We
    // are attached to Python meanwhile, so nobody else uses it.
    #[expect(unsafe_code, reason = "a capsule is an address")]
    unsafe { import_stream(stream.cast().as_ptr()) }.map_err(Refused::Data)
}

fn array(values: &Bound<'_, PyAny>) -> Result<Vec<ImportedColumn>, Refused> {
    let capsules = || {
        let pair = values.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
        let addresses = (schema.pointer_checked(Some(c"arrow_schema"))?, array.pointer_checked(Some(c"arrow_array"))?);
        Ok(((schema, array), addresses))
    };
    let (_capsules, (schema, array)) = capsules().map_err(Refused::Python)?;
    // SAFETY: as in `stream`; the method returns the schema of the array.
    #[expect(unsafe_code, reason = "a capsule is an address")]
    unsafe { import_array(schema.cast().as_ptr(), array.cast().as_ptr()) }.map_err(Refused::Data)
}

fn imported(column: ImportedColumn) -> Given {
    match column.values {
        ImportedValues::Numbers(values) => Given::Values(values.into()),
        ImportedValues::Texts(texts) => Given::Texts(texts.into_iter().map(Text::Utf8).collect()),
        ImportedValues::Bytes(bytes) => Given::Texts(bytes.into_iter().map(Text::Raw).collect()),
    }
}

/// The error as Python's, with the column's name.
fn import_error(error: ImportError, name: impl Fn(&str) -> String) -> PyErr {
    match error {
        ImportError::Null { column, row } => {
            let error = ImportError::Null { column: name(&column), row };
            PyValueError::new_err(error.to_string())
        }
        ImportError::Type { column, format } => {
            let error = ImportError::Type { column: name(&column), format };
            PyTypeError::new_err(error.to_string())
        }
        ImportError::Malformed { column } => {
            let error = ImportError::Malformed { column: name(&column) };
            PyValueError::new_err(error.to_string())
        }
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The numbers of an object with a buffer: of numpy, of `array`. `None` if it has none, or one of something else.
fn buffer(values: &Bound<'_, PyAny>, format: Format, name: &str) -> PyResult<Option<Given>> {
    let Ok(view) = PyMemoryView::from(values) else { return Ok(None) };
    let code: String = view.getattr("format")?.extract()?;
    let shape: Vec<usize> = view.getattr("shape")?.extract()?;
    let size: usize = view.getattr("itemsize")?.extract()?;
    let (is_big, code) = match code.strip_prefix(['<', '>', '=', '@', '!']) {
        Some(rest) if code.starts_with(['=', '@']) => (cfg!(target_endian = "big"), rest),
        Some(rest) => (!code.starts_with('<'), rest),
        None => (cfg!(target_endian = "big"), &*code),
    };
    if code.starts_with('Z') {
        return Err(PyTypeError::new_err(format!("{name}: complex numbers; a column has their parts")));
    }
    let is_signed = matches!(code, "b" | "h" | "i" | "l" | "q" | "n");
    let is_unsigned = matches!(code, "?" | "B" | "H" | "I" | "L" | "Q" | "N");
    if !(is_signed || is_unsigned || matches!(code, "f" | "d")) {
        return Ok(None);
    }
    let is_array = format == Format::I16x32;
    match shape[..] {
        [_] if !is_array => {}
        [_, SAMPLES] if is_array => {}
        _ if is_array => {
            let text = format!("{name} has the shape {shape:?}; a column of arrays has a row of 32 for each record");
            return Err(PyValueError::new_err(text));
        }
        _ => return Err(PyValueError::new_err(format!("{name} has the shape {shape:?}; a column has one dimension"))),
    }
    macro_rules! numbers {
        ($bytes:expr, $variant:ident, $type:ty) => {{
            let (numbers, _) = $bytes.as_chunks();
            let number = |number: &[u8; size_of::<$type>()]| match is_big {
                true => <$type>::from_be_bytes(*number),
                false => <$type>::from_le_bytes(*number),
            };
            Values::$variant(numbers.iter().map(number).collect())
        }};
    }
    // Copied in the order of the rows, for any strides.
    let bytes = view.call_method0("tobytes")?.cast_into::<PyBytes>()?;
    let bytes = bytes.as_bytes();
    let values = match size {
        1 if is_signed => numbers!(bytes, I8, i8),
        1 => numbers!(bytes, U8, u8),
        2 if is_signed => numbers!(bytes, I16, i16),
        2 => numbers!(bytes, U16, u16),
        4 if is_signed => numbers!(bytes, I32, i32),
        4 if is_unsigned => numbers!(bytes, U32, u32),
        4 => numbers!(bytes, F32, f32),
        8 if is_signed => numbers!(bytes, I64, i64),
        8 if is_unsigned => numbers!(bytes, U64, u64),
        8 => numbers!(bytes, F64, f64),
        _ => return Ok(None),
    };
    match values {
        Values::I16(samples) if is_array => {
            Ok(Some(Given::Values(Values::I16x32(samples.as_chunks().0.iter().copied().collect()).into())))
        }
        _ if is_array => Err(PyTypeError::new_err(format!("{name}: samples are 16 bits wide, with a sign"))),
        values => Ok(Some(Given::Values(values.into()))),
    }
}

/// The items of any other sequence.
fn list(values: &Bound<'_, PyAny>, format: Format, name: &str) -> PyResult<Given> {
    let items = values.try_iter().map_err(|_| {
        PyTypeError::new_err(format!("{name}: a column is an array, a list or what exports itself by Arrow"))
    })?;
    let named = |row: usize| format!("{name}, row {row}");
    if format.is_text() {
        let texts = items.enumerate().map(|(row, item)| text(&item?, || named(row)));
        return Ok(Given::Texts(texts.collect::<PyResult<_>>()?));
    }
    if format == Format::I16x32 {
        let arrays = items.enumerate().map(|(row, item)| samples(&item?, || named(row)));
        return Ok(Given::Values(Values::I16x32(arrays.collect::<PyResult<_>>()?).into()));
    }
    let has_nan = matches!(format, Format::F16 | Format::F32 | Format::F64);
    let numbers = items.enumerate().map(|(row, item)| match item? {
        none if none.is_none() && has_nan => Ok(Number::Float(f64::NAN)),
        item => number(&item, || named(row)),
    });
    Ok(Given::Numbers(numbers.collect::<PyResult<_>>()?))
}

/// One number.
pub fn number(value: &Bound<'_, PyAny>, name: impl Fn() -> String) -> PyResult<Number> {
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(Number::Float(float.value()));
    }
    if let Ok(integer) = value.extract::<i64>() {
        return Ok(Number::Int(integer));
    }
    if let Ok(integer) = value.extract::<u64>() {
        return Ok(Number::Large(integer));
    }
    match value.extract::<f64>() {
        Ok(float) => Ok(Number::Float(float)),
        // Beyond the largest float.
        Err(_) if value.is_instance_of::<PyInt>() => Ok(Number::Float(f64::INFINITY)),
        Err(_) => Err(PyTypeError::new_err(format!("{}: {} isn't a number", name(), shown(value)))),
    }
}

/// One text.
pub fn text(value: &Bound<'_, PyAny>, name: impl Fn() -> String) -> PyResult<Text> {
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_cow();
        let text = text.map_err(|error| PyValueError::new_err(format!("{}: {error}", name())))?;
        return Ok(Text::Utf8(text.as_bytes().to_vec()));
    }
    match value.cast::<PyBytes>().map_or_else(|_| void(value), |bytes| Some(bytes.clone())) {
        Some(bytes) => Ok(Text::Raw(bytes.as_bytes().to_vec())),
        None => Err(PyTypeError::new_err(format!("{}: {} is neither str nor bytes", name(), shown(value)))),
    }
}

/// The bytes of an item of numpy's type `V64`, which arrays of raw data have.
fn void<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyBytes>> {
    let view = PyMemoryView::from(value).ok()?;
    let is_void = view.getattr("format").ok()?.extract::<String>().ok()?.ends_with('x');
    is_void.then(|| view.call_method0("tobytes").ok()?.cast_into().ok())?
}

/// One array.
pub fn samples(value: &Bound<'_, PyAny>, name: impl Fn() -> String) -> PyResult<[i16; SAMPLES]> {
    let sample = |item: PyResult<Bound<'_, PyAny>>| item?.extract::<i16>();
    let samples = value.try_iter().and_then(|items| items.map(sample).collect::<PyResult<Vec<i16>>>());
    let samples = samples.ok().and_then(|samples| samples.try_into().ok());
    samples.ok_or_else(|| PyValueError::new_err(format!("{}: an array has {SAMPLES} integers of 16 bits", name())))
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "it".into(), |repr| repr.to_string())
}
