//! The values of a column in the memory layout of Arrow.

use crate::source::{Kind, Values};
use crate::wording::debug_text::debug_is_text;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use zerocopy::IntoBytes;

/// The samples of an array.
pub(super) const SAMPLES: usize = 32;

/// The bytes of raw data.
pub(super) const BYTES: usize = 64;

/// A column that can be exported: its values in the memory layout of Arrow.
///
/// Numbers, arrays and raw data stay where they are; texts are copied.
#[derive(Clone, Debug)]
pub struct ArrowColumn {
    kind: Kind,
    length: usize,
    null_count: usize,
    /// A bit for each value that is there, the lowest first; `None` if all are.
    validity: Option<Arc<Vec<u8>>>,
    buffers: Vec<Buffer>,
}

/// Memory that an exported column keeps.
#[derive(Clone, Debug)]
pub(super) enum Buffer {
    Values(Arc<Values>),
    Offsets(Arc<Vec<i32>>),
    Bytes(Arc<Vec<u8>>),
}

impl Buffer {
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Buffer::Values(values) => values.as_bytes(),
            Buffer::Offsets(offsets) => offsets.as_slice().as_bytes(),
            Buffer::Bytes(bytes) => bytes,
        }
    }
}

impl ArrowColumn {
    /// The values as a column of a kind: that of the values, or a wider one. Texts of 64 bytes may be raw data.
    ///
    /// Values of the kind aren't copied. With [`Kind::I64`], values of [`Kind::U64`] that are too large are null.
    ///
    /// # Errors
    ///
    /// If the kind doesn't hold the values, or if the texts are longer than 2 GiB together.
    pub fn new(kind: Kind, values: impl Into<Arc<Values>>) -> Result<Self, ArrowError> {
        let values = values.into();
        let length = values.len();
        let here = values.kind();
        let buffer = match (kind, &*values) {
            (Kind::Text, Values::Chars4(texts)) => return ArrowColumn::texts(texts.iter().map(Some)),
            (Kind::Text, Values::Chars16(texts)) => return ArrowColumn::texts(texts.iter().map(Some)),
            (Kind::Text, Values::Chars64(texts)) => return ArrowColumn::texts(texts.iter().map(Some)),
            (Kind::Bytes, Values::Chars64(_)) => Buffer::Values(values),
            (Kind::I64, Values::U64(numbers)) => return Ok(ArrowColumn::signed(numbers)),
            _ if kind == here => Buffer::Values(values),
            _ => match Arc::unwrap_or_clone(values).widened(kind) {
                Ok(widened) => Buffer::Values(widened.into()),
                Err(_) => return Err(ArrowError::Kind { column: kind, values: here }),
            },
        };
        Ok(ArrowColumn { kind, length, null_count: 0, validity: None, buffers: vec![buffer] })
    }

    /// A column of texts; `None` is null.
    ///
    /// # Errors
    ///
    /// If they are longer than 2 GiB together.
    pub fn texts<T: fmt::Display>(texts: impl IntoIterator<Item = Option<T>>) -> Result<Self, ArrowError> {
        let (mut offsets, mut all, mut is_there) = (vec![0], String::new(), Vec::new());
        for text in texts {
            if let Some(text) = &text {
                // A String takes everything.
                let _ = write!(all, "{text}");
            }
            is_there.push(text.is_some());
            offsets.push(i32::try_from(all.len()).map_err(|_| ArrowError::TextsTooLong)?);
        }
        let (length, null_count, validity) = validity(&is_there);
        let buffers = vec![Buffer::Offsets(offsets.into()), Buffer::Bytes(all.into_bytes().into())];
        Ok(ArrowColumn { kind: Kind::Text, length, null_count, validity, buffers })
    }

    /// A column of a text that all rows have.
    ///
    /// # Errors
    ///
    /// If the texts are longer than 2 GiB together.
    pub fn one_text(text: &str, length: usize) -> Result<Self, ArrowError> {
        let bytes = text.len().checked_mul(length).filter(|&bytes| i32::try_from(bytes).is_ok());
        bytes.ok_or(ArrowError::TextsTooLong)?;
        let offsets: Vec<i32> = (0..=length).map(|row| (row * text.len()) as i32).collect();
        let all = text.repeat(length).into_bytes();
        let buffers = vec![Buffer::Offsets(offsets.into()), Buffer::Bytes(all.into())];
        Ok(ArrowColumn { kind: Kind::Text, length, null_count: 0, validity: None, buffers })
    }

    /// A column that a log lacks: all values are null.
    pub fn nulls(kind: Kind, length: usize) -> Self {
        let values = Buffer::Values(zeros(kind, length).into());
        let buffers = match kind {
            Kind::Text => vec![Buffer::Offsets(vec![0; length + 1].into()), Buffer::Bytes(Arc::default())],
            _ => vec![values],
        };
        let validity = Some(vec![0; length.div_ceil(8)].into());
        ArrowColumn { kind, length, null_count: length, validity, buffers }
    }

    fn signed(numbers: &[u64]) -> Self {
        let is_there = |&number: &u64| i64::try_from(number).is_ok();
        let (length, null_count, validity) = match numbers.iter().fold(0, |all, number| all | number) {
            all if is_there(&all) => (numbers.len(), 0, None),
            _ => validity(&numbers.iter().map(is_there).collect::<Vec<bool>>()),
        };
        let numbers = numbers.iter().map(|&number| i64::try_from(number).unwrap_or(0)).collect();
        let buffers = vec![Buffer::Values(Values::I64(numbers).into())];
        ArrowColumn { kind: Kind::I64, length, null_count, validity, buffers }
    }

    /// What the values are.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The number of values that are null.
    pub fn null_count(&self) -> usize {
        self.null_count
    }

    /// The validity, and the other buffers.
    pub(super) fn into_buffers(self) -> (Option<Buffer>, Vec<Buffer>) {
        (self.validity.map(Buffer::Bytes), self.buffers)
    }
}

/// How many values there are, how many of them are null, and the bits of those that aren't.
fn validity(is_there: &[bool]) -> (usize, usize, Option<Arc<Vec<u8>>>) {
    let null_count = is_there.iter().filter(|is_there| !**is_there).count();
    let byte = |eight: &[bool]| eight.iter().rev().fold(0, |byte, is_there| byte << 1 | u8::from(*is_there));
    let bits = (null_count > 0).then(|| is_there.chunks(8).map(byte).collect::<Vec<u8>>().into());
    (is_there.len(), null_count, bits)
}

/// Values of a kind in aligned memory.
fn zeros(kind: Kind, length: usize) -> Values {
    Values::none(kind).zeroed(match kind {
        Kind::Text => 0,
        Kind::Bytes => BYTES * length,
        _ => length,
    })
}

/// Why columns can't be exported.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArrowError {
    /// The column's kind doesn't hold the values.
    Kind {
        /// That of the column.
        column: Kind,
        /// That of the values.
        values: Kind,
    },
    /// The texts of a column have more than 2 GiB together.
    TextsTooLong,
    /// A batch has another number of columns than its schema.
    Columns {
        /// Those of the schema.
        schema: usize,
        /// Those of the batch.
        batch: usize,
    },
    /// The columns of a batch have different lengths.
    Lengths {
        /// That of the first column.
        first: usize,
        /// That of another one.
        other: usize,
    },
}

impl fmt::Display for ArrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrowError::Kind { column, values } => {
                write!(f, "a column of type {column:?} can't have values of type {values:?}")
            }
            ArrowError::TextsTooLong => f.write_str(
                "the texts of a column have more than 2 GiB; export fewer records at a time (`Rows::slice`)",
            ),
            ArrowError::Columns { schema, batch } => {
                write!(f, "the batch has {batch} columns, and its schema {schema}")
            }
            ArrowError::Lengths { first, other } => {
                write!(f, "the columns of the batch have {first} and {other} values; all must have the same number")
            }
        }
    }
}

debug_is_text!(ArrowError);

impl std::error::Error for ArrowError {}
