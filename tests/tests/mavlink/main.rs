//! Logs over MAVLink: the stream of a log while it is written, and the download of those that are stored.

#[path = "../../../binlog-embedded/tests/flight/mod.rs"]
mod flight;
mod loss_table;
mod simulation;
mod stream;
