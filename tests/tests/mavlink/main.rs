//! Logs over MAVLink: the stream of a log while it is written, and the download of those that are stored.

mod any_link;
mod clients;
mod companion;
mod download;
#[path = "../../../binlog-embedded/tests/flight/mod.rs"]
mod flight;
mod follow;
mod loss_table;
mod server;
mod simulation;
mod stores;
mod stream;
