//! What derived code runs while compiling: columns are joined and checked, ids assigned, the preamble built. And the
//! format's own messages, which are derived.

pub(crate) mod columns;
#[cfg(feature = "derive")]
pub(crate) mod flatten;
pub(crate) mod history;
#[doc(hidden)]
pub mod lint;
#[cfg(feature = "derive")]
pub mod messages;
#[cfg(feature = "derive")]
pub(crate) mod plan;
#[cfg(feature = "derive")]
pub(crate) mod preamble;
pub(crate) mod rules;

#[cfg(feature = "derive")]
pub use flatten::Columns;
