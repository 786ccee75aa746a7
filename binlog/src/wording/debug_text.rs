//! `Debug` of the errors that a program returns from `main`, which prints them with it.

use core::error::Error;
use core::fmt;

/// Implements `Debug` of errors as their text and the texts of their sources.
macro_rules! debug_is_text {
    ($($error:ty),*) => {$(
        impl ::core::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::wording::debug_text::write(self, f)
            }
        }
    )*};
}
pub(crate) use debug_is_text;

pub(crate) fn write(error: &dyn Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{error}")?;
    let mut source = error.source();
    while let Some(error) = source {
        write!(f, ": {error}")?;
        source = error.source();
    }
    Ok(())
}
