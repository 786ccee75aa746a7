//! What works on whole logs: check, repair, cut, merge.

mod checked;
mod checked_blackbox;
mod contents;
mod cuts;
mod merged;
mod repaired;
