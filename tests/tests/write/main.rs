//! Writing on a host: what the writer accepted is in the log.

mod madflight;
mod writer;
