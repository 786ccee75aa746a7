//! In place of `read` without the feature `std`: nothing is read.

/// A struct that is read from a log, which needs the feature `std`.
pub trait ReadFields: Sized {}

impl<T> ReadFields for T {}

/// Items for the feature `std`.
#[doc(hidden)]
#[macro_export]
macro_rules! __blackbox_reading {
    ($($items:tt)*) => {};
}
