//! Writing on a host: accepted records reach the log, or an error says how many did.

mod madflight;
mod writer;
