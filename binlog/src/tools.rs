//! What is done with whole logs and schemas: checked, repaired, cut, merged and
//! anonymised, and written as Rust source.

pub mod anonymise;
pub mod check;
pub mod cut;
pub mod merge;
pub mod repair;
#[cfg(feature = "derive")]
pub mod rust_source;
