//! Numbers of things in messages.

use std::fmt::Display;

/// A number of things: `1 byte`, `2 bytes`. `what` is one of them.
pub fn counted<T: Display + PartialEq + From<u8>>(count: T, what: &str) -> String {
    let s = if count == T::from(1) { "" } else { "s" };
    format!("{count} {what}{s}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!([0_u64, 1, 2].map(|count| counted(count, "byte")), ["0 bytes", "1 byte", "2 bytes"]);
    }
}
