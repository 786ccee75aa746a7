//! Tables and columns of other programs, copied out of what they exported.

#[cfg(test)]
mod tests;

use super::column::SAMPLES;
use super::{ArrowArray, ArrowArrayStream, ArrowSchema};
use crate::source::{Kind, Values};
use crate::wording::debug_text::debug_is_text;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::{fmt, ptr, slice};

/// A column that was imported.
#[derive(Clone, PartialEq, Debug)]
pub struct ImportedColumn {
    /// Its name; empty for a column by itself that has none.
    pub label: String,
    /// Its values.
    pub values: ImportedValues,
}

/// Values that were imported, none of them null: a null among floats is NaN.
#[derive(Clone, PartialEq, Debug)]
pub enum ImportedValues {
    /// Numbers, or arrays of 32 samples. Booleans are 0 and 1.
    Numbers(Values),
    /// Texts in UTF-8.
    Texts(Vec<Vec<u8>>),
    /// Raw data.
    Bytes(Vec<Vec<u8>>),
}

/// Copies all batches of a stream, and releases it. The columns of a table are in its order; a stream of a single
/// column has one.
///
/// ```
/// use binlog::arrow::{ArrowArrayStream, ArrowColumn, ImportedValues, import_stream};
/// use binlog::log::{ColumnSchema, Kind, TableSchema, Values};
/// use std::convert::Infallible;
///
/// let mut schema = TableSchema::new("ATT");
/// schema.columns.push(ColumnSchema::new("Roll", Kind::F32));
/// let roll = |roll: f32| ArrowColumn::new(Kind::F32, Values::F32(vec![roll].into())).unwrap();
/// let batch = |first: f32| Ok::<_, Infallible>(vec![roll(first)]);
/// let mut stream = ArrowArrayStream::of_tables(schema, [batch(1.5), batch(2.5)]);
///
/// // SAFETY: `of_tables` made the stream, and nothing else uses it.
/// let columns = unsafe { import_stream(&mut stream) }?;
/// assert_eq!(columns[0].label, "Roll");
/// assert_eq!(columns[0].values, ImportedValues::Numbers(Values::F32(vec![1.5, 2.5].into())));
/// # Ok::<(), binlog::arrow::ImportError>(())
/// ```
///
/// # Errors
///
/// If the producer fails, if a value other than a float is null, and for types that aren't numbers, texts, raw data or
/// arrays of 32 samples.
///
/// # Safety
///
/// `stream` points to a stream that its producer made by the rules of the interface, and that nobody else uses
/// meanwhile. It may be released already.
pub unsafe fn import_stream(stream: *mut ArrowArrayStream) -> Result<Vec<ImportedColumn>, ImportError> {
    // SAFETY: as the caller guarantees. What was moved is dropped once, since the source is marked as released.
    let mut stream = unsafe {
        let moved = ptr::read(stream);
        (*stream).release = None;
        moved
    };
    let (Some(get_schema), Some(get_next), Some(_)) = (stream.get_schema, stream.get_next, stream.release) else {
        return Err(ImportError::Released);
    };
    let mut schema = MaybeUninit::uninit();
    // SAFETY: the stream isn't released, and there is room for a schema.
    if unsafe { get_schema(&mut stream, schema.as_mut_ptr()) } != 0 {
        return Err(stream.error());
    }
    // SAFETY: without an error, it was written.
    let schema: ArrowSchema = unsafe { schema.assume_init() };
    let mut columns = Columns::of(&schema)?;
    loop {
        let mut array = MaybeUninit::uninit();
        // SAFETY: the stream isn't released, and there is room for an array.
        if unsafe { get_next(&mut stream, array.as_mut_ptr()) } != 0 {
            return Err(stream.error());
        }
        // SAFETY: without an error, it was written.
        let array: ArrowArray = unsafe { array.assume_init() };
        if array.release.is_none() {
            return Ok(columns.into_columns());
        }
        // SAFETY: the producer made the array by the schema of its stream.
        unsafe { columns.append(&array) }?;
    }
}

/// Copies a table or a column, and releases it: as [`import_stream`], for one batch.
///
/// # Errors
///
/// As [`import_stream`].
///
/// # Safety
///
/// As for [`import_stream`]; the array has the types of the schema.
pub unsafe fn import_array(
    schema: *mut ArrowSchema,
    array: *mut ArrowArray,
) -> Result<Vec<ImportedColumn>, ImportError> {
    // SAFETY: as in `import_stream`.
    let (schema, array) = unsafe {
        let moved = (ptr::read(schema), ptr::read(array));
        ((*schema).release, (*array).release) = (None, None);
        moved
    };
    if schema.release.is_none() || array.release.is_none() {
        return Err(ImportError::Released);
    }
    let mut columns = Columns::of(&schema)?;
    // SAFETY: as the caller guarantees.
    unsafe { columns.append(&array) }?;
    Ok(columns.into_columns())
}

impl ArrowArrayStream {
    /// The last error of a stream that isn't released.
    fn error(&mut self) -> ImportError {
        // SAFETY: the stream isn't released. The text is valid until the stream is used again.
        let error = self.get_last_error.map(|get_last_error| unsafe { text(get_last_error(self)) });
        ImportError::Producer(error.unwrap_or_default())
    }
}

/// How the values of a column lie in memory.
#[derive(Clone, Copy)]
enum Layout {
    Numbers(Kind),
    Bits,
    Samples,
    /// Texts or raw data with offsets of 32 or 64 bits.
    Offsets32,
    Offsets64,
    /// Texts or raw data that are in the view if they are short, and else in one of several buffers.
    Views,
    /// Raw data of a width.
    Fixed(usize),
}

/// The columns so far.
struct Columns {
    columns: Vec<(Layout, ImportedColumn)>,
    is_table: bool,
}

impl Columns {
    fn of(schema: &ArrowSchema) -> Result<Self, ImportError> {
        // SAFETY: a schema that isn't released has a format.
        let is_table = unsafe { text(schema.format) } == "+s";
        let fields = if is_table { schema.children() } else { vec![schema] };
        let columns = fields.into_iter().map(|field| {
            // SAFETY: as above.
            let (format, label) = unsafe { (text(field.format), text(field.name)) };
            let unknown = || ImportError::Type { column: label.clone(), format: format.clone() };
            if !field.dictionary.is_null() {
                return Err(ImportError::Type { column: label, format: "dictionary".into() });
            }
            let numbers = |kind| (Layout::Numbers(kind), ImportedValues::Numbers(Values::none(kind)));
            let (texts, bytes) = (ImportedValues::Texts(Vec::new()), ImportedValues::Bytes(Vec::new()));
            let (layout, values) = match format.as_str() {
                "c" => numbers(Kind::I8),
                "C" => numbers(Kind::U8),
                "s" => numbers(Kind::I16),
                "S" => numbers(Kind::U16),
                "i" => numbers(Kind::I32),
                "I" => numbers(Kind::U32),
                "l" => numbers(Kind::I64),
                "L" => numbers(Kind::U64),
                "f" => numbers(Kind::F32),
                "g" => numbers(Kind::F64),
                "b" => (Layout::Bits, numbers(Kind::U8).1),
                "u" => (Layout::Offsets32, texts),
                "U" => (Layout::Offsets64, texts),
                "vu" => (Layout::Views, texts),
                "z" => (Layout::Offsets32, bytes),
                "Z" => (Layout::Offsets64, bytes),
                "vz" => (Layout::Views, bytes),
                "+w:32" => {
                    // SAFETY: as above.
                    let is_samples = field.children().iter().all(|item| unsafe { text(item.format) } == "s");
                    (Layout::Samples, is_samples.then_some(numbers(Kind::Samples).1).ok_or_else(unknown)?)
                }
                fixed => {
                    let width = fixed.strip_prefix("w:").and_then(|width| width.parse().ok());
                    (Layout::Fixed(width.ok_or_else(unknown)?), bytes)
                }
            };
            Ok((layout, ImportedColumn { label, values }))
        });
        Ok(Columns { columns: columns.collect::<Result<_, _>>()?, is_table })
    }

    /// # Safety
    ///
    /// The array isn't released, and has the types of the schema.
    unsafe fn append(&mut self, array: &ArrowArray) -> Result<(), ImportError> {
        let (Ok(offset), Ok(length)) = (usize::try_from(array.offset), usize::try_from(array.length)) else {
            return Err(ImportError::Malformed { column: String::new() });
        };
        if !self.is_table {
            return self.columns.iter_mut().try_for_each(|(layout, column)| {
                // SAFETY: as the caller guarantees.
                unsafe { append(*layout, array, offset, length, column) }
            });
        }
        let children = array.children();
        if children.len() != self.columns.len() {
            return Err(ImportError::Malformed { column: String::new() });
        }
        // SAFETY: as the caller guarantees.
        if let Some(row) = unsafe { nulls(array, offset, length) }.next() {
            return Err(ImportError::Null { column: "the table".into(), row });
        }
        for ((layout, column), child) in self.columns.iter_mut().zip(children) {
            let start = usize::try_from(child.offset).unwrap_or_default() + offset;
            // SAFETY: as the caller guarantees, the child has a value for each of the table's rows.
            unsafe { append(*layout, child, start, length, column) }?;
        }
        Ok(())
    }

    fn into_columns(self) -> Vec<ImportedColumn> {
        self.columns.into_iter().map(|(_, column)| column).collect()
    }
}

impl ArrowSchema {
    fn children(&self) -> Vec<&ArrowSchema> {
        // SAFETY: a schema that isn't released has `n_children` of them, which live as long as it does.
        (0..self.n_children.try_into().unwrap_or(0)).map(|i| unsafe { &**self.children.add(i) }).collect()
    }
}

impl ArrowArray {
    fn children(&self) -> Vec<&ArrowArray> {
        // SAFETY: as for a schema.
        (0..self.n_children.try_into().unwrap_or(0)).map(|i| unsafe { &**self.children.add(i) }).collect()
    }
}

/// A text of the producer; empty for null.
///
/// # Safety
///
/// It is null, or ends with a NUL.
unsafe fn text(text: *const c_char) -> String {
    match text.is_null() {
        true => String::new(),
        // SAFETY: as the caller guarantees.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

/// The first bytes of a buffer; `None` if the array has no such buffer.
///
/// # Safety
///
/// The array isn't released, and by its type, offset and length the buffer has that many bytes.
unsafe fn buffer(array: &ArrowArray, place: usize, length: usize) -> Option<&[u8]> {
    if length == 0 {
        return Some(&[]);
    }
    if array.buffers.is_null() || usize::try_from(array.n_buffers).is_ok_and(|buffers| buffers <= place) {
        return None;
    }
    // SAFETY: it has `n_buffers` of them, whose memory lives until the array is released.
    unsafe {
        let address = *array.buffers.add(place);
        (!address.is_null()).then(|| slice::from_raw_parts(address.cast(), length))
    }
}

fn bit(bits: &[u8], place: usize) -> bool {
    bits.get(place / 8).is_some_and(|byte| byte >> (place % 8) & 1 == 1)
}

/// The rows without a value.
///
/// # Safety
///
/// As for [`append`].
unsafe fn nulls(array: &ArrowArray, start: usize, length: usize) -> impl Iterator<Item = usize> {
    // SAFETY: as the caller guarantees, there is a bit for each value.
    let bits = || unsafe { buffer(array, 0, (start + length).div_ceil(8)) };
    let bits = if array.null_count == 0 { None } else { bits() };
    bits.into_iter().flat_map(move |bits| (0..length).filter(move |row| !bit(bits, start + row)))
}

macro_rules! numbers {
    ($($variant:ident: $type:ty),*) => {
        /// Bytes as numbers. They may stand anywhere in memory.
        fn extend(values: &mut Values, bytes: &[u8]) {
            match values {
                $(Values::$variant(values) => {
                    let (numbers, _) = bytes.as_chunks();
                    values.to_mut().extend(numbers.iter().map(|number| <$type>::from_ne_bytes(*number)));
                })*
                Values::I16x32(values) => {
                    let (pairs, _) = bytes.as_chunks();
                    let (samples, _) = pairs.as_chunks::<SAMPLES>();
                    values.to_mut().extend(samples.iter().map(|samples| samples.map(i16::from_ne_bytes)));
                }
                _ => {}
            }
        }
    };
}

numbers!(I8: i8, U8: u8, I16: i16, U16: u16, I32: i32, U32: u32, I64: i64, U64: u64, F32: f32, F64: f64);

/// Appends the values of a batch to a column.
///
/// # Safety
///
/// The array isn't released, has this layout, and a value for each row from `start` on.
unsafe fn append(
    layout: Layout,
    array: &ArrowArray,
    start: usize,
    length: usize,
    column: &mut ImportedColumn,
) -> Result<(), ImportError> {
    let so_far = match &column.values {
        ImportedValues::Numbers(values) => values.len(),
        ImportedValues::Texts(values) | ImportedValues::Bytes(values) => values.len(),
    };
    let has_nan = matches!(layout, Layout::Numbers(Kind::F32 | Kind::F64));
    // SAFETY: as the caller guarantees.
    let mut nulls_here = unsafe { nulls(array, start, length) };
    if !has_nan && let Some(row) = nulls_here.next() {
        return Err(ImportError::Null { column: column.label.clone(), row: so_far + row });
    }
    let end = start + length;
    let malformed = || ImportError::Malformed { column: column.label.clone() };
    // SAFETY: as the caller guarantees, and the layout says how long the buffer is.
    let values = |place, length| unsafe { buffer(array, place, length) }.ok_or_else(malformed);
    if length == 0 {
        return Ok(());
    }
    match (layout, &mut column.values) {
        (Layout::Numbers(kind), ImportedValues::Numbers(numbers)) => {
            let size = size_of_kind(kind);
            extend(numbers, &values(1, end * size)?[start * size..]);
            match numbers {
                Values::F32(numbers) => nulls_here.for_each(|row| numbers.to_mut()[so_far + row] = f32::NAN),
                Values::F64(numbers) => nulls_here.for_each(|row| numbers.to_mut()[so_far + row] = f64::NAN),
                _ => {}
            }
        }
        (Layout::Bits, ImportedValues::Numbers(numbers)) => {
            let bits = values(1, end.div_ceil(8))?;
            let bytes: Vec<u8> = (start..end).map(|place| bit(bits, place).into()).collect();
            extend(numbers, &bytes);
        }
        (Layout::Samples, ImportedValues::Numbers(numbers)) => {
            let [samples] = array.children()[..] else { return Err(malformed()) };
            let first = usize::try_from(samples.offset).unwrap_or_default() + start * SAMPLES;
            // SAFETY: as the caller guarantees, the child has 32 samples for each row.
            let bytes = unsafe {
                if let Some(sample) = nulls(samples, first, length * SAMPLES).next() {
                    let row = so_far + sample / SAMPLES;
                    return Err(ImportError::Null { column: column.label.clone(), row });
                }
                buffer(samples, 1, (first + length * SAMPLES) * size_of::<i16>())
            };
            extend(numbers, &bytes.ok_or_else(malformed)?[first * size_of::<i16>()..]);
        }
        (Layout::Offsets32, ImportedValues::Texts(texts) | ImportedValues::Bytes(texts)) => {
            let (offsets, _) = values(1, (end + 1) * size_of::<i32>())?.as_chunks();
            let offsets: Vec<i64> = offsets[start..].iter().map(|offset| i32::from_ne_bytes(*offset).into()).collect();
            texts.extend(between(&offsets, |length| values(2, length))?);
        }
        (Layout::Offsets64, ImportedValues::Texts(texts) | ImportedValues::Bytes(texts)) => {
            let (offsets, _) = values(1, (end + 1) * size_of::<i64>())?.as_chunks();
            let offsets: Vec<i64> = offsets[start..].iter().map(|offset| i64::from_ne_bytes(*offset)).collect();
            texts.extend(between(&offsets, |length| values(2, length))?);
        }
        (Layout::Views, ImportedValues::Texts(texts) | ImportedValues::Bytes(texts)) => {
            // Validity, views, the buffers of long texts, and their lengths.
            let count = usize::try_from(array.n_buffers - 3).map_err(|_| malformed())?;
            let (lengths, _) = values(count + 2, count * size_of::<i64>())?.as_chunks();
            let (views, _) = values(1, end * 16)?.as_chunks::<16>();
            for view in &views[start..] {
                let part = |at: usize| view[at..].first_chunk().map_or(0, |bytes| i32::from_ne_bytes(*bytes)) as usize;
                let length = part(0);
                let text = match view[4..].get(..length) {
                    Some(inline) => inline,
                    None => {
                        let (place, at) = (part(8), part(12));
                        let whole = i64::from_ne_bytes(*lengths.get(place).ok_or_else(malformed)?);
                        let long = values(place + 2, whole.try_into().map_err(|_| malformed())?)?;
                        long.get(at..).and_then(|from| from.get(..length)).ok_or_else(malformed)?
                    }
                };
                texts.push(text.to_vec());
            }
        }
        (Layout::Fixed(width), ImportedValues::Bytes(data)) => {
            let bytes = &values(1, end * width)?[start * width..];
            data.extend((0..length).map(|row| bytes[row * width..][..width].to_vec()));
        }
        _ => return Err(malformed()),
    }
    Ok(())
}

fn size_of_kind(kind: Kind) -> usize {
    match kind {
        Kind::I8 | Kind::U8 => 1,
        Kind::I16 | Kind::U16 => 2,
        Kind::I32 | Kind::U32 | Kind::F32 => 4,
        _ => 8,
    }
}

/// The texts between offsets into the bytes that `bytes` returns the first of.
fn between<'b>(
    offsets: &[i64],
    bytes: impl Fn(usize) -> Result<&'b [u8], ImportError>,
) -> Result<Vec<Vec<u8>>, ImportError> {
    let malformed = || ImportError::Malformed { column: String::new() };
    let last = offsets.last().map_or(Ok(0), |last| usize::try_from(*last)).map_err(|_| malformed())?;
    let bytes = bytes(last)?;
    let text = |pair: &[i64]| {
        let range = usize::try_from(pair[0]).ok()?..usize::try_from(pair[1]).ok()?;
        bytes.get(range).map(<[u8]>::to_vec)
    };
    offsets.windows(2).map(|pair| text(pair).ok_or_else(malformed)).collect()
}

/// Why columns of another program can't be imported.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportError {
    /// Somebody has imported it already.
    Released,
    /// The producer failed; its text.
    Producer(String),
    /// A value is null.
    Null {
        /// The column.
        column: String,
        /// The row, from 0.
        row: usize,
    },
    /// The column's type isn't one that a log has.
    Type {
        /// The column.
        column: String,
        /// The format string of Arrow's interface.
        format: String,
    },
    /// The producer contradicts the interface.
    Malformed {
        /// The column; empty for the table.
        column: String,
    },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Released => f.write_str("the data was imported before; export it again"),
            ImportError::Producer(text) => write!(f, "the producer of the data failed: {text}"),
            ImportError::Null { column, row } => write!(f, "{column}, row {row}: null; fill it or leave the row out"),
            ImportError::Type { column, format } => {
                write!(f, "{column}: Arrow's type `{format}`; cast it to numbers, texts or binary data")
            }
            ImportError::Malformed { column } => write!(f, "{column}: the data contradicts Arrow's C data interface"),
        }
    }
}

debug_is_text!(ImportError);

impl std::error::Error for ImportError {}
