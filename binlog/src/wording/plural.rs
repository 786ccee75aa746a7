//! Numbers of things in messages.

use core::fmt::{self, Display};

/// A number, and one of the things that it counts: `1 byte`, `2 bytes`.
pub struct Plural<T>(pub T, pub &'static str);

impl<T: Display + PartialEq + From<u8>> Display for Plural<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plural(count, what) = self;
        let s = if *count == T::from(1) { "" } else { "s" };
        write!(f, "{count} {what}{s}")
    }
}
