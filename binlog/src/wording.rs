//! Words: text that is put together while compiling, counted nouns, and `Debug` that reads as `Display`.

pub(crate) mod const_text;
#[cfg(feature = "std")]
pub(crate) mod debug_text;
pub(crate) mod plural;
