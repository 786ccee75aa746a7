//! What is done with whole logs and schemas: checked, repaired, cut and merged, and written as Rust source.

pub mod check;
pub mod cut;
pub mod merge;
pub mod repair;
#[cfg(feature = "derive")]
pub mod rust_source;
