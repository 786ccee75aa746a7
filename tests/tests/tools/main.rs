//! What works on whole logs: check, repair, cut, merge, anonymise.

mod anonymised;
mod checked;
mod checked_blackbox;
mod contents;
mod cuts;
mod merged;
mod repaired;
