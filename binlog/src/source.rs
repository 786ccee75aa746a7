//! What both formats are read from and into: a file in memory, and the values of a column.

pub(crate) mod bytes;
pub(crate) mod values;

pub use bytes::OpenError;
pub use values::Values;
