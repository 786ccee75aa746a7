//! The catalogue: what a log says of its own messages.
//!
//! A log defines its messages in FMT and FMTU records and names its units and multipliers in UNIT and MULT records, any
//! of which may change in the middle. Everything that reads a log learns of it here:
//!
//! - [`definition`]: a message as a log defines it;
//! - [`declaration`]: what one record declares, and what that does to the definition known so far: nothing, an
//!   amendment or a replacement;
//! - [`in_force`]: the definitions in force by id, for readers that see each record once;
//! - [`ledger`]: each definition of a log once, for readers that keep them;
//! - [`units`]: what the ids of units and multipliers mean, at a place of the log or at its end;
//! - [`column`]: a column with its unit and factor, the ids resolved;
//! - [`comparison`]: how two definitions differ, and for whom that matters.

#[cfg(feature = "std")]
pub(crate) mod column;
pub(crate) mod comparison;
pub(crate) mod declaration;
pub(crate) mod definition;
pub(crate) mod in_force;
#[cfg(feature = "std")]
pub(crate) mod ledger;
pub(crate) mod mismatch;
#[cfg(feature = "std")]
pub(crate) mod units;
