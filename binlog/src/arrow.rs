//! Tables for other programs in the same process, by [Arrow's C data interface][interface] and [C stream
//! interface][stream]: Python's pyarrow, polars and DuckDB, PlotJuggler, any engine that reads Arrow.
//!
//! [interface]: https://arrow.apache.org/docs/format/CDataInterface.html
//! [stream]: https://arrow.apache.org/docs/format/CStreamInterface.html
//!
//! Numbers aren't copied: what is exported keeps them alive until the consumer releases it. What is dropped without
//! having been moved to a consumer releases itself.
//!
//! ```
//! # use binlog::{LogSchema, LogWriter, messages::Mode};
//! # #[derive(LogSchema)]
//! # enum FlightLog { Mode(Mode) }
//! # let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
//! # writer.mode(1_500_000, 5, 0)?;
//! # let bytes = writer.finish()?;
//! use binlog::arrow::{ArrowArrayStream, ArrowColumn};
//! use binlog::log::{Column, Numbers};
//! use binlog::{Log, Scaling};
//!
//! let log = Log::from_bytes(bytes);
//! let rows = log.rows("MODE")?;
//! let numbers = Numbers::Scaled(Scaling::Shown);
//! let schema = rows.schema(numbers)?;
//! let labels: Vec<&str> = schema.columns.iter().map(|column| &*column.label).collect();
//! let columns = rows.columns(&labels, numbers)?.into_iter().map(Column::into_values);
//! let columns = schema.columns.iter().zip(columns).map(|(schema, values)| ArrowColumn::new(schema.kind, values));
//! let batch = columns.collect::<Result<Vec<ArrowColumn>, _>>();
//! let stream = ArrowArrayStream::of_tables(schema, [batch]);
//! // Moved to the address that the consumer gave, or into a box whose address the consumer gets.
//! let stream = Box::new(stream);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In Arrow's types
//!
//! | kind | Arrow |
//! | --- | --- |
//! | numbers | `int8` to `uint64`, `float32`, `float64` |
//! | texts | `utf8` |
//! | raw data | `fixed_size_binary(64)` |
//! | arrays | `fixed_size_list(int16, 32)` |
//!
//! The metadata of a field has its `unit` and `description`, and the `scale` by which numbers are multiplied to be in
//! the unit, unless it is 1. The log's multiplier belongs to the stored numbers and isn't there. The metadata of a
//! table has `type` and `description`. NaN stays NaN. Columns that a log lacks are [null](ArrowColumn::nulls).
//!
//! [`import_stream`] and [`import_array`] copy what other programs export.
// The structs of the interface contain pointers, and are released by functions that C calls. Everything that decides
// what is in the memory that they point to is in `column`, which has no `unsafe`. `import` reads the memory of others.
#![allow(unsafe_code)]

mod column;
mod import;
#[cfg(test)]
mod tests;

pub use column::{ArrowColumn, ArrowError};
pub use import::{ImportError, ImportedColumn, ImportedValues, import_array, import_stream};

use crate::source::{ColumnSchema, Kind, TableSchema};
use column::{BYTES, Buffer, SAMPLES};
use std::any::Any;
use std::ffi::{CString, c_char, c_int, c_void};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

/// What a table or a column is: `struct ArrowSchema` of the interface.
#[repr(C)]
pub struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// The values of a table or a column: `struct ArrowArray` of the interface.
#[repr(C)]
pub struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// Batches of a table or a column, which are made when the consumer asks for them: `struct ArrowArrayStream` of the
/// interface.
#[repr(C)]
pub struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

/// A consumer may find null in the field.
const NULLABLE: i64 = 2;

/// What an exported schema points to.
struct SchemaData {
    format: CString,
    name: CString,
    metadata: Vec<u8>,
    children: Vec<*mut ArrowSchema>,
}

impl ArrowSchema {
    /// The schema of a table: a struct with a field for each column.
    pub fn of_table(table: &TableSchema) -> Self {
        let children = table.columns.iter().map(ArrowSchema::of_column).collect();
        let about = [("type", table.name.clone()), ("description", table.description.clone())];
        ArrowSchema::new("+s".into(), "", &about, 0, children)
    }

    /// The schema of a column.
    pub fn of_column(column: &ColumnSchema) -> Self {
        let about = [
            ("unit", column.unit.clone()),
            ("scale", if column.scale == 1.0 { String::new() } else { column.scale.to_string() }),
            ("description", column.description.clone()),
        ];
        let children = match column.kind {
            Kind::Samples => vec![ArrowSchema::new("s".into(), "item", &[], 0, Vec::new())],
            _ => Vec::new(),
        };
        ArrowSchema::new(format_of(column.kind), &column.label, &about, NULLABLE, children)
    }

    fn new(format: String, name: &str, about: &[(&str, String)], flags: i64, children: Vec<ArrowSchema>) -> Self {
        let data = Box::into_raw(Box::new(SchemaData {
            format: c_string(&format),
            name: c_string(name),
            metadata: metadata(about),
            children: children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect(),
        }));
        // SAFETY: `data` was just made from a box, and nothing else refers to it.
        let SchemaData { format, name, metadata, children } = unsafe { &mut *data };
        ArrowSchema {
            format: format.as_ptr(),
            name: name.as_ptr(),
            metadata: if metadata.is_empty() { ptr::null() } else { metadata.as_ptr().cast() },
            flags,
            n_children: children.len() as i64,
            children: children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_schema),
            private_data: data.cast(),
        }
    }
}

/// Releases what [`ArrowSchema::new`] made.
///
/// # Safety
///
/// `schema` is a schema of ours, wherever it was moved to, that wasn't released; nothing uses it or its children.
unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: as the caller guarantees, so `private_data` is the box of `new`, which nobody else has taken back.
    unsafe {
        let data = Box::from_raw((*schema).private_data.cast::<SchemaData>());
        (*schema).release = None;
        // The boxes are those of `new`. A consumer that moved a child away has marked it as released.
        data.children.iter().for_each(|child| drop(Box::from_raw(*child)));
    }
}

/// What an exported array points to.
struct ArrayData {
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
    /// The memory that `buffers` point to.
    _memory: Vec<Buffer>,
}

impl ArrowArray {
    /// The values of a table with this schema.
    ///
    /// # Errors
    ///
    /// If the columns aren't those of the schema, in its order, or have different lengths.
    pub fn of_table(schema: &TableSchema, columns: Vec<ArrowColumn>) -> Result<Self, ArrowError> {
        if columns.len() != schema.columns.len() {
            return Err(ArrowError::Columns { schema: schema.columns.len(), batch: columns.len() });
        }
        let length = columns.first().map_or(0, ArrowColumn::len);
        if let Some(other) = columns.iter().find(|column| column.len() != length) {
            return Err(ArrowError::Lengths { first: length, other: other.len() });
        }
        let of_column = |(schema, column)| ArrowArray::of_column(schema, column);
        let children = schema.columns.iter().zip(columns).map(of_column).collect::<Result<_, _>>()?;
        Ok(ArrowArray::new(length, 0, None, Vec::new(), children))
    }

    /// The values of a column with this schema.
    ///
    /// # Errors
    ///
    /// If the column has another kind.
    pub fn of_column(schema: &ColumnSchema, column: ArrowColumn) -> Result<Self, ArrowError> {
        let (kind, length, null_count) = (column.kind(), column.len(), column.null_count());
        if kind != schema.kind {
            return Err(ArrowError::Kind { column: schema.kind, values: kind });
        }
        let (validity, buffers) = column.into_buffers();
        Ok(match kind {
            Kind::Samples => {
                let samples = ArrowArray::new(SAMPLES * length, 0, None, buffers, Vec::new());
                ArrowArray::new(length, null_count, validity, Vec::new(), vec![samples])
            }
            _ => ArrowArray::new(length, null_count, validity, buffers, Vec::new()),
        })
    }

    fn new(
        length: usize,
        null_count: usize,
        validity: Option<Buffer>,
        memory: Vec<Buffer>,
        children: Vec<ArrowArray>,
    ) -> Self {
        let address = |buffer: &Buffer| buffer.as_bytes().as_ptr().cast();
        let first = validity.as_ref().map_or(ptr::null(), address);
        let data = Box::into_raw(Box::new(ArrayData {
            buffers: [first].into_iter().chain(memory.iter().map(address)).collect(),
            children: children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect(),
            // What the buffers have is on the heap in an `Arc`, where it stays until the last one is dropped.
            _memory: validity.into_iter().chain(memory).collect(),
        }));
        // SAFETY: `data` was just made from a box, and nothing else refers to it.
        let ArrayData { buffers, children, .. } = unsafe { &mut *data };
        ArrowArray {
            length: length as i64,
            null_count: null_count as i64,
            offset: 0,
            n_buffers: buffers.len() as i64,
            n_children: children.len() as i64,
            buffers: buffers.as_mut_ptr(),
            children: children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_array),
            private_data: data.cast(),
        }
    }

    /// What a stream returns at its end.
    fn released() -> Self {
        ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null_mut(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }
}

/// Releases what [`ArrowArray::new`] made.
///
/// # Safety
///
/// As for [`release_schema`].
unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as in `release_schema`.
    unsafe {
        let data = Box::from_raw((*array).private_data.cast::<ArrayData>());
        (*array).release = None;
        data.children.iter().for_each(|child| drop(Box::from_raw(*child)));
    }
}

/// What an exported stream points to.
struct StreamData {
    schema: Box<dyn Fn() -> ArrowSchema + Send>,
    next: Box<dyn FnMut() -> Result<Option<ArrowArray>, String> + Send>,
    /// The error that ended the stream.
    error: Option<CString>,
}

/// Input or output error, of C's `errno.h`. All systems that have the header have this number.
const EIO: c_int = 5;

impl ArrowArrayStream {
    /// The batches of a table. Each has the columns of the schema, in its order. An error ends the stream; the consumer
    /// gets its text.
    pub fn of_tables<B, E>(schema: TableSchema, batches: B) -> Self
    where
        B: IntoIterator<Item = Result<Vec<ArrowColumn>, E>, IntoIter: Send + 'static>,
        E: fmt::Display,
    {
        let of_schema = schema.clone();
        ArrowArrayStream::new(
            move || ArrowSchema::of_table(&of_schema),
            batches,
            move |columns| ArrowArray::of_table(&schema, columns),
        )
    }

    /// The batches of a column.
    pub fn of_columns<B, E>(schema: ColumnSchema, batches: B) -> Self
    where
        B: IntoIterator<Item = Result<ArrowColumn, E>, IntoIter: Send + 'static>,
        E: fmt::Display,
    {
        let of_schema = schema.clone();
        ArrowArrayStream::new(
            move || ArrowSchema::of_column(&of_schema),
            batches,
            move |column| ArrowArray::of_column(&schema, column),
        )
    }

    fn new<B, T, E>(
        schema: impl Fn() -> ArrowSchema + Send + 'static,
        batches: B,
        array: impl Fn(T) -> Result<ArrowArray, ArrowError> + Send + 'static,
    ) -> Self
    where
        B: IntoIterator<Item = Result<T, E>, IntoIter: Send + 'static>,
        E: fmt::Display,
    {
        let mut batches = batches.into_iter();
        let next = move || match batches.next() {
            None => Ok(None),
            Some(Err(error)) => Err(error.to_string()),
            Some(Ok(batch)) => array(batch).map(Some).map_err(|error| error.to_string()),
        };
        let data = StreamData { schema: Box::new(schema), next: Box::new(next), error: None };
        ArrowArrayStream {
            get_schema: Some(get_schema),
            get_next: Some(get_next),
            get_last_error: Some(get_last_error),
            release: Some(release_stream),
            private_data: Box::into_raw(Box::new(data)).cast(),
        }
    }
}

/// # Safety
///
/// `stream` is a stream of ours, wherever it was moved to, that wasn't released, and nobody else uses it meanwhile.
/// Schemas can be written to `out`, where nothing is that must be dropped.
unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: as the caller guarantees, so `private_data` is the box of `ArrowArrayStream::new`.
    unsafe {
        let data = &mut *(*stream).private_data.cast::<StreamData>();
        out.write((data.schema)());
    }
    0
}

/// # Safety
///
/// As for [`get_schema`], with arrays.
unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as in `get_schema`.
    let data = unsafe { &mut *(*stream).private_data.cast::<StreamData>() };
    if data.error.is_some() {
        return EIO;
    }
    // A panic may not leave a function that C calls. After an error, nothing is asked of the iterator again.
    let next = panic::catch_unwind(AssertUnwindSafe(|| (data.next)())).unwrap_or_else(|panic| Err(text_of(&*panic)));
    match next {
        Ok(next) => {
            // SAFETY: as the caller guarantees.
            unsafe { out.write(next.unwrap_or_else(ArrowArray::released)) };
            0
        }
        Err(text) => {
            data.error = Some(c_string(&text));
            EIO
        }
    }
}

/// # Safety
///
/// As for [`get_schema`], without `out`. The text is valid until the stream is released.
unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: as in `get_schema`.
    let data = unsafe { &*(*stream).private_data.cast::<StreamData>() };
    data.error.as_ref().map_or(ptr::null(), |error| error.as_ptr())
}

/// # Safety
///
/// As for [`release_schema`]. Batches outlive their stream.
unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: as in `release_schema`.
    let data = unsafe {
        let data = Box::from_raw((*stream).private_data.cast::<StreamData>());
        (*stream).release = None;
        data
    };
    // What the iterator drops may panic, which may not reach C either.
    let _ = panic::catch_unwind(AssertUnwindSafe(|| drop(data)));
}

macro_rules! released_when_dropped {
    ($($type:ident)*) => {$(
        impl Drop for $type {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: it is ours and wasn't released, and since it is being dropped, nothing uses it.
                    unsafe { release(self) };
                }
            }
        }

        // SAFETY: what it points to is owned by it alone: boxes, memory in an `Arc` that nobody writes to, and
        // iterators that are `Send`. Its functions use nothing that belongs to a thread.
        unsafe impl Send for $type {}

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).field("is_released", &self.release.is_none()).finish_non_exhaustive()
            }
        }
    )*};
}

released_when_dropped! { ArrowSchema ArrowArray ArrowArrayStream }

/// The format string of a kind.
fn format_of(kind: Kind) -> String {
    let format = match kind {
        Kind::I8 => "c",
        Kind::U8 => "C",
        Kind::I16 => "s",
        Kind::U16 => "S",
        Kind::I32 => "i",
        Kind::U32 => "I",
        Kind::I64 => "l",
        Kind::U64 => "L",
        Kind::F32 => "f",
        Kind::F64 => "g",
        Kind::Text => "u",
        Kind::Bytes => return format!("w:{BYTES}"),
        Kind::Samples => return format!("+w:{SAMPLES}"),
    };
    format.into()
}

/// A text for C, where a NUL would end it.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// Metadata as the interface encodes it: the number of pairs, then key and value of each, with their lengths; all
/// numbers in the machine's byte order. Empty without a text.
fn metadata(about: &[(&str, String)]) -> Vec<u8> {
    let about: Vec<[&str; 2]> =
        about.iter().filter(|(_, text)| !text.is_empty()).map(|(key, text)| [*key, text]).collect();
    if about.is_empty() {
        return Vec::new();
    }
    let mut encoded = (about.len() as i32).to_ne_bytes().to_vec();
    for text in about.as_flattened() {
        encoded.extend((text.len() as i32).to_ne_bytes());
        encoded.extend(text.as_bytes());
    }
    encoded
}

/// What a panic says.
fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a batch panicked: {}", text.unwrap_or("without a text"))
}
