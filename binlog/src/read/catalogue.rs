//! The catalogue: what a log defines.
//!
//! A log defines its messages in FMT and FMTU records and its units and multipliers in UNIT and MULT records. Any of
//! them may change in the middle of the log. Everything that reads a log gets them from here:
//!
//! - [`padded`]: text in a fixed number of bytes;
//! - [`fmtu`]: the ids of units and multipliers in an FMTU record;
//! - [`definition`]: a message as a log defines it;
//! - [`fmtu_layout`]: where the FMTU records of a log have them;
//! - [`declaration`]: what one record declares, and how that changes the definition known so far: not at all, by an
//!   amendment or by a replacement;
//! - [`in_force`]: the definitions in force by id, for readers that see each record once;
//! - [`ledger`]: each definition of a log once, for readers that keep them;
//! - [`units`]: the meanings of the ids of units and multipliers, at an offset of the log or at its end;
//! - [`column`]: a column with its ids resolved to a unit and a factor;
//! - [`comparison`]: how two definitions differ, and for which programs that matters.

#[cfg(feature = "read")]
pub(crate) mod column;
pub(crate) mod comparison;
pub(crate) mod declaration;
pub(crate) mod definition;
pub(crate) mod fmtu;
pub(crate) mod fmtu_layout;
pub(crate) mod in_force;
#[cfg(feature = "read")]
pub(crate) mod ledger;
mod padded;
#[cfg(feature = "read")]
pub(crate) mod units;

/// The names of the messages that define the others. Every preamble of `binlog` has them, listed in the schema or not.
pub(crate) const DEFINITIONS: [&str; 4] = ["FMT", "UNIT", "MULT", "FMTU"];
