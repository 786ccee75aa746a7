//! What both formats are read from and into: a file in memory, the values of a column, and what a table's columns are.

pub(crate) mod buffer;
pub(crate) mod bytes;
pub(crate) mod column_memory;
pub(crate) mod huge_pages;
pub(crate) mod kind;
pub(crate) mod numbers;
pub(crate) mod schema;
#[cfg_attr(not(feature = "blackbox"), expect(dead_code, reason = "`AnyLog` needs both formats"))]
pub(crate) mod text_log;
pub(crate) mod threads;
pub(crate) mod values;

pub use buffer::Buffer;
pub use bytes::OpenError;
pub use kind::Kind;
pub use numbers::Numbers;
pub use schema::{ColumnSchema, ConflictCause, SchemaConflict, SchemaUnion, TableSchema, distinct_labels};
pub use text_log::{DamagedLine, LineFault};
pub use values::Values;
